"""Arguments of the modules of tables: a signature out of its text, and what is said where arguments do not fit it."""

from __future__ import annotations

import ast
import functools
import inspect
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.errors.calls import too_many
from gradviz.imitation.script.errors.failures import suggestion


@functools.cache  # the table is the same for every run
def signature(text: str) -> inspect.Signature:
    """A signature out of its text; defaults are plain values."""
    arguments = ast.parse(f"def f({text}): pass").body[0].args  # type: ignore[attr-defined]
    found = []
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults
    kinds: list[Any] = [(inspect.Parameter.POSITIONAL_OR_KEYWORD, arguments.args, defaults)]
    kinds.append((inspect.Parameter.KEYWORD_ONLY, arguments.kwonlyargs, arguments.kw_defaults))
    for kind, names, values in kinds:
        for name, value in zip(names, values, strict=True):
            default = inspect.Parameter.empty if value is None else ast.literal_eval(value)
            found.append(inspect.Parameter(name.arg, kind, default=default))
    return inspect.Signature(found)


def bound(name: str, given: inspect.Signature, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name, with the defaults; Python's words where they do not fit.

    Raises:
        TorchError: an argument is missing, unknown or too many.
    """
    try:
        found = given.bind(*arguments, **keywords)
    except TypeError as error:
        text, hint = str(error), ""
        unknown = next((key for key in keywords if key not in given.parameters), None)
        missing = [p.name for p in given.parameters.values() if p.default is p.empty and p.name not in keywords]
        missing = missing[len(arguments) :]
        if unknown is not None:  # of which Python speaks first
            text = f"got an unexpected keyword argument '{unknown}'"
            hint = suggestion(unknown, given.parameters) or f"It takes {', '.join(given.parameters)}."
        elif text.startswith("missing"):
            plural = "s" if len(missing) > 1 else ""
            text = f"missing {len(missing)} required positional argument{plural}: {in_words(missing)}"
        elif text.startswith("too many"):
            text = too_many(with_self(given), len(arguments) + 1)
        elif text.startswith("multiple values"):
            text = f"got {text}"
        raise TorchError(f"{name} {text}", kind="TypeError", hint=hint) from None
    found.apply_defaults()
    return dict(found.arguments)


def in_words(names: list[str]) -> str:
    """Names as Python lists them."""
    first, last = ", ".join(map(repr, names[:-1])), repr(names[-1])
    return last if not first else f"{first}{',' * (len(names) > 2)} and {last}"


def with_self(given: inspect.Signature) -> inspect.Signature:
    """The same with self before them, as Python has it of a method."""
    self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    return given.replace(parameters=[self, *given.parameters.values()])
