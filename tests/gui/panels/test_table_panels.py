"""The docks that are tables: what they say, how they sort and filter, and that the selection is the session's."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from aotgui.gui.panels.inputs_panel import InputsPanel
from aotgui.gui.panels.values_panel import ValuesPanel
from aotgui.gui.session.session import SteppingState
from aotgui.gui.session.state import NO_ENGINE
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
def test_a_row_selects_in_its_own_graph_where_the_shown_one_lacks_the_node(captured, make_stats, node_of, qtbot):
    panel = ValuesPanel(captured)
    qtbot.addWidget(panel)
    captured.show_graph(GraphKind.BACKWARD)
    mm = node_of(GraphKind.FORWARD, "mm")
    captured.add_values({GraphKind.FORWARD: [make_stats(mm)]})
    panel.view.selectRow(0)
    assert (captured.selection.graph, captured.selection.nodes) == (GraphKind.FORWARD, (mm,))


def test_inputs_say_ties_and_mutations(captured, qtbot):
    panel = InputsPanel(captured)
    qtbot.addWidget(panel)
    assert column(panel, "Name") == ["block.linear.weight = embedding.weight", "head.weight", "args[0]"]
    assert column(panel, "Mutated") == ["", "", "mutated"]
    assert column(panel, "#") == ["0", "1", "2"]
    assert panel.summary.text() == "2 parameters, 1 input"
    panel.view.selectRow(2)
    assert captured.graph(GraphKind.JOINT).names[captured.selection.current] == "primals_3"


def test_copy_gives_the_selected_rows_or_all_as_tab_separated_text(captured, qtbot):
    panel = InputsPanel(captured)
    qtbot.addWidget(panel)
    assert len(panel.tsv().split("\n")) == 4
    panel.view.selectRow(2)
    panel.copy()
    header, line = QGuiApplication.clipboard().text().split("\n")
    assert header.split("\t")[:2] == ["#", "Name"]
    assert line.split("\t")[:2] == ["2", "args[0]"]


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
    captured.set_source("/m.aotcap", is_stored=True)
    assert values.empty_text == NO_ENGINE


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
