"""Runs in this process: captures are read without an engine."""

import json

import pytest

from aotgui.cli import main
from aotgui.export.capture_files import save_capture
from aotgui.model.capture import Capture, Problem, Region, Severity, Stage
from aotgui.model.graph import Fate, Graph, GraphKind, Op, Role, Side, TensorInfo
from aotgui.model.settings import Settings


def capture(fate, problem="", partitioner="min_cut"):
    graph = Graph(
        kind=GraphKind.JOINT,
        strings=["x", "aten.cos.default"],
        names=["x", "cos"],
        ops=[Op.PLACEHOLDER, Op.CALL_FUNCTION],
        targets=[0, 1],
        roles=[Role.INPUT, Role.OPERATOR],
        sides=[Side.FORWARD] * 2,
        fates=[Fate.SAVED, fate],
        seq_nrs=[-1, -1],
        origins=[0, 1],
        labels=[-1, -1],
        modules=[-1, -1],
        stacks=[-1, -1],
        values=[[0], [0]],
        arguments=[[], []],
        edge_sources=[0],
        edge_targets=[1],
        tensor_table=[TensorInfo((4,), "float32", (1,), "cpu", 16)],
    )
    return Capture(
        source="/home/me/model.py",
        target="fn",
        torch="2.13.0",
        settings=Settings(partitioner=partitioner),
        regions=[] if problem else [Region(name="region 0", graphs={GraphKind.JOINT: graph})],
        problems=[Problem(severity=Severity.ERROR, stage=Stage.TRACE, message=problem)] if problem else [],
    )


@pytest.fixture
def saved(tmp_path):
    def save(name, *args, **keywords):
        path = tmp_path / name
        save_capture(path, capture(*args, **keywords))
        return str(path)

    return save


def test_text_names_the_node_with_both_fates(saved, capsys):
    assert main(["diff", saved("a.aotcap", Fate.SAVED), saved("b.aotcap", Fate.RECOMPUTED)]) == 0
    assert "saved -> recomputed: cos" in capsys.readouterr().out


def test_the_same_is_said_to_be_the_same(saved, capsys):
    assert main(["diff", saved("a.aotcap", Fate.SAVED), saved("b.aotcap", Fate.SAVED)]) == 0
    assert "the same graphs" in capsys.readouterr().out


def test_json_has_every_difference(saved, capsys):
    words = [saved("a.aotcap", Fate.SAVED), saved("b.aotcap", Fate.RECOMPUTED, partitioner="default"), "--json"]
    assert main(["diff", *words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["same"] is False
    assert document["settings"] == [{"name": "Partitioner", "old": "min_cut", "new": "default"}]
    (region,) = document["regions"]
    assert region["joint"]["moved"] == [{"old": "cos", "new": "cos", "old_fate": "saved", "new_fate": "recomputed"}]


def test_settings_are_for_scripts_and_leave_captures_alone(saved):
    assert main(["diff", saved("a.aotcap", Fate.SAVED), saved("b.aotcap", Fate.SAVED), "--dynamic"]) == 0


def test_a_capture_without_graphs_is_a_failure_that_says_why(saved, capsys):
    assert main(["diff", saved("a.aotcap", Fate.SAVED), saved("b.aotcap", Fate.SAVED, "It would not trace.")]) == 1
    assert "It would not trace." in capsys.readouterr().err


def test_one_file_alone_is_wrong_usage(saved, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["diff", saved("a.aotcap", Fate.SAVED)])
    assert ended.value.code == 2
    assert "OTHER" in capsys.readouterr().err
