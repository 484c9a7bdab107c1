"""Questions about computed values: statistics, pictures, files, expressions, and where a NaN comes from.

Each is asked of the stepping session and answered between two nodes, so also while it runs. One that the session
cannot answer (it ended, the node has not been executed) is answered all the same, with a sentence. ``at`` names a
moment: the value as it stood before the node with that index ran, -1 for as it stands at the session's position; it
only matters where a graph writes into values. ``inside`` is the depth of the node: 0 for one of ``graph``, n for one of
the n-th nested graph (``Stepped.frames``) that the session stands in.
"""

from __future__ import annotations

from enum import StrEnum

from aotgui.model.capture import Problem
from aotgui.model.cause import Cause
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import WatchValue
from aotgui.model.values import Histogram, ValuePlane, ValueStats
from aotgui.protocol.message import Event, Request


class ReadStats(Request, frozen=True, kw_only=True):
    """Ask for the statistics of executed nodes, where a session runs without; answered by ``StatsRead``.

    Attributes:
        request: id.
        session: the stepping session.
        graph: which graph.
        nodes: indexes; those not executed are left out of the answer.
    """

    request: int
    session: int
    graph: GraphKind
    nodes: list[int]


class StatsRead(Event, frozen=True, kw_only=True):
    """Statistics of executed nodes, in the order asked for."""

    request: int
    graph: GraphKind
    stats: list[ValueStats]


class ReadPlane(Request, frozen=True, kw_only=True):
    """Ask for two dimensions of a value as a picture; answered by ``PlaneRead``.

    Attributes:
        request: id.
        session: the stepping session.
        graph: which graph.
        node: index of the node.
        item: which item of a tuple.
        row_dim: dimension that runs downwards; -1 for the last but one.
        column_dim: dimension that runs to the right; -1 for the last.
        index: one index for each dimension; missing ones are 0, those of the two dimensions shown are ignored.
        max_rows: largest height wanted, at most 1024.
        max_columns: largest width wanted, at most 1024.
        at: moment.
        inside: depth.
    """

    request: int
    session: int
    graph: GraphKind
    node: int
    item: int = 0
    row_dim: int = -1
    column_dim: int = -1
    index: tuple[int, ...] = ()
    max_rows: int = 256
    max_columns: int = 256
    at: int = -1
    inside: int = 0


class PlaneRead(Event, frozen=True, kw_only=True):
    """A picture of a value, or a sentence in ``plane.text``."""

    request: int
    graph: GraphKind
    plane: ValuePlane


class ReadHistogram(Request, frozen=True, kw_only=True):
    """Ask how a value's elements are distributed; answered by ``HistogramRead``.

    Attributes:
        request: id.
        session: the stepping session.
        graph: which graph.
        node: index of the node.
        item: which item of a tuple.
        bins: how many, 1 to 4096.
        log: over the decimal logarithm of magnitudes.
        at: moment.
        inside: depth.
    """

    request: int
    session: int
    graph: GraphKind
    node: int
    item: int = 0
    bins: int = 64
    log: bool = False
    at: int = -1
    inside: int = 0


class HistogramRead(Event, frozen=True, kw_only=True):
    """A distribution, or a sentence in ``histogram.text``."""

    request: int
    graph: GraphKind
    histogram: Histogram


class ValueFormat(StrEnum):
    """File formats of a single value."""

    NPY = "npy"
    PT = "pt"


class SaveValue(Request, frozen=True, kw_only=True):
    """Write a value to a file; answered by ``ValueSaved``. The file appears whole or not at all.

    Attributes:
        request: id.
        session: the stepping session.
        graph: which graph.
        node: index of the node.
        path: where to.
        format: of the file.
        item: which item of a tuple; -1 for the whole tuple (``.pt`` only).
        at: moment.
        inside: depth.
    """

    request: int
    session: int
    graph: GraphKind
    node: int
    path: str
    format: ValueFormat = ValueFormat.NPY
    item: int = 0
    at: int = -1
    inside: int = 0


class ValueSaved(Event, frozen=True, kw_only=True):
    """A value was written, or ``problem`` says why not.

    Attributes:
        request: id.
        path: where the file is; empty on failure.
        detail: one sentence: what is in it.
        problem: what went wrong, or None.
    """

    request: int
    path: str = ""
    detail: str = ""
    problem: Problem | None = None


class FindCause(Request, frozen=True, kw_only=True):
    """Ask where the NaN or Inf in an executed node's value comes from; answered by ``CauseFound``."""

    request: int
    session: int
    graph: GraphKind
    node: int


class CauseFound(Event, frozen=True, kw_only=True):
    """The chain; without steps ``cause.text`` says why there is none."""

    request: int
    graph: GraphKind
    node: int
    cause: Cause


class Evaluate(Request, frozen=True, kw_only=True):
    """Evaluate one expression where the session stands, as a watch; answered by ``Evaluated``."""

    request: int
    session: int
    expression: str


class Evaluated(Event, frozen=True, kw_only=True):
    """What an expression gave."""

    request: int
    value: WatchValue
