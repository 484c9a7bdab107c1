"""The docks: which there are, where they stand at first, and how they come and go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QDockWidget, QLabel, QMainWindow, QStackedWidget, QTabBar, QTabWidget, QWidget

from aotgui.gui.app.whole_tabs import WholeTabs

LAYOUT_VERSION: Final = 3
"""Raised when docks are added or renamed, so that an older saved layout is not taken."""

BADGE_PX: Final = 12
LOW_WINDOW_PX: Final = 760
"""In a window lower than this the graph needs the room more than what is below it."""
LOW_SHARE: Final = 0.24
"""What the docks at the bottom get of the height of a low window."""
FOLDED_PX: Final = 24
"""How far a dock at the bottom can be folded: little more than its tab is left."""

_Area = Qt.DockWidgetArea


class Place(Enum):
    """Where a dock stands at first; several in one place are tabs.

    Attributes:
        RIGHT: beside the graphs.
        RIGHT_BELOW: under ``RIGHT``.
        BOTTOM: below the graphs, at the left.
        BOTTOM_BESIDE: to the right of ``BOTTOM``.
    """

    RIGHT = "right"
    RIGHT_BELOW = "right_below"
    BOTTOM = "bottom"
    BOTTOM_BESIDE = "bottom_beside"

    @property
    def area(self) -> Qt.DockWidgetArea:
        """The side of the window."""
        right = self in {Place.RIGHT, Place.RIGHT_BELOW}
        return _Area.RightDockWidgetArea if right else _Area.BottomDockWidgetArea


_SPLITS: Final = {
    Place.RIGHT_BELOW: (Place.RIGHT, Qt.Orientation.Vertical),
    Place.BOTTOM_BESIDE: (Place.BOTTOM, Qt.Orientation.Horizontal),
}
_SHARES: Final = (
    (Qt.Orientation.Horizontal, (Place.RIGHT,), (0.29,)),
    (Qt.Orientation.Vertical, (Place.RIGHT, Place.RIGHT_BELOW), (0.5, 0.5)),
    (Qt.Orientation.Vertical, (Place.BOTTOM,), (0.26,)),
    (Qt.Orientation.Horizontal, (Place.BOTTOM, Place.BOTTOM_BESIDE), (0.22, 0.48)),
)
"""Shares of the window's width or height."""


@dataclass(frozen=True, slots=True)
class DockSpec:
    """One dock.

    Attributes:
        name: object name, by which a layout is saved; never changes.
        title: on its tab and in the menu.
        widget: what it shows.
        place: where it stands at first.
        is_shown: whether it is there at first.
    """

    name: str
    title: str
    widget: QWidget
    place: Place
    is_shown: bool = True


class _Curtain(QStackedWidget):
    """Hides the content of a dock while the dock stands behind another tab.

    Qt moves such a dock out of sight and still calls it visible. Only what is really hidden can wait with its content
    until somebody looks: two dozen panels that all follow a large capture stall the window.
    """

    def __init__(self, content: QWidget, dock: QDockWidget) -> None:
        super().__init__()
        self._content = content
        self._nothing = QWidget()
        self.addWidget(content)
        self.addWidget(self._nothing)
        dock.visibilityChanged.connect(self._on_visibility_changed)

    def _on_visibility_changed(self, is_seen: bool) -> None:
        self.setCurrentWidget(self._content if is_seen else self._nothing)


