"""A bare expression, as typed by someone who does not know PyTorch, made into a whole script.

`sum(x**2 * w)` becomes: import torch, a line for x and one for w, y = torch.sum(x**2 * w), y.backward(), and a
print of each gradient. What was typed stays as it was, but for the spelling that Python and PyTorch need.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection
from dataclasses import dataclass
from textwrap import dedent
from typing import NamedTuple

from gradviz.source.edits import Edit, ParsedText, apply_edits, parse_text
from gradviz.source.expression_shapes import guess_shapes
from gradviz.source.values import fill_shape, number_source, values_source

MAX_EXPRESSION = 20_000
"""Longer texts are scripts, not expressions, in characters."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SIGNS = {"²": "**2", "³": "**3", "^": "**", "×": "*", "·": "*", "⋅": "*", "−": "-", "÷": "/"}
_SPELLED = {"ln": "log", "σ": "sigmoid", "arctan": "atan", "arcsin": "asin", "arccos": "acos", "sgn": "sign"}
_FUNCTIONAL = _words(
    "gelu silu elu selu celu leaky_relu softplus softsign logsigmoid mse_loss l1_loss smooth_l1_loss huber_loss "
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div layer_norm linear "
    "normalize cosine_similarity hardtanh relu6 mish glu cosine_embedding_loss triplet_margin_loss ctc_loss "
    "hinge_embedding_loss margin_ranking_loss poisson_nll_loss"
)
_MODULES = _words("torch np numpy nn F tf jnp jax math")
_MAKERS = _words("tensor Tensor Variable Parameter ones zeros randn rand arange linspace eye full empty")
_LEFT_AS_THEY_ARE = _words("print float int len range")
_PYTHONS_OWN = frozenset(dir(builtins)) - {"sum", "abs", "max", "min", "pow", "round", "all", "any"}
_POSITIVE_ONLY = _words("log ln log2 log10 sqrt rsqrt pow lgamma digamma")
_SATURATING = _words("tanh sigmoid softmax erf atan softsign")
"""Flat where their input is large: with 1, 2, 3 the gradients would be next to 0."""
_KINKED = _words("relu leaky_relu elu selu celu gelu silu mish abs sign clamp threshold hardtanh relu6")
_BELOW_ONE = _words("asin acos atanh arcsin arccos arctanh erfinv logit")
_ALLOWED = (
    ast.Module, ast.Assign, ast.Expr, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.BinOp, ast.UnaryOp,
    ast.Compare, ast.Call, ast.keyword, ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple,
    ast.List,
)  # fmt: skip
_RESULT_NAMES = ("y", "z", "loss", "out", "result", "value")
_FUNCTION_NOTATION = re.compile(r"(?m)^([^\W\d]\w*)\([\w\s,]+\)\s*=(?!=)")
_NAMED_MODULE = re.compile(r"(?<![\w.])(?:(?:torch\.)?nn\.functional|torch|F)\.(?=[a-z_]\w*\()")
_MISSING_TIMES = re.compile(r"(?<![\w.])((?:\d+\.?\d*|\.\d+))(?=[^\W\d]|\()(?![eE][-+\d]|[jJ]\b|[xXoObB][\da-fA-F])")


@dataclass(frozen=True)
class _Reading:
    """An accepted text: the expression that is differentiated, the names to fill in, and the spelling to mend."""

    script: ParsedText
    last: ast.Assign | ast.Expr
    unknown: tuple[str, ...]
    functions: frozenset[str]
    spelling: tuple[Edit, ...]


class Completed(NamedTuple):
    """The whole script for a bare expression.

    Attributes:
        text: the script.
        end: index in it after what was typed.
    """

    text: str
    end: int


def complete_expression(text: str) -> str | None:
    """The whole script for a bare expression, as `completed` makes it, or None where the text is no such thing."""
    whole = completed(text)
    return None if whole is None else whole.text


