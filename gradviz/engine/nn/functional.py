"""`torch.nn.functional`: layers and losses as functions, under PyTorch's names.

They are written in the families of `gradviz.engine.functions`; here is but the list of them.
"""

from __future__ import annotations

from gradviz.engine.functions.activation import (
    alpha_dropout,
    bilinear,
    cosine_similarity,
    dropout,
    dropout2d,
    elu,
    gelu,
    glu,
    gumbel_softmax,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    mish,
    normalize,
    one_hot,
    pairwise_distance,
    prelu,
    relu,
    relu6,
    relu_,
    selu,
    silu,
    softmax,
    softplus,
    softsign,
)
from gradviz.engine.functions.attention import scaled_dot_product_attention
from gradviz.engine.functions.convolution import (
    conv1d,
    conv2d,
    conv_transpose1d,
    conv_transpose2d,
    unfold,
)
from gradviz.engine.functions.decomposition import pdist
from gradviz.engine.functions.elementwise import sigmoid, tanh
from gradviz.engine.functions.embedding import embedding
from gradviz.engine.functions.image import (
    interpolate,
    pad,
    upsample,
)
from gradviz.engine.functions.linalg import linear
from gradviz.engine.functions.loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cross_entropy,
    hinge_embedding_loss,
    huber_loss,
    kl_div,
    l1_loss,
    margin_ranking_loss,
    mse_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from gradviz.engine.functions.norm import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from gradviz.engine.functions.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
)
from gradviz.engine.known import missing_of

__getattr__ = missing_of("torch.nn.functional")


__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "alpha_dropout", "avg_pool1d", "avg_pool2d", "batch_norm", "bilinear",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "conv1d", "conv2d", "conv_transpose1d",
    "conv_transpose2d", "cosine_embedding_loss", "cosine_similarity", "cross_entropy", "dropout", "dropout2d", "elu",
    "embedding", "gelu", "glu", "group_norm", "gumbel_softmax", "hardsigmoid", "hardswish", "hardtanh",
    "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div", "l1_loss", "layer_norm",
    "leaky_relu", "linear", "log_softmax", "logsigmoid", "margin_ranking_loss", "max_pool1d", "max_pool2d", "mish",
    "mse_loss", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "normalize",
    "one_hot", "pad", "pairwise_distance", "pdist", "prelu", "relu", "relu6", "relu_", "rms_norm",
    "scaled_dot_product_attention", "selu", "sigmoid", "silu", "smooth_l1_loss", "soft_margin_loss", "softmax",
    "softplus", "softsign", "tanh", "triplet_margin_loss", "triplet_margin_with_distance_loss", "unfold", "upsample",
]  # fmt: skip
