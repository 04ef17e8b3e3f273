"""What is recorded of reductions, order, norms, running products and differences."""

from __future__ import annotations

import math

from tests.data.family import Family

TIES = ([2.0, 2.0, 1.0, 2.0, 1.0],)
ROWS = ([[2.0, 2.0, 1.0, 2.0], [0.0, 3.0, 3.0, -1.0]],)
ZERO, ZEROS = ([2.0, 0.0, 3.0, -1.5],), ([2.0, 0.0, 3.0, 0.0],)
NANS = ([[1.0, math.nan, 3.0], [math.nan, math.nan, 2.0]],)
SPACES = ([[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]], [0.0, 1.0, 3.0])

ORDER = Family(
    grid=(
        "sort(a)[0]", "sort(a, 0, True)[0]", "sort(a, stable=True)[0]", "msort(a)", "topk(a, 2)[0]",
        "topk(a, 1, 0, False)[0]", "topk(a, 2, sorted=False)[0]", "kthvalue(a, 2)[0]", "kthvalue(a, 1, 0, True)[0]",
        "mode(a)[0]", "mode(a, 0, True)[0]", "median(a)", "median(a, 1)[0]", "median(a, 0, True)[0]", "nanmedian(a)",
        "nanmedian(a, 1)[0]", "cummax(a, 1)[0]", "cummin(a, 0)[0]", "aminmax(a)[0]", "aminmax(a)[1]",
        "aminmax(a, dim=1)[0]", "aminmax(a, dim=0, keepdim=True)[1]", "a * argsort(a)", "a * argsort(a, 0, True)",
        "quantile(a, 0.3)", "quantile(a, 0.3, 1)", "quantile(a, 0.3, 0, True)", "quantile(a, 0.3, keepdim=True)",
        "quantile(a, 0.3, interpolation='lower')", "quantile(a, 0.3, interpolation='higher')",
        "quantile(a, 0.3, interpolation='nearest')", "quantile(a, 0.3, interpolation='midpoint')",
        "nanquantile(a, 0.7, 1)", "a * isin(a, a[0])", "sum(a) * histc(a, 3)",
        "a * count_nonzero(a, 0)", "a * argmax(a, 1, True)", "a * argmin(a)", "sum(a) * bincount(argmax(a, 0))",
    ),
    shaped=(
        ("sort(a)[0]", (((),), ((0,),), ((4, 17),), ((3, 2),))),
        ("topk(a, 1)[0]", (((),), ((5,),))),
        ("topk(a, 3, 0)[0]", (((200,),),)),
        ("kthvalue(a, 1)[0]", (((),), ((9,),))),
        ("median(a)", (((),), ((0,),), ((4,),), ((3, 2),))),
        ("median(a, 0)[0]", (((),), ((4, 2),))),
        ("mode(a, 0)[0]", (((),), ((3, 2),))),
        ("cummax(a, 0)[0]", (((),), ((0,),), ((2, 3, 2),))),
        ("aminmax(a, dim=0)[0]", (((),), ((2, 3, 2),))),
        ("quantile(a, 0.5)", (((),), ((7,),), ((3, 2),))),
    ),
    given=(
        ("sort(a)[0]", TIES), ("sort(a, descending=True)[0]", TIES), ("topk(a, 2)[0]", TIES),
        ("topk(a, 4, largest=False)[0]", TIES), ("kthvalue(a, 4)[0]", TIES), ("median(a)", TIES),
        ("median(a, 0)[0]", TIES), ("mode(a)[0]", TIES), ("cummax(a, 0)[0]", TIES), ("cummin(a, 0)[0]", TIES),
        ("aminmax(a)[1]", TIES), ("aminmax(a, dim=1)[1]", ROWS), ("mode(a, 1)[0]", ROWS), ("median(a, 1)[0]", ROWS),
        ("kthvalue(a, 3)[0]", ROWS), ("topk(a, 2)[0]", ROWS), ("nanmedian(a)", NANS), ("nanmedian(a, 1)[0]", NANS),
        ("median(a)", NANS), ("median(a, 1)[0]", NANS), ("sort(a)[0]", NANS), ("sort(a, 1, True)[0]", NANS),
        ("topk(a, 2)[0]", NANS), ("cummax(a, 1)[0]", NANS), ("cummin(a, 1)[0]", NANS), ("quantile(a, 0.5)", NANS),
        ("nanquantile(a, 0.5, 1)", NANS), ("quantile(a, detach(b), 1)", (ROWS[0], [0.25, 0.5, 1.0])),
        ("quantile(a, detach(b))", (ROWS[0], [0.1])), ("nanquantile(a, detach(b), 0, True)", (ROWS[0], [0.1, 0.9])),
        ("a * bucketize(a, b)", (ROWS[0], [0.0, 1.0, 2.0])),
        ("a * searchsorted(b, a, right=True)", (ROWS[0], [0.0, 2.0])),
    ),
)  # fmt: skip

