"""``aotgui export``: one graph into a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from aotgui.cli.arguments import add_settings, add_source
from aotgui.cli.capturing import (
    capture_of,
    chosen_graph,
    chosen_region,
    without_graphs,
)
from aotgui.cli.engine_export import export_by_engine, export_folder
from aotgui.cli.outcome import CommandError, ExitStatus, say_problems
from aotgui.cli.where import Where, add_where, where_of
from aotgui.export.files import write_bytes_atomically
from aotgui.export.tables import check_csv, nodes_csv, saved_csv
from aotgui.model.capture import Capture
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.induced import induced_graph
from aotgui.protocol.messages import ExportTorchScript, FolderForm

FORMATS: Final = ("svg", "png", "pdf", "dot", "graphml", "json", "csv", "code", "html", "torchscript", "bundle", "fx")
TABLES: Final = ("nodes", "saved", "check")
_PARTS: Final = ("svg", "png", "pdf", "dot", "graphml", "json", "csv")
"""Formats that can hold a part of a graph."""
_ENDINGS: Final = {
    ".svg": "svg",
    ".png": "png",
    ".pdf": "pdf",
    ".dot": "dot",
    ".gv": "dot",
    ".graphml": "graphml",
    ".json": "json",
    ".csv": "csv",
    ".py": "code",
    ".html": "html",
    ".htm": "html",
    ".pt": "torchscript",
    ".pth": "torchscript",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_source(parser)
    group = parser.add_argument_group("result")
    group.add_argument("--graph", choices=list(map(str, GraphKind)), help="which graph (default: joint, or inference)")
    group.add_argument("--format", choices=FORMATS, help="what to write (default: from the ending of OUT)")
    group.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="file to write, or folder (bundle, fx); - for standard output",
    )
    group.add_argument("--dark", action="store_true", help="light on dark (svg, png, pdf, html)")
    group.add_argument("--table", choices=TABLES, default="nodes", help="which table (csv; default: nodes)")
    add_where(group, "export only the nodes that a search finds, with the edges between them")
    add_settings(parser)


def export(arguments: argparse.Namespace) -> ExitStatus:
    """Writes the file. What else is wrong with the capture is said, but is no failure of the export."""
    form, where = _format(arguments), where_of(arguments)
    if where and (form not in _PARTS or (form == "csv" and arguments.table != "nodes")):
        raise CommandError(f"--where takes a part of a graph: {', '.join(_PARTS)}.", ExitStatus.USAGE)
    if form == "torchscript":
        return _export_torchscript(arguments)
    if form in tuple(FolderForm):
        return export_folder(arguments, FolderForm(form))
    result = capture_of(arguments)
    captured = result.capture
    if not captured.regions:
        return without_graphs(result)
    graph = _graph(arguments, captured, GraphKind.JOINT)
    if where:
        graph = _part(graph, where)
    write_output(arguments.output, _content(graph, form, captured, arguments))
    say_problems(captured.problems)
    return ExitStatus.FINE


def format_of_ending(output: str) -> str | None:
    """The format that a file's name asks for; None where its ending belongs to none."""
    return _ENDINGS.get(Path(output).suffix.lower())


def _format(arguments: argparse.Namespace) -> str:
    form = arguments.format or format_of_ending(arguments.output)
    if form is None:
        raise CommandError(f"Say what to write with --format: {', '.join(FORMATS)}.", ExitStatus.USAGE)
    if form == "torchscript" and arguments.output == "-":
        raise CommandError("TorchScript is checked in a file, so it cannot go to standard output.", ExitStatus.USAGE)
    if form == "torchscript" and arguments.graph == GraphKind.JOINT:
        raise CommandError("The joint graph is never compiled; choose --graph forward or backward.", ExitStatus.USAGE)
    return str(form)


def _graph(arguments: argparse.Namespace, captured: Capture, default: GraphKind) -> Graph:
    region = chosen_region(captured, arguments.region)
    if arguments.graph:
        return chosen_graph(region, GraphKind(arguments.graph))
    return chosen_graph(region, default if region.is_training else GraphKind.INFERENCE)


def _part(graph: Graph, where: Where) -> Graph:
    nodes = where.nodes(graph)
    if not nodes:
        raise CommandError(f"No node of the {graph.kind} graph is found by {where.text!r}.")
    return induced_graph(graph, nodes)


def _content(graph: Graph, form: str, captured: Capture, arguments: argparse.Namespace) -> bytes:
    title = f"{Path(captured.source).name}: {captured.target}, {graph.kind} graph"
    match form:
        case "json":
            from aotgui.export.graph_json import graph_json

            return graph_json(graph).encode()
        case "code":
            return (graph.code.rstrip() + "\n").encode()
        case "dot":
            from aotgui.export.dot import dot_of

            return dot_of(graph, title=title).encode()
        case "graphml":
            from aotgui.export.graphml import graphml_of

            return graphml_of(graph)
        case "csv":
            return _table(graph, captured, arguments).encode()
        case "html":
            from aotgui.export.html_report import html_report

            return html_report(captured, dark=arguments.dark).encode()
    return _picture(graph, form, title, arguments.dark)


def _table(graph: Graph, captured: Capture, arguments: argparse.Namespace) -> str:
    match arguments.table:
        case "saved":
            return saved_csv(chosen_region(captured, arguments.region))
        case "check":
            return check_csv(captured.check)
        case _:
            return nodes_csv(graph)


def _picture(graph: Graph, form: str, title: str, dark: bool) -> bytes:
    from aotgui.export.picture_options import PictureOptions
    from aotgui.export.svg import svg_of
    from aotgui.layout.engine import lay_out

    svg = svg_of(graph, lay_out(graph, PictureOptions()), dark=dark, title=title)
    if form == "svg":
        return svg.encode()
    from aotgui.gui.app.picture import pdf_of, png_of

    return png_of(svg) if form == "png" else pdf_of(svg, title)


def write_output(output: str, content: bytes) -> None:
    """Writes a file, or standard output for ``-``."""
    if output == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        write_bytes_atomically(Path(output), content)


def _export_torchscript(arguments: argparse.Namespace) -> ExitStatus:
    def request_of(captured: Capture, path: str) -> ExportTorchScript:
        kind = _graph(arguments, captured, GraphKind.FORWARD).kind
        return ExportTorchScript(request=1, region=arguments.region, graph=kind, path=path)

    return export_by_engine(arguments, request_of)
