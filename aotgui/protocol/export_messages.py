"""Messages about files that only the engine can make."""

from __future__ import annotations

from enum import StrEnum

from aotgui.model.capture import Problem
from aotgui.model.graph import GraphKind
from aotgui.protocol.message import Event, Request


class FolderForm(StrEnum):
    """What a folder holds.

    Attributes:
        BUNDLE: ``forward.pt`` and ``backward.pt`` (TorchScript), ``manifest.json``, ``run.py`` and ``recorded.pt``.
        FX: each graph as Python that runs (``joint.py``, ``forward.py``, ...), with ``recorded.pt``.
    """

    BUNDLE = "bundle"
    FX = "fx"


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


class ExportFolder(Request, frozen=True, kw_only=True):
    """Write a region of the last run as a folder that runs without aotgui; answered by ``Exported``.

    The folder is written under a temporary name, run by plain Python, and only then renamed. A folder that an earlier
    export wrote is replaced; any other that holds files is left alone.

    Attributes:
        request: id.
        region: index of the region.
        form: what to write.
        path: where to.
    """

    request: int
    region: int
    form: FolderForm
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
