"""A function with dropout: the random mask is drawn in the forward and must be saved, not drawn again, for backward."""

import torch


def fn(x, weight):
    hidden = torch.nn.functional.dropout(x @ weight, p=0.3)
    return torch.relu(hidden).sum(dim=-1)


torch.manual_seed(0)
example_inputs = (torch.randn(16, 32), torch.randn(32, 64, requires_grad=True))
