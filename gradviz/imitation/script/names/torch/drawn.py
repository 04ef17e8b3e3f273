"""Functions that draw random numbers: `torch.bernoulli`, `F.gumbel_softmax`, `x.exponential_()` and their kin."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, c_name, limits_of
from gradviz.imitation.engine.dtypes import type_name as kind_name
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions import NEURAL
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.refused_writes import refuse_repeated
from gradviz.imitation.engine.random.generator import in_memory_order, memory_axes
from gradviz.imitation.engine.random.one_by_one import binomial as draw_binomial
from gradviz.imitation.engine.random.one_by_one import poisson as draw_poisson
from gradviz.imitation.engine.shapes import broadcasts, expand_error
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.torch import dropout
from gradviz.imitation.script.names.torch.generators import stream


def functional(machine: Machine) -> dict[str, Callable[..., Any]]:
    """Those of `torch.nn.functional`."""
    return {
        "rrelu": partial(_rrelu, machine), "rrelu_": partial(_rrelu, machine, inplace=True),
        "gumbel_softmax": partial(gumbel_softmax, machine),
        "scaled_dot_product_attention": partial(
            NEURAL["scaled_dot_product_attention"], dropout=dropout.functions(machine)["dropout"]
        ),
    }  # fmt: skip


def _rrelu(
    machine: Machine,
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    def draw(count: int) -> Any:
        return machine.random.uniform((count,), lower, upper, "float64")

    return NEURAL["rrelu"](input, lower, upper, training, inplace=inplace, draw=draw)  # type: ignore[no-any-return]


def gumbel_softmax(
    machine: Machine, logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    x = need("gumbel_softmax", logits, "logits")
    noise = constant(-np.log(machine.random.exponential(x.shape, 1.0, x.dtype.name)), x.tape)
    soft = F["softmax"](F["div"](F["add"](x, noise), tau), dim)
    if not hard:
        return soft  # type: ignore[no-any-return]
    axis = dim % max(x.ndim, 1)
    ones = np.zeros(x.shape, x.dtype)
    np.put_along_axis(ones, np.expand_dims(np.argmax(soft.data, axis), axis), 1.0, axis)
    return F["add"](F["sub"](constant(ones, x.tape), F["detach"](soft)), soft)  # type: ignore[no-any-return]


# ---- torch.* ----


def functions(machine: Machine) -> dict[str, Callable[..., Any]]:
    """Those of `torch`."""
    return {
        "bernoulli": partial(bernoulli, machine), "multinomial": partial(multinomial, machine),
        "poisson": partial(poisson, machine), "binomial": partial(binomial, machine),
        "dropout": dropout.functions(machine)["dropout"],
        "rrelu": partial(_rrelu, machine), "alpha_dropout": dropout.functions(machine)["alpha_dropout"],
    }  # fmt: skip


def bernoulli(machine: Machine, input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """Zeros and ones; no gradient flows through the draw."""
    x = need("bernoulli", input)
    chances = np.asarray(x.data) if p is None else np.full(x.shape, p, x.dtype)
    if p is None:
        _refuse_chances(chances)
    source = stream(machine, generator)
    drawn: Any = source.bernoulli(chances) if p is None else source.bernoulli_mask(x.shape, p, x.dtype.name)
    return apply(OPS["bernoulli"], (x,), drawn=np.asarray(drawn).astype(x.dtype)[()])


def _refuse_chances(chances: Any) -> None:
    if not ((chances >= 0) & (chances <= 1)).all():
        raise TorchError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If "
            "so, please report an enhancement request to PyTorch.)",
            hint="A chance lies between 0 and 1.",
        )


def multinomial(
    machine: Machine, input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Tensor:
    """Indices drawn with the chances of each row.

    Raises:
        TorchError: chances below 0, rows of zeros, or more samples than there are numbers.
    """
    x = need("multinomial", input)
    if x.ndim not in (1, 2):
        raise TorchError("prob_dist must be 1 or 2 dim")
    if x.dtype.kind not in FLOATING:
        text = f"multinomial only supports floating-point dtypes for input, got: {kind_name(x.dtype)}"
        raise TorchError(text, hint="Convert with .float() first.")
    if num_samples <= 0:
        raise TorchError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > x.shape[-1]:
        raise TorchError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    chances = np.asarray(x.data)
    if not np.isfinite(chances).all() or (chances < 0).any():
        raise TorchError("probability tensor contains either `inf`, `nan` or element < 0")
    if (chances.sum(-1) == 0).any():
        raise TorchError("invalid multinomial distribution (sum of probabilities <= 0)")
    rows = np.atleast_2d(chances)
    numbers = stream(machine, generator)
    draw = _with_replacement if replacement else _without_replacement
    found = draw(numbers, rows, num_samples)
    return machine.tensor(found if x.ndim == 2 else found[0])


def _without_replacement(numbers: Any, rows: Any, count: int) -> Any:
    """The largest of chance / exponential number."""
    race = rows / numbers.exponential(rows.shape, 1.0, rows.dtype.name)
    return np.argsort(-race, axis=-1, kind="stable")[:, :count].astype(np.int64)


def _with_replacement(numbers: Any, rows: Any, count: int) -> Any:
    if count == 1:
        return _without_replacement(numbers, rows, 1)
    shares = np.cumsum(rows, -1, dtype=rows.dtype)
    shares = shares / shares[:, -1:]
    drawn = numbers.uniform((len(rows), count), 0.0, 1.0, "float64")
    found = [np.searchsorted(row, points, "left") for row, points in zip(shares, drawn, strict=True)]
    return np.array(found, np.int64)


# ---- x.*_() ----


def _filled(kind: str, draw: Callable[..., Any]) -> Callable[..., Tensor]:
    """A method that fills the tensor with what is drawn: no gradient flows back to what was there before.

    Args:
        kind: PyTorch's name of its node.
        draw: gives numbers in a shape, as `draw(numbers, shape, x, ...)`.
    """

    def run(machine: Machine, self: Tensor, *arguments: Any, generator: Any = None, **options: Any) -> Tensor:
        numbers = stream(machine, generator)
        storage.refuse_leaf(self)
        refuse_repeated(self)
        return _become_drawn(
            kind, in_memory_order(self.data, lambda shape: draw(numbers, shape, self, *arguments, **options)), self
        )

    return run


def _become_drawn(kind: str, drawn: Any, x: Tensor, *chances: Tensor) -> Tensor:
    value = np.asarray(drawn).astype(x.dtype)[()]
    op = OPS["drawn_by" if chances else "drawn"]
    return storage.become(x, record(op, (x, *chances), {"value": value, "kind": kind}, value))


def _uniform(numbers: Any, shape: Any, x: Tensor, *bounds: float, to: float = 1.0, **named: float) -> Any:
    least, most = (*bounds, *(named.get("from", 0.0), to)[len(bounds) :])
    return numbers.uniform(shape, least, most, x.dtype.name)


def _normal(numbers: Any, shape: Any, x: Tensor, mean: float = 0.0, std: float = 1.0) -> Any:
    is_in_row = not isinstance(x.data, np.ndarray) or x.data.flags.c_contiguous
    return numbers.normal(shape, mean, std, x.dtype.name, in_row=is_in_row)


def _bernoulli(numbers: Any, shape: Any, x: Tensor, p: float = 0.5) -> Any:
    return numbers.bernoulli_mask(shape, p, x.dtype.name if x.dtype.kind in FLOATING else "float64")


_with_one_chance = _filled("Bernoulli", _bernoulli)


def bernoulli_(machine: Machine, self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Zeros and ones, with one chance for all or with a tensor of them; no gradient flows to either."""
    if not isinstance(p, Tensor):
        return _with_one_chance(machine, self, p, generator=generator)
    storage.refuse_leaf(self, by=(p,))
    _refuse_chances(p.data)
    if not broadcasts(p.shape, self.shape):
        raise expand_error(p.shape, self.shape, kind_name(p.dtype))
    chances, axes = np.broadcast_to(p.data, self.shape), memory_axes(self.data)
    chances = chances if axes is None else chances.transpose(axes)
    drawn = in_memory_order(self.data, lambda _: stream(machine, generator).bernoulli(chances))
    return _become_drawn("Bernoulli", drawn, self, p)


