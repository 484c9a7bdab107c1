"""Lanes: free, near, apart from each other, bundled for one owner."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aotgui.layout.corridors import CELL, Corridors


def corridors(
    boxes: list[tuple[int, float, float]],
    exits: list[int] | None = None,
    gutter_side: int = 1,
    joins: list[tuple[int, float, float]] | None = None,
) -> Corridors:
    """From (level, left, right) of each box, and (upper level, upper x, lower x) of each edge."""
    levels = np.asarray([level for level, _, _ in boxes], np.int64)
    left = np.asarray([begin for _, begin, _ in boxes], float)
    right = np.asarray([end for _, _, end in boxes], float)
    between = np.asarray(joins or [], float).reshape(-1, 3)
    return Corridors(levels, left, right, np.asarray(exits or [0] * len(boxes), np.int64), gutter_side, between)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(-300, 300), st.integers(1, 200)), min_size=2), st.data())
def test_a_lane_meets_no_box_between_its_ends(boxes: list[tuple[int, int, int]], data: st.DataObject) -> None:
    free = corridors([(level, left, left + width) for level, left, width in boxes])
    last = max(level for level, _, _ in boxes)
    top = data.draw(st.integers(0, last))
    bottom = data.draw(st.integers(top, last))
    ends = data.draw(st.tuples(st.floats(-500, 500), st.floats(-500, 500)))
    x = free.lane(0, top, bottom, *ends)
    for level, left, width in boxes:
        assert not (top < level < bottom and left < x < left + width)


def test_the_nearest_free_cell_is_taken() -> None:
    free = corridors([(0, 0, 70), (1, 0, 70), (2, 0, 70)])
    assert 70 < free.lane(0, 0, 2, 60.0, 60.0) < 70 + 2 * CELL
    assert -2 * CELL < free.lane(1, 0, 2, 10.0, 10.0) < 0


def test_lanes_of_two_owners_do_not_meet() -> None:
    free = corridors([(level, 0, 70) for level in range(9)])
    first, second = free.lane(0, 0, 8, 60.0, 60.0), free.lane(1, 2, 6, 60.0, 60.0)
    assert abs(first - second) >= CELL


def test_lanes_of_one_owner_are_a_bundle() -> None:
    free = corridors([(level, 0, 70) for level in range(9)])
    assert free.lane(0, 0, 8, 60.0, 60.0) == free.lane(0, 0, 6, 60.0, 60.0)


def test_a_lane_can_be_used_again_further_down() -> None:
    free = corridors([(level, 0, 70) for level in range(9)])
    assert free.lane(0, 0, 4, 60.0, 60.0) == free.lane(1, 4, 8, 60.0, 60.0)


def test_a_lane_avoids_the_gutter_side_where_many_edges_leave() -> None:
    boxes = [(level, 0.0, 70.0) for level in range(9)]
    assert corridors(boxes, [1] * 9).lane(0, 0, 8, 60.0, 60.0) < 0
    assert corridors(boxes, [1] * 9, gutter_side=-1).lane(0, 0, 8, 10.0, 10.0) > 70


def test_a_lane_crosses_few_edges_that_leave_for_the_gutter() -> None:
    """Between two columns of boxes: the right ones have the edges."""
    left, right = [(level, 0.0, 70.0) for level in range(9)], [(level, 140.0, 210.0) for level in range(9)]
    exits = [0] * 9 + [1] * 9
    assert 70 < corridors(left + right, exits).lane(0, 0, 8, 200.0, 200.0) < 140
    assert 70 < corridors(left + right, exits[::-1], gutter_side=-1).lane(0, 0, 8, 10.0, 10.0) < 140


def test_a_lane_crosses_few_edges_of_its_column() -> None:
    """What comes from the one side at its upper end, or leaves for it below, sends it to the other."""
    boxes = [(level, 0.0, 70.0) for level in range(9)]
    inner = [(level, 35.0, 35.0) for level in range(8)]
    assert corridors(boxes, joins=[*inner, (0, -40.0, 35.0)]).lane(0, 0, 8, 35.0, 35.0) > 70
    assert corridors(boxes, joins=[*inner, (0, 110.0, 35.0)]).lane(0, 0, 8, 35.0, 35.0) < 0
    assert corridors(boxes, joins=[*inner, (7, 35.0, -40.0)]).lane(0, 0, 8, 35.0, 35.0) > 70
    assert corridors(boxes, joins=[*inner, (4, 35.0, -40.0)]).lane(0, 0, 8, 35.0, 35.0) > 70


def test_a_lane_is_near_both_ends() -> None:
    free = corridors([(level, left, left + 70.0) for level in range(9) for left in (0.0, 100.0, 200.0, 300.0)])
    assert 70 < free.lane(0, 0, 8, 10.0, 360.0) < 300
