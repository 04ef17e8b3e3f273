"""`torch.autograd.Function`: an op whose forward and backward a script writes itself."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.apply import alias
from gradviz.engine.dtypes import dtype_of
from gradviz.engine.graph import BackwardCFunction
from gradviz.engine.modes import no_grad
from gradviz.engine.saved import CHANGED, ENABLE_ANOMALY, TWICE
from gradviz.engine.state import state
from gradviz.engine.tensor import EVEN, Tensor, constant, current, number_next
from gradviz.engine.views import write
from gradviz.ops import functions as r
from gradviz.ops.fitting import Gradient, fit
from gradviz.ops.op import Array, Op, names


class FunctionCtx:
    """The `ctx` of a call: what forward keeps for backward.

    Attributes:
        needs_input_grad: for each argument of `apply`, whether a gradient is wanted.
    """

    __module__ = "torch.autograd.function"

    def __init__(self) -> None:
        self.needs_input_grad: tuple[bool, ...] = ()
        self.materialize_grads = True
        self._saved: list[tuple[Tensor | None, int]] = []
        self._not_differentiable: tuple[Tensor, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()
        self._is_freed = False
        self._node = "FunctionCtx"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{self.__dict__.get('_node')}' object has no attribute '{name}'")

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs or outputs for backward; a change in place until then is noticed.

        Raises:
            TypeError: something else than a tensor or None.
        """
        for number, x in enumerate(tensors):
            if x is not None and not isinstance(x, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {number} is of type {type(x).__name__}"
                )
        self._saved = [(x, 0 if x is None else x._version) for x in tensors]

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What was kept.

        Raises:
            RuntimeError: it was freed, or changed in place since.
        """
        if self._is_freed and self._saved:
            raise RuntimeError(TWICE)
        for x, version in self._saved:
            if x is not None and x._version != version:
                raise RuntimeError(
                    CHANGED.format(
                        type=dtype_of(current(x).array.dtype).type_name, shape=list(current(x).array.shape), made_by="",
                        now=x._version, expected=version, hint=ENABLE_ANOMALY,
                    )
                )  # fmt: skip
        return tuple([x for x, _ in self._saved])

    saved_variables = saved_tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Of no use here: there is no forward mode."""

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward changed in place."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs take no gradient."""
        self._not_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros, not None, for outputs that no gradient came to."""
        self.materialize_grads = value


class FunctionType(type):
    """Keeps people from making instances, as old PyTorch code does."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Function is applied, not made."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )


class Function(metaclass=FunctionType):
    """Base of one's own ops: subclasses write forward(ctx, ...) and backward(ctx, ...), and are called by `apply`."""

    __module__ = "torch.autograd.function"

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs; gradients are not recorded inside."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keep what backward needs, for a forward that takes no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """From one dL/d(output) for each output, one dL/d(input) for each input."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and record the call as one entry."""
        return Call(cls, args, kwargs).run()


