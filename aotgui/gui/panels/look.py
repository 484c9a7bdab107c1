"""What the panels look like: colours from the window's palette, the code font, small painted signs."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QLabel, QWidget

from aotgui.model.capture import Severity
from aotgui.model.palette import Palette, palette

MARGIN: Final = 8
"""Pixels between a panel's edge and its content."""
SPACING: Final = 6
SCALE: Final = 2
"""Signs are painted at twice the size, so that they stay sharp on a dense screen."""


def is_dark(colors: QPalette) -> bool:
    """Whether the theme is dark."""
    return colors.color(QPalette.ColorRole.Base).lightness() < 128


def graph_palette(widget: QWidget) -> Palette:
    """The graph colours that go with the widget's theme."""
    return palette(is_dark(widget.palette()))


def muted_color(colors: QPalette) -> QColor:
    """For what is said in passing; keeps a contrast of at least 4.5:1."""
    return QColor(palette(is_dark(colors)).muted)


def severity_color(severity: Severity, colors: QPalette) -> QColor:
    """The colour of a severity's sign."""
    shown = palette(is_dark(colors))
    by_severity = {Severity.ERROR: shown.error, Severity.WARNING: shown.fates[0].border, Severity.INFO: shown.selection}
    return QColor(by_severity[severity])


def code_font() -> QFont:
    """The system's fixed-width font."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setStyleHint(QFont.StyleHint.Monospace)
    return font


def is_behind(widget: QWidget) -> bool:
    """Whether a widget is hidden in a window that is shown: behind another tab, where its content can wait."""
    return not widget.isVisible() and widget.window().isVisible()


def blend(under: QColor, over: QColor, share: float) -> QColor:
    """``share`` of ``over`` on ``under``, opaque."""
    mixed = (round(low + (high - low) * share) for low, high in zip(_rgb(under), _rgb(over), strict=True))
    return QColor(*mixed)


def _rgb(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()


def pill(text: str, font: QFont, fill: QColor, ink: QColor) -> QPixmap:
    """A rounded badge with a word."""
    metrics = QFontMetricsF(font)
    width, height = metrics.horizontalAdvance(text) + 14, metrics.height() + 4
    pixmap = QPixmap(round(width * SCALE), round(height * SCALE))
    pixmap.setDevicePixelRatio(SCALE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    box = QRectF(0, 0, width, height)
    painter.drawRoundedRect(box, height / 2, height / 2)
    painter.setFont(font)
    painter.setPen(ink)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    return pixmap


def severity_icon(severity: Severity, colors: QPalette) -> QIcon:
    """A disc with a cross, a triangle with an exclamation mark, or a disc with an i: told apart by shape too."""
    size = 16
    pixmap = QPixmap(size * SCALE, size * SCALE)
    pixmap.setDevicePixelRatio(SCALE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(severity_color(severity, colors))
    if severity is Severity.WARNING:
        painter.drawPolygon([QPointF(8, 1.2), QPointF(15.2, 14.2), QPointF(0.8, 14.2)])
    else:
        painter.drawEllipse(QRectF(1.5, 1.5, 13, 13))
    font = QFont()
    font.setPixelSize(10)
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(QColor("#1B1E24" if is_dark(colors) else "#FFFFFF"))
    sign = {Severity.ERROR: "✕", Severity.WARNING: "!", Severity.INFO: "i"}[severity]
    painter.drawText(QRectF(0, 2 if severity is Severity.WARNING else 0, 16, 16), Qt.AlignmentFlag.AlignCenter, sign)
    painter.end()
    return QIcon(pixmap)


class MutedLabel(QLabel):
    """A line of text said in passing: totals, hints, empty states. Follows the theme."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setWordWrap(True)
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)


class EmptyState(MutedLabel):
    """What a panel says while it has nothing to show."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMargin(3 * MARGIN)

    def hasHeightForWidth(self) -> bool:
        """It takes what there is: behind the rows of a low panel its lines must not push the controls away."""
        return False
