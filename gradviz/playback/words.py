"""Nodes, shapes and numbers as short texts: what a box, a label or a list shows of them.

Knows recordings. Knows no Qt, no layout. Numbers keep ASCII signs, as PyTorch prints them.
"""

from __future__ import annotations

import math
import re
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gradviz.ops.table import TABLE
from gradviz.recording import CONSTANT, LEAF, Array, Known, Node, Recording, Summary
from gradviz.recording import counted as counted  # noqa: PLC0414 # lower rooms use it too, and the others look for it here
from gradviz.recording import shape_text as shape_text  # noqa: PLC0414

_OF_TENSORS = {LEAF: "x", CONSTANT: "c"}
"""The signs of what no op made."""
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Expression(NamedTuple):
    """A text and how tightly its outermost sign binds; `text` is "" where it would be too long."""

    text: str
    binding: int


SUM, MINUS, PRODUCT, POWER, ATOM = range(5)

_INFIX = {
    "add": (" + ", SUM, PRODUCT), "sub": (" − ", SUM, PRODUCT), "mul": ("·", PRODUCT, POWER),
    "div": ("/", PRODUCT, POWER), "matmul": (" @ ", PRODUCT, POWER), "mm": (" @ ", PRODUCT, POWER),
    "bmm": (" @ ", PRODUCT, POWER), "mv": (" @ ", PRODUCT, POWER),
}  # fmt: skip
"""By op: the sign, its binding (which its left side needs at least), and what its right side needs."""


_LONGEST_SIGN = 5
"""Characters that a tile has room for."""


def superscript(number: int) -> str:
    """A whole number as an exponent: "⁻⁶"."""
    return str(number).translate(_SUPERSCRIPT)


def symbol(op_name: str) -> str:
    """The sign of an op for a small tile, e.g. "×"; without one, the first word of its name, if that is short.

    PyTorch's ops begin with a small letter; a capital is the class of a custom Function.
    """
    name = op_name.rstrip("_")
    if name[:1].isupper():
        return "ƒ"
    known = _OF_TENSORS.get(name) or TABLE.sign_of(name)
    if known:
        return known
    whole = name.removesuffix("_data").removesuffix("_backward").removesuffix("_back")
    if whole != name and TABLE.sign_of(whole):
        return f"{TABLE.sign_of(whole)}′"  # the derivative of an op, as an op of a graph of derivatives
    start = name.partition("_")[0]
    return start if 0 < len(start) <= _LONGEST_SIGN else "ƒ"


_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """A name with what cannot be seen in it, or would turn it about, as its number: ⟨202E⟩. Half a character too."""
    return text if text.isprintable() else _UNSEEN.sub(lambda sign: f"⟨{ord(sign[0]):04X}⟩", text)


def op_word(node: Node) -> str:
    """What made the node: "leaf", "constant", or the op in PyTorch's spelling."""
    return visible(node.op)


# ---- labels ---------------------------------------------------------------------------------------------------

_LABELS: dict[tuple[int, int], tuple[str, ...]] = {}


_PATH = re.compile(r"[^\W\d]\w*(\.\w+)+( \+=)?")


def place_text(shape: tuple[int, ...], element: int) -> str:
    """Where an element of a flat index is: "[0, 2]"; "" in a single number."""
    place: list[int] = []
    for size in reversed(shape):
        element, rest = divmod(element, size)
        place.insert(0, rest)
    return f"[{', '.join(map(str, place))}]" if place else ""


def in_brackets(name: str) -> str:
    """A name as it stands, an expression in brackets, so that what follows belongs to all of it."""
    return name if _is_one(name) else f"({name})"


def _is_one(name: str) -> bool:
    """Whether a name reads as one thing: `fc.weight`, `x[0]`, `σ(x)`, `net(x).T`; not `x²`, `a·(b + c)`, `(a)(b)`."""
    depth = 0
    for place, sign in enumerate(name):
        if sign in "([":
            if not place:
                return False
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif not depth and (sign in _RAISED or not (sign.isalnum() or sign in "._")):
            return False
    return True


_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"


def shortened(name: str, limit: int) -> str:
    """A name in `limit` characters: of a path the end, which tells it from its neighbours, else the beginning."""
    if len(name) <= limit:
        return name
    if not _PATH.fullmatch(name):
        return f"{name[: limit - 1]}…"
    before, end = name[-limit], name[1 - limit :]
    return f"…{end if before == '.' or '.' not in end else end.partition('.')[2]}"


def label(recording: Recording, node: int, limit: int = 24) -> str:
    """What to call a node, in at most `limit` characters where it has no name of its own.

    The variable it was assigned to, else the expression that made it (`x·x·w`), else its op.
    """
    return labels(recording, limit)[node]


