"""Messages about files that only the engine can make."""

from __future__ import annotations

from aotgui.model.capture import Problem
from aotgui.model.graph import GraphKind
from aotgui.protocol.message import Event, Request


class ExportTorchScript(Request, frozen=True, kw_only=True):
    """Save a half of the last run as TorchScript; answered by ``Exported``.

    The file is compiled with the run's compiler where that makes a ScriptModule, else with ``ts_compile``. It is
    written to a temporary name, loaded and run in a fresh process, compared, and only then renamed.

    Attributes:
        request: id.
        region: index of the region.
        graph: forward, backward or inference.
        path: where to.
    """

    request: int
    region: int
    graph: GraphKind
    path: str


class Exported(Event, frozen=True, kw_only=True):
    """An export is over.

    Attributes:
        request: id.
        path: where the file is; empty on failure.
        problem: what went wrong, or None.
        detail: one sentence about what was verified.
    """

    request: int
    path: str = ""
    problem: Problem | None = None
    detail: str = ""
