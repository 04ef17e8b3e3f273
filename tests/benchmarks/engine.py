"""Forward and backward while recording every incoming and outgoing gradient, against hand-written numpy.

The numpy code computes the same values and only the gradients of the leaves; it records nothing. Where PyTorch is
installed it runs too, once bare and once with hooks that keep what the engine keeps. All sides of a case take turns
in the same run, each round gives one ratio, and the median of the rounds counts. As in the process of a run, linear
algebra has one thread.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # before numpy, which reads them

import numpy as np

import gradviz.engine as torch_small
from gradviz.engine.nn import functional as F
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, constant, current

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
    keep_freed_memory()
    small = 50 if smoke else 1
    for case in (
        straight_line("chain on shape [8]", chain(1_000 // small), (8,)),
        straight_line("scalar chain", chain(1_000 // small), ()),
        straight_line("scalar DAG", dag(10_000 // small), ()),
        mesh(),
        mlp(64 // (4 if smoke else 1), 784 // (4 if smoke else 1)),
        cnn(),
        lstm(),
        cross_entropy(),
    ):
        yield from rows(case, 3 if smoke else 11)
    yield grad_beside_backward(1_000 // small, 3 if smoke else 11)
    yield from jacobian(100 // (10 if smoke else 1), 3 if smoke else 11)


def keep_freed_memory() -> None:
    """Have this process use freed memory again, for all sides, where the C library lets one choose.

    A recording is let go of after each repeat here, all at once. The C library would give its memory back and ask for
    it anew the next time, a third of the MLP's time; a real run keeps its recording, and uses again what it thins.
    """
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):
        for trim_or_map in (-1, -3):
            library.mallopt(trim_or_map, 1 << 28)


def rows(case: Case, rounds: int) -> Iterator[dict[str, Any]]:
    """Our time, and its ratio to each peer's."""
    peers = {"numpy": case.numpy} | _torch_peers(case)
    timing = timed(case.ours, peers, rounds)
    for name in peers:
        yield _row(case.name, name, timing, case.ops)


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


def grad_beside_backward(length: int, rounds: int) -> dict[str, Any]:
    """A pass of autograd.grad over a chain, against one of backward; both recorded."""
    numbers, lines = chain(length)
    leaves = [np.full((8,), number, np.float32) for number in numbers]
    forward = _compiled(_forward_source(len(leaves), lines))
    seed = np.ones(8, np.float32)
    with Recorded():
        tensors = [leaf(x) for x in leaves]
        y = forward(tensors, torch_small.tanh)

        def by_grad() -> Arrays:
            return [x.numpy() for x in torch_small.autograd.grad(y, tensors, constant(seed), retain_graph=True)]

        def by_backward() -> Arrays:
            for x in tensors:
                x.grad = None
            y.backward(constant(seed), retain_graph=True)
            return [_gradient(x) for x in tensors]

        return _row("autograd.grad of the chain", "backward", timed(by_grad, {"backward": by_backward}, rounds), length)


def jacobian(size: int, rounds: int) -> Iterator[dict[str, Any]]:
    """The Jacobian of tanh(w @ tanh(w @ x)) from size to size numbers, against PyTorch's own function."""
    choose = np.random.default_rng(0)
    w = (choose.normal(size=(size, size)) / np.sqrt(size)).astype(np.float32)
    x = choose.normal(size=size).astype(np.float32)

    def by_hand() -> Arrays:
        h = np.tanh(w @ x)
        y = np.tanh(w @ h)
        return [((1 - y * y)[:, None] * w) @ ((1 - h * h)[:, None] * w)]

    def ours() -> Arrays:
        matrix = constant(w)
        f = torch_small.autograd.functional.jacobian
        return [f(lambda x: (matrix @ (matrix @ x).tanh()).tanh(), constant(x)).numpy()]

    peers: dict[str, Run] = {"numpy": by_hand}
    try:
        import torch
    except ImportError:
        pass
    else:
        torch.set_num_threads(1)
        matrix, start = torch.from_numpy(w), torch.from_numpy(x)

        def with_torch() -> Arrays:
            f = torch.autograd.functional.jacobian
            return [f(lambda x: (matrix @ (matrix @ x).tanh()).tanh(), start).numpy()]

        peers["torch.autograd.functional.jacobian"] = with_torch
    timing = timed(ours, peers, rounds)
    for name in peers:
        yield _row(f"Jacobian {size} to {size}", name, timing, size)


