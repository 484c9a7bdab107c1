"""A script that fails as a compiler does, for a bug report: torch, a small graph, its inputs, and nothing of ours.

The script is run by plain Python before it gets its name. It ends with status 1 while the fault is there and with 0
once it is gone.
"""

from __future__ import annotations

import base64
import io
import tempfile
import textwrap
import zlib
from pathlib import Path
from typing import Final

import torch

from aotgui.engine.artifacts import put, run_python
from aotgui.engine.culprit import Found
from aotgui.engine.errors import fault
from aotgui.engine.fx_source import UnwritableError, graph_source
from aotgui.engine.recorded_call import plain
from aotgui.engine.reduction import Reduced, Reduction
from aotgui.engine.unfinished import unfinished
from aotgui.model.comparison import CulpritKind
from aotgui.model.text import count_text

INLINE_BYTES: Final = 48 * 1024
"""Inputs up to this size stand in the script itself."""
_WIDTH: Final = 116

_SCRIPT: Final = '''\
"""{title}

{about}
"""

import base64
import io
import sys
import zlib
from pathlib import Path

import torch
{imports}
ALLOWED = {allowed}  # a larger difference to what the graph itself computes is a fault


{compiler}


{graph}


def load():
    """Inputs and constants of the graph."""
    {data}
    return torch.load(io.BytesIO(data), weights_only=True)


def build(values):
    """The graph module, with the shapes that compilers look at."""
    module = build_graph(values["constants"])
    for node, value in zip(module.graph.find_nodes(op="placeholder"), values["inputs"], strict=True):
        if isinstance(value, (bool, int, float)):
            node.type = type(value)
    module.recompile()
    try:
        from torch.fx.passes.fake_tensor_prop import FakeTensorProp

        FakeTensorProp(module).propagate(*values["inputs"])
    except Exception:
        pass  # shapes help some compilers and are needed by few
    return module


def difference(actual, expected):
    """What differs, or empty."""
    if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
        return f"{{actual.dtype}} {{tuple(actual.shape)}} instead of {{expected.dtype}} {{tuple(expected.shape)}}"
    wide = torch.complex128 if expected.is_complex() else torch.float64
    actual, expected = actual.to(wide), expected.to(wide)
    if not torch.equal(actual.isfinite(), expected.isfinite()):
        return "NaN or Inf in other places"
    finite = expected.isfinite()
    error = (actual[finite] - expected[finite]).abs().max().item() if finite.any() else 0.0
    return f"largest difference {{error:.3g}}" if error > ALLOWED else ""


def said(error):
    """An error on one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{{type(error).__name__}}: {{lines[0] if lines else ''}}"


def check():
    """What goes wrong, or empty."""
    values, wanted = load(), load()["inputs"]
    with torch.no_grad():
        torch.manual_seed(0)
        expected = build(values)(*wanted)
    try:
        compiled = compile_graph(build(values), list(values["inputs"]))
    except Exception as error:
        return f"compile: {{said(error)}}"
    given = load()["inputs"]
    try:
        with torch.no_grad():
            torch.manual_seed(0)
            actual = compiled(list(given)) if getattr(compiled, "_boxed_call", False) else compiled(*given)
    except Exception as error:
        return f"run: {{said(error)}}"
    actual = actual if isinstance(actual, (list, tuple)) else [actual]
    if len(actual) != len(expected):
        return f"run: {{len(actual)}} values instead of {{len(expected)}}"
    found = [(f"value {{i}}", *pair) for i, pair in enumerate(zip(actual, expected))]
    found += [(f"input {{i}} after the call", *pair) for i, pair in enumerate(zip(given, wanted))]
    texts = [(name, difference(*pair)) for name, *pair in found if isinstance(pair[1], torch.Tensor)]
    return next((f"wrong: {{name}}: {{text}}" for name, text in texts if text), "")


if __name__ == "__main__":
    problem = check()
    print(f"FAILS {{problem}}" if problem else "No fault: the compiled graph computes what the graph does.")
    sys.exit(1 if problem else 0)
'''


