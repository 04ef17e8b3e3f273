"""Tensors made in inference mode, and resize_: against a live PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gradviz.engine as engine
from gradviz.engine.errors import Beyond
from gradviz.engine.state import INFERENCE, state

WAYS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "p * i": lambda t, p, i, n: p * i,
    "p + i": lambda t, p, i, n: p + i,
    "(p + i) * p": lambda t, p, i, n: (p + i) * p,
    "(p + i) * i": lambda t, p, i, n: (p + i) * i,
    "i / p": lambda t, p, i, n: i / p,
    "p / i": lambda t, p, i, n: p / i,
    "p @ i": lambda t, p, i, n: p @ i,
    "p * n": lambda t, p, i, n: p * n,
    "p * (i + 1)": lambda t, p, i, n: p * (i + 1),
    "p * i.clone()": lambda t, p, i, n: p * i.clone(),
    "p * i[0]": lambda t, p, i, n: p * i[0],
    "p * n[0]": lambda t, p, i, n: p * n[0],
    "(p > i) * p": lambda t, p, i, n: (p > i) * p,
    "where": lambda t, p, i, n: t.where(i > 1, p, i),
    "cat": lambda t, p, i, n: t.cat([p, i]),
    "mse_loss": lambda t, p, i, n: t.nn.functional.mse_loss(p, i),
    "add_": lambda t, p, i, n: i.add_(1),
    "setitem": lambda t, p, i, n: i.__setitem__(0, 3.0),
    "view add_": lambda t, p, i, n: i.view(2, 1).add_(1),
    "data add_": lambda t, p, i, n: i.data.add_(1),
    "requires_grad_": lambda t, p, i, n: i.requires_grad_(),
    "is_inference": lambda t, p, i, n: [
        x.is_inference() for x in (p, i, n, i[0], i.view(1, 2), i.clone(), i + 1, n.view(1, 2), p * 2)
    ],
    "inside": lambda t, p, i, n: t.inference_mode()(lambda: (i.add_(1), n.mul_(p), (p * i).requires_grad))(),
    "no_grad": lambda t, p, i, n: t.no_grad()(lambda: p * i)(),
    "no_grad add_": lambda t, p, i, n: t.no_grad()(lambda: i.add_(1))(),
    "mode off": lambda t, p, i, n: t.inference_mode(False)(lambda: t.ones(2).is_inference())(),
    "grad_fn": lambda t, p, i, n: setattr(p, "grad_fn", None),
    "is_leaf": lambda t, p, i, n: setattr(p, "is_leaf", True),
    "resize": lambda t, p, i, n: t.arange(6).resize_(2, 2),
    "resize to a sequence": lambda t, p, i, n: t.arange(6).resize_((3,)),
    "resize with grad": lambda t, p, i, n: p.resize_(1),
    "resize to more": lambda t, p, i, n: (t.ones(2).resize_(3)[:2], t.ones(2).resize_(3)._version),
}


def outcome(t: Any, way: Callable[..., Any]) -> str:
    """What comes out, or the error."""
    p, n = t.tensor([1.0, 2.0], requires_grad=True), t.tensor([3.0, 4.0])
    with t.inference_mode():
        i = t.tensor([5.0, 6.0])
        n += i
    try:
        return str(way(t, p, i, n))
    except Beyond:
        raise
    except (RuntimeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.torch
@pytest.mark.parametrize("name", WAYS)
def test_what_was_made_in_inference_mode_is_refused_where_pytorch_refuses_it(name: str) -> None:
    torch = pytest.importorskip("torch")

    listener = state.on_entry
    try:
        assert outcome(engine, WAYS[name]) == outcome(torch, WAYS[name])
    finally:
        state.on_entry = listener


def test_the_mode_ends_with_its_block_and_entries_still_reach_whoever_records(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    monkeypatch.setattr(state, "on_entry", heard.append)
    with engine.inference_mode():
        assert state.unrecorded == INFERENCE
    p = engine.ones(2, requires_grad=True)
    y = p * 2

    assert state.unrecorded == -1
    assert heard == [y]


def test_a_tensor_that_others_look_into_is_not_resized() -> None:
    x = engine.ones(4)
    y = x.view(2, 2)

    with pytest.raises(Beyond):
        x.resize_(2)
    assert y.shape == (2, 2)
