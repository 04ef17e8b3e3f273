"""What training loops do with all parameters at once, and sequences of different lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz.engine as engine
from gradviz.engine.errors import Beyond
from tests.engine.nn.live import assert_close, numbers, tensor

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def _with_gradients(t: Any) -> Any:
    t.manual_seed(0)
    net = t.nn.Linear(3, 2)
    net(t.ones(4, 3)).pow(2).sum().backward()
    return net


@pytest.mark.parametrize(
    "use",
    [
        lambda t, net: t.nn.utils.clip_grad_norm_(net.parameters(), 1.0),
        lambda t, net: t.nn.utils.clip_grad_norm_(net.parameters(), 1e6),
        lambda t, net: t.nn.utils.clip_grad_norm_(net.weight, 0.5, norm_type=1),
        lambda t, net: t.nn.utils.clip_grad_norm_(net.parameters(), 0.5, norm_type=float("inf")),
        lambda t, net: t.nn.utils.clip_grad_value_(net.parameters(), 0.3),
        lambda t, net: t.nn.utils.parameters_to_vector(net.parameters()),
        lambda t, net: t.nn.utils.vector_to_parameters(t.arange(8.0), net.parameters()),
    ],
)
def test_gradients_and_parameters_change_as_in_pytorch(use: Callable[[Any, Any], Any]) -> None:
    mine, theirs = _with_gradients(engine), _with_gradients(torch)

    found, expected = use(engine, mine), use(torch, theirs)

    if expected is not None:
        assert_close(found.detach(), expected)
    for x, y in zip(mine.parameters(), theirs.parameters(), strict=True):
        assert_close(x.detach(), y)
        assert_close(x.grad, y.grad)


def test_an_infinite_norm_is_an_error_where_that_is_asked_for() -> None:
    net = _with_gradients(engine)
    net.weight.grad[0, 0] = float("inf")

    with pytest.raises(RuntimeError, match=r"is non-finite, so it cannot be clipped\. To disable this error"):
        engine.nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=True)


SEQUENCES = [numbers(3, 2), numbers(5, 2, seed=1), numbers(1, 2, seed=2)]


def _make(t: Any, array: np.ndarray) -> Any:
    return torch.tensor(array, requires_grad=True) if t is torch else tensor(array, requires_grad=True)


@pytest.mark.parametrize(
    "options",
    [{}, {"batch_first": True}, {"padding_value": -1.0}, {"padding_side": "left"}],
    ids=["plain", "batch_first", "value", "left"],
)
def test_sequences_are_padded_as_in_pytorch(options: dict[str, Any]) -> None:
    found, grads = [], []
    for t in (engine, torch):
        sequences = [_make(t, x) for x in SEQUENCES]
        padded = t.nn.utils.rnn.pad_sequence(sequences, **options)
        (padded * padded).sum().backward()
        found.append(padded.detach())
        grads.append([x.grad for x in sequences])

    assert_close(*found)
    for x, y in zip(*grads, strict=True):
        assert_close(x, y)


def test_packed_sequences_are_beyond_the_engine() -> None:
    with pytest.raises(Beyond, match=r"rnn\.pack_padded_sequence is beyond the built-in engine"):
        engine.nn.utils.rnn.pack_padded_sequence(tensor(numbers(5, 2, 2)), [2, 5])
