"""Words on the boxes, laid out once and drawn at any zoom.

Glyph positions do not depend on the zoom (no hinting), so that a label is shortened and shaped once in scene
units and Qt only scales it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText, QTransform

from aotgui.gui.canvas.detail import GROUP_ROOM_UNITS, SIDE_ROOM_UNITS, TIGHT_FROM_UNITS, TITLE_UNITS
from aotgui.gui.canvas.scene import Scene

TITLE_PX: Final = TITLE_UNITS[0]
SUBTITLE_PX: Final = 10
TIGHT_ROOM_UNITS: Final = 6.0
"""At both sides together, of a title that is enlarged to stay readable."""
MAX_LABELS: Final = 20_000
CLASS_MARK: Final = " \u00b7 "
"""Between a module's name and its class."""
NUMBER: Final = re.compile(r"_\d+$")

_Key = TypeVar("_Key", int, str, tuple[int, int])


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
        self._title_fonts = {units: scene_font(units, _weight(units)) for units in TITLE_UNITS}
        self.subtitle_font = scene_font(SUBTITLE_PX)
        self._title_metrics = {units: QFontMetricsF(font) for units, font in self._title_fonts.items()}
        self._subtitle_metrics = QFontMetricsF(self.subtitle_font)
        self._titles: dict[tuple[int, int], Label] = {}
        self._subtitles: dict[int, Label] = {}
        self._names: dict[str, Label] = {}

    def title_font(self, units: int = TITLE_PX) -> QFont:
        """The font of titles in one of their sizes."""
        return self._title_fonts[units]

    def title(self, item: int, units: int = TITLE_PX) -> Label:
        """First line of a box, in one of the sizes of titles."""
        key = (item, units)
        label = self._titles.get(key)
        if label is None:
            metrics = self._title_metrics[units]
            room = self._room(item, units)
            text = self._scene.title(item)
            text = self._elide(text, metrics, room) if units == TITLE_PX else self._shorten(item, text, metrics, room)
            label = _keep(self._titles, key, _shape(text, self._title_fonts[units], metrics))
        return label

    def subtitle(self, item: int) -> Label:
        """Second line of a box."""
        label = self._subtitles.get(item)
        if label is None:
            text = self._elide(self._scene.subtitle(item), self._subtitle_metrics, self._room(item, TITLE_PX))
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

    def heading(self, text: str, width: float, units: int = TITLE_PX) -> Label:
        """The title of an open group, in one of the sizes of titles, ``width`` units wide at most.

        Where that is too narrow for it, its class goes first.
        """
        key = f"{text}\0{units}\0{width:.0f}"
        label = self._names.get(key)
        if label is None:
            metrics = self._title_metrics[units]
            name = text if metrics.horizontalAdvance(text) <= width else text.partition(CLASS_MARK)[0]
            short = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, width)
            label = _keep(self._names, key, _shape(short, self._title_fonts[units], metrics))
        return label

    def _room(self, item: int, units: int) -> float:
        """Width that a box has for titles of a size."""
        sign = GROUP_ROOM_UNITS if self._scene.group_of(item) >= 0 and units < TIGHT_FROM_UNITS else 0.0
        sides = SIDE_ROOM_UNITS if units == TITLE_PX else TIGHT_ROOM_UNITS
        return max(float(self._scene.boxes[item, 2]) - sides - sign, 10.0)

    def _elide(self, text: str, metrics: QFontMetricsF, room: float) -> str:
        return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)

    def _shorten(self, item: int, text: str, metrics: QFontMetricsF, room: float) -> str:
        """A title without what says least, the class of a module or the number of a node, where room is short."""
        is_group = self._scene.group_of(item) >= 0
        short = text.partition(CLASS_MARK)[0] if is_group else NUMBER.sub("", text)
        if metrics.horizontalAdvance(text) <= room:
            return text
        # Of a parameter's path the end says most, of an operator's name the beginning.
        mode = Qt.TextElideMode.ElideLeft if "." in short and not is_group else Qt.TextElideMode.ElideRight
        return metrics.elidedText(short, mode, room)


def scene_font(pixels: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The application's font at a size in scene units, with positions that scale."""
    font = QFont()
    font.setPixelSize(pixels)
    font.setWeight(weight)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def _weight(units: int) -> QFont.Weight:
    """Where room is short, more letters say more than strong ones."""
    return QFont.Weight.DemiBold if units < TIGHT_FROM_UNITS else QFont.Weight.Medium


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
