import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction

from aotgui.gui.panels.debugger_panel import DebuggerPanel, status_text
from aotgui.gui.session.session import SteppingState
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import StepAction, StopReason


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
    assert not any(button.isVisible() for button in panel.step_buttons.values())
    with qtbot.waitSignal(panel.start_requested) as started:
        panel.start_buttons[GraphKind.BACKWARD].click()
    assert started.args == [GraphKind.BACKWARD]


def test_without_a_capture_it_says_what_to_do(session, shown):
    panel = shown(DebuggerPanel(session))
    assert panel.status.text().startswith("Open and run a script")
    assert not any(button.isVisible() for button in panel.start_buttons.values())


@pytest.mark.parametrize("action", list(StepAction))
def test_a_button_says_what_is_wanted(panel, captured, qtbot, action):
    captured.select(GraphKind.FORWARD, [7])
    captured.set_stepping(stopped(running=action is StepAction.PAUSE))
    with qtbot.waitSignal(panel.step_requested) as asked:
        qtbot.mouseClick(panel.step_buttons[action], Qt.MouseButton.LeftButton)
    assert asked.args == [action]


def test_buttons_are_enabled_where_they_make_sense(panel, captured):
    captured.set_stepping(stopped())
    assert {name for name, button in panel.step_buttons.items() if button.isEnabled()} == {
        *(StepAction.STEP, StepAction.CONTINUE, StepAction.RUN_TO_NONFINITE),
        *(StepAction.RESTART, StepAction.END),
    }
    captured.select(GraphKind.FORWARD, [7])
    assert panel.step_buttons[StepAction.RUN_TO].isEnabled()
    captured.set_stepping(stopped(running=True))
    enabled = {name for name, button in panel.step_buttons.items() if button.isEnabled()}
    assert enabled == {StepAction.PAUSE, StepAction.RESTART, StepAction.END}


def test_buttons_take_the_actions_of_the_application(panel, captured, qtbot):
    action = QAction("Step Over", panel)
    panel.set_actions({StepAction.STEP: action})
    captured.set_stepping(stopped())
    button = panel.step_buttons[StepAction.STEP]
    assert (button.text(), button.actions()) == ("Step Over", [action])
    with qtbot.waitSignal(action.triggered), qtbot.assertNotEmitted(panel.step_requested):
        button.click()


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


def test_breakpoints_are_listed_in_the_order_of_execution(panel, captured):
    captured.set_breakpoints(
        {GraphKind.BACKWARD: frozenset({"mm_2"}), GraphKind.FORWARD: frozenset({"t", "sum_1", "mm"})}
    )
    assert panel.breakpoints.texts() == ["t in forward", "mm in forward", "sum_1 in forward", "mm_2 in backward"]


def test_breakpoints_are_removed(panel, captured, qtbot):
    captured.set_breakpoints({GraphKind.FORWARD: frozenset({"t", "mm"}), GraphKind.BACKWARD: frozenset({"mm_2"})})
    panel.breakpoints.list.setCurrentRow(0)
    panel.breakpoints.remove_button.click()
    assert captured.breakpoints == {GraphKind.FORWARD: {"mm"}, GraphKind.BACKWARD: {"mm_2"}}
    panel.breakpoints.clear_button.click()
    assert captured.breakpoints == {}
    assert not panel.breakpoints.clear_button.isVisible()


def test_a_breakpoint_leads_to_its_node(panel, captured, node_of):
    captured.toggle_breakpoint(GraphKind.BACKWARD, "mm_2")
    panel.breakpoints.list.itemActivated.emit(panel.breakpoints.list.item(0))
    assert (captured.selection.graph, captured.selection.current) == (
        GraphKind.BACKWARD,
        node_of(GraphKind.BACKWARD, "mm_2"),
    )


def test_it_fits_a_narrow_dock(panel, captured, problems):
    captured.set_stepping(stopped(problem=problems[0]))
    captured.toggle_breakpoint(GraphKind.FORWARD, "mm")
    assert panel.minimumSizeHint().width() <= 320
