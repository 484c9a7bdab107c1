"""What the debugger remembers of the reports of the engine."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aotgui.gui.session.debug_state import DebugState
from aotgui.model.breakpoint import BreakpointHit
from aotgui.model.graph import GraphKind, TensorInfo
from aotgui.model.stepping import Edit, Mutation, NodeError, Replacement, ReplacementKind, WatchValue
from aotgui.model.values import ValueStats
from aotgui.protocol.messages import Stepped, StopReason

FORWARD, BACKWARD = GraphKind.FORWARD, GraphKind.BACKWARD
EDIT = Edit(graph=FORWARD, node="mm", replacement=Replacement(kind=ReplacementKind.ZEROS))


@pytest.fixture
def debug(qapp: QApplication) -> DebugState:
    return DebugState()


def report(**rest: Any) -> Stepped:
    return Stepped(**{"session": 1, "region": 0, "graph": FORWARD, "node": 3, "reason": StopReason.STEP, **rest})


def write(node: int) -> Mutation:
    stats = ValueStats(node=0, tensor=TensorInfo((2,), "float32"))
    return Mutation(node=node, target=0, before=stats, after=stats)


def test_errors_and_differences_add_up_and_are_told(debug: DebugState, qtbot: QtBot) -> None:
    debug.take(report(errors={FORWARD: [NodeError(node=0, relative=0.5)]}))
    with qtbot.waitSignal(debug.errors_changed) as changed:
        debug.take(report(errors={FORWARD: [NodeError(node=1, relative=0.25)]}))
    assert changed.args == [FORWARD, [1]]
    assert {node: error.relative for node, error in debug.errors(FORWARD).items()} == {0: 0.5, 1: 0.25}
    debug.take(report(differences={BACKWARD: [NodeError(node=7)]}))
    assert list(debug.differences(BACKWARD)) == [7]


def test_what_is_void_from_a_node_on_goes(debug: DebugState, qtbot: QtBot) -> None:
    errors = [NodeError(node=node) for node in range(4)]
    debug.take(report(errors={FORWARD: errors, BACKWARD: errors}, mutated={FORWARD: [write(1), write(3)]}))
    with qtbot.waitSignal(debug.errors_changed) as changed:
        debug.void(FORWARD, 2)
    assert changed.args == [FORWARD, []]
    assert list(debug.errors(FORWARD)) == [0, 1]
    assert list(debug.errors(BACKWARD)) == [0, 1, 2, 3]
    assert [one.node for one in debug.mutations(FORWARD)] == [1]
    debug.void()
    assert not debug.errors(BACKWARD)


def test_log_lines_are_numbered_over_all_reports(debug: DebugState) -> None:
    for text in ("first", "second"):
        debug.take(report(logs=[BreakpointHit(id="b1", graph=FORWARD, node=1, text=text)]))
    assert [(line.number, line.hit.text) for line in debug.log] == [(1, "first"), (2, "second")]
    debug.clear_log()
    assert debug.log == []


def test_watches_keep_the_order_in_which_they_were_asked_for(debug: DebugState) -> None:
    debug.set_expressions(["b", " a ", "b", ""])
    assert debug.expressions == ("b", "a")
    debug.take(report(watches=[WatchValue(expression="a", text="1")]))
    assert [(watch.expression, watch.text) for watch in debug.watches] == [("b", ""), ("a", "1")]


def test_while_it_runs_watches_and_edits_stay(debug: DebugState) -> None:
    debug.set_expressions(["a"])
    debug.take(report(watches=[WatchValue(expression="a", text="1")], edits=[EDIT]))
    debug.take(report(reason=StopReason.RUNNING))
    assert debug.watches[0].text == "1"
    assert debug.edits == (EDIT,)


def test_without_a_session_only_options_and_expressions_stay(debug: DebugState) -> None:
    debug.set_expressions(["a"])
    debug.take(
        report(
            errors={FORWARD: [NodeError(node=0)]},
            edits=[EDIT],
            watches=[WatchValue(expression="a", text="1")],
            note="no",
            kept_bytes=5,
        )
    )
    debug.clear()
    assert (debug.errors(FORWARD), debug.edits, debug.stop.note) == ({}, (), "")
    assert debug.expressions == ("a",)
    assert debug.watches[0].text == ""
