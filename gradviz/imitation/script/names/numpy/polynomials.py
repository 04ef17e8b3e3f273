"""`numpy.poly1d`: a polynomial by its coefficients, written in the language of scripts over numpy's own functions."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.values import Native

POLYNOMIAL = r"""
def _plain(x): return x.coeffs if isinstance(x, poly1d) else x
def _shown(coeff):
    number = lambda x: "%.4g" % x
    if not np.iscomplexobj(coeff) or coeff.imag == 0:
        return number(np.real(coeff))
    return f"{number(coeff.imag)}j" if coeff.real == 0 else f"({number(coeff.real)} + {number(coeff.imag)}j)"
class poly1d:
    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, poly1d):
            self.coeffs, self.variable = c_or_r.coeffs, variable or c_or_r.variable
            return
        if r:
            c_or_r = np.poly(c_or_r)
        given = np.atleast_1d(c_or_r)
        if given.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        given = np.trim_zeros(given, trim="f")
        self.coeffs = given if len(given) else np.array([0], dtype=given.dtype)
        self.variable = variable or "x"
    @property
    def c(self): return self.coeffs
    @property
    def coef(self): return self.coeffs
    @property
    def coefficients(self): return self.coeffs
    @property
    def order(self): return len(self.coeffs) - 1
    @property
    def o(self): return self.order
    @property
    def roots(self): return np.roots(self.coeffs)
    @property
    def r(self): return self.roots
    def __len__(self): return self.order
    def __iter__(self): return iter(self.coeffs)
    def __array__(self, t=None, copy=None): return self.coeffs
    def __repr__(self): return f"poly1d({repr(self.coeffs)[6:-1]})"
    def __str__(self):
        coeffs = self.coeffs[np.logical_or.accumulate(self.coeffs != 0)]
        last, terms = len(coeffs) - 1, []
        for power, coeff in zip(range(last, -1, -1), coeffs):
            shown = _shown(coeff)
            if shown == "0":
                terms += ["0"] if power == last == 0 else [""] if power == last else []
                continue
            name = {0: "", 1: f" {self.variable}"}.get(power, f" {self.variable}**{power}")
            terms.append(shown + name)
        text = terms[0] if terms else "0"
        for term in terms[1:]:
            text += f" - {term[1:]}" if term[0] == "-" else f" + {term}"
        return self._raised(text)
    def _raised(self, text, wrap=70):
        # The powers stand in a line above the names that they belong to.
        pieces, rows, above, below = text.split("**"), [], "", ""
        for at in range(len(pieces) - 1):
            piece, following = pieces[at], pieces[at + 1]
            digits = len(following) - len(following.lstrip("0123456789"))
            power, pieces[at + 1] = following[:digits], following[digits:]
            up, down = power.rjust(len(piece) - 1 + digits), piece.ljust(len(piece) - 1 + digits)
            if max(len(above) + len(up), len(below) + len(down)) > wrap:
                rows += [above, below]
                above = below = ""
            above, below = above + up, below + down
        lines = [*rows, above, below]
        return "\n".join((" " if at % 2 == 0 else "") + line for at, line in enumerate(lines)) + pieces[-1]
    def __call__(self, val): return np.polyval(self.coeffs, val) if not isinstance(val, poly1d) else self._of(val)
    def _of(self, inner):
        total = poly1d([0])
        for coeff in self.coeffs:
            total = total * inner + coeff
        return total
    def __neg__(self): return poly1d(-self.coeffs)
    def __pos__(self): return self
    def __add__(self, other): return poly1d(np.polyadd(self.coeffs, _plain(other)))
    __radd__ = __add__
    def __sub__(self, other): return poly1d(np.polysub(self.coeffs, _plain(other)))
    def __rsub__(self, other): return poly1d(np.polysub(_plain(other), self.coeffs))
    def __mul__(self, other):
        if np.isscalar(other):
            return poly1d(self.coeffs * other)
        return poly1d(np.polymul(self.coeffs, _plain(other)))
    __rmul__ = __mul__
    def __truediv__(self, other):
        if np.isscalar(other):
            return poly1d(self.coeffs / other)
        quotient, rest = np.polydiv(self.coeffs, _plain(other))
        return poly1d(quotient), poly1d(rest)
    def __pow__(self, val):
        if not np.isscalar(val) or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        result = poly1d([1])
        for _ in range(val):
            result = result * self
        return result
    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self.coeffs.shape == other.coeffs.shape and bool((self.coeffs == other.coeffs).all())
    def __getitem__(self, val):
        return self.coeffs[self.order - val] if 0 <= val <= self.order else self.coeffs.dtype.type(0)
    def __setitem__(self, key, val):
        if key < 0:
            raise ValueError("Does not support negative powers.")
        missing = max(0, key - self.order)
        if missing:
            self.coeffs = np.pad(self.coeffs, (missing, 0))
        self.coeffs[self.order - key] = val
    def integ(self, m=1, k=0): return poly1d(np.polyint(self.coeffs, m, k))
    def deriv(self, m=1): return poly1d(np.polyder(self.coeffs, m))
"""


def _poly1d(machine: Machine, *given: Any, **named: Any) -> Any:
    made = machine.state.get("poly1d")
    if made is None:
        names = {"np": machine.modules["numpy"]}
        made = machine.state["poly1d"] = run_text(machine, POLYNOMIAL, names, "numpy")["poly1d"]
    return machine.call(made, given, named)


def members() -> dict[str, Any]:
    """The names."""
    return {"poly1d": Native("poly1d", _poly1d, needs_machine=True)}
