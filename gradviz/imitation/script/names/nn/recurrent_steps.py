"""How recurrent layers run, in the ops that PyTorch records on the CPU.

A state is a tuple: the hidden state, and for an LSTM the cell state after it. A layer is given the whole sequence
(steps, batch, features), or a packed one: the examples of each step below those of the step before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions import NEURAL
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.rules.layers.recurrent import run
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.errors import TorchError

linear: Callable[..., Tensor] = NEURAL["linear"]

State = tuple[Tensor, ...]
Cell = Callable[[Tensor, State, "Weights"], State]


@dataclass(frozen=True)
class Weights:
    """The parameters of one layer in one direction; None where there is none."""

    ih: Tensor
    hh: Tensor
    bias_ih: Tensor | None
    bias_hh: Tensor | None
    hr: Tensor | None = None

    def of_input(self, x: Tensor) -> Tensor:
        """What the input adds to the gates."""
        return linear(x, self.ih, self.bias_ih)

    def of_hidden(self, h: Tensor) -> Tensor:
        """What the hidden state adds to the gates."""
        return linear(h, self.hh, self.bias_hh)

    @property
    def biases(self) -> tuple[Tensor, Tensor]:
        """Both, zeros where there are none."""
        zeros = constant(np.zeros(self.ih.shape[0], self.ih.dtype), self.ih.tape)
        return zeros if self.bias_ih is None else self.bias_ih, zeros if self.bias_hh is None else self.bias_hh


# ---- one step, given what the input adds to the gates ----


def _gates(x: Tensor, count: int) -> list[Tensor]:
    size = x.shape[1] // count
    bounds = [(k, k * size, (k + 1) * size) for k in range(count)]
    return [apply(OPS["unsafe_split"], (x,), dim=1, start=a, end=b, output=k) for k, a, b in bounds]


def _rnn(function: str) -> Cell:
    return lambda x, state, w: (F[function](F["add"](w.of_hidden(state[0]), x)),)


def _lstm(x: Tensor, state: State, w: Weights) -> State:
    i, f, g, o = _gates(F["add"](w.of_hidden(state[0]), x), 4)
    i, f, g, o = F["sigmoid"](i), F["sigmoid"](f), F["tanh"](g), F["sigmoid"](o)
    c = F["add"](F["mul"](f, state[1]), F["mul"](i, g))
    h = F["mul"](o, F["tanh"](c))
    return h if w.hr is None else F["matmul"](h, F["t"](w.hr)), c


def _gru(x: Tensor, state: State, w: Weights) -> State:
    from_x, from_h, h = _gates(x, 3), _gates(w.of_hidden(state[0]), 3), state[0]
    reset = F["sigmoid"](F["add"](from_h[0], from_x[0]))
    keep = F["sigmoid"](F["add"](from_h[1], from_x[1]))
    new = F["tanh"](F["add"](from_x[2], F["mul"](from_h[2], reset)))
    return (F["add"](F["mul"](F["sub"](h, new), keep), new),)


CELLS: dict[str, Cell] = {"RNN_TANH": _rnn("tanh"), "RNN_RELU": _rnn("relu"), "LSTM": _lstm, "GRU": _gru}
"""By the mode of the module."""


# ---- one layer in one direction ----


@dataclass(frozen=True)
class Layers:
    """How the layers of one call run.

    Attributes:
        mode: of the module.
        sizes: of a packed sequence, how many examples each step has; else None.
        is_kernel: whether a layer is one node.
        drop: drops values between layers, or None.
    """

    mode: str
    sizes: list[int] | None
    is_kernel: bool
    drop: Callable[[Tensor], Tensor] | None

    def through(self, x: Tensor, states: Sequence[State], weights: Sequence[Weights], ways: int) -> tuple[Tensor, Any]:
        """All layers; the output of the last and the last state of each layer and direction."""
        finals: list[State] = []
        for first in range(0, len(weights), ways):
            if first and self.drop is not None:
                x = self.drop(x)
            found = [self._one(x, states[first + way], weights[first + way], bool(way)) for way in range(ways)]
            finals += [state for _, state in found]
            x = found[0][0] if ways == 1 else F["cat"]([y for y, _ in found], x.ndim - 1)
        return x, finals

    def _one(self, x: Tensor, state: State, w: Weights, reverse: bool) -> tuple[Tensor, State]:
        if self.is_kernel:
            return _kernel(x, state, w, reverse)
        if self.sizes is not None:
            return self._packed(w.of_input(x), self.sizes, state, w, reverse)
        items = list(F["unbind"](w.of_input(x), 0))
        outputs = []
        for item in reversed(items) if reverse else items:
            state = CELLS[self.mode](item, state, w)
            outputs.append(state[0])
        return F["stack"](outputs[::-1] if reverse else outputs, 0), state

    def _packed(self, x: Tensor, sizes: list[int], first: State, w: Weights, reverse: bool) -> tuple[Tensor, State]:
        ends = np.cumsum(sizes).tolist()
        order = range(len(sizes) - 1, -1, -1) if reverse else range(len(sizes))
        count = sizes[order[0]]
        state, ended, outputs = _some(first, 0, count) if reverse else first, [], []
        for t in order:
            if sizes[t] < count:
                ended.append(_some(state, sizes[t], count))
                state = _some(state, 0, sizes[t])
            elif sizes[t] > count:
                state = _joined([state, _some(first, count, sizes[t])])
            count = sizes[t]
            item = F["narrow"](x, 0, ends[t] - count, count)
            state = CELLS[self.mode](item, state, w)
            outputs.append(state[0])
        return F["cat"](outputs[::-1] if reverse else outputs, 0), _joined([state, *ended[::-1]])


def _some(state: State, start: int, end: int) -> State:
    """The states of some of the examples."""
    return tuple(F["narrow"](x, 0, start, end - start) for x in state)


def _joined(states: list[State]) -> State:
    if len(states) == 1:
        return states[0]
    return tuple(F["cat"](list(parts), 0) for parts in zip(*states, strict=True))


def _kernel(x: Tensor, state: State, w: Weights, reverse: bool) -> tuple[Tensor, State]:
    inputs = (x, w.ih, w.hh, *w.biases, *state)
    if not x.shape[0]:
        raise TorchError("Expected sequence length to be larger than 0 in RNN")
    results = run(*(t.data for t in inputs), reverse=reverse, is_training=x.tape.grad_enabled).results
    y, h, c = (
        record(OPS["mkldnn_rnn_layer"], inputs, {"output": number, "reverse": reverse}, result)
        for number, result in enumerate(results)
    )
    return y, (h, c)
