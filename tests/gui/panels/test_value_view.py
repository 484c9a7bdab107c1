import math

import msgspec
import pytest
from PySide6.QtCore import Qt

from aotgui.gui.panels.value_view import ValueView
from aotgui.gui.session.session import SteppingState
from aotgui.gui.session.state import NO_ENGINE
from aotgui.model.capture import Region
from aotgui.model.graph import GraphKind, TensorInfo
from aotgui.model.values import ValueSlice

MM = 4
STOPPED = SteppingState(active=True, graph=GraphKind.FORWARD, node=5)
ROWS = [[float(10 * row + column) for column in range(32)] for row in range(64)]


@pytest.fixture
def view(captured, make_stats, shown):
    captured.set_stepping(STOPPED)
    captured.add_values({GraphKind.FORWARD: [make_stats(MM)]})
    return shown(ValueView(captured))


@pytest.fixture
def asked(view):
    """Everything that the view asked for."""
    requests = []
    view.numbers.read_requested.connect(lambda *request: requests.append(request))
    return requests


def answer(session, **rest):
    session.add_slice(GraphKind.FORWARD, ValueSlice(**{"node": MM, "shape": (128, 256), "rows": ROWS, **rest}))


def cell(view, row, column, role=Qt.ItemDataRole.DisplayRole):
    return view.numbers.model.index(row, column).data(role)


def test_it_says_what_to_do_without_a_value(view, captured):
    assert view.message == "Select an executed node to see its numbers."
    captured.select(GraphKind.FORWARD, [5])
    assert view.message == "relu has not been executed yet. Step over it to see its numbers."
    captured.set_stepping(SteppingState())
    assert view.message.startswith("relu has not been executed. Start the debugger")


def test_of_a_saved_capture_there_are_no_values(view, captured):
    captured.set_source("/m.aotcap", is_stored=True)
    assert view.message == NO_ENGINE


def test_an_executed_node_is_read(view, captured, asked):
    captured.select(GraphKind.FORWARD, [MM])
    assert asked == [(GraphKind.FORWARD, MM, 0, (), 0, 0, 0)]
    assert view.message == "Reading…"
    answer(captured)
    assert view.message == ""
    assert (cell(view, 0, 0), cell(view, 1, 2)) == ("0", "12")
    assert view.title.text() == "mm  float32[128, 256]  in forward"


def test_a_value_that_is_looked_at_after_the_end_is_gone(view, captured):
    captured.select(GraphKind.FORWARD, [MM])
    view.hide()
    captured.set_stepping(SteppingState())
    view.show()
    assert view.message.startswith("The debugger has ended, and its values with it.")


def test_a_joint_node_shows_the_value_of_its_copy(view, captured, asked, node_of):
    captured.select(GraphKind.JOINT, [node_of(GraphKind.JOINT, "mm")])
    assert asked == [(GraphKind.FORWARD, MM, 0, (), 0, 0, 0)]


def test_a_node_is_read_as_soon_as_it_is_executed(view, captured, asked, make_stats):
    captured.select(GraphKind.FORWARD, [5])
    assert asked == []
    captured.add_values({GraphKind.FORWARD: [make_stats(5)]})
    assert asked == [(GraphKind.FORWARD, 5, 0, (), 0, 0, 0)]


def test_paging_asks_for_the_next_window(view, captured, asked):
    captured.select(GraphKind.FORWARD, [MM])
    answer(captured)
    assert view.numbers.controls.rows.text.text() == "Rows 0 to 63 of 128"
    assert not view.numbers.controls.rows.back.isEnabled()
    view.numbers.controls.rows.forth.click()
    assert asked[-1] == (GraphKind.FORWARD, MM, 0, (), 64, 0, 0)
    answer(captured, row=64)
    assert not view.numbers.controls.rows.forth.isEnabled()
    assert view.numbers.model.headerData(0, Qt.Orientation.Vertical) == "64"
    view.numbers.controls.columns.forth.click()
    assert asked[-1] == (GraphKind.FORWARD, MM, 0, (), 64, 32, 0)


def test_outer_dimensions_have_spin_boxes(view, captured, asked):
    captured.select(GraphKind.FORWARD, [MM])
    answer(captured, shape=(8, 3, 64, 32), index=(0, 0))
    assert [box.maximum() for box in view.numbers.controls.indexes] == [7, 2]
    assert not view.numbers.controls.rows.isVisible()
    view.numbers.controls.indexes[0].setValue(5)
    view.numbers.controls.indexes[1].setValue(2)
    assert asked[-1] == (GraphKind.FORWARD, MM, 0, (5, 2), 0, 0, 0)


