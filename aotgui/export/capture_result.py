"""What the Python interface gives back: a capture with the questions that people ask of it."""

from __future__ import annotations

import os
from pathlib import Path

from aotgui.export.capture_files import save_capture
from aotgui.export.files import ExportError
from aotgui.export.notebook import capture_html, region_text
from aotgui.export.report_text import report_text
from aotgui.export.svg import svg_of
from aotgui.layout.engine import lay_out
from aotgui.model.capture import Capture, Check, Finding, Problem, Region, SavedValue
from aotgui.model.capture_file import CaptureFileError
from aotgui.model.graph import Fate, Graph, GraphKind


class CaptureResult:
    """What was captured.

    Attributes:
        capture: all of it, as frozen data (``aotgui.model.capture.Capture``).
    """

    def __init__(self, capture: Capture) -> None:
        self.capture = capture

    @property
    def regions(self) -> list[Region]:
        """One joint/forward/backward triple each, or one inference graph; in the order of capture."""
        return self.capture.regions

    @property
    def check(self) -> Check:
        """The compiled function against eager, with the largest absolute errors."""
        return self.capture.check

    @property
    def problems(self) -> list[Problem]:
        """What went wrong or deserves attention."""
        return self.capture.problems

    @property
    def findings(self) -> list[Finding]:
        """What to know before trusting the capture."""
        return self.capture.findings

    def region(self, region: int = 0) -> Region:
        """One region.

        Raises:
            IndexError: there is none of this number.
        """
        if not 0 <= region < len(self.regions):
            raise IndexError(f"there is no region {region}: the capture has {len(self.regions)}, counted from 0")
        return self.regions[region]

    def graph(self, graph: str = "", region: int = 0) -> Graph:
        """One graph of a region.

        Args:
            graph: ``joint``, ``forward``, ``backward`` or ``inference``; empty for joint, or inference where nothing
                requires a gradient.
            region: number of the region.

        Raises:
            KeyError: the region has no such graph.
            IndexError: there is no such region.
        """
        found = self.region(region)
        kind = graph or (GraphKind.JOINT if found.is_training else GraphKind.INFERENCE)
        if kind not in found.graphs:
            raise KeyError(f"{found.name} has no {kind} graph; it has: {', '.join(found.graphs)}")
        return found.graphs[GraphKind(kind)]

    def fates(self, region: int = 0) -> dict[str, list[str]]:
        """Fate (``saved``, ``recomputed``, ``forward only``, ...) to names of nodes of the joint graph, in order."""
        found = self.region(region)
        return {fate.label: found.names_with(fate) for fate in Fate}

    def saved(self, region: int = 0) -> list[SavedValue]:
        """What forward passes to backward: shapes, dtypes, bytes (a storage counts once), reasons."""
        return list(self.region(region).saved)

    def saved_bytes(self, region: int = 0) -> int:
        """Bytes of the distinct storages that forward passes to backward."""
        return self.region(region).saved_bytes

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an ``.aotcap`` file, whole or not at all; ``aotgui PATH`` opens it, without torch.

        Raises:
            OSError: it cannot be written.
        """
        try:
            save_capture(Path(path), self.capture)
        except (ExportError, CaptureFileError) as error:
            raise OSError(str(error)) from error

    def to_svg(self, graph: str = "", region: int = 0, *, dark: bool = False) -> str:
        """A graph as an SVG document; arguments and errors are those of ``graph``, ``dark`` is light on dark."""
        chosen = self.graph(graph, region)
        return svg_of(chosen, lay_out(chosen), dark=dark, title=f"{self.capture.target}, {chosen.kind} graph")

    def report(self) -> str:
        """What ``aotgui report`` prints."""
        return report_text(self.capture)

    def __repr__(self) -> str:
        regions = ", ".join(region_text(region) for region in self.regions)
        return f"<aotgui capture of {self.capture.target}: {regions}>"

    def _repr_html_(self) -> str:
        """For notebooks: a table, and a picture of each region's main graph."""
        return capture_html(self.capture)
