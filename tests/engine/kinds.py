"""Expressions with inputs of every kind: special numbers, broadcasting, other layouts, no elements, one number.

The expressions are those of data/ops*.json, each with the inputs of its first plain case, which are changed by kind.
What is changed and the cotangent follow from the expression and the kind alone, so that only answers are recorded.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine.autograd import grad
from gradviz.imitation.engine.tensor import Tape
from tests.engine.expressions import CURVED, array, evaluate, leaves, same

Arrays = dict[str, Any]
Random = np.random.Generator

DATA = Path(__file__).parents[1] / "data"
FILE = DATA / "kinds.json"
DIFFER = DATA / "kinds_that_differ.txt"
TWICE = DATA / "kinds_twice.json.xz"
TWICE_DIFFER = DATA / "kinds_twice_that_differ.txt"

INFINITE = (math.inf, -math.inf, 1.0, -0.5, 2.0, 0.25)
TIES = (0.0, -0.0, 1.0, 1.0, -1.0, 0.0, 2.0)
EXTREME = (1e150, -1e150, 1e-310, -1e-310, 1.0, 1e-160, 1e100)
MIXED = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-310, 1e150, 1.0, -1.0, 2.0)


SPECIAL = ("a NaN", "one large", "infinite", "ties", "extreme", "mixed")
"""The kinds of special numbers."""


class Kind(NamedTuple):
    """How the inputs of an expression are changed.

    Attributes:
        change: the array in the place of an input, or None where it has no such.
        view: the expression that makes the input of that array ("{}"), where it is a view.
        which: of the inputs of a floating dtype, those that are changed.
        indices: whether inputs of whole numbers are changed too.
    """

    change: Callable[[Any, Random], Any]
    view: str = "{}"
    which: slice = slice(None)
    indices: bool = False


def _filled(values: tuple[float, ...]) -> Callable[[Any, Random], Any]:
    return lambda x, random: np.resize(random.permutation(values), x.shape)


def _with_one(value: float) -> Callable[[Any, Random], Any]:
    def change(x: Any, random: Random) -> Any:
        x = np.array(x)
        x.flat[random.integers(x.size)] = value
        return x

    return change


def _every_second(x: Any) -> Any:
    return np.stack([x, x], -1).reshape(*x.shape[:-1], -1) if x.ndim else None


FIRST, LAST = slice(0, 1), slice(-1, None)

KINDS = {
    "a NaN": Kind(_with_one(math.nan)),
    "one large": Kind(_with_one(1e308)),
    "infinite": Kind(_filled(INFINITE)),
    "ties": Kind(_filled(TIES)),
    "extreme": Kind(_filled(EXTREME)),
    "mixed": Kind(_filled(MIXED)),
    "first broadcast": Kind(lambda x, _: x[:1] if x.ndim else None, which=FIRST),
    "last broadcast": Kind(lambda x, _: x[:1] if x.ndim else None, which=LAST),
    "fewer dims": Kind(lambda x, _: x[0] if x.ndim else None, which=LAST),
    "turned": Kind(lambda x, _: x.T.copy() if x.ndim > 1 else None, "T({})", indices=True),
    "strided": Kind(lambda x, _: _every_second(x), "{}[..., ::2]", indices=True),
    "expanded": Kind(lambda x, _: x[:1].copy() if x.ndim else None, "expand({0}, *{0}_shape)", indices=True),
    "no rows": Kind(lambda x, _: x[:0] if x.ndim else None, indices=True),
    "no columns": Kind(lambda x, _: x[..., :0] if x.ndim else None, indices=True),
    "number": Kind(lambda x, _: x.reshape(-1)[:1].reshape(()) if x.ndim else None),
}


def random_for(text: str) -> Random:
    return np.random.default_rng(zlib.crc32(text.encode()))


def bases() -> dict[str, Arrays]:
    """By expression, the inputs of its first case with plain float64 numbers."""
    found: dict[str, Arrays] = {}
    for file in sorted(DATA.glob("ops*.json")):
        for case in json.loads(file.read_text(encoding="utf-8"))["cases"]:
            if case["expression"] not in found and _is_plain(case["inputs"].values()):
                found[case["expression"]] = {name: np.array(array(*x)) for name, x in case["inputs"].items()}
    return found


def _is_plain(inputs: Any) -> bool:
    floats = [x for x in inputs if x[0] == "f8"]
    return bool(floats) and not any(math.prod(x[1]) == 0 or any(isinstance(v, str) for v in x[2]) for x in floats)


def changed(expression: str, base: Arrays, kind: str) -> tuple[Arrays, dict[str, str]]:
    """The arrays of an expression, and the views of them that are its inputs; no arrays where none can be changed."""
    change, view, which, indices = KINDS[kind]
    random, arrays, views = random_for(expression + kind), dict(base), {}
    floats = [name for name, x in base.items() if x.dtype.kind == "f"]
    if which != slice(None) and len(floats) < 2:
        return {}, {}
    for name in list(base) if indices else floats[which]:
        made = change(base[name], random)
        if made is not None:
            arrays[name] = np.asarray(made)
            views[name] = view.format(name)
    return (arrays, views) if views else ({}, {})


def ops(expression: str, base: Arrays) -> set[tuple[str, Any]]:
    """The ops that an expression runs through here; a norm counts for each p."""
    tape = Tape()
    with tape.recording():
        evaluate(expression, leaves(tape, {name: x[()] for name, x in base.items()}))
    return {(entry.op.name, entry.params.get("p")) for entry in tape.entries if entry.op is not None}


def shapes(base: Arrays) -> dict[str, tuple[int, ...]]:
    """The names that views of broadcast arrays use."""
    return {f"{name}_shape": x.shape for name, x in base.items()}


def cotangent(expression: str, shape: tuple[int, ...], dtype: Any) -> Any:
    random = random_for(expression)
    return np.asarray(np.round(random.uniform(0.25, 2, shape), 3) * random.choice((-1, 1), shape)).astype(dtype)


def ops_twice(expression: str, base: Arrays) -> set[str]:
    """The ops that an expression and its gradient under create_graph run through here."""
    tape = Tape()
    with tape.recording():
        made = leaves(tape, {name: x[()] for name, x in base.items()})
        out = evaluate(expression, made)
        v = tape.tensor(cotangent(expression, out.shape, out.dtype)[()], requires_grad=True)
        taking = [x for x in made.values() if x.requires_grad]
        grad([out], taking, [v], create_graph=True, allow_unused=True)
    return {entry.op.name for entry in tape.entries if entry.op is not None}


def seed(expression: str, name: str, shape: tuple[int, ...], dtype: Any) -> Any:
    """What comes back to the gradient of an input."""
    return cotangent(f"{expression} twice {name}", shape, dtype)


def incoming(expression: str, kind: str, shape: tuple[int, ...], dtype: Any) -> Any:
    """A cotangent of special numbers."""
    v = cotangent(expression, shape, dtype)
    change = KINDS[kind].change
    return np.asarray(change(v, random_for(f"{expression} {kind} incoming"))).astype(dtype) if v.size else v


def is_close(expression: str, found: Any, recorded: list[Any], scale: float = 0) -> bool:
    """Whether numbers are the recorded ones but for rounding; `scale`: see `same`."""
    within = 1e-10 if any(part in expression for part in CURVED) else 1e-12
    return same(np.asarray(found), np.asarray(array(*recorded)), "f8", scale, within / np.finfo(float).eps)


def agree(expression: str, one: Any, other: Any) -> bool:
    """Whether two recorded answers are the same but for rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(expression, one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other) == 3:
        return is_close(expression, array(*one), other, 2)
    return bool(one == other)
