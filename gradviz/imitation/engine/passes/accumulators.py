"""How long PyTorch remembers the AccumulateGrad of a leaf, which knows the sizes and the dtype that the leaf had first.

Only nodes hold it. Once nothing of the graph over the leaf is held by anybody, or the leaf got another dtype, what is
made of the leaf next leads to a new one; what was made before still leads to the old one.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

from gradviz.imitation.engine.nodes import head
from gradviz.imitation.engine.tensor import Tensor


def remember(leaf: Tensor, seen: Any) -> None:
    """Before a leaf gets other memory, `seen`: its AccumulateGrad keeps the sizes that it was made with."""
    if leaf.op is not None or not leaf.requires_grad or leaf.index < 0:
        return
    if seen.dtype != leaf.dtype or (seen.shape != leaf.shape and not _is_reached(leaf)):
        leaf.more.gathers = None
        leaf.more.forgotten = (*leaf.more.forgotten, len(leaf.tape.entries))
    elif seen.shape != leaf.shape and leaf.more.gathers is None:
        leaf.more.gathers = leaf.data
        leaf.tape.by_node = True


def _is_reached(leaf: Tensor) -> bool:
    """Whether somebody holds something that leads to the leaf."""
    entries = leaf.tape.entries
    first = leaf.more.forgotten[-1] if leaf.more.forgotten else 0
    found = {i for i in range(first, len(entries)) if entries[i].op is None and head(entries[i]) is leaf}
    if not found:
        return False
    over = []
    for i in range(min(found) + 1, len(entries)):
        if any(j in found for j in entries[i].inputs):
            found.add(i)
            over.append(i)
    known: Counter[int] = Counter()
    for i in over:
        known.update(_referred(entries[i]))
    return any(_is_held(entries, i, known) for i in reversed(over)) or _is_shown(leaf)


def is_known(tensor: Tensor) -> bool:
    """Whether anybody but the tape and the caller has a reference to a tensor, or something was made of it."""
    entries, at = tensor.tape.entries, tensor.index
    known: Counter[int] = Counter([id(entries[at])] if at >= 0 else ())
    for entry in entries:
        known.update(_referred(entry))
    if sys.getrefcount(tensor) - known[id(tensor)] > AT_LEAST + 1:
        return True
    if at < 0 and tensor.extra is not None and tensor.extra.node is not None:
        at = tensor.extra.node
    return at >= 0 and any(at in entry.inputs for entry in entries[at + 1 :])


def _referred(entry: Tensor) -> list[int]:
    """What an entry itself has references to."""
    extra = entry.extra
    if extra is None:
        return []
    found = [id(other) for other in (extra.base, extra.owner) if other is not None]
    if extra.node_hooks is not None and extra.node_hooks.shown is not None:
        found.append(id(entry))
    return found


def _is_held(entries: list[Tensor], i: int, known: Counter[int]) -> bool:
    """Whether anybody but the tape, and entries over the leaf, has a reference to an entry or to its node."""
    return sys.getrefcount(entries[i]) - known[id(entries[i])] > AT_LEAST or _is_shown(entries[i])


AT_LEAST = 2
"""References to an entry that only the tape holds: the tape's, and that of the call that asks."""


def _is_shown(entry: Tensor) -> bool:
    """Whether somebody holds the node of an entry."""
    hooks = None if entry.extra is None else entry.extra.node_hooks
    return hooks is not None and hooks.shown is not None and sys.getrefcount(hooks.shown) > AT_LEAST
