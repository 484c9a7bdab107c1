"""Comparing partitions, deciding for single nodes, the audit of policies, over an engine that only writes down."""

from itertools import combinations

import msgspec
import pyqtgraph as pg
import pytest

from aotgui.gui.panels.decisions_panel import DecisionsPanel
from aotgui.gui.panels.pareto_plot import ParetoPlot, ParetoPoint
from aotgui.gui.panels.partition_words import differences, flops_text, signed_seconds_text
from aotgui.gui.panels.partitions_panel import PartitionsPanel
from aotgui.gui.panels.policies_panel import PoliciesPanel
from aotgui.gui.session.partition_control import PartitionControl
from aotgui.gui.session.session import Progress, RecordingOptions, RunState
from aotgui.model.capture import Problem, Severity
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, GraphKind
from aotgui.model.partition import PartitionResult
from aotgui.model.text import signed_bytes_text
from aotgui.protocol.messages import Repartitioned, RepartitionEnded


class Engine:
    """Writes down what it is asked and answers when told to."""

    def __init__(self):
        self.current = self
        self.sent = []

    def send(self, request):
        self.sent.append(request)
        return True

    def answer(self, session, control):
        """Every choice of the newest request."""
        request = self.sent[-1]
        for index, choice in enumerate(request.choices):
            result = result_of(session, choice)
            control.handle(Repartitioned(request=request.request, index=index, result=result))
        control.handle(RepartitionEnded(request=request.request))


def result_of(session, choice):
    joint = session.graph(GraphKind.JOINT)
    fates = list(joint.fates)
    fates[joint.index_of["relu"]] = int(Fate.SAVED)
    size, recomputed = 51200, ["t_1"]
    if choice.memory_budget < 1 or choice.decisions.get("relu") is Decision.RECOMPUTE:
        fates[joint.index_of["relu"]] = int(Fate.RECOMPUTED)
        size, recomputed = 18432, ["t_1", "relu"]
    return PartitionResult(
        choice=choice,
        saved_bytes=size,
        saved_activation_bytes=size - 18432,
        saved_count=len(recomputed),
        recomputed=recomputed,
        recomputed_flops=8192 * len(recomputed),
        recomputed_seconds=0.001 * len(recomputed),
        forward_peak_bytes=size,
        backward_peak_bytes=2 * size,
        fates=fates,
        seconds=0.02,
        ignored={"mm": "The backward does not need it."} if "mm" in choice.decisions else {},
    )


@pytest.fixture
def engine():
    return Engine()


@pytest.fixture
def control(captured, made_capture, engine):
    control = PartitionControl(captured, engine)
    captured.set_progress(Progress(RunState.IDLE))
    captured.set_capture(made_capture)  # the control learns which graphs there are
    yield control
    control.close()


@pytest.fixture
def partitions(captured, control, shown):
    return shown(PartitionsPanel(captured, control), 900, 260)


@pytest.fixture
def decisions(captured, control, shown):
    return shown(DecisionsPanel(captured, control), 900, 260)


def column(table, title):
    place = [column.title for column in table.model.columns].index(title)
    return [table.model.index(row, place).data() for row in range(table.model.rowCount())]


def test_sizes_and_times_have_their_sign():
    assert signed_bytes_text(2048) == "+2.0 KiB"
    assert signed_bytes_text(-2048) == "\u22122.0 KiB"
    assert signed_bytes_text(0) == signed_seconds_text(0.0) == "±0"
    assert flops_text(2_500_000) == "2.5 MFLOP"
    assert flops_text(12) == "12 FLOP"


def test_partitions_are_compared_in_a_table_and_a_plot(partitions, captured, control, engine):
    assert partitions.table.is_empty
    assert "Compare" in partitions.table.empty_text
    assert partitions.plot is None
    partitions.compare_button.click()
    assert column(partitions.table, "Saved")[0] == "…"
    assert partitions.status.text() == "Partitioning… 7 partitions to go."
    engine.answer(captured, control)
    assert column(partitions.table, "Partition")[:3] == ["min_cut (shown)", "default", "min_cut@0.8"]
    assert column(partitions.table, "Difference")[:3] == ["±0", "±0", "\u221232.0 KiB"]
    assert column(partitions.table, "Cost")[2] == "2 ms"
    assert [point.size_bytes for point in partitions.plot.points[:3]] == [32768, 32768, 0]


