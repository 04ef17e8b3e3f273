"""Forward and backward while recording every incoming and outgoing gradient, against hand-written numpy.

The numpy code computes the same values and only the gradients of the leaves; it records nothing. Where PyTorch is
installed it runs too, once bare and once with hooks that keep what the engine keeps. All sides of a case take turns
in the same run, each round gives one ratio, and the median of the rounds counts.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradviz.imitation.engine.protocol  # noqa: F401 - gives tensors their indexing
from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.functions import FUNCTIONS, NEURAL
from gradviz.imitation.engine.tensor import Tape, Tensor

Arrays = list[Any]
Run = Callable[[], Arrays]
Line = tuple[str, int, int]
"""What an op computes from the values at two places: "*", "+" or "tanh" (of the first)."""


@dataclass
class Case:
    """One workload: name, how many ops, and the same work done by each side; all return the gradients of the leaves."""

    name: str
    ops: int
    ours: Run
    numpy: Run
    torch: Callable[[bool], Run]


def cases(smoke: bool) -> Iterator[dict[str, Any]]:
    """Rows of figures: ours against each peer; with `smoke` small sizes and few rounds."""
    small = 50 if smoke else 1
    for case in (
        straight_line("chain on shape [8]", chain(1_000 // small), (8,)),
        straight_line("scalar chain", chain(1_000 // small), ()),
        straight_line("scalar DAG", dag(10_000 // small), ()),
        mesh(),
        mlp(64 // (4 if smoke else 1), 784 // (4 if smoke else 1)),
    ):
        yield from rows(case, 3 if smoke else 11)


def rows(case: Case, rounds: int) -> Iterator[dict[str, Any]]:
    """Our time, and its ratio to each peer's."""
    peers = {"numpy": case.numpy} | _torch_peers(case)
    ours = timed(case.ours, peers, rounds)
    for name, ratio in ours.ratios.items():
        yield {
            "bench": "engine",
            "case": case.name,
            "against": name,
            "ratio": round(ratio, 3),
            "unit": "s",
            "value": round(ours.seconds, 7),
            "n": case.ops,
        }


def _torch_peers(case: Case) -> dict[str, Run]:
    try:
        import torch
    except ImportError:
        return {}
    torch.set_num_threads(1)
    return {"PyTorch": case.torch(False), "PyTorch with hooks": case.torch(True)}


@dataclass
class Timing:
    """Median seconds of our side, and the median ratio to each peer."""

    seconds: float
    ratios: dict[str, float]


def timed(ours: Run, peers: dict[str, Run], rounds: int) -> Timing:
    """All sides in turn, in another order each round. Their results must agree."""
    expected = ours()
    for name, peer in peers.items():
        for mine, theirs in zip(expected, peer(), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-5, err_msg=name)
    sides = {"ours": ours, **peers}
    times: dict[str, list[float]] = {name: [] for name in sides}
    repeats = {name: max(1, int(0.03 / _seconds(run, 2))) for name, run in sides.items()}
    order = list(sides)
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            times[name].append(_seconds(sides[name], repeats[name]))
    ratios = {name: statistics.median(a / b for a, b in zip(times["ours"], times[name], strict=True)) for name in peers}
    return Timing(statistics.median(times["ours"]), ratios)


