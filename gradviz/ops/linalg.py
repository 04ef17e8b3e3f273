"""Products of vectors and matrices, linear layers, and equations of indices (einsum).

The gradient of a product of matrices is a product of matrices, and that of an einsum an einsum.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops import shape as s
from gradviz.ops.op import Op, example, names
from gradviz.ops.symbols import Traced, said, word

A = [[1.0, -2.0, 0.5], [0.3, 1.5, -1.0]]
B = [[0.7, 1.1], [-0.4, 0.2], [2.0, -1.3]]
V = [0.5, -1.5, 2.0]


# ---- products of matrices: forwards and rules --------------------------------------------------------------------


turned = r.transpose
"""The last two dims exchanged."""


@word("outer({0}, {1})", name="outer", takes_numbers=True)
def outer_of(a: Any, b: Any) -> Any:
    """The products of each element of a vector with each of another."""
    if isinstance(a, Traced):
        return a.outer(b)
    return a[:, None] * b


def _matmul(a: Any, b: Any) -> Any:
    """a @ b of any ranks; stacks of matrices times one matrix as one product."""
    if a.ndim > 2 and b.ndim == 2:
        return (a.reshape(-1, a.shape[-1]) @ b).reshape(*a.shape[:-1], b.shape[-1])
    return a @ b


def _columns(g: Any, a_ndim: int, b_ndim: int) -> Any:
    """g with the dims that a product of vectors leaves out."""
    shape = r.plain(g).shape
    if b_ndim == 1:
        shape = (*shape, 1)
    if a_ndim == 1:
        shape = (*shape[:-1], 1, shape[-1])
    return r.reshape(g, shape)


def _rows(x: Any) -> Any:
    """The last dim as columns, all others as rows."""
    return r.reshape(x, (-1, r.plain(x).shape[-1]))


def _matmul_left(g: Any, y: Any, a: Any, b: Any) -> Any:
    shape, ndim = r.plain(a).shape, r.plain(b).ndim
    g = _columns(g, len(shape), ndim)
    other = r.reshape(b, (1, -1)) if ndim == 1 else turned(b)
    return r.reshape(g @ other, shape) if ndim == 1 and len(shape) > 1 else g @ other


def _matmul_right(g: Any, y: Any, a: Any, b: Any) -> Any:
    shape, ndim = r.plain(b).shape, r.plain(a).ndim
    g = _columns(g, ndim, len(shape))
    if ndim > 2 and len(shape) <= 2:
        found = turned(_rows(a)) @ _rows(g)
    else:
        found = turned(r.reshape(a, (1, -1)) if ndim == 1 else a) @ g
    if len(shape) > 1:
        return found
    return r.reshape(found, r.plain(found).shape[:-1])


def _addmm(c: Any, a: Any, b: Any, beta: float, alpha: float) -> Any:
    product = a @ b if alpha == 1 else (a @ b) * alpha
    return product + c if beta == 1 else product + c * beta


def _scaled(x: Any, factor: float) -> Any:
    return x if factor == 1 else x * factor


MM = Op("mm", lambda a, b: a @ b, (lambda g, y, a, b: g @ turned(b), lambda g, y, a, b: turned(a) @ g), ("a", "b"),
        (), "y = a @ b", (example(A, B),), names("a b"), keeps_integers=True, left_factor=0, sign="@", kind="product")  # fmt: skip
BMM = Op("bmm", lambda a, b: a @ b, (lambda g, y, a, b: g @ turned(b), lambda g, y, a, b: turned(a) @ g), ("a", "b"),
         (), "y = a @ b, one pair of matrices at a time", (example([A, A], [B, B]),), names("a b"),
         keeps_integers=True, left_factor=0, sign="@", kind="product")  # fmt: skip
MV = Op("mv", lambda a, b: a @ b, (lambda g, y, a, b: outer_of(g, b), lambda g, y, a, b: turned(a) @ g), ("a", "b"),
        (), "y = a @ b", (example(A, V),), names("a b"), keeps_integers=True, left_factor=0, sign="@", kind="product")  # fmt: skip
DOT = Op("dot", lambda a, b: a @ b, (lambda g, y, a, b: g * b, lambda g, y, a, b: g * a), ("a", "b"),
         (), "y = Σ a · b", (example(V, [1.0, 2.0, -0.5]),), names("a b"),
         keeps_integers=True, left_factor=0, sign="·", kind="product")  # fmt: skip
MATMUL = Op("matmul", _matmul, (_matmul_left, _matmul_right), ("a", "b"),
            (said("matmul_left", "{0} @ {3}ᵀ, summed over what was broadcast", _matmul_left),
             said("matmul_right", "{2}ᵀ @ {0}, summed over what was broadcast", _matmul_right)), "y = a @ b",
            (example([A, A], B), example(A, [B, B]), example([[A, A]], [[B, B], [B, B]]), example(V, B),
             example([A, A], V), example(V, [B, B])), names("a b"), "UnsafeViewBackward0",
            keeps_integers=True, left_factor=0, sign="@", kind="product")  # fmt: skip
ROW_AS_VECTOR = replace(s.SQUEEZE_DIM, node="SqueezeBackward4", is_view=False)
"""A row as the vector it was: PyTorch takes the dim away in place, so the result is no view."""
ADDMM = Op("addmm", _addmm,
           (lambda g, y, c, a, b, beta, alpha: _scaled(g, beta),
            lambda g, y, c, a, b, beta, alpha: _scaled(g @ turned(b), alpha),
            lambda g, y, c, a, b, beta, alpha: _scaled(turned(a) @ g, alpha)), ("c", "a", "b"),
           (lambda g, y, c, a, b, beta, alpha: beta * g, lambda g, y, c, a, b, beta, alpha: alpha * g @ turned(b),
            lambda g, y, c, a, b, beta, alpha: alpha * turned(a) @ g), "y = beta · c + alpha · a @ b",
           (example([0.1, 0.2], A, B, beta=1, alpha=1), example([0.1, 0.2], A, B, beta=0.5, alpha=2.0)),
           names("a b"), left_factor=1, sign="@+", kind="product")  # fmt: skip

PRODUCTS = (MM, BMM, MV, DOT, MATMUL, ROW_AS_VECTOR, ADDMM)


# ---- equations of indices ---------------------------------------------------------------------------------------


class Equation(NamedTuple):
    """An einsum with every dim named by one letter.

    Attributes:
        inputs: the letters of each input.
        output: the letters of the result.
    """

    inputs: tuple[str, ...]
    output: str

    def __str__(self) -> str:
        return f"{','.join(self.inputs)}->{self.output}"


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def equation_of(text: str) -> Equation:
    """An equation without ellipsis, read from its text."""
    inputs, _, output = text.partition("->")
    return Equation(tuple(inputs.split(",")), output)


def _contract(a: Any, letters_a: str, b: Any, letters_b: str, output: str) -> Any:
    """The einsum of two arrays, as a product of matrices where no letter repeats and no size is broadcast."""
    sizes = dict(zip(letters_a, a.shape, strict=True))
    if (
        len(sizes) < len(letters_a)
        or len(set(letters_b)) < len(letters_b)
        or any(sizes.get(letter, n) != n for letter, n in zip(letters_b, b.shape, strict=True))
    ):
        return np.einsum(f"{letters_a},{letters_b}->{output}", a, b)
    sizes |= dict(zip(letters_b, b.shape, strict=True))
    lonely = [letter for letter in letters_a if letter not in letters_b and letter not in output]
    if lonely:
        a = np.add.reduce(a, tuple([letters_a.index(letter) for letter in lonely]))
        letters_a = "".join([letter for letter in letters_a if letter not in lonely])
    lonely = [letter for letter in letters_b if letter not in letters_a and letter not in output]
    if lonely:
        b = np.add.reduce(b, tuple([letters_b.index(letter) for letter in lonely]))
        letters_b = "".join([letter for letter in letters_b if letter not in lonely])
    both = [letter for letter in letters_a if letter in letters_b and letter in output]
    summed = [letter for letter in letters_a if letter in letters_b and letter not in output]
    left = [letter for letter in letters_a if letter not in letters_b]
    right = [letter for letter in letters_b if letter not in letters_a]
    shape = [sizes[letter] for letter in both]
    count = [math.prod([sizes[letter] for letter in group]) for group in (left, summed, right)]
    x = np.transpose(a, [letters_a.index(letter) for letter in (*both, *left, *summed)]).reshape(*shape, *count[:2])
    y = np.transpose(b, [letters_b.index(letter) for letter in (*both, *summed, *right)]).reshape(*shape, *count[1:])
    found = (x @ y).reshape([sizes[letter] for letter in (*both, *left, *right)])
    order = "".join((*both, *left, *right))
    return np.transpose(found, [order.index(letter) for letter in output])


def _einsum(*xs: Any, equation: str) -> Any:
    parts = equation_of(equation)
    if len(xs) == 1:
        return np.einsum(equation, xs[0])
    found, letters = xs[0], parts.inputs[0]
    for i in range(1, len(xs)):
        later = "".join(parts.inputs[i + 1 :]) + parts.output
        both = dict.fromkeys(letters + parts.inputs[i])
        output = parts.output if i == len(xs) - 1 else "".join([letter for letter in both if letter in later])
        found, letters = _contract(found, letters, xs[i], parts.inputs[i], output), output
    return found


def _einsum_rule(g: Any, y: Any, *xs: Any, equation: str, slot: int) -> Any:
    """The einsum of g and the other inputs with the letters exchanged.

    A letter that only this input has was summed: its gradient is the same at each index, as a factor of ones says. A
    letter that stands twice in it took the diagonal: only there is a gradient, as a factor of the identity says.
    """
    parts = equation_of(equation)
    mine, shape, dtype = parts.inputs[slot], r.plain(xs[slot]).shape, r.plain(xs[slot]).dtype
    letters = [parts.output, *[part for i, part in enumerate(parts.inputs) if i != slot]]
    factors = [g, *[x for i, x in enumerate(xs) if i != slot]]
    free = [letter for letter in LETTERS if letter not in equation]
    known = dict.fromkeys(mine, 0)
    for part, factor in zip(letters, factors, strict=True):
        known |= {letter: max(n, known.get(letter, 0)) for letter, n in zip(part, r.plain(factor).shape, strict=True)}
    wanted = ""
    for letter, n in zip(mine, shape, strict=True):
        name = letter
        if letter in wanted:
            name = free.pop()
            letters.append(letter + name)
            factors.append(np.eye(n, dtype=dtype))
        elif n > known.get(letter, 0):
            letters.append(letter)
            factors.append(np.ones(n, dtype))
        wanted += name
    swapped = str(Equation(tuple(letters), wanted))
    return r.through(EINSUM, *factors, equation=swapped)


EINSUM = Op(
    "einsum", _einsum, (_einsum_rule,), ("x",), (said("einsum_back", "the einsum of {0} and the other inputs, with the letters exchanged", _einsum_rule),),
    "y = the sums of products that the equation says",
    (example(A, B, equation="ij,jk->ik"), example([A, A], [B, B], equation="bij,bjk->bki"),
     example(A, equation="ij->j"), example([[1.0, 2.0], [3.0, 4.0]], V, equation="ii,k->i"),
     example(A, B, V, equation="ij,jk,j->k"), example([A], [[[2.0]], [[3.0]]], equation="bij,bjk->bik")),
    names("x"), "BmmBackward0", is_variadic=True, keeps_integers=True, sign="ein", kind="product",
)  # fmt: skip


TABLE = (*PRODUCTS, EINSUM)
"""The rows of this family."""
