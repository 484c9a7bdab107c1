"""The card beside the pointer that tells what a box is."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from aotgui.gui.canvas.group_facts import difference, run_extent
from aotgui.gui.canvas.nested_graphs import graphs_of
from aotgui.gui.canvas.scene import Scene, short_operator, short_type
from aotgui.gui.canvas.theme import CanvasTheme
from aotgui.model.graph import Fate, Graph, Role, Side

PADDING: Final = 10.0
MAX_WIDTH: Final = 440.0
GAP: Final = 14.0
_UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")


def format_bytes(size: int) -> str:
    """``1.5 MiB``."""
    value, unit = float(size), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{size} B" if not unit else f"{value:.1f} {_UNITS[unit]}"


def describe(scene: Scene, item: int) -> list[str]:
    """The lines of an item's card, the title first."""
    node = scene.node_of(item)
    if node >= 0:
        return describe_node(scene.graph, node)
    return describe_group(scene, scene.group_of(item))


def describe_group(scene: Scene, number: int) -> list[str]:
    """The lines of a group's card, the title first."""
    groups = scene.layout.groups
    group = groups[number]
    lines = [group.title, run_extent(group), *scene.ledger.facts(group).sentences()]
    if group.differs:
        others = [other for other in groups if other.parent == group.parent and other is not group]
        lines.append(difference(scene.graph, group, others))
    lines.append("+ or a double click opens it")
    return [line for line in lines if line]


def describe_node(graph: Graph, node: int) -> list[str]:
    """The lines of a node's card, the title first."""
    lines = [graph.title(node)]
    role, name, target = Role(graph.roles[node]), graph.names[node], graph.target(node)
    if target.startswith("<"):  # <built-in function getitem>
        target = short_operator(target)
    lines.append(target if role is Role.OPERATOR else f"{role.label}  {name}" if name != lines[0] else role.label)
    types = [short_type(info) for info in graph.tensors(node)]
    size = graph.size_bytes(node)
    value = ", ".join(types[:3]) + (" …" if len(types) > 3 else "")
    lines.append(f"{value}   {format_bytes(size)}" if size else value)
    lines.append(f"{Side(graph.sides[node]).label} side, {Fate(graph.fates[node]).label}")
    lines.extend(f"returned as {output.label or output.kind.label}" for output in graph.outputs_of(node)[:2])
    lines.append(graph.module(node))
    frame = graph.source(node)
    if frame:
        lines.append(f"{PurePath(frame.file).name}:{frame.line}  in {frame.function}")
    if names := graphs_of(graph, node):
        lines.append(f"double click opens {' or '.join(names)}")
    return [line for line in lines if line]


def sentence(scene: Scene, item: int) -> str:
    """What a screen reader says of an item."""
    inputs, users = len(scene.edges_into(item)), len(scene.edges_from(item))
    return f"{'. '.join(describe(scene, item))}. {_many(inputs, 'input')}, {_many(users, 'user')}."


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def paint_card(painter: QPainter, lines: list[str], pointer: QPointF, view: QSize, theme: CanvasTheme) -> QRectF:
    """Paints a card near the pointer, inside the view, in logical pixels; returns its place."""
    fonts = [_font(bold=True)] + [_font() for _ in lines[1:]]
    metrics = [QFontMetricsF(font) for font in fonts]
    shown = [
        m.elidedText(line, Qt.TextElideMode.ElideMiddle, MAX_WIDTH) for m, line in zip(metrics, lines, strict=True)
    ]
    width = max(m.horizontalAdvance(line) for m, line in zip(metrics, shown, strict=True)) + 2 * PADDING
    height = sum(m.height() + 2 for m in metrics) + 2 * PADDING - 2
    card = _place(pointer, width, height, view)
    _paint_panel(painter, card, theme)
    y = card.top() + PADDING
    for index, (line, font, metric) in enumerate(zip(shown, fonts, metrics, strict=True)):
        painter.setFont(font)
        painter.setPen(QColor(theme.text if index == 0 else theme.muted_text))
        painter.drawText(QPointF(card.left() + PADDING, y + metric.ascent()), line)
        y += metric.height() + 2
    return card


def _paint_panel(painter: QPainter, card: QRectF, theme: CanvasTheme) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(0, 0, 0, 26))
    painter.drawRoundedRect(card.translated(0, 2).adjusted(-1, -1, 1, 2), 8, 8)
    painter.setPen(QPen(QColor(theme.card_border), 1))
    painter.setBrush(QColor(theme.card_fill))
    painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)


def _place(pointer: QPointF, width: float, height: float, view: QSize) -> QRectF:
    x, y = pointer.x() + GAP, pointer.y() + GAP
    if x + width > view.width() - 4:
        x = max(4.0, pointer.x() - GAP - width)
    if y + height > view.height() - 4:
        y = max(4.0, pointer.y() - GAP - height)
    return QRectF(round(x), round(y), round(width), round(height))


def _font(*, bold: bool = False) -> QFont:
    font = QFont()
    font.setPixelSize(12)
    font.setBold(bold)
    return font
