"""One run: load, eager reference, trace, partition, compile both halves, run, check.

A ``Pipeline`` belongs to one engine process and so to one loaded source. It keeps what a later run can use: the
loaded target, the eager reference for a seed, and the traces. A run whose settings differ in compilers only
compiles the kept halves again.

A failing stage ends the run, but what earlier stages gave is kept and shown. A half that cannot be compiled runs
uncompiled, so that the rest of the graphs is still captured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import torch

from aotgui.engine.ambient import Ambient, undisturbed
from aotgui.engine.attempt import Attempt
from aotgui.engine.calling import CallResult, Harness
from aotgui.engine.eager import Eager
from aotgui.engine.errors import Stopped, UserError, fault, one_line
from aotgui.engine.explain import deepest, explain
from aotgui.engine.recording import Recording
from aotgui.engine.sources import Shelf, fingerprint
from aotgui.engine.targets import Target, TargetNeededError, TrustNeededError, target_in
from aotgui.engine.tracing import RegionTrace, Trace
from aotgui.model.capture import Problem, Stage
from aotgui.model.settings import Settings
from aotgui.protocol.messages import CaptureReady, Event, Record, Run, RunEnded, TargetsFound, TrustNeeded


@dataclass
class Kept:
    """What one run leaves for the next.

    Attributes:
        source: what was loaded.
        name: the target asked for.
        inputs: the input specification asked for.
        device: where it was put.
        files: that the target came from.
        mark: fingerprint of the files when it was loaded.
        ambient: what the source set for the whole process.
        harness: the loaded target.
        eager: what eager gave, by seed.
        reference: what float64 gave, by seed.
        trace: the last trace that captured, with its settings.
    """

    source: str
    name: str
    inputs: str
    device: str
    files: tuple[str, ...]
    mark: str
    ambient: Ambient
    harness: Harness
    eager: dict[int, Eager] = field(default_factory=dict)
    reference: dict[int, tuple[CallResult | None, str]] = field(default_factory=dict)
    trace: Trace | None = None

    def fits(self, source: str, name: str, inputs: str, device: str) -> bool:
        """Whether this is what is asked for, from files that have not changed."""
        same = (self.source, self.name, self.inputs, self.device) == (source, name, inputs, device)
        return same and fingerprint(*self.files) == self.mark


class Pipeline:
    """Runs targets, and holds the halves of the last run for stepping and export."""

    def __init__(self, emit: Callable[[Event], None], target: Target | None = None) -> None:
        """Makes a pipeline.

        Args:
            emit: gets every event.
            target: what to run instead of opening the source of a request.
        """
        self._emit = emit
        self._given = target
        self._shelf = Shelf()
        self._kept: Kept | None = None
        self._recording: Recording | None = None

    @property
    def trace(self) -> Trace | None:
        """The trace of the last run that captured."""
        return self._kept.trace if self._kept else None

    @property
    def kept(self) -> Kept | None:
        """What the last run left; None after a recording, which cannot be called again."""
        return None if self._recording is not None else self._kept

    @property
    def regions(self) -> list[RegionTrace]:
        """The regions of the last run or recording that captured."""
        if self._recording is not None:
            return self._recording.regions
        return self.trace.all_regions if self.trace else []

    @property
    def settings(self) -> Settings:
        """The settings of the last run that captured."""
        return self._kept.trace.settings if self._kept and self._kept.trace else Settings()

    @property
    def namespace(self) -> dict[str, Any]:
        """The names of the loaded source."""
        return dict(self._kept.harness.target.namespace) if self._kept else {}

    def run(self, request: Run) -> None:
        """Runs the pipeline; always ends with one ``RunEnded``."""
        self._recording = None
        with undisturbed():
            self._run(request)

    def _run(self, request: Run) -> None:
        attempt = Attempt(self, request, self._emit)
        try:
            attempt.run()
        except Stopped as error:
            attempt.stop(error)
        except TargetNeededError as error:
            self._emit(TargetsFound(run=request.run, targets=error.targets, chosen=error.chosen))
            attempt.fail(error.problem)
        except TrustNeededError as error:
            self._emit(TrustNeeded(run=request.run, source=request.source, reason=error.reason))
            attempt.fail(error.problem)
        except UserError as error:
            attempt.fail(error.problem)
        except SystemExit as error:
            stage = attempt.clock.current or Stage.RUN
            attempt.fail(fault(stage, f"The target called sys.exit({error.code!r}).", error=error).problem)
        except (Exception, KeyboardInterrupt, GeneratorExit) as error:
            attempt.fail(fault(attempt.clock.current or Stage.RUN, explain(error), error=deepest(error)).problem)

    def record(self, request: Record) -> None:
        """Runs a script and captures what it compiles, or a module that it calls; ends with one ``RunEnded``."""
        with undisturbed():
            self._record(request)

    def _record(self, request: Record) -> None:
        recording = self._recording = Recording(request, self._emit)
        target = recording.run()
        if target is None:
            return
        self._recording = None
        # What the script did wrong belongs to the capture of the module that it called.
        inner = Pipeline(lambda event: self._emit(_with_problems(event, recording.problems)), target)
        inner.run(Run(run=request.run, source=request.source, target=target.name, settings=request.settings))
        self._kept = inner._kept

    def finish_recording(self, run: int) -> bool:
        """Lets the recording end as if the script were over when it is stopped next. Any thread.

        Returns:
            Whether there is one of this id to be stopped.
        """
        recording = self._recording
        if recording is None or recording.id != run:
            return False
        recording.finish()
        return True

    def loaded(self, request: Run) -> Kept:
        """The harness for a request: the kept one while source and files are the same."""
        inputs = f"{request.inputs} with seed {request.settings.seed}" if request.inputs.strip() else ""
        kept, device = self._kept, request.settings.device
        if kept is not None and kept.fits(request.source, request.target, inputs, device):
            kept.ambient.restore()
            return kept
        if kept is not None and kept.device != device:
            self._shelf = Shelf()  # what was moved to another device is loaded anew
        target, files = self._target(request)
        harness = Harness(_on_device(target, device))
        mark = fingerprint(*files)
        self._kept = Kept(request.source, request.target, inputs, device, files, mark, Ambient.now(), harness)
        return self._kept

    def _target(self, request: Run) -> tuple[Target, tuple[str, ...]]:
        """What is to be captured, and the files that it comes from."""
        if self._given is not None:
            return self._given, (request.source,)
        source = self._shelf.source(request.source, request.trusted)
        return target_in(source, request.target, request.inputs, request.settings.seed), source.files


def _with_problems(event: Event, problems: list[Problem]) -> Event:
    match event:
        case CaptureReady(capture=capture):
            capture = msgspec.structs.replace(capture, problems=[*problems, *capture.problems])
            return msgspec.structs.replace(event, capture=capture)
        case RunEnded():
            return msgspec.structs.replace(event, problems=[*problems, *event.problems])
    return event


def _on_device(target: Target, device: str) -> Target:
    """The target moved to a device; the module itself is moved, as users do. The default leaves it where it is.

    Raises:
        UserError: there is no such device here.
    """
    if device == Settings().device:
        return target
    try:
        if target.module is not None:
            target.module.to(device)
        args, kwargs = torch.utils._pytree.tree_map(
            lambda leaf: leaf.to(device) if isinstance(leaf, torch.Tensor) else leaf, (target.args, target.kwargs)
        )
    except (RuntimeError, AssertionError) as error:
        raise fault(Stage.LOAD, f"The device {device!r} cannot be used here: {one_line(error)}") from None
    return Target(target.source, target.name, target.call, args, kwargs, target.namespace)
