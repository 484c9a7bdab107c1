"""Compiles and runs the halves of a trace, for one run.

A half is compiled when it is first called. One that its compiler refuses runs uncompiled, so that the rest is still
captured; the run has failed all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from aotgui.engine.choices import compiler_name
from aotgui.engine.compilers import CompileFailed, resolve
from aotgui.engine.cursor import failing_node
from aotgui.engine.errors import UserError, fault, one_line
from aotgui.engine.explain import meaning_of
from aotgui.engine.graphs import output_arguments
from aotgui.engine.half import Half
from aotgui.engine.stages import COMPILE_STAGES, StageClock
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Problem, Severity, Stage
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings


class CompiledCodeError(UserError):
    """What a compiler made of a half fails although the graph itself runs: no other way of tracing helps."""


class Execution:
    """What slots call.

    Attributes:
        recording: whether to remember what the halves are called with.
        problems: halves that could not be compiled.
    """

    def __init__(
        self,
        settings: Settings,
        namespace: Mapping[str, Any],
        clock: StageClock,
        before_compiling: Callable[[], None],
    ) -> None:
        """Prepares for a run.

        Args:
            settings: name the compilers.
            namespace: names of the script, which may define compilers.
            clock: of the run.
            before_compiling: called once graphs are known and before anything is compiled.
        """
        self.recording = False
        self.problems: list[Problem] = []
        self._settings = settings
        self._namespace = namespace
        self._clock = clock
        self._before_compiling = before_compiling
        self._refused: list[Half] = []

    def call_half(self, region: RegionTrace, half: Half, args: list[Any]) -> Sequence[Any]:
        """Compiles the region once, then runs the half.

        Raises:
            UserError: the graph itself fails when run; the node to blame is named.
            CompiledCodeError: only what was compiled fails. Or it returns another number of values, of which AOT
                Autograd would make an error far away.
        """
        if half.compiled is None:
            self._before_compiling()
            self.compile(region)
        if self.recording:
            half.record(args)
        assert half.compiled is not None
        kept = list(args)
        try:
            outputs = half.compiled.call(args)
        except Exception as error:
            raise self._run_failure(half, kept, error) from error
        expected = len(output_arguments(half.module))
        if isinstance(outputs, (list, tuple)) and len(outputs) != expected:
            name, given = compiler_name(self._settings, half.kind), len(outputs)
            message = f"What {name} made of the {half.kind} graph returns {given} values instead of {expected}."
            raise CompiledCodeError(fault(Stage.RUN, message, graph=half.kind).problem)
        return outputs

    def compile(self, region: RegionTrace) -> None:
        """Compiles the halves of a region that are not compiled yet."""
        if self._clock.current is Stage.TRACE:
            inference = region.graphs.get(GraphKind.INFERENCE)
            self._clock.end(inference.node_count if inference else 0)
        for half in region.halves.values():
            if half.compiled is None:
                self._compile_half(half)

    def forget_refused(self) -> None:
        """Leave refused halves uncompiled, so that the next run tries its compiler on them again."""
        for half in self._refused:
            half.compiled = None

    def _compile_half(self, half: Half) -> None:
        self._clock.begin(COMPILE_STAGES[half.kind])
        name = compiler_name(self._settings, half.kind)
        try:
            half.compiled = resolve(name, self._namespace).compile_half(half)
        except CompileFailed as failure:
            problem = compile_problem(failure, half)
            self.problems.append(problem)
            self._refused.append(half)
            half.compiled = replace(resolve("nop").compile_half(half), problem=problem)
        self._clock.end(half.graph.node_count)

    def _run_failure(self, half: Half, args: list[Any], error: Exception) -> UserError:
        located = failing_node(half, args)
        if located is None:
            compiler = compiler_name(self._settings, half.kind)
            message = f"The {half.kind} graph fails when run as compiled by {compiler}: {one_line(error)}"
            return CompiledCodeError(fault(Stage.RUN, message, error=error, graph=half.kind).problem)
        message = f"The {half.kind} graph fails when it runs: {meaning_of(error) or located.message}"
        return UserError(msgspec.structs.replace(located, stage=Stage.RUN, message=message))


def compile_problem(failure: CompileFailed, half: Half) -> Problem:
    """The sentence about a compiler that refused a half, with the node and the user's line to blame."""
    index = half.graph.index_of.get(failure.node)
    frame = half.graph.source(index) if index is not None else None
    return Problem(
        severity=Severity.ERROR,
        stage=COMPILE_STAGES[half.kind],
        message=failure.message,
        file=failure.file or (frame.file if frame else ""),
        line=failure.line or (frame.line if frame else 0),
        node=failure.node,
        graph=half.kind,
        details=failure.details,
    )
