"""Which nodes of a graph a query finds, fast enough for each key that is pressed.

A term is asked once for each distinct entry of the graph's tables (targets, modules, tensors, stacks) and spread over
the nodes by a single pass in C; only names, which are distinct anyway, are looked at one by one. What a term finds is
a mask of one byte a node, and masks are joined as one large integer each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import compress
from typing import TypeAlias

from aotgui.model.graph import Fate, Graph, Op, OutputKind, Role, Side, TensorInfo
from aotgui.model.query import parse_query
from aotgui.model.query_terms import All, AnyOf, Key, Not, OneOf, Pattern, Query, Shape, Size, Source, Term, Word

Mask: TypeAlias = bytes
"""One byte a node: 1 where it is found."""
Test: TypeAlias = Callable[[str], object]
"""Asked in lower case; what it gives is true or false."""


def find_nodes(graph: Graph, text: str) -> list[int]:
    """Indexes of the nodes that a query finds, ascending.

    Raises:
        QueryError: the text is no query.
    """
    return Finder(graph).find(parse_query(text))


class Finder:
    """Answers queries about one graph and keeps what they share."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def find(self, query: Query) -> list[int]:
        """Indexes of the nodes found, ascending."""
        return list(compress(range(len(self._graph)), self.mask(query)))

    def mask(self, query: Query) -> Mask:
        """What a query finds."""
        match query:
            case Not(query=inner):
                return self._joined(int.__xor__, [self._everything, self.mask(inner)])
            case All(parts=parts):
                return self._joined(int.__and__, [self._everything, *map(self.mask, parts)])
            case AnyOf(parts=parts):
                return self._joined(int.__or__, list(map(self.mask, parts)))
        return self._term(query)

    def _term(self, term: Term) -> Mask:
        match term:
            case Word(text=text):
                return self._word(_contains(text))
            case Pattern(key=key, text=text):
                return self._pattern(key, text)
            case OneOf(key=key, labels=labels):
                return self._one_of(key, frozenset(labels))
            case Shape(sizes=sizes):
                return self._values(lambda value: _fits(tuple(str(size).lower() for size in value.shape), sizes))
            case Size(operator=operator, size_bytes=size_bytes):
                return self._sizes(operator, size_bytes)
            case Source():
                return self._source(term)

    # --- Terms ------------------------------------------------------------------------------------------------

    def _word(self, found: Test) -> Mask:
        graph = self._graph
        masks = [self._names(found), *(self._strings(column, found) for column in (graph.labels, graph.targets))]
        return self._joined(int.__or__, masks)

    def _pattern(self, key: Key, text: str) -> Mask:
        graph = self._graph
        match key:
            case Key.NAME:
                return self._names(_fits_or_contains(text))
            case Key.POLICY:
                return self._strings(graph.policies, _fits_or_contains(text)) if graph.policies else self._nothing
            case Key.DTYPE:
                fits = wildcard(text)
                return self._values(lambda value: fits(value.dtype.lower()))
            case Key.MODULE:
                return self._strings(graph.modules, self._in_module(text))
        return self._operator(text)

    def _operator(self, text: str) -> Mask:
        fits = _fits_steps(text.replace("::", ".").removeprefix("torch.ops."))
        opcodes = [bool(wildcard(text)(op.name.lower())) for op in Op]
        by_opcode = _spread(self._graph.ops, opcodes)
        return self._joined(int.__or__, [self._strings(self._graph.targets, fits), by_opcode])

    def _in_module(self, text: str) -> Test:
        """By path, or by the class of the module or of one around it."""
        fits_path, fits_type = _fits_steps(text), wildcard(text)
        kinds = self._graph.module_types.items()
        of_type = {path.lower() for path, kind in kinds if path and fits_type(kind.lower())}
        return lambda path: fits_path(path) or any(outer in of_type for outer in _chain(path))

    def _one_of(self, key: Key, labels: frozenset[str]) -> Mask:
        graph = self._graph
        match key:
            case Key.FATE:
                return _spread(graph.fates, [fate.label in labels for fate in Fate])
            case Key.SIDE:
                return _spread(graph.sides, [side.label in labels for side in Side])
        by_role = _spread(graph.roles, [role.label in labels for role in Role])
        returned = {out.node for out in graph.outputs if out.kind in _RETURNED and out.kind.label in labels}
        return self._joined(int.__or__, [by_role, bytes(node in returned for node in range(len(graph)))])

    def _sizes(self, operator: str, wanted: float) -> Mask:
        compare, table = _COMPARISONS[operator], self._graph.tensor_table
        column, values = self._value_ids
        sizes = [table[value[0]].size_bytes if len(value) == 1 else 0 for value in values]
        return _spread(column, [compare(size, wanted) for size in sizes])

    def _values(self, test: Callable[[TensorInfo], object]) -> Mask:
        flags = [bool(test(value)) for value in self._graph.tensor_table]
        column, values = self._value_ids
        return _spread(column, [any(flags[item] for item in value) for value in values])

    def _source(self, term: Source) -> Mask:
        graph, fits = self._graph, wildcard(f"*/{term.file}")
        flags = [
            (not term.first or term.first <= frame.line <= term.last)
            and bool(fits("/" + frame.file.replace("\\", "/").lower()))
            for frame in graph.frame_table
        ]
        stacks = [any(flags[frame] for frame in stack) for stack in graph.stack_table]
        return _spread(graph.stacks, [*stacks, False])

    # --- Columns ----------------------------------------------------------------------------------------------

    def _names(self, test: Test) -> Mask:
        return bytes(map(bool, map(test, self._lower_names)))

    def _strings(self, column: Sequence[int], test: Test) -> Mask:
        """A column of string indexes, each distinct one tested once in lower case; -1 stands for none."""
        strings = self._graph.strings
        flags = [False] * (len(strings) + 1)
        for index in set(column):
            flags[index] = index >= 0 and bool(test(strings[index].lower()))
        return _spread(column, flags)

    @cached_property
    def _lower_names(self) -> list[str]:
        return "\n".join(self._graph.names).lower().split("\n") if self._graph.names else []

    @cached_property
    def _value_ids(self) -> tuple[list[int], list[tuple[int, ...]]]:
        """For each node a number for its values, and the distinct values by number."""
        ids: dict[tuple[int, ...], int] = {}
        column = [ids.setdefault(value, len(ids)) for value in map(tuple, self._graph.values)]
        return column, list(ids)

    # --- Masks ------------------------------------------------------------------------------------------------

    @property
    def _everything(self) -> Mask:
        return b"\x01" * len(self._graph)

    @property
    def _nothing(self) -> Mask:
        return bytes(len(self._graph))

    def _joined(self, join: Callable[[int, int], int], masks: Iterable[Mask]) -> Mask:
        first, *others = (int.from_bytes(mask, "little") for mask in masks)
        for other in others:
            first = join(first, other)
        return first.to_bytes(len(self._graph), "little")


