"""Watches, log messages, the cause of a NaN, and the form that replaces a value."""

import math

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QLineEdit, QTableWidgetItem

from aotgui.gui.panels.cause_page import range_text
from aotgui.gui.panels.cause_panel import CausePanel
from aotgui.gui.panels.log_panel import LogPanel
from aotgui.gui.panels.replace_dialog import ReplaceDialog
from aotgui.gui.panels.watch_panel import ADD, NOT_YET, WatchPanel
from aotgui.gui.session.session import SteppingState
from aotgui.model.breakpoint import Breakpoint, BreakpointHit, BreakpointKind
from aotgui.model.cause import Cause, CauseInput, CausePartner, CauseStep
from aotgui.model.graph import GraphKind, TensorInfo
from aotgui.model.stepping import Replacement, ReplacementKind, WatchValue
from aotgui.model.values import ValueStats
from aotgui.protocol.messages import Stepped, StopReason

FORWARD, BACKWARD = GraphKind.FORWARD, GraphKind.BACKWARD


def report(session, **rest):
    session.debug.take(Stepped(session=1, region=0, graph=FORWARD, node=5, reason=StopReason.STEP, **rest))


# --- Watches ------------------------------------------------------------------------------------------------------


@pytest.fixture
def watch(captured, shown):
    captured.set_stepping(SteppingState(active=True, graph=FORWARD, node=5))
    return shown(WatchPanel(captured))


def test_the_last_row_takes_an_expression(watch, captured):
    assert watch.table.item(0, 0).text() == ADD
    watch.table.setItem(0, 0, QTableWidgetItem("mm.abs().max()"))
    assert captured.debug.expressions == ("mm.abs().max()",)
    assert watch.texts() == [("mm.abs().max()", NOT_YET)]


def test_one_types_into_an_empty_line_and_may_change_ones_mind(watch, captured, qtbot):
    watch.table.editItem(watch.table.item(0, 0))
    editor = watch.table.findChild(QLineEdit)
    assert editor.text() == ""
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: watch.table.findChild(QLineEdit) is None)
    assert captured.debug.expressions == ()
    assert watch.table.item(0, 0).text() == ADD
    watch.table.editItem(watch.table.item(0, 0))
    editor = watch.table.findChild(QLineEdit)
    qtbot.keyClicks(editor, "relu.max()")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: watch.texts() == [("relu.max()", NOT_YET)])


def test_a_low_panel_gives_its_lines_to_the_expressions(watch):
    watch.resize(300, 300)
    assert watch.hint.isVisible()
    watch.resize(300, 100)
    assert not watch.hint.isVisible()


def test_values_and_failures_are_shown(watch, captured, theme):
    captured.debug.set_expressions(["mm.max()", "nobody"])
    report(
        captured,
        watches=[
            WatchValue(expression="mm.max()", text="2.5", tensor=TensorInfo((), "float32", (), "cpu", 4)),
            WatchValue(expression="nobody", text="NameError: nobody", failed=True),
        ],
    )
    assert watch.texts() == [("mm.max()", "2.5   float32[]"), ("nobody", "NameError: nobody")]
    inks = [watch.table.item(row, 1).foreground().color().name() for row in range(2)]
    assert inks[0] != inks[1]


def test_after_the_session_values_are_unknown(watch, captured):
    captured.debug.set_expressions(["a"])
    report(captured, watches=[WatchValue(expression="a", text="1")])
    captured.set_stepping(SteppingState())
    assert watch.texts() == [("a", NOT_YET)]


def test_an_expression_is_edited_and_removed(watch, captured, qtbot):
    captured.debug.set_expressions(["a", "b"])
    watch.table.item(0, 0).setText("c")
    assert captured.debug.expressions == ("c", "b")
    watch.table.item(1, 0).setText("c")
    assert captured.debug.expressions == ("c",)
    watch.table.selectRow(0)
    qtbot.keyClick(watch.table, Qt.Key.Key_Delete)
    assert captured.debug.expressions == ()


# --- Log ----------------------------------------------------------------------------------------------------------


def test_messages_are_listed_as_they_are_said(captured, shown, node_of):
    captured.breakpoints.put(Breakpoint(id="b1", kind=BreakpointKind.OPERATOR, where="aten.mm", log="{node}"))
    panel = shown(LogPanel(captured))
    assert panel.is_empty
    mm = node_of(FORWARD, "mm")
    report(captured, logs=[BreakpointHit(id="b1", graph=FORWARD, node=mm, after=True, text="mm is large")])
    report(captured, logs=[BreakpointHit(id="gone", graph=FORWARD, node=mm, text="no", failed=True)])
    assert [panel.model.row_texts(row) for row in panel.model.shown] == [
        ["1", "mm is large", "mm", "aten.mm"],
        ["2", "no", "mm", ""],
    ]
    panel.view.selectRow(0)
    assert captured.selection.nodes == (node_of(captured.selection.graph, "mm"),)
    captured.debug.clear_log()
    assert panel.is_empty


# --- Cause --------------------------------------------------------------------------------------------------------


def stats(node, **rest):
    return ValueStats(
        **{"node": node, "tensor": TensorInfo((4,), "float32", (1,), "cpu", 16), "minimum": 0.0, "maximum": 2.0, **rest}
    )


