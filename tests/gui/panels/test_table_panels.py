"""The docks that are tables: what they say, how they sort and filter, and that the selection is the session's."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from aotgui.gui.panels.inputs_panel import InputsPanel
from aotgui.gui.panels.saved_panel import SavedPanel
from aotgui.gui.panels.values_panel import ValuesPanel
from aotgui.gui.session.session import SteppingState
from aotgui.model.capture import Region
from aotgui.model.graph import GraphKind

DOWN = Qt.SortOrder.DescendingOrder


def column(panel, title):
    titles = [column.title for column in panel.model.columns]
    place = titles.index(title)
    return [panel.model.index(row, place).data() for row in range(panel.model.rowCount())]


def sort_by(panel, title, order=Qt.SortOrder.AscendingOrder):
    titles = [column.title for column in panel.model.columns]
    panel.view.sortByColumn(titles.index(title), order)


@pytest.fixture
def saved(captured, qtbot):
    panel = SavedPanel(captured)
    qtbot.addWidget(panel)
    return panel


def test_ledger_names_values_as_people_do(saved):
    assert column(saved, "Value") == ["head.weight", "args[0]", "relu"]
    assert column(saved, "Bytes") == ["10.0 KiB", "8.0 KiB", "32.0 KiB"]
    assert column(saved, "Share") == ["20 %", "16 %", "64 %"]
    assert column(saved, "Line") == ["", "", "blocks.py:12"]


def test_ledger_totals_activations_apart(saved):
    assert saved.summary.text() == "3 saved values: 32.0 KiB of activations, 18.0 KiB of parameters and inputs"


def test_ledger_sorts_by_size_not_by_text(saved):
    sort_by(saved, "Bytes", DOWN)
    assert column(saved, "Value") == ["relu", "head.weight", "args[0]"]


def test_ledger_says_that_a_storage_is_shared(captured, made_capture, qtbot):
    region = made_capture.regions[0]
    shared = msgspec.structs.replace(region.saved[2], storage_bytes=0)
    region = msgspec.structs.replace(region, saved=[*region.saved[:2], shared])
    captured.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    panel = SavedPanel(captured)
    qtbot.addWidget(panel)
    assert column(panel, "Share")[2] == "shared"
    tip = panel.model.index(2, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert "adds nothing to the total" in tip
    assert panel.summary.text().endswith("0 B of activations, 18.0 KiB of parameters and inputs")


def test_filter_hides_rows_and_says_so(saved):
    saved.filter_field.setText("activation block")
    assert column(saved, "Value") == ["relu"]
    assert saved.summary.text().startswith("1 of 3 saved values")


def test_a_row_selects_its_node_in_the_graph_shown(saved, captured, node_of):
    captured.show_graph(GraphKind.BACKWARD)
    saved.view.selectRow(2)
    assert captured.selection.graph is GraphKind.BACKWARD
    assert captured.selection.nodes == (node_of(GraphKind.BACKWARD, "relu"),)


def test_a_row_selects_in_its_own_graph_where_the_shown_one_lacks_the_node(captured, make_stats, node_of, qtbot):
    panel = ValuesPanel(captured)
    qtbot.addWidget(panel)
    captured.show_graph(GraphKind.BACKWARD)
    mm = node_of(GraphKind.FORWARD, "mm")
    captured.add_values({GraphKind.FORWARD: [make_stats(mm)]})
    panel.view.selectRow(0)
    assert (captured.selection.graph, captured.selection.nodes) == (GraphKind.FORWARD, (mm,))


def test_the_selection_of_a_graph_selects_the_row(saved, captured, node_of):
    captured.select(GraphKind.BACKWARD, [node_of(GraphKind.BACKWARD, "relu")])
    assert [row.name for row in saved.selected_rows()] == ["relu"]
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "mm")])
    assert saved.selected_rows() == []


def test_the_selected_row_stays_selected_when_sorted_and_filtered(saved, captured, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "relu")])
    sort_by(saved, "Bytes", DOWN)
    saved.filter_field.setText("relu")
    assert [row.name for row in saved.selected_rows()] == ["relu"]


def test_activating_a_row_asks_for_the_line_that_computes_it(saved, qtbot, blocks_file):
    with qtbot.waitSignal(saved.source_requested) as asked:
        saved.view.activated.emit(saved.model.index(2, 0))
    assert asked.args == [blocks_file, 12]
    with qtbot.assertNotEmitted(saved.source_requested):
        saved.view.activated.emit(saved.model.index(0, 0))


def test_columns_fit_what_they_say_within_limits(session, made_capture, qtbot):
    panel = SavedPanel(session)
    qtbot.addWidget(panel)
    before = [panel.view.columnWidth(place) for place in range(panel.model.columnCount())]
    names = [msgspec.structs.replace(made_capture.regions[0].saved[0], label="layers." * count) for count in (4, 90)]
    region = msgspec.structs.replace(made_capture.regions[0], saved=names[:1])
    session.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    fitted = panel.view.columnWidth(0)
    assert fitted > before[0]
    panel.view.setColumnWidth(0, 55)
    region = msgspec.structs.replace(region, saved=names)
    session.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    assert panel.view.columnWidth(0) == 55
    other = SavedPanel(session)
    qtbot.addWidget(other)
    assert fitted < other.view.columnWidth(0) < 320


def test_copy_gives_tab_separated_text(saved):
    saved.view.selectRow(2)
    saved.copy()
    header, line = QGuiApplication.clipboard().text().split("\n")
    assert header.split("\t")[:3] == ["Value", "Bytes", "Share"]
    assert line.split("\t")[:3] == ["relu", "32.0 KiB", "64 %"]


def test_copy_without_a_selection_gives_every_row(saved):
    assert len(saved.tsv().split("\n")) == 4


def test_an_empty_ledger_says_why(session, captured, made_capture, qtbot):
    panel = SavedPanel(session)
    qtbot.addWidget(panel)
    session.set_capture(None)
    assert panel.is_empty
    assert "after a run" in panel.empty_text
    inference = Region(name="region 0", graphs={GraphKind.INFERENCE: made_capture.regions[0].graphs[GraphKind.FORWARD]})
    session.set_capture(msgspec.structs.replace(made_capture, regions=[inference]))
    assert panel.is_empty
    assert "requires a gradient" in panel.empty_text


def test_inputs_say_ties_and_mutations(captured, qtbot):
    panel = InputsPanel(captured)
    qtbot.addWidget(panel)
    assert column(panel, "Name") == ["block.linear.weight = embedding.weight", "head.weight", "args[0]"]
    assert column(panel, "Mutated") == ["", "", "mutated"]
    assert column(panel, "#") == ["0", "1", "2"]
    assert panel.summary.text() == "2 parameters, 1 input"
    panel.view.selectRow(2)
    assert captured.graph(GraphKind.JOINT).names[captured.selection.current] == "primals_3"


def test_a_low_panel_shows_nothing_but_rows(captured, shown):
    panel = shown(InputsPanel(captured), 460)
    assert panel.filter_field.isVisible()
    panel.setMinimumHeight(1)
    panel.resize(460, 60)
    assert not panel.filter_field.isVisible()
    assert not panel.summary.isVisible()
    panel.resize(460, 400)
    assert panel.filter_field.isVisible()


def test_the_columns_of_inputs_are_no_wider_than_they_need(captured, shown):
    panel = shown(InputsPanel(captured), 460)
    header = panel.view.horizontalHeader()
    assert [column.title for column in panel.model.columns][:5] == ["#", "Name", "Shape", "Dtype", "Bytes"]
    for section in (0, 2, 3, 4):
        needed = max(panel.view.sizeHintForColumn(section), header.sectionSizeHint(section))
        assert header.sectionSize(section) == needed


@pytest.fixture
def values(captured, qtbot):
    panel = ValuesPanel(captured)
    qtbot.addWidget(panel)
    return panel


def test_values_arrive_in_the_order_of_execution(values, captured, make_stats):
    assert values.is_empty
    captured.add_values({GraphKind.FORWARD: [make_stats(0), make_stats(1)]})
    captured.add_values({GraphKind.FORWARD: [make_stats(2)], GraphKind.BACKWARD: [make_stats(0)]})
    assert column(values, "#") == ["1", "2", "3", "4"]
    assert column(values, "Node") == ["primals_1", "primals_2", "primals_3", "primals_2"]
    assert column(values, "Graph") == ["forward", "forward", "forward", "backward"]
    assert column(values, "Min")[0] == "-1.5"


def test_while_nothing_was_executed_it_says_what_to_do(values, captured):
    assert values.empty_text.startswith("Start the debugger")
    captured.set_stepping(SteppingState(active=True, graph=GraphKind.FORWARD, node=0))
    assert values.empty_text == "Nothing has been executed yet. Step to see values."
    captured.set_stepping(SteppingState())
    assert values.empty_text.startswith("Start the debugger")


def test_a_node_executed_again_keeps_one_row(values, captured, make_stats):
    captured.add_values({GraphKind.FORWARD: [make_stats(0), make_stats(1)]})
    captured.add_values({GraphKind.FORWARD: [make_stats(1, maximum=9.0)]})
    assert column(values, "Max") == ["2.5", "9"]


def test_a_restart_empties_the_table(values, captured, make_stats):
    captured.add_values({GraphKind.FORWARD: [make_stats(0)], GraphKind.BACKWARD: [make_stats(0)]})
    captured.clear_values()
    assert values.is_empty


def test_values_with_nan_or_inf_stand_out(values, captured, make_stats, theme):
    captured.add_values({GraphKind.FORWARD: [make_stats(0), make_stats(1, nans=3), make_stats(2, infs=1)]})
    fills = [values.model.index(row, 0).data(Qt.ItemDataRole.BackgroundRole) for row in range(3)]
    assert fills[0] is None
    assert fills[1].color().red() > fills[1].color().blue()
    assert values.summary.text() == "3 executed nodes, 2 with NaN or Inf"
    sort_by(values, "NaN", DOWN)
    assert column(values, "Node")[0] == "primals_2"


def test_selection_goes_on_while_values_arrive(values, captured, make_stats):
    captured.add_values({GraphKind.FORWARD: [make_stats(0), make_stats(1)]})
    sort_by(values, "Node", DOWN)
    captured.select(GraphKind.FORWARD, [0])
    captured.add_values({GraphKind.FORWARD: [make_stats(2), make_stats(3)]})
    assert [row.name for row in values.selected_rows()] == ["primals_1"]
    assert captured.selection.nodes == (0,)


def test_the_newest_value_stays_in_view_unless_scrolled_away(values, captured, make_stats, shown):
    shown(values, 600, 160)
    bar = values.view.verticalScrollBar()
    for node in range(6):
        captured.add_values({GraphKind.FORWARD: [make_stats(node)]})
    assert bar.value() == bar.maximum() > 0
    bar.setValue(0)
    captured.add_values({GraphKind.FORWARD: [make_stats(6)]})
    assert bar.value() == 0


def test_a_placeholder_says_its_human_name(values, captured, make_stats):
    captured.add_values({GraphKind.FORWARD: [make_stats(0), make_stats(4)]})
    assert column(values, "Operator") == ["block.linear.weight", "aten.mm.default"]


def test_7000_values_in_batches(captured, made_capture, make_graph, make_stats, shown):
    build = make_graph(GraphKind.FORWARD)
    for number in range(7000):
        build.columns["names"].append(f"mm_{number}")
    count = 7000
    target = build.string("aten.mm.default")
    fills = {"ops": 2, "roles": 0, "sides": 0, "fates": 2, "seq_nrs": -1, "origins": -1, "labels": -1, "modules": -1}
    for name, value in {**fills, "stacks": -1, "targets": target}.items():
        build.columns[name] = [value] * count
    build.columns["values"] = [[] for _ in range(count)]
    build.columns["arguments"] = [[] for _ in range(count)]
    region = Region(name="region 0", graphs={GraphKind.FORWARD: build.build()})
    captured.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    panel = shown(ValuesPanel(captured), 900)
    sort_by(panel, "Max", DOWN)
    for first in range(0, count, 70):
        batch = [make_stats(node, maximum=float(node)) for node in range(first, first + 70)]
        captured.add_values({GraphKind.FORWARD: batch})
    assert len(panel.model.shown) == count
    assert column(panel, "Node")[:2] == ["mm_6999", "mm_6998"]
    panel.filter_field.setText("mm_69")
    assert len(panel.model.shown) == 111


def test_while_it_runs_values_are_added_in_bundles_and_none_is_lost(values, captured, make_stats, qtbot):
    captured.set_stepping(SteppingState(active=True, running=True, graph=GraphKind.FORWARD, node=0))
    captured.add_values({GraphKind.FORWARD: [make_stats(0)]})
    captured.add_values({GraphKind.FORWARD: [make_stats(1)]})
    assert values.is_empty
    qtbot.waitUntil(lambda: len(values.model.shown) == 2)
    captured.add_values({GraphKind.FORWARD: [make_stats(2)]})
    captured.set_stepping(SteppingState(active=True, graph=GraphKind.FORWARD, node=3))
    assert column(values, "Node") == ["primals_1", "primals_2", "primals_3"]