def completed(text: str) -> Completed | None:
    """The whole script for a bare expression, or None where the text is no such thing.

    An expression is one or several lines of assignments, the last of which is what to differentiate, with names
    that it does not define. A text that imports, makes tensors or does not parse is none.
    """
    if len(text) > MAX_EXPRESSION:
        return None
    reading = _read(_spelled_for_python(dedent(text.replace("\r\n", "\n")).strip()))
    if reading is None:
        return None
    shapes, is_scalar = guess_shapes(reading.script.tree, reading.unknown)
    body, result = _body(reading)
    leaves = [_leaf(name, shapes[name], k, reading.functions) for k, name in enumerate(reading.unknown)]
    taken = {node.id for node in ast.walk(reading.script.tree) if isinstance(node, ast.Name)}
    tail = [] if ".backward(" in body else ["", *_backward(reading.last.value, result, taken, is_scalar=is_scalar)]
    prints = [] if "print(" in body else ["", *(f"print({name}.grad)" for name in reading.unknown)]
    head = "\n".join(["import torch", "", *leaves, "", body.rstrip()])
    return Completed("\n".join([head, *tail, *prints, ""]), len(head))


def _spelled_for_python(text: str) -> str:
    """The signs of mathematics in Python's spelling, and `2x` as `2*x` where that makes the text parse.

    The module before a function is left out: every function gets its own.
    """
    for sign, spelling in _SIGNS.items():
        text = text.replace(sign, spelling)
    text = _NAMED_MODULE.sub("", text)
    script = parse_text(text)
    calls_a_number = any(isinstance(n, ast.Call) and isinstance(n.func, ast.Constant) for n in ast.walk(script.tree))
    if script.skipped or calls_a_number:
        spelled = _MISSING_TIMES.sub(r"\1*", _FUNCTION_NOTATION.sub(r"\1 =", text))
        return spelled if not parse_text(spelled).skipped else text
    return text


def _read(text: str) -> _Reading | None:
    script = parse_text(text)
    tree = script.tree
    if script.skipped or not all(_is_allowed(node) for node in ast.walk(tree)):
        return None
    last = _last(tree)
    if last is None or isinstance(last.value, (ast.Name, ast.Constant)) or _is_pythons(last.value):
        return None
    functions = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    called = frozenset(function.id for function in functions)
    if called & (_MAKERS | (_PYTHONS_OWN - _LEFT_AS_THEY_ARE)):
        return None
    constants = _constants(tree)
    unknown = _unknown(tree, functions | constants.keys())
    if not unknown or set(unknown) & (_MODULES | _PYTHONS_OWN):
        return None
    spelling = [change for node in ast.walk(tree) for change in _respelled(node, script)]
    spelling.extend(Edit(*script.span(name), spelled) for name, spelled in constants.items())
    return _Reading(script, last, unknown, called, tuple(spelling))


def _is_allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (bool, int, float))
    return isinstance(node, _ALLOWED)


def _last(tree: ast.Module) -> ast.Assign | ast.Expr | None:
    """The last statement that has a value to differentiate: not a print, not a call of backward."""
    for statement in reversed(tree.body):
        if isinstance(statement, ast.Assign):
            return statement
        if isinstance(statement, ast.Expr) and not _is_action(statement.value):
            return statement
    return None


def _is_action(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="print") | ast.Attribute(attr="backward")):
            return True
    return False


def _is_pythons(node: ast.expr) -> bool:
    """Whether it is a plain Python number, such as `len(x)`: nothing to differentiate."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _LEFT_AS_THEY_ARE


def _unknown(tree: ast.Module, known: set[ast.Name]) -> tuple[str, ...]:
    """The names that are used and not defined before, in the order of their first use."""
    defined: set[str] = set()
    unknown: dict[str, None] = {}
    for statement in tree.body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node not in known]
        names.sort(key=lambda node: (node.lineno, node.col_offset))
        for node in names:
            if isinstance(node.ctx, ast.Load) and node.id not in defined:
                unknown.setdefault(node.id)
        defined.update(node.id for node in names if isinstance(node.ctx, ast.Store))
    return tuple(unknown)


def _constants(tree: ast.Module) -> dict[ast.Name, str]:
    """The uses of π, and of e in `e**x`, with PyTorch's spelling, where the text does not define them itself."""
    nodes = list(ast.walk(tree))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    defined = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    bases = {node.left for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)}
    found = {node: "torch.pi" for node in names if node.id in ("pi", "π") and node.id not in defined}
    return found | {node: "torch.e" for node in names if node.id == "e" and node in bases and "e" not in defined}


