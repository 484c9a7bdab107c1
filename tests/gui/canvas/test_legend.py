"""Counts, words, and the filter."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.canvas.legend import Legend
from aotgui.gui.canvas.legend_button import ENTRY_HEIGHT
from aotgui.gui.canvas.theme import DARK
from aotgui.model.graph import Fate, GraphKind, Role, Side


@pytest.fixture
def legend(view, make_graph, qtbot):
    widget = Legend(view)
    qtbot.addWidget(widget)
    view.set_graph(*make_graph(20))
    widget.resize(1000, 40)
    widget.show()
    return widget


def click(legend, label):
    (button,) = [button for button in legend.buttons if button.entry.label == label]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_it_counts_sides_and_fates(legend, view):
    counts = {button.entry.label: button.entry.count for button in legend.buttons}
    graph = view.scene.graph
    expected = {side.label: graph.sides.count(side) for side in Side}
    expected |= {fate.label: count for fate, count in graph.fate_counts().items() if count}
    assert counts == expected
    assert "eliminated" not in counts


def test_a_click_keeps_what_it_names_and_fades_the_rest(legend, view, qtbot):
    with qtbot.waitSignal(legend.filter_changed) as changed:
        click(legend, "saved")
    assert changed.args[0].tolist() == [fate != Fate.SAVED for fate in view.scene.graph.fates]


def test_fates_add_up_and_sides_narrow_down(legend, view, qtbot):
    click(legend, "saved")
    click(legend, "backward only")
    with qtbot.waitSignal(legend.filter_changed) as changed:
        click(legend, "forward")
    graph = view.scene.graph
    kept = [fate == Fate.SAVED and side == Side.FORWARD for fate, side in zip(graph.fates, graph.sides, strict=True)]
    assert (~changed.args[0]).tolist() == kept


def test_a_right_click_hides_what_it_names(legend, view, qtbot):
    (button,) = [button for button in legend.buttons if button.entry.label == "saved"]
    place = button.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, button.mapToGlobal(place))
    with qtbot.waitSignal(legend.hiding_changed) as changed:
        QApplication.sendEvent(button, event)
    assert changed.args[0].tolist() == [fate == Fate.SAVED for fate in view.scene.graph.fates]
    with qtbot.waitSignal(legend.hiding_changed) as changed:
        legend.show_hidden()
    assert changed.args == [None]


def test_a_second_click_takes_the_filter_back(legend, qtbot):
    click(legend, "saved")
    with qtbot.waitSignal(legend.filter_changed) as changed:
        click(legend, "saved")
    assert changed.args == [None]


def test_a_filter_can_be_set_by_keyboard(legend, qtbot):
    button = legend.buttons[2]
    button.setFocus()
    with qtbot.waitSignal(legend.filter_changed):
        QTest.keyClick(button, Qt.Key.Key_Space)
    assert button.isChecked()


def test_it_explains_the_colour_mode_in_use(legend, view):
    view.set_colour_mode(ColourMode.DTYPE)
    assert [(button.entry.label, button.entry.count) for button in legend.buttons] == [("bf16", 20), ("f32", 20)]


def test_counts_follow_execution_without_losing_the_filter(legend, view, qtbot):
    view.set_colour_mode(ColourMode.EXECUTED)
    view.add_executed([0])
    click(legend, "executed")
    with qtbot.waitSignal(legend.filter_changed) as changed:
        view.add_executed([1, 2])
    assert {button.entry.label: button.entry.count for button in legend.buttons} == {"not yet": 37, "executed": 3}
    assert np.flatnonzero(~changed.args[0]).tolist() == [0, 1, 2]


def test_it_stays_one_row_and_keeps_the_rest_in_a_menu(legend):
    assert legend.sizeHint().height() == ENTRY_HEIGHT
    assert legend.more.isHidden()
    legend.resize(330, 40)
    shown = [button for button in legend.buttons if button.isVisible()]
    assert all(legend.rect().contains(button.geometry()) for button in (*shown, legend.more))
    assert legend.more.isVisible()
    legend.more.menu().aboutToShow.emit()
    inside = [action.text() for action in legend.more.menu().actions()]
    hidden = [button.entry for button in legend.buttons if button.isHidden()]
    assert inside == [
        *(f"{entry.label}   {entry.count}" for entry in hidden),
        "",
        *(f"Hide {entry.label}" for entry in hidden),
    ]
    assert {"forward only", "backward only"} <= {entry.label for entry in hidden}


def test_the_menu_filters(legend, view, qtbot):
    legend.resize(330, 40)
    legend.more.menu().aboutToShow.emit()
    (action,) = [action for action in legend.more.menu().actions() if action.text().startswith("backward only")]
    with qtbot.waitSignal(legend.filter_changed) as changed:
        action.trigger()
    assert changed.args[0].tolist() == [fate != Fate.BACKWARD_ONLY for fate in view.scene.graph.fates]
    assert legend.more.isChecked()
    legend.resize(1000, 40)
    assert not legend.more.isChecked()


def test_an_inference_graph_counts_operators(legend, view, make_graph, qtbot):
    """A user read "forward only 3" and learned nothing."""
    graph, layout = make_graph(2)
    view.set_graph(msgspec.structs.replace(graph, kind=GraphKind.INFERENCE), layout)
    assert [(button.entry.label, button.entry.count) for button in legend.buttons] == [
        ("operators", 3),
        ("parameter", 1),
    ]
    with qtbot.waitSignal(legend.filter_changed) as changed:
        click(legend, "operators")
    assert changed.args[0].tolist() == [role != Role.OPERATOR for role in graph.roles]


@pytest.mark.parametrize(
    ("kind", "label"), [(GraphKind.FORWARD, "from backward"), (GraphKind.BACKWARD, "from forward")]
)
def test_what_comes_from_the_other_side_is_explained(legend, view, make_graph, kind, label):
    graph, layout = make_graph(20)
    view.set_graph(msgspec.structs.replace(graph, kind=kind), layout)
    (button,) = [button for button in legend.buttons if button.entry.label == label]
    assert button.toolTip().startswith("Traced in")


def test_it_follows_the_theme(legend, view):
    view.setPalette(QPalette(QColor("#333333"), QColor("#202020")))
    assert view.theme is DARK
    assert legend.buttons[0].entry.fill == DARK.forward_fill


def test_an_empty_view_has_an_empty_legend(legend, view):
    view.set_graph(None, None)
    assert legend.buttons == []
