"""Recurrent layers, RNN, LSTM and GRU, and their cells: a state that is carried from step to step of a sequence.

A layer is composed of plain ops, one step after the other, so that what flows back through time can be seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from gradviz.engine.dtypes import DType, dtype_of
from gradviz.engine.errors import Beyond
from gradviz.engine.functions.recurrent import gru_step, lstm_step, rnn_step
from gradviz.engine.functions.shape import cat, stack
from gradviz.engine.nn import functional as F
from gradviz.engine.nn import init
from gradviz.engine.nn.module import Module, read_given
from gradviz.engine.nn.parameter import Parameter, new_parameter
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor, constant, current

State = tuple[Tensor, ...]
"""(h,) of an RNN or GRU, (h, c) of an LSTM."""

Weights = tuple[Tensor, Tensor, Tensor | None, Tensor | None]
"""Of one layer in one direction: input to hidden, hidden to hidden, and the two biases."""


# ---- one step ---------------------------------------------------------------------------------------------------


def _advance_tanh(x: Tensor, state: State, weights: Weights) -> State:
    w, u, b, c = weights
    return (rnn_step(F.linear(x, w, b), state[0], u, c),)


def _advance_relu(x: Tensor, state: State, weights: Weights) -> State:
    w, u, b, c = weights
    return (rnn_step(F.linear(x, w, b), state[0], u, c, "relu"),)


def _advance_lstm(x: Tensor, state: State, weights: Weights) -> State:
    w, u, b, c = weights
    hidden, cell = state
    return lstm_step(F.linear(x, w, b), hidden, cell, u, c)


def _advance_gru(x: Tensor, state: State, weights: Weights) -> State:
    w, u, b, c = weights
    return (gru_step(F.linear(x, w, b), state[0], u, c),)


STEPS = {"RNN_TANH": _advance_tanh, "RNN_RELU": _advance_relu, "LSTM": _advance_lstm, "GRU": _advance_gru}
"""The next state of each mode: of an input, a state and the weights."""

GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}
"""How many times hidden_size rows its weights have."""


# ---- layers -----------------------------------------------------------------------------------------------------


class RNNBase(Module):
    """What RNN, LSTM and GRU have in common.

    Attributes:
        weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0: of layer 0, and so on; with "_reverse" behind the name for
            the direction from the last step to the first.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        _check_settings(mode, hidden_size, num_layers, dropout, proj_size)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._names: list[tuple[str, ...]] = []
        rows = GATES[mode] * hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * self.directions
            for suffix in ("", "_reverse")[: self.directions]:
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, hidden_size)}
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                for name, shape in shapes.items():
                    made = new_parameter(*shape, dtype=dtype, device=device)
                    self.register_parameter(f"{name}_l{layer}{suffix}", made)
                self._names.append(tuple(f"{name}_l{layer}{suffix}" for name in shapes))
        self.reset_parameters()

    @property
    def directions(self) -> int:
        """1, or 2 for a bidirectional layer."""
        return 2 if self.bidirectional else 1

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of every layer and direction."""
        return [[read_given(self, name) for name in names] for names in self._names]

    def reset_parameters(self) -> None:
        """Draw all parameters anew, uniform within ±1/√hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Nothing here; PyTorch arranges the weights for the GPU."""

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """The states of the last layer at all steps, and the last states of all layers.

        Args:
            input: of shape (L, N, input_size), (N, L, input_size) with batch_first, or (L, input_size).
            hx: the states to begin with, of shape (num_layers · directions, N, hidden_size); for an LSTM a pair of
                them. Zeros where it is None.

        Raises:
            ValueError, RuntimeError: shapes or dtypes that do not fit.
        """
        if input.ndim not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D instead")
        is_batched = input.ndim == 3
        batch_dim = 0 if self.batch_first else 1
        x = input if is_batched else input.unsqueeze(batch_dim)
        states = self._first_states(x, x.shape[batch_dim], hx, is_batched)
        self._check_input(x)
        steps = list(x.unbind(1 - batch_dim))
        outputs, last = self._run_layers(steps, states)
        output = stack(outputs)
        if self.batch_first:
            output = output.transpose_(0, 1)
        if not is_batched:
            output, last = output.squeeze(batch_dim), tuple([each.squeeze(1) for each in last])
        return output, self._given_back(last)

    def _run_layers(self, steps: list[Tensor], first: Sequence[Tensor]) -> tuple[list[Tensor], State]:
        """All layers, one after the other.

        Args:
            steps: the input of every step, of shape (N, width).
            first: the states to begin with, each of shape (num_layers · directions, N, hidden_size).

        Returns:
            What the last layer gives at every step, and the last states in the shape of `first`.
        """
        last: list[list[Tensor]] = [[] for _ in first]
        begins = [each.unbind(0) for each in first]
        for layer in range(self.num_layers):
            found = []
            for direction in range(self.directions):
                number = layer * self.directions + direction
                state = tuple([each[number] for each in begins])
                outputs, state = self._run_direction(steps, state, number, is_reverse=direction == 1)
                found.append(outputs)
                for ends, end in zip(last, state, strict=True):
                    ends.append(end)
            steps = found[0] if len(found) == 1 else [cat(both, -1) for both in zip(*found, strict=True)]
            if self.dropout and self.training and layer < self.num_layers - 1:
                steps = list(F.dropout(stack(steps), self.dropout).unbind(0))  # drawn for all steps at once
        return steps, tuple([stack(ends) for ends in last])

    def _run_direction(
        self, steps: list[Tensor], state: State, number: int, *, is_reverse: bool
    ) -> tuple[list[Tensor], State]:
        """One layer in one direction."""
        advance = STEPS[self.mode]
        held = [read_given(self, name) for name in self._names[number]]
        weights: Any = tuple(held) if self.bias else (*held, None, None)
        outputs = []
        for step in reversed(steps) if is_reverse else steps:
            state = advance(step, state, weights)
            outputs.append(state[0])
        return outputs[::-1] if is_reverse else outputs, state

    def _first_states(self, x: Tensor, batch: int, hx: Any, is_batched: bool) -> list[Tensor]:
        """The states to begin with, checked."""
        shape = (self.num_layers * self.directions, batch, self.hidden_size)
        count = 2 if self.mode == "LSTM" else 1
        if hx is None:
            zeros = np.zeros(shape, current(x).array.dtype)
            return [constant(zeros) for _ in range(count)]
        states = list(hx) if count == 2 else [hx]
        self._check_ranks(states, is_batched)
        if not is_batched:
            states = [each.unsqueeze(1) for each in states]
        for number, each in enumerate(states):
            if tuple(each.shape) != shape:
                which = f"hidden[{number}] size" if count == 2 else "hidden size"
                raise RuntimeError(f"Expected {which} {shape}, got {list(each.shape)}")
        return states

    def _check_ranks(self, states: list[Tensor], is_batched: bool) -> None:
        rank, kind = (3, "batched 3-D") if is_batched else (2, "unbatched 2-D")
        if all(each.ndim == rank for each in states):
            return
        if len(states) == 1:
            raise RuntimeError(f"For {kind} input, hx should also be {rank}-D but got {states[0].ndim}-D tensor")
        got = ", ".join(f"{each.ndim}-D" for each in states)
        raise RuntimeError(f"For {kind} input, hx and cx should also be {rank}-D but got ({got}) tensors")

    def _check_input(self, x: Tensor) -> None:
        found, wanted = current(x).array.dtype, current(read_given(self, self._names[0][0])).array.dtype
        if x.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {x.shape[-1]}"
            )
        if found != wanted:
            given, own = dtype_of(found), dtype_of(wanted)
            raise ValueError(
                f"RNN input dtype ({given}) does not match weight dtype ({own}). Convert input: input.to({own}), or "
                f"convert model: model.to({given})"
            )

    def _given_back(self, state: State) -> Any:
        return state if self.mode == "LSTM" else state[0]

    def extra_repr(self) -> str:
        """The sizes, and the settings that differ from their defaults."""
        shown = f"{self.input_size}, {self.hidden_size}"
        for name, default in (
            ("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0.0), ("bidirectional", False),
        ):  # fmt: skip
            if getattr(self, name) != default:
                shown += f", {name}={getattr(self, name)}"
        return shown


def _check_settings(mode: str, hidden_size: Any, num_layers: int, dropout: Any, proj_size: int) -> None:
    """Refuse settings as PyTorch does.

    Raises:
        ValueError, TypeError: a setting out of its range or of another type.
        Beyond: projections.
    """
    if isinstance(dropout, bool) or not isinstance(dropout, int | float) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
            f"greater than 1, but got dropout={dropout} and num_layers={num_layers}"
        )
    if not isinstance(hidden_size, int):
        raise TypeError(f"hidden_size should be of type int, got: {type(hidden_size).__name__}")
    for name, value in (("hidden_size", hidden_size), ("num_layers", num_layers)):
        if value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if proj_size:
        if mode != "LSTM":
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        raise Beyond("an LSTM with proj_size")


class RNN(RNNBase):
    """Elman's recurrent network: h' = tanh(W x + b + U h + c).

    Source: Elman, Finding structure in time, 1990.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        modes = {"tanh": "RNN_TANH", "relu": "RNN_RELU"}
        if nonlinearity not in modes:
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(
            modes[nonlinearity], input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            device=device, dtype=dtype,
        )  # fmt: skip
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory; see `ops.recurrent`."""

    def __init__(self, input_size: int, hidden_size: int, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", input_size, hidden_size, *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent units; see `ops.recurrent`."""

    def __init__(self, input_size: int, hidden_size: int, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", input_size, hidden_size, *args, **kwargs)


# ---- cells ------------------------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """What the cells have in common: one step of one layer.

    Attributes:
        weight_ih: of shape (gates · hidden_size, input_size), `weight_hh`, (gates · hidden_size, hidden_size).
        bias_ih, bias_hh: of shape (gates · hidden_size,), or None.
    """

    takes_pair: ClassVar[bool] = False
    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = new_parameter(rows, input_size, dtype=dtype, device=device)
        self.weight_hh = new_parameter(rows, hidden_size, dtype=dtype, device=device)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, new_parameter(rows, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters anew, uniform within ±1/√hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _advance(self, mode: str, input: Tensor, hx: Any) -> State:
        """One step, from the states given or zeros; a single sample for an input of one dim."""
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        self._check_ranks(input, hx)
        is_batched = input.ndim == 2
        x = input if is_batched else input.unsqueeze(0)
        if hx is None:
            zeros = constant(np.zeros((len(x), self.hidden_size), current(x).array.dtype))
            state: State = (zeros, zeros) if self.takes_pair else (zeros,)
        else:
            given = tuple(hx) if self.takes_pair else (hx,)
            state = given if is_batched else tuple([each.unsqueeze(0) for each in given])
        self._check_sizes(x, state)
        state = STEPS[mode](x, state, weights)
        return state if is_batched else tuple([each.squeeze(0) for each in state])

    def _check_ranks(self, input: Tensor, hx: Any) -> None:
        name = type(self).__name__
        if input.ndim not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        if hx is None:
            return
        for number, each in enumerate(hx if self.takes_pair else (hx,)):
            which = f"hx[{number}]" if self.takes_pair else "hidden"
            if each.ndim not in (1, 2):
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {each.ndim}D instead")

    def _check_sizes(self, x: Tensor, state: State) -> None:
        if x.shape[1] != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {x.shape[1]} expected {self.input_size}")
        for number, each in enumerate(state):
            if len(each) != len(x):
                raise RuntimeError(f"Input batch size {len(x)} doesn't match hidden{number} batch size {len(each)}")
            if each.shape[1] != self.hidden_size:
                raise RuntimeError(
                    f"hidden{number} has inconsistent hidden_size: got {each.shape[1]}, expected {self.hidden_size}"
                )

    def extra_repr(self) -> str:
        """The sizes, and the settings that differ from their defaults."""
        shown = f"{self.input_size}, {self.hidden_size}"
        if not self.bias:
            shown += f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return shown if nonlinearity == "tanh" else f"{shown}, nonlinearity={nonlinearity}"


class RNNCell(RNNCellBase):
    """One step of an RNN."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state, of shape (N, hidden_size).

        Raises:
            RuntimeError: an unknown nonlinearity, or sizes that do not fit.
        """
        mode = f"RNN_{self.nonlinearity.upper()}"
        if mode not in STEPS:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._advance(mode, input, hx)[0]


class LSTMCell(RNNCellBase):
    """One step of an LSTM."""

    takes_pair = True

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> State:
        """The next states h and c, each of shape (N, hidden_size)."""
        return self._advance("LSTM", input, hx)


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state, of shape (N, hidden_size)."""
        return self._advance("GRU", input, hx)[0]
