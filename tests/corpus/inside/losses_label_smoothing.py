"""Label smoothing and soft targets, written by hand and as PyTorch has them; NLL, margins over classes."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
logits = torch.randn(4, 3, requires_grad=True)
target = torch.tensor([2, 0, 1, 1])
eps = 0.1

smooth = nn.CrossEntropyLoss(label_smoothing=eps)
loss = smooth(logits, target)
loss.backward()
print(loss)
print(logits.grad)

soft = F.one_hot(target, 3).float() * (1 - eps) + eps / 3
same = F.cross_entropy(logits, soft)
print(same, same.grad_fn.name())
g, = torch.autograd.grad(same, logits)
print(torch.allclose(g, logits.grad))
by_hand = (1 - eps) * F.nll_loss(F.log_softmax(logits, 1), target) - eps * F.log_softmax(logits, 1).mean()
print(by_hand)


def names(node, seen=None):
    seen = [] if seen is None else seen
    if node is not None and node not in seen:
        seen.append(node)
        for child, _ in node.next_functions:
            names(child, seen)
    return [n.name() for n in seen]


print(names(loss.grad_fn))
print(names(same.grad_fn))

weight = torch.tensor([1.0, 2.0, 3.0])
for reduction in ("mean", "sum", "none"):
    print(reduction, F.cross_entropy(logits, target, weight, reduction=reduction, label_smoothing=eps).detach())
    print(" " * len(reduction), F.cross_entropy(logits, soft, weight, reduction=reduction).detach())
    print(" " * len(reduction), F.nll_loss(logits, target, weight, ignore_index=1, reduction=reduction).detach())

q = torch.softmax(torch.randn(4, 3), 1).requires_grad_()
F.cross_entropy(logits, q, reduction="sum").backward()
print(q.grad)

images = torch.randn(2, 3, 2, 2, requires_grad=True)
labels = torch.randint(0, 3, (2, 2, 2))
pixel = F.cross_entropy(images, labels)
pixel.backward()
print(pixel, pixel.grad_fn.name(), images.grad[0, :, 0, 0])

hinge = nn.MultiMarginLoss()
print(hinge(logits, target), nn.MultiMarginLoss(p=2, margin=0.5, weight=weight)(logits, target))
logits.grad = None
hinge(logits, target).backward()
print(logits.grad)
many = nn.MultiLabelMarginLoss()(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([[3, 0, -1, 1]]))
print(many, nn.MultiLabelSoftMarginLoss()(logits, F.one_hot(target, 3)))

one = logits[:1].detach().requires_grad_()
g, = torch.autograd.grad(F.cross_entropy(one, target[:1]), one, create_graph=True)
h = torch.stack([torch.autograd.grad(g[0, i], one, retain_graph=True)[0][0] for i in range(3)])
p = torch.softmax(one.detach(), 1)
print(h)
print(torch.allclose(h, torch.diag(p[0]) - p.T @ p, atol=1e-6))
print(F.cross_entropy(logits[0], target[0]), F.nll_loss(F.log_softmax(logits[0], 0), torch.tensor(0)))


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, reduction="mean"):
        super().__init__()
        self.gamma = gamma
        self.ce = nn.CrossEntropyLoss(reduction="none")
        self.reduction = reduction

    def forward(self, x, y):
        ce = self.ce(x, y)
        loss = (1 - torch.exp(-ce)) ** self.gamma * ce
        return loss.mean() if self.reduction == "mean" else loss


focal = FocalLoss()
logits.grad = None
focal(logits, target).backward()
print(focal, focal(logits, target), logits.grad)
for bad in (
    lambda: F.cross_entropy(logits, target, label_smoothing=1.5),
    lambda: F.cross_entropy(logits, soft, ignore_index=0),
    lambda: F.cross_entropy(logits, F.one_hot(target, 3)),
    lambda: F.cross_entropy(logits, target.int()),
    lambda: F.cross_entropy(logits, target, weight=weight[:2]),
    lambda: F.cross_entropy(logits, target.tolist()),
    lambda: F.nll_loss(logits, target + 1),
    lambda: F.nll_loss(images, target),
    lambda: nn.CrossEntropyLoss(5),
    lambda: nn.MultiMarginLoss(p=3),
    lambda: nn.CrossEntropyLoss()(logits),
    lambda: nn.MSELoss(1, 2, 3, 4),
):
    try:
        print(bad())
    except Exception as error:
        print(type(error).__name__, error)
nn.NLLLoss()(F.log_softmax(logits, 1), torch.tensor([0, 1, 2, 3]))
