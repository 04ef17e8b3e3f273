"""`torch.autograd.functional`: vjp, jvp, jacobian, hessian, vhp and hvp.

Each derivative is ordinary backward calls that can be looked at: a Jacobian is one for each of its rows, a jvp the
derivative of a vjp with respect to its v. Source of the steps and words: torch/autograd/functional.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.autograd import set_requires_grad
from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions import METHODS
from gradviz.imitation.engine.indexing.reading import get
from gradviz.imitation.engine.inference import refuse_requires_grad
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.autograd.calls import grad
from gradviz.imitation.script.values import Native

Tensors = tuple[Tensor, ...]
Found = Sequence[Tensor | None]

ROW = 20
"""Steps that one row of a Jacobian counts as."""

OF_FUNCTION = "outputs of the user-provided function"
NO_STRICT = "This is not allowed in strict mode"
ONLY_SINGLE_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
)
ONLY_SINGLE_OUTPUT = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
)
FORWARD_MODE = (
    'torch.autograd.functional.jacobian: `{flag}=True` and `strategy="forward-mode"` are not supported together (yet). '
    'Please either set `{flag}=False` or `strategy="reverse-mode"`.'
)
INDEPENDENT = {
    "hessian": "The hessian of the user-provided function with respect to input {i} is independent of the input. This "
    "is not allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
    "depends on the inputs.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {i} is independent of the input. This is not allowed in strict mode. You should ensure that your function "
    "is twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear function "
    "for example).",
    "grad_inputs": "The gradient with respect to input {i} is independent of the inputs of the user-provided function. "
    "This is not allowed in strict mode.",
    "outputs": "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
}
MISSING = {
    "back": f"The output of the user-provided function is independent of input {{i}}. {NO_STRICT}.",
    "back_trick": "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using "
    f"the double backward trick to compute forward mode gradients. {NO_STRICT}.",
    "double_back": f"The jacobian of the user-provided function is independent of input {{i}}. {NO_STRICT}.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. "
    f"{NO_STRICT} as it prevents from using the double backward trick to replace forward mode AD.",
}


def _detached(x: Tensor, need_graph: bool) -> Tensor:
    """A tensor of the same numbers, which takes a gradient or not."""
    out = constant(np.array(x.data)[()], x.tape)
    if need_graph:
        refuse_requires_grad(x)
        set_requires_grad(out, True, by_method=True)
    return out


class Functional:
    """The functions, for one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    # ---- what is given ----

    def _as_tuple(self, given: Any, what: str, function: str) -> tuple[bool, Tensors]:
        """Whether it is a tuple, and its tensors."""
        several = given if isinstance(given, tuple) else (given,)
        for i, x in enumerate(several):
            if not isinstance(x, Tensor):
                kind = self.machine.builtins["type"].make.run(self.machine, x)
                where = f"value at index {i}" if isinstance(given, tuple) else f"given {what}"
                raise TorchError(
                    f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the {where} has "
                    f"type {kind!r}.",
                    kind="TypeError",
                )
        return isinstance(given, tuple), several

    def _prepared(self, tensors: Tensors, create_graph: bool, need_graph: bool) -> Tensors:
        """What the function is called with in their place: leaves of their own, or views that lead to them."""
        return tuple(
            METHODS["view"](x, *x.shape) if create_graph and x.requires_grad else _detached(x, need_graph)
            for x in tensors
        )

    def _vector(self, v: Any, create_graph: bool, like: Tensors, is_tuple: bool, function: str) -> Tensors:
        _, several = self._as_tuple(v, "v", function)
        found = self._prepared(several, create_graph, need_graph=False)
        if len(found) != len(like):
            raise TorchError(
                f"v is a tuple of invalid length: should be {len(like)} but got {len(found)}."
                if is_tuple
                else "The given v should contain a single Tensor."
            )
        for i, (x, y) in enumerate(zip(found, like, strict=True)):
            if x.shape != y.shape:
                raise TorchError(
                    f"{f'Entry {i} in ' if is_tuple else ''}v has invalid size: should be torch.Size({list(y.shape)}) "
                    f"but got torch.Size({list(x.shape)})."
                )
        return found

    def _outputs(self, func: Any, inputs: Tensors, function: str, strict: bool) -> tuple[bool, Tensors]:
        is_tuple, outputs = self._as_tuple(self.machine.call(func, inputs, {}), OF_FUNCTION, function)
        _check_requires_grad(outputs, "outputs", strict)
        return is_tuple, outputs

    def _scalar(self, func: Any, inputs: Tensors, function: str, strict: bool) -> Tensors:
        is_tuple, outputs = self._outputs(func, inputs, function, strict)
        if is_tuple:
            raise TorchError(f"The function given to {function} should return a single Tensor")
        if outputs[0].data.size != 1:
            raise TorchError(f"The Tensor returned by the function given to {function} should contain a single element")
        return outputs

    # ---- derivatives ----

    def _grad(
        self, outputs: Found, inputs: Tensors, vs: Any = None, *, create_graph: bool = False, retain: bool | None = None
    ) -> Found:
        """`autograd.grad` of those outputs that take a gradient."""
        given = [None] * len(outputs) if vs is None else vs
        pairs = [(y, v) for y, v in zip(outputs, given, strict=True) if y is not None and y.requires_grad]
        if not pairs:
            return (None,) * len(inputs)
        ys, seeds = (list(column) for column in zip(*pairs, strict=True))
        return grad(  # type: ignore[no-any-return]
            self.machine, ys, inputs, seeds, allow_unused=True, create_graph=create_graph, retain_graph=retain
        )

    def vjp(
        self, func: Any, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
    ) -> tuple[Any, Any]:
        tape = self.machine.tape
        with tape.grad_mode(True):
            is_tuple, given = self._as_tuple(inputs, "inputs", "vjp")
            xs = self._prepared(given, create_graph, need_graph=True)
            several, ys = self._outputs(func, xs, "vjp", strict)
            vs = None
            if v is not None:
                vs = self._vector(v, create_graph, ys, several, "vjp")
            elif len(ys) != 1 or ys[0].data.size != 1:
                raise TorchError(ONLY_SINGLE_OUTPUT)
        with tape.grad_mode(create_graph or tape.grad_enabled):
            found = _filled(self._grad(ys, xs, vs, create_graph=create_graph), xs, strict, create_graph, "back")
        return _out(ys, create_graph, several), _out(found, create_graph, is_tuple)

    def jvp(
        self, func: Any, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
    ) -> tuple[Any, Any]:
        tape = self.machine.tape
        with tape.grad_mode(True):
            is_tuple, given = self._as_tuple(inputs, "inputs", "jvp")
            xs = self._prepared(given, create_graph, need_graph=True)
            vs = self._direction(v, create_graph, xs, is_tuple, "jvp")
            several, ys = self._outputs(func, xs, "jvp", strict)
            seeds = self._zeros(ys)
            pulled = self._grad(ys, xs, seeds, create_graph=True)
            _check_requires_grad(pulled, "grad_inputs", strict)
        with tape.grad_mode(create_graph or tape.grad_enabled):
            pushed = self._grad(pulled, seeds, vs, create_graph=create_graph)
            found = _filled(pushed, ys, strict, create_graph, "back_trick")
        return _out(ys, create_graph, several), _out(found, create_graph, several)

    def _direction(self, v: Any, create_graph: bool, xs: Tensors, is_tuple: bool, function: str) -> Tensors | None:
        if v is not None:
            return self._vector(v, create_graph, xs, is_tuple, function)
        if len(xs) != 1 or xs[0].data.size != 1:
            raise TorchError(ONLY_SINGLE_INPUT)
        return None

    def _zeros(self, like: Tensors) -> Tensors:
        return tuple(self.machine.tensor(np.zeros(x.shape, x.dtype)[()], requires_grad=True) for x in like)

    def jacobian(
        self,
        func: Any,
        inputs: Any,
        create_graph: bool = False,
        strict: bool = False,
        vectorize: bool = False,
        strategy: str = "reverse-mode",
    ) -> Any:
        if strategy not in ("forward-mode", "reverse-mode"):
            raise TorchError(
                'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more '
                'outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use '
                '"reverse-mode".',
                kind="AssertionError",
            )
        if strategy == "forward-mode":
            _check_forward_mode(create_graph, strict, vectorize)
        with self.machine.tape.grad_mode(True):
            is_tuple, given = self._as_tuple(inputs, "inputs", "jacobian")
            xs = self._prepared(given, create_graph, need_graph=True)
            several, ys = self._outputs(func, xs, "jacobian", strict)
            if vectorize and strict:
                raise TorchError(
                    "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
                    "together. Please either set `strict=False` or `vectorize=False`."
                )
            found = [self._jacobian_of(y, i, xs, create_graph, strict) for i, y in enumerate(ys)]
        rows = [_out(row, create_graph, is_tuple) for row in found]
        if strategy == "forward-mode" and is_tuple:
            rows = [list(row) for row in rows]  # PyTorch forms columns here, and turns them
            return rows if several else rows[0]
        return tuple(rows) if several else rows[0]

    def _jacobian_of(self, y: Tensor, number: int, xs: Tensors, create_graph: bool, strict: bool) -> Tensors:
        """dy/dx for each x, of the shape of y followed by that of x."""
        for x in xs:
            check_size((y.data.size, x.data.size))
        rows: list[list[Tensor]] = [[] for _ in xs]
        for j in range(y.data.size):
            self.machine.spend(ROW)
            element = get(F["reshape"](y, -1), j)
            row = self._grad((element,), xs, retain=True, create_graph=create_graph)
            for i, (x, g) in enumerate(zip(xs, row, strict=True)):
                rows[i].append(_row(g, x, i, number, strict, create_graph))
        return tuple(METHODS["view"](F["stack"](row), *y.shape, *x.shape) for row, x in zip(rows, xs, strict=True))

    def hessian(
        self,
        func: Any,
        inputs: Any,
        create_graph: bool = False,
        strict: bool = False,
        vectorize: bool = False,
        outer_jacobian_strategy: str = "reverse-mode",
    ) -> Any:
        is_tuple, given = self._as_tuple(inputs, "inputs", "hessian")
        if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
            raise TorchError('Expected strategy to be either "forward-mode" or "reverse-mode".', kind="AssertionError")

        def single(*xs: Tensor) -> Tensor:
            return F["squeeze"](self._scalar(func, xs, "hessian", strict)[0])  # type: ignore[no-any-return]

        def gradient(*xs: Tensor) -> Any:
            found = self.jacobian(Native("single", single), xs, create_graph=True)
            _check_requires_grad(found, "jacobian", strict)
            return found

        found = self.jacobian(Native("gradient", gradient), given, create_graph, strict, vectorize)
        return found if is_tuple else found[0][0]

    def _first_derivative(
        self, function: str, func: Any, inputs: Any, v: Any, create_graph: bool, strict: bool
    ) -> tuple[bool, Tensors, Tensors | None, Tensors, Found]:
        """Whether the inputs are a tuple, the inputs, the direction, the result, and its gradient with a graph."""
        is_tuple, given = self._as_tuple(inputs, "inputs", function)
        xs = self._prepared(given, create_graph, need_graph=True)
        vs = self._direction(v, create_graph, xs, is_tuple, function)
        ys = self._scalar(func, xs, function, strict)
        gradient = self._grad(ys, xs, create_graph=True)
        _check_requires_grad(gradient, "jacobian", strict)
        return is_tuple, xs, vs, ys, gradient

    def vhp(
        self, func: Any, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
    ) -> tuple[Any, Any]:
        tape = self.machine.tape
        with tape.grad_mode(True):
            is_tuple, xs, vs, ys, jac = self._first_derivative("vhp", func, inputs, v, create_graph, strict)
        with tape.grad_mode(create_graph or tape.grad_enabled):
            twice = self._grad(jac, xs, vs, create_graph=create_graph)
            found = _filled(twice, xs, strict, create_graph, "double_back")
        return _out(ys, create_graph, False), _out(found, create_graph, is_tuple)

    def hvp(
        self, func: Any, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
    ) -> tuple[Any, Any]:
        tape = self.machine.tape
        with tape.grad_mode(True):
            is_tuple, xs, vs, ys, jac = self._first_derivative("hvp", func, inputs, v, create_graph, strict)
            seeds = self._zeros(xs)
            twice = self._grad(jac, xs, seeds, create_graph=True)
            _check_requires_grad(jac, "hessian", strict)
        with tape.grad_mode(create_graph or tape.grad_enabled):
            pushed = self._grad(twice, seeds, vs, create_graph=create_graph)
            found = _filled(pushed, xs, strict, create_graph, "double_back_trick")
        return _out(ys, create_graph, False), _out(found, create_graph, is_tuple)


