"""Torch's min-cut network, caught while a partitioner runs.

``solve_min_cut`` builds a networkx graph with two ends for each node, ``X_in`` and ``X_out``, cuts it with
``networkx.minimum_cut`` and throws it away. Here that function is wrapped for the time of one partition.

Private API, torch 2.13, all of it guarded: networkx, the names of the ends, the ``reason`` on edges, and the logger
of ``torch._functorch.partitioners``, which alone tells two heuristics apart ("used far apart" and "long fusible
chain" ban a node without a reason on the edge). A torch that computes its cut in another way gives no network, and
nothing else changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final, NamedTuple

from torch import fx
from torch._functorch import partitioners

try:
    import networkx
except ImportError:  # torch's own partitioner says what it needs
    networkx = None  # type: ignore[assignment] # there is no module

from aotgui.engine import max_flow
from aotgui.model.cut_network import CutNetwork, CutSide
from aotgui.model.why_words import FAR_APART, LONG_CHAIN

_BARE_BAN: Final = "cannot recompute"
_FITTING: Final = 0.9
"""Share of names that a network has in common with the graph that it is of."""


class UnsatisfiableError(BaseException):
    """No finite cut exists: a value that the backward needs can neither be saved nor recomputed.

    No ``Exception``: torch answers those by writing files into the working directory.

    Attributes:
        names: of the joint graph's nodes along a path of infinite edges from source to sink.
        reasons: torch's words along the path.
    """

    def __init__(self, names: list[str], reasons: list[str]) -> None:
        super().__init__("no finite cut")
        self.names = names
        self.reasons = reasons


class Watch:
    """What was seen of a partition.

    Attributes:
        heuristics: name of a node that a heuristic banned without a reason to the heuristic.
    """

    def __init__(self) -> None:
        self.heuristics: dict[str, str] = {}
        self._begun: Any = None
        self._cuts: list[_Cut] = []

    def begun(self, network: Any) -> None:
        """A network is about to be solved."""
        self._begun = network

    def solved(self, answer: Any) -> None:
        """The network that was begun is cut."""
        try:
            value, (source, sink) = answer
            self._cuts.append(_Cut(self._begun, value, set(source), set(sink)))
        except (TypeError, ValueError):
            self._cuts.clear()  # what is known of earlier ones did not decide

    def conflict(self) -> UnsatisfiableError | None:
        """The path of infinite edges through the network that has no finite cut."""
        return _infinite_path(self._begun)

    def network(self, index_of: Mapping[str, int]) -> CutNetwork | None:
        """The last network of a joint graph as columns; None where torch solved none or it has another form.

        Networks of other graphs are passed over: a partitioner may partition the body of an operator on its way.

        Args:
            index_of: name in the partitioner's joint graph to index in the joint graph as traced.
        """
        try:
            fitting = [cut for cut in self._cuts if _fits(cut.network, index_of)]
            return _Columns(fitting[-1], self.heuristics, index_of).made(len(fitting)) if fitting else None
        except (AttributeError, KeyError, TypeError, ValueError):
            return None


class _Cut(NamedTuple):
    """A network that was solved: the value of its cut, and the ends on both sides."""

    network: Any
    value: float
    source: set[Any]
    sink: set[Any]


def _fits(network: Any, index_of: Mapping[str, int]) -> bool:
    """Whether nearly all nodes of a graph and of a network are the same."""
    names = _names_in(network)
    common = sum(name in index_of for name in names)
    return common >= _FITTING * max(len(names), len(index_of))


def _names_in(network: Any) -> dict[str, None]:
    names = dict.fromkeys(_name_of(end) for end in network if end not in ("source", "sink"))
    names.pop("output", None)
    return names


@contextmanager
def watching_min_cut(quickly: bool = False) -> Iterator[Watch]:
    """Watches the partitioner that runs inside.

    Args:
        quickly: cut the networks with ``max_flow`` instead of networkx; the cut is the same.

    Raises:
        UnsatisfiableError: from inside, in place of torch's own failure.
    """
    watch = Watch()
    with ExitStack() as stack:
        if hasattr(networkx, "minimum_cut"):
            stack.enter_context(_replaced(networkx, "minimum_cut", lambda solve: _watched(solve, watch, quickly)))
        if hasattr(partitioners, "log"):
            stack.enter_context(_replaced(partitioners, "log", lambda log: _LogTap(log, watch.heuristics)))
        yield watch


@contextmanager
def _replaced(owner: Any, name: str, make: Callable[[Any], Any]) -> Iterator[None]:
    original = getattr(owner, name)
    setattr(owner, name, make(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


def _watched(solve: Callable[..., Any], watch: Watch, quickly: bool) -> Callable[..., Any]:
    def minimum_cut(network: Any, *args: Any, **kwargs: Any) -> Any:
        watch.begun(network)
        try:
            usual = quickly and args == ("source", "sink") and not kwargs
            answer = (max_flow.minimum_cut(network) if usual else None) or solve(network, *args, **kwargs)
        except Exception as error:
            if type(error).__name__ == "NetworkXUnbounded" and (conflict := watch.conflict()):
                raise conflict from error
            raise
        watch.solved(answer)
        return answer

    return minimum_cut


class _LogTap:
    """Stands in for torch's logger, notes which heuristic bans which node, and passes everything on."""

    def __init__(self, log: Any, heuristics: dict[str, str]) -> None:
        self._log = log
        self._heuristics = heuristics

    def info(self, text: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(text, str) and text.startswith("used above/below fusible") and len(args) > 3:
            self._heuristics[str(args[3])] = FAR_APART
        elif isinstance(text, str) and text.startswith("too long") and args:
            self._heuristics[str(args[0])] = LONG_CHAIN
        self._log.info(text, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)


def _infinite_path(network: Any) -> UnsatisfiableError | None:
    came_from: dict[str, tuple[str, str]] = {"source": ("", "")}
    queue = ["source"]
    for end in queue:
        for near, data in network[end].items():
            if near not in came_from and _is_infinite(data):
                came_from[near] = (end, str(data.get("reason", "")))
                queue.append(near)
    if "sink" not in came_from:
        return None
    ends, reasons, end = [], [], "sink"
    while end != "source":
        end, reason = came_from[end]
        ends.append(end)
        reasons.append(reason)
    names = dict.fromkeys(_name_of(end) for end in reversed(ends) if end != "source")
    return UnsatisfiableError(list(names), [reason for reason in reversed(reasons) if reason != "data dependency"])


def _is_infinite(data: Mapping[str, Any]) -> bool:
    """Every edge with a reason is infinite; torch writes a large number in place of infinity on some."""
    return "reason" in data or math.isinf(data.get("capacity", math.inf))


def _name_of(end: str) -> str:
    return end.removesuffix("_in") if end.endswith("_in") else end.removesuffix("_out")


class _Columns:
    """Reads a network, edge by edge."""

    def __init__(self, cut: _Cut, heuristics: Mapping[str, str], index_of: Mapping[str, int]) -> None:
        self._cut = cut
        self._heuristics = heuristics
        self._strings: dict[str, int] = {}
        names = _names_in(cut.network)
        self._names = sorted((name for name in names if name in index_of), key=index_of.__getitem__)
        self._nodes = [index_of[name] for name in self._names]
        self._position = {name: position for position, name in enumerate(self._names)}
        count = len(self._names)
        self._capacities = [math.inf] * count
        self._bans, self._unsaveable, self._needs = [-1] * count, [-1] * count, [-1] * count
        self._needs_value = [False] * count
        self._edges: list[tuple[int, int]] = []
        for start, targets in cut.network.adjacency():
            for end, data in targets.items():
                self._add(start, end, data)

    def made(self, solved: int) -> CutNetwork:
        edges = sorted(self._edges, key=lambda edge: (edge[1], edge[0]))
        return CutNetwork(
            nodes=self._nodes,
            capacities=self._capacities,
            bans=self._bans,
            unsaveable=self._unsaveable,
            needs=self._needs,
            needs_value=self._needs_value,
            sides=[int(self._side(name)) for name in self._names],
            edge_sources=[start for start, _ in edges],
            edge_targets=[target for _, target in edges],
            strings=list(self._strings),
            cut_value=float(self._cut.value),
            solved=solved,
        )

    def _add(self, start: str, end: str, data: Mapping[str, Any]) -> None:
        first, second = self._position.get(_name_of(start)), self._position.get(_name_of(end))
        reason = str(data.get("reason", ""))
        if start == "source":
            if second is not None:
                self._bans[second] = self._string(self._ban(self._names[second], reason))
        elif end == "sink":
            if first is not None:
                self._needs[first] = self._string(reason)
                self._needs_value[first] = start.endswith("_out")
        elif first is None or second is None:
            return
        elif first == second:
            self._capacities[first] = math.inf if reason else float(data.get("capacity", math.inf))
            self._unsaveable[first] = self._string(reason) if reason else -1
        else:
            self._edges.append((first, second))

    def _ban(self, name: str, reason: str) -> str:
        heuristic = self._heuristics.get(name)
        return f"{_BARE_BAN}: {heuristic}" if heuristic and reason in ("", _BARE_BAN) else reason or _BARE_BAN

    def _side(self, name: str) -> CutSide:
        if f"{name}_in" in self._cut.sink:
            return CutSide.SINK
        return CutSide.CUT if f"{name}_out" in self._cut.sink else CutSide.SOURCE

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))


def names_of(joint: fx.GraphModule, origin: str) -> dict[str, int]:
    """Name in a joint graph that a partitioner has worked on to index in the joint graph as traced.

    Args:
        joint: as the partitioner left it.
        origin: key of the index in a node's meta.
    """
    nodes = (node for node in joint.graph.nodes if node.op != "output")
    return {node.name: node.meta[origin] for node in nodes if origin in node.meta}
