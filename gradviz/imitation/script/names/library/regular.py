"""`re`: regular expressions, kept to patterns and texts that are searched in a bounded time.

Python's own search cannot be stopped, and a nested repeat can take for ever. So the steps that a search may need are
reckoned before it: the length of the text to the power of the number of repeats.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Iterable
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any

from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import builtin_class, refusal, with_machine
from gradviz.imitation.script.readers import READERS, fields
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Class, Namespace, Native, type_name

MOST_STEPS = 300_000_000
LONGEST_PATTERN = 500
LONGEST_OF_NESTED = 24
NO_PATTERN = re.error.__name__
"""What the error for a pattern is called: PatternError since Python 3.13."""
"""A repeat inside a repeat may try every way to cut a text: so long may the text be."""

FLAGS = ("A", "ASCII", "DOTALL", "I", "IGNORECASE", "M", "MULTILINE", "S", "U", "UNICODE", "VERBOSE", "X", "NOFLAG")
SEARCHES = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn")
OF_MATCH = ("group", "groups", "groupdict", "start", "end", "span", "expand")
FIELDS = {
    re.Pattern: ("pattern", "flags", "groups", "groupindex"),
    re.Match: ("string", "pos", "endpos", "lastgroup", "lastindex", "re", "regs"),
}  # fmt: skip


class Cost:
    """What a search may take.

    Attributes:
        repeats: over which the text can be shared out, one inside another not counted.
        is_nested: whether a repeat holds something that can match in several ways.
    """

    def __init__(self, flags: int) -> None:
        self.repeats = 1.0
        self.is_nested = False
        self.is_settled = False
        self._flags = flags

    def of_row(self, items: Iterable[Any], after: list[Any], is_inside: bool) -> float:
        """Over how many repeats a text can be shared out in a row of items, told what follows the row."""
        row = _row(items)
        whole = [*row, *after]
        return sum(self._of_item(whole, place, is_inside) for place in range(len(row)))

    def _of_item(self, row: list[Any], place: int, is_inside: bool) -> float:
        op, argument = row[place]
        name, after = str(op), row[place + 1 :]
        if name.endswith("REPEAT"):
            return self._of_repeat(row, place, is_inside)
        if name == "BRANCH":
            self.is_nested |= is_inside and not _are_apart(argument[1], self._flags)
            return max(self.of_row(part, after, is_inside) for part in argument[1])
        return sum(self.of_row(part, [], is_inside) for part in _parts(name, argument))

    def _of_repeat(self, row: list[Any], place: int, is_inside: bool) -> float:
        op, (least, most, part) = row[place]
        if _is_settled(row, place, self._flags):
            self.is_settled = True
            return 0.0
        self.is_nested |= is_inside and least != most
        if most == 1:
            return 0.25 + self.of_row(part, row[place + 1 :], is_inside)
        again = (op, (0, most, part))  # what follows a round: another, or what stands after them all
        return 1.0 + self.of_row(part, [again, *row[place + 1 :]], True)


@functools.lru_cache(maxsize=500)
def cost(pattern: str, flags: int) -> Cost:
    """The cost of a pattern that Python can read."""
    found = Cost(flags)
    found.repeats += found.of_row(_parser.parse(pattern, flags), [], False)
    found.repeats += found.is_settled
    return found


def _row(items: Iterable[Any]) -> list[Any]:
    """What is matched in a row, groups opened."""
    row: list[Any] = []
    for item in items:
        row += _row(item[1][-1]) if str(item[0]) == "SUBPATTERN" else [item]
    return row


def _is_settled(row: list[Any], place: int, flags: int) -> bool:
    """Whether a repeat of one character ends where it must: what follows it cannot begin with such a character.

    All such repeats together take as long as one look at the text, however many there are.
    """
    own = _repeated(row[place], flags)
    if own is None:
        return False
    for item in row[place + 1 :]:
        first, can_be_empty = _first(item, flags)
        if first is None or not own.isdisjoint(first):
            return str(item[0]) == "AT" and str(item[1]) == "AT_END" and "\n" not in own
        if not can_be_empty:
            return True
    return True


def _first(item: Any, flags: int) -> tuple[frozenset[str] | None, bool]:
    """The characters that an item can begin with, None where they are not known, and whether it can match nothing."""
    op, argument = item
    name = str(op)
    if name in WIDE_ONE:
        return _characters(item, flags), False
    if name.endswith("REPEAT"):
        first, can_be_empty = _first_of_row(argument[2], flags)
        return first, can_be_empty or argument[0] == 0
    if name == "BRANCH":
        firsts = [_first_of_row(part, flags) for part in argument[1]]
        known = [first for first, _ in firsts if first is not None]
        every = frozenset().union(*known) if len(known) == len(firsts) else None
        return every, any(can_be_empty for _, can_be_empty in firsts)
    return None, True


def _first_of_row(items: Iterable[Any], flags: int) -> tuple[frozenset[str] | None, bool]:
    every: frozenset[str] = frozenset()
    for item in _row(items):
        first, can_be_empty = _first(item, flags)
        if first is None:
            return None, True
        every |= first
        if not can_be_empty:
            return every, False
    return every, True


def _are_apart(parts: Iterable[Any], flags: int) -> bool:
    """Whether the first character tells which of several parts is matched."""
    seen: frozenset[str] = frozenset()
    for part in parts:
        first, can_be_empty = _first_of_row(part, flags)
        if first is None or can_be_empty or not seen.isdisjoint(first):
            return False
        seen |= first
    return True


WIDE_ONE = ("LITERAL", "NOT_LITERAL", "IN", "ANY")
"""What matches one character."""


def _repeated(item: Any, flags: int) -> frozenset[str] | None:
    """The characters that a repeat of one character takes, or None for anything else."""
    op, argument = item
    if not str(op).endswith("REPEAT"):
        return None
    part = _row(argument[2])
    return _characters(part[0], flags) if len(part) == 1 and str(part[0][0]) in WIDE_ONE else None


def _characters(item: Any, flags: int) -> frozenset[str]:
    """The characters that an item of the pattern matches; of those beyond the usual plane all, where it names one."""
    key = repr(item), flags
    if key in KNOWN:
        return KNOWN[key]
    state = _parser.State()  # one of its own: it has no groups
    state.flags, state.str = flags, ""
    found = frozenset(_compiler.compile(_parser.SubPattern(state, [item]), flags).findall(USUAL))
    is_beyond = any(isinstance(part, int) and part > len(USUAL) for part in _numbers(item))
    if len(KNOWN) >= MOST_KNOWN:
        KNOWN.clear()
    KNOWN[key] = frozenset(USUAL) if is_beyond else found
    return KNOWN[key]


MOST_KNOWN = 200
KNOWN: dict[tuple[str, int], frozenset[str]] = {}
"""What items of patterns match, by their form and flags: a look through all characters takes a while."""


def _numbers(item: Any) -> Iterable[Any]:
    pending = [item]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple | list):
            pending += part
        else:
            yield part


USUAL = "".join(map(chr, range(0x10000)))


def _parts(name: str, argument: Any) -> list[Any]:
    """What stands inside a group, a look ahead or a choice by group."""
    if name in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
        return [argument[-1]]
    if name == "ATOMIC_GROUP":
        return [argument]
    return [part for part in argument[1:] if part is not None] if name == "GROUPREF_EXISTS" else []


def compiled(machine: Machine, pattern: Any, flags: int = 0) -> re.Pattern[str]:
    """A pattern.

    Raises:
        TorchError: `re.error` in Python's words, or no text.
        LimitError: a very long one.
    """
    if isinstance(pattern, re.Pattern):
        return pattern
    if not isinstance(pattern, str):
        raise TorchError("first argument must be string or compiled pattern", kind="TypeError")
    if len(pattern) > LONGEST_PATTERN:
        raise LimitError(f"a pattern of {len(pattern):,} characters is too long", hint="Use a shorter one.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern, int(flags))
    except (re.error, OverflowError, RecursionError) as error:
        raise TorchError(str(error), kind=NO_PATTERN) from None


def _allowed(machine: Machine, pattern: re.Pattern[str], text: Any) -> None:
    if not isinstance(text, str):
        raise TorchError(f"expected string or bytes-like object, got '{type_name(text)}'", kind="TypeError")
    price = cost(pattern.pattern, pattern.flags)
    machine.spend(1 + len(text) // 100)
    if (price.is_nested and len(text) > LONGEST_OF_NESTED) or (len(text) + 1) ** price.repeats > MOST_STEPS:
        raise LimitError(
            f"the pattern {pattern.pattern!r} may take very long on a text of {len(text):,} characters",
            hint="Use a shorter text, or a pattern with fewer repeats.",
        )


FLAGS_AFTER = {name: 2 if name in ("split", "sub", "subn") else 1 for name in SEARCHES}
"""How many arguments stand from the text to the flags of a function of the module; a pattern's methods have none."""


