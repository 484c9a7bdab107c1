"""Record mode: an unmodified script runs as ``__main__``, and what it compiles is captured.

A script that compiles nothing has the first outermost call of a module with gradients captured: the module, its
training flags and copies of its inputs are remembered when it is called, and the pipeline runs on them once the
script is over.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import torch

from aotgui.engine.assembly import region_of, source_texts
from aotgui.engine.errors import Stopped, UserError, fault, one_line
from aotgui.engine.graph_breaks import GraphBreaks
from aotgui.engine.interception import EnoughRegionsError, InterceptionError, intercepting
from aotgui.engine.module_calls import ModuleCall, first_module_call
from aotgui.engine.observer import RegionObserver
from aotgui.engine.partition import partitioner_of
from aotgui.engine.recorded_check import Verdict, judge_regions
from aotgui.engine.sources import read_script
from aotgui.engine.stages import StageClock
from aotgui.engine.targets import Target
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Capture, Check, Problem, Severity, Stage
from aotgui.protocol.messages import CaptureReady, Event, Record, RegionRecorded, RunEnded, RunStatus

_ALWAYS_SHOWN: Final = 16
_NOT_DECIDED: Final = (
    "The decisions for single nodes have no effect: what a recorded script compiles is partitioned by the script. "
    "Open the module or function itself to run it with decisions."
)
_NOT_YET: Final = "not compared with eager: the script has not ended"


class Recording:
    """One script under way.

    Attributes:
        regions: what was seen so far.
        problems: what went wrong, and the graph breaks.
    """

    def __init__(self, request: Record, emit: Callable[[Event], None]) -> None:
        self._request = request
        self._emit = emit
        self._clock = StageClock(request.run, emit)
        self._observer = RegionObserver(self._tell)
        self._finishing = False
        self._breaks = GraphBreaks()
        self._call: ModuleCall | None = None
        self._namespace: dict[str, Any] = {}
        self._verdict = Verdict(Check(note=_NOT_YET))
        self.problems: list[Problem] = []
        # What a program compiles itself is partitioned as it wants; only a module that it calls is a run of ours.
        self._settings = msgspec.structs.replace(request.settings, decisions={})

    @property
    def id(self) -> int:
        """Of the run, as the request says."""
        return self._request.run

    @property
    def regions(self) -> list[RegionTrace]:
        """The regions, in the order in which they were compiled."""
        return self._observer.regions

    def finish(self) -> None:
        """The next ``Stopped`` ends the script, and what there is then is captured. Any thread."""
        self._finishing = True

    def run(self) -> Target | None:
        """Runs the script.

        Returns:
            A target that is still to be captured, as ``RunEnded`` has not been sent; None where all is said.
        """
        try:
            status = self._run_script()
        except UserError as error:
            self.problems.append(error.problem)
            status = RunStatus.FAILED
        self.problems += [*self._observer.problems, *self._breaks.problems()]
        if not self.regions and self._call is not None and status is not RunStatus.STOPPED:
            return self._call.target(self._request.source)
        if not self.regions and status is RunStatus.DONE:
            self.problems.append(self._nothing().problem)
            status = RunStatus.FAILED
        if self.regions and self._request.settings.decisions:
            self.problems.append(self._undecided())
        if status is not RunStatus.STOPPED:
            self._judge()
        self._end(status)
        return None

    def _run_script(self) -> RunStatus:
        """Runs the script to its end, to the last region asked for, or until it is told to stop.

        Raises:
            UserError: the script cannot be read, or this torch cannot be watched.
        """
        with self._clock.running(Stage.LOAD):
            path = Path(self._request.source)
            code = read_script(path)
        self._clock.begin(Stage.RUN)
        try:
            with self._watching(), running_as_main(path, self._request.arguments) as module:
                self._namespace = module.__dict__
                exec(code, module.__dict__)
        except EnoughRegionsError:
            pass
        except Stopped:
            if not self._finishing:
                return RunStatus.STOPPED
        except InterceptionError as error:
            raise fault(Stage.RUN, str(error)) from None
        except SystemExit as error:
            if error.code not in (None, 0):
                self.problems.append(self._exited(path, error).problem)
                return RunStatus.FAILED
        except BaseException as error:
            self.problems.append(fault(Stage.RUN, f"{path.name} fails: {one_line(error)}", error=error).problem)
            return RunStatus.FAILED
        self._clock.end(sum(_size(region) for region in self.regions))
        return RunStatus.DONE

    def _judge(self) -> None:
        """Compares the regions with eager, now that the script is over; may be stopped."""
        self._clock.reset()
        try:
            with self._clock.running(Stage.CHECK):
                self._verdict = judge_regions(self.regions, self._namespace)
        except Stopped:
            self._verdict = Verdict(Check(note="not compared with eager: it was stopped before"))

    @contextmanager
    def _watching(self) -> Iterator[None]:
        partitioner = partitioner_of(self._request.settings, {})
        with ExitStack() as stack:
            stack.enter_context(self._breaks.counted())
            stack.enter_context(intercepting(self._observer, partitioner, self._request.regions))
            stack.enter_context(first_module_call(self._remember))
            yield

    def _remember(self, call: ModuleCall) -> None:
        self._call = call

    def _tell(self, region: RegionTrace) -> None:
        self._breaks.look()
        self._emit(
            RegionRecorded(run=self._request.run, count=len(self.regions), name=region.name, nodes=_size(region))
        )
        if _is_shown(len(self.regions)):
            self._emit(CaptureReady(run=self._request.run, capture=self._capture()))

    def _exited(self, path: Path, error: SystemExit) -> UserError:
        return fault(Stage.RUN, f"{path.name} called sys.exit({error.code!r}).", error=error)

    def _nothing(self) -> UserError:
        name = Path(self._request.source).name
        message = f"{name} compiled nothing and called no module with gradients, so there is nothing to capture."
        return fault(Stage.RUN, message, file=self._request.source)

    def _undecided(self) -> Problem:
        file = self._request.source
        return Problem(severity=Severity.WARNING, stage=Stage.PARTITION, message=_NOT_DECIDED, file=file)

    def _end(self, status: RunStatus) -> None:
        if self.regions:
            self._emit(CaptureReady(run=self._request.run, capture=self._capture()))
        self._clock.reset()
        self._emit(
            RunEnded(
                run=self._request.run,
                status=status,
                check=self._verdict.check,
                problems=self.problems,
                findings=self._verdict.findings,
                stages=self._clock.times,
                compilations=[[] for _ in self.regions],
                target=_title(self._request),
                settings=self._settings,
            )
        )

    def _capture(self) -> Capture:
        regions = [region_of(region, {}) for region in self.regions]
        return Capture(
            source=self._request.source,
            target=_title(self._request),
            torch=str(torch.__version__),
            settings=self._settings,
            route="recorded",
            regions=regions,
            problems=self.problems,
            stages=self._clock.times,
            check=self._verdict.check,
            sources=source_texts(regions, self._request.source),
        )


def _is_shown(count: int) -> bool:
    """Whether the graphs are sent now: always at first, then ever more rarely, so that sending stays linear."""
    return count <= _ALWAYS_SHOWN or count & (count - 1) == 0


def _title(request: Record) -> str:
    return " ".join([Path(request.source).name, *request.arguments])


def _size(region: RegionTrace) -> int:
    graph = next(iter(region.graphs.values()), None)
    return graph.node_count if graph else 0


@contextmanager
def running_as_main(path: Path, arguments: Sequence[str]) -> Iterator[types.ModuleType]:
    """A module named ``__main__`` with the arguments and import path that ``python path arguments`` has.

    What was there before is put back afterwards.
    """
    module = types.ModuleType("__main__")
    module.__file__ = str(path)
    module.__builtins__ = __builtins__  # type: ignore[attr-defined] # as in every module that Python runs
    before = sys.modules["__main__"], sys.argv, list(sys.path)
    sys.modules["__main__"] = module
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.parent))
    try:
        yield module
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = before