class Call:
    """One call of a Function.

    Attributes:
        ctx: of the call.
        entries: the entries of the arguments that are tensors, and `slots`, their places among all.
        outputs: shape and dtype of each output that takes a gradient, None for what takes none.
        idle: shape and dtype of the tensors among those that take none, by their numbers.
        reached: of several outputs, the numbers of those that a gradient came to in the present pass.
    """

    def __init__(self, function: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.ctx = FunctionCtx()
        self.ctx._node = f"{function.__name__}Backward"
        self.slots = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        self.entries = tuple([current(args[i]) for i in self.slots])
        self.ctx.needs_input_grad = tuple([isinstance(x, Tensor) and current(x).tracked for x in args])
        self.outputs: list[tuple[tuple[int, ...], np.dtype[Any]] | None] = []
        self.idle: dict[int, tuple[tuple[int, ...], np.dtype[Any]]] = {}
        self.reached: set[int] = set()
        self.head: Tensor | None = None

    @property
    def name(self) -> str:
        """The name of the op."""
        return self.function.__name__

    def run(self) -> Any:
        """Run forward and record it."""
        with no_grad():
            result = self._forward(self.args, self.ctx)
        is_tuple = isinstance(result, tuple)
        found = list(result) if is_tuple else [result]
        if state.grad_enabled and any(self.ctx.needs_input_grad):
            found = self._recorded(found)
        else:
            found = [alias(x) if self._is_argument(x) and not _is_in(x, self.ctx._dirty) else x for x in found]
        return tuple(found) if is_tuple else found[0]

    def _forward(self, args: Sequence[Any], ctx: FunctionCtx) -> Any:
        if self.function.setup_context is not Function.setup_context:
            inspect.signature(self.function.forward).bind(*args, **self.kwargs)  # whose errors are PyTorch's here
            result = self.function.forward(*args, **self.kwargs)
            self.function.setup_context(ctx, tuple(args), result)
            return result
        return self.function.forward(ctx, *args, **self.kwargs)

    def _is_argument(self, x: Any) -> bool:
        return isinstance(x, Tensor) and _is_in(x, self.args)

    def _recorded(self, found: list[Any]) -> list[Any]:
        ctx = self.ctx
        taking = [
            i for i, x in enumerate(found)
            if isinstance(x, Tensor) and current(x).array.dtype.kind == "f" and not _is_in(x, ctx._not_differentiable)
        ]  # fmt: skip
        self.outputs = [
            (current(x).array.shape, current(x).array.dtype) if i in taking else None for i, x in enumerate(found)
        ]
        self.idle = {
            i: (current(x).array.shape, current(x).array.dtype)
            for i, x in enumerate(found) if isinstance(x, Tensor) and i not in taking
        }  # fmt: skip
        if not taking:
            return found
        if len(taking) == 1:
            x = found[taking[0]]
            found[taking[0]] = self._enter(x, current(x).array, self.op(), self.entries)
            return found
        arrays = [current(found[i]).array for i in taking]
        self.head = self._enter(None, np.concatenate([np.ravel(array) for array in arrays]), self.op(), self.entries)
        start = 0
        for number, i in enumerate(taking):
            array = arrays[number]
            params = {"start": start, "stop": start + array.size, "shape": array.shape, "output": i}
            start += array.size
            found[i] = self._enter(found[i], array, self._part(i), (self.head,), params)
        return found

    def _enter(self, x: Tensor | None, array: Array, op: Op, inputs: tuple[Tensor, ...], params: Any = EVEN) -> Tensor:
        """Make an entry of what forward returned: of the same tensor where that is its own, so that ctx can keep it."""
        if x is None or self._is_argument(x) or (x.extra is not None and x.extra.memory is not None):
            made = constant(array)
        else:
            made = x
        made.tracked, made.op, made.inputs, made.params, made.index = True, op, inputs, params, number_next()
        if state.on_entry is not None:
            state.on_entry(made)
        if x is not None and _is_in(x, self.ctx._dirty):
            if current(x).tracked and current(x).op is None:
                raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
            return write(x, made)
        return made

    # ---- backward ------------------------------------------------------------------------------------------------

    def op(self) -> Op:
        """The row of this call: its rules are the script's backward."""
        return Op(
            self.name, self._again, (None,) * len(self.entries), tuple(f"x{i}" for i in range(len(self.entries))),
            node=f"{self.name}Backward", saves=names("y" if self.ctx._saved else ""), joint=self.vjp,
            equation=f"y = {self.name}.forward(…)",
        )  # fmt: skip

    def _part(self, number: int) -> Op:
        def send(entry: Tensor, g: Gradient) -> Sequence[Gradient]:
            self.reached.add(number)
            size = entry.inputs[0].array.shape
            return (r.put(r.reshape(g, (-1,)), size, slice(entry.params["start"], entry.params["stop"])),)

        return Op(
            "output", lambda x, start, stop, shape, output: x[start:stop].reshape(shape), (None,), ("x",),
            node=f"{self.name}Backward", joint=send, equation="y = one of several outputs",
        )  # fmt: skip

    def _again(self, *arrays: Array) -> Array:
        """Forward on other arrays; several outputs one after the other."""
        return self.run_again(arrays)[0]

    def run_again(self, arrays: Sequence[Array]) -> tuple[Array, Callable[[Array], Sequence[Array | None]]]:
        """Forward on other arrays, and what sends a v back through it: for checks of the script's backward."""
        call = Call(self.function, self._with(arrays), self.kwargs)
        with no_grad():
            result = call._forward(call.args, call.ctx)
        found = list(result) if isinstance(result, tuple) else [result]
        call.ctx.needs_input_grad = self.ctx.needs_input_grad
        call.outputs = [
            None if mine is None else (current(x).array.shape, current(x).array.dtype)
            for mine, x in zip(self.outputs, found, strict=True)
        ]
        call.idle = self.idle
        call.reached = {i for i, kind in enumerate(call.outputs) if kind is not None}
        taken = [np.ravel(current(x).array) for x, kind in zip(found, self.outputs, strict=True) if kind is not None]
        whole = taken[0].reshape(next(k for k in call.outputs if k is not None)[0]) if len(taken) == 1 else None
        array: Array = np.concatenate(taken) if whole is None else whole
        return array, lambda v: call.vjp(None, v)

    def _with(self, arrays: Sequence[Array]) -> tuple[Any, ...]:
        args = list(self.args)
        for slot, array in zip(self.slots, arrays, strict=True):
            args[slot] = constant(array)
            args[slot].tracked = current(self.args[slot]).tracked
        return tuple(args)

    def vjp(self, entry: Tensor | None, g: Gradient) -> Sequence[Gradient | None]:
        """What the script's backward gives for what comes in: one gradient, or None, for each tensor argument."""
        incoming = self._split(g)
        function = self.function
        rule = function.vjp if function.vjp is not Function.vjp else function.backward
        if rule is Function.backward:
            Function.backward(None)
        given = rule(self.ctx, *incoming)
        sent = given if isinstance(given, tuple | list) else (given,)
        if len(sent) < len(self.args) or any(extra is not None for extra in sent[len(self.args) :]):
            raise RuntimeError(
                f"function {self.name}Backward returned an incorrect number of gradients (expected {len(self.args)}, "
                f"got {len(sent)})"
            )
        return [
            self._fitted(i, sent[i], x, isinstance(g, Tensor)) for i, x in zip(self.slots, self.entries, strict=True)
        ]

    def _split(self, g: Gradient) -> list[Tensor | None]:
        """What comes in for each output: zeros, or None where the script wants that, for what no gradient came to."""
        array = g.array if isinstance(g, Tensor) else g
        taking = [i for i, kind in enumerate(self.outputs) if kind is not None]
        reached, self.reached = self.reached, set()
        found: list[Tensor | None] = []
        start = 0
        for i, kind in enumerate(self.outputs):
            if kind is None:
                is_zero = i in self.idle and self.ctx.materialize_grads
                found.append(constant(np.zeros(*self.idle[i])[()]) if is_zero else None)
                continue
            if len(taking) == 1:
                found.append(g if isinstance(g, Tensor) else constant(array))
                continue
            shape, dtype = kind
            size = int(np.prod(shape))
            part = g[start : start + size].reshape(shape) if isinstance(g, Tensor) else None
            start += size
            if i not in reached and not self.ctx.materialize_grads:
                found.append(None)
            else:
                cut = array[start - size : start].reshape(shape).astype(dtype)
                found.append(part if part is not None else constant(cut[()]))
        return found

    def _fitted(self, number: int, given: Any, x: Tensor, as_tensor: bool) -> Gradient | None:
        if given is None or not x.tracked:
            return None
        if not isinstance(given, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(given).__name__})")
        now = current(given)
        shape, wanted = now.array.shape, x.array.shape
        if shape != wanted and not _sums_to(shape, wanted):
            raise RuntimeError(
                f"Function {self.name}Backward returned an invalid gradient at index {number} - got {list(shape)} but "
                f"expected shape compatible with {list(wanted)}"
            )
        return fit(now if as_tensor else now.array, x.array)


