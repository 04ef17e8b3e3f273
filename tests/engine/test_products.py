"""Products of float32 matrices are formed in one order, however the matrices lie in memory."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions import NEURAL
from gradviz.imitation.engine.kernels.products import PACKED, matmul
from gradviz.imitation.engine.tensor import Tape


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(("rows", "inner", "columns"), [(8, 40, 12), (64, 784, 256)])
def test_product_does_not_depend_on_the_layout(rows: int, inner: int, columns: int):
    a, b = numbers(rows, inner), numbers(inner, columns)
    made = [
        matmul(np.array(a, order=left), np.array(b, order=right)).tobytes()
        for left in ("C", "F")
        for right in ("C", "F")
    ]

    assert len(set(made)) == 1


def test_both_ways_to_form_a_product_are_tried():
    assert 8 * 40 * 12 < PACKED < 64 * 784 * 256


@pytest.mark.parametrize("rows", [1, 4, 6])
@pytest.mark.parametrize("inner", [2, 3, 5, 9, 16, 17])
def test_short_rows_are_added_as_rows_that_are_filled_up_with_zeros(rows: int, inner: int):
    a, x = numbers(rows, inner), numbers(inner)
    long, longer = np.zeros((rows, 18), np.float32), np.zeros(18, np.float32)
    long[:, :inner], longer[:inner] = a, x

    assert matmul(a, x).tobytes() == matmul(long, longer).tobytes()


def test_gradient_of_a_weight_lies_in_memory_as_the_weight_does():
    tape = Tape()
    x, w, b = (tape.tensor(numbers(*shape), requires_grad=True) for shape in ((5, 3), (4, 3), (4,)))
    backward([F["sum"](NEURAL["linear"](x, w, b))], [None])
    (step,) = (
        sent
        for i, sent in zip(tape.sweeps[0].order, tape.sweeps[0].outgoing, strict=True)
        if tape.entries[i].op.name == "t"
    )

    assert step[0].flags.c_contiguous
    np.testing.assert_allclose(w.grad.data, np.ones((4, 1)) * x.data.sum(0), rtol=1e-5)
