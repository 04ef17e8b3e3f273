#!/usr/bin/env python3
"""Train a small classifier. Usage: python train.py --epochs 5 --lr 0.1"""
import argparse
import logging
import os
import sys
import random
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field, asdict
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

logger = logging.getLogger(__name__)


@dataclass
class Args:
    epochs: int = 5
    lr: float = 0.1
    hidden: List[int] = field(default_factory=lambda: [8])
    seed: int = 42
    name: Optional[str] = None

    @classmethod
    def parse(cls, argv=None) -> "Args":
        p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        p.add_argument("--epochs", type=int, default=cls.epochs, help="number of epochs")
        p.add_argument("--lr", type=float, default=cls.lr)
        p.add_argument("--hidden", type=int, nargs="+", default=[8])
        p.add_argument("--seed", type=int, default=42)
        p.add_argument("--name", default=None, choices=["a", "b"])
        p.add_argument("-v", "--verbose", action="store_true")
        ns = p.parse_args(argv if argv is not None else [])
        print(ns)
        d = vars(ns).copy()
        d.pop("verbose")
        return cls(**d)


class Spiral(Dataset):
    def __init__(self, n: int, k: int = 3, noise: float = 0.1) -> None:
        rng = np.random.default_rng(0)
        xs, ys = [], []
        for c in range(k):
            r = np.linspace(0.0, 1, n)
            t = np.linspace(c * 4, (c + 1) * 4, n) + rng.standard_normal(n) * noise
            xs.append(np.c_[r * np.sin(t), r * np.cos(t)])
            ys += [c] * n
        self.x = torch.tensor(np.concatenate(xs), dtype=torch.float32)
        self.y = torch.as_tensor(ys)

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, i: int) -> Tuple[torch.Tensor, torch.Tensor]:
        return self.x[i], self.y[i]


class Meter:
    """keeps running averages"""

    def __init__(self) -> None:
        self.sum: Dict[str, float] = defaultdict(float)
        self.n: Dict[str, int] = defaultdict(int)

    def update(self, k: int = 1, **kw: float) -> None:
        for key, v in kw.items():
            self.sum[key] += v * k
            self.n[key] += k

    def __getitem__(self, key: str) -> float:
        return self.sum[key] / self.n[key]

    def __str__(self) -> str:
        return " | ".join(f"{k}: {self[k]:.4f}" for k in sorted(self.sum))


@contextmanager
def evaluating(net: nn.Module) -> Iterator[nn.Module]:
    was = net.training
    try:
        net.eval()
        with torch.no_grad():
            yield net
    finally:
        net.train(was)


def build(args: Args, n_in: int = 2, n_out: int = 3) -> nn.Sequential:
    sizes = [n_in, *args.hidden, n_out]
    layers: List[nn.Module] = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers += [nn.Linear(a, b)] + ([nn.Tanh()] if i < len(sizes) - 2 else [])
    return nn.Sequential(*layers)


def main(argv=None) -> int:
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)s %(name)s: %(message)s")
    args = Args.parse(argv)
    random.seed(args.seed); np.random.seed(args.seed); torch.manual_seed(args.seed)
    data = Spiral(20)
    loader = DataLoader(data, batch_size=16, shuffle=True)
    net = build(args)
    logger.info("model has %d parameters", sum(p.numel() for p in net.parameters() if p.requires_grad))
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    best = (float("inf"), -1)
    for epoch in range(1, args.epochs + 1):
        m = Meter()
        for xb, yb in loader:
            opt.zero_grad(set_to_none=True)
            out = net(xb)
            loss = F.cross_entropy(out, yb)
            loss.backward()
            opt.step()
            m.update(len(yb), loss=loss.item(), acc=(out.argmax(1) == yb).float().mean().item())
        with evaluating(net) as e:
            val = F.cross_entropy(e(data.x), data.y).item()
        if (val, epoch) < best:
            best = val, epoch
        print(f"epoch {epoch:02d} {m} val={val:.3f}{' *' if best[1] == epoch else ''}")
    out = Path("runs") / (args.name or "default") / f"ckpt_{args.seed:04d}.pt"
    print(out, out.suffix, out.stem, out.parent.name, out.parts, os.fspath(out), asdict(args))
    logger.warning("best %s", best[1])
    if best[0] > 1e3:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(["--epochs", "3", "--hidden", "16", "8", "--lr", "0.05"]))
