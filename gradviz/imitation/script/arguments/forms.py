"""The forms that functions and methods of PyTorch take, as it prints them: `(Tensor input, int dim, *, ...)`."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# Read when this is imported: a script's mistake must open no file.
_ROWS = Path(__file__).with_name("signatures.txt").read_text(encoding="utf-8").splitlines()
PART = re.compile(r", (?![^()]*\))")
"""Between two arguments; a default such as (0, 1) is one piece."""


GENERATOR = "torch.Generator"
ALWAYS = {"generator": GENERATOR, "layout": "torch.layout", "device": "torch.device"}
"""What arguments of these names are; some were recorded as taking anything."""


class Argument(NamedTuple):
    """One argument of a form."""

    kind: str
    name: str
    is_optional: bool
    is_named_only: bool
    takes_none: bool
    takes_one: bool


class Form(NamedTuple):
    """One way to call a function.

    Attributes:
        text: as PyTorch prints it.
        arguments: in order.
    """

    text: str
    arguments: tuple[Argument, ...]

    @property
    def places(self) -> int:
        """How many arguments may be given without their names."""
        return sum(not argument.is_named_only for argument in self.arguments)

    @property
    def least(self) -> int:
        """How many must be given."""
        return sum(not argument.is_optional for argument in self.arguments)


class Forms(NamedTuple):
    """All forms of a function.

    Attributes:
        spoken: its name in messages.
        is_listed: whether PyTorch lists them in its message.
    """

    spoken: str
    is_listed: bool
    all: tuple[Form, ...]


@functools.cache
def _lines() -> dict[str, tuple[str, list[str]]]:
    rows = (line.split("\t") for line in _ROWS)
    parts = ((*name.partition(":"), forms) for name, *forms in rows)
    return {name: (spoken or name.rpartition(".")[2], forms) for name, _, spoken, forms in parts}


def has_forms(name: str) -> bool:
    """Whether the forms of `torch.add` are known."""
    return name in _lines()


@functools.cache
def forms_of(name: str) -> Forms | None:
    """The forms of `torch.add` or `Tensor.add`, or None where they are not known."""
    found = _lines().get(name)
    if found is None:
        return None
    spoken, texts = found
    return Forms(spoken, not texts[0].startswith("!"), tuple(_form(text.removeprefix("!")) for text in texts))


def _form(text: str) -> Form:
    return Form(text.replace("?", "").replace("#", ""), tuple(_arguments(text[1:-1])))


def _arguments(text: str) -> Iterator[Argument]:
    is_named_only = False
    for part in PART.split(text) if text else ():
        if part == "*":
            is_named_only = True
            continue
        head, equals, default = part.partition(" = ")
        kind, _, name = head.rpartition(" ")
        takes_none = default in ("None", "()") or kind.endswith("?")
        kind = ALWAYS.get(name, kind)
        yield Argument(kind.rstrip("?#"), name, bool(equals), is_named_only, takes_none, not kind.endswith("#"))
