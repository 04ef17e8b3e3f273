"""`statistics`."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.names.library.numbers import count
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.readers import READERS, fields
from gradviz.imitation.script.values import Class, Namespace, Native

STATISTICS = (
    "mean fmean geometric_mean harmonic_mean median median_low median_high mode multimode stdev pstdev variance "
    "pvariance quantiles"
)


def module(machine: Machine) -> Namespace:
    """`statistics`."""
    import statistics

    def over(name: str) -> Callable[..., Any]:
        function = getattr(statistics, name)

        def run(machine: Machine, data: Any, *rest: Any, **named: Any) -> Any:
            items = machine.listed(data)
            if name not in ("mode", "multimode") and not all(
                isinstance(x, int | float | Fraction | Decimal) for x in items
            ):
                raise TorchError("statistics takes numbers here", kind="TypeError", hint="Use x.tolist() or x.item().")
            for number in (*rest, *named.values()):
                count(number if isinstance(number, int) else 0)
            try:
                return function(items, *rest, **named)
            except statistics.StatisticsError as error:
                raise TorchError(str(error), kind="StatisticsError") from None

        return run

    def pairs(name: str) -> Callable[..., Any]:
        function = getattr(statistics, name)
        return lambda machine, x, y: function(machine.listed(x), machine.listed(y))

    known = machine.state["exceptions"]
    failure = known.setdefault(
        "StatisticsError", Class("StatisticsError", (known["ValueError"],), {}, module="statistics")
    )
    READERS[statistics.LinearRegression] = fields("slope", "intercept")
    table = with_machine({
        **{name: over(name) for name in STATISTICS.split()},
        **{name: pairs(name) for name in ("correlation", "covariance", "linear_regression")},
    })  # fmt: skip

    def of_normal(name: str, mu: float, sigma: float, *rest: Any, **named: Any) -> Any:
        count(max((number for number in (*rest, *named.values()) if isinstance(number, int)), default=0))
        try:
            return getattr(statistics.NormalDist(mu, sigma), name)(*rest, **named)
        except statistics.StatisticsError as error:
            raise TorchError(str(error), kind="StatisticsError") from None

    def overlap(*given: float) -> float:
        return statistics.NormalDist(*given[:2]).overlap(statistics.NormalDist(*given[2:]))

    names = {**table, "_of": Native("_of", of_normal), "_overlap": Native("_overlap", overlap),
             "hypot": Native("hypot", math.hypot)}  # fmt: skip
    return Namespace(
        "statistics", {**table, "StatisticsError": failure, **run_text(machine, NORMAL, names, "statistics")}
    )


NORMAL = """
class NormalDist:
    def __init__(self, mu=0.0, sigma=1.0):
        _of("zscore", mu, sigma if sigma < 0 else 1.0, mu)
        self._mu, self._sigma = float(mu), float(sigma)
    @classmethod
    def from_samples(cls, data):
        data = [float(x) for x in data]
        return cls(fmean(data), stdev(data))
    @property
    def mean(self): return self._mu
    @property
    def median(self): return self._mu
    @property
    def mode(self): return self._mu
    @property
    def stdev(self): return self._sigma
    @property
    def variance(self): return self._sigma * self._sigma
    def samples(self, n, *, seed=None): return _of("samples", self._mu, self._sigma, n, seed=seed)
    def pdf(self, x): return _of("pdf", self._mu, self._sigma, x)
    def cdf(self, x): return _of("cdf", self._mu, self._sigma, x)
    def inv_cdf(self, p): return _of("inv_cdf", self._mu, self._sigma, p)
    def quantiles(self, n=4): return _of("quantiles", self._mu, self._sigma, n)
    def zscore(self, x): return _of("zscore", self._mu, self._sigma, x)
    def overlap(self, other):
        if not isinstance(other, NormalDist):
            raise TypeError("Expected another NormalDist instance")
        return _overlap(self._mu, self._sigma, other._mu, other._sigma)
    def __add__(self, other):
        if isinstance(other, NormalDist):
            return NormalDist(self._mu + other._mu, hypot(self._sigma, other._sigma))
        return NormalDist(self._mu + other, self._sigma)
    def __sub__(self, other):
        if isinstance(other, NormalDist):
            return NormalDist(self._mu - other._mu, hypot(self._sigma, other._sigma))
        return NormalDist(self._mu - other, self._sigma)
    def __mul__(self, other): return NormalDist(self._mu * other, self._sigma * abs(other))
    def __truediv__(self, other): return NormalDist(self._mu / other, self._sigma / abs(other))
    def __pos__(self): return NormalDist(self._mu, self._sigma)
    def __neg__(self): return NormalDist(-self._mu, self._sigma)
    __radd__ = __add__
    def __rsub__(self, other): return -(self - other)
    __rmul__ = __mul__
    def __eq__(self, other):
        if not isinstance(other, NormalDist):
            return NotImplemented
        return self._mu == other._mu and self._sigma == other._sigma
    def __hash__(self): return hash((self._mu, self._sigma))
    def __repr__(self): return f"{type(self).__name__}(mu={self._mu!r}, sigma={self._sigma!r})"
"""
