"""Scripts over torch.optim: steps of every optimizer, line search, schedules and what they refuse."""

from __future__ import annotations

START = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

OPTIMIZERS = """
def go(make, n=8, **k):
    torch.manual_seed(0)
    a = torch.randn(3, 2, requires_grad=True)
    b = torch.randn(4, requires_grad=True)
    o = make([a, b], **k)
    for i in range(n):
        o.zero_grad()
        l = ((a - 1) ** 2).sum() * ((b + 0.5) ** 2).sum() + (a[0] * b[:2]).sin().sum() + b.exp().sum()
        l.backward()
        o.step()
    print(o)
    print(a, b)
    print(list(o.state_dict()["state"][0]))


O = torch.optim
go(O.RAdam)
go(O.RAdam, lr=0.05, weight_decay=0.1, decoupled_weight_decay=True)
go(O.RAdam, lr=0.01, weight_decay=0.1, maximize=True, betas=(0.5, 0.9))
go(O.Rprop)
go(O.Rprop, lr=0.1, etas=(0.3, 1.5), step_sizes=(0.01, 0.5))
go(O.ASGD)
go(O.ASGD, lr=0.01, t0=3, weight_decay=0.1, lambd=0.1)
go(O.Adafactor)
go(O.Adafactor, lr=0.1, weight_decay=0.1)
go(O.Adam, lr=torch.tensor(0.1))
"""

OPTIMIZER_ERRORS = """
O = torch.optim
w = [torch.ones(1, requires_grad=True)]
for f in (
    lambda: O.Rprop(w, etas=(1.0, 2.0)),
    lambda: O.SGD(w, lr=-1),
    lambda: O.ASGD(w, lr=-1),
    lambda: O.RAdam(w, eps=-1),
    lambda: O.NAdam(w, momentum_decay=-1),
    lambda: O.Adagrad(w, initial_accumulator_value=-1),
    lambda: O.LBFGS(w, lr=-1),
    lambda: O.Adam(w, betas=(1.0, 0.0)),
    lambda: O.SGD(w, lr=torch.ones(2)),
    lambda: O.SGD(w, foo=1),
    lambda: O.SGD(),
    lambda: O.SGD(w, nesterov=True, lr=0.1),
    lambda: O.SGD([], lr=0.1),
    lambda: O.Adadelta(w, rho=2),
    lambda: O.RMSprop(w, alpha=-1),
    lambda: O.Adam(w, weight_decay=-1),
    lambda: O.LBFGS(w).step(),
):
    try:
        f()
        print("ok")
    except Exception as e:
        print(type(e).__name__, e)
"""

LINE_SEARCH = """
def rosen(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


for k in (
    dict(line_search_fn="strong_wolfe"),
    dict(lr=0.5, line_search_fn="strong_wolfe", max_iter=4, history_size=3),
    dict(line_search_fn="strong_wolfe", tolerance_grad=1e-3),
):
    x = torch.tensor([-1.5, 2.0], dtype=torch.float64, requires_grad=True)
    o = torch.optim.LBFGS([x], **k)
    c = [0]

    def closure():
        o.zero_grad()
        l = rosen(x)
        l.backward()
        c[0] += 1
        return l

    for i in range(6):
        l = o.step(closure)
        print(i, f"{l.item():.8f}", [f"{n:.8f}" for n in x.tolist()], c[0])
    print(o, o.state[x]["func_evals"], o.state[x]["n_iter"])
x = torch.tensor([-1.5, 2.0], requires_grad=True)
o = torch.optim.LBFGS([x], line_search_fn="strong_wolfe")
c = [0]
for i in range(4):
    l = o.step(closure)
    print(i, l, x, c[0])
"""

SCHEDULES = """
S = torch.optim.lr_scheduler


def go(f, n=12, m=None, opt=None):
    w = torch.nn.Parameter(torch.zeros(1))
    v = torch.nn.Parameter(torch.zeros(1))
    o = (
        opt([w, v])
        if opt
        else torch.optim.SGD([{"params": [w]}, {"params": [v], "lr": 0.5}], lr=0.1, momentum=0.9)
    )
    s = f(o)
    r = []
    for i in range(n):
        o.step()
        r.append(
            [round(g["lr"], 7) for g in o.param_groups]
            + [round(g.get("momentum", -1), 5) for g in o.param_groups[:1]]
        )
        s.step()
    print(type(s).__name__, r, s.get_last_lr())
    print({k: v for k, v in s.state_dict().items() if not callable(v)})


go(lambda o: S.CyclicLR(o, 0.01, 0.1, step_size_up=3))
go(lambda o: S.CyclicLR(o, [0.01, 0.02], 0.1, step_size_up=3, step_size_down=2, mode="triangular2"))
go(lambda o: S.CyclicLR(o, 0.01, 0.1, 3, mode="exp_range", gamma=0.9))
go(lambda o: S.CyclicLR(o, 0.01, 0.1, 3, scale_fn=lambda x: 0.5, scale_mode="iterations"))
go(lambda o: S.OneCycleLR(o, 0.1, total_steps=13))
go(
    lambda o: S.OneCycleLR(
        o, [0.1, 0.2], epochs=4, steps_per_epoch=5, anneal_strategy="linear", three_phase=True
    )
)
go(lambda o: S.OneCycleLR(o, 0.1, total_steps=13), opt=lambda p: torch.optim.Adam(p))
go(lambda o: S.CosineAnnealingWarmRestarts(o, 3))
go(lambda o: S.CosineAnnealingWarmRestarts(o, 2, 2, 0.001))
go(lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], [3]))
go(
    lambda o: S.SequentialLR(
        o, [S.LinearLR(o, 0.1, total_iters=4), S.CosineAnnealingLR(o, 8), S.StepLR(o, 2)], milestones=[4, 9]
    )
)
go(lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)]))
for f in (
    lambda o: S.StepLR(o, 3),
    lambda o: S.MultiStepLR(o, [2, 5, 5]),
    lambda o: S.ExponentialLR(o, 0.9),
    lambda o: S.CosineAnnealingLR(o, 4, 0.01),
    lambda o: S.LambdaLR(o, [lambda e: 0.95**e, lambda e: 1.0]),
    lambda o: S.MultiplicativeLR(o, lambda e: 0.5),
    lambda o: S.LinearLR(o),
    lambda o: S.ConstantLR(o),
    lambda o: S.PolynomialLR(o, 4, 2.0),
):
    go(f)
"""

