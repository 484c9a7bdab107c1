"""Where a NaN or Inf comes from: a chain from a bad value back to the node that made it."""

from __future__ import annotations

import msgspec

from aotgui.model.graph import GraphKind
from aotgui.model.values import ValueStats


class CauseInput(msgspec.Struct, frozen=True, kw_only=True):
    """An input of a node on the way.

    Attributes:
        name: name of the node that computed it.
        stats: of its value; ``stats.node`` is its index, in the graph of the node that reads it.
    """

    name: str
    stats: ValueStats


class CausePartner(msgspec.Struct, frozen=True, kw_only=True):
    """The forward node that a backward node differentiates.

    Attributes:
        node: index in the forward graph.
        name: its name.
        target: its operator.
        file: the user's file, or empty.
        line: 1-based.
        stats: of its value; None where it was not executed in this session.
        inputs: its inputs; empty where it was not executed in this session.
    """

    node: int
    name: str
    target: str
    file: str = ""
    line: int = 0
    stats: ValueStats | None = None
    inputs: list[CauseInput] = []


class CauseStep(msgspec.Struct, frozen=True, kw_only=True):
    """A node on the way back.

    Attributes:
        graph: that holds it.
        node: index.
        name: its name.
        target: its operator.
        text: one sentence: what it does with NaN and Inf (hands them on, makes them, was given them).
        stats: of its value.
        inputs: its inputs.
        file: the user's file, or empty.
        line: 1-based.
        module: path of the module, or empty.
        partner: for a backward node the forward node of the same sequence number, or None.
    """

    graph: GraphKind
    node: int
    name: str
    target: str
    text: str
    stats: ValueStats
    inputs: list[CauseInput] = []
    file: str = ""
    line: int = 0
    module: str = ""
    partner: CausePartner | None = None


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """The chain.

    Attributes:
        steps: from the bad value back to where nothing bad goes in; empty where the value is finite.
        origin: index in ``steps`` of the node to look at: the deepest that computed NaN or Inf from finite inputs, or,
            where every Inf was given (a mask of ``-inf``), the one that made NaN of it.
        text: one sentence for a person.
    """

    steps: list[CauseStep] = []
    origin: int = -1
    text: str = ""
