import msgspec
import pytest

from aotgui.gui.panels.problems_panel import ProblemsPanel
from aotgui.model.capture import Problem, Severity
from aotgui.model.graph import GraphKind


@pytest.fixture
def panel(captured, problems, shown):
    panel = shown(ProblemsPanel(captured))
    captured.set_problems(problems)
    return panel


def test_no_problems_is_said(captured, shown):
    panel = shown(ProblemsPanel(captured))
    assert (panel.is_empty, panel.empty_text) == (True, "No problems")


def test_each_problem_says_what_where_and_when(panel):
    texts = [panel.model.row_texts(row) for row in panel.model.shown]
    assert texts == [
        ["The gradient of block.linear.weight differs from eager by 0.25.", "Checking against eager", "", "mm_4"],
        ["ts_compile cannot compile this line.", "Compiling forward", "two_layers.py:18", ""],
        ["Traced with static shapes.", "Tracing the joint graph", "", ""],
    ]
    assert panel.summary.text() == "1 error, 1 warning, 1 note"


def test_worst_come_first_when_sorted(panel):
    panel.view.sortByColumn(0, panel.view.horizontalHeader().sortIndicatorOrder().AscendingOrder)
    assert [row.severity.value for row in panel.model.shown] == ["error", "warning", "info"]


def test_the_place_is_whole_in_a_narrow_dock_and_a_column_without_nodes_is_hidden(panel, captured, problems):
    file = "/home/me/models/masking_utils_of_transformers.py"
    captured.set_problems([msgspec.structs.replace(problems[1], message="It failed. " * 20, file=file, line=761)])
    metrics = panel.view.fontMetrics()
    assert panel.view.columnWidth(2) > metrics.horizontalAdvance("masking_utils_of_transformers.py:761")
    assert panel.view.isColumnHidden(3)
    captured.set_problems(problems)
    assert not panel.view.isColumnHidden(3)


def test_details_are_shown_on_demand(panel):
    assert not panel.details.isVisible()
    panel.view.selectRow(1)
    assert panel.details.isVisible()
    assert "RuntimeError: no" in panel.details.toPlainText()
    panel.view.clearSelection()
    assert not panel.details.isVisible()


def test_activating_goes_to_the_node(panel, captured, node_of):
    captured.show_graph(GraphKind.BACKWARD)
    panel.view.activated.emit(panel.model.index(0, 0))
    assert captured.selection.graph is GraphKind.BACKWARD
    assert captured.selection.current == node_of(GraphKind.BACKWARD, "mm_4")


def test_activating_goes_to_the_line(panel, qtbot, model_file):
    with qtbot.waitSignal(panel.source_requested) as asked:
        panel.view.activated.emit(panel.model.index(1, 0))
    assert asked.args == [model_file, 18]


def test_severities_differ_in_their_picture(panel, theme):
    icons = [panel.model.columns[0].icon(row).pixmap(16).toImage() for row in panel.model.shown]
    assert icons[0] != icons[1] != icons[2]


def test_a_long_sentence_goes_on_in_a_second_line(panel, captured, problems):
    long = msgspec.structs.replace(problems[1], message="mat1 and mat2 shapes cannot be multiplied (4x8 and 9x5) " * 2)
    captured.set_problems([problems[2], long])
    assert panel.view.rowHeight(1) > 1.5 * panel.view.rowHeight(0)
    panel.resize(1600, 480)
    assert panel.view.columnWidth(0) > 800


def test_the_nodes_of_a_conflict_are_marked_together(panel, captured, node_of):
    path = ("mm", "relu", "not_there")
    conflict = Problem(
        severity=Severity.ERROR, stage="partition", message="Two values conflict.", graph=GraphKind.JOINT, path=path
    )
    captured.set_problems([conflict])
    panel.view.activated.emit(panel.model.index(0, 0))
    spot = captured.spotlight.spot
    assert spot.nodes == (node_of(GraphKind.JOINT, "mm"), node_of(GraphKind.JOINT, "relu"))
    assert (spot.title, spot.is_path, captured.graph_shown) == ("Two values conflict.", True, GraphKind.JOINT)