SCHEDULE_ERRORS = """
S = torch.optim.lr_scheduler
w = torch.nn.Parameter(torch.zeros(1))
o = torch.optim.SGD([w], lr=0.1)
for f in (
    lambda: S.StepLR(o, 3, verbose=True),
    lambda: S.StepLR(1, 3),
    lambda: S.CyclicLR(o, 0.1, 0.2),
    lambda: S.OneCycleLR(o, 0.1),
    lambda: S.OneCycleLR(o, 0.1, total_steps=-1),
    lambda: S.OneCycleLR(o, 0.1, total_steps=5, pct_start=1),
    lambda: S.OneCycleLR(o, 0.1, total_steps=5, anneal_strategy="x"),
    lambda: S.CosineAnnealingWarmRestarts(o, 0),
    lambda: S.CosineAnnealingWarmRestarts(o, 1, 0),
    lambda: S.SequentialLR(o, [], []),
    lambda: S.SequentialLR(o, [S.StepLR(o, 1)], [1]),
    lambda: S.ChainedScheduler([]),
    lambda: S.ReduceLROnPlateau(o, factor=2),
    lambda: S.ReduceLROnPlateau(o, mode="x"),
    lambda: S.ReduceLROnPlateau(o, min_lr=[1, 2]),
    lambda: S.LambdaLR(o, [1, 2]),
    lambda: S.ConstantLR(o, 2.0),
    lambda: S.LinearLR(o, 0.0),
    lambda: S.LinearLR(o, 1.0, 2.0),
    lambda: S.ChainedScheduler([S.ReduceLROnPlateau(o)]),
    lambda: S.LRScheduler(o),
    lambda: S.CyclicLR(o, 0.1, [1, 2]),
    lambda: S.CyclicLR(o, 0.1, 0.2, mode="x"),
):
    try:
        print(type(f()).__name__)
    except Exception as e:
        print(type(e).__name__, e)
"""

PLATEAU = """
S = torch.optim.lr_scheduler
w = torch.nn.Parameter(torch.zeros(1))
o = torch.optim.SGD([w], lr=0.1)
s = S.ReduceLROnPlateau(o, patience=1, cooldown=1, min_lr=0.002)
for l in (1.0, 0.9, 0.9, 0.9, 0.9, 0.9, torch.tensor(0.9), 0.9, 0.9, 0.9):
    o.step()
    s.step(l)
    print(o.param_groups[0]["lr"], s.num_bad_epochs, s.in_cooldown, s.best)
print(s.state_dict())
"""

RATE_AS_TENSOR = """
S = torch.optim.lr_scheduler
w = torch.nn.Parameter(torch.zeros(1))
o = torch.optim.SGD([w], lr=torch.tensor(0.1))
s = S.ExponentialLR(o, 0.5)
for i in range(3):
    o.step()
    s.step()
    print(o.param_groups[0]["lr"], s.get_last_lr())
"""

OWN_SCHEDULE = """
class Warm(torch.optim.lr_scheduler.LRScheduler):
    def __init__(self, o, n, last_epoch=-1):
        self.n = n
        super().__init__(o, last_epoch)

    def get_lr(self):
        return [b * min(1, (self.last_epoch + 1) / self.n) for b in self.base_lrs]


w = torch.nn.Parameter(torch.zeros(1))
o = torch.optim.SGD([w], lr=1.0)
s = Warm(o, 4)
for i in range(5):
    print(o.param_groups[0]["lr"], s.last_epoch, s.get_last_lr())
    o.step()
    s.step()
"""

SCRIPTS: dict[str, str] = {
    "optimizers": OPTIMIZERS,
    "optimizer_errors": OPTIMIZER_ERRORS,
    "line_search": LINE_SEARCH,
    "schedules": SCHEDULES,
    "schedule_errors": SCHEDULE_ERRORS,
    "plateau": PLATEAU,
    "rate_as_tensor": RATE_AS_TENSOR,
    "own_schedule": OWN_SCHEDULE,
}
