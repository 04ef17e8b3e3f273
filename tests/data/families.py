"""What is recorded of each family of ops, as expressions over a, b, c, d."""

from __future__ import annotations

import math

from tests.data.families_order import ORDERS
from tests.data.family import Family, Given
from tests.data.later_families import LATER

ELEMENTARY = Family(
    one=(
        "log1p(a)", "log2(a)", "log10(a)", "exp2(a)", "expm1(a)", "sinh(a)", "cosh(a)", "asin(a)", "acos(a)",
        "atan(a)", "asinh(a)", "acosh(a)", "atanh(a)", "erf(a)", "erfc(a)", "rsqrt(a)", "sinc(a)", "deg2rad(a)",
        "rad2deg(a)", "logit(a)", "logit(a, 0.1)", "frac(a)", "nan_to_num(a)", "nan_to_num(a, 5.0, 6.0)", "sign(a)",
        "sgn(a)", "floor(a)", "ceil(a)", "trunc(a)", "round(a)", "round(a, decimals=1)", "round(a, decimals=-1)",
        "float_power(a, 2)", "arcsin(a)", "fix(a)", "angle(a)",
    ),
    given=(
        ("round(a)", ([0.5, 1.5, -0.5, 2.5],)),
        ("logit(a)", ([0.0, 1.0, 0.5, 0.2],)),
        ("logit(a, 0.1)", ([0.0, 0.05, 0.5, 0.95],)),
        ("asin(a)", ([1.0, -1.0, 0.5],)),
        ("acos(a)", ([1.0, -1.0, 0.5],)),
        ("acosh(a)", ([1.0, 0.5, 3.0],)),
        ("erf(a)", ([10.0, -10.0, 1e-9],)),
        ("erfc(a)", ([10.0, -10.0, 1e-9],)),
    ),
)  # fmt: skip

PAIRED = Family(
    one=(
        "fmod(a, 0.7)", "remainder(a, 0.7)", "remainder(a, -0.7)", "a % 2", "clamp_min(a, 0.5)", "clamp_max(a, 0.5)",
        "copysign(a, -2)", "xlogy(a, 2)", "xlogy(a, 0)", "xlogy(2, a)", "lerp(a, a * 2, 0.3)", "lerp(a, a * 2, 0.7)",
        "addcmul(a, a, a, value=2)", "addcdiv(a, a, a)", "div(a, 0.7, rounding_mode='floor')",
        "div(a, 0.7, rounding_mode='trunc')",
    ),
    two=(
        "fmod(a, b)", "remainder(a, b)", "atan2(a, b)", "hypot(a, b)", "logaddexp(a, b)", "logaddexp2(a, b)",
        "xlogy(a, b)", "fmax(a, b)", "fmin(a, b)", "copysign(a, b)",
        "div(a, b, rounding_mode='floor')",
    ),
    shaped=(
        ("clamp_min(a, b)", (((2, 3), (3,)), ((), (2,)))),
        ("clamp_max(a, b)", (((2, 3), (3,)), ((), (2,)))),
        ("addcmul(a, b, c)", (((2, 3), (3,), (2, 1)), ((3,), (3,), ()))),
        ("addcdiv(a, b, c, value=-2)", (((2, 3), (3,), (2, 1)), ((3,), (3,), ()))),
        ("lerp(a, b, 0.3)", (((2, 3), (3,)),)),
        ("lerp(a, b, c)", (((2, 3), (3,), (2, 1)), ((3,), (3,), (3,)))),
    ),
    given=(
        ("atan2(a, b)", ([0.0, -0.0, 1.0], [0.0, 0.0, 0.0])),
        ("hypot(a, b)", ([0.0, 3.0], [0.0, 4.0])),
        ("fmax(a, b)", ([1.0, 2.0], [1.0, 3.0])),
        ("fmin(a, b)", ([1.0, 2.0], [1.0, 3.0])),
        ("clamp_min(a, b)", ([1.0, 2.0, math.nan, 1.0], [1.0, 3.0, 1.0, math.nan])),
        ("clamp_max(a, b)", ([1.0, 2.0, math.nan, 1.0], [1.0, 3.0, 1.0, math.nan])),
        ("xlogy(a, b)", ([0.0, 0.0, 2.0], [0.0, 2.0, 0.0])),
        ("isclose(a, b) * a", ([0.0, 1.0], [0.0, 1.1])),
        ("logical_xor(a > 0, b > 0) * a", ([0.0, 1.0], [0.0, -1.0])),
        ("lerp(a, b, c)", ([0.5, 1.0, 2.0], [1.0, 2.0, -1.0], [0.4, 0.5, 1.5])),
    ),
)  # fmt: skip

