"""The ledger of saved values: what it says, how it groups, sorts and filters, whose selection it shows."""

import csv
import io
import time

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QTabWidget

from aotgui.gui.panels.saved_panel import SavedPanel
from aotgui.model.capture import Region
from aotgui.model.graph import GraphKind

DOWN = Qt.SortOrder.DescendingOrder


@pytest.fixture
def saved(captured, qtbot):
    panel = SavedPanel(captured)
    qtbot.addWidget(panel)
    return panel


def lines(panel, *titles):
    """What is seen, a group with its rows indented, some columns of it."""
    places = [[column.title for column in panel.model.columns].index(title) for title in titles]
    model, found = panel.model, []
    for row in range(model.rowCount()):
        found.append(" | ".join(str(model.index(row, place).data() or "") for place in places))
        group = model.index(row, 0)
        found += [
            "  " + " | ".join(str(model.index(inner, place, group).data() or "") for place in places)
            for inner in range(model.rowCount(group))
        ]
    return found


def sort_by(panel, title, order=Qt.SortOrder.AscendingOrder):
    panel.view.sortByColumn([column.title for column in panel.model.columns].index(title), order)


def tip_of(panel, title, row=0):
    place = [column.title for column in panel.model.columns].index(title)
    return panel.model.index(row, place).data(Qt.ItemDataRole.ToolTipRole)


def with_saved(made_capture, saved_values):
    region = msgspec.structs.replace(made_capture.regions[0], saved=saved_values)
    return msgspec.structs.replace(made_capture, regions=[region])


def test_values_are_named_as_people_do_and_what_is_merely_kept_stands_apart(saved):
    assert lines(saved, "Value", "Bytes", "Share", "Role", "Line") == [
        "relu | 32.0 KiB | 64 % | activation | blocks.py:12",
        "Merely kept | 18.0 KiB | 36 % | 2 values | ",
        "  head.weight | 10.0 KiB | 20 % | parameter | ",
        "  args[0] | 8.0 KiB | 16 % | input | ",
    ]


def test_a_value_says_who_reads_it_and_how_long_it_lives(saved):
    assert lines(saved, "Value", "Read by", "Lives")[0] == "relu | le, mm_3 | relu → mm_3"
    tip = tip_of(saved, "Lives")
    assert tip.startswith("Computed by relu, read last in the forward by mm_1, read last in the backward by mm_3")
    assert "alive while 13 nodes run" in tip  # relu to sum_1 in the forward, then up to mm_3 in the backward


def test_a_value_says_why_it_is_saved_in_torchs_words_where_there_are_no_others(saved):
    assert lines(saved, "Why")[0].startswith("must be computed in backward otherwise")
    tip = tip_of(saved, "Why")
    assert tip.startswith("Torch gave no min-cut network")
    assert tip.splitlines()[-1].startswith("In torch's words: must be computed")


def test_totals_count_activations_apart(saved):
    assert saved.summary.text() == "3 saved values: 32.0 KiB of activations, 18.0 KiB of parameters and inputs"


def test_groups_have_subtotals_and_are_sorted_by_them(captured, made_capture, saved):
    relu = made_capture.regions[0].saved[2]
    small = msgspec.structs.replace(relu, name="mm_1", module="head", size_bytes=1280, storage_bytes=1280)
    captured.set_capture(with_saved(made_capture, [small, relu]))
    saved.group_by("By module")
    assert lines(saved, "Value", "Bytes") == [
        "head | 1.2 KiB",
        "  mm_1 | 1.2 KiB",
        "block | 32.0 KiB",
        "  relu | 32.0 KiB",
    ]
    sort_by(saved, "Bytes", DOWN)
    assert [line for line in lines(saved, "Value", "Bytes") if line[0] != " "] == ["block | 32.0 KiB", "head | 1.2 KiB"]
    saved.group_by("By dtype")
    assert lines(saved, "Value") == ["float32", "  relu", "  mm_1"]
    saved.group_by("By line")
    assert lines(saved, "Value")[0] == "blocks.py:12"


def test_sorting_is_by_size_not_by_text_and_what_is_kept_stays_last(saved):
    sort_by(saved, "Bytes")
    assert lines(saved, "Value") == ["relu", "Merely kept", "  args[0]", "  head.weight"]
    sort_by(saved, "Bytes", DOWN)
    assert lines(saved, "Value") == ["relu", "Merely kept", "  head.weight", "  args[0]"]


def test_a_storage_that_is_shared_says_with_whom_and_counts_once(captured, made_capture, saved):
    region = made_capture.regions[0]
    shared = msgspec.structs.replace(region.saved[2], storage_bytes=0)
    captured.set_capture(with_saved(made_capture, [*region.saved[:2], shared]))
    assert lines(saved, "Value", "Share")[0] == "relu | shared"
    assert "adds nothing to the total" in saved.model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert saved.summary.text().endswith("0 B of activations, 18.0 KiB of parameters and inputs")


def test_the_filter_hides_rows_and_says_so(saved):
    saved.filter_field.setText("activation block")
    assert lines(saved, "Value") == ["relu"]
    assert saved.summary.text().startswith("1 of 3 saved values")