def _row(case: str, against: str, timing: Timing, n: int) -> dict[str, Any]:
    return {
        "bench": "engine", "case": case, "against": against, "ratio": round(timing.ratios[against], 3), "unit": "s",
        "value": round(timing.seconds, 7), "n": n,
    }  # fmt: skip


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
    leaves = [np.full(shape, number, np.float32)[()] for number in numbers]
    seed = np.ones(shape, np.float32)[()]
    forward = _compiled(_forward_source(len(leaves), lines))
    by_hand = _compiled(_by_hand_source(len(leaves), lines))

    def ours() -> Arrays:
        with Recorded():
            tensors = [leaf(x) for x in leaves]
            forward(tensors, torch_small.tanh).backward(constant(seed))
            return [_gradient(x) for x in tensors]

    def with_torch(hooked: bool) -> Run:
        import torch

        def run() -> Arrays:
            tensors = [torch.tensor(x, requires_grad=True) for x in leaves]
            return _torch_gradients(forward(tensors, torch.tanh), torch.tensor(seed), tensors, hooked)

        return run

    return Case(name, len(lines), ours, lambda: by_hand(leaves, np.tanh, seed), with_torch)


class Recorded:
    """Everything that the engine does is kept, as a recorder keeps it; the garbage collector pauses meanwhile."""

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._sweeps: list[Any] = []
        state.tape = []
        state.on_entry, state.on_sweep = state.tape.append, self._sweeps.append

    def __exit__(self, *_: object) -> None:
        state.tape = state.on_entry = state.on_sweep = None
        self._sweeps.clear()
        if self._was_enabled:
            gc.enable()


def leaf(x: Any, takes: bool = True) -> Tensor:
    """A leaf of these numbers."""
    made = constant(x)
    made.tracked = takes
    return made


def _gradient(x: Tensor) -> Any:
    grad = None if x.extra is None else x.extra.grad
    return np.zeros(x.shape) if grad is None else current(grad).array


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


def cross_entropy() -> Case:
    """The cross-entropy of 64 rows of 1,000 logits."""
    choose = np.random.default_rng(0)
    logits = choose.normal(size=(64, 1000)).astype(np.float32)
    labels, rows_ = choose.integers(0, 1000, 64), np.arange(64)

    def by_hand() -> Arrays:
        z = logits - logits.max(1, keepdims=True)
        e = np.exp(z)
        total = e.sum(1, keepdims=True)
        loss = -(z[rows_, labels] - np.log(total[:, 0])).mean()
        d = e / total
        d[rows_, labels] -= 1
        d /= np.float32(64)
        return [d, np.zeros(64) + 0 * loss]

    def forward(tensors: Arrays, cross_entropy: Any) -> Any:
        return cross_entropy(*tensors)

    arrays = [logits, labels]
    return _of_arrays("cross-entropy [64, 1000]", 2, arrays, np.float32(1), by_hand, forward, [True, False])


