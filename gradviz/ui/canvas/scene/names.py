"""The names in a small picture: how large they are written, and which of them lose their path.

Names of one picture are alike: where one of them has no room for its path (`first.weight`), all are written without.
The frames around the boxes say it.
"""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.ui.canvas.ink.text import BIG_SIZE, Role, text_width
from gradviz.ui.canvas.scene.cards import Card
from gradviz.ui.canvas.scene.measure import GAP, GAUGE_INSET, GAUGE_WIDTH, PAD, TILE

_READABLE, _LEAST = 10.5, 8.5
"""Screen pixels: a long name is written smaller down to the second one, and then cut."""

_LARGEST, LARGEST_TILE = 1.7, 1.5


def name_scale(scale: float) -> float:
    """How much larger a name is written in a small picture, so that it can be read."""
    return min(max(_READABLE / (BIG_SIZE * scale), 1.0), _LARGEST)


def name_start(grown: float) -> float:
    """Where a name begins, from the left of its box: after the tile, which grows with it."""
    return 2 * PAD + TILE * min(grown, LARGEST_TILE)


def name_margin(card: Card, *, gauges: bool) -> float:
    """What is kept free between a name and the right side of its box."""
    return GAUGE_INSET + GAUGE_WIDTH + GAP if gauges and card.gradient else PAD / 2


def name_size(name: str, room: float, grown: float, scale: float) -> float:
    """How much larger a name is written: so that all of it can be read, where that leaves it legible."""
    wide = text_width(name, Role.BIG)
    if wide * grown <= room:
        return grown
    least = min(max(_LEAST / (BIG_SIZE * scale), 0.4), grown)
    return least if wide * least >= room else max(least, int(room / wide * 16) / 16)


def name_for(card: Card, room: float, *, has_path: bool) -> str:
    """The name of a box: whole, or its short form.

    Args:
        room: for the name, at the size of `Role.BIG`.
        has_path: whether the names of this picture have their paths.
    """
    if _is_path(card):
        return card.name if has_path else card.short
    return card.short if card.short and text_width(card.name, Role.BIG) > room else card.name


def largest_names(boxes: Iterable[tuple[Card, float]]) -> float:
    """How much larger names may be written with all of them whole; boxes as (card, width)."""
    return min((_most(card, width) for card, width in boxes if _is_path(card)), default=_LARGEST)


def _is_path(card: Card) -> bool:
    return bool(card.short) and card.name.endswith(f".{card.short}")


def _most(card: Card, width: float) -> float:
    room, wide = width - 2 * PAD - name_margin(card, gauges=True), text_width(card.name, Role.BIG)
    together = room / (wide + TILE)
    return together if together <= LARGEST_TILE else (room - TILE * LARGEST_TILE) / wide
