"""Words on the boxes, laid out once and drawn at any zoom.

Glyph positions do not depend on the zoom (no hinting), so that a label is shortened and shaped once in scene
units and Qt only scales it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText, QTransform

from aotgui.gui.canvas.scene import Scene

TITLE_PX: Final = 12
SUBTITLE_PX: Final = 10
SIDE_ROOM_UNITS: Final = 14.0
GROUP_ROOM_UNITS: Final = 18.0
"""For the sign that opens a group."""
MAX_LABELS: Final = 20_000

_Key = TypeVar("_Key", int, str)


@dataclass(frozen=True, slots=True)
class Label:
    """A shaped line.

    Attributes:
        text: what is drawn.
        width: scene units.
        height: scene units.
    """

    text: QStaticText
    width: float
    height: float


class Labels:
    """Titles and second lines of a scene, shaped when first seen."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.title_font = scene_font(TITLE_PX, QFont.Weight.DemiBold)
        self.subtitle_font = scene_font(SUBTITLE_PX)
        self._title_metrics = QFontMetricsF(self.title_font)
        self._subtitle_metrics = QFontMetricsF(self.subtitle_font)
        self._titles: dict[int, Label] = {}
        self._subtitles: dict[int, Label] = {}
        self._names: dict[str, Label] = {}

    def title(self, item: int) -> Label:
        """First line of a box."""
        label = self._titles.get(item)
        if label is None:
            text = self._elide(self._scene.title(item), self._title_metrics, item)
            label = _keep(self._titles, item, _shape(text, self.title_font, self._title_metrics))
        return label

    def subtitle(self, item: int) -> Label:
        """Second line of a box."""
        label = self._subtitles.get(item)
        if label is None:
            text = self._elide(self._scene.subtitle(item), self._subtitle_metrics, item)
            label = _keep(self._subtitles, item, _shape(text, self.subtitle_font, self._subtitle_metrics))
        return label

    def name(self, text: str, width: float) -> Label:
        """A caption beside something, in the font of second lines, ``width`` units wide at most."""
        key = f"{text}\0{width:.0f}"
        label = self._names.get(key)
        if label is None:
            short = self._subtitle_metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)
            label = _keep(self._names, key, _shape(short, self.subtitle_font, self._subtitle_metrics))
        return label

    def heading(self, text: str, width: float) -> Label:
        """The title of an open group, in the font of titles, ``width`` units wide at most."""
        key = f"{text}\0\0{width:.0f}"
        label = self._names.get(key)
        if label is None:
            short = self._title_metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)
            label = _keep(self._names, key, _shape(short, self.title_font, self._title_metrics))
        return label

    def _elide(self, text: str, metrics: QFontMetricsF, item: int) -> str:
        sign = GROUP_ROOM_UNITS if self._scene.group_of(item) >= 0 else 0.0
        room = float(self._scene.boxes[item, 2]) - SIDE_ROOM_UNITS - sign
        return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, max(room, 10.0))


def scene_font(pixels: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The application's font at a size in scene units, with positions that scale."""
    font = QFont()
    font.setPixelSize(pixels)
    font.setWeight(weight)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def _shape(text: str, font: QFont, metrics: QFontMetricsF) -> Label:
    static = QStaticText(text)
    static.setTextFormat(Qt.TextFormat.PlainText)
    static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    static.prepare(QTransform(), font)
    return Label(static, metrics.horizontalAdvance(text), metrics.height())


def _keep(labels: dict[_Key, Label], key: _Key, label: Label) -> Label:
    if len(labels) >= MAX_LABELS:
        labels.clear()
    labels[key] = label
    return label
