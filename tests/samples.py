"""Recordings made by hand, for tests of the rooms that only read one."""

from __future__ import annotations

import random

import numpy as np

from gradviz.recording import Accumulation, Array, Node, Recording, Source, Step, Sweep

F = np.float32


def array(*numbers: float) -> Array:
    return np.array(numbers, dtype=F)


def weighted_sum() -> Recording:
    """y = sum(x * x * w) at x = [-1, 2], w = [3, 5]: y = 23, x.grad = [-6, 20]."""
    nodes = (
        Node(0, "leaf", shape=(2,), name="x", requires_grad=True, line=3),
        Node(1, "mul", (0, 0), shape=(2,), requires_grad=True, line=6),
        Node(2, "constant", shape=(2,), name="w", line=4),
        Node(3, "mul", (1, 2), shape=(2,), requires_grad=True, line=6),
        Node(4, "sum", (3,), name="y", requires_grad=True, line=6),
    )
    values = (array(-1, 2), array(1, 4), array(3, 5), array(3, 20), F(23))
    steps = (
        Step(4, F(1), (array(1, 1),)),
        Step(3, array(1, 1), (array(3, 5), None)),
        Step(1, array(3, 5), (array(-3, 10), array(-3, 10))),
        Step(0, array(-6, 20)),
    )
    text = (
        "from torch import tensor\n\nx = tensor([-1., 2.], requires_grad=True)\nw = tensor([3., 5.])\n\n"
        "y = (x * x * w).sum()\ny.backward()\n\nprint(x.grad)\n"
    )
    sweep = Sweep((4,), (F(1),), steps, (Accumulation(0, None, array(-6, 20)),), line=7)
    return Recording(
        nodes,
        values,
        (sweep,),
        {"x": array(-6, 20)},
        "tensor([-6., 20.])\n",
        Source("script", "weighted_sum.py", text),
    )


def random_graph(count: int, seed: int = 0) -> Recording:
    """A scalar graph of `count` nodes: leaves, then add, mul and tanh with locality; one sweep that is exact."""
    rng = random.Random(seed)
    leaves = max(1, count // 20)
    nodes: list[Node] = []
    values: list[Array] = []
    for i in range(count):
        if i < leaves:
            nodes.append(Node(i, "leaf", name=f"x{i}", requires_grad=True, line=i + 1))
            values.append(F(rng.uniform(-1, 1)))
            continue
        a, b = i - 1, rng.randrange(max(0, i - 60), i)
        large = abs(values[a]) > 2 or abs(values[b]) > 2  # keeps the numbers of a long graph finite
        op = "tanh" if large else rng.choice(("add", "mul", "tanh"))
        inputs = (a,) if op == "tanh" else (a, b)
        x = [values[j] for j in inputs]
        values.append(F({"add": sum(x), "mul": x[0] * x[-1], "tanh": np.tanh(x[0])}[op]))
        nodes.append(Node(i, op, inputs, requires_grad=True, line=i + 1))
    incoming: list[Array | None] = [None] * count
    incoming[-1] = F(1)
    steps = []
    for node in reversed(nodes):
        g = incoming[node.id]
        if g is None:
            continue
        x = [values[j] for j in node.inputs]
        out: tuple[Array, ...] = ()
        if node.op == "add":
            out = (g, g)
        elif node.op == "mul":
            out = (F(g * x[1]), F(g * x[0]))
        elif node.op == "tanh":
            out = (F(g * (1 - values[node.id] ** 2)),)
        for source, gradient in zip(node.inputs, out, strict=True):
            before = incoming[source]
            incoming[source] = gradient if before is None else F(before + gradient)
        steps.append(Step(node.id, g, out))
    grads = tuple(Accumulation(i, None, incoming[i]) for i in range(leaves) if incoming[i] is not None)
    sweep = Sweep((count - 1,), (F(1),), tuple(steps), grads, line=count + 1)
    return Recording(tuple(nodes), tuple(values), (sweep,), {f"x{i}": incoming[i] for i in range(leaves)})
