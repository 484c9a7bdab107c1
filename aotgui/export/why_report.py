"""Why nodes are saved or recomputed, and what became of checkpoint policies, for a terminal and for JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from aotgui.model.capture import Region
from aotgui.model.graph import Graph
from aotgui.model.policy_audit import PolicyEntry
from aotgui.model.why import Why

_WIDTH: Final = 110


class WhySection(msgspec.Struct, frozen=True):
    """Reasons for nodes of one region.

    Attributes:
        region: what was captured.
        whys: one entry a node.
    """

    region: Region
    whys: list[Why]

    def document(self) -> dict[str, Any]:
        """``why``: one entry a node."""
        graph = self.region.main_graph
        return {"why": [why_document(graph, why) for why in self.whys] if graph else []}

    def lines(self) -> Iterator[str]:
        """What became of each node and why, wrapped."""
        for place, why in enumerate(self.whys):
            if place:
                yield ""
            yield from _wrapped("Why       ", why.headline)
            for reason in why.reasons:
                yield from _wrapped("          - ", reason.text)
            if why.change:
                yield from _wrapped("          To change it: ", why.change)
            for words in why.torch_words:
                yield from _wrapped("          Torch's words: ", words)


def why_document(graph: Graph, why: Why) -> dict[str, Any]:
    """One node with its reasons; nodes are named as in the joint graph."""
    return {
        "node": graph.names[why.node],
        "headline": why.headline,
        "reasons": [{"text": reason.text, "nodes": _names(graph, reason.nodes)} for reason in why.reasons],
        "path": _names(graph, why.path),
        "frontier": _names(graph, why.frontier),
        "change": why.change,
        "torch": why.torch_words,
        "is_known": why.is_known,
    }


def policy_document(graph: Graph, entry: PolicyEntry) -> dict[str, Any]:
    """What became of one checkpoint policy."""
    return {
        "node": graph.names[entry.node],
        "policy": entry.policy,
        "used": entry.used,
        "honoured": entry.honoured,
        "sentence": entry.sentence,
    }


def _names(graph: Graph, nodes: tuple[int, ...]) -> list[str]:
    return [graph.names[node] for node in nodes]


def _wrapped(head: str, text: str) -> list[str]:
    indent = " " * (len(head) if head.strip() in ("Why", "-") else 14)
    return textwrap.wrap(text, _WIDTH, initial_indent=head, subsequent_indent=indent)
