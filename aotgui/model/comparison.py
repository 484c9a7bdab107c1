"""Compilers and partitioners side by side, and the node at which one goes wrong."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from aotgui.model.capture import Check, Problem
from aotgui.model.graph import GraphKind
from aotgui.model.values import ValueStats


class Verdict(StrEnum):
    """What became of one candidate."""

    MATCH = "match"
    MISMATCH = "mismatch"
    FAILED = "failed"


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """One row that is asked for; what is left empty is taken from the run that is compared.

    Attributes:
        compiler: of forward and inference: a name, or ``name(option=value, ...)``.
        backward_compiler: empty for ``compiler``.
        partitioner: ``default``, ``min_cut`` or a function of the user's file.
        memory_budget: 0 to 1, for ``min_cut``.
        decompositions: ``none``, ``default``, ``core`` or a table of the user's file.
    """

    compiler: str = ""
    backward_compiler: str = ""
    partitioner: str = ""
    memory_budget: float | None = None
    decompositions: str = ""

    @property
    def partitioner_label(self) -> str:
        """``min_cut@0.5``; empty where the run's own is meant."""
        budget = "" if self.memory_budget in (None, 1.0) else f"@{self.memory_budget:g}"
        return f"{self.partitioner}{budget}"

    @property
    def label(self) -> str:
        """``ts_compile, min_cut@0.5``: what tells this candidate from the others."""
        compilers = [name for name in dict.fromkeys((self.compiler, self.backward_compiler)) if name]
        parts = ["/".join(compilers), self.partitioner_label, self.decompositions]
        return ", ".join(part for part in parts if part)


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Wall time of repeated calls, in seconds.

    Attributes:
        median_s: half of the calls took less.
        low_s: a quarter of the calls took less.
        high_s: three quarters of the calls took less.
        samples: number of calls, warm-up not counted.
    """

    median_s: float
    low_s: float
    high_s: float
    samples: int

    @property
    def spread(self) -> float:
        """Distance of the quartiles as a share of the median."""
        return (self.high_s - self.low_s) / self.median_s if self.median_s else 0.0


class CompareRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of one candidate.

    The calls of eager and of the candidate alternate, so that both meet the same state of the machine; each row
    therefore has times of eager of its own. Times and memory are missing where the candidate failed.

    Attributes:
        candidate: as asked for.
        verdict: match, mismatch or failed.
        compiler: of the forward (or inference) graph, as used.
        backward_compiler: as used; empty for a target without backward.
        partitioner: as used, ``min_cut@0.5`` with its budget.
        decompositions: as used.
        compile_forward_s: seconds that the compiler took for the forward or inference graphs of all regions.
        compile_backward_s: likewise for the backward graphs; None without.
        forward: of calls of the compiled target.
        backward: of backward passes; None without.
        eager_forward: of calls of the target as it is.
        eager_backward: likewise.
        peak_bytes: most bytes that one call with its backward held at once beyond what was there before.
        eager_peak_bytes: likewise of eager.
        saved_bytes: bytes of the distinct storages passed from forward to backward.
        saved_activation_bytes: those of activations among them.
        check: outputs and gradients against eager, judged by a float64 run.
        problem: why it failed, or None.
    """

    candidate: Candidate
    verdict: Verdict
    compiler: str = ""
    backward_compiler: str = ""
    partitioner: str = ""
    decompositions: str = ""
    compile_forward_s: float | None = None
    compile_backward_s: float | None = None
    forward: Timing | None = None
    backward: Timing | None = None
    eager_forward: Timing | None = None
    eager_backward: Timing | None = None
    peak_bytes: int | None = None
    eager_peak_bytes: int | None = None
    saved_bytes: int | None = None
    saved_activation_bytes: int | None = None
    check: Check = msgspec.field(default_factory=Check)
    problem: Problem | None = None

    @property
    def output_error(self) -> float | None:
        """Largest error of an output."""
        return _largest([entry.max_error for entry in self.check.outputs])

    @property
    def gradient_error(self) -> float | None:
        """Largest error of a gradient."""
        return _largest([entry.max_error for entry in self.check.gradients])


def _largest(errors: list[float | None]) -> float | None:
    return max((error for error in errors if error is not None), default=None)


class CulpritKind(StrEnum):
    """How a compiler goes wrong at a node."""

    WRONG = "wrong"
    COMPILE = "compile"
    RUN = "run"


class Element(msgspec.Struct, frozen=True, kw_only=True):
    """One number of a tensor in both versions.

    Attributes:
        index: one entry for each dimension.
        expected: as the graph itself computes it.
        actual: as compiled.
    """

    index: tuple[int, ...]
    expected: float | str
    actual: float | str


class NamedValue(msgspec.Struct, frozen=True, kw_only=True):
    """Statistics of what a node computed, with the node's name."""

    name: str
    stats: ValueStats


class Culprit(msgspec.Struct, frozen=True, kw_only=True):
    """The first node of a graph at which a compiler goes wrong.

    Attributes:
        compiler: its name.
        region: index of the region.
        graph: forward, backward or inference.
        node: name of the node.
        op: its operator, ``aten.mm.default``.
        kind: gives a wrong value, cannot be compiled, or fails when run.
        message: one sentence.
        alone: whether the node fails by itself, compiled without any other.
        nodes: number of operators in the graph.
        compilations: how many graphs were compiled to find it.
        output: name of the value that differs: the node, or the ``getitem`` of one of its results.
        inputs: what the node was given.
        expected: the value as the graph itself computes it, or None.
        actual: the value as compiled, or None.
        max_error: largest error of the compiled value; None where none can be told.
        eager_error: largest error of the graph's own value against float64; None without a float64 run.
        worst: the elements that differ most, worst first.
        file: the user's file that the node comes from, or empty.
        line: 1-based, 0 where unknown.
        module: module path, or empty.
        details: the compiler's own error text, or empty.
    """

    compiler: str
    region: int
    graph: GraphKind
    node: str
    op: str
    kind: CulpritKind
    message: str
    alone: bool
    nodes: int
    compilations: int
    output: str = ""
    inputs: list[NamedValue] = []
    expected: ValueStats | None = None
    actual: ValueStats | None = None
    max_error: float | None = None
    eager_error: float | None = None
    worst: list[Element] = []
    file: str = ""
    line: int = 0
    module: str = ""
    details: str = ""
