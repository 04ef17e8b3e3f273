"""Every sort of argument, as a script writes it; `x` stands for the tensor that a call is about."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

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


FILLED = (
    *("gain=2", "gain='a'", "gain=True", "mode='fan_out'", "mode='fan_avg'", "mode=1", "nonlinearity='tanh'"),
    *("nonlinearity='relu'", "nonlinearity='all'", "nonlinearity=1", "a=0.5", "a='b'", "val=2", "groups=2", "groups=0"),
    *("mean=1", "mean=9", "std=0.5", "std=-1", "std=0", "b=-3", "a=2, b=1", "sparsity=0.5", "sparsity=2", "0.5, std=2"),
    *("generator=torch.Generator().manual_seed(1)", "generator=1", "tensor=x"),
)
"""What filling takes beside what all functions do."""

FUNCTIONS = (
    "lambda x: x * x", "lambda x: x.sum()", "lambda x: (x * x).sum()", "lambda x: (x.sum(), x * 2)", "lambda x: 1",
    "lambda x: None", "lambda x: x.detach()", "lambda x: [x, x]", "lambda x: {'a': (x * x).sum()}",
    "lambda x, y: x * y", "lambda x, y: (x * y).sum()", "lambda x, y: (x.sum(), y * 2)", "lambda x: x.mul_(2).sum()",
    "lambda: 1", "torch.sin", "1", "nn.Linear(3, 2)", "lambda x: x.view(-1)[0] ** 3", "lambda x: (x > 0)",
    "lambda x: x.item()", "lambda x: w.sum()", "lambda x: torch.rand(2) * x.sum()",
    "lambda *x: sum(y.sum() for y in x)",
)  # fmt: skip
"""What functions are derived of."""
DERIVABLE = (
    "lambda x: (x * x).sum()",
    "lambda x: (x.sum(), x * 2)",
    "lambda x, y: x * y",
    "lambda x, y: (x * y).sum()",
)
DERIVED = ("x", "x, w", "(x, w)", "[x]", "(x, 1)", "1", "", "x, x", "x, (w, w)", "x, None", "{'a': x}", "x, y=w")
"""What a function made by `torch.func` is called with, and what `torch.autograd.functional` takes after a function."""
MADE_WITH = (
    "", "argnums=1", "argnums=(0, 1)", "argnums=-1", "argnums=5", "argnums=()", "argnums='a'", "has_aux=True",
    "in_dims=1", "in_dims=(0, None)", "in_dims=None", "in_dims=(0, 1, 2)", "in_dims='a'", "out_dims=1", "out_dims=9",
    "out_dims=None", "out_dims=(0, 1)", "randomness='different'", "randomness='same'", "randomness='all'",
    "chunk_size=1", "chunk_size=0", "chunk_size='a'", "nothing=1", "1", "(0, 1)",
)  # fmt: skip
"""What it is made with."""
ASKED_FOR = (
    "create_graph=True", "strict=True", "vectorize=True", "strategy='forward-mode'", "outer_jacobian_strategy='all'",
    "outer_jacobian_strategy='forward-mode', vectorize=True", "strategy='forward-mode', vectorize=True", "v=x",
    "v=(x, w)", "v=1", "v=x[0]", "nothing=1", "strict=True, create_graph=True", "has_aux=True", "argnums=1",
)  # fmt: skip
"""What it is asked for by name."""

PARAMETERS = (
    "", "x", "x, w", "w", "w, w", "0., 1.", "0, 1", "1", "0.5", "0.25, 0.75", "x, -1.", "0., -1.", "x, x.exp()",
    "w, probs=w / 9", "w / 9", "probs=0.25", "logits=0.", "probs=w / 9", "logits=x", "probs=0.5, logits=0.", "2, w / 9",
    "10, probs=w / 9", "10, torch.tensor([0.25, 0.75])", "torch.tensor([0.25, 0.75])", "torch.tensor([1., 3.])",
    "2., torch.tensor([0.25, 0.75])", "torch.tensor(2.), torch.tensor([0.25, 0.75])", "torch.tensor(2.), logits=x",
    "torch.zeros(2), torch.eye(2)", "torch.zeros(2), scale_tril=m", "torch.zeros(2), precision_matrix=m",
    "torch.zeros(2), m", "torch.zeros(2), -m", "torch.zeros(2), torch.ones(2, 1), torch.ones(2)", "3., 0., 2.",
    "torch.tensor([3.]), torch.tensor([m.sum()])", "2, 0.5", "torch.tensor(3.), m", "torch.tensor(3.), scale_tril=m",
    "x, validate_args=False", "0., -1., validate_args=False", "0., 1., validate_args=True", "nothing=1", "None", "'a'",
    "D.Normal(x, 1.), 1", "D.Normal(x, 1.), 3", "D.Normal(x, 1.), [D.ExpTransform()]", "D.Normal(0., 1.), 0",
    "D.Normal(0., 1.), D.AffineTransform(1., 2.)", "D.Categorical(w), D.Normal(x, w)",
    "D.Categorical(torch.ones(3)), D.Normal(w, w)", "x, w, w", "1., 2., 3.",
    "x.double()", "x.long()", "torch.ones(2, 0)",
)  # fmt: skip
"""What distributions are constructed with."""
TOLD = (
    "d", "d.batch_shape, d.event_shape, d.has_rsample", "d.support", "d.arg_constraints", "d.mean", "d.mode",
    "d.variance", "d.stddev", "d.entropy()", "d.perplexity()", "d.sample()", "d.sample((2,))", "d.sample(2)",
    "d.rsample()", "d.rsample((2, 1))", "d.log_prob(d.sample())", "d.log_prob(x)", "d.log_prob(0.5)", "d.log_prob(w)",
    "d.cdf(x)", "d.icdf(torch.tensor(0.25))", "d.cdf(d.sample())", "d.enumerate_support()",
    "d.enumerate_support(expand=False)", "d.expand((2, 3))", "d.expand((2, 3)).log_prob(d.sample())",
    "d.has_enumerate_support",
    "d.sample_n(2)", "d.probs", "d.logits", "d.param_shape", "gradients(x, d.rsample())",
    "gradients(x, d.log_prob(d.sample()))",
    "gradients(x, d.entropy())", "D.kl_divergence(d, d)", "D.kl_divergence(d, D.Normal(0., 1.))", "d.nothing",
)  # fmt: skip
"""What is asked of them."""


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
    if family == "distributions":
        return [_asked("distribution", "x, w, m", f"D.{name}({given})") for given in PARAMETERS]
    if family == "func":
        made = [f"torch.func.{name}({given})" for given in (*FUNCTIONS, *_joined(DERIVABLE, MADE_WITH))]
        return [_asked("made_function", "x, w", expression) for expression in made]
    if family == "autograd":
        named = _joined(("x", "(x, w)"), ASKED_FOR)
        given = (*_joined(FUNCTIONS, DERIVED), *_joined(DERIVABLE, named))
        return [_asked("call", "x, w", f"torch.autograd.functional.{name}({each})") for each in given]
    if family == "init":
        given = (*_after("x"), *_joined(("x",), FILLED))
        return [_asked("call", "x, w", f"nn.init.{name}({each})") for each in given]
    owner = {"functional": "F", "torch": "torch"}.get(family, f"torch.{family}")
    return [_asked("call", "x, w", f"{owner}.{name}({given})") for given in _after("x")]


def _asked(function: str, names: str, expression: str) -> str:
    return f"{function}({expression!r}, lambda {names}: {expression})"


def _joined(first: Sequence[str], after: Sequence[str]) -> list[str]:
    """Each of the first with each of what may come after it."""
    return [", ".join(part for part in pair if part) for pair in product(first, after)]


def _after(first: str) -> list[str]:
    """What is given after a first argument, by place and by name."""
    named = [f"{name}={value}" for name, values in NAMED.items() for value in values]
    return [", ".join(part for part in (first, given) if part) for given in (*PLACES, *named)]
