"""Scripts over torch.nn and torch.optim; `record_nn_scripts.py` writes down what PyTorch prints for each."""

from __future__ import annotations

START = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

NET = """
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.act = nn.ReLU()
        self.seq = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        self.w = nn.Parameter(torch.ones(2))
        self.register_buffer("b", torch.zeros(2))
    def forward(self, x):
        return self.seq(self.act(self.fc1(x))) * self.w.sum()
net = Net()
x = torch.randn(2, 3)
"""

TRAIN = """
for step in range(12):
    opt.zero_grad()
    loss = nn.MSELoss()(net(x), torch.ones(2, 1))
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    if step % 4 == 0:
        print(loss)
print(opt)
print(nn.utils.parameters_to_vector(net.parameters()))
"""

OPTIMIZERS = {
    "sgd": "SGD(net.parameters(), lr=0.1)",
    "sgd_nesterov": "SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)",
    "sgd_dampening": "SGD(net.parameters(), lr=0.1, momentum=0.9, dampening=0.5)",
    "sgd_maximize": "SGD(net.parameters(), lr=0.01, maximize=True)",
    "sgd_groups": "SGD([{'params': net.fc1.parameters()}, {'params': net.seq.parameters(), 'lr': 0.5}], lr=0.1)",
    "adam": "Adam(net.parameters(), lr=0.01, weight_decay=0.1)",
    "adam_amsgrad": "Adam(net.parameters(), lr=0.01, amsgrad=True)",
    "adamw": "AdamW(net.parameters(), lr=0.01)",
    "rmsprop": "RMSprop(net.parameters(), lr=0.01)",
    "rmsprop_centered": "RMSprop(net.parameters(), lr=0.01, centered=True, momentum=0.5)",
    "adagrad": "Adagrad(net.parameters(), lr_decay=0.1)",
    "adadelta": "Adadelta(net.parameters())",
    "adamax": "Adamax(net.parameters())",
    "nadam": "NAdam(net.parameters())",
}

SCHEDULES = (
    "StepLR(opt, 3)", "MultiStepLR(opt, [2, 5, 5])", "ExponentialLR(opt, 0.9)", "CosineAnnealingLR(opt, 4)",
    "LambdaLR(opt, lambda e: 0.95 ** e)", "MultiplicativeLR(opt, lambda e: 0.5)", "LinearLR(opt)", "ConstantLR(opt)",
    "PolynomialLR(opt, 4)",
)  # fmt: skip

