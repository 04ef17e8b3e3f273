"""`out=`: the result is written into a tensor that is there already, which takes its shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.dtypes import FLOAT32, FLOAT64, FLOATING, c_name, result_dtype
from gradviz.imitation.engine.dtypes import type_name as name_of_dtype
from gradviz.imitation.engine.functions.named import into_out
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.refused_writes import refuse_result
from gradviz.imitation.engine.memory.resizing import resized
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.arguments.checking import read
from gradviz.imitation.script.arguments.dtypes_of_out import (
    COUNTED,
    LOOKED_AT_FIRST,
    NOT_OF_BOOL,
    TAKES_SAME,
    refuse_dtype,
    refuse_pair,
)
from gradviz.imitation.script.arguments.forms import forms_of
from gradviz.imitation.script.arguments.kernels_of_out import (
    copies,
    has_no_formula,
    kernel_of,
    refuse_leaf,
    refused,
    write_copy,
    write_without_formula,
)
from gradviz.imitation.script.arguments.other_types import has_parameter
from gradviz.imitation.script.arguments.overwritten import FACTORIES, SPREAD, read_again, refuse_after, refuse_before
from gradviz.imitation.script.arguments.room_of_out import room
from gradviz.imitation.script.torch_values import DTypeName
from gradviz.imitation.script.values import Native, type_name

if TYPE_CHECKING:
    from gradviz.imitation.script.machine import Machine

RESIZED = (
    "An output with one or more elements was resized since it had shape {old}, which does not match the required "
    "output shape {new}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized "
    "unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero "
    "elements with t.resize_(0)."
)

RECOUNTED = (
    "The number of elements in the out tensor of shape {old} is {count} which does not match the computed number of "
    "elements {wanted}. Note that this may occur as a result of rounding error. The out tensor will be resized to a "
    "tensor of shape {size}."
)


def takes_out(name: str) -> bool:
    """Whether `torch.name` has the argument."""
    return _has_out(f"torch.{name}")


def _has_out(reader: str) -> bool:
    known = forms_of(reader)
    if known is None:
        return has_parameter(reader, "out")
    return any(a.name == "out" for form in known.all for a in form.arguments)


def with_out(machine: Machine, native: Native, keywords: dict[str, Any]) -> bool:
    """Whether a call asks a function of `torch` to write its result somewhere."""
    torch = machine.modules.get("torch")
    is_of_torch = torch is not None and torch.members.get(native.name) is native
    return (is_of_torch and takes_out(native.name)) or (native.reader.startswith(SPACES) and _has_out(native.reader))


SPACES = ("torch.linalg.", "torch.special.", "torch.nn.functional.")


def written(machine: Machine, native: Native, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The result of a call, written into `out`, which is a tensor or several; None is as if it were not there.

    Raises:
        TorchError: a gradient could flow, or the result does not fit the dtype.
    """
    if native.reader:
        arguments, keywords = read(native, arguments, keywords)
    name, out = native.name, keywords["out"]
    rest = {key: value for key, value in keywords.items() if key != "out"}
    if out is None:
        return machine.run(native, arguments, rest)
    targets, inputs = _targets(name, out), _tensors(arguments)
    if name in FITS and not FITS[name](inputs):
        machine.run(native, arguments, {})  # which refuses them, before anything of `out` is looked at
    function = native.reader.removeprefix("torch.") or name
    if name == "float_power" and targets[0].dtype != FLOAT64:
        raise TorchError(
            f"the output given to float_power has dtype {name_of_dtype(targets[0].dtype)} but the operation's result "
            "requires dtype Double"
        )
    _refuse_gradients(function, targets, inputs)
    if name == "where" and len(inputs) == 3:
        refuse_dtype(name, result_dtype(inputs[1].data, inputs[2].data), targets[0].dtype)
    kinds = [target.dtype for target in targets]
    if name in LOOKED_AT_FIRST and inputs:
        refuse_pair(name, inputs[0].dtype, kinds)
    for target in targets:
        refuse_before(name, target, inputs)
    of_floats = bool(inputs) and inputs[0].dtype.kind in FLOATING
    if name == "mean" and of_floats and targets[0].dtype.kind not in FLOATING:
        machine.run(machine.modules["torch"].members["sum"], arguments, keywords)  # PyTorch divides it then
        refuse_dtype(name, FLOAT32, targets[0].dtype)
    if name in SUMS and "dtype" not in rest and targets[0].dtype.kind != "b" and (of_floats or name != "mean"):
        rest["dtype"] = DTypeName(targets[0].dtype)
    if name in (*COUNTED, "eye") and not (name in NOT_OF_BOOL and targets[0].dtype.kind == "b"):
        rest["dtype"] = DTypeName(targets[0].dtype)

    def run() -> Any:
        return machine.run(native, arguments, rest)

    try:
        found = run()
    except TorchError as error:
        if inputs and "not implemented for" in error.message:
            refuse_pair(name, inputs[0].dtype, kinds)
        _refuse_first(name, error, targets[0], inputs)
        size = room(name, error.message, arguments)
        if size is not None:
            for target in targets:
                _resized_for(name, target, constant(np.broadcast_to(target.dtype.type(0), size), target.tape), inputs)
        raise
    results = found if isinstance(found, tuple) else (found,)
    refuse_pair(name, results[0].dtype, kinds)
    if len(results) != len(targets):
        raise TorchError(f"expected tuple of {len(results)} elements but got {len(targets)}", kind="TypeError")
    for target, result in zip(targets, results, strict=True):
        _write(function, target, result, inputs, run)
    return out if isinstance(out, Tensor) or not isinstance(found, tuple) else into_out(found, targets)


