"""One run: load, eager reference, trace, partition, compile both halves, run, check.

A ``Pipeline`` belongs to one engine process and so to one loaded source. It keeps what a later run can use: the
loaded target, the eager reference for a seed, and the traces. A run whose settings differ in compilers only
compiles the kept halves again.

A failing stage ends the run, but what earlier stages gave is kept and shown. A half that cannot be compiled runs
uncompiled, so that the rest of the graphs is still captured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import torch

from aotgui.engine.calling import CallResult, Harness
from aotgui.engine.checking import compare, double_reference
from aotgui.engine.compilers import CompileFailed, resolve
from aotgui.engine.cursor import failing_node
from aotgui.engine.errors import Stopped, UserError, fault, one_line
from aotgui.engine.explain import causes, deepest, explain
from aotgui.engine.findings import Evidence, findings_of
from aotgui.engine.half import Half
from aotgui.engine.observing import Use, changed, plain_state, watching
from aotgui.engine.provenance import user_frames_of
from aotgui.engine.stages import StageClock
from aotgui.engine.targets import Target, fingerprint, load_target
from aotgui.engine.tracing import RegionTrace, Trace, routes_of
from aotgui.model.capture import (
    Capture,
    Check,
    Compilation,
    Finding,
    Problem,
    Region,
    Severity,
    Stage,
)
from aotgui.model.graph import GraphKind, user_frame
from aotgui.model.settings import EntryPoint, Route, Settings
from aotgui.protocol.messages import CaptureReady, Event, Run, RunEnded, RunStatus

_COMPILE_STAGES = {
    GraphKind.FORWARD: Stage.COMPILE_FORWARD,
    GraphKind.INFERENCE: Stage.COMPILE_FORWARD,
    GraphKind.BACKWARD: Stage.COMPILE_BACKWARD,
}


@dataclass(frozen=True)
class Eager:
    """The eager reference.

    Attributes:
        result: what it gave.
        uses: autograd features that it used.
        effects: names of the Python values that it changed.
    """

    result: CallResult
    uses: tuple[Use, ...]
    effects: tuple[str, ...]


@dataclass
class _Kept:
    """What one run leaves for the next.

    Attributes:
        source: what was loaded.
        name: the target asked for.
        inputs: the input specification asked for.
        fingerprint: of the file when it was loaded.
        harness: the loaded target.
        eager: what eager gave, by seed.
        reference: what float64 gave, by seed.
        trace: the last trace that captured, with its settings.
    """

    source: str
    name: str
    inputs: str
    fingerprint: str
    harness: Harness
    eager: dict[int, Eager] = field(default_factory=dict)
    reference: dict[int, tuple[CallResult | None, str]] = field(default_factory=dict)
    trace: Trace | None = None


class Pipeline:
    """Runs targets, and holds the halves of the last run for stepping and export."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._kept: _Kept | None = None

    @property
    def trace(self) -> Trace | None:
        """The trace of the last run that captured."""
        return self._kept.trace if self._kept else None

    @property
    def settings(self) -> Settings:
        """The settings of the last run that captured."""
        return self._kept.trace.settings if self._kept and self._kept.trace else Settings()

    @property
    def namespace(self) -> dict[str, Any]:
        """The names of the loaded source."""
        return dict(self._kept.harness.target.namespace) if self._kept else {}

    def run(self, request: Run) -> None:
        """Runs the pipeline; always ends with one ``RunEnded``."""
        attempt = _Attempt(self, request, self._emit)
        try:
            attempt.run()
        except Stopped as error:
            attempt.stop(error)
        except UserError as error:
            attempt.fail(error.problem)
        except SystemExit as error:
            stage = attempt.clock.current or Stage.RUN
            attempt.fail(fault(stage, f"The target called sys.exit({error.code!r}).", error=error).problem)
        except Exception as error:
            attempt.fail(fault(attempt.clock.current or Stage.RUN, explain(error), error=deepest(error)).problem)

    def loaded(self, request: Run) -> _Kept:
        """The harness for a request: the kept one while source and file are the same."""
        mark = fingerprint(request.source)
        kept = self._kept
        wanted = (request.source, request.target, request.inputs, mark)
        if kept is None or (kept.source, kept.name, kept.inputs, kept.fingerprint) != wanted:
            target = load_target(request.source, request.target)
            kept = self._kept = _Kept(*wanted, Harness(_on_device(target, request.settings.device)))
        return kept


