"""A small convolutional network with batch norm: its running statistics are inputs that the forward writes to."""

import torch
from torch import nn


class ConvBlock(nn.Module):
    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel_size=3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


class SmallConvNet(nn.Module):
    def __init__(self, classes: int = 10):
        super().__init__()
        self.stem = ConvBlock(3, 16)
        self.body = ConvBlock(16, 32)
        self.classify = nn.Linear(32, classes)

    def forward(self, images):
        features = nn.functional.max_pool2d(self.stem(images), 2)
        return self.classify(self.body(features).mean(dim=(2, 3)))


torch.manual_seed(0)
model = SmallConvNet()
example_inputs = torch.randn(8, 3, 32, 32)
