"""Which page the inspector shows: of a node, of several, of the region, or that there is nothing yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from aotgui.gui.panels.inspector_links import MAX_LINKS, node_links
from aotgui.gui.panels.inspector_node import NodePage
from aotgui.gui.panels.inspector_page import Page, Row, Section
from aotgui.gui.session.session import Selection, Session
from aotgui.model.graph import Fate, Graph, Op
from aotgui.model.text import count_text, exact_bytes_text


def page_for(session: Session, opened: frozenset[str] = frozenset()) -> Page:
    """What to show for the selection.

    Args:
        session: the truth.
        opened: which collapsed lists the person opened (``inputs``, ``users``, ``stack``, ``nodes``).
    """
    selection, region = session.selection, session.region
    graph = session.graph(selection.graph)
    if region is None:
        return Page(
            "Nothing to inspect yet", sentence="Open a script: its graphs are captured and their nodes appear here."
        )
    if graph is None or not selection.nodes:
        return _overview(session)
    if len(selection.nodes) > 1:
        return _summary(graph, selection, opened)
    return NodePage(session, graph, selection.current, opened).build()


def _size_text(graph: Graph) -> str:
    return f"{count_text(graph.node_count, 'node')}, {count_text(graph.edge_count, 'edge')}"


def _overview(session: Session) -> Page:
    region = session.region
    assert region is not None
    rows = [Row(kind.value.capitalize(), (_size_text(graph),)) for kind, graph in region.graphs.items()]
    sections = [Section("Graphs", tuple(rows))]
    main = region.main_graph
    if main and region.is_training:
        sections.append(Section("Fates", _fate_rows(main.fates)))
        sections.append(Section("Saved for backward", _saved_rows(session)))
    title = session.capture.target if session.capture else region.name
    return Page(title, region.name, sentence="Select a node to inspect it.", sections=tuple(sections))


def _saved_rows(session: Session) -> tuple[Row, ...]:
    region = session.region
    assert region is not None
    activations = region.saved_bytes_of("activation")
    return (
        Row("Values", (f"{len(region.saved):,}",)),
        Row("Activations", (exact_bytes_text(activations),)),
        Row("Others", (exact_bytes_text(region.saved_bytes - activations),)),
    )


def _fate_rows(fates: Iterable[int]) -> tuple[Row, ...]:
    counts = Counter(fates)
    return tuple(Row(fate.label.capitalize(), (f"{counts[fate]:,}",)) for fate in Fate if counts[fate])


def _summary(graph: Graph, selection: Selection, opened: frozenset[str]) -> Page:
    nodes = selection.nodes
    total = sum(graph.size_bytes(node) for node in nodes)
    operators = Counter(graph.target(node) for node in nodes if graph.ops[node] != Op.PLACEHOLDER)
    sections = [
        Section("Values", (Row("Bytes", (exact_bytes_text(total),)),)),
        Section("Fates", _fate_rows(graph.fates[node] for node in nodes)),
    ]
    if operators:
        rows = (Row(f"{count:,}", (name,), is_code=True) for name, count in operators.most_common(MAX_LINKS))
        sections.append(Section("Operators", tuple(rows)))
    links = node_links(graph, nodes, "nodes", opened="nodes" in opened)
    sections.append(Section("Selected", (Row("Nodes", links),)))
    return Page(count_text(len(nodes), "node"), f"selected in the {graph.kind} graph", sections=tuple(sections))
