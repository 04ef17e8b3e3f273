"""Symbols: arrays that know which expression they came from. Fed symbols, a rule writes its own formula.

An expression is a Python one, over g (dL/dy), y (the result), the inputs and the params of an op, and over the words of
the vocabulary and numpy's functions. A symbol carries its numbers too, so a choice that depends on numbers goes the way
it really went. What no expression can say (a loop over elements, a mask made outside of it) is an error, `Lost`, and
never a wrong formula: such a rule has a form beside it, see `Op.form`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")


class Traced:
    """What a rule computes with besides arrays: a tensor, which makes a second graph, or a symbol.

    It has the operators and PyTorch's methods, and besides them what stands below.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        array: Any

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def _through(self, op: Any, given: Any, params: Mapping[str, Any]) -> Any: ...
        def _constant(self, array: Any) -> Any: ...


class Lost(TypeError):
    """A rule did with a symbol what no formula can say."""


@dataclass(frozen=True)
class Word:
    """A function that formulas may call.

    Attributes:
        function: what it computes, of arrays.
        phrase: how people read it, with {0}, {1} for its arguments, e.g. "{0} spread over {1}"; "" where they read a
            call, or where the printer has a sign for it.
        takes_numbers: whether its arguments may be shown as numbers; of a reshape only the letters make sense.
    """

    function: Callable[..., Any]
    phrase: str = ""
    takes_numbers: bool = False


VOCABULARY: dict[str, Word] = {"slice": Word(slice, "{0}:{1}:{2}")}
"""The functions that formulas may call, by the name they have there; besides them numpy's."""


