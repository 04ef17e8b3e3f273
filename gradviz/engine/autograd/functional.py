"""`torch.autograd.functional`: derivatives of functions, each by passes of the one reverse loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradviz.engine.apply import alias
from gradviz.engine.errors import refuse_options
from gradviz.engine.functions.shape import stack
from gradviz.engine.gradients import grad as gradients
from gradviz.engine.known import missing_of
from gradviz.engine.modes import enable_grad
from gradviz.engine.tensor import Tensor, constant, current, extra_of, name_of


def _tuple(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def leaf_of(x: Tensor, *, create_graph: bool) -> Tensor:
    """A tensor to differentiate with respect to; part of the graph around it where that is wanted."""
    now = current(x)
    if create_graph and now.tracked:
        return x.view_as(x)
    made = constant(now.array)
    made.tracked = True
    name, _ = name_of(x)
    if name is not None:
        extra_of(made).name = name
    return made


def _given(inputs: Any, *, create_graph: bool) -> tuple[tuple[Tensor, ...], bool]:
    for number, x in enumerate(_tuple(inputs)):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"The inputs given to the function must be either a Tensor or a tuple of Tensors but the value at index "
                f"{number} has type {type(x)}."
            )
    return tuple([leaf_of(x, create_graph=create_graph) for x in _tuple(inputs)]), isinstance(inputs, tuple)


def _refuse(function: str, others: dict[str, Any]) -> None:
    """Refuse `strict=True`; how the derivatives are found, which other options say, is one way here."""
    ways = ("vectorize", "strategy", "outer_jacobian_strategy")
    refuse_options(function, {name: value for name, value in others.items() if name not in ways}, "strict")


def _done(results: Sequence[Tensor], is_tuple: bool, create_graph: bool) -> Any:
    found = tuple([x if create_graph else alias(x) for x in results])
    return found if is_tuple else found[0]


def zeros_of(x: Tensor) -> Tensor:
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
    **others: Any,
) -> Any:
    """The Jacobian of a function, row by row: one pass for each number of the output.

    Returns:
        For one input and one output a tensor of the output's shape followed by the input's; else tuples of them.
    """
    _refuse("jacobian", others)
    with enable_grad():
        given, is_tuple = _given(inputs, create_graph=create_graph)
        outputs = func(*given)
        if not isinstance(outputs, Tensor | tuple | list):
            raise TypeError(
                "The outputs of the user-provided function given to jacobian must be either a Tensor or a tuple of "
                f"Tensors but the given outputs of the user-provided function has type {type(outputs)}."
            )
        blocks = []
        for number, y in enumerate(_tuple(outputs)):
            rows: list[list[Any]] = []
            for unit in _rows(y):
                if current(y).tracked:
                    sent: Any = gradients(y, given, unit, True, create_graph, allow_unused=True)
                else:
                    sent = [None] * len(given)
                if strict:
                    _check_dependent(number, y, sent)
                rows.append([zeros_of(x) if g is None else g for g, x in zip(sent, given, strict=True)])
            shape = current(y).array.shape
            blocks.append(
                tuple([_stacked([row[i] for row in rows], shape, x, create_graph) for i, x in enumerate(given)])
            )
    found = [block if is_tuple else block[0] for block in blocks]
    return tuple(found) if isinstance(outputs, tuple | list) else found[0]


def _check_dependent(number: int, y: Tensor, sent: Sequence[Tensor | None]) -> None:
    """Raise what `strict=True` asks for: an output that does not depend on an input."""
    if not current(y).tracked:
        raise RuntimeError(
            f"Output {number} of the user-provided function does not require gradients. The outputs must be computed in "
            "a differentiable manner from the input when running in strict mode."
        )
    for i, g in enumerate(sent):
        if g is None:
            raise RuntimeError(
                f"Output {number} of the user-provided function is independent of input {i}. This is not allowed in "
                "strict mode."
            )


def _stacked(rows: list[Tensor], shape: tuple[int, ...], x: Tensor, create_graph: bool) -> Tensor:
    whole = (*shape, *current(x).array.shape)
    if create_graph:
        return stack(rows).reshape(whole)
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
    **others: Any,
) -> Any:
    """The matrix of second derivatives of a function that gives one number: the Jacobian of its gradient."""
    _refuse("hessian", others)
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


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, **others: Any) -> Any:
    """The outputs, and v·J."""
    _refuse("vjp", others)
    with enable_grad():
        given, is_tuple = _given(inputs, create_graph=create_graph)
        outputs = func(*given)
        seeds = _vector(v, _tuple(outputs), "v")
        sent: Any = gradients(_tuple(outputs), given, seeds, create_graph or None, create_graph, allow_unused=True)
        found = [zeros_of(x) if g is None else g for g, x in zip(sent, given, strict=True)]
    is_many = isinstance(outputs, tuple)
    return _done(_tuple(outputs), is_many, create_graph), _done(found, is_tuple, create_graph)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, **others: Any) -> Any:
    """The outputs, and J·v, by two reverse passes: v·J is linear in its v, and the derivative of that is J·v."""
    _refuse("jvp", others)
    with enable_grad():
        given, _ = _given(inputs, create_graph=create_graph)
        outputs = func(*given)
        found = forward_product(_tuple(outputs), given, _vector(v, given, "u"), create_graph)
    is_many = isinstance(outputs, tuple)
    return _done(_tuple(outputs), is_many, create_graph), _done(found, is_many, create_graph)


def forward_product(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], vectors: Sequence[Tensor], create_graph: bool
) -> list[Tensor]:
    seeds = []
    for y in outputs:
        seed = constant(np.zeros_like(current(y).array)[()])
        seed.tracked = True
        seeds.append(seed)
    taking = [i for i, y in enumerate(outputs) if current(y).tracked]
    if not taking:
        return [zeros_of(y) for y in outputs]
    sent: tuple[Any, ...] = gradients(
        [outputs[i] for i in taking], inputs, [seeds[i] for i in taking], True, True, allow_unused=True
    )
    pairs = [(g, v) for g, v in zip(sent, vectors, strict=True) if g is not None and g.requires_grad]
    if not pairs:
        return [zeros_of(y) for y in outputs]
    found: tuple[Any, ...] = gradients(
        [g for g, _ in pairs], seeds, [v for _, v in pairs], create_graph or None, create_graph, allow_unused=True
    )
    return [zeros_of(y) if g is None else g for g, y in zip(found, outputs, strict=True)]


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, **others: Any) -> Any:
    """The output, and H·v for a function that gives one number."""
    _refuse("hvp", others)
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
        found = [zeros_of(x) if g is None else g for g, x in zip(sent, given, strict=True)]
    return _done((y,), False, create_graph), _done(found, is_tuple, create_graph)


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, **others: Any) -> Any:
    """The output, and v·H; the same as H·v, since H is symmetric."""
    return hvp(func, inputs, v, create_graph, **others)


__getattr__ = missing_of("torch.autograd.functional")

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
