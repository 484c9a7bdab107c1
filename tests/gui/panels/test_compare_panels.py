"""Comparing compilers and finding the culprit, over an engine that only writes down."""

import msgspec
import pytest
from PySide6.QtCore import QUrl

from aotgui.gui.panels.compare_panel import ComparePanel, settings_with
from aotgui.gui.panels.culprit_panel import CulpritPanel
from aotgui.gui.session.session import Progress, RunState
from aotgui.gui.session.spotlight import Spot
from aotgui.gui.session.state import NO_ENGINE, RecordingOptions
from aotgui.gui.session.trial_control import RECORDED, STOPPED, TrialControl
from aotgui.model.capture import Check, CheckStatus, Comparison, CompileStep, Problem, Severity
from aotgui.model.comparison import Candidate, CompareRow, Culprit, CulpritKind, Element, NamedValue, Timing, Verdict
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings
from aotgui.protocol.messages import (
    Compare,
    CompareEnded,
    CompareProgress,
    CompareRowReady,
    CompilerInfo,
    CulpritFound,
    CulpritProgress,
    FindCulprit,
    RunStatus,
    Stop,
)

COMPILERS = [
    CompilerInfo(name="nop", description="Runs the graph as it is."),
    CompilerInfo(name="ts_compile", description="TorchScript.", makes_torchscript=True),
    CompilerInfo(name="inductor", description="Inductor.", unavailable="There is no C++ compiler."),
]


class Engine:
    """Writes down what it is asked."""

    def __init__(self):
        self.current = self
        self.sent = []

    def send(self, request):
        self.sent.append(request)
        return True


def time(median, share=1.0):
    return Timing(median_s=median, low_s=median * 0.9, high_s=median * 1.1 * share, samples=9)


def row(candidate, verdict=Verdict.MATCH, problem=None):
    status = CheckStatus.MATCH if verdict is Verdict.MATCH else CheckStatus.MISMATCH
    error = Comparison(name="out", status=status, max_error=1e-6, eager_error=5e-7)
    failed = verdict is Verdict.FAILED
    return CompareRow(
        candidate=candidate,
        verdict=verdict,
        compiler=candidate.compiler,
        partitioner=candidate.partitioner_label or "min_cut",
        compile_forward_s=0.25,
        compile_backward_s=0.5,
        forward=None if failed else time(0.002),
        eager_forward=None if failed else time(0.004),
        peak_bytes=None if failed else 4096,
        saved_bytes=2048,
        check=Check(status=status, outputs=[error], max_error=1e-6, eager_error=5e-7),
        problem=problem,
    )


@pytest.fixture
def engine():
    return Engine()


@pytest.fixture
def control(captured, engine):
    captured.set_progress(Progress(RunState.IDLE))
    captured.set_compilers(COMPILERS)
    return TrialControl(captured, engine)


@pytest.fixture
def panel(captured, control, shown):
    return shown(ComparePanel(captured, control), 1100, 280)


@pytest.fixture
def culprits(captured, control, shown):
    return shown(CulpritPanel(captured, control), 700, 420)


def column(table, title):
    place = [column.title for column in table.model.columns].index(title)
    return [table.model.index(line, place).data() for line in range(table.model.rowCount())]


def tick(menu, *names):
    for action in menu.actions():
        if action.isCheckable():
            action.setChecked(action.text() in names)
    menu.triggered.emit(menu.actions()[0])


def begin(panel, engine, *names):
    tick(panel.compilers, *names)
    panel.compare_button.click()
    request = engine.sent[-1]
    assert isinstance(request, Compare)
    return request


def test_what_can_run_is_offered_and_what_cannot_says_why(panel):
    actions = {action.text(): action for action in panel.compilers.actions()}
    assert not actions["inductor"].isEnabled()
    assert actions["inductor"].toolTip() == "There is no C++ compiler."
    assert "memory_efficient_fusion" in actions
    assert [candidate.compiler for candidate in panel.candidates()] == ["nop", "ts_compile"]
    assert panel.compare_button.text() == "Compare 2"


def test_a_compiler_of_the_script_that_the_run_uses_is_offered_too(panel, captured):
    captured.set_settings(Settings(forward_compiler="mine", backward_compiler="nop"))
    assert [candidate.compiler for candidate in panel.candidates()] == ["nop", "ts_compile", "mine"]
    tick(panel.compilers, "mine")
    captured.set_settings(Settings(forward_compiler="mine"))
    assert [candidate.compiler for candidate in panel.candidates()] == ["mine"]
    captured.set_settings(Settings())
    assert "mine" not in [action.text() for action in panel.compilers.actions()]


