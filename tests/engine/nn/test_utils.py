"""What training loops do with all parameters at once, and sequences of different lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz.engine as engine
from tests.engine.nn.live import array_of, assert_close, make_both, numbers, tensor

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
        lambda t, net: t.nn.utils.get_total_norm([p.grad for p in net.parameters()]),
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

    with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
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


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "num_layers": 2}, {"batch_first": True}])
def test_packed_sequences_run_as_in_pytorch(name: str, options: dict[str, Any]) -> None:
    first = options.get("batch_first", False)
    found = []
    for t, layer in zip((engine, torch), make_both(torch, name, 2, 3, **options), strict=True):
        rnn = t.nn.utils.rnn
        x = _make(t, numbers(*((4, 5, 2) if first else (5, 4, 2))))
        packed = rnn.pack_padded_sequence(x, t.tensor([2, 5, 1, 4]), batch_first=first, enforce_sorted=False)
        result, last = layer(packed)
        padded, lengths = rnn.pad_packed_sequence(result, batch_first=first, total_length=6)
        last = last if name == "LSTM" else (last,)
        ((padded * padded).sum() + sum(each.sum() for each in last)).backward()
        grads = [p.grad for p in layer.parameters()]
        found.append([padded.detach(), lengths, *[each.detach() for each in last], x.grad, *grads])

    for x, y in zip(*found, strict=True):
        assert_close(x, y)


def test_sequences_are_packed_and_unpacked_again() -> None:
    rnn = engine.nn.utils.rnn
    packed = rnn.pack_sequence([tensor(x) for x in SEQUENCES], enforce_sorted=False)

    unpacked = rnn.unpack_sequence(packed)

    assert array_of(packed.batch_sizes).tolist() == [3, 2, 2, 1, 1]
    assert array_of(packed.sorted_indices).tolist() == [1, 0, 2]
    for x, y in zip(unpacked, SEQUENCES, strict=True):
        np.testing.assert_array_equal(array_of(x), y)


def test_lengths_that_are_not_sorted_are_refused() -> None:
    with pytest.raises(RuntimeError, match="`lengths` array must be sorted in decreasing order"):
        engine.nn.utils.rnn.pack_padded_sequence(tensor(numbers(5, 2, 2)), [2, 5])