def test_a_low_panel_has_rows_beside_its_curve(partitions, captured, control, engine, qtbot):
    """In a window of 1100 by 720 pixels the panel is as large as this."""
    partitions.resize(529, 147)
    partitions.compare_button.click()
    engine.answer(captured, control)
    view = partitions.table.view
    qtbot.waitUntil(lambda: view.rowAt(view.viewport().height() - 5) >= 2)  # the third row
    assert partitions.plot.width() >= 160
    assert partitions.apply_button.y() == partitions.compare_button.y()
    partitions.table.view.selectRow(2)
    assert partitions.status.isVisible()


def test_names_of_points_lie_on_no_other_and_are_shared_where_the_points_are(qtbot):
    plot = ParetoPlot()
    qtbot.addWidget(plot)
    plot.resize(320, 220)
    plot.show()
    values = [(1000, 0.0), (1002, 0.0), (930, 0.1), (860, 0.2), (790, 0.3), (0, 1.0)]
    words = ("first", "second", "third", "fourth", "fifth", "sixth")
    points = [ParetoPoint(name, *value, "") for name, value in zip(words, values, strict=True)]
    plot.show_points(points, 0, "recomputation, ms")
    assert list(names_in(plot)) == ["first, second", "third", "fourth", "fifth", "sixth"]
    for size in (320, 220), (200, 90), (700, 400):
        plot.resize(*size)
        assert not [pair for pair in combinations(names_in(plot).values(), 2) if pair[0].intersects(pair[1])]


def names_in(plot):
    """The names that are seen, with their places."""
    plot.grab()  # pyqtgraph knows how large words are once they are painted
    found = [item for item in plot.getPlotItem().items if isinstance(item, pg.TextItem) and item.isVisible()]
    return {name.toPlainText(): name.mapRectToScene(name.boundingRect()) for name in found}


def test_a_point_or_a_row_says_what_it_changes_and_marks_it_and_can_be_applied(
    partitions, captured, control, engine, node_of
):
    partitions.compare_button.click()
    engine.answer(captured, control)
    assert not partitions.apply_button.isEnabled()
    partitions.plot.point_clicked.emit(2)
    assert partitions.status.text() == (
        "min_cut@0.8: \u221232.0 KiB saved, +1 recomputed node, +1 ms to recompute, forward peak \u221232.0 KiB, "
        "backward peak \u221264.0 KiB."
    )
    partitions.differences_button.click()
    spot = captured.spotlight.spot
    assert spot.nodes == (node_of(GraphKind.JOINT, "relu"),)
    assert spot.title == "1 node that min_cut@0.8 treats otherwise: 1 saved → recomputed"
    partitions.apply_button.click()
    assert captured.settings.memory_budget == 0.8


def test_a_partition_that_changes_nothing_says_so(partitions, captured, control, engine):
    partitions.compare_button.click()
    engine.answer(captured, control)
    partitions.table.view.selectRow(1)
    assert partitions.status.text() == "default: no difference in bytes, time or peaks."


def test_the_slider_tries_a_budget_once_it_rests(partitions, captured, control, engine, qtbot):
    for place in (15, 10):
        partitions.slider.setValue(place)
    assert partitions.budget.text() == "Memory budget 0.50"
    qtbot.waitUntil(lambda: bool(engine.sent))
    engine.answer(captured, control)
    assert [str(choice) for choice in engine.sent[-1].choices] == ["min_cut", "min_cut@0.5"]
    assert column(partitions.table, "Partition") == ["min_cut@0.5"]
    assert len(engine.sent) == 1


def test_a_partition_that_cannot_be_had_says_why(partitions, captured, control, engine):
    partitions.compare_button.click()
    request = engine.sent[-1]
    problem = Problem(severity=Severity.ERROR, stage="partition", message="The knapsack solver is missing.")
    control.handle(Repartitioned(request=request.request, index=2, problem=problem))
    control.handle(RepartitionEnded(request=request.request))
    partitions.table.view.selectRow(2)
    assert partitions.status.text() == "The knapsack solver is missing."
    assert not partitions.differences_button.isEnabled()


