"""The row of the table for what made a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from gradviz.recording import Node

if TYPE_CHECKING:
    from gradviz.ops.op import Op


class Rules(Protocol):
    """A table of ops with their rules."""

    def find(self, name: str, inputs: int, params: Mapping[str, object], /) -> Op | None:
        """The row of an op, given how many inputs it has and what its params are; None where there is none."""


def rule_of(node: Node, rules: Rules) -> Op | None:
    """The row of the table for what made a node; None for leaves and custom Functions."""
    if node.is_leaf:
        return None
    return rules.find(node.op.rstrip("_"), len(node.inputs), node.params)
