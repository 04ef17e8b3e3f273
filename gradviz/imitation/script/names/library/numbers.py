"""`math`, `random` and `statistics`: numbers only; a tensor of one element counts as its number, as in Python."""

from __future__ import annotations

import ast
import cmath
import math
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script.errors.overheard import told
from gradviz.imitation.script.limits.arithmetic import MAX_BITS
from gradviz.imitation.script.machine import MOST, Machine
from gradviz.imitation.script.names.library.making import natives, with_machine
from gradviz.imitation.script.names.torch.rejecting import check_shapes
from gradviz.imitation.script.operators import BINARY
from gradviz.imitation.script.values import Namespace, Native, Object

if TYPE_CHECKING:
    import random

MATH = (
    "sqrt cbrt exp exp2 log log2 log10 log1p expm1 sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh "
    "floor ceil fabs fmod isnan isinf isfinite isclose copysign hypot degrees radians gcd lcm trunc erf erfc gamma "
    "lgamma isqrt frexp modf remainder nextafter ulp"
)
MATH_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "tau": math.tau}


def _factorial(n: int) -> int:
    if n > 5000:
        raise LimitError("factorial of a number above 5,000 is too large", hint="Use math.lgamma or floats.")
    return math.factorial(n)


def _chosen(name: str, count: Callable[..., int]) -> Callable[..., int]:
    def run(n: int, k: int | None = None) -> int:
        smaller = n if k is None else min(k, n - k) if name == "comb" else k
        if isinstance(smaller, int) and smaller * n.bit_length() > MAX_BITS:
            raise LimitError(f"{name}({n}, {k}) is too large", hint="Use math.lgamma or floats.")
        return count(n, k)

    return run


def product(machine: Machine, items: Any, /, *, start: Any = 1) -> Any:
    """`math.prod`."""
    total = start
    multiply = BINARY[ast.Mult]
    for item in machine.whole(items):
        total = multiply(total, item)
    return total


def _of_numbers(native: Native) -> Native:
    """A function of numbers, which says of an object that is none what Python says."""

    def run(*given: Any, **named: Any) -> Any:
        for x in given:
            if type(x) is Object and not any(x.cls.has(name) for name in ("__float__", "__index__", *OWN)):
                raise TorchError(f"must be real number, not {x.cls.name}", kind="TypeError")
            if isinstance(x, np.complexfloating):  # of which numpy takes the real part, and says so
                return told(native.run, *given, **named)
        own = f"__{native.name}__"
        if len(given) == 1 and type(given[0]) is Object and own in OWN and given[0].cls.has(own):
            return given[0].special(own)
        return native.run(*given, **named)

    return Native(native.name, run)


OWN = ("__floor__", "__ceil__", "__trunc__")
"""Special methods that functions of `math` call."""


def math_module(machine: Machine) -> Namespace:
    """`math`."""
    members = natives({name: getattr(math, name) for name in MATH.split()})
    members |= natives({
        "factorial": _factorial, "comb": _chosen("comb", math.comb), "perm": _chosen("perm", math.perm),
        "pow": math.pow, "ldexp": math.ldexp,
    })  # fmt: skip
    members = {name: _of_numbers(native) for name, native in members.items()}
    members |= with_machine({
        "prod": product, "fsum": lambda machine, items: math.fsum(machine.whole(items)),
        "dist": lambda machine, p, q: math.dist(machine.listed(p), machine.listed(q)),
        "sumprod": lambda machine, p, q: sum(a * b for a, b in zip(machine.listed(p), machine.listed(q), strict=True)),
    })  # fmt: skip
    return Namespace("math", members | MATH_CONSTANTS)


COMPLEX = ("sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh phase polar rect isclose "
           "isnan isinf isfinite")  # fmt: skip


def cmath_module(machine: Machine) -> Namespace:
    """`cmath`."""
    constants = {name: getattr(cmath, name) for name in ("pi", "e", "tau", "inf", "nan", "infj", "nanj")}
    return Namespace("cmath", natives({name: getattr(cmath, name) for name in COMPLEX.split()}) | constants)


# ---- random ----


def count(k: int) -> int:
    """The same number, if a list may be so long."""
    if k > MOST:
        raise LimitError(f"a list of {k:,} random items is too long", hint="Use a smaller k.")
    return k


DRAWS = (
    "random uniform randint gauss normalvariate choice shuffle randrange betavariate expovariate triangular "
    "gammavariate lognormvariate paretovariate weibullvariate vonmisesvariate"
)


REJECTING = ("betavariate", "gammavariate", "vonmisesvariate", "weibullvariate", "paretovariate", "lognormvariate")


def _bounded(draw: Callable[..., float]) -> Callable[..., float]:
    def run(*given: float) -> float:
        check_shapes(list(given), 1e-100, 1e100)
        return draw(*given)

    return run


def _randint(own: random.Random) -> Callable[..., Any]:
    """Calls randrange itself, whose warning then points into Python's library, where nobody hears it."""

    def randint(a: Any, b: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return own.randint(a, b)

    return randint


class State:
    """`random.getstate()`: to be given back."""

    __slots__ = ("kept",)

    def __init__(self, kept: Any) -> None:
        self.kept = kept


def _draws(own: random.Random) -> dict[str, Any]:
    """The functions of one generator: those of the module, or the methods of `random.Random(seed)`."""

    def choices(machine: Machine, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> Any:
        given = [None if w is None else machine.listed(w) for w in (weights, cum_weights)]
        return own.choices(population, given[0], cum_weights=given[1], k=count(k))

    def sample(machine: Machine, population: Any, k: int, *, counts: Any = None) -> Any:
        return own.sample(population, count(k), counts=None if counts is None else machine.listed(counts))

    def seed(a: Any = None, version: int = 2) -> None:
        if a is not None and not isinstance(a, int | float | str | bytes):
            raise TorchError(
                "The only supported seed types are: None,\nint, float, str, bytes, and bytearray.", kind="TypeError"
            )
        own.seed(time.time_ns() if a is None else a, version)

    def restore(state: Any) -> None:
        if not isinstance(state, State):
            raise TorchError("state must come from random.getstate()", kind="TypeError")
        own.setstate(state.kept)

    return {
        **natives({name: getattr(own, name) for name in DRAWS.split()}),
        **natives({"randrange": partial(told, own.randrange), "randint": _randint(own)}),
        **natives({name: _bounded(getattr(own, name)) for name in REJECTING}),
        **with_machine({"choices": choices, "sample": sample}),
        **natives({
            "seed": seed, "getrandbits": lambda k: own.getrandbits(count(k)), "setstate": restore,
            "randbytes": lambda n: own.randbytes(count(n)), "getstate": lambda: State(own.getstate()),
        }),
    }  # fmt: skip


def random_module(machine: Machine) -> Namespace:
    """`random`: Python's own generator, one for each run."""
    import random

    def another(x: Any = None) -> Namespace:
        made = random.Random()  # noqa: S311 - the script's own random numbers
        draws = _draws(made)
        draws["seed"].run(x)
        return Namespace("random.Random", draws)

    own = random.Random(machine.numpy_seed)  # noqa: S311 - the script's own random numbers
    return Namespace("random", {**_draws(own), "Random": Native("Random", another)})
