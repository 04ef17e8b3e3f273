"""`torch.func`: functions that give derivatives of functions, and vmap as a loop."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from gradviz.engine.apply import alias
from gradviz.engine.autograd.functional import forward_product, jacobian, leaf_of, zeros_of
from gradviz.engine.errors import Beyond
from gradviz.engine.functions.shape import stack
from gradviz.engine.gradients import grad as gradients
from gradviz.engine.known import missing_of
from gradviz.engine.modes import enable_grad
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, current
from gradviz.engine.views import set_requires_grad


def _chosen(args: Sequence[Any], argnums: int | tuple[int, ...]) -> tuple[int, ...]:
    found = (argnums,) if isinstance(argnums, int) else argnums
    for n in found:
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")
    return tuple([n % len(args) for n in found])


def _map_tree(function: Callable[[Tensor], Any], tree: Any) -> Any:
    """A tree of dicts, lists and tuples with the function applied to its tensors."""
    if isinstance(tree, Tensor):
        return function(tree)
    if isinstance(tree, dict):
        return type(tree)({key: _map_tree(function, each) for key, each in tree.items()})
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[_map_tree(function, each) for each in tree])
    if isinstance(tree, tuple | list):
        return type(tree)([_map_tree(function, each) for each in tree])
    return tree


def _tensors_of(tree: Any) -> list[Tensor]:
    found: list[Tensor] = []
    _map_tree(found.append, tree)
    return found


def _rebuilt(tree: Any, tensors: Sequence[Any]) -> Any:
    left = iter(tensors)
    return _map_tree(lambda _: next(left), tree)


def _with_leaves(args: Sequence[Any], chosen: Sequence[int]) -> tuple[list[Any], Any]:
    """The arguments with the chosen ones as part of a graph of their own level; and those."""
    taken = list(args)
    for n in chosen:
        taken[n] = _map_tree(lambda x: leaf_of(x, create_graph=True), taken[n])
    return taken, [taken[n] for n in chosen]


def grad_and_value(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the gradient of a function of one number, and its value."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        is_inner = any(current(x).tracked for x in _tensors_of(args))
        with enable_grad():
            taken, leaves = _with_leaves(args, _chosen(args, argnums))
            result = func(*taken, **kwargs)
            y, aux = result if has_aux else (result, None)
            if not isinstance(y, Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(y)}")
            if current(y).array.ndim:
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{current(y).array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            tensors = _tensors_of(leaves)
            sent: Any = (
                gradients(y, tensors, None, True, is_inner, allow_unused=True)
                if current(y).tracked
                else [None] * len(tensors)
            )
            found = _rebuilt(leaves, [zeros_of(x) if g is None else g for g, x in zip(sent, tensors, strict=True)])
        slope = tuple(found) if isinstance(argnums, tuple) else found[0]
        value, aux = (y, aux) if is_inner else (alias(y), _map_tree(alias, aux))
        return (slope, (value, aux)) if has_aux else (slope, value)

    return run


def grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the gradient of a function of one number."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        slope, value = both(*args, **kwargs)
        return (slope, value[1]) if has_aux else slope

    return run


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The output, and a function from v to v·J."""
    with enable_grad():
        taken, leaves = _with_leaves(primals, range(len(primals)))
        result = func(*taken)
    y, aux = result if has_aux else (result, None)
    tensors, outputs = _tensors_of(leaves), _tensors_of(y)

    def send(v: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        """v·J, for each of the primals."""
        keep = any(current(x).tracked for x in _tensors_of((primals, v)))
        sent: Any = gradients(outputs, tensors, _tensors_of(v), True, keep, allow_unused=True)
        found = _rebuilt(leaves, [zeros_of(x) if g is None else g for g, x in zip(sent, tensors, strict=True)])
        return tuple(found)

    shown = y if any(current(x).tracked for x in _tensors_of(primals)) else _map_tree(alias, y)
    return (shown, send, aux) if has_aux else (shown, send)


def jvp(func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], **_: Any) -> Any:
    """The output, and J·v."""
    is_inner = any(current(x).tracked for x in _tensors_of((primals, tangents)))
    with enable_grad():
        taken, leaves = _with_leaves(primals, range(len(primals)))
        y = func(*taken)
        outputs = _tensors_of(y)
        found = forward_product(outputs, _tensors_of(leaves), _tensors_of(tangents), is_inner)
    shown = y if is_inner else _map_tree(alias, y)
    return shown, _rebuilt(y, found)


