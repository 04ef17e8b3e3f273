"""Ops by the names that PyTorch has for them.

The rule table has several entries for what is one function in PyTorch: `conv2d` with a bias and without, `mul` by a
tensor and by a number. A recording has PyTorch's name, and the entry is found again by what the node was given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradviz.engine.op import Op
    from gradviz.recording import Node

_ENTRY = re.compile(
    "((?:add|addmm|batch_norm|clamp|clamp_max|clamp_min|conv[123]d|conv_transpose[123]d|copysign|div|embedding_bag|fill|"
    "fmod|group_norm|layer_norm|lerp|masked_fill|max|median|min|mul|nanmedian|pow|remainder|scatter|scatter_add|sub|"
    "xlogy))"
    "(?:_(?:plain|given|number|tensor|scaled|rounded|weighted|value|dim|of|zeros))+(_?)"
)
"""What tells such entries apart; no custom Function is called so."""


@cache
def spelled(op: str) -> str:
    """An op as PyTorch spells it: "conv2d" for the entry "conv2d_plain"."""
    entry = _ENTRY.fullmatch(op)
    return entry[1] + entry[2] if entry else op


def entry_of(node: Node, table: Mapping[str, Op]) -> Op | None:
    """The entry of the rule table for a node, by its op, how many inputs it has and what its params are.

    Returns:
        None where the table has no such op: a custom Function.
    """
    name = spelled(node.op)
    found = [table[entry] for entry in _entries(tuple(table)).get(name, ()) if _takes(table[entry], len(node.inputs))]
    return min(found, key=lambda op: len(_params(op) ^ node.params.keys()), default=table.get(node.op))


@cache
def _entries(names: tuple[str, ...]) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    for name in names:
        entries.setdefault(spelled(name), []).append(name)
    return entries


def _takes(op: Op, count: int) -> bool:
    return op.is_variadic or len(op.inputs) == count


def _params(op: Op) -> set[str]:
    return {name for case in op.example for name in case["params"]}
