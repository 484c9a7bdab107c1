"""The chain from a NaN or Inf back to its cause, as a page of texts and links."""

from __future__ import annotations

from typing import Final

from aotgui.gui.panels.inspector_links import LineTarget, Link, NodeTarget, Part
from aotgui.gui.panels.inspector_page import Page, Row, Section
from aotgui.model.cause import Cause, CauseInput, CausePartner, CauseStep
from aotgui.model.graph import GraphKind
from aotgui.model.text import number_text, place_text
from aotgui.model.values import ValueStats

GAP: Final = "\u2003"
"""A space that rich text does not join with its neighbours."""


def cause_page(name: str, cause: Cause) -> Page:
    """The page for the cause of the bad value of a node; the origin comes first, then the way from it to the node."""
    origin = cause.steps[cause.origin] if 0 <= cause.origin < len(cause.steps) else None
    sections = [_origin_section(origin)] if origin else []
    if len(cause.steps) > 1:
        sections.append(_chain_section(cause))
    return Page(f"Cause of NaN or Inf in {name}", sentence=cause.text, sections=tuple(sections))


def _origin_section(step: CauseStep) -> Section:
    rows = [
        Row("Node", (_node(step.graph, step.node, step.name),)),
        Row("Operator", (step.target,), is_code=True),
        Row("What it does", (step.text,)),
        Row("Gives", (range_text(step.stats),), is_code=True, is_alarm=True),
        *_input_rows(step.graph, step.inputs),
    ]
    if step.file:
        rows.append(Row("Source", (_line(step.file, step.line),)))
    if step.module:
        rows.append(Row("Module", (step.module,), is_code=True))
    if step.partner:
        rows += _partner_rows(step.partner)
    return Section("Origin", tuple(rows))


def _partner_rows(partner: CausePartner) -> list[Row]:
    node: tuple[Part, ...] = (_node(GraphKind.FORWARD, partner.node, partner.name), f"{GAP}{partner.target}")
    rows = [Row("Forward part", node)]
    if partner.stats:
        rows.append(Row("Gave", (range_text(partner.stats),), is_code=True))
    rows += [Row(f"of {one.name}", (range_text(one.stats),), is_code=True) for one in partner.inputs]
    if partner.file:
        rows.append(Row("Source", (_line(partner.file, partner.line),)))
    return rows


def _chain_section(cause: Cause) -> Section:
    """From the origin to the value that was asked about."""
    rows = []
    for step in reversed(cause.steps):
        parts: list[Part] = [step.text, " "]
        parts += [part for part in (_line(step.file, step.line),) if step.file]
        rows.append(Row("", (_node(step.graph, step.node, step.name), f"{GAP}{range_text(step.stats)}")))
        rows.append(Row("", tuple(parts)))
    return Section("From the origin to this value", tuple(rows))


def _input_rows(graph: GraphKind, inputs: list[CauseInput]) -> list[Row]:
    return [
        Row(f"Input {place}", (_node(graph, one.stats.node, one.name), f"{GAP}{range_text(one.stats)}"))
        for place, one in enumerate(inputs, start=1)
    ]


def range_text(stats: ValueStats) -> str:
    """``float32[4, 5]  -1.5 to 2, 3 zeros, 1 NaN``."""
    if not stats.tensor.is_tensor:
        return stats.text
    facts = []
    if stats.minimum is not None:
        facts.append(f"{number_text(stats.minimum)} to {number_text(stats.maximum)}")
    facts += [f"{count:,} {words}" for count, words in ((stats.nans, "NaN"), (stats.infs, "Inf")) if count]
    facts += [f"{stats.zeros:,} zero{'s' * (stats.zeros > 1)}"] if stats.zeros else []
    return GAP.join(part for part in (str(stats.tensor), ", ".join(facts)) if part)


def _node(graph: GraphKind, node: int, name: str) -> Link:
    return Link(name, NodeTarget(graph, node), f"{name} in {graph}")


def _line(file: str, line: int) -> Link:
    return Link(place_text(file, line), LineTarget(file, line), file)
