"""Estimated floating-point operations of traced nodes."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import fx
from torch.utils import _pytree as pytree
from torch.utils.flop_counter import flop_registry

from aotgui.engine.graphs import hint, values_of
from aotgui.engine.storages import storage_key


def node_flops(node: fx.Node) -> int:
    """What a node costs to compute.

    Matrix products, convolutions and attention count by the formulas of ``torch.utils.flop_counter`` on the traced
    shapes (symbolic sizes by their hints). Any other operator counts one an output element; views and what is no
    operator count nothing.
    """
    if not isinstance(node.target, torch._ops.OpOverload) or _is_view(node):
        return 0
    formula = flop_registry.get(node.target.overloadpacket)
    if formula is not None:
        try:
            arguments, options = pytree.tree_map(_shaped, (node.args, node.kwargs))
            return int(formula(*arguments, **options, out_val=_shaped(node)))
        except Exception:  # a formula that does not know this form of the operator
            return _elements(node)
    return _elements(node)


def _elements(node: fx.Node) -> int:
    tensors = (value for value in values_of(node) if isinstance(value, torch.Tensor))
    return sum(math.prod(hint(size) for size in value.shape) for value in tensors)


def _is_view(node: fx.Node) -> bool:
    """Whether the result lies in the memory of an argument."""
    key = storage_key(node.meta.get("val"))
    return key is not None and any(key == storage_key(source.meta.get("val")) for source in node.all_input_nodes)


def _shaped(argument: Any) -> Any:
    """A node as a tensor without data, which formulas read shapes off; anything else as it is."""
    value = argument.meta.get("val") if isinstance(argument, fx.Node) else argument
    if isinstance(value, torch.Tensor):
        return torch.empty([hint(size) for size in value.shape], dtype=value.dtype, device="meta")
    if isinstance(value, tuple | list) and isinstance(argument, fx.Node):
        return pytree.tree_map(lambda item: _shaped(item) if isinstance(item, torch.Tensor) else item, value)
    return hint(value) if isinstance(value, torch.SymInt) else value
