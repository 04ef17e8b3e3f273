"""A custom autograd Function: an op whose forward and backward the user wrote.

Knows nothing of how they are run: the script reader (or a Python caller) hands in two callables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.custom.context import Context
from gradviz.imitation.engine.dtypes import FLOATING, DType
from gradviz.imitation.engine.generic import OPS, to
from gradviz.imitation.engine.inference import is_inference, is_on, records_calls
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.memory.leaving import leave_graph
from gradviz.imitation.engine.memory.retained import hand_on, refuse_lost
from gradviz.imitation.engine.memory.storage import USE_NO_GRAD, VIEW_INPLACE, alias, leave_stand_in, share
from gradviz.imitation.engine.memory.untracked import is_untracked
from gradviz.imitation.engine.memory.views import is_view, look_again, places, refuse_view, root, take_place
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.rules.shapes.shaping import fit
from gradviz.imitation.engine.shape_errors import invalid_gradient
from gradviz.imitation.engine.shapes import broadcasts
from gradviz.imitation.engine.tensor import Tape, Tensor, constant
from gradviz.errors import TorchError


def apply_function(
    name: str,
    arguments: Sequence[Any],
    forward: Callable[[Context, Sequence[Any]], Any],
    backward: Callable[..., Any],
) -> Any:
    """Run a custom Function and record it as one node; each of several outputs is a node of its own after it.

    Args:
        name: the class's name; the node is called `<name>Backward`.
        arguments: all arguments of `apply`, tensors or not.
        forward: runs the user's forward with a ctx and the arguments; returns its result.
        backward: runs the user's backward with the ctx and the incoming gradients, one for each output.

    Raises:
        TorchError: a change in place that PyTorch refuses, or wrong gradients later in the backward pass.
    """
    tensors = [x for x in arguments if isinstance(x, Tensor)]
    tape = tensors[0].tape if tensors else None
    ctx = Context(tuple(isinstance(x, Tensor) and x.requires_grad for x in arguments), name)
    if tape is None:
        return forward(ctx, arguments)
    records = records_calls(tape) and any(ctx.needs)
    # Positions are taken before the run: what forward changes in place leaves its position.
    sources = tuple(x.index if x.index >= 0 else tape.enter(x) for x in tensors) if records else ()
    roots = {id(base): base.index for x in tensors if (base := root(x)) is not x} if records else {}
    with tape.grad_mode(False):
        result = forward(ctx, arguments)
    outputs = Outputs(result, ctx)
    ctx.check_dirty(outputs.items)
    if not records or not outputs.places:
        found = [_unrecorded(x, tensors, ctx) for x in outputs.items]
        return tuple(found) if outputs.is_tuple else found[0]
    return Call(name, tuple(arguments), ctx, forward, backward).recorded(outputs, sources, tape, roots)


def _unrecorded(x: Any, arguments: Sequence[Any], ctx: Context) -> Any:
    """A result where nothing is recorded: an argument that is returned as it is comes back as a view of itself.

    What takes a gradient all the same is detached, anything but a view in place.
    """
    if not isinstance(x, Tensor):
        return x
    is_argument, is_dirty = (any(x is y for y in known) for known in (arguments, ctx.dirty))
    if x.requires_grad and is_argument:
        return alias(x, tracked=True)
    if x.requires_grad and not is_view(x):
        return x if is_on(x.tape) else leave_graph(x)  # in inference mode nobody looks at the graph
    if is_argument and not is_dirty:
        if not isinstance(x.data, np.ndarray):
            x.data = np.array(x.data)  # memory that both can look into
        x = share(x, constant(x.data, x.tape))
    if x.extra is not None and x.extra.base is not None and not (is_argument and is_dirty):
        x.extra.creation = "custom"
    return x


VIEW_OF_SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)


class Outputs:
    """What forward returned.

    Attributes:
        items: all of it, as a tuple.
        places: which of the items are tensors that take a gradient.
    """

    def __init__(self, result: Any, ctx: Context) -> None:
        self.is_tuple = isinstance(result, tuple)
        self.items: tuple[Any, ...] = result if isinstance(result, tuple) else (result,)
        self.places = [
            i
            for i, x in enumerate(self.items)
            if isinstance(x, Tensor) and x.dtype.kind in FLOATING and all(x is not y for y in ctx.not_differentiable)
        ]

    @property
    def differentiable(self) -> list[Tensor]:
        """The tensors that take a gradient."""
        return [self.items[i] for i in self.places]

    def whole(self) -> Any:
        """All of them as one array: the only one as it is, several one after the other."""
        arrays = [x.data for x in self.differentiable]
        return arrays[0] if len(arrays) == 1 else np.concatenate([np.ravel(array) for array in arrays])

    def parts(self) -> list[slice]:
        """Where each stands in the array of several."""
        ends = np.cumsum([x.data.size for x in self.differentiable]).tolist()
        return [slice(end - x.data.size, end) for end, x in zip(ends, self.differentiable, strict=True)]


class Call:
    """One call of a custom Function, as its node needs it in the backward pass.

    Attributes:
        count: of all results; `others`, of the tensors among them that take no gradient, place, shape and dtype.
        outputs: of each result that takes a gradient, its place among all, shape, dtype, and place in the array of all.
    """

    def __init__(
        self,
        name: str,
        arguments: tuple[Any, ...],
        ctx: Context,
        forward: Callable[[Context, Sequence[Any]], Any],
        backward: Callable[..., Any],
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.kinds = tuple((x.shape, x.dtype) if isinstance(x, Tensor) else None for x in arguments)
        self.ctx = ctx
        self.forward = forward
        self.backward = backward
        self.tape = next(x.tape for x in arguments if isinstance(x, Tensor))
        self.outputs: list[tuple[int, tuple[int, ...], Any, slice]] = []
        self.others: list[tuple[int, tuple[int, ...], Any]] = []
        self.count = 1

    def recorded(self, outputs: Outputs, sources: tuple[int, ...], tape: Tape, roots: dict[int, int]) -> Any:
        """The outputs, on the tape; `roots` tells where what the arguments are views of stood before the run."""
        self.count = len(outputs.items)
        found = list(outputs.items)
        for i, x in enumerate(found):
            if isinstance(x, Tensor) and i not in outputs.places:
                self.others.append((i, x.shape, x.dtype))
                found[i] = _unrecorded(x, self.arguments, self.ctx)
        changed = outputs.differentiable
        is_one = len(changed) == 1
        self.outputs = [
            (i, x.shape, x.dtype, part) for i, x, part in zip(outputs.places, changed, outputs.parts(), strict=True)
        ]
        tape.by_node = True
        start = self._own(changed[0], outputs.places[0]) if is_one else constant(outputs.whole(), tape)
        _enter(start, self.op(sources, tape), sources)
        is_dirty = any(start is x for x in self.ctx.dirty)
        if is_one and is_dirty and root(start) is not start and roots.get(id(root(start)), -1) >= 0:
            self._through_view(start, roots[id(root(start))])
        if is_one:
            found[outputs.places[0]] = start
        else:
            for k, x in enumerate(changed):
                piece = found[outputs.places[k]] = _enter(self._own(x, outputs.places[k]), self.part(k), (start.index,))
                piece.params = {"output": outputs.places[k]}
        self.ctx.recorded(start, found)
        for x in self.ctx.dirty:
            refuse_lost(x)
        return tuple(found) if outputs.is_tuple else found[0]

    def _through_view(self, view: Tensor, at: int) -> None:
        """A view that was changed in place: its base becomes a result of CopySlices, and it a view of that."""
        base = root(view)
        index = places(view, base)
        part = constant(view.data, self.tape)
        part.inputs, part.op, part.requires_grad, part.index = view.inputs, view.op, True, view.index
        part.more.is_in_place = True
        self.tape.entries[part.index] = part
        whole = _enter(constant(np.array(base.data)[()], self.tape), OPS["copy_slices"], (at, part.index))
        whole.params = {"index": index}
        take_place(base, whole)
        look_again(view, base, index)

    def _refuse_dirty(self, x: Tensor) -> None:
        base = root(x)
        if x.op is None and x.requires_grad:
            text = "a leaf Variable that requires grad has been used in an in-place operation."
            raise TorchError(text, hint=USE_NO_GRAD)
        if base is not x and self.count > 1:
            raise TorchError(VIEW_OF_SEVERAL, hint="Return the changed view alone, or clone() it first.")
        refuse_view(x)
        if base is not x and base.op is None and (base.requires_grad or x.requires_grad):
            raise TorchError(VIEW_INPLACE, hint=USE_NO_GRAD)

    def _own(self, x: Tensor, number: int) -> Tensor:
        """The tensor an output is: one of its own where the user returned an input, but the input if it is dirty."""
        if any(x is y for y in self.ctx.dirty):
            self._refuse_dirty(x)
            if x.index >= 0:
                leave_stand_in(x, counts=True, keep_value=True)  # changed by numpy, or not at all
            hand_on(x, number)
            x.more.hooks = x.more.node_hooks = None  # they stay with the node that made it before
            x.more.is_outdated, x.more.node = False, None
            if x.more.storage is not None:
                x.more.storage.come_back(x)
            return x
        if all(x is not y for y in self.arguments):
            if is_untracked(x):
                x.more.untracked, x.requires_grad = None, False  # the call is its history
            if x.index >= 0 or x.requires_grad:
                return constant(x.data, x.tape)
            if is_inference(x):
                x.more.is_uncounted = True
            return x
        if not isinstance(x.data, np.ndarray):
            x.data = np.array(x.data)  # memory that both can look into
        return share(x, constant(x.data, x.tape))

    def op(self, sources: tuple[int, ...], tape: Tape) -> Op:
        """The op of the node that stands for the call."""
        count = len(sources)
        return Op(
            name=self.name,
            symbol="ƒ",
            forward=lambda *_: None,
            vjp=(),
            inputs=tuple(f"x{i}" for i in range(count)),
            formula=(f"{self.name}.backward(g)",) * count,
            equation=f"y = {self.name}(…)",
            node=f"{self.name}Backward",
            saves=frozenset({"saved"}) if self.ctx.saved else frozenset(),
            joint=self.send,
            pieces=self.count if len(self.outputs) > 1 else 0,
            among=(self.outputs[0][0], self.count) if len(self.outputs) == 1 < self.count else None,
            again=lambda arrays: self.again(arrays, tape),
            context=self.ctx,
        )

    def send(self, came: Sequence[Tensor | None], needs: tuple[bool, ...]) -> tuple[Any, ...]:
        """All outgoing gradients. `came` has one gradient for each result, or for the only one that takes one."""
        return _checked(self.name, self.backward(self.ctx, *self.incoming(came)), self.kinds, needs)

    def incoming(self, came: Sequence[Tensor | None]) -> list[Tensor | None]:
        """The gradient of each output: what came, zeros, or None."""
        found: list[Tensor | None] = [None] * self.count
        for place, shape, dtype, _ in self.outputs:
            g = came[0] if len(self.outputs) == 1 else came[place]
            if g is None and self.ctx.materializes:
                g = constant(np.zeros(shape, dtype)[()], self.tape)
            found[place] = g
        for place, shape, dtype in self.others if self.ctx.materializes else ():
            found[place] = constant(np.zeros(shape, dtype)[()], self.tape)
        return found

    def again(self, arrays: Sequence[Any], tape: Tape) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """The forward on other arrays, with its backward."""
        given = iter(arrays)
        inside = tuple(constant(next(given), tape) if isinstance(x, Tensor) else x for x in self.arguments)
        fresh = Call(self.name, inside, Context(self.ctx.needs), self.forward, self.backward)
        fresh.count = self.count
        with tape.grad_mode(False):
            outputs = Outputs(self.forward(fresh.ctx, inside), fresh.ctx)
        fresh.outputs = [
            (i, x.shape, x.dtype, part)
            for i, x, part in zip(outputs.places, outputs.differentiable, outputs.parts(), strict=True)
        ]
        needs = tuple(need for need, x in zip(self.ctx.needs, self.arguments, strict=True) if isinstance(x, Tensor))

        def vjp(v: Any) -> tuple[Any, ...]:
            with tape.grad_mode(False):
                came = fresh.incoming(fresh.pieces_of(v))
                sent = _checked(self.name, self.backward(fresh.ctx, *came), fresh.kinds, needs)
            return tuple(g.data if g is not None and needed else None for g, needed in zip(sent, needs, strict=True))

        return outputs.whole(), vjp

    def pieces_of(self, v: Any) -> list[Tensor | None]:
        """The gradient of each result out of that of all of them one after the other."""
        if len(self.outputs) == 1:
            return [constant(v, self.tape)]
        found: list[Tensor | None] = [None] * self.count
        for place, shape, dtype, part in self.outputs:
            found[place] = constant(v[part].reshape(shape).astype(dtype)[()], self.tape)
        return found

    def part(self, number: int) -> Op:
        """The op of one of several outputs: a piece of the node's value."""
        _, shape, _, part = self.outputs[number]

        def again(arrays: Sequence[Any]) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
            (whole,) = arrays

            def vjp(v: Any) -> tuple[Any, ...]:
                spread = np.zeros(whole.shape, whole.dtype)
                spread[part] = np.ravel(v)
                return (spread,)

            return whole[part].reshape(shape)[()], vjp

        return Op(
            name=f"{self.name}[{number}]",
            symbol=f"[{number}]",
            forward=lambda whole, **_: whole[part].reshape(shape)[()],
            vjp=(),
            inputs=("x",),
            formula=("g",),
            equation=f"y = output {number} of {self.name}",
            node=f"{self.name}Backward",
            joint=self.send,
            again=again,
            output="output",
        )