def chain(node_of, file):
    """``mm_2`` in the backward makes NaN of what the forward's ``mm_1`` gave."""
    zero = CauseInput(name="expand", stats=stats(node_of(BACKWARD, "expand"), zeros=3))
    partner = CausePartner(
        node=node_of(FORWARD, "mm_1"), name="mm_1", target="aten.mm.default", file=file, line=18, stats=stats(7)
    )
    origin = CauseStep(
        graph=BACKWARD,
        node=node_of(BACKWARD, "mm_2"),
        name="mm_2",
        target="aten.mm.default",
        text="mm_2 makes 2 NaN of finite inputs.",
        stats=stats(6, nans=2, minimum=None, maximum=None),
        inputs=[zero],
        file=file,
        line=18,
        module="head",
        partner=partner,
    )
    bad = CauseStep(
        graph=BACKWARD,
        node=node_of(BACKWARD, "mm_4"),
        name="mm_4",
        target="aten.mm.default",
        text="mm_4 hands it on.",
        stats=stats(9, nans=8),
    )
    return Cause(steps=[bad, origin], origin=1, text="mm_2 in two_layers.py:18 makes it.")


@pytest.fixture
def cause(captured, shown, node_of, model_file):
    panel = shown(CausePanel(captured))
    assert panel.is_empty
    captured.debug.set_cause((BACKWARD, node_of(BACKWARD, "mm_4"), chain(node_of, model_file)))
    return panel


def test_the_origin_comes_first_with_inputs_line_and_forward_part(cause):
    lines = cause.browser.page.text.replace("\u2003", " ").split("\n")
    assert lines[:2] == ["Cause of NaN or Inf in mm_4", "mm_2 in two_layers.py:18 makes it."]
    assert lines[3:13] == [
        "Origin",
        "Node: mm_2",
        "Operator: aten.mm.default",
        "What it does: mm_2 makes 2 NaN of finite inputs.",
        "Gives: float32[4] 2 NaN",
        "Input 1: expand float32[4] 0 to 2, 3 zeros",
        "Source: two_layers.py:18",
        "Module: head",
        "Forward part: mm_1 aten.mm.default",
        "Gave: float32[4] 0 to 2",
    ]
    assert lines[15:] == [
        "From the origin to this value",
        "mm_2 float32[4] 2 NaN",
        "mm_2 makes 2 NaN of finite inputs. two_layers.py:18",
        "mm_4 float32[4] 0 to 2, 8 NaN",
        "mm_4 hands it on. ",
    ]


def test_links_lead_to_nodes_and_lines(cause, captured, qtbot, node_of, model_file):
    texts = [link.text for link in cause.browser.links]
    cause.browser.anchorClicked.emit(QUrl(str(texts.index("mm_1"))))
    assert (captured.graph_shown, captured.selection.nodes) == (FORWARD, (node_of(FORWARD, "mm_1"),))
    with qtbot.waitSignal(cause.source_requested) as asked:
        cause.browser.anchorClicked.emit(QUrl(str(texts.index("two_layers.py:18"))))
    assert asked.args == [model_file, 18]


def test_without_a_chain_the_sentence_is_shown(captured, shown, node_of):
    panel = shown(CausePanel(captured))
    captured.debug.set_cause((FORWARD, node_of(FORWARD, "mm"), Cause(text="The value is finite.")))
    assert panel.browser.page.text == "Cause of NaN or Inf in mm\nThe value is finite."


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (stats(0, zeros=1), "float32[4] 0 to 2, 1 zero"),
        (stats(0, infs=1, minimum=None), "float32[4] 1 Inf"),
        (ValueStats(node=0, tensor=TensorInfo((), "int"), text="7"), "7"),
    ],
)
def test_ranges_in_words(made, text):
    assert range_text(made).replace("\u2003", " ") == text


# --- Replace ------------------------------------------------------------------------------------------------------


@pytest.fixture
def dialog(qtbot):
    dialog = ReplaceDialog("relu", "float32[4, 5]")
    qtbot.addWidget(dialog)
    return dialog


def chosen(dialog, qtbot):
    with qtbot.waitSignal(dialog.chosen) as asked:
        dialog.accept()
    return asked.args[0]


@pytest.mark.parametrize("kind", [ReplacementKind.ZEROS, ReplacementKind.ONES])
def test_a_constant(dialog, qtbot, kind):
    dialog.kinds[kind].click()
    assert chosen(dialog, qtbot) == Replacement(kind=kind)


def test_noise_has_a_seed(dialog, qtbot):
    dialog.seed.setValue(7)
    assert chosen(dialog, qtbot) == Replacement(kind=ReplacementKind.NOISE, seed=7)


def test_one_bound_is_enough_and_they_must_not_cross(dialog, qtbot):
    dialog.kinds[ReplacementKind.CLAMP].click()
    assert dialog.problem.text() == "Give at least one bound."
    qtbot.keyClicks(dialog.low, "2")
    dialog.high.setText("1")
    assert dialog.problem.text() == "The lower bound is above the upper one."
    dialog.high.setText("")
    assert chosen(dialog, qtbot) == Replacement(kind=ReplacementKind.CLAMP, low=2.0)


def test_an_expression_is_checked_before_it_is_sent(dialog, qtbot):
    qtbot.keyClicks(dialog.expression, "value *")
    assert dialog.kind is ReplacementKind.EXPRESSION
    assert dialog.problem.text() == "That is no Python expression: invalid syntax."
    with qtbot.assertNotEmitted(dialog.chosen):
        dialog.accept()
    qtbot.keyClicks(dialog.expression, "2")
    assert chosen(dialog, qtbot) == Replacement(kind=ReplacementKind.EXPRESSION, expression="value *2")


def test_a_bound_that_is_no_number_is_none(dialog, qtbot):
    dialog.kinds[ReplacementKind.CLAMP].click()
    dialog.low.setText("nan")
    dialog.high.setText("1e-3")
    new = chosen(dialog, qtbot)
    assert new.low is None
    assert math.isclose(new.high, 1e-3)
