"""Layouts in a process of their own: the same as on a thread, and a thread does it where the process cannot."""

from __future__ import annotations

import os
import signal
import sys
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from aotgui.gui.canvas.arranging import Request, arrange
from aotgui.gui.canvas.layout_process import LARGE_NODES, LOST, NOT_STARTED, LayoutProcess
from aotgui.gui.canvas.layout_runner import measured_options
from aotgui.layout.options import LayoutCancelled

ARRAYS = ("boxes", "item_nodes", "item_groups", "node_items", "points", "route_starts", "route_kinds", "frames")


def never():
    return False


@pytest.fixture
def process_of(qapp):
    """Makes layout processes and ends them; what they complain of is collected in ``said``."""
    made = []

    def make(*command):
        process = LayoutProcess(command) if command else LayoutProcess()
        said = []
        process.trouble.connect(said.append)
        made.append(process)
        return SimpleNamespace(process=process, said=said, arrange=process.arrange)

    yield make
    for process in made:
        process.close()


@pytest.fixture
def large(make_graph):
    graph, _ = make_graph(LARGE_NODES // 2)
    assert len(graph) >= LARGE_NODES
    return graph


def plain(groups):
    return [(one.path, one.title, one.parent, one.side, one.blocks, one.differs, one.nodes.tolist()) for one in groups]


def assert_same(one, other):
    for name in ARRAYS:
        mine, theirs = getattr(one.layout, name), getattr(other.layout, name)
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs), name
    assert one.layout.bounds == other.layout.bounds
    assert plain(one.layout.groups) == plain(other.layout.groups)
    assert plain(one.groups) == plain(other.groups)
    assert (one.expanded, one.widths, one.graph) == (other.expanded, other.widths, other.graph)
    assert (one.nesting.paths, one.nesting.parents, one.nesting.blocks) == (
        other.nesting.paths,
        other.nesting.parents,
        other.nesting.blocks,
    )
    reaches = [
        [[(band.group.path, band.top, band.bottom) for band in bands] for bands in a.bands] for a in (one, other)
    ]
    assert reaches[0] == reaches[1]


def test_the_process_arranges_as_a_thread_does(process_of, large):
    options, far = measured_options(), process_of()
    for expanded, is_opening in ((None, True), (frozenset(), False), (None, False)):
        request = Request(large, expanded, is_opening)
        assert_same(far.arrange(request, options, never), arrange(request, options, never))
    assert far.process.is_running
    assert not far.said


def test_what_is_known_comes_once(process_of, large):
    options, far = measured_options(), process_of()
    opened = far.arrange(Request(large, is_opening=True), options, never)
    folded = far.arrange(Request(large, frozenset(), known=opened), options, never)
    assert folded.nesting is opened.nesting
    assert folded.widths is opened.widths
    assert folded.groups is opened.groups
    assert_same(folded, arrange(Request(large, frozenset()), options, never))


def test_a_small_graph_needs_no_process(process_of, make_graph):
    graph, _ = make_graph(4)
    far = process_of()
    assert far.arrange(Request(graph), measured_options(), never).graph is graph
    assert not far.process.is_running


def test_what_is_no_longer_wanted_is_dropped_and_the_next_arrives(process_of, large):
    options, far = measured_options(), process_of()
    far.process.start_ahead()
    with pytest.raises(LayoutCancelled):
        far.arrange(Request(large), options, lambda: True)
    assert_same(far.arrange(Request(large), options, never), arrange(Request(large), options, never))


def test_a_thread_helps_out_where_the_process_dies(process_of, large):
    options, far = measured_options(), process_of(sys.executable, "-c", "import sys; sys.stdin.buffer.read(1)")
    assert_same(far.arrange(Request(large), options, never), arrange(Request(large), options, never))
    assert far.said == [LOST]


def test_a_dead_process_is_started_again(process_of, large):
    options, far = measured_options(), process_of()
    first = far.arrange(Request(large), options, never)
    os.kill(far.process.pid, signal.SIGKILL)
    assert_same(far.arrange(Request(large, known=first), options, never), first)
    assert far.said == [LOST]
    assert_same(far.arrange(Request(large, known=first), options, never), first)
    assert far.process.is_running


def test_a_thread_helps_out_where_the_process_cannot_be_started(process_of, large):
    far = process_of("/no/such/program")
    assert far.arrange(Request(large), measured_options(), never).graph is large
    assert far.said == [NOT_STARTED]


def test_a_fault_of_the_layout_is_met_again_on_the_thread(process_of, large):
    """The process only says that it failed; the thread raises the fault itself."""
    broken = msgspec.structs.replace(large, edge_targets=[*large.edge_targets[:-1], 10 * len(large)])
    far = process_of()
    with pytest.raises(IndexError):
        far.arrange(Request(broken), measured_options(), never)
    assert far.process.is_running
