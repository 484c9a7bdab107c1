"""Rows of the parts of a graph that nothing ties to the rest.

A counter that is only incremented, a parameter that only backward reads or an input that nobody reads could stand in
any row. Such a piece is moved beside what it exchanges values with in the other column, else beside its
predecessor in the graph, so that the first row does not become a dump.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median_low

_CROWD = 4


def settle_pieces(rows: list[int], ties: Iterable[tuple[int, int]], loose: Iterable[tuple[int, int]]) -> list[int]:
    """Shift each piece but the largest, and return the new rows, from 0 without empty ones.

    Args:
        rows: row of each node.
        ties: pairs of nodes whose distance must not change.
        loose: pairs of nodes that should stand near each other.
    """
    pieces = pieces_of(len(rows), ties)
    if len(pieces) > 1:
        rows = _shift(rows, pieces, loose)
    ranks = {row: rank for rank, row in enumerate(sorted(set(rows)))}
    return [ranks[row] for row in rows]


def pieces_of(count: int, ties: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Nodes that ties connect, each piece sorted, in the order of their first nodes."""
    parents = list(range(count))

    def root(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for one, other in ties:
        a, b = root(one), root(other)
        parents[max(a, b)] = min(a, b)
    pieces: dict[int, list[int]] = {}
    for node in range(count):
        pieces.setdefault(root(node), []).append(node)
    return list(pieces.values())


def _shift(rows: list[int], pieces: list[list[int]], loose: Iterable[tuple[int, int]]) -> list[int]:
    rows = list(rows)
    largest = max(pieces, key=len)
    settled = [False] * len(rows)
    for node in largest:
        settled[node] = True
    partners: dict[int, list[int]] = {}
    for one, other in loose:
        partners.setdefault(one, []).append(other)
        partners.setdefault(other, []).append(one)
    crowd: dict[int, int] = {}
    for piece in pieces:
        if piece is largest:
            continue
        shifts = [rows[other] - rows[node] for node in piece for other in partners.get(node, ()) if settled[other]]
        shift = median_low(shifts) if shifts else _beside_predecessor(rows, piece[0], crowd)
        for node in piece:
            rows[node] += shift
            settled[node] = True
    return rows


def _beside_predecessor(rows: list[int], first: int, crowd: dict[int, int]) -> int:
    """Shift into the row of the node before, or one row further if that took in several pieces already."""
    wanted = rows[first - 1] if first else 0
    if crowd.get(wanted, 0) >= _CROWD:
        wanted += 1
    crowd[wanted] = crowd.get(wanted, 0) + 1
    return wanted - rows[first]
