# Tensors made with every word about where and how they lie, as written in older optimizers and by careful people.
import torch

p = torch.nn.Parameter(torch.arange(6.0).reshape(2, 3))
kept = torch.preserve_format


def told(name, make):
    try:
        made = make()
        print(f"{name:14s} {tuple(made.shape)} {made.dtype} {made.requires_grad} {made.device}")
    except (RuntimeError, TypeError, AssertionError) as error:
        print(f"{name:14s} {type(error).__name__}: {str(error).splitlines()[0]}")


every = dict(dtype=torch.float64, layout=torch.strided, device="cpu", pin_memory=False, requires_grad=True)
for name in ("zeros_like", "ones_like", "rand_like", "randn_like", "empty_like"):
    like = getattr(torch, name)
    told(name, lambda: like(p, memory_format=kept))
    told(name, lambda: like(p, device=p.device))
    told(name, lambda: like(p, **every, memory_format=kept))
    told(name, lambda: like(p, device="cuda"))
    told(name, lambda: like(p, pin_memory=True))
    told(name, lambda: like(p, memory=kept))
told("full_like", lambda: torch.full_like(p, 2.0, **every, memory_format=torch.contiguous_format))
told("randint_like", lambda: torch.randint_like(p, 5, **every, memory_format=kept))
for name in ("new_zeros", "new_ones", "new_empty"):
    told(name, lambda: getattr(p, name)(2, 3, **every))
    told(name, lambda: getattr(p, name)((4,), layout=torch.strided, pin_memory=False))
    told(name, lambda: getattr(p, name)(2, device="cuda"))
told("new_full", lambda: p.new_full((2, 1), 7.0, **every))
told("new_tensor", lambda: p.new_tensor([1.0, 2.0], device="cpu", pin_memory=False))
for name in ("zeros", "ones", "rand", "randn", "empty"):
    told(name, lambda: getattr(torch, name)(2, 3, **every))
    told(name, lambda: getattr(torch, name)(2, pin_memory=True))
told("full", lambda: torch.full((3,), 1.0, **every))
told("full", lambda: torch.full((3,), 1.0, memory_format=kept))
told("eye", lambda: torch.eye(3, **every))
told("arange", lambda: torch.arange(0, 3, **every))
told("linspace", lambda: torch.linspace(0, 3, 4, **every))
told("randint", lambda: torch.randint(0, 3, (2,), layout=torch.strided, device="cpu", pin_memory=False))
told("randperm", lambda: torch.randperm(3, layout=torch.strided, device="cpu", pin_memory=False))
told("tensor", lambda: torch.tensor([1.0], device="cpu", pin_memory=False, requires_grad=True))
told("tensor", lambda: torch.tensor([1.0], pin_memory=True))
told("tensor", lambda: torch.tensor([1.0], layout=torch.strided))


class Momentum(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, beta=0.9):
        super().__init__(params, dict(lr=lr, beta=beta))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for each in group["params"]:
                state = self.state[each]
                if not state:
                    state["step"] = torch.zeros((), dtype=torch.float, device=each.device)
                    state["mean"] = torch.zeros_like(each, memory_format=torch.preserve_format)
                state["step"] += 1
                state["mean"].mul_(group["beta"]).add_(each.grad, alpha=1 - group["beta"])
                each.add_(state["mean"], alpha=-group["lr"])


optimizer = Momentum([p])
for _ in range(3):
    optimizer.zero_grad()
    (p**2).sum().backward()
    optimizer.step()
print(p, optimizer.state[p]["step"], optimizer.state[p]["mean"])
