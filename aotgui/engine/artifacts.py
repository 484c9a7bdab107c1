"""Exporting a half as TorchScript: compiled, saved under a temporary name, proven in a fresh process, then renamed."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import torch

from aotgui.engine import fresh_process
from aotgui.engine.compiler import Compiler
from aotgui.engine.compilers import resolve
from aotgui.engine.errors import fault
from aotgui.engine.half import Half
from aotgui.engine.recorded_call import recorded_call
from aotgui.engine.torchscript import torchscript_warnings_ignored
from aotgui.engine.unfinished import unfinished

POLL_SECONDS: Final = 0.1
"""How often a wait for the fresh process lets a stop request in."""


def export_torchscript(half: Half, path: str, compiler: Compiler) -> str:
    """Saves a half as TorchScript; a file that was there before stays whole until the new one is proven.

    Args:
        half: with a recorded call.
        path: where to.
        compiler: the run's; where it makes no TorchScript, ``ts_compile`` takes its place.

    Returns:
        A sentence about what was verified.

    Raises:
        CompileFailed: TorchScript refuses the graph.
        UserError: the file cannot be written, or does not load or compute the same in a fresh process.
    """
    script, made_by = script_of(half, compiler)
    target = Path(path).expanduser().resolve()  # a link stays a link to the new content
    call = recorded_call(half)
    try:
        with temporary_beside(target) as temporary:
            temporary.write_bytes(saved_script(script))
            largest_error = _prove(temporary, call)
            temporary.chmod(mode_of(target))
            temporary.replace(target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise fault("export", f"Cannot write {path}: {reason}.") from error
    count = len(call["outputs"])
    equal = "its output equals" if count == 1 else f"all {count} outputs equal"
    return (
        f"Compiled by {made_by}, loaded and run in a fresh process: {equal} the graph's "
        f"(largest difference {largest_error:.2g})."
    )


def script_of(half: Half, compiler: Compiler) -> tuple[torch.jit.ScriptModule, str]:
    """What can be saved of a half, and the name of the compiler that made it.

    Raises:
        CompileFailed: TorchScript refuses the graph.
    """
    if half.compiled is not None and half.compiled.script is not None:
        return half.compiled.script, compiler.name
    maker = compiler if compiler.makes_torchscript else resolve("ts_compile")
    script = maker.compile_half(half).script
    assert script is not None, f"{maker.name} promised a ScriptModule"
    return script, maker.name


def saved_script(script: torch.jit.ScriptModule) -> bytes:
    """The file's bytes; written by Python, whose errors name the reason (torch's own do not)."""
    stream = io.BytesIO()
    with torchscript_warnings_ignored():
        torch.jit.save(script, stream)
    return stream.getvalue()


@contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """A new file in the same folder, which is gone afterwards if it was not renamed.

    Raises:
        OSError: there is no room for it, or what it would replace is no file (``/dev/null``, a named pipe).
    """
    if target.exists() and not target.is_file() and not target.is_dir():
        raise OSError(errno.EINVAL, "Not a regular file", str(target))
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    os.close(descriptor)
    with unfinished(Path(name)) as temporary:
        yield temporary


def put(target: Path, data: bytes) -> None:
    """Writes a file that appears whole or not at all.

    Raises:
        OSError: it cannot be written; what was there before is untouched.
    """
    with temporary_beside(target) as temporary:
        temporary.write_bytes(data)
        temporary.chmod(mode_of(target))
        temporary.replace(target)


def mode_of(target: Path) -> int:
    """The permissions that the file has or that a new one would get: ``mkstemp`` lets nobody else read."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _prove(file: Path, call: dict[str, Any]) -> float:
    """Loads and runs the file in a fresh process; returns the largest difference to the graph.

    Raises:
        UserError: it does not load, does not run, or computes something else.
        OSError: there is no room for the recorded call.
    """
    with unfinished(Path(tempfile.mkdtemp(prefix="aotgui-export-"))) as folder:
        call_file = folder / "call.pt"
        with call_file.open("wb") as stream:
            torch.save(call, stream)
        status, output, errors = run_python([fresh_process.__file__, str(file), str(call_file)])
    if status:
        reason = next((line for line in reversed(errors.splitlines()) if line.strip()), f"exit status {status}")
        raise fault("export", f"The exported file fails in a fresh process: {reason.strip()}", details=errors)
    verdict = json.loads(output.splitlines()[-1])
    if verdict["fault"]:
        raise fault("export", f"The exported file does not compute what the graph does: {verdict['fault']}.")
    return float(verdict["largest_error"])


def run_python(arguments: Sequence[str], folder: Path | None = None) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of a fresh Python process, which does not outlive a stop request.

    Args:
        arguments: a script and its arguments.
        folder: where it runs, as a person would run it there; None for a script that stands alone, in whose folder
            no module is searched.
    """
    # -B: the folder stays as it was written.
    command = [sys.executable, "-B", *([] if folder else ["-P"]), *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, cwd=folder
    ) as process:
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    output, errors = process.communicate(timeout=POLL_SECONDS)
                    return process.returncode, output, errors
        except BaseException:
            process.kill()
            raise
