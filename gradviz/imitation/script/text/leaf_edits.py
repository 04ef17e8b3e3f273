"""The smallest changes of a text that give a leaf other values, another shape, dtype or requires_grad.

Each function returns the changes to try; whether they have done what was wanted is checked by `leaves`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradviz.errors import GradvizError
from gradviz.imitation.script.text.aliases import TorchNames
from gradviz.imitation.script.text.leaf_search import Found
from gradviz.imitation.script.text.leaf_values import Values, flat, reshaped, shape_of, source_of
from gradviz.imitation.script.text.located import Change, Located
from gradviz.imitation.script.text.making import FLOATS, natural_dtype

_SIZED = ("zeros", "ones", "rand", "randn", "empty")


def fitting(found: Found, values: Values) -> Values:
    """The numbers as the leaf's dtype holds them, so that its dtype stays what it is.

    Raises:
        GradvizError: the dtype is stated in the text and cannot hold them.
    """
    spec, made = found.spec, found.making
    shape, numbers = shape_of(values), flat(values)
    if spec.dtype in FLOATS:
        return reshaped([float(n) for n in numbers], shape)
    whole = all(float(n).is_integer() for n in numbers)
    if spec.dtype == "bool" and all(n in (0, 1) for n in numbers):
        return reshaped([bool(n) for n in numbers], shape)
    if whole and spec.dtype != "bool":
        return reshaped([int(n) for n in numbers], shape)
    if made.dtype_part or made.cast_call or made.is_constructor or not made.is_literal:
        odd = next(n for n in numbers if n not in (0, 1) or not float(n).is_integer())
        raise GradvizError(f"'{spec.name}' is {spec.dtype} and cannot hold {odd}.", hint="Choose a float dtype first.")
    return reshaped([int(n) if whole else float(n) for n in numbers], shape)


def set_values(script: Located, names: TorchNames, found: Found, values: Values) -> list[Change]:
    """Put other numbers in place of the old ones, or a literal in place of a call such as torch.randn."""
    made = found.making
    if not (made.is_literal and made.is_plain):
        return rebuild(script, names, found, values, found.spec.dtype)
    data = made.call.args[0] if made.call.args else made.call.keywords[0].value
    start, end = script.span(data)
    column = script.line_of(start)[1] - 1
    return [Change(start, end, source_of(values, indent=column, newline=script.newline))]


def set_shape(script: Located, names: TorchNames, found: Found, shape: Sequence[int]) -> list[Change]:
    """Change the size in the text where one stands there, else pour the numbers into the new shape."""
    made = found.making
    first = made.call.args[0] if made.call.args else None
    listed = ", ".join(map(str, shape))
    if first is not None and made.is_plain and made.function in _SIZED:
        start, end = script.span(first)[0], script.span(made.call.args[-1])[1]
        return [Change(start, end, listed or "()")]
    if first is not None and made.is_plain and made.function in ("full", "randint"):
        size = first if made.function == "full" else made.call.args[-1]
        return [Change(*script.span(size), f"({listed}{',' * (len(shape) == 1)})")]
    if found.spec.values is None:
        raise GradvizError(
            f"The shape of '{found.spec.name}' cannot be changed: its values are not known before the script runs.",
            hint=f"Edit line {found.spec.line} of the script, or type its values.",
        )
    return set_values(script, names, found, reshaped(found.spec.values, shape))


def set_dtype(script: Located, names: TorchNames, found: Found, dtype: str) -> list[Change]:
    """Replace the dtype that is stated, or state one."""
    made = found.making
    if found.spec.requires_grad and dtype not in FLOATS:
        raise GradvizError(
            f"'{found.spec.name}' requires a gradient, and only floating point tensors can.",
            hint="Make it a constant first, or choose a float dtype.",
        )
    if made.is_constructor:
        return rebuild(script, names, found, found.spec.values or [], dtype)
    written, imports = names.spell(dtype, script)
    if made.cast_call is not None:
        assert isinstance(made.cast_call.func, ast.Attribute)
        start = script.span(made.cast_call.func.value)[1]
        return [*imports, Change(start, script.span(made.cast_call)[1], f".to({written})")]
    if made.dtype_part is not None:
        return [*imports, Change(*script.span(made.dtype_part), written)]
    end = script.span(made.call.args[-1] if made.call.args else made.call.keywords[-1])[1]
    return [*imports, Change(end, end, f", dtype={written}")]


def set_requires_grad(script: Located, found: Found, wanted: bool) -> list[Change]:
    """Change what decides it: a later line, `.requires_grad_()`, the keyword; or add the keyword."""
    made = found.making
    if wanted and found.spec.dtype not in FLOATS:
        raise GradvizError(
            f"'{found.spec.name}' is {found.spec.dtype}, and only floating point tensors can require a gradient.",
            hint="Choose float32 or float64 first.",
        )
    deciding = found.switches[-1] if found.switches else made.grad_part
    if isinstance(deciding, ast.Call):
        start = script.span(deciding.func)[1]
        return [Change(start, script.span(deciding)[1], "()" if wanted else "(False)")]
    if deciding is not None:
        return [Change(*script.span(deciding), str(wanted))]
    if made.keyword_call is made.call and (made.is_constructor or not made.is_plain):
        end = script.span(made.core)[1]
        return [Change(end, end, ".requires_grad_()")]
    parts: list[ast.expr | ast.keyword] = [*made.keyword_call.args, *made.keyword_call.keywords]
    end = max(script.span(part)[1] for part in parts)
    return [Change(end, end, f", requires_grad={wanted}")]


def rebuild(script: Located, names: TorchNames, found: Found, values: Values, dtype: str) -> list[Change]:
    """Write the making anew as `torch.tensor(...)`; what is wrapped around it stays."""
    made = found.making
    function, imports = names.spell("tensor", script)
    start, end = script.span(made.core)
    column = script.line_of(start)[1] + len(function)
    text = f"{function}({source_of(values, indent=column, newline=script.newline)}"
    if dtype != natural_dtype(values):
        word, more = names.spell(dtype, script)
        text, imports = f"{text}, dtype={word}", [*imports, *(change for change in more if change not in imports)]
    if made.core_requires_grad:
        text += ", requires_grad=True"
    return [*imports, Change(start, end, f"{text})")]
