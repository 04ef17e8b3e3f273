"""Conditions in plain words: where to stop, and what to look for. Breakpoints and the search share them.

    norm > 1e3           of the incoming gradient dL/dy; "grad" says the same
    out norm < 1e-6      of an outgoing gradient dL/dx
    value norm > 10      of what the forward pass computed
    nan, inf             among the numbers of any of these
    shape = (3, 2)       op = mul       name = w1       line = 7       node = 3
    time = 2             of all nodes that fit the rest, the second
    forward, backward    only in this pass

Several are joined by "and". Knows words only: what fits is found in `fitting`.
"""

from __future__ import annotations

import difflib
import math
import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from gradviz.errors import ConditionError


class Subject(StrEnum):
    """What a term is about, as it is written."""

    NORM = "norm"
    OUT_NORM = "out norm"
    VALUE_NORM = "value norm"
    NAN = "nan"
    INF = "inf"
    SHAPE = "shape"
    OP = "op"
    NAME = "name"
    LINE = "line"
    NODE = "node"
    TIME = "time"
    FORWARD = "forward"
    BACKWARD = "backward"


class Term(NamedTuple):
    """One comparison, or one word.

    Attributes:
        sign: one of > < >= <= = !=, or "" for a word.
        wanted: a number, a whole number, a text or a shape, as the subject asks; "" for a word.
        shown: `wanted` as it was typed.
    """

    subject: Subject
    sign: str = ""
    wanted: float | int | str | tuple[int, ...] = ""
    shown: str = ""

    @property
    def text(self) -> str:
        """The term as it is written."""
        return f"{self.subject.value} {self.sign} {self.shown}" if self.sign else self.subject.value


Condition = tuple[Term, ...]
"""Terms that must all hold; at least one."""

WORDS = (Subject.NAN, Subject.INF, Subject.FORWARD, Subject.BACKWARD)
MEASURED = (Subject.NORM, Subject.OUT_NORM, Subject.VALUE_NORM, Subject.NAN, Subject.INF)
"""Subjects that need the numbers themselves."""

EXAMPLES = "norm > 1e3, nan, op = mul, shape = (3, 2) or line = 7"

_SAME = {
    "grad": Subject.NORM, "gradient": Subject.NORM, "in norm": Subject.NORM, "incoming": Subject.NORM,
    "dl/dy": Subject.NORM, "norm of dl/dy": Subject.NORM, "∂l/∂y": Subject.NORM, "grad norm": Subject.NORM,
    "out": Subject.OUT_NORM, "out grad": Subject.OUT_NORM, "outgoing": Subject.OUT_NORM, "dl/dx": Subject.OUT_NORM,
    "norm of dl/dx": Subject.OUT_NORM, "∂l/∂x": Subject.OUT_NORM,
    "value": Subject.VALUE_NORM, "norm of value": Subject.VALUE_NORM,
    "infinity": Subject.INF, "has nan": Subject.NAN, "has inf": Subject.INF, "operation": Subject.OP,
}  # fmt: skip
_SUBJECTS = {subject.value: subject for subject in Subject} | _SAME

