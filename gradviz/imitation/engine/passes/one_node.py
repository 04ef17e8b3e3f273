"""One backward node by itself, as `grad_fn(g)` runs it: no hooks of the node, nothing freed, no pass written down.

Source: torch/csrc/autograd/python_cpp_function.cpp, `THPCppFunction_call`.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.imitation.engine.nodes import output_number, results
from gradviz.imitation.engine.passes.accumulate import add_to_grad
from gradviz.imitation.engine.passes.by_node import NodePass
from gradviz.imitation.engine.passes.steps import output_count
from gradviz.imitation.engine.passes.sweep_record import SweepRecord
from gradviz.imitation.engine.tensor import Tensor, constant


def apply_node(entry: Tensor, given: Sequence[Tensor | None]) -> tuple[Tensor | None, ...]:
    """What a node sends for the gradients of its outputs; under grad mode it is part of the graph.

    Args:
        entry: stands for the node; of a leaf, the leaf: its `.grad` takes the gradient, and nothing is sent.
        given: dL/d(output), one for each output of the node, of its shape; missing ones count as None.

    Returns:
        dL/d(input), one for each of `edges(entry)`; None where no gradient flows.

    Raises:
        TorchError: saved tensors that were freed, or modified in place.
    """
    tape = entry.tape
    by_tensors = tape.grad_enabled
    came = [g if g is None or by_tensors else g.data for g in given]
    if entry.op is None:
        if came and came[0] is not None:
            add_to_grad(entry, came[0], [g.data for g in given if g is not None], given)
        return ()
    came += [None] * (output_count(entry) - len(came))
    alone = NodePass(tape, SweepRecord((), (), retain_graph=True, create_graph=by_tensors), accumulates=False)
    made = results(entry)
    sent, _ = alone.sends(entry, made, [output_number(x) for x in made], came)
    return tuple(g if g is None or isinstance(g, Tensor) else constant(g, tape) for g in sent)
