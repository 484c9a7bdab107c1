"""SVG as PNG or PDF, drawn by Qt on any thread; commands use it without a screen."""

from __future__ import annotations

import os
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSize, QSizeF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgRenderer

from aotgui.export.files import ExportError

LIMIT_PX: Final = 16_384
"""Longest side of a bitmap; a longer picture is scaled down."""
SHARPNESS: Final = 2
"""Pixels of a bitmap for one scene unit, where the limit allows."""
POINTS_PER_UNIT: Final = 0.75
PDF_LIMIT_POINTS: Final = 14_400
"""Longest side of a page that PDF readers accept."""


def png_of(svg: str) -> bytes:
    """The picture as a PNG bitmap.

    Raises:
        ExportError: there is not enough memory for it.
    """
    _application()
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    size = renderer.viewBoxF().size() * SHARPNESS
    size = _limited(size, LIMIT_PX)
    image = QImage(QSize(int(size.width()), int(size.height())), QImage.Format.Format_RGB32)
    if image.isNull():
        raise ExportError(
            f"There is not enough memory for a bitmap of {size.width():.0f} x {size.height():.0f} pixels."
        )
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload] # the stub wants bytes, Qt takes str
    return bytes(data.data())


def pdf_of(svg: str, title: str) -> bytes:
    """The picture as a PDF of one page as large as itself; text stays text."""
    _application()
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    size = _limited(renderer.viewBoxF().size() * POINTS_PER_UNIT, PDF_LIMIT_POINTS)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(title)
    writer.setCreator("aotgui")
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setPageSize(QPageSize(size, QPageSize.Unit.Point))
    painter = QPainter(writer)
    renderer.render(painter)
    painter.end()
    return bytes(data.data())


def _limited(size: QSizeF, limit: float) -> QSizeF:
    """The size scaled down so that no side is longer than the limit."""
    if max(size.width(), size.height()) <= limit:
        return size
    return size.scaled(limit, limit, Qt.AspectRatioMode.KeepAspectRatio)


def _application() -> QGuiApplication:
    """Fonts need an application; this one needs no screen."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    running = QGuiApplication.instance()
    return running if isinstance(running, QGuiApplication) else QGuiApplication(["aotgui"])
