"""Calls in the form that PyTorch had before its numbers were named: `p.add_(-lr, g)`, `addmm(beta, m, alpha, a, b)`.

It takes them still, and warns once in a run, whatever the function. Source: tools/autograd/deprecated.yaml.
"""

from __future__ import annotations

from typing import Any

from gradviz.engine.tensor import Tensor
from gradviz.script.arguments.forms import Form, forms_of
from gradviz.script.values import Native

CHANGED = ("add", "sub", "addcmul", "addcdiv", "addmm", "addmv", "addr", "addbmm", "baddbmm")
FORMER = frozenset(name + end for name in CHANGED for end in ("", "_"))

Call = tuple[tuple[Any, ...], dict[str, Any]]


def in_present_form(native: Native, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Call, str] | None:
    """The call as it is written now, and what PyTorch says of it; None where it has no such form.

    Args:
        arguments: all that were given by place, the tensor of a method first.
    """
    if native.name not in FORMER or any(type(x) not in (int, float) and not isinstance(x, Tensor) for x in arguments):
        return None
    known = forms_of(f"{'Tensor' if native.is_method else 'torch'}.{native.name}")
    if known is None:
        return None
    form, tensors = known.all[0], tuple(x for x in arguments if isinstance(x, Tensor))
    numbers = [argument.name for argument in form.arguments if argument.kind == "Number"]
    is_number = [not isinstance(x, Tensor) for x in arguments]
    if is_number not in _places(len(numbers), len(tensors), native.is_method):
        return None
    named = dict(zip(numbers, (x for x in arguments if not isinstance(x, Tensor)), strict=False))
    if named.keys() & keywords.keys():
        return None
    said = _said(native, form, is_number, [each.text for each in known.all])
    return (tensors, named | keywords), said


def _places(numbers: int, tensors: int, is_method: bool) -> list[list[bool]]:
    """Where the numbers stood among the tensors."""
    others = [False] * (tensors - 1)
    if numbers == 1:
        return [[False, True, *others]]
    if is_method:
        return [[False, True, True, *others], [False, True, *others]]
    return [[True, False, True, *others], [True, False, *others]]


def _said(native: Native, form: Form, is_number: list[bool], present: list[str]) -> str:
    numbers = iter([a for a in form.arguments if a.kind == "Number"])
    tensors = iter([a for a in form.arguments if a.kind == "Tensor" and not a.is_named_only])
    shown = is_number[1:] if native.is_method else is_number
    parts = [f"{a.kind} {a.name}" for a in (next(numbers if each else tensors) for each in shown)]
    parts += [] if native.is_method else ["*", "Tensor out = None"]
    lines = [f"This overload of {native.name} is deprecated:", f"\t{native.name}({', '.join(parts)})"]
    lines.append("Consider using one of the following signatures instead:")
    return "\n".join(lines + [f"\t{native.name}{text}" for text in present])
