"""Exporting the graphs of a region as Python files that run by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import torch
from torch import fx
from torch.fx.graph import CodeGen

from aotgui.engine import fresh_process
from aotgui.engine.bundle import ORDER, plain_text
from aotgui.engine.errors import fault
from aotgui.engine.export_folder import MANIFEST, manifest_text, run_in, whole_folder
from aotgui.engine.fx_source import Source, UnwritableError, class_source
from aotgui.engine.half import Half, RandomState
from aotgui.engine.recorded_call import plain, recorded_call
from aotgui.engine.tracing import RegionTrace
from aotgui.model.graph import GraphKind

_FILE: Final = '''\
"""The {kind} graph of {title}, as AOT Autograd of torch {torch} traced it.

    python {kind}.py

runs it on the recorded inputs and compares with the recorded results. It needs torch alone.
"""

import sys
from pathlib import Path

import torch
from compare import compare
{imports}

{text}


def load():
    """Constants of the graph, recorded inputs and results, and the state of the random numbers."""
    return torch.load(Path(__file__).with_name("recorded.pt"), weights_only=True)["{kind}"]


def main():
    """Runs the graph; gives the exit status."""
    recorded = load()
    module = {name}(recorded["constants"])
    torch.set_rng_state(recorded["random_state"])
    with torch.no_grad():
        outputs = module(*recorded["args"])
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    error, fault = compare(outputs, recorded["outputs"])
    print(fault or f"{{len(outputs)}} outputs as recorded (largest difference {{error:.2g}})")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
'''


_RUN_ALL: Final = '''\
"""Runs every graph of this folder on its recorded inputs; exit status 0: everything is as recorded."""

import importlib
import sys

GRAPHS = {names}


def main():
    """Runs the graphs; gives the exit status."""
    status = 0
    for name in GRAPHS:
        print(f"{{name}}: ", end="", flush=True)
        status = importlib.import_module(name).main() or status
    return status


if __name__ == "__main__":
    sys.exit(main())
'''


def export_fx(region: RegionTrace, path: str, title: str) -> str:
    """Writes ``joint.py``, ``forward.py`` and ``backward.py`` (or ``inference.py``), ``recorded.pt`` and ``run.py``.

    Args:
        region: with recorded calls.
        path: of the folder.
        title: what was captured.

    Returns:
        A sentence about what was verified.

    Raises:
        UserError: a graph cannot be written as source, the folder cannot be written, or a file of it does not
            compute the same when plain Python runs it.
    """
    recorded: dict[str, Any] = {}
    names = []
    with whole_folder(path) as folder:
        for kind, module, call in _graphs(region):
            try:
                source = class_source(module, kind.capitalize())
            except UnwritableError as error:
                raise fault("export", f"The {kind} graph cannot be written as source: {error}.", graph=kind) from None
            (folder / f"{kind}.py").write_text(_text(kind, source, title), encoding="utf-8")
            recorded[str(kind)] = {**call, "constants": plain(source.constants)}
            names.append(str(kind))
        torch.save(recorded, folder / "recorded.pt")
        facts = {"target": title, "torch": str(torch.__version__), "graphs": names}
        (folder / MANIFEST).write_text(manifest_text("fx", facts))
        (folder / "compare.py").write_text(plain_text(Path(fresh_process.__file__)))
        (folder / "run.py").write_text(_RUN_ALL.format(names=names))
        run_in(folder, "run.py")
    files = ", ".join(f"{name}.py" for name in names)
    return f"{files}: each run in a fresh process, with the recorded results."


def _text(kind: GraphKind, source: Source, title: str) -> str:
    return _FILE.format(
        kind=kind,
        name=kind.capitalize(),
        title=title.replace('"""', "'''").replace("\\", "/"),
        torch=torch.__version__,
        imports="\n".join(source.imports),
        text=source.text,
    )


def _graphs(region: RegionTrace) -> list[tuple[GraphKind, fx.GraphModule, dict[str, Any]]]:
    halves = [region.halves[kind] for kind in ORDER if kind in region.halves]
    graphs = [(half.kind, half.module, recorded_call(half)) for half in halves]
    joint = _joint(region)
    return [joint, *graphs] if joint is not None else graphs


def _joint(region: RegionTrace) -> tuple[GraphKind, fx.GraphModule, dict[str, Any]] | None:
    """The joint graph with the inputs that its halves were called with; None where one of them is not known."""
    if region.partition is None:
        return None
    module = region.partition.joint.module()
    module.graph.set_codegen(CodeGen())  # flat arguments instead of lists of primals and tangents
    module.recompile()
    known = {**_arguments(region.halves[GraphKind.BACKWARD]), **_arguments(region.halves[GraphKind.FORWARD])}
    wanted = [node.name for node in module.graph.find_nodes(op="placeholder")]
    if any(name not in known for name in wanted):
        return None
    state = region.halves[GraphKind.FORWARD].random_state or RandomState.now()
    state.restore()
    with torch.no_grad():
        outputs = list(module(*plain([known[name] for name in wanted])))
    call = {"args": plain([known[name] for name in wanted]), "outputs": plain(outputs), "random_state": state.cpu}
    return GraphKind.JOINT, module, call


def _arguments(half: Half) -> dict[str, Any]:
    names = [node.name for node in half.nodes if node.op == "placeholder"]
    return dict(zip(names, half.fresh_args(), strict=True))
