"""Compilers and partitioners side by side on one target: are they right, how fast, how much memory."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
import torch
from torch.utils import _pytree as pytree

from aotgui.engine.bench import Bench, Benches
from aotgui.engine.calling import CallResult
from aotgui.engine.checking import compare, double_reference
from aotgui.engine.choices import compiler_name
from aotgui.engine.compiler import CompileFailed
from aotgui.engine.compilers import resolve
from aotgui.engine.eager import run_eager
from aotgui.engine.errors import Stopped, UserError, fault, one_line
from aotgui.engine.half import Compiled, Half
from aotgui.engine.memory_peak import PeakMeter
from aotgui.engine.timing import time_side_by_side, timing_of
from aotgui.model.capture import Check, CheckStatus, Problem
from aotgui.model.comparison import Candidate, CompareRow, Verdict
from aotgui.model.graph import GraphKind
from aotgui.model.presets import preset_of
from aotgui.model.settings import Settings
from aotgui.protocol.messages import Compare, CompareEnded, CompareProgress, CompareRowReady, Event, RunStatus

if TYPE_CHECKING:
    from aotgui.engine.pipeline import Pipeline

_VERDICTS = {CheckStatus.MATCH: Verdict.MATCH, CheckStatus.MISMATCH: Verdict.MISMATCH}


class Comparing:
    """One comparison."""

    def __init__(self, pipeline: Pipeline, request: Compare, emit: Callable[[Event], None]) -> None:
        self._pipeline = pipeline
        self._request = request
        self._emit = emit
        self._index = 0
        self._eager: CallResult | None = None
        self._eager_peak: int | None = None

    def run(self) -> None:
        """Measures every candidate; always ends with one ``CompareEnded``."""
        status, problem = RunStatus.DONE, None
        try:
            benches = Benches(self._pipeline)
            for index, candidate in enumerate(self._request.candidates):
                self._index = index
                row = self._row(benches, candidate)
                self._emit(CompareRowReady(request=self._request.request, index=index, row=row))
        except Stopped:
            status = RunStatus.STOPPED
        except UserError as error:
            status, problem = RunStatus.FAILED, error.problem
        except Exception as error:
            status, problem = RunStatus.FAILED, _failure(error)
        self._emit(CompareEnded(request=self._request.request, status=status, problem=problem))

    def _row(self, benches: Benches, candidate: Candidate) -> CompareRow:
        """What is measured of one candidate; one that fails is a row as well."""
        settings = settings_of(benches, candidate)
        row = _named(candidate, settings)
        try:
            bench = benches.bench(settings, lambda: self._tell("tracing"))
            row = _with_bytes(row, bench)
            compiled = bench.compile(lambda kind: self._compiler(settings, kind), self._tell_half)
            row = _with_seconds(row, bench, compiled)
            return self._measured(row, bench, compiled)
        except UserError as error:
            return msgspec.structs.replace(row, problem=error.problem)
        except CompileFailed as error:
            return msgspec.structs.replace(row, problem=fault("compare", error.message, details=error.details).problem)
        except Exception as error:
            return msgspec.structs.replace(row, problem=_failure(error))

    def _compiler(self, settings: Settings, kind: GraphKind) -> Any:
        return resolve(compiler_name(settings, kind), self._pipeline.namespace)

    def _measured(self, row: CompareRow, bench: Bench, compiled: dict[int, Compiled]) -> CompareRow:
        harness, seed = bench.harness, bench.seed
        self._tell("checking")
        eager = self._reference(bench)
        with bench.running(compiled) as function:
            check = self._check(bench, eager, harness.call(function, seed))
            row = msgspec.structs.replace(row, check=check, verdict=_VERDICTS[check.status])
            self._tell("timing")
            ours, theirs = time_side_by_side(
                harness,
                [function, harness.target.call],
                seed,
                self._request.seconds,
                on_gpu="cuda" in _devices(bench),
            )
            self._tell("measuring memory")
            peak = self._peak(bench, function)
        if self._eager_peak is None:
            self._eager_peak = self._peak(bench, harness.target.call)
        return msgspec.structs.replace(
            row,
            forward=timing_of(ours.forward),
            backward=timing_of(ours.backward),
            eager_forward=timing_of(theirs.forward),
            eager_backward=timing_of(theirs.backward),
            peak_bytes=peak,
            eager_peak_bytes=self._eager_peak,
        )

    def _reference(self, bench: Bench) -> CallResult:
        """What eager gives; of the run where it got so far."""
        kept = self._pipeline.kept
        assert kept is not None
        if bench.seed not in kept.eager:
            kept.eager[bench.seed] = run_eager(bench.harness, bench.seed)
        return kept.eager[bench.seed].result

    def _check(self, bench: Bench, eager: CallResult, result: CallResult) -> Check:
        kept = self._pipeline.kept
        assert kept is not None
        if bench.seed not in kept.reference:
            kept.reference[bench.seed] = double_reference(bench.harness, bench.seed)
        return compare(eager, result, *kept.reference[bench.seed])

    def _peak(self, bench: Bench, function: Callable[..., Any]) -> int | None:
        """Bytes of a forward together with its backward."""
        gc.collect()  # what is freed while it is measured would count
        meter = PeakMeter(_devices(bench))
        bench.harness.call_in_parts(function, bench.seed, meter.run)
        return meter.peak

    def _tell_half(self, half: Half) -> None:
        self._tell(f"compiling {half.kind}")

    def _tell(self, doing: str) -> None:
        total = len(self._request.candidates)
        self._emit(CompareProgress(request=self._request.request, index=self._index, total=total, doing=doing))


def settings_of(benches: Benches, candidate: Candidate) -> Settings:
    """The settings of the last run with the candidate's choices; a preset stands for several."""
    settings = benches.settings()
    if preset := preset_of(candidate.compiler):
        settings = preset.applied(settings)
    elif candidate.compiler or candidate.backward_compiler:
        settings = msgspec.structs.replace(
            settings,
            forward_compiler=candidate.compiler or settings.forward_compiler,
            backward_compiler=candidate.backward_compiler,
            inference_compiler="",
        )
    chosen = {
        "partitioner": candidate.partitioner,
        "memory_budget": candidate.memory_budget,
        "decompositions": candidate.decompositions,
    }
    return msgspec.structs.replace(
        settings, **{name: value for name, value in chosen.items() if value not in (None, "")}
    )


