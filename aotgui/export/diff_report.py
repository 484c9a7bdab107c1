"""What differs between two captures, as text for a terminal and as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from aotgui.export.report import Document, saved_document
from aotgui.export.text_table import table_lines
from aotgui.model.capture import Capture, Region
from aotgui.model.diff import CaptureDiff, GraphDiff, RegionDiff
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.text import bytes_text, count_text, signed_bytes_text

_SHOWN: Final = 12
"""Nodes or values of one sort that the text names; the document has all."""


def diff_document(old: Capture, new: Capture, diff: CaptureDiff) -> Document:
    """The differences as a JSON document; nodes are named, those that moved with both fates."""
    return {
        "old": old.source,
        "new": new.source,
        "same": diff.is_empty,
        "settings": [{"name": name, "old": before, "new": after} for name, before, after in diff.settings],
        "removed_regions": diff.removed_regions,
        "added_regions": diff.added_regions,
        "regions": [
            _region_document(one, other, region)
            for one, other, region in zip(old.regions, new.regions, diff.regions, strict=False)
        ],
    }


def _region_document(old: Region, new: Region, diff: RegionDiff) -> Document:
    graphs = {str(kind): _graph_document(old.graphs[kind], new.graphs[kind], d) for kind, d in diff.graphs.items()}
    return {
        "name": diff.name,
        **graphs,
        "removed_graphs": list(map(str, diff.only_old)),
        "added_graphs": list(map(str, diff.only_new)),
        "saved_gained": [saved_document(value) for value in diff.saved_gained],
        "saved_lost": [saved_document(value) for value in diff.saved_lost],
        "saved_bytes": {"old": diff.old_saved_bytes, "new": diff.new_saved_bytes},
    }


def _graph_document(old: Graph, new: Graph, diff: GraphDiff) -> Document:
    return {
        "nodes": {"old": old.node_count, "new": new.node_count},
        "removed": [old.names[node] for node in diff.removed],
        "added": [new.names[node] for node in diff.added],
        "changed": [
            {"old": old.names[change.old], "new": new.names[change.new], "what": list(change.what)}
            for change in diff.changed
        ],
        "moved": [
            {
                "old": old.names[moved.old],
                "new": new.names[moved.new],
                "old_fate": moved.old_fate.label,
                "new_fate": moved.new_fate.label,
            }
            for moved in diff.moved
        ],
    }


def diff_text(old: Capture, new: Capture, diff: CaptureDiff) -> str:
    """The differences, the most telling ones first; a sentence where there are none."""
    lines = [f"Old       {old.source}", f"New       {new.source}"]
    lines += [
        f"{name[:1].upper() + name[1:]:<24}  {before or 'none'} -> {after or 'none'}"
        for name, before, after in diff.settings
    ]
    lines += [f"Only in the old: {name}" for name in diff.removed_regions]
    lines += [f"Only in the new: {name}" for name in diff.added_regions]
    for one, other, region in zip(old.regions, new.regions, diff.regions, strict=False):
        lines += ["", *_region_lines(one, other, region)]
    return "\n".join(lines) + "\n"


def _region_lines(old: Region, new: Region, diff: RegionDiff) -> Iterator[str]:
    name = diff.name.capitalize()
    if diff.is_empty:
        yield f"{name}: the same graphs, the same saved values."
        return
    yield name
    yield from table_lines(
        [_count_row(old.graphs[kind], new.graphs[kind], graph) for kind, graph in diff.graphs.items()], right={1}
    )
    yield from (f"  only in the old: the {kind} graph" for kind in diff.only_old)
    yield from (f"  only in the new: the {kind} graph" for kind in diff.only_new)
    if GraphKind.JOINT in diff.graphs:
        yield from _fate_lines(new.graphs[GraphKind.JOINT], diff.graphs[GraphKind.JOINT])
    yield from _saved_lines(diff)
    for kind, graph in diff.graphs.items():
        yield from _node_lines(old.graphs[kind], new.graphs[kind], graph)


def _count_row(old: Graph, new: Graph, diff: GraphDiff) -> list[str]:
    counts = {
        "added": len(diff.added),
        "removed": len(diff.removed),
        "changed": len(diff.changed),
        "with another fate": len(diff.moved),
    }
    texts = [f"{count} {word}" for word, count in counts.items() if count]
    return [str(diff.kind), f"{old.node_count} -> {new.node_count} nodes", ", ".join(texts) or "the same"]


def _fate_lines(new: Graph, diff: GraphDiff) -> Iterator[str]:
    """Names by the old and new fate."""
    groups: dict[str, list[str]] = {}
    for moved in diff.moved:
        way = f"{moved.old_fate.label} -> {moved.new_fate.label}"
        groups.setdefault(way, []).append(new.title(moved.new))
    for way, names in sorted(groups.items(), key=lambda item: -len(item[1])):
        yield f"  {way}: {_listed(names)}"


def _saved_lines(diff: RegionDiff) -> Iterator[str]:
    if not diff.saved_gained and not diff.saved_lost and diff.old_saved_bytes == diff.new_saved_bytes:
        return
    change = signed_bytes_text(diff.new_saved_bytes - diff.old_saved_bytes)
    yield f"  saved: {bytes_text(diff.old_saved_bytes)} -> {bytes_text(diff.new_saved_bytes)} ({change})"
    for words, values in (("no longer saved", diff.saved_lost), ("newly saved", diff.saved_gained)):
        if values:
            ranked = sorted(values, key=lambda value: -value.size_bytes)
            names = [f"{value.label or value.name} {bytes_text(value.size_bytes)}" for value in ranked]
            yield f"  {words}: {count_text(len(values), 'value')}: {_listed(names)}"


def _node_lines(old: Graph, new: Graph, diff: GraphDiff) -> Iterator[str]:
    if diff.removed:
        yield f"  {diff.kind}: removed {_listed(old.title(node) for node in diff.removed)}"
    if diff.added:
        yield f"  {diff.kind}: added {_listed(new.title(node) for node in diff.added)}"
    for change in diff.changed[:_SHOWN]:
        yield f"  {diff.kind}: {new.title(change.new)}: {'; '.join(change.what)}"
    if len(diff.changed) > _SHOWN:
        yield f"  {diff.kind}: and {len(diff.changed) - _SHOWN} more changed nodes; --json lists all"


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
