"""Optimizer playground: what is in state_dict, param_groups, what errors look like."""
import torch
from torch import nn, optim
from pprint import pprint

torch.manual_seed(0)
w = nn.Parameter(torch.tensor([1.0, -2.0]))
b = nn.Parameter(torch.tensor(0.5))

def closure_for(opt):
    def closure():
        opt.zero_grad()
        loss = (w ** 2).sum() * 0.5 + (b - 1).abs()
        loss.backward()
        return loss
    return closure

table = {
    "SGD": dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-3),
    "Adam": dict(lr=0.1, amsgrad=True),
    "AdamW": dict(lr=0.1),
    "Adamax": dict(),
    "NAdam": dict(lr=0.05),
    "RAdam": dict(),
    "Adagrad": dict(lr=0.5),
    "Adadelta": dict(),
    "RMSprop": dict(lr=0.01, centered=True, momentum=0.5),
    "Rprop": dict(lr=0.1),
    "ASGD": dict(),
    "Adafactor": dict(lr=0.1),
    "LBFGS": dict(lr=0.5, max_iter=3),
}
start = {"w": w.detach().clone(), "b": b.detach().clone()}
for name, kw in table.items():
    with torch.no_grad():
        w.copy_(start["w"]); b.copy_(start["b"])
    opt = getattr(optim, name)([w, b], **kw)
    losses = [float(opt.step(closure_for(opt))) for _ in range(3)]
    print(name, ["%.4f" % l for l in losses], w.data, b.item())
    keys = sorted(opt.state[w].keys())
    print("   ", keys)
print(opt)
opt = optim.Adam([{"params": [w], "lr": 0.2}, {"params": [b], "weight_decay": 0.1, "name": "bias"}], lr=1e-3)
print(opt)
closure_for(opt)(); opt.step()
pprint(opt.state_dict())
sd = opt.state_dict()
opt2 = optim.Adam([{"params": [w]}, {"params": [b]}], lr=5.0)
opt2.load_state_dict(sd)
print([g["lr"] for g in opt2.param_groups], opt2.state[w]["step"])
opt2.add_param_group({"params": [nn.Parameter(torch.zeros(2))]})
print(len(opt2.param_groups), opt2.param_groups[-1]["lr"])
for bad in (
    lambda: opt2.load_state_dict(sd),
    lambda: opt2.add_param_group({"params": [w]}),
    lambda: opt2.add_param_group([w]),
    lambda: optim.SGD([w], lr=-1),
    lambda: optim.SGD([w], momentum=-0.1),
    lambda: optim.SGD([w], nesterov=True, lr=0.1),
    lambda: optim.Adam([w], betas=(1.0, 0.999)),
    lambda: optim.Adam([w], eps=-1),
    lambda: optim.Adam(w),
    lambda: optim.Adam([w, w]),
    lambda: optim.Adam([]),
    lambda: optim.Adam([w * 2]),
    lambda: optim.Adam([torch.tensor([1.0])]),
    lambda: optim.Adam({"w": w}),
    lambda: optim.Adam([("w", w)]),
    lambda: optim.Adam([1, 2]),
    lambda: optim.Adam(nn.Linear(2, 2)),
    lambda: optim.SGD([w], 0.1, 0.9, bogus=1),
    lambda: optim.LBFGS([{"params": [w]}, {"params": [b]}]),
    lambda: optim.LBFGS([w]).step(),
    lambda: optim.RMSprop([w], alpha=-1),
    lambda: optim.Adagrad([w], lr_decay=-1),
    lambda: optim.lr_scheduler.StepLR(w, 1),
    lambda: optim.lr_scheduler.StepLR(opt),
    lambda: optim.lr_scheduler.MultiStepLR(opt, [3, 2], verbose=True),
    lambda: optim.lr_scheduler.LambdaLR(opt, [lambda e: 1]),
    lambda: optim.lr_scheduler.ExponentialLR(opt, 0.9, last_epoch=3),
    lambda: optim.lr_scheduler.ReduceLROnPlateau(opt, factor=1.0),
    lambda: optim.lr_scheduler.CyclicLR(opt, 0.1, 0.2),
    lambda: optim.lr_scheduler.OneCycleLR(opt, 0.1),
    lambda: optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, 0),
):
    try:
        r = bad()
        print("fine", type(r).__name__)
    except Exception as e:
        print(type(e).__name__, "|", e)
named = optim.SGD(nn.Linear(2, 1).named_parameters(), lr=0.1)
print(named.param_groups[0]["param_names"])
print(named)
opt.register_step_post_hook(lambda o, a, k: print("post", type(o).__name__, a, k))
h = opt.register_step_pre_hook(lambda o, a, k: print("pre", len(o.param_groups)))
opt.step(); h.remove(); opt.step()
opt.zero_grad(); print(w.grad, b.grad)
opt.zero_grad(set_to_none=False); print(w.grad)