def test_a_row_selects_its_node_in_the_graph_shown_and_a_group_all_of_its_own(saved, captured, node_of):
    captured.show_graph(GraphKind.BACKWARD)
    saved.view.setCurrentIndex(saved.model.index(0, 0))
    assert captured.selection.graph is GraphKind.BACKWARD
    assert captured.selection.nodes == (node_of(GraphKind.BACKWARD, "relu"),)
    saved.view.setCurrentIndex(saved.model.index(1, 0))
    names = [captured.graph(GraphKind.BACKWARD).names[node] for node in captured.selection.nodes]
    assert names == ["primals_2", "primals_3"]


def test_the_selection_of_a_graph_selects_the_row_also_when_sorted_and_filtered(saved, captured, node_of):
    captured.select(GraphKind.BACKWARD, [node_of(GraphKind.BACKWARD, "relu")])
    assert [row.value.name for row in saved.selected_rows()] == ["relu"]
    sort_by(saved, "Bytes", DOWN)
    saved.filter_field.setText("relu")
    assert [row.value.name for row in saved.selected_rows()] == ["relu"]
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "mm")])
    assert saved.selected_rows() == []


def test_activating_a_row_asks_for_the_line_that_computes_it(saved, qtbot, blocks_file):
    with qtbot.waitSignal(saved.source_requested) as asked:
        saved.view.activated.emit(saved.model.index(0, 0))
    assert asked.args == [blocks_file, 12]
    kept = saved.model.index(1, 0)
    with qtbot.assertNotEmitted(saved.source_requested):
        saved.view.activated.emit(saved.model.index(0, 0, kept))
        saved.view.activated.emit(kept)
    assert not saved.view.isExpanded(kept)


def test_copy_gives_tab_separated_text_and_export_a_table_with_numbers(saved, qtbot):
    saved.view.setCurrentIndex(saved.model.index(0, 0))
    saved.copy()
    header, line = QGuiApplication.clipboard().text().split("\n")
    assert header.split("\t")[:3] == ["Value", "Bytes", "Share"]
    assert line.split("\t")[:3] == ["relu", "32.0 KiB", "64 %"]
    with qtbot.waitSignal(saved.save_requested) as asked:
        saved.export.click()
    rows = list(csv.DictReader(io.StringIO(asked.args[3])))
    assert [(row["Value"], int(row["Size in bytes"]), int(row["Bytes added"])) for row in rows] == [
        ("relu", 32768, 32768),
        ("head.weight", 10240, 10240),
        ("args[0]", 8192, 8192),
    ]


def test_an_empty_ledger_says_why(session, captured, made_capture, saved):
    session.set_capture(None)
    assert saved.is_empty
    assert "after a run" in saved.empty_text
    inference = Region(name="region 0", graphs={GraphKind.INFERENCE: made_capture.regions[0].graphs[GraphKind.FORWARD]})
    session.set_capture(msgspec.structs.replace(made_capture, regions=[inference]))
    assert saved.is_empty
    assert "requires a gradient" in saved.empty_text


def test_a_panel_behind_another_tab_waits_and_then_opens_7000_values_in_100_ms(
    session, made_capture, make_graph, shown
):
    forward, backward = make_graph(GraphKind.FORWARD), make_graph(GraphKind.BACKWARD)
    for build in (forward, backward):
        build.columns["names"] = [f"mm_{number}" for number in range(7000)]
        fills = {"ops": 2, "roles": 0, "sides": 0, "fates": 0, "seq_nrs": -1, "labels": -1, "modules": -1, "stacks": -1}
        for name, value in {**fills, "origins": -1, "targets": build.string("aten.mm.default")}.items():
            build.columns[name] = [value] * 7000
        build.columns["values"] = build.columns["arguments"] = [[] for _ in range(7000)]
    value = made_capture.regions[0].saved[2]
    values = [msgspec.structs.replace(value, name=f"mm_{number}", module=f"m.{number % 90}") for number in range(7000)]
    graphs = {GraphKind.FORWARD: forward.build(), GraphKind.BACKWARD: backward.build()}
    region = Region(name="region 0", graphs=graphs, saved=values)
    region.build_tables()
    panel = shown(SavedPanel(session), 900)
    panel.group_by("By module")
    began = time.thread_time()
    session.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    panel.grab()
    assert time.thread_time() - began < 0.5  # of this thread; 0.1 s on a quiet machine
    assert len(panel.model.shown) == 7000


def test_what_is_exported_from_behind_another_tab_is_of_the_capture_shown(captured, made_capture, qtbot):
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    tabs.addTab(QLabel("in front"), "Front")
    panel = SavedPanel(captured)
    tabs.addTab(panel, "Saved")
    tabs.show()
    captured.set_capture(with_saved(made_capture, made_capture.regions[0].saved[:1]))
    assert len(panel.model.shown) == 3, "behind another tab it waits"
    with qtbot.waitSignal(panel.save_requested) as asked:
        panel.export_table()
    assert asked.args[3] == panel.csv()
    assert len(list(csv.reader(io.StringIO(asked.args[3])))) == 2
