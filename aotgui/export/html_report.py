"""A capture as one HTML file that opens anywhere, offline: settings, verdict, graphs to pan and zoom, saved values.

The graphs are our own SVG inside the page. Script and style sheet stand in ``resources/report`` and are written into
the page; nothing is loaded from elsewhere, and a content policy forbids it.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from aotgui import __version__
from aotgui.export.svg import svg_of
from aotgui.layout.engine import lay_out
from aotgui.model.capture import Capture, Check, CheckStatus, Comparison, Region, SavedValue
from aotgui.model.decision import DECISIONS_TITLE, decisions_text
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.palette import palette
from aotgui.model.resources import resource_path
from aotgui.model.settings import OPTIONS
from aotgui.model.text import bytes_text, count_text, number_text, percent_text, place_text, seconds_text

_VERDICTS: Final = {
    CheckStatus.MATCH: "matches eager",
    CheckStatus.MISMATCH: "differs from eager",
    CheckStatus.NOT_RUN: "not compared with eager",
}
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


class _Cell(msgspec.Struct, frozen=True):
    """One cell of a table.

    Attributes:
        text: what is read.
        value: what it is sorted by, for a number; None where the text says it.
        kind: class of the cell: ``number``, ``code``, a status, or empty.
        tip: said when the pointer rests on it, or empty.
    """

    text: str
    value: float | None = None
    kind: str = ""
    tip: str = ""


def html_report(capture: Capture, *, dark: bool = False) -> str:
    """The whole report.

    Args:
        capture: what is reported; one without graphs has its problems only.
        dark: light on dark.
    """
    return "\n".join(_page(capture, dark)) + "\n"


def _page(capture: Capture, dark: bool) -> Iterator[str]:
    name = Path(capture.source).name
    yield f'<!doctype html>\n<html lang="en"{" class=dark" if dark else ""}>\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_text(name)} - aotgui report</title>"
    yield f"<style>\n{_resource('report.css')}</style>\n</head>\n<body>"
    yield f"<h1>{_text(name)}{': ' + _text(capture.target) if capture.target else ''}</h1>"
    yield f'<p class="lead">{_text(capture.source)}</p>'
    yield from _verdict(capture.check)
    yield from _notices(capture)
    for region in capture.regions:
        yield from _region(region, capture, dark)
    yield from _check(capture.check)
    yield from _settings(capture)
    yield f"<footer>Written by aotgui {_text(__version__)} with torch {_text(capture.torch or 'unknown')}.</footer>"
    yield f"<script>\n{_resource('report.js')}</script>\n</body>\n</html>"


def _verdict(check: Check) -> Iterator[str]:
    yield f'<p><span class="verdict {check.status}">{_VERDICTS[check.status]}</span></p>'
    facts = []
    if check.max_error is not None:
        facts.append(("Largest error", number_text(check.max_error, 3)))
    if check.eager_error is not None:
        facts.append(("Eager's own error", number_text(check.eager_error, 3)))
    if check.note:
        facts.append(("Judged", check.note))
    yield from _facts(facts)


def _notices(capture: Capture) -> Iterator[str]:
    if capture.problems:
        yield "<h2>Problems</h2>"
        yield from _notice_list(
            (problem.severity, problem.message, problem.file, problem.line, "") for problem in capture.problems
        )
    if capture.findings:
        yield "<h2>Findings</h2>"
        yield from _notice_list(
            (finding.severity, finding.message, finding.file, finding.line, finding.advice)
            for finding in capture.findings
        )


def _notice_list(notices: Iterable[tuple[str, str, str, int, str]]) -> Iterator[str]:
    yield '<ul class="notices">'
    for severity, message, file, line, advice in notices:
        place = f" ({_text(place_text(file, line))})" if file else ""
        more = f"<small>{_text(advice)}</small>" if advice else ""
        yield f'<li><b class="{severity}">{severity}</b> {_text(message)}{place}{more}</li>'
    yield "</ul>"


def _region(region: Region, capture: Capture, dark: bool) -> Iterator[str]:
    yield f"<h2>{_text(region.name.capitalize())}</h2>"
    yield from _facts(_region_facts(region))
    graphs = [region.graphs[kind] for kind in GraphKind if kind in region.graphs]
    if graphs:
        yield from _viewer(graphs, capture, dark)
    if region.saved:
        yield "<h3>Saved for backward</h3>"
        yield from _saved_table(region)


def _region_facts(region: Region) -> list[tuple[str, str]]:
    facts = [
        (kind.capitalize(), f"{count_text(graph.node_count, 'node')}, {count_text(graph.edge_count, 'edge')}")
        for kind, graph in region.graphs.items()
    ]
    graph = region.main_graph
    if graph is not None and region.is_training:
        fates = (f"{count} {fate.label}" for fate, count in graph.fate_counts().items() if count)
        facts.append(("Fates", ", ".join(fates)))
        saved = f"{count_text(len(region.saved), 'value')}, {bytes_text(region.saved_bytes)}"
        facts.append(("Saved", f"{saved}, of which activations {bytes_text(region.saved_bytes_of('activation'))}"))
    return facts


def _viewer(graphs: Sequence[Graph], capture: Capture, dark: bool) -> Iterator[str]:
    yield '<div class="viewer">\n<div class="bar" role="tablist">'
    yield from (f'<button role="tab">{_text(graph.kind.capitalize())}</button>' for graph in graphs)
    yield '<span class="room"></span>'
    yield '<input type="search" placeholder="Find in the graph" aria-label="Find in the graph"><output></output>'
    yield '<button class="out" title="Zoom out">&minus;</button><button class="in" title="Zoom in">+</button>'
    yield '<button class="fit" title="Show the whole graph (double click)">Fit</button>\n</div>'
    for graph in graphs:
        background = palette(dark).background
        yield f'<div class="picture" style="background: {background}">{_picture(graph, capture, dark)}</div>'
    yield "</div>"


def _picture(graph: Graph, capture: Capture, dark: bool) -> str:
    """The SVG as an element of the page; the same node is in several graphs, so that its name cannot be an id."""
    svg = svg_of(graph, lay_out(graph), dark=dark, title=f"{capture.target}, {graph.kind} graph")
    return svg[svg.index("<svg") :].replace('<g id="n-', '<g data-node="')


def _saved_table(region: Region) -> Iterator[str]:
    head = [("Value", ""), ("Type", ""), ("Bytes", "number"), ("Share", "number"), ("Role", ""), ("Line", "")]
    head += [("Module", ""), ("Reason", "")]
    ranked = sorted(region.saved, key=lambda value: (-value.storage_bytes, -value.size_bytes))
    yield from _table(head, [_saved_row(value, region.saved_bytes) for value in ranked])


def _saved_row(value: SavedValue, total: int) -> list[_Cell]:
    file, _, line = value.source.rpartition(":")
    shared = "" if value.storage_bytes else "Shares the storage of another saved value."
    return [
        _Cell(value.label or value.name, kind="code", tip=value.name),
        _Cell(str(value.tensor), kind="code"),
        _Cell(bytes_text(value.size_bytes), value.size_bytes, "number", shared),
        _Cell(percent_text(value.storage_bytes, total), value.storage_bytes, "number"),
        _Cell(value.role),
        _Cell(place_text(file, int(line)) if line.isdecimal() else value.source, tip=value.source),
        _Cell(value.module),
        _Cell(value.reason),
    ]


def _check(check: Check) -> Iterator[str]:
    if not check.entries:
        return
    yield "<h2>Compared with eager</h2>"
    head = [("Name", ""), ("Kind", ""), ("Verdict", ""), ("Error", "number"), ("Eager's own", "number"), ("Note", "")]
    yield from _table(head, [_check_row(kind, entry) for kind, entry in check.entries])


def _check_row(kind: str, entry: Comparison) -> list[_Cell]:
    return [
        _Cell(entry.name, kind="code"),
        _Cell(kind),
        _Cell(entry.status.replace("_", " "), kind=entry.status),
        _Cell(number_text(entry.max_error, 3), _sortable(entry.max_error), "number"),
        _Cell(number_text(entry.eager_error, 3), _sortable(entry.eager_error), "number"),
        _Cell(entry.note),
    ]


def _sortable(error: float | None) -> float:
    return -1.0 if error is None else error


def _settings(capture: Capture) -> Iterator[str]:
    yield "<h2>Settings</h2>"
    facts = [("Route", capture.route)]
    facts += [(option.title, str(getattr(capture.settings, option.field)) or "same") for option in OPTIONS]
    if capture.settings.decisions:
        facts += [(DECISIONS_TITLE, decisions_text(capture.settings.decisions))]
    facts += [(time.stage.label, seconds_text(time.seconds)) for time in capture.stages]
    yield from _facts(facts)


def _facts(facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield '<dl class="facts">'
    yield from (f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in facts)
    yield "</dl>"


def _table(head: Sequence[tuple[str, str]], rows: Iterable[Sequence[_Cell]]) -> Iterator[str]:
    yield '<div class="wide"><table class="sorted"><thead><tr>'
    yield from (f"<th{_class(kind)}><button>{_text(title)}</button></th>" for title, kind in head)
    yield "</tr></thead><tbody>"
    yield from (f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    yield "</tbody></table></div>"


def _cell(cell: _Cell) -> str:
    value = "" if cell.value is None else f' data-value="{cell.value}"'
    tip = f' title="{_text(cell.tip)}"' if cell.tip else ""
    return f"<td{_class(cell.kind)}{value}{tip}>{_text(cell.text)}</td>"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _text(text: str) -> str:
    return html.escape(text)


def _resource(name: str) -> str:
    return resource_path("report", name).read_text(encoding="utf-8")
