"""Exported folders run where aotgui is not; what was there before stays whole where that fails."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from aotgui.engine import bundle
from aotgui.engine.artifacts import temporary_beside
from aotgui.engine.culprit_hunt import CulpritHunt
from aotgui.engine.errors import Stopped, UserError
from aotgui.engine.export_folder import manifest_text, whole_folder
from aotgui.engine.exports import Exports
from aotgui.engine.recorded_call import own
from aotgui.engine.unfinished import remove_unfinished
from aotgui.protocol.messages import Exported, ExportFolder, FolderForm

from .conftest import Workshop

BUNDLE, FX = FolderForm.BUNDLE, FolderForm.FX
CONSTANTS = """
import torch

def fn(x, k):
    mask = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    return torch.nn.functional.dropout(x @ mask * k, 0.5).relu(), None

example_inputs = torch.randn(3, 2, requires_grad=True), 3
"""
BRANCHES = """
import torch

def fn(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

example_inputs = torch.randn(3)
"""


def export(workshop: Workshop, form: FolderForm, path: Path) -> Exported:
    exports = Exports(workshop.pipeline, CulpritHunt(workshop.pipeline, lambda event: None), workshop.events.append)
    exports.answer(ExportFolder(request=1, region=0, form=form, path=str(path)))
    return workshop.last(Exported)


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-B", script], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folders(workshop, tmp_path_factory) -> Path:
    """Both forms of the network."""
    root = tmp_path_factory.mktemp("folders")
    for form in FolderForm:
        exported = export(workshop, form, root / str(form))
        assert exported.problem is None, exported.problem
        assert exported.detail
    assert sorted(path.name for path in root.iterdir()) == ["bundle", "fx"]
    return root


def test_bundle_runs_by_itself(folders):
    names = sorted(path.name for path in (folders / "bundle").iterdir())
    assert names == ["backward.pt", "compare.py", "forward.pt", "manifest.json", "recorded.pt", "run.py"]
    done = run(folders / "bundle", "run.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["forward", "backward"]


def test_manifest_says_what_is_saved_from_which_to_which(folders, workshop):
    manifest = json.loads((folders / "bundle" / "manifest.json").read_text())
    assert manifest["order"] == ["forward", "backward"]
    forward, backward = (manifest["graphs"][kind] for kind in manifest["order"])
    recorded = torch.load(folders / "bundle" / "recorded.pt", weights_only=True)
    for kind, facts in (("forward", forward), ("backward", backward)):
        assert [entry["shape"] for entry in facts["inputs"]] == [list(arg.shape) for arg in recorded[kind]["args"]]
    saved = {value.name for value in workshop.pipeline.regions[0].saved}
    assert {link["name"] for link in manifest["saved"]} == saved
    for link in manifest["saved"]:
        value = recorded["forward"]["outputs"][link["forward_output"]]
        assert torch.equal(value, recorded["backward"]["args"][link["backward_input"]])
        assert backward["inputs"][link["backward_input"]]["name"] == link["name"]
    assert forward["inputs"][0]["label"] == "layers.0.weight"


def test_bundle_tells_a_wrong_result(folders, tmp_path):
    for path in (folders / "bundle").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    recorded = torch.load(tmp_path / "recorded.pt", weights_only=True)
    recorded["forward"]["outputs"][0] += 1
    torch.save(recorded, tmp_path / "recorded.pt")
    done = run(tmp_path, "run.py")
    assert done.returncode == 1
    assert done.stdout.startswith("forward: output 0 differs by 1")


def test_graphs_run_as_python(folders):
    done = run(folders / "fx", "joint.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert "outputs as recorded" in done.stdout
    for name in ("joint", "forward"):
        text = (folders / "fx" / f"{name}.py").read_text()
        assert "addmm_1 = torch.ops.aten.addmm.default(primals_4, add, t_1)" in text
        assert "aotgui" not in text.partition("import sys")[2]


@pytest.mark.parametrize(("text", "form"), [(CONSTANTS, BUNDLE), (CONSTANTS, FX), (BRANCHES, FX)])
def test_constants_numbers_random_numbers_and_branches(new_workshop, tmp_path, text, form):
    workshop = new_workshop()
    workshop.run(text)
    exported = export(workshop, form, tmp_path / "out")
    assert exported.problem is None, exported.problem


def test_what_torchscript_refuses_names_the_node(new_workshop, tmp_path):
    workshop = new_workshop()
    workshop.run(BRANCHES)
    problem = export(workshop, BUNDLE, tmp_path / "out").problem
    assert (problem.message, problem.node) == ("cond is not supported in TorchScript", "cond")
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]


def test_an_engine_that_ends_leaves_no_half_of_a_folder(tmp_path):
    target = tmp_path / "out"
    target.mkdir()
    (target / "manifest.json").write_text(manifest_text("fx", {}))
    with pytest.raises(UserError, match="no such file or directory"), whole_folder(str(target)) as folder:
        _fill_while_the_engine_ends(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert [path.name for path in target.iterdir()] == ["manifest.json"]
    with whole_folder(str(tmp_path / "other")):
        pass
    remove_unfinished()
    assert (tmp_path / "other").is_dir()


def _fill_while_the_engine_ends(folder: Path) -> None:
    (folder / "half.py").touch()
    remove_unfinished()
    assert [path.name for path in folder.parent.iterdir()] == ["out"]
    with pytest.raises(FileNotFoundError):  # what the writing thread does meanwhile brings nothing back
        (folder / "other.py").touch()


def test_an_engine_that_ends_leaves_no_half_of_a_file(tmp_path):
    with temporary_beside(tmp_path / "forward.pt") as temporary:
        temporary.write_text("half")
        remove_unfinished()
        assert list(tmp_path.iterdir()) == []


def test_an_earlier_export_is_replaced(tmp_path):
    target = tmp_path / "out"
    target.mkdir()
    (target / "manifest.json").write_text(manifest_text("fx", {}))
    (target / "old.txt").touch()
    with whole_folder(str(target)) as folder:
        (folder / "new.txt").touch()
        assert (target / "old.txt").exists()
    assert [path.name for path in target.iterdir()] == ["new.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_cannot_be_put_in_place_leaves_the_old_one(tmp_path, monkeypatch):
    target = tmp_path / "out"
    target.mkdir()
    (target / "manifest.json").write_text(manifest_text("fx", {}))
    rename = Path.rename

    def refuse_new(path, to):
        if path.name.endswith(".tmp"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", refuse_new)
    with pytest.raises(UserError, match="no space left on device"), whole_folder(str(target)):
        pass
    assert [path.name for path in target.iterdir()] == ["manifest.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_is_stopped_half_way_into_place_leaves_the_old_one(tmp_path, monkeypatch):
    target = tmp_path / "out"
    target.mkdir()
    (target / "manifest.json").write_text(manifest_text("fx", {}))
    rename = Path.rename

    def stop_after_the_old_one(path, to):
        done = rename(path, to)
        if path == target:
            raise Stopped
        return done

    monkeypatch.setattr(Path, "rename", stop_after_the_old_one)
    with pytest.raises(Stopped), whole_folder(str(target)):
        pass
    assert [path.name for path in target.iterdir()] == ["manifest.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_other_files_are_left_alone(workshop, tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    problem = export(workshop, FX, tmp_path).problem
    assert problem.message.endswith(
        "holds other files, so it is left alone; choose a new folder or one that an export wrote."
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_folder_that_fails_leaves_the_old_one(workshop, tmp_path, monkeypatch):
    target = tmp_path / "out"
    target.mkdir()
    (target / "manifest.json").write_text('{"writer": "aotgui"}')
    monkeypatch.setattr(bundle, "saved_script", lambda script: b"no archive")
    problem = export(workshop, BUNDLE, target).problem
    assert problem.message.startswith("run.py fails when plain Python runs it: RuntimeError")
    assert [path.name for path in target.iterdir()] == ["manifest.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_cannot_be_written(workshop, tmp_path):
    assert "no such file or directory" in export(workshop, FX, tmp_path / "no" / "out").problem.message


def test_a_view_is_saved_without_the_rest():
    view = torch.arange(1000.0).view(10, 100)[:, 3]
    kept = own(view)
    assert torch.equal(kept, view)
    assert kept.untyped_storage().nbytes() < 4000
    transposed = torch.arange(6.0).view(2, 3).t()
    assert own(transposed).stride() == transposed.stride()
    assert torch.equal(own(torch.ones(1).expand(4)), torch.ones(4))
