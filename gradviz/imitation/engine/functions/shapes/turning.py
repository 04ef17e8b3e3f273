"""Shapes changed in place: `x.unsqueeze_(0)`, `x.t_()`. The memory stays where it is; the tensor looks at it anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.dtypes import c_name
from gradviz.imitation.engine.functions.arguments import ints
from gradviz.imitation.engine.functions.shapes.shaping import dims_to_squeeze
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.memory import resizing, storage
from gradviz.imitation.engine.memory.steps import laid_out, seen_through
from gradviz.imitation.engine.memory.views import look_again, places, root, take_place, with_part
from gradviz.imitation.engine.rules.backward_ops.once import gradient_node
from gradviz.imitation.engine.shapes import one_dim
from gradviz.imitation.engine.tensor import Tensor, constant, record
from gradviz.errors import TorchError


def _turned(name: str, x: Tensor, **params: Any) -> Tensor:
    storage.refuse_leaf(x)
    x.data = laid_out(x)
    op = OPS[name]
    seen = seen_through(name, x.data, op.forward(x.data, **params), params)
    x.more.has_steps = True
    return storage.turn(x, record(op, (x,), params, seen), seen)


def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    return _turned("unsqueeze_", self, dim=one_dim(dim, self.ndim + 1))


def squeeze_(self: Tensor, dim: Any = None, *more: Any) -> Tensor:
    return _turned("squeeze_", self, dim=dims_to_squeeze(self, dim, *more))


def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    return _turned("transpose_", self, dim0=one_dim(dim0, self.ndim), dim1=one_dim(dim1, self.ndim))


def t_(self: Tensor) -> Tensor:
    if self.ndim > 2:
        raise TorchError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return _turned("t_", self)


def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:  # noqa: ARG001 - PyTorch has it too
    """Another size over the same numbers in their order; zeros where there were none (in PyTorch: anything)."""
    if self.requires_grad:
        raise TorchError("cannot resize variables that require grad")
    size = check_size(ints(sizes))
    return self if size == self.shape else resizing.resized(self, size)


def resize_as_(self: Tensor, other: Tensor, *, memory_format: Any = None) -> Tensor:  # noqa: ARG001 - as above
    return resize_(self, *other.shape)


def set_(self: Tensor, source: Tensor | None = None) -> Tensor:
    """The sizes and the memory of another tensor, which both share from now on; of none, no numbers at all."""
    if source is None:
        source = constant(np.zeros(0, self.dtype), self.tape)
    if source.dtype != self.dtype:
        given, own = (c_name(x.dtype) for x in (source, self))
        raise TorchError(f"Could not set tensor of type {given} to a tensor of type {own}", hint="Convert it first.")
    storage.refuse_leaf(self)
    base = root(self)
    views = [] if base is self and not self.requires_grad else storage.tracked_views(self, base)
    out = record(SET, (self, source), {}, source.data)
    out.more.is_in_place = True
    storage.notice(self, keep_value=False)
    resizing.take_memory(self, source)
    storage.count_changes(self)
    if out.op is None:
        return self
    if base is self:
        take_place(self, out)
    else:
        storage.take_place_of_base(base, with_part(base, places(self, base), out, self.data))
    for view in views:
        look_again(view, base, places(view, base))
    return self


SET = gradient_node(
    "set_", "set", lambda *_: "NotImplemented", ("x", "source"), "set_", "Detach the tensor first, or assign its .data."
)


METHODS: dict[str, Callable[..., Any]] = {
    "unsqueeze_": unsqueeze_, "squeeze_": squeeze_, "transpose_": transpose_, "swapaxes_": transpose_,
    "swapdims_": transpose_, "t_": t_, "resize_": resize_, "resize_as_": resize_as_, "set_": set_,
}  # fmt: skip
