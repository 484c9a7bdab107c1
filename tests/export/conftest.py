"""A small joint graph with every fate, and a capture around it, made without torch."""

from __future__ import annotations

import pytest

from aotgui.layout.engine import lay_out
from aotgui.layout.result import Layout
from aotgui.model.capture import (
    Capture,
    Check,
    CheckStatus,
    Comparison,
    Problem,
    Region,
    SavedValue,
    Severity,
    Stage,
    StageTime,
)
from aotgui.model.graph import Fate, Frame, Graph, GraphKind, Op, Output, OutputKind, Role, Side, TensorInfo
from aotgui.model.settings import EntryPoint, Settings

F, B = Side.FORWARD, Side.BACKWARD
NODES = (
    # name, target, side, fate, inputs
    ("primals_1", "primals_1", F, Fate.FORWARD_ONLY, ()),
    ("primals_2", "primals_2", F, Fate.SAVED, ()),
    ("mm", "aten.mm.default", F, Fate.SAVED, (0, 1)),
    ("cos", "aten.cos.default", F, Fate.RECOMPUTED, (2,)),
    ("detach", "aten.detach.default", F, Fate.MOVED, (3,)),
    ("alias", "aten.alias.default", F, Fate.ELIMINATED, (3,)),
    ("sin", "aten.sin.default", F, Fate.FORWARD_ONLY, (3,)),
    ("tangents_1", "tangents_1", B, Fate.BACKWARD_ONLY, ()),
    ("mul", "aten.mul.Tensor", B, Fate.BACKWARD_ONLY, (7, 4)),
    ("mm_1", "aten.mm.default", B, Fate.BACKWARD_ONLY, (8, 1)),
)


def make_graph(label: str = "layer.weight", module: str = "layer") -> Graph:
    """Ten nodes: one forward operator chain, one backward chain, each fate at least once."""
    strings = [target for _, target, *_ in NODES] + [label, module]
    edges = [(source, target) for target, (*_, inputs) in enumerate(NODES) for source in inputs]
    placeholders = [name == target for name, target, *_ in NODES]
    return Graph(
        kind=GraphKind.JOINT,
        strings=strings,
        names=[name for name, *_ in NODES],
        ops=[Op.PLACEHOLDER if placeholder else Op.CALL_FUNCTION for placeholder in placeholders],
        targets=list(range(len(NODES))),
        roles=[Role.INPUT, Role.PARAMETER, *[Role.OPERATOR] * 5, Role.TANGENT, Role.OPERATOR, Role.OPERATOR],
        sides=[side for _, _, side, *_ in NODES],
        fates=[fate for _, _, _, fate, _ in NODES],
        seq_nrs=[-1] * len(NODES),
        origins=list(range(len(NODES))),
        labels=[-1, len(NODES), *[-1] * 8],
        modules=[-1 if placeholder else len(NODES) + 1 for placeholder in placeholders],
        stacks=[-1 if placeholder else 0 for placeholder in placeholders],
        values=[[0]] * len(NODES),
        arguments=[[]] * len(NODES),
        edge_sources=[source for source, _ in edges],
        edge_targets=[target for _, target in edges],
        outputs=[Output(6, OutputKind.OUTPUT, "out[0]"), Output(9, OutputKind.GRADIENT, "gradient of layer.weight")],
        stack_table=[[0]],
        frame_table=[Frame("/home/me/model.py", 12, "forward")],
        tensor_table=[TensorInfo((4, 4), "float32", (4, 1), "cpu", 64)],
        code="def forward(self, primals_1): ...",
    )


@pytest.fixture
def graph() -> Graph:
    return make_graph()


@pytest.fixture
def layout(graph: Graph) -> Layout:
    return lay_out(graph)


@pytest.fixture
def capture(graph: Graph) -> Capture:
    saved = SavedValue(
        name="mm",
        tensor=graph.tensor_table[0],
        size_bytes=64,
        storage_bytes=64,
        role="activation",
        source="/home/me/model.py:12",
        module="layer",
        reason="cannot recompute: not in recomputable allowlist",
    )
    weight = SavedValue(
        name="primals_2",
        label="layer.weight",
        tensor=graph.tensor_table[0],
        size_bytes=64,
        storage_bytes=64,
        role="parameter",
    )
    wrong = Comparison(name="layer.weight", status=CheckStatus.MISMATCH, max_error=0.5, eager_error=1e-7)
    right = Comparison(name="out[0]", status=CheckStatus.MATCH, max_error=2e-7, eager_error=1e-7)
    return Capture(
        source="/home/me/model.py",
        target="model",
        torch="2.13.0",
        settings=Settings(entry_point=EntryPoint.AOT_MODULE, backward_compiler="ts_compile"),
        regions=[Region(name="region 0", graphs={GraphKind.JOINT: graph}, saved=[weight, saved])],
        check=Check(
            status=CheckStatus.MISMATCH, outputs=[right], gradients=[right, wrong], max_error=0.5, eager_error=1e-7
        ),
        problems=[
            Problem(
                severity=Severity.ERROR,
                stage=Stage.CHECK,
                message="The gradient of layer.weight differs.",
                file="/home/me/model.py",
                line=12,
                node="mm_1",
                graph=GraphKind.JOINT,
                details="a\ntraceback",
            )
        ],
        stages=[StageTime(stage=Stage.LOAD, seconds=0.5), StageTime(stage=Stage.TRACE, seconds=1.25, nodes=11)],
    )
