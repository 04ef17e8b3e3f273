"""`torch.autograd.gradcheck` and `gradgradcheck`: the gradients of a function against central differences.

The first backward calls are part of the run and can be looked at; all else that the check computes is kept out of the
picture. Source of the steps and words: torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.custom.function import apply_function
from gradviz.imitation.engine.dtypes import FLOATING, result_dtype
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.autograd.calls import run_sweep
from gradviz.imitation.script.names.autograd.custom_forward import transforming
from gradviz.imitation.script.names.autograd.forward_mode import push
from gradviz.imitation.script.syntax.imports import COVERED
from gradviz.imitation.script.values import Class, Namespace, Native

Tensors = tuple[Tensor, ...]

GRADCHECK_ERROR = "torch.autograd.gradcheck.GradcheckError"
NOT_DOUBLE = (
    "Input #{i} requires gradient and is not a double precision floating point or complex. This check will likely fail "
    "if all the inputs are not of double precision floating point or complex. "
)
STRIDE_0 = (
    "The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able "
    "to compute the numerical gradients correctly. You should call .contiguous on the input before passing it to "
    "gradcheck."
)
NO_INPUT = "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different "
    "values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {tol}.\n\n"
    "NOTE: If your op relies on non-deterministic operations i.e., it is listed here:\n"
    "https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\n"
    "this failure might be expected.\n\n"
    "If you are adding a new operator, please file an issue and then use one of the\n"
    "workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.\n"
    "If the test\n"
    "- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n"
    "  with `nondet_tol=<tol>` as a keyword argument.\n"
    "- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test\n"
    "  to have `gradcheck_nondet_tol=<tol>`.\n"
    "- is a Module test (e.g., in common_nn.py), then modify the corresponding\n"
    "  module_test entry to have `gradcheck_nondet_tol=<tol>`\n"
)
NOTES = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
UNDEFINED = f"Expected backward function to handle undefined output grads. {NOTES}"
NOT_ZERO = f"Expected all input grads to be undefined or zero when all output grads are undefined or zero. {NOTES}"
NEW_FEATURE = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    'existing callers of this function. If this is true for you, you can call this function with "check_undefined_grad='
    'False" to disable the feature'
)
PERTURBED = "Expected `func` to return outputs with the same {what} when inputs are perturbed on index {at} by {eps}, "


def _failed(message: str, hint: str = "") -> TorchError:
    return TorchError(message, kind=GRADCHECK_ERROR, hint=hint)


class Options(NamedTuple):
    """How exactly is compared."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float


