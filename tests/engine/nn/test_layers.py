"""Every layer against PyTorch: its text, its initial parameters, what it gives, and all gradients."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

import gradviz.engine as engine
from tests.engine.nn.live import array_of, assert_close, flat, make_both, numbers, tensor

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

SIGNAL, IMAGE, VOLUME = (2, 4, 9), (2, 4, 7, 8), (2, 4, 5, 5, 6)
INDICES = np.array([[1, 2, 0, 4], [3, 3, 2, 1]])
CLASSES = np.array([1, 0, 3])
SIGNS = np.array([1.0, -1.0, 1.0], dtype=np.float32)
PROBABILITIES = np.array([[0.2, 0.9, 0.5, 0.7], [0.1, 0.4, 0.6, 0.3], [0.8, 0.35, 0.55, 0.15]], dtype=np.float32)


class Case(NamedTuple):
    """A layer, and shapes or arrays of what goes in."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    inputs: tuple[Any, ...]


def case(name: str, *args: Any, to: tuple[Any, ...] = ((3, 4),), **kwargs: Any) -> Case:
    """A layer made with arguments, to be called with inputs of these shapes."""
    return Case(name, args, kwargs, to)


LAYERS = [
    case("Identity", 3, a=1), case("Linear", 4, 2), case("Linear", 4, 2, bias=False, to=((2, 3, 4),)),
    case("Linear", 4, 1, to=((4,),)), case("Bilinear", 4, 3, 2, to=((5, 4), (5, 3))),
    case("Conv1d", 4, 6, 3, to=(SIGNAL,)), case("Conv1d", 4, 6, 3, groups=2, padding="same", to=(SIGNAL,)),
    case("Conv2d", 4, 6, 3, stride=2, padding=1, to=(IMAGE,)), case("Conv2d", 4, 2, (2, 3), bias=False, to=(IMAGE,)),
    case("Conv2d", 4, 2, 3, padding=1, padding_mode="reflect", dilation=2, to=(IMAGE,)),
    case("Conv2d", 4, 2, (3, 4), padding="same", padding_mode="circular", to=(IMAGE,)),
    case("Conv2d", 4, 2, 3, padding="valid", to=((4, 7, 8),)),
    case("ConvTranspose1d", 4, 3, 3, stride=2, to=(SIGNAL,)),
    case("ConvTranspose2d", 4, 6, 3, 2, 1, 1, groups=2, to=(IMAGE,)),
    case("BatchNorm1d", 4, to=((6, 4),)), case("BatchNorm1d", 4, momentum=None, to=(SIGNAL,)),
    case("BatchNorm1d", 4, affine=False, track_running_stats=False, to=(SIGNAL,)),
    case("BatchNorm2d", 4, eps=1e-3, bias=False, to=(IMAGE,)),
    case("InstanceNorm1d", 4, to=(SIGNAL,)), case("InstanceNorm1d", 4, to=((4, 9),)),
    case("InstanceNorm2d", 4, affine=True, track_running_stats=True, to=(IMAGE,)),
    case("LayerNorm", 4), case("LayerNorm", (3, 4), elementwise_affine=False), case("LayerNorm", [4], bias=False),
    case("RMSNorm", 4), case("RMSNorm", 4, eps=1e-3, elementwise_affine=False), case("GroupNorm", 2, 4, to=(IMAGE,)),
    case("GroupNorm", 2, 4, affine=False, to=(SIGNAL,)),
    case("ReLU"), case("ReLU6"), case("SiLU"), case("Hardsigmoid"),
    case("LeakyReLU", 0.2), case("ELU", 0.5),
case("Sigmoid"), case("Tanh"),
case("GELU"), case("GELU", "tanh"), case("Softplus", 2.0),
case("PReLU"), case("PReLU", 4, 0.1), case("Softmax", 1),
    case("LogSoftmax", dim=-1),
    case("Dropout"), case("Dropout", 0.2), case("AlphaDropout"), case("Dropout2d", to=(IMAGE,)),

    case("MaxPool2d", 2, to=(IMAGE,)),
    case("MaxPool2d", (2, 3), stride=1, padding=1, ceil_mode=True, to=(IMAGE,)),
    case("MaxPool2d", 2, return_indices=True, to=(IMAGE,)),
    case("AvgPool2d", 2, to=(IMAGE,)),
    case("AvgPool2d", 3, 2, 1, count_include_pad=False, to=(IMAGE,)),
    case("AdaptiveAvgPool2d", (None, 3), to=(IMAGE,)),



case("ConstantPad2d", (1, 0, 2, 1), 1.0, to=(IMAGE,)),
case("ZeroPad2d", 1, to=(IMAGE,)),

    case("ReflectionPad2d", 1, to=(IMAGE,)),


    case("Embedding", 5, 3, to=(INDICES,)), case("Embedding", 5, 3, padding_idx=-2, to=(INDICES,)),

    case("Flatten", to=(IMAGE,)), case("Flatten", 0, 1, to=(IMAGE,)), case("Unflatten", 1, (2, 2), to=(IMAGE,)),
    case("Upsample", scale_factor=2, to=(IMAGE,)), case("Upsample", size=(5, 11), mode="bilinear", to=(IMAGE,)),
    case("UpsamplingNearest2d", scale_factor=2, to=(IMAGE,)),

    case("CosineSimilarity", to=((3, 4), (3, 4))), case("PairwiseDistance", to=((3, 4), (3, 4))),
    case("RNNCell", 4, 5), case("RNNCell", 4, 5, nonlinearity="relu", bias=False, to=((3, 4), (3, 5))),
    case("LSTMCell", 4, 5), case("LSTMCell", 4, 5, to=((4,),)), case("GRUCell", 4, 5, to=((3, 4), (3, 5))),
    case("RNN", 4, 5, to=((6, 3, 4),)), case("RNN", 4, 5, 2, nonlinearity="relu", bias=False, to=((6, 3, 4),)),
    case("RNN", 4, 5, to=((6, 4),)), case("RNN", 4, 5, bidirectional=True, to=((6, 3, 4), (2, 3, 5))),
    case("LSTM", 4, 5, to=((6, 3, 4),)), case("LSTM", 4, 5, 2, batch_first=True, bidirectional=True, to=((3, 6, 4),)),
    case("LSTM", 4, 5, 3, dropout=0.4, to=((6, 3, 4),)), case("GRU", 4, 5, 2, to=((6, 3, 4), (2, 3, 5))),
    case("GRU", 4, 5, batch_first=True, bias=False, to=((3, 6, 4),)),
    case("MultiheadAttention", 8, 2, to=((5, 3, 8), (6, 3, 8), (6, 3, 8))),
    case("MultiheadAttention", 8, 2, dropout=0.3, batch_first=True, to=((3, 5, 8), (3, 6, 8), (3, 6, 8))),
    case("TransformerEncoderLayer", 8, 2, 16, to=((5, 3, 8),)),
    case("TransformerEncoderLayer", 8, 2, 16, dropout=0.0, activation="gelu", norm_first=True, batch_first=True,
         to=((3, 5, 8),)),
    case("MSELoss", to=((3, 4), (3, 4))), case("MSELoss", reduction="sum", to=((3, 4), (3, 4))),
    case("L1Loss", to=((3, 4), (3, 4))), case("SmoothL1Loss", beta=0.5, to=((3, 4), (3, 4))),
    case("HuberLoss", delta=0.5, to=((3, 4), (3, 4))), case("BCELoss", to=(PROBABILITIES, 1 - PROBABILITIES)),
    case("BCEWithLogitsLoss", reduction="none", to=((3, 4), PROBABILITIES)), case("NLLLoss", to=((3, 4), CLASSES)),
    case("CrossEntropyLoss", to=((3, 4), CLASSES)),
    case("CrossEntropyLoss", ignore_index=0, label_smoothing=0.1, to=((3, 4), CLASSES)),
    case("KLDivLoss", reduction="batchmean", to=((3, 4), PROBABILITIES)),
    case("HingeEmbeddingLoss", to=((3,), SIGNS)), case("MarginRankingLoss", margin=0.2, to=((3,), (3,), SIGNS)),
    case("SoftMarginLoss", to=((3,), SIGNS)), case("CosineEmbeddingLoss", 0.1, to=((3, 4), (3, 4), SIGNS)),
    case("MultiMarginLoss", p=2, to=((3, 4), CLASSES)),
    case("MultiLabelMarginLoss", to=((2, 4), np.array([[3, 0, -1, 1], [1, -1, 0, 0]]))),
    case("MultiLabelSoftMarginLoss", to=((3, 4), PROBABILITIES.round())),
    case("TripletMarginLoss", swap=True, to=((3, 4), (3, 4), (3, 4))),
    case("TripletMarginWithDistanceLoss", to=((3, 4), (3, 4), (3, 4))),
]  # fmt: skip


