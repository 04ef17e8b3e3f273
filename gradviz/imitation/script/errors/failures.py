"""Python's own exceptions, raised inside a call of ours, as the errors a script sees."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterable
from typing import Any

from gradviz.errors import GradvizError, LimitError, TorchError
from gradviz.imitation.script.values import place

CAUGHT = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, MemoryError, RecursionError,
          RuntimeError, StopIteration, AssertionError)  # fmt: skip
"""What a script's own mistake can raise in Python."""

Code = Callable[[Any], Any]

SIMPLE = (str, bytes, int, float)
"""What an exception of Python's may hold for a script to see; numpy's hold functions."""


def located(error: GradvizError, node: ast.AST) -> GradvizError:
    """The error with its place, where it has none yet."""
    if error.line is None:
        error.line, error.column = place(node)
    return error


def converted(error: BaseException, node: ast.AST) -> GradvizError:
    """A Python exception as an error of the script, at its place."""
    if isinstance(error, RecursionError):
        return located(
            TorchError(
                "maximum recursion depth exceeded",
                kind="RecursionError",
                hint="The expression or the calls are nested too deeply; use a loop.",
            ),
            node,
        )
    if isinstance(error, MemoryError):
        return located(LimitError("there is not enough memory for this", hint="Use smaller tensors."), node)
    if isinstance(error, KeyError):
        return located(NoKey(error.args[0]) if error.args else TorchError("", kind="KeyError"), node)
    if isinstance(error, StopIteration):
        return located(Stopped(error.value), node)
    kind, text = type(error).__name__, str(error)
    if (
        type(error).__module__ != "builtins"
        or error.args == (text,)
        or not all(isinstance(part, SIMPLE) for part in error.args)
    ):
        return located(TorchError(text, kind=kind), node)
    return located(WithValue(text, kind, error.args), node)


class WithValue(TorchError):
    """An error whose exception object holds a value, and not its text.

    Attributes:
        arguments: `args` of the exception.
    """

    def __init__(self, message: str, kind: str, arguments: tuple[Any, ...], hint: str = "") -> None:
        super().__init__(message, kind=kind, hint=hint)
        self.arguments = arguments


class Stopped(WithValue):
    """An iterator has no more items; `result` is what a function with `yield` returned."""

    def __init__(self, result: Any) -> None:
        super().__init__("" if result is None else str(result), "StopIteration", () if result is None else (result,))


class NoKey(WithValue):
    """A dict or set has no such key."""

    def __init__(self, key: Any, hint: str = "") -> None:
        super().__init__(repr(key), "KeyError", (key,), hint)


def suggestion(name: str, known: Iterable[str], prefix: str = "") -> str:
    """ "Did you mean 'tanh'?", or ""."""
    letters = set(name)
    # difflib is slow over the hundreds of names of torch: names of another length or of other letters go first.
    alike = [
        other
        for other in known
        if abs(len(other) - len(name)) <= 3 and len(letters.intersection(other)) * 2 > len(letters)
    ]
    # Letters that changed places are the commonest slip, of which difflib knows nothing: 'tahn' is 'tanh', not 'tan'.
    swapped = [other for other in alike if sorted(other) == sorted(name)]
    # Large letters for small ones: of Relu, ReLU is meant and not relu.
    cased = [other for other in known if other.lower() == name.lower()]
    close = sorted(cased, key=lambda other: other[:1] != name[:1])[:1]
    close = close or difflib.get_close_matches(name, swapped or alike, n=1, cutoff=0.6)
    return f"Did you mean '{prefix}{close[0]}'?" if close else ""


def guarded(code: Code, node: ast.AST) -> Code:
    """Code that gives its errors their place in the source."""

    def run(frame: Any) -> Any:
        try:
            return code(frame)
        except GradvizError as error:
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None

    return run
