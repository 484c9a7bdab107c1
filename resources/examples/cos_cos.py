"""A plain function, two cosines in a row: one input, nothing but pointwise operators, a graph to read at a glance."""

import torch


def fn(x):
    return x.cos().cos()


torch.manual_seed(0)
example_inputs = torch.randn(4, 5, requires_grad=True)
