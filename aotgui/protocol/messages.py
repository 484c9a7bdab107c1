"""Every message, one documented class each.

Requests go from the window (or a command) to the engine, events come back. A request that takes time carries
an id chosen by the sender (``run``, ``session``, ``request``), and every event about it carries the same id,
so that what is stale can be dropped. When the engine dies, whoever waits is told by ``EngineProcess``.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from aotgui.model.capture import Capture, Check, Compilation, Finding, Problem, Stage, StageTime
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings
from aotgui.model.targets import TargetInfo
from aotgui.model.values import ValueSlice, ValueStats

PROTOCOL_VERSION = 1


class Request(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Base of what the engine is asked."""


class Event(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Base of what the engine says."""


# --- Requests -------------------------------------------------------------------------------------------------


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


class StartStepping(Request, frozen=True, kw_only=True):
    """Begin a stepping session on the last run's graphs, stopped before the first node.

    Answered by ``Stepped``; a session that is under way is replaced. Needs a run that reached its end.

    Attributes:
        session: id of the session.
        region: index of the region.
        graph: forward, backward or inference.
        breakpoints: graph kind to names of nodes to stop before.
    """

    session: int
    region: int
    graph: GraphKind
    breakpoints: dict[GraphKind, list[str]] = {}


class StepAction(StrEnum):
    """What a stepping session is told to do."""

    STEP = "step"
    CONTINUE = "continue"
    RUN_TO = "run_to"
    RUN_TO_NONFINITE = "run_to_nonfinite"
    PAUSE = "pause"
    RESTART = "restart"
    END = "end"


class Step(Request, frozen=True, kw_only=True):
    """Tell the stepping session what to do; answered by ``Stepped`` when it stops again.

    Attributes:
        session: id of the session; others are ignored.
        action: what to do. From the forward's end, stepping goes on into the backward.
        node: name of the node to run to, for ``RUN_TO``.
        graph: the graph that holds ``node``.
    """

    session: int
    action: StepAction
    node: str = ""
    graph: GraphKind | None = None


class SetBreakpoints(Request, frozen=True, kw_only=True):
    """Replace the breakpoints of a session, also while it runs; not answered."""

    session: int
    breakpoints: dict[GraphKind, list[str]]


class ReadValue(Request, frozen=True, kw_only=True):
    """Ask for a slice of a computed value; answered by ``ValueRead``.

    Attributes:
        request: id.
        session: the stepping session.
        graph: which graph.
        node: index of the node.
        item: which item of a tuple.
        index: one index for each dimension but the last two; missing ones are 0.
        row: first row wanted.
        column: first column wanted.
    """

    request: int
    session: int
    graph: GraphKind
    node: int
    item: int = 0
    index: tuple[int, ...] = ()
    row: int = 0
    column: int = 0


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


class Quit(Request, frozen=True, kw_only=True):
    """End the engine; a closed pipe means the same."""


# --- Events ---------------------------------------------------------------------------------------------------


class CompilerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A compiler that the engine knows.

    Attributes:
        name: as chosen in ``Settings``.
        description: one line.
        unavailable: why it cannot run here; empty if it can.
        makes_torchscript: whether its result can be exported as TorchScript.
    """

    name: str
    description: str
    unavailable: str = ""
    makes_torchscript: bool = False


class Hello(Event, frozen=True, kw_only=True):
    """Sent once torch is imported and the engine is ready.

    Attributes:
        version: of the protocol.
        torch: version of torch.
        python: version of Python.
        compilers: the compilers known to this engine.
    """

    version: int
    torch: str
    python: str
    compilers: list[CompilerInfo]


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


class StopReason(StrEnum):
    """Why stepping stopped."""

    ENTRY = "entry"
    STEP = "step"
    BREAKPOINT = "breakpoint"
    REACHED = "reached"
    PAUSED = "paused"
    NONFINITE = "nonfinite"
    MISMATCH = "mismatch"
    ERROR = "error"
    FINISHED = "finished"
    RUNNING = "running"


class Stepped(Event, frozen=True, kw_only=True):
    """Where a stepping session stands.

    Sent at each stop, and with ``RUNNING`` about twenty times a second while it goes on.

    Attributes:
        session: id.
        region: index of the region.
        graph: the graph that ``node`` is in.
        node: index of the node that would run next; the number of nodes at the end of the graph.
        reason: why it stopped.
        executed: values of the nodes executed since the last ``Stepped``, by graph.
        problem: what went wrong, for ``MISMATCH`` and ``ERROR``.
        restarted: whether everything executed before is void.
    """

    session: int
    region: int
    graph: GraphKind
    node: int
    reason: StopReason
    executed: dict[GraphKind, list[ValueStats]] = {}
    problem: Problem | None = None
    restarted: bool = False


class ValueRead(Event, frozen=True, kw_only=True):
    """A slice of a value, or a sentence in ``value.text`` why there is none."""

    request: int
    graph: GraphKind
    value: ValueSlice


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


class EngineProblem(Event, frozen=True, kw_only=True):
    """A request could not be served and belongs to no run, or the engine itself has a fault."""

    problem: Problem


AnyRequest = (
    Run | Record | FinishRecording | Stop | StartStepping | Step | SetBreakpoints | ReadValue | ExportTorchScript | Quit
)
AnyEvent = (
    Hello
    | StageStarted
    | StageEnded
    | CaptureReady
    | RegionRecorded
    | TargetsFound
    | TrustNeeded
    | RunEnded
    | Stepped
    | ValueRead
    | Exported
    | EngineProblem
)
