"""The list of breakpoints, the form for one, and what both say."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox

from aotgui.gui.panels.breakpoint_dialog import BreakpointDialog
from aotgui.gui.panels.breakpoint_words import problem_of, remark_on, sentence
from aotgui.gui.panels.breakpoints_panel import BreakpointsPanel
from aotgui.model.breakpoint import Breakpoint, BreakpointHit, BreakpointKind
from aotgui.model.graph import GraphKind

FORWARD = GraphKind.FORWARD
NODE, OPERATOR, MODULE, LINE = (
    BreakpointKind.NODE,
    BreakpointKind.OPERATOR,
    BreakpointKind.MODULE,
    BreakpointKind.LINE,
)


def point(kind=OPERATOR, where="aten.mm", **rest):
    return Breakpoint(**{"id": "b1", "kind": kind, "where": where, **rest})


@pytest.fixture
def panel(captured, shown):
    return shown(BreakpointsPanel(captured))


@pytest.fixture
def three(captured, blocks_file):
    """A condition, a message and a line that is switched off."""
    captured.breakpoints.put(point(condition="value.max() > 1", hit_count=3))
    captured.breakpoints.put(point(NODE, "relu", id="b2", graph=FORWARD, log="{node}"))
    captured.breakpoints.put(point(LINE, blocks_file, id="b3", line=12, enabled=False))


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (point(), "Stops before every aten.mm."),
        (point(NODE, "relu", graph=FORWARD), "Stops before relu in forward."),
        (point(condition="value.max() > 1"), "Stops after every aten.mm where value.max() > 1."),
        (point(MODULE, "layers.0"), "Stops on entering layers.0."),
        (point(MODULE, "layers.0", condition="True"), "Stops after the nodes of layers.0 where True."),
        (point(LINE, "/home/ada/net.py", line=7), "Stops on entering net.py:7."),
        (point(NODE, "mm", log="hello", hit_count=2), "Says something after mm, from hit 2 on."),
    ],
)
def test_a_breakpoint_in_one_sentence(made, text):
    assert sentence(made) == text


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (point(), ""),
        (point(where=""), "Say which operator, for example aten.mm."),
        (point(LINE, "net.py"), "Lines are counted from 1."),
        (point(condition="value >"), "The condition is no Python expression: invalid syntax."),
        (point(log="{value.max():.3g} of {node}"), ""),
        (point(log="{value"), "The log message has a brace without its partner: expected '}' before end of string."),
        (point(log="{}"), "The log message has empty braces"),
        (point(log="{value +}"), "{value +} in the log message is no Python expression: invalid syntax."),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(made, problem):
    assert problem_of(made).startswith(problem)
    assert bool(problem_of(made)) == bool(problem)


def test_it_says_how_many_nodes_there_are_to_stop_at(captured):
    assert remark_on(point(), captured.region) == "5 nodes to stop at: 2 in forward, 3 in backward."
    assert remark_on(point(where="aten.conv"), captured.region) == (
        "Nothing in these graphs is aten.conv, so it never stops."
    )
    assert remark_on(point(BreakpointKind.NONFINITE), captured.region) == ""


def test_without_breakpoints_it_says_how_to_set_one(panel):
    assert panel._stack.currentWidget() is panel._empty
    assert not panel.clear_button.isVisible()


def test_each_has_a_line(panel, three):
    assert panel.texts() == [
        "aten.mm | 0 from 3 | value.max() > 1",
        "relu in forward |  |  | {node}",
        "blocks.py:12",
    ]


def test_hits_are_counted(panel, captured, three):
    captured.breakpoints.count([BreakpointHit(id="b1", graph=FORWARD, node=4)] * 2)
    assert panel.texts()[0] == "aten.mm | 2 from 3 | value.max() > 1"


def test_a_tick_switches_one_on_and_off(panel, captured, three):
    panel._items()[2].setCheckState(0, Qt.CheckState.Checked)
    assert captured.breakpoints.named("b3").enabled
    captured.breakpoints.set_enabled("b1", False)
    assert panel._items()[0].checkState(0) is Qt.CheckState.Unchecked


def test_built_in_ones_are_switches(panel, captured):
    assert [kind for kind, switch in panel.switches.boxes.items() if switch.isChecked()] == [BreakpointKind.MISMATCH]
    panel.switches.boxes[BreakpointKind.NONFINITE].click()
    assert captured.breakpoints.stops_at(BreakpointKind.NONFINITE)
    captured.breakpoints.set_built_in(BreakpointKind.MISMATCH, False)
    assert not panel.switches.boxes[BreakpointKind.MISMATCH].isChecked()


def test_the_limit_of_errors_takes_a_number_only(panel, captured):
    panel.switches.limit.setText("0.25")
    panel.switches.limit.editingFinished.emit()
    assert captured.breakpoints.limit() == 0.25
    for text in ("-", "inf"):
        panel.switches.limit.setText(text)
        panel.switches.limit.editingFinished.emit()
        assert (captured.breakpoints.limit(), panel.switches.limit.text()) == (0.25, "0.25")
    panel.switches.limit.clear()
    QTest.keyClick(panel.switches.limit, Qt.Key.Key_Return)
    assert panel.switches.limit.text() == "0.25"


def test_delete_removes_the_selected_ones(panel, captured, three, qtbot):
    panel.list.setCurrentItem(panel._items()[0])
    qtbot.keyClick(panel.list, Qt.Key.Key_Delete)
    assert [one.id for one in captured.breakpoints.listed] == ["b2", "b3"]
    panel.clear_button.click()
    assert captured.breakpoints.listed == ()


def test_one_leads_to_its_nodes_and_its_line(panel, captured, three, qtbot, blocks_file, node_of):
    panel.list.itemActivated.emit(panel._items()[1], 0)
    assert captured.selection.nodes[0] == node_of(captured.selection.graph, "relu")
    with qtbot.waitSignal(panel.source_requested) as asked:
        panel.list.itemActivated.emit(panel._items()[2], 0)
    assert asked.args == [blocks_file, 12]


def test_a_new_one_starts_from_the_selected_operator(panel, captured, node_of):
    captured.select(FORWARD, [node_of(FORWARD, "mm_1")])
    panel.ask_new()
    dialog = panel.findChild(BreakpointDialog)
    assert (dialog.windowTitle(), dialog.point.kind, dialog.point.where) == (
        "New Breakpoint",
        OPERATOR,
        "aten.mm.default",
    )
    dialog.accept()
    assert [one.where for one in captured.breakpoints.listed] == ["aten.mm.default"]


def test_one_is_typed(panel, captured, qtbot):
    qtbot.keyClicks(panel.field, "aten.mm if value.max() > 1\r")
    qtbot.keyClicks(panel.field, "line:12\r")
    qtbot.keyClicks(panel.field, "nonfinite if node.name == 'mm'\r")
    assert panel.texts() == [
        "aten.mm |  | value.max() > 1",
        "line 12 of any file",
        "First NaN or Inf |  | node.name == 'mm'",
    ]
    assert not captured.breakpoints.stops_at(BreakpointKind.NONFINITE)
    assert (panel.field.text(), panel.field.problem.isHidden()) == ("", True)
    panel.list.setCurrentItem(panel._items()[2])
    assert not panel.edit_button.isEnabled()
    panel.list.setCurrentItem(panel._items()[0])
    assert panel.edit_button.isEnabled()


@pytest.mark.parametrize(
    ("typed", "why"),
    [("line:x", "names no line"), ("two words", "is no breakpoint"), ("aten.mm if value >", "no Python expression")],
)
def test_what_is_none_stays_and_says_why(panel, captured, qtbot, typed, why):
    qtbot.keyClicks(panel.field, f"{typed}\r")
    assert why in panel.field.problem.text()
    assert panel.field.problem.isVisible()
    assert panel.field.text() == typed
    assert captured.breakpoints.points == ()
    qtbot.keyClicks(panel.field, "1")
    assert panel.field.problem.isHidden()


def test_the_form_keeps_everything_of_a_breakpoint(captured, qtbot):
    made = point(
        LINE, "net.py", line=7, graph=FORWARD, condition="value.max() > 1", hit_count=4, log="{node}", enabled=False
    )
    dialog = BreakpointDialog(captured, made)
    qtbot.addWidget(dialog)
    assert dialog.point == made


def test_the_form_says_what_is_wrong_and_what_it_would_do(captured, qtbot):
    dialog = BreakpointDialog(captured, point())
    qtbot.addWidget(dialog)
    ok = dialog._buttons.button(QDialogButtonBox.StandardButton.Ok)
    assert dialog.remark.text() == "Stops before every aten.mm. 5 nodes to stop at: 2 in forward, 3 in backward."
    dialog.condition.setText("value >")
    assert not ok.isEnabled()
    assert dialog.remark.text().startswith("The condition is no Python expression")
    with qtbot.assertNotEmitted(dialog.chosen):
        dialog.accept()
    dialog.condition.setText("value.isnan().any()")
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.accept()
    assert chosen.args[0].condition == "value.isnan().any()"


def test_the_form_offers_what_there_is(captured, qtbot, model_file):
    dialog = BreakpointDialog(captured, point(where=""))
    qtbot.addWidget(dialog)

    def offered(kind):
        dialog.kind.setCurrentIndex(dialog.kind.findData(kind))
        model = dialog.where.completer().model()
        return {model.index(row, 0).data() for row in range(model.rowCount())}

    assert "aten.relu.default" in offered(OPERATOR)
    assert "mm_1" in offered(NODE)
    assert offered(MODULE) == {"block", "block.linear", "head"}
    assert model_file in offered(LINE)
    assert not dialog.line.isHidden()


def test_it_fits_a_narrow_dock(panel, three):
    assert panel.minimumSizeHint().width() <= 340
