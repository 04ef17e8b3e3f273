"""What a lesson says while it is stepped through: sentences tied to nodes, read from the file beside its script.

The file is TOML. `question` is what the lesson asks, `[forward]` and `[backward]` hold a sentence for each box, by its
label; `[call.2]` holds those of the second backward call alone, and "end" is said when a call is done. Of a label that
several boxes have, a list has the sentences in their order. `predict` names the boxes whose gradients are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gradviz.errors import FormatError
from gradviz.playback.track import Track
from gradviz.playback.words import label

END = "end"
"""Where the sentence stands that is said after the last step."""
_KEYS = ("group", "question", "predict", "forward", "backward", "call")

Said = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Guide:
    """The sentences of one lesson.

    Attributes:
        question: said until the first step that has a sentence.
        forward: sentences by the label of the box that gets its value.
        backward: sentences by the label of the box whose backward runs.
        calls: by the number of a backward call, from 1, sentences that take the place of those in `backward`.
        predict: labels of the boxes whose gradients are asked for; empty for all.
    """

    question: str = ""
    forward: Said = field(default_factory=dict)
    backward: Said = field(default_factory=dict)
    calls: Mapping[int, Said] = field(default_factory=dict)
    predict: tuple[str, ...] = ()

    def sentence(self, track: Track, position: int) -> str:
        """What is said at a position: the sentence of the latest step that has one, else the question.

        Where forward ends and backward has not begun, it is the question again.
        """
        if position == track.turn:
            return self.question
        if position < track.turn:
            found = _latest(track, track.forward[:position], self.forward)
        else:
            steps = tuple(step.node for step in track.steps[: position - track.turn])
            said = {**self.backward, **self.calls.get((track.sweep or 0) + 1, {})}
            end = said.get(END, ())
            found = end[0] if end and position == track.length else _latest(track, steps, said)
        return found or self.question

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label that it names."""
        said = (self.forward, self.backward, *self.calls.values())
        return tuple(name for each in said for name in each if name != END) + self.predict


def _latest(track: Track, nodes: tuple[int, ...], said: Said) -> str:
    """The sentence of the last of the nodes that has one; "" where none has."""
    seen: Counter[str] = Counter()
    found = ""
    for node in nodes:
        name = label(track.recording, node)
        sentences = said.get(name, ())
        if len(sentences) == 1:
            found = sentences[0]
        elif seen[name] < len(sentences):
            found = sentences[seen[name]]
        seen[name] += 1
    return found


def read_guide(text: str) -> Guide:
    """The guide in the text of its file.

    Raises:
        FormatError: it is no TOML, or has something that no guide has.
    """
    import tomllib  # late: the start page needs none

    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"the file beside the lesson is no TOML: {error}") from None
    unknown = [key for key in read if key not in _KEYS]
    if unknown:
        raise FormatError(f'a lesson has no "{unknown[0]}"; it may have {", ".join(_KEYS)}')
    calls = read.get("call", {})
    if not isinstance(calls, dict) or not all(number.isdecimal() for number in calls):
        raise FormatError("the backward calls of a lesson go by their numbers, as in [call.2]")
    question, predict = read.get("question", ""), read.get("predict", [])
    if not isinstance(question, str) or not _is_texts(predict):
        raise FormatError("the question of a lesson is one text, and predict is a list of labels")
    return Guide(
        question,
        _said(read.get("forward", {})),
        _said(read.get("backward", {})),
        {int(number): _said(table) for number, table in calls.items()},
        tuple(predict),
    )


def _said(table: Any) -> Said:
    said = {name: [text] if isinstance(text, str) else text for name, text in _table(table).items()}
    if not all(_is_texts(texts) for texts in said.values()):
        raise FormatError("beside each label of a lesson stands a sentence, or a list of sentences")
    return {name: tuple(texts) for name, texts in said.items()}


def _table(table: Any) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise FormatError("the sentences of a lesson stand in tables, as in [backward]")
    return table


def _is_texts(texts: Any) -> bool:
    return isinstance(texts, list) and all(isinstance(text, str) for text in texts)