def jacrev(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, **_: Any) -> Any:
    """A function that gives the Jacobian of a function, row by row."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        chosen = _chosen(args, argnums)
        is_inner = any(current(x).tracked for x in _tensors_of(args))
        aux: list[Any] = []

        def of(*xs: Tensor) -> Any:
            taken = list(args)
            for n, tree in zip(chosen, _rebuilt([args[n] for n in chosen], xs), strict=True):
                taken[n] = tree
            result = func(*taken, **kwargs)
            if has_aux:
                aux.append(result[1])
                return result[0]
            return result

        tensors = tuple(_tensors_of([args[n] for n in chosen]))
        found = jacobian(of, tensors, create_graph=is_inner)
        is_many = bool(found) and isinstance(found[0], tuple)
        trees = [_rebuilt([args[n] for n in chosen], each) for each in (found if is_many else (found,))]
        picked = [tuple(tree) if isinstance(argnums, tuple) else tree[0] for tree in trees]
        slope = tuple(picked) if is_many else picked[0]
        return (slope, aux[0]) if has_aux else slope

    return run


jacfwd = jacrev


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Any:
    """A function that gives the matrix of second derivatives."""
    return jacrev(jacrev(func, argnums), argnums)


def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: Any = None
) -> Callable[..., Any]:
    """A function applied along a dim of its arguments, one item after the other, the results stacked."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        dims = in_dims if isinstance(in_dims, tuple | list) else (in_dims,) * len(args)
        if len(dims) != len(args):
            raise ValueError(
                f"vmap({getattr(func, '__name__', 'func')}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible "
                f"with the structure of inputs."
            )
        sizes = {
            current(x).array.shape[dim]
            for arg, dim in zip(args, dims, strict=True) if isinstance(dim, int) for x in _tensors_of(arg)
        }  # fmt: skip
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if len(sizes) != 1:
            raise ValueError(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sorted(sizes)} for "
                "the mapped dimension"
            )
        results = []
        state.mapped += 1
        try:
            for i in range(sizes.pop()):
                items = [_item(arg, dim, i) for arg, dim in zip(args, dims, strict=True)]
                results.append(func(*items, **kwargs))
        finally:
            state.mapped -= 1
        return _collected(results, out_dims, getattr(func, "__name__", "func"))

    return run


def _item(arg: Any, dim: Any, i: int) -> Any:
    if isinstance(dim, dict):
        return {key: _item(each, dim[key], i) for key, each in arg.items()}
    if isinstance(dim, tuple | list):
        return type(arg)([_item(each, d, i) for each, d in zip(arg, dim, strict=True)])
    return arg if dim is None else _map_tree(lambda x: x.select(dim, i), arg)


def _collected(results: list[Any], out_dims: Any, name: str) -> Any:
    first = results[0]
    if isinstance(first, tuple | list):
        dims = out_dims if isinstance(out_dims, tuple | list) else (out_dims,) * len(first)
        return type(first)([_collected([row[k] for row in results], dims[k], name) for k in range(len(first))])
    if isinstance(first, dict):
        return {key: _collected([row[key] for row in results], out_dims, name) for key in first}
    if out_dims is None:
        return first
    if not isinstance(first, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(first)}. Did you mean to set out_dims= "
            "to None for output?"
        )
    return stack(results, out_dims if isinstance(out_dims, int) else out_dims[0])


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    tie_weights: bool = True,
    *,
    strict: bool = False,
) -> Any:
    """Call a module with other tensors in place of its parameters and buffers.

    Args:
        parameter_and_buffer_dicts: tensors by name, e.g. "0.weight", or several such dicts.
        tie_weights: must be True: a tensor that the module has under several names is replaced under all of them.
        strict: whether names that are missing or have no place are an error.

    Raises:
        ValueError: it is no dict.
        RuntimeError: names do not fit, under `strict`.
    """
    if not tie_weights:
        raise Beyond("functional_call(tie_weights=False)")
    given: dict[str, Any] = {}
    several = isinstance(parameter_and_buffer_dicts, tuple | list)
    for each in parameter_and_buffer_dicts if several else (parameter_and_buffer_dicts,):
        if not isinstance(each, dict):
            raise ValueError(
                f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(each)}"
            )
        given.update(each)
    own = {
        f"{path}.{name}" if path else name: (table, name)
        for path, holder in module.named_modules(remove_duplicate=False)
        for table in (holder._parameters, holder._buffers) for name in table
    }  # fmt: skip
    if strict and own.keys() ^ given.keys():
        lines = [f"Error(s) in reparametrizing for {type(module).__name__}:"]
        for what, names in (("Unexpected", given.keys() - own.keys()), ("Missing", own.keys() - given.keys())):
            if names:
                lines.append(f"{what} key(s): {', '.join(map(repr, sorted(names)))}.")
        raise RuntimeError("\n\t".join(lines))
    tensors = {path: table[name] for path, (table, name) in own.items()}
    # A tensor that the module has under several names is replaced under all of them.
    values = {id(tensors[path]): value for path, value in given.items() if tensors.get(path) is not None}
    given = {path: values[id(x)] for path, x in tensors.items() if id(x) in values} | given
    try:
        for path, value in given.items():
            if path in own:
                table, name = own[path]
                table[name] = value
        positional = args if isinstance(args, tuple) else () if args is None else (args,)
        return module(*positional, **(kwargs or {}))
    finally:
        for path, x in tensors.items():
            table, name = own[path]
            table[name] = x


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters of several models of one kind, stacked, and their buffers."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = {}
    for name, _ in models[0].named_parameters():
        rows = [alias(dict(model.named_parameters())[name]) for model in models]
        made = stack(rows).detach()
        set_requires_grad(made, True)
        parameters[name] = made
    buffers = {
        name: stack([dict(model.named_buffers())[name] for model in models]) for name, _ in models[0].named_buffers()
    }
    return parameters, buffers


__getattr__ = missing_of("torch.func")

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "stack_module_state", "vjp", "vmap",
]  # fmt: skip
