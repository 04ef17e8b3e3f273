"""What to do about errors that learners meet, by PyTorch's and Python's own words. Given where an error brings none."""

from __future__ import annotations

import ast
import re
from typing import Any

from gradviz.errors import GradvizError, TorchError
from gradviz.script.errors.failures import NoKey, suggestion
from gradviz.script.text.parsing import WITHOUT_PROMPTS

BY_MESSAGE: tuple[tuple[str, str], ...] = (
    (r"Only Tensors of floating point", "Write 1. for 1, or give dtype=torch.float32."),
    (r"has no attribute 'cuda'", "There is only the CPU here: leave .cuda() out."),
    (r"does not require grad and does not have a grad_fn", "Give an input requires_grad=True."),
    (r"appears to not have been used in the graph", "The output does not depend on that input, or it was detached."),
    (r"Tensors must have same number of dimensions", "Use unsqueeze or reshape, or torch.stack to add a dimension."),
    (r"stack expects each tensor to be equal size", "torch.cat joins tensors of different size along a dimension."),
    (r"iteration over a 0-d tensor", "It holds one number: use x.item()."),
    (r"len\(\) of a 0-d tensor", "It holds one number and has no length."),
    (r"attempting to assign a gradient of size", "The gradient has the shape of the tensor."),
    (r"can't retain_grad", "Give an input requires_grad=True."),
    (r"cannot register a hook", "Give an input requires_grad=True."),
    (r"^name 'np' is", "Add `import numpy as np` at the top."),
    (r"^name 'nn' is", "Add `import torch.nn as nn` at the top."),
    (r"^name 'F' is", "Add `import torch.nn.functional as F` at the top."),
    (r"^name 'optim' is", "Add `import torch.optim as optim` at the top."),
    (r"^name 'plt' is", "Add `import matplotlib.pyplot as plt` at the top."),
    (r"^name '(torch|math|random|itertools|functools|time|os|sys)' is", "Add `import {0}` at the top."),
    (r"^name 'get_ipython' is", "Only notebooks have it: leave the line out, or open the .ipynb itself."),
    (r"^name 'In' is", WITHOUT_PROMPTS),
    (r"^name '(nan|inf|pi)' is", "Write float('{0}') or math.{0}."),
    (r"^name '(true|false|none|null)' is", "Python writes True, False and None."),
    (r"list indices must be integers or slices, not (\w+)", "Turn the index into an int."),
    (r"division by zero|modulo by zero", "Tensors divide by zero to inf; Python numbers do not."),
    (r"must be real number, not str|can only concatenate str", "Turn text into numbers with float(...)."),
    (r"not enough values to unpack|too many values to unpack", "As many names as values must stand on the left."),
    (r"^No active exception", "A bare `raise` belongs into an except block."),
    (r"has the type .* but a floating point", "Use .float()."),
)  # fmt: skip

NO_GRAD_YET = (
    ".grad is None until backward() has run, after zero_grad(), and at tensors that are not leaves: "
    "write `if {0}.grad is not None:`."
)


def add_hint(error: GradvizError) -> None:
    """Give an error without a hint the one that its message calls for."""
    if error.hint and not _is_replaced(error):
        return
    for pattern, hint in BY_MESSAGE:
        found = re.search(pattern, error.message)
        if found:
            error.hint = hint.format(*found.groups())
            return


def _is_replaced(error: GradvizError) -> bool:
    """A suggestion by spelling is worse than to know the name."""
    return error.message.endswith(("attribute 'cuda'", "is not defined")) and "torch." not in error.hint


def on_none(node: ast.expr) -> str:
    """What to say where an attribute of None is asked for; `node` is what was None."""
    written = ast.unparse(node) if not isinstance(node, ast.Call) else ""
    if isinstance(node, ast.Attribute) and node.attr == "grad":
        return NO_GRAD_YET.format(ast.unparse(node.value))
    if isinstance(node, ast.Attribute) and node.attr == "grad_fn":
        return "A leaf has no grad_fn: no op made it."
    if isinstance(node, ast.Call):
        return "The call before it returns nothing."
    return f"{written} is None: what it was set to returned nothing." if len(written) < 40 else ""


def on_call(node: ast.expr, callee: Any) -> str:
    """What to say where something is called that is no function."""
    if isinstance(node, ast.Attribute):
        return f"'{node.attr}' is a value, not a function: leave the brackets out."
    if isinstance(node, ast.Name):
        return f"'{node.id}' was given a value: choose another name if it hides a function."
    return "A comma or an operator may be missing before the bracket."


def on_item(owner: Any, error: LookupError) -> TorchError:
    """The error of an index or key that a list, tuple, text or dict has not got."""
    if isinstance(error, KeyError):
        return _no_key(owner, error)
    count = len(owner)
    hint = f"It has {count:,} item{'s' if count != 1 else ''}; the last is [{count - 1}]." if count else "It is empty."
    return TorchError(str(error), kind="IndexError", hint=hint)


def _no_key(owner: dict[Any, Any], error: KeyError) -> TorchError:
    key = error.args[0]
    texts = [name for name in owner if isinstance(name, str)]
    hint = suggestion(key, texts) if isinstance(key, str) else ""
    few = ", ".join(map(repr, texts[:5])) if len(owner) == len(texts) <= 5 else ""
    return NoKey(key, hint or (f"The keys are {few}." if few else ""))