def test_decisions_that_contradict_each_other_mark_the_nodes_of_the_conflict(
    decisions, captured, control, engine, node_of
):
    control.decide(["relu"], Decision.RECOMPUTE)
    request = engine.sent[-1]
    message = "2 values can neither be saved nor computed again."
    problem = Problem(
        severity=Severity.ERROR, stage="partition", message=message, graph=GraphKind.JOINT, path=("mm", "relu")
    )
    control.handle(Repartitioned(request=request.request, index=1, problem=problem))
    assert decisions.status.text() == message
    decisions.mark.click()
    spot = captured.spotlight.spot
    assert (spot.title, spot.is_path) == (message, True)
    assert spot.nodes == (node_of(GraphKind.JOINT, "mm"), node_of(GraphKind.JOINT, "relu"))


def test_without_an_engine_the_panels_say_so(partitions, decisions, captured, made_capture, control):
    captured.set_source("/tmp/saved.aotcap", is_stored=True)
    captured.set_capture(made_capture)
    for table in (partitions.table, decisions.table):
        assert "saved capture can be looked at" in table.empty_text
    assert not partitions.compare_button.isEnabled()
    assert not partitions.slider.isEnabled()


def test_decisions_show_what_they_change_and_what_came_of_each(decisions, captured, control, engine, node_of):
    assert "Force Recompute" in decisions.table.empty_text
    control.decide(["relu", "mm"], Decision.RECOMPUTE)
    assert column(decisions.table, "Outcome") == ["being worked out", "being worked out"]
    engine.answer(captured, control)
    assert column(decisions.table, "Node") == ["relu", "mm"]
    assert column(decisions.table, "Outcome") == ["would be recomputed", "The backward does not need it."]
    assert decisions.status.text().startswith("Altogether: \u221232.0 KiB saved, +1 recomputed node")
    decisions.mark.click()
    assert captured.spotlight.spot.nodes == (node_of(GraphKind.JOINT, "relu"),)
    decisions.table.view.selectRow(1)
    decisions.reset_selected.click()
    assert captured.partitions.decisions == {"relu": Decision.RECOMPUTE}
    decisions.undo.click()
    assert set(captured.partitions.decisions) == {"relu", "mm"}
    decisions.redo.click()
    decisions.reset_all.click()
    assert decisions.table.is_empty
    assert not decisions.export.isEnabled()


def ran_with(captured, made_capture, decisions):
    """A run that recomputes relu is over: its settings stand in the session and in its capture."""
    settings = msgspec.structs.replace(made_capture.settings, decisions=decisions)
    region = made_capture.regions[0]
    joint, fates = region.graphs[GraphKind.JOINT], list(region.graphs[GraphKind.JOINT].fates)
    fates[joint.index_of["relu"]] = int(Fate.RECOMPUTED)
    graphs = {**region.graphs, GraphKind.JOINT: msgspec.structs.replace(joint, fates=fates)}
    region = msgspec.structs.replace(region, graphs=graphs)
    captured.set_settings(settings)
    captured.set_capture(msgspec.structs.replace(made_capture, settings=settings, regions=[region]))


def test_decisions_become_the_settings_of_a_run_and_are_taken_out_again(
    decisions, captured, made_capture, control, engine
):
    assert not decisions.run_with.isEnabled()
    assert not decisions.run_without.isVisible()
    control.decide(["relu"], Decision.RECOMPUTE)
    assert decisions.run_with.isEnabled()
    decisions.run_with.click()
    assert captured.settings.decisions == {"relu": Decision.RECOMPUTE}
    assert not decisions.run_with.isEnabled()
    assert "exactly these" in decisions.run_with.toolTip()
    ran_with(captured, made_capture, captured.settings.decisions)
    assert column(decisions.table, "Outcome") == ["is recomputed"]
    control.resume()
    assert [str(choice) for choice in engine.sent[-1].choices] == ["min_cut with 1 decision", "min_cut"]
    engine.answer(captured, control)
    assert decisions.status.text().startswith("Run with these decisions. Without them: +32.0 KiB saved")
    decisions.mark.click()
    assert captured.spotlight.spot.title == "1 node that min_cut treats otherwise: 1 recomputed → saved"
    decisions.run_without.click()
    assert captured.settings.decisions == {}
    assert captured.partitions.decisions == {"relu": Decision.RECOMPUTE}  # to be tried


