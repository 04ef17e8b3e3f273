"""The product of some ops as people write it: two small matrices and what goes out, in place of v and one flat J.

For products of matrices it is X transposed times what comes in, for a convolution the image under what comes in, for a
normalisation what comes in beside the normalised numbers. Of each number that goes out it is known which numbers of
the two make it. Knows no Qt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gradviz.errors import Unanswered
from gradviz.graph.answer import answering
from gradviz.playback.formula.arithmetic import NOT, sign_before
from gradviz.playback.names import input_names, output_name
from gradviz.playback.product.jacobian import Matrix
from gradviz.recording import Array, Node, Recording, Summary, Sweep

V, J, OUT = "v", "J", "out"
"""Kinds of numbers: what comes in, what it is multiplied by, and what goes out."""

MOST_NUMBERS = 400_000
"""Elements of result and inputs up to which this form is made."""
MOST_TERMS = 12
"""Terms that are written out."""

Places = np.ndarray[Any, np.dtype[np.int64]]
Numbers = np.ndarray[Any, np.dtype[Any]]
Piece = tuple[str | float, str]
"""A sign or a number, and its kind; "" for signs."""


class Panel(NamedTuple):
    """One of the matrices."""

    name: str
    kind: str
    numbers: Matrix


class Terms(NamedTuple):
    """What a number that goes out is made of.

    Attributes:
        left, right: rows and columns in the two matrices; of shape (n, 2) and (m, 2).
        pieces: the sum, as signs and numbers.
    """

    left: Places
    right: Places
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, eq=False)
class Form:
    """The product that goes out to one input.

    Attributes:
        slot: number of the input.
        equation: "∂L/∂W = xᵀ · ∂L/∂y".
        left, right, result: the matrices.
        crosses: whether a row of the left one and a column of the right one meet at each number of the result.
        find: gives the terms of the number in a row and a column of the result.
        note: which part of larger arrays is shown; "" where it is all.
    """

    slot: int
    equation: str
    left: Panel
    right: Panel
    result: Panel
    crosses: bool
    find: Callable[[int, int], Terms]
    note: str = ""

    @property
    def panels(self) -> tuple[Panel, Panel, Panel]:
        """Left, right and result."""
        return self.left, self.right, self.result


class _Case(NamedTuple):
    """One input of a node in a backward pass."""

    node: Node
    slot: int
    names: tuple[str, ...]
    out: str
    arrays: tuple[Numbers, ...]
    v: Numbers
    sent: Numbers
    is_changed: bool


def form_of(
    recording: Recording,
    node: Node,
    slot: int,
    v: Array,
    sent: Array,
    call: Sweep | None = None,
    *,
    is_changed: bool = False,
) -> Form | None:
    """The form for one input; None where the op has none, it is too large, or a value was not kept.

    Args:
        v: what came in.
        sent: what went out to the input.
        call: the backward call, which knows what was read in the place of recorded values.
        is_changed: whether what went out is another than the product.
    """
    make = _MAKERS.get(node.op)
    values = [recording.value_read(call, node.id, source) for source in node.inputs]
    if make is None or any(value is None or isinstance(value, Summary) for value in values):
        return None
    arrays = tuple([np.asarray(value) for value in values])
    if sum(array.size for array in arrays) + v.size > MOST_NUMBERS or not v.size or not sent.size:
        return None
    names, out = input_names(recording, node), output_name(recording, node)
    try:
        with answering("no form"):
            return make(_Case(node, slot, names, out, arrays, np.asarray(v), np.asarray(sent), is_changed))
    except Unanswered:
        return None


def _matrix(array: Numbers) -> Matrix:
    return np.atleast_2d(array).astype(np.float64)


def _sum_of(total: float, pairs: Sequence[tuple[float, float]], kinds: tuple[str, str], *, left_out: int = 0,
            factor: float = 1.0, is_changed: bool = False) -> tuple[Piece, ...]:  # fmt: skip
    """ "6 = 1·2 + 2·2"; of many terms those that are 0 are not written."""
    few = len(pairs) <= 4
    used = [pair for pair in pairs if few or (pair[0] != 0 and pair[1] != 0)]
    is_all = len(used) <= MOST_TERMS and not left_out
    pieces: list[Piece] = [(total, OUT), (NOT if is_changed else sign_before(total, used, factor, is_all=is_all), "")]
    if factor != 1:
        pieces += [(factor, ""), ("·(", "")]
    for number, pair in enumerate(used[:MOST_TERMS]):
        pieces += [(" + ", "")] if number else []
        pieces += [(pair[0], kinds[0]), ("·", ""), (pair[1], kinds[1])]
    rest = max(len(used) - MOST_TERMS, 0) + left_out
    if rest:
        sign = " + " if used else ""
        pieces.append((f"{sign}{rest:,} more {'term' if rest == 1 else 'terms'}", ""))
    elif not used:
        pieces.append(("no terms", ""))
    return (*pieces, (")", "")) if factor != 1 else tuple(pieces)


# ---- products of matrices -----------------------------------------------------------------------------------------


def _of_matrices(case: _Case) -> Form | None:
    first = len(case.arrays) - 2  # after what is added to the product
    (a, b), v, note = case.arrays[first:], case.v, ""
    if case.slot < first or a.ndim < 2 or b.ndim < 2:  # of a vector the flat J is the matrix itself
        return None
    if b.ndim == 2:
        a, v = a.reshape(-1, a.shape[-1]), v.reshape(-1, v.shape[-1])  # a batch multiplies by the same matrix
    elif a.shape[:-2] == b.shape[:-2]:
        note = f"pair 1 of {math.prod(a.shape[:-2]):,}; the others in the same way"
        a, b, v = (each.reshape(-1, *each.shape[-2:])[0] for each in (a, b, v))
    else:
        return None
    is_left, factor = case.slot == first, float(case.node.params.get("alpha", 1))
    sent = case.sent.reshape(-1)[: (a if is_left else b).size].reshape((a if is_left else b).shape)
    came, (name, other) = f"∂L/∂{case.out}", (case.names[case.slot], case.names[2 * first + 1 - case.slot])
    if is_left:
        left, right = Panel(came, V, _matrix(v)), Panel(f"{other}ᵀ", J, _matrix(b.T))
    else:
        left, right = Panel(f"{other}ᵀ", J, _matrix(a.T)), Panel(came, V, _matrix(v))
    result = Panel(f"∂L/∂{name}", OUT, _matrix(sent))
    sign = "" if factor == 1 else f"{factor:g} · "

    def find(row: int, column: int) -> Terms:
        inner = np.arange(left.numbers.shape[1])
        pairs = list(zip(left.numbers[row].tolist(), right.numbers[:, column].tolist(), strict=True))
        total = float(result.numbers[row, column])
        pieces = _sum_of(total, pairs, (left.kind, right.kind), factor=factor, is_changed=case.is_changed)
        places = np.stack([np.full_like(inner, row), inner], 1), np.stack([inner, np.full_like(inner, column)], 1)
        return Terms(*places, pieces)

    equation = f"{result.name} = {sign}{left.name} · {right.name}"
    return Form(case.slot, equation, left, right, result, True, find, note)


# ---- convolution --------------------------------------------------------------------------------------------------


class _Geometry(NamedTuple):
    """How a kernel slides, for two axes."""

    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]


def _flat(array: Numbers) -> Numbers:
    """Images and kernels of one axis as such of two."""
    return array[:, :, None] if array.ndim == 3 else array


def _pair(params: Mapping[str, Any], name: str, otherwise: int) -> tuple[int, int]:
    given = tuple([int(each) for each in params[name]])
    return (otherwise, given[0]) if len(given) == 1 else (given[0], given[1])


def _of_convolution(case: _Case) -> Form | None:
    if case.slot > 1:
        return None
    x, w, v, sent = (_flat(each) for each in (*case.arrays[:2], case.v, case.sent))
    if x.ndim != 4 or w.ndim != 4:
        return None
    params = case.node.params
    slides = _Geometry(_pair(params, "stride", 1), _pair(params, "padding", 0), _pair(params, "dilation", 1))
    own = int(np.abs(np.nan_to_num(v[0])).sum(axis=(1, 2)).argmax())  # the first in which something comes in
    per_group = v.shape[1] // int(params["groups"])
    channel = own // per_group * w.shape[1]
    parts = [f"image 1 of {x.shape[0]}"] if x.shape[0] > 1 else []
    if x.shape[1] > 1 or v.shape[1] > 1:
        parts.append(f"channel {channel + 1} of {x.shape[1]} to channel {own + 1} of {v.shape[1]}")
    came, (name, other) = Panel(f"∂L/∂{case.out}", V, _matrix(v[0, own])), case.names[:2]
    build = _of_kernel if case.slot else _of_image
    if case.slot:
        name, other = other, name
        up, left = slides.padding
        image = np.zeros((x.shape[2] + 2 * up, x.shape[3] + 2 * left))
        image[up : up + x.shape[2], left : left + x.shape[3]] = x[0, channel]
        fixed = Panel(f"{other}, padded" if up or left else other, J, image)
        result = Panel(f"∂L/∂{name}", OUT, _matrix(sent[own, 0]))
        more = x.shape[0] - 1
        equation = f"{result.name} = Σ {came.name} ⊙ {other} under it"
    else:
        fixed, result = Panel(other, J, _matrix(w[own, 0])), Panel(f"∂L/∂{name}", OUT, _matrix(sent[0, channel]))
        more = per_group - 1
        equation = f"{result.name} = {came.name} spread by {other}"
    find = build(came, fixed, result, slides, more, case.is_changed)
    return Form(case.slot, equation, fixed, came, result, False, find, ", ".join(parts))


def _of_kernel(
    came: Panel, image: Panel, result: Panel, slides: _Geometry, images: int, is_changed: bool
) -> Callable[[int, int], Terms]:
    """Each number of the kernel's gradient: the image under what came in, from that number on."""
    places = np.argwhere(np.ones(came.numbers.shape, dtype=bool))

    def find(row: int, column: int) -> Terms:
        under = places * np.array(slides.stride) + np.array([row, column]) * np.array(slides.dilation)
        pairs = list(zip(came.numbers.ravel().tolist(), image.numbers[tuple(under.T)].tolist(), strict=True))
        left_out, total = images * len(places), float(result.numbers[row, column])
        pieces = _sum_of(total, pairs, (V, J), left_out=left_out, is_changed=is_changed)
        return Terms(under, places, pieces)

    return find


