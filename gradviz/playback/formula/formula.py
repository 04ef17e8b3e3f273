"""The rule of an op, typeset for people: "g * (1 - y * y)" becomes ∂L/∂x = ∂L/∂y ⊙ (1 − y²).

A formula is a Python expression over g (dL/dy), y (the result), the op's inputs and its parameters. It is read with
`ast` and never run. Some read more like sentences: "g where x > 0, else 0" is taken as a choice, and what is no
expression at all, "the part of g that came from x", is shown in its words. The result is a row of pieces with a role
each; `text` prints it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import lru_cache
from string import Formatter
from typing import NamedTuple

from gradviz.ops.symbols import VOCABULARY
from gradviz.playback.formula.text import GRADIENT, SIGN, VALUE, Piece, Pieces, plain
from gradviz.playback.words import in_brackets

WORDS, COMPARE, SUM, PRODUCT, NEGATED, POWER, ATOM = range(7)


class Symbol(NamedTuple):
    """What a name of the formula is shown as: a letter, or its numbers.

    Attributes:
        text: e.g. "b" or "[3, 5]".
        role: "gradient", "value" or "".
        is_number: whether it is a single number, so that its product is · and not ⊙.
        number: the number itself where it is a parameter, so that 2 − 1 can be shown as 1.
    """

    text: str
    role: str = VALUE
    is_number: bool = False
    number: float | None = None


class _Part(NamedTuple):
    """A typeset part: how tightly its outermost sign binds, and what kind of thing it is."""

    pieces: Pieces
    binding: int = ATOM
    is_number: bool = False
    number: float | None = None


def typeset(formula: str, names: Mapping[str, Symbol]) -> Pieces:
    """The formula in pieces. A name without a symbol, and a call that is not known, keep their name.

    Text that is no expression is shown in its words, with names of one letter as they are written elsewhere.
    """
    tree = parsed(formula)
    if tree is not None:
        return _set(tree, names).pieces
    head, comma, rest = formula.partition(", ")  # "g / n, copied to all n elements"
    said = parsed(head) if comma else None
    if said is None:
        return _worded(formula, names)
    return (*_set(said, names).pieces, Piece(comma), *_worded(rest, names))


@lru_cache(maxsize=1024)
def names_in(formula: str) -> frozenset[str]:
    """The names that are seen where a formula is typeset, functions included; of a sentence all its words."""
    tree = parsed(formula)
    if tree is None:
        return frozenset(_WORD.findall(formula))
    return frozenset(_seen(tree))


def _seen(tree: ast.expr) -> Iterator[str]:
    """The names in a tree, but those of arguments that a phrase leaves unsaid."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Name):
            yield part.id
        phrase = _phrase_of(part)
        if phrase and isinstance(part, ast.Call):
            yield from (part.func.id,) if isinstance(part.func, ast.Name) else ()
            said = [int(field) for _, field, _, _ in Formatter().parse(phrase) if field]
            waiting += [part.args[number] for number in said if number < len(part.args)]
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == COUNT:
            yield "n"
        else:
            waiting += ast.iter_child_nodes(part)


