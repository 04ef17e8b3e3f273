import argparse
import logging
import math
import os
import random
import sys
import time
from dataclasses import dataclass, field, asdict
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import numpy as np
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split

logger = logging.getLogger(__name__)
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")


@dataclass
class Config:
    lr: float = 1e-2
    batch_size: int = 16
    epochs: int = 3
    hidden: Tuple[int, ...] = (16, 8)
    name: str = "toy"
    tags: List[str] = field(default_factory=lambda: ["a", "b"])
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


def set_seed(seed: int = 42) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    os.environ["PYTHONHASHSEED"] = str(seed)


class TwoMoons(Dataset):
    def __init__(self, n: int = 120, noise: float = 0.1):
        t = np.random.rand(n) * np.pi
        x1 = np.stack([np.cos(t), np.sin(t)], axis=1)
        x2 = np.stack([1 - np.cos(t), 0.5 - np.sin(t)], axis=1)
        self.x = np.concatenate([x1, x2]).astype(np.float32)
        self.x += np.random.normal(0, noise, self.x.shape).astype(np.float32)
        self.y = np.array([0] * n + [1] * n, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i: int):
        return torch.from_numpy(self.x[i]), torch.tensor(self.y[i])


def build(cfg: Config) -> nn.Sequential:
    dims = [2, *cfg.hidden]
    layers: List[nn.Module] = []
    for a, b in zip(dims[:-1], dims[1:]):
        layers += [nn.Linear(a, b), nn.ReLU(inplace=True)]
    layers.append(nn.Linear(dims[-1], 2))
    return nn.Sequential(*layers)


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader, criterion) -> Dict[str, float]:
    model.eval()
    total, correct, loss_sum = 0, 0, 0.0
    for xb, yb in loader:
        out = model(xb)
        loss_sum += criterion(out, yb).item() * xb.size(0)
        correct += (out.argmax(dim=1) == yb).sum().item()
        total += yb.size(0)
    return {"loss": loss_sum / total, "acc": correct / total}


def main(argv: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(description="toy")
    parser.add_argument("--lr", type=float, default=0.05, help="learning rate")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args(argv if argv is not None else [])
    print(args, vars(args))
    cfg = Config(lr=args.lr, epochs=args.epochs)
    print(cfg)
    print(asdict(cfg))
    set_seed(7)
    ds = TwoMoons()
    n_val = int(0.2 * len(ds))
    train_ds, val_ds = random_split(ds, [len(ds) - n_val, n_val], generator=torch.Generator().manual_seed(0))
    print(len(train_ds), len(val_ds), type(train_ds).__name__, train_ds.indices[:5])
    tl = DataLoader(train_ds, batch_size=cfg.batch_size, shuffle=True)
    vl = DataLoader(val_ds, batch_size=64)
    model = build(cfg).to(cfg.device)
    print(model)
    criterion = nn.CrossEntropyLoss()
    opt = optim.Adam(model.parameters(), lr=cfg.lr, weight_decay=1e-4)
    sched = optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.5)
    print(opt)
    best, patience, bad = math.inf, 2, 0
    history = {"train": [], "val": []}
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        running = 0.0
        for step, (xb, yb) in enumerate(tl):
            opt.zero_grad(set_to_none=True)
            loss = criterion(model(xb), yb)
            loss.backward()
            gn = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            running += loss.item()
            if step % 5 == 0:
                print(f"  [{step:>2d}/{len(tl)}] loss={loss.item():.4f} |g|={gn:.3f}")
        sched.step()
        m = evaluate(model, vl, criterion)
        history["train"].append(running / len(tl))
        history["val"].append(m["loss"])
        print("epoch %02d | train %.4f | val %.4f | acc %5.1f%% | lr %.1e" % (epoch, history["train"][-1], m["loss"], 100 * m["acc"], sched.get_last_lr()[0]))
        if m["loss"] < best - 1e-4:
            best, bad = m["loss"], 0
            state = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            bad += 1
            if bad >= patience:
                print("early stop")
                break
    model.load_state_dict(state)
    print({k: [round(x, 4) for x in v] for k, v in history.items()})
    print(opt.state_dict()["param_groups"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
