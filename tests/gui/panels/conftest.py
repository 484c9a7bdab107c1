"""A small hand-made capture: two linear layers with a relu and a dropout, as a person would read it."""

import pytest
from PySide6.QtGui import QColor, QPalette

from aotgui.gui.session.session import Session
from aotgui.model.capture import (
    Capture,
    Check,
    CheckStatus,
    Comparison,
    Compilation,
    InputEntry,
    Problem,
    Region,
    SavedValue,
    Severity,
    Stage,
    StageTime,
)
from aotgui.model.graph import Fate, Frame, Graph, GraphKind, Op, Output, OutputKind, Role, Side, TensorInfo
from aotgui.model.settings import Settings
from aotgui.model.values import ValueStats

MODEL_FILE = "/home/ada/models/two_layers.py"
BLOCKS_FILE = "/home/ada/models/blocks.py"
LIBRARY_FILE = "/usr/lib/python3/site-packages/transformers/modeling.py"

SOURCES = {
    MODEL_FILE: '''"""Two linear layers."""
import torch
from torch import nn

from blocks import Block


class TwoLayers(nn.Module):
    """A block and a head."""

    def __init__(self):
        super().__init__()
        self.block = Block(64, 256)
        self.head = nn.Linear(256, 10)

    def forward(self, x):
        hidden = self.block(x)
        logits = self.head(hidden)
        return logits.sum()


model = TwoLayers()
example_inputs = torch.randn(32, 64)
''',
    BLOCKS_FILE: """import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, wide, inner):
        super().__init__()
        self.linear = nn.Linear(wide, inner)

    def forward(self, x):
        hidden = self.linear(x)
        return F.relu(hidden)
""",
}

CALLER = Frame(MODEL_FILE, 17, "forward")
LIBRARY = Frame(LIBRARY_FILE, 420, "apply_chunking", is_user=False)
LINEAR = (CALLER, LIBRARY, Frame(BLOCKS_FILE, 11, "forward"))
RELU = (CALLER, LIBRARY, Frame(BLOCKS_FILE, 12, "forward"))
HEAD = (Frame(MODEL_FILE, 18, "forward"),)
SUM = (Frame(MODEL_FILE, 19, "forward"),)


def tensor(*shape, dtype="float32"):
    count, strides = 1, []
    for size in reversed(shape):
        strides.insert(0, count)
        count *= size
    size_bytes = count * {"float32": 4, "bool": 1, "int64": 8}[dtype]
    return TensorInfo(shape, dtype, tuple(strides), "cpu", size_bytes)


COLUMNS = (
    *("names", "ops", "targets", "roles", "sides", "fates", "seq_nrs"),
    *("origins", "labels", "modules", "stacks", "values", "arguments"),
)


class GraphBuilder:
    """Builds the columns of a ``Graph`` from one call a node."""

    def __init__(self, kind, code=""):
        self.kind = kind
        self.code = code
        self.columns = {name: [] for name in COLUMNS}
        self.strings = []
        self.sources, self.targets = [], []
        self.stack_table, self.frames, self.tensors = [], [], []
        self.outputs = []
        self.schemas, self.module_types = {}, {}

    def string(self, text):
        if not text:
            return -1
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def stack(self, frames):
        if not frames:
            return -1
        for frame in frames:
            if frame not in self.frames:
                self.frames.append(frame)
        indexes = [self.frames.index(frame) for frame in frames]
        if indexes not in self.stack_table:
            self.stack_table.append(indexes)
        return self.stack_table.index(indexes)

    def add(
        self,
        name,
        target="",
        value=None,
        inputs=(),
        *,
        role=Role.OPERATOR,
        side=Side.FORWARD,
        fate=Fate.FORWARD_ONLY,
        seq_nr=-1,
        origin=None,
        label="",
        module="",
        stack=(),
        arguments=(),
    ):
        index = len(self.columns["names"])
        if value is not None:
            self.tensors.append(value)
        row = {
            "names": name,
            "ops": Op.CALL_FUNCTION if target else Op.PLACEHOLDER,
            "targets": self.string(target or name),
            "roles": role,
            "sides": side,
            "fates": fate,
            "seq_nrs": seq_nr,
            "origins": index if origin is None else origin,
            "labels": self.string(label),
            "modules": self.string(module),
            "stacks": self.stack(stack),
            "values": [len(self.tensors) - 1] if value is not None else [],
            "arguments": [self.string(text) for pair in arguments for text in pair],
        }
        for column, entry in row.items():
            self.columns[column].append(entry)
        for source in inputs:
            self.sources.append(self.columns["names"].index(source))
            self.targets.append(index)
        return index

    def output(self, name, kind, label):
        self.outputs.append(Output(self.columns["names"].index(name), kind, label))

    def build(self):
        return Graph(
            kind=self.kind,
            strings=self.strings,
            edge_sources=self.sources,
            edge_targets=self.targets,
            outputs=self.outputs,
            stack_table=self.stack_table,
            frame_table=self.frames,
            tensor_table=self.tensors,
            schemas=self.schemas,
            module_types=self.module_types,
            code=self.code,
            **self.columns,
        )


