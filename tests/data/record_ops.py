"""Record ops.json: values, gradients and node names of PyTorch 2.13 for every op. Needs torch; the tests do not.

Run it from the root of the repository: `python -m tests.data.record_ops`.
A case is {"expression", "inputs": {name: array}, "out", "v", "gradients": {name: array or null}, "nodes", "saved"}; an
array is [dtype, shape, flat data], with a fourth entry true where it is laid out in memory in the other order.
"""

from __future__ import annotations

import json
import math
import warnings
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch

from tests.engine.programs import random_program
from tests.engine.with_torch import evaluate, node_names, run, tensor

Shapes = Sequence[tuple[int, ...]]
SPECIAL = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 2.0)
WORDS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}

UNSAID = ["unbind", "detach(c)", "detach(d)"]
"""What is saved is not asked of these, which refuse a change for another reason, or have weights that are params."""

PLAIN: Shapes = ((2, 3), (), (3, 2), (0,), (0, 3))
"""Shapes that every elementwise op of one input is recorded with; (3, 2) is transposed in memory."""
GRID: Shapes = ((2, 3),)

ELEMENTWISE = (
    "exp(a)", "log(a)", "sqrt(a)", "sin(a)", "cos(a)", "tan(a)", "tanh(a)", "sigmoid(a)", "relu(a)", "abs(a)",
    "reciprocal(a)", "neg(a)", "square(a)", "clone(a)", "a ** 2", "a ** 3", "a ** 0.5", "a ** -1", "a ** 0", "a ** 1",
    "a ** -2.5", "2 ** a", "a / 2", "2 / a", "a + 1", "1 - a", "a - 1", "1 + a", "a * 3", "3 * a", "a * a", "a + a",
    "a / a", "clamp(a, -1, 1)", "clamp(a, min=0)", "clamp(a, max=0.5)", "where(a > 0, a, 0.0)",
    "where(a > 0, sqrt(a), 0.0)", "maximum(a, a * 1)", "sum(a)", "mean(a)", "flatten(a)", "reshape(a, (-1,))",
    "rsub(a, 2)", "add(a, a, alpha=2)", "sub(a, a, alpha=0.5)", "a - a",
)  # fmt: skip
BINARY = ("a + b", "a - b", "a * b", "a / b", "a ** b", "maximum(a, b)", "minimum(a, b)", "where(a > b, a, b)")
BROADCAST: tuple[tuple[Shapes, str], ...] = (
    (((2, 3), (3,)), "f8 f8"),
    (((2, 1), (1, 3)), "f8 f8"),
    (((), (2, 2)), "f8 f8"),
    (((3,), ()), "f4 f4"),
    (((0, 3), (3,)), "f8 f8"),
    (((1,), (1,)), "f8 f8"),
    (((2, 3), (2, 3)), "f4 f8"),
    (((2, 3), ()), "f4 f8"),
    (((2,), (2,)), "f8 i8"),
)
GRIDS = (
    "sum(a, 0)", "sum(a, -1, True)", "sum(a, (0, 1))", "mean(a, 0)", "mean(a, (0, 1), True)", "amax(a)", "amax(a, 0)",
    "amax(a, (0, 1))", "amin(a, 1, True)", "amin(a)", "max(a)", "min(a)", "max(a, 0)[0]", "max(a, 1, True)[0]",
    "min(a, -1)[0]", "reshape(a, (3, 2))", "view(a, -1)", "view(a, 3, 2)", "flatten(a)", "transpose(a, 0, 1)", "t(a)",
    "permute(a, (1, 0))", "squeeze(a)", "unsqueeze(a, 0)", "unsqueeze(a, -1)", "expand(a, 2, 2, 3)", "ravel(a)",
    "cat([a, a * 2])", "cat([a, a], 1)", "stack([a, a])", "stack([a, a], 1)", "stack([a, a], -1)", "a[0]", "a[-1]",
    "a[1:]", "a[:, 1]", "a[..., 0]", "a[None]", "a[[1, 0, 1]]", "a[a > 0]", "a[0, 1]", "a[:, ::2]", "a[[0, 1], [2, 2]]",
    "a[:, [0, 2]]", "a[1, 1:]", "a[:]", "a[0:2]", "a[...]", "a[:, :]", "a[0, [2, 0]]",
    "a[1:, [0, 2]]", "a[None, [0]]", "a[[0], None]",
    "T(a)", "softmax(a, 0)", "softmax(a, 1)", "softmax(a, -1)", "log_softmax(a, 0)",
    "log_softmax(a, 1)", "expand_as(a[0], a)", "double(a)", "T(a) @ a", "swapaxes(a, 0, 1)",
    "sum(softmax(a, 1)[[0, 1], [1, 2]])", "relu(a) + a", "sum(exp(a))", "reshape(T(a), (6,))", "mul(a, a)", "div(a, 4)",
)  # fmt: skip
SHAPED: tuple[tuple[str, tuple[Shapes, ...]], ...] = (
    ("a @ b", (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((2, 2, 3), (3, 2)),
               ((2, 2, 3), (2, 3, 2)), ((2, 3), (2, 3, 2)), ((2, 2, 3), (3,)), ((3,), (2, 3, 2)),
               ((2, 1, 2, 3), (3, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((1, 3), (3, 1)))),
    ("matmul(a, b)", (((2, 3), (3, 2)),)),
    ("mm(a, b)", (((2, 3), (3, 2)),)),
    ("bmm(a, b)", (((2, 2, 3), (2, 3, 2)),)),
    ("mv(a, b)", (((2, 3), (3,)),)),
    ("dot(a, b)", (((3,), (3,)),)),
    ("addmm(c, a, b)", (((2, 3), (3, 2), (2,)), ((2, 3), (3, 2), (2, 2)), ((2, 3), (3, 2), (1,)))),
    ("linear(a, b)", (((2, 3), (4, 3)), ((3,), (4, 3)), ((2, 2, 3), (4, 3)))),
    ("linear(a, b, c)", (((2, 3), (4, 3), (4,)), ((3,), (4, 3), (4,)), ((2, 2, 3), (4, 3), (4,)))),
    ("mse_loss(a, b)", (((3,), (3,)), ((2, 3), (2, 3)), ((), ()), ((2, 3), (3,)), ((2, 1), (1, 3)))),
    ("mse_loss(a, b, reduction='sum')", (((3,), (3,)),)),
    ("mse_loss(a, b, reduction='none')", (((3,), (3,)),)),
    ("clamp(a, b, c)", (((4,), (4,), (4,)), ((2, 3), (3,), ()))),
    ("where(c > 0, a, b)", (((2, 3), (3,), (2, 1)), ((3,), (), (3,)))),
    ("cat([a, b])", (((2, 3), (1, 3)), ((2,), (3,)), ((0,), (3,)))),
    ("cat([a, b], 1)", (((2, 3), (2, 1)),)),
    ("cat([a, b, c], -1)", (((2, 1), (2, 2), (2, 1)),)),
    ("stack([a, b, c])", (((), (), ()), ((2,), (2,), (2,)))),
    ("reshape(a[:, :, :2], (4, 2))", (((2, 2, 3),),)),
    ("flatten(transpose(a, 0, 1), 1)", (((2, 2, 3),),)),
    ("reshape(transpose(a, 0, 1), (2, 2, 3, 1))", (((2, 2, 3),),)),
    ("ravel(T(a))", (((2, 3),),)),
    ("reshape(expand(sum(a), 2, 3), (6,))", (((2,),),)),
    ("squeeze(a)", (((1, 2, 1),), ((1,),))),
    ("squeeze(a, 0)", (((1, 2, 1),), ((2, 1),))),
    ("squeeze(a, (0, 2))", (((1, 2, 1),),)),
    ("unbind(a)[1]", (((2, 3),),)),
    ("unbind(a, 1)[0]", (((2, 3),),)),
    ("meshgrid(a, b, indexing='ij')[0] * meshgrid(a, b, indexing='ij')[1]", (((2,), (3,)),)),
    ("meshgrid(a, b, indexing='xy')[1]", (((2,), (3,)),)),
    ("permute(a, (2, 0, 1))", (((2, 1, 3),),)),
    ("flatten(a, 1)", (((2, 1, 3),),)),
    ("sum(a, (0, 2))", (((2, 1, 3),),)),
    ("sum(a, 0)", (((),), ((0, 3),))),
    ("mean(a, 0)", (((0, 3),),)),
    ("softmax(a, 0)", (((),),)),
    ("log_softmax(a, 0)", (((),),)),
    ("max(a, 0)[0]", (((),), ((3, 2, 2),))),
    ("a[0, ..., None]", (((2, 1, 3),),)),
    ("a[[0, 1], :, [2, 0]]", (((2, 2, 3),),)),
    ("a[0, :, [2, 0]]", (((2, 2, 3),),)),
    ("a[:, 1, [2, 0]]", (((2, 2, 3),),)),
    ("a[..., [2, 0]]", (((2, 2, 3),),)),
    ("a[:, None] - a[None]", (((3,),),)),
    ("double(a) * b", (((3,), (3,)),)),
    ("a @ b @ c", (((2, 3), (3, 2), (2,)),)),
    ("sum((a * b + c) ** 2)", (((2, 3), (3,), ()),)),
    ("mean(-log_softmax(linear(a, b, c), 1)[[0, 1], [1, 0]])", (((2, 3), (4, 3), (4,)),)),
)  # fmt: skip
TIES: tuple[tuple[str, list[Any]], ...] = (
    ("relu(a)", [0.0, -0.0, 1.0]),
    ("abs(a)", [0.0, -0.0, -1.0]),
    ("maximum(a, b)", [1.0, 2.0, 0.0]),
    ("minimum(a, b)", [1.0, 2.0, 0.0]),
    ("max(a)", [3.0, 3.0, 1.0]),
    ("amax(a)", [3.0, 3.0, 1.0]),
    ("amin(a)", [1.0, 3.0, 1.0]),
    ("max(a, 0)[0]", [3.0, 3.0, 1.0]),
    ("min(a, 0)[0]", [1.0, 3.0, 1.0]),
    ("amax(a, 1)", [[3.0, 3.0, 1.0], [0.0, 0.0, 0.0]]),
    ("sqrt(a)", [0.0, 4.0, -1.0]),
    ("clamp(a, -1, 1)", [-1.0, 1.0, 0.5]),
    ("clamp(a, min=0)", [0.0, -0.0, 1.0]),
    ("clamp(a, 1, -1)", [0.0, 1.0, -1.0]),
    ("clamp(a, b, c)", [1.0, 0.0, -1.0]),
    ("log(a)", [0.0, -1.0, 1.0]),
    ("a ** b", [0.0, 0.0, -2.0]),
    ("a ** 2", [0.0, -2.0, 1.0]),
    ("a ** 0", [0.0, 1.0, -1.0]),
    ("a ** 1", [0.0, 1.0, -1.0]),
    ("a ** 0.5", [0.0, 1.0, 4.0]),
    ("0 ** a", [0.0, 1.0, 2.0]),
    ("(-1) ** a", [0.0, 1.0, 2.0]),
    ("where(a > 0, sqrt(a), 0.0)", [0.0, 1.0, 4.0]),
    ("softmax(a, 0)", [-math.inf, -math.inf, -math.inf]),
    ("log_softmax(a, 0)", [-math.inf, 1.0, 2.0]),
    ("tan(a)", [0.0, 1.0, 2.0]),
    ("sigmoid(a)", [1000.0, -1000.0, 0.0]),
    ("tanh(a)", [1000.0, -1000.0, 0.0]),
    ("max(a, 0)[0]", [math.nan, 1.0, 2.0]),
    ("max(a)", [math.nan, 1.0, 2.0]),
    ("amax(a)", [math.nan, 1.0, 2.0]),
    ("a / b", [1.0, 0.0, -1.0]),
)


def random_for(text: str) -> np.random.Generator:
    """Numbers that depend on the case alone, so that a new case changes no other."""
    return np.random.default_rng(zlib.crc32(text.encode()))


def numbers(random: np.random.Generator, shape: tuple[int, ...], dtype: str, special: bool) -> np.ndarray:
    """Random numbers between 0.25 and 2 of either sign, or special ones; short decimals, so that files stay small."""
    if dtype == "i8":
        return np.asarray(random.integers(1, 4, shape))
    if special:
        return np.resize(random.permutation(SPECIAL), shape).astype(dtype)
    return np.asarray(np.round(random.uniform(0.25, 2, shape), 3) * random.choice((-1, 1), shape)).astype(dtype)


def listed(x: np.ndarray) -> list[Any]:
    """An array as JSON has it; float32 in its shortest digits."""
    flat = [float(str(number)) if x.dtype.kind == "f" else number.item() for number in x.reshape(-1)]
    data = [
        WORDS[str(number)] if isinstance(number, float) and not math.isfinite(number) else number for number in flat
    ]
    turned = x.ndim > 1 and x.size > 0 and not x.flags.c_contiguous
    return [x.dtype.str[1:], list(x.shape), data, *([True] if turned else [])]


def case(expression: str, arrays: dict[str, np.ndarray], special: bool = False) -> dict[str, Any]:
    """Run one expression forward and backward."""
    tensors = {name: tensor(x) for name, x in arrays.items()}
    out = evaluate(expression, tensors)
    found: dict[str, Any] = {
        "expression": expression,
        "inputs": {name: listed(x) for name, x in arrays.items()},
        "out": listed(out.detach().numpy()),
    }
    v = numbers(random_for(expression), tuple(out.shape), out.numpy(force=True).dtype.str[1:], special)
    out.backward(torch.from_numpy(np.asarray(v)))
    gradients = {name: None if x.grad is None else listed(x.grad.numpy(force=True)) for name, x in tensors.items()}
    found |= {"v": listed(v), "gradients": gradients, "nodes": node_names(out)}
    unsaid = special or any(part in expression for part in UNSAID)
    return found if unsaid else found | {"saved": saved(expression, arrays, v)}


def saved(expression: str, arrays: dict[str, np.ndarray], v: np.ndarray) -> str:
    """What the graph keeps: names whose change in place is refused, "y" for the result, "2" if run twice is."""
    names = [name for name, x in arrays.items() if x.dtype.kind == "f"]
    return "".join(name for name in (*names, "y", "2") if refuses(expression, arrays, v, name))


def refuses(expression: str, arrays: dict[str, np.ndarray], v: np.ndarray, changed: str) -> bool:
    """Whether backward fails after a change in place of an input or the result, or when it is run again."""
    tensors = {name: tensor(x) if x.dtype.kind != "f" else tensor(x).clone() for name, x in arrays.items()}
    out = evaluate(expression, tensors)
    try:
        if changed in tensors:
            tensors[changed].detach().add_(1)
        elif changed == "y":
            out.detach().add_(1)
        for _ in range(2 if changed == "2" else 1):
            out.backward(torch.from_numpy(np.asarray(v)))
    except RuntimeError as error:
        if "modified by an inplace operation" in str(error) or "second time" in str(error):
            return True
        if "single memory location" not in str(error):
            raise
    return False


def arrays(text: str, shapes: Shapes, dtypes: str, special: bool = False) -> dict[str, np.ndarray]:
    """Inputs a, b, c of the given shapes; one of shape (3, 2) is a transposed (2, 3)."""
    random = random_for(f"{text} {shapes} {dtypes}")
    found: dict[str, np.ndarray] = {}
    for name, shape, dtype in zip("abc", shapes, dtypes.split(), strict=False):
        made = numbers(random, shape[::-1] if shape == (3, 2) else shape, dtype, special)
        found[name] = made.T if shape == (3, 2) else made
    return found


def cases() -> Iterator[dict[str, Any]]:
    """All of them."""
    for expression in ELEMENTWISE:
        for shape in PLAIN:
            yield case(expression, arrays(expression, (shape,), "f8"))
        yield case(expression, arrays(expression, GRID, "f4"))
        yield case(expression, arrays(expression, ((8,),), "f8", True), True)
        yield case(expression, arrays(expression, ((8,),), "f4", True), True)
    for expression in BINARY:
        for shapes, dtypes in BROADCAST:
            if "i8" not in dtypes or "**" not in expression:
                yield case(expression, arrays(expression, shapes, dtypes))
        every = [np.array([x, y]) for x in SPECIAL for y in SPECIAL]
        for dtype in ("f8", "f4"):
            a, b = np.array(every, dtype).T.copy()
            yield case(expression, {"a": a, "b": b}, True)
    for expression in GRIDS:
        yield case(expression, arrays(expression, GRID, "f8"))
        yield case(expression, arrays(expression, GRID, "f4"))
    for expression, groups in SHAPED:
        for shapes in groups:
            yield case(expression, arrays(expression, shapes, "f8 f8 f8"))
    for expression, listing in TIES:
        a = np.array(listing)
        given = {"a": a, "b": np.array([1.0, 1.0, 0.0]), "c": np.array([1.0, 0.0, 2.0])}
        if expression == "a ** b":
            given["b"] = np.array([0.0, 2.0, 2.0])
        yield case(expression, {name: x for name, x in given.items() if name == "a" or f"{name})" in expression
                                or f" {name}" in expression})  # fmt: skip


def programs() -> Iterator[dict[str, Any]]:
    """Random programs with the steps that their backward passes took: node name and incoming gradient of each."""
    for seed in range(60):
        program = random_program(Random(seed), "f4" if seed % 3 == 0 else "f8")
        _, steps = run(program.leaves, program.lines, program.passes)
        yield {
            "leaves": {name: listed(np.asarray(x)) for name, x in program.leaves.items()},
            "lines": program.lines,
            "passes": [[name, None if v is None else listed(np.asarray(v))] for name, v in program.passes],
            "steps": [[name, None if g is None else listed(g)] for name, g in steps],
        }


def main() -> None:
    warnings.simplefilter("ignore")
    tables = {"cases": cases(), "programs": programs()}
    lines = [
        f'"{name}": [\n' + ",\n".join(json.dumps(row, allow_nan=False, separators=(",", ":")) for row in rows) + "\n]"
        for name, rows in tables.items()
    ]
    text = f'{{"torch": "{torch.__version__}",\n' + ",\n".join(lines) + "}\n"
    Path(__file__).with_name("ops.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
