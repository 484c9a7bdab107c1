"""Files that torch saved: told apart without unpickling, opened only when trusted."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest
import torch

from aotgui.engine.model_files import FileKind, TrustNeededError, examine
from aotgui.engine.targets import load_target
from aotgui.model.capture import CheckStatus
from aotgui.protocol.messages import RunStatus, TrustNeeded

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning:torch.export")


def net() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return (exec, (f"open({str(self.mark)!r}, 'w').close()",))


@pytest.fixture
def saved(tmp_path):
    """Path of a saved thing by its name."""

    def save(name: str) -> Path:
        path = tmp_path / name
        match name:
            case "model.pt":
                torch.save(net(), path)
            case "old.pth":
                torch.save(net(), path, _use_new_zipfile_serialization=False)
            case "weights.pt":
                torch.save(net().state_dict(), path)
            case "weights_old.pth":
                torch.save(net().state_dict(), path, _use_new_zipfile_serialization=False)
            case "script.pt":
                torch.jit.save(torch.jit.script(net()), path)
            case "program.pt2":
                torch.export.save(torch.export.export(net(), (torch.randn(3, 4),)), path)
            case "checkpoint.ckpt":
                torch.save({"epoch": 3, "optimizer": Bomb(tmp_path / "mark")}, path)
            case "plain.pt":
                path.write_bytes(pickle.dumps(Bomb(tmp_path / "mark")))
            case "archive.pt":
                with zipfile.ZipFile(path, "w") as archive:
                    archive.writestr("notes.txt", "hello")
        return path

    return save


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("model.pt", FileKind.PICKLE),
        ("old.pth", FileKind.PICKLE),
        ("weights.pt", FileKind.WEIGHTS),
        ("weights_old.pth", FileKind.WEIGHTS),
        ("script.pt", FileKind.TORCHSCRIPT),
        ("program.pt2", FileKind.EXPORTED),
        ("checkpoint.ckpt", FileKind.PICKLE),
        ("plain.pt", FileKind.PICKLE),
        ("archive.pt", FileKind.UNKNOWN),
    ],
)
def test_files_are_told_apart_without_running_them(saved, tmp_path, name, kind):
    assert examine(saved(name)).kind is kind
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("name", ["model.pt", "old.pth", "program.pt2", "checkpoint.ckpt", "plain.pt"])
def test_what_runs_code_asks_first_and_stays_closed(saved, tmp_path, events_of, name):
    path = saved(name)
    events = events_of(path, inputs="randn 3x4")
    (asked,) = [event for event in events if isinstance(event, TrustNeeded)]
    assert asked.source == str(path)
    assert "runs code when it is opened" in asked.reason or "may run code" in asked.reason
    assert events[-1].status is RunStatus.FAILED
    assert "--trust" in events[-1].problems[0].message
    assert not (tmp_path / "mark").exists()


def test_the_reason_names_what_would_be_imported(saved):
    with pytest.raises(TrustNeededError) as caught:
        load_target(str(saved("plain.pt")))
    assert "builtins.exec" in caught.value.reason


@pytest.mark.parametrize("name", ["model.pt", "old.pth"])
def test_a_trusted_module_is_captured(saved, events_of, name):
    events = events_of(saved(name), inputs="randn 3x4", trusted=True)
    assert events[-1].status is RunStatus.DONE, events[-1].problems
    assert events[-1].check.status is CheckStatus.MATCH
    assert {"0.weight", "2.bias"} <= {item.name for item in events[-1].check.gradients}


def test_a_trusted_exported_program_brings_its_inputs(saved, events_of):
    events = events_of(saved("program.pt2"), trusted=True)
    assert events[-1].status is RunStatus.DONE, events[-1].problems
    assert events[-1].check.status is CheckStatus.MATCH
    assert {"0.weight", "2.bias"} <= {item.name for item in events[-1].check.gradients}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("script.pt", "script.pt is TorchScript: compiled already"),
        ("weights.pt", "weights.pt holds weights and no model"),
        ("weights_old.pth", "holds weights and no model"),
        ("archive.pt", "archive.pt is no model that torch saved"),
    ],
)
@pytest.mark.parametrize("trusted", [False, True])
def test_what_cannot_be_captured_is_said_without_a_question(saved, events_of, name, message, trusted):
    events = events_of(saved(name), trusted=trusted)
    assert not [event for event in events if isinstance(event, TrustNeeded)]
    assert message in events[-1].problems[0].message


def test_a_trusted_checkpoint_without_a_module(saved, tmp_path, events_of):
    events = events_of(saved("checkpoint.ckpt"), trusted=True)
    assert "holds a dict with epoch, optimizer, and no module" in events[-1].problems[0].message
    assert (tmp_path / "mark").exists()


def test_a_module_whose_class_is_not_here(tmp_path, events_of):
    path = tmp_path / "model.pt"
    code = f"""
import torch
class Mine(torch.nn.Module):
    pass
torch.save(Mine(), {str(path)!r})
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    message = events_of(path, trusted=True)[-1].problems[0].message
    assert "needs a class that is not here" in message
    assert "Mine" in message


@pytest.mark.parametrize("content", [b"PK\x03\x04 not a zip", b"\x80\x02nonsense", b"\x80", b"PK\x03\x04"])
def test_damaged_files(tmp_path, events_of, content):
    path = tmp_path / "model.pt"
    path.write_bytes(content)
    for trusted in (False, True):
        assert "is no model that torch saved" in events_of(path, trusted=trusted)[-1].problems[0].message


@pytest.mark.parametrize("cut", [10, 100, 400])
def test_cut_files_give_a_sentence(saved, events_of, cut):
    path = saved("model.pt")
    path.write_bytes(path.read_bytes()[:-cut])
    (problem,) = events_of(path, trusted=True, inputs="randn 3x4")[-1].problems
    assert "\n" not in problem.message


def test_a_bomb_is_not_unpacked(tmp_path):
    path = tmp_path / "model.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model/data.pkl", b"\x80\x02X" + (2**27).to_bytes(4, "little") + bytes(2**27))
    tracemalloc.start()
    assert examine(path).kind is FileKind.PICKLE
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8_000_000
