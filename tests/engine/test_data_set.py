"""`x.data = other`: two tensors that have the same numbers from then on."""

from __future__ import annotations

import numpy as np

import gradviz.engine as engine


def test_a_tensor_whose_data_was_set_has_the_numbers_of_both() -> None:
    x, buffer = engine.ones(2, requires_grad=True), engine.zeros(3, 2)
    x.data = buffer[1]

    buffer[1, 0] = 5
    assert (x.tolist(), x.is_leaf, x.requires_grad) == ([5, 0], True, True)
    (x * 2).sum().backward()
    engine.optim.SGD([x], lr=1.0).step()
    assert buffer.tolist() == [[0, 0], [3, -2], [0, 0]]


def test_several_tensors_share_their_data_though_the_first_is_gone() -> None:
    first = engine.zeros(2)
    x, y = engine.ones(2), engine.ones(2)
    x.data = first
    y.data = x.data
    del first

    x += 1
    assert y.tolist() == [1, 1]
    y[0] = 7
    assert x.tolist() == [7, 1]


def test_data_swapped_again_and_again_is_swapped() -> None:
    x, y = engine.ones(2), engine.zeros(2)
    for _ in range(2001):
        x.data, y.data = y.data, x.data
    x += 3

    assert (x.tolist(), y.tolist()) == ([3, 3], [1, 1])


def test_two_tensors_that_got_each_others_data_are_one() -> None:
    x, y = engine.ones(2), engine.zeros(2)
    x.data = y
    y.data = x
    x += 1

    assert (x.tolist(), y.tolist()) == ([1, 1], [1, 1])


def test_data_that_numpy_gave_is_shared_with_it() -> None:
    x, array = engine.ones(2), np.zeros(2, np.float32)
    x.data = engine.from_numpy(array)

    array[0] = 4
    assert x.tolist() == [4, 0]
    x[1] = 2
    assert array.tolist() == [4, 2]
    assert x._version == 1
