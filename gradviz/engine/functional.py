"""`torch.autograd.functional` and `torch.func`: derivatives of functions, each by passes of the one reverse loop."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradviz.engine.apply import alias
from gradviz.engine.autograd import grad as gradients
from gradviz.engine.modes import enable_grad
from gradviz.engine.tensor import Tensor, constant, current, extra_of
from gradviz.engine.views import set_requires_grad


def _tuple(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def _leaf(x: Tensor, *, create_graph: bool) -> Tensor:
    """A tensor to differentiate with respect to; part of the graph around it where that is wanted."""
    now = current(x)
    if create_graph and now.tracked:
        return x.view_as(x)
    made = constant(now.array)
    made.tracked = True
    if x.extra is not None and x.extra.name is not None:
        extra_of(made).name = x.extra.name
    return made


def _given(inputs: Any, *, create_graph: bool) -> tuple[tuple[Tensor, ...], bool]:
    for number, x in enumerate(_tuple(inputs)):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"The inputs given to the function must be either a Tensor or a tuple of Tensors but the value at index "
                f"{number} has type {type(x)}."
            )
    return tuple([_leaf(x, create_graph=create_graph) for x in _tuple(inputs)]), isinstance(inputs, tuple)


def _done(results: Sequence[Tensor], is_tuple: bool, create_graph: bool) -> Any:
    found = tuple([x if create_graph else alias(x) for x in results])
    return found if is_tuple else found[0]


def _zeros(x: Tensor) -> Tensor:
    return constant(np.zeros_like(current(x).array)[()])


def _rows(y: Tensor) -> Iterator[Tensor]:
    """The unit vectors of the shape of y."""
    array = current(y).array
    for i in range(array.size):
        unit = np.zeros(array.size, array.dtype)
        unit[i] = 1
        yield constant(unit.reshape(array.shape)[()])


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of a function, row by row: one pass for each number of the output.

    Returns:
        For one input and one output a tensor of the output's shape followed by the input's; else tuples of them.
    """
    with enable_grad():
        given, is_tuple = _given(inputs, create_graph=create_graph)
        outputs = func(*given)
        blocks = []
        for y in _tuple(outputs):
            rows: list[list[Any]] = []
            for unit in _rows(y):
                if current(y).tracked:
                    sent: Any = gradients(y, given, unit, True, create_graph, allow_unused=True)
                else:
                    sent = [None] * len(given)
                if strict and None in [None if g is None else 0 for g in sent]:
                    raise RuntimeError("The output of the user-provided function is independent of input 0.")
                rows.append([_zeros(x) if g is None else g for g, x in zip(sent, given, strict=True)])
            shape = current(y).array.shape
            blocks.append(
                tuple([_stacked([row[i] for row in rows], shape, x, create_graph) for i, x in enumerate(given)])
            )
    found = [block if is_tuple else block[0] for block in blocks]
    return tuple(found) if isinstance(outputs, tuple | list) else found[0]


def _stacked(rows: list[Tensor], shape: tuple[int, ...], x: Tensor, create_graph: bool) -> Tensor:
    whole = (*shape, *current(x).array.shape)
    if create_graph:
        return rows[0].stacked_with(rows).reshape(whole)
    if not rows:
        return constant(np.zeros(whole, current(x).array.dtype))
    return constant(np.stack([current(row).array for row in rows]).reshape(whole)[()])


