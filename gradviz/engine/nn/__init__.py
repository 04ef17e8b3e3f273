"""`torch.nn`: layers, containers and losses."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType

from gradviz.engine.known import missing_of
from gradviz.engine.nn import functional, init, utils
from gradviz.engine.nn.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
)
from gradviz.engine.nn.attention import (
    MultiheadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from gradviz.engine.nn.containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from gradviz.engine.nn.convolution import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from gradviz.engine.nn.distance import CosineSimilarity, PairwiseDistance
from gradviz.engine.nn.dropout import AlphaDropout, Dropout, Dropout1d, Dropout2d, Dropout3d, FeatureAlphaDropout
from gradviz.engine.nn.embedding import Embedding, EmbeddingBag
from gradviz.engine.nn.image import (
    Flatten,
    Fold,
    PixelShuffle,
    PixelUnshuffle,
    Unflatten,
    Unfold,
    Upsample,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
)
from gradviz.engine.nn.linear import Bilinear, Identity, Linear
from gradviz.engine.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    CTCLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    Loss,
    MarginRankingLoss,
    MSELoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    PoissonNLLLoss,
    SmoothL1Loss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
    WeightedLoss,
)
from gradviz.engine.nn.module import Module
from gradviz.engine.nn.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
    LocalResponseNorm,
    RMSNorm,
)
from gradviz.engine.nn.padding import (
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from gradviz.engine.nn.parameter import Buffer, Parameter
from gradviz.engine.nn.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    LPPool1d,
    LPPool2d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
)
from gradviz.engine.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNBase, RNNCell, RNNCellBase

_FILES = {
    "attention": "transformer", "containers": "container", "convolution": "conv", "embedding": "sparse",
    "recurrent": "rnn",
}  # fmt: skip
_FILES_OF_CLASSES: dict[str, tuple[type, ...]] = {
    "activation": (MultiheadAttention,), "batchnorm": (BatchNorm1d, BatchNorm2d, BatchNorm3d),
    "instancenorm": (InstanceNorm1d, InstanceNorm2d, InstanceNorm3d), "flatten": (Flatten, Unflatten),
    "fold": (Fold, Unfold), "pixelshuffle": (PixelShuffle, PixelUnshuffle),
    "upsampling": (Upsample, UpsamplingBilinear2d, UpsamplingNearest2d),
}  # fmt: skip


def _name_as_pytorch(kinds: Iterable[object]) -> None:
    """Let `print(type(layer))` show what it shows in PyTorch, e.g. <class 'torch.nn.modules.linear.Linear'>."""
    file_of = {kind: file for file, some in _FILES_OF_CLASSES.items() for kind in some}
    for kind in kinds:
        if isinstance(kind, type) and kind not in (Buffer, Parameter):
            own = kind.__module__.rpartition(".")[2]
            kind.__module__ = f"torch.nn.modules.{file_of.get(kind, _FILES.get(own, own))}"
            _own_init(kind)
    Parameter.__module__ = Buffer.__module__ = "torch.nn.parameter"


def _own_init(kind: type) -> None:
    """Give a class that inherits its `__init__` a copy under its own name, for Python's error messages.

    Then `nn.Conv2d(3, 8)` says "Conv2d.__init__() missing ...", and not the name of what convolutions have in common.
    """
    found = kind.__init__  # type: ignore[misc]
    owner = next(base for base in kind.__mro__ if "__init__" in vars(base))
    if owner is kind or owner.__name__ in __all__ or not isinstance(found, FunctionType):
        return
    name = f"_{owner.__name__}" if owner in (Loss, WeightedLoss) else kind.__qualname__
    made = FunctionType(found.__code__, found.__globals__, "__init__", found.__defaults__, found.__closure__)
    made.__kwdefaults__, made.__annotations__ = found.__kwdefaults__, found.__annotations__
    made.__qualname__ = f"{name}.__init__"
    kind.__init__ = made  # type: ignore[misc]


__getattr__ = missing_of("torch.nn")


__all__ = [
    "CELU", "ELU", "GELU", "GLU", "GRU", "LSTM", "RNN", "SELU", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AlphaDropout", "AvgPool1d",
    "AvgPool2d", "AvgPool3d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Bilinear", "Buffer",
    "CTCLoss", "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "CosineEmbeddingLoss",
    "CosineSimilarity", "CrossEntropyLoss", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "Embedding",
    "EmbeddingBag", "FeatureAlphaDropout", "Flatten", "Fold", "GRUCell", "GaussianNLLLoss", "GroupNorm", "Hardshrink",
    "Hardsigmoid", "Hardswish", "Hardtanh", "HingeEmbeddingLoss", "HuberLoss", "Identity", "InstanceNorm1d",
    "InstanceNorm2d", "InstanceNorm3d", "KLDivLoss", "L1Loss", "LPPool1d", "LPPool2d", "LSTMCell", "LayerNorm",
    "LeakyReLU", "Linear", "LocalResponseNorm", "LogSigmoid", "LogSoftmax", "MSELoss", "MarginRankingLoss",
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "Mish", "Module", "ModuleDict", "ModuleList", "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "MultiheadAttention", "NLLLoss", "PReLU", "PairwiseDistance",
    "Parameter", "ParameterDict", "ParameterList", "PixelShuffle", "PixelUnshuffle", "PoissonNLLLoss", "RMSNorm",
    "RNNBase", "RNNCell", "RNNCellBase", "RReLU", "ReLU", "ReLU6", "ReflectionPad1d", "ReflectionPad2d",
    "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "Sequential", "SiLU", "Sigmoid",
    "SmoothL1Loss", "SoftMarginLoss", "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh",
    "Tanhshrink", "Threshold", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer", "TripletMarginLoss", "TripletMarginWithDistanceLoss", "Unflatten", "Unfold", "Upsample",
    "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d", "functional", "init",
    "utils",
]  # fmt: skip

_name_as_pytorch([globals()[name] for name in __all__])