def labels(recording: Recording, limit: int = 24) -> tuple[str, ...]:
    """`label` of every node, computed once per recording and kept as long as the recording lives."""
    key = (id(recording), limit)
    if key not in _LABELS:
        _LABELS[key] = tuple(_all_labels(recording, limit))
        # A recording holds arrays, so it has no hash: its identity is the key, and must not outlive it.
        weakref.finalize(recording, _LABELS.pop, key, None)
    return _LABELS[key]


def _all_labels(recording: Recording, limit: int) -> Iterable[str]:
    known: list[Expression] = []
    lines = [] if recording.source is None else recording.source.text.splitlines()
    for node, value in zip(recording.nodes, recording.values, strict=True):
        parts = [known[source] for source in node.inputs]
        if not node.name and node.op in _TURNED and _is_turned(node, parts, lines):
            made = _applied(node, parts[::-1])
        elif not node.name and node.op in PARTS and parts and parts[0].text:
            made = Expression(_wrap(parts[0], ATOM) + _place(node, recording.nodes[node.inputs[0]].shape), ATOM)
        else:
            made = _expression(node, value, parts)
        if len(made.text) > limit and not node.name:
            made = Expression("", ATOM)
        known.append(made)
        yield made.text or op_word(node)


_TURNED = ("mul", "add")
PARTS = ("select", "unbind", "slice", "split", "split_with_sizes", "unsafe_split")
"""Ops whose results are parts of their input: x[0], x[:, 1], x[2:4]."""


def _is_turned(node: Node, parts: Sequence[Expression], lines: Sequence[str]) -> bool:
    """Whether the script writes the number first: of 2 * x PyTorch makes x.mul(2)."""
    if len(parts) != 2 or node.line is None or not 0 < node.line <= len(lines) or not parts[1].text[:1].isdigit():
        return False
    line, sign = lines[node.line - 1], "*" if node.op == "mul" else "+"
    return any(_starts_with(line, parts[1].text + end, sign) for end in ("", ".", ".0"))


@lru_cache(maxsize=4096)
def _starts_with(line: str, number: str, sign: str) -> bool:
    """Whether a line of the script has a number before a sign, and nowhere after it."""
    number, sign = re.escape(number), re.escape(sign)
    is_before = re.search(rf"(?<![\w.]){number}\s*{sign}(?![*=])", line)
    return is_before is not None and re.search(rf"(?<!\*){sign}\s*{number}(?![\w.])", line) is None


def _place(node: Node, shape: tuple[int, ...]) -> str:
    """Which part of its input a node is, as the script would write it: "[0]", "[:, 1]", "[2:4]"."""
    dim, index, start = (node.params.get(key) for key in ("dim", "index", "start"))
    if not isinstance(dim, int) or not -len(shape) <= dim < len(shape):
        return f".{node.op.rstrip('_')}()"
    before = ":, " * (dim % len(shape))
    if node.op in ("select", "unbind"):
        return f"[{before}{index}]"
    end, step = node.params.get("end"), node.params.get("step", 1)
    return f"[{before}{start or ''}:{'' if end == shape[dim] else end}{'' if step == 1 else f':{step}'}]"


def _expression(node: Node, value: Array | None, inputs: Sequence[Expression]) -> Expression:
    if node.name:
        return Expression(visible(node.name), ATOM)
    if node.op == CONSTANT:
        return _number(value) if value is not None and value.ndim == 0 else Expression(short_value(value), ATOM)
    if not inputs or any(not part.text for part in inputs):
        return Expression("", ATOM)
    return _applied(node, [*inputs, *_scalar_params(node)])


def _number(value: Array) -> Expression:
    text = number_text(value.item())
    return Expression(text.replace("-", "−", 1), MINUS) if text.startswith("-") else Expression(text, ATOM)


def _scalar_params(node: Node) -> Iterable[Expression]:
    """The number in the place of a second tensor: the 2 of x * 2, the n of x ** n."""
    for key in ("other", "exponent"):
        if isinstance(node.params.get(key), (int, float)):
            yield _number(np.asarray(node.params[key]))


def _applied(node: Node, parts: Sequence[Expression]) -> Expression:
    name = op_word(node).rstrip("_")
    if name == "pow" and len(parts) == 2:
        return _power(*parts)
    if name in _INFIX and len(parts) == 2:
        sign, left, right = _INFIX[name]
        return Expression(_wrap(parts[0], left) + sign + _wrap(parts[1], right), left)
    if name == "permute" and list(node.params.get("dims") or ()) == [1, 0]:
        name = "t"  # what x.T makes of a matrix
    if name in _SPECIAL and len(parts) == 1:
        return _SPECIAL[name](parts[0])
    return Expression(f"{op_word(node).rstrip('_')}({', '.join(part.text for part in parts)})", ATOM)


