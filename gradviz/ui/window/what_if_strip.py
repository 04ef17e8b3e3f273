"""Above the graph while a what-if is drawn: which numbers are other than in the run, and the way back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout

from gradviz.changes import Change, Spot, number_at
from gradviz.playback.words import in_brackets, label, number_text, place_text
from gradviz.recording import Recording
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.session.document import Supposed

SAME_OPS = "Same operations, other numbers: if, loops, random draws and optimizer steps are not run again."
COMPUTING = "Computing what follows…"
_ROOMY_PX = 480
MOST_NAMED = 3
"""Changes, and nodes that keep the numbers of the run, that are named."""


class WhatIfStrip(QFrame):
    """One sentence on what is changed, one on what is not computed again, and a button.

    Attributes:
        words: what is changed.
        notes: what else is to be known.
        back: the button.

    Signals:
        back_requested: the button was pressed.
    """

    back_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._said = ""
        self.setObjectName("whatif")
        self.words, self.notes, self.back = plain_label(), plain_label(), QPushButton("Back to the run (Esc)")
        self.words.setObjectName("words")
        self.notes.setObjectName("notes")
        self.back.setToolTip("Take all changed numbers back (Esc or R)")
        self.back.clicked.connect(self.back_requested)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self.words)
        texts.addWidget(self.notes)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(12)
        row.addLayout(texts, 1)
        row.addWidget(self.back, 0, Qt.AlignmentFlag.AlignTop)

    def show_supposed(self, supposed: Supposed | None) -> None:
        """Show what is changed; hidden where nothing is."""
        if supposed is not None:
            self.words.setText(what_if_sentence(supposed))
            said = (broken_sentence(supposed), kept_sentence(supposed))
            self._said = " ".join(part for part in said if part)
            self._make_room()
        self.setVisible(supposed is not None)

    def show_computing(self, is_computing: bool, supposed: Supposed | None) -> None:
        """Say that what follows from a change is being computed, which takes a while in a large graph."""
        if is_computing:
            self._said = ""
            self.words.setText(COMPUTING)
            self._make_room()
            self.show()
        else:
            self.show_supposed(supposed)

    def _make_room(self) -> None:
        """In a narrow window what holds of every what-if is a tip: the graph needs the room."""
        is_roomy = self.width() >= _ROOMY_PX
        self.notes.setText(f"{self._said} {SAME_OPS}".strip() if is_roomy else self._said)
        self.notes.setVisible(is_roomy or bool(self._said))
        self.words.setToolTip("" if is_roomy else SAME_OPS)
        self.updateGeometry()  # in a strip that becomes narrow again the sentences wrap as they did before

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()


def spot_text(recording: Recording, spot: Spot) -> str:
    """What a spot is called: "x[1]", "∂L/∂h[0, 2]", or "the gradient from y to h[1]"."""
    nodes = recording.nodes
    shape = nodes[spot.node].shape
    if spot.sweep is None:
        return f"{in_brackets(label(recording, spot.node))}{place_text(shape, spot.element)}"
    if spot.slot is None:
        return f"∂L/∂{in_brackets(label(recording, spot.node))}{place_text(shape, spot.element)}"
    source = nodes[spot.node].inputs[spot.slot]
    to = f"{in_brackets(label(recording, source))}{place_text(nodes[source].shape, spot.element)}"
    return f"the gradient from {label(recording, spot.node)} to {to}"


def what_if_sentence(supposed: Supposed) -> str:
    """E.g. "What if: x[1] = 3.5 (was 2)."."""
    changes = supposed.what_if.changes
    shown = [_change_text(supposed.own, change) for change in reversed(changes[-MOST_NAMED:])]
    more = len(changes) - len(shown)
    return f"What if: {', '.join(shown)}{f', and {more} more' if more else ''}."


def _change_text(own: Recording, change: Change) -> str:
    is_single = own.nodes[change.spot.node].dtype in ("float32", "bfloat16", "float16")
    was = number_text(number_at(own, change.spot))
    # 0.1 in float32 is 0.100000001 when it is written as a float64.
    now = number_text(float(f"{change.number:.7g}") if is_single else change.number)
    return f"{spot_text(own, change.spot)} = {now} (was {was})"


def kept_sentence(supposed: Supposed) -> str:
    """What keeps the numbers of the run though something before it has changed; "" where nothing does."""
    kept = supposed.kept
    if not kept:
        return ""
    first = kept[0]
    same = [each for each in kept if each.why == first.why]
    names = ", ".join(label(supposed.own, each.node) for each in same[:MOST_NAMED])
    more = len(kept) - min(len(same), MOST_NAMED)
    others = f", and {more} more" if more else ""
    return f"As in the run stays {names}{others}: {first.why}."


def broken_sentence(supposed: Supposed) -> str:
    """Where the first NaN or infinity comes from that the run did not have; "" where there is none."""
    broken = supposed.broken
    if broken is None:
        return ""
    name = label(supposed.own, broken.node)
    what = f"The value of {name}" if broken.sweep is None else f"The gradient of {name}"
    return f"{what} is the first to be NaN or infinite."