class _Attempt:
    """One run under way."""

    def __init__(self, pipeline: Pipeline, request: Run, emit: Callable[[Event], None]) -> None:
        self.clock = StageClock(request.run, emit)
        self._pipeline = pipeline
        self._request = request
        self._settings = request.settings
        self._emit = emit
        self._kept: _Kept | None = None
        self._trace: Trace | None = None
        self._problems: list[Problem] = []
        self._findings: list[Finding] = []
        self._check = Check()
        self._announced = False
        self._recording = False
        self._compile_failed = False

    def run(self) -> None:
        """The stages in their order."""
        with self.clock.running(Stage.LOAD):
            self._kept = self._pipeline.loaded(self._request)
        harness = self._kept.harness
        harness.restore()
        self._settings = resolved_settings(self._request.settings, harness.target)
        eager = self._eager(self._kept)
        self._capture(self._kept)
        if self._compile_failed:
            self.end(RunStatus.FAILED)
            return
        compiled, effects = self._run_clean(harness)
        self._check_against(eager.result, compiled)
        self._find(eager, compiled, effects)
        self.end(RunStatus.DONE)

    def _eager(self, kept: _Kept) -> Eager:
        seed = self._settings.seed
        if seed not in kept.eager:
            with self.clock.running(Stage.EAGER):
                kept.eager[seed] = _eager_result(kept.harness, seed)
        return kept.eager[seed]

    def _capture(self, kept: _Kept) -> None:
        """Trace by the first route that works, or compile the kept halves again."""
        before = kept.trace
        if before is not None and not self._settings.needs_new_trace(before.settings):
            self._recompile(kept.harness, before)
            return
        failures: list[Problem] = []
        for route in routes_of(self._settings):
            try:
                self._trace_by(route, kept.harness)
            except Exception as error:
                failures.append(self._trace_failure(error))
                self.clock.reset()
                if isinstance(error, UserError) and error.problem.stage != Stage.RUN:
                    break
            else:
                kept.trace = self._trace
                self._problems += [_as_hint(failure, route) for failure in failures[:1]]
                return
        self._problems += failures[:-1]
        raise UserError(failures[-1])

    def _trace_by(self, route: Route, harness: Harness) -> None:
        self.clock.begin(Stage.TRACE)
        self._announced = False
        self._trace = Trace(harness, self._settings, route, self.clock, self._call_half)
        harness.call(self._trace.function, self._settings.seed)
        self._announce()
        if not self._trace.regions:
            raise fault(Stage.TRACE, "Nothing was captured: the target runs no operator on tensors.")
        self.clock.reset()

    def _trace_failure(self, error: Exception) -> Problem:
        for cause in causes(error):
            if isinstance(cause, UserError):
                return cause.problem
        return fault(self.clock.current or Stage.TRACE, explain(error), error=deepest(error)).problem

    def _recompile(self, harness: Harness, trace: Trace) -> None:
        changed = {kind for kind in GraphKind if self._compiler_of(kind) != compiler_name(trace.settings, kind)}
        self._trace = trace
        trace.settings, trace.clock, trace.call_half = self._settings, self.clock, self._call_half
        for region in trace.regions:
            for kind, half in region.halves.items():
                if kind in changed:
                    half.compiled = None
        self._announce()
        for region in trace.regions:
            self._compile(region)

    def _compiler_of(self, kind: GraphKind) -> str:
        return compiler_name(self._settings, kind)

    def _call_half(self, region: RegionTrace, half: Half, args: list[Any]) -> Sequence[Any]:
        """What a slot does: compile the region once, then run the half."""
        if half.compiled is None:
            if self._trace is not None and self._trace.route is not Route.COMPILE:
                self._announce()
            self._compile(region)
        if self._recording:
            half.record(args)
        assert half.compiled is not None
        kept = list(args)
        try:
            return half.compiled.call(args)
        except Exception as error:
            raise self._run_failure(half, kept, error) from error

    def _run_failure(self, half: Half, args: list[Any], error: Exception) -> UserError:
        """Where a half fails when run: at a node of the graph itself, or only as compiled."""
        located = failing_node(half, args)
        compiler = self._compiler_of(half.kind)
        if located is None:
            message = f"The {half.kind} graph fails when run as compiled by {compiler}: {one_line(error)}"
            return fault(Stage.RUN, message, error=error, graph=half.kind)
        message = f"The {half.kind} graph fails when it runs: {located.message}"
        return UserError(msgspec.structs.replace(located, stage=Stage.RUN, message=message))

    def _compile(self, region: RegionTrace) -> None:
        if self.clock.current is Stage.TRACE and self._trace is not None:
            inference = region.graphs.get(GraphKind.INFERENCE)
            self.clock.end(inference.node_count if inference else 0)
        for kind, half in region.halves.items():
            if half.compiled is None:
                self._compile_half(kind, half)

    def _compile_half(self, kind: GraphKind, half: Half) -> None:
        self.clock.begin(_COMPILE_STAGES[kind])
        name = self._compiler_of(kind)
        try:
            half.compiled = resolve(name, self._pipeline.namespace).compile_half(half)
        except CompileFailed as failure:
            self._compile_failed = True
            self._problems.append(_compile_problem(failure, half))
            half.compiled = resolve("nop").compile_half(half)
        self.clock.end(half.graph.node_count)

    def _run_clean(self, harness: Harness) -> tuple[CallResult, tuple[str, ...]]:
        """Runs what was compiled, with nothing left to trace, and records what the halves were called with.

        Returns:
            What came out, and the names of the Python values that changed meanwhile.
        """
        assert self._trace is not None
        self._recording = True
        before = plain_state(harness.target, harness.modules)
        with self.clock.running(Stage.RUN):
            result = harness.call(self._trace.function, self._settings.seed)
        self._recording = False
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
        self._findings = findings_of(
            Evidence(
                harness=self._kept.harness,
                trace=self._trace,
                eager=eager.result,
                compiled=compiled,
                check=self._check,
                uses=eager.uses,
                eager_effects=eager.effects,
                compiled_effects=effects,
            )
        )

    def _announce(self) -> None:
        """Send the graphs, once."""
        if not self._announced and self._trace is not None and self._trace.regions:
            self._announced = True
            self._emit(CaptureReady(run=self._request.run, capture=self._capture_so_far()))

    def _capture_so_far(self) -> Capture:
        assert self._trace is not None
        assert self._kept is not None
        target = self._kept.harness.target
        aliases = {entry.label: entry.aliases for entry in self._kept.harness.flat_inputs()}
        regions = [
            Region(name=region.name, graphs=region.graphs, saved=region.saved, inputs=region.inputs(aliases))
            for region in self._trace.regions
        ]
        return Capture(
            source=self._request.source,
            target=target.name,
            torch=str(torch.__version__),
            settings=self._settings,
            route=self._trace.route,
            regions=regions,
            problems=self._problems,
            stages=self.clock.times,
            sources=source_texts(regions),
        )

    def fail(self, problem: Problem) -> None:
        """Ends the run with a problem; what was captured is still sent."""
        self._problems.append(problem)
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
                compilations=self._compilations(),
                target=self._kept.harness.target.name if self._kept else self._request.target,
                settings=self._settings,
                findings=self._findings,
            )
        )

    def _compilations(self) -> list[list[Compilation]]:
        if self._trace is None:
            return []
        seconds = {time.stage: time.seconds for time in self.clock.times}
        return [
            [
                Compilation(
                    compiler=self._compiler_of(kind),
                    graph=kind,
                    seconds=seconds.get(_COMPILE_STAGES[kind], 0.0),
                    artifact=half.compiled.artifact,
                    language=half.compiled.language,
                    exportable=half.compiled.script is not None,
                )
                for kind, half in region.halves.items()
                if half.compiled is not None
            ]
            for region in self._trace.regions
        ]


