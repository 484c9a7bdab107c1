"""Every message, one documented class each.

Requests go from the window (or a command) to the engine, events come back. A request that takes time carries
an id chosen by the sender (``run``, ``session``, ``request``), and every event about it carries the same id,
so that what is stale can be dropped. When the engine dies, whoever waits is told by ``EngineProcess``.

The classes stand in one module for each concern; whoever sends or takes messages imports them from here.
"""

from __future__ import annotations

from aotgui.protocol.engine_messages import CompilerInfo, EngineProblem, Hello, Quit
from aotgui.protocol.export_messages import Exported, ExportTorchScript
from aotgui.protocol.message import Event, Request
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
    "CompilerInfo",
    "EngineProblem",
    "Event",
    "ExportTorchScript",
    "Exported",
    "FinishRecording",
    "Hello",
    "Quit",
    "ReadValue",
    "Record",
    "RegionRecorded",
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
]

PROTOCOL_VERSION = 1

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
