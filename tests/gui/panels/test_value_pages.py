"""Heat map, histogram, where a value comes from, and what can be done with it."""

import math

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPointF

from aotgui.gui.panels import heat_colours
from aotgui.gui.panels.histogram_page import facts_text
from aotgui.gui.panels.value_view import ValueView
from aotgui.gui.session.debug_state import InnerNode
from aotgui.gui.session.session import SteppingState
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import Edit, Mutation, NestedFrame, NodeError, Replacement, ReplacementKind
from aotgui.model.values import Histogram, ValuePlane, ValueSlice
from aotgui.protocol.messages import Stepped, StopReason

FORWARD, BACKWARD = GraphKind.FORWARD, GraphKind.BACKWARD
MM = 4


@pytest.fixture
def view(captured, make_stats, shown):
    captured.set_stepping(SteppingState(active=True, graph=FORWARD, node=5))
    captured.add_values({FORWARD: [make_stats(MM)]})
    view = shown(ValueView(captured), width=700)
    captured.select(FORWARD, [MM])
    return view


def plane(values, **rest):
    values = np.asarray(values, "<f4")
    rows, columns = values.shape
    return ValuePlane(
        **{
            "node": MM,
            "shape": (rows, columns),
            "row_dim": 0,
            "column_dim": 1,
            "index": (0, 0),
            "rows": rows,
            "columns": columns,
            "data": values.tobytes(),
            "minimum": float(np.nanmin(values)),
            "maximum": float(np.nanmax(values)),
            **rest,
        }
    )


def report(session, **rest):
    session.debug.take(Stepped(session=1, region=0, graph=FORWARD, node=5, reason=StopReason.STEP, **rest))


# --- Heat map -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
def test_signs_have_a_hue_and_magnitudes_a_strength(dark):
    picture = heat_colours.colours(np.array([[-2.0, -1.0, 0.0, 1.0, 2.0, math.nan]], np.float32), 2.0, dark=dark)[0]
    ground, strength = picture[2].astype(int), np.abs(picture.astype(int) - picture[2].astype(int)).sum(axis=1)
    assert strength[0] > strength[1] > 0 < strength[3] < strength[4]
    assert picture[0][2] > picture[0][0]  # blue
    assert picture[4][0] > picture[4][2]  # orange
    assert len({tuple(colour) for colour in picture.tolist()}) == 6
    assert tuple(ground) == tuple(heat_colours.ramp(dark=dark)[heat_colours.STEPS])


def test_nothing_finite_has_no_limit():
    assert heat_colours.limit_of(np.array([[math.nan, math.inf]], np.float32)) == 0.0


def test_a_heat_map_is_asked_for_when_it_is_looked_at(view, captured, qtbot):
    with qtbot.waitSignal(view.heat_map.plane_requested) as asked:
        view.tabs.setCurrentWidget(view.heat_map)
    assert asked.args == [FORWARD, MM, 0, -1, -1, (), 0]
    captured.debug.add_plane(FORWARD, plane([[1.0, -3.0], [math.nan, 0.5]]))
    assert view.heat_map.message == ""
    assert view.heat_map.plot.values.tolist()[0] == [1.0, -3.0]
    assert "from -3 to 1" in view.heat_map.scale.toolTip()


def test_the_element_under_the_pointer_is_read(view, captured):
    view.tabs.setCurrentWidget(view.heat_map)
    captured.debug.add_plane(FORWARD, plane([[1.0, -3.0], [2.0, 0.5]], shape=(5, 2, 2), index=(4, 0, 0), row_dim=1,
                                            column_dim=2))  # fmt: skip
    view.heat_map.plot.pointed_at.emit(1, 0)
    assert view.heat_map.under_pointer.text() == "[4, 1, 0] = 2"
    image = view.heat_map.plot._image
    view.heat_map.plot._on_mouse_moved(image.mapToScene(QPointF(1.5, 0.5)))
    assert view.heat_map.under_pointer.text() == "[4, 0, 1] = -3"
    view.heat_map.plot._on_mouse_moved(image.mapToScene(QPointF(-3, 0)))
    assert view.heat_map.under_pointer.text() == "Point at an element to read it."


