"""Connectionist temporal classification: a short row of labels laid along a longer row of frames, in all ways.

Between and around the labels may be blanks, and each may be said for several frames. The sums over all ways run
forward (alpha) and backward (beta) along the frames, as logarithms. Source: ATen's LossCTC.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.rules.backward_ops.once import gradient_node, in_a_node
from gradviz.imitation.engine.rules.entry import Op, case, saves

Ints = tuple[int, ...]
Labels = tuple[Ints, ...]


def with_blanks(labels: Ints, blank: int) -> Any:
    """The labels with a blank before, between and after them."""
    row = np.full(2 * len(labels) + 1, blank, np.int64)
    row[1::2] = labels
    return row


def _added(parts: list[Any]) -> Any:
    """ln Σ eˣ over a few rows, −∞ where all are."""
    top = np.maximum.reduce(parts)
    top = np.where(np.isneginf(top), parts[0].dtype.type(0), top)
    total = np.exp(parts[0] - top)
    for part in parts[1:]:
        total = total + np.exp(part - top)
    return np.log(total) + top


def _moved(row: Any, steps: int) -> Any:
    """A row moved along, −∞ where nothing comes from."""
    out = np.full_like(row, -np.inf)
    out[steps:] = row[:-steps] if steps < len(row) else []
    return out


def _ways(scores: Any, row: Any) -> Any:
    """For each frame and place of the row, the logarithm of the sum over all ways that lead there."""
    ways = np.full((len(scores), len(row)), -np.inf, scores.dtype)
    ways[0, :2] = scores[0, row[:2]]
    # A label may follow the one before it without a blank, unless they are alike.
    may_skip = np.zeros(len(row), np.bool_)
    may_skip[2:] = row[2:] != row[:-2]
    for t in range(1, len(scores)):
        before = ways[t - 1]
        skipped = np.where(may_skip, _moved(before, 2), scores.dtype.type(-np.inf))
        ways[t] = _added([before, _moved(before, 1), skipped]) + scores[t, row]
    return ways


def _one_loss(scores: Any, row: Any) -> Any:
    if not len(scores):
        return scores.dtype.type(0 if len(row) == 1 else np.inf)
    last = _ways(scores, row)[-1]
    return -last[-1] if len(row) == 1 else -_added([last[-1:], last[-2:-1]])[0]


def losses(scores: Any, labels: Labels, lengths: Ints, blank: int, zero_infinity: bool) -> Any:
    """The loss of each row of labels; scores are log-probabilities of (frame, row, class)."""
    with np.errstate(divide="ignore"):
        found = [_one_loss(scores[:n, k], with_blanks(labels[k], blank)) for k, n in enumerate(lengths)]
    return np.array(found, scores.dtype)


def _one_back(scores: Any, row: Any, loss: Any) -> Any:
    """dL/dscores of one row, as it is for scores that a log_softmax made."""
    forward = _ways(scores, row)
    both = forward + _ways(scores[::-1], row[::-1])[::-1, ::-1]
    shares = np.full_like(scores, -np.inf)
    for place, label in enumerate(row):
        shares[:, label] = _added([both[:, place], shares[:, label]])
    return np.exp(scores) - np.exp(shares + loss - scores)


def back(g: Any, scores: Any, labels: Labels, lengths: Ints, blank: int, zero_infinity: bool) -> Any:
    """dL/dscores, for g of each row."""
    out = np.zeros_like(scores)
    with np.errstate(divide="ignore", invalid="ignore"):
        for k, n in enumerate(lengths):
            row = with_blanks(labels[k], blank)
            loss = _one_loss(scores[:n, k], row)
            if n and not (zero_infinity and np.isinf(loss)):
                out[:n, k] = _one_back(scores[:n, k], row, loss) * g[k]
    return out


BACK = gradient_node("ctc_loss_back", "CTC", "NotImplemented", ("g", "scores"), "aten::_ctc_loss_backward",
                     "Its gradient can be used, but not differentiated again.")  # fmt: skip


def _rule(g: Any, y: Any, scores: Any, **params: Any) -> Any:
    return in_a_node(BACK, (g, scores), lambda g, scores: back(g, scores, **params))


def _seen(scores: Any, labels: Labels, lengths: Ints, blank: int, zero_infinity: bool) -> Any:
    """The losses, and what the rule adds for the sum of probabilities being 1."""
    chances = [np.exp(scores[:n, k]).sum() for k, n in enumerate(lengths)]
    return losses(scores, labels, lengths, blank, zero_infinity) + np.array(chances)


_SCORES = np.array([[[-0.5, -1.2, -2.0], [-1.0, -0.7, -1.9]], [[-1.1, -0.9, -1.4], [-0.6, -1.8, -1.3]],
                    [[-0.4, -2.2, -1.5], [-1.6, -0.8, -1.2]], [[-1.3, -1.0, -0.9], [-0.7, -1.5, -1.1]]])  # fmt: skip

TABLE = (
    Op("ctc_loss", "CTC", losses, (_rule,), ("scores",), ("back(g)",),
       "y = -ln of the sum over all ways to say the labels",
       (case(_SCORES, labels=((1, 2), (2, 2)), lengths=(4, 4), blank=0, zero_infinity=False),
        case(_SCORES, labels=((0,), ()), lengths=(3, 2), blank=1, zero_infinity=False)),
       "CtcLossBackward0", saves("scores y"), extended=_seen,
       note="The rule takes the scores to be log-probabilities: it adds their probabilities, which sum to 1."),
)  # fmt: skip

NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {"ctc_loss": lambda xs, params: {"back": lambda g: back(g, xs[0], **params)}}
