"""What the inputs and the result of an op are called: as the script calls them, else "in" and "out".

The table of rules has letters of its own, y = a · b. Shown as they are they would be taken for the script's variables.
Knows no Qt.
"""

from __future__ import annotations

import re
import weakref
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from gradviz.playback.words import label, visible
from gradviz.recording import CONSTANT, Node, Recording

OUT = ("out", "result", "output", "what comes out")
"""What a result without a name is called: the first that is no variable of the script."""
NAME_LIMIT = 16
"""Characters of a script's name up to which it stands in a formula."""
PARAMETER_LETTERS = {
    "exponent": "n", "negative_slope": "α", "delta": "δ", "alpha": "α", "beta": "β", "lambd": "λ",
}  # fmt: skip
"""What a formula calls a parameter, where its name is longer than people write."""

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_NAMES: dict[int, _Names] = {}


class _Names(NamedTuple):
    """What is known of the names of a recording: those of the script, and by node those of its inputs."""

    script: frozenset[str]
    inputs: dict[int, tuple[str, ...]]


def _names(recording: Recording) -> _Names:
    key = id(recording)
    if key not in _NAMES:
        _NAMES[key] = _Names(frozenset([node.name for node in recording.nodes if node.name]), {})
        weakref.finalize(recording, _NAMES.pop, key, None)
    return _NAMES[key]


def script_names(recording: Recording) -> frozenset[str]:
    """Every name that the script gave to a tensor, computed once per recording."""
    return _names(recording).script


def output_name(recording: Recording, node: Node) -> str:
    """What the result is called in its rule: the script's name, else a word that is none of the script's."""
    if node.name and _may_stand(recording, node)[node.name]:
        return visible(node.name)
    taken = script_names(recording)
    return next((word for word in OUT if word not in taken), OUT[-1])


def input_names(recording: Recording, node: Node) -> tuple[str, ...]:
    """What each input is called in the rule, by slot: "x" and "w"; "in" for one without a name, else "in₁" and "in₂".

    A number that the script wrote, the 2 of 2 * x, is that number. A name that two of them have, or one and the result,
    or a parameter of the op, would not tell which is meant.
    """
    known = _names(recording).inputs
    if node.id not in known:
        known[node.id] = _input_names(recording, node)
    return known[node.id]


def _input_names(recording: Recording, node: Node) -> tuple[str, ...]:
    allowed = _may_stand(recording, node)
    own = [recording.nodes[source].name for source in node.inputs]
    names = [visible(name) if name and allowed[name] else "" for name in own]
    for slot, source in enumerate(node.inputs):
        if not own[slot] and recording.nodes[source].op == CONSTANT and not recording.nodes[source].shape:
            number = label(recording, source)
            names[slot] = f"({number})" if number.startswith("−") else number
    is_alone = names.count("") == 1
    return tuple(
        [name or ("in" if is_alone else f"in{slot + 1}".translate(_SUBSCRIPTS)) for slot, name in enumerate(names)]
    )


def _may_stand(recording: Recording, node: Node) -> Mapping[str, bool]:
    """The script's names of a node and its inputs, and whether each can stand in the formula."""
    every = [recording.nodes[source].name for source in node.inputs] + [node.name]
    words = {PARAMETER_LETTERS.get(name, name) for name in node.params} | {"n"}
    count = Counter(name for name in every if name)
    return {name: times == 1 and len(name) <= NAME_LIMIT and name not in words for name, times in count.items()}


_RAISED = str.maketrans("ˣᵃᵇ", "xab")
_POWER = re.compile(r"⁻([ˣᵃᵇ])|([ˣᵃᵇ])")


def in_words_of(text: str, names: Mapping[str, str]) -> str:
    """A text of the table with the letters exchanged: "y = a · b" as "out = x · w", "y = eˣ" as "out = e^in".

    Args:
        names: what each letter or word of the table is called.
    """
    if not names:
        return text
    text = _POWER.sub(_raised, text)
    words = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.sub(rf"(?<![A-Za-z0-9_'’])({words})(?![A-Za-z0-9_'’])", lambda found: names[found[1]], text)


def _raised(found: re.Match[str]) -> str:
    letter = (found[1] or found[2]).translate(_RAISED)
    return f"^(−{letter})" if found[1] else f"^{letter}"
