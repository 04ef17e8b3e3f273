"""One step of recurrent networks: plain RNN, LSTM and GRU, made of the ops that PyTorch makes them of.

A step takes what the input contributes, `given` = W x + b for all gates at once, [batch, gates · hidden], so that a
layer can compute it for a whole sequence in one product.
"""

from __future__ import annotations

from gradviz.engine.apply import record
from gradviz.engine.functions import elementwise as e
from gradviz.engine.functions.activation import relu_of
from gradviz.engine.functions.linalg import linear
from gradviz.engine.tensor import Tensor, current
from gradviz.ops.recurrent import UNSAFE_SPLIT


def _parts(gates: Tensor, count: int) -> list[Tensor]:
    """Gates of [..., count · hidden], one by one."""
    entry = current(gates)
    array = entry.array
    size = array.shape[-1] // count
    return [
        record(UNSAFE_SPLIT, (entry,), {"start": start, "end": start + size}, array[..., start : start + size])
        for start in range(0, count * size, size)
    ]


def rnn_step(
    given: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None = None, nonlinearity: str = "tanh"
) -> Tensor:
    """tanh(given + W h + b), or relu of it (Elman, 1990).

    Args:
        given: what the input contributes, [batch, hidden].
        hidden: the state before, [batch, hidden].
        weight, bias: those of the hidden state.
    """
    total = e.add(given, linear(hidden, weight, bias))
    return relu_of(total) if nonlinearity == "relu" else e.tanh(total)


def lstm_step(
    given: Tensor, hidden: Tensor, cell: Tensor, weight: Tensor, bias: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """One step of a long short-term memory (Hochreiter and Schmidhuber, 1997; Gers and others, 2000).

    Of the gates i, f, g, o the cell becomes σ(f) · cell + σ(i) · tanh(g), and the hidden state σ(o) · tanh(cell).

    Args:
        given: what the input contributes to the gates, [batch, 4 · hidden].
        hidden, cell: the states before, [batch, hidden].
        weight, bias: those of the hidden state, [4 · hidden, hidden] and [4 · hidden].

    Returns:
        The hidden state and the cell.
    """
    enter, forget, candidate, leave = _parts(e.add(given, linear(hidden, weight, bias)), 4)
    cell = e.add(e.mul(e.sigmoid(forget), cell), e.mul(e.sigmoid(enter), e.tanh(candidate)))
    return e.mul(e.sigmoid(leave), e.tanh(cell)), cell


def gru_step(given: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """One step of a gated recurrent unit (Cho and others, 2014): n + z · (h − n).

    r = σ(given_r + W_r h), z = σ(given_z + W_z h), n = tanh(given_n + r · (W_n h + b_n)).

    Args:
        given: what the input contributes to the gates r, z, n, [batch, 3 · hidden].
        hidden: the state before, [batch, hidden].
        weight, bias: those of the hidden state, [3 · hidden, hidden] and [3 · hidden].
    """
    reset_in, update_in, new_in = _parts(given, 3)
    reset_hidden, update_hidden, new_hidden = _parts(linear(hidden, weight, bias), 3)
    reset = e.sigmoid(e.add(reset_in, reset_hidden))
    update = e.sigmoid(e.add(update_in, update_hidden))
    new = e.tanh(e.add(new_in, e.mul(reset, new_hidden)))
    return e.add(new, e.mul(update, e.sub(hidden, new)))