def test_a_low_panel_keeps_its_controls_whole(panel):
    panel.setMinimumHeight(1)
    panel.resize(520, 110)  # the controls take two lines
    controls = panel.compare_button.parentWidget()
    assert controls.height() > 1.5 * panel.compare_button.height()
    assert all(controls.rect().contains(child.geometry()) for child in controls.children() if child.isWidgetType())


def test_every_ticked_compiler_is_asked_with_every_ticked_partitioner(panel, engine):
    tick(panel.partitioners, "min_cut@0.5", "default")
    request = begin(panel, engine, "nop", "memory_efficient_fusion")
    labels = [candidate.label for candidate in request.candidates]
    assert labels == ["nop, min_cut@0.5", "nop, default", "ts_compile, min_cut, default"]
    assert request.seconds == panel.seconds.value()


def test_rows_fill_as_they_are_measured(panel, control, engine):
    request = begin(panel, engine, "nop", "ts_compile")
    control.handle(CompareProgress(request=request.request, index=0, total=2, doing="tracing"))
    assert column(panel.table, "Verdict") == ["tracing", "waiting"]
    control.handle(CompareRowReady(request=request.request, index=0, row=row(request.candidates[0])))
    assert column(panel.table, "Verdict") == ["Match", "waiting"]
    assert column(panel.table, "Forward")[0] == "2 ms  0.50 x"
    assert column(panel.table, "Compile")[0] == "750 ms"
    assert panel.status.text().startswith("Measuring 2 of 2")
    control.handle(CompareRowReady(request=request.request, index=1, row=row(request.candidates[1])))
    control.handle(CompareEnded(request=request.request, status=RunStatus.DONE))
    assert not control.is_comparing
    assert panel.table.summary_text() == "2 of 2 measured"


def test_stopping_keeps_what_was_measured_and_drops_what_comes_late(panel, control, engine, captured, qtbot):
    request = begin(panel, engine, "nop", "ts_compile")
    control.handle(CompareRowReady(request=request.request, index=0, row=row(request.candidates[0])))
    with qtbot.waitSignal(control.notice) as said:
        panel.compare_button.click()
    assert said.args == [STOPPED]
    assert isinstance(engine.sent[-1], Stop)
    control.handle(CompareRowReady(request=request.request, index=1, row=row(request.candidates[1])))
    assert len(captured.trials.rows) == 1


def test_a_failed_row_stands_out_says_why_and_leads_to_the_culprit(panel, control, engine, qtbot):
    request = begin(panel, engine, "ts_compile")
    problem = Problem(severity=Severity.ERROR, stage="compile_forward", message="It cannot take aten.sin.")
    failed = row(request.candidates[0], Verdict.FAILED, problem)
    control.handle(CompareRowReady(request=request.request, index=0, row=failed))
    control.handle(CompareEnded(request=request.request, status=RunStatus.DONE))
    assert not panel.culprit_button.isEnabled()
    panel.table.view.selectRow(0)
    assert panel.status.text() == "It cannot take aten.sin."
    with qtbot.waitSignal(panel.culprit_wanted):
        panel.culprit_button.click()
    assert isinstance(engine.sent[-1], FindCulprit)
    assert engine.sent[-1].compiler == "ts_compile"


def test_a_row_can_be_used_and_the_table_be_saved(panel, control, engine, qtbot):
    request = begin(panel, engine, "nop")
    control.handle(CompareRowReady(request=request.request, index=0, row=row(request.candidates[0])))
    control.handle(CompareEnded(request=request.request, status=RunStatus.DONE))
    panel.table.view.selectRow(0)
    with qtbot.waitSignal(panel.settings_requested) as wanted:
        panel.use_button.click()
    assert wanted.args[0].forward_compiler == "nop"
    with qtbot.waitSignal(panel.save_requested) as saved:
        panel._save_csv()
    assert saved.args[3].splitlines()[1].startswith("nop,")


def test_a_candidate_becomes_settings_and_leaves_the_rest():
    before = Settings(forward_compiler="nop", backward_compiler="debug_nop", partitioner="default", seed=3)
    candidate = Candidate(compiler="ts_compile", partitioner="min_cut", memory_budget=0.5)
    after = settings_with(before, candidate)
    assert (after.forward_compiler, after.backward_compiler) == ("ts_compile", "")
    assert (after.partitioner, after.memory_budget, after.seed) == ("min_cut", 0.5, 3)
    assert settings_with(before, Candidate()) == before


def test_nothing_can_be_compared_without_an_engine_or_of_a_recording(panel, captured, control):
    captured.set_recording(RecordingOptions())
    assert control.compare_obstacle == RECORDED
    assert not panel.compare_button.isEnabled()
    captured.set_recording(None)
    captured.set_source("/m.aotcap", is_stored=True)
    captured.capture_changed.emit()
    assert panel.table.empty_text == NO_ENGINE


