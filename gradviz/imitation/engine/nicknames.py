"""What a leaf or constant is called that no variable holds: a part of a named one, or an argument of a function."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.tensor_class import Tensor


def call_part(part: Tensor, owner: Tensor, index: Any) -> None:
    """Call a constant that was taken out of another one by its place in it: `xs[3]`.

    Args:
        index: integers, slices, `...` and None, alone or in a tuple; a place that has no short text gives no name.
    """
    if part.op is None and (extra := owner.extra) is not None and (name := extra.label or extra.nickname):
        places = index if type(index) is tuple else (index,)
        texts = [text for place in places if (text := _place(place)) is not None]
        if len(texts) == len(places) and len(name) < MOST:
            part.more.nickname = f"{name}[{', '.join(texts)}]"


MOST = 40
"""Characters; parts of parts of parts have no longer names."""


def call_argument(value: Tensor, parameter: str) -> None:
    """Call a leaf or constant without a name by the parameter of the function that it was given to."""
    if value.op is None:
        extra = value.more
        if extra.label is None and extra.nickname is None:
            extra.nickname = parameter


def _place(place: Any) -> str | None:
    if type(place) is int:
        return str(place)
    if type(place) is slice:
        ends = [place.start, place.stop] if place.step is None else [place.start, place.stop, place.step]
        whole = all(end is None or type(end) is int for end in ends)
        return ":".join("" if end is None else str(end) for end in ends) if whole else None
    return "..." if place is Ellipsis else "None" if place is None else None
