"""The functions people call, under PyTorch's names and signatures; most are one line over the rule table.

`FUNCTIONS` are those of `torch.*`, `METHODS` those of a tensor, `NEURAL` those of `torch.nn.functional`. Arguments
keep PyTorch's names, so that keywords work as they do there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradviz.imitation.engine.rules  # noqa: F401 - fills the table, of which functions are made
from gradviz.imitation.engine.functions import autocast, families
from gradviz.imitation.engine.functions.layers.softmax import log_softmax, softmax, with_dim
from gradviz.imitation.engine.functions.linalg.matmul import addmm, bmm, dot, linear, matmul, mm, mv
from gradviz.imitation.engine.functions.numbers.arithmetic import (
    abs,
    add,
    clone,
    cos,
    div,
    exp,
    log,
    mul,
    neg,
    pow,
    reciprocal,
    relu,
    rsub,
    sigmoid,
    sin,
    sqrt,
    square,
    sub,
    subtract,
    tan,
    tanh,
)
from gradviz.imitation.engine.functions.numbers.comparison import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    clamp,
    eq,
    ge,
    gt,
    isfinite,
    isinf,
    isnan,
    le,
    logical_and,
    logical_not,
    logical_or,
    lt,
    maximum,
    minimum,
    ne,
    nonzero_static,
    where,
    where_here,
)
from gradviz.imitation.engine.functions.numbers.conversion import (
    allclose,
    detach,
    equal,
    full_like,
    item,
    ones_like,
    zeros_like,
)
from gradviz.imitation.engine.functions.reducing.reduction import (
    all,
    amax,
    amin,
    any,
    argmax,
    argmin,
    max,
    mean,
    min,
    sum,
)
from gradviz.imitation.engine.functions.shapes.shaping import (
    cat,
    expand,
    expand_as,
    flatten,
    meshgrid,
    permute,
    ravel,
    reshape,
    squeeze,
    stack,
    t,
    transpose,
    unbind,
    unsqueeze,
    view,
)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        add, sub, mul, div, pow, square, neg, clone, logical_and, logical_or, logical_not,
        bitwise_and, bitwise_or, bitwise_xor, eq, ne, lt, le, gt, ge, isnan, isinf, isfinite, maximum, minimum,
        nonzero_static, where,
        clamp, sum, mean, amax, amin, max, min, all, any, matmul, mm, bmm, mv, dot, addmm, reshape, flatten, ravel,
        transpose, t, permute, squeeze, unsqueeze, cat, stack, meshgrid, unbind, softmax, log_softmax, zeros_like,
        ones_like, full_like, allclose, equal, exp, log, sqrt, sin, cos, tan, tanh, sigmoid, relu, abs,
        reciprocal, detach, rsub,
    )
}  # fmt: skip
FUNCTIONS |= {
    "subtract": subtract, "multiply": mul, "divide": div, "true_divide": div, "negative": neg, "absolute": abs,
    "clip": clamp, "concat": cat, "concatenate": cat, "swapaxes": transpose, "greater": gt, "less": lt,
    "greater_equal": ge, "less_equal": le, "not_equal": ne,
    "argmax": argmax, "argmin": argmin, "spmm": mm,
}  # fmt: skip


ONLY_FUNCTIONS = {
    *("cat", "stack", "meshgrid", "concat", "concatenate", "zeros_like", "ones_like", "full_like", "rsub"),
    *("unravel_index", "vander", "spmm"),
}
"""What no tensor has as a method."""

METHODS: dict[str, Callable[..., Any]] = {
    **FUNCTIONS,
    "view": view,
    "expand": expand,
    "expand_as": expand_as,
    "item": item,
    "where": where_here,
}

NEURAL: dict[str, Callable[..., Any]] = {
    "linear": linear,
    **{name: FUNCTIONS[name] for name in ("relu", "sigmoid", "softmax", "log_softmax", "tanh")},
}

FUNCTIONS |= families.FUNCTIONS
METHODS |= families.METHODS
METHODS = {name: f for name, f in METHODS.items() if name not in ONLY_FUNCTIONS}
NEURAL |= families.NEURAL
NEURAL |= {name: with_dim(name, NEURAL[name]) for name in ("softmax", "log_softmax", "softmin")}
autocast.install((FUNCTIONS, METHODS, NEURAL), families.LINALG)
