"""Rows: bands, sources, cycles between bands, and pieces that nothing ties to the rest."""

from __future__ import annotations

from itertools import pairwise

from aotgui.layout.pieces import settle_pieces
from aotgui.layout.rows import Stacking, rows_of


def chain(*nodes: int) -> list[tuple[int, int]]:
    return list(pairwise(nodes))


def stacking(count: int, pairs: list[tuple[int, int]], backward: tuple[int, ...] = (), **bands: int) -> Stacking:
    numbers = {int(node.removeprefix("n")): band for node, band in bands.items()}
    return Stacking(
        sides=[int(node in backward) for node in range(count)],
        bands=[numbers.get(node, -1) for node in range(count)],
        uppers=[upper for upper, _ in pairs],
        lowers=[lower for _, lower in pairs],
    )


def test_longest_path() -> None:
    assert rows_of(stacking(4, [*chain(0, 1, 2, 3), (0, 3)])) == [0, 1, 2, 3]


def test_a_late_source_stands_just_above_its_first_use() -> None:
    assert rows_of(stacking(5, [*chain(0, 1, 2, 3), (4, 3)]))[4] == 2


def test_a_chain_from_a_source_moves_down_as_a_whole() -> None:
    rows = rows_of(stacking(8, [*chain(0, 1, 2, 3, 4), *chain(5, 6, 7, 4)]))
    assert rows[5:] == [1, 2, 3]


def test_what_two_sources_make_moves_down_with_them() -> None:
    rows = rows_of(stacking(9, [*chain(0, 1, 2, 3, 4, 5), (6, 8), (7, 8), (8, 5)]))
    assert rows[6:] == [3, 3, 4]


def test_a_result_stays_with_what_computes_it() -> None:
    assert rows_of(stacking(5, [*chain(0, 1, 2, 3), (1, 4)]))[4] == 2


def test_a_weight_stands_beside_its_use_also_where_it_is_returned_transposed() -> None:
    """5 is a weight, 6 and 7 what is returned of it."""
    rows = rows_of(stacking(8, [*chain(0, 1, 2, 3, 4), (5, 4), *chain(5, 6, 7)]))
    assert rows[5] == 3
    assert rows[6:] == [4, 5]


def test_what_hangs_from_the_longest_path_keeps_a_source_above_it() -> None:
    """6 uses the source 5 and what is computed early, so that 5 cannot stand beside its other use."""
    rows = rows_of(stacking(7, [*chain(0, 1, 2, 3, 4), (5, 4), (5, 6), (0, 6)]))
    assert rows[5:] == [0, 1]


def test_what_many_read_holds_no_reader_at_the_top() -> None:
    """0 is a mask on a chain; each of eight layers masks with it, beside a second column."""
    chain_of_layers = chain(0, *range(1, 9))
    masked = [(0, 9 + layer) for layer in range(8)]
    used = [(9 + layer, 1 + layer) for layer in range(1, 8)]
    rows = rows_of(stacking(18, [*chain_of_layers, *masked, *used], backward=(17,)))
    assert [rows[9 + layer] for layer in range(1, 8)] == [rows[1 + layer] - 1 for layer in range(1, 8)]


def test_one_band_shares_its_rows() -> None:
    """0 -> 1 -> 2 forward; backward 3 and 4 belong to 1, so 2 gives way to the taller side."""
    rows = rows_of(stacking(6, [*chain(0, 1, 2), *chain(3, 4, 5)], (3, 4, 5), n1=7, n3=7, n4=7, n2=8, n5=8))
    assert rows[1] in (rows[3], rows[4])
    assert rows[4] == rows[3] + 1
    assert rows[2] == rows[5] == rows[4] + 1


def test_bands_that_contradict_each_other_are_dissolved() -> None:
    """Forward says band 1 is above band 2, backward says the opposite."""
    rows = rows_of(stacking(4, [(0, 1), (2, 3)], (2, 3), n0=1, n1=2, n2=2, n3=1))
    assert rows[0] < rows[1]
    assert rows[2] < rows[3]


def test_an_accumulation_with_the_last_sequence_number_stays_between_its_ends() -> None:
    """Forward 0 -> 1 -> 2 (bands 1, 2, 3); backward 3 -> 4 and 5 -> 6, where 5 adds what 4 gives but has band 3."""
    pairs = [*chain(0, 1, 2), *chain(6, 5, 4, 3)]
    rows = rows_of(stacking(7, pairs, (3, 4, 5, 6), n0=1, n1=2, n2=3, n3=3, n4=2, n5=3, n6=1))
    assert rows[2] == rows[3]
    assert rows[1] == rows[4]
    assert rows[6] == rows[0]
    assert rows[6] < rows[5] < rows[4]


def test_a_piece_moves_beside_its_partner_in_the_other_column() -> None:
    rows = settle_pieces([0, 1, 2, 3, 0], chain(0, 1, 2, 3), loose=[(3, 4)])
    assert rows == [0, 1, 2, 3, 3]


def test_a_piece_without_partner_moves_beside_its_predecessor() -> None:
    assert settle_pieces([0, 1, 2, 0, 1], [*chain(0, 1, 2), (3, 4)], loose=[]) == [0, 1, 2, 2, 3]


def forked(saving: int) -> list[int]:
    """Rows of an operator, of two that use it and save so many values each, and of one that joins them.

    The backward part of node ``n`` is node ``4 + n``.
    """
    starts = [0, *([1] * saving), *([2] * saving), 3]
    return rows_of(
        Stacking(
            sides=[0] * 4 + [1] * 4,
            bands=[0, 1, 2, 3] * 2,
            uppers=[0, 0, 1, 2, 4, 4, 5, 6],
            lowers=[1, 2, 3, 3, 5, 6, 7, 7],
            loose=[(node, node + 4) for node in starts],
        )
    )


def test_branches_that_save_little_stand_side_by_side() -> None:
    assert forked(saving=1) == [0, 1, 1, 2] * 2


def test_branches_that_save_much_share_no_row() -> None:
    assert forked(saving=2) == [0, 1, 2, 3] * 2
