"""A two-layer perceptron: the smallest module with parameters, saved activations and four gradients."""

import torch
from torch import nn


class Perceptron(nn.Module):
    def __init__(self, features: int = 64, hidden: int = 128, classes: int = 10):
        super().__init__()
        self.hidden = nn.Linear(features, hidden)
        self.classify = nn.Linear(hidden, classes)

    def forward(self, x):
        return self.classify(torch.tanh(self.hidden(x)))


torch.manual_seed(0)
model = Perceptron()
example_inputs = torch.randn(32, 64)