def _exponential(numbers: Any, shape: Any, x: Tensor, lambd: float = 1.0) -> Any:
    if x.dtype.kind not in FLOATING:
        raise TorchError(CONTINUOUS.format("Exponential", kind_name(x.dtype)), hint="Convert with .float() first.")
    if not lambd > 0:
        raise TorchError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    return numbers.exponential(shape, lambd, x.dtype.name)


CONTINUOUS = (
    "{} distribution is a continuous probability distribution. dtype must be a floating point but you specified {}"
)


def _cauchy(numbers: Any, shape: Any, x: Tensor, median: float = 0.0, sigma: float = 1.0) -> Any:
    if x.dtype.kind not in FLOATING:
        raise TorchError(CONTINUOUS.format("Cauchy", c_name(x.dtype)), hint="Convert with .float() first.")
    if not sigma > 0:
        raise TorchError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    return median + sigma * np.tan(np.pi * (numbers.uniform(shape, 0.0, 1.0, "float64") - 0.5))


def _log_normal(numbers: Any, shape: Any, x: Tensor, mean: float = 1.0, std: float = 2.0) -> Any:
    return numbers.log_normal(shape, mean, std, x.dtype.name)


def _geometric(numbers: Any, shape: Any, x: Tensor, p: float) -> Any:
    if x.dtype.kind == "b":
        raise TorchError("\"geometric_cpu\" not implemented for 'Bool'", kind="NotImplementedError")
    if not 0 < p < 1:
        raise TorchError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    return np.ceil(np.log(numbers.uniform(shape, 0.0, 1.0, "float64")) / np.log1p(-p))