@pytest.fixture
def culprit(make_stats):
    stats = make_stats("relu")
    return Culprit(
        compiler="ts_compile",
        region=0,
        graph=GraphKind.FORWARD,
        node="relu",
        op="aten.relu.default",
        kind=CulpritKind.WRONG,
        message="ts_compile computes aten.relu.default (node relu) wrong.",
        alone=True,
        nodes=7,
        compilations=5,
        inputs=[NamedValue(name="addmm", stats=stats)],
        expected=stats,
        actual=stats,
        max_error=0.5,
        eager_error=1e-7,
        worst=[Element(index=(0, 3), expected=0.25, actual=0.75)],
        file="/home/ada/models/blocks.py",
        line=12,
    )


def test_a_search_tells_how_far_it_is_and_can_be_stopped(culprits, control, engine):
    assert culprits.is_empty
    culprits.find_button.click()
    request = engine.sent[-1]
    assert culprits.status.text() == "Compiling the whole graph…"
    control.handle(
        CulpritProgress(
            request=request.request, region=0, graph=GraphKind.FORWARD, compilations=2, first=1, last=3, nodes=7
        )
    )
    assert culprits.status.text() == "Searching the forward: 3 operators left of 7 after 2 compilations."
    culprits.find_button.click()
    assert isinstance(engine.sent[-1], Stop)
    assert culprits.status.text() == STOPPED
    assert not control.is_searching


def test_the_culprit_is_told_marked_and_linked(culprits, control, engine, captured, culprit, qtbot):
    culprits.find_button.click()
    control.handle(CulpritFound(request=engine.sent[-1].request, culprit=culprit, detail="Found."))
    graph = captured.graph(GraphKind.FORWARD)
    node = graph.index_of["relu"]
    assert captured.spotlight.spot.nodes == (node,)
    assert captured.selection.nodes == (node,)
    text = culprits.browser.page.text
    assert "ts_compile computes aten.relu.default (node relu) wrong." in text
    assert "[0, 3]: 0.25 expected, 0.75 compiled" in text
    with qtbot.waitSignal(culprits.source_requested) as place:
        for number, link in enumerate(culprits.browser.links):
            if link.text == "blocks.py:12":
                culprits.browser.anchorClicked.emit(QUrl(str(number)))
    assert place.args == ["/home/ada/models/blocks.py", 12]
    with qtbot.waitSignal(culprits.repro_requested):
        culprits.repro_button.click()


def test_another_run_takes_the_mark_of_the_culprit_away(culprits, control, engine, captured, culprit):
    culprits.find_button.click()
    control.handle(CulpritFound(request=engine.sent[-1].request, culprit=culprit, detail="Found."))
    control.pause()
    assert captured.spotlight.spot is None
    other = Spot(title="A path", graph=GraphKind.FORWARD, nodes=(1, 2))
    captured.spotlight.show(other)
    control.pause()
    assert captured.spotlight.spot == other


def test_no_culprit_is_said(culprits, control, engine):
    culprits.find_button.click()
    control.handle(CulpritFound(request=engine.sent[-1].request, detail="Every node is right."))
    assert culprits.is_empty
    assert culprits.status.text() == "Every node is right."
    assert not culprits.repro_button.isEnabled()


def test_an_engine_that_ends_gives_up_what_was_asked(culprits, control, captured):
    culprits.find_button.click()
    control.engine_is_gone()
    assert not control.is_searching
    assert "engine ended" in captured.trials.search.detail


def test_steps_of_a_compiler_are_read_and_linked(captured, made_capture, shown):
    from aotgui.gui.panels.compilation_view import CompilationView

    region = made_capture.regions[0]
    steps = [
        CompileStep(name="strip overloads", seconds=0.001, text="relu = torch.relu(addmm)\n", language="python"),
        CompileStep(name="freeze", seconds=0.002),
    ]
    made = [msgspec.structs.replace(region.compilations[0], steps=steps, warnings=["Deprecated."])]
    captured.update_result(
        msgspec.structs.replace(made_capture, regions=[msgspec.structs.replace(region, compilations=made)])
    )
    view = shown(CompilationView(captured))
    assert [view.steps.itemText(place) for place in range(3)] == [
        "Result",
        "Strip overloads  1 ms",
        "Freeze  2 ms  (no change)",
    ]
    assert view.note.text().endswith("1 warning: Deprecated.")
    view.steps.setCurrentIndex(1)
    view.select_line(1)
    graph = captured.graph(GraphKind.FORWARD)
    assert captured.selection.nodes == (graph.index_of["relu"],)
    assert list(view.code.view.marks) == [1]
    view.steps.setCurrentIndex(2)
    assert view.code.view.toPlainText() == steps[0].text
    assert "changed nothing" in view.note.text()
