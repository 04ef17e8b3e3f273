"""Forward and backward of a script as a user has it, recorded, against hand-written numpy.

Our side is a script run by the host in a process of its own, with the recorder and behind all walls, as the window runs
it; the script times its own passes, and the first quarter of them is not counted. The numpy code computes the same values and only the gradients
of the leaves; it records nothing. Where PyTorch is installed it runs too, bare, and with hooks that keep what the
engine keeps. All sides of a case take turns, each round gives one ratio, and linear algebra has one thread everywhere.
"""

from __future__ import annotations

import os
import random
import statistics
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # before numpy, which reads them

import numpy as np

import gradviz.engine as torch_small
from gradviz.recording import Recording
from gradviz.run.host import Host
from gradviz.run.job import Job
from tests.benchmarks.figures import Row, in_turns, repeated, row

Arrays = list[Any]
Line = tuple[str, int, int]
"""What an op computes from the values at two places: "*", "+" or "tanh" (of the first)."""

CHAIN = {"x": 0.3, "w": 1.7, "b": 0.05}
FEWEST, MOST, OPS = 4, 100, 10_000
"""Passes of one run: as many as make so many ops, within these bounds."""

SCRIPT = """\
import time
import torch
import torch.nn.functional as F

{given}
for number in range({passes}):
{clear}
    start = time.perf_counter()
{forward}
    {out}.backward({seed})
    print(time.perf_counter() - start)
"""

BACKWARDS = """\
import time
import torch

{given}
{forward}
v = torch.ones(8)
for number in range({passes}):
    start = time.perf_counter()
    torch.autograd.grad({out}, [{leaves}], v, retain_graph=True)
    middle = time.perf_counter()
    {out}.backward(v, retain_graph=True)
    print(middle - start, time.perf_counter() - middle)
"""

JACOBIAN = """\
import time
import torch

{given}
for number in range({passes}):
    start = time.perf_counter()
    torch.autograd.functional.jacobian(lambda x: (w @ (w @ x).tanh()).tanh(), x)
    print(time.perf_counter() - start)
"""


@dataclass
class Case:
    """One workload: the same work as a script and in numpy.

    Attributes:
        ops: how many.
        given: by name the expression of each tensor that is there before; one with `requires_grad` takes a gradient.
        forward: lines of a script, from those names to `out`.
        seed: the v of the backward call, as an expression; "" for none.
        by_hand: called with the arrays of `given`; gives the gradients of those that take one.
        aim: the most that we may take as a multiple of numpy's time.
    """

    name: str
    ops: int
    given: dict[str, str]
    forward: str
    by_hand: Callable[..., Arrays]
    aim: float | None
    out: str = "loss"
    seed: str = ""

    @property
    def leaves(self) -> list[str]:
        """Names of what takes a gradient."""
        return [name for name, text in self.given.items() if "requires_grad" in text]


