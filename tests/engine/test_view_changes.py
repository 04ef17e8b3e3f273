"""A change in place of a view changes its base in the graph; values, gradients and nodes are PyTorch's."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.imitation.engine.protocol  # noqa: F401 - gives tensors Python's operators
from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions import METHODS
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.indexing.writing import put_part
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.passes.backward import node_name
from gradviz.imitation.engine.tensor import Tape, Tensor, wrap
from gradviz.errors import TorchError


def leaf() -> Tensor:
    return Tape().tensor(np.array([[1.0, 2.0], [3.0, 4.0]]), requires_grad=True)


def changed(view: Tensor, op: str, other: float) -> Tensor:
    return storage.change(view, OPS[op], wrap(other, view))


def gradient(out: Tensor, x: Tensor) -> list:
    backward([F["sum"](out)], [None])
    assert x.grad is not None
    return x.grad.data.tolist()


def test_change_of_a_view_is_a_copy_slices_of_its_base():
    x = leaf()
    y = x * 2
    v = y[0]

    changed(v, "add", 1.0)

    assert node_name(y) == "CopySlices"
    assert node_name(v) == "AsStridedBackward0"
    assert gradient(y * y, x) == [[12.0, 20.0], [24.0, 32.0]]


def test_views_of_views_and_indices_add_up():
    x = leaf()
    y = x * 2
    y[0] += 1
    METHODS["view"](y, -1)[0] = 3.0
    y[:, 1] *= 2

    assert y.data.tolist() == [[3.0, 10.0], [6.0, 16.0]]
    assert gradient(y * y, x) == [[0.0, 80.0], [24.0, 128.0]]


def test_view_held_while_its_base_changes_shows_the_change():
    x = leaf()
    y = x * 2
    v = y[0]

    changed(y, "mul", 3.0)

    assert node_name(v) == "AsStridedBackward0"
    assert gradient(v * v, x) == [[72.0, 144.0], [0.0, 0.0]]


def test_view_of_a_constant_takes_its_base_into_the_graph():
    tape = Tape()
    z, a = tape.tensor(np.zeros(3)), tape.tensor(np.array([1.0, 2.0]), requires_grad=True)

    storage.change(z[1:], OPS["add"], a)

    assert z.data.tolist() == [0.0, 1.0, 2.0]
    assert node_name(z) == "CopySlices"
    assert gradient(z * 2, a) == [2.0, 2.0]


def test_view_of_a_view_of_a_leaf_is_refused():
    x = leaf()

    with pytest.raises(TorchError, match="a view of a leaf Variable that requires grad"):
        changed(x[0][1:], "add", 1.0)


@pytest.mark.parametrize(("cut", "name"), [("unbind", "Unbind"), ("split", "Split")])
def test_one_of_several_views_is_refused(cut, name):
    y = leaf() * 2
    parts = F[cut](y, 1)

    with pytest.raises(TorchError, match=f"Output 0 of {name} is a view and is being modified inplace"):
        changed(parts[0], "add", 1.0)


def test_change_of_a_view_of_a_saved_result_is_noticed():
    x = leaf()
    y = F["exp"](x)
    v = y[0]
    changed(v, "mul", 2.0)

    with pytest.raises(TorchError, match="output 0 of Exp, is at version 1; expected version 0"):
        backward([F["sum"](y)], [None])


def test_copy_slices_cannot_run_a_second_time():
    tape = Tape()
    a, x = tape.tensor(np.ones(2), requires_grad=True), tape.tensor(np.zeros(3))
    with tape.recording():
        put_part(x, (slice(0, 2),), a)
        y = F["sum"](x)
        backward([y], [None])

        with pytest.raises(TorchError, match="second time"):
            backward([y], [None])
