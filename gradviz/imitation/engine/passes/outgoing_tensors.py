"""What a node sends under create_graph: its rules fed tensors, so that all that is sent is made of new nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.imitation.engine.create_graph import AT_ONCE, OF_RESULTS, RULES
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.passes.backward import node_name, rules_of
from gradviz.imitation.engine.passes.other_memory import is_elsewhere
from gradviz.imitation.engine.passes.turns import turns
from gradviz.imitation.engine.rules.shapes.shaping import fit
from gradviz.imitation.engine.tensor import Tensor, apply


def outgoing_tensors(op: Op, g: Tensor, entry: Tensor, sources: list[Tensor]) -> tuple[Tensor | None, ...]:
    """The same rules fed tensors: the outgoing gradients are new nodes, which can be differentiated again."""
    with entry.tape.rules_at_work():
        return _outgoing_nodes(op, g, entry, sources)


def _outgoing_nodes(op: Op, g: Tensor, entry: Tensor, sources: list[Tensor]) -> tuple[Tensor | None, ...]:
    needs = [x.requires_grad for x in sources]
    if op.name in AT_ONCE:
        return fitted_nodes(AT_ONCE[op.name](needs, g, entry, *sources, **entry.params), sources)
    found: list[Tensor | None] = [None] * len(sources)
    rules = (not op.refuses and RULES.get(op.name)) or rules_of(op, len(sources))
    for slot in turns(node_name(entry), len(sources)):
        rule = rules[slot]
        if needs[slot] and rule is not None:
            found[slot] = rule(g, entry, *sources, **entry.params)
    return fitted_nodes(found, sources)


def outgoing_of_results(
    came: Sequence[Any], made: Sequence[Tensor], sources: list[Tensor]
) -> tuple[Tensor | None, ...] | None:
    """What a node of several results sends for all of them at once, by new nodes; None where each is on its own."""
    op = made[0].op
    if op is None or op.name not in OF_RESULTS:
        return None
    with made[0].tape.rules_at_work():
        return fitted_nodes(OF_RESULTS[op.name](came, made, sources, [x.requires_grad for x in sources]), sources)


def fitted_nodes(found: Sequence[Tensor | None], sources: Sequence[Tensor]) -> tuple[Tensor | None, ...]:
    """What rules gave, in the shape and dtype of the inputs."""
    return tuple(None if out is None else _fitted_node(out, x) for out, x in zip(found, sources, strict=True))


def _fitted_node(out: Tensor, x: Tensor) -> Tensor:
    """As `_fitted`, by new nodes; one that looks into other memory since, its own node fits the gradient to."""
    if is_elsewhere(x):
        return out
    out = fit(out, x.shape)
    return out if out.dtype is x.dtype else apply(OPS["to"], (out,), dtype=x.dtype.name)
