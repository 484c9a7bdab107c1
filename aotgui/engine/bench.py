"""A captured target on which compilers are tried, without touching what the last run left.

The slots of a trace hand each call of a half to whoever is at work (see ``tracing``). A bench puts itself there for
the time of a call, so that the halves run as another compiler made them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from aotgui.engine.attempt import Attempt
from aotgui.engine.calling import Harness
from aotgui.engine.compiler import CompileFailed, Compiler
from aotgui.engine.compilers import resolve
from aotgui.engine.errors import UserError, fault
from aotgui.engine.execution import compile_problem
from aotgui.engine.half import Compiled, Half
from aotgui.engine.tracing import RegionTrace, Trace
from aotgui.model.graph import GraphKind
from aotgui.model.settings import EntryPoint, Settings
from aotgui.protocol.messages import Event, Run

if TYPE_CHECKING:
    from aotgui.engine.pipeline import Pipeline


class Bench:
    """A traced target.

    Attributes:
        harness: calls it.
        trace: its regions.
        seed: of the run.
    """

    def __init__(self, harness: Harness, trace: Trace, seed: int) -> None:
        self.harness = harness
        self.trace = trace
        self.seed = seed

    @property
    def halves(self) -> list[Half]:
        """Every half of every region that one call of the target runs."""
        return [half for region in self.trace.regions for half in region.halves.values()]

    def compile(
        self, compiler_of: Callable[[GraphKind], Compiler], tell: Callable[[Half], None]
    ) -> dict[int, Compiled]:
        """Compiles every half.

        Args:
            compiler_of: the compiler for a kind of graph.
            tell: told of each half before it is compiled.

        Returns:
            What came out, by the ``id`` of the half.

        Raises:
            UserError: a compiler refuses a half.
        """
        compiled = {}
        for half in self.halves:
            tell(half)
            try:
                compiled[id(half)] = compiler_of(half.kind).compile_half(half)
            except CompileFailed as failure:
                raise UserError(compile_problem(failure, half)) from failure
        return compiled

    @contextmanager
    def running(self, compiled: Mapping[int, Compiled]) -> Iterator[Callable[..., Any]]:
        """The target as a function that runs the halves as compiled; by PyTorch where they are not."""

        def call_half(region: RegionTrace, half: Half, args: list[Any]) -> Sequence[Any]:
            made = compiled.get(id(half))
            return (made or resolve("nop").compile_half(half)).call(args)

        with self._at_work(call_half):
            yield self.trace.function

    def record(self) -> None:
        """Makes sure that every half knows the arguments of a call; runs the graphs as they are where one does not."""
        if all(half.recorded is not None for half in self.halves):
            return

        def call_half(region: RegionTrace, half: Half, args: list[Any]) -> Sequence[Any]:
            half.record(args)
            return resolve("nop").compile_half(half).call(args)

        with self._at_work(call_half):
            self.harness.call(self.trace.function, self.seed)

    @contextmanager
    def _at_work(self, call_half: Callable[[RegionTrace, Half, list[Any]], Sequence[Any]]) -> Iterator[None]:
        before, self.trace.call_half = self.trace.call_half, call_half
        try:
            yield
        finally:
            self.trace.call_half = before


def bench_of(pipeline: Pipeline) -> Bench:
    """The target of the last run.

    Raises:
        UserError: nothing was captured, or a script that was recorded, which cannot be called again.
    """
    kept = pipeline.kept
    if kept is None or kept.trace is None:
        raise fault("compare", _NOTHING)
    return Bench(kept.harness, kept.trace, kept.trace.settings.seed)


_NOTHING = (
    "There is nothing to run compilers on: capture a function or module first. "
    "A script that was recorded cannot be called again; open the module or function in it."
)


class Benches:
    """The target of the last run under other settings, each traced once."""

    def __init__(self, pipeline: Pipeline) -> None:
        """Prepares.

        Raises:
            UserError: see ``bench_of``.
        """
        self.first = bench_of(pipeline)
        self._pipeline = pipeline
        self._benches = [self.first]

    def settings(self, **chosen: Any) -> Settings:
        """The settings of the last run with some changed; None and empty texts change nothing."""
        changed = {name: value for name, value in chosen.items() if value not in (None, "")}
        settings = self.first.trace.settings
        if settings.entry_point is EntryPoint.MEMORY_EFFICIENT_FUSION:  # it would override what was chosen
            changed["entry_point"] = EntryPoint.AUTO
        return msgspec.structs.replace(settings, **changed)

    def bench(self, settings: Settings, tell: Callable[[], None]) -> Bench:
        """The target traced under settings.

        Args:
            settings: from ``settings``.
            tell: called before it is traced anew.

        Raises:
            UserError: it cannot be traced under these.
        """
        for bench in self._benches:
            if not _needs_trace(settings, bench.trace.settings):
                return bench
        tell()
        kept = self._pipeline.kept
        assert kept is not None
        plain = msgspec.structs.replace(settings, forward_compiler="nop", backward_compiler="", inference_compiler="")
        request = Run(run=0, source=kept.source, target=kept.name, inputs=kept.inputs, settings=plain)
        trace = Attempt(self._pipeline, request, _ignore).trace(replace(kept, trace=None))
        bench = Bench(kept.harness, trace, settings.seed)
        self._benches.append(bench)
        return bench


def _needs_trace(asked: Settings, traced: Settings) -> bool:
    """Whether a trace would not do for settings, the entry point apart: both are what it resolves to."""
    return asked.needs_new_trace(msgspec.structs.replace(traced, entry_point=asked.entry_point))


def _ignore(event: Event) -> None:
    """Nobody watches a trace that is only measured."""
