"""`torch.special`: functions of mathematics, most of them those of torch under other names."""

from __future__ import annotations

from typing import Any

from gradviz.engine.known import missing_of
from gradviz.engine.ops.activation import log_softmax as _log_softmax
from gradviz.engine.ops.activation import softmax as _softmax
from gradviz.engine.ops.elementwise import digamma, erf, erfc, erfinv, exp2, expm1, log1p, polygamma, round
from gradviz.engine.ops.elementwise import lgamma as gammaln
from gradviz.engine.ops.elementwise import sigmoid as expit
from gradviz.engine.ops.reduction import logsumexp
from gradviz.engine.ops.special import entr, logit, ndtr, ndtri, sinc, xlog1py, xlogy
from gradviz.engine.ops.special import mvlgamma as multigammaln
from gradviz.engine.tensor import Tensor

psi = digamma


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """eˣ divided by their sum along a dim."""
    return _softmax(input, dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`."""
    return _log_softmax(input, dim, dtype=dtype)


__getattr__ = missing_of("torch.special")

__all__ = [
    "digamma", "entr", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "log1p", "log_softmax", "logit",
    "logsumexp", "multigammaln", "ndtr", "ndtri", "polygamma", "psi", "round", "sinc", "softmax", "xlog1py", "xlogy",
]  # fmt: skip
