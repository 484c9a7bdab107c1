"""Nothing that a script sets for the whole process reaches the next run, and its own runs all have it."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest
import torch

from aotgui.engine.ambient import Ambient, undisturbed
from aotgui.engine.pipeline import Pipeline
from aotgui.model.capture import CheckStatus
from aotgui.model.settings import Settings
from aotgui.protocol.messages import Record, Run, RunEnded, RunStatus

SETS_EVERYTHING = """
import os, random, sys, warnings
import numpy, torch
os.chdir("/")
os.environ["AOTGUI_TEST_LEFT"] = "1"
os.environ.pop("AOTGUI_TEST_KEPT")
sys.path.append("/left/behind")
sys.argv.append("left")
torch.set_default_dtype(torch.float64)
torch.set_grad_enabled(False)
torch.set_anomaly_enabled(True)
torch.set_autocast_enabled("cpu", True)
torch.set_autocast_dtype("cpu", torch.float16)
sys.setrecursionlimit(5000)
warnings.simplefilter("error")
torch.use_deterministic_algorithms(True, warn_only=True)
torch.set_float32_matmul_precision("medium")
torch.manual_seed(1); random.seed(1); numpy.random.seed(1)
"""


def state():
    ambient = Ambient.now()
    fields = {name: value for name, value in vars(ambient).items() if not name.endswith("_random")}
    return fields, torch.get_rng_state().tolist(), random.getstate()


@pytest.fixture
def kept_variable(monkeypatch):
    monkeypatch.setenv("AOTGUI_TEST_KEPT", "before")


def test_everything_is_put_back(kept_variable):
    before = state()
    with undisturbed():
        exec(SETS_EVERYTHING, {})
        assert state() != before
    assert state() == before


def test_also_when_it_fails(kept_variable):
    before = state()
    with pytest.raises(KeyError), undisturbed():
        exec(SETS_EVERYTHING + "raise KeyError", {})
    assert state() == before


def test_a_default_device():
    with undisturbed():
        torch.set_default_device("meta")
        assert torch.ones(1).is_meta
    assert not torch.ones(1).is_meta
    assert Ambient.now().device is None


def test_a_folder_that_is_removed_meanwhile(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    with undisturbed():
        os.chdir(tmp_path)
        folder.rmdir()
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize("record", [False, True])
def test_no_run_leaves_anything_behind(write, kept_variable, record):
    script = write(SETS_EVERYTHING + "fn = torch.sin\nexample_inputs = torch.ones(3)\n")
    before = state()
    events = []
    pipeline = Pipeline(events.append)
    if record:
        pipeline.record(Record(run=1, source=str(script)))
    else:
        pipeline.run(Run(run=1, source=str(script)))
    assert state() == before
    assert isinstance(events[-1], RunEnded)
    assert os.environ["AOTGUI_TEST_KEPT"] == "before"
    assert "AOTGUI_TEST_LEFT" not in os.environ


def test_what_a_script_sets_holds_for_all_its_runs(write):
    """The target makes tensors of the default dtype that its script chose, also when only a setting changes."""
    script = write(
        """
        import torch
        torch.set_default_dtype(torch.float64)
        def fn(x):
            return x * torch.full((3,), 0.1)
        example_inputs = torch.ones(3, requires_grad=True)
        """
    )
    events = []
    pipeline = Pipeline(events.append)
    for partitioner in ("min_cut", "default"):
        pipeline.run(Run(run=1, source=str(script), settings=Settings(partitioner=partitioner)))
        ended = events[-1]
        assert ended.status is RunStatus.DONE, ended.problems
        assert ended.check.status is CheckStatus.MATCH
        forward = pipeline.regions[0].graphs["forward"]
        assert {str(info.dtype) for info in forward.tensor_table if info.is_tensor} == {"float64"}
    assert torch.get_default_dtype() is torch.float32


def test_an_edited_helper_is_read_again(write):
    write("def scale(x):\n    return x.sin()\n", "offered_helper.py")
    script = write(
        "import torch, offered_helper\nfn = lambda x: offered_helper.scale(x)\nexample_inputs = torch.ones(2)\n"
    )
    pipeline = Pipeline(lambda event: None)

    def schemas():
        pipeline.run(Run(run=1, source=str(script)))
        return " ".join(pipeline.regions[0].graphs["inference"].schemas)

    assert "sin" in schemas()
    write("def scale(x):\n    return x.cosh()\n", "offered_helper.py")
    assert "cosh" in schemas()
    assert str(script.parent) not in sys.path


def test_helpers_of_the_same_name_in_two_folders(write):
    scripts = []
    for name in ("one", "two"):
        write(f"name = {name!r}\n", f"{name}/offered_same.py")
        scripts.append(write(f"import offered_same\nassert offered_same.name == {name!r}\n", f"{name}/script.py"))
    events = []
    pipeline = Pipeline(events.append)
    for script in [*scripts, scripts[0]]:
        pipeline.run(Run(run=1, source=str(script)))
        assert "defines no target" in events[-1].problems[0].message
