"""The pane shows the session and writes back into it."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton

from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.canvas.hidden_bar import HiddenBar
from aotgui.gui.session.breakpoint_places import toggle_node
from aotgui.gui.session.session import Progress, RunState, Session, SteppingState
from aotgui.gui.session.view_state import ViewState
from aotgui.model.capture import Capture, Region, SavedValue, Stage
from aotgui.model.graph import Fate, GraphKind, Op, TensorInfo
from aotgui.model.settings import Settings
from aotgui.model.stepping import NodeError
from aotgui.model.values import ValueStats
from aotgui.protocol.messages import Stepped, StopReason


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


def points(session):
    """Graphs and names of the nodes with a breakpoint."""
    return [(point.graph, point.where) for point in session.breakpoints.listed]


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


def test_the_view_stays_when_a_rerun_of_the_same_source_gives_other_nodes(pane, session, make_graph, qtbot):
    pane.view.set_camera(Camera(0.8, 10.0, 20.0))
    middle = pane.view.scene.node_of(pane.view.nearest_to_middle())
    name, place = pane.view.scene.graph.names[middle], pane.view.camera.to_view(*pane.view.scene.centre_of(middle))
    other, _ = make_graph(9)
    session.set_capture(capture_of({GraphKind.JOINT: other}))
    qtbot.waitUntil(lambda: pane.view.scene.graph is other)
    now = pane.view.camera.to_view(*pane.view.scene.centre_of(other.index_of[name]))
    assert pane.view.camera.scale == 0.8
    assert (now.x(), now.y()) == pytest.approx((place.x(), place.y()), abs=0.5)


def in_modules(graph, *paths):
    """The graph with its sequence numbers shared out to modules."""
    first, share = len(graph.strings), (max(graph.seq_nrs) + len(paths)) // len(paths)
    modules = [first + seq_nr // share for seq_nr in graph.seq_nrs]
    return msgspec.structs.replace(graph, strings=[*graph.strings, *paths], modules=modules)


def test_a_view_is_found_again_where_it_was_left_although_modules_beside_it_take_more_room(
    pane, session, make_graph, qtbot
):
    session.set_capture(capture_of({GraphKind.JOINT: in_modules(make_graph(8)[0], "a", "b")}))
    qtbot.waitUntil(lambda: pane.ruler.isVisible())
    QApplication.processEvents()
    width = pane.ruler.width()
    other = in_modules(make_graph(12)[0], "a.x", "a.y", "b.x", "b.y")
    session.set_source("other.py")
    pane.restore_state(ViewState(scale=0.8, left=10.0, top=20.0, nodes=len(other), expanded=("a", "b")))
    session.set_capture(capture_of({GraphKind.JOINT: other}))
    qtbot.waitUntil(lambda: pane.ruler.width() > width)
    assert pane.view.camera == Camera(0.8, 10.0, 20.0)


def test_another_source_opens_afresh_although_its_nodes_have_the_same_names(pane, session, make_graph, qtbot):
    pane.view.set_camera(Camera(0.8, 10.0, 20.0))
    other, _ = make_graph(9)
    session.set_source("other.py")
    session.set_capture(capture_of({GraphKind.JOINT: other}))
    qtbot.waitUntil(lambda: pane.view.scene.graph is other)
    assert not pane.view.was_moved


def test_what_happened_before_the_layout_was_ready_is_shown(pane_of, session, graphs, qtbot):
    pane = pane_of()
    session.set_capture(capture_of(graphs))
    session.select(GraphKind.JOINT, [4])
    session.add_values({GraphKind.JOINT: [stats(0), stats(1, nans=3)]})
    toggle_node(session, GraphKind.JOINT, "mm_5")
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


def test_the_joint_graph_shows_how_its_halves_are_executed(pane, pane_of, session, qtbot):
    half = pane_of(GraphKind.FORWARD)
    qtbot.waitUntil(lambda: not half.is_laying_out)
    session.set_stepping(SteppingState(active=True, graph=GraphKind.FORWARD, node=1))
    session.add_values({GraphKind.FORWARD: [stats(0, nans=1)]})
    assert pane.view.marks.stepping == 1
    assert pane.view.states.executed == {0}
    assert pane.view.states.nonfinite == {0}
    toggle_node(session, GraphKind.JOINT, "mm_2")
    assert points(session) == [(GraphKind.FORWARD, "mm_2")]
    assert pane.view.states.breakpoints == half.view.states.breakpoints == {2}
    toggle_node(session, GraphKind.JOINT, "mm_2")
    assert points(session) == []


def test_a_half_does_not_show_what_runs_elsewhere(pane_of, session, graphs, qtbot):
    half = pane_of(GraphKind.FORWARD)
    session.set_capture(capture_of(graphs))
    qtbot.waitUntil(lambda: not half.is_laying_out)
    session.set_stepping(SteppingState(active=True, graph=GraphKind.JOINT, node=1))
    assert half.view.marks.stepping == -1


def test_values_come_in_and_become_void(pane, session):
    session.add_values({GraphKind.JOINT: [stats(3), stats(4, nans=1)]})
    assert pane.view.states.executed == {3, 4}
    assert pane.view.states.nonfinite == {4}
    session.clear_values()
    assert pane.view.states.executed == set()
    assert pane.view.states.nonfinite == set()


def actions(pane, node):
    return {action.text(): action for action in pane.menus.for_node(node).actions() if action.text()}


def test_the_card_of_an_executed_node_says_what_it_gave(pane, session):
    assert not [line for line in pane.view.card_lines(0) if line.startswith("ran")]
    told = msgspec.structs.replace(stats(0, nans=2), minimum=-1.5, maximum=2.0, ms=0.25)
    session.add_values({GraphKind.FORWARD: [told]})
    error = NodeError(node=0, max_abs=1e-6, relative=2e-6)
    session.debug.take(
        Stepped(session=1, region=0, graph=GraphKind.FORWARD, node=1, reason=StopReason.STEP,
                errors={GraphKind.FORWARD: [error]}, differences={GraphKind.FORWARD: [NodeError(node=0, text="no")]})
    )  # fmt: skip
    assert pane.view.card_lines(0)[-1] == "ran in forward: -1.5 to 2, 2 NaN, 0.25 ms, error 2e-06"


def test_the_menu_of_a_steppable_graph_sets_breakpoints_and_runs(pane_of, session, graphs, qtbot):
    pane = pane_of(GraphKind.FORWARD)
    session.set_capture(capture_of(graphs))
    qtbot.waitUntil(lambda: not pane.is_laying_out)
    actions(pane, 2)["Set breakpoint"].trigger()
    assert points(session) == [(GraphKind.FORWARD, "mm_2")]
    assert pane.view.states.breakpoints == {2}
    with qtbot.waitSignal(pane.run_to_requested) as asked:
        actions(pane, 2)["Run to mm_2"].trigger()
    assert asked.args == [GraphKind.FORWARD, 2]
    actions(pane, 2)["Remove breakpoint"].trigger()
    assert points(session) == []


def test_the_menu_of_the_joint_graph_selects_and_copies(pane, session):
    menu = actions(pane, 1)
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


# --- Modules, nested graphs, related nodes --------------------------------------------------------------------


@pytest.fixture
def with_cond(make_graph, session, pane_of, qtbot):
    """A forward whose third node runs a graph of two others."""
    inner = msgspec.structs.replace(make_graph(2)[0], kind=GraphKind.FORWARD)
    graph = msgspec.structs.replace(make_graph(4)[0], kind=GraphKind.FORWARD)
    strings = [*graph.strings, "true_graph_0", "false_graph_0"]
    targets, ops = list(graph.targets), list(graph.ops)
    targets[2], ops[2] = len(strings) - 2, Op.GET_ATTR
    graph = msgspec.structs.replace(
        graph, strings=strings, targets=targets, ops=ops, subgraphs={"true_graph_0": inner, "false_graph_0": inner}
    )
    pane = pane_of(GraphKind.FORWARD)
    session.set_capture(capture_of({GraphKind.FORWARD: graph}))
    qtbot.waitUntil(lambda: not pane.is_laying_out)
    return pane


def crumbs(pane):
    buttons = pane.header.findChildren(QToolButton)
    return [button.text() for button in buttons if button.text() in CRUMBS and not button.isHidden()]


CRUMBS = ("Forward", "true_graph_0")


def test_a_graph_inside_opens_and_backspace_leads_back(with_cond, session, qtbot):
    pane = with_cond
    outer, camera = pane.view.scene.graph, Camera(0.9, 5.0, 6.0)
    pane.view.set_camera(camera)
    pane.view.activate(pane.view.scene.item_of(2))
    qtbot.waitUntil(lambda: pane.view.scene.graph is outer.subgraphs["true_graph_0"])
    assert crumbs(pane) == ["Forward", "true_graph_0"]
    pane.view.setFocus()
    QTest.keyClick(pane.view, Qt.Key.Key_Backspace)
    assert pane.view.scene.graph is outer
    assert pane.view.camera == camera
    assert crumbs(pane) == []


def test_inside_a_graph_the_selection_is_its_own(with_cond, session, qtbot):
    pane = with_cond
    session.select(GraphKind.FORWARD, [1])
    pane.enter("true_graph_0")
    qtbot.waitUntil(lambda: not pane.is_laying_out)
    pane.view.selection_requested.emit([3])
    assert pane.view.selected_nodes == [3]
    assert session.selection.nodes == (1,)
    assert "Set breakpoint" not in actions(pane, 1)
    session.reveal(GraphKind.FORWARD, 5)
    assert pane.view.scene.graph is session.graph(GraphKind.FORWARD)
    assert pane.view.selected_nodes == [1]


def test_a_node_that_runs_two_graphs_offers_both(with_cond, monkeypatch):
    pane = with_cond
    user = pane.view.scene.graph.users(2)[0]
    assert "Open true_graph_0" in actions(pane, user)
    assert "Open true_graph_0" not in actions(pane, 0)


def test_a_new_capture_leads_out(with_cond, session, graphs, qtbot):
    with_cond.enter("true_graph_0")
    session.set_capture(capture_of(graphs))
    qtbot.waitUntil(lambda: with_cond.view.scene.graph is graphs[GraphKind.FORWARD])
    assert crumbs(with_cond) == []


def test_ancestors_descendants_and_the_path_between(pane, session):
    session.select(GraphKind.JOINT, [3])
    pane.view.setFocus()
    QTest.keyClick(pane.view, Qt.Key.Key_A)
    assert session.selection.nodes == (3, 2, 1, 0)
    session.select(GraphKind.JOINT, [9])
    QTest.keyClick(pane.view, Qt.Key.Key_D)
    assert session.selection.nodes == (9, 10, 11)
    session.select(GraphKind.JOINT, [8, 5])
    QTest.keyClick(pane.view, Qt.Key.Key_P)
    assert session.selection.nodes == (8, 5, 6, 7)


def test_a_selection_is_shown_alone_until_everything_is_wanted_again(pane, session):
    session.select(GraphKind.JOINT, [3, 4])
    actions(pane, 3)["Isolate selection\tI"].trigger()
    assert (~pane.view.states.hidden).nonzero()[0].tolist() == [3, 4]
    actions(pane, 3)["Show everything again\tShift+H"].trigger()
    assert pane.view.states.hidden is None


def test_what_is_hidden_adds_up_and_is_told(pane, session):
    bar = pane.findChild(HiddenBar)
    assert bar.isHidden()
    session.select(GraphKind.JOINT, [3, 4])
    pane.view.setFocus()
    QTest.keyClick(pane.view, Qt.Key.Key_H)
    assert not pane.view.marks.selected  # or it would be drawn, with a ring around it
    session.select(GraphKind.JOINT, [6])
    QTest.keyClick(pane.view, Qt.Key.Key_H)
    assert pane.view.states.hidden.nonzero()[0].tolist() == [3, 4, 6]
    assert bar.label.text() == "3 of 12 nodes are hidden."
    bar.show_all.click()
    assert pane.view.states.hidden is None
    assert bar.isHidden()


def test_the_legend_hides_until_everything_is_wanted_again(pane, session):
    (button,) = [button for button in pane.legend.buttons if button.entry.label == "backward"]
    button.set_hiding(True)
    assert pane.view.states.hidden.tolist() == [False] * 6 + [True] * 6
    pane.findChild(HiddenBar).show_all.click()
    assert pane.view.states.hidden is None
    assert not button.is_hiding


def test_names_are_copied(pane, session):
    session.select(GraphKind.JOINT, [3, 4])
    pane.view.setFocus()
    QTest.keyClick(pane.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "mm_3\nmm_4"
    actions(pane, 0)["Copy \u201clayers.0.weight\u201d"].trigger()
    assert QApplication.clipboard().text() == "layers.0.weight"


def test_copies_in_other_graphs_are_shown(pane, session):
    session.show_graph(GraphKind.JOINT)
    actions(pane, 2)["Show in the forward graph"].trigger()
    assert session.graph_shown is GraphKind.FORWARD
    assert session.selection.nodes == (2,)


def test_a_selection_of_hidden_nodes_marks_their_group(pane, session, qtbot):
    with qtbot.waitSignal(pane.folds.placed):
        pane.folds.close_all()
    session.select(GraphKind.FORWARD, [1])
    assert pane.view.marks.selected == [pane.view.scene.item_of(1)]
    assert pane.view.scene.node_of(pane.view.scene.item_of(1)) == -1
    session.set_stepping(SteppingState(active=True, graph=GraphKind.JOINT, node=7))
    assert pane.view.marks.stepping == pane.view.scene.item_of(7)


@pytest.mark.parametrize("expands", [True, False])
def test_revealing_opens_what_hides_a_node_if_wanted(pane, session, qtbot, expands):
    with qtbot.waitSignal(pane.folds.placed):
        pane.folds.close_all()
    pane.expands_to_reveal = expands
    session.select(GraphKind.JOINT, [1], reveal=True)
    qtbot.waitUntil(lambda: not pane.is_laying_out)
    assert (pane.view.scene.node_of(pane.view.scene.item_of(1)) == 1) is expands


def test_folding_keeps_selection_filter_and_marks(pane, session, qtbot):
    (saved,) = [button for button in pane.legend.buttons if button.entry.label == "saved"]
    saved.click()
    session.select(GraphKind.JOINT, [4])
    session.add_values({GraphKind.JOINT: [stats(4)]})
    dimmed = pane.view.states.dimmed.tolist()
    for change in (pane.folds.close_all, pane.folds.open_all):
        with qtbot.waitSignal(pane.folds.placed):
            change()
    assert pane.view.selected_nodes == [4]
    assert pane.view.states.executed == {4}
    assert pane.view.states.dimmed.tolist() == dimmed
    assert saved.isChecked()


def test_a_rerun_keeps_what_is_open(pane, session, make_graph, qtbot):
    with qtbot.waitSignal(pane.folds.placed):
        pane.folds.close_all()
    again, _ = make_graph(6)
    session.set_capture(capture_of({GraphKind.JOINT: again}))
    qtbot.waitUntil(lambda: pane.view.scene is not None and pane.view.scene.graph is again)
    assert pane.folds.expanded == frozenset()
    assert len(pane.view.scene) == 2


def test_groups_tell_the_bytes_of_a_rerun_with_equal_graphs(pane_of, session, graphs, qtbot):
    def capture_with(storage_bytes):
        value = SavedValue(
            name=forward.names[4], tensor=TensorInfo((2,), "float32"), size_bytes=8, storage_bytes=storage_bytes,
            role="activation",
        )  # fmt: skip
        return Capture(
            source="m.py", target="m", torch="2", settings=Settings(),
            regions=[Region(name="r", graphs={GraphKind.FORWARD: forward}, saved=[value])],
        )  # fmt: skip

    forward = graphs[GraphKind.FORWARD]
    forward = msgspec.structs.replace(
        forward, fates=[Fate.SAVED if node == 4 else Fate.FORWARD_ONLY for node in range(len(forward))]
    )
    pane = pane_of(GraphKind.FORWARD)
    session.set_capture(capture_with(8))
    qtbot.waitUntil(lambda: not pane.is_laying_out)
    with qtbot.waitSignal(pane.folds.placed):
        pane.folds.close_all()
    session.select(GraphKind.FORWARD, [1])
    pane.view.set_camera(Camera(0.7, 3.0, 4.0))
    group = pane.view.scene.item_of(4)
    assert "8 B" in pane.view.scene.subtitle(group)
    before = pane.view.scene
    session.update_result(capture_with(8))
    assert pane.view.scene is before, "nothing changed, so nothing is drawn again"
    session.update_result(capture_with(4096))
    assert "4.0 KiB" in pane.view.scene.subtitle(group)
    assert pane.view.selected_nodes == [1]
    assert pane.view.camera == Camera(0.7, 3.0, 4.0)
    assert pane.folds.expanded == frozenset()


def test_a_state_is_restored(pane, pane_of, session, qtbot):
    with qtbot.waitSignal(pane.folds.placed):
        pane.folds.close_all()
    pane.view.set_camera(Camera(0.7, 3.0, 4.0))
    pane.set_colour_mode(ColourMode.DTYPE)
    state = pane.state()
    other = CanvasPane(session, GraphKind.JOINT, state)
    qtbot.addWidget(other, before_close_func=lambda widget: widget.close_background())
    qtbot.waitUntil(lambda: not other.is_laying_out)
    other.resize(800, 600)
    other.show()
    assert other.state() == state
    assert other.colour_box.currentData() is ColourMode.DTYPE


def test_the_menu_of_a_group_opens_it(pane, qtbot):
    with qtbot.waitSignal(pane.folds.placed):
        pane.folds.close_all()
    number = pane.view.scene.group_of(0)
    menu = {action.text(): action for action in pane.menus.for_group(number, QPointF(100, 100)).actions()}
    assert "Collapse" not in menu
    with qtbot.waitSignal(pane.folds.placed):
        menu["Expand"].trigger()
    assert pane.folds.expanded == {"layers.0"}
