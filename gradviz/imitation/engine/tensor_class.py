"""The class of tensors, and how one is made that no op made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradviz.imitation.engine.dtypes import DType
from gradviz.imitation.engine.tensor_extra import Extra

if TYPE_CHECKING:
    from gradviz.imitation.engine.op import Op
    from gradviz.imitation.engine.tape import Tape

NO_PARAMS: dict[str, Any] = {}


class Tensor:
    """An n-dimensional array that remembers how it was made.

    Attributes:
        data: the value; a numpy array, or a numpy scalar for shape ().
        requires_grad: whether a gradient can flow into it.
        tape: the tape of its run.
        index: its position on the tape, or negative while no recorded op has used it (see `inference`).
        op: the op that made it, or None for a leaf or constant.
        inputs: positions of the op's inputs on the tape.
        params: what the op was given besides tensors.
        extra: what few tensors have, or None.

    There is no constructor: `constant` makes one; the hot path of `tensor` fills the slots itself, at half the cost.
    """

    __slots__ = ("__weakref__", "data", "extra", "index", "inputs", "op", "params", "requires_grad", "tape")

    data: Any
    extra: Extra | None
    index: int
    inputs: tuple[int, ...]
    op: Op | None
    params: dict[str, Any]
    requires_grad: bool
    tape: Tape

    # ---- what it is ----

    @property
    def shape(self) -> tuple[int, ...]:
        """E.g. (2, 3); () for a single number."""
        return self.data.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        """numpy's dtype of the value."""
        return self.data.dtype  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.data.ndim  # type: ignore[no-any-return]

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded op made it."""
        return self.op is None

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, or None."""
        return self.extra.grad if self.extra is not None else None

    @property
    def more(self) -> Extra:
        """The rare attributes, made on first use."""
        if self.extra is None:
            self.extra = Extra()
        return self.extra

    # The hottest operators are made by `elementwise_operator` and bound by `bind_operators`.
    __add__: Callable[[Tensor, Any], Tensor]
    __radd__: Callable[[Tensor, Any], Tensor]
    __sub__: Callable[[Tensor, Any], Tensor]
    __rsub__: Callable[[Tensor, Any], Tensor]
    __mul__: Callable[[Tensor, Any], Tensor]
    __rmul__: Callable[[Tensor, Any], Tensor]
    __truediv__: Callable[[Tensor, Any], Tensor]
    __rtruediv__: Callable[[Tensor, Any], Tensor]
    __matmul__: Callable[[Tensor, Any], Tensor]
    __neg__: Callable[[Tensor], Tensor]


def constant(data: Any, tape: Tape) -> Tensor:
    """A tensor that no recorded op made and that takes no gradient."""
    out = Tensor()
    out.data = data
    out.tape = tape
    out.requires_grad = False
    out.index = tape.fresh
    out.op = None
    out.inputs = ()
    out.params = NO_PARAMS
    out.extra = None
    return out
