"""The first node at which a compiler goes wrong.

Terms: the *operators* of a graph are its nodes that compute something, in order. A *prefix* of ``k`` operators
returns every value that the rest of the graph reads. It is *bad* where the compiler refuses it, where it fails when
run, or where one of those values differs from what the prefix itself computes (judged like every result, by a
float64 run). What is wrong in a graph is wrong in one of its prefixes, so that bisection finds a good prefix whose
next operator makes it bad, with about ``log2(n)`` compilations.

Known limits: an error may hide in a later prefix (behind a mean over many numbers) and show again further down. The
operator found is therefore put on trial by itself. If it is right, a prefix that returns the values of all its
operators is looked through for the first that differs. A fault of fusion needs several operators together; then
the last of them is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import fx

from aotgui.engine.compiler import CompileFailed, Compiler
from aotgui.engine.errors import error_text, one_line
from aotgui.engine.graphs import target_text
from aotgui.engine.half import Half, RandomState
from aotgui.engine.subgraph import alone, everything, operators_of, part_of, prefix_of
from aotgui.engine.trial import Court, Outcome
from aotgui.engine.values import stats_of
from aotgui.model.comparison import Culprit, CulpritKind, Element, NamedValue
from aotgui.model.text import number_text

WORST_ELEMENTS: Final = 5

Tell = Callable[[int, int, int], None]
"""Told of the positions of the first and the last operator that may be to blame, and of the number of operators."""


@dataclass(frozen=True)
class Found:
    """A culprit with what a smaller script is made from.

    Attributes:
        culprit: as it is shown.
        compiler: that goes wrong.
        half: the whole graph.
        node: the node in it.
    """

    culprit: Culprit
    compiler: Compiler
    half: Half
    node: fx.Node


class CulpritSearch:
    """A search in one half that was recorded.

    Attributes:
        court: counts the compilations.
    """

    def __init__(self, half: Half, region: int, compiler: Compiler, tell: Tell) -> None:
        self.court = Court(compiler, half.random_state or RandomState.now())
        self._half = half
        self._region = region
        self._compiler = compiler
        self._tell = tell
        self._operators = operators_of(half.module)

    def find(self) -> Found | None:
        """The node, or None where the compiler is right.

        Raises:
            ValueError: the half was not recorded.
        """
        last = len(self._operators)
        whole = self._judge_prefix(last, 0)
        if whole.is_right:
            # A value on the way may differ where everything is fused and still be right in what follows from it.
            hidden = self._hidden(last)
            return hidden if hidden is not None and hidden.culprit.alone else None
        count, outcome = self._bisect(last, whole)
        node = self._operators[count - 1]
        by_itself = self._judge_alone(node)
        if not by_itself.is_right:
            return self._found(node, by_itself, is_alone=True)
        if outcome.kind is CulpritKind.WRONG and (earlier := self._hidden(count)) is not None:
            return earlier
        return self._found(node, outcome, is_alone=False)

    def _bisect(self, last: int, whole: Outcome) -> tuple[int, Outcome]:
        """The length of a bad prefix whose prefix without its last operator is good, and what is wrong with it."""
        good, bad, outcome = 0, last, whole
        while bad - good > 1:
            middle = (good + bad) // 2
            tried = self._judge_prefix(middle, good)
            if tried.is_right:
                good = middle
            else:
                bad, outcome = middle, tried
            self._tell(good, bad - 1, len(self._operators))
        return bad, outcome

    def _hidden(self, count: int) -> Found | None:
        """The first of so many operators whose own value differs, although what a prefix returns does not."""
        if not count:
            return None
        part = everything(self._half.module, count)
        outcome = self.court.judge(part, self._values_of(part.inputs))
        if outcome.kind is not CulpritKind.WRONG or outcome.comparison is None:
            return None
        node = self._owner(outcome.comparison.name)
        by_itself = self._judge_alone(node)
        if by_itself.is_right:
            return self._found(node, outcome, is_alone=False)
        return self._found(node, by_itself, is_alone=True)

    def _owner(self, name: str) -> fx.Node:
        """The operator that computes a value: that of a tuple, where the value is an item of it."""
        node = next(node for node in self._operators if node.name == name)
        source = node.all_input_nodes[0] if node.all_input_nodes else node
        is_item = isinstance(source.meta.get("val"), tuple | list)
        return source if is_item else node

    def _judge_prefix(self, count: int, good: int) -> Outcome:
        part = prefix_of(self._half.module, count)
        outcome = self.court.judge(part, self._values_of(part.inputs))
        self._tell(good, count - 1, len(self._operators))
        return outcome

    def _judge_alone(self, node: fx.Node) -> Outcome:
        part = alone(self._half.module, node)
        return self.court.judge(part, self._values_of(part.inputs))

    def _values_of(self, nodes: Sequence[fx.Node]) -> list[Any]:
        return values_of(self._half, nodes, self.court)

    def _found(self, node: fx.Node, outcome: Outcome, *, is_alone: bool) -> Found:
        assert outcome.kind is not None
        graph, index = self._half.graph, self._half.graph.index_of.get(node.name, -1)
        frame = graph.source(index) if index >= 0 else None
        compared = outcome.comparison
        is_wrong = outcome.kind is CulpritKind.WRONG
        culprit = Culprit(
            compiler=self._compiler.name,
            region=self._region,
            graph=self._half.kind,
            node=node.name,
            op=target_text(node),
            kind=outcome.kind,
            message=_message(self._compiler.name, node, outcome, is_alone),
            alone=is_alone,
            nodes=len(self._operators),
            compilations=self.court.compilations,
            output=compared.name if compared else "",
            inputs=self._input_stats(node),
            expected=stats_of(index, outcome.expected) if is_wrong else None,
            actual=stats_of(index, outcome.actual) if is_wrong else None,
            max_error=compared.max_error if compared else None,
            eager_error=compared.eager_error if compared else None,
            worst=worst_elements(outcome.expected, outcome.actual) if is_wrong else [],
            file=frame.file if frame else "",
            line=frame.line if frame else 0,
            module=graph.module(index) if index >= 0 else "",
            details=_details(outcome.error),
        )
        return Found(culprit, self._compiler, self._half, node)

    def _input_stats(self, node: fx.Node) -> list[NamedValue]:
        sources = [source for source in node.all_input_nodes if source.op != "get_attr"]
        index_of = self._half.graph.index_of
        return [
            NamedValue(name=source.name, stats=stats_of(index_of.get(source.name, -1), value))
            for source, value in zip(sources, self._values_of(sources), strict=True)
        ]


def values_of(half: Half, nodes: Sequence[fx.Node], court: Court) -> list[Any]:
    """The values of nodes in the recorded call, as the graph itself computes them."""
    known = dict(zip(half.module.graph.find_nodes(op="placeholder"), half.fresh_args(), strict=True))
    computed = [node for node in nodes if node not in known]
    if computed:
        operators = operators_of(half.module)
        count = max(operators.index(node) for node in computed) + 1
        part = part_of(half.module, operators[:count], computed)
        known.update(zip(computed, court.values(part, [known[node] for node in part.inputs]), strict=True))
    return [known[node] for node in nodes]


def worst_elements(expected: Any, actual: Any) -> list[Element]:
    """The elements of two tensors of one shape that differ most, worst first."""
    if not isinstance(expected, torch.Tensor) or not isinstance(actual, torch.Tensor):
        return []
    if expected.shape != actual.shape or expected.is_complex() or not expected.numel():
        return []
    first, second = expected.detach().to(torch.float64), actual.detach().to(torch.float64)
    difference = (first - second).abs().nan_to_num(nan=float("inf")).flatten()
    _, places = difference.topk(min(WORST_ELEMENTS, difference.numel()))
    found = []
    for place in places.tolist():
        if not difference[place]:
            break
        index = tuple(int(i) for i in torch.unravel_index(torch.tensor(place), first.shape)) if first.dim() else ()
        found.append(
            Element(index=index, expected=_number(first.flatten()[place]), actual=_number(second.flatten()[place]))
        )
    return found


def _number(value: torch.Tensor) -> float | str:
    """The number; NaN and Inf as words, because JSON has none."""
    number = value.item()
    return float(number) if torch.isfinite(value) else number_text(float(number))


def _message(compiler: str, node: fx.Node, outcome: Outcome, is_alone: bool) -> str:
    what = f"{target_text(node)} (node {node.name})"
    together = "" if is_alone else " It only does so together with the operators before it."
    match outcome.kind:
        case CulpritKind.COMPILE:
            assert isinstance(outcome.error, CompileFailed)
            reason = outcome.error.message
            if outcome.error.node == node.name and node.name in reason:  # it says so itself
                return f"{compiler}: {reason}.{together}"
            return f"{compiler} cannot compile {what}: {reason}.{together}"
        case CulpritKind.RUN:
            assert outcome.error is not None
            return f"What {compiler} makes of {what} fails when it runs: {one_line(outcome.error)}.{together}"
    return f"{compiler} computes {what} wrong: {_difference_text(outcome)}.{together}"


def _difference_text(outcome: Outcome) -> str:
    compared = outcome.comparison
    assert compared is not None
    if compared.note:
        return compared.note
    error = f"largest error {number_text(compared.max_error, 3)}"
    return error if compared.eager_error is None else f"{error}, eager's own {number_text(compared.eager_error, 3)}"


def _details(error: Exception | None) -> str:
    if isinstance(error, CompileFailed):
        return error.details or error.message
    return error_text(error) if error is not None else ""
