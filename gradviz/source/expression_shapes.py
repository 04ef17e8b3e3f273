"""Guess shapes for the unknown names of an expression, so that `w @ x + b` can run.

Knows the shape rules of arithmetic, matrix products and sums, and what common layers take; everything else leaves a
shape open. As is usual in the field, a capital letter in a product is a matrix; without one, the left factor is a
matrix and the right a vector.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FIRST, _OTHER = 3, 2  # sizes: of the axis summed over in the first product, and of the rest
_REDUCTIONS = _words("sum mean prod norm var std logsumexp max min median trace det item numel")
_PRODUCTS = _words("matmul mm mv dot inner vdot")
_LOSSES = _words("mse_loss l1_loss smooth_l1_loss huber_loss cross_entropy nll_loss binary_cross_entropy")
_JOINING = _words("stack cat concat hstack vstack reshape view outer cross")


@dataclass(eq=False)
class _Shape:
    """A shape that may still be open (`axes` is None); `same` leads to the shape that it must equal."""

    axes: list[_Axis] | None = None
    same: _Shape | None = None

    def root(self) -> _Shape:
        shape = self
        while shape.same is not None:
            shape = shape.same
        return shape


@dataclass(eq=False)
class _Axis:
    """An axis of unknown size, or of a known one; `same` leads to the axis whose size it must have."""

    size: int | None = None
    least: int = 1
    same: _Axis | None = None

    def root(self) -> _Axis:
        axis = self
        while axis.same is not None:
            axis = axis.same
        return axis


@dataclass
class _Guess:
    """The state of one guess: shapes of names and of parts of the tree."""

    names: dict[str, _Shape] = field(default_factory=dict)
    parts: dict[ast.AST, _Shape | None] = field(default_factory=dict)
    contracted: _Axis | None = None
    layers: dict[str, ast.Call] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    scalars: frozenset[str] = frozenset()


def guess_shapes(
    tree: ast.Module, unknown: Iterable[str], known: Mapping[str, Sequence[int]] | None = None
) -> tuple[dict[str, tuple[int, ...]], bool]:
    """Shapes of the unknown names, and whether the last expression is certainly a scalar.

    Args:
        known: the shapes of other names, as far as the text tells them.

    Returns:
        A shape per name, (3,) where nothing tells another; True where the last statement's value has shape ().
    """
    guess = _Guess({name: _Shape() for name in unknown})
    for name, shape in (known or {}).items():
        guess.names.setdefault(name, _Shape([_Axis(size) for size in shape]))
        guess.made.add(name)
    guess.scalars = frozenset(_outputs(tree))
    last: _Shape | None = None
    for statement in tree.body:
        last = _statement_shape(statement, guess)
    sizes = {name: _sizes(shape, guess) for name, shape in guess.names.items() if shape.root().axes != []}
    is_scalar = last is not None and last.root().axes == []
    return {name: sizes.get(name, ()) for name in guess.names}, is_scalar


def _outputs(tree: ast.Module) -> Iterator[str]:
    """The names of what backward is called on without a v: they are scalars."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward"), args=[]):
                yield name


def _statement_shape(statement: ast.stmt, guess: _Guess) -> _Shape | None:
    """The shape of a statement's value; its parts are worked out from the innermost outwards, without recursion."""
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.ClassDef):
        guess.classes[statement.name] = statement
    if not isinstance(value, ast.expr):
        return None
    for part in reversed(list(ast.walk(value))):
        if isinstance(part, ast.expr):
            guess.parts[part] = _shape_of(part, guess)
    shape = guess.parts[value]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    for target in targets:
        name = ast.unparse(target) if isinstance(target, (ast.Name, ast.Attribute)) else ""
        if isinstance(value, ast.Call):
            guess.layers[name] = value
        if isinstance(value, ast.Constant) and isinstance(value.value, int):
            guess.numbers[name] = value.value
        if isinstance(target, ast.Name) and shape is not None:
            if name in guess.scalars and _is_open(shape):
                shape.root().axes = []
            if name in guess.made:
                guess.made.discard(name)  # this is the line that makes it, in the shape that is known
            else:
                guess.names[name] = shape
    return shape


