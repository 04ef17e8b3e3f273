"""`torch.special`: the few of its functions that learners meet; most are those of torch under other names."""

from __future__ import annotations

from gradviz.engine.known import missing_of
from gradviz.engine.ops.elementwise import digamma, entr, erf, erfc, expm1, log1p
from gradviz.engine.ops.elementwise import lgamma as gammaln
from gradviz.engine.ops.elementwise import sigmoid as expit
from gradviz.engine.ops.reduction import logsumexp

__getattr__ = missing_of("torch.special")

__all__ = ["digamma", "entr", "erf", "erfc", "expit", "expm1", "gammaln", "log1p", "logsumexp"]