SCRIPTS: dict[str, str] = {
    **{name: f"{NET}opt = torch.optim.{text}\n{TRAIN}" for name, text in OPTIMIZERS.items()},
    "lbfgs": NET + """
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4)
calls = []
def closure():
    opt.zero_grad()
    loss = ((net(x) - torch.ones(2, 1)) ** 2).mean()
    loss.backward()
    calls.append(1)
    return loss
for step in range(3):
    print(opt.step(closure), len(calls))
""",
    "schedules": "".join(
        f"""
opt = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
schedule = torch.optim.lr_scheduler.{text}
for epoch in range(9):
    print(schedule.get_last_lr(), opt.param_groups[0]["lr"])
    opt.step()
    schedule.step()
"""
        for text in SCHEDULES
    ),
    "plateau": """
opt = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=1)
for value in [3.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0]:
    schedule.step(value)
    print(opt.param_groups[0]["lr"])
""",
    "optimizer_state": """
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.Adam([w], lr=0.1)
(w ** 2).sum().backward()
opt.step()
print(opt.state_dict())
print(opt.state.get(w)["exp_avg"])
opt.zero_grad()
print(w.grad)
(w ** 2).sum().backward()
opt.zero_grad(set_to_none=False)
print(w.grad)
""",
    "optimizer_errors": """
w = torch.ones(1, requires_grad=True)
for make in (lambda: torch.optim.SGD([], lr=0.1), lambda: torch.optim.SGD(w, lr=0.1),
             lambda: torch.optim.SGD([w * 2], lr=0.1), lambda: torch.optim.Adam([w], lr=-1.0),
             lambda: torch.optim.SGD([w], lr=0.1, nesterov=True)):
    try:
        make()
    except Exception as error:
        print(type(error).__name__, error)
""",
    "module_text": NET + """
print(net)
print(nn.ModuleList([nn.Linear(1, 2), nn.Linear(1, 2), nn.ReLU()]))
print(nn.ModuleDict({"a": nn.ReLU(), "b": nn.Identity()}))
print(nn.Sequential())
print(nn.Bilinear(1, 2, 3), nn.Flatten(), nn.Unflatten(1, (2, 3)), nn.Softmax(dim=1), nn.ReLU(inplace=True))
print(nn.LSTM(2, 3, 2, batch_first=True), nn.GRUCell(2, 3), nn.RNN(2, 3))
""",
    "module_contents": NET + """
for name, parameter in net.named_parameters():
    print(name, parameter.shape, parameter.requires_grad)
print([name for name, _ in net.named_modules()], [name for name, _ in net.named_children()])
print([name for name, _ in net.named_buffers()], len(list(net.parameters())))
print(list(net.state_dict().keys()))
print(net.load_state_dict(net.state_dict()))
print(net.eval().training, net.train().seq[0].training)
print(net.seq[1:], len(net.seq), net.seq[-1])
net.requires_grad_(False)
print(any(p.requires_grad for p in net.parameters()))
print(net.double().w.dtype, net.fc1.bias)
""",
    "module_errors": """
class A(nn.Module):
    def __init__(self):
        self.a = nn.Linear(1, 1)
class B(nn.Module):
    def __init__(self):
        self.b = nn.Parameter(torch.ones(1))
class C(nn.Module):
    pass
m = nn.Linear(2, 1)
def assign():
    m.weight = torch.ones(1, 2)
for run in (A, B, lambda: C()(1), lambda: C().foo, assign, lambda: m.register_parameter("z", torch.ones(1)),
            lambda: m.register_buffer("weight", torch.ones(1)), lambda: nn.Sequential(1),
            lambda: nn.Sequential(m)[5], lambda: m.load_state_dict({}), lambda: nn.Parameter(torch.tensor([1])),
            lambda: m.load_state_dict({"weight": torch.ones(3, 2), "bias": torch.ones(1)})):
    try:
        print(run())
    except Exception as error:
        print(type(error).__name__, error)
""",
    "hooks": NET + """
first = net.fc1.register_forward_hook(lambda m, i, o: print("forward", type(m).__name__, i, o))
pre = net.fc1.register_forward_pre_hook(lambda m, i: (i[0] * 2,))
back = net.seq.register_full_backward_hook(lambda m, gi, go: print("backward", gi, go))
out = net(x)
out.sum().backward()
print(net.fc1.weight.grad)
for handle in (first, pre, back):
    handle.remove()
print(net(x))
""",
    "init": """
torch.manual_seed(3)
w = torch.empty(3, 5)
for fill in (nn.init.uniform_, nn.init.normal_, nn.init.zeros_, nn.init.ones_, nn.init.eye_, nn.init.xavier_uniform_,
             nn.init.xavier_normal_, nn.init.kaiming_uniform_, nn.init.kaiming_normal_, nn.init.trunc_normal_):
    print(fill(w))
print(nn.init.constant_(w, 0.3), nn.init.calculate_gain("leaky_relu", 0.2))
print(nn.init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu"))
""",
    "recurrent": """
torch.manual_seed(1)
x = torch.randn(3, 2, 4)
for cls in (nn.RNN, nn.LSTM, nn.GRU):
    m = cls(4, 3)
    y, state = m(x)
    print(y.detach(), state[0].shape)
    y.sum().backward()
    print(m.weight_ih_l0.grad, m.bias_hh_l0.grad)
for cls in (nn.RNNCell, nn.LSTMCell, nn.GRUCell):
    y = cls(4, 3)(x[0])
    print((y[0] if isinstance(y, tuple) else y).detach())
""",
    "func": """
from torch.func import grad, vjp, jvp, jacrev, jacfwd, hessian, vmap, grad_and_value
x = torch.tensor([1., 2., 3.])
f = lambda x: (x ** 3).sum()
g = lambda x: torch.stack([x[0]*x[1], x[2]**2])
print(grad(f)(x), grad(grad(lambda t: t**4))(torch.tensor(2.)))
print(grad_and_value(f)(x))
y, pull = vjp(g, x)
print(y, pull(torch.tensor([1., 2.])))
print(jvp(g, (x,), (torch.ones(3),)))
print(jacrev(g)(x)); print(jacfwd(g)(x)); print(hessian(f)(x))
print(vmap(lambda a, b: (a*b).sum())(torch.ones(2,3), torch.arange(6.).reshape(2,3)))
print(vmap(grad(f))(torch.ones(2,3)))
print(jacrev(lambda a, b: a*b, argnums=(0,1))(x, x))
try:
    grad(g)(x)
except RuntimeError as error:
    print(error)
""",
    "custom_functions": """
class Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        ctx.save_for_backward(x)
        return x * k, x ** 2
    @staticmethod
    def backward(ctx, g1, g2):
        x, = ctx.saved_tensors
        print(g1, g2)
        return g1 * ctx.k + g2 * 2 * x, None
x = torch.tensor([1., 2.], requires_grad=True)
a, b = Split.apply(x, 3.)
(a.sum() + (b * b).sum()).backward()
print(x.grad)
a, b = Split.apply(x, 3.)
b.sum().backward()
print(x.grad)
class NonDiff(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        i = x.argmax()
        m = x * 2
        ctx.mark_non_differentiable(m)
        return x * 5, m
    @staticmethod
    def backward(ctx, g, _):
        return g * 5
y, m = NonDiff.apply(x)
print(y.requires_grad, m.requires_grad)
y.sum().backward()
print(x.grad)
class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g
w = x * 2
z = Dirty.apply(w)
print(z is w, z)
z.sum().backward()
print(x.grad)
class Mat(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2, x * 3
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
    @staticmethod
    def backward(ctx, g1, g2):
        print(g1, g2)
        return g1 * 2
p, q = Mat.apply(x)
p.sum().backward()
print(x.grad)
""",
}  # fmt: skip
