"""Weight norms of every dim, weights of losses with too many dims, the largest of whole numbers."""

import torch
import torch.nn.functional as F
from torch import nn


def names(node):
    found = []
    while node is not None and "Accumulate" not in node.name():
        found.append(node.name())
        node = node.next_functions[-1][0]
    return found


for dim in (None, -1, -2, 0, 1):
    torch.manual_seed(0)
    layer = nn.utils.weight_norm(nn.Linear(2, 3), dim=dim)
    print(dim, layer.weight_g.shape, names(layer.weight.grad_fn))
    (layer(torch.tensor([[1.0, 2.0]])) ** 2).sum().backward()
    print(layer.weight_g.grad, layer.weight_v.grad)
torch.manual_seed(1)
layer = nn.utils.weight_norm(nn.Conv1d(2, 3, 2), dim=1)
layer(torch.ones(1, 2, 4)).sum().backward()
print(layer.weight_g, names(layer.weight.grad_fn), layer.weight_g.grad)

x, y = torch.full((2, 3), 0.5), torch.ones(2, 3)
for shape in ((3,), (2, 1), (1, 2, 3), (4, 2, 3)):
    for loss in (
        lambda w: F.binary_cross_entropy(x, y, w),
        lambda w: F.binary_cross_entropy_with_logits(x, y, w),
        lambda w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w),
    ):
        try:
            print(loss(torch.ones(shape)))
        except RuntimeError as error:
            print(error)

whole = torch.arange(6).reshape(1, 6)
print(F.max_pool1d(whole, 2, return_indices=True))
try:
    F.max_pool1d(whole, 2)
except NotImplementedError as error:
    print(error)

factors, order = torch.linalg.lu_factor(torch.tensor([[2.0, 1.0], [1.0, 3.0]]))
for pivots, right in ((order[:1], torch.ones(2, 1)), (order, torch.ones(3, 1)), (order, torch.ones(2, 1))):
    try:
        print(torch.linalg.lu_solve(factors, pivots, right))
    except RuntimeError as error:
        print(error)
for weights in (torch.ones(2), torch.ones(1, 3), torch.tensor([1.0, -1.0, 1.0]), torch.zeros(3), torch.tensor([1, 2, 3])):
    try:
        print(torch.cov(x, aweights=weights))
    except RuntimeError as error:
        print(error)