def word(
    phrase: str = "", *, name: str = "", takes_numbers: bool = False, is_called: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Enter a function into the vocabulary; fed a symbol it is written down and not run.

    Args:
        phrase, takes_numbers: see `Word`.
        is_called: whether code calls it too, rather than what it is made of.
        name: what formulas call it, where that is another name than the function's own.
    """

    def enter(function: Callable[P, R]) -> Callable[P, R]:
        called = name or function.__name__
        VOCABULARY[called] = Word(function, phrase, takes_numbers)

        @wraps(function)
        def written_or_run(*args: P.args, **named: P.kwargs) -> R:
            for each in args:
                if each.__class__ is Symbol or (each.__class__ in (CodeSymbol, tuple) and _stays(each, is_called)):
                    return write(called, *args, **named)  # type: ignore[return-value] # a symbol stands for the result
            return function(*args, **named)

        return written_or_run

    return enter


def _stays(given: Any, is_called: bool) -> bool:
    """Whether a word that is given this is written down: code runs it, unless it is called there too."""
    if isinstance(given, tuple):
        return any(each.__class__ is Symbol or _stays(each, is_called) for each in given)
    return is_called and isinstance(given, CodeSymbol)


def primitive(
    name: str = "", *, phrase: str = "", takes_numbers: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Enter a function that asks each traced argument for a method of its own name: no call is added for arrays."""

    def enter(function: Callable[P, R]) -> Callable[P, R]:
        VOCABULARY[name or function.__name__] = Word(function, phrase, takes_numbers)
        return function

    return enter


def said(name: str, phrase: str, rule: Callable[..., Any]) -> Callable[..., Any]:
    """A form for reading that is the rule itself, said in words, where an expression would tell people less.

    Args:
        name: what formulas call it.
        phrase: how people read it; {0} is what comes in, {1} the result, {2} and on the inputs.
        rule: the rule.
    """
    form = word(phrase, name=name)(rule)
    form.said = name  # type: ignore[attr-defined] # for a row without examples to be run on
    return form


def write(name: str, *args: Any, **named: Any) -> Symbol:
    """A call of a word of the vocabulary, or of a function of numpy, as a symbol."""
    known = VOCABULARY.get(name)
    function = known.function if known is not None else getattr(np, name)
    value = function(*[value_of(each) for each in args], **{key: value_of(each) for key, each in named.items()})
    kinds = [
        each.__class__
        for each in (*args, *named.values(), *[x for each in args if isinstance(each, list | tuple) for x in each])
    ]
    return (CodeSymbol if CodeSymbol in kinds else Symbol)(value, call(name, args, named))


def call(name: str, args: Iterable[Any], named: Mapping[str, Any] | None = None) -> ast.Call:
    """The expression of a call."""
    keywords = [ast.keyword(key, tree_of(each)) for key, each in (named or {}).items()]
    return ast.Call(ast.Name(name), [tree_of(each) for each in args], keywords)


def value_of(x: Any) -> Any:
    """The numbers of a symbol; tuples, lists and slices of symbols likewise, all else as it is."""
    if isinstance(x, Symbol):
        return x.value
    if isinstance(x, slice):
        return slice(value_of(x.start), value_of(x.stop), value_of(x.step))
    if isinstance(x, tuple | list) and not hasattr(x, "_fields"):
        return (tuple if isinstance(x, tuple) else list)(value_of(each) for each in x)
    return x


def tree_of(x: Any) -> ast.expr:
    """The expression of what stands in a formula.

    Raises:
        Lost: an array that came from no symbol.
    """
    tree: ast.expr | None = getattr(x, "tree", None)
    if tree is not None:
        return tree
    if isinstance(x, slice):
        return call("slice", (x.start, x.stop, x.step))
    if isinstance(x, tuple | list):
        return ast.Tuple([tree_of(each) for each in x], ast.Load())
    if isinstance(x, np.generic):
        x = x.item()
    if x is None or isinstance(x, bool | int | float | str) or x is ...:
        return ast.Constant(x)
    raise Lost(f"a {type(x).__name__} that came from no symbol")


class Number(float):
    """A constant that a form writes as people say it: Number(2 / math.sqrt(math.pi), "2 / sqrt(pi)")."""

    __slots__ = ("tree",)
    tree: ast.expr

    def __new__(cls, value: float, text: str) -> Number:
        made = super().__new__(cls, value)
        made.tree = ast.parse(text, mode="eval").body
        return made


class Parameter(tuple[Any, ...]):  # noqa: SLOT001 # a tuple's own memory has no room for a slot
    """Several numbers that an op was given, under their name: dims, sizes, a shape."""

    tree: ast.expr

    def __new__(cls, numbers: Iterable[Any], tree: ast.expr) -> Parameter:
        made = super().__new__(cls, numbers)
        made.tree = tree
        return made


def _unary(sign: type[ast.unaryop], compute: Callable[[Any], Any]) -> Callable[[Symbol], Symbol]:
    return lambda self: self.__class__(compute(self.value), ast.UnaryOp(sign(), self.tree))


def _joined(sign: ast.operator | ast.cmpop, left: Any, right: Any) -> ast.expr:
    if isinstance(sign, ast.cmpop):
        return ast.Compare(tree_of(left), [sign], [tree_of(right)])
    return ast.BinOp(tree_of(left), sign, tree_of(right))


def _takes(other: Any) -> bool:
    return isinstance(other, Symbol | int | float | np.generic | np.ndarray)


def _binary(sign: type[ast.operator | ast.cmpop], compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(self: Symbol, other: Any) -> Any:
        if not _takes(other):
            return NotImplemented
        return self.__class__(compute(self.value, value_of(other)), _joined(sign(), self, other))

    return run


def _reflected(sign: type[ast.operator], compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(self: Symbol, other: Any) -> Any:
        if not _takes(other):
            return NotImplemented
        return self.__class__(compute(value_of(other), self.value), _joined(sign(), other, self))

    return run


_SIGNS: dict[str, type[ast.operator | ast.cmpop]] = {
    "add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "true_divide": ast.Div, "divide": ast.Div,
    "floor_divide": ast.FloorDiv, "remainder": ast.Mod, "power": ast.Pow, "matmul": ast.MatMult,
    "less": ast.Lt, "less_equal": ast.LtE, "greater": ast.Gt, "greater_equal": ast.GtE, "equal": ast.Eq,
    "not_equal": ast.NotEq, "bitwise_and": ast.BitAnd, "bitwise_or": ast.BitOr, "logical_and": ast.BitAnd,
    "logical_or": ast.BitOr,
}  # fmt: skip
"""numpy's functions that have a sign."""
_SILENT = ("astype", "copy")
"""Methods that change no number."""


class Symbol(Traced):
    """An array with the expression it came from.

    Attributes:
        value: the array, or a number.
        tree: the expression.
    """

    __slots__ = ("tree", "value")
    __array_priority__ = 1000.0

    def __init__(self, value: Any, tree: ast.expr) -> None:
        self.value = value
        self.tree = tree

    # ---- what it is as an array ------------------------------------------------------------------------------------

    @property
    def array(self) -> Symbol:
        """Itself: what a mask is made of stands in the formula like all else."""
        return self

    def _through(self, op: Any, given: tuple[Any, ...], params: Mapping[str, Any]) -> Symbol:
        """An op of the table as a call in the formula."""
        value = op.forward(*[value_of(x) for x in given], **{name: value_of(each) for name, each in params.items()})
        return self.__class__(value, call(op.name, given, params))

    @property
    def shape(self) -> Parameter:
        return Parameter(np.shape(self.value), ast.Call(ast.Name("shape"), [self.tree], []))

    @property
    def ndim(self) -> int:
        return np.ndim(self.value)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.asarray(self.value).dtype

    @property
    def size(self) -> Symbol:
        return write("count", self)

    def __len__(self) -> int:
        return len(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise Lost("taken as an array")

    def __float__(self) -> float:
        raise Lost("taken as a number")

    __index__ = __int__ = __float__

    # ---- what is done with it --------------------------------------------------------------------------------------

    __add__, __radd__ = _binary(ast.Add, operator.add), _reflected(ast.Add, operator.add)
    __sub__, __rsub__ = _binary(ast.Sub, operator.sub), _reflected(ast.Sub, operator.sub)
    __mul__, __rmul__ = _binary(ast.Mult, operator.mul), _reflected(ast.Mult, operator.mul)
    __truediv__, __rtruediv__ = _binary(ast.Div, operator.truediv), _reflected(ast.Div, operator.truediv)
    __floordiv__, __rfloordiv__ = _binary(ast.FloorDiv, operator.floordiv), _reflected(ast.FloorDiv, operator.floordiv)
    __mod__, __rmod__ = _binary(ast.Mod, operator.mod), _reflected(ast.Mod, operator.mod)
    __pow__, __rpow__ = _binary(ast.Pow, operator.pow), _reflected(ast.Pow, operator.pow)
    __matmul__, __rmatmul__ = _binary(ast.MatMult, operator.matmul), _reflected(ast.MatMult, operator.matmul)
    __and__, __rand__ = _binary(ast.BitAnd, operator.and_), _reflected(ast.BitAnd, operator.and_)
    __or__, __ror__ = _binary(ast.BitOr, operator.or_), _reflected(ast.BitOr, operator.or_)
    __lt__, __le__ = _binary(ast.Lt, operator.lt), _binary(ast.LtE, operator.le)
    __gt__, __ge__ = _binary(ast.Gt, operator.gt), _binary(ast.GtE, operator.ge)
    __eq__, __ne__ = _binary(ast.Eq, operator.eq), _binary(ast.NotEq, operator.ne)
    __neg__, __invert__ = _unary(ast.USub, operator.neg), _unary(ast.Invert, operator.invert)

    def __getitem__(self, key: Any) -> Symbol:
        if key == ():
            return self
        return self.__class__(np.asarray(self.value)[value_of(key)], ast.Subscript(self.tree, tree_of(key), ast.Load()))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _SILENT:
            return lambda *given, **named: self.__class__(getattr(self.value, name)(*given, **named), self.tree)
        if name in VOCABULARY:
            return lambda *given, **named: write(name, self, *given, **named)
        raise Lost(f"asked for {name}")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **named: Any) -> Symbol:
        if method == "reduce" and ufunc is np.add:
            axis = given[1] if len(given) > 1 else named.get("axis", 0)
            return write("sum", given[0], axis, named.get("keepdims", False))
        if method != "__call__":
            raise Lost(f"{ufunc.__name__}.{method}")
        value = ufunc(*[value_of(each) for each in given])
        sign = _SIGNS.get(ufunc.__name__)
        if sign is not None:
            return self.__class__(value, _joined(sign(), *given))
        if ufunc is np.negative:
            return self.__class__(value, ast.UnaryOp(ast.USub(), self.tree))
        if ufunc in (np.logical_not, np.invert):
            return self.__class__(value, ast.UnaryOp(ast.Invert(), self.tree))
        return self.__class__(value, call(ufunc.__name__, given))

    def __array_function__(self, function: Callable[..., Any], _: Any, given: Any, named: Any) -> Any:
        if function is np.shape:
            return self.shape
        if function is np.ndim:
            return self.ndim
        return write(function.__name__, *given, **named)


_OF_ARRAYS = frozenset("swapaxes squeeze transpose reshape ravel all any copy".split())
"""Methods of arrays that code calls as they are."""
MOST_WRITTEN = 64
"""Numbers of a constant that code has between its brackets."""


class CodeSymbol(Symbol):
    """A symbol for code rather than for reading: shapes and counts are the numbers they are, and words of the
    vocabulary that are made of others are run down to those."""

    __slots__ = ()

    @property
    def shape(self) -> Any:
        return np.shape(self.value)

    @property
    def size(self) -> Any:
        return int(np.size(self.value))

    @property
    def T(self) -> CodeSymbol:  # noqa: N802 # numpy's name
        return CodeSymbol(np.asarray(self.value).T, ast.Attribute(self.tree, "T"))

    def _through(self, op: Any, given: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
        return op.forward(*given, **params)

    def _constant(self, array: Any) -> CodeSymbol:
        if np.size(array) > MOST_WRITTEN:
            raise Lost("too many numbers")
        kind = ast.keyword("dtype", ast.Constant(np.asarray(array).dtype.name))
        literal = ast.parse(repr(np.asarray(array).tolist()), mode="eval").body
        return CodeSymbol(array, ast.Call(ast.Attribute(ast.Name("np"), "array"), [literal], [kind]))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in _OF_ARRAYS:
            method = getattr(np.asarray(self.value), name)
            return lambda *given, **named: CodeSymbol(
                method(*map(value_of, given), **named),
                ast.Call(ast.Attribute(self.tree, name), [tree_of(each) for each in given],
                         [ast.keyword(key, tree_of(each)) for key, each in named.items()]),
            )  # fmt: skip
        return super().__getattr__(name)

    def __iter__(self) -> Iterator[Symbol]:
        return iter([self[number] for number in range(len(self.value))])

    def __getitem__(self, key: Any) -> Symbol:
        if isinstance(self.value, tuple):
            return CodeSymbol(self.value[key], ast.Subscript(self.tree, tree_of(key), ast.Load()))
        return super().__getitem__(key)

    def __array_function__(self, function: Callable[..., Any], _: Any, given: Any, named: Any) -> Any:
        if function in (np.shape, np.ndim, np.size):
            return function(self.value)
        value = function(*map(value_of, given), **{key: value_of(each) for key, each in named.items()})
        owner: ast.expr = ast.Name("np")
        if getattr(np, function.__name__, None) is not function:
            if getattr(np.linalg, function.__name__, None) is not function:
                raise Lost(function.__name__)
            owner = ast.Attribute(owner, "linalg")
        called = ast.Attribute(owner, function.__name__)
        keywords = [ast.keyword(key, tree_of(each)) for key, each in named.items()]
        return CodeSymbol(value, ast.Call(called, [tree_of(each) for each in given], keywords))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **named: Any) -> Symbol:
        if "out" in named:
            raise Lost("written in place")
        if method == "__call__" or (method == "reduce" and ufunc is np.add):
            return super().__array_ufunc__(ufunc, method, *given, **named)
        value = getattr(ufunc, method)(*[value_of(each) for each in given], **named)
        called = ast.Attribute(ast.Attribute(ast.Name("np"), ufunc.__name__), method)
        keywords = [ast.keyword(key, tree_of(each)) for key, each in named.items()]
        return CodeSymbol(value, ast.Call(called, [tree_of(each) for each in given], keywords))


def symbol(name: str, value: Any) -> Any:
    """A letter of a formula: an array or a number as a symbol, several numbers under their name, all else as it is."""
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, tuple | list):
        return Parameter(value, ast.Name(name))
    return Symbol(value, ast.Name(name))


def text_of(written: Any) -> str:
    """The text of what a rule wrote."""
    return ast.unparse(ast.fix_missing_locations(tree_of(written)))
