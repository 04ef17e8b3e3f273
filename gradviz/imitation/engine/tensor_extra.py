"""What few tensors have besides a value and how they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import weakref
    from collections.abc import Callable

    from gradviz.imitation.engine.hooks.on_nodes import NodeHooks
    from gradviz.imitation.engine.memory.sharing import Storage
    from gradviz.imitation.engine.tensor import Tensor


class Extra:
    """What few tensors have. Interior results carry None in its place, which keeps them small and fast.

    The defaults belong to the class: most of these objects differ from them in one or two places.

    Attributes:
        grad: `.grad`.
        attributes: what the user set on the tensor under names of his own, or None.
        shared_grad: whether the data of this tensor, a `.grad`, also stands in the record of a sweep.
        hooks: functions of the incoming gradient, by number in order of registration.
        node_hooks: the hooks of its backward node.
        retains_grad: whether a non-leaf was told to keep its gradient.
        keeper: of an entry of the tape, the tensor whose `.grad` gets what comes there; see `memory.retained`.
        is_parameter: whether it is an `nn.Parameter`.
        label: the variable it was assigned to, and `line`, the line that made it, for a leaf or constant, at `level`.
        nickname: what a leaf or constant is called that no variable holds.
        storage: the memory, once several tensors look at it or it was changed in place.
        base: for a view, the tensor it looks into.
        has_steps: whether its array has PyTorch's steps along dims of one element too; see `memory.steps`.
        whole: of what `detach()` or `.data` gave, the array in whose memory it lies.
        is_data: whether it is the untracked alias that `.data` gives.
        apart: counts the changes of such an alias and of its views, which do not count for what was recorded.
        owner: for a stand-in, the tensor it was left by: a leaf's gradients still accumulate there.
        shown: for a stand-in whose memory was written to, the value as it was.
        node: of a tensor whose memory was changed since an op made it, and that was used again, where the entry stands
            that its node belongs to.
        first: for a stand-in that was given other memory (`.data = value`), the array that its node knows.
        gathers: of a leaf that got another shape, the array as its AccumulateGrad knows it, since something was made of
            the leaf before.
        forgotten: of a leaf, how long the tape was each time that PyTorch forgot its AccumulateGrad.
        past: positions of the last stand-ins that were given other memory with it.
        modified: for a stand-in, whether the change counts for the saved-tensor check.
        is_outdated: whether its value is no longer the one its op gave, and `has_left`, whether changes of the memory
            need not look at it.
        is_in_place: whether its op took the place of its first input, whose value it keeps for itself.
        counted: of what a change through a view made, which stays inside CopySlices: what counts the changes of the
            memory, the count when it was made, and the view.
        last: of what a change through a view made that shows numbers several times, which were written last.
        is_repeating: whether it is a base that was changed through a view that shows numbers several times by a step of
            0, as an expanded one: PyTorch cannot write the gradient of such a view.
        is_assigned: whether it is a base of which a part was assigned, and not changed through a view.
        is_unread: for a view whose base was changed, whether it has a history only since then that nothing asked for.
        is_uncounted: whether it was made in inference mode, which counts no changes, and got the memory of a value that
            was not (`.data = value`).
        untracked: for a view that was made while nothing was recorded, in which mode and at which version of the
            storage; see `memory.untracked`.
        creation: for a view that takes no gradient, what PyTorch notes of how it was made: "no_grad", "inference",
            "several" for one of several results, "custom" for that of a custom Function; None where it may be changed
            in place by anything.
        first_version: how often its memory was written to before it had a `storage`, as its maker says.
        late: of a gradient, what says how often the pass wrote to it, besides; see `passes.memories`.
        seen_version: of the memory when a view was made.
        saved_version: for a stand-in or an outdated tensor, the version of the storage before the change.
    """

    grad: Tensor | None = None
    attributes: dict[str, Any] | None = None
    shared_grad = False
    hooks: dict[int, Any] | None = None
    node_hooks: NodeHooks | None = None
    retains_grad = False
    keeper: weakref.ref[Tensor] | None = None
    is_parameter = False
    label: str | None = None
    nickname: str | None = None
    line: int | None = None
    level: Any = None
    storage: Storage | None = None
    base: Tensor | None = None
    has_steps = False
    whole: Any = None
    is_data = False
    apart: Storage | None = None
    is_uncounted = False
    untracked: tuple[str, int] | None = None
    creation: str | None = None
    owner: Tensor | None = None
    shown: Any = None
    node: int | None = None
    first: Any = None
    gathers: Any = None
    forgotten: tuple[int, ...] = ()
    past: tuple[int, ...] = ()
    modified = False
    is_outdated = False
    has_left = False
    is_unread = False
    counted: tuple[Storage, int, weakref.ref[Tensor]] | None = None
    last: Any = None
    is_repeating = False
    is_assigned = False
    is_in_place = False
    saved_version = 0
    seen_version = 0
    first_version = 0
    late: Callable[[], int] | None = None