def test_what_a_run_decided_is_listed_when_it_is_opened_and_can_be_edited(
    decisions, captured, made_capture, control, engine
):
    captured.set_source("/tmp/other.py")
    ran_with(captured, made_capture, {"relu": Decision.RECOMPUTE, "1:mm": Decision.SAVE, "gone": Decision.SAVE})
    assert captured.partitions.decisions == {"relu": Decision.RECOMPUTE}
    decisions.reset_all.click()
    engine.answer(captured, control)
    assert decisions.status.text().startswith("Without decisions: ")
    control.decide(["mm"], Decision.SAVE)
    decisions.run_with.click()
    assert captured.settings.decisions == {"1:mm": Decision.SAVE, "mm": Decision.SAVE}  # other regions keep theirs


def test_a_recorded_script_is_not_run_with_decisions(decisions, captured, control):
    control.decide(["relu"], Decision.SAVE)
    assert decisions.run_with.isEnabled()
    captured.set_recording(RecordingOptions())
    assert not decisions.run_with.isEnabled()
    assert "partitioned by the script" in decisions.run_with.toolTip()


def test_a_partition_with_decisions_can_be_applied(partitions, captured, control, engine):
    control.decide(["relu"], Decision.RECOMPUTE)
    engine.answer(captured, control)
    partitions.table.view.selectRow(0)
    partitions.apply_button.click()
    assert captured.settings.decisions == {"relu": Decision.RECOMPUTE}


def test_the_decisions_are_exported_on_demand(decisions, control, qtbot):
    control.decide(["relu"], Decision.SAVE)
    with qtbot.waitSignal(decisions.export_requested):
        decisions.export.click()


def test_the_buttons_go_on_in_the_next_line_of_a_narrow_dock(partitions, decisions):
    for panel in (partitions, decisions):
        assert panel.minimumSizeHint().width() < 320
    decisions.resize(320, 300)
    assert decisions.export.isVisible()
    assert decisions.export.y() > decisions.undo.y()


def test_differences_need_the_same_nodes(captured):
    joint = captured.graph(GraphKind.JOINT)
    assert differences(joint, joint.fates) == []
    assert differences(joint, [0, 1]) == []


def test_policies_say_which_were_overridden(captured, made_capture, qtbot, node_of):
    joint = made_capture.regions[0].graphs[GraphKind.JOINT]
    policies = [-1] * len(joint)
    strings = [*joint.strings, "MUST_SAVE", "MUST_RECOMPUTE"]
    policies[node_of(GraphKind.JOINT, "relu")] = len(joint.strings)
    policies[node_of(GraphKind.JOINT, "t_1")] = len(joint.strings)
    marked = msgspec.structs.replace(joint, policies=policies, strings=strings)
    region = made_capture.regions[0]
    region = msgspec.structs.replace(region, graphs={**region.graphs, GraphKind.JOINT: marked})
    panel = PoliciesPanel(captured)
    qtbot.addWidget(panel)
    assert "No operator carries a checkpoint policy" in panel.empty_text
    captured.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    assert column(panel, "Node") == ["relu", "t_1"]
    assert column(panel, "Honoured") == ["yes", "no"]
    assert panel.summary.text() == "2 marked operators, 1 not honoured"
    panel.view.selectRow(1)
    assert captured.selection.nodes == (node_of(GraphKind.JOINT, "t_1"),)


def test_a_low_panel_of_decisions_gives_its_rows_the_room(decisions):
    assert decisions.status.isVisibleTo(decisions)
    decisions.resize(520, 150)
    assert not decisions.status.isVisibleTo(decisions)
    decisions.resize(520, 260)
    assert decisions.status.isVisibleTo(decisions)
