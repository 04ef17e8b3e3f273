"""`torch.einsum`, in PyTorch's own steps: permutes, sums, and one product of stacks of matrices per pair.

Source: the labels of the output come first, then those summed over in order of the alphabet; every operand is
brought to that order of dims, and operands are multiplied from the left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.linalg.matmul import bmm
from gradviz.imitation.engine.functions.numbers.arithmetic import mul
from gradviz.imitation.engine.functions.reducing.reduction import sum as total
from gradviz.imitation.engine.functions.shapes.moving import diagonal, movedim
from gradviz.imitation.engine.functions.shapes.shaping import permute, reshape, unsqueeze, view
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.shapes import numel
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
DOTS = "."
"""The mark of an ellipsis among labels."""


UNCLEAR = (
    "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts "
    "list"
)


def einsum(equation: Any, *operands: Any) -> Tensor:
    """The sum of products that an equation such as "ij,jk->ik" says.

    Raises:
        TorchError: an equation that is none, or operands that it does not fit.
    """
    if not operands:
        raise TorchError(UNCLEAR, kind="ValueError")
    if isinstance(equation, Tensor):
        equation, operands = _from_lists((equation, *operands))
    elif not isinstance(equation, str):
        raise TorchError(
            f"einsum(): argument 'equation' (position 1) must be str, not {kind_name(equation)}", kind="TypeError"
        )
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    xs = [need("einsum", x, "tensors") for x in given]
    if not xs:
        raise TorchError("einsum(): must provide at least one operand")
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = [_labels(term, number) for number, term in enumerate(left.split(","))]
    if len(terms) < len(xs):
        raise TorchError("einsum(): more operands were provided than specified in the equation")
    if len(terms) > len(xs):
        raise TorchError("einsum(): fewer operands were provided than specified in the equation")
    dots = _covered(terms, xs)
    output = _output(_labels(right, None) if arrow else None, terms, dots)
    _check_sizes(terms, xs, dots)
    return _contracted(terms, xs, output, dots)


def _from_lists(arguments: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """einsum(a, [0, 1], b, [1, 2], [0, 2]) as an equation."""

    def letter(item: Any) -> str:
        if item is Ellipsis:
            return "..."
        if isinstance(item, Tensor) and item.data.size > 1:
            raise TorchError("Boolean value of Tensor with more than one value is ambiguous")
        if isinstance(item, str):
            raise TorchError("'>=' not supported between instances of 'str' and 'int'", kind="TypeError")
        if not 0 <= item < len(LETTERS):
            text = "einsum(): subscript in subscript list is not within the valid range [0, 52)"
            raise TorchError(text, kind="ValueError")
        return LETTERS[item]

    def term(items: Any) -> str:
        return "".join(map(letter, items))

    operands, lists = arguments[: len(arguments) // 2 * 2 : 2], arguments[1::2]
    end = f"->{term(arguments[-1])}" if len(arguments) % 2 else ""
    return ",".join(map(term, lists)) + end, operands


def _labels(term: str, number: int | None) -> list[str]:
    """The labels of one term, DOTS for an ellipsis; `number` is the operand's, None for the output."""
    where = "the output" if number is None else f"operand {number}"
    found: list[str] = []
    at = 0
    while at < len(term):
        if term.startswith("...", at):
            if DOTS in found:
                raise TorchError(
                    "einsum(): found '.' for output but an ellipsis (...) was already found"
                    if number is None
                    else f"einsum(): found '.' for operand {number} for which an ellipsis was already found"
                )
            found.append(DOTS)
            at += 3
            continue
        letter = term[at]
        if letter == ".":
            raise TorchError(
                f"einsum(): found '.' for {where} that is not part of any ellipsis"
                if number is not None
                else "einsum(): found '.' for output that is not part of any ellipsis (...)"
            )
        if letter not in LETTERS:
            raise TorchError(f"einsum(): invalid subscript given at index {at} in the equation string, subscripts must "
                             "be in [a-zA-Z]")  # fmt: skip
        found.append(letter)
        at += 1
    return found


def _covered(terms: list[list[str]], xs: list[Tensor]) -> int:
    """How many dims an ellipsis stands for; the operands' numbers of dims are looked at."""
    dots = 0
    for number, (term, x) in enumerate(zip(terms, xs, strict=True)):
        named = len(term) - (DOTS in term)
        if DOTS in term:
            if named > x.ndim:
                raise TorchError(
                    f"einsum(): the number of subscripts in the equation ({named}) is more than the number of "
                    f"dimensions ({x.ndim}) for operand {number}"
                )
            dots = max(dots, x.ndim - named)
        elif named != x.ndim:
            raise TorchError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the number of dimensions "
                f"({x.ndim}) for operand {number} and no ellipsis was given"
            )
    return dots


def _check_sizes(terms: list[list[str]], xs: list[Tensor], dots: int) -> None:
    """Refuse labels that stand for dims of sizes that do not fit."""
    sizes: dict[str, int] = {}
    for number, (term, x) in enumerate(zip(terms, xs, strict=True)):
        own: dict[str, int] = {}
        for label, size, dim in _sized(term, x, dots):
            if own.setdefault(label, size) != size:
                raise TorchError(
                    f"einsum(): subscript {label} is repeated for operand {number} but the sizes don't match, "
                    f"{size} != {own[label]}"
                )
            known = sizes.get(label, 1)
            if known not in (1, size) and size != 1:
                raise TorchError(
                    f"einsum(): dimension {dim} covered by ellipsis in operand {number}has size {size} which does not "
                    f"broadcast with previously seen ellipsis with size {known} for the respective dimension"
                    if label.startswith(DOTS)
                    else f"einsum(): subscript {label} has size {size} for operand {number} which does not broadcast "
                    f"with previously seen size {known}"
                )
            sizes[label] = size if known == 1 else known


