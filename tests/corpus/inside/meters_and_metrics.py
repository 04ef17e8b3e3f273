# Meters, metrics and trackers, in the manner of many repos
import torch, time, math, sys
import torch.nn as nn
from collections import deque, defaultdict
import statistics

class AverageMeter(object):
    """Computes and stores the average and current value"""
    def __init__(self, name, fmt=':f'):
        self.name = name
        self.fmt = fmt
        self.reset()
    def reset(self):
        self.val = 0
        self.avg = 0
        self.sum = 0
        self.count = 0
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

def accuracy(output, target, topk=(1,)):
    with torch.no_grad():
        maxk = max(topk)
        batch_size = target.size(0)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        res = []
        for k in topk:
            correct_k = correct[:k].reshape(-1).float().sum(0, keepdim=True)
            res.append(correct_k.mul_(100.0 / batch_size))
        return res

class SmoothedValue(object):
    def __init__(self, window_size=20, fmt=None):
        if fmt is None:
            fmt = "{median:.4f} ({global_avg:.4f})"
        self.deque = deque(maxlen=window_size)
        self.total = 0.0
        self.count = 0
        self.fmt = fmt
    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n
    @property
    def median(self):
        d = torch.tensor(list(self.deque))
        return d.median().item()
    @property
    def avg(self):
        d = torch.tensor(list(self.deque), dtype=torch.float32)
        return d.mean().item()
    @property
    def global_avg(self):
        return self.total / self.count
    @property
    def max(self):
        return max(self.deque)
    def __str__(self):
        return self.fmt.format(median=self.median, avg=self.avg, global_avg=self.global_avg, max=self.max)

class MetricLogger(object):
    def __init__(self, delimiter="\t"):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter
    def update(self, **kwargs):
        for k, v in kwargs.items():
            if isinstance(v, torch.Tensor):
                v = v.item()
            assert isinstance(v, (float, int))
            self.meters[k].update(v)
    def __getattr__(self, attr):
        if attr in self.meters:
            return self.meters[attr]
        if attr in self.__dict__:
            return self.__dict__[attr]
        raise AttributeError("'{}' object has no attribute '{}'".format(type(self).__name__, attr))
    def __str__(self):
        return self.delimiter.join("{}: {}".format(name, str(meter)) for name, meter in self.meters.items())

torch.manual_seed(0)
losses = AverageMeter('Loss', ':.4e')
top1 = AverageMeter('Acc@1', ':6.2f')
top5 = AverageMeter('Acc@5', ':6.2f')
progress = ProgressMeter(120, [losses, top1, top5], prefix="Epoch: [{}]".format(3))
log = MetricLogger(delimiter="  ")
crit = nn.CrossEntropyLoss()
for i in range(3):
    out = torch.randn(8, 10)
    tgt = torch.randint(0, 10, (8,))
    loss = crit(out, tgt)
    acc1, acc5 = accuracy(out, tgt, topk=(1, 5))
    losses.update(loss.item(), out.size(0))
    top1.update(acc1[0], out.size(0))
    top5.update(acc5[0], out.size(0))
    progress.display(i * 50)
    log.update(loss=loss, lr=0.1 / (i + 1))
print(log)
print(log.loss.median, log.lr)
try:
    log.foo
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