LENGTHS = Family(
    grid=(
        "norm(a, 1)", "norm(a, 3)", "norm(a, 0.5)", "norm(a, 1.5, 1)", "norm(a, -1)", "norm(a, inf)", "norm(a, -inf)",
        "norm(a, inf, 1)", "norm(a, 1, 0, True)", "norm(a, 3, (0, 1))", "norm(a, 'fro')",
        "norm(a, 'fro', (0, 1))", "linalg.norm(a)", "linalg.norm(a, 1)", "linalg.norm(a, -1)", "linalg.norm(a, inf)",
        "linalg.norm(a, -inf)", "linalg.norm(a, 'fro')", "linalg.norm(a, dim=1)", "linalg.norm(a, 3, dim=0)",
        "linalg.vector_norm(a)", "linalg.vector_norm(a, 3, 1)", "linalg.matrix_norm(a)", "linalg.matrix_norm(a, 1)",
        "linalg.matrix_norm(a, inf, keepdim=True)", "renorm(a, 2, 0, 1.0)", "renorm(a, 1, 1, 1.5)",
        "renorm(a, 3, 0, 1.2)", "prod(a)", "prod(a, 1)", "prod(a, 0, True)", "cumprod(a, 1)", "cumprod(a, 0)",
        "logcumsumexp(a, 1)", "logcumsumexp(a, 0)", "std_mean(a)[0]", "var_mean(a)[0]", "var_mean(a)[1]",
        "std_mean(a, 1)[0]", "var_mean(a, (0, 1), correction=0)[0]", "std_mean(a, False)[0]", "nansum(a)",
        "nansum(a, 1)", "nanmean(a)", "nanmean(a, 0, True)",
    ),
    shaped=(
        ("norm(a, 1)", (((),), ((0,),), ((3, 2),))), ("norm(a, 3)", (((),), ((0,),), ((3, 2),))),
        ("norm(a, inf)", (((),), ((3, 2),))), ("linalg.norm(a, 3)", (((4,),),)),
        ("linalg.matrix_norm(a, 1, (0, 2))", (((2, 3, 2),),)), ("renorm(a, 2, 1, 0.5)", (((2, 3, 2),),)),
        ("prod(a)", (((),), ((0,),), ((3, 2),), ((1,),))), ("prod(a, 0)", (((),), ((0, 3),), ((1, 3),))),
        ("cumprod(a, 0)", (((),), ((0,),), ((1, 2),))), ("logcumsumexp(a, 0)", (((),), ((0,),))),
        ("std_mean(a, 0)[0]", (((4, 2),),)), ("nansum(a)", (((),), ((0,),))), ("norm(a, 2)", (((3, 9),), ((40,),))),
    ),
    given=(
        ("prod(a)", ZERO), ("prod(a)", ZEROS), ("prod(a, 0)", ZERO), ("prod(a, 0)", ZEROS), ("cumprod(a, 0)", ZERO),
        ("cumprod(a, 0)", ZEROS), ("cumprod(a, 1)", ([[0.0, 2.0], [3.0, 1.0]],)), ("norm(a, 1)", ZEROS),
        ("norm(a, 3)", ([0.0, 0.0],)), ("norm(a, 1.5)", ([0.0, 0.0],)), ("norm(a, 1.5)", ([0.0, 2.0],)),
        ("norm(a, 0.5)", ([0.0, 2.0],)), ("norm(a, inf)", ([0.0, 0.0],)), ("norm(a, inf)", ([2.0, -2.0, 1.0],)),
        ("norm(a, inf)", ([math.nan, 1.0],)), ("norm(a, -inf)", ([2.0, -2.0, 3.0],)),
        ("norm(a, inf, 1)", ([[2.0, -2.0], [0.0, 1.0]],)), ("renorm(a, 2, 0, 1.0)", ([[0.0, 0.0], [3.0, 4.0]],)),
        ("logcumsumexp(a, 0)", ([-math.inf, 1.0, 1000.0],)), ("std_mean(a)[0]", ([2.0, 2.0],)), ("nansum(a)", NANS),
        ("nansum(a, 1)", NANS), ("nanmean(a, 1)", NANS), ("max(a)", TIES), ("linalg.norm(a, 1)", ROWS),
    ),
)  # fmt: skip

DIFFERENCES = Family(
    grid=(
        "diff(a)", "diff(a, 2)", "diff(a, dim=0)", "diff(a, prepend=a)", "diff(a, 5)", "trapezoid(a)",
        "trapz(a, dx=0.5)", "trapezoid(a, dim=0)", "cumulative_trapezoid(a)", "cumulative_trapezoid(a, dx=2, dim=0)",
        "gradient(a, dim=1)[0]", "gradient(a)[0] * gradient(a)[1]", "gradient(a, spacing=2.0, dim=1)[0]",
        "cov(a)", "cov(a, correction=0)", "cov(a[0])", "corrcoef(a)", "corrcoef(a[0])",
        "sum_to_size(a, 1, a.shape[1])", "sum_to_size(a, a.shape[1])", "logsumexp(a, 0)",
    ),
    shaped=(("gradient(a, dim=1, edge_order=2)[0]", (((2, 3),), ((2, 5),))), ("diff(a)", (((1,),), ((0,),)))),
    given=(
        ("trapezoid(a, b)", SPACES), ("cumulative_trapezoid(a, b)", SPACES),
        ("gradient(a, spacing=(detach(b),), dim=1)[0]", SPACES), ("cov(a, aweights=detach(b) + 1)", SPACES),
        ("diff(a, append=b[None])", ([[1.0, -2.0, 3.5]], [1.0])), ("trapezoid(a)", ([1.0],)),
        ("gradient(a)[0]", ([1.0, 2.0, 4.0, 8.0],)),
    ),
)  # fmt: skip

ORDERS = {"order": ORDER, "lengths": LENGTHS, "differences": DIFFERENCES}
"""By name, as FAMILIES."""