_RETURNED = (OutputKind.OUTPUT, OutputKind.GRADIENT)
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">": lambda size, wanted: size > wanted,
    "<": lambda size, wanted: size < wanted,
    ">=": lambda size, wanted: size >= wanted,
    "<=": lambda size, wanted: size <= wanted,
    "=": lambda size, wanted: size == wanted,
    "!=": lambda size, wanted: size != wanted,
}


def _spread(column: Iterable[int], flags: Sequence[bool]) -> Mask:
    """The flag of each entry of a column; -1 has the last one."""
    return bytes(map(flags.__getitem__, column))


def wildcard(pattern: str) -> Test:
    """Whether a whole text fits a pattern; ``*`` stands for any characters."""
    if "*" not in pattern:
        return pattern.__eq__
    first, *middle, last = map(re.escape, pattern.split("*"))
    # Atomic groups: the first place where a part fits is as good as any later one, so nothing is tried twice.
    inner = "".join(f"(?>.*?{part})" for part in middle)
    return re.compile(f"{first}{inner}.*{last}", re.DOTALL).fullmatch


def _contains(pattern: str) -> Test:
    if "*" in pattern:
        first, *others = map(re.escape, pattern.strip("*").split("*"))
        return re.compile(first + "".join(f"(?>.*?{part})" for part in others), re.DOTALL).search
    return lambda text: pattern in text


def _fits_or_contains(pattern: str) -> Test:
    return wildcard(pattern) if "*" in pattern else _contains(pattern)


def _fits_steps(pattern: str) -> Test:
    """Whether a dotted text has the pattern's steps one after the other: ``mm`` is in ``aten.mm.default``."""
    fits = _contains(f".{pattern.strip('.')}.")
    return lambda text: fits(f".{text}.")


def _chain(path: str) -> list[str]:
    """A path and those around it: ``a.b`` and ``a``."""
    steps = path.split(".")
    return [".".join(steps[:end]) for end in range(len(steps), 0, -1)]


def _fits(sizes: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether sizes fit a pattern of sizes, ``*`` for one and ``**`` for any number."""
    if not pattern:
        return not sizes
    head, rest = pattern[0], pattern[1:]
    if head == "**":
        return any(_fits(sizes[skipped:], rest) for skipped in range(len(sizes) + 1))
    return bool(sizes) and head in ("*", sizes[0]) and _fits(sizes[1:], rest)