def write_repro(found: Found, path: str, seconds: float) -> str:
    """Writes the script.

    Args:
        found: what goes wrong.
        path: where to.
        seconds: how long to look for a smaller graph.

    Returns:
        A sentence about what was verified.

    Raises:
        UserError: the fault is not there in a fresh process, the graph cannot be written as source, or the file cannot
            be written.
    """
    target = Path(path).expanduser().resolve()
    reduced = Reduction(found, seconds).run()
    if reduced is None:
        raise fault("export", "The compiler no longer fails on this graph, so there is nothing to write.")
    try:
        data = _data_of(reduced)
        beside = target.with_suffix(".pt") if len(data) > INLINE_BYTES else None
        text = _script(found, reduced, data, beside.name if beside else "")
    except UnwritableError as error:
        raise fault("export", f"No script can be written: {error}.") from None
    _prove(text, data if beside else b"", target.name, found.culprit.kind)
    try:
        if beside:
            put(beside, data)
        put(target, text.encode())
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise fault("export", f"Cannot write {path}: {reason}.") from error
    files = f"{target.name} and {beside.name}" if beside else target.name
    return f"{files}: {count_text(reduced.size, 'operator')}; run by plain Python, the script fails in the same way."


def _prove(text: str, data: bytes, name: str, kind: CulpritKind) -> None:
    """Runs the script in a folder of its own.

    Raises:
        UserError: it does not fail, or in another way.
    """
    with unfinished(Path(tempfile.mkdtemp(prefix="aotgui-repro-"))) as folder:
        script = folder / name
        script.write_text(text, encoding="utf-8")
        if data:
            script.with_suffix(".pt").write_bytes(data)
        status, output, errors = run_python([str(script)])
    said = next((line for line in reversed(output.splitlines()) if line.strip()), "")
    if status != 1 or not said.startswith(f"FAILS {kind}"):
        message = "The script does not fail in the same way when plain Python runs it, so it was not written"
        raise fault("export", f"{message}: {said or f'exit status {status}'}", details=errors or output)


def _script(found: Found, reduced: Reduced, data: bytes, beside: str) -> str:
    culprit = found.culprit
    source = graph_source(reduced.part.module, "build_graph")
    compiler = found.compiler.script_source()
    if not compiler:
        raise UnwritableError(f"{culprit.compiler} cannot be named in a script of its own")
    compared = reduced.outcome.comparison
    error = compared.max_error if compared else None
    about = (
        f"torch {torch.__version__}, compiler {culprit.compiler}, {culprit.graph} graph. "
        "Exit status 1: the fault is there. Exit status 0: it is gone."
    )
    return _SCRIPT.format(
        title=textwrap.fill(_quotable(culprit.message), _WIDTH),
        about=textwrap.fill(about, _WIDTH),
        imports="".join(f"{line}\n" for line in source.imports),
        allowed=repr(error / 2) if error is not None else 'float("inf")',
        compiler=compiler,
        graph=source.text,
        data=_data_source(data, beside),
    )


def _quotable(text: str) -> str:
    return text.replace("\\", "/").replace('"""', "'''").splitlines()[0]


def _data_of(reduced: Reduced) -> bytes:
    source = graph_source(reduced.part.module, "build_graph")
    stream = io.BytesIO()
    torch.save(plain({"inputs": list(reduced.args), "constants": source.constants}), stream)
    return stream.getvalue()


def _data_source(data: bytes, beside: str) -> str:
    if beside:
        return f'data = Path(__file__).with_name("{beside}").read_bytes()'
    encoded = base64.b85encode(zlib.compress(data, 9)).decode()
    lines = [encoded[start : start + _WIDTH - 12] for start in range(0, len(encoded), _WIDTH - 12)]
    text = "\n".join(f"        {line!r}" for line in lines)
    return f"data = zlib.decompress(base64.b85decode(\n{text}\n    ))"
