"""One layer of an LSTM: its steps are worked out again, one by one, and gone back through.

Source: mkldnn_rnn_layer_differentiable_backward of PyTorch 2.13.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.create_graph.steps import new_zeros, transposed
from gradviz.imitation.engine.generic import matmul
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.numbers.activation import sigmoid, tanh


class Step(NamedTuple):
    """A step: the input, the states it begins with, its four gates, and the cell state it ends with."""

    x: int
    h: Any
    c: Any
    i: Any
    f: Any
    g: Any
    o: Any
    cell: Any


def _linear(x: Any, w: Any, b: Any) -> Any:
    return call("addmm", b, x, call("t", w))


def _at(x: Any, t: int) -> Any:
    return call("select", x, dim=0, index=t)


def _forward(x: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, h: Any, c: Any, reverse: bool) -> list[Step]:
    n, count = h.shape[1], x.shape[0]
    steps = []
    for t in range(count - 1, -1, -1) if reverse else range(count):
        a = _linear(_at(x, t), w_ih, b_ih)
        a = a + _linear(h, w_hh, b_hh)
        parts = [call("unsafe_split", a, dim=1, start=k * n, end=(k + 1) * n, output=k) for k in range(4)]
        i, f, g, o = (tanh(part) if k == 2 else sigmoid(part) for k, part in enumerate(parts))
        before, cell = (h, c), f * c
        c = cell + i * g
        h = o * tanh(c)
        steps.append(Step(t, *before, i, f, g, o, c))
    return steps


def _gates(step: Step, dh: Any, dc: Any) -> tuple[Any, Any]:
    """The gradient of the gates before their functions, and of the cell state that the step begins with."""
    last = tanh(step.cell)
    rest = 1 - tanh(step.cell) * last
    d = dc + dh * step.o * rest
    to_g, to_i, before, to_f = d * step.i, d * step.g, d * step.f, d * step.c
    to_o = _slope(dh * tanh(step.cell), step.o)
    square = 1 - step.g * step.g
    to_g = to_g * square
    to_f = _slope(to_f, step.f)
    return call("cat", _slope(to_i, step.i), to_f, to_g, to_o, dim=1), before


def _slope(d: Any, y: Any) -> Any:
    rest = 1 - y
    return d * y * rest


def _layer(came: Sequence[Any], made: Any, sources: Any, needs: Any) -> tuple[Any, ...]:
    x, w_ih, w_hh, b_ih, b_hh, h, c = sources
    along, dh, dc = [*came, None, None][:3]
    steps = _forward(x, w_ih, w_hh, b_ih, b_hh, h, c, made[0].params["reverse"])
    dh, dc = (new_zeros(state.shape, state) if d is None else d for d, state in ((dh, h), (dc, c)))
    sums: list[Any] = []
    by_step: dict[int, Any] = {}
    for step in reversed(steps):
        dh = (new_zeros(dh.shape, dh) if along is None else _at(along, step.x)) + dh
        da, dc = _gates(step, dh, dc)
        db = F.sum(da, 0)
        by_step[step.x] = call("unsqueeze", matmul(da, w_ih), dim=0)
        dh = matmul(da, w_hh)
        seen = _at(x, step.x)
        found = [db, matmul(transposed(da), seen), matmul(transposed(da), step.h)]
        sums = [a + b for a, b in zip(sums, found, strict=True)] if sums else found
    to_x = call("cat", *(by_step[t] for t in range(len(steps))), dim=0)
    to_b, to_w_ih, to_w_hh = sums
    return to_x, to_w_ih, to_w_hh, to_b, to_b, dh, dc


OF_RESULTS: dict[str, Any] = {"mkldnn_rnn_layer": _layer}
