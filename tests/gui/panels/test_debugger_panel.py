import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction

from aotgui.gui.panels.debugger_panel import DebuggerPanel
from aotgui.gui.panels.step_words import status_text
from aotgui.gui.session.debug_state import DebugOptions
from aotgui.gui.session.session import SteppingState
from aotgui.model.breakpoint import Breakpoint, BreakpointHit, BreakpointKind
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import Granularity, NestedFrame
from aotgui.protocol.messages import StepAction, Stepped, StopReason


@pytest.fixture
def panel(captured, shown):
    return shown(DebuggerPanel(captured))


def stopped(node=5, **rest):
    return SteppingState(**{"active": True, "graph": GraphKind.FORWARD, "node": node, **rest})


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (SteppingState(), "Not stepping."),
        (stopped(reason=StopReason.BREAKPOINT), "Stopped before relu in forward (6 of 9): breakpoint."),
        (stopped(0, reason=StopReason.ENTRY), "Stopped before primals_1 in forward (1 of 9): at the start."),
        (stopped(reason=StopReason.NONFINITE), "Stopped before relu in forward (6 of 9): NaN or Inf was computed."),
        (stopped(9, reason=StopReason.FINISHED), "Finished forward: 9 nodes executed."),
        (stopped(3, running=True), "Running in forward (3 of 9 nodes done)."),
    ],
)
def test_where_it_stands_in_words(captured, state, text):
    assert status_text(state, captured.graph(GraphKind.FORWARD)) == text


def test_every_reason_to_stop_has_words(captured):
    for reason in set(StopReason) - {StopReason.RUNNING, StopReason.FINISHED}:
        text = status_text(stopped(reason=reason), captured.graph(GraphKind.FORWARD))
        assert text.startswith("Stopped before relu in forward (6 of 9): ")


def test_before_stepping_one_can_only_start(panel, qtbot):
    assert [kind for kind, button in panel.start_buttons.items() if button.isVisible()] == [
        GraphKind.FORWARD,
        GraphKind.BACKWARD,
    ]
    with qtbot.waitSignal(panel.start_requested) as started:
        panel.start_buttons[GraphKind.BACKWARD].click()
    assert started.args == [GraphKind.BACKWARD]


def test_without_a_capture_it_says_what_to_do(session, shown):
    panel = shown(DebuggerPanel(session))
    assert panel.status.text().startswith("Open and run a script")
    assert not any(button.isVisible() for button in panel.start_buttons.values())


@pytest.fixture
def actions(panel):
    """The application's actions, as the panel gets them."""
    made = {name: QAction(name.value.replace("_", " ").title(), panel) for name in StepAction}
    panel.set_actions(made, [QAction("Find Cause", panel)])
    return made


@pytest.mark.parametrize("action", list(StepAction))
def test_a_button_triggers_its_action(panel, actions, qtbot, action):
    with qtbot.waitSignal(actions[action].triggered):
        qtbot.mouseClick(panel.step_buttons[action], Qt.MouseButton.LeftButton)


def test_buttons_follow_their_actions(panel, actions):
    actions[StepAction.STEP_BACK].setEnabled(False)
    assert not panel.step_buttons[StepAction.STEP_BACK].isEnabled()
    assert panel.step_buttons[StepAction.STEP].isEnabled()
    assert [button.text() for button in panel.extra_buttons] == ["Find Cause"]


def test_how_far_a_step_goes_is_chosen_and_shown(panel, captured):
    panel.granularity.setCurrentIndex(panel.granularity.findData(Granularity.LINE))
    panel.granularity.activated.emit(1)
    assert captured.debug.options.granularity is Granularity.LINE
    captured.debug.set_options(DebugOptions(granularity=Granularity.MODULE, reference=True))
    assert panel.granularity.currentText() == "Module"
    assert panel.reference.isChecked()
    panel.reference.click()
    assert captured.debug.options == DebugOptions(granularity=Granularity.MODULE)


def stop(captured, **rest):
    """The engine says where it stands."""
    captured.debug.take(Stepped(session=1, region=0, graph=GraphKind.FORWARD, node=5, reason=StopReason.STEP, **rest))


def test_a_stop_says_which_breakpoint_and_that_it_is_after_the_node(panel, captured):
    captured.breakpoints.put(Breakpoint(id="b1", kind=BreakpointKind.OPERATOR, where="aten.mm", condition="True"))
    captured.set_stepping(stopped(5, reason=StopReason.BREAKPOINT))
    stop(captured, hits=[BreakpointHit(id="b1", graph=GraphKind.FORWARD, node=4, after=True, text="largest 3")])
    assert panel.status.text() == "Stopped after mm in forward (5 of 9): breakpoint."
    assert panel.more.text() == "aten.mm: largest 3"


