"""What `torch.func` refuses: arguments and results that are no tensors, numbers of arguments that there are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.func.trees import Tree
from gradviz.imitation.script.torch_values import DTypeName


class Api(NamedTuple):
    """A transform as its messages call it.

    Attributes:
        call: how it is called, e.g. "jvp(f, primals, tangents)".
        inner: how the function in it is called; "" where all results are taken.
        is_forward: whether it works with forward derivatives.
    """

    call: str
    inner: str = "f(*primals)"
    is_forward: bool = False


GRAD = Api("grad_and_value(f)(*args)", "")
VJP = Api("vjp(f, *primals)")
JVP = Api("jvp(f, primals, tangents)", is_forward=True)


def kind(machine: Machine, value: Any) -> Any:
    """`type(value)`, as messages show it."""
    return machine.builtins["type"].make.run(machine, value)


def places(machine: Machine, argnums: Any, count: int) -> list[int]:
    """The positions that `argnums` names among the arguments.

    Raises:
        TorchError: one that there is not, or twice the same.
    """
    if not isinstance(argnums, int | tuple):
        raise TorchError(f"argnums must be int or Tuple[int, ...], got: {kind(machine, argnums)!r}")
    several = (argnums,) if isinstance(argnums, int) else argnums
    for place in several:
        if not -count <= place < count:
            raise TorchError(f"Got argnum={place}, but only {count} positional inputs")
    if not several:
        raise TorchError("argnums must be non-empty")
    if len(set(several)) != len(several):
        raise TorchError(f"argnums elements must be unique, got {several}")
    return list(several)


def with_aux(api: Api, result: Any) -> tuple[Any, Any]:
    """(output, aux) of a function called with has_aux.

    Raises:
        TorchError: it is no such pair.
    """
    if not isinstance(result, tuple) or len(result) != 2:
        raise TorchError(f"{api.call}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def check_outputs(machine: Machine, api: Api, leaves: Sequence[Any]) -> None:
    """Raise for a result that is no tensor, or one that cannot be differentiated."""
    for y in leaves if api.inner else ():
        if not isinstance(y, Tensor):
            got = f"got unsupported type {kind(machine, y)!r}"
            raise TorchError(f"{api.call}: expected {api.inner} to return only tensors, {got}")
        if not api.is_forward and y.dtype.kind not in FLOATING:
            raise TorchError(
                f"{api.call.replace('*primals', '...')}: All outputs of f must be floating-point or complex Tensors, "
                f"got Tensor with dtype {DTypeName(y.dtype)}"
            )


def check_primals(machine: Machine, primals: Any, tangents: Any) -> None:
    """Raise where `jvp` is not given a tuple of tensors, and tangents of the same structure."""
    if not isinstance(primals, tuple):
        raise TorchError(f"{JVP.call}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    wanted, given = Tree(primals), Tree(tangents)
    if wanted.spec() != given.spec():
        raise TorchError(
            f"{JVP.call}: Expected primals and tangents to have the same python structure. For example, if primals is "
            f"a tuple of 3 tensors, tangents also must be. Got primals with structure {wanted.spec()} and tangents "
            f"with structure {given.spec()}"
        )
    for name, tree in (("primals", wanted), ("tangents", given)):
        if not tree.leaves:
            raise TorchError(f"{JVP.call}: Expected {name} to contain at least one Tensor.")
        for x in tree.leaves:
            if not isinstance(x, Tensor):
                raise TorchError(f"{JVP.call}: Expected {name} to only contain Tensors, got {kind(machine, x)!r}")


def check_chunks(name: str, chunk_size: Any) -> None:
    """Raise for a size of chunks that is none."""
    if chunk_size is not None and chunk_size <= 0:
        raise TorchError(
            f"{name}: `chunk_size` should be greater than 0."
            if name == "jacrev"
            else f"{name}: chunk_size should be None or greater than 0. (got {chunk_size})",
            kind="ValueError",
        )
