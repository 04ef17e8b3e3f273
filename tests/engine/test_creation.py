"""Tensors out of nothing are those of PyTorch; data/engine_creation.json holds what PyTorch 2.13 made of each call."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path

import numpy as np
import pytest

import gradviz.engine as torch
from gradviz.engine.errors import Beyond
from gradviz.engine.sampling import fork_rng
from tests.engine.creating_calls import CALLS, answer

RECORDED = Path(__file__).parents[1] / "data" / "engine_creation.json"
ANSWERS = json.loads(RECORDED.read_text(encoding="utf-8"))["answers"]


@pytest.fixture(autouse=True)
def default_dtype():
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_a_call_makes_what_it_makes_in_pytorch(call):
    assert answer(torch, call) == ANSWERS[call]


def test_an_array_and_its_tensor_share_their_memory():
    array = np.array([1.0, 2.0], np.float32)
    tensor = torch.from_numpy(array)

    array[0] = 7
    seen = tensor.tolist()
    tensor.add_(1)

    assert seen == [7.0, 2.0]
    assert array.tolist() == [8.0, 3.0]


def test_gradient_reads_the_array_as_it_is_now_and_what_was_computed_keeps_its_numbers():
    array = np.array([1.0, 2.0], np.float32)
    w = torch.tensor([1.0, 1.0], requires_grad=True)
    y = w * torch.from_numpy(array)

    array[:] = 100
    y.backward(torch.ones(2))

    assert w.grad.tolist() == [100.0, 100.0]  # as in PyTorch, which keeps the memory and no copy
    assert y.tolist() == [1.0, 2.0]


def test_a_tensor_of_a_tensor_is_a_copy_and_warns():
    x = torch.tensor([1.0, 2.0])
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        y = torch.tensor(x)

    y.add_(1)

    assert x.tolist() == [1.0, 2.0]


def test_a_list_of_arrays_is_slow_and_warns():
    with pytest.warns(UserWarning, match="list of numpy.ndarrays is extremely slow"):
        torch.tensor([np.zeros(2), np.ones(2)])


def test_a_list_that_holds_itself_has_too_many_dims():
    endless = [1]
    endless[0] = endless

    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        torch.tensor(endless)


def test_the_default_dtype_is_that_of_floats_alone():
    torch.set_default_dtype(torch.float64)

    assert torch.tensor([1.5]).dtype is torch.float64
    assert torch.tensor([1]).dtype is torch.int64
    assert torch.rand(2).dtype is torch.float64
    assert torch.get_default_dtype() is torch.float64


def test_a_generator_of_ones_own_leaves_the_default_one_alone():
    torch.manual_seed(3)
    expected = torch.rand(2).tolist()
    torch.manual_seed(3)

    own = torch.Generator().manual_seed(3)
    drawn = torch.rand(2, generator=own).tolist()

    assert drawn == expected == torch.rand(2).tolist()


def test_a_state_brings_the_same_numbers_again():
    torch.manual_seed(1)
    state = torch.get_rng_state()
    first = torch.randn(5).tolist()
    torch.set_rng_state(state)

    assert torch.randn(5).tolist() == first


def test_what_is_drawn_in_a_fork_leaves_the_stream_as_it_was():
    torch.manual_seed(1)
    expected = torch.rand(2).tolist()
    torch.manual_seed(1)

    with fork_rng():
        torch.rand(5)

    assert torch.rand(2).tolist() == expected


def test_numbers_are_drawn_in_place_and_counted_as_a_change():
    x = torch.zeros(3)

    same = x.uniform_(2, 3)

    assert same is x
    assert all(2 <= number < 3 for number in x.tolist())
    assert x._version == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.zeros(2, device="mps"),
        lambda: torch.zeros(2, out=torch.zeros(2)),
        lambda: torch.tensor(1 + 2j),
        lambda: torch.tensor(np.zeros(2, np.float16)),
    ],
    ids=["device", "out", "complex", "float16"],
)
def test_what_only_pytorch_has_is_beyond_the_engine(call):
    with pytest.raises(Beyond, match="is beyond the built-in engine"):
        call()


@pytest.mark.parametrize(
    ("device", "kind", "message"),
    [
        ("cuda:0", AssertionError, "Torch not compiled with CUDA enabled"),
        ("gpu", RuntimeError, "Expected one of cpu, cuda, .* device type at start of device string: gpu"),
    ],
)
def test_a_device_that_a_pytorch_for_the_cpu_does_not_have_is_refused_in_its_words(device, kind, message):
    with pytest.raises(kind, match=message):
        torch.ones(2, device=device)


def test_any_sequence_of_numbers_makes_a_tensor():
    assert torch.tensor(deque([1.0, 2.0])).tolist() == [1.0, 2.0]
