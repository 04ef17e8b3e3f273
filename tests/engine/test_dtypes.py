"""Dtypes, their promotion and limits, and Size: as PyTorch has them."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest

import gradviz.engine as engine
from gradviz.engine.dtypes import (
    ALIASES,
    BOOL,
    DTYPES,
    FLOAT32,
    FLOAT64,
    INT64,
    UINT8,
    DType,
    Size,
    can_cast,
    dtype_of,
    finfo,
    promote_types,
    size_of,
)
from gradviz.engine.errors import Beyond
from gradviz.ops.promotion import result_dtype

VALUES = [
    pytest.param(lambda n: np.ones(2, n), lambda t, n: t.ones(2, dtype=getattr(t, n)), id="dimensioned"),
    pytest.param(lambda n: np.dtype(n).type(1), lambda t, n: t.ones((), dtype=getattr(t, n)), id="0-d"),
]


def test_a_dtype_prints_as_in_pytorch_and_knows_what_it_holds():
    assert repr(FLOAT32) == "torch.float32"
    assert (FLOAT64.itemsize, FLOAT64.is_floating_point, FLOAT64.is_signed, FLOAT64.is_complex) == (
        8,
        True,
        True,
        False,
    )
    assert (UINT8.itemsize, UINT8.is_floating_point, UINT8.is_signed) == (1, False, False)
    assert (BOOL.is_signed, FLOAT32.is_complex) == (False, False)


def test_a_dtype_is_one_object_that_nobody_can_make_or_change():
    with pytest.raises(TypeError, match=r"cannot create 'torch\.dtype' instances"):
        DType("float32")
    with pytest.raises(AttributeError):
        FLOAT32.name = "other"

    assert copy.deepcopy(INT64) is INT64
    assert pickle.loads(pickle.dumps(BOOL)) is BOOL
    assert ALIASES["double"] is FLOAT64


def test_the_dtype_of_an_array_is_found_by_its_numpy_dtype():
    assert all(dtype_of(np.zeros(2, name).dtype) is dtype for name, dtype in DTYPES.items())
    with pytest.raises(Beyond, match="complex64 is beyond the built-in engine"):
        dtype_of(np.dtype(np.complex64))
    with pytest.raises(TypeError, match=r"can't convert np\.ndarray of type numpy\.str_"):
        dtype_of(np.array(["a"]).dtype)


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((np.ones(2, np.int64), 2.5), np.float32),
        ((np.ones(2, np.bool_), 3), np.int64),
        ((np.ones(2, np.bool_), True), np.bool_),
        ((np.ones(2, np.float32), np.float64(1)), np.float32),
        ((np.ones(2, np.int32), np.float64(1)), np.float64),
        ((np.ones(2, np.uint8), np.int64(1), 2.5), np.float32),
        ((np.ones(2, np.uint8), np.ones(2, np.int8)), np.int16),
        ((2, 2.5), np.float32),
    ],
)
def test_tensors_with_dimensions_decide_before_0_d_tensors_and_numbers(operands, expected):
    assert result_dtype(*operands) == expected


def test_a_float_beside_integers_brings_the_default_dtype():
    assert result_dtype(np.ones(2, np.int64), 0.5, default=np.dtype(np.float64)) == np.float64
    assert result_dtype(np.ones(2, np.float32), 0.5, default=np.dtype(np.float64)) == np.float32


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64])
def test_finfo_prints_as_in_pytorch(dtype):
    texts = {
        FLOAT32: "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
        "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)",
        FLOAT64: "finfo(resolution=1e-15, min=-1.79769e+308, max=1.79769e+308, eps=2.22045e-16, "
        "smallest_normal=2.22507e-308, tiny=2.22507e-308, dtype=float64)",
    }
    assert repr(finfo(dtype)) == texts[dtype]
    assert finfo().eps == 1.1920928955078125e-07


def test_a_size_stays_a_size_when_it_is_sliced_added_or_repeated():
    size = Size([2, 3, 4])

    assert repr(size) == "torch.Size([2, 3, 4])"
    assert (size.numel(), Size().numel(), size[-1]) == (24, 1, 4)
    assert [type(x) for x in (size[:2], size + (1,), (1,) + size, size * 2, copy.copy(size))] == [Size] * 5  # noqa: RUF005
    assert size == (2, 3, 4)
    assert repr(size_of(np.ones((1, 2)))) == "torch.Size([1, 2])"


def test_a_size_holds_whole_numbers_only():
    with pytest.raises(TypeError, match=r"takes an iterable of 'int' \(item 1 is 'float'\)"):
        Size([2, 2.5])
    assert type(Size([True])[0]) is int


@pytest.mark.torch
@pytest.mark.parametrize(("array", "tensor"), VALUES)
@pytest.mark.parametrize(("other_array", "other_tensor"), VALUES)
def test_promotion_agrees_with_live_pytorch_for_every_pair(array, tensor, other_array, other_tensor):
    torch = pytest.importorskip("torch")
    for a, b in itertools.product(DTYPES, DTYPES):
        expected = torch.result_type(tensor(torch, a), other_tensor(torch, b))
        assert str(expected) == repr(dtype_of(result_dtype(array(a), other_array(b)))), (a, b)
        assert str(torch.promote_types(getattr(torch, a), getattr(torch, b))) == repr(
            promote_types(DTYPES[a], DTYPES[b])
        )
        assert torch.can_cast(getattr(torch, a), getattr(torch, b)) == can_cast(DTYPES[a], DTYPES[b])


@pytest.mark.torch
@pytest.mark.parametrize(("array", "tensor"), VALUES)
def test_promotion_with_numbers_agrees_with_live_pytorch(array, tensor):
    torch = pytest.importorskip("torch")
    for name, number in itertools.product(DTYPES, (True, 2, 2.5)):
        expected = torch.result_type(tensor(torch, name), number)
        assert str(expected) == repr(dtype_of(result_dtype(array(name), number)))


@pytest.mark.parametrize("operate", ["x * 1j", "1j * x", "x + 1j", "1j - x", "x / 1j", "x ** 1j", "x.mul(1j)"])
def test_a_complex_number_beside_a_tensor_is_beyond_the_engine(operate):
    with pytest.raises(Beyond, match="a complex tensor"):
        eval(operate, {"x": engine.ones(2)})
