"""Gradients that PyTorch's own kernels compute and cannot differentiate again."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.tensor import Tensor, constant, record
from gradviz.errors import TorchError


def gradient_node(
    name: str, symbol: str, node: Any, inputs: tuple[str, ...], kernel: str, hint: str, output: str = ""
) -> Op:  # fmt: skip
    """The node of such a gradient, made with create_graph; a sweep through it raises TorchError.

    One that is called NotImplemented has no formula in PyTorch at all, others have one that says so.
    """
    is_unknown = callable(node) or node == "NotImplemented"

    def refuse(*_: Any, **__: Any) -> Any:
        if is_unknown:
            raise TorchError(f"derivative for {kernel} is not implemented", hint=hint)
        raise TorchError(f"the derivative for '{kernel}' is not implemented.", kind="NotImplementedError", hint=hint)

    count = len(inputs)
    return Op(name, symbol, refuse, (refuse,) * count, inputs, ("none",) * count, "", node=node, output=output)


def in_a_node(entry: Op, xs: tuple[Any, ...], compute: Any) -> Any:
    """What `compute` makes of arrays; fed tensors, as the result of one node."""
    tape = next((x.tape for x in xs if isinstance(x, Tensor)), None)
    found = compute(*(F.plain(x) for x in xs))
    if tape is None:
        return found
    return record(entry, tuple(x if isinstance(x, Tensor) else constant(x, tape) for x in xs), {}, found)
