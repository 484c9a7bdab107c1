"""An engine without torch that follows a script: answers one request after another as told on its command line.

Each argument is a word: ``ready`` answers with a capture that has graphs, ``done`` ends the run, ``stage`` begins a
stage, ``die`` ends the process by SIGSEGV, ``exit`` with status 3, ``refuse`` says that it cannot, ``hang`` stays
silent, ``garbage`` writes what is no frame, ``steps`` reports two steps, ``stopped`` waits for Stop and ends the run.
"""

from __future__ import annotations

import os
import signal
import sys

from aotgui.model.capture import Capture, Check, CheckStatus, Problem, Region, Severity, Stage, StageTime
from aotgui.model.graph import Graph, GraphKind, TensorInfo
from aotgui.model.settings import Settings
from aotgui.model.values import ValueStats
from aotgui.protocol.codec import decode_request, encode, read_frame
from aotgui.protocol.messages import (
    CaptureReady,
    EngineProblem,
    Event,
    Hello,
    RunEnded,
    RunStatus,
    StageEnded,
    StageStarted,
    Stepped,
    Stop,
    StopReason,
)

PROBLEM = Problem(severity=Severity.ERROR, stage="step", message="There is nothing to step.", file="/x.py", line=3)
WHERE = Problem(severity=Severity.ERROR, stage=Stage.LOAD, message="Stopped.", file="/home/me/loop.py", line=7)


def graph(kind: GraphKind) -> Graph:
    one = [0]
    return Graph(
        kind=kind, strings=["aten.cos.default"], names=["cos"], ops=[2], targets=one, roles=one, sides=one, fates=one,
        seq_nrs=one, origins=one, labels=[-1], modules=[-1], stacks=[-1], values=[[]], arguments=[[]],
        edge_sources=[], edge_targets=[],
    )  # fmt: skip


def ended(status: RunStatus, problems: list[Problem]) -> RunEnded:
    stages = [StageTime(stage=Stage.LOAD, seconds=0.5)]
    check = Check(status=CheckStatus.MATCH, max_error=0.0)
    return RunEnded(run=1, status=status, check=check, problems=problems, stages=stages, target="model")


def capture() -> Capture:
    graphs = {kind: graph(kind) for kind in (GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD)}
    regions = [Region(name="region 0", graphs=graphs)]
    return Capture(source="/x.py", target="model", torch="2.13.0", settings=Settings(), regions=regions)


def steps() -> list[Event]:
    value = ValueStats(node=0, tensor=TensorInfo((2,), "float32", (1,), "cpu", 8), minimum=0.0, nans=1)
    moving = Stepped(session=1, region=0, graph=GraphKind.FORWARD, node=0, reason=StopReason.RUNNING)
    done = Stepped(
        session=1, region=0, graph=GraphKind.BACKWARD, node=0, reason=StopReason.STEP,
        executed={GraphKind.FORWARD: [value]},
    )  # fmt: skip
    return [moving, done]


def say(*events: Event) -> None:
    for event in events:
        sys.stdout.buffer.write(encode(event))
    sys.stdout.buffer.flush()


def listen() -> object:
    body = read_frame(sys.stdin.buffer)
    if body is None:
        raise SystemExit(0)
    return decode_request(body)


def play(word: str) -> None:
    match word:
        case "stage":
            say(StageStarted(run=1, stage=Stage.LOAD), StageEnded(run=1, time=StageTime(stage=Stage.LOAD, seconds=0.5)))
            say(StageStarted(run=1, stage=Stage.TRACE))
        case "ready":
            say(CaptureReady(run=1, capture=capture()))
        case "done":
            say(ended(RunStatus.DONE, []))
        case "entry":
            say(Stepped(session=1, region=0, graph=GraphKind.FORWARD, node=0, reason=StopReason.ENTRY))
        case "steps":
            say(*steps())
        case "refuse":
            say(EngineProblem(problem=PROBLEM))
        case "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exit":
            os._exit(3)
        case "garbage":
            sys.stdout.buffer.write(b"printf from C\n")
            sys.stdout.buffer.flush()
        case "stopped":
            while not isinstance(listen(), Stop):
                pass
            say(ended(RunStatus.STOPPED, [WHERE]))
        case "listen":
            listen()
        case "hang":
            while True:
                signal.pause()


def main() -> None:
    say(Hello(version=1, torch="2.13.0", python="3.11", compilers=[]))
    for word in sys.argv[1:]:
        play(word)
    while True:
        listen()


if __name__ == "__main__":
    main()
