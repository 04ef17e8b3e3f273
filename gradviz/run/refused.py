"""What a script may not do: it ends the run, with one sentence."""

from __future__ import annotations


class Refused(BaseException):
    """The script reaches for something that no script may have.

    It is no `Exception`, so that no `except Exception` of the script takes it for an ordinary error.

    Attributes:
        message: one sentence: what is refused.
        hint: what to do instead, or "".
        line: of the script, from 1, where it is known before the script runs.
        offset: in that line, from 0, in bytes of UTF-8.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line: int | None = None
        self.offset: int | None = None


class NotImported(ModuleNotFoundError):
    """A module that no script here can import.

    Python's own error, since scripts ask by it whether a module is there; where nobody catches it, `execute` says that
    the built-in engine does not have it.
    """


NotImported.__module__, NotImported.__name__, NotImported.__qualname__ = "builtins", *["ModuleNotFoundError"] * 2
