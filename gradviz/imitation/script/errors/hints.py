"""What to do about errors that learners meet, by PyTorch's and Python's own words. Given where an error brings none."""

from __future__ import annotations

import ast
import re
from typing import Any

from gradviz.errors import GradvizError, TorchError
from gradviz.imitation.script.errors.advice import BY_MESSAGE, INSTEAD
from gradviz.imitation.script.errors.failures import NoKey, suggestion
from gradviz.imitation.script.values import Raised

NO_GRAD_YET = (
    ".grad is None until backward() has run, after zero_grad(), without requires_grad=True, and at tensors that an op "
    "made, as in w = w - g: write `if {0}.grad is not None:`."
)


def add_hint(error: GradvizError, text: str) -> None:
    """Give an error without a hint the one that its message calls for; `text` is the script's."""
    if instead := _advice(INSTEAD, error.message):
        error.hint = instead
    elif error.hint and not _is_replaced(error):
        return
    elif isinstance(error, Raised) and error.line is not None and "raise" in text.split("\n")[error.line - 1]:
        error.hint = BY_SCRIPT.get(error.kind, RAISED)
    else:
        error.hint = _advice(BY_MESSAGE, error.message) or error.hint


def _advice(table: tuple[tuple[str, str], ...], message: str) -> str:
    for pattern, hint in table:
        if found := re.search(pattern, message):
            return hint.format(*found.groups())
    return ""


RAISED = "The script raises this itself: look at the condition before it."
BY_SCRIPT = {"NotImplementedError": "This part is left to be written: put the code in place of this raise."}


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
    return f"{written} is None: a function without `return` gives None." if len(written) < 40 else ""


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