def _respelled(node: ast.AST, script: ParsedText) -> list[Edit]:
    """What PyTorch needs at a call: `torch.` before the function, a dim for softmax, tensors in max(x, 0)."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id in _LEFT_AS_THEY_ARE:
        return []
    name = _SPELLED.get(node.func.id, node.func.id)
    module = "torch.nn.functional" if name in _FUNCTIONAL else "torch"
    changes = [Edit(*script.span(node.func), f"{module}.{name}")]
    if name in ("softmax", "log_softmax", "logsumexp") and len(node.args) == 1 and not node.keywords:
        end = script.span(node)[1] - 1
        changes.append(Edit(end, end, ", dim=-1"))
    if name in ("max", "min") and len(node.args) == 2:
        changes.extend(_as_tensor(arg, script) for arg in node.args if isinstance(arg, ast.Constant))
    return changes


def _as_tensor(constant: ast.Constant, script: ParsedText) -> Edit:
    assert isinstance(constant.value, (int, float))
    return Edit(*script.span(constant), f"torch.tensor({number_source(float(constant.value))})")


def _body(reading: _Reading) -> tuple[str, str]:
    """The typed lines, spelled for PyTorch, and the name of the result."""
    script, last = reading.script, reading.last
    changes = list(reading.spelling)
    if isinstance(last, ast.Assign):
        target = last.targets[0]
        assert isinstance(target, ast.Name)
        return apply_edits(script.text, changes), target.id
    used = {node.id for node in ast.walk(script.tree) if isinstance(node, ast.Name)}
    result = next(name for name in (*_RESULT_NAMES, *(f"y{n}" for n in range(len(used) + 1))) if name not in used)
    start = script.span(last)[0]
    return apply_edits(script.text, [*changes, Edit(start, start, f"{result} = ")]), result


def _backward(last: ast.expr, result: str, taken: Collection[str], *, is_scalar: bool) -> list[str]:
    """The lines that run backward from the result of an expression."""
    if is_scalar:
        return [f"{result}.backward()"]
    if not (isinstance(last, ast.Call) and _name_of(last.func) == "softmax"):
        return [f"{result}.backward(torch.ones_like({result}))"]
    v = "v" if "v" not in taken else "v_of_" + result
    return [
        f"# A softmax adds up to 1, so v of ones would give gradients of 0: {v} asks for its first entry.",
        f"{v} = torch.zeros_like({result})",
        f"{v}[..., 0] = 1",
        f"{result}.backward({v})",
    ]


def _name_of(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _leaf(name: str, shape: tuple[int, ...], number: int, functions: frozenset[str]) -> str:
    count = 1
    for size in shape:
        count *= size
    values = [_start_value(i, number, functions) for i in range(count)]
    return f"{name} = torch.tensor({values_source(fill_shape(values, shape))}, requires_grad=True)"


def _start_value(index: int, number: int, functions: frozenset[str]) -> float:
    """A small number: 1, 2, 3 for the first name, others for the next; within the domain of the functions used."""
    value = 1.0 + index if number == 0 and index < 6 else ((index * 7 + number * 5) % 12 + 1) * 0.25
    if functions & _BELOW_ONE:
        return round(value / 10, 3)
    may_be_negative = not functions & _POSITIVE_ONLY
    if may_be_negative and functions & _SATURATING:
        small = value / 2 if number == 0 and index < 3 else round(value / 5, 2)
        return -small if index % 2 else small
    is_turned = number > 0 or functions & _KINKED
    return -value if may_be_negative and is_turned and index % 2 else value
