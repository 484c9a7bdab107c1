"""Every message, one documented class each.

Requests go from the window (or a command) to the engine, events come back. A request that takes time carries
an id chosen by the sender (``run``, ``session``, ``request``), and every event about it carries the same id,
so that what is stale can be dropped. When the engine dies, whoever waits is told by ``EngineProcess``.

The classes stand in one module for each concern; whoever sends or takes messages imports them from here.
"""

from __future__ import annotations

from aotgui.protocol.compare_messages import (
    Compare,
    CompareEnded,
    CompareProgress,
    CompareRowReady,
    CulpritFound,
    CulpritProgress,
    FindCulprit,
    WriteRepro,
)
from aotgui.protocol.engine_messages import CompilerInfo, CompilerOption, EngineProblem, Hello, Quit
from aotgui.protocol.export_messages import Exported, ExportFolder, ExportTorchScript, FolderForm
from aotgui.protocol.message import Event, Request
from aotgui.protocol.partition_messages import ExportPolicy, Repartition, Repartitioned, RepartitionEnded
from aotgui.protocol.run_messages import (
    CaptureReady,
    FinishRecording,
    Record,
    RegionRecorded,
    Run,
    RunEnded,
    RunStatus,
    StageEnded,
    StageStarted,
    Stop,
    TargetsFound,
    TrustNeeded,
)
from aotgui.protocol.step_messages import (
    ReadValue,
    ReplaceValue,
    RestoreValue,
    SetBreakpoints,
    SetReference,
    SetWatches,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    SteppingEnded,
    StopReason,
    ValueRead,
    Watched,
)
from aotgui.protocol.value_messages import (
    CauseFound,
    Evaluate,
    Evaluated,
    FindCause,
    HistogramRead,
    PlaneRead,
    ReadHistogram,
    ReadPlane,
    ReadStats,
    SaveValue,
    StatsRead,
    ValueFormat,
    ValueSaved,
)

__all__ = [
    "PROTOCOL_VERSION",
    "AnyEvent",
    "AnyRequest",
    "CaptureReady",
    "CauseFound",
    "Compare",
    "CompareEnded",
    "CompareProgress",
    "CompareRowReady",
    "CompilerInfo",
    "CompilerOption",
    "CulpritFound",
    "CulpritProgress",
    "EngineProblem",
    "Evaluate",
    "Evaluated",
    "Event",
    "ExportFolder",
    "ExportPolicy",
    "ExportTorchScript",
    "Exported",
    "FindCause",
    "FindCulprit",
    "FinishRecording",
    "FolderForm",
    "Hello",
    "HistogramRead",
    "PlaneRead",
    "Quit",
    "ReadHistogram",
    "ReadPlane",
    "ReadStats",
    "ReadValue",
    "Record",
    "RegionRecorded",
    "Repartition",
    "RepartitionEnded",
    "Repartitioned",
    "ReplaceValue",
    "Request",
    "RestoreValue",
    "Run",
    "RunEnded",
    "RunStatus",
    "SaveValue",
    "SetBreakpoints",
    "SetReference",
    "SetWatches",
    "StageEnded",
    "StageStarted",
    "StartStepping",
    "StatsRead",
    "Step",
    "StepAction",
    "StepRequest",
    "Stepped",
    "SteppingEnded",
    "Stop",
    "StopReason",
    "TargetsFound",
    "TrustNeeded",
    "ValueFormat",
    "ValueRead",
    "ValueSaved",
    "Watched",
    "WriteRepro",
]

PROTOCOL_VERSION = 1

StepRequest = (
    Step
    | SetBreakpoints
    | SetWatches
    | ReplaceValue
    | RestoreValue
    | SetReference
    | ReadValue
    | ReadStats
    | ReadPlane
    | ReadHistogram
    | SaveValue
    | FindCause
    | Evaluate
)
"""What a stepping session is told or asked."""

AnyRequest = (
    Run
    | Record
    | FinishRecording
    | Stop
    | StartStepping
    | StepRequest
    | Compare
    | FindCulprit
    | WriteRepro
    | ExportTorchScript
    | ExportFolder
    | Quit
    | Repartition
    | ExportPolicy
)
AnyEvent = (
    Hello
    | Repartitioned
    | RepartitionEnded
    | StageStarted
    | StageEnded
    | CaptureReady
    | RegionRecorded
    | TargetsFound
    | TrustNeeded
    | RunEnded
    | Stepped
    | SteppingEnded
    | Watched
    | ValueRead
    | StatsRead
    | PlaneRead
    | HistogramRead
    | ValueSaved
    | CauseFound
    | Evaluated
    | Exported
    | CompareProgress
    | CompareRowReady
    | CompareEnded
    | CulpritProgress
    | CulpritFound
    | EngineProblem
)