def test_cells_that_stand_for_many_say_so(view, captured):
    view.tabs.setCurrentWidget(view.heat_map)
    captured.debug.add_plane(FORWARD, plane([[1.0]], shape=(7, 9), block_rows=7, block_columns=4))
    assert view.heat_map.under_pointer.text().startswith("A cell stands for 7 x 4 elements")
    view.heat_map.plot.pointed_at.emit(0, 0)
    assert view.heat_map.under_pointer.text() == "[0:7, 0:4] = 1"


def test_other_dimensions_are_chosen(view, captured, qtbot):
    view.tabs.setCurrentWidget(view.heat_map)
    controls = view.heat_map.controls
    captured.debug.add_plane(FORWARD, plane([[1.0]], shape=(8, 3, 5), row_dim=1, column_dim=2, index=(0, 0, 0)))
    assert [box.isHidden() for box in controls.indexes] == [False, True, True]
    with qtbot.waitSignal(view.heat_map.plane_requested) as asked:
        controls.indexes[0].setValue(6)
    assert asked.args == [FORWARD, MM, 0, 1, 2, (6, 0, 0), 0]
    controls.columns.setCurrentIndex(1)
    with qtbot.waitSignal(view.heat_map.plane_requested) as asked:
        controls.columns.activated.emit(1)
    rows, columns = asked.args[3:5]
    assert columns == 1
    assert rows != columns


def test_what_has_no_picture_says_why(view, captured):
    view.tabs.setCurrentWidget(view.heat_map)
    captured.debug.add_plane(FORWARD, ValuePlane(node=MM, text="an empty tensor"))
    assert view.heat_map.message == "an empty tensor"
    captured.debug.add_plane(BACKWARD, plane([[1.0]]))
    assert view.heat_map.message == "an empty tensor"


# --- Histogram ----------------------------------------------------------------------------------------------------


def test_a_histogram_is_shown_and_asked_for_again_with_logarithms(view, captured, qtbot):
    with qtbot.waitSignal(view.histogram.histogram_requested) as asked:
        view.tabs.setCurrentWidget(view.histogram)
    assert asked.args == [FORWARD, MM, 0, False, 0]
    bars = Histogram(node=MM, edges=[0.0, 1.0, 2.0], counts=[3, 7], zeros=2, nans=1, negatives=4)
    captured.debug.add_histogram(FORWARD, bars)
    assert view.histogram.plot.heights == [3, 7]
    assert view.histogram.facts.text() == "2 zeros, 1 NaN, 4 negative"
    with qtbot.waitSignal(view.histogram.histogram_requested) as asked:
        view.histogram.log.click()
    assert asked.args == [FORWARD, MM, 0, True, 0]
    captured.debug.add_histogram(FORWARD, bars)  # the answer to the first question comes late
    assert view.histogram.plot.heights == [3, 7]
    captured.debug.add_histogram(FORWARD, Histogram(node=MM, log=True, edges=[-3.0, 0.0], counts=[10]))
    assert view.histogram.plot.heights == [10]
    assert view.histogram.plot.getAxis("bottom").tickStrings([-3, 0], 1, 1) == ["0.001", "1"]


def test_nothing_to_count_is_said(view, captured):
    view.tabs.setCurrentWidget(view.histogram)
    captured.debug.add_histogram(FORWARD, Histogram(node=MM, nans=5))
    assert view.histogram.message == "There is no finite element to count."
    assert facts_text(Histogram(node=MM)) == ""


# --- Where it comes from ------------------------------------------------------------------------------------------


def links(view):
    return [line for line in view.links.text().split("<br>") if line]


def plain(view):
    import re

    return [re.sub("<.*?>", "", line) for line in links(view)]


def test_a_saved_value_says_where_it_was_computed(view, captured, make_stats, node_of):
    relu = node_of(BACKWARD, "relu")
    captured.add_values({BACKWARD: [make_stats(relu)]})
    captured.select(BACKWARD, [relu])
    assert plain(view) == ["Saved: computed in forward by relu, read here."]
    view.links.linkActivated.emit("0")
    assert (captured.selection.graph, captured.selection.nodes) == (FORWARD, (node_of(FORWARD, "relu"),))
    assert captured.graph_shown is FORWARD


def test_a_recomputed_value_says_both_places(view, captured, make_stats, node_of):
    t_1 = node_of(BACKWARD, "t_1")
    captured.add_values({BACKWARD: [make_stats(t_1)]})
    captured.select(BACKWARD, [t_1])
    assert plain(view) == ["Recomputed: computed here, and first in forward by t_1."]


