"""What the colours and badges mean, how many boxes have each, and a filter: a click fades all others."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.sprites import BADGES
from aotgui.gui.canvas.theme import CanvasTheme
from aotgui.model.graph import Fate

ENTRY_HEIGHT: Final = 26
SWATCH: Final = 14.0
GAP: Final = 6.0
_TEXT_PX: Final = 12


class Axis(Enum):
    """What an entry filters by; entries of one axis add up, the axes narrow each other down."""

    CLASS = "class"
    FATE = "fate"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that the legend explains.

    Attributes:
        axis: fill or fate.
        value: class of the colouring, or ``Fate``.
        label: words.
        count: nodes, those inside of groups included.
        fill: swatch colour; for a fate the colour of its border and badge.
    """

    axis: Axis
    value: int
    label: str
    count: int
    fill: str


def entries_of(view: GraphView) -> list[Entry]:
    """What there is to explain about what a view shows; nothing that does not occur."""
    scene, colouring = view.scene, view.colouring
    if scene is None or colouring is None:
        return []
    counts = colouring.counts()
    entries = [
        Entry(Axis.CLASS, value, label, count, fill)
        for value, (label, count, fill) in enumerate(zip(colouring.labels, counts, colouring.fills, strict=True))
        if count
    ]
    if view.colour_mode is ColourMode.PARTITION:
        fates = scene.graph.fate_counts()
        entries += [Entry(Axis.FATE, f, f.label, fates[f], view.theme.fates[f]) for f in Fate if fates[f]]
    return entries


def faded(scene: Scene, classes: NDArray[np.uint8], chosen: set[Entry]) -> NDArray[np.bool_] | None:
    """Bool (nodes,): True for nodes that the chosen entries leave out; None where nothing is chosen.

    ``classes`` are those of the nodes.
    """
    if not chosen:
        return None
    keep = np.ones(len(scene.graph), np.bool_)
    for axis, column in ((Axis.CLASS, classes), (Axis.FATE, np.asarray(scene.graph.fates, np.uint8))):
        values = [entry.value for entry in chosen if entry.axis is axis]
        if values:
            keep &= np.isin(column, values)
    return ~keep


