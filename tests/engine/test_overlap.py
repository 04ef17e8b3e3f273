"""Changes in place of parts that share memory with what is read, against a live PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gradviz.engine as engine
from gradviz.engine.errors import Beyond

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def _shift(t: Any, x: Any) -> None:
    x[1:] += x[:-1]


def _copy_shifted(t: Any, x: Any) -> None:
    x[1:].copy_(x[:-1])


def _assign_shifted(t: Any, x: Any) -> None:
    x[1:] = x[:-1]


def _subtract_first(t: Any, x: Any) -> None:
    x.sub_(x[0])


def _add_transposed(t: Any, x: Any) -> None:
    square = x[:4].view(2, 2)
    square += square.t()


def _square(t: Any, x: Any) -> None:
    x.mul_(x)


def _add_flipped(t: Any, x: Any) -> None:
    x.add_(x.flip(0))


def _assign_itself(t: Any, x: Any) -> None:
    x[:] = x.view(6)


def _change_parts(t: Any, x: Any) -> None:
    x[0] += 1
    x[1:3] *= 2
    x[3:5] = x[:2]


def _fill_expanded(t: Any, x: Any) -> None:
    x[:1].expand(3).copy_(t.ones(3))


@pytest.mark.parametrize(
    "change",
    [
        _shift, _copy_shifted, _assign_shifted, _subtract_first, _add_transposed, _square, _add_flipped, _assign_itself,
        _change_parts, _fill_expanded,
    ],
)  # fmt: skip
def test_overlapping_parts_are_changed_or_refused_as_in_pytorch(change: Callable[[Any, Any], None]) -> None:
    def outcome(t: Any) -> Any:
        x = t.arange(6.0)
        try:
            change(t, x)
        except RuntimeError as error:
            return str(error)
        return x.tolist(), x._version

    assert outcome(engine) == outcome(torch)


def test_columns_added_to_their_neighbours_are_beyond() -> None:
    x = engine.arange(6.0).view(2, 3)

    with pytest.raises(Beyond):
        x[:, 1:] += x[:, :-1]


def test_an_old_tensor_is_left_alone_by_a_product_of_matrices_in_place() -> None:
    x = before = engine.eye(2)

    x @= engine.ones(2, 2)

    assert before.tolist() == [[1, 0], [0, 1]]
    assert x.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("detach", [lambda t, x: x.detach(), lambda t, x: x.data, lambda t, x: t.autograd.Variable(x)])
def test_a_detached_tensor_gets_a_graph_of_its_own_from_what_is_written_to_it(
    detach: Callable[[Any, Any], Any],
) -> None:
    def outcome(t: Any) -> Any:
        x, w = t.zeros(3), t.tensor(2.0, requires_grad=True)
        d = detach(t, x)
        d[0] = w * 3
        d[1:] += w
        d.sum().backward()
        return d.tolist(), x.tolist(), d.requires_grad, x.requires_grad, w.grad.item()

    assert outcome(engine) == outcome(torch)


def test_a_tensor_that_is_changed_behind_its_detached_twin_is_beyond() -> None:
    x, w = engine.zeros(3), engine.tensor(2.0, requires_grad=True)
    d = x.detach()
    d[0] = w

    with pytest.raises(Beyond):
        x.add_(1)
    assert d.requires_grad