def _wrap(part: Expression, least: int) -> str:
    return part.text if part.binding >= least else f"({part.text})"


def _power(base: Expression, exponent: Expression) -> Expression:
    digits = exponent.text.replace("−", "-")
    if digits.lstrip("-").isdigit() and len(digits) <= 3:
        return Expression(_wrap(base, ATOM) + digits.translate(_SUPERSCRIPT), POWER)
    return Expression(f"{_wrap(base, ATOM)}^{_wrap(exponent, ATOM)}", POWER)


_SPECIAL: dict[str, Callable[[Expression], Expression]] = {
    "neg": lambda x: Expression(f"−{_wrap(x, PRODUCT)}", MINUS),
    "square": lambda x: Expression(f"{_wrap(x, ATOM)}²", POWER),
    "t": lambda x: Expression(f"{_wrap(x, ATOM)}.T", ATOM),
    "transpose": lambda x: Expression(f"{_wrap(x, ATOM)}.T", ATOM),
    "abs": lambda x: Expression(f"|{x.text}|", ATOM),
}


# ---- numbers --------------------------------------------------------------------------------------------------


def short_value(array: Known, limit: int = 22) -> str:
    """A value in `limit` characters, but at least its first number; "" for None, the norm for what was not kept.

    Each number is written as `number_text` does wherever it stands: `23`, `[-1, 2]`, `[0.9975, 0.005, …]`
    """
    if array is None:
        return ""
    if isinstance(array, Summary):
        count = math.prod(array.shape)
        bad = _not_finite(array.nan or 0, array.inf or 0, count)
        return bad or ("not kept" if array.norm is None else f"norm {number_text(array.norm)}")
    write = number_text if array.dtype.kind == "f" else str
    if array.ndim == 0:
        return write(array.item())
    first = array.ravel()[: limit // 2 + 1] if array.size > limit // 2 + 1 else array.ravel()
    text = _bracketed([write(number) for number in first.tolist()], array.shape, limit)
    return (not_finite_text(array) or text) if "…" in text else text


def not_finite_text(array: Array) -> str:
    """How many elements are NaN or infinite: "64 NaN of 704"; "" where none is."""
    if array.dtype.kind not in "fc":
        return ""
    with np.errstate(all="ignore"):
        if np.isfinite(np.sum(array)):  # a single one would show in the sum
            return ""
    return _not_finite(int(np.count_nonzero(np.isnan(array))), int(np.count_nonzero(np.isinf(array))), array.size)


def _not_finite(nan: int, inf: int, size: int) -> str:
    parts = [f"{count:,} {what}" for count, what in ((nan, "NaN"), (inf, "infinite")) if count]
    return f"{' and '.join(parts)} of {size:,}" if parts else ""


_NEAR_ONE, _MOST_DECIMALS = 0.999, 8
"""From here on a number has two significant digits of what is missing to 1, and at most as many decimals as float32."""


def number_text(number: float | bool | complex) -> str:
    """A number in four significant digits, a whole one below a million in all: 2, 0.9975, 12345, 1.2e-5, nan.

    Just below 1 it has as many as tell 1 - y² from 0: 0.999988. -0 is 0: a sign that matters makes an infinity of its
    own, which is seen.
    """
    if isinstance(number, (bool, complex)):
        return str(number)
    number += 0.0  # -0 is 0
    if _NEAR_ONE <= abs(number) < 1:
        decimals = min(1 - math.floor(math.log10(1 - abs(number))), _MOST_DECIMALS)
        return f"{number:.{decimals}f}".rstrip("0").rstrip(".")
    return f"{number:.0f}" if 1e3 <= abs(number) < 1e6 else _compact(f"{number:.4g}")


def _compact(text: str) -> str:
    """1e-05 as 1e-5, 1e+05 as 1e5."""
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else text


def _bracketed(texts: Sequence[str], shape: tuple[int, ...], limit: int) -> str:
    """The first numbers of an array in nested brackets; an ellipsis stands for those that do not fit."""
    size = math.prod(shape)
    depth = len(shape)
    if not size:
        return "[]" if depth == 1 else f"empty {shape_text(shape)}"
    strides = [math.prod(shape[axis:]) for axis in range(depth)]
    out = "[" * depth
    for index, text in enumerate(texts):
        closed = sum(index % stride == 0 for stride in strides) if index else 0
        piece = "]" * closed + (", " if index else "") + "[" * closed + text
        room = depth if index == size - 1 else depth + 3
        if index and len(out) + len(piece) + room > limit:
            return f"{out}, …{']' * depth}" if not closed else f"{out}{']' * closed}, …{']' * (depth - closed)}"
        out += piece
    return out + ("]" * depth if len(texts) == size else f", …{']' * depth}")
