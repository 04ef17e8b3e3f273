"""What is detached in place: the tensor leaves the graph, and its numbers stay where they are."""

from __future__ import annotations

from gradviz.imitation.engine.memory.storage import leave_stand_in
from gradviz.imitation.engine.memory.views import let_views_follow
from gradviz.imitation.engine.tensor import Tensor


def leave_graph(tensor: Tensor) -> Tensor:
    """Make a leaf that takes no gradient of a tensor, which is no view."""
    if tensor.requires_grad:
        if tensor.index >= 0:
            leave_stand_in(tensor, counts=False, keep_value=False)
        tensor.op, tensor.inputs, tensor.requires_grad = None, (), False
        tensor.more.node = None
        tensor.tape.watch()
        let_views_follow(tensor)
    return tensor
