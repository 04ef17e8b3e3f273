"""Small models of the kinds that people train, written by hand: an MLP, a ResNet-18, a transformer, an LSTM.

Each function gives a model, an input, and the classes that a cross entropy is held against.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Made = tuple[nn.Module, Tensor, Tensor]


class Block(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, inner: int, outer: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outer)
        self.conv2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outer)
        self.around: nn.Module | None = None
        if stride != 1 or inner != outer:
            self.around = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.bn1(self.conv1(x)))
        h = self.bn2(self.conv2(h))
        return F.relu(h + (x if self.around is None else self.around(x)))


class ResNet18(nn.Module):
    """He et al., 2016, for 10 classes."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn = nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, 1)
        layers, width = [], 64
        for outer, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            layers.append(nn.Sequential(Block(width, outer, stride), Block(outer, outer, 1)))
            width = outer
        self.layers = nn.Sequential(*layers)
        self.fc = nn.Linear(512, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(F.relu(self.bn(self.conv(x))))
        x = self.layers(x)
        return self.fc(x.mean((2, 3)))


class Unrolled(nn.Module):
    """An LSTM cell over the steps of a sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(32, 64)
        self.out = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        h = x.new_zeros(x.shape[1], 64)
        c = h
        for t in range(x.shape[0]):
            h, c = self.cell(x[t], (h, c))
        return self.out(h)


class Encoder(nn.Module):
    """A transformer encoder of two layers with an embedding before and a classifier behind."""

    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(1000, 128)
        layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.1, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(128, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.enc(self.emb(x)).mean(1))


def mlp() -> Made:
    """784-256-256-10, batch 64."""
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    return net, torch.randn(64, 784), torch.randint(10, (64,))


def resnet18() -> Made:
    """Two images of 64 x 64."""
    return ResNet18(), torch.randn(2, 3, 64, 64), torch.randint(10, (2,))


def transformer() -> Made:
    """Eight sequences of 64 words."""
    return Encoder(), torch.randint(1000, (8, 64)), torch.randint(10, (8,))


def lstm50() -> Made:
    """Sixteen sequences of 50 steps."""
    return Unrolled(), torch.randn(50, 16, 32), torch.randint(10, (16,))


MODELS: dict[str, Callable[[], Made]] = {"mlp": mlp, "resnet18": resnet18, "transformer": transformer, "lstm50": lstm50}
