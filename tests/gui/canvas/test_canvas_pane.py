"""The pane shows the session and writes back into it."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.session.session import Progress, RunState, Session, SteppingState
from aotgui.model.capture import Capture, Region, Stage
from aotgui.model.graph import GraphKind, TensorInfo
from aotgui.model.settings import Settings
from aotgui.model.values import ValueStats


def capture_of(graphs) -> Capture:
    return Capture(source="m.py", target="m", torch="2", settings=Settings(), regions=[Region(name="r", graphs=graphs)])


@pytest.fixture
def graphs(make_graph):
    """A joint graph, and its first half as the forward."""
    joint, _ = make_graph(6)
    forward = msgspec.structs.replace(make_graph(3)[0], kind=GraphKind.FORWARD)
    return {GraphKind.JOINT: joint, GraphKind.FORWARD: forward}


@pytest.fixture
def session(qtbot):
    return Session()


@pytest.fixture
def pane_of(qtbot, session):
    panes = []

    def make(kind=GraphKind.JOINT):
        pane = CanvasPane(session, kind)
        qtbot.addWidget(pane, before_close_func=lambda widget: widget.close_background())
        pane.resize(1000, 700)
        pane.show()
        panes.append(pane)
        return pane

    return make


@pytest.fixture
def pane(pane_of, session, graphs, qtbot):
    """The joint pane with its graph laid out."""
    widget = pane_of()
    session.set_capture(capture_of(graphs))
    qtbot.waitUntil(lambda: not widget.is_laying_out)
    return widget


def stats(node, nans=0):
    return ValueStats(node=node, tensor=TensorInfo((2,), "float32"), nans=nans)


def click(pane, node):
    view = pane.view
    QTest.mouseClick(
        view, Qt.MouseButton.LeftButton, pos=view.camera.rect_to_view(*view.scene.box(node)).center().toPoint()
    )


def test_it_says_what_to_do_before_there_is_a_graph(pane_of, session):
    pane = pane_of()
    assert pane.view.message == "Open a Python script to see its graphs."
    session.set_source("m.py")
    session.set_progress(Progress(RunState.RUNNING, Stage.TRACE))
    assert pane.view.message == "Tracing the joint graph\u2026"
    session.set_progress(Progress(RunState.IDLE))
    assert pane.view.message == "There is no graph to show."


def test_a_capture_is_laid_out_and_shown(pane, session):
    assert pane.view.message == ""
    assert pane.view.scene.graph is session.graph(GraphKind.JOINT)


def test_a_region_without_this_graph_says_so(pane, session, graphs):
    session.set_capture(capture_of({GraphKind.INFERENCE: graphs[GraphKind.FORWARD]}))
    assert pane.view.scene is None
    assert pane.view.message == "Nothing requires a gradient here, so there is no joint graph."


def test_a_click_selects_in_the_session_and_other_panes_follow(pane, pane_of, session, qtbot):
    other = pane_of(GraphKind.FORWARD)
    qtbot.waitUntil(lambda: not other.is_laying_out)
    click(pane, 2)
    assert session.selection.graph is GraphKind.JOINT
    assert session.selection.nodes == (2,)
    assert pane.view.marks.selected == [2]
    assert other.view.marks.selected == [2]


def test_a_selection_made_elsewhere_is_shown_and_revealed(pane, session):
    pane.view.set_camera(Camera(1.0, 5000.0, 5000.0))
    session.select(GraphKind.FORWARD, [1], reveal=True)
    assert pane.view.marks.selected == [1]
    assert pane.view.rect().contains(pane.view.camera.rect_to_view(*pane.view.scene.box(1)).toRect())


def test_the_view_stays_when_a_rerun_gives_the_same_nodes(pane, session, make_graph, qtbot):
    camera = Camera(0.8, 10.0, 20.0)
    pane.view.set_camera(camera)
    again, _ = make_graph(6)
    session.set_capture(capture_of({GraphKind.JOINT: again}))
    qtbot.waitUntil(lambda: pane.view.scene is not None and pane.view.scene.graph is again)
    assert pane.view.camera == camera
    other, _ = make_graph(9)
    session.set_capture(capture_of({GraphKind.JOINT: other}))
    qtbot.waitUntil(lambda: pane.view.scene.graph is other)
    assert pane.view.camera != camera


def test_what_happened_before_the_layout_was_ready_is_shown(pane_of, session, graphs, qtbot):
    pane = pane_of()
    session.set_capture(capture_of(graphs))
    session.select(GraphKind.JOINT, [4])
    session.add_values({GraphKind.JOINT: [stats(0), stats(1, nans=3)]})
    session.toggle_breakpoint(GraphKind.JOINT, "mm_5")
    session.set_stepping(SteppingState(active=True, graph=GraphKind.JOINT, node=2))
    qtbot.waitUntil(lambda: not pane.is_laying_out)
    assert pane.view.marks.selected == [4]
    assert pane.view.marks.stepping == 2
    assert pane.view.states.executed == {0, 1}
    assert pane.view.states.nonfinite == {1}
    assert pane.view.states.breakpoints == {5}


def test_stepping_moves_the_marker_and_keeps_it_in_view(pane, session):
    pane.view.set_camera(Camera(1.0, 5000.0, 5000.0))
    session.set_stepping(SteppingState(active=True, graph=GraphKind.JOINT, node=3))
    assert pane.view.marks.stepping == 3
    assert pane.view.rect().contains(pane.view.camera.rect_to_view(*pane.view.scene.box(3)).toRect())
    session.set_stepping(SteppingState(active=True, graph=GraphKind.JOINT, node=12))  # past the last node
    assert pane.view.marks.stepping == -1
    session.set_stepping(SteppingState(active=True, graph=GraphKind.FORWARD, node=1))
    assert pane.view.marks.stepping == -1


def test_values_come_in_and_become_void(pane, session):
    session.add_values({GraphKind.JOINT: [stats(3), stats(4, nans=1)]})
    assert pane.view.states.executed == {3, 4}
    assert pane.view.states.nonfinite == {4}
    session.clear_values()
    assert pane.view.states.executed == set()
    assert pane.view.states.nonfinite == set()


def actions(pane, node):
    return {action.text(): action for action in pane.context_menu(node).actions() if action.text()}


def test_the_menu_of_a_steppable_graph_sets_breakpoints_and_runs(pane_of, session, graphs, qtbot):
    pane = pane_of(GraphKind.FORWARD)
    session.set_capture(capture_of(graphs))
    qtbot.waitUntil(lambda: not pane.is_laying_out)
    actions(pane, 2)["Set breakpoint"].trigger()
    assert session.breakpoints == {GraphKind.FORWARD: frozenset({"mm_2"})}
    assert pane.view.states.breakpoints == {2}
    with qtbot.waitSignal(pane.run_to_requested) as asked:
        actions(pane, 2)["Run to mm_2"].trigger()
    assert asked.args == [GraphKind.FORWARD, 2]
    actions(pane, 2)["Remove breakpoint"].trigger()
    assert session.breakpoints == {}


def test_the_menu_of_the_joint_graph_selects_and_copies(pane, session):
    menu = actions(pane, 1)
    assert "Set breakpoint" not in menu
    menu["Select users"].trigger()
    assert session.selection.nodes == tuple(session.graph(GraphKind.JOINT).users(1))
    actions(pane, 1)["Select inputs"].trigger()
    assert session.selection.nodes == (0,)
    menu["Copy name\tCtrl+C"].trigger()
    assert QApplication.clipboard().text() == "mm_1"
    assert set(actions(pane, -1)) == {"Fit graph", "Fit selection"}


def test_legend_filter_and_search_fade_together(pane, session):
    (saved,) = [button for button in pane.legend.buttons if button.entry.label == "saved"]
    saved.click()
    dimmed = pane.view.states.dimmed
    fates = session.graph(GraphKind.JOINT).fates
    assert dimmed.tolist() == [fate != 0 for fate in fates]
    search = dimmed.copy()
    search[:] = True
    pane.set_search(search)
    assert pane.view.states.dimmed.all()
    pane.set_search(None)
    saved.click()
    assert pane.view.states.dimmed is None


def test_a_rerun_with_the_same_nodes_keeps_the_filter(pane, session, make_graph, qtbot):
    (saved,) = [button for button in pane.legend.buttons if button.entry.label == "saved"]
    saved.click()
    before = pane.view.states.dimmed.tolist()
    again, _ = make_graph(6)
    session.set_capture(capture_of({GraphKind.JOINT: again}))
    qtbot.waitUntil(lambda: pane.view.scene.graph is again)
    assert pane.view.states.dimmed.tolist() == before
    other, _ = make_graph(9)
    session.set_capture(capture_of({GraphKind.JOINT: other}))
    qtbot.waitUntil(lambda: pane.view.scene.graph is other)
    assert pane.view.states.dimmed is None


def test_a_menu_selects_its_node_unless_it_is_part_of_the_selection(pane, session, monkeypatch):
    # The offscreen platform cannot grab the keyboard, which an open menu asks for.
    monkeypatch.setattr(QMenu, "popup", lambda *_: None)
    session.select(GraphKind.JOINT, [1, 2])
    pane.view.context_menu_requested.emit(2, pane.mapToGlobal(QPoint(5, 5)))
    assert session.selection.nodes == (1, 2)
    pane.view.context_menu_requested.emit(4, pane.mapToGlobal(QPoint(5, 5)))
    assert session.selection.nodes == (4,)


def test_the_colour_box_changes_the_view_and_follows_it(pane):
    pane.colour_box.setCurrentIndex(pane.colour_box.findData(ColourMode.BYTES))
    assert pane.view.colour_mode is ColourMode.BYTES
    pane.set_colour_mode(ColourMode.PARTITION)
    assert pane.colour_box.currentData() is ColourMode.PARTITION
    assert pane.view.colour_mode is ColourMode.PARTITION


def test_double_click_selects_and_tells(pane, session, qtbot):
    with qtbot.waitSignal(pane.node_activated) as activated:
        pane.view.activate(5)
    assert activated.args == [GraphKind.JOINT, 5]
    assert session.selection.nodes == (5,)


def test_a_layout_that_fails_is_told(pane_of, session, graphs, qtbot):
    graph = msgspec.structs.replace(graphs[GraphKind.JOINT], seq_nrs=["no number"] * 12, edge_sources=[99] * 22)
    pane = pane_of()
    with qtbot.waitSignal(pane.layout_failed) as failed:
        session.set_capture(capture_of({GraphKind.JOINT: graph}))
    assert failed.args[0] is GraphKind.JOINT
    assert pane.view.message.startswith("The joint graph could not be laid out.")
