"""The toolbar: how to capture and compile, and Run and Stop."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFormLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
    QWidgetAction,
)

from aotgui.gui.app.actions import ActionId, Actions
from aotgui.gui.app.icons import font_icon
from aotgui.gui.app.option_controls import OptionControl, option
from aotgui.gui.session.session import Session
from aotgui.gui.session.state import NO_ENGINE
from aotgui.model.settings import OPTIONS

PRIMARY: Final = ("entry_point", "partitioner", "forward_compiler", "backward_compiler", "dynamic")
"""The fields in the toolbar itself; the others are behind *More*."""
WIDE_PX: Final = 1500
"""From this width on the captions stand beside the controls and not above them."""
MORE_TIP: Final = "All other settings of a run."


class OptionsBar(QToolBar):
    """Controls for the settings of the next run."""

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__("Settings", parent)
        self.setObjectName("OptionsBar")
        self.setMovable(False)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._controls = [OptionControl(option(field), session, self) for field in PRIMARY]
        self._holders = [_captioned(control) for control in self._controls]
        for holder in self._holders:
            self.addWidget(holder)
        self._more = more_button(session, self)
        self._add_at_bottom(self._more)
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spacer)
        for name in (ActionId.RUN, ActionId.STOP):
            self._add_at_bottom(self._button(actions, name))
        session.source_changed.connect(lambda: self._allow(not session.is_stored))

    def _allow(self, can_run: bool) -> None:
        """A saved capture shows with which settings it was made; they cannot be changed."""
        for control in self._controls:
            control.widget.setEnabled(can_run)
            control.widget.setToolTip(control.option.description if can_run else NO_ENGINE)
        self._more.setEnabled(can_run)
        self._more.setToolTip(MORE_TIP if can_run else NO_ENGINE)

    def control(self, field: str) -> OptionControl:
        """The control of a field that stands in the bar."""
        return next(control for control in self._controls if control.option.field == field)

    def show_icons(self) -> None:
        """Gives *More* its icon in the palette's colours."""
        self._more.setIcon(font_icon("tune-variant", self.palette()))

    def _add_at_bottom(self, widget: QWidget) -> None:
        holder = Captioned("", widget)
        self._holders.append(holder)
        self.addWidget(holder)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A wide bar is one line high."""
        super().resizeEvent(event)
        for holder in self._holders:
            holder.set_beside(event.size().width() >= WIDE_PX)

    def _button(self, actions: Actions, name: ActionId) -> QToolButton:
        button = QToolButton()
        button.setDefaultAction(actions[name])
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setAutoRaise(False)
        return button


class Caption(QLabel):
    """The small title above a control."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._shrink()

    def _shrink(self) -> None:
        font = self.font()
        font.setPointSizeF(max(font.pointSizeF() * 0.85, 7.0))
        self.setFont(font)


def more_button(session: Session, parent: QWidget) -> QToolButton:
    """A button whose menu holds the options that the bar does not show."""
    button = QToolButton(parent)
    button.setObjectName("More")
    button.setText("More…")
    button.setToolTip(MORE_TIP)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setMenu(MoreMenu(session, parent))
    return button


class MoreMenu(QMenu):
    """The options that the bar does not show; made when they are first looked at."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """Makes the controls, unless they are there."""
        if self.isEmpty():
            holder = QWidgetAction(self)
            holder.setDefaultWidget(self._form())
            self.addAction(holder)

    def _form(self) -> QWidget:
        form_widget = QWidget()
        form = QFormLayout(form_widget)
        form.setContentsMargins(12, 10, 12, 10)
        for entry in OPTIONS:
            if entry.field not in PRIMARY:
                control = OptionControl(entry, self._session, form_widget)
                is_check = isinstance(getattr(self._session.settings, entry.field), bool)
                form.addRow("" if is_check else entry.title, control.widget)
        return form_widget


class Captioned(QWidget):
    """A control with its caption above it, or beside it where a bar has the width for that."""

    def __init__(self, caption: str, widget: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._caption = Caption(caption)
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._layout.setContentsMargins(0, 0, 4, 0)
        self._layout.setSpacing(1)
        self._layout.addWidget(self._caption)
        self._layout.addWidget(widget)

    def set_beside(self, is_beside: bool) -> None:
        """Puts the caption beside the control or above it; an empty one holds a line's place only above."""
        direction = QBoxLayout.Direction.LeftToRight if is_beside else QBoxLayout.Direction.TopToBottom
        if direction != self._layout.direction():
            self._layout.setDirection(direction)
            self._layout.setSpacing(5 if is_beside else 1)
            self._caption.setVisible(not is_beside or bool(self._caption.text()))


def _captioned(control: OptionControl) -> Captioned:
    is_check = control.option.field == "dynamic"
    return Captioned("" if is_check else control.option.title, control.widget)
