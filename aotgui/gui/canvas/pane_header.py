"""The line above a graph: where one is, and buttons that open and close modules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from aotgui.gui.canvas.fold_control import FoldControl


class PaneHeader(QWidget):
    """Breadcrumbs at the left, module buttons at the right; hidden where there is neither.

    Signals:
        crumb_clicked: how many steps of the path to keep.
    """

    crumb_clicked = Signal(int)

    def __init__(self, folds: FoldControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folds = folds
        self._crumbs: list[QWidget] = []
        self._path = QHBoxLayout()
        self._path.setSpacing(0)
        self._modules = QWidget()
        self.flat = _button("Flat", "Show every node without modules (Ctrl+G)", None)
        self.flat.setCheckable(True)
        self.flat.toggled.connect(folds.set_flat)
        self._arrange()
        folds.arranged.connect(self.refresh)
        self.refresh()

    def set_path(self, steps: Sequence[str]) -> None:
        """Shows the way to the graph shown, the outermost first; one step is none."""
        for widget in self._crumbs:
            self._path.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._crumbs = []
        for depth, step in enumerate(steps if len(steps) > 1 else ()):
            if depth:
                self._add_crumb(QLabel("\u203a"))
            is_last = depth == len(steps) - 1
            tip = "The graph shown" if is_last else f"Back to {step} (Backspace goes one step)"
            crumb = _button(step, tip, partial(self.crumb_clicked.emit, depth))
            crumb.setEnabled(not is_last)
            self._add_crumb(crumb)
        self.refresh()

    def refresh(self) -> None:
        """Shows what can be done."""
        self._modules.setVisible(self._folds.has_groups)
        with QSignalBlocker(self.flat):
            self.flat.setChecked(self._folds.has_groups and self._folds.expanded is None)
        self.setVisible(self._folds.has_groups or bool(self._crumbs))

    def _add_crumb(self, widget: QWidget) -> None:
        self._crumbs.append(widget)
        self._path.addWidget(widget)

    def _arrange(self) -> None:
        folds = self._folds
        modules = QHBoxLayout(self._modules)
        modules.setContentsMargins(0, 0, 0, 0)
        modules.setSpacing(2)
        modules.addWidget(QLabel("Modules"))
        modules.addSpacing(4)
        for text, tip, slot in (
            ("Collapse All", "Close every module (Ctrl+Shift+[)", folds.close_all),
            ("\u2212", "Close the innermost open modules (Ctrl+[)", folds.close_level),
            ("+", "Open one level more (Ctrl+])", folds.open_level),
            ("Expand All", "Open every module (Ctrl+Shift+])", folds.open_all),
        ):
            modules.addWidget(_button(text, tip, slot))
        modules.addWidget(self.flat)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 2)
        row.addLayout(self._path)
        row.addStretch(1)
        row.addWidget(self._modules)


def _button(text: str, tip: str, slot: Callable[[], None] | None) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if slot is not None:
        button.clicked.connect(lambda _checked=False: slot())
    return button
