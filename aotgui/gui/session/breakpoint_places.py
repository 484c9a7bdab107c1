"""Where breakpoints are in the graphs: nodes to mark, what to say of them, and how a node or line gets one."""

from __future__ import annotations

from aotgui.gui.session.session import Session
from aotgui.model.breakpoint import Breakpoint, BreakpointKind
from aotgui.model.graph import Graph, GraphKind, Op

_GIVEN = frozenset({Op.PLACEHOLDER, Op.GET_ATTR})


def nodes_of(point: Breakpoint, graph: Graph) -> list[int]:
    """The nodes of a graph that a breakpoint on a place is about; a module or line counts where it is entered."""
    if point.graph is not None and point.graph is not graph.kind:
        return []
    match point.kind:
        case BreakpointKind.NODE:
            return [graph.index_of[point.where]] if point.where in graph.index_of else []
        case BreakpointKind.OPERATOR:
            return [node for node in range(len(graph)) if is_operator(graph.target(node), point.where)]
        case BreakpointKind.MODULE:
            inside = [_is_inside(graph.module(node), point.where) for node in range(len(graph))]
        case BreakpointKind.LINE:
            on_line = set(nodes_on_line(graph, point.where, point.line))
            inside = [node in on_line for node in range(len(graph))]
        case _:
            return []
    if point.is_after:
        return [node for node, is_in in enumerate(inside) if is_in]
    return [node for node, is_in in enumerate(inside) if is_in and not (node and inside[node - 1])]


def is_operator(target: str, where: str) -> bool:
    """Whether a node's target is an operator, or one of its overloads."""
    return bool(where) and (target == where or target.startswith(f"{where}."))


def nodes_on_line(graph: Graph, file: str, line: int) -> list[int]:
    """The nodes that come from a line of a file, given whole or as the end of its path; of any file without one."""
    places = (place for place in graph.nodes_by_line if place[1] == line and (not file or is_file(place[0], file)))
    return sorted({node for place in places for node in graph.nodes_by_line[place]})


def is_file(path: str, file: str) -> bool:
    """Whether a path is a file, given whole or as the end of its path."""
    return bool(file) and (path == file or path.endswith(f"/{file}"))


def marked_nodes(session: Session, kind: GraphKind) -> list[int]:
    """The nodes of a graph at which stepping stops; in the joint graph those of which a copy stops it."""
    found: dict[int, None] = {}
    points = [point for point in session.breakpoints.points if point.enabled and point.kind.is_place]
    for owner in GraphKind:
        graph = session.graph(owner)
        if points and graph is not None and owner is not GraphKind.JOINT and kind in (owner, GraphKind.JOINT):
            nodes = [node for point in points for node in nodes_of(point, graph)]
            found.update(dict.fromkeys(session.copies_in(kind, owner, nodes)))
    return list(found)


def marked_lines(session: Session, file: str) -> dict[int, bool]:
    """Lines of a file that one stops at, and whether the breakpoint there is switched on."""
    lines: dict[int, bool] = {}
    for point in session.breakpoints.points:
        if point.kind is BreakpointKind.LINE and is_file(file, point.where):
            lines[point.line] = lines.get(point.line, False) or point.enabled
    return lines


def has_breakpoint(session: Session, kind: GraphKind, name: str) -> bool:
    """Whether stepping stops at a node, wherever it runs."""
    runs = _runs(session, kind, name)
    return bool(runs) and all(_at(session, half, node) for half, node in runs)


def toggle_node(session: Session, kind: GraphKind, name: str) -> None:
    """Sets or removes the breakpoint on a node; one of the joint graph, which never runs, has it on its copies."""
    runs = _runs(session, kind, name)
    if has_breakpoint(session, kind, name):
        session.breakpoints.remove(point.id for half, node in runs for point in _at(session, half, node))
        return
    for half, node in runs:
        if not _at(session, half, node):
            name = session.breakpoints.new_id()
            session.breakpoints.put(Breakpoint(id=name, kind=BreakpointKind.NODE, graph=half, where=node))


def breakpoint_for(session: Session, kind: GraphKind, node: int) -> list[Breakpoint]:
    """The breakpoint on a node, or a new one that is not set yet; none where the node does not run."""
    graph = session.graph(kind)
    runs = _runs(session, kind, graph.names[node]) if graph else []
    for half, name in runs[:1]:
        there = _at(session, half, name)
        new = Breakpoint(id=session.breakpoints.new_id(), kind=BreakpointKind.NODE, graph=half, where=name)
        return there[:1] or [new]
    return []


def toggle_line(session: Session, file: str, line: int) -> None:
    """Sets or removes the breakpoint on a line of a file."""
    there = [
        point.id
        for point in session.breakpoints.points
        if point.kind is BreakpointKind.LINE and point.line == line and is_file(file, point.where)
    ]
    if there:
        session.breakpoints.remove(there)
    else:
        name = session.breakpoints.new_id()
        session.breakpoints.put(Breakpoint(id=name, kind=BreakpointKind.LINE, where=file, line=line))


def stops_at_input(session: Session, graph: Graph, first: int) -> bool:
    """Whether stepping stops at an input, before the first operator."""
    points = [point for point in session.breakpoints.points if point.enabled and point.kind.is_place]
    return any(node < first for point in points for node in nodes_of(point, graph))


def first_operator(graph: Graph) -> int:
    """Index of the first node that computes something; the number of nodes where none does."""
    return next((node for node, op in enumerate(graph.ops) if op not in _GIVEN), len(graph))


def _is_inside(module: str, where: str) -> bool:
    return bool(where) and (module == where or module.startswith(f"{where}."))


def _at(session: Session, kind: GraphKind, name: str) -> list[Breakpoint]:
    """The breakpoints on a node of a graph that runs."""
    return [
        point
        for point in session.breakpoints.points
        if point.kind is BreakpointKind.NODE and point.where == name and point.graph in (kind, None)
    ]


def _runs(session: Session, kind: GraphKind, name: str) -> list[tuple[GraphKind, str]]:
    """Graphs and names under which a node runs; nothing for one that the partitioner eliminated."""
    region, graph = session.region, session.graph(kind)
    if kind is not GraphKind.JOINT or region is None or graph is None or name not in graph.index_of:
        return [(kind, name)]
    copies = region.counterparts(kind, graph.index_of[name])
    halves = {half: nodes for half, nodes in copies.items() if half is not kind}
    return [(half, region.graphs[half].names[node]) for half, nodes in halves.items() for node in nodes]