def _phrase_of(node: ast.AST) -> str:
    """How people read a call, "" where they read it as it stands."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return ""
    known = VOCABULARY.get(node.func.id)
    return known.phrase if known is not None else ""


COUNT = "count"
"""The word for how many elements go into one of a reduction, which people write n."""
_OF_NUMBERS = {
    *("T", "sqrt", "abs", "square", "where", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sign"),
    *("sigmoid", "erf", "outer", "maximum", "minimum", "floor", "trunc", "softplus", "digamma", "trigamma", "pi"),
    *("isfinite", "polygamma"),
}
"""Functions of numpy and of the table whose arguments can be shown as numbers, besides those of the vocabulary."""


def takes_numbers(formula: str, known: Container[str]) -> bool:
    """Whether the formula can be shown with numbers, given the names that have some."""
    tree = parsed(formula)
    if tree is None:
        letters = _LETTER.findall(formula)
        return "g" in letters and all(letter in known for letter in letters)
    if _has_parts(formula):
        return False
    return all(name in known or name in _OF_NUMBERS or _is_said_of_numbers(name) for name in names_in(formula))


def _is_said_of_numbers(name: str) -> bool:
    known = VOCABULARY.get(name)
    return known is not None and known.takes_numbers


@lru_cache(maxsize=1024)
def _has_parts(formula: str) -> bool:
    """Whether a formula asks for an attribute or an element, or names an argument."""
    tree = parsed(formula)
    parts = ast.walk(tree) if tree is not None else ()
    return any(isinstance(part, ast.Attribute | ast.Subscript) for part in parts)


def gradient_of(name: str) -> str:
    """∂L/∂name; an expression in brackets, since ∂L/∂x² reads as a second derivative."""
    return f"∂L/∂{in_brackets(name)}"


@lru_cache(maxsize=1024)
def parsed(formula: str) -> ast.expr | None:
    """The formula as an expression, choices included; None for one in words."""
    for text in (formula, _as_python(formula)):
        try:
            return ast.parse(text, mode="eval").body
        except SyntaxError:
            continue
    return None


_BETWEEN_BARS = re.compile(r"\|([^|]+)\|")


def _as_python(formula: str) -> str:
    """A choice as Python writes it: "g where |x| > 1, else 0" as "g if abs(x) > 1 else 0"."""
    return _BETWEEN_BARS.sub(r"abs(\1)", formula).replace(" where ", " if ").replace(", else ", " else ")


_WORD = re.compile(r"[^\W\d]\w*")
_SIGNS_IN_WORDS = (
    (re.compile(r"(?<!\w)-(?=[\w(])"), "−"),
    (re.compile(r" - "), " − "),
    (re.compile(r" \* "), " · "),
    (re.compile(r" \*\* "), "^"),
    (re.compile("<="), "≤"),
    (re.compile(">="), "≥"),
)


_LETTER = re.compile(r"\b([b-z])\b(?!')")


def _worded(formula: str, names: Mapping[str, Symbol]) -> Pieces:
    """A sentence: signs as people write them, names of arrays as everywhere."""
    for pattern, sign in _SIGNS_IN_WORDS:
        formula = pattern.sub(sign, formula)
    pieces: list[Piece] = []
    known = (item for item in names.items() if item[1].role or len(item[0]) == 1)
    arrays = {name: symbol for name, symbol in known if name != "a"}  # which is a word too
    words = "|".join(sorted(map(re.escape, arrays), key=len, reverse=True)) or "(?!)"
    for number, text in enumerate(re.split(rf"\b({words})\b(?!')", formula)):
        symbol = arrays.get(text) if number % 2 else None
        pieces += [Piece(text) if symbol is None else Piece(symbol.text, symbol.role)] if text else []
    return tuple(pieces)


# ---- one rule for each kind of expression ------------------------------------------------------------------------


def _set(node: ast.expr, names: Mapping[str, Symbol]) -> _Part:
    rule = _RULES.get(type(node))
    return rule(node, names) if rule else _as_written(node)


def _as_written(node: ast.expr) -> _Part:
    return _Part((Piece(ast.unparse(node)),), COMPARE)


_CONSTANTS = {"pi": "π"}


def _name(node: ast.Name, names: Mapping[str, Symbol]) -> _Part:
    symbol = names.get(node.id)
    if symbol is None:
        return _Part((Piece(_CONSTANTS.get(node.id, node.id)),), is_number=node.id in _CONSTANTS)
    if symbol.number is not None:
        return _number(symbol.number)
    binding = NEGATED if symbol.is_number and symbol.text.startswith("−") else ATOM
    return _Part((Piece(symbol.text, symbol.role),), binding, symbol.is_number)


def _constant(node: ast.Constant, _: Mapping[str, Symbol]) -> _Part:
    if isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return _number(node.value)
    return _Part((Piece("…" if node.value is ... else str(node.value)),))


def _number(value: float) -> _Part:
    text = f"{value:.6g}".replace("e+", "e").replace("-", "−")
    return _Part((Piece(text),), NEGATED if text.startswith("−") else ATOM, True, value)


_FOLDS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
}
_SIGNS: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: (" + ", SUM),
    ast.Sub: (" − ", SUM),
    ast.Div: (" / ", PRODUCT),
    ast.FloorDiv: (" // ", PRODUCT),
    ast.Mod: (" mod ", PRODUCT),
    ast.MatMult: (" @ ", PRODUCT),
}


def _binary(node: ast.BinOp, names: Mapping[str, Symbol]) -> _Part:
    left, right = _set(node.left, names), _set(node.right, names)
    fold = _FOLDS.get(type(node.op))
    if fold and left.number is not None and right.number is not None:
        return _number(fold(left.number, right.number))
    if isinstance(node.op, ast.Pow):
        return _power(left, right)
    if isinstance(node.op, ast.Mult):
        return _product(left, right, node)
    if isinstance(node.op, ast.BitAnd | ast.BitOr):
        word = " and " if isinstance(node.op, ast.BitAnd) else " or "
        return _Part((*left.pieces, Piece(word), *right.pieces), COMPARE, left.is_number and right.is_number)
    if type(node.op) not in _SIGNS:
        return _as_written(node)
    if isinstance(node.op, ast.Div) and right.number == 1.0:
        return left
    sign, binding = _SIGNS[type(node.op)]
    # a − (b + c) and a / (b · c) need them; a + (b + c) does not.
    tighter = binding + 1 if not isinstance(node.op, ast.Add) else binding
    first = left
    if binding == PRODUCT and _is_division(node.left):
        first = _atom(left)
    pieces = (*_wrapped(first, binding, leads=True), Piece(sign), *_wrapped(right, tighter))
    return _Part(pieces, binding, left.is_number and right.is_number)


def _is_division(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod)


def _product(left: _Part, right: _Part, node: ast.BinOp) -> _Part:
    """⊙ between two arrays, · where a number takes part; y · y is y²."""
    if ast.dump(node.left) == ast.dump(node.right) and left.number is None:
        return _power(left, _number(2))
    if 1.0 in (left.number, right.number):
        return right if left.number == 1.0 else left
    sign = " · " if left.is_number or right.is_number else " ⊙ "
    # Read from the left, a / b · c is one thing to Python and another to many people.
    first = _atom(left) if _is_division(node.left) else left
    second = _atom(right) if _is_division(node.right) else right
    pieces = (*_wrapped(first, PRODUCT, leads=True), Piece(sign), *_wrapped(second, PRODUCT))
    return _Part(pieces, PRODUCT, left.is_number and right.is_number)


def _power(base: _Part, exponent: _Part) -> _Part:
    if exponent.number == 1.0:
        return base
    raised = tuple(piece._replace(raised=piece.raised + 1) for piece in exponent.pieces)
    bare = base.binding == ATOM and not _reads_as_fraction(base)
    below = base.pieces if bare else _parenthesised(base.pieces)
    return _Part((*below, *raised), POWER, base.is_number and exponent.is_number)


def _reads_as_fraction(part: _Part) -> bool:
    """∂L/∂y is one thing, but with a square it would read as if only ∂y were squared."""
    return len(part.pieces) == 1 and part.pieces[0].role == GRADIENT and "/" in part.pieces[0].text


def _unary(node: ast.UnaryOp, names: Mapping[str, Symbol]) -> _Part:
    part = _set(node.operand, names)
    if isinstance(node.op, ast.USub):
        if part.number is not None:
            return _number(-part.number)
        return _Part((Piece("−"), *_wrapped(part, PRODUCT)), NEGATED, part.is_number)
    if isinstance(node.op, ast.Not | ast.Invert):
        return _Part((Piece("not "), *_wrapped(part, ATOM)), COMPARE, part.is_number)
    return part


_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Gt: " > ",
    ast.GtE: " ≥ ",
    ast.Lt: " < ",
    ast.LtE: " ≤ ",
    ast.Eq: " = ",
    ast.NotEq: " ≠ ",
}


def _compare(node: ast.Compare, names: Mapping[str, Symbol]) -> _Part:
    first = _set(node.left, names)
    pieces, is_number = [*_wrapped(first, SUM, leads=True)], first.is_number
    for sign, operand in zip(node.ops, node.comparators, strict=True):
        if type(sign) not in _COMPARISONS:
            return _as_written(node)
        operand_part = _set(operand, names)
        pieces += [Piece(_COMPARISONS[type(sign)]), *_wrapped(operand_part, SUM, leads=True)]
        is_number = is_number and operand_part.is_number
    return _Part(tuple(pieces), COMPARE, is_number)


def _choice(node: ast.IfExp, names: Mapping[str, Symbol]) -> _Part:
    return _either(*(_set(part, names) for part in (node.test, node.body, node.orelse)))


def _either(test: _Part, body: _Part, otherwise: _Part) -> _Part:
    pieces = (*_wrapped(body, SUM, leads=True), Piece(" where "), *test.pieces, Piece(", else "), *otherwise.pieces)
    return _Part(pieces, COMPARE, test.is_number and body.is_number and otherwise.is_number)


def _call(node: ast.Call, names: Mapping[str, Symbol]) -> _Part:
    arguments = [_set(argument, names) for argument in node.args]
    name = node.func.id if isinstance(node.func, ast.Name) else None
    keeps = all(keyword.arg in ("keepdim", "keepdims") for keyword in node.keywords)  # of no matter to a reader
    special = _SPECIAL.get((name or "", len(arguments))) if keeps else None
    if special:
        return special(*arguments)
    if name == COUNT:
        return _name(ast.Name("n"), names)
    phrase = _phrase_of(node)
    if phrase:
        return _phrase(phrase)(*arguments)
    inner: list[Pieces] = [argument.pieces for argument in arguments]
    told = [each for each in node.keywords if not _is_plain_option(each)]
    inner += [(Piece(f"{k.arg}=" if k.arg else "**"), *_set(k.value, names).pieces) for k in told]
    head = _wrapped(_set(node.func, names), ATOM)
    is_number = bool(arguments) and all(argument.is_number for argument in arguments)
    return _Part((*head, *_listed(inner)), ATOM, is_number)


def _is_plain_option(given: ast.keyword) -> bool:
    """Whether a reader learns nothing from an argument: it is handed on under its name, or is no number."""
    value = given.value
    if isinstance(value, ast.Name):
        return value.id == given.arg
    return isinstance(value, ast.Constant) and (value.value is None or isinstance(value.value, bool | str))


def _attribute(node: ast.Attribute, names: Mapping[str, Symbol]) -> _Part:
    value = _set(node.value, names)
    if node.attr in ("T", "mT"):
        return _transposed(value)
    return _Part((*_wrapped(value, ATOM), Piece(f".{node.attr}")))


def _subscript(node: ast.Subscript, names: Mapping[str, Symbol]) -> _Part:
    index = node.slice
    known = isinstance(index, ast.Name | ast.Constant)
    inner = _set(index, names).pieces if known else (Piece(ast.unparse(index).strip("()")),)
    return _Part((*_wrapped(_set(node.value, names), ATOM), Piece("["), *inner, Piece("]")))


def _row(node: ast.Tuple | ast.List, names: Mapping[str, Symbol]) -> _Part:
    return _Part(_listed([_set(element, names).pieces for element in node.elts]))


_RULES: dict[type[ast.expr], Callable[..., _Part]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.IfExp: _choice,
    ast.Call: _call,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Tuple: _row,
    ast.List: _row,
}


# ---- functions with a sign of their own --------------------------------------------------------------------------


def _transposed(part: _Part) -> _Part:
    bare = part.binding == ATOM and not _reads_as_fraction(part)
    return _Part((*(part.pieces if bare else _parenthesised(part.pieces)), Piece("T", SIGN, 1)), POWER)


def _root(part: _Part) -> _Part:
    return _Part((Piece("√"), *_wrapped(part, ATOM)), POWER, part.is_number)


def _magnitude(part: _Part) -> _Part:
    return _Part((Piece("|"), *part.pieces, Piece("|")), ATOM, part.is_number)


def _sum_along(part: _Part, dim: _Part, _keepdim: _Part | None = None) -> _Part:
    along = plain(dim.pieces)
    axes = along.strip("()") if along.startswith("(") else ""
    below = Piece(f"axis {along}" if along.isdigit() else f"axes {axes}" if axes else along, SIGN, -1)
    return _Part((Piece("Σ"), below, *_parenthesised(part.pieces)), ATOM)


def _phrase(template: str) -> Callable[..., _Part]:
    """A call in words: "{0} put back at {1}"."""
    if template == "{0}":
        return lambda part, *_: part  # it only gives its argument a shape that broadcasts

    def said(*parts: _Part) -> _Part:
        pieces: list[Piece] = []
        fields = 0
        for before, field, _, _ in Formatter().parse(template):
            pieces += [Piece(before)] if before else []
            if field:
                part = parts[int(field)]
                # What leads stands for itself; words in words need no parentheses.
                least = WORDS if pieces and part.binding == WORDS else PRODUCT if pieces else POWER
                pieces += _wrapped(part, least, leads=True)
                fields += 1
        is_one = template.endswith(")") or (fields < 2 and not template.startswith("{"))
        return _Part(tuple(pieces), ATOM if is_one else WORDS)

    return said


_SPECIAL: dict[tuple[str, int], Callable[..., _Part]] = {
    ("T", 1): _transposed,
    ("sigmoid", 1): lambda part: _Part((Piece("σ"), *_parenthesised(part.pieces))),
    ("sqrt", 1): _root,
    ("abs", 1): _magnitude,
    ("square", 1): lambda part: _power(part, _number(2)),
    ("where", 3): _either,
    ("sum", 1): lambda part: _Part((Piece("Σ"), *_parenthesised(part.pieces))),
    ("sum", 2): _sum_along,
    ("sum", 3): _sum_along,
}
"""Functions that have a sign; what people say in words stands at each word of the vocabulary."""


# ---- parentheses -------------------------------------------------------------------------------------------------


def _wrapped(part: _Part, least: int, *, leads: bool = False) -> Pieces:
    """The pieces, in parentheses where they bind less than `least`; a leading minus needs none at the front."""
    if part.binding >= least and (leads or part.binding != NEGATED):
        return part.pieces
    return _parenthesised(part.pieces)


def _atom(part: _Part) -> _Part:
    return part if part.binding == ATOM else part._replace(pieces=_parenthesised(part.pieces), binding=ATOM)


def _parenthesised(pieces: Pieces) -> Pieces:
    return (Piece("("), *pieces, Piece(")"))


def _listed(parts: Sequence[Pieces]) -> Pieces:
    out: list[Piece] = [Piece("(")]
    for index, part in enumerate(parts):
        out += [Piece(", "), *part] if index else part
    return (*out, Piece(")"))
