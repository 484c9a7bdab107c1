"""Messages about running the pipeline and recording a script."""

from __future__ import annotations

from enum import StrEnum

from aotgui.model.capture import Capture, Check, Compilation, Finding, Problem, Stage, StageTime
from aotgui.model.settings import Settings
from aotgui.model.targets import TargetInfo
from aotgui.protocol.message import Event, Request


class Run(Request, frozen=True, kw_only=True):
    """Run the pipeline on a target.

    Answered by ``StageStarted``/``StageEnded`` in turn, ``CaptureReady`` as soon as graphs are known (again, where
    another route has to be taken), and exactly one ``RunEnded``. A ``Run`` while another one is at work ends that
    one first (as ``Stop`` does).
    With an unchanged source and only compilers changed the traced graphs are kept and compiled again.

    Attributes:
        run: id of this run.
        source: path of a script, or ``package.module:name``.
        target: name in the source; empty for the convention names.
        inputs: an input specification that replaces ``example_inputs``; empty for none.
        settings: how to run.
        trusted: whether the person said that the source may be executed or unpickled.
    """

    run: int
    source: str
    target: str = ""
    inputs: str = ""
    settings: Settings = Settings()
    trusted: bool = False


class Record(Request, frozen=True, kw_only=True):
    """Run a script as ``__main__`` and capture what it compiles with torch.compile, aot_function or aot_module.

    Answered like ``Run``: ``StageStarted`` and ``StageEnded``, a ``RegionRecorded`` for each region as it is
    compiled, a ``CaptureReady`` with what there is after some of them and at the end, and exactly one ``RunEnded``.
    A script that compiles nothing has its first outermost module call with gradients captured, as a ``Run`` does,
    when it is over. ``Stop`` ends the script and keeps the regions that were compiled; ``FinishRecording`` also
    captures that call.

    Attributes:
        run: id of this run, from the same numbers as those of ``Run``.
        source: path of the script.
        arguments: its command line, without its own name.
        regions: end the script once so many regions are known; 0 to let it run to its end.
        settings: partitioner for graphs whose backend has none; the whole of it for the call of a module.
    """

    run: int
    source: str
    arguments: list[str] = []
    regions: int = 0
    settings: Settings = Settings()


class FinishRecording(Request, frozen=True, kw_only=True):
    """End the script that is recorded and capture what there is; answered by what answers its ``Record``.

    Attributes:
        run: id of the recording; others are ignored.
    """

    run: int


class Stop(Request, frozen=True, kw_only=True):
    """End a run, a step session or an export at once; answered by its own end event.

    Raises an exception in the worker thread. What does not react is ended by the sender, with the process.
    """


class StageStarted(Event, frozen=True, kw_only=True):
    """A stage of a run began."""

    run: int
    stage: Stage


class StageEnded(Event, frozen=True, kw_only=True):
    """A stage of a run ended well; a failed stage is reported by ``RunEnded``."""

    run: int
    time: StageTime


class CaptureReady(Event, frozen=True, kw_only=True):
    """All graphs of a run are known; its check and compilations come with ``RunEnded``."""

    run: int
    capture: Capture


class RegionRecorded(Event, frozen=True, kw_only=True):
    """A script that is recorded compiled another region; its graphs come with ``CaptureReady``.

    Attributes:
        run: id.
        count: how many regions there are now.
        name: of this one.
        nodes: of its joint or inference graph.
    """

    run: int
    count: int
    name: str
    nodes: int


class TargetsFound(Event, frozen=True, kw_only=True):
    """A source leaves open what is to be captured, or with which inputs; ``RunEnded`` (failed) follows.

    Answered, where a person chooses, by another ``Run`` with ``target`` and ``inputs``.

    Attributes:
        run: id.
        targets: what the source offers, in the order of its text; may be empty.
        chosen: name of the target that was named or found by convention and only lacks inputs, or empty.
    """

    run: int
    targets: list[TargetInfo]
    chosen: str = ""


class TrustNeeded(Event, frozen=True, kw_only=True):
    """A source runs code when it is opened, and was not opened; ``RunEnded`` (failed) follows.

    Answered, where a person agrees, by the same ``Run`` with ``trusted`` set.

    Attributes:
        run: id.
        source: as asked for.
        reason: one sentence: what would run.
    """

    run: int
    source: str
    reason: str


class RunStatus(StrEnum):
    """How a run ended."""

    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class RunEnded(Event, frozen=True, kw_only=True):
    """A run is over.

    Attributes:
        run: id.
        status: done, failed (``problems`` says where), or stopped.
        check: compiled against eager.
        problems: all of the run's, those already in ``CaptureReady`` included.
        stages: all that ran.
        compilations: one list a region.
        target: name of the target, known once it was loaded.
        settings: as used.
        findings: what the checks over the capture found, worst first.
    """

    run: int
    status: RunStatus
    check: Check
    problems: list[Problem]
    stages: list[StageTime]
    compilations: list[list[Compilation]] = []
    target: str = ""
    settings: Settings = Settings()
    findings: list[Finding] = []
