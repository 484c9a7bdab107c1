"""Random operators that draw other numbers than eager."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import fx

from aotgui.engine.findings.evidence import Evidence, FindingCheck, place_of
from aotgui.model.capture import Finding, Severity
from aotgui.model.graph import GraphKind


def _is_random(node: fx.Node) -> bool:
    """Whether a node draws random numbers; dropout with probability 0 draws none."""
    if node.op != "call_function" or torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
        return False
    return not any(value == 0 for value in _dropout_probabilities(node))


def _dropout_probabilities(node: fx.Node) -> list[Any]:
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return []
    names = ("dropout_p", "p") if "dropout" in schema.name else ("dropout_p",)
    values = [
        node.args[position] if position < len(node.args) else node.kwargs.get(argument.name, argument.default_value)
        for position, argument in enumerate(schema.arguments)
        if argument.name in names
    ]
    return [value for value in values if isinstance(value, (int, float))]


def _is_used(node: fx.Node) -> bool:
    """Whether something reads a node, or an item of the tuple that it returns."""
    return any(user.users or user.op == "output" for user in node.users)


class RandomOperatorTwice(FindingCheck):
    """A random operator that runs in forward and again in backward draws other numbers."""

    id = "random-op-in-both-graphs"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Looks at recomputed nodes."""
        for region_index, region in evidence.numbered():
            forward, backward = region.halves.get(GraphKind.FORWARD), region.halves.get(GraphKind.BACKWARD)
            if forward is None or backward is None:
                continue
            used = {
                backward.graph.origins[i]
                for i, node in enumerate(backward.nodes)
                if _is_random(node) and _is_used(node)
            }
            for index, node in enumerate(forward.nodes):
                if _is_random(node) and forward.graph.origins[index] in used:
                    yield self.finding(
                        Severity.ERROR,
                        f"{node.name} ({forward.graph.target(index)}) runs in forward and again in backward: the "
                        "second run draws another mask, so gradients are wrong.",
                        "Use the default partitioner or a larger memory budget.",
                        **place_of(region_index, forward.graph, index),
                    )


class RandomOperatorUnused(FindingCheck):
    """A random operator without users in backward advances the generator for nothing."""

    id = "random-op-unused-in-backward"

    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Looks at random nodes of the backward graphs."""
        for region_index, half in evidence.halves():
            if half.kind is not GraphKind.BACKWARD:
                continue
            for index, node in enumerate(half.nodes):
                if _is_random(node) and not _is_used(node):
                    yield self.finding(
                        Severity.WARNING,
                        f"{node.name} ({half.graph.target(index)}) has no users in the backward graph but advances the "
                        "random generator: the next step draws other numbers than in eager.",
                        "Use min_cut, which removes it.",
                        **place_of(region_index, half.graph, index),
                    )
