"""The smallest edits of a text that give a leaf other values, another shape, dtype or requires_grad.

Each function returns edits to try; whether they did what was wanted is checked by `leaf_changes`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradviz.errors import GradvizError
from gradviz.source.creation import FLOATS, natural_dtype
from gradviz.source.edits import Edit, ParsedText
from gradviz.source.leaves import FoundLeaf
from gradviz.source.torch_names import TorchNames
from gradviz.source.values import Values, fill_shape, flatten, shape_of, values_source

_SIZED = ("zeros", "ones", "rand", "randn", "empty")


def values_in_dtype(found: FoundLeaf, values: Values) -> Values:
    """The numbers as the leaf's dtype holds them, so that its dtype stays what it is.

    Raises:
        GradvizError: the dtype is stated in the text and cannot hold them.
    """
    spec, made = found.spec, found.creation
    shape, numbers = shape_of(values), flatten(values)
    if spec.dtype in FLOATS:
        return fill_shape([float(n) for n in numbers], shape)
    are_whole = all(float(n).is_integer() for n in numbers)
    if spec.dtype == "bool" and all(n in (0, 1) for n in numbers):
        return fill_shape([bool(n) for n in numbers], shape)
    if are_whole and spec.dtype != "bool":
        return fill_shape([int(n) for n in numbers], shape)
    if made.dtype_part or made.cast_call or made.is_class or not made.is_literal:
        odd = next(n for n in numbers if n not in (0, 1) or not float(n).is_integer())
        raise GradvizError(f"'{spec.name}' is {spec.dtype} and cannot hold {odd}.", hint="Choose a float dtype first.")
    return fill_shape([int(n) if are_whole else float(n) for n in numbers], shape)


def set_values(script: ParsedText, names: TorchNames, found: FoundLeaf, values: Values) -> list[Edit]:
    """Put other numbers in place of the old ones, or a literal in place of a call such as torch.randn."""
    made = found.creation
    if not (made.is_literal and made.is_plain):
        return rebuild(script, names, found, values, found.spec.dtype)
    data = made.call.args[0] if made.call.args else made.call.keywords[0].value
    start, end = script.span(data)
    column = script.line_and_column(start)[1] - 1
    return [Edit(start, end, values_source(values, indent=column, newline=script.newline))]


def set_shape(script: ParsedText, names: TorchNames, found: FoundLeaf, shape: Sequence[int]) -> list[Edit]:
    """Change the size in the text where one stands there, else arrange the numbers in the new shape."""
    made = found.creation
    arguments = made.call.args
    listed = ", ".join(map(str, shape))
    if arguments and made.is_plain and made.function in _SIZED:
        return [Edit(script.span(arguments[0])[0], script.end(arguments[-1]), listed or "()")]
    if arguments and made.is_plain and made.function in ("full", "randint"):
        size = arguments[0] if made.function == "full" else arguments[-1]
        return [Edit(*script.span(size), f"({listed}{',' * (len(shape) == 1)})")]
    if found.spec.values is None:
        raise GradvizError(
            f"The shape of '{found.spec.name}' cannot be changed: its values are not known before the script runs.",
            hint=f"Edit line {found.spec.line} of the script, or type its values.",
        )
    return set_values(script, names, found, fill_shape(found.spec.values, shape))


def set_dtype(script: ParsedText, names: TorchNames, found: FoundLeaf, dtype: str) -> list[Edit]:
    """Replace the dtype that is stated, or state one."""
    made = found.creation
    if found.spec.requires_grad and dtype not in FLOATS:
        raise GradvizError(
            f"'{found.spec.name}' requires a gradient, and only floating point tensors can.",
            hint="Make it a constant first, or choose a float dtype.",
        )
    if made.is_class:
        return rebuild(script, names, found, found.spec.values or [], dtype)
    written, imports = names.spell(dtype, script)
    if made.cast_call is not None:
        assert isinstance(made.cast_call.func, ast.Attribute)
        return [*imports, Edit(script.end(made.cast_call.func.value), script.end(made.cast_call), f".to({written})")]
    if made.dtype_part is not None:
        return [*imports, Edit(*script.span(made.dtype_part), written)]
    end = script.end(made.call.args[-1] if made.call.args else made.call.keywords[-1])
    return [*imports, Edit(end, end, f", dtype={written}")]


def set_requires_grad(script: ParsedText, found: FoundLeaf, wanted: bool) -> list[Edit]:
    """Change what decides it: a later line, `.requires_grad_()`, the keyword; or add the keyword."""
    made = found.creation
    if wanted and found.spec.dtype not in FLOATS:
        raise GradvizError(
            f"'{found.spec.name}' is {found.spec.dtype}, and only floating point tensors can require a gradient.",
            hint="Choose float32 or float64 first.",
        )
    deciding = found.switches[-1] if found.switches else made.grad_part
    if isinstance(deciding, ast.Call):
        return [Edit(script.end(deciding.func), script.end(deciding), "()" if wanted else "(False)")]
    if deciding is not None:
        return [Edit(*script.span(deciding), str(wanted))]
    if made.keyword_call is made.call and (made.is_class or not made.is_plain):
        end = script.end(made.core)
        return [Edit(end, end, ".requires_grad_()")]
    parts: list[ast.expr | ast.keyword] = [*made.keyword_call.args, *made.keyword_call.keywords]
    end = max(script.end(part) for part in parts)
    return [Edit(end, end, f", requires_grad={wanted}")]


def rebuild(script: ParsedText, names: TorchNames, found: FoundLeaf, values: Values, dtype: str) -> list[Edit]:
    """Write the making anew as `torch.tensor(...)`; what is wrapped around it stays."""
    made = found.creation
    function, imports = names.spell("tensor", script)
    start, end = script.span(made.core)
    column = script.line_and_column(start)[1] + len(function)
    text = f"{function}({values_source(values, indent=column, newline=script.newline)}"
    if dtype != natural_dtype(values):
        word, more = names.spell(dtype, script)
        text, imports = f"{text}, dtype={word}", [*imports, *(edit for edit in more if edit not in imports)]
    if made.core_requires_grad:
        text += ", requires_grad=True"
    return [*imports, Edit(start, end, f"{text})")]
