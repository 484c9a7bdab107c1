"""What groups hold: a storage that several saved values share counts once."""

from __future__ import annotations

import msgspec
import numpy as np

from aotgui.gui.canvas.group_facts import GroupLedger
from aotgui.layout.result import Group
from aotgui.model.capture import Region, SavedValue
from aotgui.model.graph import Fate, GraphKind


def group_of(*nodes):
    return Group("layers.0", "layers.0", -1, np.array(nodes, np.int32))


def test_a_shared_storage_counts_once(make_graph):
    joint, _ = make_graph(6)
    joint = msgspec.structs.replace(joint, fates=[Fate.SAVED] * 3 + [Fate.FORWARD_ONLY] * 9)
    forward = msgspec.structs.replace(joint, kind=GraphKind.FORWARD)
    tensor = joint.tensor_table[0]
    saved = [
        SavedValue(name="mm_1", tensor=tensor, size_bytes=8192, storage_bytes=8192, role="activation"),
        SavedValue(name="mm_2", tensor=tensor, size_bytes=8192, storage_bytes=0, role="activation"),
    ]
    region = Region(name="region 0", graphs={GraphKind.JOINT: joint, GraphKind.FORWARD: forward}, saved=saved)
    assert region.activation_bytes(GraphKind.JOINT) == {1: 8192, 2: 0}
    facts = GroupLedger(joint, region.activation_bytes(GraphKind.JOINT)).facts(group_of(1, 2, 3))
    assert (facts.saved, facts.saved_bytes) == (2, 8192)
    assert facts.line() == "3 nodes · saves 2, 8.0 KiB"
    shares = GroupLedger(joint, region.activation_bytes(GraphKind.JOINT)).facts(group_of(2, 3))
    assert shares.line() == "2 nodes · saves 1"
    assert shares.sentences()[1] == "saves 1 activation for backward, of storages that are counted elsewhere"


def test_nodes_count_by_themselves_where_storages_are_not_known(make_graph):
    graph, _ = make_graph(6)
    graph = msgspec.structs.replace(graph, fates=[Fate.SAVED] * 3 + [Fate.FORWARD_ONLY] * 9)
    assert GroupLedger(graph).facts(group_of(1, 2)).saved_bytes == 8192 + 128
