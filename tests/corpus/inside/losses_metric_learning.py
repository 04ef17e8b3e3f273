# Embeddings that keep friends close: triplet, cosine embedding, ranking and hinge losses, and distances.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(7)
net = nn.Linear(5, 2, bias=False)
anchor, positive, negative = torch.randn(4, 5), torch.randn(4, 5), torch.randn(4, 5)
triplet = nn.TripletMarginLoss(margin=1.0, p=2)
print(triplet, triplet.margin, triplet.p, triplet.eps, triplet.swap)

loss = triplet(net(anchor), net(positive), net(negative))
loss.backward()
print(loss, net.weight.grad)
node = loss.grad_fn
while node is not None and node.next_functions:
    print(node.name(), [n.name() if n else None for n, _ in node.next_functions])
    node = node.next_functions[0][0]

opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(10):
    opt.zero_grad()
    loss = F.triplet_margin_loss(net(anchor), net(positive), net(negative), margin=0.5, swap=True)
    loss.backward()
    opt.step()
print("after", loss)


def one_minus_cosine(a, b):
    return 1.0 - F.cosine_similarity(a, b)


custom = nn.TripletMarginWithDistanceLoss(distance_function=one_minus_cosine, margin=0.2)
value = custom(net(anchor), net(positive), net(negative))
print(custom, value)
print(nn.TripletMarginWithDistanceLoss())
print(F.triplet_margin_with_distance_loss(anchor, positive, negative, distance_function=lambda a, b: (a - b).abs().sum(1)))

a = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]], requires_grad=True)
b = torch.tensor([[0.0, 1.0], [1.0, 1.0], [0.0, -1.0]], requires_grad=True)
target = torch.tensor([1, -1, 1])
loss = nn.CosineEmbeddingLoss(margin=0.5)(a, b, target)
loss.backward()
print(loss, a.grad, b.grad)
rank = nn.MarginRankingLoss(margin=0.1)(a[:, 0], b[:, 0], torch.ones(3))
print(rank, rank.grad_fn.next_functions[0][0].name())
print(nn.HingeEmbeddingLoss()(F.pairwise_distance(a, b), target))
print(nn.SoftMarginLoss()(a[:, 0], target.float()), F.soft_margin_loss(a[:, 0], target, reduction="none"))
print(F.pairwise_distance(a, b), nn.PairwiseDistance(p=1, keepdim=True)(a, b))

x = torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]], requires_grad=True)
d = torch.cdist(x, x)
print(d)
d.sum().backward()
print(x.grad)
x.grad = None
F.pdist(x).sum().backward()
print(F.pdist(x), x.grad)
print(torch.dist(x[0], x[1]), torch.dist(x[0], x[1], 1), torch.cdist(x, x, p=1)[0])
unit = F.normalize(x[1:], dim=1)
print(unit, unit.grad_fn.name(), (unit @ unit.T))
big = torch.arange(60.0).reshape(30, 2).sin().requires_grad_()
far = torch.cdist(big, x)
print(far.grad_fn.name(), far.grad_fn.next_functions[0][0].name(), far.sum())
bilinear = nn.Bilinear(2, 2, 3)
out = bilinear(a, b)
print(bilinear, out)
out.sum().backward()
print(bilinear.weight.grad.shape, bilinear.bias.grad, bilinear.weight.grad[0])
print(F.one_hot(torch.tensor([0, 2, 1])), F.one_hot(torch.tensor([1]), num_classes=4))
for bad in (
    lambda: nn.TripletMarginLoss(margin=0.0),
    lambda: triplet(a, b, a[0]),
    lambda: nn.CosineEmbeddingLoss()(a, b, torch.ones(2, 2)),
    lambda: nn.CosineEmbeddingLoss()(a[0], b[0], target),
    lambda: nn.MarginRankingLoss()(a[:, 0], b[:, 0], torch.ones(3, 1)),
    lambda: torch.cdist(a, b[:, :1]),
    lambda: F.cosine_similarity(a[0], b[0]),
    lambda: F.one_hot(torch.tensor([0, 3]), 3),
    lambda: bilinear(a, b[:2]),
):
    try:
        print(bad())
    except Exception as error:
        print(type(error).__name__, error)
