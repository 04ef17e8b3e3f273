"""Expressions and float32 inputs whose last digits are recorded; the same numbers at every run."""

from __future__ import annotations

from typing import Any

import numpy as np

Shape = tuple[int, ...]

EXACT: tuple[tuple[str, tuple[Shape, ...]], ...] = (
    *((f, ((size,),)) for f in ("sigmoid(a)", "silu(a)") for size in (1, 7, 31, 32, 45, 100)),
    *((f"{f}(a, {dim})", ((rows, 7),)) for f in ("softmax", "log_softmax") for dim in (0, 1) for rows in (1, 4, 40)),
    *((f"{f}(a, 1)", ((3, size),)) for f in ("softmax", "log_softmax") for size in (1, 4, 15, 16, 17, 50)),
    *(("a @ b", ((m, k), (k, n))) for m in (2, 5, 20) for k in (1, 3, 8, 20) for n in (2, 3, 9, 16)),
    *(("a @ T(b)", ((m, k), (n, k))) for m in (1, 2, 3, 5, 8, 20) for k in (1, 2, 5, 9, 16, 20)
      for n in (1, 2, 3, 5, 8, 16)),
    *(("a @ b", ((m, k), (k,))) for m in (1, 3, 4, 6, 8) for k in (2, 3, 8, 16, 17, 18, 33, 40, 70)),
    *(("T(a) @ b", ((k, n), (k,))) for n in (1, 5, 16, 18) for k in (2, 7, 8, 17)),
    *(("dot(a, b)", ((k,), (k,))) for k in (1, 2, 3, 5, 8, 13, 16, 21, 31, 32, 40)),
    *(("bmm(a, b)", ((2, m, k), (2, k, n))) for m in (1, 3, 8) for k in (1, 4, 8) for n in (1, 3, 8)),
    *(("a @ T(b)", ((m, k), (n, k))) for m, n in ((3, 3), (4, 2), (7, 3)) for k in (32, 34, 50)),
    *(("T(a) @ b", ((k, m), (k, n))) for m, n, k in
      ((1, 1, 4), (1, 1, 50), (1, 1, 257), (3, 1, 300), (3, 2, 385), (20, 1, 256), (20, 20, 500), (45, 1, 256))),
    *(("a @ b", ((m, k), (k, 1))) for m, k in ((302, 28), (1025, 8))),
    *(("addmm(c, a, T(b))", ((m, 1), (n, 1), (n,))) for m in (1, 2, 20) for n in (1, 2, 16)),
    *((f, ((9,), (9,)))
      for f in ("add(a, b, alpha=0.1)", "sub(a, b, alpha=0.3)", "lerp(a, b, 0.1)", "lerp(a, b, 0.9)")),
    *((f"neural.layer_norm(a, ({n},), b, c)", ((rows, n), (n,), (n,))) for rows in (1, 5)
      for n in (1, 3, 8, 10, 20, 64, 137, 400)),
    *((f"neural.layer_norm(a, ({n},))", ((4, n),)) for n in (5, 16, 21)),
    *((f"neural.group_norm(a, {groups}, b, c)", (size, size[1:2], size[1:2])) for groups, size in
      ((2, (3, 4)), (3, (3, 6, 5)), (2, (2, 20, 3)), (1, (2, 4, 3, 3)), (4, (2, 8, 4, 5)))),
    ("neural.group_norm(a, 2)", ((3, 4, 7),)),
    *((f"neural.{f}(a, None, None, b, c, True)", (size, size[1:2], size[1:2])) for f in ("batch_norm", "instance_norm")
      for size in ((2, 3, 4), (4, 2, 5, 5), (3, 10, 15))),
    *(("neural.batch_norm(a, None, None, b, c, True)", (size, size[1:2], size[1:2]))
      for size in ((2, 3), (5, 5), (8, 4), (33, 20))),
    *(("neural.batch_norm(a, detach(b), detach(c) ** 2, b, c)", (size, size[1:2], size[1:2]))
      for size in ((8, 4), (3, 5, 7))),
    *(("repeat(a, 5)", ((n,),)) for n in (3, 8, 12)),
    *((f"{f}(a, 0)", ((size,),)) for f in ("softmax", "log_softmax") for size in (20, 31, 40)),
    *(("neural.linear(a, b, c)", ((m, k), (n, k), (n,))) for m, k, n in
      ((2, 64, 5), (4, 100, 10), (5, 128, 16), (6, 1, 4), (16, 400, 4), (8, 784, 10), (16, 784, 10), (33, 784, 20),
       (3, 1100, 7), (64, 784, 40))),
    *(("a @ b", ((m, k), (k, n))) for m, k, n in ((1, 300, 10), (1, 10, 1), (3, 785, 4))),
    *((f"neural.conv2d(a, b, c{more})", (x, w, w[:1])) for x, w, more in
      (((2, 3, 8, 8), (4, 3, 3, 3), ", padding=1"), ((1, 2, 6, 6), (3, 2, 3, 3), ""),
       ((2, 16, 8, 8), (20, 16, 3, 3), ", stride=2, padding=1"), ((2, 4, 7, 7), (8, 4, 3, 3), ", stride=2"),
       ((3, 1, 12, 12), (6, 1, 5, 5), ""), ((2, 4, 6, 6), (4, 1, 3, 3), ", groups=4"), ((2, 4, 6, 6), (8, 4, 1, 1), ""),
       ((8, 6, 12, 12), (16, 6, 5, 5), ""), ((4, 1, 28, 28), (32, 1, 3, 3), "")     )),
    *((f"neural.conv2d(a, b, c{more})", (x, w, w[:1])) for x, w, more in
      (((1, 1, 8, 8), (1, 1, 3, 3), ""), ((1, 1, 28, 28), (6, 1, 5, 5), ""))),
    *((f"neural.conv_transpose2d(a, b, c, stride={stride})", (x, w, w[1:2])) for x, w, stride in
      (((2, 4, 5, 5), (4, 3, 3, 3), 2), ((4, 20, 1, 1), (20, 8, 4, 4), 1))),
    *((f"neural.conv1d(a, b, c{more})", (x, w, w[:1])) for x, w, more in
      (((2, 3, 10), (4, 3, 5), ", padding=2"), ((1, 3, 9), (4, 3, 3), ""), ((4, 4, 16), (8, 4, 3), ", stride=2"))),
    *((f"neural.scaled_dot_product_attention(a, b, c{more})", (q, k, k)) for q, k, more in
      (((2, 3, 6, 8), (2, 3, 6, 8), ""), ((2, 2, 20, 4), (2, 2, 20, 4), ", is_causal=True"),
       ((1, 2, 33, 8), (1, 2, 20, 8), ""), ((1, 1, 34, 4), (1, 1, 300, 4), ", scale=0.3"),
       ((1, 1, 1, 4), (1, 1, 5, 4), ""))),
    *((f"neural.gelu(a, approximate='{form}')", ((n,),)) for form, n in
      (("none", 1), ("none", 40), ("none", 3000), ("tanh", 64))),
    *(("sqrt(abs(a))", ((n,),)) for n in (1, 9, 500, 2000)),
    *(("hypot(a, b)", ((n,), (n,))) for n in (1, 9, 40)),
    *(("log_softmax(a, 1)", ((rows, 3),)) for rows in (150, 300)),
    *(("cat([neural.batch_norm(a, None, None, b, c, True), a], 1)", (size, size[1:2], size[1:2]))
      for size in ((8, 5), (20, 3), (8, 17), (4, 3, 5, 5))),
    *((f, ((n,),)) for n in (9, 300) for f in
      ("logsigmoid(a)", "softplus(a)", "neural.binary_cross_entropy(sigmoid(a), sigmoid(a), reduction='none')",
       "neural.binary_cross_entropy_with_logits(a, sigmoid(a), reduction='none')")),
    *((f"neural.batch_norm(T(a), {how})", (size, size[-2:-1], size[-2:-1]))
      for size in ((3, 8), (7, 5, 6), (5, 4, 3, 2))
      for how in ("None, None, b, c, True", "detach(b), detach(c) ** 2, b, c")),
    *(("linalg.cross(a, b)", (size, size)) for size in ((3,), (40, 3), (2, 5, 3))),
    *(("bilinear(a, b, c)", ((rows, m), (rows, n), (out, m, n)))
      for rows, m, n, out in ((1, 2, 3, 1), (2, 3, 4, 5), (6, 5, 4, 2))),
)  # fmt: skip
"""Forward and gradients are the recorded numbers, bit by bit."""

NEAR = (
    "exp(a)", "log(abs(a))", "log1p(abs(a))", "log2(abs(a))", "log10(abs(a))", "expm1(a)", "tanh(a)", "tan(a)",
    "atan(a)", "abs(a) ** 2.5", "sin(a)", "cos(a)", "softplus(a)", "logsigmoid(a)",
)  # fmt: skip
"""PyTorch's libraries miss the nearest number in up to one of twenty results; all others agree."""

NEAR_IN_FLOAT64: tuple[tuple[str, Shape], ...] = (
    *((f"{f}(a)", (size,)) for f in ("sigmoid", "silu", "tanh") for size in (5, 100)),
    *((f"{f}(a, {dim})", (20, 10)) for f in ("softmax", "log_softmax") for dim in (0, 1)),
    ("abs(a) ** 1.7", (100,)),
)
"""The same in float64, where numpy's own functions may differ from processor to processor."""


def numbers(shape: Shape, seed: int) -> Any:
    """Float32 numbers around 0 that need all their digits."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def seeded(shape: Shape) -> Any:
    """The gradient that comes in."""
    return np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape).astype(np.float32)