ACTIVATION = Family(
    one=(
        "leaky_relu(a)", "leaky_relu(a, 0.2)", "elu(a)", "elu(a, 2.0)", "selu(a)", "celu(a, 2.0)",
        "gelu(a, approximate='tanh')", "silu(a)", "softplus(a)", "softplus(a, 2, 1)", "softsign(a)", "logsigmoid(a)",
        "hardsigmoid(a)", "hardswish(a)", "mish(a)", "tanhshrink(a)", "threshold(a, 0.1, 20)",
    ),
    short=("relu6(a)", "hardtanh(a)", "hardtanh(a, -0.5, 0.7)", "softshrink(a)", "hardshrink(a)"),
    grid=("softmin(a, 1)",),
    shaped=(
        ("gelu(a)", (((2, 3),), ((),), ((0,),))),
        ("glu(a)", (((2, 4),), ((2,),))),
        ("glu(a, 0)", (((2, 4),),)),
        ("prelu(a, b)", (((2, 3), (1,)), ((2, 3), (3,)), ((3,), (1,)), ((), (1,)), ((2, 3, 2), (3,)))),
    ),
    given=(
        ("leaky_relu(a)", ([0.0, -0.0],)), ("elu(a, 2.0)", ([0.0, -0.0],)), ("relu6(a)", ([0.0, 6.0],)),
        ("hardsigmoid(a)", ([3.0, -3.0],)), ("hardswish(a)", ([3.0, -3.0, 0.0],)), ("hardtanh(a)", ([1.0, -1.0],)),
        ("softshrink(a)", ([0.5, -0.5],)), ("hardshrink(a)", ([0.5, -0.5],)), ("threshold(a, 1, 5)", ([1.0],)),
        ("softplus(a)", ([20.0, 21.0, -30.0],)), ("gelu(a)", ([0.0, 9.0, -9.0],)), ("prelu(a, b)", ([0.0], [0.2])),
    ),
)  # fmt: skip

STATISTICS = Family(
    grid=(
        "var(a)", "std(a)", "var(a, 0)", "std(a, -1, keepdim=True)", "std(a, False)", "var(a, 1, correction=0)",
        "std(a, (0, 1))", "norm(a)", "norm(a, dim=1)", "norm(a, 2, 0, True)", "logsumexp(a, 1)", "cumsum(a, -1)",
        "logsumexp(a, (0, 1), True)", "cumsum(a, 0)",
    ),
    shaped=(("norm(a)", (((),), ((3,),))), ("cumsum(a, 0)", (((),), ((0,),))), ("var(a)", (((4,),),))),
    given=(
        ("norm(a)", ([0.0, 0.0],)), ("std(a)", ([2.0, 2.0],)), ("logsumexp(a, 0)", ([1000.0, 1000.0],)),
        ("norm(a, dim=1)", ([[0.0, 0.0], [3.0, 4.0]],)),
    ),
)  # fmt: skip

FAMILIES = {
    "statistics": STATISTICS,
    "activation": ACTIVATION,
    "elementary": ELEMENTARY,
    "paired": PAIRED,
    **LATER,
    **ORDERS,
}
"""By name; ops_<name>.json holds what was recorded."""

__all__ = ["FAMILIES", "Family", "Given"]
