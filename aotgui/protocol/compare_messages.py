"""Messages about comparing compilers and finding the node at which one goes wrong."""

from __future__ import annotations

from aotgui.model.capture import Problem
from aotgui.model.comparison import Candidate, CompareRow, Culprit
from aotgui.model.graph import GraphKind
from aotgui.protocol.message import Event, Request
from aotgui.protocol.run_messages import RunStatus


class Compare(Request, frozen=True, kw_only=True):
    """Measure compilers and partitioners on the target of the last run.

    Answered by ``CompareProgress`` now and then, one ``CompareRowReady`` a candidate as each is measured, in the order
    asked for, and exactly one ``CompareEnded``. The last run, its graphs and what can be stepped through stay as they
    are. ``Stop`` ends it; the rows that were sent stay valid.

    Attributes:
        request: id.
        candidates: the rows.
        seconds: how long the timed calls of one row may take, about; at least five calls are timed.
    """

    request: int
    candidates: list[Candidate]
    seconds: float = 1.0


class CompareProgress(Event, frozen=True, kw_only=True):
    """What a comparison is doing.

    Attributes:
        request: id.
        index: of the candidate at work.
        total: number of candidates.
        doing: ``tracing``, ``compiling forward``, ``compiling backward``, ``checking``, ``timing``,
            ``measuring memory``.
    """

    request: int
    index: int
    total: int
    doing: str


class CompareRowReady(Event, frozen=True, kw_only=True):
    """One candidate is measured.

    Attributes:
        request: id.
        index: of the candidate.
        row: what was measured.
    """

    request: int
    index: int
    row: CompareRow


class CompareEnded(Event, frozen=True, kw_only=True):
    """A comparison is over.

    Attributes:
        request: id.
        status: done; failed, where nothing could be compared at all; or stopped.
        problem: why it failed, or None.
    """

    request: int
    status: RunStatus
    problem: Problem | None = None


class FindCulprit(Request, frozen=True, kw_only=True):
    """Find the first node at which a compiler goes wrong, in the graphs of the last run.

    Answered by ``CulpritProgress`` after each compilation and exactly one ``CulpritFound``. ``Stop`` ends it.

    Attributes:
        request: id.
        compiler: its name; empty for the one that the last run chose for each graph.
        region: index of the region, or None to look in all.
        graph: forward, backward or inference; None to look in each, forward first.
    """

    request: int
    compiler: str = ""
    region: int | None = None
    graph: GraphKind | None = None


class CulpritProgress(Event, frozen=True, kw_only=True):
    """How far the search for a node is.

    Attributes:
        request: id.
        region: index of the region that is searched.
        graph: the graph that is searched.
        compilations: how many graphs were compiled so far.
        first: position among the graph's operators of the first that may be to blame.
        last: position of the last that may be.
        nodes: number of operators in the graph.
    """

    request: int
    region: int
    graph: GraphKind
    compilations: int
    first: int
    last: int
    nodes: int


class CulpritFound(Event, frozen=True, kw_only=True):
    """A search for a node is over.

    Attributes:
        request: id.
        culprit: the node, or None where every graph that was searched is right.
        detail: one sentence: the node, or that there is none.
        problem: why the search failed or that it was stopped, or None.
        compilations: how many graphs were compiled in all.
    """

    request: int
    culprit: Culprit | None = None
    detail: str = ""
    problem: Problem | None = None
    compilations: int = 0


class WriteRepro(Request, frozen=True, kw_only=True):
    """Write the smallest script that fails as the culprit found last does; answered by ``Exported``.

    The script needs torch alone (and the user's file, where the compiler is a function of it). It is run by plain
    Python before it is renamed to ``path``. ``Stop`` ends it.

    Attributes:
        request: id, from the same numbers as those of the exports.
        path: where to, a ``.py`` file; inputs that are too large for it go to a ``.pt`` beside it.
        seconds: how long nodes may be removed; what is left then is written.
    """

    request: int
    path: str
    seconds: float = 30.0
