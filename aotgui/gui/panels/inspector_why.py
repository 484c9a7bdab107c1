"""The part of the inspector's page that says why a node is saved, recomputed or neither."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from aotgui.gui.panels.inspector_links import Link, NetworkTarget, Part, SpotTarget, separated
from aotgui.gui.panels.inspector_page import Row
from aotgui.gui.session.session import Session
from aotgui.gui.session.spotlight import Spot
from aotgui.model.capture import Region
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, Graph, GraphKind
from aotgui.model.why import Reason, Why, why_of

LinkTo = Callable[[int], Link]
"""A link to a node of the joint graph."""
DECISION_WORDS: Final = {Decision.SAVE: "forced to be saved", Decision.RECOMPUTE: "forced to be recomputed"}
ARROW: Final = " → "


def why_rows(session: Session, region: Region, node: int, link_to: LinkTo) -> tuple[Row, ...]:
    """What the inspector says of a node's fate.

    Args:
        session: for the settings of the run, decisions and other partitions.
        region: the one shown.
        node: index in the joint graph; -1 for a node that the partitioner made.
        link_to: makes links.
    """
    graph = region.main_graph
    if graph is None or not region.is_training or session.capture is None:
        return ()
    if node < 0:
        return (Row("", ("The partitioner made this node: it is not in the joint graph.",)),)
    why = why_of(region, node, session.capture.settings)
    rows = [
        *(Row("" if place else "Because", _linked(reason, graph, link_to)) for place, reason in enumerate(why.reasons)),
        Row("Path", _joined(map(link_to, why.path)) if len(why.path) > 1 else ()),
        Row("Cut behind", separated(map(link_to, why.frontier))),
        Row("To change it", (why.change,) if why.change else ()),
        Row("In torch's words", separated(_torch_words(region, why)), is_code=True),
        Row("Show", separated(_views(region, graph, why))),
        Row("Decided", _decided(session, graph, node)),
        Row("Otherwise", _otherwise(session, node, Fate(graph.fates[node]))),
    ]
    return tuple(row for row in rows if row.parts)


def _torch_words(region: Region, why: Why) -> list[str]:
    """From the network; a capture without one may still tell why a value is saved."""
    forward = region.graphs.get(GraphKind.FORWARD)
    if why.torch_words or region.cut is not None or forward is None:
        return why.torch_words
    copies = region.counterparts(GraphKind.JOINT, why.node).get(GraphKind.FORWARD, [])
    names = {forward.names[copy] for copy in copies}
    return [value.reason for value in region.saved if value.name in names and value.reason]


def _linked(reason: Reason, graph: Graph, link_to: LinkTo) -> tuple[Part, ...]:
    """A sentence in which the nodes that it names are links."""
    titles = {graph.title(node): node for node in reason.nodes}
    if not titles:
        return (reason.text,)
    longest_first = sorted(map(re.escape, titles), key=len, reverse=True)
    pieces = re.split(rf"(?<![\w.])({'|'.join(longest_first)})(?![\w.]\w)", reason.text)
    return tuple(link_to(titles[piece]) if piece in titles else piece for piece in pieces if piece)


def _joined(links: Iterable[Link]) -> tuple[Part, ...]:
    parts: list[Part] = []
    for link in links:
        parts += [ARROW, link]
    return tuple(parts[1:])


def _views(region: Region, graph: Graph, why: Why) -> list[Part]:
    """Links to pictures of the reason."""
    views: list[Part] = []
    if spot := spot_of(graph, why):
        views.append(Link("path on the canvas", SpotTarget(spot), "Mark the path and the cut in every graph"))
    if region.cut is not None and why.node in region.cut.position_of:
        views.append(Link("min-cut network", NetworkTarget(why.node), "The network around this node, with capacities"))
    return views


def spot_of(graph: Graph, why: Why) -> Spot | None:
    """The path from a node to the backward, and the cut behind it where there is no path."""
    title = graph.title(why.node)
    if len(why.path) > 1:
        sentence = f"Why {title} is needed: the path from it to the backward"
        return Spot(title=sentence, graph=GraphKind.JOINT, nodes=why.path, is_path=True)
    if why.frontier:
        sentence = f"What stands behind {title} in the cut"
        return Spot(title=sentence, graph=GraphKind.JOINT, nodes=(why.node, *why.frontier))
    return None


def _decided(session: Session, graph: Graph, node: int) -> tuple[Part, ...]:
    decision = session.partitions.decisions.get(graph.names[node])
    return (DECISION_WORDS[decision],) if decision else ()


def _otherwise(session: Session, node: int, fate: Fate) -> tuple[Part, ...]:
    """What the partitions that were compared make of it, where that is something else."""
    found: list[Part] = []
    for entry in session.partitions.entries:
        if entry.result is not None and node < len(entry.result.fates):
            other = Fate(entry.result.fates[node])
            if other is not fate:
                found.append(f"{other.label} with {entry.choice}")
    return separated(found)
