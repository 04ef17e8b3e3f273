"""`torch.func`: grad, vjp, jvp, jacrev, jacfwd, hessian, vmap and functional_call, as ordinary graphs.

Each derivative runs backward with create_graph, so that they nest. A forward derivative is the derivative of a vjp
with respect to its v. vmap calls the function once for each slice. Arguments and results may be tuples, lists and
dicts of tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.indexing.reading import view
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.errors import TorchError
from gradviz.imitation.script.callables import Bound, Function, Native
from gradviz.imitation.script.errors.warned import compiler_loaded
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.autograd import forward_mode
from gradviz.imitation.script.names.autograd.calls import flag, run_sweep
from gradviz.imitation.script.names.autograd.custom_forward import transforming
from gradviz.imitation.script.names.autograd.forward_mode import takes_gradient
from gradviz.imitation.script.names.func.checks import (
    GRAD,
    JVP,
    VJP,
    Api,
    check_chunks,
    check_outputs,
    check_primals,
    kind,
    places,
    with_aux,
)
from gradviz.imitation.script.names.func.levels import opened
from gradviz.imitation.script.names.func.modules import functional_call, stack_module_state
from gradviz.imitation.script.names.func.trees import Tree
from gradviz.imitation.script.names.func.vmap import drawing, vmap
from gradviz.imitation.script.names.nn.inside import without_statistics
from gradviz.imitation.script.values import Namespace

Tensors = Sequence[Tensor]
COTANGENTS = (
    "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
    "cotangents: {given}, primal output: {wanted}"
)


class Level:
    """One call of a transformed function: the tensors it differentiates with respect to.

    Attributes:
        trees: of each chosen argument.
        given: their tensors, and `inputs`, what stands for them in the call of the function.
        is_outermost: whether no derivative with respect to the results can be asked for.
    """

    def __init__(self, machine: Machine, chosen: Sequence[Any], *, is_forward: bool = False) -> None:
        self.machine = machine
        self.is_forward = is_forward
        self.trees = [Tree(value) for value in chosen]
        self.given = given = [self._tensor(leaf) for tree in self.trees for leaf in tree.leaves]
        self.is_outermost = not any(x.requires_grad for x in given)
        self.inputs = [F["clone"](x) if x.requires_grad else forward_mode.leaf(machine, x.data) for x in given]

    def _tensor(self, leaf: Any) -> Tensor:
        if not isinstance(leaf, Tensor):
            raise TorchError(
                f"Thing passed to transform API must be Tensor, got {kind(self.machine, leaf)!r}", kind="ValueError"
            )
        if leaf.dtype.kind not in FLOATING and self.is_forward:
            raise TorchError(
                f"Expected primal to be floating point or complex, but got: torch.{leaf.dtype.name}", kind="ValueError"
            )
        if leaf.dtype.kind not in FLOATING:
            raise TorchError(
                "only Tensors of floating point dtype can require gradients", hint="Write 1. for 1, or use .float()."
            )
        return leaf

    def arguments(self) -> list[Any]:
        """The chosen arguments, made of the inputs."""
        return self.like_arguments(self.inputs)

    def like_arguments(self, leaves: Sequence[Any]) -> list[Any]:
        """One value per chosen argument, of its structure."""
        items = iter(leaves)
        return [tree.rebuilt([next(items) for _ in tree.leaves]) for tree in self.trees]

    def vjp(self, outputs: Tensors, vs: Tensors) -> list[Tensor]:
        """v times the Jacobian, for each input; zeros where no output depends on it."""
        pairs = [(y, v) for y, v in zip(outputs, vs, strict=True) if y.requires_grad]
        if not pairs:
            return [zeros(x) for x in self.inputs]
        ys, seeds = [y for y, _ in pairs], [v for _, v in pairs]
        with self.machine.tape.grad_mode(True):
            found = run_sweep(
                self.machine,
                lambda: autograd.grad(ys, self.inputs, seeds, create_graph=True, allow_unused=True),
                ys,
            )
        return [zeros(x) if g is None else g for x, g in zip(self.inputs, found, strict=True)]

    def push(self, outputs: Tensors, tangents: Tensors) -> list[Tensor]:
        """J·t for each output; zeros where it depends on no input."""
        found = forward_mode.push(self.machine, outputs, self.inputs, tangents)
        return [zeros(y) if g is None else g for y, g in zip(outputs, found, strict=True)]

    def out(self, value: Any) -> Any:
        """A result as the caller sees it."""
        tree = Tree(value)
        return tree.rebuilt([
            F["detach"](x)
            if self.is_outermost and isinstance(x, Tensor) and x.requires_grad and not takes_gradient(self.machine, x)
            else x
            for x in tree.leaves
        ])  # fmt: skip


def as_views(value: Any) -> Any:
    """The tensors that take a gradient as views of themselves, which is how PyTorch takes their tangents off."""
    tree = Tree(value)
    return tree.rebuilt([view("alias", x) if isinstance(x, Tensor) and x.requires_grad else x for x in tree.leaves])


def zeros(x: Tensor) -> Tensor:
    """Zeros of the shape and dtype of a tensor."""
    return constant(np.zeros(x.shape, x.dtype)[()], x.tape)


class Called:
    """A function called with some of its arguments differentiated.

    Attributes:
        tree: of its result.
        aux: what it returned besides, with has_aux.

    `api` is the transform that calls it.
    """

    def __init__(
        self, machine: Machine, func: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], argnums: Any,
        has_aux: bool, api: Api,
    ) -> None:  # fmt: skip
        chosen = list(range(len(arguments))) if argnums is None else places(machine, argnums, len(arguments))
        self.is_one = isinstance(argnums, int)
        self.level = Level(machine, [arguments[place] for place in chosen], is_forward=api.is_forward)
        changed = list(arguments)
        for place, value in zip(chosen, self.level.arguments(), strict=True):
            if place >= 0 or not api.is_forward:  # counted from the end, PyTorch's jvp finds none: zeros come out
                changed[place] = value
        with (
            machine.tape.grad_mode(True),
            transforming(machine, "jvp" if api.is_forward else "grad"),
            opened(machine, min((x.index for x in self.level.inputs), default=0)) as open_level,
        ):
            open_level.stands |= {id(x): given for x, given in zip(self.level.inputs, self.level.given, strict=True)}
            result = machine.call(func, tuple(changed), keywords)
        self.aux: Any = None
        if has_aux:
            result, self.aux = with_aux(api, result)
            self._check_tensors(self.aux)
        self.result = result
        self.tree = Tree(result)
        check_outputs(machine, api, self.tree.leaves)

    def _check_tensors(self, value: Any) -> None:
        for leaf in Tree(value).leaves:
            if not isinstance(leaf, Tensor):
                raise TorchError(f"Expected tensors, got unsupported type {kind(self.level.machine, leaf)!r}")

    def shaped(self, leaves: Sequence[Any]) -> Any:
        """One value for each tensor differentiated with respect to, in the structure of the chosen arguments."""
        found = self.level.like_arguments(leaves)
        return found[0] if self.is_one else tuple(found)


def value_and_gradient(machine: Machine, func: Any, argnums: Any, has_aux: bool) -> Callable[..., Any]:
    """A function that gives (gradient, value, aux)."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        compiler_loaded(machine)
        called = Called(machine, func, arguments, keywords, argnums, has_aux, GRAD)
        y, level = called.result, called.level
        if not isinstance(y, Tensor):
            raise TorchError(f"{GRAD.call}: Expected f(*args) to return a Tensor, got {kind(machine, y)!r}")
        if y.ndim or not y.data.size:
            raise TorchError(
                f"{GRAD.call}: Expected f(*args) to return a scalar Tensor, got tensor with {y.ndim} "
                "dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        found = level.vjp([y], [constant(np.ones((), y.dtype)[()], y.tape)])
        return level.out(called.shaped(found)), level.out(y), level.out(called.aux)

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
    called = Called(machine, func, primals, {}, None, has_aux, VJP)

    def pull(cotangents: Any, retain_graph: Any = True, create_graph: Any = None) -> Any:
        given = Tree(cotangents)
        if given.text != called.tree.text:
            raise TorchError(COTANGENTS.format(given=given.text, wanted=called.tree.text))
        for number, (y, v) in enumerate(zip(called.tree.leaves, given.leaves, strict=True)):
            if v.shape != y.shape:
                raise TorchError(
                    f"Mismatch in shape: grad_output[{number}] has a shape of torch.Size({list(v.shape)}) and "
                    f"output[{number}] has a shape of torch.Size({list(y.shape)})."
                )
        flag(retain_graph)
        return called.level.out(called.shaped(called.level.vjp(called.tree.leaves, given.leaves)))

    result: tuple[Any, ...] = (called.level.out(called.result), Native("vjp_fn", pull))
    return (*result, called.level.out(called.aux)) if has_aux else result


def jvp(
    machine: Machine, func: Any, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> Any:
    """(value, Jacobian times the tangents)."""
    check_primals(machine, primals, tangents)
    called = Called(machine, func, primals, {}, None, has_aux, JVP)
    along = Tree(tangents).leaves
    for x, t in zip(called.level.inputs, along, strict=True):
        if x.shape != t.shape:
            raise TorchError(forward_mode.OTHER_SIZE.format(wanted=list(x.shape), given=list(t.shape)))
    pushed = called.tree.rebuilt(called.level.push(called.tree.leaves, along))
    seen = called.result if called.level.is_outermost else as_views(called.result)
    result = called.level.out(seen), called.level.out(pushed)
    return (*result, called.level.out(called.aux)) if has_aux else result


def linearize(machine: Machine, func: Any, *primals: Any) -> tuple[Any, Native]:
    """(value, function of tangents): the Jacobian at one place, for many tangents."""
    called = Called(machine, func, primals, {}, None, False, JVP)

    def push(*tangents: Any) -> Any:
        return called.level.out(called.tree.rebuilt(called.level.push(called.tree.leaves, Tree(tangents).leaves)))

    return called.level.out(called.result), Native("linearized", push)


def _basis(machine: Machine, x: Tensor, other: int) -> list[Tensor]:
    """One tensor per element of x, with 1 there and 0 elsewhere."""
    size = x.data.size
    check_size((size, other))
    machine.spend(20 * size)
    return [machine.tape.tensor(row.reshape(x.shape)[()]) for row in np.eye(size, dtype=x.dtype)]


Block = Callable[[Called, int], list[Tensor]]
"""block(called, number of an output) -> its Jacobian with respect to each input."""


def _jacobian(machine: Machine, func: Any, argnums: Any, has_aux: bool, api: Api, name: str, block: Block) -> Native:
    qualname = _wrapped_name(func, f"{name}.<locals>.wrapper_fn")

    def call(*arguments: Any, **keywords: Any) -> Any:
        for key in keywords:
            raise TorchError(f"{qualname}() got an unexpected keyword argument {key!r}", kind="TypeError")
        called = Called(machine, func, arguments, {}, argnums, has_aux, api)
        found = [called.shaped(block(called, i)) for i in range(len(called.tree.leaves))]
        result = called.level.out(called.tree.rebuilt(found))
        return (result, called.level.out(called.aux)) if has_aux else result

    return Native(qualname, call)


def _wrapped_name(func: Any, own: str) -> str:
    """The name of a function that is wrapped, where it has one, else that of the wrapper."""
    inside = func.function if isinstance(func, Bound) else func
    if isinstance(inside, Function):
        return inside.qualname
    return inside.name if isinstance(inside, Native) and "func" not in inside.members else own


def jacrev(
    machine: Machine, func: Any, argnums: Any = 0, *, has_aux: bool = False, chunk_size: Any = None,
    _preallocate_and_copy: bool = False,
) -> Native:  # fmt: skip
    check_chunks("jacrev", chunk_size)

    def rows(called: Called, number: int) -> list[Tensor]:
        compiler_loaded(machine)
        y, inputs = called.tree.leaves[number], called.level.inputs
        found = [called.level.vjp([y], [v]) for v in _basis(machine, y, sum(x.data.size for x in inputs))]
        with machine.tape.grad_mode(True):
            return [
                F["reshape"](F["stack"]([row[i] for row in found]), (*y.shape, *x.shape)) for i, x in enumerate(inputs)
            ]

    return _jacobian(machine, func, argnums, has_aux, VJP, "jacrev", rows)


def jacfwd(
    machine: Machine, func: Any, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Native:  # fmt: skip
    def once(*arguments: Any) -> Any:
        with drawing(machine, randomness):
            return machine.call(func, arguments, {})

    def columns(called: Called, number: int) -> list[Tensor]:
        y, inputs = called.tree.leaves[number], called.level.inputs
        found = []
        for i, x in enumerate(inputs):
            rest = [zeros(other) for other in inputs]
            pushed = [
                called.level.push([y], [*rest[:i], t, *rest[i + 1 :]])[0] for t in _basis(machine, x, y.data.size)
            ]
            with machine.tape.grad_mode(True):
                side_by_side = F["stack"](pushed, -1) if pushed else zeros(y)
                found.append(F["reshape"](side_by_side, (*y.shape, *x.shape)))
        return found

    inner = Native(_wrapped_name(func, "jacfwd.<locals>.wrapper_fn"), once)
    return _jacobian(machine, inner, argnums, has_aux, JVP, "jacfwd", columns)


def hessian(machine: Machine, func: Any, argnums: Any = 0) -> Native:
    return jacfwd(machine, jacrev(machine, func, argnums), argnums)


def namespace(machine: Machine) -> Namespace:
    """`torch.func`."""
    table: tuple[Callable[..., Any], ...] = (
        grad, grad_and_value, vjp, jvp, jacrev, jacfwd, hessian, linearize, vmap, functional_call, stack_module_state,
    )  # fmt: skip
    members = {f.__name__: Native(f.__name__, f, needs_machine=True) for f in table}
    replace = Native("replace_all_batch_norm_modules_", without_statistics, needs_machine=True)
    return Namespace("torch.func", {**members, replace.name: replace})