def test_a_condition_that_raises_says_so(panel, captured):
    captured.breakpoints.put(Breakpoint(id="b1", kind=BreakpointKind.OPERATOR, where="aten.mm", condition="nobody"))
    captured.set_stepping(stopped(5, reason=StopReason.BREAKPOINT))
    why = "nobody: NameError: name 'nobody' is not defined"
    stop(captured, hits=[BreakpointHit(id="b1", graph=GraphKind.FORWARD, node=4, after=True, text=why, failed=True)])
    assert panel.more.text() == f"aten.mm: the condition failed, {why}"


def test_where_it_stands_is_said_before_the_options(panel):
    assert (
        panel.status.mapTo(panel, panel.status.rect().bottomLeft()).y() < panel.granularity.mapTo(panel, QPoint()).y()
    )


def test_a_value_that_could_not_be_replaced_was_not_replaced(panel, captured):
    captured.set_stepping(stopped(5, reason=StopReason.EDITED))
    assert panel.status.text().endswith(": a value was replaced or restored.")
    stop(captured, note="This node has not been executed yet.")
    assert "replaced" not in panel.status.text()
    assert panel.more.text() == "This node has not been executed yet."


def test_back_in_time_it_says_what_stays_known(panel, captured):
    captured.set_stepping(stopped(5))
    stop(captured, frontier={GraphKind.FORWARD: 8}, note="cond cannot be entered.")
    assert panel.more.text() == "You are back in time: 3 later nodes stay known.\ncond cannot be entered."
    stop(captured, frontier={GraphKind.FORWARD: 6})
    assert panel.more.text() == "You are back in time: 1 later node stays known."


def test_inside_a_nested_graph_it_names_it(panel, captured):
    captured.set_stepping(stopped(5))
    stop(captured, frames=[NestedFrame(subgraph="true_graph_0", node=2)])
    assert panel.status.text() == "Stopped in true_graph_0, inside relu."


def test_inside_a_nested_graph_it_names_the_node_and_what_the_last_one_gave(panel, captured, made_capture, make_stats):
    region = made_capture.regions[0]
    inner = msgspec.structs.replace(region.graphs[GraphKind.FORWARD], subgraphs={})
    outer = msgspec.structs.replace(region.graphs[GraphKind.FORWARD], subgraphs={"true_graph_0": inner})
    graphs = {**region.graphs, GraphKind.FORWARD: outer}
    captured.set_capture(
        msgspec.structs.replace(made_capture, regions=[msgspec.structs.replace(region, graphs=graphs)])
    )
    captured.set_stepping(stopped(5))
    stop(captured, frames=[NestedFrame(subgraph="true_graph_0", node=4, executed=[make_stats(3)])])
    assert panel.status.text() == "Stopped before mm in true_graph_0, inside relu."
    assert panel.more.text().replace("\u2003", " ") == "t gave float32[32, 256] -1.5 to 2.5, 3 zeros."
    stop(captured, frames=[NestedFrame(subgraph="true_graph_0", node=9)])
    assert panel.status.text() == "Stopped at the end of true_graph_0, inside relu."


def test_it_says_what_is_kept_for_going_back(panel, captured):
    captured.set_stepping(stopped(5))
    stop(captured, kept_bytes=3 << 20, dropped=2)
    assert panel.memory.text() == "3.0 MiB kept for going back, 2 values would be computed again"


def test_the_problem_at_the_stop_is_shown(panel, captured, problems):
    captured.set_stepping(stopped(problem=problems[0], reason=StopReason.MISMATCH))
    assert panel.problem.isVisible()
    assert panel.problem.text() == problems[0].message


def test_show_selects_the_node_that_would_run_next(panel, captured, qtbot):
    captured.set_stepping(stopped(5))
    with qtbot.waitSignal(captured.reveal_requested) as revealed:
        panel.show_next.click()
    assert revealed.args == [GraphKind.FORWARD, 5]
    captured.set_stepping(stopped(9))
    assert not panel.show_next.isVisible()


def test_it_fits_a_narrow_dock(panel, captured, problems, actions):
    captured.set_stepping(stopped(problem=problems[0]))
    assert panel.minimumSizeHint().width() <= 320