def cases(smoke: bool) -> Iterator[Row]:
    """Rows of figures: ours against each peer; with `smoke` small sizes and few rounds."""
    small = 50 if smoke else 1
    rounds = 2 if smoke else 11
    for case in (
        chain(333 // small, 3.0),
        dag(10_000 // small, 6.0),
        mesh(),
        mlp(64 // (4 if smoke else 1), 784 // (4 if smoke else 1)),
        cnn(),
        lstm(),
        cross_entropy(),
        attention(),
    ):
        yield from compared(case, rounds)
    yield grad_beside_backward(333 // small, rounds)
    yield from jacobian(100 // (10 if smoke else 1), rounds)


def compared(case: Case, rounds: int) -> Iterator[Row]:
    """Our seconds, and the ratio to each peer's. Their gradients must agree."""
    arrays = arrays_of(case.given)
    expected = case.by_hand(*arrays)
    clear = "\n".join(f"{name}.grad = None" for name in case.leaves)
    text = SCRIPT.format(
        given=_lines(case.given), passes=passes_of(case.ops), clear=textwrap.indent(clear, "    "),
        forward=textwrap.indent(case.forward, "    "), out=case.out, seed=case.seed,
    )  # fmt: skip
    recording, _ = ran(text)
    _agree(case, "ours", [recording.gradients[name] for name in case.leaves], expected)
    sides: dict[str, Callable[[], Any]] = {"numpy": lambda: case.by_hand(*arrays)}
    sides |= _torch_sides(case, arrays)
    for name, side in sides.items():
        _agree(case, name, side(), expected)
    measures = {name: repeated(side) for name, side in sides.items()}
    times = in_turns({"ours": lambda: statistics.median(took for (took,) in counted(text)), **measures}, rounds)
    for name in sides:
        aim = case.aim if name == "numpy" else None
        yield row("engine", case.name, times["ours"], "s", case.ops, theirs=times[name], against=name, aim=aim)


def ran(text: str) -> tuple[Recording, list[tuple[float, ...]]]:
    """A script run as the window runs it: what was recorded, and the numbers of each line that it printed.

    Raises:
        RuntimeError: it failed.
    """
    with Host(keeps_spare=False) as host:  # a spare that starts would take time from the other sides
        recording = host.run(Job(text)).recording
    if recording.problem is not None:
        raise RuntimeError(f"the script of a benchmark failed: {recording.problem}\n{text}")
    return recording, [tuple(map(float, line.split())) for line in recording.output.splitlines()]


def passes_of(ops: int) -> int:
    """How many passes a run makes."""
    return min(MOST, max(FEWEST, OPS // ops))


def counted(text: str) -> list[tuple[float, ...]]:
    """Seconds of the passes of a run, without the first quarter: the other sides are warm too when they are timed."""
    times = ran(text)[1]
    return times[len(times) // 4 :]


def arrays_of(given: Mapping[str, str]) -> Arrays:
    """The numbers of the tensors that a script is given."""
    names: dict[str, Any] = {"torch": torch_small}
    exec(_lines(given), names)
    return [names[name].detach().numpy() for name in given]


def _lines(given: Mapping[str, str]) -> str:
    return "\n".join(["torch.manual_seed(0)", *(f"{name} = {text}" for name, text in given.items())])


def _agree(case: Case, side: str, found: Sequence[Any], expected: Arrays) -> None:
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-5, err_msg=f"{case.name}, {side}")


def _torch_sides(case: Case, arrays: Arrays) -> dict[str, Callable[[], Arrays]]:
    try:
        import torch
    except ImportError:
        return {}
    torch.set_num_threads(1)
    source = f"def run({', '.join(case.given)}):\n{textwrap.indent(case.forward, ' ')}\n return {case.out}"
    forward = _compiled(source, torch=torch, F=torch.nn.functional)
    v = eval(case.seed, {"torch": torch}) if case.seed else None

    def run(*, hooked: bool) -> Arrays:
        tensors = {
            name: torch.from_numpy(np.asarray(x)).requires_grad_(name in case.leaves)
            for name, x in zip(case.given, arrays, strict=True)
        }
        out = forward(**tensors)
        kept = _hooked(out) if hooked else []
        out.backward(v)
        found = [tensors[name].grad for name in case.leaves]
        kept.clear()
        return [np.zeros(()) if g is None else g.numpy() for g in found]

    return {"PyTorch": lambda: run(hooked=False), "PyTorch with hooks": lambda: run(hooked=True)}


def _hooked(out: Any) -> list[Any]:
    """What flows through each node of PyTorch's graph, once it does."""
    kept: list[Any] = []
    waiting, seen = [out.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        node.register_hook(lambda sent, incoming: kept.append((sent, incoming)))
        waiting += [source for source, _ in node.next_functions]
    return kept


def grad_beside_backward(length: int, rounds: int) -> Row:
    """A pass of autograd.grad over a chain, against one of backward; both recorded, in one run."""
    case = chain(length)
    text = BACKWARDS.format(
        given=_lines(case.given),
        forward=case.forward,
        out=case.out,
        leaves=", ".join(case.leaves),
        passes=passes_of(case.ops),
    )
    pairs = [pair for _ in range(rounds) for pair in counted(text)]
    ours, theirs = zip(*pairs, strict=True)
    return row("engine", "autograd.grad of the chain", ours, "s", case.ops, theirs=theirs, against="backward", aim=2.0)


def jacobian(size: int, rounds: int) -> Iterator[Row]:
    """The Jacobian of tanh(w @ tanh(w @ x)) from size to size numbers, against PyTorch's quickest way to it."""
    given = {"w": f"torch.randn({size}, {size}) / {size} ** 0.5", "x": f"torch.randn({size})"}
    w, x = arrays_of(given)
    text = JACOBIAN.format(given=_lines(given), passes=passes_of(size))

    def by_hand() -> Any:
        h = np.tanh(w @ x)
        y = np.tanh(w @ h)
        return ((1 - y * y)[:, None] * w) @ ((1 - h * h)[:, None] * w)

    sides: dict[str, Callable[[], Any]] = {"numpy": by_hand}
    try:
        import torch
    except ImportError:
        pass
    else:
        torch.set_num_threads(1)
        matrix, start = torch.from_numpy(w), torch.from_numpy(x)
        rows_of = torch.func.jacrev(lambda x: (matrix @ (matrix @ x).tanh()).tanh())
        sides["torch.func.jacrev"] = lambda: rows_of(start).numpy()
    f = torch_small.autograd.functional.jacobian
    matrix_, start_ = torch_small.tensor(w), torch_small.tensor(x)
    ours = f(lambda x: (matrix_ @ (matrix_ @ x).tanh()).tanh(), start_).numpy()
    for name, side in sides.items():
        np.testing.assert_allclose(ours, side(), rtol=1e-3, atol=1e-5, err_msg=name)
    measures = {name: repeated(side) for name, side in sides.items()}
    times = in_turns({"ours": lambda: statistics.median(took for (took,) in counted(text)), **measures}, rounds)
    for name in sides:
        aim = None if name == "numpy" else 1.0
        case = f"Jacobian {size} to {size}"
        yield row("engine", case, times["ours"], "s", size, theirs=times[name], against=name, aim=aim)


# ---- many small ops ----------------------------------------------------------------------------------------------


def chain(rounds: int, aim: float | None = None) -> Case:
    """x·w + b and tanh on shape [8], again and again over the same w and b."""
    given = {name: f"torch.full((8,), {number}, requires_grad=True)" for name, number in CHAIN.items()}
    lines = [(("*", "+", "tanh")[i % 3], i + 2 if i else 0, (1, 2, 0)[i % 3]) for i in range(3 * rounds)]
    forward = f"h = x\nfor i in range({rounds}):\n    h = torch.tanh(h * w + b)"
    by_hand = by_hand_in_lines(3, lines, np.ones(8, np.float32))
    return Case("chain on shape [8]", len(lines), given, forward, by_hand, aim, "h", "torch.ones(8)")


def dag(length: int, aim: float) -> Case:
    """100 scalars, then ops on recent values, kept between −1 and 1 by tanh, all in a list."""
    choose = random.Random(1)
    numbers, lines = [choose.uniform(-1, 1) for _ in range(100)], []
    for place in range(100, 100 + length):
        first = place - 1 if place > 100 and choose.random() < 0.9 else choose.randrange(max(0, place - 200), place)
        sign = ("tanh", "*", "tanh", "+")[len(lines) % 4]
        lines.append((sign, first, choose.randrange(max(0, place - 200), place)))
    reached = _reached(100, lines)
    given = {
        f"x{i}": f"torch.tensor({number}{', requires_grad=True' if i in reached else ''})"
        for i, number in enumerate(numbers)
    }
    ops = {"tanh": "v.append(torch.tanh(v[{1}]))", "*": "v.append(v[{1}] * v[{2}])", "+": "v.append(v[{1}] + v[{2}])"}
    forward = "\n".join([f"v = [{', '.join(given)}]", *(ops[line[0]].format(*line) for line in lines)])
    by_hand = by_hand_in_lines(100, lines, np.float32(1))
    return Case("scalar DAG", length, given, forward, by_hand, aim, "v[-1]")


def by_hand_in_lines(first: int, lines: list[Line], v: Any) -> Callable[..., Arrays]:
    """Straight-line code of numpy for the values and their derivatives, one variable each."""
    run = _compiled(_by_hand_source(first, lines), tanh=np.tanh)
    return lambda *leaves: run([x[()] for x in leaves], v)


def _reached(first: int, lines: Sequence[Line]) -> set[int]:
    """Places of what a gradient gets to."""
    found = {first + len(lines) - 1}
    for i, (sign, a, b) in reversed(list(enumerate(lines, first))):
        if i in found:
            found |= {a} if sign == "tanh" else {a, b}
    return found


def _by_hand_source(first: int, lines: list[Line]) -> str:
    """Values, and the derivative as one would write it: no list, no call, a sum where a value fans out."""
    last = first + len(lines) - 1
    body = [", ".join(f"v{i}" for i in range(first)) + ", = leaves"]
    ops = {"tanh": "tanh(v{1})", "*": "v{1} * v{2}", "+": "v{1} + v{2}"}
    body += [f"v{first + i} = {ops[line[0]].format(*line)}" for i, line in enumerate(lines)]
    body.append(f"g{last} = v")
    known = {last}
    for i, (sign, a, b) in reversed(list(enumerate(lines, first))):
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
    found = ", ".join(f"g{i}" for i in range(first) if i in known)
    return "def run(leaves, v):\n " + "\n ".join([*body, f"return [{found}]"])


def _compiled(source: str, **names: Any) -> Callable[..., Any]:
    space = dict(names)
    exec(source, space)
    return space["run"]  # type: ignore[no-any-return]


# ---- few large ops -----------------------------------------------------------------------------------------------


def _leaf(size: str, scale: str = "1") -> str:
    return f"(torch.randn({size}) / {scale}).requires_grad_()"


def mesh() -> Case:
    """sigmoid of a Linear(2, 1) on a 9 x 9 mesh, with v all ones: the example people begin with."""
    line = "torch.linspace(-2, 2, 9)"
    given = {
        "x": f"torch.cartesian_prod({line}, {line}).requires_grad_()",
        "w": "torch.tensor([[0.5, -1.2]], requires_grad=True)",
        "b": "torch.tensor([0.1], requires_grad=True)",
    }
    v = np.ones((81, 1), np.float32)

    def by_hand(x: Any, w: Any, b: Any) -> Arrays:
        y = 1.0 / (1.0 + np.exp(-(x @ w.T + b)))
        d = v * y * (1.0 - y)
        return [d @ w, d.T @ x, d.sum(0)]

    return Case("9 x 9 mesh", 3, given, "y = torch.sigmoid(F.linear(x, w, b))", by_hand, 4.0, "y", "torch.ones(81, 1)")


def mlp(batch: int, features: int) -> Case:
    """batch x features-256-256-10 with relu and cross entropy; the data takes no gradient."""
    given = {"x": f"torch.randn({batch}, {features})", "labels": f"torch.randint(10, ({batch},))"}
    for i, (inner, outer) in enumerate(((features, 256), (256, 256), (256, 10)), 1):
        given |= {f"w{i}": _leaf(f"{outer}, {inner}", f"{inner} ** 0.5"), f"b{i}": _leaf(f"{outer}", "10")}
    rows_ = np.arange(batch)

    def by_hand(x: Any, labels: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Arrays:
        h1 = np.maximum(x @ w1.T + b1, 0)
        h2 = np.maximum(h1 @ w2.T + b2, 0)
        z = h2 @ w3.T + b3
        z -= z.max(1, keepdims=True)
        e = np.exp(z)
        total = e.sum(1, keepdims=True)
        (np.log(total[:, 0]) - z[rows_, labels]).mean()  # the loss
        d = e / total
        d[rows_, labels] -= 1
        d /= batch
        d2 = (d @ w3) * (h2 > 0)
        d1 = (d2 @ w2) * (h1 > 0)
        return [d1.T @ x, d1.sum(0), d2.T @ h1, d2.sum(0), d.T @ h2, d.sum(0)]

    forward = """\
h = torch.relu(F.linear(x, w1, b1))
h = torch.relu(F.linear(h, w2, b2))
loss = F.cross_entropy(F.linear(h, w3, b3), labels)"""
    return Case(f"MLP {batch} x {features}-256-256-10", 6, given, forward, by_hand, 1.6)


def cross_entropy() -> Case:
    """The cross-entropy of 64 rows of 1,000 logits."""
    given = {"logits": _leaf("64, 1000"), "labels": "torch.randint(1000, (64,))"}
    rows_ = np.arange(64)

    def by_hand(logits: Any, labels: Any) -> Arrays:
        z = logits - logits.max(1, keepdims=True)
        e = np.exp(z)
        total = e.sum(1, keepdims=True)
        (np.log(total[:, 0]) - z[rows_, labels]).mean()  # the loss
        d = e / total
        d[rows_, labels] -= 1
        d /= np.float32(64)
        return [d]

    forward = "loss = F.cross_entropy(logits, labels)"
    return Case("cross-entropy [64, 1000]", 1, given, forward, by_hand, 3.0)


def attention() -> Case:
    """One head over 16 words of 32 numbers, written out."""
    given = {"x": "torch.randn(16, 32)"} | {name: _leaf("32, 32", "32 ** 0.5") for name in ("wq", "wk", "wv")}
    scale = np.float32(32**-0.5)

    def by_hand(x: Any, wq: Any, wk: Any, wv: Any) -> Arrays:
        q, k, v = x @ wq, x @ wk, x @ wv
        s = (q @ k.T) * scale
        e = np.exp(s - s.max(1, keepdims=True))
        p = e / e.sum(1, keepdims=True)
        y = p @ v
        y.sum()  # the loss
        dy = np.ones_like(y)
        dp = dy @ v.T
        ds = p * (dp - (dp * p).sum(1, keepdims=True)) * scale
        return [x.T @ (ds @ k), x.T @ (ds.T @ q), x.T @ (p.T @ dy)]

    forward = """\
q, k, v = x @ wq, x @ wk, x @ wv
p = torch.softmax(q @ k.T * 32 ** -0.5, dim=-1)
loss = (p @ v).sum()"""
    return Case("attention, one head of 16 x 32", 9, given, forward, by_hand, 4.0)


def _columns(x: Any, k: int) -> Any:
    """Patches of k x k as rows: [n, h', w', c * k * k]."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (k, k), (2, 3))
    n, c, h, w = windows.shape[:4]
    return np.ascontiguousarray(windows.transpose(0, 2, 3, 1, 4, 5)).reshape(n * h * w, c * k * k)


def cnn() -> Case:
    """Two convolutions of 3 x 3 with relu and pooling, then a linear layer, on 8 images of 1 x 16 x 16."""
    given = {
        "x": "torch.randn(8, 1, 16, 16)",
        "w1": _leaf("8, 1, 3, 3", "3"), "b1": _leaf("8", "3"),
        "w2": _leaf("16, 8, 3, 3", "3"), "b2": _leaf("16", "3"),
        "w3": _leaf("10, 64", "3"), "b3": _leaf("10", "3"),
    }  # fmt: skip

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

    def by_hand(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Arrays:
        z1, c1 = conv(x, w1, b1)
        h1, won1 = pool(np.maximum(z1, 0))
        z2, c2 = conv(h1, w2, b2)
        h2, won2 = pool(np.maximum(z2, 0))
        flat = h2.reshape(8, -1)
        y = flat @ w3.T + b3
        y.mean()  # the loss
        d = np.full_like(y, 1 / y.size)
        d3, db3 = d.T @ flat, d.sum(0)
        g = unpool((d @ w3).reshape(h2.shape), won2, z2.shape) * (z2 > 0)
        d2, db2, g = back(g, c2, w2, h1, wants_x=True)
        g = unpool(g, won1, z1.shape) * (z1 > 0)
        d1, db1, _ = back(g, c1, w1, x, wants_x=False)
        return [d1, db1, d2, db2, d3, db3]

    forward = """\
h = F.max_pool2d(torch.relu(F.conv2d(x, w1, b1)), 2)
h = F.max_pool2d(torch.relu(F.conv2d(h, w2, b2)), 2)
loss = F.linear(h.flatten(1), w3, b3).mean()"""
    return Case("small CNN 8 x 1 x 16 x 16", 9, given, forward, by_hand, 2.0)


def lstm() -> Case:
    """An LSTM cell of 32 units over 20 steps of a batch of 16."""
    steps, batch, size, units = 20, 16, 8, 32
    given = {
        "xs": f"torch.randn({steps}, {batch}, {size}) / 4",
        "w": _leaf(f"{4 * units}, {size}", "4"),
        "u": _leaf(f"{4 * units}, {units}", "4"),
        "b": _leaf(f"{4 * units}", "4"),
    }

    def sigmoid_of(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    def by_hand(xs: Any, w: Any, u: Any, b: Any) -> Arrays:
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
        return [dw, du, db]

    forward = f"""\
h = c = torch.zeros({batch}, {units})
for step in range({steps}):
    i, f, g, o = (F.linear(xs[step], w, b) + F.linear(h, u)).chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
loss = h.mean()"""
    return Case("LSTM over 20 steps", 20 * 18, given, forward, by_hand, 4.5)
