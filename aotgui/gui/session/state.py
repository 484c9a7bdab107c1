"""The values that the session holds: what the engine does, what is selected, chosen, recorded, stepped through."""

from __future__ import annotations

from enum import Enum
from typing import Final

import msgspec

from aotgui.model.capture import Problem, Stage, StageTime
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import StopReason

NO_ENGINE: Final = "A saved capture can be looked at, not run: open the script that it was made from."
RUN_AGAIN: Final = "The engine that ran this is gone; run the script again to go on."
BUSY: Final = "The engine is at work; try again when the run is over."
GONE: Final = "The engine ended before this was worked out; run the script again."


class RunState(Enum):
    """What the engine does for us.

    Attributes:
        STARTING: it imports torch.
        IDLE: it waits for us.
        RUNNING: it runs the pipeline.
        STOPPING: it was asked to stop.
        DOWN: there is none, and starting one failed too often.
    """

    STARTING = "starting"
    IDLE = "idle"
    RUNNING = "running"
    STOPPING = "stopping"
    DOWN = "down"


class Progress(msgspec.Struct, frozen=True):
    """How far a run is.

    Attributes:
        state: what the engine does.
        stage: the stage at work, or None.
        done: stages that have ended in this run.
        regions: how many regions a script that is recorded has compiled.
        is_lost: whether the engine that made what is shown is gone, so that none can answer about it.
    """

    state: RunState = RunState.STARTING
    stage: Stage | None = None
    done: tuple[StageTime, ...] = ()
    regions: int = 0
    is_lost: bool = False

    @property
    def is_running(self) -> bool:
        """Whether a run is under way, or on its way to an end that somebody asked for."""
        return self.state in {RunState.RUNNING, RunState.STOPPING}


class Selection(msgspec.Struct, frozen=True):
    """Selected nodes, the same in every view.

    Attributes:
        graph: the graph in which the person selected, or None where nothing is selected.
        nodes: indexes in that graph, the current one first.
    """

    graph: GraphKind | None = None
    nodes: tuple[int, ...] = ()

    @property
    def current(self) -> int:
        """The node that the inspector shows; -1 where nothing is selected."""
        return self.nodes[0] if self.nodes else -1


class SteppingState(msgspec.Struct, frozen=True):
    """Where the debugger stands.

    Attributes:
        active: whether there is a stepping session.
        running: whether it goes on without stopping right now.
        graph: the graph being executed, or None.
        node: index of the node that would run next; the number of nodes at the end.
        reason: why it stopped.
        problem: what went wrong, or None.
    """

    active: bool = False
    running: bool = False
    graph: GraphKind | None = None
    node: int = -1
    reason: StopReason | None = None
    problem: Problem | None = None


class TargetChoice(msgspec.Struct, frozen=True):
    """What a person chose to capture of a source that leaves it open.

    Attributes:
        target: name in the source; empty for the convention names.
        inputs: an input specification (``model.inputs``) instead of ``example_inputs``; empty for none.
    """

    target: str = ""
    inputs: str = ""


class RecordingOptions(msgspec.Struct, frozen=True):
    """How a script is run when it is recorded.

    Attributes:
        arguments: its command line, without its own name.
        regions: how many regions to record before it is ended; 0 lets it run to its end.
    """

    arguments: tuple[str, ...] = ()
    regions: int = 0