def _eager_result(harness: Harness, seed: int) -> Eager:
    before = plain_state(harness.target, harness.modules)
    uses: dict[Use, None] = {}

    def observed(*args: Any, **kwargs: Any) -> Any:
        with watching(uses):
            return harness.target.call(*args, **kwargs)

    try:
        result = harness.call(observed, seed)
    except Exception as error:
        message = f"{harness.target.name} fails in eager with its example inputs: {explain(error)}"
        raise fault(Stage.EAGER, message, error=error) from None
    return Eager(result, tuple(uses), tuple(changed(before, plain_state(harness.target, harness.modules))))


def compiler_name(settings: Settings, kind: GraphKind) -> str:
    """Which compiler the settings choose for a kind of graph."""
    if kind is GraphKind.BACKWARD:
        return settings.backward_compiler or settings.forward_compiler
    if kind is GraphKind.INFERENCE:
        return settings.inference_compiler or settings.forward_compiler
    return settings.forward_compiler


def resolved_settings(settings: Settings, target: Target) -> Settings:
    """The settings with ``auto`` resolved and the preset of ``memory_efficient_fusion`` applied."""
    entry = settings.entry_point
    if entry is EntryPoint.AUTO:
        entry = EntryPoint.AOT_MODULE if target.module is not None else EntryPoint.AOT_FUNCTION
    if entry is EntryPoint.AOT_MODULE and target.module is None:
        entry = EntryPoint.AOT_FUNCTION
    settings = msgspec.structs.replace(settings, entry_point=entry)
    if entry is EntryPoint.MEMORY_EFFICIENT_FUSION:
        compiler = (
            "ts_compile" if settings.forward_compiler == Settings().forward_compiler else settings.forward_compiler
        )
        return msgspec.structs.replace(
            settings, partitioner="min_cut", decompositions="default", forward_compiler=compiler
        )
    return settings


