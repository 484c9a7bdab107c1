"""The order of rows: branches on the side where they belong, and chains that jump as a whole."""

from __future__ import annotations

from types import ModuleType

import pytest

from aotgui.layout.branches import branch_order, branches_of
from aotgui.layout.column import Column, build_column
from aotgui.layout.engine import lay_out
from aotgui.layout.jumps import jump_chains
from aotgui.layout.ordering import order_by_branches, weigh_crossings
from aotgui.model.graph import Role, Side

_CHAIN = [(number, number + 1) for number in range(5)]


def column(rows: list[int], edges: list[tuple[int, int]], *leaving: int) -> Column:
    return build_column(rows, edges, [int(slot in leaving) for slot in range(len(rows))], short_span=12)


def test_what_exchanges_values_stands_between_the_spine_and_the_gutter() -> None:
    made = column([0, 1, 2, 3, 4, 5, 1, 2, 1, 2], [*_CHAIN, (0, 6), (6, 7), (0, 8), (8, 9)], 7)
    order = branch_order(branches_of(made))
    assert sorted(order) == list(range(10))
    assert max(map(order.index, (8, 9))) < min(map(order.index, made.spine))
    assert max(map(order.index, made.spine)) < min(map(order.index, (6, 7)))


def test_a_large_branch_crosses_the_spine_for_one_saved_value() -> None:
    count = 20
    spine = [(number, number + 1) for number in range(count)]
    branch = [(count + number, count + number + 1) for number in range(1, count - 1)]
    made = column([*range(count + 1), *range(1, count)], [*spine, (0, count + 1), *branch], count + 5)
    order = branch_order(branches_of(made))
    assert order.index(count + 1) < order.index(0)


def test_a_branch_that_is_moved_stands_on_the_other_side() -> None:
    made = column([0, 1, 2, 3, 4, 5, 1, 2, 1, 2], [*_CHAIN, (0, 6), (6, 7), (0, 8), (8, 9)], 7)
    branches = branches_of(made)
    assert [branch.path for branch in branches[1:]] == [[6, 7], [8, 9]]
    order, moved = branch_order(branches), branch_order(branches, {1, 2})
    assert moved.index(6) < moved.index(0) < moved.index(8)
    assert order.index(8) < order.index(0) < order.index(6)


def ladder(length: int, *branches: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Rows and edges of a spine and of branches that leave it at its first slot and come back at the given ones."""
    rows, edges = list(range(length)), [(slot, slot + 1) for slot in range(length - 1)]
    for end in branches:
        first = len(rows)
        rows += range(1, end)
        edges += [(0, first), *((slot, slot + 1) for slot in range(first, len(rows) - 1)), (len(rows) - 1, end)]
    return rows, edges


def test_a_branch_is_tried_on_both_sides() -> None:
    """Seen from the spine the branch belongs to the gutter, but it would lie in the way of more than it saves."""
    rows, edges = ladder(40, 31)
    made = column(rows, edges, 2, 3, 4, 50, 60)
    order_by_branches(made)
    assert {row.index(made.spine[level]) for level, row in enumerate(made.rows) if 1 <= level < 31} == {1}
    assert weigh_crossings(made) == 2


def test_a_source_of_two_branches_does_not_join_them() -> None:
    made = column([0, 1, 2, 3, 4, 5, 1, 3, 0], [*_CHAIN, (0, 6), (2, 7), (8, 6), (8, 7)], 7)
    order = branch_order(branches_of(made))
    assert order.index(6) < order.index(0) < order.index(7)


def test_a_chain_jumps_over_the_spine() -> None:
    made = column([0, 1, 2, 3, 4, 5, 0, 1, 2, 3], [*_CHAIN, (6, 7), (7, 8), (8, 9)], 7, 8, 9)
    for row in made.rows:
        row.sort(key=lambda slot: slot not in (6, 7, 8, 9))
    before = weigh_crossings(made)
    assert jump_chains(made)
    assert weigh_crossings(made) < before
    assert all(made.rows[level][-1] == slot for level, slot in enumerate((6, 7, 8, 9)))
    assert not jump_chains(made)


def test_what_faces_one_row_of_the_other_column_stands_mirrored_to_it() -> None:
    """Two branches that begin in one row; either order crosses as much by itself."""
    rows, edges = ladder(20, 19, 19)
    first, second = 20, 38
    for faced in ({first: (9, 1.0), second: (9, 2.0)}, {first: (9, 2.0), second: (9, 1.0)}):
        made = column(rows, edges, first, second)
        made.facing.update(faced)
        order_by_branches(made)
        from_gutter = [slot for slot in reversed(made.rows[1]) if slot in faced]
        assert from_gutter == sorted(faced, key=lambda slot: faced[slot][1])


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (2, 1, 0), (1, 0, 2)])
def test_columns_face_each_other_mirrored(graphs: ModuleType, order: tuple[int, ...]) -> None:
    """Operators beside each other in forward, each read by one of those beside each other in backward."""
    builder = graphs.GraphBuilder()
    first = builder.add(builder.add(role=Role.INPUT), seq_nr=1)
    forward = [builder.add(first, seq_nr=2 + place) for place in range(len(order))]
    last = builder.add(*forward, seq_nr=9)
    tangent = builder.add(last, side=Side.BACKWARD, seq_nr=9)
    backward = {place: builder.add(tangent, forward[place], side=Side.BACKWARD, seq_nr=2 + place) for place in order}
    builder.add(*backward.values(), side=Side.BACKWARD, seq_nr=1)
    boxes = lay_out(builder.build()).boxes
    assert len({float(boxes[node, 1]) for node in (*forward, *backward.values())}) == 1
    by_x = sorted(range(len(order)), key=lambda place: float(boxes[forward[place], 0]))
    assert by_x == sorted(backward, key=lambda place: -float(boxes[backward[place], 0]))