def _searched(name: str, *, is_method: bool = False) -> Callable[..., Any]:
    def run(machine: Machine, pattern: Any, *arguments: Any, flags: int = 0, **named: Any) -> Any:
        given = list(arguments)
        at = 1 if name in ("sub", "subn") else 0
        if not is_method:
            place = at + FLAGS_AFTER[name]
            flags = given.pop(place) if len(given) == place + 1 else flags
        found = compiled(machine, pattern, flags)
        if "string" in named:
            given.insert(at, named.pop("string"))
        if "repl" in named:
            given.insert(0, named.pop("repl"))
        if len(given) <= at:
            raise TorchError(f"{name}() missing required argument 'string' (pos {at + 2})", kind="TypeError")
        _allowed(machine, found, given[at])
        if at:
            given[0] = _replacement(machine, given[0])
        try:
            made = getattr(found, name)(*given, **named)
        except (re.error, IndexError) as error:
            raise TorchError(str(error), kind=NO_PATTERN) from None
        return iter(list(made)) if name == "finditer" else made

    return run


def _replacement(machine: Machine, repl: Any) -> Any:
    return repl if isinstance(repl, str) else lambda match: machine.call(repl, (match,), {})


def _of_pattern(machine: Machine, owner: re.Pattern[str], name: str) -> Any:
    if name in SEARCHES:
        run = _searched(name, is_method=True)
        return Native(name, lambda *arguments, **named: run(machine, owner, *arguments, **named))
    return _field(owner, name) if name in FIELDS[re.Pattern] else NOTHING


