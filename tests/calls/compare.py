"""What two runs said of the same calls, and in what way they differ: the texts must be the same, to the letter."""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.calls.script import ENDED, MARK, REFUSED, TAKEN
from tests.programs.compare import plain

NONE = "no answer"
KIND = re.compile(r"!! (\w+(?:\.\w+)*):")


class Difference(NamedTuple):
    """A call that is answered otherwise.

    Attributes:
        way: what differs, one of `WAYS`.
        call: with the tensor that it was made on.
        ours: what gradviz said, and `theirs`, what PyTorch said.
    """

    way: str
    call: str
    ours: str
    theirs: str


REFUSES, TAKES, VALUE, CLASS, TEXT, UNSUPPORTED = (
    "right call refused",
    "wrong call taken",
    "value",
    "class of error",
    "text of error",
    "not supported",
)
WAYS = (REFUSES, VALUE, TAKES, CLASS, TEXT, UNSUPPORTED, NONE)
"""The worst first."""


def answers(printed: str) -> dict[str, str]:
    """What was said of each call."""
    pieces = plain(printed.partition("\n=== warnings\n")[0]).split(f"\n{MARK}")
    first = pieces[0].removeprefix(MARK)
    whole = [first, *pieces[1:]]
    return {call: said.rstrip("\n") for call, _, said in (piece.partition("\n") for piece in whole) if said}


def differences(ours: str, theirs: str) -> list[Difference]:
    """All calls that PyTorch answers and gradviz otherwise."""
    mine = answers(ours)
    return [
        Difference(_way(mine.get(call, NONE), said), call, mine.get(call, NONE), said)
        for call, said in answers(theirs).items()
        if mine.get(call, NONE) != said
    ]


def _way(ours: str, theirs: str) -> str:
    if ours == NONE:
        return NONE
    if ours.startswith(ENDED):
        return UNSUPPORTED
    if theirs.startswith(TAKEN):
        return VALUE if ours.startswith(TAKEN) else REFUSES
    if ours.startswith(TAKEN):
        return TAKES
    return TEXT if _kind(ours) == _kind(theirs) else CLASS


def _kind(said: str) -> str:
    found = KIND.match(said)
    return found[1] if found else REFUSED