FITS: dict[str, Callable[[list[Tensor]], bool]] = {
    "matmul": lambda inputs: all(x.ndim for x in inputs),
    **dict.fromkeys(("outer", "ger"), lambda inputs: all(x.ndim == 1 for x in inputs)),
    "cross": lambda inputs: 3 in inputs[0].shape,
}
"""Whether inputs fit a function that looks at their sizes before anything else."""


def _targets(name: str, out: Any) -> list[Tensor]:
    targets = list(out) if isinstance(out, list | tuple) else [out]
    for target in targets:
        if not isinstance(target, Tensor):
            found = type_name(target)
            raise TorchError(f"{name}(): argument 'out' must be Tensor, not {found}", kind="TypeError")
    return targets


def _write(function: str, target: Tensor, result: Tensor, inputs: list[Tensor], run: Callable[[], Tensor]) -> None:
    """Write one result; `run` calls the function on what its inputs are by now."""
    name = function.rpartition(".")[2]
    if name in ("inner", "tensordot") and target.requires_grad and target.shape != result.shape:
        _refuse_product(target)
    is_running = name in ("cumsum", "cumprod")  # they take their room before they look at the dtype
    if not is_running:
        is_dot = name == "matmul" and all(x.ndim == 1 for x in inputs)
        teller = name if name in TAKES_SAME else kernel_of(function, inputs)
        if name in ("max", "min") and len(inputs) == 1 and result.dtype != target.dtype:
            teller = "topk"  # along a dim they look at both dtypes as it does
        if name == "clamp" and target is inputs[0] and result.dtype != target.dtype:
            names = name_of_dtype(result.dtype), c_name(target.dtype)
            raise TorchError("result type {} can't be cast to the desired output type {}".format(*names))
        refuse_dtype("dot" if is_dot else teller, result.dtype, target.dtype)
    is_resized = target.shape != result.shape
    fitting = _resized_for(name, target, result, inputs)
    if is_running and result.ndim and result.data.size:  # a number is filled in
        refuse_dtype(name, result.dtype, target.dtype)
    refuse_after(name, target, inputs)
    if copies(function) and target.tape.grad_enabled:
        write_copy(target, fitting)
    elif has_no_formula(function, inputs) and _takes_gradient(target, inputs):
        write_without_formula(kernel_of(function, inputs), target, fitting, inputs)
    else:
        numbers = read_again(name, target, fitting, inputs, run, is_resized=is_resized)
        storage.write(target, numbers, fills=name in FACTORIES)
        storage.count_changes(target, _more_changes(name, is_resized=is_resized))
    if not inputs and target.op is None:
        autograd.set_requires_grad(target, result.requires_grad)  # PyTorch sets what the argument says


def _more_changes(name: str, *, is_resized: bool) -> int:
    """How many changes more than the one of the numbers PyTorch counts."""
    if name in NO_RESIZE:
        return (1 if is_resized else 0) - (name == "empty")
    return {"kron": -1, "nanmean": 1}.get(name, 0)


