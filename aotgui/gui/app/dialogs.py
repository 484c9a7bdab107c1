"""The dialogs of the Help menu."""

from __future__ import annotations

import platform

import PySide6
from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QMessageBox,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from aotgui import __version__
from aotgui.gui.app.actions import ACTIONS, Actions

CANVAS_KEYS = (
    ("Canvas", "Show the whole graph", "Home"),
    ("Canvas", "Zoom in, zoom out, actual size; also with Ctrl", "+, -, 0"),
    ("Canvas", "Zoom to the pointer", "Wheel"),
    ("Canvas", "Walk along edges; with Shift select on the way", "Arrow keys"),
    ("Canvas", "A page down, a page up", "PgDown, PgUp"),
    ("Canvas", "Open the module, inspect the node", "Return"),
    ("Canvas", "Close the module around the node", "Shift+Return"),
    ("Canvas", "Select everything that the selection is computed from", "A"),
    ("Canvas", "Select everything that is computed from the selection", "D"),
    ("Canvas", "Select the path between two nodes", "P"),
    ("Canvas", "Isolate the selection", "I"),
    ("Canvas", "Hide the selection", "H"),
    ("Canvas", "Show everything again", "Shift+H"),
    ("Canvas", "Copy the names of the selected nodes", "Ctrl+C"),
    ("Canvas", "Leave a nested graph", "Backspace"),
    ("Canvas", "Select nothing, give up a drag", "Esc"),
)
"""Keys that the graph itself takes; they are no actions of the window."""


def shortcuts_dialog(actions: Actions, parent: QWidget) -> QDialog:
    """All shortcuts in one table; the caller shows it."""
    rows = [
        (spec.menu.replace("&", ""), actions[spec.id].text().replace("&", "").rstrip("…"), _keys(actions, spec.id))
        for spec in ACTIONS
        if spec.shortcut
    ]
    dialog = QDialog(parent)
    dialog.setWindowTitle("Keyboard Shortcuts")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.resize(560, 620)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    column = QVBoxLayout(dialog)
    column.addWidget(_table([*rows, *CANVAS_KEYS]))
    column.addWidget(buttons)
    return dialog


def about_box(torch: str, parent: QWidget) -> QMessageBox:
    """Version and licences; the caller shows it."""
    box = QMessageBox(parent)
    box.setWindowTitle("About aotgui")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIconPixmap(parent.windowIcon().pixmap(64, 64))
    box.setText(f"<h3>aotgui {__version__}</h3>A desktop debugger for PyTorch's AOT Autograd.")
    box.setInformativeText(
        f"Python {platform.python_version()}, PySide6 {PySide6.__version__}, Qt {qVersion()}"
        f"{f', torch {torch}' if torch else ''}.<br><br>"
        "MIT licence. Qt for Python is used under the LGPL; icons are Material Design Icons (Apache 2.0)."
    )
    return box


def _keys(actions: Actions, name: str) -> str:
    action = next(action for action in actions.all() if action.objectName() == name)
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def _table(rows: list[tuple[str, str, str]]) -> QTableWidget:
    table = QTableWidget(len(rows), 3)
    table.setHorizontalHeaderLabels(["Where", "Command", "Keys"])
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
    table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    for place, row in enumerate(rows):
        for column, text in enumerate(row):
            table.setItem(place, column, QTableWidgetItem(text))
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
    return table