ARTIFACT = """graph(%self : __torch__.Forward,
      %x : Float(32, 64)):
  %mm : Tensor = aten::mm(%x, %t)
  return (%mm)
"""
MM_SCHEMA = "aten::mm(Tensor self, Tensor mat2) -> Tensor"


def _describe(builder):
    builder.schemas["aten.mm.default"] = MM_SCHEMA
    builder.module_types.update({"block": "Block", "block.linear": "Linear", "head": "Linear", "": "TwoLayers"})
    return builder.build()


def joint_graph():
    build = GraphBuilder(GraphKind.JOINT, "def forward(self, primals_1, primals_2):\n    pass\n")
    add = build.add
    backward = {"side": Side.BACKWARD, "fate": Fate.BACKWARD_ONLY}
    add("primals_1", value=tensor(256, 64), role=Role.PARAMETER, label="block.linear.weight")
    add("primals_2", value=tensor(10, 256), role=Role.PARAMETER, fate=Fate.SAVED, label="head.weight")
    add("primals_3", value=tensor(32, 64), role=Role.INPUT, fate=Fate.SAVED, label="args[0]")
    add("tangents_1", value=tensor(), role=Role.TANGENT, label="tangent of out", **backward)
    linear = {"module": "block.linear", "stack": LINEAR, "seq_nr": 4}
    add("t", "aten.t.default", tensor(64, 256), ["primals_1"], arguments=[("self", "%primals_1")], **linear)
    arguments = [("self", "%primals_3"), ("mat2", "%t")]
    add("mm", "aten.mm.default", tensor(32, 256), ["primals_3", "t"], arguments=arguments, **linear)
    relu = {"module": "block", "stack": RELU, "seq_nr": 5}
    add("relu", "aten.relu.default", tensor(32, 256), ["mm"], fate=Fate.SAVED, arguments=[("self", "%mm")], **relu)
    head = {"module": "head", "stack": HEAD, "seq_nr": 6}
    add("t_1", "aten.t.default", tensor(256, 10), ["primals_2"], fate=Fate.RECOMPUTED, **head)
    add("mm_1", "aten.mm.default", tensor(32, 10), ["relu", "t_1"], **head)
    add("sum_1", "aten.sum.default", tensor(), ["mm_1"], stack=SUM, seq_nr=7)
    add("expand", "aten.expand.default", tensor(32, 10), ["tangents_1"], stack=SUM, seq_nr=7, **backward)
    add("mm_2", "aten.mm.default", tensor(32, 256), ["expand", "t_1"], **head, **backward)
    add("le", "aten.le.Scalar", tensor(32, 256, dtype="bool"), ["relu"], **relu, **backward)
    add("mm_3", "aten.mm.default", tensor(10, 256), ["expand", "relu"], **head, **backward)
    add("mm_4", "aten.mm.default", tensor(256, 64), ["mm_2", "le", "primals_3"], **linear, **backward)
    build.output("sum_1", OutputKind.OUTPUT, "out")
    build.output("mm_4", OutputKind.GRADIENT, "gradient of block.linear.weight")
    build.output("mm_3", OutputKind.GRADIENT, "gradient of head.weight")
    return _describe(build)


