# Derivatives of derivatives: what each loss gives with create_graph, and the nodes that are made.
import torch
import torch.nn.functional as F
x = torch.tensor([[0.3, -1.2, 2.0], [0.5, 0.1, -0.4]], requires_grad=True)
t = torch.tensor([[0.1, 0.9, 0.4], [0.7, 0.2, 0.6]], requires_grad=True)
p = torch.sigmoid(x.detach()).requires_grad_()
q = torch.tensor([2, 0])
s = torch.tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]])
for name, f, a in (
    ("mse", lambda z: F.mse_loss(z, t), x), ("mse none", lambda z: F.mse_loss(z, t, reduction="none").pow(2).sum(), x),
    ("smooth", lambda z: F.smooth_l1_loss(z, t), x), ("huber", lambda z: F.huber_loss(z, t, delta=0.7), x),
    ("l1", lambda z: F.l1_loss(z, t), x),
    ("bce", lambda z: F.binary_cross_entropy(z, t, weight=torch.tensor([1.0, 2.0, 0.5])), p),
    ("soft margin", lambda z: F.soft_margin_loss(z, s), x),
    ("nll", lambda z: F.nll_loss(z * z, q), x), ("cross entropy", lambda z: F.cross_entropy(z, q), x),
    ("soft", lambda z: F.cross_entropy(z, t), x), ("softmax", lambda z: (torch.softmax(z, 1) * t).sum(), x),
    ("kl", lambda z: F.kl_div(F.log_softmax(z, 1), F.softmax(t, 1), reduction="batchmean"), x),
    ("triplet", lambda z: F.triplet_margin_loss(z, t, s), x),
    ("dist", lambda z: torch.dist(z, t), x), 
    ("poisson", lambda z: F.poisson_nll_loss(z, t), x),
    ("euclid", lambda z: torch.cdist(z, t, compute_mode="use_mm_for_euclid_dist").sum(), x),
):
    g, = torch.autograd.grad(f(a), a, create_graph=True)
    print(name, g)
    print("   ", [n.name() if n else None for n, _ in g.grad_fn.next_functions] if g.grad_fn else None)
    second, other = torch.autograd.grad((g * torch.tensor([1.0, -2.0, 0.5])).sum(), (a, t), create_graph=True, allow_unused=True)
    print("   ", second)
    print("   ", other)
    if name in ("mse none", "bce", "poisson", "dist3"):
        third, = torch.autograd.grad(second.sum(), a)
        print("   ", third)
