"""One layer of an LSTM in one direction as one node, as PyTorch's kernel for float32 on the CPU is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.kernels import long_products, nearest, one_dnn
from gradviz.imitation.engine.kernels.nearest import fused, one_minus_square
from gradviz.imitation.engine.kernels.products import chains
from gradviz.imitation.engine.rules.asked_once import asked_once
from gradviz.imitation.engine.rules.entry import Op, case, saves

INPUTS = ("x", "w_ih", "w_hh", "b_ih", "b_hh", "h", "c")


class Run(NamedTuple):
    """What a layer works out, step by step.

    Attributes:
        order: the steps in the order in which they run.
        gates: input, forget, cell and output gate of each step, side by side (steps, batch, 4 · hidden).
        before: the hidden state that each step begins with (steps, batch, hidden).
        cells: the cell state that each step begins with.
        squeezed: tanh of the cell state that each step ends with.
        results: the hidden state of every step, and the last hidden and cell state.
    """

    order: range
    gates: Any
    before: Any
    cells: Any
    squeezed: Any
    results: tuple[Any, Any, Any]


def run(
    x: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, h: Any, c: Any, *, reverse: bool, is_training: bool = True
) -> Run:
    """The layer: x (steps, batch, features), h and c (batch, hidden).

    is_training: whether PyTorch would record it; its kernel for results alone adds in another order.
    """
    steps, (batch, hidden) = x.shape[0], h.shape
    order = range(steps - 1, -1, -1) if reverse else range(steps)
    inner = _inner_sums(x, w_ih, w_hh, is_training)
    bias, cell, (tanh, logistic) = b_ih + b_hh, slice(2 * hidden, 3 * hidden), _functions(x)
    gates = np.empty((steps, batch, 4 * hidden), x.dtype)
    before, cells, squeezed, outputs = (np.empty((steps, batch, hidden), x.dtype) for _ in range(4))
    for t in order:
        before[t], cells[t] = h, c
        a = inner(t, h) + bias
        gates[t] = logistic(a)
        gates[t, :, cell] = tanh(a[:, cell])
        i, f, g, o = np.split(gates[t], 4, axis=-1)
        c = fused(i, g, c * f)
        squeezed[t] = tanh(c)
        h = outputs[t] = o * squeezed[t]
    return Run(order, gates, before, cells, squeezed, (outputs, np.array(h), np.array(c)))


def _inner_sums(x: Any, w_ih: Any, w_hh: Any, is_training: bool) -> Callable[[int, Any], Any]:
    """What makes, of a step and the state it begins with, the sums of both products of that step."""
    if not is_training and w_ih.shape == w_hh.shape and x.dtype.char == "f" and (x.shape[1] > 1 or len(x) == 1):
        both = np.concatenate((w_ih, w_hh), axis=1).T
        return lambda t, h: chains(np.concatenate((x[t], h), axis=1), both)
    given = _product(rows(x), w_ih.T).reshape(*x.shape[:2], -1)
    if is_training and x.shape[1] == 1 and x.dtype.char == "f":  # of one example they are added one by one
        return lambda t, h: chains(w_hh, h.T, given[t].T).T
    return lambda t, h: given[t] + _product(h, w_hh.T)


def _functions(x: Any) -> tuple[Any, Any]:
    """tanh and the logistic function as the kernel has them."""
    return (one_dnn.tanh, one_dnn.logistic) if x.dtype.char == "f" else (nearest.tanh, F.sigmoid_array)


class Sent(NamedTuple):
    """What goes back through a layer: the gradients of all gates before their functions, and of the first states."""

    gates: Any
    before: Any
    h: Any
    c: Any


def sent(grad: Any, xs: tuple[Any, ...], reverse: bool, output: int) -> Sent:
    """The way back through all steps, from the gradient of one of the three results."""
    done, w_hh = run(*xs, reverse=reverse), xs[2]
    g = [np.zeros_like(result) for result in done.results]
    g[output] = grad
    along, dh, dc = g
    d_gates = np.empty_like(done.gates)
    for t in reversed(done.order):
        i, f, cell, o = np.split(done.gates[t], 4, axis=-1)
        dh = along[t] + dh
        dc = dc + one_minus_square(done.squeezed[t]) * dh * o
        d_gates[t] = np.concatenate(
            [
                _slope(i) * dc * cell,
                _slope(f) * dc * done.cells[t],
                one_minus_square(cell) * (i * dc),
                _slope(o) * dh * done.squeezed[t],
            ],
            axis=-1,
        )
        dh, dc = _product(d_gates[t], w_hh), dc * f
    return Sent(d_gates, done.before, dh, dc)


def _slope(y: Any) -> Any:
    """y (1 − y) of results of the logistic function."""
    return fused(-y, y, y)


@asked_once
def _sent_once(grad: Any, reverse: bool, output: int, *xs: Any) -> Sent:
    return sent(grad, xs, reverse, output)


def rows(x: Any) -> Any:
    """All steps of all examples below each other."""
    return x.reshape(-1, x.shape[-1])


def _of_slot(slot: int, back: Sent, xs: tuple[Any, ...], reverse: bool) -> Any:
    """The gradient of one input; what belongs to all steps is added up in the order in which they ran, or its end first."""
    x, w_ih = xs[:2]
    way = -1 if reverse else 1
    if slot == 0:
        return _product(rows(back.gates), w_ih).reshape(x.shape)
    if slot == 1 or (slot == 2 and reverse):
        seen = x if slot == 1 else back.before
        return _product(rows(back.gates[::way]).T, rows(seen[::way]))
    if slot == 2:  # the state that the first step begins with lies apart
        later = _product(rows(back.gates[1:]).T, rows(back.before[1:])) if len(x) > 1 else 0
        return later + _product(back.gates[0].T, back.before[0])
    if slot in (3, 4):
        return np.add.accumulate(rows(back.gates[::-way]))[-1] + 0
    return back.h if slot == 5 else back.c


def _product(a: Any, b: Any) -> Any:
    """As oneDNN multiplies matrices of any shape: by blocks of the inner axis."""
    if a.dtype.char != "f":
        return a @ b
    total, at = None, 0
    for size in long_products.parts_in_order(a.shape[1]):
        part = chains(a[:, at : at + size], b[at : at + size])
        total, at = part if total is None else total + part, at + size
    return total


def _rule(slot: int) -> Any:
    def rule(g: Any, y: Any, *xs: Any, output: int, reverse: bool) -> Any:
        return _of_slot(slot, _sent_once(g, reverse, output, *xs), xs, reverse)

    return rule


def _example(output: int, reverse: bool) -> dict[str, Any]:
    numbers = np.random.default_rng(5)
    shapes = ((3, 2, 2), (4, 2), (4, 1), (4,), (4,), (2, 1), (2, 1))
    return case(*(numbers.uniform(-1, 1, shape) for shape in shapes), output=output, reverse=reverse)


TABLE = (
    Op("mkldnn_rnn_layer", "LSTM", lambda *xs, output, reverse: run(*xs, reverse=reverse).results[output],
       tuple(_rule(slot) for slot in range(7)), INPUTS,
       ("gates(g) @ w_ih", "T(rows(gates(g))) @ rows(x)", "T(rows(gates(g))) @ rows(before)", "sum(rows(gates(g)), 0)",
        "sum(rows(gates(g)), 0)", "gates(g)[first] @ w_hh", "carried(g)"),
       "y = the states of a long short-term memory, step by step",
       (_example(0, False), _example(0, True), _example(1, False), _example(2, True)), "MkldnnRnnLayerBackward0",
       saves("x w_ih w_hh b_ih b_hh h c y"), output="output",
       note="gates(g) are the gradients of the four gates of every step."),
)  # fmt: skip


def _of_layer(xs: Any, params: dict[str, Any]) -> dict[str, Any]:
    def back(g: Any) -> Sent:
        return sent(g, tuple(xs), params["reverse"], params["output"])

    return {
        "gates": lambda g: back(g).gates,
        "carried": lambda g: back(g).c,
        "before": run(*xs, reverse=params["reverse"]).before,
        "first": -1 if params["reverse"] else 0,
    }


NAMES: dict[str, Any] = {"rows": rows}
OF_PARAMS: dict[str, Any] = {"mkldnn_rnn_layer": _of_layer}
