"""`torch.special`: the few of its functions that learners meet; most are those of torch under other names."""

from __future__ import annotations

from gradviz.engine.functions.elementwise import digamma, entr, erf, erfc, expm1, log1p
from gradviz.engine.functions.elementwise import lgamma as gammaln
from gradviz.engine.functions.elementwise import sigmoid as expit
from gradviz.engine.functions.reduction import logsumexp
from gradviz.engine.known import missing_of

__getattr__ = missing_of("torch.special")

__all__ = ["digamma", "entr", "erf", "erfc", "expit", "expm1", "gammaln", "log1p", "logsumexp"]
