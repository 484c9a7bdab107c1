import msgspec
import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from aotgui.gui.panels.outline_model import OutlineModel
from aotgui.gui.panels.outline_panel import NO_CAPTURE, NO_MODULES, OutlinePanel
from aotgui.model.graph import GraphKind
from aotgui.model.outline import OutlineEntry


@pytest.fixture
def panel(captured, shown):
    return shown(OutlinePanel(captured))


def rows(model, parent=None, depth=0):
    """The tree as text."""
    parent = parent or QModelIndex()
    found = []
    for row in range(model.rowCount(parent)):
        cells = [model.index(row, column, parent).data() for column in range(model.columnCount())]
        found.append("  " * depth + " | ".join(cells))
        found += rows(model, model.index(row, 0, parent), depth + 1)
    return found


def test_each_module_says_what_it_costs(panel):
    assert rows(panel.model) == [
        "block | 32.0 KiB | 3 | 2 |  | Block",
        "  linear |  | 2 | 1 |  | Linear",
        "head |  | 2 | 2 | 1 | Linear",
        "(no module) |  | 4 | 2 |  | ",
    ]


def test_the_model_keeps_qts_rules(panel):
    tester = QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    panel.filter_field.setText("linear")
    panel.filter_field.clear()
    assert tester.model() is panel.model


def test_a_row_selects_its_nodes_where_the_person_looks(panel, captured, node_of):
    captured.show_graph(GraphKind.BACKWARD)
    panel.view.setCurrentIndex(panel.model.index_of("head"))
    assert captured.selection.graph is GraphKind.BACKWARD
    wanted = ["t_1", "mm_2", "mm_3"]
    assert list(captured.selection.nodes) == [node_of(GraphKind.BACKWARD, name) for name in wanted]


def test_a_node_selects_the_innermost_row_around_it(panel, captured, node_of):
    captured.select(GraphKind.FORWARD, [node_of(GraphKind.FORWARD, "mm")])
    assert [entry.path for entry in panel.selected_entries()] == ["block.linear"]
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    assert [entry.path for entry in panel.selected_entries()] == ["block"]
    captured.select(None, [])
    assert panel.selected_entries() == []


def test_selecting_a_row_stays_on_that_row(panel, captured):
    panel.view.setCurrentIndex(panel.model.index_of("block"))
    assert [entry.path for entry in panel.selected_entries()] == ["block"]
    assert len(captured.selection.nodes) == 5


def test_enter_or_a_double_click_brings_it_into_view(panel, captured, qtbot):
    panel.view.setCurrentIndex(panel.model.index_of("head"))
    with qtbot.waitSignal(captured.reveal_requested):
        panel.view.activated.emit(panel.model.index_of("head"))


def test_the_filter_keeps_what_is_around_a_match(panel):
    panel.filter_field.setText("LINEAR")
    assert [row.split(" | ")[0] for row in rows(panel.model)] == ["block", "  linear", "head"]
    panel.filter_field.setText("nowhere")
    assert rows(panel.model) == []


def test_empty_states(session, made_capture, shown):
    panel = shown(OutlinePanel(session))
    assert (panel.is_empty, panel.empty_text) == (True, NO_CAPTURE)
    region = made_capture.regions[0]
    graphs = {kind: msgspec.structs.replace(graph, modules=[-1] * len(graph)) for kind, graph in region.graphs.items()}
    bare = msgspec.structs.replace(region, graphs=graphs)
    session.set_capture(msgspec.structs.replace(made_capture, regions=[bare]))
    assert (panel.is_empty, panel.empty_text) == (True, NO_MODULES)


def test_bytes_that_come_with_the_result_are_shown(panel, captured, made_capture):
    region = msgspec.structs.replace(made_capture.regions[0], saved=[])
    captured.update_result(msgspec.structs.replace(made_capture, regions=[region]))
    assert rows(panel.model)[0] == "block |  | 3 | 2 |  | Block"


def test_runs_and_odd_blocks_are_told(qapp):
    odd = OutlineEntry(path="layers.1", title="1", type_name="Block", differs=True, saved_bytes=2048)
    run = OutlineEntry(path="layers.0", title="0 … 1", type_name="Block", count=2, children=(odd,))
    model = OutlineModel()
    model.set_entries((run,))
    assert rows(model) == ["0 … 1 |  |  |  |  | 2 \u00d7 Block", "  1 ≠ | 2.0 KiB |  |  |  | Block"]
    index = model.index(0, 0, model.index(0, 0))
    assert "2.0 KiB (2,048 bytes)" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert "than most of these blocks" in index.data(Qt.ItemDataRole.ToolTipRole)
