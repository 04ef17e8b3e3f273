"""The expressions that `record_ops_structure` records, with the shapes of their inputs a, b, c."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Shapes = tuple[tuple[int, ...], ...]

INDICES: dict[str, Any] = {
    "i": np.array([[0, 1, 0], [1, 0, 1]]),
    "j": np.array([1, 0]),
    "k": np.array([0, 1, 1]),
    "n": np.array([2, 0, 1]),
}
"""Integer inputs by name."""

PARTS = ("split", "unbind", "chunk", "lstsq", "eigh", "svd", "qr(", "slogdet", "logdet", "_norm", "pool", "reshape(T")
"""Names whose node is one of several outputs in PyTorch, or keeps other values than the engine needs."""

GRIDS = (
    "repeat(a, 2, 2)", "repeat(a, 3, 1, 1)", "tile(a, (2,))", "tile(a, (2, 1, 1))", "repeat_interleave(a, 2)",
    "repeat_interleave(a, 2, dim=1)", "repeat_interleave(a, j + 1, dim=0)", "flip(a, (0,))", "flip(a, (0, -1))",
    "fliplr(a)", "flipud(a)", "roll(a, 1)", "roll(a, -1, 1)", "roll(a, (1, 2), (0, 1))", "rot90(a)", "rot90(a, 2)",
    "tril(a)", "triu(a, 1)", "tril(a, -1)", "diag(a)", "diag(a, 1)", "diag(a[0])", "diag(a[0], -1)", "diagonal(a)",
    "diagonal(a, 1)", "diag_embed(a)", "diagflat(a)", "split(a, 1)[1]", "split(a, [1, 2], 1)[1]", "chunk(a, 2, 1)[1]",
    "chunk(a, 5)[0]", "tensor_split(a, 2, 1)[0]", "tensor_split(a, (1,), 1)[1]", "hsplit(a, 3)[1]", "vsplit(a, 2)[0]",
    "narrow(a, 1, 0, 2)", "select(a, 1, -1)", "movedim(a, 0, 1)", "swapdims(a, 0, 1)", "moveaxis(a, -1, 0)",
    "broadcast_to(a, (2, 2, 3))", "hstack([a, a])", "vstack([a, a[0]])", "dstack([a, a])", "column_stack([a, a[:, 0]])",
    "unflatten(a, 1, (3, 1))", "unflatten(a, 1, (-1, 1))", "unfold(a, 1, 2, 1)", "atleast_2d(a[0])", "atleast_3d(a)",
    "atleast_3d(a[0])", "atleast_1d(sum(a))", "atleast_2d(sum(a))", "atleast_3d(sum(a))", "cartesian_prod(a[0], a[1])",
    "combinations(a[0])", "combinations(a[0], 3)", "combinations(a[0], with_replacement=True)", "block_diag(a, a[0])",
    "pad(a, (1, 1))", "pad(a, (1, 0, 0, 2), value=3.5)", "pad(a, (-1, 1))", "pad(a, (1, 2), 'reflect')",
    "pad(a, (1, 2), 'replicate')", "gather(a, 1, i)", "gather(a, -2, i)", "take_along_dim(a, i, 1)",
    "index_select(a, 0, k)", "index_select(a, 1, n)", "take(a, n)", "masked_select(a, a > 0)",
    "masked_fill(a, a > 0, 1.0)",
    "masked_fill(a, a > 0, sum(a))", "scatter(a, 1, i, 2.0)", "index_fill(a, 0, j, 2.0)",
    "broadcast_tensors(a, a[0])[1]",
    "scatter(a, 1, n[None], a[:1] * 2)", "index_add(a, 0, j, a)", "index_copy(a, 0, j, a * 2)",
    "scatter_add(a, 1, i, a)",
    "index_put(a, (j,), a * 3)", "index_put(a, (k, n), a[0], accumulate=True)", "embedding(i, a)",
    "embedding(i, a, padding_idx=0)",
)  # fmt: skip

SHAPED: tuple[tuple[str, tuple[Shapes, ...]], ...] = (
    ("pad(a, (1, 1, 1, 2), 'reflect')", (((1, 2, 3, 3),),)),
    ("pad(a, (1, 1, 1, 2), 'replicate')", (((1, 2, 3, 3),),)),
    ("repeat(a, 2)", (((),), ((0,),))),
    ("pixel_shuffle(a, 2)", (((1, 4, 2, 3),), ((8, 1, 2),))),
    ("pixel_unshuffle(a, 2)", (((1, 2, 2, 4),),)),
    ("channel_shuffle(a, 2)", (((1, 4, 2, 1),),)),
    ("interpolate(a, scale_factor=2)", (((1, 2, 2, 3),), ((1, 2, 3),))),
    ("interpolate(a, size=(3, 2))", (((1, 2, 2, 3),),)),
    ("interpolate(a, scale_factor=2, mode='bilinear')", (((1, 2, 2, 3),),)),
    ("interpolate(a, size=(3, 5), mode='bilinear', align_corners=True)", (((1, 1, 2, 3),),)),
    ("interpolate(a, size=5, mode='linear')", (((1, 2, 3),),)),
    ("conv1d(a, b)", (((2, 3, 5), (4, 3, 2)), ((3, 5), (4, 3, 2)))),
    ("conv1d(a, b, c, stride=2, padding=1)", (((2, 3, 5), (4, 3, 3), (4,)),)),
    ("conv1d(a, b, padding='same')", (((2, 3, 5), (4, 3, 2)),)),
    ("conv2d(a, b)", (((2, 2, 4, 4), (3, 2, 2, 3)), ((2, 4, 4), (3, 2, 2, 2)))),
    ("conv2d(a, b, c)", (((2, 2, 4, 4), (3, 2, 3, 3), (3,)),)),
    ("conv2d(a, b, c, stride=(2, 1), padding=(1, 0), dilation=2)", (((1, 2, 5, 5), (2, 2, 2, 2), (2,)),)),
    ("conv2d(a, b, groups=2)", (((1, 4, 3, 3), (4, 2, 2, 2)),)),
    ("conv2d(a, b, padding='same')", (((1, 1, 3, 3), (1, 1, 3, 3)), ((1, 1, 3, 3), (1, 1, 2, 2)))),
    ("conv2d(a, b, padding='valid')", (((1, 1, 3, 3), (1, 1, 3, 3)),)),
    ("conv3d(a, b)", (((1, 2, 2, 3, 2), (1, 2, 1, 2, 2)),)),
    ("conv3d(a, b, c)", (((1, 1, 2, 3, 2), (2, 1, 1, 2, 2), (2,)),)),
    ("conv_transpose1d(a, b)", (((1, 2, 3), (2, 1, 2)),)),
    ("conv_transpose1d(a, b, c)", (((1, 2, 3), (2, 1, 2), (1,)),)),
    ("conv_transpose2d(a, b)", (((1, 2, 2, 3), (2, 3, 2, 2)), ((2, 2, 3), (2, 3, 2, 2)))),
    ("conv_transpose2d(a, b, c, stride=2, padding=1, output_padding=1)", (((1, 2, 2, 3), (2, 3, 3, 3), (3,)),)),
    ("conv_transpose2d(a, b, groups=2, dilation=2)", (((1, 2, 2, 3), (2, 2, 2, 2)),)),
    ("conv_transpose3d(a, b)", (((1, 2, 1, 2, 2), (2, 1, 1, 2, 2)),)),
    ("conv_transpose3d(a, b, c)", (((1, 2, 1, 2, 2), (2, 1, 1, 2, 2), (1,)),)),
    ("max_pool1d(a, 2)", (((1, 2, 5),),)),
    ("max_pool2d(a, 2)", (((2, 2, 4, 5),), ((2, 4, 4),))),
    ("max_pool2d(a, 3, stride=2, padding=1)", (((1, 2, 4, 5),),)),
    ("max_pool2d(a, 2, ceil_mode=True)", (((1, 1, 5, 5),),)),
    ("max_pool2d(a, 2, stride=1, dilation=2)", (((1, 1, 5, 4),),)),
    ("max_pool3d(a, 2)", (((1, 1, 2, 2, 4),),)),
    ("avg_pool1d(a, 2)", (((1, 2, 5),),)),
    ("avg_pool2d(a, 2)", (((2, 2, 4, 5),), ((2, 4, 4),))),
    ("avg_pool2d(a, 3, stride=2, padding=1)", (((1, 2, 4, 5),),)),
    ("avg_pool2d(a, 3, 2, 1, False, False)", (((1, 2, 4, 5),),)),
    ("avg_pool2d(a, 2, ceil_mode=True)", (((1, 1, 5, 5),),)),
    ("avg_pool3d(a, 2)", (((1, 1, 2, 2, 4),),)),
    ("adaptive_avg_pool1d(a, 3)", (((1, 2, 5),),)),
    ("adaptive_avg_pool2d(a, 3)", (((1, 2, 4, 5),),)),
    ("adaptive_avg_pool2d(a, 1)", (((1, 2, 4, 5),),)),
    ("adaptive_avg_pool2d(a, (2, None))", (((1, 2, 4, 5),),)),
    ("adaptive_max_pool1d(a, 3)", (((1, 2, 5),),)),
    ("adaptive_max_pool2d(a, 3)", (((1, 2, 4, 5),),)),
    ("batch_norm(a, None, None, training=True)", (((4, 3),), ((2, 3, 2, 2),))),
    ("batch_norm(a, None, None, b, c, training=True)", (((4, 3), (3,), (3,)), ((2, 3, 2, 2), (3,), (3,)))),
    ("layer_norm(a, (3,))", (((2, 3),), ((2, 2, 3),))),
    ("layer_norm(a, (3,), b, c)", (((2, 3), (3,), (3,)),)),
    ("layer_norm(a, (2, 3), b, c)", (((2, 2, 3), (2, 3), (2, 3)),)),
    ("group_norm(a, 2)", (((2, 4, 3),), ((2, 4, 2, 2),))),
    ("group_norm(a, 2, b, c)", (((2, 4, 2, 2), (4,), (4,)),)),
    ("instance_norm(a)", (((2, 3, 4),), ((2, 2, 2, 2),))),
    ("instance_norm(a, weight=b, bias=c)", (((2, 3, 4), (3,), (3,)),)),
    ("rms_norm(a, (3,))", (((2, 3),),)),
    ("rms_norm(a, (3,), b)", (((2, 3), (3,)),)),
    ("batch_norm(a, detach(b), detach(c) ** 2)", (((4, 3), (3,), (3,)), ((2, 3, 2), (3,), (3,)))),
    ("batch_norm(a, detach(a[0]), detach(a[1]) ** 2, b, c)", (((4, 3), (3,), (3,)),)),
    ("interpolate(a, scale_factor=1.7)", (((1, 1, 3, 5),),)),
    ("flip(a, (0,))", (((0,),), ((3,),))),
    ("movedim(a, (0, 1), (2, 0))", (((2, 1, 3),),)),
    ("diagonal(a, 0, 0, 2)", (((2, 3, 2),),)),
    ("diag_embed(a, 1, 0, 2)", (((2, 2),),)),
    ("squeeze(a, (0, 2))", (((1, 2, 1),),)),
    ("gather(a, 0, k)", (((3,),),)),
    ("index_select(a, 2, k)", (((2, 1, 2),),)),
    ("masked_fill(a, b > 0, 0.5)", (((3,), (2, 3)), ((2, 3), (3,)))),
    ("scatter(a, 0, k[:2], b)", (((3,), (2,)),)),
    ("index_add(a, 1, k, b, alpha=2)", (((2, 2), (2, 3)),)),
    ("scatter_add(a, 0, k, b)", (((3,), (3,)),)),
    ("combinations(a)", (((4,),),)),
    ("tril(a)", (((2, 3, 3),),)),
    ("unfold(a, 0, 2, 2)", (((5,),),)),
    ("repeat_interleave(a, 3)", (((2,),),)),
)  # fmt: skip

SPECIAL: tuple[tuple[str, dict[str, Any]], ...] = (
    ("masked_fill(a, a > 0, 1.0)", {"a": np.array([math.nan, math.inf, -0.0, 1.0])}),
    ("flip(a, (0,))", {"a": np.array([math.nan, math.inf, -0.0, 1.0])}),
    ("max_pool2d(a, 2)", {"a": np.array([[[1.0, 1.0, 0.0, -1.0], [1.0, 0.0, 0.0, 0.0]]])}),
    ("adaptive_max_pool2d(a, 1)", {"a": np.array([[[1.0, 1.0, 0.0, -1.0], [1.0, 0.0, 0.0, 0.0]]])}),
    ("tril(a)", {"a": np.array([[math.nan, math.inf], [-0.0, 1.0]])}),
)
