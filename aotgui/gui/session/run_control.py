"""Running the pipeline: one run at a time, stopped by a ladder, repeated when a setting changes."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import Final

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from aotgui.gui.session.adopt import adopt_capture, adopt_result
from aotgui.gui.session.engine_pool import EnginePool
from aotgui.gui.session.offer_words import in_window_words
from aotgui.gui.session.session import Progress, RunState, Session
from aotgui.gui.session.source_key import SourceKey
from aotgui.model.capture import Capture, Problem, Severity
from aotgui.model.settings import Settings
from aotgui.protocol.messages import (
    AnyEvent,
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

STOP_SECONDS: Final = 1.0
"""How long a run may take to react to ``Stop`` before its engine is ended."""
SETTINGS_DELAY_MS: Final = 200
"""How long settings must rest before they run."""


class RunControl(QObject):
    """Starts and stops runs and brings their events into the session.

    Signals:
        started: a run was sent to the engine.
        finished: a run is over, in whatever way.
        trust_needed: the source runs code when it is opened and was not opened; one sentence says what would run.
    """

    started = Signal()
    finished = Signal()
    trust_needed = Signal(str)

    def __init__(self, session: Session, pool: EnginePool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pool = pool
        self._run = 0
        self._is_active = False
        self._has_capture = False
        self._question = ""
        self._sent_settings: Settings | None = None
        self._next: bool | None = None
        self._trusted_source = ""
        self._runs_of: Counter[str] = Counter()
        self._ladder = QTimer(self, interval=int(STOP_SECONDS * 1000), singleShot=True)
        self._ladder.timeout.connect(self._end_engine)
        self._settle = QTimer(self, interval=SETTINGS_DELAY_MS, singleShot=True)
        self._settle.timeout.connect(self._run_if_settings_differ)
        session.settings_changed.connect(self._on_settings_changed)

    @property
    def is_active(self) -> bool:
        """Whether a run is under way."""
        return self._is_active

    def forget(self) -> None:
        """Another source is open: a run of the former one is given up, and nothing of it runs again by itself."""
        self._sent_settings = None
        self._next = None
        self._settle.stop()
        if self._is_active:
            self._pool.replace_current(ask=False)
            self._finish(RunStatus.STOPPED)
        self._session.set_run_status(None)

    def trust(self, source: str) -> None:
        """The person said that a source may be executed or unpickled; runs from now on say so."""
        self._trusted_source = source

    def run(self, *, fresh: bool = False) -> None:
        """Runs what is open with the session's settings and choice; a run under way is stopped first.

        Args:
            fresh: in an engine that has loaded nothing.
        """
        if self._is_active:
            self._next = fresh or bool(self._next)
            self.stop()
        elif self._session.source:
            self._start(fresh)

    def stop(self) -> None:
        """Asks the run to stop; ends the engine where it does not within ``STOP_SECONDS``."""
        if self._is_active and self._session.progress.state is not RunState.STOPPING:
            self._set_state(RunState.STOPPING)
            self._send(Stop())
            self._ladder.start()

    def finish_recording(self) -> None:
        """Ends the script that is recorded and captures what there is."""
        if self._is_active and self._session.recording is not None:
            self._send(FinishRecording(run=self._run))

    def close(self) -> None:
        """Nothing runs by itself any more."""
        self._ladder.stop()
        self._settle.stop()

    def handle(self, event: AnyEvent) -> None:
        """Takes an event of the engine; those of other runs are dropped."""
        match event:
            case StageStarted(run=self._run, stage=stage) if self._is_active:
                self._session.set_progress(msgspec.structs.replace(self._session.progress, stage=stage))
            case StageEnded(run=self._run, time=time) if self._is_active:
                progress = self._session.progress
                self._session.set_progress(msgspec.structs.replace(progress, stage=None, done=(*progress.done, time)))
            case CaptureReady(run=self._run, capture=capture) if self._is_active:
                self._on_capture(capture)
            case RegionRecorded(run=self._run, count=count) if self._is_active:
                self._session.set_progress(msgspec.structs.replace(self._session.progress, regions=count))
            case TargetsFound(run=self._run) if self._is_active:
                self._session.set_offer(event)
            case TrustNeeded(run=self._run, reason=reason) if self._is_active:
                self._question = reason
            case RunEnded(run=self._run) if self._is_active:
                self._on_run_ended(event)

    def engine_is_gone(self) -> None:
        """The engine died during a run or without one."""
        if self._is_active:
            stopped = self._session.progress.state is RunState.STOPPING
            self._finish(RunStatus.STOPPED if stopped else RunStatus.FAILED)

    def _start(self, fresh: bool) -> None:
        session = self._session
        # A recorded script runs as ``__main__`` and may leave anything behind.
        link = self._pool.acquire(SourceKey.of(session.source), fresh=fresh or session.recording is not None)
        if link is None:
            return
        self._run += 1
        self._is_active = True
        self._has_capture = False
        self._question = ""
        self._sent_settings = session.settings
        session.set_problems(())
        session.set_run_status(None)
        session.set_offer(None)
        session.set_progress(Progress(RunState.RUNNING, is_lost=session.progress.is_lost))
        self._runs_of[session.source] += 1
        session.begin_console_section(f"{PurePath(session.source).name}, run {self._runs_of[session.source]}")
        self.started.emit()
        link.send(self._request())

    def _request(self) -> Run | Record:
        session, recording = self._session, self._session.recording
        if recording is not None:
            return Record(
                run=self._run,
                source=session.source,
                arguments=list(recording.arguments),
                regions=recording.regions,
                settings=session.settings,
            )
        return Run(
            run=self._run,
            source=session.source,
            target=session.choice.target,
            inputs=session.choice.inputs,
            settings=session.settings,
            trusted=session.source == self._trusted_source,
        )

    def _on_capture(self, capture: Capture) -> None:
        self._has_capture = True
        self._session.set_progress(msgspec.structs.replace(self._session.progress, is_lost=False))
        adopt_capture(self._session, capture)

    def _on_run_ended(self, ended: RunEnded) -> None:
        if self._has_capture:
            adopt_result(self._session, ended)
        session = self._session
        session.set_problems(in_window_words(ended.problems, session.offer, session.source, session.choice.target))
        self._finish(ended.status)

    def _finish(self, status: RunStatus) -> None:
        self._ladder.stop()
        self._is_active = False
        self._session.set_run_status(status)
        self._set_state(RunState.IDLE if self._pool.is_ready else RunState.STARTING)
        again, self._next = self._next, None
        self.finished.emit()
        question, self._question = self._question, ""
        if again is not None:
            self.run(fresh=again)
        elif question:
            self.trust_needed.emit(question)

    def _end_engine(self) -> None:
        if not self._is_active:
            return
        self._pool.replace_current(ask=False)
        self._session.add_problem(
            Problem(
                severity=Severity.INFO,
                stage=self._session.progress.stage or "engine",
                message="The script did not react to Stop, so its engine was ended; the next run gets a fresh one.",
                file=self._session.source,
            )
        )
        self._finish(RunStatus.STOPPED)

    def _on_settings_changed(self) -> None:
        # Running a whole training script again is for the person to ask for.
        if self._sent_settings is not None and self._session.recording is None:
            self._settle.start()

    def _run_if_settings_differ(self) -> None:
        if self._sent_settings is not None and self._session.settings != self._sent_settings:
            self.run()

    def _set_state(self, state: RunState) -> None:
        self._session.set_progress(msgspec.structs.replace(self._session.progress, state=state))

    def _send(self, request: Stop | FinishRecording) -> None:
        if self._pool.current:
            self._pool.current.send(request)
