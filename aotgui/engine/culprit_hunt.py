"""Serves the search for a culprit: through the graphs of the last run, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from aotgui.engine.bench import bench_of
from aotgui.engine.choices import compiler_name
from aotgui.engine.compiler import CompileFailed
from aotgui.engine.compilers import resolve
from aotgui.engine.culprit import CulpritSearch, Found
from aotgui.engine.errors import Stopped, UserError, fault, one_line
from aotgui.engine.half import Half
from aotgui.model.capture import Problem, Severity
from aotgui.model.graph import GraphKind
from aotgui.model.presets import preset_of
from aotgui.model.text import count_text
from aotgui.protocol.messages import CulpritFound, CulpritProgress, Event, FindCulprit

if TYPE_CHECKING:
    from aotgui.engine.pipeline import Pipeline

_ORDER: Final = (GraphKind.INFERENCE, GraphKind.FORWARD, GraphKind.BACKWARD)


class CulpritHunt:
    """Looks for culprits, and keeps the last one for a repro.

    Attributes:
        found: the last one, or None.
    """

    def __init__(self, pipeline: Pipeline, emit: Callable[[Event], None]) -> None:
        self.found: Found | None = None
        self._pipeline = pipeline
        self._emit = emit

    def find(self, request: FindCulprit) -> None:
        """Searches; always ends with one ``CulpritFound``."""
        compilations = 0
        problem: Problem | None = None
        searched: list[str] = []
        self.found = None
        try:
            for region, half in self._halves(request):
                search = self._search(request, region, half)
                found = search.find()
                compilations += search.court.compilations
                searched.append(f"{half.kind} graph")
                if found is not None:
                    self.found = found
                    break
        except Stopped:
            problem = Problem(severity=Severity.INFO, stage="culprit", message="The search was stopped.")
        except UserError as error:
            problem = error.problem
        except CompileFailed as error:
            problem = fault("culprit", error.message, details=error.details).problem
        except Exception as error:
            problem = fault("culprit", f"The search failed: {one_line(error)}", error=error).problem
        culprit = self.found.culprit if self.found else None
        detail = "" if problem else culprit.message if culprit else _none_found(searched, compilations)
        self._emit(
            CulpritFound(
                request=request.request, culprit=culprit, detail=detail, problem=problem, compilations=compilations
            )
        )

    def _halves(self, request: FindCulprit) -> Iterator[tuple[int, Half]]:
        """The halves to search, each with the index of its region.

        Raises:
            UserError: there is none, or it has never run.
        """
        regions = self._pipeline.regions
        if not regions:
            raise fault("culprit", "There is no graph to search yet: capture a target first.")
        asked = [
            (index, region.halves[kind])
            for index, region in enumerate(regions)
            for kind in _ORDER
            if kind in region.halves and request.graph in (None, kind) and request.region in (None, index)
        ]
        if not asked:
            raise fault("culprit", "There is no such graph to search.")
        if any(half.recorded is None for _, half in asked) and self._pipeline.kept is not None:
            bench_of(self._pipeline).record()
        runs = [(index, half) for index, half in asked if half.recorded is not None]
        if not runs:
            raise fault("culprit", "These graphs have not been run, so there are no values to compare.")
        return iter(runs)

    def _search(self, request: FindCulprit, region: int, half: Half) -> CulpritSearch:
        name = request.compiler or compiler_name(self._pipeline.settings, half.kind)
        preset = preset_of(name)
        compiler = resolve(preset.candidate.compiler if preset else name, self._pipeline.namespace)

        def tell(first: int, last: int, nodes: int) -> None:
            self._emit(
                CulpritProgress(
                    request=request.request,
                    region=region,
                    graph=half.kind,
                    compilations=search.court.compilations,
                    first=first,
                    last=last,
                    nodes=nodes,
                )
            )

        search = CulpritSearch(half, region, compiler, tell)
        return search


def _none_found(searched: list[str], compilations: int) -> str:
    graphs = " and ".join(dict.fromkeys(searched))
    return (
        f"Nothing is wrong in the {graphs}: compiled in parts ({count_text(compilations, 'compilation')}), every value "
        "equals what the graph itself computes."
    )
