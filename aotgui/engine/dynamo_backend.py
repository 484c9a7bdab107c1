"""``torch.compile(model, backend="aotgui")``: captures each region and runs its graphs as they are.

After the first call of a region it is compared with eager, which runs it three times more (``recorded_check``); the
option ``check`` forbids it. Nothing of the program is changed by that: arguments are copied, random numbers put back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
import torch
from torch import fx
from torch._functorch.aot_autograd import boxed_nop_preserve_node_meta

from aotgui.engine.assembly import region_of, source_texts
from aotgui.engine.call_mode import CallMode, surroundings
from aotgui.engine.call_recorder import CallRecorder
from aotgui.engine.dynamo_code import DynamoCode
from aotgui.engine.errors import UserError
from aotgui.engine.names import Names
from aotgui.engine.observer import RegionObserver, names_of_dynamo_graph
from aotgui.engine.partition import partitioner_of
from aotgui.engine.recorded_check import judge_regions, not_judged
from aotgui.engine.region_call import WATCHED_META, RegionCall
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Capture, Check, Problem, Region
from aotgui.model.graph import GraphKind
from aotgui.model.settings import EntryPoint, Route, Settings

OPTIONS: Final = ("partitioner", "check")
"""What ``torch.compile(..., options={...})`` may hold."""


Update = Callable[[Capture], None]
"""Takes a capture in place of an earlier one of the same region."""


class CapturingBackend:
    """A Dynamo backend that hands a ``Capture`` with one region to a listener for each graph that it compiles."""

    def __init__(self, on_capture: Callable[[Capture], Update]) -> None:
        """Makes a backend.

        Args:
            on_capture: gets a region as soon as it is compiled, and returns what takes it once it has been checked.
        """
        self._on_capture = on_capture
        self.__name__ = "aotgui"

    def __call__(
        self, module: fx.GraphModule, example_inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None
    ) -> Callable[..., Any]:
        """What Dynamo calls.

        Args:
            module: Dynamo's graph.
            example_inputs: real or fake tensors and sizes, one a placeholder.
            options: ``partitioner``: ``min_cut`` (default) or ``default``; ``check``: whether the first call is
                compared with eager (default True).

        Raises:
            ValueError: there is no such option or partitioner.
        """
        from torch._dynamo.backends.common import aot_autograd

        given = dict(options or {})
        is_checked = bool(given.pop("check", True)) and not module.meta.get(WATCHED_META)
        settings = _settings(given)
        compiling = _Compiling(self._on_capture, settings, names_of_dynamo_graph(module))
        eager = DynamoCode(module)
        compile_graph = aot_autograd(
            fw_compiler=boxed_nop_preserve_node_meta,
            inference_compiler=compiling.inference,
            partition_fn=compiling.observer.watched(partitioner_of(settings, {}), None, compiling.names),
        )
        compiled: Callable[..., Any] = compile_graph(module, example_inputs)
        return (
            compiling.checked(RegionCall(eager, compiled, compiling.names, is_direct=False)) if is_checked else compiled
        )


class _Compiling:
    """One graph on its way through AOT Autograd."""

    def __init__(self, on_capture: Callable[[Capture], Update], settings: Settings, names: Names) -> None:
        self._on_capture = on_capture
        self._settings = settings
        self._update: Update | None = None
        self.names = names
        self.observer = RegionObserver(self._tell)

    def inference(self, module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        """An inference compiler."""
        self.observer.inference_region(module, self.names)
        compiled: Callable[..., Any] = boxed_nop_preserve_node_meta(module, inputs)
        return compiled

    def checked(self, call: RegionCall) -> Callable[..., Any]:
        """The compiled code, which is compared with eager after its first call."""
        for region in self.observer.regions:
            region.call = call
        return CallRecorder().region(call, lambda: self._judge(call))

    def _judge(self, call: RegionCall) -> None:
        if self._update is None:
            return
        around = surroundings()
        source = self._capture().source
        with CallMode().entered():
            verdict = (
                not_judged(self.observer.regions, around)
                if around
                else judge_regions(self.observer.regions, {"__file__": source})
            )
        call.args = None  # the program needs the memory
        captured = self._capture()
        self._update(msgspec.structs.replace(captured, check=verdict.check, findings=verdict.findings))

    def _tell(self, region: RegionTrace) -> None:
        if self._update is None:
            self._update = self._on_capture(self._capture())

    def _capture(self) -> Capture:
        return capture_of_region(self.observer.regions[0], self._settings, self.observer.problems)


def _settings(options: Mapping[str, Any]) -> Settings:
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise ValueError(f"the backend 'aotgui' has no option {unknown[0]!r}, only {', '.join(OPTIONS)}")
    settings = Settings(entry_point=EntryPoint.TORCH_COMPILE, **options)
    try:
        partitioner_of(settings, {})
    except UserError as error:
        raise ValueError(str(error)) from None
    return settings


def capture_of_region(region: RegionTrace, settings: Settings, problems: list[Problem]) -> Capture:
    """A region that a program compiled itself, as a capture of its own."""
    made = region_of(region, {})
    source = _source(made)
    return Capture(
        source=source,
        target="torch.compile",
        torch=str(torch.__version__),
        settings=settings,
        route=Route.COMPILE,
        regions=[made],
        check=Check(note="not compared with eager: it has not been called yet, or is not to be checked"),
        problems=list(problems),
        sources=source_texts([made], source),
    )


def _source(region: Region) -> str:
    """The user's file that most nodes come from, or empty."""
    files: dict[str, int] = {}
    for kind in (GraphKind.JOINT, GraphKind.INFERENCE):
        graph = region.graphs.get(kind)
        for index in range(len(graph) if graph else 0):
            if graph is not None and (frame := graph.source(index)):
                files[frame.file] = files.get(frame.file, 0) + 1
    return max(files, key=lambda file: files[file], default="")