def _columns(x: Any, k: int) -> Any:
    """Patches of k x k as rows: [n, h', w', c * k * k]."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (k, k), (2, 3))
    n, c, h, w = windows.shape[:4]
    return np.ascontiguousarray(windows.transpose(0, 2, 3, 1, 4, 5)).reshape(n * h * w, c * k * k)


def cnn() -> Case:
    """Two convolutions of 3 x 3 with relu and pooling, then a linear layer, on 8 images of 1 x 16 x 16."""
    choose = np.random.default_rng(0)
    shapes = [(8, 1, 16, 16), (8, 1, 3, 3), (8,), (16, 8, 3, 3), (16,), (10, 64), (10,)]
    arrays = [(choose.normal(size=shape) / 3).astype(np.float32) for shape in shapes]
    v = np.float32(1)

    def pool(x: Any) -> tuple[Any, Any]:
        n, c, h, w = x.shape
        h, w = h // 2, w // 2
        blocks = x[:, :, : 2 * h, : 2 * w].reshape(n, c, h, 2, w, 2)
        y = blocks.max((3, 5))
        return y, blocks == y[:, :, :, None, :, None]

    def unpool(g: Any, won: Any, shape: Any) -> Any:
        out = np.zeros(shape, np.float32)
        n, c, h, w = g.shape
        out[:, :, : 2 * h, : 2 * w] = (won * g[:, :, :, None, :, None]).reshape(n, c, 2 * h, 2 * w)
        return out

    def conv(x: Any, w: Any, b: Any) -> tuple[Any, Any]:
        columns = _columns(x, 3)
        n, _, h, width = x.shape
        y = columns @ w.reshape(len(w), -1).T + b
        return y.reshape(n, h - 2, width - 2, len(w)).transpose(0, 3, 1, 2), columns

    def back(g: Any, columns: Any, w: Any, x: Any, *, wants_x: bool) -> tuple[Any, Any, Any]:
        rows_ = g.transpose(0, 2, 3, 1).reshape(-1, len(w))
        dw, db = (rows_.T @ columns).reshape(w.shape), rows_.sum(0)
        dx = None
        if wants_x:
            padded = np.pad(g, ((0, 0), (0, 0), (2, 2), (2, 2)))
            turned = w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3).reshape(w.shape[1], -1)
            dx = (_columns(padded, 3) @ turned.T).reshape(len(x), *x.shape[2:], x.shape[1]).transpose(0, 3, 1, 2)
        return dw, db, dx

    def by_hand() -> Arrays:
        x, w1, b1, w2, b2, w3, b3 = arrays
        z1, c1 = conv(x, w1, b1)
        h1, won1 = pool(np.maximum(z1, 0))
        z2, c2 = conv(h1, w2, b2)
        h2, won2 = pool(np.maximum(z2, 0))
        flat = h2.reshape(8, -1)
        y = flat @ w3.T + b3
        d = np.full_like(y, 1 / y.size)
        d3, db3 = d.T @ flat, d.sum(0)
        g = unpool((d @ w3).reshape(h2.shape), won2, z2.shape) * (z2 > 0)
        d2, db2, g = back(g, c2, w2, h1, wants_x=True)
        g = unpool(g, won1, z1.shape) * (z1 > 0)
        d1, db1, _ = back(g, c1, w1, x, wants_x=False)
        return [np.zeros_like(x), d1, db1, d2, db2, d3, db3]

    def forward(tensors: Arrays, conv2d: Any, max_pool2d: Any, relu: Any, linear: Any) -> Any:
        x, w1, b1, w2, b2, w3, b3 = tensors
        h = max_pool2d(relu(conv2d(x, w1, b1)), 2)
        h = max_pool2d(relu(conv2d(h, w2, b2)), 2)
        return linear(h.flatten(1), w3, b3).mean()

    return _of_arrays("small CNN 8 x 1 x 16 x 16", 10, arrays, v, by_hand, forward, [False, *[True] * 6])


def lstm() -> Case:
    """An LSTM cell of 32 units over 20 steps of a batch of 16."""
    choose = np.random.default_rng(0)
    steps, batch, size, units = 20, 16, 8, 32
    shapes = [(steps, batch, size), (4 * units, size), (4 * units, units), (4 * units,)]
    arrays = [(choose.normal(size=shape) / 4).astype(np.float32) for shape in shapes]
    v = np.float32(1)

    def sigmoid_of(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    def by_hand() -> Arrays:
        xs, w, u, b = arrays
        h = c = np.zeros((batch, units), np.float32)
        kept = []
        for x in xs:
            i, f, g, o = np.split(x @ w.T + h @ u.T + b, 4, 1)
            i, f, g, o = sigmoid_of(i), sigmoid_of(f), np.tanh(g), sigmoid_of(o)
            before = c
            c = f * c + i * g
            t = np.tanh(c)
            kept.append((x, h, before, i, f, g, o, t))
            h = o * t
        dw, du, db = np.zeros_like(w), np.zeros_like(u), np.zeros_like(b)
        dh, dc = np.full_like(h, 1 / h.size), np.zeros_like(h)
        for x, h, before, i, f, g, o, t in reversed(kept):
            dc = dc + dh * o * (1 - t * t)
            d = np.concatenate(
                [dc * g * i * (1 - i), dc * before * f * (1 - f), dc * i * (1 - g * g), dh * t * o * (1 - o)], 1
            )
            dw += d.T @ x
            du += d.T @ h
            db += d.sum(0)
            dh, dc = d @ u, dc * f
        return [np.zeros_like(xs), dw, du, db]

    def forward(tensors: Arrays, linear: Any, sigmoid: Any, tanh: Any, zeros: Any) -> Any:
        xs, w, u, b = tensors
        h = c = zeros(batch, units)
        for step in range(steps):
            i, f, g, o = (linear(xs[step], w, b) + linear(h, u)).chunk(4, 1)
            c = sigmoid(f) * c + sigmoid(i) * tanh(g)
            h = sigmoid(o) * tanh(c)
        return h.mean()

    return _of_arrays("LSTM over 20 steps", 20 * 18, arrays, v, by_hand, forward, [False, True, True, True])


def _of_arrays(
    name: str, ops: int, arrays: Arrays, v: Any, by_hand: Run, forward: Callable[..., Any], takers: list[bool]
) -> Case:
    names = forward.__code__.co_varnames[1 : forward.__code__.co_argcount]
    functions = [getattr(F, name, None) or getattr(torch_small, name) for name in names]

    def ours() -> Arrays:
        with Recorded():
            tensors = [leaf(x, taker) for x, taker in zip(arrays, takers, strict=True)]
            forward(tensors, *functions).backward(constant(v))
            return [_gradient(x) for x in tensors]

    def with_torch(hooked: bool) -> Run:
        import torch

        theirs = [getattr(torch, name, None) or getattr(torch.nn.functional, name) for name in names]

        def run() -> Arrays:
            tensors = [torch.from_numpy(x).requires_grad_(taker) for x, taker in zip(arrays, takers, strict=True)]
            return _torch_gradients(forward(tensors, *theirs), torch.tensor(v), tensors, hooked)

        return run

    return Case(name, ops, ours, by_hand, with_torch)