class EntryButton(QAbstractButton):
    """A swatch, a word and a number; checked while it filters."""

    def __init__(self, entry: Entry, theme: CanvasTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self.show_entry(entry, theme)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_entry(self, entry: Entry, theme: CanvasTheme) -> None:
        """Explains ``entry``, which may be the same thing with another count."""
        self.entry = entry
        self._theme = theme
        self.setToolTip(f"{entry.count:,} {entry.label}: click to fade all others")
        self.setAccessibleName(f"{entry.label}, {entry.count}")
        self.update()

    def sizeHint(self) -> QSize:
        """Room for everything on one line."""
        word, number = QFontMetricsF(_font()), QFontMetricsF(_font(bold=True))
        width = 3 * GAP + SWATCH + word.horizontalAdvance(self.entry.label) + GAP
        return QSize(round(width + number.horizontalAdvance(f"{self.entry.count:,}") + 2), ENTRY_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Swatch, word, number."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        middle = self.height() / 2
        self._paint_swatch(painter, QRectF(GAP, middle - SWATCH / 2, SWATCH, SWATCH))
        x = 2 * GAP + SWATCH
        for text, font, colour in (
            (self.entry.label, _font(), self._theme.text),
            (f"{self.entry.count:,}", _font(bold=True), self._theme.muted_text),
        ):
            metrics = QFontMetricsF(font)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            painter.drawText(QPointF(x, middle + (metrics.ascent() - metrics.descent()) / 2), text)
            x += metrics.horizontalAdvance(text) + GAP
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        box = QRectF(self.rect()).adjusted(0.5, 2.5, -0.5, -2.5)
        if self.isChecked() or self.underMouse() or self.hasFocus():
            ground = QColor(self._theme.accent)
            ground.setAlphaF(0.18 if self.isChecked() else 0.08)
            painter.setBrush(ground)
            outlined = self.isChecked() or self.hasFocus()
            painter.setPen(QPen(QColor(self._theme.accent), 1) if outlined else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(box, 5, 5)

    def _paint_swatch(self, painter: QPainter, box: QRectF) -> None:
        if self.entry.axis is Axis.CLASS:
            painter.setPen(QPen(QColor(self._theme.node_border), 1))
            painter.setBrush(QColor(self.entry.fill))
            painter.drawRoundedRect(box.adjusted(0.5, 1.5, -0.5, -1.5), 3, 3)
            return
        letter = BADGES.get(Fate(self.entry.value))
        painter.setPen(QPen(QColor(self.entry.fill), 1.5))
        painter.setBrush(QColor(self.entry.fill) if letter else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(box) if letter else painter.drawRoundedRect(box.adjusted(1, 2, -1, -2), 3, 3)
        if letter:
            painter.setFont(_font(bold=True, pixels=10))
            painter.setPen(QColor(self._theme.badge_text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)


class Legend(QWidget):
    """The entries of one view, in as many rows as the width asks for.

    Signals:
        filter_changed: bool (nodes,) of faded nodes, or None.
    """

    filter_changed = Signal(object)

    def __init__(self, view: GraphView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._buttons: list[EntryButton] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        view.appearance_changed.connect(self._on_appearance_changed)
        self._on_appearance_changed()

    @property
    def buttons(self) -> list[EntryButton]:
        """The entries from left to right."""
        return self._buttons

    def clear_filter(self) -> None:
        """Fades nothing."""
        for button in self._buttons:
            button.setChecked(False)
        self.apply_filter()

    def _on_appearance_changed(self) -> None:
        entries = entries_of(self._view)
        if [_key(button.entry) for button in self._buttons] == [_key(entry) for entry in entries]:
            self._update_buttons(entries)
            return
        chosen = {_key(button.entry) for button in self._buttons if button.isChecked()}
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = [EntryButton(entry, self._view.theme, self) for entry in entries]
        for button in self._buttons:
            button.setChecked(_key(button.entry) in chosen)
            button.clicked.connect(self.apply_filter)
            button.show()
        self._place(self.width())
        self.updateGeometry()
        self.apply_filter()

    def _update_buttons(self, entries: list[Entry]) -> None:
        """Other counts or colours of the same things."""
        changed = any(button.entry != entry for button, entry in zip(self._buttons, entries, strict=True))
        for button, entry in zip(self._buttons, entries, strict=True):
            button.show_entry(entry, self._view.theme)
        if changed:
            self._place(self.width())
            self.apply_filter()

    def apply_filter(self) -> None:
        """Tells again what is filtered, for a view that forgot."""
        scene, colouring = self._view.scene, self._view.colouring
        if scene is not None and colouring is not None:
            chosen = {button.entry for button in self._buttons if button.isChecked()}
            self.filter_changed.emit(faded(scene, colouring.node_classes, chosen))

    def _place(self, width: int, *, apply: bool = True) -> int:
        """Puts the buttons into rows; returns the height."""
        x = y = 0
        for button in self._buttons:
            size = button.sizeHint()
            if x and x + size.width() > width:
                x, y = 0, y + ENTRY_HEIGHT
            if apply:
                button.setGeometry(x, y, size.width(), ENTRY_HEIGHT)
            x += size.width() + 4
        return y + ENTRY_HEIGHT

    def hasHeightForWidth(self) -> bool:
        """Narrow legends are taller."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Height of all rows."""
        return self._place(width, apply=False)

    def sizeHint(self) -> QSize:
        """One row."""
        return QSize(sum(button.sizeHint().width() + 4 for button in self._buttons), ENTRY_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """The widest entry."""
        return QSize(max((button.sizeHint().width() for button in self._buttons), default=0), ENTRY_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other rows."""
        self._place(event.size().width())


def _key(entry: Entry) -> tuple[Axis, int, str]:
    return entry.axis, entry.value, entry.label


def _font(*, bold: bool = False, pixels: int = _TEXT_PX) -> QFont:
    font = QFont()
    font.setPixelSize(pixels)
    font.setBold(bold)
    return font
