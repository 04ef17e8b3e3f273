import json, logging, os, random, sys, time
from collections import deque, OrderedDict
from contextlib import contextmanager
from datetime import timedelta
from functools import wraps
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from tqdm import tqdm


class ColorFormatter(logging.Formatter):
    def format(self, record):
        msg = super().format(record)
        return f"<{record.levelno}> {msg}"


def get_logger(name: str) -> logging.Logger:
    logger = logging.getLogger(name)
    logger.setLevel(logging.DEBUG)
    handler = logging.StreamHandler(sys.stdout)
    handler.setLevel(logging.INFO)
    handler.setFormatter(ColorFormatter("%(levelname)-8s|%(name)s| %(message)s"))
    if not logger.handlers:
        logger.addHandler(handler)
    logger.propagate = False
    return logger


log = get_logger("train")
log2 = get_logger("train")
assert log is log2
print(len(log.handlers), log.level, logging.getLevelName(log.level), log.name, log.isEnabledFor(logging.DEBUG))


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    os.environ["PYTHONHASHSEED"] = str(seed)


class RunningMean(object):
    """A mean in which each number counts as often as there were samples behind it."""
    def __init__(self, title, spec="f"):
        self.title, self.spec = title, spec
        self.latest, self.total, self.samples = 0, 0, 0

    def add(self, number, samples=1):
        self.latest = number
        self.total += samples * number
        self.samples += samples

    @property
    def mean(self):
        return self.total / self.samples

    def __str__(self):
        template = '{0.title}={0.mean:' + self.spec + '} (now {0.latest:' + self.spec + '})'
        return template.format(self)


class Report(object):
    def __init__(self, means, batches, head=""):
        self.means, self.batches, self.head = means, batches, head

    def line(self, batch):
        place = "{:>{width}} of {}".format(batch, self.batches, width=len(str(self.batches)))
        print(self.head, place, *map(str, self.means), sep='\t')


class Patience:
    def __init__(self, epochs=2, least=0.0):
        self.epochs, self.least = epochs, least
        self.lowest, self.waited = None, 0

    def __call__(self, loss):
        if self.lowest is not None and loss >= self.lowest - self.least:
            self.waited += 1
            log.info("no better for %d of %d epochs", self.waited, self.epochs)
        else:
            self.lowest, self.waited = loss, 0
        return self.waited >= self.epochs


@contextmanager
def timer(label):
    start = time.time()
    yield
    elapsed = time.time() - start
    log.info("%s took %s", label, "under a minute" if elapsed < 60 else str(timedelta(seconds=int(elapsed))))


set_seed(42)
X = torch.randn(100, 4)
y = (X.sum(1) > 0).long()
train_set, val_set = random_split(TensorDataset(X, y), [80, 20], generator=torch.Generator().manual_seed(0))
loader = DataLoader(train_set, batch_size=32, shuffle=True, drop_last=False)
model = nn.Sequential(OrderedDict([("fc1", nn.Linear(4, 8)), ("act", nn.ReLU()), ("fc2", nn.Linear(8, 2))]))
opt = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=1e-2)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.5)
crit = nn.CrossEntropyLoss()
patience = Patience()
history = []
with timer("training"):
    for epoch in range(3):
        losses, right = RunningMean("loss", ".4e"), RunningMean("right", "6.2f")
        report = Report([losses, right], len(loader), head=f"epoch {epoch}")
        model.train()
        for i, (xb, yb) in enumerate(tqdm(loader, desc=f"epoch {epoch}", leave=False)):
            out = model(xb)
            loss = crit(out, yb)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            gn = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            losses.add(loss.item(), xb.size(0))
            right.add((out.argmax(1) == yb).float().mean().item() * 100, xb.size(0))
            if i % 2 == 0:
                report.line(i)
        sched.step()
        model.eval()
        with torch.no_grad():
            vx, vy = zip(*val_set)
            vl = crit(model(torch.stack(vx)), torch.stack(vy)).item()
        stops = patience(vl)
        history.append({"epoch": epoch, "loss": round(losses.mean, 5), "val": round(vl, 5), "lr": sched.get_last_lr()[0]})
        log.debug("not shown, stops: %s", stops)
        log.info(f"epoch {epoch} val {vl:.4f}")
        tqdm.write(f"lr now {opt.param_groups[0]['lr']}")
print(json.dumps(history, indent=2, sort_keys=True))
print(json.loads('{"a": [1, 2.5, null, true], "b": {"c": "\\u00e9"}}'))
try:
    json.loads("{'a': 1}")
except json.JSONDecodeError as e:
    print(type(e).__name__, e, e.lineno, e.colno, e.msg, e.pos)
try:
    json.dumps({"t": torch.ones(1)})
except TypeError as e:
    log.error("cannot dump: %s", e)
try:
    json.dumps(np.float32(1))
except TypeError as e:
    log.exception("numpy too: %r", e) if False else log.critical("numpy too: %s", e)
window = deque([h["loss"] for h in history], maxlen=2)
log.warning("last %d: %s", len(window), list(window))
p = Path("checkpoints") / f"model_{len(history):03d}.pt"
print(p.as_posix(), p.exists(), p.parent.name, Path("a/b/../c.txt").suffix, Path("/x") / "y")
log.log(35, "custom level")
logging.getLogger("train.sub").info("child uses the parent's handler")
logging.info("root is quiet")
