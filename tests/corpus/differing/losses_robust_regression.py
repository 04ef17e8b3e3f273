# Regression with an outlier: squared, absolute, smooth and Huber losses side by side.
import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.linspace(-2, 2, 9).unsqueeze(1)
y = 1.5 * x - 0.5
y[4] += 8.0

losses = {
    "mse": nn.MSELoss(),
    "l1": nn.L1Loss(),
    "smooth": nn.SmoothL1Loss(beta=0.5),
    "huber": nn.HuberLoss(delta=1.0),
}
for name, criterion in losses.items():
    torch.manual_seed(3)
    model = nn.Linear(1, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(60):
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
    print(f"{name:7s} {criterion!r:16} loss={loss.item():.4f} w={model.weight.item():.4f} b={model.bias.item():.4f}")
    print("       ", loss.grad_fn.name(), [n.name() if n else None for n, _ in loss.grad_fn.next_functions])

e = torch.tensor([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0], requires_grad=True)
zero = torch.zeros(7)
for f in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss):
    value = f(e, zero, reduction="none")
    g, = torch.autograd.grad(value.sum(), e, create_graph=True)
    print(f.__name__, value.detach(), g.detach())
    if g.requires_grad:
        h, = torch.autograd.grad(g.sum(), e, allow_unused=True)
        print("   second", h)
print(F.huber_loss(e, zero, delta=0.5), F.smooth_l1_loss(e, zero, beta=0.5), F.smooth_l1_loss(e, zero, beta=0))
both = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([0.0, 5.0], requires_grad=True)
F.huber_loss(*both, reduction="sum").backward()
print(both[0].grad, both[1].grad)

prediction = torch.randn(4, 1, generator=torch.Generator().manual_seed(0), requires_grad=True)
target = torch.tensor([0.0, 1.0, 2.0, 3.0])
wrong = F.mse_loss(prediction, target)
right = F.mse_loss(prediction.squeeze(1), target)
print(wrong, right)
wrong.backward()
print(prediction.grad)
print(nn.MSELoss()(prediction, target), nn.L1Loss()(prediction, target))
print(nn.MSELoss(size_average=False)(prediction.squeeze(1), target))
print(nn.MSELoss(reduce=False)(prediction.squeeze(1), target))
print(F.mse_loss(prediction.squeeze(1), target, weight=torch.tensor([1.0, 0.0, 0.0, 1.0])))

mean, var = torch.tensor([0.5, 1.5], requires_grad=True), torch.tensor([0.3, 2.0], requires_grad=True)
nll = nn.GaussianNLLLoss(full=True)(mean, torch.tensor([1.0, 1.0]), var)
nll.backward()
print(nll, mean.grad, var.grad)
rate = torch.tensor([0.1, 1.0, 2.0], requires_grad=True)
poisson = nn.PoissonNLLLoss(full=True)(rate, torch.tensor([0.0, 2.0, 5.0]))
poisson.backward()
print(poisson, rate.grad)

for bad in (
    lambda: F.huber_loss(e, zero, delta=0),
    lambda: F.smooth_l1_loss(e, zero, beta=-1),
    lambda: F.mse_loss(e, torch.zeros(3)),
    lambda: F.mse_loss(torch.tensor([1, 2]), torch.tensor([1, 3])),
    lambda: F.l1_loss(e, 0.0),
    lambda: nn.HuberLoss(delta="1"),
    lambda: nn.GaussianNLLLoss()(mean, mean, -var),
    lambda: nn.MSELoss(reduction="avg")(e, zero),
):
    try:
        print(bad())
    except Exception as error:
        print(type(error).__name__, error)
F.huber_loss(e, torch.zeros(7, dtype=torch.float64)).backward()