def poisson(machine: Machine, input: Tensor, generator: Any = None) -> Tensor:
    x = need("poisson", input)
    machine.spend(20 * x.data.size)
    return constant(draw_poisson(stream(machine, generator), x.data)[()], x.tape)


def binomial(machine: Machine, count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    for name, x in (("count", count), ("prob", prob)):
        if need("binomial", x, name).dtype.kind not in FLOATING:
            text = f"binomial only supports floating-point dtypes for {name}, got: {kind_name(x.dtype)}"
            raise TorchError(text, kind="ValueError", hint="Convert with .float() first.")
    n, p = np.broadcast_arrays(count.data, prob.data)
    machine.spend(20 * n.size)
    return constant(draw_binomial(stream(machine, generator), n, p)[()], count.tape)


def _largest(dtype: Any) -> int:
    """The largest whole number up to which a kind holds all of them."""
    if dtype.kind == "b":
        return 1
    return int(np.iinfo(dtype).max) if dtype.kind in "iu" else 2 ** (int(limits_of(dtype).nmant) + 1)


def _random(numbers: Any, shape: Any, x: Tensor, low: int | None = None, high: int | None = None) -> Any:
    if low is not None and high is None:
        low, high = 0, low
    if high is None and low is None:
        return numbers.below(_largest(x.dtype) + 1, x.data.size, x.dtype.itemsize == 8).reshape(shape)
    if high is None:
        high = _largest(x.dtype)
    return numbers.randint(low or 0, high, shape)


METHODS: dict[str, Callable[..., Any]] = {
    "uniform_": _filled("Uniform", _uniform), "normal_": _filled("Normal", _normal), "bernoulli_": bernoulli_,
    "exponential_": _filled("Exponential", _exponential), "random_": _filled("Random", _random),
    "cauchy_": _filled("Cauchy", _cauchy), "geometric_": _filled("Geometric", _geometric),
    "log_normal_": _filled("LogNormal", _log_normal), "bernoulli": bernoulli, "multinomial": multinomial,
}  # fmt: skip
"""Methods of tensors, given the machine first."""
