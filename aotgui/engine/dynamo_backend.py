"""``torch.compile(model, backend="aotgui")``: captures each region and runs its graphs as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import torch
from torch import fx
from torch._functorch.aot_autograd import boxed_nop_preserve_node_meta

from aotgui.engine.assembly import region_of, source_texts
from aotgui.engine.errors import UserError
from aotgui.engine.names import Names
from aotgui.engine.observer import RegionObserver, names_of_dynamo_graph
from aotgui.engine.partition import partitioner_of
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Capture, Check, Problem, Region
from aotgui.model.graph import GraphKind
from aotgui.model.settings import EntryPoint, Route, Settings

OPTIONS: Final = ("partitioner",)
"""What ``torch.compile(..., options={...})`` may hold."""


class CapturingBackend:
    """A Dynamo backend that hands a ``Capture`` with one region to a listener for each graph that it compiles."""

    def __init__(self, on_capture: Callable[[Capture], None]) -> None:
        self._on_capture = on_capture
        self.__name__ = "aotgui"

    def __call__(
        self, module: fx.GraphModule, example_inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None
    ) -> Callable[..., Any]:
        """What Dynamo calls.

        Args:
            module: Dynamo's graph.
            example_inputs: real or fake tensors and sizes, one a placeholder.
            options: ``partitioner``: ``min_cut`` (default) or ``default``.

        Raises:
            ValueError: there is no such option or partitioner.
        """
        from torch._dynamo.backends.common import aot_autograd

        settings = _settings(options or {})
        compiling = _Compiling(self._on_capture, settings, names_of_dynamo_graph(module))
        compile_graph = aot_autograd(
            fw_compiler=boxed_nop_preserve_node_meta,
            inference_compiler=compiling.inference,
            partition_fn=compiling.observer.watched(partitioner_of(settings, {}), None, compiling.names),
        )
        compiled: Callable[..., Any] = compile_graph(module, example_inputs)
        return compiled


class _Compiling:
    """One graph on its way through AOT Autograd."""

    def __init__(self, on_capture: Callable[[Capture], None], settings: Settings, names: Names) -> None:
        self._on_capture = on_capture
        self._settings = settings
        self.names = names
        self.observer = RegionObserver(self._tell)

    def inference(self, module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        """An inference compiler."""
        self.observer.inference_region(module, self.names)
        compiled: Callable[..., Any] = boxed_nop_preserve_node_meta(module, inputs)
        return compiled

    def _tell(self, region: RegionTrace) -> None:
        self._on_capture(capture_of_region(region, self._settings, self.observer.problems))


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
        check=Check(note="captured while the program ran: nothing was compared with eager"),
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
