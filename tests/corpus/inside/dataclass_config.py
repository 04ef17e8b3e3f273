"""Training with a config dataclass, a named tuple, an enum and type hints, as newer tutorials write it."""
from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import time
import warnings
from collections import defaultdict, deque, namedtuple
from dataclasses import asdict, dataclass, field
from enum import Enum
from functools import partial
from typing import Callable, Dict, List, Optional, Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

warnings.filterwarnings("ignore")


class Activation(Enum):
    RELU = "relu"
    TANH = "tanh"


@dataclass
class Config:
    lr: float = 0.1
    steps: int = 5
    sizes: List[int] = field(default_factory=lambda: [2, 8, 1])
    act: Activation = Activation.TANH
    seed: Optional[int] = 0


Batch = namedtuple("Batch", ["x", "y"])
ACTS: Dict[Activation, Callable[[Tensor], Tensor]] = {Activation.RELU: F.relu, Activation.TANH: torch.tanh}


def set_seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)


class MLP(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(i, o) for i, o in zip(config.sizes[:-1], config.sizes[1:])])
        self.act = ACTS[config.act]

    def forward(self, x: Tensor) -> Tensor:
        *hidden, last = self.layers
        for layer in hidden:
            x = self.act(layer(x))
        return last(x)


def batches(config: Config, n: int = 4):
    while True:
        x = torch.randn(n, config.sizes[0])
        yield Batch(x, x.sum(dim=1, keepdim=True))


def train(config: Config) -> Tuple[MLP, List[float]]:
    set_seed(config.seed or 0)
    model = MLP(config)
    opt = torch.optim.SGD(model.parameters(), lr=config.lr)
    recent: deque[float] = deque(maxlen=3)
    history = defaultdict(list)
    for step, batch in zip(range(config.steps), batches(config)):
        loss = F.mse_loss(model(batch.x), batch.y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        recent.append(loss.item())
        history["loss"].append(loss.item())
        match step:
            case 0:
                print(f"first {loss.item():.4f}")
            case n if n == config.steps - 1:
                print(f"last  {loss.item():.4f} mean of {len(recent)} = {sum(recent) / len(recent):.4f}")
    return model, history["loss"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--steps", type=int, default=6)
    args = parser.parse_args([])
    config = Config(**vars(args))
    print(config)
    print(asdict(config))
    start = time.perf_counter()
    model, losses = train(config)
    assert time.perf_counter() - start >= 0
    print(sum(p.numel() for p in model.parameters()), ["%.4f" % l for l in losses])
    print(sorted(losses, reverse=True) == losses, random.random(), np.random.rand(2))
    scale = partial(torch.mul, 2.0) if False else partial(torch.add, alpha=2)
    print(scale(torch.ones(2), torch.ones(2)))
    sys.exit(0)
