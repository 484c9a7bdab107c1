"""The node at which a compiler goes wrong, as a page of texts and links."""

from __future__ import annotations

from typing import Final

from aotgui.gui.panels.cause_page import range_text
from aotgui.gui.panels.inspector_links import LineTarget, Link, NodeTarget, Part
from aotgui.gui.panels.inspector_page import Page, Row, Section
from aotgui.model.comparison import Culprit, CulpritKind
from aotgui.model.graph import Graph
from aotgui.model.text import count_text, number_text, place_text

SHOWN_ELEMENTS: Final = 8
_SUBTITLES: Final = {
    CulpritKind.WRONG: "gives a wrong value",
    CulpritKind.COMPILE: "cannot be compiled",
    CulpritKind.RUN: "fails when it is run",
}


def culprit_page(culprit: Culprit, graph: Graph | None) -> Page:
    """The page for a culprit.

    Args:
        culprit: what was found.
        graph: the graph that it names, or None where another capture is on screen.
    """
    sections = [Section("Node", tuple(_node_rows(culprit, graph)))]
    if culprit.expected or culprit.actual:
        sections.append(Section("Value", tuple(_value_rows(culprit))))
    if culprit.worst:
        sections.append(Section("Worst elements", tuple(_element_rows(culprit))))
    if culprit.inputs:
        rows = [Row(one.name, (range_text(one.stats),), is_code=True) for one in culprit.inputs]
        sections.append(Section("Given", tuple(rows)))
    if culprit.details:
        sections.append(Section("The compiler says", (Row("", (culprit.details.strip(),), is_code=True),)))
    subtitle = f"{culprit.compiler}, {culprit.graph}: {_SUBTITLES[culprit.kind]}"
    return Page(culprit.node, subtitle, sentence=culprit.message, sections=tuple(sections))


def _node_rows(culprit: Culprit, graph: Graph | None) -> list[Row]:
    node: Part = culprit.node
    if graph is not None and culprit.node in graph.index_of:
        index = graph.index_of[culprit.node]
        node = Link(culprit.node, NodeTarget(culprit.graph, index), f"{culprit.node} in {culprit.graph}")
    rows = [Row("Node", (node,)), Row("Operator", (culprit.op,), is_code=True)]
    if culprit.output not in ("", culprit.node):
        rows.append(Row("Differs in", (culprit.output,), is_code=True))
    if culprit.file:
        tip = f"{culprit.file}, line {culprit.line}"
        link = Link(place_text(culprit.file, culprit.line), LineTarget(culprit.file, culprit.line), tip)
        rows.append(Row("Source", (link,)))
    if culprit.module:
        rows.append(Row("Module", (culprit.module,), is_code=True))
    alone = "Yes" if culprit.alone else "No, only together with what comes before it"
    rows.append(Row("Fails alone", (alone,)))
    searched = f"{count_text(culprit.compilations, 'compilation')} for {count_text(culprit.nodes, 'operator')}"
    rows.append(Row("Found by", (searched,)))
    return rows


def _value_rows(culprit: Culprit) -> list[Row]:
    rows = []
    if culprit.expected:
        rows.append(Row("Expected", (range_text(culprit.expected),), is_code=True))
    if culprit.actual:
        rows.append(Row("Compiled", (range_text(culprit.actual),), is_code=True, is_alarm=True))
    if culprit.max_error is not None:
        rows.append(Row("Largest error", (number_text(culprit.max_error, 3),)))
    if culprit.eager_error is not None:
        rows.append(Row("The graph's own", (number_text(culprit.eager_error, 3),)))
    return rows


def _element_rows(culprit: Culprit) -> list[Row]:
    return [
        Row(
            f"[{', '.join(map(str, element.index))}]",
            (f"{_number(element.expected)} expected, {_number(element.actual)} compiled",),
            is_code=True,
        )
        for element in culprit.worst[:SHOWN_ELEMENTS]
    ]


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else number_text(value, 7)
