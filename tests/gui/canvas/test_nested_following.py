"""The canvas goes with the debugger into the graph inside of a node."""

from __future__ import annotations

import msgspec
import pytest

from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.nested_following import NestedFollowing
from aotgui.gui.session.debug_state import InnerNode
from aotgui.gui.session.session import Session, SteppingState
from aotgui.model.capture import Capture, Region
from aotgui.model.graph import GraphKind, TensorInfo
from aotgui.model.settings import Settings
from aotgui.model.stepping import NestedFrame
from aotgui.model.values import ValueStats
from aotgui.protocol.messages import Stepped, StopReason

FORWARD = GraphKind.FORWARD


@pytest.fixture
def session(qapp):
    return Session()


@pytest.fixture
def pane(make_graph, session, qtbot):
    """A forward with a graph inside, and another one inside of that."""
    deep = msgspec.structs.replace(make_graph(2)[0], kind=FORWARD)
    inner = msgspec.structs.replace(make_graph(3)[0], kind=FORWARD, subgraphs={"deep": deep})
    outer = msgspec.structs.replace(make_graph(4)[0], kind=FORWARD, subgraphs={"inner": inner})
    pane = CanvasPane(session, FORWARD)
    qtbot.addWidget(pane, before_close_func=lambda widget: widget.close_background())
    pane.resize(900, 600)
    pane.show()
    NestedFollowing(session, pane)
    region = Region(name="r", graphs={FORWARD: outer})
    session.set_capture(Capture(source="m.py", target="m", torch="2", settings=Settings(), regions=[region]))
    qtbot.waitUntil(lambda: not pane.is_laying_out)
    return pane


def stop(session, *frames, executed=()):
    """The engine stands in nested graphs: their names and the node in each, and what ran of the innermost."""
    nested = [NestedFrame(subgraph=name, node=node) for name, node in frames]
    if executed:
        nested[-1] = msgspec.structs.replace(nested[-1], executed=list(executed))
    session.debug.take(Stepped(session=1, region=0, graph=FORWARD, node=2, reason=StopReason.STEP, frames=nested))
    session.set_stepping(SteppingState(active=True, graph=FORWARD, node=2))


def test_it_goes_in_marks_what_ran_and_comes_out(pane, session, qtbot):
    outer = session.graph(FORWARD)
    stop(session, ("inner", 1))
    qtbot.waitUntil(lambda: pane.view.scene.graph is outer.subgraphs["inner"])
    assert (pane.view.marks.stepping, pane.view.states.executed) == (1, {0})
    stop(session, ("inner", 3))
    assert (pane.view.marks.stepping, pane.view.states.executed) == (3, {0, 1, 2})
    stop(session)
    assert pane.view.scene.graph is outer
    assert pane.view.marks.stepping == 2


def test_the_value_of_the_last_step_is_looked_at_and_any_other_can_be(pane, session, qtbot):
    stop(session, ("inner", 0))
    qtbot.waitUntil(lambda: pane.view.scene.graph is session.graph_inside(FORWARD, 1))
    assert session.debug.inner is None
    stop(session, ("inner", 2), executed=[ValueStats(node=1, tensor=TensorInfo((2,), "float32"))])
    assert session.debug.inner == InnerNode(FORWARD, 1, 1)
    assert pane.view.selected_nodes == [1]
    pane.view.selection_requested.emit([0])
    assert session.debug.inner == InnerNode(FORWARD, 1, 0)
    pane.view.selection_requested.emit([])
    assert session.debug.inner is None
    pane.view.selection_requested.emit([0])
    stop(session)
    assert session.debug.inner is None


def test_it_goes_through_a_graph_into_the_one_inside_of_it(pane, session, qtbot):
    outer = session.graph(FORWARD)
    stop(session, ("inner", 1), ("deep", 0))
    qtbot.waitUntil(lambda: pane.view.scene.graph is outer.subgraphs["inner"].subgraphs["deep"])
    assert pane.view.marks.stepping == 0
    stop(session, ("inner", 2))
    qtbot.waitUntil(lambda: pane.view.scene.graph is outer.subgraphs["inner"])
    assert pane.view.marks.stepping == 2


def test_a_graph_that_is_not_known_is_not_entered(pane, session):
    stop(session, ("nobody", 1))
    assert pane.view.scene.graph is session.graph(FORWARD)


def test_a_person_who_went_in_alone_stays_there(pane, session, qtbot):
    outer = session.graph(FORWARD)
    pane.enter("inner")
    qtbot.waitUntil(lambda: pane.view.scene.graph is outer.subgraphs["inner"])
    stop(session)
    assert pane.view.scene.graph is outer.subgraphs["inner"]