def _named(candidate: Candidate, settings: Settings) -> CompareRow:
    """A row of a candidate that has not been measured."""
    budget = "" if settings.memory_budget == 1.0 else f"@{settings.memory_budget:g}"
    return CompareRow(
        candidate=candidate,
        verdict=Verdict.FAILED,
        compiler=candidate.compiler or settings.forward_compiler,
        backward_compiler=compiler_name(settings, GraphKind.BACKWARD),
        partitioner=f"{settings.partitioner}{budget}",
        decompositions=settings.decompositions,
    )


def _with_bytes(row: CompareRow, bench: Bench) -> CompareRow:
    saved = [value for region in bench.trace.regions for value in region.saved]
    return msgspec.structs.replace(
        row,
        saved_bytes=sum(value.storage_bytes for value in saved),
        saved_activation_bytes=sum(value.storage_bytes for value in saved if value.role == "activation"),
    )


def _with_seconds(row: CompareRow, bench: Bench, compiled: dict[int, Compiled]) -> CompareRow:
    forward = [compiled[id(half)].seconds for half in bench.halves if half.kind is not GraphKind.BACKWARD]
    backward = [compiled[id(half)].seconds for half in bench.halves if half.kind is GraphKind.BACKWARD]
    return msgspec.structs.replace(
        row, compile_forward_s=sum(forward), compile_backward_s=sum(backward) if backward else None
    )


def _devices(bench: Bench) -> set[str]:
    target = bench.harness.target
    leaves = [*pytree.tree_leaves((target.args, target.kwargs)), *bench.harness.state.values()]
    return {leaf.device.type for leaf in leaves if isinstance(leaf, torch.Tensor)}


def _failure(error: Exception) -> Problem:
    return fault("compare", f"It fails when it runs: {one_line(error)}", error=error).problem
