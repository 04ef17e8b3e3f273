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


class AverageMeter(object):
    """Computes and stores the average and current value"""
    def __init__(self, name, fmt=':f'):
        self.name = name
        self.fmt = fmt
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        fmtstr = '{name} {val' + self.fmt + '} ({avg' + self.fmt + '})'
        return fmtstr.format(**self.__dict__)


class ProgressMeter(object):
    def __init__(self, num_batches, meters, prefix=""):
        self.batch_fmtstr = self._get_batch_fmtstr(num_batches)
        self.meters = meters
        self.prefix = prefix

    def display(self, batch):
        entries = [self.prefix + self.batch_fmtstr.format(batch)]
        entries += [str(meter) for meter in self.meters]
        print('\t'.join(entries))

    def _get_batch_fmtstr(self, num_batches):
        num_digits = len(str(num_batches // 1))
        fmt = '{:' + str(num_digits) + 'd}'
        return '[' + fmt + '/' + fmt.format(num_batches) + ']'


class EarlyStopping:
    def __init__(self, patience=2, delta=0.0):
        self.patience, self.delta = patience, delta
        self.best, self.counter, self.stop = None, 0, False

    def __call__(self, loss):
        score = -loss
        if self.best is None or score > self.best + self.delta:
            self.best, self.counter = score, 0
        else:
            self.counter += 1
            log.info("EarlyStopping counter: %d out of %d", self.counter, self.patience)
            self.stop = self.counter >= self.patience


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
stopper = EarlyStopping()
history = []
with timer("training"):
    for epoch in range(3):
        losses, top1 = AverageMeter("Loss", ":.4e"), AverageMeter("Acc", ":6.2f")
        progress = ProgressMeter(len(loader), [losses, top1], prefix=f"Epoch: [{epoch}]")
        model.train()
        for i, (xb, yb) in enumerate(tqdm(loader, desc=f"epoch {epoch}", leave=False)):
            out = model(xb)
            loss = crit(out, yb)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            gn = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            losses.update(loss.item(), xb.size(0))
            top1.update((out.argmax(1) == yb).float().mean().item() * 100, xb.size(0))
            if i % 2 == 0:
                progress.display(i)
        sched.step()
        model.eval()
        with torch.no_grad():
            vx, vy = zip(*val_set)
            vl = crit(model(torch.stack(vx)), torch.stack(vy)).item()
        stopper(vl)
        history.append({"epoch": epoch, "loss": round(losses.avg, 5), "val": round(vl, 5), "lr": sched.get_last_lr()[0]})
        log.debug("not shown")
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
