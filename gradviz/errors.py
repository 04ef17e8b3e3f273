"""The errors that gradviz shows to people.

    GradvizError              one sentence: what, and what to do
    ├── TorchError            PyTorch's own message, for what PyTorch refuses too
    ├── ScriptError           the script uses something gradviz does not read
    │   └── LimitError        the script asks for more steps, memory or depth than is allowed
    ├── Cancelled             the user pressed Stop
    ├── Unanswered            a finished run cannot answer what it is asked
    ├── FormatError           a file that is not what its name says
    │   └── UnsupportedVersionError
    ├── ConditionError        a search or a breakpoint that cannot be read
    ├── GraphError            a graph that breaks a rule of the recording (a cycle, a wrong shape)
    └── LayoutError           a layout engine failed or took too long

Only these are shown as a message. Anything else that escapes is a bug and is reported as one.
"""

from __future__ import annotations

import re

MOST_SHOWN = 3_200
"""Characters of an error that are shown: a page of 40 lines."""

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys and does not show, and what turns letters round; not a tab or the end of a line."""


def shown(text: str) -> str:
    """Words from elsewhere as they are shown to people: a page at most, and nothing in them that a screen obeys."""
    seen = _UNSEEN.sub(_as_text, text[:MOST_SHOWN].replace("\r\n", "\n"))
    return seen if max(len(seen), len(text)) <= MOST_SHOWN else f"{seen[: MOST_SHOWN - 2]} …"


def _as_text(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class GradvizError(Exception):
    """One sentence for the user, with its place where it has one.

    Attributes:
        message: what is wrong; no trailing place. As `shown` leaves it.
        hint: what to do about it, or "" where the message says so itself; likewise.
        line: line in the source, from 1, or None.
        column: column in that line, from 1, or None.
    """

    def __init__(self, message: str, *, hint: str = "", line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = shown(message)
        self.hint = shown(hint)
        self.line = line
        self.column = column

    @property
    def headline(self) -> str:
        """The message as it is shown first; a subclass may put the kind of error before it."""
        return self.message

    def one_line(self, file: str = "") -> str:
        """The whole error on one line: `file:line:column: what, and what to do`."""
        place = ":".join(str(part) for part in (file, self.line, self.column) if part not in ("", None))
        text = " ".join(self.headline.split())
        if self.hint:
            text = f"{text}{'' if text[-1:] in '.!?' else '.'} {self.hint}"
        return _UNSEEN.sub(_as_text, f"{place}: {text}" if place else text)


class TorchError(GradvizError):
    """What PyTorch refuses as well, in PyTorch's words.

    Attributes:
        kind: the exception's name in PyTorch, e.g. "RuntimeError".
    """

    def __init__(self, message: str, *, kind: str = "RuntimeError", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.kind = kind

    @property
    def headline(self) -> str:
        return f"{self.kind}: {self.message}"


class ScriptError(GradvizError):
    """The script uses something that gradviz does not read or run."""


class LimitError(ScriptError):
    """The script asks for more steps, elements or depth than is allowed."""


class Cancelled(GradvizError):
    """The user stopped the work."""


class Unanswered(GradvizError):
    """What a finished run was asked has no answer: a rule does not take what was recorded, or a value was not kept."""


class FormatError(GradvizError):
    """A file that cannot be read as what it says it is."""

    def one_line(self, file: str = "") -> str:
        """As for all, but a file that the message names already is not named twice."""
        return super().one_line("" if file in self.message else file)


class UnsupportedVersionError(FormatError):
    """A file of a version that this gradviz does not read."""


class ConditionError(GradvizError):
    """What was typed is no condition that a search or a breakpoint can have."""


class GraphError(GradvizError):
    """A graph that breaks a rule of the recording."""


class LayoutError(GradvizError):
    """A layout engine failed, is missing, or took too long."""
