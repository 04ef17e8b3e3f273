"""The few modules of Python's standard library that scripts of this kind use, as harmless stand-ins."""

from __future__ import annotations

import ast
import math
import posixpath
import random
import time
from collections.abc import Callable
from typing import Any

from gradviz.errors import LimitError, ScriptError
from gradviz.script import copies, deep
from gradviz.script.machine import MOST, Machine
from gradviz.script.names.iteration import functools_module, itertools_module, product_
from gradviz.script.names.warnings_names import warnings_module
from gradviz.script.operators import MAX_BITS, limited_power
from gradviz.script.silent import Silent
from gradviz.script.values import Class, Namespace, Native


def _native(table: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    return {name: Native(name, run) for name, run in table.items()}


def _with_machine(table: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    return {name: Native(name, run, needs_machine=True) for name, run in table.items()}


# ---- math ----

MATH = (
    "sqrt exp log log2 log10 log1p expm1 sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh floor "
    "ceil fabs fmod isnan isinf isfinite isclose copysign hypot degrees radians gcd trunc erf erfc gamma lgamma isqrt"
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


def math_module() -> Namespace:
    """`math`: numbers only; a tensor of one element counts as its number, as in Python."""
    members = _native({name: getattr(math, name) for name in MATH.split()})
    members |= _native({
        "factorial": _factorial, "comb": _chosen("comb", math.comb), "perm": _chosen("perm", math.perm),
        "pow": lambda x, y: limited_power(float(x), float(y)),
    })  # fmt: skip
    members |= _with_machine({
        "prod": product_, "fsum": lambda machine, items: math.fsum(machine.whole(items)),
        "dist": lambda machine, p, q: math.dist(machine.listed(p), machine.listed(q)),
    })  # fmt: skip
    return Namespace("math", members | MATH_CONSTANTS)


# ---- random and time ----


def _count(k: int) -> int:
    if k > MOST:
        raise LimitError(f"a list of {k:,} random items is too long", hint="Use a smaller k.")
    return k


def random_module(seed: int) -> Namespace:
    """`random`, with a generator of its own for each run."""
    own = random.Random(seed)  # noqa: S311 - the script's own random numbers

    def choices(machine: Machine, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> Any:
        given = [None if w is None else machine.listed(w) for w in (weights, cum_weights)]
        return own.choices(population, given[0], cum_weights=given[1], k=_count(k))

    def sample(machine: Machine, population: Any, k: int) -> Any:
        return own.sample(population, _count(k))

    names = "random uniform randint gauss normalvariate choice shuffle randrange betavariate expovariate triangular"
    return Namespace("random", {
        **_native({name: getattr(own, name) for name in names.split()}),
        **_with_machine({"choices": choices, "sample": sample}),
        "seed": Native("seed", lambda a=None, version=2: own.seed(a)),
    })  # fmt: skip


def time_module() -> Namespace:
    """`time`: reads the clock; does not wait."""
    names = ("time", "perf_counter", "process_time", "monotonic", "time_ns")
    members = _native({name: getattr(time, name) for name in names})
    return Namespace("time", members | _native({"sleep": lambda seconds: None}))


# ---- os, sys, warnings: what scripts set at their top ----


def os_module() -> Namespace:
    """`os`: an environment that starts empty and stays here, and paths as text."""
    names = ("join", "basename", "dirname", "splitext")
    path = Namespace("os.path", {
        **_native({name: getattr(posixpath, name) for name in names}),
        **_native(dict.fromkeys(("exists", "isfile", "isdir"), lambda path: False)),
    })  # fmt: skip
    environ: dict[str, str] = {}
    return Namespace(
        "os", {"environ": environ, "path": path, "getenv": Native("getenv", environ.get), "name": "posix", "sep": "/"}
    )


def set_depth(machine: Machine, limit: int) -> None:
    """`sys.setrecursionlimit`, as far as there is room; Python's own calls take ten of the usual 1,000."""
    machine.depth = max(machine.limits.depth, min(limit - 10, deep.allow(limit)))


def sys_module(machine: Machine) -> Namespace:
    """`sys`: no arguments, the version, and an output that prints."""
    streams = {
        name: Namespace(f"sys.{name}", _native({
            "write": machine.write if name == "stdout" else (lambda text: None), "flush": lambda: None,
        }))
        for name in ("stdout", "stderr")
    }  # fmt: skip
    return Namespace("sys", {
        "argv": ["script.py"], "version": "3.11", "version_info": (3, 11, 0), "platform": "linux",
        "maxsize": 2**63 - 1, "path": [], **streams,
        "setrecursionlimit": Native("setrecursionlimit", set_depth, needs_machine=True),
        "exit": machine.builtins["exit"],
    })  # fmt: skip


def _refused(name: str, why: str) -> Native:
    def run(*_: Any, **__: Any) -> None:
        raise ScriptError(f"'{name}' is not available in gradviz", hint=why)

    return Native(name, run)


# ---- collections and copy ----


class DefaultDict(dict[Any, Any]):
    """`collections.defaultdict`."""

    def __init__(self, machine: Machine, factory: Any = None, *rest: Any, **named: Any) -> None:
        super().__init__(*rest, **named)
        self._make = None if factory is None else lambda: machine.call(factory, (), {})

    def __missing__(self, key: Any) -> Any:
        if self._make is None:
            raise KeyError(key)
        value = self[key] = self._make()
        return value

    def __repr__(self) -> str:
        return f"defaultdict({dict.__repr__(self)})"


def _counter(machine: Machine, items: Any = ()) -> dict[Any, int]:
    counts = DefaultDict(machine)
    counts._make = int
    for item in machine.each(items):
        counts[item] += 1
    return counts


def collections_module(machine: Machine) -> Namespace:
    """`collections`: dicts are ordered anyway."""
    return Namespace("collections", {
        "OrderedDict": machine.builtins["dict"],
        "defaultdict": Class(
            "defaultdict", python=(DefaultDict,), module="collections",
            make=Native("defaultdict", DefaultDict, needs_machine=True),
        ),
        "Counter": Native("Counter", _counter, needs_machine=True),
    })  # fmt: skip


# ---- all of them ----

PLOTTING = ("matplotlib", "mpl_toolkits", "seaborn", "pylab", "plotly", "IPython", "torchviz")


def modules(machine: Machine) -> dict[str, Namespace]:
    """All of them by name."""
    seed = machine.numpy_seed
    return {
        "math": math_module(),
        "random": random_module(seed),
        "time": time_module(),
        "itertools": itertools_module(),
        "copy": copies.namespace(),
        "functools": functools_module(),
        "os": os_module(),
        "sys": sys_module(machine),
        "warnings": warnings_module(machine),
        "collections": collections_module(machine),
        "tqdm": Namespace("tqdm", _native(dict.fromkeys(("tqdm", "trange"), _bar))),
        **{name: Silent(name, machine) for name in PLOTTING},
    }


def _bar(items: Any, *_: Any, **__: Any) -> Any:
    return range(items) if isinstance(items, int) else items


STAND_INS = ("os", "sys")


def unsupported_use(tree: ast.Module, module: Namespace, name: str) -> str | None:
    """The first attribute of a module that the script names and the stand-in has not got, or None."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == name
            and node.attr not in module.members
        ):
            return node.attr
    return None