class Check:
    """One call of gradcheck.

    Attributes:
        func: called with all inputs; gives a tuple.
        inputs: what the function is called with; `wanted`, those that take a gradient.
    """

    def __init__(
        self, machine: Machine, func: Callable[[], tuple[Any, ...]], inputs: tuple[Any, ...], options: Options
    ) -> None:
        self.machine = machine
        self.func = func
        self.inputs = inputs
        self.wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
        self.options = options

    def run(self, *, backward: bool, forward: bool, check_undefined: bool) -> bool:
        """Whether all agrees, in the directions that are asked for.

        Raises:
            TorchError: it does not, or the inputs cannot be checked.
        """
        _check_inputs(self.inputs)
        found = self.func()
        for y in found:
            if not isinstance(y, Tensor):
                raise TorchError(f"'{kind_name(y)}' object has no attribute 'requires_grad'", kind="AttributeError")
        outputs = [y for y in found if isinstance(y, Tensor) and y.requires_grad]
        with unseen(self.machine):
            numerical = [self._numerical(x, found) for x in self.wanted]
        if not outputs:
            if any((column != 0).any() for columns in numerical for column in columns if column.dtype.kind in FLOATING):
                raise _failed("Numerical gradient for function expected to be zero")
            return True
        places = [i for i, y in enumerate(found) if y.requires_grad]
        by_output = [[columns[place] for columns in numerical] for place in places]
        if backward:
            for i, (y, expected) in enumerate(zip(outputs, by_output, strict=True)):
                self._compare(i, y, expected)
            with unseen(self.machine):
                self._check_factor(outputs)
                if check_undefined:
                    self._check_undefined(len(outputs))
        if forward:
            with unseen(self.machine), transforming(self.machine, "dual"):
                again = [y for y in self.func() if y.requires_grad]
                for i, (y, expected) in enumerate(zip(again, by_output, strict=True)):
                    self._expect(i, y, self._pushed(y), expected, "computed with forward mode ")
        return True

    # ---- central differences ----

    def _numerical(self, x: Tensor, found: tuple[Tensor, ...]) -> list[Any]:
        """d(output)/dx for each output, one row for each element of x."""
        check_size((x.data.size, sum(y.data.size for y in found)))
        self.machine.spend(20 * x.data.size)
        whole, eps = np.array(x.data), x.dtype.type(self.options.eps)
        columns: list[list[Any]] = [[] for _ in found]
        for at in np.ndindex(whole.shape):
            below, above = (self._at(x, whole, at, whole[at] + step) for step in (-eps, eps))
            for column, a, b in zip(columns, below, above, strict=True):
                _check_same(a, b, at, self.options.eps)
                column.append(((b - a) / (2 * a.dtype.type(self.options.eps))).reshape(-1))
        return [
            np.stack(column).astype(y.dtype) if column else np.zeros((0, y.data.size), y.dtype)
            for column, y in zip(columns, found, strict=True)
        ]

    def _at(self, x: Tensor, whole: Any, at: tuple[int, ...], number: Any) -> list[Any]:
        """The outputs with another number in one place of x."""
        changed = whole.copy()
        changed[at] = number
        before, x.data = x.data, changed[()]
        try:
            return [np.array(y.data) for y in self.func()]  # recorded, for the function may run backward itself
        finally:
            x.data = before

    # ---- gradients ----

    def _compare(self, number: int, y: Tensor, numerical: list[Any]) -> None:
        analytical = self._analytical(y)
        with unseen(self.machine):
            again = self._analytical(y)
        for a, b in zip(analytical, again, strict=True):
            if a.size and not np.abs(a - b).max() <= self.options.nondet_tol:
                raise _failed(NOT_REENTRANT.format(tol=self.options.nondet_tol))
        self._expect(number, y, analytical, numerical, "")

    def _expect(self, number: int, y: Tensor, analytical: list[Any], numerical: list[Any], how: str) -> None:
        for i, (a, n) in enumerate(zip(analytical, numerical, strict=True)):
            dtype = result_dtype(a, n)
            if not self._is_close(a.astype(dtype), n.astype(dtype)):
                raise _failed(
                    f"Jacobian {how}mismatch for output {number} with respect to input {i},\n"
                    f"numerical:{constant(n, y.tape)!r}\nanalytical:{constant(a, y.tape)!r}\n",
                    "A row for each number of the input, a column for each of the output: look where they differ.",
                )

    def _is_close(self, a: Any, b: Any) -> bool:
        return bool(np.allclose(a, b, self.options.rtol, self.options.atol))

    def _analytical(self, y: Tensor) -> list[Any]:
        """dy/dx for each input, one row for each element of x: a backward call for each element of y."""
        columns: list[list[Any]] = [[] for _ in self.wanted]
        for v in np.eye(y.data.size, dtype=y.dtype):
            self.machine.spend(20)
            found = self._grad([y], [constant(v.reshape(y.shape)[()], y.tape)])
            for column, x, g in zip(columns, self.wanted, found, strict=True):
                column.append(np.zeros(x.data.size, x.dtype) if g is None else np.array(g.data).reshape(-1))
        return [
            np.stack(column, 1) if column else np.zeros((x.data.size, 0), x.dtype)
            for column, x in zip(columns, self.wanted, strict=True)
        ]

    def _pushed(self, y: Tensor) -> list[Any]:
        """dy/dx for each input, one row for each element of x: a forward derivative for each element of x."""
        found = []
        for x in self.wanted:
            rows = []
            for v in np.eye(x.data.size, dtype=x.dtype):
                self.machine.spend(20)
                (t,) = push(self.machine, [y], [x], [constant(v.reshape(x.shape)[()], x.tape)])
                rows.append(np.zeros(y.data.size, y.dtype) if t is None else np.array(t.data).reshape(-1))
            found.append(np.stack(rows) if rows else np.zeros((0, y.data.size), y.dtype))
        return found

    def _grad(self, ys: Sequence[Tensor], vs: Sequence[Tensor]) -> tuple[Tensor | None, ...]:
        return run_sweep(  # type: ignore[no-any-return]
            self.machine, lambda: autograd.grad(ys, self.wanted, vs, retain_graph=True, allow_unused=True), ys
        )

    def _check_factor(self, outputs: list[Tensor]) -> None:
        """A backward of zeros gives zeros."""
        for g in self._grad(outputs, [F["zeros_like"](y) for y in outputs]):
            if g is not None and not (g.data == 0).all():
                raise _failed("backward not multiplied by grad_output", "Every gradient is a multiple of what came in.")

    def _check_undefined(self, count: int) -> None:
        """A backward that nothing comes to gives nothing, or zeros: for all outputs, and for each of several."""
        for chosen in [range(count), *([(i,) for i in range(count)] if count > 1 else [])]:
            outputs = [y for y in self.func() if y.requires_grad]
            cut = [_undefined(y) if i in chosen else y for i, y in enumerate(outputs)]
            try:
                found = self._grad(cut, [F["zeros_like"](y) for y in cut])
            except TorchError as error:
                if error.kind != "RuntimeError":
                    raise
                warn(NEW_FEATURE, once=True)
                raise _failed(UNDEFINED) from None
            if any(g is not None and not (g.data == 0).all() for g in found):
                warn(NEW_FEATURE, once=True)
                raise _failed(NOT_ZERO)


