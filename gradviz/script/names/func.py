"""`torch.func`: grad, vjp, jvp, jacrev, jacfwd, hessian and vmap, as ordinary graphs that can be looked at.

Each derivative runs backward with create_graph, so that they nest. A forward derivative is the derivative of a vjp
with respect to its v. vmap calls the function once for each slice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine import autograd
from gradviz.engine.creation import check_size
from gradviz.engine.functions import FUNCTIONS as F
from gradviz.engine.tensor import Tensor, constant
from gradviz.errors import ScriptError, TorchError
from gradviz.script.machine import Machine
from gradviz.script.tensors import run_sweep
from gradviz.script.values import Namespace, Native

Tensors = Sequence[Tensor]


class Level:
    """One call of a transformed function: the tensors it differentiates with respect to.

    Attributes:
        inputs: what the function is called with in their place.
        is_outermost: whether no derivative with respect to the results can be asked for.
    """

    def __init__(self, machine: Machine, given: Tensors) -> None:
        self.machine = machine
        self.is_outermost = not any(x.requires_grad for x in given)
        self.inputs = [F["clone"](x) if x.requires_grad else machine.tensor(x.data, requires_grad=True) for x in given]

    def vjp(self, y: Tensor, v: Tensor) -> list[Tensor]:
        """v times the Jacobian, for each input; zeros where y does not depend on it."""
        if not y.requires_grad:
            return [self._zeros(x) for x in self.inputs]
        found = run_sweep(
            self.machine,
            lambda: autograd.grad([y], self.inputs, [v], create_graph=True, allow_unused=True),
            [y],
        )
        return [self._zeros(x) if g is None else g for x, g in zip(self.inputs, found, strict=True)]

    def _zeros(self, x: Tensor) -> Tensor:
        return constant(np.zeros(x.shape, x.dtype)[()], x.tape)

    def out(self, x: Tensor) -> Tensor:
        """A result as the caller sees it."""
        return F["detach"](x) if self.is_outermost and x.requires_grad else x


def _chosen(arguments: tuple[Any, ...], argnums: Any) -> tuple[list[int], list[Tensor]]:
    places = [argnums] if isinstance(argnums, int) else list(argnums)
    for place in places:
        if not -len(arguments) <= place < len(arguments):
            raise TorchError(f"Got argnum={place}, but only {len(arguments)} positional inputs", kind="RuntimeError")
        if not isinstance(arguments[place], Tensor):
            raise ScriptError(
                f"argument {place} is no tensor; derivatives with respect to lists and dicts are not supported",
                hint="Pass the tensors one by one.",
            )
    return places, [arguments[place] for place in places]


def _put(arguments: tuple[Any, ...], places: list[int], inputs: Tensors) -> tuple[Any, ...]:
    changed = list(arguments)
    for place, x in zip(places, inputs, strict=True):
        changed[place] = x
    return tuple(changed)


def _split(result: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise TorchError("output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def _shaped(found: list[Any], argnums: Any) -> Any:
    return found[0] if isinstance(argnums, int) else tuple(found)


def value_and_gradient(machine: Machine, func: Any, argnums: Any, has_aux: bool) -> Callable[..., Any]:
    """A function that gives (gradient, value, aux)."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        places, given = _chosen(arguments, argnums)
        level = Level(machine, given)
        y, aux = _split(machine.call(func, _put(arguments, places, level.inputs), keywords), has_aux)
        if not isinstance(y, Tensor):
            raise TorchError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(y).__name__}")
        if y.ndim or not y.data.size:
            raise TorchError(
                f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {y.ndim} "
                "dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        found = level.vjp(y, constant(np.ones((), y.dtype)[()], y.tape))
        return _shaped([level.out(g) for g in found], argnums), level.out(y), aux

    return run


def grad(machine: Machine, func: Any, argnums: Any = 0, has_aux: bool = False) -> Native:
    run = value_and_gradient(machine, func, argnums, has_aux)

    def call(*arguments: Any, **keywords: Any) -> Any:
        g, _, aux = run(*arguments, **keywords)
        return (g, aux) if has_aux else g

    return Native("grad", call)


def grad_and_value(machine: Machine, func: Any, argnums: Any = 0, has_aux: bool = False) -> Native:
    run = value_and_gradient(machine, func, argnums, has_aux)

    def call(*arguments: Any, **keywords: Any) -> Any:
        g, y, aux = run(*arguments, **keywords)
        return (g, (y, aux)) if has_aux else (g, y)

    return Native("grad_and_value", call)


def vjp(machine: Machine, func: Any, *primals: Any, has_aux: bool = False) -> Any:
    """(value, function of v)."""
    places, given = _chosen(primals, tuple(range(len(primals))))
    level = Level(machine, given)
    y, aux = _split(machine.call(func, _put(primals, places, level.inputs), {}), has_aux)
    if not isinstance(y, Tensor):
        raise ScriptError("vjp of a function with several results is not supported", hint="Return one tensor.")

    def pull(v: Any) -> Any:
        return tuple(level.out(g) for g in level.vjp(y, v))

    result: tuple[Any, ...] = (level.out(y), Native("vjp_fn", pull))
    return (*result, aux) if has_aux else result


def jvp(machine: Machine, func: Any, primals: Any, tangents: Any, *, has_aux: bool = False) -> Any:
    """(value, Jacobian times the tangents)."""
    places, given = _chosen(tuple(primals), tuple(range(len(primals))))
    level = Level(machine, given)
    y, aux = _split(machine.call(func, _put(tuple(primals), places, level.inputs), {}), has_aux)
    pushed = level.out(_push(machine, level, y, tangents))
    return (level.out(y), pushed, aux) if has_aux else (level.out(y), pushed)


def _push(machine: Machine, level: Level, y: Tensor, tangents: Tensors) -> Tensor:
    """J·t as the derivative of v·J with respect to v, along t."""
    v = machine.tensor(np.zeros(y.shape, y.dtype)[()], requires_grad=True)
    total = F["sum"](F["mul"](y, v))  # a seed is no part of the graph; a factor is
    pulled = level.vjp(total, constant(np.ones((), y.dtype)[()], y.tape))
    pairs = [(g, t) for g, t in zip(pulled, tangents, strict=True) if g.requires_grad]
    zeros = constant(np.zeros(y.shape, y.dtype)[()], y.tape)
    if not pairs:
        return zeros
    outs, seeds = [g for g, _ in pairs], [t for _, t in pairs]
    (found,) = run_sweep(machine, lambda: autograd.grad(outs, [v], seeds, create_graph=True, allow_unused=True), outs)
    return zeros if found is None else found


def _basis(machine: Machine, shape: tuple[int, ...], dtype: Any, other: int) -> list[Tensor]:
    """One tensor per element of a shape, with 1 there and 0 elsewhere."""
    size = int(np.prod(shape, dtype=np.int64))
    check_size((size, other))
    machine.spend(20 * size)
    return [machine.tape.tensor(row.reshape(shape)[()]) for row in np.eye(size, dtype=dtype)]


def jacrev(machine: Machine, func: Any, argnums: Any = 0, *, has_aux: bool = False, **_: Any) -> Native:
    def call(*arguments: Any, **keywords: Any) -> Any:
        places, given = _chosen(arguments, argnums)
        level = Level(machine, given)
        y, aux = _split(machine.call(func, _put(arguments, places, level.inputs), keywords), has_aux)
        rows = [level.vjp(y, v) for v in _basis(machine, y.shape, y.dtype, sum(x.data.size for x in given))]
        found = [
            level.out(F["reshape"](F["stack"]([row[i] for row in rows]), (*y.shape, *x.shape)))
            for i, x in enumerate(given)
        ]
        return (_shaped(found, argnums), aux) if has_aux else _shaped(found, argnums)

    return Native("jacrev", call)


def jacfwd(machine: Machine, func: Any, argnums: Any = 0, has_aux: bool = False, **_: Any) -> Native:
    def call(*arguments: Any, **keywords: Any) -> Any:
        places, given = _chosen(arguments, argnums)
        level = Level(machine, given)
        y, aux = _split(machine.call(func, _put(arguments, places, level.inputs), keywords), has_aux)
        found = []
        for i, x in enumerate(given):
            rest = [constant(np.zeros(z.shape, z.dtype)[()], z.tape) for z in given]
            columns = [
                _push(machine, level, y, [*rest[:i], t, *rest[i + 1 :]])
                for t in _basis(machine, x.shape, x.dtype, y.data.size)
            ]
            found.append(level.out(F["reshape"](F["stack"](columns, -1), (*y.shape, *x.shape))))
        return (_shaped(found, argnums), aux) if has_aux else _shaped(found, argnums)

    return Native("jacfwd", call)


def hessian(machine: Machine, func: Any, argnums: Any = 0) -> Native:
    return jacrev(machine, jacrev(machine, func, argnums), argnums)


def vmap(machine: Machine, func: Any, in_dims: Any = 0, out_dims: Any = 0, *_: Any, **__: Any) -> Native:
    """The function called for each slice, its results stacked."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        dims = [in_dims] * len(arguments) if in_dims is None or isinstance(in_dims, int) else list(in_dims)
        if len(dims) != len(arguments):
            raise TorchError(
                f"vmap(f, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of `inputs`.",
                kind="ValueError",
            )
        sizes = {x.shape[d] for x, d in zip(arguments, dims, strict=True) if d is not None}
        if len(sizes) != 1:
            raise TorchError(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sorted(sizes)} "
                "for the mapped dimension",
                kind="ValueError",
            )
        slices = [[x] * min(sizes) if d is None else F["unbind"](x, d) for x, d in zip(arguments, dims, strict=True)]
        results = [machine.call(func, given, keywords) for given in zip(*slices, strict=True)]
        if isinstance(results[0], tuple):
            outs = [out_dims] * len(results[0]) if isinstance(out_dims, int) else list(out_dims)
            columns = zip(*results, strict=True)
            return tuple(F["stack"](list(column), d) for column, d in zip(columns, outs, strict=True))
        return F["stack"](results, out_dims)

    return Native("vmap", call)


def namespace(machine: Machine) -> Namespace:
    """`torch.func`."""
    table: tuple[Callable[..., Any], ...] = (grad, grad_and_value, vjp, jvp, jacrev, jacfwd, hessian, vmap)
    members = {f.__name__: Native(f.__name__, f, needs_machine=True) for f in table}
    return Namespace("torch.func", dict(members))
