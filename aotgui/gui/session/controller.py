"""What a person wants, as requests to the engine; what the engine says, as updates of the session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, Signal

from aotgui.export.capture_files import is_capture_file, open_capture
from aotgui.gui.session.adopt import adopt_capture
from aotgui.gui.session.background import Background
from aotgui.gui.session.engine_pool import EnginePool
from aotgui.gui.session.partition_control import PartitionControl
from aotgui.gui.session.run_control import RunControl
from aotgui.gui.session.session import RecordingOptions, RunState, Session, TargetChoice
from aotgui.gui.session.source_key import normal_source
from aotgui.gui.session.source_watch import SourceWatch
from aotgui.gui.session.step_control import StepControl
from aotgui.gui.session.trial_control import TrialControl
from aotgui.gui.session.value_control import ValueControl
from aotgui.model.capture import Capture, Problem, Severity
from aotgui.model.capture_file import CaptureFileError
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings
from aotgui.protocol.crash_text import crash_place
from aotgui.protocol.engine_process import ENGINE_COMMAND
from aotgui.protocol.messages import (
    PROTOCOL_VERSION,
    AnyEvent,
    EngineProblem,
    Exported,
    ExportFolder,
    ExportPolicy,
    ExportTorchScript,
    FolderForm,
    Hello,
    Request,
    RunStatus,
    StepAction,
    Stop,
    WriteRepro,
)


class Controller(QObject):
    """The only object between the session and the engines.

    Attributes:
        session: the model that it updates.
        runs: running the pipeline.
        steps: the debugger.
        trials: comparing compilers.
        values: questions about what it computed.
        partitions: other partitions of the graphs on screen.

    Signals:
        changed_on_disk: the open file was changed by another program.
        exported: an export is over; its ``Exported``.
        exporting_changed: ``is_exporting`` changed.
    """

    changed_on_disk = Signal()
    exported = Signal(object)
    exporting_changed = Signal()

    def __init__(
        self,
        session: Session,
        command: Sequence[str] = ENGINE_COMMAND,
        *,
        keep_spare: bool = True,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self._pool = EnginePool(command, keep_spare=keep_spare, parent=self)
        self.runs = RunControl(session, self._pool, self)
        self.steps = StepControl(session, self._pool, self)
        self.values = ValueControl(session, self._pool, self.steps, self)
        self.partitions = PartitionControl(session, self._pool, self)
        self.trials = TrialControl(session, self._pool, self)
        self._watch = SourceWatch(self)
        self._reading: Background[Capture] = Background(self)
        self._export = 0
        self._exports_pending = False
        self._pool.hello.connect(self._on_hello)
        self._pool.ready.connect(self._on_ready)
        self._pool.replaced.connect(self._on_engine_replaced)
        self._pool.event_received.connect(self._on_event)
        self._pool.output.connect(session.add_console_text)
        self._pool.ended.connect(self._on_engine_ended)
        self._pool.unavailable.connect(self._on_unavailable)
        self.runs.started.connect(self._on_run_started)
        self.runs.finished.connect(self._pool.prewarm)
        self.runs.finished.connect(self.partitions.resume)
        self._watch.changed.connect(self.changed_on_disk)

    def start(self) -> None:
        """Starts the first engine, so that torch is imported by the time a file is chosen."""
        self._pool.start()

    def open(
        self,
        source: str,
        settings: Settings | None = None,
        choice: TargetChoice | None = None,
        *,
        trusted: bool = False,
    ) -> None:
        """Opens a script, model file or ``package.module:name`` and runs it; a capture file is read and shown.

        Args:
            source: what to open; a relative path is taken from the working directory.
            settings: settings for it; None keeps the present ones.
            choice: what to capture of it; None leaves that to the conventions.
            trusted: whether the person said that it may run code when it is opened.
        """
        source = normal_source(source)
        is_stored = is_capture_file(Path(source))
        self._reading.forget()
        if is_stored:
            self._start_reading(source)  # goes on while the window builds what will show it
        self._begin(source, None, is_stored=is_stored)
        if is_stored:
            self._watch.watch(source)
            self.session.set_problems(())
            return
        if choice is not None:
            self.session.set_choice(choice)
        if settings is not None:
            self.session.set_settings(settings)
        if trusted:
            self.runs.trust(self.session.source)
        self.run(fresh=True)

    def record(self, source: str, recording: RecordingOptions, settings: Settings | None = None) -> None:
        """Runs a script as it is and captures every region that it compiles.

        Args:
            source: path of the script.
            recording: its command line, and when to end it.
            settings: settings for it; None keeps the present ones.
        """
        self._reading.forget()
        self._begin(normal_source(source), recording)
        if settings is not None:
            self.session.set_settings(settings)
        self.run(fresh=True)

    def finish_recording(self) -> None:
        """Ends the script that is recorded and captures what there is."""
        self.runs.finish_recording()

    def _begin(self, source: str, recording: RecordingOptions | None, *, is_stored: bool = False) -> None:
        """Another source takes the place of the former one."""
        self.runs.forget()
        self.steps.reset()
        self.session.set_source(source, is_stored=is_stored)
        self.session.set_recording(recording)
        self.session.set_offer(None)
        self.session.set_choice(TargetChoice())

    def close_source(self) -> None:
        """Nothing is open any more."""
        self._reading.forget()
        self.runs.forget()
        self.steps.reset()
        self._watch.watch("")
        self.session.set_source("")
        self.session.set_offer(None)
        self.session.set_choice(TargetChoice())
        self.session.set_recording(None)
        self.session.set_capture(None)
        self.session.set_problems(())

    def run(self, *, fresh: bool = False) -> None:
        """Runs what is open again; ``fresh`` in an engine that has loaded nothing."""
        self._watch.watch(self.session.source)
        self.runs.run(fresh=fresh)

    def run_trusted(self) -> None:
        """The person answered ``trust_needed`` with yes: runs what is open again."""
        self.runs.trust(self.session.source)
        self.run(fresh=True)

    def capture(self, choice: TargetChoice) -> None:
        """Runs what is open again with another target or other inputs."""
        self.session.set_choice(choice)
        self.run()

    def reload(self) -> None:
        """Reads the open file again, a script in a fresh engine."""
        if self.session.is_stored:
            self._read()
        else:
            self.run(fresh=True)

    def _read(self) -> None:
        """Reads the capture file that is open."""
        self._watch.watch(self.session.source)
        self.session.set_problems(())
        self._start_reading(self.session.source)

    def _start_reading(self, source: str) -> None:
        self._reading.start(lambda: _read_capture(Path(source)), self._on_read)

    def _on_read(self, result: Capture | Exception) -> None:
        session = self.session
        if isinstance(result, Capture):
            session.set_settings(result.settings)
            adopt_capture(session, result)
            session.set_problems(result.problems)
            session.set_run_status(RunStatus.DONE if result.regions else RunStatus.FAILED)
        else:
            if not isinstance(result, CaptureFileError):
                raise result
            self._report("load", str(result), "")
            session.set_run_status(RunStatus.FAILED)

    def stop(self) -> None:
        """Stops the run; where none is under way the comparison, the search, the export, or the stepping session."""
        if self.runs.is_active:
            self.runs.stop()
        elif self.trials.is_working:
            self.trials.stop()
        elif self._exports_pending:
            self._stop_export()
        else:
            self.steps.perform(StepAction.END)

    def export_torchscript(self, kind: GraphKind, path: str) -> None:
        """Saves a half of the last run as TorchScript; ``exported`` tells how it went."""
        self._begin_export()
        region = self.session.region_index
        self._send_export(ExportTorchScript(request=self._export, region=region, graph=kind, path=path))

    def export_folder(self, form: FolderForm, path: str) -> None:
        """Saves the region shown as a folder that runs without aotgui; ``exported`` tells how it went."""
        self._begin_export()
        region = self.session.region_index
        self._send_export(ExportFolder(request=self._export, region=region, form=form, path=path))

    def export_policy(self, path: str) -> None:
        """Saves the decisions for single nodes as a checkpoint policy; ``exported`` tells how it went."""
        self._begin_export()
        decisions = dict(self.session.partitions.decisions)
        region = self.session.region_index
        self._send_export(ExportPolicy(request=self._export, region=region, decisions=decisions, path=path))

    def export_repro(self, path: str) -> None:
        """Saves the smallest script that fails as the culprit found last does; ``exported`` tells how it went."""
        self._begin_export()
        self._send_export(WriteRepro(request=self._export, path=path))

    @property
    def is_exporting(self) -> bool:
        """Whether the engine makes a file."""
        return self._exports_pending

    def _begin_export(self) -> None:
        self._export += 1
        self._set_exporting(True)

    def _set_exporting(self, pending: bool) -> None:
        self._exports_pending = pending
        self.exporting_changed.emit()

    def _stop_export(self) -> None:
        if self._pool.current:
            self._pool.current.send(Stop())
        self._give_up_export("The export was stopped; nothing was written.", Severity.INFO)

    def _send_export(self, request: Request) -> None:
        if not (self._pool.current and self._pool.current.send(request)):
            self._give_up_export("There is no engine to export with; run the script again.")

    def close(self) -> None:
        """Ends every engine and waits for that; at most about a second."""
        self.runs.close()
        self.steps.close()
        self.partitions.close()
        self._reading.close()
        self._watch.watch("")
        self._pool.close()

    def _on_run_started(self) -> None:
        self.steps.reset()
        self.partitions.pause()
        self.trials.pause()
        self._give_up_export("The export was given up because a new run began.")

    def _on_hello(self, hello: Hello) -> None:
        self.session.set_compilers(hello.compilers)
        if hello.version != PROTOCOL_VERSION:
            message = (
                f"The engine speaks version {hello.version} of the protocol and the window version {PROTOCOL_VERSION}; "
                "install the same aotgui for both."
            )
            self._report("engine", message, "")

    def _on_ready(self) -> None:
        if self.session.progress.state in {RunState.STARTING, RunState.DOWN}:
            self._set_state(RunState.IDLE)

    def _on_engine_replaced(self) -> None:
        self.session.set_progress(msgspec.structs.replace(self.session.progress, is_lost=True))

    def _on_event(self, event: AnyEvent) -> None:
        match event:
            case EngineProblem(problem=problem):
                self.session.add_problem(problem)
                self.steps.handle(event)
            case Exported():
                self._on_exported(event)
            case _:
                self.runs.handle(event)
                self.steps.handle(event)
                self.values.handle(event)
                self.partitions.handle(event)
                self.trials.handle(event)

    def _on_exported(self, event: Exported) -> None:
        if event.request == self._export:
            self._export += 1  # what comes late is dropped
            self._set_exporting(False)
            if event.problem:
                self.session.add_problem(event.problem)
            self.exported.emit(event)

    def _give_up_export(self, message: str, severity: Severity = Severity.ERROR) -> None:
        if self._exports_pending:
            problem = Problem(severity=severity, stage="export", message=message)
            self._on_exported(Exported(request=self._export, problem=problem))

    def _on_engine_ended(self, sentence: str, last_output: str) -> None:
        self._report(self.session.progress.stage or "engine", sentence, last_output)
        self._drop_engine_state()
        if not self.runs.is_active:
            self._set_state(RunState.IDLE if self._pool.is_ready else RunState.STARTING)

    def _on_unavailable(self, details: str) -> None:
        self._report("engine", "The engine cannot be started; the console says why. Run tries again.", details)
        self._drop_engine_state()
        self._set_state(RunState.DOWN)

    def _drop_engine_state(self) -> None:
        self._give_up_export("The export was given up because the engine ended.")
        self.steps.reset()
        self.partitions.engine_is_gone()
        self.trials.engine_is_gone()
        self.runs.engine_is_gone()

    def _set_state(self, state: RunState) -> None:
        self.session.set_progress(msgspec.structs.replace(self.session.progress, state=state))

    def _report(self, stage: str, message: str, details: str) -> None:
        file, line = crash_place(details)
        source = self.session.source
        if not file and Path(source).is_file():
            file = source
        problem = Problem(severity=Severity.ERROR, stage=stage, message=message, file=file, line=line, details=details)
        self.session.add_problem(problem)


def _read_capture(path: Path) -> Capture:
    """Any thread.

    Raises:
        CaptureFileError: the file cannot be read, or is no capture.
    """
    capture = open_capture(path)
    for region in capture.regions:
        region.build_tables()
    return capture