def _shape_of(node: ast.expr, guess: _Guess) -> _Shape | None:
    parts = guess.parts
    match node:
        case ast.Name(id=name):
            return guess.names.get(name)
        case ast.Constant(value=int() | float()):
            return _Shape([])
        case ast.UnaryOp(operand=inner):
            return parts[inner]
        case ast.BinOp(op=ast.MatMult(), left=left, right=right):
            return _matrix_product(left, right, guess)
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return _broadcast([parts[left], parts[right]])
        case ast.Attribute(value=inner, attr="T" | "mT"):
            return _transposed(parts[inner])
        case ast.Subscript(value=inner, slice=index):
            return _indexed(parts[inner], index)
        case ast.Call(func=func, args=[inner, *_]) if (layer := _layer_of(func, guess)) is not None:
            return _after_layer(layer, parts.get(inner), guess)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="torch"), attr=name), args=args):
            return _call_shape(name, args, node, guess)
        case ast.Call(func=ast.Attribute(value=inner, attr=name), args=args):
            return _call_shape(name, [inner, *args], node, guess)
    return None


def _call_shape(name: str, args: Sequence[ast.expr], call: ast.Call, guess: _Guess) -> _Shape | None:
    if name in _PRODUCTS and len(args) == 2:
        return _dot(args, guess) if name in ("dot", "inner", "vdot") else _matrix_product(args[0], args[1], guess)
    if name in _REDUCTIONS:
        return _Shape([]) if len(args) == 1 and not call.keywords else _pairwise_extremum(name, args, guess)
    if name in _LOSSES and not call.keywords:
        _broadcast([guess.parts[arg] for arg in args])
        return _Shape([])
    if name in _JOINING or not args:
        return None
    return _broadcast([guess.parts[arg] for arg in args])


_ON_AXES = {
    **dict.fromkeys(("Linear", "LayerNorm"), (None,)),
    **dict.fromkeys(("RNN", "LSTM", "GRU"), (3, 2, None)),
    "BatchNorm1d": (3, None), "BatchNorm2d": (2, None, 4, 4), "MultiheadAttention": (3, 2, None),
    "Conv1d": (1, None, 8), "Conv2d": (1, None, 8, 8), "Conv3d": (1, None, 8, 8, 8),
    "ConvTranspose1d": (1, None, 4), "ConvTranspose2d": (1, None, 4, 4),
}  # fmt: skip
"""The axes that a layer takes, by its class; None for the one whose size is the layer's first argument.

One axis alone is the last of any number.
"""
_RESIZING = _words("Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d")
"""Layers whose second argument is the size of that axis afterwards."""


def _layer_of(func: ast.expr, guess: _Guess) -> ast.Call | None:
    """The call that makes the layer which is called here, or None where it is no layer."""
    made = func if isinstance(func, ast.Call) else guess.layers.get(ast.unparse(func))
    if made is None:
        return None
    name = _last_name(made.func)
    return made if name in _ON_AXES or name == "Sequential" or name in guess.classes else None


def _last_name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _after_layer(layer: ast.Call, shape: _Shape | None, guess: _Guess) -> _Shape | None:
    """The shape of what a layer gives; what is open of what it takes is closed."""
    name = _last_name(layer.func)
    if name in guess.classes:
        return _after_class(guess.classes[name], shape, guess)
    if name == "Sequential":
        for inner in layer.args:
            shape = _after_layer(inner, shape, guess) if isinstance(inner, ast.Call) else None
        return shape
    if name not in _ON_AXES or shape is None:
        return shape
    given = [*layer.args, *(keyword.value for keyword in layer.keywords)]
    sizes = [_number(part, guess) for part in given[:2]]
    pattern = _ON_AXES[name]
    axes = [_Axis(sizes[0] if sizes and size is None else size) for size in pattern]
    place = pattern.index(None) - len(pattern)
    if _is_open(shape):
        _set_axes(shape, axes if len(axes) > 1 else [_Axis(_OTHER), *axes])
    else:
        _set_axes(shape, axes[place:] if len(axes) == 1 else axes)
    after = list(shape.root().axes or [])
    if name in _RESIZING and -place <= len(after):
        after[place] = _Axis(sizes[1] if len(sizes) > 1 else None)
        after[len(after) + place + 1 :] = [_Axis() for _ in after[len(after) + place + 1 :]]
    return _Shape(after)


def _number(part: ast.expr, guess: _Guess) -> int | None:
    match part:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return guess.numbers.get(name)
    return None


def _after_class(made: ast.ClassDef, shape: _Shape | None, guess: _Guess) -> _Shape | None:
    """The shape that a module of the script's own gives, by the lines of its forward."""
    methods = {part.name: part for part in made.body if isinstance(part, ast.FunctionDef)}
    forward = methods.get("forward")
    if forward is None or len(forward.args.args) < 2 or shape is None:
        return None
    others = {name: one for name, one in guess.classes.items() if one is not made}  # none holds itself
    inside = _Guess({forward.args.args[1].arg: shape}, classes=others, numbers=guess.numbers)
    for statement in methods["__init__"].body if "__init__" in methods else ():
        _statement_shape(statement, inside)
    last: _Shape | None = None
    for statement in forward.body:
        last = _statement_shape(statement, inside)
    return last


