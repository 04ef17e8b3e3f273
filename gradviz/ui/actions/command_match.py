"""Which commands fit some words, and how well. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Command(NamedTuple):
    """One thing that can be done.

    Attributes:
        key: what it is remembered by; not shown.
        category: the menu it stands in, "Play" or "View › Theme".
        text: its words.
        keys: its shortcuts as text, "F10, Right", or "".
        tip: what it does, in a sentence.
        is_enabled: whether it can be done now.
    """

    key: str
    category: str
    text: str
    keys: str = ""
    tip: str = ""
    is_enabled: bool = True


class Match(NamedTuple):
    """A command that fits.

    Attributes:
        letters: which letters of its text were matched.
    """

    command: Command
    letters: frozenset[int] = frozenset()


_OFF = 1.5
"""How much farther what cannot be done now is."""
_WORD, _INSIDE, _OTHER, _SPREAD = 0, 1, 3, 6
"""How far a word is from what was typed: it begins a word of the text, is inside one, stands elsewhere, is spread."""


def ranked(commands: Sequence[Command], query: str, recent: Sequence[str]) -> list[Match]:
    """The commands that fit every word of the query, best first; without a query all, those used lately first."""
    lately = {key: place for place, key in enumerate(recent)}
    words = query.lower().split()
    found: list[tuple[float, int, int, Match]] = []
    for place, command in enumerate(commands):
        fits = [_distance(command, word) for word in words]
        known = [fit for fit in fits if fit is not None]
        if len(known) == len(fits):
            letters = frozenset(letter for _, matched in known for letter in matched)
            cost = sum(distance for distance, _ in known) + 0.01 * len(command.text)
            cost += 0.0 if command.is_enabled else _OFF
            rank = lately.get(command.key, len(lately))
            found.append((cost if words else 0.0, rank, place, Match(command, letters)))
    if words:
        # Of equally good ones the one used lately, but a better fit is a better fit.
        found.sort(key=lambda entry: (round(entry[0] - (0.4 if entry[1] < len(lately) else 0.0), 2), *entry[1:3]))
    else:
        found.sort(key=lambda entry: entry[1:3])
    return [match for *_, match in found]


def _distance(command: Command, word: str) -> tuple[float, frozenset[int]] | None:
    """How far a word is from a command, and the letters of the text that it matches; None where it does not fit."""
    text = command.text.lower()
    starts = [0, *(i + 1 for i, letter in enumerate(text) if not letter.isalnum())]
    for start in starts:
        if text.startswith(word, start):
            return _WORD + 0.02 * start, frozenset(range(start, start + len(word)))
    inside = text.find(word)
    if inside >= 0:
        return _INSIDE + 0.02 * inside, frozenset(range(inside, inside + len(word)))
    if word in command.category.lower() or word in command.tip.lower() or word in command.keys.lower():
        return _OTHER, frozenset()
    spread = _spread(text, word)
    return None if spread is None else (_SPREAD + 0.1 * (spread[-1] - spread[0]), frozenset(spread))


def _spread(text: str, word: str) -> list[int] | None:
    """The letters of a word in their order and not far apart, the first of them at the start of a word of the text."""
    starts = [0, *(i + 1 for i, letter in enumerate(text) if not letter.isalnum())]
    best: list[int] | None = None
    for start in starts:
        places: list[int] = []
        at = start
        for letter in word:
            at = text.find(letter, at) if places or text.startswith(letter, at) else -1
            if at < 0:
                break
            places.append(at)
            at += 1
        is_near = len(places) == len(word) and places[-1] - start <= 2 * len(word) + 2
        if is_near and (best is None or places[-1] - places[0] < best[-1] - best[0]):
            best = places
    return best
