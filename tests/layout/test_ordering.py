"""The order of rows: branches on the side where they belong, and chains that jump as a whole."""

from __future__ import annotations

from aotgui.layout.branches import branch_order, branches_of
from aotgui.layout.column import Column, build_column
from aotgui.layout.jumps import jump_chains
from aotgui.layout.ordering import order_by_branches, weigh_crossings

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


def test_a_branch_is_tried_on_both_sides() -> None:
    """Seen from the spine the branch belongs to the gutter, but it would lie in the way of what the spine saves."""
    made = column([0, 1, 2, 3, 4, 5, 1, 2, 3, 4], [*_CHAIN, (0, 6), (6, 7), (7, 8), (8, 9), (9, 5)], 1, 2, 3, 7)
    order_by_branches(made)
    assert [row.index(slot) for row, slot in zip(made.rows, made.spine, strict=True)] == [0, 1, 1, 1, 1, 0]
    assert weigh_crossings(made) == 1


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
