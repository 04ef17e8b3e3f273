# Means, a window of late values and a table of metrics
import torch, time, math, sys
import torch.nn as nn
from collections import deque, defaultdict
import statistics

class Mean(object):
    """The mean of what was added, in a format of its own"""
    def __init__(self, title, spec='f'):
        self.title, self.spec = title, spec
        self.clear()
    def clear(self):
        self.latest = 0
        self.total = 0
        self.weight = 0
    def add(self, number, weight=1):
        self.latest = number
        self.total += number * weight
        self.weight += weight
        self.mean = self.total / self.weight
    def __str__(self):
        template = '{title}: {mean:' + self.spec + '}, last {latest:' + self.spec + '}'
        return template.format(**vars(self))

def share_found(scores, labels, within):
    """For each k: how many of a hundred labels are among the k best scores"""
    with torch.no_grad():
        _, best = scores.topk(max(within), 1, True, True)
        hits = best.eq(labels.view(-1, 1).expand_as(best)).float()
        return [hits[:, :k].sum(1).mean(0, keepdim=True).mul_(100.0) for k in within]

class Window(object):
    def __init__(self, length=20):
        self.late = deque(maxlen=length)
        self.total, self.length = 0.0, 0
    def add(self, number):
        self.late.append(number)
        self.total += number
        self.length += 1
    @property
    def middle(self):
        return torch.tensor(list(self.late)).median().item()
    @property
    def late_mean(self):
        return torch.tensor(list(self.late), dtype=torch.float32).mean().item()
    @property
    def whole_mean(self):
        return self.total / self.length
    def __str__(self):
        return "{0.middle:.4f} of {1}, mean {0.late_mean:.4f}, {0.whole_mean:.4f}, most {2:.4f}".format(
            self, len(self.late), max(self.late))

class Board(object):
    """Windows by name, made when first added to; a name is read like an attribute"""
    def __init__(self):
        self.windows = defaultdict(Window)
    def add(self, **numbers):
        for name, number in numbers.items():
            self.windows[name].add(number.item() if torch.is_tensor(number) else number)
    def __getattr__(self, name):
        if name not in self.windows:
            raise AttributeError("no window is called {!r}, only {}".format(name, sorted(self.windows)))
        return self.windows[name]
    def __str__(self):
        return "; ".join("%s %s" % pair for pair in self.windows.items())

torch.manual_seed(0)
losses, first, five = Mean('loss', '.4e'), Mean('first', '6.2f'), Mean('five', '6.2f')
board = Board()
crit = nn.CrossEntropyLoss()
for i in range(3):
    out = torch.randn(8, 10)
    tgt = torch.randint(0, 10, (8,))
    loss = crit(out, tgt)
    acc1, acc5 = share_found(out, tgt, (1, 5))
    losses.add(loss.item(), out.size(0))
    first.add(acc1[0], out.size(0))
    five.add(acc5[0], out.size(0))
    print("batch {:4d}".format(i * 50), losses, first, five, sep="\t")
    board.add(loss=loss, lr=0.1 / (i + 1))
print(board)
print(board.loss.middle, board.lr)
try:
    board.foo
except AttributeError as e:
    print(e)
print(statistics.mean([1, 2, 3.5]), statistics.stdev([1, 2, 3.5]), statistics.median([3, 1, 2]))
def confusion_matrix(pred, target, n):
    cm = torch.zeros(n, n, dtype=torch.int64)
    for t, p in zip(target.view(-1), pred.view(-1)):
        cm[t.long(), p.long()] += 1
    return cm
pred = torch.tensor([0, 1, 2, 2, 1, 0, 1]); tgt = torch.tensor([0, 1, 1, 2, 1, 2, 0])
cm = confusion_matrix(pred, tgt, 3)
print(cm, cm.diag() / cm.sum(1), cm.sum(), sep="\n")
tp = cm.diag().float(); precision = tp / cm.sum(0); recall = tp / cm.sum(1)
f1 = 2 * precision * recall / (precision + recall)
for c in range(3):
    print(f"class {c}: P={precision[c]:.3f} R={recall[c]:.3f} F1={f1[c]:.3f}")
print("macro f1: {:.4f}, acc {:.2%}".format(f1.mean(), (pred == tgt).float().mean()))
sys.stdout.write("done\n"); sys.stdout.flush()
print("loss", loss, f"{loss:.3f}", f"{loss}", "{:8.3f}|".format(loss), str(loss), repr(loss.item()), round(loss.item(), 3), "%s" % loss)
print(f"{acc1}", f"{acc1.item():>7.2f}%", acc1.shape)
print(f"{out[0]}")
print("{:.2f}".format(out[0]))
