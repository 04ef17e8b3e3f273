"""Steps of recurrent networks against a live PyTorch."""

from __future__ import annotations

import pytest

import gradviz.engine as ours
from gradviz.engine.functions.recurrent import gru_step, lstm_step, rnn_step
from tests.engine.layer_calls import Call, compare, params, waves

X, H, C = waves(2, 3), waves(2, 4, shift=1), waves(2, 4, shift=2)


def weights(gates: int):
    return (waves(4 * gates, 3), waves(4 * gates, 4, shift=1), waves(4 * gates), waves(4 * gates, shift=1))


def lstm(torch, F, x, h, c, w, u, b, d):
    if torch is ours:
        hidden, cell = lstm_step(F.linear(x, w, b), h, c, u, d)
    else:
        hidden, cell = torch.lstm_cell(x, (h, c), w, u, b, d)
    return hidden * 2 + cell


def gru(torch, F, x, h, w, u, b, d):
    return gru_step(F.linear(x, w, b), h, u, d) if torch is ours else torch.gru_cell(x, h, w, u, b, d)


def rnn(nonlinearity):
    def call(torch, F, x, h, w, u, b, d):
        if torch is ours:
            return rnn_step(F.linear(x, w, b), h, u, d, nonlinearity)
        return getattr(torch, f"rnn_{nonlinearity}_cell")(x, h, w, u, b, d)

    return call


CALLS = [
    Call("lstm", lstm, (X, H, C, *weights(4))),
    Call("gru", gru, (X, H, *weights(3))),
    Call("rnn tanh", rnn("tanh"), (X, H, *weights(1))),
    Call("rnn relu", rnn("relu"), (X, H, *weights(1))),
]


@pytest.mark.torch
@pytest.mark.parametrize(("call", "dtype"), params(CALLS))
def test_numbers_and_derivatives_are_those_of_pytorch(call, dtype):
    compare(pytest.importorskip("torch"), call, dtype)


def test_a_step_of_an_lstm_shows_its_gates():
    given = ours.ones(1, 8, requires_grad=True)

    hidden, _ = lstm_step(given, ours.zeros(1, 2), ours.zeros(1, 2), ours.ones(8, 2))

    gate = hidden.grad_fn.next_functions[0][0]
    assert [gate.name(), gate.next_functions[0][0].name()] == ["SigmoidBackward0", "UnsafeSplitBackward0"]