def _scalar(y: Any, name: str) -> Tensor:
    if not isinstance(y, Tensor):
        raise TypeError(f"The output of the function given to {name} must be a Tensor but got {type(y)}.")
    if current(y).array.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return y


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The matrix of second derivatives of a function that gives one number: the Jacobian of its gradient."""
    is_tuple = isinstance(inputs, tuple)

    def slope(*xs: Tensor) -> Any:
        y = _scalar(func(*xs), "hessian")
        if not current(y).tracked:
            return tuple([x * 0 for x in xs])
        sent: tuple[Any, ...] = gradients(y.reshape(()), xs, create_graph=True, allow_unused=True)
        return tuple(
            [x * 0 if g is None else g + x * 0 if not g.requires_grad else g for g, x in zip(sent, xs, strict=True)]
        )

    found = jacobian(slope, inputs, create_graph=create_graph)
    return found if is_tuple else found[0]


def _vector(v: Any, of: Sequence[Tensor], name: str) -> tuple[Tensor, ...]:
    if v is None:
        if len(of) != 1 or current(of[0]).array.size != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
                if name == "v"
                else "The vector v can only be None if the input to the user-provided function is a single Tensor with "
                "a single element."
            )
        return (constant(np.ones_like(current(of[0]).array)[()]),)
    for number, (x, y) in enumerate(zip(_tuple(v), of, strict=True)):
        if current(x).array.shape != current(y).array.shape:
            prefix = f"Entry {number} in " if isinstance(v, tuple) else ""
            raise RuntimeError(f"{prefix}v has invalid size: should be {y.shape} but got {x.shape}.")
    return _tuple(v)


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The outputs, and v·J."""
    with enable_grad():
        given, is_tuple = _given(inputs, create_graph=create_graph)
        outputs = func(*given)
        seeds = _vector(v, _tuple(outputs), "v")
        sent: Any = gradients(_tuple(outputs), given, seeds, create_graph or None, create_graph, allow_unused=True)
        found = [_zeros(x) if g is None else g for g, x in zip(sent, given, strict=True)]
    is_many = isinstance(outputs, tuple)
    return _done(_tuple(outputs), is_many, create_graph), _done(found, is_tuple, create_graph)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The outputs, and J·v, by two reverse passes: v·J is linear in its v, and the derivative of that is J·v."""
    with enable_grad():
        given, _ = _given(inputs, create_graph=create_graph)
        outputs = func(*given)
        found = _forward_product(_tuple(outputs), given, _vector(v, given, "u"), create_graph)
    is_many = isinstance(outputs, tuple)
    return _done(_tuple(outputs), is_many, create_graph), _done(found, is_many, create_graph)


def _forward_product(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], vectors: Sequence[Tensor], create_graph: bool
) -> list[Tensor]:
    seeds = []
    for y in outputs:
        seed = constant(np.zeros_like(current(y).array)[()])
        seed.tracked = True
        seeds.append(seed)
    taking = [i for i, y in enumerate(outputs) if current(y).tracked]
    if not taking:
        return [_zeros(y) for y in outputs]
    sent: tuple[Any, ...] = gradients(
        [outputs[i] for i in taking], inputs, [seeds[i] for i in taking], True, True, allow_unused=True
    )
    pairs = [(g, v) for g, v in zip(sent, vectors, strict=True) if g is not None and g.requires_grad]
    if not pairs:
        return [_zeros(y) for y in outputs]
    found: tuple[Any, ...] = gradients(
        [g for g, _ in pairs], seeds, [v for _, v in pairs], create_graph or None, create_graph, allow_unused=True
    )
    return [_zeros(y) if g is None else g for g, y in zip(found, outputs, strict=True)]


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The output, and H·v for a function that gives one number."""
    with enable_grad():
        given, is_tuple = _given(inputs, create_graph=create_graph)
        y = _scalar(func(*given), "hvp")
        slopes: tuple[Any, ...] = gradients(y.reshape(()), given, create_graph=True, allow_unused=True)
        vectors = _vector(v, given, "u")
        pairs = [(g, u) for g, u in zip(slopes, vectors, strict=True) if g is not None and g.requires_grad]
        sent: Any = [None] * len(given)
        if pairs:
            sent = gradients([g for g, _ in pairs], given, [u for _, u in pairs], create_graph or None, create_graph,
                             allow_unused=True)  # fmt: skip
        found = [_zeros(x) if g is None else g for g, x in zip(sent, given, strict=True)]
    return _done((y,), False, create_graph), _done(found, is_tuple, create_graph)


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The output, and v·H; the same as H·v, since H is symmetric."""
    return hvp(func, inputs, v, create_graph, strict)


# ---- torch.func -------------------------------------------------------------------------------------------------


def _chosen(args: Sequence[Any], argnums: int | tuple[int, ...]) -> tuple[int, ...]:
    return tuple([n % len(args) for n in ((argnums,) if isinstance(argnums, int) else argnums)])


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
        taken[n] = _map_tree(lambda x: _leaf(x, create_graph=True), taken[n])
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
                raise RuntimeError(
                    f"Expected f(*args) to return a tensor for use in grad. Got type {type(y).__name__} instead."
                )
            if current(y).array.ndim:
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got tensor with "
                    f"{current(y).array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            tensors = _tensors_of(leaves)
            sent: Any = (
                gradients(y, tensors, None, True, is_inner, allow_unused=True)
                if current(y).tracked
                else [None] * len(tensors)
            )
            found = _rebuilt(leaves, [_zeros(x) if g is None else g for g, x in zip(sent, tensors, strict=True)])
        slope = tuple(found) if isinstance(argnums, tuple) else found[0]
        value = y if is_inner else alias(y)
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


def func_vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
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
        found = _rebuilt(leaves, [_zeros(x) if g is None else g for g, x in zip(sent, tensors, strict=True)])
        return tuple(found)

    shown = y if any(current(x).tracked for x in _tensors_of(primals)) else _map_tree(alias, y)
    return (shown, send, aux) if has_aux else (shown, send)


def func_jvp(func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], **_: Any) -> Any:
    """The output, and J·v."""
    is_inner = any(current(x).tracked for x in _tensors_of((primals, tangents)))
    with enable_grad():
        taken, leaves = _with_leaves(primals, range(len(primals)))
        y = func(*taken)
        outputs = _tensors_of(y)
        found = _forward_product(outputs, _tensors_of(leaves), _tensors_of(tangents), is_inner)
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


def func_hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Any:
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
        if len(sizes) != 1:
            raise ValueError(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sorted(sizes)}"
            )
        results = []
        for i in range(sizes.pop()):
            items = [_item(arg, dim, i) for arg, dim in zip(args, dims, strict=True)]
            results.append(func(*items, **kwargs))
        return _collected(results, out_dims)

    return run


def _item(arg: Any, dim: Any, i: int) -> Any:
    if isinstance(dim, dict):
        return {key: _item(each, dim[key], i) for key, each in arg.items()}
    if isinstance(dim, tuple | list):
        return type(arg)([_item(each, d, i) for each, d in zip(arg, dim, strict=True)])
    return arg if dim is None else _map_tree(lambda x: x.select(dim, i), arg)


def _collected(results: list[Any], out_dims: Any) -> Any:
    first = results[0]
    if isinstance(first, tuple | list):
        dims = out_dims if isinstance(out_dims, tuple | list) else (out_dims,) * len(first)
        return type(first)([_collected([row[k] for row in results], dims[k]) for k in range(len(first))])
    if isinstance(first, dict):
        return {key: _collected([row[key] for row in results], out_dims) for key in first}
    if out_dims is None:
        return first
    return first.stacked_with(results, out_dims if isinstance(out_dims, int) else out_dims[0])


def functional_call(module: Any, parameters: Any, args: Any = None, kwargs: dict[str, Any] | None = None) -> Any:
    """Call a module with other tensors in place of its parameters and buffers."""
    given: dict[str, Any] = {}
    for each in parameters if isinstance(parameters, tuple | list) else (parameters,):
        given.update(each)
    holders = dict(module.named_modules())
    put_back = []
    try:
        for path, value in given.items():
            owner, _, name = path.rpartition(".")
            holder = holders[owner]
            table = holder._parameters if name in holder._parameters else holder._buffers
            put_back.append((table, name, table[name]))
            table[name] = value
        positional = args if isinstance(args, tuple) else () if args is None else (args,)
        return module(*positional, **(kwargs or {}))
    finally:
        for table, name, value in reversed(put_back):
            table[name] = value


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters of several models of one kind, stacked, and their buffers."""
    parameters = {}
    for name, first in models[0].named_parameters():
        rows = [alias(dict(model.named_parameters())[name]) for model in models]
        made = first.detach().stacked_with(rows)
        set_requires_grad(made, True)
        parameters[name] = made
    buffers = {
        name: first.stacked_with([dict(model.named_buffers())[name] for model in models])
        for name, first in models[0].named_buffers()
    }
    return parameters, buffers