def _enter(out: Tensor, op: Op, sources: tuple[int, ...]) -> Tensor:
    """Put a tensor on the tape as the result of an op."""
    out.inputs, out.op, out.requires_grad, out.index = sources, op, True, len(out.tape.entries)
    out.tape.entries.append(out)
    return out


Kind = tuple[tuple[int, ...], DType]
"""The shape and dtype of an argument at the call, which the node knows; `.data =` may change both later."""


def _checked(name: str, returned: Any, arguments: Sequence[Kind | None], needs: tuple[bool, ...]) -> tuple[Any, ...]:
    """One gradient per tensor argument out of what the user's backward returned, also where none was asked for.

    Args:
        arguments: of each its kind; None for one that is no tensor.
    """
    gradients = returned if isinstance(returned, tuple) else (returned,)
    extra = gradients[len(arguments) :]
    if len(gradients) < len(arguments) or any(g is not None for g in extra):
        raise TorchError(
            f"function {name}Backward returned an incorrect number of gradients (expected {len(arguments)}, got "
            f"{len(gradients)})",
            hint="backward returns one value for every argument of forward, None where there is no gradient.",
        )
    sent: list[Any] = []
    for number, (kind, g) in enumerate(zip(arguments, gradients, strict=False)):
        if kind is None:
            if g is not None:
                raise TorchError(
                    f"function {name}Backward returned a gradient different than None at position {number + 1}, but "
                    "the corresponding forward input was not a Variable",
                    hint="Return None for an argument that is no tensor.",
                )
            continue
        if g is not None and not isinstance(g, Tensor):
            raise TorchError(f"expected Variable or None (got {kind_name(g)})")
        sent.append(_fitted(name, number, kind, g) if g is not None and needs[len(sent)] else g)
    return tuple(sent)


def _fitted(name: str, number: int, kind: Kind, g: Tensor) -> Tensor:
    shape, dtype = kind
    if not broadcasts(shape, g.shape):
        hint = "The gradient of an input has the shape of that input."
        raise invalid_gradient(f"{name}Backward", number, g.shape, shape, hint)
    fitted: Tensor = to(fit(g, shape), dtype)
    return fitted