_SIGNS = {
    "==": "=", "=": "=", "!=": "!=", "≠": "!=", ">=": ">=", "≥": ">=", "<=": "<=", "≤": "<=", ">": ">", "<": "<",
    "is not": "!=", "is": "=", "equals": "=", "above": ">", "over": ">", "below": "<", "under": "<",
}  # fmt: skip
_COMPARED = re.compile(r"(?P<left>.*?)\s*(?P<sign>==|!=|>=|<=|[=≠≥≤<>])\s*(?P<right>.*)", re.DOTALL)
_IN_WORDS = re.compile(
    rf"(?P<left>{'|'.join(map(re.escape, sorted(_SUBJECTS, key=len, reverse=True)))})"
    r"\s+(?P<sign>is not|is|equals|above|over|below|under)\b\s*(?P<right>.*)",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?:(?P<line>line\s*|:)|(?P<node>node\s*|#))(?P<number>\d+)", re.IGNORECASE)
_BRACKETED = re.compile(r"(?:shape\s*)?(?P<shape>[(\[][\d\s,]*[)\]])", re.IGNORECASE)
_SHAPE = re.compile(r"\s*[(\[]?\s*(?P<sides>\d+(?:\s*[,x×]\s*\d+)*)?\s*,?\s*[)\]]?\s*")
_ONLY_EQUAL = (Subject.SHAPE, Subject.OP, Subject.NAME)
_WHOLE = (Subject.LINE, Subject.NODE, Subject.TIME)


@lru_cache(maxsize=256)
def parse(text: str) -> Condition:
    """Read a condition.

    Raises:
        ConditionError: it is none; one sentence that says what to write instead.
    """
    if not text.strip():
        raise ConditionError(f"The condition is empty: write for example {EXAMPLES}.")
    terms = tuple(_term(part.strip()) for part in re.split(r"\s+(?:and|&&?)\s+", text.strip(), flags=re.IGNORECASE))
    if all(term.subject in (Subject.TIME, Subject.FORWARD, Subject.BACKWARD) for term in terms):
        raise ConditionError(f"'{text.strip()}' fits everything: say what to look for, for example {EXAMPLES}.")
    return terms


def text_of(condition: Condition) -> str:
    """A condition as it is written; equal for conditions that mean the same terms in the same order."""
    return " and ".join(term.text for term in condition)


def is_condition(text: str) -> bool:
    """Whether a text that is looked for is meant as a condition, not as a part of a name."""
    word = " ".join(text.lower().split())
    is_word = _SUBJECTS.get(word) in (Subject.NAN, Subject.INF)
    found = _COMPARED.fullmatch(word) or _IN_WORDS.fullmatch(word) or _SHORT.fullmatch(word)
    return is_word or bool(found or _BRACKETED.fullmatch(word))


def _term(text: str) -> Term:
    if short := _SHORT.fullmatch(text):
        subject = Subject.LINE if short["line"] else Subject.NODE
        return Term(subject, "=", int(short["number"]), short["number"])
    if bracketed := _BRACKETED.fullmatch(text):
        return _compared(Subject.SHAPE, "=", bracketed["shape"])
    found = _COMPARED.fullmatch(text) or _IN_WORDS.fullmatch(text)
    left = " ".join((found["left"] if found else text).lower().split())
    subject_or_none = _SUBJECTS.get(left)
    if subject_or_none is None:
        raise ConditionError(_unknown(found["left"] if found else text))
    if found is None:
        return _word(subject_or_none, text)
    return _compared(subject_or_none, _SIGNS[found["sign"].lower()], found["right"].strip())


def _word(subject: Subject, text: str) -> Term:
    if subject not in WORDS:
        example = f"= {_EXAMPLE[subject]}" if subject in _EXAMPLE else "> 1e3"
        raise ConditionError(f"'{text}' is compared with nothing: write for example {subject.value} {example}.")
    return Term(subject)


def _unknown(word: str) -> str:
    if not word.strip():
        return f"The comparison has nothing on its left: write for example {EXAMPLES}."
    close = difflib.get_close_matches(word.strip().lower(), list(_SUBJECTS), 1, 0.6)
    meant = f" Did you mean '{close[0]}'?" if close else ""
    return (
        f"'{word.strip()}' is not known here: use norm, out norm, value norm, nan, inf, shape, op, name or line.{meant}"
    )


_EXAMPLE = {
    Subject.SHAPE: "(3, 2)", Subject.OP: "mul", Subject.NAME: "w1", Subject.LINE: "7", Subject.NODE: "3",
    Subject.TIME: "2",
}  # fmt: skip


def _compared(subject: Subject, sign: str, right: str) -> Term:
    if subject in WORDS:
        raise ConditionError(f"'{subject.value}' stands alone: it is not compared with anything.")
    if not right:
        example = _EXAMPLE.get(subject, "1e3")
        raise ConditionError(
            f"After '{subject.value} {sign}' comes a value, for example {subject.value} {sign} {example}."
        )
    if subject in _ONLY_EQUAL and sign not in ("=", "!="):
        raise ConditionError(f"'{subject.value}' is compared with = or !=, not with {sign}.")
    if subject is Subject.TIME and sign != "=":
        raise ConditionError("'time' is compared with = only: time = 2 is the second node that fits the rest.")
    if subject is Subject.OUT_NORM and sign in ("=", "!="):
        raise ConditionError("'out norm' is compared with > or <, since a node may send several gradients.")
    if subject is Subject.SHAPE:
        return Term(subject, sign, _shape(right), right)
    if subject in _WHOLE:
        return Term(subject, sign, _whole(subject, right), right)
    if subject in MEASURED:
        return Term(subject, sign, _number(subject, sign, right), right)
    name = right.strip("'\"")
    return Term(subject, sign, name, name)


def _shape(text: str) -> tuple[int, ...]:
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise ConditionError(f"'{text}' is no shape: write it as in shape = (3, 2), and () for a single number.")
    return tuple(int(side) for side in re.findall(r"\d+", found["sides"] or ""))


def _whole(subject: Subject, text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text):
        raise ConditionError(f"'{text}' is no whole number: write it as in {subject.value} = {_EXAMPLE[subject]}.")
    return int(text)


def _number(subject: Subject, sign: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ConditionError(f"'{text}' is no number: write it as in {subject.value} {sign} 1e3.") from None
    if math.isnan(number):
        raise ConditionError("Nothing compares with NaN: write nan alone to find it.")
    return number
