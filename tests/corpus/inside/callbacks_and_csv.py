import torch, torch.nn as nn, json, io, csv, hashlib
from pathlib import Path
from datetime import datetime, timedelta
from typing import NamedTuple, Optional, Callable
class Batch(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor
    note: Optional[str] = None
def early_stopping(patience: int):
    best, bad = float("inf"), 0
    while True:
        v = yield bad >= patience
        best, bad = (v, 0) if v < best else (best, bad + 1)
class Callback:
    registry: dict = {}
    def __init_subclass__(cls, **kw): Callback.registry[cls.__name__.lower()] = cls
    def on_epoch(self, epoch, logs): pass
class Printer(Callback):
    def on_epoch(self, epoch, logs): print(f"epoch {epoch:>2}", *(f"{k}={v:.3f}" for k, v in logs.items()))
class Csv(Callback):
    def __init__(self): self.f = io.StringIO(); self.w = None
    def on_epoch(self, epoch, logs):
        if self.w is None: self.w = csv.DictWriter(self.f, fieldnames=["epoch", *logs], lineterminator="\n"); self.w.writeheader()
        self.w.writerow({"epoch": epoch, **{k: f"{v:.2f}" for k, v in logs.items()}})
torch.manual_seed(1)
net = nn.Linear(3, 1); opt = torch.optim.SGD(net.parameters(), lr=.1)
b = Batch(torch.randn(16, 3), torch.randn(16, 1)); print(b.note, len(b), b._fields, b.x.shape)
cbs = [cls() for cls in Callback.registry.values()]; stop = early_stopping(2); next(stop)
for epoch in range(8):
    loss = nn.functional.mse_loss(net(b.x), b.y); opt.zero_grad(); loss.backward(); opt.step()
    logs = {"loss": loss.item(), "gnorm": sum(p.grad.norm() ** 2 for p in net.parameters()).sqrt().item()}
    for c in cbs: c.on_epoch(epoch, logs)
    if stop.send(round(loss.item(), 1)): print("stopped at", epoch); break
print(cbs[1].f.getvalue(), end=""); rows = list(csv.reader(io.StringIO(cbs[1].f.getvalue()))); print(rows[0], len(rows))
cfg = {"when": datetime(2024, 1, 2, 3, 4, 5), "path": Path("out") / "m.pt", "delta": timedelta(minutes=90), "shape": b.x.shape}
print(json.dumps(cfg, default=str, indent=1)); print(hashlib.sha1(json.dumps([1, 2]).encode()).hexdigest()[:10], Path("a/b/c.txt").with_suffix(".bin"), Path("a") / ".." / "b", list(Path("x/y/z").parents)[:2], cfg["delta"].total_seconds(), f"{cfg['when']:%d %B %Y}")
try: json.dumps(cfg)
except TypeError as e: print(e)
try: b.x = 1
except AttributeError as e: print(e)
try: stop.send(None)
except TypeError as e: print(e)
print(next(iter(net.state_dict().items())), sorted(Callback.registry))