def _on_device(target: Target, device: str) -> Target:
    """The target moved to a device; the module itself is moved, as users do."""
    if device == "cpu":
        return target
    if target.module is not None:
        target.module.to(device)
    args, kwargs = torch.utils._pytree.tree_map(
        lambda leaf: leaf.to(device) if isinstance(leaf, torch.Tensor) else leaf, (target.args, target.kwargs)
    )
    return Target(target.source, target.name, target.call, args, kwargs, target.namespace)


def _as_hint(failure: Problem, route: Route) -> Problem:
    """The failure of the first route as a remark on the one that worked."""
    how = {Route.DYNAMIC: "dynamic shapes", Route.COMPILE: "torch.compile"}.get(route, str(route))
    message = f"Captured with {how} because direct tracing failed: {failure.message}"
    return msgspec.structs.replace(failure, severity=Severity.WARNING, message=message)


def _compile_problem(failure: CompileFailed, half: Half) -> Problem:
    index = half.graph.index_of.get(failure.node)
    frame = half.graph.source(index) if index is not None else None
    return Problem(
        severity=Severity.ERROR,
        stage=_COMPILE_STAGES[half.kind],
        message=failure.message,
        file=failure.file or (frame.file if frame else ""),
        line=failure.line or (frame.line if frame else 0),
        node=failure.node,
        graph=half.kind,
        details=failure.details,
    )


def source_texts(regions: Sequence[Region]) -> dict[str, str]:
    """The text of every file that a node's provenance names and that can be read."""
    files = {frame.file for region in regions for graph in region.graphs.values() for frame in graph.frame_table}
    texts = {}
    for file in sorted(files):
        try:
            texts[file] = Path(file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
    return texts
