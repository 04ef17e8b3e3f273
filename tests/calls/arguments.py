"""Every sort of argument, as a script writes it; `x` stands for the tensor that a call is about."""

from __future__ import annotations

TENSORS = {
    "f": "torch.tensor([[0.5, -1., 2.], [3., 0., -0.25]])",
    "i": "torch.tensor([[1, -2, 3], [0, 4, 5]])",
    "b": "torch.tensor([[True, False, True], [False, False, True]])",
    "v": "torch.tensor([1., 2., 3.])",
    "s": "torch.tensor(0.75)",
    "e": "torch.zeros(0, 3)",
    "m": "torch.tensor([[2., 1.], [1., 3.]])",
}
"""What `x` is in turn: matrices of floats, whole numbers and bools, a vector, a number, an empty one, a square one."""

PLACES = (
    "", "x", "1", "0", "-1", "0, 1", "2", "x, x", "0.5", "0, x", "5", "None", "x, 0",
    "True", "(0,)", "[0, 1]", "(2, 3)", "'sum'", "-0.5, 0.5", "x.long()", "0, x.long()", "1, True", "w", "w, w",
)  # fmt: skip
"""Arguments by their places, after `x`; `w` is a matrix of other numbers in the shape of `x`."""

NAMED = {
    "dim": ("0", "-1", "2", "(0, 1)", "None", "0.5"),
    "keepdim": ("True", "1"),
    "dtype": ("torch.float64", "torch.int64", "'float'"),
    "out": ("x.new_zeros(x.shape)", "1"),
    "input": ("x",),
    "other": ("x", "2", "True"),
    "alpha": ("2", "0.5"),
    "reduction": ("'none'", "'sum'", "'mean'", "'all'", "None"),
    "inplace": ("True",),
    "descending": ("True",),
    "correction": ("0",),
    "unbiased": ("False",),
    "weight": ("x", "None"),
    "axis": ("0",),
    "requires_grad": ("True",),
    "nothing": ("1",),
}
"""Arguments by name, each after `x` and nothing else; the last is one that no function has."""

CONSTRUCTED = (
    "", "1", "2", "3", "0", "-1", "0.5", "2.5", "None", "'mean'", "True", "2, 3", "3, 2", "3, 2, 2", "3, 3, 1",
    "2, 0",
    "2, -1", "(2, 3)", "3, (1, 1)", "[3]", "3, 2, True", "3, 0.5", "x", "torch.float64", "1, 1, 1", "2, 3, 4",
    "0.1, True",
    "3, nothing=1", "3, dtype=torch.float64", "reduction='sum'", "reduction='none'", "reduction='all'", "dim=0",
    "dim=1",
    "3, bias=False", "inplace=True", "nn.ReLU()", "[nn.ReLU(), nn.Tanh()]",
)  # fmt: skip
"""What modules are constructed with."""

FED = ("x", "x, x", "x, w", "x, x.long()", "x[None]", "x[None, None]", "")
"""What they are called with then."""

STEPPED = (
    "[x]", "[x], 0.1", "[x], lr=0.5", "[x], lr=-1", "[x], lr='a'", "[x], lr=None", "[x], lr=torch.tensor(0.1)",
    "[]", "x",
    "", "[x], 0.1, 0.5", "[1]", "[x.detach()]", "[x * 1]", "[x, x]", "[{'params': [x], 'lr': 0.2}]",
    "[{'params': x}]",
    "[{'lr': 0.1}]", "{'a': x}", "[('a', x)]", "[x], weight_decay=0.1", "[x], weight_decay=-1", "[x], momentum=0.9",
    "[x], momentum=-1", "[x], betas=(0.5, 0.9)", "[x], betas=(2, 0)", "[x], betas=0.9", "[x], eps=1e-3",
    "[x], eps=-1",
    "[x], nesterov=True", "[x], momentum=0.9, nesterov=True", "[x], amsgrad=True", "[x], maximize=True",
    "[x], nothing=1",
    "[x], centered=True", "[x], foreach=True", "[x], lr=0", "[x], dampening=0.5, momentum=0.5", "(x for _ in [0])",
)  # fmt: skip
"""What optimizers are constructed with; they take three steps then."""

SCHEDULED = (
    "o", "o, 2", "o, 0.5", "o, [1, 2]", "o, [2, 1]", "o, lambda epoch: 0.5", "o, [lambda epoch: 0.5]",
    "o, 2, 0.5", "",
    "o, 0.5, 2", "o, 0", "o, -1", "o, None", "o, 'min'", "o, 'max', 0.5, 1", "o, 'all'", "o, 0.1, 0.5",
    "o, 0.1, 1.0, 2",
    "o, step_size=1", "o, gamma=0.9", "o, T_max=3", "o, T_max=3, eta_min=0.01", "o, T_0=2", "o, T_0=2, T_mult=2", "1",
    "o, milestones=[1, 3], gamma=0.1", "o, max_lr=0.5, total_steps=6", "o, max_lr=0.5, epochs=2, steps_per_epoch=3",
    "o, base_lr=0.1, max_lr=0.5", "o, total_iters=3", "o, factor=0.5", "o, factor=2", "o, start_factor=0.5",
    "o, nothing=1",
    "o, last_epoch=3", "o, lr_lambda=1", "[o]", "o, power=2.0", "o, patience=0, factor=0.5",
)  # fmt: skip
"""What schedulers are constructed with; they take four steps then."""


def calls(family: str, name: str) -> list[str]:
    """The calls of one name, as statements that the script's own functions are told of."""
    if family == "tensor":
        return [_asked("call", "x, w", f"x.{name}({given})") for given in _after("")]
    if family == "modules":
        return [_asked("module", "x, w", f"nn.{name}({given})") for given in CONSTRUCTED]
    if family == "optim":
        return [_asked("optimizer", "x", f"torch.optim.{name}({given})") for given in STEPPED]
    if family == "schedulers":
        return [_asked("scheduler", "o", f"torch.optim.lr_scheduler.{name}({given})") for given in SCHEDULED]
    owner = {"functional": "F", "torch": "torch"}.get(family, f"torch.{family}")
    return [_asked("call", "x, w", f"{owner}.{name}({given})") for given in _after("x")]


def _asked(function: str, names: str, expression: str) -> str:
    return f"{function}({expression!r}, lambda {names}: {expression})"


def _after(first: str) -> list[str]:
    """What is given after a first argument, by place and by name."""
    named = [f"{name}={value}" for name, values in NAMED.items() for value in values]
    return [", ".join(part for part in (first, given) if part) for given in (*PLACES, *named)]
