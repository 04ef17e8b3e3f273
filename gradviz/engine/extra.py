"""What few tensors have besides a value and how they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradviz.engine.node_hooks import NodeHooks
    from gradviz.engine.storage import Storage
    from gradviz.engine.tensor import Tensor


class Extra:
    """What few tensors have. Interior results carry None in its place, which keeps them small and fast.

    Attributes:
        grad: `.grad`.
        attributes: what the user set on the tensor under names of his own, or None.
        shared_grad: whether the data of this tensor, a `.grad`, also stands in the record of a sweep.
        hooks: functions of the incoming gradient, by number in order of registration.
        node_hooks: the hooks of its backward node.
        retains_grad: whether a non-leaf keeps its gradient.
        is_parameter: whether it is an `nn.Parameter`.
        label: the variable it was assigned to, and `line`, the line that made it, for a leaf or constant, at `level`.
        storage: the memory, once several tensors look at it or it was changed in place.
        base: for a view, the tensor it looks into.
        is_data: whether it is the untracked alias that `.data` gives.
        owner: for a stand-in, the tensor it was left by: a leaf's gradients still accumulate there.
        shown: for a stand-in whose memory was written to, the value as it was.
        modified: for a stand-in, whether the change counts for the saved-tensor check.
        is_outdated: whether its value is no longer the one its op gave.
        is_in_place: whether its op took the place of its first input, whose value it keeps for itself.
        saved_version: for a stand-in or an outdated tensor, the version of the storage before the change.
    """

    __slots__ = (
        "attributes", "base", "grad", "hooks", "is_data", "is_in_place", "is_outdated",
        "is_parameter", "label", "level", "line", "modified", "node_hooks", "owner", "retains_grad", "saved_version",
        "shared_grad", "shown", "storage",
    )  # fmt: skip

    def __init__(self) -> None:
        self.grad: Tensor | None = None
        self.attributes: dict[str, Any] | None = None
        self.shared_grad = False
        self.hooks: dict[int, Any] | None = None
        self.node_hooks: NodeHooks | None = None
        self.retains_grad = False
        self.is_parameter = False
        self.label: str | None = None
        self.line: int | None = None
        self.level: Any = None
        self.storage: Storage | None = None
        self.base: Tensor | None = None
        self.is_data = False
        self.owner: Tensor | None = None
        self.shown: Any = None
        self.modified = False
        self.is_outdated = False
        self.is_in_place = False
        self.saved_version = 0