def _of_match(machine: Machine, owner: re.Match[str], name: str) -> Any:
    if name in OF_MATCH:
        return Native(name, getattr(owner, name))
    return _field(owner, name) if name in FIELDS[re.Match] else NOTHING


def _field(owner: Any, name: str) -> Any:
    value = getattr(owner, name)
    return dict(value) if name == "groupindex" else value


READERS[re.Pattern] = _of_pattern
READERS[re.Match] = _of_match
READERS[re.RegexFlag] = fields("name", "value")


def module(machine: Machine) -> Namespace:
    """The names."""
    known = machine.state["exceptions"]
    known[NO_PATTERN] = Class(NO_PATTERN, (known["Exception"],), {}, module="re")
    members: dict[str, Any] = {name: getattr(re, name) for name in FLAGS}
    members |= with_machine({name: _searched(name) for name in SEARCHES} | {"compile": compiled})
    members |= {
        "escape": Native("escape", re.escape), "error": known[NO_PATTERN],
        NO_PATTERN: known[NO_PATTERN],
        "purge": refusal("re.purge", "Leave it out."),
        "Pattern": builtin_class(machine, re.Pattern, "re", _not_made),
        "Match": builtin_class(machine, re.Match, "re", _not_made),
    }  # fmt: skip
    return Namespace("re", members)


def _not_made(machine: Machine, *_: Any, **__: Any) -> None:
    raise TorchError("cannot create instances of this type", kind="TypeError", hint="Use re.compile(...).")
