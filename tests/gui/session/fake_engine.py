"""An engine without torch: speaks the protocol and behaves as its command line says.

Usage: fake_engine.py BEHAVIOUR..., each a word of ``_BEHAVIOURS``; what is not said is done well and at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

from fake_partitions import FakePartitions

from aotgui.model.capture import Capture, Check, CheckStatus, Problem, Region, Severity, Stage, StageTime
from aotgui.model.graph import Graph, GraphKind, Op, TensorInfo
from aotgui.model.settings import Settings
from aotgui.model.targets import Parameter, TargetInfo, TargetKind
from aotgui.model.values import ValueSlice, ValueStats
from aotgui.protocol.codec import decode_request, encode, read_frame
from aotgui.protocol.messages import (
    PROTOCOL_VERSION,
    CaptureReady,
    CompilerInfo,
    EngineProblem,
    Event,
    Exported,
    ExportFolder,
    ExportPolicy,
    ExportTorchScript,
    FinishRecording,
    Hello,
    Quit,
    ReadValue,
    Record,
    RegionRecorded,
    Repartition,
    Run,
    RunEnded,
    RunStatus,
    StageEnded,
    StageStarted,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    SteppingEnded,
    Stop,
    StopReason,
    TargetsFound,
    TrustNeeded,
    ValueRead,
    WriteRepro,
)

WORDS = set(sys.argv[1:])


def say(event: Event) -> None:
    sys.stdout.buffer.write(encode(event))
    sys.stdout.buffer.flush()


def graph(kind: GraphKind, names: list[str], inputs: int = 0) -> Graph:
    count = len(names)
    return Graph(
        kind=kind,
        strings=["aten.cos.default"],
        names=names,
        ops=[int(Op.CALL_FUNCTION if place >= inputs else Op.PLACEHOLDER) for place in range(count)],
        targets=[0] * count,
        roles=[0] * count,
        sides=[int(name.startswith("b")) for name in names],
        fates=[0] * count,
        seq_nrs=[-1] * count,
        origins=list(range(count)) if kind is not GraphKind.BACKWARD else [count, count + 1][:count],
        labels=[-1] * count,
        modules=[-1] * count,
        stacks=[-1] * count,
        values=[[0]] * count,
        arguments=[[]] * count,
        edge_sources=list(range(count - 1)),
        edge_targets=list(range(1, count)),
        tensor_table=[TensorInfo((2, 2), "float32", (2, 1), "cpu", 16)],
    )


def capture(request: Run) -> Capture:
    # A file's text decides on the graph, so that a test can change it on disk.
    text = Path(request.source).read_text() if Path(request.source).exists() else ""
    forward = ["f0", "f1", *(["f2"] if "bigger" in text else [])]
    settings = request.settings
    if settings.partitioner == "default":
        forward = [*forward, "f9"]
    region = Region(
        name="region 0",
        graphs={
            GraphKind.JOINT: graph(GraphKind.JOINT, [*forward, "b0", "b1"]),
            GraphKind.FORWARD: graph(GraphKind.FORWARD, forward, inputs=int("inputs" in text)),
            GraphKind.BACKWARD: graph(GraphKind.BACKWARD, ["b0", "b1"]),
        },
    )
    regions = [region, region] if "regions" in text else [region]
    if "inference" in text:
        regions = [Region(name="region 0", graphs={GraphKind.INFERENCE: graph(GraphKind.INFERENCE, forward)})]
    return Capture(source=request.source, target="model", torch="2.13.0", settings=settings, regions=regions)


class Engine:
    """Answers requests; a run is done on a thread so that ``Stop`` is heard."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.finished = threading.Event()
        self.runs = 0
        self.worker: threading.Thread | None = None
        self.partitions = FakePartitions(say, WORDS)

    def serve(self) -> None:
        while (body := read_frame(sys.stdin.buffer)) is not None:
            request = decode_request(body)
            match request:
                case Run():
                    self.stopped.clear()
                    self.worker = threading.Thread(target=self.run, args=(request,), daemon=True)
                    self.worker.start()
                case Record():
                    self.worker = threading.Thread(target=self.record, args=(request,), daemon=True)
                    self.worker.start()
                case FinishRecording():
                    self.finished.set()
                case Stop():
                    self.stopped.set()
                case StartStepping() if "no-steps" in WORDS:
                    message = "These graphs have not been run."
                    say(EngineProblem(problem=Problem(severity=Severity.ERROR, stage="step", message=message)))
                case StartStepping():
                    say(
                        Stepped(session=request.session, region=0, graph=request.graph, node=0, reason=StopReason.ENTRY)
                    )
                case Step():
                    self.step(request)
                case ReadValue():
                    value = ValueSlice(node=request.node, shape=(2, 2), rows=[[1.0, 2.0], [3.0, 4.0]])
                    say(ValueRead(request=request.request, graph=request.graph, value=value))
                case Repartition():
                    self.partitions.answer(request)
                case ExportPolicy():
                    said = ", ".join(f"{name} {decision}" for name, decision in request.decisions.items())
                    say(Exported(request=request.request, path=request.path, detail=f"Captured with {said}."))
                case ExportTorchScript() | ExportFolder() | WriteRepro():
                    if "ignore-export" not in WORDS:
                        say(Exported(request=request.request, path=request.path, detail="Loaded and run."))
                case Quit():
                    return

    def run(self, request: Run) -> None:
        self.runs += 1
        words = WORDS | set(Path(request.source).read_text().split()) if Path(request.source).exists() else WORDS
        say(StageStarted(run=request.run, stage=Stage.LOAD))
        misbehave(words)
        if "stale" in words:
            say(StageStarted(run=request.run + 1000, stage=Stage.CHECK))
        if "wait" in words:
            self.stopped.wait()
        while "deaf" in words:
            time.sleep(60)
        if self.stopped.is_set():
            say(RunEnded(run=request.run, status=RunStatus.STOPPED, check=Check(), problems=[], stages=[]))
            return
        os.write(2, f"run {self.runs} in {os.getpid()}\n".encode())
        say(StageEnded(run=request.run, time=StageTime(stage=Stage.LOAD, seconds=0.1)))
        self.finish(request, words)

    def record(self, request: Record) -> None:
        words = set(Path(request.source).read_text().split())
        say(RegionRecorded(run=request.run, count=2, name="region 1", nodes=4))
        if "wait" in words:
            self.finished.wait()
        said = f"{request.arguments} {request.regions}"
        self.finish(Run(run=request.run, source=request.source, target="recorded", inputs=said), words)

    def finish(self, request: Run, words: set[str]) -> None:
        asks = ask(request, words)
        if "fail" in words or asks:
            problem = Problem(severity=Severity.ERROR, stage="load", message="It failed.", file=request.source, line=3)
            say(RunEnded(run=request.run, status=RunStatus.FAILED, check=Check(), problems=[problem], stages=[]))
            return
        say(CaptureReady(run=request.run, capture=capture(request)))
        if "segfault-late" in words:
            segfault()
        status = CheckStatus.MISMATCH if "mismatch" in words else CheckStatus.MATCH
        stages = [StageTime(stage=Stage.LOAD, seconds=0.1)]
        check = Check(status=status, max_error=0.5)
        say(
            RunEnded(
                run=request.run,
                status=RunStatus.DONE,
                check=check,
                problems=[],
                stages=stages,
                target=f"{request.target}({request.inputs})" if request.target else "",
                settings=Settings(),
            )
        )

    def step(self, request: Step) -> None:
        if request.action is StepAction.END:
            if "no-end" not in WORDS:
                say(SteppingEnded(session=request.session))
            return
        reason = {StepAction.STEP: StopReason.STEP, StepAction.RUN_TO: StopReason.REACHED}.get(
            request.action, StopReason.FINISHED
        )
        value = ValueStats(node=0, tensor=TensorInfo((2, 2), "float32", (2, 1), "cpu", 16), mean=1.0)
        say(
            Stepped(
                session=request.session,
                region=0,
                graph=GraphKind.FORWARD,
                node=1,
                reason=reason,
                executed={GraphKind.FORWARD: [value]},
                restarted=request.action is StepAction.RESTART,
            )
        )