def _sized(term: list[str], x: Tensor, dots: int) -> list[tuple[str, int, int]]:
    """Of each dim its label, size and number; what an ellipsis covers is labelled by its place among `dots`."""
    covered = x.ndim - len(term) + 1
    labels = [
        each
        for label in term
        for each in ([f"{DOTS}{k}" for k in range(dots - covered, dots)] if label == DOTS else [label])
    ]
    return list(zip(labels, x.shape, range(x.ndim), strict=True))


def _output(given: list[str] | None, terms: list[list[str]], dots: int) -> list[str]:
    """The labels of the result; where the equation has no arrow, those named once, in order."""
    every = [label for term in terms for label in term if label != DOTS]
    if given is None:
        return ([DOTS] if dots else []) + [label for label in LETTERS if every.count(label) == 1]
    for label in given:
        if label == DOTS:
            continue
        if given.count(label) > 1:
            raise TorchError(f"einsum(): output subscript {label} appears more than once in the output")
        if label not in every:
            raise TorchError(
                f"einsum(): output subscript {label} does not appear in the equation for any input operand"
            )
    return given


def _contracted(terms: list[list[str]], xs: list[Tensor], output: list[str], dots: int) -> Tensor:
    every = {label for term in terms for label in term if label != DOTS}
    place: dict[str, int] = {}
    count = 0
    for label in output:
        place[label] = count
        count += dots if label == DOTS else 1
    kept = count
    if DOTS not in output and dots:
        place[DOTS] = count
        count += dots
    for label in LETTERS:
        if label in every and label not in place:
            place[label] = count
            count += 1
    ready = [_prepared(term, x, place, count, dots) for term, x in zip(terms, xs, strict=True)]
    used = [sum(x.shape[dim] != 1 for x in ready) for dim in range(count)]
    first = ready[0]
    for x in ready[1:]:
        first = _pair(first, x, used, kept)
    if kept == count:
        return first
    return view(first, *first.shape[:kept]) if len(ready) > 1 else total(first, tuple(range(kept, count)))


def _prepared(term: list[str], x: Tensor, place: dict[str, int], count: int, dots: int) -> Tensor:
    """An operand with its dims in the common order, those it lacks of size 1."""
    order = [-1] * count
    seen: dict[str, int] = {}
    missing = dots - (x.ndim - len(term) + 1) if DOTS in term else 0
    dim = 0
    for label in term:
        if label == DOTS:
            for k in range(missing, dots):
                order[place[DOTS] + k] = dim
                dim += 1
        elif label in seen:
            x = movedim(diagonal(x, 0, seen[label], dim), -1, seen[label])
        else:
            seen[label] = dim
            order[place[label]] = dim
            dim += 1
    for at, source in enumerate(order):
        if source == -1:
            x = unsqueeze(x, x.ndim)
            order[at] = dim
            dim += 1
    return permute(x, tuple(order))


def _pair(a: Tensor, b: Tensor, used: list[int], kept: int) -> Tensor:
    """Two operands multiplied, and summed over the dims that no later operand has."""
    both: list[int] = []
    only_a: list[int] = []
    only_b: list[int] = []
    for dim in range(kept, a.ndim):
        if a.shape[dim] != 1 and b.shape[dim] != 1:
            used[dim] -= 1
            if used[dim] == 1:
                both.append(dim)
                used[dim] = 0
        elif used[dim] == 1:
            if a.shape[dim] != 1:
                only_a.append(dim)
                used[dim] = 0
            elif b.shape[dim] != 1:
                only_b.append(dim)
                used[dim] = 0
    a = total(a, tuple(only_a), True) if only_a else a
    b = total(b, tuple(only_b), True) if only_b else b
    return _product(a, b, both)


def _product(a: Tensor, b: Tensor, summed: list[int]) -> Tensor:
    """One product of stacks of matrices: (shared, own of a, summed) times (shared, summed, own of b)."""
    if not summed:
        return mul(a, b)
    shared, own_a, own_b = [], [], []
    for dim in range(a.ndim):
        if dim in summed:
            continue
        if a.shape[dim] != 1 and b.shape[dim] != 1:
            shared.append(dim)
        elif a.shape[dim] != 1:
            own_a.append(dim)
        else:
            own_b.append(dim)
    size = [a.shape[d] for d in (*shared, *own_a)] + [1] * len(summed) + [b.shape[d] for d in own_b]
    order = [*shared, *own_a, *summed, *own_b]
    back = tuple(order.index(dim) for dim in range(a.ndim))

    def length(x: Tensor, dims: list[int]) -> int:
        return numel(tuple(x.shape[d] for d in dims))

    batch, inner = length(a, shared), length(a, summed)
    left = reshape(permute(a, tuple(order)), batch, length(a, own_a), inner)
    right = reshape(permute(b, (*shared, *summed, *own_b, *own_a)), batch, inner, length(b, own_b))
    return permute(view(bmm(left, right), *size), back)


FUNCTIONS: dict[str, Callable[..., Any]] = {"einsum": einsum}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {}