def test_items_of_a_tuple_are_read_one_at_a_time(session, made_capture, make_graph, make_stats, shown):
    build = make_graph(GraphKind.FORWARD)
    build.add("topk", "aten.topk.default")
    build.tensors += [TensorInfo((4, 3), dtype, (3, 1), "cpu", 48) for dtype in ("float32", "int64")]
    build.columns["values"][0] = [0, 1]
    region = Region(name="region 0", graphs={GraphKind.FORWARD: build.build()})
    session.set_capture(msgspec.structs.replace(made_capture, regions=[region]))
    session.set_stepping(STOPPED)
    session.add_values({GraphKind.FORWARD: [make_stats(0, value=TensorInfo((), "tuple"))]})
    view = shown(ValueView(session))
    session.select(GraphKind.FORWARD, [0])
    assert [view.items.itemText(place) for place in range(2)] == ["Item 0: float32[4, 3]", "Item 1: int64[4, 3]"]
    requests = []
    view.numbers.read_requested.connect(lambda *request: requests.append(request))
    view.items.setCurrentIndex(1)
    view.items.activated.emit(1)
    assert requests == [(GraphKind.FORWARD, 0, 1, (), 0, 0, 0)]
    session.add_slice(GraphKind.FORWARD, ValueSlice(node=0, item=0, shape=(4, 3), rows=[[1.0]]))
    assert view.message == "Reading…"
    session.add_slice(GraphKind.FORWARD, ValueSlice(node=0, item=1, shape=(4, 3), rows=[[7]]))
    assert view.title.text() == "topk  int64[4, 3]  in forward"
    assert cell(view, 0, 0) == "7"


def test_an_answer_for_another_node_is_dropped(view, captured):
    captured.select(GraphKind.FORWARD, [MM])
    answer(captured, node=5)
    captured.add_slice(GraphKind.BACKWARD, ValueSlice(node=MM, shape=(1, 1), rows=[[1.0]]))
    assert view.message == "Reading…"


def test_nan_and_inf_are_marked(view, captured, theme):
    captured.select(GraphKind.FORWARD, [MM])
    answer(captured, shape=(1, 5), rows=[[math.nan, -math.inf, 1.0, -1.0, 0.0]])
    assert [cell(view, 0, column) for column in range(5)] == ["NaN", "-Inf", "1", "-1", "0"]
    assert cell(view, 0, 0, Qt.ItemDataRole.FontRole).bold()
    fills = [cell(view, 0, column, Qt.ItemDataRole.BackgroundRole) for column in range(5)]
    names = [fill.color().name() if fill else None for fill in fills]
    assert names[0] == names[1]
    assert names[4] is None
    assert len(set(names)) == 4


def test_heat_grows_with_the_magnitude(view, captured):
    captured.select(GraphKind.FORWARD, [MM])
    answer(captured, shape=(1, 3), rows=[[0.1, 0.5, 1.0]])
    blue = [cell(view, 0, column, Qt.ItemDataRole.BackgroundRole).color().blue() for column in range(3)]
    assert blue == sorted(blue, reverse=True)
    assert blue[0] > blue[2]


def test_other_types_are_shown_as_texts(view, captured):
    captured.select(GraphKind.FORWARD, [MM])
    answer(captured, shape=(1, 3), rows=[["1+2j", True, 7]])
    assert [cell(view, 0, column) for column in range(3)] == ["1+2j", "True", "7"]
    answer(captured, shape=(), rows=[], text="a nested tensor, into which is not looked")
    assert view.message == "a nested tensor, into which is not looked"


def test_nothing_is_read_while_hidden(captured, make_stats, qtbot):
    captured.set_stepping(STOPPED)
    captured.add_values({GraphKind.FORWARD: [make_stats(MM)]})
    view = ValueView(captured)
    qtbot.addWidget(view)
    with qtbot.assertNotEmitted(view.numbers.read_requested):
        captured.select(GraphKind.FORWARD, [MM])
    with qtbot.waitSignal(view.numbers.read_requested) as asked:
        view.show()
    assert asked.args == [GraphKind.FORWARD, MM, 0, (), 0, 0, 0]


def test_after_the_debugger_has_ended_nothing_is_asked(view, captured, asked):
    captured.set_stepping(SteppingState())
    captured.select(GraphKind.FORWARD, [MM])
    assert asked == []
    assert view.message.startswith("The debugger has ended")


def test_a_restart_empties_the_view(view, captured):
    captured.select(GraphKind.FORWARD, [MM])
    answer(captured)
    captured.clear_values()
    assert view.message.startswith("mm has not been executed")


def test_it_fits_a_narrow_dock(view, captured):
    captured.select(GraphKind.FORWARD, [MM])
    answer(captured, shape=(8, 3, 4096, 4096), index=(0, 0))
    assert view.minimumSizeHint().width() <= 320
