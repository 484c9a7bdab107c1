import msgspec
import pytest
from PySide6.QtCore import Qt

from aotgui.gui.panels.result_panel import ResultPanel
from aotgui.model.capture import Check


@pytest.fixture
def panel(captured, shown):
    return shown(ResultPanel(captured))


def texts(table):
    return [table.model.row_texts(row) for row in table.model.shown]


def test_outputs_and_gradients_are_compared(panel):
    assert texts(panel.check) == [
        ["out", "output", "✓ matches", "3.8e-06", "3.5e-06", ""],
        ["block.linear.weight", "gradient", "✕ differs", "0.25", "1.1e-06", ""],
        ["head.weight", "gradient", "not compared", "—", "—", "None in eager, zeros here"],
    ]
    assert panel.check.summary.text() == "1 matches, 1 differs, 1 not compared; judged against a float64 run"


def test_what_differs_stands_out(panel, theme):
    inks = [panel.check.model.index(row, 0).data(Qt.ItemDataRole.ForegroundRole) for row in range(3)]
    assert [ink is None for ink in inks] == [True, False, True]


def test_errors_sort_as_numbers(panel):
    panel.check.view.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    assert [row.found.max_error for row in panel.check.model.shown] == [0.25, 3.8e-6, None]


def test_stages_have_times_and_shares(panel):
    assert texts(panel.stages)[2] == ["Tracing the joint graph", "840 ms", "15", "82 %"]
    assert panel.stages.summary.text() == "1.03 s in all"
    panel.setCurrentWidget(panel.stages)
    panel.grab()
    assert not panel.stages.filter_field.isVisible()


def test_compilations_are_read_one_at_a_time(panel):
    view = panel.compilations
    panel.setCurrentWidget(view)
    assert [view.chooser.itemText(row) for row in range(2)] == ["Forward: ts_compile", "Backward: nop"]
    assert view.code.view.toPlainText().startswith("graph(%self")
    assert view.note.text() == "Compiled in 31.2 ms. Can be exported as TorchScript."
    view.chooser.setCurrentIndex(1)
    assert view.code.view.toPlainText() == "def forward(self):\n    pass\n"


def test_a_new_result_of_the_same_graphs_is_shown(panel, captured, made_capture):
    captured.update_result(msgspec.structs.replace(made_capture, check=Check(note="Not compared."), stages=[]))
    assert panel.check.is_empty
    assert panel.stages.is_empty


def test_without_a_run_it_says_so(session, shown):
    panel = shown(ResultPanel(session))
    assert panel.check.is_empty
    assert panel.stages.is_empty
    assert panel.compilations.code.is_empty
