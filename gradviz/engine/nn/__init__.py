"""`torch.nn`: layers, containers and losses."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType

from gradviz.engine.known import missing_of
from gradviz.engine.nn import functional, init, utils
from gradviz.engine.nn.activation import (
    ELU,
    GELU,
    Hardsigmoid,
    LeakyReLU,
    LogSoftmax,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from gradviz.engine.nn.attention import (
    MultiheadAttention,
    TransformerEncoderLayer,
)
from gradviz.engine.nn.containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from gradviz.engine.nn.convolution import (
    Conv1d,
    Conv2d,
    ConvTranspose1d,
    ConvTranspose2d,
)
from gradviz.engine.nn.distance import CosineSimilarity, PairwiseDistance
from gradviz.engine.nn.dropout import AlphaDropout, Dropout, Dropout2d
from gradviz.engine.nn.embedding import Embedding
from gradviz.engine.nn.image import (
    Flatten,
    Unflatten,
    Upsample,
    UpsamplingNearest2d,
)
from gradviz.engine.nn.linear import Bilinear, Identity, Linear
from gradviz.engine.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    HingeEmbeddingLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MarginRankingLoss,
    MSELoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    SmoothL1Loss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from gradviz.engine.nn.module import Module
from gradviz.engine.nn.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    GroupNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    LayerNorm,
    RMSNorm,
)
from gradviz.engine.nn.padding import (
    ConstantPad2d,
    ReflectionPad2d,
    ZeroPad2d,
)
from gradviz.engine.nn.parameter import Parameter
from gradviz.engine.nn.pooling import (
    AdaptiveAvgPool2d,
    AvgPool2d,
    MaxPool2d,
)
from gradviz.engine.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell

_FILES = {
    "attention": "transformer", "containers": "container", "convolution": "conv", "embedding": "sparse",
    "recurrent": "rnn",
}  # fmt: skip
_FILES_OF_CLASSES: dict[str, tuple[type, ...]] = {
    "activation": (MultiheadAttention,), "batchnorm": (BatchNorm1d, BatchNorm2d),
    "instancenorm": (InstanceNorm1d, InstanceNorm2d), "flatten": (Flatten, Unflatten),
    "upsampling": (Upsample, UpsamplingNearest2d),
}  # fmt: skip


def _name_as_pytorch(kinds: Iterable[object]) -> None:
    """Let `print(type(layer))` show what it shows in PyTorch, e.g. <class 'torch.nn.modules.linear.Linear'>."""
    file_of = {kind: file for file, some in _FILES_OF_CLASSES.items() for kind in some}
    for kind in kinds:
        if isinstance(kind, type) and kind is not Parameter:
            own = kind.__module__.rpartition(".")[2]
            kind.__module__ = f"torch.nn.modules.{file_of.get(kind, _FILES.get(own, own))}"
            for name in ("__init__", "forward"):
                _own(kind, name)
    Parameter.__module__ = "torch.nn.parameter"


def _own(kind: type, name: str) -> None:
    """Give a class that inherits a method a copy under its own name, for Python's error messages.

    Then `nn.Conv2d(3, 8)` says "Conv2d.__init__() missing ...", and not the name of what convolutions have in common.
    """
    found = getattr(kind, name, None)
    owner = next((base for base in kind.__mro__ if name in vars(base)), kind)
    if owner is kind or owner.__name__ in __all__ or not isinstance(found, FunctionType):
        return
    made = FunctionType(found.__code__, found.__globals__, name, found.__defaults__, found.__closure__)
    made.__kwdefaults__, made.__annotations__ = found.__kwdefaults__, found.__annotations__
    made.__qualname__ = f"{kind.__qualname__}.{name}"
    setattr(kind, name, made)


__getattr__ = missing_of("torch.nn")


__all__ = [
    "ELU", "GELU", "GRU", "LSTM", "RNN", "AdaptiveAvgPool2d", "AlphaDropout",
    "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "Bilinear",
    "ConstantPad2d", "Conv1d", "Conv2d", "ConvTranspose1d", "ConvTranspose2d", "CosineEmbeddingLoss",
    "CosineSimilarity", "CrossEntropyLoss", "Dropout", "Dropout2d", "Embedding", "Flatten", "GRUCell", "GroupNorm",
    "Hardsigmoid", "HingeEmbeddingLoss", "HuberLoss", "Identity", "InstanceNorm1d",
    "InstanceNorm2d", "KLDivLoss", "L1Loss", "LSTMCell", "LayerNorm", "LeakyReLU", "Linear", "LogSoftmax",
    "MSELoss", "MarginRankingLoss", "MaxPool2d", "Module", "ModuleDict", "ModuleList",
    "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "MultiheadAttention", "NLLLoss", "PReLU",
    "PairwiseDistance", "Parameter", "ParameterDict", "ParameterList", "RMSNorm", "RNNCell", "ReLU",
    "ReLU6", "ReflectionPad2d", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss",
    "Softmax", "Softplus", "Tanh", "TransformerEncoderLayer",
    "TripletMarginLoss", "TripletMarginWithDistanceLoss", "Unflatten", "Upsample", "UpsamplingNearest2d", "ZeroPad2d",
    "functional", "init", "utils",
]  # fmt: skip

_name_as_pytorch([globals()[name] for name in __all__])
