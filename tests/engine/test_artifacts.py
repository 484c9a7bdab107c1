"""Exported TorchScript is loaded and run by a process that knows nothing of us; failures leave the old file alone."""

from __future__ import annotations

import errno
import math
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from aotgui.engine import artifacts, fresh_process
from aotgui.engine.artifacts import export_torchscript
from aotgui.engine.compilers import CompileFailed, resolve
from aotgui.engine.errors import Stopped, UserError
from aotgui.engine.half import Half
from aotgui.engine.worker import Worker
from aotgui.model.graph import GraphKind

FORWARD, BACKWARD, INFERENCE = GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE
OLD = b"what was there before"


@pytest.fixture
def half(make_halves) -> Half:
    torch.manual_seed(1)
    return make_halves(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.randn(3, 4))[FORWARD]


@pytest.fixture
def old_file(tmp_path) -> Path:
    path = tmp_path / "half.pt"
    path.write_bytes(OLD)
    return path


def assert_untouched(path: Path) -> None:
    assert path.read_bytes() == OLD
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def expected_outputs(half: Half) -> list[Any]:
    half.random_state.restore()
    with torch.no_grad():
        return list(half.module(*half.fresh_args()))


def assert_exports(half: Half, path: Path, compiler: str) -> str:
    detail = export_torchscript(half, str(path), resolve(compiler))
    half.random_state.restore()
    with torch.no_grad():
        outputs = torch.jit.load(path)(*half.fresh_args())
    torch.testing.assert_close(list(outputs), expected_outputs(half))
    return detail


@pytest.mark.parametrize("kind", [FORWARD, BACKWARD])
def test_both_halves_of_a_network(kind, make_halves, tmp_path):
    torch.manual_seed(1)
    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.5))
    half = make_halves(network, torch.randn(2, 3, 8, 8), seed=5)[kind]
    detail = assert_exports(half, tmp_path / "half.pt", "ts_compile")
    count = len(expected_outputs(half))
    assert detail.startswith(
        f"Compiled by ts_compile, loaded and run in a fresh process: all {count} outputs equal the graph's (largest"
    )


def test_compiler_without_torchscript_is_replaced(half, tmp_path):
    assert "Compiled by ts_compile" in assert_exports(half, tmp_path / "half.pt", "nop")


def test_what_the_run_compiled_is_saved(half, tmp_path):
    half.compiled = resolve("simple_ts_compile").compile_half(half)
    assert "Compiled by simple_ts_compile" in assert_exports(half, tmp_path / "half.pt", "simple_ts_compile")


def test_symbolic_sizes_and_numbers(make_halves, tmp_path):
    def function(x: torch.Tensor, k: int) -> torch.Tensor:
        return (x * k * torch.tensor([1.0, 2.0, 3.0])).sum(0) * x.shape[0]

    for kind, half in make_halves(function, torch.randn(4, 3, requires_grad=True), 3, dynamic=True).items():
        assert_exports(half, tmp_path / f"{kind}.pt", "ts_compile")


def test_old_file_is_replaced_and_keeps_its_permissions(half, old_file):
    old_file.chmod(0o640)
    assert_exports(half, old_file, "ts_compile")
    assert stat.S_IMODE(old_file.stat().st_mode) == 0o640
    assert [entry.name for entry in old_file.parent.iterdir()] == [old_file.name]


def test_new_file_can_be_read_by_others(half, tmp_path):
    assert_exports(half, tmp_path / "half.pt", "ts_compile")
    (tmp_path / "plain").touch()
    assert (tmp_path / "half.pt").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_unsupported_operator(make_halves, old_file):
    half = make_halves(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)), torch.randn(3))[INFERENCE]
    with pytest.raises(CompileFailed, match="cond is not supported in TorchScript"):
        export_torchscript(half, str(old_file), resolve("nop"))
    assert_untouched(old_file)


def test_folder_that_is_not_there(half, tmp_path):
    path = tmp_path / "nowhere" / "half.pt"
    with pytest.raises(UserError) as caught:
        export_torchscript(half, str(path), resolve("nop"))
    assert caught.value.problem.message == f"Cannot write {path}: no such file or directory."
    assert caught.value.problem.stage == "export"