def _is_in(x: Any, those: Iterable[Any]) -> bool:
    return any(x is each for each in those)


def _sums_to(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether summing over axes leads from one shape to the other."""
    return len(shape) >= len(wanted) and all(
        n in (1, m) for m, n in zip(reversed(shape), reversed(wanted), strict=False)
    )


TWICE_MARKED = "trying to differentiate twice a function that was marked with @once_differentiable"


def _refuse_twice(entry: Tensor, g: Gradient) -> Sequence[Gradient]:
    raise RuntimeError(TWICE_MARKED)


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a backward whose result must not be differentiated again."""

    @functools.wraps(function)
    def backward(ctx: Any, *args: Any) -> Any:
        with no_grad():
            given = function(ctx, *args)
        tensors = [x for x in args if isinstance(x, Tensor) and current(x).tracked]
        if not state.grad_enabled or not tensors:
            return given
        op = Op("error", lambda *_: None, (None,) * len(tensors), node="Error", joint=_refuse_twice)
        sent = given if isinstance(given, tuple) else (given,)
        made = [x if x is None else _marked(op, x, tuple([current(t) for t in tensors])) for x in sent]
        return tuple(made) if isinstance(given, tuple) else made[0]

    return backward


def _marked(op: Op, x: Tensor, inputs: tuple[Tensor, ...]) -> Tensor:
    made = constant(current(x).array)
    made.tracked, made.op, made.inputs, made.index = True, op, inputs, number_next()
    return made


__all__ = ["BackwardCFunction", "Call", "Function", "FunctionCtx", "once_differentiable"]
