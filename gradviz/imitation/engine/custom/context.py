"""The `ctx` of a custom Function: what its forward leaves for its backward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradviz.imitation.engine.hooks.on_saved_tensors import Packed, current, packed, twin
from gradviz.imitation.engine.inference import refuse_saving
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.memory.storage import storage_of, version
from gradviz.imitation.engine.nodes import array_of_node, is_again
from gradviz.imitation.engine.passes.backward import ONCE_MORE, TWICE, modified
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError

NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
    "inplace must all be outputs of the Function."
)


class Context:
    """The `ctx` of a custom Function.

    Attributes:
        needs: `needs_input_grad`, one bool per argument of `apply`.
        name: the name of the Function.
        place: the tape and the position of the entry that stands for the call, once it is recorded.
        saved: what `save_for_backward` was given, with the `versions` of their memory at that time.
        packed: what the pack hooks gave for the saved tensors; None where no hooks were set.
        results: which of the saved tensors are results of the Function.
        attributes: what the user set on ctx.
        dirty: the inputs that forward changed in place, by `mark_dirty`.
        not_differentiable: the outputs that take no gradient, by `mark_non_differentiable`.
        saved_forward: what `save_for_forward` was given; `reads_forward`, whether that is what `saved_tensors` gives.
        arguments: what the Function was applied to.
        pushed: tangents of the arguments, and what its `jvp` made of them; None where it was not called.
        materializes: whether a missing gradient of an output comes as zeros, not as None.
    """

    def __init__(self, needs: tuple[bool, ...], name: str = "") -> None:
        self.needs = needs
        self.name = name
        self.place: tuple[Tape, int] | None = None
        self.saved: tuple[Tensor | None, ...] = ()
        self.versions: tuple[int, ...] = ()
        self.packed: tuple[Packed | None, ...] | None = None
        self.results: frozenset[int] = frozenset()
        self.attributes: dict[str, Any] = {}
        self.dirty: tuple[Tensor, ...] = ()
        self.not_differentiable: tuple[Tensor, ...] = ()
        self.materializes = True
        self.saved_forward: tuple[Any, ...] = ()
        self.reads_forward = False
        self.arguments: tuple[Any, ...] = ()
        self.pushed: tuple[Sequence[Any], tuple[Any, ...]] | None = None

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward changed in place; it must return them.

        Raises:
            TorchError: something else than a tensor.
        """
        if not all(isinstance(x, Tensor) for x in tensors):
            raise TorchError("mark_dirty can only accept variables, but argument ")
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs take no gradient.

        Raises:
            TorchError: something else than a tensor.
        """
        if not all(isinstance(x, Tensor) for x in tensors):
            raise TorchError("mark_non_differentiable only accepts variable arguments, but got ")
        self.not_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros for an output that no gradient came to, or None."""
        if not isinstance(value, bool):
            raise TorchError(
                "set_materialize_grads received an invalid combination of arguments - got (), but expected (bool)",
                kind="TypeError",
                hint="Give True or False.",
            )
        self.materializes = value

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for the backward pass.

        Raises:
            TorchError: something else than a tensor or None.
        """
        for number, tensor in enumerate(tensors if any(self.needs) else ()):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TorchError(
                    f"save_for_backward can only save variables, but argument {number} is of type {kind_name(tensor)}",
                    kind="TypeError",
                    hint="Set it on ctx instead: ctx.n = n.",
                )
        self.saved = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for the forward derivative.

        Raises:
            TorchError: something else than a tensor or None.
        """
        for number, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TorchError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes "
                    "on ctx.",
                    kind="AssertionError",
                    hint=f"Argument {number} is of type {kind_name(tensor)}.",
                )
        self.saved_forward = tensors

    @contextmanager
    def reading_forward(self) -> Iterator[None]:
        """While the forward derivative is worked out, what was saved for it is what was saved."""
        self.reads_forward = True
        try:
            yield
        finally:
            self.reads_forward = False

    def recorded(self, node: Tensor, results: list[Any]) -> None:
        """The call is on the tape: what was saved is now as it must be found again."""
        self.place = node.tape, node.index
        for tensor in self.saved:
            refuse_saving(tensor)
        self.versions = tuple(0 if x is None else version(x) for x in self.saved)
        hooks = current(node.tape)
        if hooks is not None:
            self.packed = tuple(None if x is None else packed(x, hooks) for x in self.saved)
        self.results = frozenset(i for i, x in enumerate(self.saved) if any(x is y for y in results))

    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What was saved.

        Raises:
            TorchError: it was freed, or changed in place since.
        """
        if self.reads_forward and self.saved_forward:
            return self.saved_forward
        if self.place is None:
            return self.saved
        tape, position = self.place
        if position in tape.freed:
            raise TorchError(TWICE, hint=ONCE_MORE)
        for number, (tensor, before) in enumerate(zip(self.saved, self.versions, strict=True)):
            if tensor is not None and version(tensor) != before:
                made = tape.entries[position] if number in self.results else tensor
                raise modified(tensor, made, version(tensor), before)
        if self.packed is None:
            return tuple(as_made(x) if number in self.results else x for number, x in enumerate(self.saved))
        pairs = zip(self.packed, self.saved, strict=True)
        return tuple(x if x is None or kept is None else twin(x, kept.read().data) for kept, x in pairs)

    def check_dirty(self, items: tuple[Any, ...]) -> None:
        """Count the changes of the inputs marked as dirty, which must all be among the results.

        Raises:
            TorchError: one of them was not returned.
        """
        for tensor in self.dirty:
            if not any(tensor is item for item in items):
                raise TorchError(NOT_RETURNED, hint="Return the changed input itself: return x.")
            storage_of(tensor).version += 1


def as_made(x: Tensor | None) -> Tensor | None:
    """A result as the node saved it, where the tensor itself looks into other memory since."""
    return x if x is None or not is_again(x) else twin(x, array_of_node(x))
