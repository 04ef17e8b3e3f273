"""The table of rules as playback reads it, where the engine is at hand.

A recording can be played without an engine: the rules are then not known, and what was recorded is all that is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Protocol

from gradviz.recording import Node

if TYPE_CHECKING:
    from gradviz.ops.op import Op


class Rules(Protocol):
    """A table of ops with their rules."""

    def find(self, name: str, inputs: int, params: Mapping[str, object], /) -> Op | None:
        """The row of an op, given how many inputs it has and what its params are; None where there is none."""


@cache
def engine_rules() -> Rules | None:
    """The engine's own table, loaded when the first rule is asked for; None where there is no engine."""
    try:
        from gradviz.ops.table import TABLE
    except ImportError:
        return None
    return TABLE


def rule_of(node: Node, rules: Rules | None) -> Op | None:
    """The row of the table for what made a node; None for leaves, custom Functions and without a table."""
    if rules is None or node.is_leaf:
        return None
    return rules.find(node.op.rstrip("_"), len(node.inputs), node.params)
