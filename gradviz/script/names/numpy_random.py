"""`numpy.random`: the global generator, and generators of the script's own. Each gives numpy's very numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.errors import TorchError
from gradviz.script.names.numpy_calls import room, wrapped
from gradviz.script.names.rejecting import check_shapes
from gradviz.script.readers import READERS, members_of
from gradviz.script.values import Class, Namespace, Native

DRAWS = {
    "randint": ("low", "high", "size", "dtype"),
    "integers": ("low", "high", "size", "dtype", "endpoint"),
    "uniform": ("low", "high", "size"),
    "normal": ("loc", "scale", "size"),
    "standard_normal": ("size",),
    "random": ("size",),
    "random_sample": ("size",),
    "binomial": ("n", "p", "size"),
    "poisson": ("lam", "size"),
    "exponential": ("scale", "size"),
    "gamma": ("shape", "scale", "size"),
    "beta": ("a", "b", "size"),
    "choice": ("a", "size", "replace", "p"),
    "permutation": ("a",),
    "multivariate_normal": ("mean", "cov", "size"),
    "multinomial": ("n", "pvals", "size"),
    "dirichlet": ("alpha", "size"),
    "laplace": ("loc", "scale", "size"),
    "logistic": ("loc", "scale", "size"),
    "lognormal": ("mean", "sigma", "size"),
    "gumbel": ("loc", "scale", "size"),
    "rayleigh": ("scale", "size"),
    "weibull": ("a", "size"),
    "pareto": ("a", "size"),
    "power": ("a", "size"),
    "chisquare": ("df", "size"),
    "standard_t": ("df", "size"),
    "standard_exponential": ("size",),
    "standard_gamma": ("shape", "size"),
    "standard_cauchy": ("size",),
    "f": ("dfnum", "dfden", "size"),
    "geometric": ("p", "size"),
    "negative_binomial": ("n", "p", "size"),
    "hypergeometric": ("ngood", "nbad", "nsample", "size"),
    "triangular": ("left", "mode", "right", "size"),
    "vonmises": ("mu", "kappa", "size"),
    "wald": ("mean", "scale", "size"),
    "zipf": ("a", "size"),
}
"""The draws with their arguments in order."""

REJECTING = frozenset({
    "beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "geometric", "hypergeometric", "negative_binomial",
    "poisson", "standard_gamma", "standard_t", "vonmises", "wald", "zipf",
})  # fmt: skip
"""Draws that try again until one fits, which with numbers out of all bounds never comes."""

BY_SIZES = ("rand", "randn")


def draw(name: str, function: Callable[..., Any]) -> Native:
    """A method of a generator whose result is of the size that an argument names."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        given = dict(zip(DRAWS[name], arguments, strict=False)) | keywords
        size = given.get("size")
        if name in REJECTING:
            shapes = [value for key, value in given.items() if key not in ("size", "dtype")]
            check_shapes(shapes, 1e-9, 1e15, pole=1.0 if name == "zipf" else None)
        if size is not None:
            room(size)
        if name in ("choice", "permutation") and isinstance(given.get("a"), int):
            room(given["a"])
        return function(*arguments, **keywords)

    return wrapped(name, run)


def _by_sizes(method: Callable[..., Any]) -> Callable[..., Any]:
    def run(*size: Any) -> Any:
        room(size)
        return method(*size)

    return run


def members(generator: np.random.RandomState | np.random.Generator) -> dict[str, Any]:
    """What a script may call of a generator."""
    named = {name: draw(name, getattr(generator, name)) for name in DRAWS if hasattr(generator, name)}
    by_sizes = {
        name: wrapped(name, _by_sizes(method))
        for name in BY_SIZES
        if (method := getattr(generator, name, None)) is not None
    }
    return {**named, **by_sizes, "shuffle": Native("shuffle", _shuffled(generator))}


def _states(generator: np.random.RandomState) -> dict[str, Any]:
    """The state of a generator as numpy gives it, and back."""

    def restore(state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 5:
            raise TorchError("state must be a dict or a tuple.", kind="TypeError")
        generator.set_state(state)

    return {"get_state": Native("get_state", generator.get_state), "set_state": Native("set_state", restore)}


def _shuffled(generator: Any) -> Callable[[Any], None]:
    def shuffle(x: Any) -> None:
        if not isinstance(x, list | np.ndarray):
            raise TorchError("shuffle takes a list or an array here", kind="TypeError", hint="Use torch.randperm.")
        generator.shuffle(x)

    return shuffle


def _seed(value: Any) -> int | None:
    if value is None or (isinstance(value, int | np.integer) and not isinstance(value, bool)):
        return None if value is None else int(value)
    raise TorchError("a seed is a whole number here", kind="TypeError", hint="Give a whole number, as in seed(0).")


class Source:
    """A generator of random numbers as the script holds it.

    Attributes:
        kind: the class of numpy's by which `print` names it.
        bits: what it draws its bits from.
        members: what a script may call.
    """

    __slots__ = ("kind", "members")
    shown_as: str
    bits: str

    def __init__(self, generator: np.random.RandomState | np.random.Generator) -> None:
        self.kind = type(generator).__name__
        self.members = members(generator)

    def __repr__(self) -> str:
        return f"{self} at 0x7F0000000000"

    def __str__(self) -> str:
        return f"{self.kind}({self.bits})"


class OldSource(Source):
    """`np.random.RandomState`."""

    __slots__ = ()
    shown_as = "numpy.random.mtrand.RandomState"
    bits = "MT19937"

    def __init__(self, seed: Any = None) -> None:
        made = np.random.RandomState(_seed(seed))
        super().__init__(made)
        self.members |= {**_states(made), "seed": Native("seed", lambda seed=None: made.seed(_seed(seed)))}


class NewSource(Source):
    """What `np.random.default_rng` gives."""

    __slots__ = ()
    shown_as = "numpy.random._generator.Generator"
    bits = "PCG64"

    def __init__(self, seed: Any = None) -> None:
        super().__init__(np.random.default_rng(_seed(seed)))


def random_module(seed: int) -> Namespace:
    """`numpy.random` with a generator of its own for each run."""
    own = OldSource(seed)
    old = Class("RandomState", python=(OldSource,), make=Native("RandomState", OldSource), module="numpy.random.mtrand")
    new = Class("Generator", python=(NewSource,), make=Native("Generator", lambda given: given),
                module="numpy.random._generator")  # fmt: skip
    make = Native("default_rng", lambda seed=None: seed if isinstance(seed, NewSource) else NewSource(seed))
    return Namespace("numpy.random", {**own.members, "RandomState": old, "Generator": new, "default_rng": make})


READERS[OldSource] = READERS[NewSource] = members_of
