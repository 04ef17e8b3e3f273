"""`torch.special` and what of it stands in `torch` too: gamma, Bessel, the inverse of erf, powers of two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, result_dtype, type_name
from gradviz.imitation.engine.functions.arguments import need, pair, refuse_whole
from gradviz.imitation.engine.functions.named import named
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.shape_errors import fit_together
from gradviz.imitation.engine.tensor import Tensor, apply, binary, constant, record, unary
from gradviz.errors import TorchError

Frexp = named("frexp", "mantissa", "exponent")


def _refuse(*_: Any, **__: Any) -> Any:
    raise TorchError("derivative for aten::nextafter is not implemented", hint="Detach its result.")


NEXTAFTER = Op("nextafter", "next", _refuse, (_refuse, _refuse), ("a", "b"), ("none", "none"), "",
               node="NextafterBackward0")  # fmt: skip


def _floating(x: Tensor) -> Tensor:
    return x if x.dtype.kind in FLOATING else constant(x.data.astype(x.tape.float_dtype), x.tape)


def _unary(name: str, op: str = "") -> Callable[[Any], Tensor]:
    def function(input: Any) -> Tensor:
        return unary(OPS[op or name], need(name, input))

    function.__name__ = name
    return function


def polygamma(n: Any, input: Any = None) -> Tensor:
    """The derivative number n of digamma; as a method, the tensor comes first."""
    x, order = (n, input) if isinstance(n, Tensor) else (need("polygamma", input, "input", 2), n)
    if order < 0:
        raise TorchError("polygamma(n, x) does not support negative n.")
    return apply(OPS["polygamma"], (_floating(x),), n=int(order))


def mvlgamma(input: Tensor, p: int) -> Tensor:
    x = _floating(need("mvlgamma", input))
    if p < 1:
        raise TorchError("p has to be greater than or equal to 1")
    return apply(OPS["mvlgamma"], (x,), p=p)


def ndtr(input: Tensor) -> Tensor:
    """The area under the normal curve up to x."""
    x = _floating(need("special_ndtr", input))
    half = apply(OPS["mul_number"], (x,), other=0.7071067811865476)
    return apply(OPS["mul_number"], (apply(OPS["add_number"], (unary(OPS["erf"], half),), other=1.0),), other=0.5)


def xlog1py(input: Any, other: Any) -> Tensor:
    a, b = pair("special_xlog1py", input, other)
    return binary(OPS["xlog1py"], *(_floating(x) for x in (a, b)))


def _in_single(x: Tensor, kernel: str) -> Tensor:
    """Numbers for a kernel that knows none of 16 bits."""
    x = _floating(x)
    if x.dtype.itemsize == 2:
        raise TorchError(
            f"\"{kernel}\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    return x


def _unary_in_single(name: str) -> Callable[[Any], Tensor]:
    def function(input: Any) -> Tensor:
        return unary(OPS[name], _in_single(need(f"special_{name}", input), f"{name}_cpu"))

    function.__name__ = name
    return function


def _by_second(op: str, unknown: str, a: Tensor, b: Tensor) -> Tensor:
    """A function that PyTorch derives by the second of its inputs only; backward() refuses a first that asks for it."""
    if not a.requires_grad:
        return binary(OPS[op], a, b)

    def refuse(*_: Any, **__: Any) -> Any:
        raise TorchError(
            f"the derivative for '{unknown}' is not implemented.",
            kind="NotImplementedError",
            hint="Detach the first argument.",
        )

    return binary(replace(OPS[op], name=f"{op}_by_both", vjp=(refuse, refuse), gaps=()), a, b)


def zeta(input: Any, other: Any) -> Tensor:
    """Hurwitz' zeta function."""
    a, b = pair("special_zeta", input, other)
    return _by_second("zeta", "zeta", *(_in_single(x, "zeta_cpu") for x in (a, b)))


def _share(op: str, function: str) -> Callable[[Any, Any], Tensor]:
    """The lower or upper share of the gamma function."""

    def share(input: Tensor, other: Tensor) -> Tensor:
        a, b = need(function, input), need(function, other, "other", 2)
        if result_dtype(a.data, b.data).kind not in FLOATING:
            refuse_whole(a, f"{op}_cpu")
        return _by_second(op, f"{op}: input", a, b)

    share.__name__ = op
    return share


def ldexp(input: Tensor, other: Tensor) -> Tensor:
    a, b = pair("ldexp", input, other)
    if result_dtype(a.data, b.data).kind not in FLOATING:
        a = _floating(a)
    wide = b if b.dtype.kind in FLOATING else constant(b.data.astype(a.dtype), b.tape)
    return binary(OPS["ldexp"], a, wide)


def frexp(input: Tensor) -> Any:
    x = need("frexp", input)
    if x.dtype.kind not in FLOATING:
        raise TorchError("torch.frexp() only supports floating-point dtypes")
    exponent = np.asarray(np.frexp(x.data)[1], np.int32)[()]
    found = constant(exponent, x.tape)
    return Frexp(keep(apply(OPS["frexp"], (x,), exponent=exponent), exponent=found), found)


def nextafter(input: Tensor, other: Tensor) -> Tensor:
    a, b = need("nextafter", input), need("nextafter", other, "other", 2)
    dtype = result_dtype(a.data, b.data)
    fit_together(OPS["add"], a.data, b.data)
    if dtype.kind not in FLOATING:
        refuse_whole(a if a.dtype == dtype else b, "nextafter_cpu")
    return record(NEXTAFTER, (a, b), {}, np.nextafter(a.data.astype(dtype), b.data.astype(dtype)))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _unary(name) for name in ("erfinv", "lgamma", "digamma", "i0")},
    "polygamma": polygamma, "mvlgamma": mvlgamma, "ldexp": ldexp, "frexp": frexp, "nextafter": nextafter,
    **{name: _share(name, name) for name in ("igamma", "igammac")},
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = FUNCTIONS
NEURAL: dict[str, Callable[..., Any]] = {}
SPECIAL: dict[str, Callable[..., Any]] = {
    **{name: FUNCTIONS[name] for name in ("erfinv", "digamma", "i0", "polygamma")},
    **{name: _unary(f"special_{name}", name) for name in ("i0e", "i1", "i1e", "ndtri", "entr")},
    "psi": FUNCTIONS["digamma"], "gammaln": FUNCTIONS["lgamma"], "multigammaln": mvlgamma, "ndtr": ndtr,
    "xlog1py": xlog1py, "zeta": zeta, "gammainc": _share("igamma", "special_gammainc"),
    "gammaincc": _share("igammac", "special_gammaincc"),
    **{name: _unary_in_single(name) for name in ("erfcx", "log_ndtr")},
}  # fmt: skip
"""Those of `torch.special` that `torch` has not got under the same name."""
SAME = (
    "erf",
    "erfc",
    "logit",
    "expm1",
    "log1p",
    "exp2",
    "sinc",
    "round",
    "log_softmax",
    "softmax",
    "xlogy",
    "logsumexp",
)
"""Those that are the functions of `torch`; `expit` is sigmoid."""
