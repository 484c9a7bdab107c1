"""The docks: which there are, where they stand at first, and how they come and go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

LAYOUT_VERSION: Final = 1
"""Raised when docks are added or renamed, so that an older saved layout is not taken."""
RIGHT_SHARE: Final = 0.31
BOTTOM_SHARE: Final = 0.30
INSPECTOR_SHARE: Final = 0.5

_Area = Qt.DockWidgetArea


@dataclass(frozen=True, slots=True)
class DockSpec:
    """One dock.

    Attributes:
        name: object name, by which a layout is saved; never changes.
        title: on its tab and in the menu.
        widget: what it shows.
        area: where it stands at first.
        is_below: whether it starts a new place below the first one of its area, instead of a tab.
        is_shown: whether it is there at first.
    """

    name: str
    title: str
    widget: QWidget
    area: Qt.DockWidgetArea
    is_below: bool = False
    is_shown: bool = True


class Docks:
    """The docks of a window.

    Attributes:
        widgets: dock widgets by name.
    """

    def __init__(self, window: QMainWindow, specs: Sequence[DockSpec]) -> None:
        self._window = window
        self._specs = list(specs)
        window.setDockNestingEnabled(True)
        window.setTabPosition(_Area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setCorner(Qt.Corner.BottomRightCorner, _Area.RightDockWidgetArea)
        self.widgets = {spec.name: self._build(spec) for spec in self._specs}
        self.reset()

    def toggles(self) -> list[QAction]:
        """An action for each dock that shows and hides it."""
        return [dock.toggleViewAction() for dock in self.widgets.values()]

    def bring_to_front(self, name: str) -> None:
        """Shows a dock and its tab."""
        dock = self.widgets[name]
        dock.show()
        dock.raise_()

    def save(self) -> bytes:
        """The layout, to be remembered."""
        return bytes(self._window.saveState(LAYOUT_VERSION).data())

    def restore(self, layout: bytes) -> bool:
        """A remembered layout; False where it is none or of another version."""
        return bool(layout) and self._window.restoreState(QByteArray(layout), LAYOUT_VERSION)

    def reset(self) -> None:
        """Puts every dock back where it was at first."""
        first: dict[tuple[Qt.DockWidgetArea, bool], QDockWidget] = {}
        for spec in self._specs:
            dock = self.widgets[spec.name]
            dock.setFloating(False)
            self._place(spec, dock, first)
            dock.setVisible(spec.is_shown)
        for dock in first.values():
            dock.raise_()
        self.share_space()

    def share_space(self) -> None:
        """Gives the docks their share of the window."""
        window = self._window
        right, bottom = self._first_in(_Area.RightDockWidgetArea), self._first_in(_Area.BottomDockWidgetArea)
        if right:
            window.resizeDocks(right[:1], [round(window.width() * RIGHT_SHARE)], Qt.Orientation.Horizontal)
            height = window.height()
            shares = [round(height * INSPECTOR_SHARE), round(height * (1 - INSPECTOR_SHARE))]
            window.resizeDocks(right[:2], shares[: len(right)], Qt.Orientation.Vertical)
        if bottom:
            window.resizeDocks(bottom[:1], [round(window.height() * BOTTOM_SHARE)], Qt.Orientation.Vertical)

    def _first_in(self, area: Qt.DockWidgetArea) -> list[QDockWidget]:
        """One dock of each place in an area."""
        places: dict[bool, QDockWidget] = {}
        for spec in self._specs:
            if spec.area == area:
                places.setdefault(spec.is_below, self.widgets[spec.name])
        return list(places.values())

    def _build(self, spec: DockSpec) -> QDockWidget:
        dock = QDockWidget(spec.title, self._window)
        dock.setObjectName(spec.name)
        dock.setWidget(spec.widget)
        return dock

    def _place(
        self, spec: DockSpec, dock: QDockWidget, first: dict[tuple[Qt.DockWidgetArea, bool], QDockWidget]
    ) -> None:
        place = (spec.area, spec.is_below)
        self._window.addDockWidget(spec.area, dock)
        if place in first:
            self._window.tabifyDockWidget(first[place], dock)
        else:
            if spec.is_below and (spec.area, False) in first:
                self._window.splitDockWidget(first[spec.area, False], dock, Qt.Orientation.Vertical)
            first[place] = dock