def _undefined(y: Tensor) -> Tensor:
    """The tensor behind a node that sends no gradient on."""
    return apply_function("UndefinedGrad", [y], lambda _ctx, given: given[0], lambda _ctx, _g: None)  # type: ignore[no-any-return]


def _check_same(a: Any, b: Any, at: tuple[int, ...], eps: float) -> None:
    for what, one, other in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
        if one != other:
            raise TorchError(
                f"{PERTURBED.format(what=what, at=at, eps=eps)}but got: {what}s {one} and {other}.",
                kind="AssertionError",
            )


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    takes = [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    for i, x in takes:
        if x.dtype.name != "float64":
            warn(NOT_DOUBLE.format(i=i), once=True)
        array = np.asarray(x.data)
        if array.size and any(stride <= 0 and n > 1 for stride, n in zip(array.strides, array.shape, strict=True)):
            raise TorchError(STRIDE_0.format(i=i))
    if not takes:
        raise TorchError(NO_INPUT, kind="ValueError", hint="Give an input requires_grad=True.")


@contextmanager
def unseen(machine: Machine) -> Iterator[None]:
    """What is computed here belongs to no picture, and its backward calls are not listed."""
    tape = machine.tape
    first, sweeps = len(tape.entries), len(tape.sweeps)
    machine.sweeping += 1
    try:
        yield
    finally:
        machine.sweeping -= 1
        del tape.sweeps[sweeps:]
        tape.apart.update(range(first, len(tape.entries)))


def _as_tuple(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, tuple | list) else (given,)


class Gradchecks:
    """gradcheck and gradgradcheck, for one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def gradcheck(
        self,
        func: Any,
        inputs: Any,
        *,
        eps: float = 1e-6,
        atol: float = 1e-5,
        rtol: float = 1e-3,
        raise_exception: bool = True,
        nondet_tol: float = 0.0,
        check_undefined_grad: bool = True,
        check_grad_dtypes: bool = False,
        check_batched_grad: bool = False,
        check_forward_ad: bool = False,
        check_backward_ad: bool = True,
        fast_mode: bool = False,
        masked: Any = None,
    ) -> bool:
        """`torch.autograd.gradcheck`; fast_mode is checked as the slow mode, which is the stricter."""
        given = _as_tuple(inputs)
        check = Check(
            self.machine,
            lambda: _as_tuple(self.machine.call(func, given, {})),
            given,
            Options(eps, atol, rtol, nondet_tol),
        )
        try:
            return check.run(backward=check_backward_ad, forward=check_forward_ad, check_undefined=check_undefined_grad)
        except TorchError as error:
            if raise_exception or error.kind != GRADCHECK_ERROR:
                raise
            return False

    def gradgradcheck(
        self,
        func: Any,
        inputs: Any,
        grad_outputs: Any = None,
        *,
        gen_non_contig_grad_outputs: bool = False,
        check_fwd_over_rev: bool = False,
        check_rev_over_rev: bool = True,
        **options: Any,
    ) -> bool:
        """`torch.autograd.gradgradcheck`: gradcheck of the gradients."""
        if check_fwd_over_rev or not check_rev_over_rev:
            raise ScriptError("gradgradcheck of forward mode is not supported", hint="Leave the option out.")
        given = _as_tuple(inputs)
        vs = _as_tuple(grad_outputs) if grad_outputs is not None else self._random(func, given)
        takes = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

        def gradients(*both: Any) -> tuple[Tensor, ...]:
            xs, seeds = both[: len(given)], both[len(given) :]
            outputs = [y for y in _as_tuple(self.machine.call(func, xs, {})) if y.requires_grad]
            found = run_sweep(
                self.machine,
                lambda: autograd.grad(outputs, [xs[i] for i in takes], seeds, create_graph=True, allow_unused=True),
                outputs,
            )
            return tuple(g for g in found if g is not None)

        return self.gradcheck(Native("gradients", gradients), (*given, *vs), **options)

    def _random(self, func: Any, given: tuple[Any, ...]) -> Tensors:
        """A random v for each output."""
        with unseen(self.machine):
            outputs = [y for y in _as_tuple(self.machine.call(func, given, {})) if y.requires_grad]
        return tuple(
            self.machine.tensor(self.machine.random.uniform(y.shape, -1, 1, y.dtype.name), requires_grad=True)
            for y in outputs
        )


def names(machine: Machine) -> dict[str, Any]:
    """What `torch.autograd` has of it; the error's class is made known to `except`."""
    own = Gradchecks(machine)
    classes = machine.state["exceptions"]
    classes[GRADCHECK_ERROR] = Class(
        "GradcheckError", (classes["RuntimeError"],), {}, module="torch.autograd.gradcheck"
    )
    functions = {
        "gradcheck": Native("gradcheck", own.gradcheck),
        "gradgradcheck": Native("gradgradcheck", own.gradgradcheck),
    }
    module = "torch.autograd.gradcheck"
    machine.state.setdefault(COVERED, {})[module] = Namespace(
        module, {"GradcheckError": classes[GRADCHECK_ERROR], **functions}
    )
    return dict(functions)
