"""The index finds what a look at every rectangle finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aotgui.gui.canvas.spatial import TALL_UNITS, SpatialIndex

coordinate = st.floats(-2000, 2000, width=32)
extent = st.floats(0, 3 * TALL_UNITS, width=32)
boxes = st.lists(st.tuples(coordinate, coordinate, extent, extent), max_size=40)


def arrays(rows):
    table = np.array(rows, np.float32).reshape(-1, 4)
    left, top = table[:, 0], table[:, 1]
    return left, top, left + table[:, 2], top + table[:, 3]


@given(boxes, st.tuples(coordinate, coordinate, extent, extent))
def test_in_rect_equals_looking_at_each(rows, query):
    left, top, right, bottom = arrays(rows)
    x0, y0 = query[0], query[1]
    x1, y1 = x0 + query[2], y0 + query[3]
    expected = [
        i for i in range(len(rows)) if left[i] <= x1 and right[i] >= x0 and top[i] <= np.float32(y1) and bottom[i] >= y0
    ]
    assert SpatialIndex(left, top, right, bottom).in_rect(x0, y0, x1, y1).tolist() == expected


def test_the_upper_of_two_overlapping_rectangles_is_hit():
    index = SpatialIndex(*arrays([(0, 0, 100, 100), (50, 50, 100, 100)]))
    assert index.at(75, 75) == 1
    assert index.at(25, 25) == 0
    assert index.at(500, 500) == -1


def test_an_empty_index_finds_nothing():
    assert SpatialIndex(*arrays([])).at(0, 0) == -1