FORWARD_CODE = """def forward(self, primals_1, primals_2, primals_3):
    # File: /home/ada/models/blocks.py:11 in forward, code: hidden = self.linear(x)
    t: "f32[64, 256][1, 64]cpu" = torch.ops.aten.t.default(primals_1);  primals_1 = None
    mm: "f32[32, 256]" = torch.ops.aten.mm.default(primals_3, t);  t = None
    relu = torch.ops.aten.relu.default(mm);  mm = None
    t_1 = torch.ops.aten.t.default(primals_2)
    mm_1 = torch.ops.aten.mm.default(relu, t_1);  t_1 = None
    sum_1 = torch.ops.aten.sum.default(mm_1);  mm_1 = None
    return (sum_1, primals_2, primals_3, relu)
"""


def _copy(joint, kind, names, code=""):
    """The nodes of the joint graph with some names, as the partitioner copies them."""
    build = GraphBuilder(kind, code)
    for name in names:
        node = joint.node(joint.index_of[name])
        is_given = node.side is Side.FORWARD and kind is GraphKind.BACKWARD and node.fate is Fate.SAVED
        build.add(
            name,
            "" if is_given or node.op is Op.PLACEHOLDER else node.target,
            node.values[0],
            [joint.names[i] for i in node.inputs if joint.names[i] in names and not is_given],
            role=Role.SAVED_VALUE if is_given else node.role,
            side=node.side,
            fate=node.fate,
            seq_nr=node.seq_nr,
            origin=node.index,
            label=node.label,
            module=node.module,
            stack=node.stack,
            arguments=node.arguments,
        )
    return build


def capture():
    joint = joint_graph()
    forward_names = ["primals_1", "primals_2", "primals_3", "t", "mm", "relu", "t_1", "mm_1", "sum_1"]
    forward = _copy(joint, GraphKind.FORWARD, forward_names, FORWARD_CODE)
    forward.output("sum_1", OutputKind.OUTPUT, "out")
    for name in ("primals_2", "primals_3", "relu"):
        forward.output(name, OutputKind.SAVED, name)
    backward_names = ["primals_2", "primals_3", "relu", "tangents_1", "expand", "t_1", "mm_2", "le", "mm_3", "mm_4"]
    backward = _copy(joint, GraphKind.BACKWARD, backward_names, "def forward(self, primals_2):\n    mm_2 = primals_2\n")
    saved = [
        saved_value("primals_2", tensor(10, 256), "parameter", label="head.weight", reason="primal input"),
        saved_value("primals_3", tensor(32, 64), "input", label="args[0]", reason="primal input"),
        saved_value(
            "relu",
            tensor(32, 256),
            "activation",
            source=f"{BLOCKS_FILE}:12",
            module="block",
            reason="must be computed in backward otherwise: aten.relu.default is not in the recomputable allowlist",
        ),
    ]
    region = Region(
        name="region 0",
        graphs={
            GraphKind.JOINT: joint,
            GraphKind.FORWARD: _describe(forward),
            GraphKind.BACKWARD: _describe(backward),
        },
        saved=saved,
        inputs=[
            InputEntry(
                position=0,
                placeholder="primals_1",
                label="block.linear.weight",
                role="parameter",
                tensor=tensor(256, 64),
                aliases=("embedding.weight",),
            ),
            InputEntry(
                position=1, placeholder="primals_2", label="head.weight", role="parameter", tensor=tensor(10, 256)
            ),
            InputEntry(
                position=2, placeholder="primals_3", label="args[0]", role="input", tensor=tensor(32, 64), mutated=True
            ),
        ],
        compilations=[
            Compilation(
                compiler="ts_compile",
                graph=GraphKind.FORWARD,
                seconds=0.0312,
                artifact=ARTIFACT,
                exportable=True,
            ),
            Compilation(
                compiler="nop",
                graph=GraphKind.BACKWARD,
                seconds=0.0004,
                artifact="def forward(self):\n    pass\n",
                language="python",
            ),
        ],
    )
    return Capture(
        source=MODEL_FILE,
        target="model",
        torch="2.13.0",
        settings=Settings(),
        regions=[region],
        check=Check(
            status=CheckStatus.MISMATCH,
            outputs=[Comparison(name="out", status=CheckStatus.MATCH, max_error=3.8e-6, eager_error=3.5e-6)],
            gradients=[
                Comparison(name="block.linear.weight", status=CheckStatus.MISMATCH, max_error=0.25, eager_error=1.1e-6),
                Comparison(name="head.weight", status=CheckStatus.NOT_RUN, note="None in eager, zeros here"),
            ],
            max_error=0.25,
            eager_error=3.5e-6,
            note="judged against a float64 run",
        ),
        stages=[
            StageTime(stage=Stage.LOAD, seconds=0.021),
            StageTime(stage=Stage.EAGER, seconds=0.0034),
            StageTime(stage=Stage.TRACE, seconds=0.84, nodes=15),
            StageTime(stage=Stage.PARTITION, seconds=0.13, nodes=15),
            StageTime(stage=Stage.COMPILE_FORWARD, seconds=0.0312, nodes=9),
        ],
        sources=SOURCES,
    )


