"""A compiler for aotgui: matrix products in bfloat16, everything else as it is.

A compiler is a function that takes a graph module and example inputs and returns what runs in the graph's place. The
graph module is a copy, which it may change. ``aotgui compare model.py --compilers nop,bfloat16_matmul`` shows what the
rounding costs.
"""

import torch


def bfloat16_matmul(module, inputs):
    """Matrix products in bfloat16."""
    for node in module.graph.nodes:
        node.target = ROUNDED.get(node.target, node.target)
    module.recompile()
    return module.forward


def mm(first, second):
    """``aten.mm`` of rounded tensors."""
    return torch.mm(first.bfloat16(), second.bfloat16()).to(first.dtype)


def addmm(bias, first, second):
    """``aten.addmm`` of rounded tensors."""
    return torch.addmm(bias.bfloat16(), first.bfloat16(), second.bfloat16()).to(first.dtype)


ROUNDED = {torch.ops.aten.mm.default: mm, torch.ops.aten.addmm.default: addmm}
