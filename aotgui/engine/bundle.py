"""Exporting a region as a folder of TorchScript that runs where aotgui is not installed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch
from torch import fx

from aotgui.engine import fresh_process
from aotgui.engine.artifacts import saved_script, script_of
from aotgui.engine.compiler import Compiler
from aotgui.engine.export_folder import MANIFEST, manifest_text, run_in, whole_folder
from aotgui.engine.graphs import output_arguments
from aotgui.engine.half import Half
from aotgui.engine.recorded_call import recorded_call
from aotgui.engine.tracing import RegionTrace
from aotgui.model.graph import Graph, GraphKind, Role

ORDER: Final[tuple[GraphKind, ...]] = (GraphKind.INFERENCE, GraphKind.FORWARD, GraphKind.BACKWARD)


def export_bundle(region: RegionTrace, path: str, compiler_of: Callable[[GraphKind], Compiler], title: str) -> str:
    """Writes ``forward.pt``, ``backward.pt`` (or ``inference.pt``), ``manifest.json``, ``recorded.pt`` and ``run.py``.

    Args:
        region: with recorded calls.
        path: of the folder.
        compiler_of: the compiler for a kind of graph; one that makes no TorchScript is replaced by ``ts_compile``.
        title: what was captured, for the manifest.

    Returns:
        A sentence about what was verified.

    Raises:
        CompileFailed: TorchScript refuses a graph.
        UserError: the folder cannot be written, or does not compute the same when plain Python runs it.
    """
    halves = {kind: region.halves[kind] for kind in ORDER if kind in region.halves}
    made_by: dict[GraphKind, str] = {}
    with whole_folder(path) as folder:
        for kind, half in halves.items():
            script, made_by[kind] = script_of(half, compiler_of(kind))
            (folder / f"{kind}.pt").write_bytes(saved_script(script))
        torch.save({str(kind): recorded_call(half) for kind, half in halves.items()}, folder / "recorded.pt")
        facts = {"target": title, "torch": str(torch.__version__), **_facts(halves, made_by)}
        (folder / MANIFEST).write_text(manifest_text("torchscript", facts))
        (folder / "run.py").write_text(plain_text(Path(__file__).with_name("bundle_run.py")))
        (folder / "compare.py").write_text(plain_text(Path(fresh_process.__file__)))
        run_in(folder, "run.py")
    names = " and ".join(f"{kind}.pt" for kind in halves)
    compilers = " and ".join(dict.fromkeys(made_by.values()))
    return f"{names} compiled by {compilers}; run.py loads and runs them in a fresh process with the recorded results."


def plain_text(file: Path) -> str:
    """One of our files as it is handed to others: without the remarks for our own type checker."""
    return re.sub(r"  # type: ignore\[.*", "", file.read_text(encoding="utf-8"))


def _facts(halves: dict[GraphKind, Half], made_by: dict[GraphKind, str]) -> dict[str, Any]:
    forward, backward = halves.get(GraphKind.FORWARD), halves.get(GraphKind.BACKWARD)
    return {
        "order": [str(kind) for kind in halves],
        "graphs": {str(kind): _graph_facts(half, made_by[kind]) for kind, half in halves.items()},
        "saved": saved_links(forward, backward) if forward and backward else [],
    }


def _graph_facts(half: Half, compiler: str) -> dict[str, Any]:
    graph = half.graph
    inputs = [index for index, node in enumerate(half.nodes) if node.op == "placeholder"]
    return {
        "file": f"{half.kind}.pt",
        "compiler": compiler,
        "inputs": [
            {
                "position": position,
                **_value_facts(graph, index),
                "label": graph.label(index),
                "role": Role(graph.roles[index]).label,
            }
            for position, index in enumerate(inputs)
        ],
        "outputs": [
            {
                "position": position,
                **(_value_facts(graph, output.node) if output.node >= 0 else {"name": None, "shape": [], "dtype": ""}),
                "label": output.label,
                "kind": output.kind.name.lower(),
            }
            for position, output in enumerate(graph.outputs)
        ],
    }


def _value_facts(graph: Graph, index: int) -> dict[str, Any]:
    tensor = next(iter(graph.tensors(index)), None)
    return {
        "name": graph.names[index],
        "shape": list(tensor.shape) if tensor else [],
        "dtype": tensor.dtype if tensor else "",
        "device": tensor.device if tensor else "",
    }


def saved_links(forward: Half, backward: Half) -> list[dict[str, Any]]:
    """Which output of the forward is which input of the backward.

    Partitioners name the backward's placeholder of a saved value after the forward's node. An input of another name (a
    tangent, or one of a partition function that names them otherwise) is taken as it was recorded.
    """
    outputs: dict[str, int] = {}
    for place, value in enumerate(output_arguments(forward.module)):
        if isinstance(value, fx.Node):
            outputs.setdefault(value.name, place)
    inputs = [node.name for node in backward.nodes if node.op == "placeholder"]
    return [
        {"name": name, "forward_output": outputs[name], "backward_input": place}
        for place, name in enumerate(inputs)
        if name in outputs
    ]
