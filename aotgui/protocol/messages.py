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
from aotgui.protocol.engine_messages import CompilerInfo, EngineProblem, Hello, Quit
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
    SetBreakpoints,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    StopReason,
    ValueRead,
)

__all__ = [
    "PROTOCOL_VERSION",
    "AnyEvent",
    "AnyRequest",
    "CaptureReady",
    "Compare",
    "CompareEnded",
    "CompareProgress",
    "CompareRowReady",
    "CompilerInfo",
    "CulpritFound",
    "CulpritProgress",
    "EngineProblem",
    "Event",
    "ExportFolder",
    "ExportPolicy",
    "ExportTorchScript",
    "Exported",
    "FindCulprit",
    "FinishRecording",
    "FolderForm",
    "Hello",
    "Quit",
    "ReadValue",
    "Record",
    "RegionRecorded",
    "Repartition",
    "RepartitionEnded",
    "Repartitioned",
    "Request",
    "Run",
    "RunEnded",
    "RunStatus",
    "SetBreakpoints",
    "StageEnded",
    "StageStarted",
    "StartStepping",
    "Step",
    "StepAction",
    "Stepped",
    "Stop",
    "StopReason",
    "TargetsFound",
    "TrustNeeded",
    "ValueRead",
    "WriteRepro",
]

PROTOCOL_VERSION = 1

AnyRequest = (
    Run
    | Record
    | FinishRecording
    | Stop
    | StartStepping
    | Step
    | SetBreakpoints
    | ReadValue
    | ExportTorchScript
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
    | ValueRead
    | Exported
    | EngineProblem
)
