"""Losses of scores by class, with the number of the right class as target: nll, multi margin, multilabel margin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.memory.layouts import loop_order
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.losses.elementwise import beside
from gradviz.imitation.engine.rules.shapes.shaping import shape
from gradviz.errors import TorchError

ROWS = [[1.0, -2.0, 0.5], [0.3, 1.5, -1.0], [0.2, 0.1, -0.7]]
WEIGHTS = np.array([0.5, 2.0, 1.5])
CLASSES = np.array([2, 0, 1])


# ---- nll ----


class Picked(NamedTuple):
    """What nll takes of x.

    Attributes:
        place: the index of x[..., target, ...], of the target's shape.
        w: the weight of each, 0 where the target is ignored.
        ignored: where it is.
        n: what g is divided by: the weights' sum where the mean is taken, else 1.
    """

    place: tuple[Any, ...]
    w: Any
    ignored: Any
    n: Any


def picked(x: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Picked:
    """The numbers that nll takes, and their weights. x is [C] or [N, C, ...], the target one class for each."""
    target = np.asarray(target).astype(np.int64, copy=False)
    target = target.reshape(()) if plain(x).ndim == 1 else target
    dtype, ignored = plain(x).dtype, np.asarray(target == ignore_index)
    some = bool(ignored.any())
    chosen = np.where(ignored, 0, target) if some else target
    w = np.ones(target.shape, dtype) if weight is None else np.asarray(weight).astype(dtype, copy=False)[chosen]
    w = np.where(ignored, dtype.type(0), w)[()] if some else w
    if reduction != "mean":
        n: Any = 1
    else:
        n = dtype.type(np.sum(~ignored)) if weight is None else cascaded(w)
    return Picked(_place(target, chosen, plain(x).ndim), w, ignored, n)


def _place(target: Any, chosen: Any, ndim: int) -> tuple[Any, ...]:
    """The index of x[n, chosen, ...] for each target."""
    if ndim == 1:
        return (chosen,)
    if ndim == 2:
        return np.arange(len(target)), chosen
    grid = np.ogrid[tuple(slice(n) for n in target.shape)]
    return (grid[0], chosen, *grid[1:])


def cascaded(losses: Any) -> Any:
    """The sum of all, in the order in which PyTorch's nll adds: the first, and level by level sums of sixteen."""
    flat = np.asarray(losses).reshape(-1)
    levels, rest = [], flat[1:]
    while rest.size:
        full = rest.size // 16 * 16
        levels.append(_in_order(rest[full:]))
        rest = np.add.accumulate(rest[:full].reshape(-1, 16), axis=1)[:, -1]
    return _in_order(np.array([*levels, *flat[:1]], flat.dtype))


def _in_order(x: Any) -> Any:
    return np.add.accumulate(x)[-1] if x.size else x.dtype.type(0)


