"""`numpy.random`: the global generator, and generators of the script's own. Each gives numpy's very numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradviz.errors import TorchError
from gradviz.imitation.script.names.numpy.calls import room, wrapped
from gradviz.imitation.script.names.torch.rejecting import check_shapes
from gradviz.imitation.script.readers import READERS, members_of
from gradviz.imitation.script.values import Class, Namespace, Native, type_name

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
    "logseries": ("p", "size"),
    "noncentral_chisquare": ("df", "nonc", "size"),
    "noncentral_f": ("dfnum", "dfden", "nonc", "size"),
    "multivariate_hypergeometric": ("colors", "nsample", "size"),
}
"""The draws with their arguments in order."""

REJECTING = frozenset({
    "beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "geometric", "hypergeometric", "logseries",
    "multivariate_hypergeometric", "negative_binomial", "noncentral_chisquare", "noncentral_f", "poisson",
    "standard_gamma", "standard_t", "vonmises", "wald", "zipf",
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
    if hasattr(generator, "permuted"):
        named["permuted"] = wrapped("permuted", generator.permuted)
    return {
        **named,
        **by_sizes,
        "shuffle": Native("shuffle", _shuffled(generator)),
        "bytes": Native("bytes", _bytes_of(generator)),
    }


def _bytes_of(generator: Any) -> Callable[[Any], bytes]:
    def run(length: Any) -> bytes:
        room(length)
        made: bytes = generator.bytes(length)
        return made

    return run


def _states(generator: np.random.RandomState) -> dict[str, Any]:
    """The state of a generator as numpy gives it, and back."""

    def restore(state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 5:
            raise TorchError("state must be a dict or a tuple.", kind="TypeError")
        generator.set_state(state)

    return {"get_state": Native("get_state", generator.get_state), "set_state": Native("set_state", restore)}


def _shuffled(generator: Any) -> Callable[[Any], None]:
    def shuffle(x: Any, *axis: Any, **named: Any) -> None:
        if not isinstance(x, list | np.ndarray):
            raise TorchError("shuffle takes a list or an array here", kind="TypeError", hint="Use torch.randperm.")
        generator.shuffle(x, *axis, **named)

    return shuffle


def _seed(value: Any) -> Any:
    """A seed as numpy takes it: a whole number, several, a SeedSequence or a source of bits; None for any."""
    if isinstance(value, Bits | Seeds):
        return value.made
    if isinstance(value, list | tuple | np.ndarray) and len(value):
        return [_seed(each) for each in value]
    if value is None or (isinstance(value, int | np.integer) and not isinstance(value, bool)):
        return None if value is None else int(value)
    raise TorchError("a seed is a whole number here", kind="TypeError", hint="Give a whole number, as in seed(0).")


class Seeds:
    """`np.random.SeedSequence`."""

    shown_as = "numpy.random.bit_generator.SeedSequence"
    __slots__ = ("made",)

    def __init__(self, entropy: Any = None, *, spawn_key: Any = ()) -> None:
        self.made = np.random.SeedSequence(_seed(entropy), spawn_key=spawn_key)

    def __repr__(self) -> str:
        return repr(self.made)

    @property
    def members(self) -> dict[str, Any]:
        """What a script may read and call."""
        return {
            "entropy": self.made.entropy,
            "spawn_key": self.made.spawn_key,
            "spawn": Native("spawn", self._spawn),
            "generate_state": wrapped("generate_state", self._state),
        }

    def _spawn(self, n_children: int) -> list[Seeds]:
        room(n_children)
        return list(map(_seeds_of, self.made.spawn(n_children)))

    def _state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        room(n_words)
        return self.made.generate_state(n_words, dtype)


def _seeds_of(made: np.random.SeedSequence) -> Seeds:
    seeds = object.__new__(Seeds)
    seeds.made = made
    return seeds


class Bits:
    """A source of bits, such as `np.random.PCG64(1)`."""

    shown_as = "BitGenerator"
    __slots__ = ("made", "name")

    def __init__(self, name: str, seed: Any = None) -> None:
        self.name = name
        self.made = getattr(np.random, name)(_seed(seed))

    def __repr__(self) -> str:
        return f"<numpy.random._{self.name.lower()}.{self.name} object at 0x7f0000000000>"

    @property
    def members(self) -> dict[str, Any]:
        """What a script may read."""
        return {"state": self.made.state}


SOURCES_OF_BITS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


class Source:
    """A generator of random numbers as the script holds it.

    Attributes:
        kind: the class of numpy's by which `print` names it.
        bits: what it draws its bits from.
        members: what a script may call.
    """

    __slots__ = ("kind", "members", "shown_bits")
    shown_as: str
    bits: str

    def __init__(self, generator: np.random.RandomState | np.random.Generator, bits: str = "") -> None:
        self.kind = type(generator).__name__
        self.shown_bits = bits or self.bits
        self.members = members(generator)

    def __repr__(self) -> str:
        return f"{self} at 0x7F0000000000"

    def __str__(self) -> str:
        return f"{self.kind}({self.shown_bits})"


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
        self._take(np.random.default_rng(_seed(seed)))

    def _take(self, made: np.random.Generator) -> None:
        super().__init__(made, type(made.bit_generator).__name__)
        self.members["spawn"] = Native("spawn", lambda n_children: self._spawned(made, n_children))

    def _spawned(self, made: np.random.Generator, count: int) -> list[NewSource]:
        room(count)
        children = [object.__new__(NewSource) for _ in range(count)]
        for child, generator in zip(children, made.spawn(count), strict=True):
            child._take(generator)
        return children


def _by_bits(bits: Any) -> NewSource:
    """`np.random.Generator(np.random.PCG64(1))`."""
    if not isinstance(bits, Bits):
        raise TorchError(f"'{type_name(bits)}' object has no attribute 'capsule'", kind="AttributeError")
    return NewSource(bits)


def random_module(seed: int) -> Namespace:
    """`numpy.random` with a generator of its own for each run."""
    own = OldSource(seed)
    old = Class("RandomState", python=(OldSource,), make=Native("RandomState", OldSource), module="numpy.random.mtrand")
    new = Class("Generator", python=(NewSource,), make=Native("Generator", _by_bits),
                module="numpy.random._generator")  # fmt: skip
    make = Native("default_rng", lambda seed=None: seed if isinstance(seed, NewSource) else NewSource(seed))
    bits = {name: Native(name, partial(Bits, name)) for name in SOURCES_OF_BITS}
    seeds = Class("SeedSequence", python=(Seeds,), make=Native("SeedSequence", Seeds),
                  module="numpy.random.bit_generator")  # fmt: skip
    more = {"RandomState": old, "Generator": new, "default_rng": make, "SeedSequence": seeds}
    return Namespace("numpy.random", {**own.members, **bits, **more})


READERS[OldSource] = READERS[NewSource] = READERS[Bits] = READERS[Seeds] = members_of