def _pairwise_extremum(name: str, args: Sequence[ast.expr], guess: _Guess) -> _Shape | None:
    is_pair = name in ("max", "min") and len(args) == 2 and not isinstance(args[1], ast.Constant)
    return _broadcast([guess.parts[arg] for arg in args]) if is_pair else None


def _dot(args: Sequence[ast.expr], guess: _Guess) -> _Shape:
    axis = _Axis()
    for arg in args:
        _set_axes(guess.parts[arg], [axis])
    return _Shape([])


def _matrix_product(left: ast.expr, right: ast.expr, guess: _Guess) -> _Shape | None:
    a, b = guess.parts[left], guess.parts[right]
    if a is None or b is None:
        return None
    if _is_open(a):
        is_vector = _is_capital(right) and not _is_capital(left) and (_is_open(b) or len(b.root().axes or []) == 2)
        _set_axes(a, [_Axis()] if is_vector else [_Axis(), _Axis()])
    if _is_open(b):
        _set_axes(b, [_Axis(), _Axis()] if _is_capital(right) else [_Axis()])
    first, second = a.root().axes or [], b.root().axes or []
    if not first or not second:
        return None
    inner = second[-2] if len(second) > 1 else second[0]
    _make_equal(first[-1], inner)
    guess.contracted = guess.contracted or inner
    return _Shape([*first[:-1], *second[:-2], *(second[-1:] if len(second) > 1 else [])])


def _is_capital(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id[:1].isupper()


def _is_open(shape: _Shape) -> bool:
    return shape.root().axes is None


def _set_axes(shape: _Shape | None, axes: list[_Axis]) -> None:
    """Give an open shape its axes, or make the axes of a known one agree."""
    if shape is None:
        return
    root = shape.root()
    if root.axes is None:
        root.axes = axes
    for mine, other in zip(reversed(root.axes), reversed(axes), strict=False):
        _make_equal(mine, other)


def _make_equal(a: _Axis, b: _Axis) -> None:
    first, second = a.root(), b.root()
    if first is second or (first.size != second.size and 1 in (first.size, second.size)):
        return  # one of them is repeated along the other
    second.same = first
    first.least = max(first.least, second.least)
    first.size = second.size if first.size is None else first.size


def _broadcast(shapes: Sequence[_Shape | None]) -> _Shape | None:
    """The shape of elementwise arithmetic; open shapes become that of the others."""
    known = [shape for shape in shapes if shape is not None]
    wide = [shape for shape in known if shape.root().axes != []]
    if not wide:
        return known[0] if len(known) == len(shapes) and known else None
    result = max(wide, key=lambda shape: len(shape.root().axes or []))
    for shape in wide:
        if shape.root() is result.root():
            continue
        if _is_open(shape):
            shape.root().same = result.root()
        else:
            _set_axes(result, shape.root().axes or [])
    return result if len(known) == len(shapes) else None


def _transposed(shape: _Shape | None) -> _Shape | None:
    if shape is None:
        return None
    if _is_open(shape):
        _set_axes(shape, [_Axis(), _Axis()])
    return _Shape(list(reversed(shape.root().axes or [])))


def _indexed(shape: _Shape | None, index: ast.expr) -> _Shape | None:
    """`x[0]` drops an axis and makes it at least that long."""
    numbers = index.elts if isinstance(index, ast.Tuple) else [index]
    if shape is None or not all(isinstance(n, ast.Constant) and isinstance(n.value, int) for n in numbers):
        return None
    if _is_open(shape):
        _set_axes(shape, [_Axis() for _ in numbers])
    axes = shape.root().axes or []
    for axis, number in zip(axes, numbers, strict=False):
        assert isinstance(number, ast.Constant)
        assert isinstance(number.value, int)
        axis.root().least = max(axis.root().least, number.value + 1)
    return _Shape(axes[len(numbers) :])


def _sizes(shape: _Shape, guess: _Guess) -> tuple[int, ...]:
    axes = shape.root().axes
    if axes is None:
        return (_FIRST,)
    return tuple(_size(axis.root(), guess) for axis in axes)


def _size(axis: _Axis, guess: _Guess) -> int:
    if axis.size is not None:
        return axis.size
    is_first = guess.contracted is None or axis is guess.contracted.root()
    size = _FIRST if is_first else _OTHER
    return max(size, axis.least)
