"""What scripts ask of optimizers, modules and hooks before they train."""

import inspect

import torch
from numpy.fft import irfft2, rfft2
from torch import nn
from torch.autograd.functional import jacobian
from torch.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks

# Options that an optimizer knows, and only those
NAMES = "SGD Adam AdamW LBFGS RMSprop Adagrad Adadelta Adamax NAdam RAdam Rprop ASGD Adafactor".split()
config = {"lr": 0.1, "betas": (0.8, 0.9), "momentum": 0.9, "fused": False, "unknown": 1}
for name in NAMES:
    kind = getattr(torch.optim, name)
    known = inspect.signature(kind).parameters
    chosen = {key: value for key, value in config.items() if key in known}
    print(name, chosen, [f"{p.name}:{p.kind.name}={p.default}" for p in known.values() if p.name != "params"])
    print(list(kind([nn.Parameter(torch.zeros(1))], **chosen).param_groups[0])[1:])
print(list(inspect.signature(torch.optim.SGD.__init__).parameters)[:3])
print(inspect.signature(torch.optim.Adam).bind([], lr=3).arguments)


# A class of one's own around what nodes save
class Counted(saved_tensors_hooks):
    def __init__(self, factor):
        self.count, self.factor = 0, factor

        def pack(x):
            self.count += 1
            return x / factor

        super().__init__(pack, lambda x: x * factor)

    def __enter__(self):
        super().__enter__()
        return self


a = torch.tensor([1.0, 2.0], requires_grad=True)
with Counted(2) as counted:
    loss = (a * a).exp().sum()
loss.backward()
print(counted.count, a.grad, isinstance(counted, saved_tensors_hooks), issubclass(save_on_cpu, saved_tensors_hooks))
for _ in range(2):
    with counted, counted:
        (a * a).sum().backward()
print(counted.count, a.grad)
with disable_saved_tensors_hooks("none of them here"):
    for kind in (save_on_cpu, lambda: Counted(3)):
        try:
            with kind():
                a * a
        except RuntimeError as error:
            print(error)
for arguments in [(), (1,), (1, 2, 3)]:
    try:
        saved_tensors_hooks(*arguments)
    except TypeError as error:
        print(error)

# A module without what it needs
layer = nn.Linear(2, 2)
del layer.bias
for use in (lambda: layer(torch.ones(2)), lambda: repr(layer), lambda: layer.bias):
    try:
        use()
    except AttributeError as error:
        print(error)
layer.bias = None
print(layer, layer(torch.zeros(2)))

# Graph convolutions call it so, of dense tensors too
support = torch.tensor([[0.5, 0.5], [0.0, 1.0]], requires_grad=True)
print(torch.spmm(support, torch.eye(2)), hasattr(support, "spmm"))
for other in (torch.ones(2), torch.ones(3, 2), 3):
    try:
        torch.spmm(support, other)
    except (RuntimeError, TypeError) as error:
        print(error)

# Columns of a Jacobian come in lists
x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
for function, inputs in [
    (lambda x: 2 * x, x),
    (lambda x: (2 * x, x), x),
    (lambda x, y: x * y, (x, y)),
    (lambda x, y: (2 * x, y), (x, y)),
]:
    print(jacobian(function, inputs, vectorize=True, strategy="forward-mode"))
    print(jacobian(function, inputs, vectorize=True))

# A transform of numpy's inside a Function, as the tutorial of extensions has it
class Spectrum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.new(abs(rfft2(x.detach().numpy())).round(4))

    @staticmethod
    def backward(ctx, g):
        return g.new(irfft2(g.numpy()).round(4))


image = torch.eye(4, requires_grad=True)
spectrum = Spectrum.apply(image)
spectrum.backward(torch.ones(spectrum.size()))
print(spectrum, image.grad)

# Passes over old results after many others
z = torch.tensor([1.0, 2.0], requires_grad=True)
f = z[0] ** 3 * z[1] + z[1].exp()
g = torch.autograd.grad(f, z, create_graph=True)[0]
print(torch.stack([torch.autograd.grad(one, z, retain_graph=True)[0] for one in g]))
print(torch.func.hessian(lambda z: z[0] ** 3 * z[1] + z[1].exp())(z.detach()))
f.backward()
f.backward()