def _title(of: Case) -> str:
    named = [f"{name}={value}" for name, value in of.kwargs.items()]
    return f"{of.name}({', '.join([*map(str, of.args), *named])})"


@pytest.fixture(autouse=True)
def _no_warnings_of_pytorch() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _arrays(of: Case) -> list[np.ndarray]:
    return [x if isinstance(x, np.ndarray) else numbers(*x, seed=i) for i, x in enumerate(of.inputs)]


def _run(layer: Any, inputs: list[Any]) -> tuple[list[Any], list[Any]]:
    """What a layer gives, and the gradients of its inputs and parameters for some v."""
    pair = len(inputs) > 1 and type(layer).__name__ == "LSTM"
    results = [x for x in flat(layer(inputs[0], tuple(inputs[1:])) if pair else flat(layer(*inputs))) if x is not None]
    total = None
    for i, x in enumerate(results):
        if x.requires_grad:
            v = numbers(*x.shape, seed=10 + i)
            part = (x * (torch.from_numpy(v) if isinstance(x, torch.Tensor) else tensor(v))).sum()
            total = part if total is None else total + part
    if total is not None:
        total.backward()
    leaves = [x for x in inputs if x.requires_grad] + list(layer.parameters())
    return results, [x.grad for x in leaves]


@pytest.mark.parametrize("of", LAYERS, ids=_title)
def test_a_layer_is_written_and_begins_as_in_pytorch(of: Case) -> None:
    mine, theirs = make_both(torch, of.name, *of.args, **of.kwargs)

    state, wanted = mine.state_dict(), theirs.state_dict()

    assert repr(mine) == repr(theirs)
    assert list(state) == list(wanted)
    for name, x in wanted.items():
        np.testing.assert_array_equal(array_of(state[name]), array_of(x), err_msg=name)


