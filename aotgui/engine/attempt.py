"""One run under way: the stages in their order, and what is said at the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING

import msgspec
import torch

from aotgui.engine.assembly import compilations_of, regions_of, source_texts
from aotgui.engine.calling import CallResult, Harness
from aotgui.engine.checking import compare, double_reference
from aotgui.engine.choices import compiler_name, resolved_settings
from aotgui.engine.decision_problems import decision_problems
from aotgui.engine.diagnosis import with_lines
from aotgui.engine.eager import Eager, repeated_effects, run_eager
from aotgui.engine.errors import Stopped, UserError, fault
from aotgui.engine.execution import CompiledCodeError, Execution
from aotgui.engine.explain import causes, deepest, explain
from aotgui.engine.findings import Evidence, findings_of, sorted_findings
from aotgui.engine.graph_breaks import GraphBreaks
from aotgui.engine.later_calls import LaterCalls
from aotgui.engine.observing import changed, plain_state
from aotgui.engine.provenance import user_frames_of
from aotgui.engine.routes import DIRECT, NONE_SAVED, Way, ways_after, ways_of
from aotgui.engine.stages import StageClock
from aotgui.engine.tracing import Trace
from aotgui.model.capture import Capture, Check, Finding, Problem, Severity, Stage
from aotgui.model.graph import GraphKind, user_frame
from aotgui.model.settings import PARTITIONERS, Route, Settings
from aotgui.protocol.messages import CaptureReady, Event, Run, RunEnded, RunStatus

if TYPE_CHECKING:
    from aotgui.engine.pipeline import Kept, Pipeline


class Attempt:
    """One run; ``run`` raises what ends it early, then ``fail`` or ``stop`` is called."""

    def __init__(self, pipeline: Pipeline, request: Run, emit: Callable[[Event], None]) -> None:
        self.clock = StageClock(request.run, emit)
        self._pipeline = pipeline
        self._request = request
        self._settings = request.settings
        self._emit = emit
        self._kept: Kept | None = None
        self._trace: Trace | None = None
        self._execution: Execution | None = None
        self._problems: list[Problem] = []
        self._findings: list[Finding] = []
        self._check = Check()
        self._announced = 0

    def run(self) -> None:
        """The stages in their order."""
        with self.clock.running(Stage.LOAD):
            kept = self._kept = self._pipeline.loaded(self._request)
        kept.harness.restore()
        self._settings = resolved_settings(self._request.settings, kept.harness.target)
        self._execution = Execution(
            self._settings, kept.harness.target.namespace, self.clock, self._announce_before_compiling
        )
        try:
            eager = self._eager(kept)
            self._capture(kept)
        except UserError as error:
            located = with_lines(error, kept.harness, self._settings.seed)
            raise self._with_forward_only(located, kept) from None
        if self._execution.problems:
            self._problems += self._execution.problems
            self.end(RunStatus.FAILED)
            return
        compiled, effects = self._run_clean(kept.harness)
        self._check_against(eager.result, compiled)
        self._find(eager, compiled, effects)
        self.end(RunStatus.DONE)

    def trace(self, kept: Kept) -> Trace:
        """Only captures, by the first way that works; the trace is kept in ``kept``.

        Raises:
            UserError: no way works.
        """
        self._kept = kept
        self._settings = resolved_settings(self._request.settings, kept.harness.target)
        self._execution = Execution(self._settings, kept.harness.target.namespace, self.clock, lambda: None)
        self._capture(kept)
        assert kept.trace is not None
        return kept.trace

    def _eager(self, kept: Kept) -> Eager:
        seed = self._settings.seed
        if seed not in kept.eager:
            with self.clock.running(Stage.EAGER):
                kept.eager[seed] = run_eager(kept.harness, seed)
        return kept.eager[seed]

    def _capture(self, kept: Kept) -> None:
        """Trace by the first way that works, or compile the kept halves again."""
        if kept.trace is not None and not self._settings.needs_new_trace(kept.trace.settings):
            self._recompile(kept.trace)
            return
        failures: list[Problem] = []
        ways = ways_of(self._settings)
        while ways:
            way, *ways = ways
            try:
                kept.trace = self._trace_by(way, kept.harness)
            except Exception as error:
                failures.append(self._trace_failure(error))
                self.clock.reset()
                if _is_final(failures[-1], error, self._settings):
                    break
                ways = ways_after(failures[-1], way, ways, self._settings)
            else:
                self._problems[:0] = [_as_hint(failure, way) for failure in failures[:1]]
                return
        known = {failures[0].message}
        self._problems += [failure for failure in failures[1:] if failure.message not in known]
        raise UserError(failures[0])

    def _trace_by(self, way: Way, harness: Harness) -> Trace:
        self.clock.begin(Stage.TRACE)
        self._announced = 0
        breaks = GraphBreaks()
        with way.context(), breaks.counted() if way.route is Route.COMPILE else nullcontext():
            trace = self._trace = self._new_trace(harness, way.route)
            harness.call(trace.function, self._settings.seed)
        if not trace.regions:
            raise fault(Stage.TRACE, _NOTHING_COMPILED if way.route is Route.COMPILE else _NOTHING_TRACED)
        self._problems += [*breaks.problems(), *decision_problems(trace.regions, self._settings.decisions)]
        self._announce()
        self.clock.reset()
        return trace

    def _new_trace(self, harness: Harness, route: Route) -> Trace:
        assert self._execution is not None
        return Trace(harness, self._settings, route, self.clock, self._execution.call_half)

    def _trace_failure(self, error: Exception) -> Problem:
        for cause in causes(error):
            if isinstance(cause, UserError):
                return cause.problem
        message = " ".join([explain(error), *self._circumstances(error)])
        if self.clock.current is Stage.PARTITION and _is_own_partitioner(self._settings):
            message = f"The partitioner {self._settings.partitioner} fails: {message}"
        return fault(self.clock.current or Stage.TRACE, message, error=deepest(error)).problem

    def _circumstances(self, error: Exception) -> list[str]:
        """What about this target makes torch fail, where it can be told."""
        text = str(error)
        if "ViewMeta" in text and self._kept is not None:
            return self._kept.harness.shared_inputs()
        if NONE_SAVED in text and self._trace is not None:
            name = _module_that_saves_none(self._trace, text)
            return [f"It is {name}."] if name else []
        return []

    def _recompile(self, trace: Trace) -> None:
        assert self._execution is not None
        changed_kinds = {
            kind for kind in GraphKind if compiler_name(self._settings, kind) != compiler_name(trace.settings, kind)
        }
        self._trace = trace
        trace.settings, trace.clock, trace.call_half = self._settings, self.clock, self._execution.call_half
        trace.later.clear()
        for region in trace.regions:
            for kind, half in region.halves.items():
                if kind in changed_kinds:
                    half.compiled = None
        self._problems += decision_problems(trace.regions, self._settings.decisions)
        self._announce()
        for region in trace.regions:
            self._execution.compile(region)

    def _with_forward_only(self, error: UserError, kept: Kept) -> UserError:
        """Captures at least the forward where nothing else was captured, and blames its node where one fits."""
        self.clock.reset()
        if self._announced or (self._trace is not None and any(region.graphs for region in self._trace.regions)):
            return error
        try:
            self.clock.begin(Stage.TRACE)
            self._trace = self._new_trace(kept.harness, DIRECT.route)
            kept.harness.call_forward(self._trace.function, self._settings.seed)
        except Exception:
            self._trace = None
            return error
        finally:
            self.clock.reset()
        return UserError(_blame_operator(error.problem, self._trace))

    def _run_clean(self, harness: Harness) -> tuple[CallResult, tuple[str, ...]]:
        """Runs what was compiled, with nothing left to trace, and records what the halves were called with.

        Returns:
            What came out, and the names of the Python values that changed meanwhile.
        """
        assert self._trace is not None
        assert self._execution is not None
        before = plain_state(harness.target, harness.modules)
        self._execution.recording = True
        with self.clock.running(Stage.RUN):
            result = harness.call(self._trace.function, self._settings.seed)
        self._execution.recording = False
        return result, tuple(changed(before, plain_state(harness.target, harness.modules)))

    def _check_against(self, eager: CallResult, compiled: CallResult) -> None:
        assert self._kept is not None
        seed, references = self._settings.seed, self._kept.reference
        with self.clock.running(Stage.CHECK):
            if seed not in references:
                references[seed] = double_reference(self._kept.harness, seed)
            self._check = compare(eager, compiled, *references[seed])

    def _find(self, eager: Eager, compiled: CallResult, effects: tuple[str, ...]) -> None:
        assert self._trace is not None
        assert self._kept is not None
        lost = set(eager.effects) - set(effects)
        evidence = Evidence(
            harness=self._kept.harness,
            regions=self._trace.regions,
            is_direct=self._trace.route is not Route.COMPILE,
            entry_point=str(self._settings.entry_point),
            eager=eager.result,
            compiled=compiled,
            check=self._check,
            uses=eager.uses,
            lost_effects=repeated_effects(self._kept.harness, self._settings.seed) & lost if lost else frozenset(),
        )
        later = self._later_calls(self._trace, self._kept.harness)
        self._findings = sorted_findings([*findings_of(evidence), *later])
        self._announce()  # later calls may have brought further regions

    def _later_calls(self, trace: Trace, harness: Harness) -> list[Finding]:
        assert self._execution is not None
        self._execution.recording = True
        calls = LaterCalls(
            harness, trace, self._settings.seed, lambda later: self._new_trace(later, Route(trace.route))
        )
        found = list(calls.find())
        self._execution.recording = False
        return found

    def _announce_before_compiling(self) -> None:
        # With torch.compile further regions may follow; they are sent together.
        if self._trace is not None and self._trace.route is not Route.COMPILE:
            self._announce()

    def _announce(self) -> None:
        """Send the graphs, once for each number of regions."""
        if self._trace is not None and len(self._trace.all_regions) > self._announced:
            self._announced = len(self._trace.all_regions)
            self._emit(CaptureReady(run=self._request.run, capture=self._capture_so_far(self._trace)))

    def _capture_so_far(self, trace: Trace) -> Capture:
        assert self._kept is not None
        regions = regions_of(trace, self._kept.harness)
        return Capture(
            source=self._request.source,
            target=self._kept.harness.target.name,
            torch=str(torch.__version__),
            settings=self._settings,
            route=trace.route,
            regions=regions,
            problems=self._problems,
            stages=self.clock.times,
            sources=source_texts(regions, self._kept.harness.target.file),
        )

    def fail(self, problem: Problem) -> None:
        """Ends the run with a problem; what was captured is still sent."""
        self._problems.insert(0, problem)
        self._announce()
        self.end(RunStatus.FAILED)

    def stop(self, error: Stopped) -> None:
        """Ends the run because the person wanted it; names the line of the script that was at work."""
        stage = self.clock.current
        if stage and (frame := user_frame(user_frames_of(error))):
            message = f"Stopped while {stage.label[0].lower()}{stage.label[1:]}."
            self._problems.append(
                Problem(severity=Severity.INFO, stage=stage, message=message, file=frame.file, line=frame.line)
            )
        self.end(RunStatus.STOPPED)

    def end(self, status: RunStatus) -> None:
        """Says that the run is over."""
        self.clock.reset()
        self._emit(
            RunEnded(
                run=self._request.run,
                status=status,
                check=self._check,
                problems=self._problems,
                stages=self.clock.times,
                compilations=compilations_of(self._trace) if self._trace else [],
                target=self._kept.harness.target.name if self._kept else self._request.target,
                settings=self._settings,
                findings=self._findings,
            )
        )
        if self._execution is not None:
            self._execution.forget_refused()


_NOTHING_TRACED = "Nothing was captured: the target runs no operator on tensors."
_NOTHING_COMPILED = (
    "torch.compile captured no graph: it left the whole target to eager (a graph break, or code that it skips such "
    "as TorchScript). Capture it with aot_module or aot_function."
)


def _is_final(failure: Problem, error: Exception, settings: Settings) -> bool:
    """Whether no other way of tracing can help."""
    if failure.stage == Stage.PARTITION and _is_own_partitioner(settings):
        return True
    if any(isinstance(cause, CompiledCodeError) for cause in causes(error)):
        return True
    return isinstance(error, UserError) and failure.stage != Stage.RUN


def _is_own_partitioner(settings: Settings) -> bool:
    return settings.partitioner not in PARTITIONERS


def _as_hint(failure: Problem, way: Way) -> Problem:
    """The failure of the first way as a remark on the one that worked."""
    message = f"Captured with {way.words}, because the direct way failed: {failure.message}"
    return msgspec.structs.replace(failure, severity=Severity.WARNING, message=message)


def _module_that_saves_none(trace: Trace, text: str) -> str:
    """``LSTM 'rnn'`` from the types of the saved values that the assertion lists; empty where none fits."""
    kinds = re.findall(r"<class '([\w.]+)'>", text)
    if "NoneType" not in kinds or not trace.regions:
        return ""
    region = trace.regions[-1]
    tensors = [value for value in region.saved if value.tensor.is_tensor]
    position, forward = kinds.index("NoneType"), region.graphs.get(GraphKind.FORWARD)
    if forward is None or position >= len(tensors) or not (path := tensors[position].module):
        return ""
    return f"{forward.module_types.get(path, 'module')} {path!r}"


def _blame_operator(problem: Problem, trace: Trace) -> Problem:
    """The problem with the node and line of the operator that its text names, where it has no line yet."""
    if problem.line:
        return problem
    text = f"{problem.message} {problem.details}"
    for region in trace.regions:
        for graph in region.graphs.values():
            for index in range(len(graph)):
                target = graph.target(index)
                if target in text and "." in target and (frame := graph.source(index)):
                    return msgspec.structs.replace(
                        problem, node=graph.names[index], graph=graph.kind, file=frame.file, line=frame.line
                    )
    return problem
