"""The product at a node as the page draws it: v, the Jacobian of each input, and v·J below its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradviz.errors import GradvizError
from gradviz.playback import flow
from gradviz.playback.formula.arithmetic import NOT, sign_before
from gradviz.playback.product.product import Factor, Given, Product, asks_the_run, product_at
from gradviz.playback.track import Track
from gradviz.playback.words import number_text, op_word

MOST_ROWS, MOST_COLUMNS = 8, 8
"""Rows and columns up to which a Jacobian is drawn; of a larger one only what it looks like is said."""

NOT_KNOWN = "The Jacobian of {op} is known where its script runs: export the script and not its recording."

Ask = Callable[[str, Any], Any]
"""Asks a run a question by its name; raises GradvizError where it has no answer."""


def product_of(track: Track, node: int, ask: Ask | None = None) -> dict[str, Any] | None:
    """The product that a node makes in its step; None where it makes none, or one of plain numbers as its rule says.

    Args:
        node: an id of the recording.
        ask: asks the run for the Jacobian of a custom Function; None where there is no run.
    """
    order = flow.step_number(track, node)
    if order is None:
        return None
    given = _given(track, node, ask) if asks_the_run(track, node) else None
    found = product_at(track, track.turn + order, node, given=given)
    if found is None or not (found.factors or found.note):
        return None
    is_told_by_the_rule = given is None and all(factor.jacobian.shape == (1, 1) for factor in found.factors)
    if is_told_by_the_rule and not found.note:
        return None
    return {
        "name": found.name,
        "v": _texts(found.v) if len(found.v) <= MOST_ROWS else [],
        "factors": [_factor(factor, found) for factor in found.factors],
        "note": found.note,
        "more": found.left_out,
    }


def _given(track: Track, node: int, ask: Ask | None) -> Given | str:
    """What the run says of the Jacobian of a custom Function: rows by input, or why there are none."""
    if ask is None:
        return NOT_KNOWN.format(op=op_word(track.recording.nodes[node]))
    try:
        rows = ask("jacobian", node)
        return {int(slot): found for slot, found in rows.items()}
    except GradvizError as error:
        return f"{error.headline[:1].upper()}{error.headline[1:]}."


def _factor(factor: Factor, product: Product) -> dict[str, Any]:
    rows, columns = factor.jacobian.shape
    is_drawn = factor.is_whole and rows <= MOST_ROWS and columns <= MOST_COLUMNS and min(rows, columns) > 0
    words = factor.structure.words
    return {
        "name": factor.name,
        "size": f"{rows} × {columns}",
        "words": f"{words[:1].upper()}{words[1:]}",
        "cost": factor.structure.cost,
        "rows": [_texts(row) for row in factor.sample] if is_drawn else [],
        "sent": _texts(factor.sent) if is_drawn else [],
        "signs": [_sign(factor, product, column) for column in range(columns)] if is_drawn else [],
    }


def _sign(factor: Factor, product: Product, column: int) -> str:
    """What stands between a number that went out and the products below each other in its column."""
    if factor.slot in product.changed:
        return NOT
    terms = list(zip(product.v.tolist(), factor.sample[:, column].tolist(), strict=True))
    return sign_before(float(factor.sent[column]), terms)


def _texts(numbers: Iterable[Any]) -> list[str]:
    return [number_text(number) for number in np.asarray(numbers).tolist()]
