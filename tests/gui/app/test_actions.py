"""The table of actions and what is built from it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QTableWidget, QWidget
from pytestqt.qtbot import QtBot

from aotgui.gui.app.actions import ACTIONS, ActionId, Actions
from aotgui.gui.app.command_palette import CommandPalette, matches
from aotgui.gui.app.dialogs import CANVAS_KEYS, about_box, shortcuts_dialog
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind


def test_every_name_has_one_action_and_every_shortcut_one_owner() -> None:
    assert sorted(spec.id for spec in ACTIONS) == sorted(ActionId)
    shortcuts = [spec.shortcut for spec in ACTIONS if spec.shortcut]
    assert len(shortcuts) == len(set(shortcuts))
    assert all(not QKeySequence(shortcut).isEmpty() for shortcut in shortcuts)
    assert all(spec.tip.endswith(".") for spec in ACTIONS)


def test_the_shortcuts_dialog_lists_every_shortcut(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = shortcuts_dialog(Actions(parent), parent)
    table = dialog.findChild(QTableWidget)
    assert table is not None
    keys = {table.item(row, 2).text() for row in range(table.rowCount())}
    assert {spec.shortcut for spec in ACTIONS if spec.shortcut} <= keys


def test_the_shortcuts_dialog_lists_the_single_keys_of_the_canvas(qtbot: QtBot) -> None:
    pane = CanvasPane(Session(), GraphKind.JOINT)
    qtbot.addWidget(pane)
    taken = {shortcut.key().toString() for shortcut in pane.findChildren(QShortcut)}
    listed = {keys for _, _, keys in CANVAS_KEYS}
    assert {"A", "D", "P", "I", "H", "Shift+H"} <= taken
    assert taken <= listed
    pane.close_background()


def test_about_names_the_versions(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    assert "torch 2.13.0" in about_box("2.13.0", parent).informativeText()


def test_the_palette_finds_and_triggers_what_is_typed(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    actions = Actions(parent)
    actions[ActionId.STOP].setEnabled(False)
    triggered: list[str] = []
    actions[ActionId.EXPORT_DOT].triggered.connect(lambda: triggered.append("dot"))
    palette = CommandPalette(actions.all(), parent)
    everything = palette.found.count()
    assert everything == len(ACTIONS) - 2  # neither itself nor what is disabled
    qtbot.keyClicks(palette.field, "graph dot")
    assert palette.found.count() == 1
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert triggered == ["dot"]


def test_the_arrow_keys_move_in_the_palette(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    palette = CommandPalette(Actions(parent).all(), parent)
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.found.currentRow() == 1
    palette.close()


def test_words_match_in_any_order() -> None:
    assert matches("svg gra", "Graph as SVG")
    assert not matches("svg joint", "Graph as SVG")
