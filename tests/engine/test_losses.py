"""Losses: sums in PyTorch's order, targets that take no part, derivatives as ops of their own, warnings by place."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward, grad
from gradviz.imitation.engine.functions import NEURAL as F
from gradviz.imitation.engine.passes.backward import node_name
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.imitation.engine.warn import called_by_module, listening
from gradviz.errors import TorchError


def leaf(*numbers: float, tape: Tape | None = None) -> Tensor:
    return (tape or Tape()).tensor(np.array(numbers), requires_grad=True)


@pytest.mark.parametrize(
    ("n", "total", "mean"),
    [(17, 0.103000045, 0.00895652454), (300, -0.464999586, -0.00221428368), (5000, -0.819000423, -0.00023402684)],
)
def test_nll_adds_float32_in_pytorchs_order(n: int, total: float, mean: float):
    tape = Tape()
    x = tape.tensor(np.round(np.sin(np.arange(n * 3)) * 100).reshape(n, 3).astype(np.float32) / np.float32(100))
    classes, weight = tape.tensor(np.arange(n) * 7 % 3), tape.tensor(np.array([0.3, 0.7, 1.1], np.float32))

    found = [F["nll_loss"](x, classes, weight, reduction=how).data for how in ("sum", "mean")]

    assert found == [np.float32(total), np.float32(mean)]


def test_where_all_targets_are_ignored_the_mean_is_nan_and_no_gradient_flows():
    tape = Tape()
    x = tape.tensor(np.ones((2, 3)), requires_grad=True)

    with tape.recording():
        loss = F["nll_loss"](x, tape.tensor(np.array([-100, -100])))
        backward([loss], [tape.tensor(np.float64(1))])

    assert np.isnan(loss.data)
    assert x.grad is not None
    assert not x.grad.data.any()


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("mse_loss", "MseLossBackwardBackward0"),
        ("smooth_l1_loss", "SmoothL1LossBackwardBackward0"),
        ("huber_loss", "HuberLossBackwardBackward0"),
        ("binary_cross_entropy", "BinaryCrossEntropyBackwardBackward0"),
        ("binary_cross_entropy_with_logits", "DivBackward1"),
    ],
)
def test_derivative_of_a_loss_is_a_node_of_its_own(name: str, node: str):
    x = leaf(0.2, 0.7)
    loss = F[name](x, x.tape.tensor(np.array([0.0, 1.0])))

    (first,) = grad([loss], [x], [None], create_graph=True)

    assert first is not None
    assert node_name(first) == node


def test_huber_loss_of_two_dtypes_has_no_derivative():
    x = leaf(0.2, 0.7)
    loss = F["huber_loss"](x, x.tape.tensor(np.array([0.0, 1.0], np.float32)))

    with pytest.raises(TorchError, match="Found dtype Float but expected Double"):
        backward([loss], [x.tape.tensor(np.float64(1))])


def test_one_row_with_a_list_of_one_target_has_no_derivative():
    x = leaf(0.2, 0.7)
    loss = F["nll_loss"](x, x.tape.tensor(np.array([1])))

    with pytest.raises(TorchError, match="size mismatch"):
        backward([loss], [x.tape.tensor(np.float64(1))])


def test_warning_of_a_module_comes_from_the_place_of_its_class():
    x = leaf(0.2, 0.7)
    wide, places = x.tape.tensor(np.zeros((3, 2))), []

    with listening(lambda _message, _category, once: places.append(once)):
        F["mse_loss"](x, wide)
        with called_by_module("MSELoss"):
            F["mse_loss"](x, wide)
        F["l1_loss"](x, x, size_average=False)

    assert places == ["", "MSELoss", "l1_loss"]


@pytest.mark.parametrize(("numbers", "target", "name"), [((0.2, 1.5), 1.0, "input"), ((0.2, 0.7), 1.5, "target")])
def test_chances_above_one_are_refused(numbers: tuple[float, ...], target: float, name: str):
    x = leaf(*numbers)

    with pytest.raises(TorchError, match=f"all elements of {name} should be between 0 and 1"):
        F["binary_cross_entropy"](x, x.tape.tensor(np.array([0.0, target])))
