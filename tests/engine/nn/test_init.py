"""Initial values: the same numbers as PyTorch's from the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz.engine as engine
from gradviz.engine.errors import Beyond
from tests.engine.nn.live import array_of

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

FILLS: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
    ("uniform_", (3, 4), {"a": -2.0, "b": 3.0}), ("normal_", (5, 4), {"mean": 1.0, "std": 0.5}),
    ("constant_", (2, 3), {"val": 0.3}), ("ones_", (2,), {}), ("zeros_", (2,), {}),
("trunc_normal_", (40,), {}),
    ("trunc_normal_", (30,), {"mean": 0.5, "std": 0.5, "a": 0.0, "b": 1.0}), ("xavier_uniform_", (3, 4), {"gain": 2}),
    ("xavier_uniform_", (3, 4, 2), {}), ("kaiming_uniform_", (3, 4), {"mode": "fan_out", "nonlinearity": "relu"}),
    ("kaiming_normal_", (3, 4, 2, 2), {"a": 0.2}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shape", "options"), FILLS, ids=[fill[0] for fill in FILLS])
def test_a_tensor_is_filled_with_pytorchs_numbers(name: str, shape: tuple[int, ...], options: dict[str, Any]) -> None:
    mine, theirs = engine.zeros(*shape, requires_grad=True), torch.zeros(*shape, requires_grad=True)
    engine.manual_seed(7)
    torch.manual_seed(7)

    found = getattr(engine.nn.init, name)(mine, **options)
    getattr(torch.nn.init, name)(theirs, **options)

    assert found is mine
    assert mine.is_leaf
    assert mine.requires_grad
    np.testing.assert_array_equal(array_of(mine.detach()), array_of(theirs))
    np.testing.assert_array_equal(array_of(engine.rand(1)), array_of(torch.rand(1)))


@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (5, 3), (4, 2, 3)])
def test_orthogonal_matrices_are_pytorchs(shape: tuple[int, ...]) -> None:
    mine, theirs = engine.zeros(*shape), torch.zeros(*shape)
    engine.manual_seed(7)
    torch.manual_seed(7)

    engine.nn.init.orthogonal_(mine, gain=2.0)
    torch.nn.init.orthogonal_(theirs, gain=2.0)

    np.testing.assert_allclose(array_of(mine), array_of(theirs), atol=1e-4)


def test_numbers_come_from_the_generator_given() -> None:
    mine, theirs = engine.zeros(3, 4), torch.zeros(3, 4)

    engine.nn.init.xavier_uniform_(mine, generator=engine.Generator().manual_seed(3))
    torch.nn.init.xavier_uniform_(theirs, generator=torch.Generator().manual_seed(3))

    np.testing.assert_array_equal(array_of(mine), array_of(theirs))


def test_a_truncated_normal_between_narrow_bounds_is_beyond_the_engine() -> None:
    with pytest.raises(Beyond, match="between bounds that few numbers fall within"):
        engine.nn.init.trunc_normal_(engine.zeros(500), a=0.5, b=0.7)


def test_the_identity_needs_no_square_but_a_matrix() -> None:
    assert engine.nn.init.eye_(engine.ones(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    with pytest.raises(ValueError, match="Only tensors with 2 dimensions are supported"):
        engine.nn.init.eye_(engine.ones(2))


def test_old_names_warn_and_do_the_same() -> None:
    x = engine.zeros(2, 3)

    with pytest.warns(FutureWarning, match=r"`nn.init.xavier_uniform` is now deprecated"):
        engine.nn.init.xavier_uniform(x)

    assert np.abs(array_of(x)).min() > 0
