"""The table of executed nodes: errors, differences, going back in time, and 50,000 rows without a stall."""

import time

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from aotgui.gui.panels.values_panel import DIFFERENCE, ERROR, ValuesPanel
from aotgui.gui.session.session import SteppingState
from aotgui.model.capture import Region
from aotgui.model.graph import GraphKind, Op
from aotgui.model.stepping import NodeError
from aotgui.protocol.messages import Stepped, StopReason

FORWARD = GraphKind.FORWARD
STALL_S = 0.25
"""A table of 50,000 rows takes a fifth of that on a quiet machine."""


@pytest.fixture
def panel(captured, make_stats, shown):
    panel = shown(ValuesPanel(captured), width=1400)
    captured.set_stepping(SteppingState(active=True, graph=FORWARD, node=6))
    captured.add_values({FORWARD: [make_stats(node) for node in range(6)]})
    return panel


def place_of(panel, title):
    return [column.title for column in panel.model.columns].index(title)


def cells(panel, title, role=Qt.ItemDataRole.DisplayRole):
    place = place_of(panel, title)
    return [panel.model.index(row, place).data(role) for row in range(panel.model.rowCount())]


def report(session, **rest):
    session.debug.take(Stepped(session=1, region=0, graph=FORWARD, node=6, reason=StopReason.STEP, **rest))


def test_errors_have_a_column_once_there_is_a_reference(panel, captured):
    assert panel.view.isColumnHidden(place_of(panel, ERROR))
    errors = [NodeError(node=1, max_abs=0.5, relative=0.25), NodeError(node=2, text="has no float64 kernel")]
    report(captured, errors={FORWARD: errors})
    assert not panel.view.isColumnHidden(place_of(panel, ERROR))
    assert panel.view.isColumnHidden(place_of(panel, DIFFERENCE))
    assert cells(panel, ERROR) == ["—", "0.25", "—", "—", "—", "—"]
    assert cells(panel, ERROR, Qt.ItemDataRole.ToolTipRole)[1:3] == [
        "largest absolute difference 0.5",
        "has no float64 kernel",
    ]


def test_the_largest_error_is_sorted_to_the_top(panel, captured):
    report(captured, errors={FORWARD: [NodeError(node=1, relative=1e-7), NodeError(node=4, relative=0.5)]})
    panel.view.sortByColumn(place_of(panel, ERROR), Qt.SortOrder.DescendingOrder)
    assert cells(panel, "Node")[:2] == ["mm", "primals_2"]


def test_differences_have_a_column_while_a_value_is_replaced(panel, captured):
    report(captured, differences={FORWARD: [NodeError(node=4, relative=2.0)]})
    assert cells(panel, DIFFERENCE)[4] == "2"
    captured.debug.void()
    assert panel.view.isColumnHidden(place_of(panel, DIFFERENCE))


def test_back_in_time_the_next_node_stands_out_and_later_ones_are_muted(panel, captured, theme):
    captured.set_stepping(SteppingState(active=True, graph=FORWARD, node=3))
    fills = cells(panel, "Node", Qt.ItemDataRole.BackgroundRole)
    inks = cells(panel, "Node", Qt.ItemDataRole.ForegroundRole)
    assert [row for row, fill in enumerate(fills) if fill] == [3]
    assert [row for row, ink in enumerate(inks) if ink] == [4, 5]


def test_what_an_edit_voids_leaves_the_table(panel, captured):
    captured.void_values(FORWARD, 4)
    assert len(cells(panel, "Node")) == 4
    assert panel.summary_text() == "4 executed nodes"


def test_numbers_are_not_searched(panel):
    panel.filter_field.setText("primals float32")
    assert cells(panel, "Node") == ["primals_1", "primals_2", "primals_3"]
    panel.filter_field.setText("0.125")
    assert cells(panel, "Node") == []


def test_50000_values_do_not_stall_the_window(session, made_capture, make_graph, make_stats, shown):
    count = 50_000
    build = make_graph(FORWARD)
    build.add("mm", "aten.mm.default")
    graph = build.build()
    columns = {name: list(getattr(graph, name)) * count for name in ("targets", "roles", "sides", "fates", "values")}
    rest = {name: [-1] * count for name in ("seq_nrs", "labels", "modules", "stacks")}
    big = msgspec.structs.replace(
        graph,
        names=[f"mm_{node}" for node in range(count)],
        ops=[int(Op.CALL_FUNCTION)] * count,
        origins=list(range(count)),
        arguments=[[]] * count,
        **columns,
        **rest,
    )
    session.set_capture(msgspec.structs.replace(made_capture, regions=[Region(name="region 0", graphs={FORWARD: big})]))
    panel = shown(ValuesPanel(session), width=1400)
    session.set_stepping(SteppingState(active=True, graph=FORWARD, node=count))
    session.add_values({FORWARD: [make_stats(node) for node in range(count - 1)]})

    def seconds(do):
        start = time.thread_time()
        do()
        QApplication.processEvents()
        return time.thread_time() - start

    taken = {
        "step": seconds(lambda: session.add_values({FORWARD: [make_stats(count - 1)]})),
        "sort": seconds(lambda: panel.view.sortByColumn(place_of(panel, "Max"), Qt.SortOrder.DescendingOrder)),
        "filter": seconds(lambda: panel.filter_field.setText("mm_4")),
        "narrow": seconds(lambda: panel.filter_field.setText("mm_49")),
        "select": seconds(lambda: session.select(FORWARD, [49_000])),
        "back": seconds(lambda: session.set_stepping(SteppingState(active=True, graph=FORWARD, node=7))),
    }
    assert panel.model.total == count
    assert len(panel.model.shown) == 1111
    assert max(taken.values()) < STALL_S, taken
