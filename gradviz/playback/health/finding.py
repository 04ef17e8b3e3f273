"""One thing that is said of the health of a node."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that is said of a node.

    Attributes:
        text: a sentence or two.
        node: what a click leads to: the node that it came from; None where it was born here.
        is_wrong: whether something went wrong at this very node, as against having come to it.
    """

    text: str
    node: int | None = None
    is_wrong: bool = False