def test_edits_errors_and_writes_are_told(view, captured, make_stats):
    report(
        captured,
        errors={FORWARD: [NodeError(node=MM, max_abs=0.5, relative=0.25)]},
        differences={FORWARD: [NodeError(node=MM, relative=0.0)]},
        edits=[Edit(graph=FORWARD, node="mm", replacement=Replacement(kind=ReplacementKind.CLAMP, low=0.0))],
        mutated={
            FORWARD: [Mutation(node=6, target=MM, before=make_stats(MM), after=make_stats(MM, mean=0.5))],
        },
    )
    assert plain(view) == [
        "Written into by t_1: mean 0.125 before, 0.5 after.",
        "Replaced by itself clamped to 0 to no bound.",
        "Relative error against float64: 0.25",
        "Relative difference to the run without the what-if: 0",
    ]


def test_a_value_that_is_written_into_is_read_again_at_each_stop(view, captured, qtbot, make_stats):
    moved = SteppingState(active=True, graph=FORWARD, node=6)
    with qtbot.assertNotEmitted(view.numbers.read_requested):
        captured.set_stepping(moved)
    report(captured, mutated={FORWARD: [Mutation(node=6, target=MM, before=make_stats(MM), after=make_stats(MM))]})
    with qtbot.waitSignal(view.numbers.read_requested):
        captured.set_stepping(SteppingState(active=True, graph=FORWARD, node=7))


# --- What can be done ---------------------------------------------------------------------------------------------


def test_buttons_say_which_value(view, captured, qtbot, make_stats):
    for button, signal, wanted in (
        (view.save_button, view.save_requested, [FORWARD, MM, 0, 0]),
        (view.replace_button, view.replace_requested, [FORWARD, MM, 0]),
    ):
        with qtbot.waitSignal(signal) as asked:
            button.click()
        assert asked.args == wanted
    assert view.cause_button.isHidden()
    captured.add_values({FORWARD: [make_stats(MM, nans=2)]})
    with qtbot.waitSignal(view.cause_requested) as asked:
        view.cause_button.click()
    assert asked.args == [FORWARD, MM]


def test_a_value_of_a_nested_graph_is_read_and_saved(view, captured, qtbot):
    """Two of its nodes ran. Its graph is here the one around it: node numbers alone do not tell them apart."""
    inner = msgspec.structs.replace(captured.graph(FORWARD), subgraphs={})
    outer = msgspec.structs.replace(captured.graph(FORWARD), subgraphs={"body": inner})
    captured.region.graphs[FORWARD] = outer
    report(captured, frames=[NestedFrame(subgraph="body", node=2)])
    with qtbot.waitSignal(view.numbers.read_requested) as asked:
        captured.debug.set_inner(InnerNode(FORWARD, 1, 1))
    assert asked.args == [FORWARD, 1, 0, (), 0, 0, 1]
    captured.add_slice(FORWARD, ValueSlice(node=1, shape=(2,), rows=[[1.0, 2.0]]))
    assert view.message == ""
    assert view.title.text().startswith(inner.title(1))
    assert view.title.text().endswith("in body")
    assert not view.replace_button.isEnabled()
    assert view.links.isHidden()
    with qtbot.waitSignal(view.save_requested) as asked:
        view.save_button.click()
    assert asked.args == [FORWARD, 1, 0, 1]
    captured.debug.set_inner(InnerNode(FORWARD, 1, 2))
    assert view.ref is None or view.ref.inside == 0, "its third node has not been executed"


def test_out_of_a_nested_graph_the_selected_value_is_shown_again(view, captured):
    report(captured, frames=[NestedFrame(subgraph="body", node=2)])
    captured.debug.set_inner(InnerNode(FORWARD, 1, 1))
    report(captured)
    assert captured.debug.inner is None
    assert view.ref == (FORWARD, MM, 0, 0)
    report(captured, frames=[NestedFrame(subgraph="body", node=2)])
    captured.debug.set_inner(InnerNode(FORWARD, 1, 1))
    captured.select(FORWARD, [MM])
    assert captured.debug.inner is None
    assert view.ref == (FORWARD, MM, 0, 0)


def test_after_the_session_nothing_can_be_asked(view, captured):
    captured.set_stepping(SteppingState())
    assert not view.save_button.isEnabled()
    assert not view.replace_button.isEnabled()