def saved_value(name, value, role, **rest):
    return SavedValue(
        name=name, tensor=value, size_bytes=value.size_bytes, storage_bytes=value.size_bytes, role=role, **rest
    )


PROBLEMS = (
    Problem(
        severity=Severity.WARNING,
        stage="check",
        message="The gradient of block.linear.weight differs from eager by 0.25.",
        node="mm_4",
        graph=GraphKind.BACKWARD,
        details="eager 1.0, compiled 1.25",
    ),
    Problem(
        severity=Severity.ERROR,
        stage="compile_forward",
        message="ts_compile cannot compile this line.",
        file=MODEL_FILE,
        line=18,
        details="Traceback (most recent call last):\n  RuntimeError: no",
    ),
    Problem(severity=Severity.INFO, stage="trace", message="Traced with static shapes."),
)


def stats(node, value=None, **rest):
    defaults = {"ms": 0.12, "minimum": -1.5, "maximum": 2.5, "mean": 0.125, "std": 0.75, "zeros": 3}
    return ValueStats(node=node, tensor=value or tensor(32, 256), **{**defaults, **rest})


@pytest.fixture
def session(qapp):
    return Session()


@pytest.fixture
def made_capture():
    return capture()


@pytest.fixture
def captured(session, made_capture):
    """A session with the capture open."""
    session.set_source(MODEL_FILE)
    session.set_capture(made_capture)
    return session


@pytest.fixture
def model_file():
    return MODEL_FILE


@pytest.fixture
def blocks_file():
    return BLOCKS_FILE


@pytest.fixture
def problems():
    return PROBLEMS


@pytest.fixture
def make_stats():
    """Statistics of a value, by node index."""
    return stats


@pytest.fixture
def make_graph():
    """A builder of graphs."""
    return GraphBuilder


@pytest.fixture
def node_of(captured):
    """Index of a node, by graph and name."""

    def find(kind, name):
        return captured.graph(kind).index_of[name]

    return find


def _close_background(panel):
    """Ends what a panel does beside the window's thread, as the window does when it is closed."""
    if hasattr(panel, "close_background"):
        panel.close_background()


@pytest.fixture
def shown(qtbot):
    """Shows a panel at the width of a narrow dock."""
    panels = []  # qtbot holds none of them

    def show(panel, width=320, height=480):
        panels.append(panel)
        qtbot.addWidget(panel, before_close_func=_close_background)
        panel.resize(width, height)
        panel.show()
        qtbot.waitExposed(panel)
        return panel

    return show


@pytest.fixture(params=["light", "dark"])
def theme(request, qapp):
    """Both themes, one after the other."""
    before = qapp.palette()
    colors = QPalette(before)
    light, dark = QColor("#ffffff"), QColor("#16191f")
    colors.setColor(QPalette.ColorRole.Base, light if request.param == "light" else dark)
    colors.setColor(QPalette.ColorRole.Text, dark if request.param == "light" else light)
    qapp.setPalette(colors)
    yield request.param
    qapp.setPalette(before)
