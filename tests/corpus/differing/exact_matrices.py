# -*- coding: utf-8 -*-
import math, cmath, operator
from fractions import Fraction as Fr
from decimal import Decimal as D, getcontext
from functools import reduce
import statistics as st
import torch
class Matrix(list):
    """list of rows"""
    def __init__(self, rows): super().__init__([list(r) for r in rows])
    @property
    def shape(self): return len(self), len(self[0])
    @property
    def T(self): return Matrix(zip(*self))
    @classmethod
    def eye(cls, n): return cls([[int(i == j) for j in range(n)] for i in range(n)])
    def __matmul__(self, o):
        if self.shape[1] != o.shape[0]: raise ValueError(f"shapes {self.shape} and {o.shape} not aligned")
        return Matrix([[sum(map(operator.mul, r, c)) for c in zip(*o)] for r in self])
    def __add__(self, o): return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self, o)])
    def __mul__(self, k): return Matrix([[a * k for a in r] for r in self])
    __rmul__ = __mul__
    def __pow__(self, n): return reduce(operator.matmul, [self] * n, Matrix.eye(len(self)))
    def __str__(self):
        w = max(len(str(v)) for r in self for v in r)
        return "\n".join("[" + " ".join(f"{str(v):>{w}}" for v in r) + "]" for r in self)
    def __eq__(self, o): return list.__eq__(self, o)
    def det(self):
        if len(self) == 1: return self[0][0]
        return sum((-1) ** j * self[0][j] * Matrix([r[:j] + r[j + 1:] for r in self[1:]]).det() for j in range(len(self)))
    def inv(self):
        n = len(self); A = [[Fr(v) for v in r] + [Fr(int(i == j)) for j in range(n)] for i, r in enumerate(self)]
        for i in range(n):
            p = next((k for k in range(i, n) if A[k][i]), None)
            if p is None: raise ZeroDivisionError("singular matrix")
            A[i], A[p] = A[p], A[i]; A[i] = [v / A[i][i] for v in A[i]]
            for k in range(n):
                if k != i: A[k] = [a - A[k][i] * b for a, b in zip(A[k], A[i])]
        return Matrix([r[n:] for r in A])
m = Matrix([[2, 1], [5, 3]]); print(m, m.shape, m.T, m @ m, m ** 3, 2 * m, m.det(), m.inv(), m @ m.inv() == Matrix.eye(2), repr(m), m[0], len(m), isinstance(m, list), m + m, m == [[2, 1], [5, 3]], sep="\n")
h = Matrix([[Fr(1, i + j + 1) for j in range(3)] for i in range(3)]); print(h, h.inv(), h.det(), sep="\n")
for f in (lambda: m @ h, lambda: Matrix([[1, 2], [2, 4]]).inv(), lambda: Fr(1, 0), lambda: Fr("x"), lambda: Fr(1.5) + "a", lambda: D("abc"), lambda: D(1) / 0, lambda: D(1) + 1.5, lambda: D("1") + Fr(1, 2), lambda: Fr(1, 3) + 0.5, lambda: Fr(1, 3) + D(1), lambda: math.sqrt(Fr(1, 4)), lambda: round(Fr(7, 3), 2), lambda: int(Fr(7, 3)), lambda: Fr(7, 3) // 1, lambda: Fr(-7, 3) % 2, lambda: divmod(Fr(7, 2), 1), lambda: Fr(2) ** 0.5, lambda: Fr(4, 9) ** Fr(1, 2), lambda: Fr("3/4") < 1, lambda: hash(Fr(1, 2)) == hash(0.5), lambda: cmath.sqrt(-1), lambda: cmath.phase(1j), lambda: math.floor(Fr(-1, 2)), lambda: torch.tensor(Fr(1, 2)), lambda: torch.ones(2) * Fr(1, 2), lambda: torch.tensor([float(Fr(1, 3))]), lambda: torch.ones(2) * D("0.5"), lambda: torch.tensor(D("1.5"))):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, "|", str(e).split("\n")[0])
getcontext().prec = 10; print(D(2).sqrt(), D("1.10") + D("2.205"), D("1E+3"), D("0.1") * 3 == D("0.3"), D("-0"), D("NaN"), D("Infinity"), f"{D('1234567.891'):,.2f}", D("3.14159").quantize(D("0.001")), D(10) ** -3, int(D("7.9")), round(D("2.5")), D("2.5").to_integral_value(), str(D("1.0E-7")), D(0.1), max(D(1), D("1.5")), sum([D("0.1")] * 3), D(7) % 3, D(-7) // 2, D("1.5").as_tuple(), D(5).is_zero(), D("1.20").normalize())
A = torch.tensor(m, dtype=torch.float64); print(torch.linalg.det(A), torch.linalg.inv(A), (A @ A.inverse()).round(decimals=6), torch.tensor(m ** 3))
print(st.mean([Fr(1, 2), Fr(1, 3)]), st.mean([D("1.1"), D("2.2")]), st.geometric_mean([1, 2, 4]), st.multimode("aabb"), st.median_high([1, 2, 3, 4]))
z = complex(3, -4); print(z, abs(z), z.conjugate(), z ** 2, z / (1 + 1j), z == 3 - 4j, f"{z:.1f}", str(1j), complex("1+2j"), [z.real, z.imag], cmath.exp(1j * math.pi), cmath.polar(1 + 1j), cmath.rect(1, math.pi / 2), 1j * 1j, -z, z != z, bool(0j), complex(1), 2j ** 2, (1 + 0j) == 1)
