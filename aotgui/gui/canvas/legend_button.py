"""One entry of the legend: a swatch, a word and a number, which filters while it is checked."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from aotgui.gui.canvas.legend_entries import Axis, Entry
from aotgui.gui.canvas.sprites import BADGES
from aotgui.gui.canvas.theme import CanvasTheme
from aotgui.model.graph import Fate, Role

ENTRY_HEIGHT: Final = 26
HIDDEN_OPACITY: Final = 0.35
SWATCH: Final = 13.0
GAP: Final = 4.0
_TEXT_PX: Final = 12


class EntryButton(QAbstractButton):
    """A swatch, a word and a number; checked while all others are faded, struck out while its nodes are hidden.

    Signals:
        hiding_changed: its nodes should be hidden, or shown again.

    Attributes:
        entry: what it explains.
        is_hiding: whether its nodes are hidden.
    """

    hiding_changed = Signal()

    def __init__(self, entry: Entry, theme: CanvasTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self.is_hiding = False
        self.show_entry(entry, theme)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_entry(self, entry: Entry, theme: CanvasTheme) -> None:
        """Explains ``entry``, which may be the same thing with another count."""
        self.entry = entry
        self._theme = theme
        note = f"{entry.note}\n" if entry.note else ""
        self.setToolTip(f"{note}{entry.count:,} {entry.label}: click to fade all others, right click to hide these")
        self.setAccessibleName(f"{entry.label}, {entry.count}")
        self.setAccessibleDescription(entry.note)
        self.update()

    def set_hiding(self, wanted: bool) -> None:
        """Hides the nodes of the entry, or shows them again."""
        if wanted != self.is_hiding:
            self.is_hiding = wanted
            self.update()
            self.hiding_changed.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Hides, also by the menu key."""
        self.set_hiding(not self.is_hiding)

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
        painter.setOpacity(HIDDEN_OPACITY if self.is_hiding else 1.0)
        self._paint_swatch(painter, QRectF(GAP, middle - SWATCH / 2, SWATCH, SWATCH))
        painter.setOpacity(1.0)
        x = 2 * GAP + SWATCH
        for text, font, colour in (
            (self.entry.label, _font(), self._theme.text),
            (f"{self.entry.count:,}", _font(bold=True), self._theme.muted_text),
        ):
            metrics = QFontMetricsF(font)
            font.setStrikeOut(self.is_hiding)
            painter.setFont(font)
            painter.setPen(QColor(self._theme.muted_text if self.is_hiding else colour))
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
        if self.entry.axis is not Axis.FATE:
            painter.setPen(QPen(QColor(self._theme.node_border), 1))
            painter.setBrush(QColor(self.entry.fill))
            is_pill = self.entry.axis is Axis.ROLE and self.entry.value != Role.OPERATOR
            radius = SWATCH / 2 if is_pill else 3.0
            painter.drawRoundedRect(box.adjusted(0.5, 1.5, -0.5, -1.5), radius, radius)
            return
        letter = BADGES.get(Fate(self.entry.value))
        painter.setPen(QPen(QColor(self.entry.fill), 1.5))
        painter.setBrush(QColor(self.entry.fill) if letter else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(box) if letter else painter.drawRoundedRect(box.adjusted(1, 2, -1, -2), 3, 3)
        if letter:
            painter.setFont(_font(bold=True, pixels=10))
            painter.setPen(QColor(self._theme.badge_text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)


def _font(*, bold: bool = False, pixels: int = _TEXT_PX) -> QFont:
    font = QFont()
    font.setPixelSize(pixels)
    font.setBold(bold)
    return font
