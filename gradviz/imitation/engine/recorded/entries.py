"""The entry of the rule table for a node of a recording, which has PyTorch's name of the op."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gradviz.imitation.engine.op import Op
from gradviz.recording import Node
from gradviz.imitation.spelling import spelled


def entry_of(node: Node, table: Mapping[str, Op]) -> Op | None:
    """The entry of the rule table for a node, by its op, how many inputs it has and what its params are.

    Returns:
        None where the table has no such op: a custom Function.
    """
    name = spelled(node.op)
    found = [table[entry] for entry in _entries(tuple(table)).get(name, ()) if _takes(table[entry], node)]
    return min(found, key=lambda op: len(_params(op) ^ node.params.keys()), default=table.get(node.op))


@cache
def _entries(names: tuple[str, ...]) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    for name in names:
        entries.setdefault(spelled(name), []).append(name)
    return entries


def _takes(op: Op, node: Node) -> bool:
    has_inputs = op.is_variadic or len(op.inputs) == len(node.inputs)
    return has_inputs and any(case["params"].keys() <= node.params.keys() for case in op.example)


def _params(op: Op) -> set[str]:
    return {name for case in op.example for name in case["params"]}
