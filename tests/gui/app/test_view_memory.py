"""How a graph was looked at is found again, and two graphs stand beside each other."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.colouring import ColourMode
from aotgui.model.graph import GraphKind

OpenAndWait = Callable[[MainWindow, str], None]


def pane_of(window: MainWindow, kind: GraphKind = GraphKind.JOINT) -> CanvasPane:
    pane = window.workspace.tabs.pane(kind)
    assert pane is not None
    return pane


def test_zoom_place_and_colours_survive_a_restart(
    build_window: Callable[..., MainWindow], script: Callable[..., str], open_and_wait: OpenAndWait
) -> None:
    first, source = build_window(), script()
    open_and_wait(first, source)
    pane_of(first).view.set_camera(Camera(1.5, 12.0, 34.0))
    pane_of(first).set_colour_mode(ColourMode.BYTES)
    first.close()
    second = build_window()
    open_and_wait(second, source)
    assert pane_of(second).view.camera == Camera(1.5, 12.0, 34.0)
    assert pane_of(second).view.colour_mode is ColourMode.BYTES
    assert pane_of(second).colour_box.currentData() is ColourMode.BYTES


def test_the_menus_act_on_the_graph_in_front(
    window: MainWindow, script: Callable[..., str], open_and_wait: OpenAndWait
) -> None:
    actions = window.actions_table
    open_and_wait(window, script())
    pane = pane_of(window)
    actions[ActionId.ACTUAL_SIZE].trigger()
    assert pane.view.camera.scale == pytest.approx(1.0)
    actions[ActionId.ZOOM_OUT].trigger()
    assert pane.view.camera.scale < 1.0
    window.session.select(GraphKind.JOINT, [0])
    actions[ActionId.ISOLATE].trigger()
    assert pane.view.states.hidden is not None
    actions[ActionId.SHOW_EVERYTHING].trigger()
    assert pane.view.states.hidden is None
    commands = window.workspace.commands()
    commands["Colour by: " + ColourMode.BYTES.value]()
    assert pane.colour_box.currentData() is ColourMode.BYTES
    commands["Panel: What If"]()
    assert not window.workspace.docks.widgets["WhatIf"].isHidden()


def test_each_file_has_its_own(
    window: MainWindow, script: Callable[..., str], open_and_wait: OpenAndWait, qtbot: QtBot
) -> None:
    one, other = script(name="one.py"), script(name="other.py")
    open_and_wait(window, one)
    pane_of(window).view.set_camera(Camera(2.0, 1.0, 2.0))
    open_and_wait(window, other)
    assert pane_of(window).view.camera != Camera(2.0, 1.0, 2.0)
    open_and_wait(window, one)
    qtbot.waitUntil(lambda: pane_of(window).view.camera == Camera(2.0, 1.0, 2.0))


def test_nothing_is_remembered_before_a_graph_was_seen(
    window: MainWindow, script: Callable[..., str], preferences_path: object
) -> None:
    window.open(script())
    window.workspace.memory.save()
    assert window.workspace.memory.state_for(GraphKind.JOINT) is None


@pytest.mark.parametrize("wanted", [True, False])
def test_whether_modules_open_to_reveal_is_remembered(
    build_window: Callable[..., MainWindow],
    script: Callable[..., str],
    open_and_wait: OpenAndWait,
    preferences_path: object,
    wanted: bool,
) -> None:
    window = build_window()
    open_and_wait(window, script())
    window.actions_table[ActionId.EXPAND_TO_REVEAL].setChecked(not wanted)
    window.actions_table[ActionId.EXPAND_TO_REVEAL].setChecked(wanted)
    assert pane_of(window).expands_to_reveal is wanted
    assert PreferencesStore(preferences_path).value.expands_to_reveal is wanted  # type: ignore[arg-type] # a Path


def test_a_second_graph_stands_beside_and_follows(
    window: MainWindow, script: Callable[..., str], open_and_wait: OpenAndWait, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    split = window.workspace.split
    window.actions_table[ActionId.SPLIT].trigger()
    assert split.is_split
    second = split.second.pane
    assert second is not None
    assert second.kind is not GraphKind.JOINT
    qtbot.waitUntil(lambda: not second.is_laying_out)
    region = window.session.region
    assert region is not None
    node = next(
        node
        for node in range(len(region.graphs[GraphKind.JOINT]))
        if second.kind in region.counterparts(GraphKind.JOINT, node)
    )
    second.view.set_camera(Camera(1.0, 9000.0, 9000.0))
    window.session.select(GraphKind.JOINT, [node])
    assert second.view.shows(second.view.marks.selected[0])
    window.actions_table[ActionId.SPLIT].trigger()
    assert not split.is_split


def test_the_second_graph_is_chosen_by_its_own_tabs(
    window: MainWindow, script: Callable[..., str], open_and_wait: OpenAndWait
) -> None:
    open_and_wait(window, script())
    window.actions_table[ActionId.SPLIT].trigger()
    second, shown = window.workspace.split.second, window.session.graph_shown
    second.bar.setCurrentIndex(0)
    assert second.pane is not None
    assert second.pane.kind is GraphKind.JOINT
    assert window.session.graph_shown is shown
