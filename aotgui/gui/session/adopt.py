"""How a new capture takes the place of the one on screen, so that what a person looks at stays where it was."""

from __future__ import annotations

import msgspec

from aotgui.gui.session.session import Session
from aotgui.model.capture import Capture
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import RunEnded


def adopt_capture(session: Session, capture: Capture) -> None:
    """Shows a new capture: in place where its graphs are those shown, else with the same nodes selected by name.

    Nothing of a capture of another source is kept: its nodes are others, also where they have the same names.
    """
    old = session.capture if session.shows_source else None
    if old and _same_graphs(old, capture):
        session.clear_values()
        session.update_result(_with_graphs_of(old, capture))
        return
    kind, names = _selected_names(session) if old else (None, [])
    index = session.region_index if old else 0
    session.set_capture(capture)
    session.set_region_index(index)
    _show_an_existing_graph(session)
    graph = session.graph(kind)
    session.select(kind, [graph.index_of[name] for name in names if name in graph.index_of] if graph else ())


def adopt_result(session: Session, ended: RunEnded) -> None:
    """Adds what the end of a run tells to the capture that the same run gave."""
    capture = session.capture
    if capture is None:
        return
    regions = [
        region.with_changes(compilations=compilations)
        for region, compilations in zip(capture.regions, ended.compilations, strict=False)
    ]
    session.update_result(
        msgspec.structs.replace(
            capture,
            regions=regions + capture.regions[len(regions) :],
            check=ended.check,
            problems=ended.problems,
            findings=ended.findings,
            stages=ended.stages,
            settings=ended.settings,
            target=ended.target or capture.target,
        )
    )


def _same_graphs(old: Capture, new: Capture) -> bool:
    return [region.graphs for region in old.regions] == [region.graphs for region in new.regions]


def _with_graphs_of(old: Capture, new: Capture) -> Capture:
    """``new`` with the very graph objects of ``old``, so that views need not look at them again."""
    pairs = zip(new.regions, old.regions, strict=True)
    regions = [region.with_changes(graphs=shown.graphs) for region, shown in pairs]
    return msgspec.structs.replace(new, regions=regions)


def _selected_names(session: Session) -> tuple[GraphKind | None, list[str]]:
    selection = session.selection
    graph = session.graph(selection.graph)
    return selection.graph, [graph.names[node] for node in selection.nodes] if graph else []


def _show_an_existing_graph(session: Session) -> None:
    region = session.region
    if region and region.main_graph and session.graph_shown not in region.graphs:
        session.show_graph(region.main_graph.kind)