@pytest.mark.parametrize("mode", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("of", LAYERS, ids=_title)
def test_a_layer_gives_and_sends_back_what_pytorch_does(of: Case, mode: bool) -> None:
    mine, theirs = (layer.train(mode) for layer in make_both(torch, of.name, *of.args, **of.kwargs))
    arrays = _arrays(of)
    needs = [not isinstance(given, np.ndarray) for given in of.inputs]
    inputs = [tensor(x, requires_grad=need) for x, need in zip(arrays, needs, strict=True)]
    wanted = [torch.tensor(x, requires_grad=need) for x, need in zip(arrays, needs, strict=True)]
    engine.manual_seed(5)
    torch.manual_seed(5)

    found, gradients = _run(mine, inputs)
    expected, expected_gradients = _run(theirs, wanted)

    assert len(found) == len(expected)
    for x, y in zip(found, expected, strict=True):
        assert_close(x, y, "result", 2e-5)
    for x, y in zip(gradients, expected_gradients, strict=True):
        assert (x is None) == (y is None)
        if y is not None:
            assert_close(x, y, "gradient", 2e-5)
    for (name, x), (_, y) in zip(mine.named_buffers(), theirs.named_buffers(), strict=True):
        assert_close(x, y, name)


@pytest.mark.parametrize(
    "name",
    ["ReLU", "ReLU6", "SiLU", "Hardsigmoid", "LeakyReLU", "ELU"],
)
def test_an_activation_in_place_changes_its_input_and_has_a_gradient(name: str) -> None:
    mine, theirs = make_both(torch, name, inplace=True)
    found = []
    for layer, x in ((mine, tensor(numbers(3, 4), requires_grad=True)), (theirs, torch.tensor(numbers(3, 4)))):
        x.requires_grad_()
        h = x * 1
        y = layer(h)
        assert y is h
        y.sum().backward()
        found.append((y.detach(), x.grad))

    for x, y in zip(*found, strict=True):
        assert_close(x, y)


WRONG_ARGUMENTS = {
    "an option that no loss has": (
        lambda nn, x: nn.MSELoss(foo=1), "_Loss.__init__() got an unexpected keyword argument 'foo'"
    ),
    "a word of a loss misspelt": (
        lambda nn, x: nn.CrossEntropyLoss(wight=x),
        "CrossEntropyLoss.__init__() got an unexpected keyword argument 'wight'",
    ),
    "too many": (
        lambda nn, x: nn.HuberLoss("mean", 1, 2), "HuberLoss.__init__() takes from 1 to 3 positional arguments but 4 were given"
    ),
    "one twice": (
        lambda nn, x: nn.HuberLoss("sum", reduction="sum"), "HuberLoss.__init__() got multiple values for argument 'reduction'"
    ),
    "no target": (lambda nn, x: nn.MSELoss()(x), "MSELoss.forward() missing 1 required positional argument: 'target'"),
    "no input": (lambda nn, x: nn.ReLU()(), "ReLU.forward() missing 1 required positional argument: 'input'"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", WRONG_ARGUMENTS)
def test_wrong_arguments_are_told_in_pythons_words_under_the_name_of_the_class(mistake: str) -> None:
    call, words = WRONG_ARGUMENTS[mistake]

    for library in (engine, torch):
        with pytest.raises(TypeError) as told:
            call(library.nn, library.ones(2))
        assert str(told.value) == words
