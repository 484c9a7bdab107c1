"""The repaired interpreter finds what torch's own finds, once that is given what it misses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import fx, nn
from torch._functorch.compilers import DebugInterpreter
from torch._guards import detect_fake_mode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from aotgui.engine.half import Half
from aotgui.engine.interpreter import CheckedInterpreter, NodeMismatchError
from aotgui.model.graph import GraphKind

FORWARD, INFERENCE = GraphKind.FORWARD, GraphKind.INFERENCE


@pytest.fixture
def half(make_halves) -> Half:
    torch.manual_seed(1)
    return make_halves(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.randn(3, 4))[FORWARD]


def stock(module: fx.GraphModule) -> DebugInterpreter:
    mode = detect_fake_mode([node.meta["val"] for node in module.graph.find_nodes(op="placeholder")])
    module.shape_env = mode.shape_env or ShapeEnv()
    return DebugInterpreter(module)


def change_value(name: str, change: Callable[[Any], Any]) -> Callable[[fx.GraphModule], None]:
    def apply(module: fx.GraphModule) -> None:
        node = next(node for node in module.graph.nodes if node.name == name)
        node.meta["val"] = change(node.meta["val"])

    return apply


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (change_value("relu", lambda v: v.double()), r"relu: expected float64\[3, 8\], got float32\[3, 8\]"),
        (change_value("relu", lambda v: v[:2]), r"relu: expected float32\[2, 8\], got float32\[3, 8\]"),
        (
            change_value("relu", lambda v: v.T.contiguous().T),
            r"relu: expected .* with strides \(1, 3\), got .* \(8, 1\)",
        ),
        (change_value("relu", lambda v: (v, v)), "relu: expected 2 values, got 1"),
    ],
    ids=["dtype", "shape", "strides", "count"],
)
def test_finds_what_the_stock_interpreter_finds(change, message, half):
    module = half.module_copy()
    change(module)
    with pytest.raises(AssertionError):
        stock(module).run(*half.fresh_args())
    with pytest.raises(NodeMismatchError, match=message) as caught:
        CheckedInterpreter(module).run(*half.fresh_args())
    assert caught.value.node.name == "relu"
    assert caught.value.value.shape == (3, 8)


def test_passes_what_the_stock_interpreter_passes(half):
    expected = stock(half.module_copy()).run(*half.fresh_args())
    torch.testing.assert_close(CheckedInterpreter(half.module).run(*half.fresh_args()), expected)


def test_python_numbers_where_the_stock_interpreter_fails(make_halves):
    """Another fault that ``CheckedInterpreter`` works around."""
    half = make_halves(lambda x, k: x * k, torch.randn(3, requires_grad=True), 3)[FORWARD]
    module = half.module_copy()
    module.shape_env = ShapeEnv()
    with pytest.raises((KeyError, AssertionError)):
        DebugInterpreter(module).run(*half.fresh_args())
    assert CheckedInterpreter(module).run(*half.fresh_args())[0].shape == (3,)


def test_symbols_take_the_sizes_of_each_call(make_halves):
    half = make_halves(lambda x: (x.sin(), x.view(-1)), torch.randn(4, 3, requires_grad=True), dynamic=True)[FORWARD]
    interpreter = CheckedInterpreter(half.module)
    symbolic = [node for node in half.nodes if node.op == "placeholder" and isinstance(node.meta["val"], torch.SymInt)]
    assert [int(node.meta["val"]) for node in symbolic] in ([], [4], [4, 3])
    for rows in (4, 6, 4):
        sizes = [rows if int(node.meta["val"]) == 4 else 3 for node in symbolic]
        outputs = interpreter.run(*sizes, torch.randn(rows, 3))
        assert outputs[0].shape == (rows, 3)
        assert outputs[1].shape == (rows * 3,)


def test_sizes_known_only_once_computed(make_halves):
    half = make_halves(lambda x: x.nonzero() * 2, torch.tensor([0.0, 1.0, 2.0]), dynamic=True)[INFERENCE]
    assert CheckedInterpreter(half.module).run(*half.fresh_args())[0].shape == (2, 1)


def test_strides_of_single_rows_do_not_matter(half):
    args = half.fresh_args()
    linear = CheckedInterpreter(half.module)
    args[-1] = torch.randn(3, 4)
    linear.run(*args)
    module = half.module_copy()
    change_value("primals_5", lambda v: v[:1])(module)
    interpreter = CheckedInterpreter(module)
    interpreter.bind([*args[:-1], args[-1][:1].as_strided((1, 4), (99, 1))])
    for node in module.graph.find_nodes(op="placeholder"):
        interpreter.env[node] = interpreter.run_node(node)