def _of_image(
    came: Panel, kernel: Panel, result: Panel, slides: _Geometry, more: int, is_changed: bool
) -> Callable[[int, int], Terms]:
    """Each number of the image's gradient: what came in wherever the kernel had that number under it."""
    every = np.argwhere(np.ones(kernel.numbers.shape, dtype=bool))

    def find(row: int, column: int) -> Terms:
        start = np.array([row, column]) + np.array(slides.padding) - every * np.array(slides.dilation)
        at, left = np.divmod(start, np.array(slides.stride))
        fits = (left == 0).all(axis=1) & (at >= 0).all(axis=1) & (at < np.array(came.numbers.shape)).all(axis=1)
        at, used = at[fits], every[fits]
        values = came.numbers[tuple(at.T)].tolist(), kernel.numbers[tuple(used.T)].tolist()
        pairs = list(zip(*values, strict=True))
        left_out, total = more * len(used), float(result.numbers[row, column])
        pieces = _sum_of(total, pairs, (V, J), left_out=left_out, is_changed=is_changed)
        return Terms(used, at, pieces)

    return find


# ---- normalisation ------------------------------------------------------------------------------------------------


def _of_norm(case: _Case) -> Form | None:
    """With a row for each set of numbers that is normalised together."""
    x, v, params, op = case.arrays[0], case.v, case.node.params, case.node.op
    weight = case.arrays[1] if len(case.arrays) > 1 else None
    if op == "layer_norm":
        rows = math.prod(x.shape[: x.ndim - int(params["dims"])])
    elif op == "batch_norm":
        rows = x.shape[1]
        x, v = (np.moveaxis(each, 1, 0) for each in (x, v))
    else:
        rows = x.shape[0] * int(params["groups"])
    if case.slot == 0 and weight is not None:
        weighted = case.v * weight.reshape(weight.shape if op == "layer_norm" else (1, -1, *(1,) * (case.v.ndim - 2)))
        v = np.moveaxis(weighted, 1, 0) if op == "batch_norm" else weighted
    x, v = (np.reshape(each, (rows, -1)).astype(np.float64) for each in (x, v))
    scale = 1 / np.sqrt(x.var(axis=1, keepdims=True) + float(params["eps"]))
    h = Panel(f"{case.names[0]} normalised", J, (x - x.mean(axis=1, keepdims=True)) * scale)
    name, came = case.names[case.slot], f"∂L/∂{case.out}"
    if case.slot == 0:
        sent = np.moveaxis(case.sent, 1, 0) if op == "batch_norm" else case.sent
        g_name = came if weight is None else f"{came} ⊙ {case.names[1]}"
        result = Panel(f"∂L/∂{name}", OUT, np.reshape(sent, (rows, -1)).astype(np.float64))
        g, h = Panel(f"g = {g_name}", V, v), h._replace(name=f"h = {h.name}")
        equation = f"{result.name} = (g − mean g − h·mean(g·h)) / √(variance + eps)"
        return Form(0, equation, h, g, result, False, _through(h, g, result, scale[:, 0], case.is_changed))
    if case.slot != 1 or op == "group_norm":
        return None
    of_row = op == "batch_norm"
    result = Panel(f"∂L/∂{name}", OUT, case.sent.astype(np.float64).reshape((-1, 1) if of_row else (1, -1)))
    g, equation = Panel(came, V, v), f"{result.name} = Σ {came} ⊙ ({h.name})"
    return Form(1, equation, h, g, result, False, _along(h, g, result, case.is_changed, of_row=of_row))


