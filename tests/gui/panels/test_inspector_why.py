"""Why a node is saved or computed again, as the inspector says it, and where its links lead."""

import math

import msgspec
import pytest

from aotgui.gui.panels.inspector import Inspector
from aotgui.gui.panels.inspector_links import Link, NetworkTarget, NodeTarget, SpotTarget
from aotgui.gui.session.partitions import PartitionEntry
from aotgui.model.capture import Region
from aotgui.model.cut_network import CutNetwork, CutSide
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, GraphKind
from aotgui.model.partition import PartitionChoice, PartitionResult


def network(joint):
    """The cut goes through relu, which must not be recomputed; t_1 cannot be saved; mm_2 belongs to the backward."""
    names = ["mm", "relu", "t_1", "le", "mm_3"]
    return CutNetwork(
        nodes=[joint.index_of[name] for name in names],
        capacities=[32768.0, 36000.0, math.inf, math.inf, math.inf],
        bans=[-1, 0, -1, -1, -1],
        unsaveable=[-1, -1, 1, -1, -1],
        needs=[-1, -1, -1, 2, 2],
        needs_value=[False] * 5,
        sides=[CutSide.SOURCE, CutSide.CUT, CutSide.SINK, CutSide.SINK, CutSide.SINK],
        edge_sources=[0, 1, 1],
        edge_targets=[1, 3, 4],
        strings=["cannot recompute: reduction op", "cannot save: view", "must be computed in backward"],
        cut_value=36000.0,
    )


@pytest.fixture
def inspector(captured, made_capture, qtbot):
    joint = made_capture.regions[0].graphs[GraphKind.JOINT]
    region = msgspec.structs.replace(made_capture.regions[0], cut=network(joint))
    captured.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    inspector = Inspector(captured)
    qtbot.addWidget(inspector)
    return inspector


def why(inspector):
    """The section as label to text; rows without a label go on with the one before."""
    section = next((section for section in inspector.page.sections if section.title == "Why"), None)
    found = {}
    for row in section.rows if section else ():
        label = row.label or list(found)[-1]
        found[label] = f"{found[label]} {row.text}" if label in found else row.text
    return found


def links(inspector, label):
    section = next(section for section in inspector.page.sections if section.title == "Why")
    row = next(row for row in section.rows if row.label == label)
    return [part for part in row.parts if isinstance(part, Link)]


def test_a_saved_node_says_why_and_what_it_would_take(inspector, captured, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    found = why(inspector)
    assert found["Because"].startswith("It must not be recomputed, because it is a reduction")
    assert found["Path"].startswith("relu → ")
    assert "ban_recompute_reductions" in found["To change it"]
    assert found["In torch's words"] == "cannot recompute: reduction op"
    assert found["Show"] == "path on the canvas, min-cut network"


def test_the_nodes_in_a_sentence_are_links_in_the_graph_looked_at(inspector, captured, node_of):
    captured.select(GraphKind.BACKWARD, [node_of(GraphKind.BACKWARD, "relu")])
    targets = [link.target for link in links(inspector, "Path")]
    assert targets[0] == NodeTarget(GraphKind.BACKWARD, node_of(GraphKind.BACKWARD, "relu"))
    inspector.follow(links(inspector, "Path")[-1])
    graph = captured.graph(captured.selection.graph)
    assert graph.names[captured.selection.current] in {"le", "mm_3"}


def test_the_path_is_shown_on_the_canvas(inspector, captured, node_of):
    captured.show_graph(GraphKind.BACKWARD)
    relu = node_of(GraphKind.JOINT, "relu")
    captured.select(GraphKind.JOINT, [relu])
    link = next(link for link in links(inspector, "Show") if isinstance(link.target, SpotTarget))
    inspector.follow(link)
    assert captured.graph_shown is GraphKind.JOINT
    assert captured.spotlight.spot.nodes[0] == relu
    assert captured.spotlight.spot.is_path


def test_the_network_is_shown_for_the_node_itself(inspector, captured, node_of, qtbot):
    captured.select(GraphKind.FORWARD, [node_of(GraphKind.FORWARD, "relu")])
    link = next(link for link in links(inspector, "Show") if isinstance(link.target, NetworkTarget))
    with qtbot.waitSignal(inspector.network_requested):
        inspector.follow(link)
    assert captured.selected_in(GraphKind.JOINT) == [node_of(GraphKind.JOINT, "relu")]


def test_decisions_and_other_partitions_are_named(inspector, captured, node_of):
    joint = captured.graph(GraphKind.JOINT)
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    captured.partitions.decide(["relu"], Decision.SAVE)
    choice = PartitionChoice(memory_budget=0.5)
    fates = [
        int(Fate.RECOMPUTED if name == "relu" else fate) for name, fate in zip(joint.names, joint.fates, strict=True)
    ]
    result = PartitionResult(
        choice=choice,
        saved_bytes=0,
        saved_activation_bytes=0,
        saved_count=0,
        recomputed=["relu"],
        recomputed_flops=0,
        recomputed_seconds=None,
        forward_peak_bytes=0,
        backward_peak_bytes=0,
        fates=fates,
        seconds=0.0,
    )
    captured.partitions.compare([choice])
    captured.partitions.add(PartitionEntry(choice, result))
    found = why(inspector)
    assert found["Decided"] == "forced to be saved"
    assert found["Otherwise"] == "recomputed with min_cut@0.5"


def test_a_node_without_a_backward_has_no_why(captured, made_capture, qtbot):
    forward = made_capture.regions[0].graphs[GraphKind.FORWARD]
    inference = msgspec.structs.replace(forward, kind=GraphKind.INFERENCE)
    region = Region(name="region 0", graphs={GraphKind.INFERENCE: inference})
    captured.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    inspector = Inspector(captured)
    qtbot.addWidget(inspector)
    captured.select(GraphKind.INFERENCE, [4])
    assert inspector.page.title == "mm"
    assert why(inspector) == {}
