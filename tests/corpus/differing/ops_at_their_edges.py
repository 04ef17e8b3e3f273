"""What ops do where nothing is in a tensor, where a matrix has no inverse, and where a tensor has too few dims."""

import torch
import torch.nn.functional as F


def tried(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def gradient(call, x):
    y = call(x)
    y.sum().backward()
    return tuple(y.shape), tuple(x.grad.shape), x.grad.abs().sum()


for size in ((0, 4, 2, 2), (1, 4, 0, 2), (1, 8, 2, 0), (1, 0, 2, 2), (1, 4, 2, 2)):
    for call in (F.pixel_shuffle, F.pixel_unshuffle):
        for r in (1, 2):
            x = torch.ones(size, requires_grad=True)
            tried(f"{call.__name__} {size} by {r}", lambda: gradient(lambda x: call(x, r), x))

for n in (2, 3, 9, 12):
    for scale in (0.0, 1.0):
        x = torch.full((n, n), scale, dtype=torch.float64, requires_grad=True)
        tried(f"det {n} {scale}", lambda: gradient(torch.linalg.det, x))
        x.grad = None
        if not scale:
            tried(f"slogdet {n} {scale}", lambda: gradient(lambda x: torch.linalg.slogdet(x)[1], x))

places = torch.tensor([0, 1])
for asks in (False, True):
    for size in ((), (3,), (2, 3), (2, 4, 5)):
        x = torch.ones(size, requires_grad=asks)
        tried(f"{size} {asks} cummax", lambda: x.cummax(1)[0].shape)
        tried(f"{size} {asks} cummin", lambda: x.cummin(-2)[0].shape)
        tried(f"{size} {asks} embedding", lambda: F.embedding(places, x).shape)
        tried(f"{size} {asks} unfold", lambda: F.unfold(x, 2).shape)
        tried(f"{size} {asks} group_norm", lambda: F.group_norm(x, 2).shape)
        tried(f"{size} {asks} torch.group_norm", lambda: torch.group_norm(x, 2).shape)
        tried(f"{size} {asks} no groups", lambda: torch.group_norm(x, 0).shape)
        tried(f"{size} {asks} addbmm", lambda: torch.addbmm(torch.zeros(4, 5), x, x).shape)
        for bias in (None, torch.tensor(1.0)):
            tried(f"{size} {asks} bilinear", lambda: F.bilinear(x, x, x, bias).shape)

single = torch.arange(4.0).reshape(1, 4)
tried("one number a group", lambda: F.group_norm(single, 4))
tried("one number a group", lambda: torch.group_norm(single, 4))

for numbers in ([0.0, -0.0], [-0.0, 0.0, 1.0, -1.0], [-0.0, 0.0, -0.0, 0.0, float("nan")], [0.0, -1.0, 2.0, -0.0, -0.0]):
    x = torch.tensor(numbers)
    print(numbers, x.median(), x.nanmedian(), torch.bmm(x.view(-1, 1, 1), x.abs().view(-1, 1, 1)).flatten())

logits = torch.ones(2, 3, 4, 4, requires_grad=True)
labels = torch.zeros(2, 4, 4, dtype=torch.long)
tried("turned pictures", lambda: F.nll_loss(logits.permute(0, 2, 1, 3), labels[:, :3]).backward())
tried("turned pictures", lambda: F.cross_entropy(logits.transpose(2, 3), labels).backward())
tried("plain pictures", lambda: F.nll_loss(logits, labels).backward())


def twice(call, x):
    (first,) = torch.autograd.grad(call(x), x, create_graph=True)
    print((first + 0).round(decimals=6).tolist())  # the last digits are those of the linear algebra at hand
    return first.sum().backward()


rows = torch.tensor([[0.5, 0.2, -0.3], [0.1, 0.7, 0.4]], requires_grad=True)
weights = torch.ones(3, requires_grad=True)
for matrix in (torch.zeros(1, 1), torch.ones(2, 2), torch.tensor([[1.0, 2.0], [2.0, 4.0]]), torch.eye(2)):
    x = matrix.double().requires_grad_()
    tried("det twice", lambda: twice(torch.det, x))
    tried("slogdet twice", lambda: twice(lambda x: torch.slogdet(x)[1], x))
tried("hardsigmoid twice", lambda: twice(lambda x: F.hardsigmoid(x).sum(), rows))
tried("threshold twice", lambda: twice(lambda x: (F.threshold(x * 1, 0.3, 5.0, inplace=True) ** 2).sum(), rows))
tried("bag twice", lambda: twice(lambda w: F.embedding_bag(places, rows, places[:1], None, 2.0, False, "sum", False, w[:2]).sum(), weights))
tried("bag twice", lambda: twice(lambda x: F.embedding_bag(places, x, places[:1], None, 2.0, False, "sum", False, weights[:2]).sum(), rows))
tried("no pictures", lambda: twice(lambda x: F.max_pool2d(x, 2).sum(), torch.ones(0, 2, 4, 4, requires_grad=True)))
tried("no places", lambda: twice(lambda x: F.embedding(places[:0], x).sum(), rows))
