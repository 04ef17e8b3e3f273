"""`torch.vmap`: the function called once for each slice, its results stacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.shapes import one_dim
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.autograd.custom_forward import mapped, method, transforming
from gradviz.imitation.script.names.func.checks import check_chunks
from gradviz.imitation.script.names.func.levels import marked, opened
from gradviz.imitation.script.names.func.trees import Tree
from gradviz.imitation.script.values import Bound, Class, Native


def vmap(
    machine: Machine,
    func: Any,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: Any = None,
) -> Native:
    """A function that maps `func` over a dimension of its arguments."""
    check_randomness(randomness)
    check_chunks("vmap", chunk_size)
    name = getattr(func, "name", type(func).__name__)
    if not (out_dims is None or isinstance(out_dims, int | tuple | list | dict)):
        raise TorchError(
            f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
            "representing where in the outputs the vmapped dimension should appear.",
            kind="ValueError",
        )
    start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "

    def call(*arguments: Any, **keywords: Any) -> Any:
        whole = Tree(arguments)
        if not whole.leaves:
            raise TorchError(
                f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
                "over a function with no inputs. The latter is unsupported.",
                kind="ValueError",
            )
        if not isinstance(in_dims, int | tuple):
            kind = machine.builtins["type"].make.run(machine, in_dims)
            raise TorchError(
                f"{start}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
                f"inputs, got: {kind!r}.",
                kind="ValueError",
            )
        dims = [d for given, x in zip(_each(arguments), arguments, strict=True) for d in _spread(given, x)]
        slices = [_sliced(x, d, start) for x, d in zip(whole.leaves, dims, strict=True)]
        size = _common_size(slices)
        if not size:  # what the function makes of a slice that there is not says the shape of the result
            slices = [None if d is None else [_blank(x, d)] for x, d in zip(whole.leaves, dims, strict=True)]
        own = _own_rule(func)
        if own is not None:
            return _moved(mapped(machine, own, size, randomness, tuple(dims), arguments), out_dims)
        triples = list(zip(whole.leaves, slices, dims, strict=True))
        with (
            opened(machine, None) as level,
            mapping(machine, randomness) as begin_slice,
            transforming(machine, "vmap"),
            marked(machine, level) as begin_marks,
        ):
            level.wholes |= {id(part): (x, d) for x, parts, d in triples for part in parts or ()}
            rows = []
            for i in range(max(size, 1)):
                begin_slice()
                begin_marks(i)
                given = whole.rebuilt([x if parts is None else parts[i] for x, parts, _ in triples])
                rows.append(machine.call(func, given, keywords))
        check_results(rows)
        return _stacked(rows, out_dims, size)

    def check_results(rows: list[Any]) -> None:
        value = rows[0]
        leaves = Tree(value).leaves
        wanted = _out_dims(out_dims, value)
        for leaf, dim, each in zip(leaves, wanted, zip(*(Tree(row).leaves for row in rows), strict=True), strict=False):
            if dim is None and isinstance(leaf, Tensor) and not all(np.array_equal(leaf.data, x.data) for x in each):
                raise TorchError(
                    f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None",
                    kind="ValueError",
                )
            if dim is not None and not isinstance(leaf, Tensor):
                kind = machine.builtins["type"].make.run(machine, leaf)
                raise TorchError(
                    f"vmap({name}, ...): `{name}` must only return Tensors, got type {kind!r}. Did you mean to set "
                    "out_dims= to None for output?",
                    kind="ValueError",
                )
        if len(wanted) != len(leaves):
            raise TorchError(
                f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
                f"`outputs`. out_dims has structure {Tree(out_dims).spec()} but outputs has structure "
                f"{Tree(value).spec()}.",
                kind="ValueError",
            )

    def _each(arguments: tuple[Any, ...]) -> list[Any]:
        if in_dims is None or isinstance(in_dims, int):
            return [in_dims] * len(arguments)
        if len(in_dims) != len(arguments) or not all(map(_fits, in_dims, arguments)):
            raise TorchError(
                f"{start}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                f"{Tree(in_dims).spec()} but inputs has structure {Tree(arguments).spec()}.",
                kind="ValueError",
            )
        return list(in_dims)

    return Native("vmap", call)


RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)


@contextmanager
def mapping(machine: Machine, randomness: str) -> Iterator[Callable[[], None]]:
    """A call of vmap goes on; what comes is called before each slice.

    The slices draw alike where they shall, and a pass inside of one frees nothing for the others: in PyTorch they are
    one pass.
    """
    numbers, tape = machine.random, machine.tape
    start = numbers.get_state() if randomness == "same" else None
    earlier, freed = set(tape.freed), set[int]()

    def begin_slice() -> None:
        if start is not None:
            numbers.set_state(start)
        if len(tape.freed) > len(earlier):
            freed.update(tape.freed - earlier)
            tape.freed &= earlier

    tape.mapped += 1
    try:
        with drawing(machine, randomness):
            yield begin_slice
    finally:
        tape.mapped -= 1
        tape.freed |= freed


@contextmanager
def drawing(machine: Machine, randomness: str) -> Iterator[None]:
    """Inside, random numbers are drawn, or refused where nothing says how."""
    check_randomness(randomness)
    numbers = machine.random
    before, numbers.refusal = numbers.refusal, RANDOM if randomness == "error" else ""
    try:
        yield
    finally:
        numbers.refusal = before


def check_randomness(randomness: str) -> None:
    """Raise for a way to draw that there is not."""
    if randomness not in ("error", "different", "same"):
        raise TorchError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")


def _own_rule(func: Any) -> Class | None:
    """The custom Function whose `apply` is mapped, where it says itself how."""
    cls = func.receiver if isinstance(func, Bound) and isinstance(func.receiver, Class) else None
    is_apply = cls is not None and getattr(func.function, "name", "") == "Function.apply"
    return cls if is_apply and cls is not None and method(cls, "vmap") is not None else None


def _moved(found: tuple[Any, Any], out_dims: Any) -> Any:
    """All slices at once, with the mapped dimension where it is asked for."""
    result, at = found
    tree = Tree(result)
    places = [at] * len(tree.leaves) if at is None or isinstance(at, int) else list(at)
    wanted = [out_dims] * len(places) if isinstance(out_dims, int) else list(out_dims)
    triples = zip(tree.leaves, places, wanted, strict=True)
    return tree.rebuilt([x if d is None or d == to else F["movedim"](x, d, to) for x, d, to in triples])


def _fits(dim: Any, value: Any) -> bool:
    """Whether dims of one argument stand where it has tensors."""
    if dim is None or isinstance(dim, int):
        return True
    if isinstance(dim, dict):
        return isinstance(value, dict) and set(dim) == set(value) and all(_fits(dim[key], value[key]) for key in dim)
    is_alike = isinstance(value, tuple if isinstance(dim, tuple) else list)
    return is_alike and len(dim) == len(value) and all(map(_fits, dim, value))


def _spread(dim: Any, value: Any) -> list[Any]:
    """One dim for each tensor of an argument."""
    leaves = Tree(value).leaves
    if dim is None or isinstance(dim, int):
        return [dim] * len(leaves)
    if isinstance(dim, dict) and isinstance(value, dict):
        return [d for key, item in value.items() for d in _spread(dim[key], item)]
    return [d for one, item in zip(dim, value, strict=True) for d in _spread(one, item)]


def _sliced(x: Any, dim: int | None, start: str) -> Any:
    if dim is None:
        return None
    if not isinstance(x, Tensor):
        raise TorchError(
            f"{start}Got in_dim={dim} for an input but the input is of type <class '{type(x).__name__}'>. We cannot "
            "vmap over non-Tensor arguments, please use None as the respective in_dim",
            kind="ValueError",
        )
    if not -x.ndim <= dim < x.ndim:
        raise TorchError(
            f"{start}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {x.ndim} so "
            f"expected in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}.",
            kind="ValueError",
        )
    return F["unbind"](x, one_dim(dim, x.ndim))


def _common_size(slices: list[Any]) -> int:
    """How many slices there are of each argument that is mapped."""
    sizes = [len(parts) for parts in slices if parts is not None]
    if not sizes:
        raise TorchError("vmap: Expected at least one Tensor to vmap over", kind="ValueError")
    if len(set(sizes)) != 1:
        raise TorchError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension",
            kind="ValueError",
        )
    return sizes[0]


def _blank(x: Tensor, dim: int) -> Tensor:
    """A slice of zeros, of a tensor that has none."""
    shape = list(x.shape)
    del shape[one_dim(dim, x.ndim)]
    return constant(np.zeros(shape, x.dtype)[()], x.tape)


def _out_dims(out_dims: Any, value: Any) -> list[Any]:
    """A place for the mapped dimension in each result; too few or too many where they do not fit."""
    if not isinstance(value, tuple | list | dict) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        out_dims = out_dims[0]
    return _spread(out_dims, value) if _fits(out_dims, value) else []


def _stacked(rows: list[Any], out_dims: Any, size: int) -> Any:
    """The results of all slices in one; of none where there was no slice but a blank one."""
    first = Tree(rows[0])
    columns = list(zip(*(Tree(row).leaves for row in rows), strict=True))
    dims = _out_dims(out_dims, rows[0])
    return first.rebuilt([
        column[0] if d is None else F["narrow"](F["stack"](list(column), d), d, 0, size) if not size
        else F["stack"](list(column), d)
        for column, d in zip(columns, dims, strict=True)
    ])  # fmt: skip
