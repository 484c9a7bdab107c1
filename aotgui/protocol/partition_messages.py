"""Messages about other partitions of a joint graph that was captured."""

from __future__ import annotations

from aotgui.model.capture import Problem
from aotgui.model.decision import Decision
from aotgui.model.partition import PartitionChoice, PartitionResult
from aotgui.protocol.message import Event, Request


class Repartition(Request, frozen=True, kw_only=True):
    """Partition a region of the last run in other ways, without tracing again.

    Answered by one ``Repartitioned`` for each choice, in their order, and one ``RepartitionEnded``. A newer
    ``Repartition`` ends one that is at work before its next choice; a ``Run`` or ``Stop`` ends it at once.

    Attributes:
        request: id.
        region: index of the region.
        choices: the ways.
        with_graphs: whether the results carry the whole region.
    """

    request: int
    region: int
    choices: list[PartitionChoice]
    with_graphs: bool = False


class Repartitioned(Event, frozen=True, kw_only=True):
    """One choice is worked out.

    Attributes:
        request: id.
        index: which of the request's choices.
        result: what it gives, or None.
        problem: why it gives nothing, or None.
    """

    request: int
    index: int
    result: PartitionResult | None = None
    problem: Problem | None = None


class RepartitionEnded(Event, frozen=True, kw_only=True):
    """A ``Repartition`` is over.

    Attributes:
        request: id.
        finished: whether every choice was answered; False where it was stopped or a newer request took its place.
        problem: why nothing could be answered at all, or None.
    """

    request: int
    finished: bool = True
    problem: Problem | None = None


class ExportPolicy(Request, frozen=True, kw_only=True):
    """Write decisions as a checkpoint-policy function for the user's script; answered by ``Exported``.

    The target is captured with the function before the file is said to be done.

    Attributes:
        request: id.
        region: index of the region.
        decisions: name of a node of the joint graph to what is wanted for it.
        path: where to.
    """

    request: int
    region: int
    decisions: dict[str, Decision]
    path: str