def _nll(x: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    found = picked(x, target, weight, reduction, ignore_index)
    losses = np.where(found.ignored, x.dtype.type(0), -x[found.place] * found.w)[()]
    if reduction == "none":
        return losses
    return cascaded(losses) / found.n if reduction == "mean" else cascaded(losses)


def nll_rule(g: Any, y: Any, x: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    """−g · w / n where x was taken, 0 elsewhere.

    Raises:
        TorchError: one row with a list of one target, or turned pictures; PyTorch computes their loss, and refuses its
            derivative.
    """
    axes = list(range(len(shape(x))))
    if len(axes) > 2 and loop_order(shape(x), [plain(x).strides]) != axes:
        raise TorchError("grad_input must be contiguous", hint="Give the loss x.contiguous().")
    if len(shape(x)) == 1 and np.ndim(target) == 1:
        raise TorchError(
            f"size mismatch (got input: {list(shape(x))}, target: [1])",
            hint="Give the one target as a tensor without dimensions, or the input with one dimension more.",
        )
    params = {"target": target, "weight": weight, "reduction": reduction, "ignore_index": ignore_index}
    if isinstance(g, F.Tensor):
        return call("nll_loss_backward" if len(shape(x)) < 3 else "nll_loss2d_backward", g, x, **params)
    found = picked(x, **params)
    sent = -(g / found.n if reduction == "mean" else g) * found.w
    out = np.zeros(shape(x), sent.dtype)
    out[found.place] = np.where(found.ignored, 0, sent)
    return out


# ---- margins ----


def _rows(x: Any) -> Any:
    """x as rows of classes, one for each sample."""
    size = shape(x)
    return F.reshape(x, (-1 if 0 not in size else size[0] if len(size) > 1 else 1, size[-1] if size else 1))


def by_row(g: Any, x: Any) -> Any:
    """g beside the rows of x: one number, or one for each row."""
    return F.reshape(g, (*shape(g), 1)) if len(shape(g)) else g


def _apart(x: Any, target: Any, margin: float) -> tuple[Any, Any, Any]:
    """margin − x[target] + x[i] for each class i, where it counts (another class, and above 0), and the place."""
    rows = _rows(x)
    target = np.asarray(target).reshape(-1)
    place = (np.arange(len(target)), target)
    z = margin - F.reshape(F.take(rows, place), (len(target), 1)) + rows
    counts = plain(z) > 0
    counts[place] = False
    return z, counts, place


def _row_share(x: Any, reduction: str) -> float:
    n, classes = shape(_rows(x))
    return 1 / (max(n, 1) * classes) if reduction == "mean" else 1 / classes


def _multi_margin(x: Any, target: Any, p: int, margin: float, weight: Any, reduction: str) -> Any:
    z, counts, place = _apart(x if reduction == "none" else x.astype(np.float64), target, margin)
    losses = z if p == 1 else z * z
    if weight is not None:
        losses = losses * np.asarray(weight)[place[1]][:, None]
    losses = np.where(counts, losses, 0)
    return _summed(losses.sum(axis=1), x, reduction)


def _summed(losses: Any, x: Any, reduction: str) -> Any:
    """Losses by row, over the number of classes; PyTorch adds their sum in float64."""
    n, classes = shape(_rows(x))
    if reduction == "none":
        return (losses / classes).astype(x.dtype).reshape(x.shape[:-1])[()]
    whole = losses.sum() / classes
    return x.dtype.type(whole / n if reduction == "mean" else whole)


def multi_margin_slope(x: Any, target: Any, p: int, margin: float, weight: Any, reduction: str) -> Any:
    """How the loss of each row, or its share of the whole, changes with each class: of x's rows."""
    z, counts, place = _apart(x, target, margin)
    share = np.full((len(counts), 1), p * _row_share(x, reduction), plain(x).dtype)
    if weight is not None:
        share *= np.asarray(weight).astype(share.dtype)[place[1]][:, None]
    slope = beside(x, np.where(counts, share, 0))
    if p == 2:
        slope = slope * F.zero_where(~counts, z)
    return slope - F.scatter(F.sum(slope, 1, False), shape(slope), place)


def _multi_margin_rule(g: Any, y: Any, x: Any, **params: Any) -> Any:
    return F.reshape(by_row(g, x) * multi_margin_slope(x, **params), shape(x))


class Labels(NamedTuple):
    """The targets of a multilabel loss: up to the first −1 of each row.

    Attributes:
        row: the row of each target, and `label`, its class.
        is_target: for each row and class whether it is one.
    """

    row: Any
    label: Any
    is_target: Any


def labels(x: Any, target: Any) -> Labels:
    """The classes that `target` names, of the shape of x and filled up with −1."""
    target = np.asarray(target).astype(np.int64).reshape(-1, np.shape(target)[-1] if np.ndim(target) else 1)
    row, column = np.nonzero(np.logical_and.accumulate(target >= 0, axis=1))
    label = target[row, column]
    is_target = np.zeros(target.shape, np.bool_)
    is_target[row, label] = True
    return Labels(row, label, is_target)


def _pairs(x: Any, found: Labels) -> Any:
    """1 − x[target] + x[i] for each target and each class i that is none."""
    rows = plain(_rows(x))
    z = 1 - rows[found.row, found.label][:, None] + rows[found.row]
    return np.where(found.is_target[found.row], 0, z)


def _multilabel_margin(x: Any, target: Any, reduction: str) -> Any:
    found = labels(x, target)
    losses = np.zeros(len(found.is_target))
    np.add.at(losses, found.row, np.fmax(_pairs(x.astype(np.float64), found), 0).sum(axis=1))
    return _summed(losses, x, reduction)


def multilabel_slope(x: Any, target: Any, reduction: str) -> Any:
    """How the loss of each row, or its share of the whole, changes with each class: of x's rows."""
    found = labels(x, target)
    counts = (_pairs(x, found) > 0).astype(plain(x).dtype) * plain(x).dtype.type(_row_share(x, reduction))
    slope = np.zeros(found.is_target.shape, plain(x).dtype)
    np.add.at(slope, found.row, counts)
    np.subtract.at(slope, (found.row, found.label), counts.sum(axis=1))
    return beside(x, slope)


def _multilabel_rule(g: Any, y: Any, x: Any, **params: Any) -> Any:
    slope = beside(g, plain(multilabel_slope(x, **params)))
    return F.reshape(by_row(g, x) * slope, shape(x))


_NLL: dict[str, Any] = {"weight": None, "reduction": "mean", "ignore_index": -100}
_SPATIAL = np.array([[[2, 0]], [[1, 1]]])
_IMAGE = np.linspace(-1, 1, 12).reshape(2, 3, 1, 2)
_LABELS = np.array([[1, -1, 0], [0, 2, -1], [-1, 0, 0]])
_MARGIN: dict[str, Any] = {"target": CLASSES, "p": 1, "margin": 1.0, "weight": None, "reduction": "mean"}


def _nll_entry(name: str, node: str, examples: tuple[Any, ...]) -> Op:
    return Op(name, "nll", _nll, (nll_rule,), ("x",), ("scatter(-g * w / n, shape(x), target)",),
              "y = mean of −w · x[target]", examples, node, saves("x index"),
              note="w is the weight of the target's class and n the sum of all w where the mean is taken, else 1. A "
                   "target equal to ignore_index has w = 0; where all are ignored the mean is NaN.")  # fmt: skip


TABLE = (
    _nll_entry("nll_loss", "NllLossBackward0", (
        case(ROWS, target=CLASSES, **_NLL), case(ROWS, target=CLASSES, **_NLL | {"weight": WEIGHTS}),
        case(ROWS, target=CLASSES, **_NLL | {"ignore_index": 0, "reduction": "none"}),
        case(ROWS[0], target=np.array(1), **_NLL | {"reduction": "sum"}),
    )),
    _nll_entry("nll_loss2d", "NllLoss2DBackward0", (
        case(_IMAGE, target=_SPATIAL, **_NLL), case(_IMAGE, target=_SPATIAL, **_NLL | {"weight": WEIGHTS}),
        case(_IMAGE, target=_SPATIAL, **_NLL | {"ignore_index": 1, "reduction": "none"}),
    )),
    Op("multi_margin_loss", "mgn", _multi_margin, (_multi_margin_rule,), ("x",),
       ("reshape(by_row(g, x) * slope, shape(x))",), "y = mean of Σ max(0, margin − x[target] + x[i])ᵖ / classes",
       (case(ROWS, **_MARGIN), case(ROWS, **_MARGIN | {"p": 2, "weight": WEIGHTS, "reduction": "none"}),
        case(ROWS[0], **_MARGIN | {"target": np.array([1]), "p": 2, "reduction": "sum"})),
       "MultiMarginLossBackward0", saves("x"),
       note="Σ runs over all other classes i. One as far below the target as the margin asks has slope 0."),
    Op("multilabel_margin_loss", "mgn", _multilabel_margin, (_multilabel_rule,), ("x",),
       ("reshape(by_row(g, x) * slope, shape(x))",), "y = mean of Σ max(0, 1 − x[target] + x[i]) / classes",
       (case(ROWS, target=_LABELS, reduction="mean"), case(ROWS, target=_LABELS, reduction="none"),
        case(ROWS[0], target=_LABELS[0], reduction="sum")), "MultilabelMarginLossBackward0", saves("x"),
       note="Σ runs over all targets and all classes i that are none. A pair as far apart as the margin asks has "
            "slope 0."),
)  # fmt: skip

NAMES: dict[str, Any] = {"by_row": by_row}
"""Functions that the formulas use."""


def _nll_names(xs: Any, params: Any) -> dict[str, Any]:
    found = picked(xs[0], **params)
    return {"w": found.w, "n": found.n, "target": found.place}


OF_PARAMS: dict[str, Any] = {
    "nll_loss": _nll_names,
    "nll_loss2d": _nll_names,
    "multi_margin_loss": lambda xs, p: {"slope": multi_margin_slope(xs[0], **p)},
    "multilabel_margin_loss": lambda xs, p: {"slope": multilabel_slope(xs[0], **p)},
}
"""Names worked out of the params."""

__all__ = ["NAMES", "OF_PARAMS", "TABLE"]