class Docks:
    """The docks of a window.

    Attributes:
        widgets: dock widgets by name.
    """

    def __init__(self, window: QMainWindow, specs: Sequence[DockSpec]) -> None:
        self._window = window
        self._specs = list(specs)
        self._badges: dict[str, QIcon] = {}
        self._layout = QByteArray()
        self._is_suspended = False
        self._is_settled = False
        window.setDockNestingEnabled(True)
        self._whole_tabs = WholeTabs(window)
        self._titles_timer = QTimer(window, interval=0, singleShot=True)
        self._titles_timer.timeout.connect(self._show_titles)
        window.setTabPosition(_Area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setCorner(Qt.Corner.BottomRightCorner, _Area.RightDockWidgetArea)
        self.widgets = {spec.name: self._build(spec) for spec in self._specs}
        self.reset()

    def toggles(self) -> list[QAction]:
        """An action for each dock that shows and hides it."""
        return [dock.toggleViewAction() for dock in self.widgets.values()]

    @property
    def titles(self) -> dict[str, str]:
        """What each dock is called, by its name."""
        return {spec.name: spec.title for spec in self._specs}

    def bring_to_front(self, name: str) -> None:
        """Shows a dock and its tab."""
        dock = self.widgets[name]
        dock.show()
        dock.raise_()

    def set_badge(self, name: str, text: str, icon: QIcon) -> None:
        """Adds a short text to a dock's title and an icon to its tab; both may be empty."""
        title = self.titles[name]
        self._badges[name] = icon
        self.widgets[name].setWindowTitle(f"{title}  {text}".rstrip())
        self._titles_timer.start()

    def save(self) -> bytes:
        """The layout, to be remembered; empty while nobody saw the docks."""
        if not self._is_settled:
            return b""
        return bytes((self._layout if self._is_suspended else self._window.saveState(LAYOUT_VERSION)).data())

    def suspend(self) -> None:
        """Hides every dock until ``resume``: there is nothing that they could show."""
        if not self._is_suspended:
            self._layout = self._window.saveState(LAYOUT_VERSION)
            self._is_suspended = True
            for dock in self.widgets.values():
                dock.hide()

    def resume(self) -> None:
        """Shows the docks as they were."""
        if self._is_suspended:
            self._is_suspended = False
            self._restore(self._layout)
        if not self._is_settled:
            # The shares are those of the window as it is when the docks first appear.
            self._is_settled = True
            QTimer.singleShot(0, self._window, self.share_space)

    def restore(self, layout: bytes) -> None:
        """Takes a remembered layout, unless it is none or of another version."""
        self._is_settled = self._restore(QByteArray(layout))

    def _restore(self, layout: QByteArray) -> bool:
        """Whether a layout could be taken.

        WORKAROUND for Qt 6.11: tab bars that ``restoreState`` has no use for stay visible where they were. Hidden ones
        that it has a use for it shows again.
        """
        shown = [bar for bar in self._tab_bars() if bar.isVisible()]
        for bar in shown:
            bar.hide()
        if self._window.restoreState(layout, LAYOUT_VERSION):
            return True
        for bar in shown:
            bar.show()
        return False

    def _tab_bars(self) -> list[QTabBar]:
        return self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)

    def reset(self) -> None:
        """Puts every dock back where it was at first."""
        leaders = self._leaders()
        # A place that already has tabs cannot be split, so the first dock of every place comes first.
        for place, leader in leaders.items():
            self._add(place, leader)
            if place in _SPLITS and _SPLITS[place][0] in leaders:
                beside, orientation = _SPLITS[place]
                self._window.splitDockWidget(leaders[beside], leader, orientation)
        for spec in self._specs:
            dock, leader = self.widgets[spec.name], leaders[spec.place]
            if dock is not leader:
                self._add(spec.place, dock)
                self._window.tabifyDockWidget(leader, dock)
            dock.setVisible(spec.is_shown)
        for leader in leaders.values():
            leader.raise_()
        self.share_space()

    def share_space(self) -> None:
        """Gives the docks their share of the window."""
        leaders = self._leaders()
        for orientation, places, shares in _SHARES:
            is_wide = orientation is Qt.Orientation.Horizontal
            whole = self._window.width() if is_wide else self._window.height()
            if places == (Place.BOTTOM,) and whole < LOW_WINDOW_PX:
                shares = (LOW_SHARE,)
            found = [(leaders[place], share) for place, share in zip(places, shares, strict=True) if place in leaders]
            docks = [dock for dock, _ in found]
            self._window.resizeDocks(docks, [round(whole * share) for _, share in found], orientation)

    def follow_height(self, before: int, now: int) -> None:
        """The docks at the bottom make room for the graph when the window becomes a low one, until it is high again.

        Args:
            before: height of the window, in logical pixels.
            now: the same after it changed.
        """
        if (before < LOW_WINDOW_PX) != (now < LOW_WINDOW_PX) and before > 0 and not self._is_suspended:
            QTimer.singleShot(0, self._window, self.share_space)

    def _leaders(self) -> dict[Place, QDockWidget]:
        """The first dock of each place."""
        leaders: dict[Place, QDockWidget] = {}
        for spec in self._specs:
            leaders.setdefault(spec.place, self.widgets[spec.name])
        return leaders

    def _add(self, place: Place, dock: QDockWidget) -> None:
        dock.setFloating(False)
        self._window.addDockWidget(place.area, dock)

    def _build(self, spec: DockSpec) -> QDockWidget:
        dock = QDockWidget(spec.title, self._window)
        dock.setObjectName(spec.name)
        dock.setWidget(_Curtain(spec.widget, dock))
        if spec.place.area == _Area.BottomDockWidgetArea:
            spec.widget.setMinimumHeight(FOLDED_PX)
        for signal in (dock.visibilityChanged, dock.topLevelChanged, dock.dockLocationChanged):
            signal.connect(lambda _value: self._titles_timer.start())
        return dock

    def _show_titles(self) -> None:
        """A dock among tabs needs no title of its own, a lone one gets a line as high as the tabs beside it."""
        for dock in self.widgets.values():
            wanted = _title_kind(dock.isFloating(), bool(self._window.tabifiedDockWidgets(dock)))
            present = dock.titleBarWidget()
            if wanted is None and present is not None:
                dock.setTitleBarWidget(None)  # type: ignore[arg-type] # None brings Qt's own title bar back
            elif wanted is not None and not isinstance(present, wanted):
                dock.setTitleBarWidget(wanted(dock.windowTitle()))
        for bar in self._tab_bars():
            # Half a word on a tab helps nobody; where there is no room the tabs scroll.
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)
            self._show_badges(bar)
            self._whole_tabs.watch(bar)

    def _show_badges(self, bar: QTabBar) -> None:
        bar.setIconSize(QSize(BADGE_PX, BADGE_PX))
        icons = {self.widgets[name].windowTitle(): icon for name, icon in self._badges.items()}
        for tab in range(bar.count()):
            bar.setTabIcon(tab, icons.get(bar.tabText(tab), QIcon()))


class _NoTitle(QWidget):
    """Stands where Qt would put a title bar."""

    def __init__(self, _title: str) -> None:
        super().__init__()


class _Title(QLabel):
    """The title of a dock without tabs; the dock is dragged by it and closed in the View menu."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        probe = QTabBar()
        probe.addTab(title)
        self.setFixedHeight(probe.sizeHint().height())
        self.setContentsMargins(8, 0, 8, 0)


def _title_kind(is_floating: bool, has_tabs: bool) -> type[_Title] | type[_NoTitle] | None:
    if is_floating:
        return None
    return _NoTitle if has_tabs else _Title