def test_what_is_no_file_is_left_alone(half, tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(UserError, match=r"Cannot write .*pipe: not a regular file\."):
        export_torchscript(half, str(path), resolve("nop"))
    assert path.is_fifo()


def test_folder_that_may_not_be_written(half, old_file, monkeypatch):
    """Not by permissions: root, as which tests may run, may write anywhere."""

    def refuse(**options: Any) -> Any:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(UserError, match=r"Cannot write .*half\.pt: permission denied\."):
        export_torchscript(half, str(old_file), resolve("nop"))
    assert_untouched(old_file)


def test_disk_that_is_full(half, old_file, monkeypatch):
    def write_bytes(self: Path, data: bytes) -> int:
        with self.open("wb") as stream:
            stream.write(data[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(UserError, match="no space left on device"):
        export_torchscript(half, str(old_file), resolve("nop"))
    monkeypatch.undo()
    assert_untouched(old_file)


def test_file_that_computes_something_else(half, old_file):
    """A script of another graph passes for this one's: the fresh process finds out."""
    half.compiled = resolve("ts_compile").compile_half(half)
    relu = next(node for node in half.nodes if node.name == "relu")
    relu.target = torch.ops.aten.neg.default
    half.module.recompile()
    with pytest.raises(UserError, match="does not compute what the graph does: output 0 differs by"):
        export_torchscript(half, str(old_file), resolve("ts_compile"))
    assert_untouched(old_file)


def test_file_that_does_not_load(half, old_file, monkeypatch):
    monkeypatch.setattr(artifacts, "saved_script", lambda script: b"no archive")
    with pytest.raises(UserError, match="The exported file fails in a fresh process: ") as caught:
        export_torchscript(half, str(old_file), resolve("nop"))
    assert "Traceback" in caught.value.problem.details
    assert_untouched(old_file)


def test_stop_ends_the_fresh_process(half, old_file, tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("script")
    (folder / "endless.py").write_text(
        "import os, pathlib, sys, time\n"
        "pathlib.Path(__file__).with_name('pid.part').write_text(str(os.getpid()))\n"
        "pathlib.Path(__file__).with_name('pid.part').rename(pathlib.Path(__file__).with_name('pid'))\n"
        "while True: time.sleep(1)\n"
    )
    monkeypatch.setattr(fresh_process, "__file__", str(folder / "endless.py"))
    worker, ended, stopped = Worker(lambda error: None), threading.Event(), []

    def job() -> None:
        try:
            export_torchscript(half, str(old_file), resolve("nop"))
        except Stopped as error:
            stopped.append(error)
        finally:
            ended.set()

    worker.submit(job)
    while not (folder / "pid").exists():
        assert not ended.wait(0.01)
    worker.stop()
    assert ended.wait(60)
    assert stopped
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder / "pid").read_text()), 0)
    assert_untouched(old_file)


def test_fresh_process_imports_torch_only(tmp_path):
    """Nothing of ours is needed to load what was exported."""
    (tmp_path / "check.py").write_text(
        "import runpy, sys\n"
        f"runpy.run_path({fresh_process.__file__!r}, run_name='loaded')\n"
        "sys.exit(any(name.partition('.')[0] == 'aotgui' for name in sys.modules))\n"
    )
    assert subprocess.run([sys.executable, "-P", tmp_path / "check.py"], check=False).returncode == 0


@pytest.mark.parametrize(
    ("actual", "expected", "fault"),
    [
        ([torch.ones(2)], [torch.ones(2)], ""),
        ([torch.ones(2)], [torch.ones(2), None], "it returns 1 values instead of 2"),
        ([None, 3], [None, 4], "output 1 is 3 instead of 4"),
        ([True], [1], "output 0 is True instead of 1"),
        ([torch.ones(2)], [torch.ones(3)], "output 0 is float32[2] instead of float32[3]"),
        ([torch.ones(2)], [torch.ones(2).double()], "output 0 is float32[2] instead of float64[2]"),
        ([torch.tensor([1, 2])], [torch.tensor([1, 3])], "output 0 differs by 1"),
        ([torch.tensor([1000.0])], [torch.tensor([1000.1])], ""),
        ([torch.tensor([1000.0])], [torch.tensor([1001.0])], "output 0 differs by 1"),
        ([torch.tensor([math.nan, math.inf])], [torch.tensor([math.nan, math.inf])], ""),
        ([torch.tensor([math.nan, 1.0])], [torch.tensor([1.0, 1.0])], "output 0 differs by inf"),
        ([torch.tensor([math.inf])], [torch.tensor([math.nan])], "output 0 differs by inf"),
        ([torch.tensor([math.inf])], [torch.tensor([-math.inf])], "output 0 differs by inf"),
        ([torch.zeros(0)], [torch.zeros(0)], ""),
        ([torch.tensor([True])], [torch.tensor([False])], "output 0 differs by 1"),
        ([torch.tensor([1j])], [torch.tensor([1j]).conj().conj()], ""),
        ([torch.tensor([1j])], [torch.tensor([1j]).conj()], "output 0 differs by 2"),
    ],
)
def test_comparison(actual, expected, fault):
    assert fresh_process.compare(actual, expected)[1] == fault