def _through(h: Panel, g: Panel, result: Panel, scale: Matrix, is_changed: bool) -> Callable[[int, int], Terms]:
    """Through mean and variance, each number depends on all of its row."""
    columns = np.arange(h.numbers.shape[1])

    def find(row: int, column: int) -> Terms:
        places = np.stack([np.full_like(columns, row), columns], 1)
        own, all_g, all_h = g.numbers[row, column], g.numbers[row], h.numbers[row]
        total, by, above = float(result.numbers[row, column]), float(scale[row]), float(all_h[column])
        mean, both = float(all_g.mean()), float((all_g * all_h).mean())
        terms = [(float(own), 1.0), (-mean, 1.0), (-above, both)]
        pieces: tuple[Piece, ...] = (
            (total, OUT), (NOT if is_changed else sign_before(total, terms, by), ""), (by, J), ("·(", ""),
            (float(own), V), (" − ", ""), (mean, V), (" − ", ""), (above, J), ("·", ""), (both, V), (")", ""),
        )  # fmt: skip
        return Terms(places, places, pieces)

    return find


def _along(h: Panel, g: Panel, result: Panel, is_changed: bool, *, of_row: bool) -> Callable[[int, int], Terms]:
    """The weight's gradient: along a row, or down a column."""

    def find(row: int, column: int) -> Terms:
        count = h.numbers.shape[1 if of_row else 0]
        other, fixed = np.arange(count), np.full(count, row if of_row else column)
        places = np.stack([fixed, other] if of_row else [other, fixed], 1)
        pairs = list(zip(g.numbers[tuple(places.T)].tolist(), h.numbers[tuple(places.T)].tolist(), strict=True))
        total = float(result.numbers[row, column])
        return Terms(places, places, _sum_of(total, pairs, (V, J), is_changed=is_changed))

    return find


_MAKERS: Mapping[str, Callable[[_Case], Form | None]] = {
    **dict.fromkeys(("mm", "bmm", "matmul", "addmm", "baddbmm"), _of_matrices),
    **dict.fromkeys(("conv1d", "conv2d"), _of_convolution),
    **dict.fromkeys(("layer_norm", "batch_norm", "group_norm"), _of_norm),
}
