"""The table of actions and what is built from it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QTableWidget, QWidget
from pytestqt.qtbot import QtBot

from aotgui.gui.app.actions import ACTIONS, ActionId, Actions
from aotgui.gui.app.command_palette import NOTHING, CommandPalette, matches
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


def test_the_palette_knows_what_the_graph_takes_by_single_keys(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    actions = Actions(parent)
    palette = CommandPalette(actions.all(), parent)
    qtbot.keyClicks(palette.field, "isolate")
    assert [palette.found.item(row).text() for row in range(palette.found.count())] == ["Isolate Selection"]
    picture = palette.found.grab().toImage()
    right = range(picture.width() - 30, picture.width() - 4)
    assert len({picture.pixel(x, y) for x in right for y in range(4, 18)}) > 1  # its key
    assert not actions[ActionId.ISOLATE].shortcuts()  # or one could not type an i anywhere
    shown = {spec.canvas_keys for spec in ACTIONS if spec.canvas_keys}
    assert {"A", "D", "P", "I", "H", "Shift+H", "Home"} <= shown


def test_the_palette_lists_names_before_descriptions(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    palette = CommandPalette(Actions(parent).all(), parent)
    qtbot.keyClicks(palette.field, "select")
    names = [palette.found.item(row).text() for row in range(palette.found.count())]
    assert "Find Next" in names  # it selects the next node
    assert names == sorted(names, key=lambda name: "select" not in name.lower())


def test_the_palette_does_what_is_no_action(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    done: list[str] = []
    palette = CommandPalette([], parent, {"Panel: Outline": lambda: done.append("outline")})
    qtbot.keyClicks(palette.field, "outl pan")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert done == ["outline"]


def test_the_palette_says_that_nothing_matches(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    palette = CommandPalette(Actions(parent).all(), parent)
    qtbot.keyClicks(palette.field, "xyzzy")
    assert palette.found.item(0).text() == NOTHING
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.field.text() == "xyzzy"
    palette.close()


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
