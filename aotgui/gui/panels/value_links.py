"""Where a value comes from and goes to, as texts and links: saved, computed again, written into, replaced."""

from __future__ import annotations

from html import escape

from aotgui.gui.panels.inspector_links import Link, Part, node_link
from aotgui.gui.panels.table_panel import NodeRef
from aotgui.gui.panels.values_panel import error_text
from aotgui.gui.session.session import Session
from aotgui.model.graph import Fate, Graph, GraphKind, Role
from aotgui.model.stepping import Edit, Mutation, ReplacementKind
from aotgui.model.text import number_text

Line = tuple[Part, ...]


def lines_of(session: Session, ref: NodeRef) -> list[Line]:
    """What there is to say of an executed node's value, a line each."""
    kind, node = ref
    graph = session.graph(kind)
    if graph is None:
        return []
    lines = [*_origin(session, graph, node), *_writes(session, graph, node), *_edits(session, graph, node)]
    error, difference = session.debug.errors(kind).get(node), session.debug.differences(kind).get(node)
    if error is not None:
        lines.append((f"Relative error against float64: {error_text(error)} {error.text}".rstrip(),))
    if difference is not None:
        lines.append((f"Relative difference to the run without the what-if: {error_text(difference)}",))
    return lines


def _origin(session: Session, graph: Graph, node: int) -> list[Line]:
    """Both places of a value that has two."""
    region, fate = session.region, Fate(graph.fates[node])
    if region is None:
        return []
    other_kind = GraphKind.BACKWARD if graph.kind is GraphKind.FORWARD else GraphKind.FORWARD
    copies = region.counterparts(graph.kind, node).get(other_kind, [])
    if not copies or other_kind not in region.graphs:
        return []
    other = node_link(region.graphs[other_kind], copies[0], region.graphs[other_kind].names[copies[0]])
    if graph.roles[node] == Role.SAVED_VALUE:
        return [("Saved: computed in forward by ", other, ", read here.")]
    if fate is Fate.RECOMPUTED:
        order = ("again in backward by ", other) if graph.kind is GraphKind.FORWARD else ("first in forward by ", other)
        return [("Recomputed: computed here, and ", *order, ".")]
    if fate is Fate.SAVED and graph.kind is GraphKind.FORWARD:
        return [("Saved: computed here, read in backward as ", other, ".")]
    return []


def _writes(session: Session, graph: Graph, node: int) -> list[Line]:
    writes = [write for write in session.debug.mutations(graph.kind) if write.target == node]
    return [_write(graph, write) for write in writes]


def _write(graph: Graph, write: Mutation) -> Line:
    before, after = write.before, write.after
    numbers = [
        f"{words} {number_text(old)} before, {number_text(new)} after"
        for words, old, new in (
            ("minimum", before.minimum, after.minimum),
            ("maximum", before.maximum, after.maximum),
            ("mean", before.mean, after.mean),
        )
        if old != new
    ]
    told = f": {'; '.join(numbers)}." if numbers else "."
    return ("Written into by ", node_link(graph, write.node, graph.names[write.node]), told)


def _edits(session: Session, graph: Graph, node: int) -> list[Line]:
    name = graph.names[node]
    edits = [edit for edit in session.debug.edits if (edit.graph, edit.node) == (graph.kind, name)]
    return [(f"Replaced by {replacement_text(edit)}.",) for edit in edits]


def replacement_text(edit: Edit) -> str:
    """What a value was replaced by, in a few words."""
    new = edit.replacement
    match new.kind:
        case ReplacementKind.NOISE:
            return f"noise with seed {new.seed}"
        case ReplacementKind.CLAMP:
            return f"itself clamped to {_bound(new.low)} to {_bound(new.high)}"
        case ReplacementKind.EXPRESSION:
            return new.expression
        case _:
            return new.kind.value


def _bound(value: float | None) -> str:
    return "no bound" if value is None else number_text(value)


def as_markup(lines: list[Line], link_colour: str) -> tuple[str, list[Link]]:
    """Rich text for a label, and the links by the number that is their address."""
    links: list[Link] = []
    rows = []
    for line in lines:
        parts = []
        for part in line:
            if isinstance(part, str):
                parts.append(escape(part))
            else:
                style = f"color:{link_colour}; text-decoration:none"
                parts.append(f'<a href="{len(links)}" style="{style}">{escape(part.text)}</a>')
                links.append(part)
        rows.append("".join(parts))
    return "<br>".join(rows), links
