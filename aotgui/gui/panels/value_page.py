"""The base of the pages that show one value in some way: asks only while it can be seen, says why there is nothing."""

from __future__ import annotations

from typing import Final, NamedTuple

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from aotgui.gui.panels.look import SPACING, EmptyState
from aotgui.model.graph import GraphKind

READING: Final = "Reading…"


class ValueRef(NamedTuple):
    """A computed value.

    Attributes:
        kind: the graph that holds the node.
        node: its index.
        item: which item of a tuple.
        inside: 0 for a node of that graph, n for one of the n-th nested graph that the debugger stands in.
    """

    kind: GraphKind
    node: int
    item: int = 0
    inside: int = 0


class ValuePage(QWidget):
    """Shows one value.

    A subclass asks for what it needs in ``request`` and calls ``show_content`` or ``say`` with the answer.

    Attributes:
        ref: the value shown, or None.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ref: ValueRef | None = None
        self._message = EmptyState()
        self._stack = QStackedWidget()
        self._is_stale = True
        self._can_ask = False
        self._stack.addWidget(self._message)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, SPACING, 0, 0)
        self._column.setSpacing(SPACING)

    @property
    def message(self) -> str:
        """What is said in place of the value; empty while there is one."""
        return self._message.text() if self._stack.currentWidget() is self._message else ""

    def show_value(self, ref: ValueRef | None, why_nothing: str = "") -> None:
        """Shows a value; where there is none, or it cannot be read any more, says why."""
        self.ref = ref
        self._can_ask = not why_nothing
        self.reset()
        self.say(why_nothing or READING)
        self.ask()

    def is_of(self, kind: GraphKind, node: int, item: int) -> bool:
        """Whether an answer is one about the value shown."""
        return self.ref is not None and self.ref[:3] == (kind, node, item)

    def ask(self) -> None:
        """Asks for what is to be shown, at once or as soon as somebody can see it."""
        self._is_stale = not self.isVisible()
        if self.ref is not None and self._can_ask and not self._is_stale:
            self.request(self.ref)

    def reset(self) -> None:
        """Another value: starts at its first element."""

    def request(self, ref: ValueRef) -> None:
        """Asks for what is to be shown."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Says something in place of the value."""
        self._message.setText(text)
        self._stack.setCurrentWidget(self._message)

    def add_content(self, content: QWidget) -> None:
        """What shows the value."""
        self._stack.addWidget(content)

    def show_content(self) -> None:
        """Shows the value in place of words."""
        self._stack.setCurrentIndex(self._stack.count() - 1)

    def showEvent(self, event: QShowEvent) -> None:
        """What was not asked for while nobody could see it is asked for now."""
        super().showEvent(event)
        if self._is_stale:
            self.ask()