TARGETS = [
    TargetInfo(name="net", kind=TargetKind.MODULE, parameters=(Parameter(name="x", required=True),), type_name="Net"),
    TargetInfo(
        name="loss",
        kind=TargetKind.FUNCTION,
        parameters=(Parameter(name="x", required=True), Parameter(name="scale", default="1.0")),
        summary="The squared error.",
    ),
]


def ask(request: Run, words: set[str]) -> bool:
    """Whether the source leaves something open; says what."""
    if "targets" in words and not request.target:
        say(TargetsFound(run=request.run, targets=TARGETS))
        return True
    if "pickle" in words and not request.trusted:
        say(TrustNeeded(run=request.run, source=request.source, reason="It would run code."))
        return True
    return False


def segfault() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(60)  # the signal may reach the other thread, and later


def misbehave(words: set[str]) -> None:
    if "segfault" in words:
        segfault()
    if "exit" in words:
        os._exit(3)
    if "garbage" in words:
        sys.stdout.buffer.write(b"\xff" * 64)
        sys.stdout.buffer.flush()
        time.sleep(60)
    if "flood" in words:
        line = b"x" * 1023 + b"\n"
        for _ in range(64):
            os.write(2, line * 1024)
        os.write(2, b"the end\n")


def main() -> None:
    if "no-hello" in WORDS:
        os.write(2, b"no such module\n")
        raise SystemExit(1)
    if "silent" in WORDS:  # as if the crash took the hello with it
        read_frame(sys.stdin.buffer)
        segfault()
    compilers = [
        CompilerInfo(name="nop", description="Runs the graph as it is.", makes_torchscript=False),
        CompilerInfo(name="ts_compile", description="TorchScript.", makes_torchscript=True),
        CompilerInfo(name="inductor", description="Inductor.", unavailable="There is no C++ compiler."),
    ]
    say(Hello(version=0 if "old" in WORDS else PROTOCOL_VERSION, torch="2.13.0", python="3.11", compilers=compilers))
    Engine().serve()


if __name__ == "__main__":
    main()