def _refuse_product(target: Tensor) -> None:
    if target.tape.grad_enabled:
        raise TorchError(
            "tensordot(): the 'out' tensor was specified and requires gradients, and its shape does not match the "
            "expected result. Either remove the 'out' argument, ensure it does not require gradients, or make sure "
            "its shape matches the expected output."
        )


def _refuse_first(name: str, error: TorchError, target: Tensor, inputs: list[Tensor]) -> None:
    """Raise for the dtype or memory of a target where PyTorch looks at it before it finds what a call raised."""
    if not any(word in error.message for word in LATE.get(name, ())):
        return
    found = inputs[:1] if name in OF_FIRST else inputs
    refuse_dtype(name, reduce(np.promote_types, (x.dtype for x in found)), target.dtype)


_OF_KERNEL = ("abs", "ceil", "floor", "bitwise_not", "mm", "matmul", "addmm", "softmax", "log_softmax")
OF_FIRST = frozenset((*_OF_KERNEL, "index_select"))
"""Functions whose result has the dtype of the first input."""
_OF_KERNELS = ("not implemented for", "expected m1 and m2", "The expanded size")
LATE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*_OF_KERNEL, "bitwise_and", "bitwise_or", "bitwise_xor"), _OF_KERNELS),
    "cat": ("Sizes of tensors must match", "same number of dimensions"),
    "index_select": ("index out of range", "indexing axis dim"),
}
"""What is found after the dtype of the target was looked at, by words of its message."""


def _refuse_gradients(function: str, targets: list[Tensor], inputs: list[Tensor]) -> None:
    if function in NO_RESIZE and any(x.requires_grad for x in targets):
        raise TorchError("cannot resize variables that require grad", hint="Detach the tensor first.")
    if function in NO_DERIVATIVE or copies(function) or not any(_takes_gradient(x, inputs) for x in targets):
        return
    kernel = kernel_of(function, inputs)
    if not has_no_formula(function, inputs):
        raise refused(kernel)
    for target in targets:
        refuse_leaf(kernel, target)


def _takes_gradient(target: Tensor, inputs: list[Tensor]) -> bool:
    """Whether a gradient could flow through what is written."""
    return target.tape.grad_enabled and any(x.requires_grad for x in (target, *inputs))


NO_RESIZE = ("empty", "randn")
"""Those that size their target anew even where it has the size."""
_WITHOUT = """
    gt lt ge le eq ne greater greater_equal less less_equal not_equal logical_and logical_or logical_xor logical_not
    argmax argmin isposinf isneginf signbit isin nonzero multinomial histc searchsorted bucketize any all
"""
NO_DERIVATIVE = frozenset(_WITHOUT.split())


def _tensors(arguments: tuple[Any, ...]) -> list[Tensor]:
    """All tensors among the arguments of a call, and in lists of them."""
    given = [x for argument in arguments for x in (argument if isinstance(argument, list | tuple) else (argument,))]
    return [x for x in given if isinstance(x, Tensor)]


SUMS = ("sum", "nansum", "mean", "prod", "cumsum", "cumprod")
"""Those that add or multiply in the dtype of what they write into."""
IN_STEP = frozenset(
    ("add", "sub", "mul", "div", "exp", "sin", "cos", "sigmoid", "tanh", "sqrt", "abs", "neg", "pow", "maximum",
     "minimum", "clamp", "where", "gt", "lt", "ge", "le", "eq", "ne", "log")
)  # fmt: skip
"""Functions that read and write number by number: what they read too is not resized."""


def _resized_for(name: str, target: Tensor, result: Tensor, inputs: list[Tensor]) -> Tensor:
    """The result as it is written; the target has its shape then."""
    if target.shape == result.shape:
        return result
    if name in SPREAD and target.data.size == result.data.size:
        return constant(result.data.reshape(target.shape), result.tape)
    if name in IN_STEP and any(x is target for x in inputs):
        refuse_result(target, result.shape, target.dtype)
    if target.data.size and (name not in FACTORIES or name == "arange"):
        told, old, new = RECOUNTED if name == "arange" else RESIZED, target, result
        numbers = {"count": old.data.size, "wanted": new.data.size, "size": tuple(new.shape)}
        warn(told.format(old=list(old.shape), new=list(new.shape), **numbers))
    with target.tape.grad_mode(False):
        resized(target, result.shape)
    storage.count_changes(target, -1)  # PyTorch counts the numbers alone
    return result
