"""Keeps the tab that was chosen out from behind the arrows of its tab bar."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QTabBar


class WholeTabs(QObject):
    """Watches tab bars that scroll.

    WORKAROUND for Qt 6.11: tabs that are one pixel wider than their bar get arrows (``QTabBarPrivate::layoutTabs``
    compares with the width), and these cover the last tab, to which nothing scrolls (``makeVisible`` compares with the
    last pixel). A bar that is one pixel narrower scrolls.
    """

    def watch(self, bar: QTabBar) -> None:
        """Mends a bar now and whenever its size changes."""
        bar.installEventFilter(self)  # a second time changes nothing
        self._mend(bar)

    def _mend(self, bar: QTabBar) -> None:
        if bar.tabRect(bar.count() - 1).right() - bar.tabRect(0).left() == bar.width():
            bar.resize(bar.width() - 1, bar.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Looks at what has another size."""
        if event.type() is QEvent.Type.Resize and isinstance(watched, QTabBar):
            self._mend(watched)
        return False
