"""What the colours and badges mean, how many boxes have each, and a filter.

A click fades all others, a right click hides.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget

from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.legend_button import ENTRY_HEIGHT, EntryButton
from aotgui.gui.canvas.legend_entries import Axis, Entry, entries_of, faded, hidden

SPACING: Final = 1
MORE_WIDTH: Final = 28


class Legend(QWidget):
    """The entries of one view in one row; those that find no room are in the menu of a button at its end.

    Signals:
        filter_changed: bool (nodes,) of faded nodes, or None.
        hiding_changed: bool (nodes,) of hidden nodes, or None.

    Attributes:
        more: the button at the end; hidden where everything has room.
    """

    filter_changed = Signal(object)
    hiding_changed = Signal(object)

    def __init__(self, view: GraphView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._buttons: list[EntryButton] = []
        self.more = self._build_more()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        view.appearance_changed.connect(self._on_appearance_changed)
        self._on_appearance_changed()

    @property
    def buttons(self) -> list[EntryButton]:
        """The entries from left to right, those in the menu included."""
        return self._buttons

    def clear_filter(self) -> None:
        """Fades and hides nothing."""
        for button in self._buttons:
            button.setChecked(False)
            button.is_hiding = False
            button.update()
        self.apply_filter()

    def show_hidden(self) -> None:
        """Hides nothing any more."""
        for button in self._buttons:
            button.set_hiding(False)

    def _build_more(self) -> QToolButton:
        more = QToolButton(self)
        more.setText("\u2026")
        more.setToolTip("More entries")
        more.setAccessibleName("More entries of the legend")
        more.setAutoRaise(True)
        more.setCheckable(True)
        more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        more.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        menu = QMenu(more)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self._fill_menu)
        more.setMenu(menu)
        return more

    def _fill_menu(self) -> None:
        """What has no room, to be checked and unchecked."""
        menu = self.more.menu()
        menu.clear()
        for button in self._buttons:
            if button.isHidden():
                action = menu.addAction(f"{button.entry.label}   {button.entry.count:,}", button.click)
                action.setCheckable(True)
                action.setChecked(button.isChecked())
                action.setToolTip(button.toolTip())
        menu.addSeparator()
        for button in self._buttons:
            if button.isHidden():
                action = menu.addAction(f"Hide {button.entry.label}")
                action.setCheckable(True)
                action.setChecked(button.is_hiding)
                action.toggled.connect(button.set_hiding)

    def _entries(self) -> list[Entry]:
        view = self._view
        if view.scene is None or view.colouring is None:
            return []
        return entries_of(view.scene, view.colouring, view.colour_mode, view.theme)

    def _on_appearance_changed(self) -> None:
        entries = self._entries()
        if [_key(button.entry) for button in self._buttons] == [_key(entry) for entry in entries]:
            self._update_buttons(entries)
            return
        chosen = {_key(button.entry) for button in self._buttons if button.isChecked()}
        hiding = {_key(button.entry) for button in self._buttons if button.is_hiding}
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = [EntryButton(entry, self._view.theme, self) for entry in entries]
        for button in self._buttons:
            button.setChecked(_key(button.entry) in chosen)
            button.is_hiding = _key(button.entry) in hiding
            button.hiding_changed.connect(self.apply_filter)
            button.clicked.connect(self.apply_filter)
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
        self.more.setChecked(any(button.isChecked() and button.isHidden() for button in self._buttons))
        scene, colouring = self._view.scene, self._view.colouring
        if scene is not None and colouring is not None:
            chosen = {button.entry for button in self._buttons if button.isChecked()}
            self.filter_changed.emit(faded(scene, colouring.node_classes, chosen))
            hiding = [button.entry for button in self._buttons if button.is_hiding]
            self.hiding_changed.emit(hidden(scene, colouring.node_classes, hiding))

    def _place(self, width: int) -> None:
        """Puts the buttons that have room into a row."""
        shown, x = self._with_room(width), 0
        for button in self._buttons:
            button.setVisible(button in shown)
            if button in shown:
                size = button.sizeHint()
                button.setGeometry(x, 0, size.width(), ENTRY_HEIGHT)
                x += size.width() + SPACING
        self.more.setGeometry(x, 2, MORE_WIDTH, ENTRY_HEIGHT - 4)
        self.more.setVisible(len(shown) < len(self._buttons))
        self.more.setChecked(any(button.isChecked() and button not in shown for button in self._buttons))

    def _with_room(self, width: int) -> list[EntryButton]:
        """The buttons that are shown: the first ones, those that explain something seen on the boxes before others."""
        if self.sizeHint().width() <= width:
            return self._buttons
        room, shown = width - MORE_WIDTH, []
        for button in sorted(self._buttons, key=lambda button: button.entry.is_plain):
            room -= button.sizeHint().width() + SPACING
            if room < 0:
                break
            shown.append(button)
        return shown

    def sizeHint(self) -> QSize:
        """Everything in one row."""
        return QSize(sum(button.sizeHint().width() + SPACING for button in self._buttons), ENTRY_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """The button with all entries in its menu."""
        return QSize(MORE_WIDTH, ENTRY_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Room for more or fewer."""
        self._place(event.size().width())


def _key(entry: Entry) -> tuple[Axis, int, str]:
    return entry.axis, entry.value, entry.label
