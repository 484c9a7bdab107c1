"""What a capture derives from its parts."""

from __future__ import annotations

import msgspec
import pytest

from aotgui.model.capture import (
    Capture,
    Check,
    CheckStatus,
    Problem,
    Region,
    SavedValue,
    Severity,
    Stage,
)
from aotgui.model.graph import Fate, Graph, GraphKind, TensorInfo
from aotgui.model.settings import Settings

TENSOR = TensorInfo((2,), "float32", (1,), "cpu", 8)


def graph(kind: GraphKind, names: list[str], origins: list[int], fates: list[Fate] | None = None) -> Graph:
    count = len(names)
    return Graph(
        kind=kind,
        strings=["op"],
        names=names,
        ops=[2] * count,
        targets=[0] * count,
        roles=[0] * count,
        sides=[0] * count,
        fates=list(map(int, fates or [Fate.FORWARD_ONLY] * count)),
        seq_nrs=[-1] * count,
        origins=origins,
        labels=[-1] * count,
        modules=[-1] * count,
        stacks=[-1] * count,
        values=[[0]] * count,
        arguments=[[]] * count,
        edge_sources=[],
        edge_targets=[],
        tensor_table=[TENSOR],
    )


def saved(name: str, role: str, storage_bytes: int) -> SavedValue:
    return SavedValue(name=name, tensor=TENSOR, size_bytes=8, storage_bytes=storage_bytes, role=role)


@pytest.fixture
def region() -> Region:
    fates = [Fate.SAVED, Fate.RECOMPUTED, Fate.ELIMINATED, Fate.BACKWARD_ONLY]
    return Region(
        name="region 0",
        graphs={
            GraphKind.JOINT: graph(GraphKind.JOINT, ["a", "b", "c", "d"], [0, 1, 2, 3], fates),
            GraphKind.FORWARD: graph(GraphKind.FORWARD, ["a", "b"], [0, 1]),
            GraphKind.BACKWARD: graph(GraphKind.BACKWARD, ["a", "b", "new", "d"], [0, 1, -1, 3]),
        },
        saved=[saved("a", "activation", 8), saved("view", "activation", 0), saved("w", "parameter", 100)],
    )


def test_counterparts_are_found_from_every_graph(region: Region) -> None:
    everywhere = {GraphKind.JOINT: [1], GraphKind.FORWARD: [1], GraphKind.BACKWARD: [1]}
    for kind in region.graphs:
        assert region.counterparts(kind, 1) == everywhere
    assert region.counterparts(GraphKind.JOINT, 2) == {GraphKind.JOINT: [2]}
    assert region.counterparts(GraphKind.BACKWARD, 2) == {GraphKind.BACKWARD: [2]}


def test_saved_bytes_count_each_storage_once(region: Region) -> None:
    assert region.saved_bytes == 108
    assert region.saved_bytes_of("activation") == 8
    assert region.saved_bytes_of("activation", "parameter") == 108
    assert region.saved_bytes_of("buffer") == 0


def test_names_by_fate_come_from_the_main_graph(region: Region) -> None:
    assert region.names_with(Fate.RECOMPUTED) == ["b"]
    assert region.names_with(Fate.MOVED) == []
    assert Region(name="empty", graphs={}).names_with(Fate.SAVED) == []


def test_a_region_without_gradients_has_one_graph() -> None:
    inference = graph(GraphKind.INFERENCE, ["a"], [0])
    region = Region(name="region 0", graphs={GraphKind.INFERENCE: inference})
    assert not region.is_training
    assert region.main_graph is inference


ERROR = Problem(severity=Severity.ERROR, stage="load", message="No.")
WARNING = msgspec.structs.replace(ERROR, severity=Severity.WARNING)


@pytest.mark.parametrize(
    ("problems", "status", "failed"),
    [
        ([], CheckStatus.MATCH, False),
        ([], CheckStatus.NOT_RUN, False),
        ([], CheckStatus.MISMATCH, True),
        ([WARNING], CheckStatus.MATCH, False),
        ([WARNING, ERROR], CheckStatus.MATCH, True),
    ],
)
def test_a_capture_fails_by_an_error_or_a_mismatch(problems: list[Problem], status: CheckStatus, failed: bool) -> None:
    capture = Capture(
        source="m.py",
        target="model",
        torch="2.13.0",
        settings=Settings(),
        problems=problems,
        check=Check(status=status),
    )
    assert capture.failed is failed


@pytest.mark.parametrize(
    ("file", "line", "text"),
    [("", 0, "No."), ("/m.py", 0, "No. (/m.py)"), ("/m.py", 3, "No. (/m.py:3)")],
)
def test_a_problem_on_one_line(file: str, line: int, text: str) -> None:
    assert str(msgspec.structs.replace(ERROR, file=file, line=line)) == text


def test_every_stage_has_words() -> None:
    assert all(stage.label for stage in Stage)


def test_a_capture_survives_msgpack(region: Region) -> None:
    capture = Capture(source="m.py", target="model", torch="2.13.0", settings=Settings(), regions=[region])
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(capture), type=Capture) == capture