def _seconds(run: Run, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


# ---- many small ops ----------------------------------------------------------------------------------------------


def chain(length: int) -> tuple[list[float], list[Line]]:
    """Leaves and lines of x·w + b, tanh, and so on, over the same w and b."""
    lines = [(("*", "+", "tanh")[i % 3], i + 2 if i else 0, (1, 2, 0)[i % 3]) for i in range(length)]
    return [0.3, 1.7, 0.05], lines


def dag(length: int, seed: int = 1) -> tuple[list[float], list[Line]]:
    """100 leaves, then ops on recent values, with values kept between −1 and 1 by tanh."""
    choose = random.Random(seed)
    leaves = [choose.uniform(-1, 1) for _ in range(100)]
    lines: list[Line] = []
    for place in range(100, 100 + length):
        first = place - 1 if place > 100 and choose.random() < 0.9 else choose.randrange(max(0, place - 200), place)
        sign = ("tanh", "*", "tanh", "+")[len(lines) % 4]
        lines.append((sign, first, choose.randrange(max(0, place - 200), place)))
    return leaves, lines


def straight_line(name: str, program: tuple[list[float], list[Line]], shape: tuple[int, ...]) -> Case:
    """The program as straight-line code: with the engine's tensors, in numpy with its derivative written out."""
    numbers, lines = program
    leaves = [np.full(shape, number)[()] for number in numbers]
    seed = np.ones(shape)[()]
    forward = _compiled(_forward_source(len(leaves), lines))
    by_hand = _compiled(_by_hand_source(len(leaves), lines))

    def ours() -> Arrays:
        tape = Tape()
        with tape.recording():
            tensors = [tape.tensor(x, requires_grad=True) for x in leaves]
            backward([forward(tensors, FUNCTIONS["tanh"])], [tape.tensor(seed)])
            gradients = [_gradient(x) for x in tensors]
            tape.close()  # while the garbage collector pauses, which would look through all of it once
        return gradients

    def with_torch(hooked: bool) -> Run:
        import torch

        def run() -> Arrays:
            tensors = [torch.tensor(x, requires_grad=True) for x in leaves]
            return _torch_gradients(forward(tensors, torch.tanh), torch.tensor(seed), tensors, hooked)

        return run

    return Case(name, len(lines), ours, lambda: by_hand(leaves, np.tanh, seed), with_torch)


def _gradient(x: Tensor) -> Any:
    return x.grad.data if x.grad is not None else np.zeros(x.shape)


def _expression(line: Line) -> str:
    sign, a, b = line
    return f"tanh(v{a})" if sign == "tanh" else f"v{a} {sign} v{b}"


def _forward_lines(leaves: int, lines: list[Line]) -> list[str]:
    names = ", ".join(f"v{i}" for i in range(leaves))
    return [f"{names}, = leaves", *(f"v{leaves + i} = {_expression(line)}" for i, line in enumerate(lines))]


def _forward_source(leaves: int, lines: list[Line]) -> str:
    body = [*_forward_lines(leaves, lines), f"return v{leaves + len(lines) - 1}"]
    return "def run(leaves, tanh):\n " + "\n ".join(body)


def _by_hand_source(leaves: int, lines: list[Line]) -> str:
    """The forward code, and the derivative as one would write it: no list, no call, a sum where a value fans out."""
    last = leaves + len(lines) - 1
    body, known = [*_forward_lines(leaves, lines), f"g{last} = seed"], {last}
    for i, (sign, a, b) in reversed(list(enumerate(lines, leaves))):
        if i not in known:
            continue
        sent = {
            "tanh": [(a, f"g{i} * (1.0 - v{i} * v{i})")],
            "+": [(a, f"g{i}"), (b, f"g{i}")],
            "*": [(a, f"g{i} * v{b}"), (b, f"g{i} * v{a}")],
        }[sign]
        for source, gradient in sent:
            body.append(f"g{source} = g{source} + {gradient}" if source in known else f"g{source} = {gradient}")
            known.add(source)
    found = ", ".join(f"g{i}" if i in known else "seed * 0" for i in range(leaves))
    return "def run(leaves, tanh, seed):\n " + "\n ".join([*body, f"return [{found}]"])


def _compiled(source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(source, names)
    return names["run"]  # type: ignore[no-any-return]


def _torch_gradients(out: Any, v: Any, leaves: list[Any], hooked: bool) -> Arrays:
    import torch

    kept: list[Any] = []
    if hooked:
        waiting, seen = [out.grad_fn], set()
        while waiting:
            node = waiting.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            node.register_hook(lambda sent, incoming: kept.append((sent, incoming)))
            waiting += [source for source, _ in node.next_functions]
    out.backward(v)
    return [(torch.zeros_like(x) if x.grad is None else x.grad).numpy() for x in leaves]


# ---- few large ops -----------------------------------------------------------------------------------------------


def mesh() -> Case:
    """sigmoid of a Linear(2, 1) on a 9 x 9 mesh, with v all ones: the example people begin with."""
    line = np.linspace(-2, 2, 9, dtype=np.float32)
    points = np.stack(np.meshgrid(line, line), -1).reshape(81, 2)
    arrays = [points, np.array([[0.5, -1.2]], np.float32), np.array([0.1], np.float32)]
    v = np.ones((81, 1), np.float32)

    def by_hand() -> Arrays:
        x, w, b = arrays
        y = 1.0 / (1.0 + np.exp(-(x @ w.T + b)))
        d = v * y * (1.0 - y)
        return [d @ w, d.T @ x, d.sum(0)]

    def forward(tensors: Arrays, linear: Any, sigmoid: Any) -> Any:
        return sigmoid(linear(*tensors))

    return _of_arrays("9 x 9 mesh", 3, arrays, v, by_hand, forward, [True] * 3)


def mlp(batch: int, features: int) -> Case:
    """batch x features-256-256-10 with relu and cross entropy; the data takes no gradient."""
    choose = np.random.default_rng(0)
    sizes = [(256, features), (256, 256), (10, 256)]
    weights = [(choose.normal(size=size) / np.sqrt(size[1])).astype(np.float32) for size in sizes]
    biases = [np.zeros(size[0], np.float32) for size in sizes]
    data = choose.normal(size=(batch, features)).astype(np.float32)
    labels, rows_ = choose.integers(0, 10, batch), np.arange(batch)
    arrays = [data, *(x for pair in zip(weights, biases, strict=True) for x in pair)]

    def by_hand() -> Arrays:
        x, w1, b1, w2, b2, w3, b3 = arrays
        h1 = np.maximum(x @ w1.T + b1, 0)
        h2 = np.maximum(h1 @ w2.T + b2, 0)
        z = h2 @ w3.T + b3
        z -= z.max(1, keepdims=True)
        d = np.exp(z)
        d /= d.sum(1, keepdims=True)
        d[rows_, labels] -= 1
        d /= batch
        d2 = (d @ w3) * (h2 > 0)
        d1 = (d2 @ w2) * (h1 > 0)
        return [np.zeros_like(x), d1.T @ x, d1.sum(0), d2.T @ h1, d2.sum(0), d.T @ h2, d.sum(0)]

    def forward(tensors: Arrays, linear: Any, relu: Any, log_softmax: Any, mean: Any) -> Any:
        x, w1, b1, w2, b2, w3, b3 = tensors
        h = relu(linear(relu(linear(x, w1, b1)), w2, b2))
        return -mean(log_softmax(linear(h, w3, b3), 1)[rows_, labels])

    takers = [False, *[True] * 6]
    return _of_arrays(f"MLP {batch} x {features}-256-256-10", 12, arrays, np.float32(1), by_hand, forward, takers)


def _of_arrays(
    name: str, ops: int, arrays: Arrays, v: Any, by_hand: Run, forward: Callable[..., Any], takers: list[bool]
) -> Case:
    names = forward.__code__.co_varnames[1 : forward.__code__.co_argcount]
    functions = [NEURAL.get(name) or FUNCTIONS[name] for name in names]

    def ours() -> Arrays:
        tape = Tape()
        with tape.recording():
            tensors = [tape.tensor(x, requires_grad=taker) for x, taker in zip(arrays, takers, strict=True)]
            backward([forward(tensors, *functions)], [tape.tensor(v)])
            gradients = [_gradient(x) for x in tensors]
            tape.close()  # while the garbage collector pauses, which would look through all of it once
        return gradients

    def with_torch(hooked: bool) -> Run:
        import torch

        theirs = [getattr(torch, name, None) or getattr(torch.nn.functional, name) for name in names]

        def run() -> Arrays:
            tensors = [torch.from_numpy(x).requires_grad_(taker) for x, taker in zip(arrays, takers, strict=True)]
            return _torch_gradients(forward(tensors, *theirs), torch.tensor(v), tensors, hooked)

        return run

    return Case(name, ops, ours, by_hand, with_torch)