def _check_forward_mode(create_graph: bool, strict: bool, vectorize: bool) -> None:
    if create_graph:
        raise TorchError(FORWARD_MODE.format(flag="create_graph"), kind="NotImplementedError")
    if strict:
        raise TorchError(FORWARD_MODE.format(flag="strict"))
    if not vectorize:
        raise TorchError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`.",
            kind="NotImplementedError",
        )


def _check_requires_grad(tensors: Found, kind: str, strict: bool) -> None:
    for i, x in enumerate(tensors if strict else ()):
        if x is None:
            raise TorchError(MISSING["back"].format(i=i))
        if not x.requires_grad:
            raise TorchError(INDEPENDENT[kind].format(i=i))


def _filled(found: Found, like: Tensors, strict: bool, create_graph: bool, stage: str) -> Tensors:
    """Zeros where nothing flows; in strict mode an error."""
    filled = []
    for i, (g, x) in enumerate(zip(found, like, strict=True)):
        if g is None and strict:
            raise TorchError(MISSING[stage].format(i=i))
        if g is not None and strict and create_graph and not g.requires_grad:
            which = "hessian" if "double" in stage else "jacobian"
            raise TorchError(
                f"The {which} of the user-provided function is independent of input {i}. {NO_STRICT} when "
                "create_graph=True."
            )
        filled.append(constant(np.zeros(x.shape, x.dtype)[()], x.tape) if g is None else g)
    return tuple(filled)


def _row(g: Tensor | None, x: Tensor, i: int, number: int, strict: bool, create_graph: bool) -> Tensor:
    if g is not None and strict and create_graph and not g.requires_grad:
        raise TorchError(
            f"The jacobian of the user-provided function is independent of input {number}. {NO_STRICT} when "
            "create_graph=True."
        )
    if g is None and strict:
        raise TorchError(f"Output {number} of the user-provided function is independent of input {i}. {NO_STRICT}.")
    return constant(np.zeros(x.shape, x.dtype)[()], x.tape) if g is None else g


def _out(found: Tensors, create_graph: bool, is_tuple: bool) -> Any:
    """The results as the caller sees them: without a graph unless it was asked for."""
    shown = found if create_graph else tuple(F["detach"](x) if x.requires_grad else x for x in found)
    return shown if is_tuple else shown[0]


def names(machine: Machine) -> dict[str, Any]:
    """The members of `torch.autograd.functional`."""
    own = Functional(machine)
    table: tuple[Callable[..., Any], ...] = (own.vjp, own.jvp, own.jacobian, own.hessian, own.vhp, own.hvp)
    return {run.__name__: Native(run.__name__, run) for run in table}
