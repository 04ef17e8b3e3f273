"""The steps to the positions beside the present one, drawn before they are asked for.

Between two steps a window has nothing to do. What a step will change on the screen is known by then, so its parts are
drawn and kept, and the step itself only lays them down. The way back is what was there before.
"""

from __future__ import annotations

from typing import NamedTuple

from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.kept import Change
from gradviz.ui.canvas.scene.moment import Frame


class Shown(NamedTuple):
    """What a position looks like besides the picture.

    Attributes:
        marks: what lies over the picture.
        words: the same for those who do not see it.
    """

    position: int
    marks: list[Mark]
    words: str


class Step(NamedTuple):
    """A step that has been drawn: to a position at rest, from another one or from the way to it."""

    start: Shown
    end: Shown
    change: Change

    def undone(self) -> Step:
        """The way back."""
        return Step(self.end, self.start, self.change.undone())


class Ahead:
    """The steps that have been drawn from the present frame, by where they go; None for one not worth it."""

    def __init__(self) -> None:
        self._frame: Frame | None = None
        self._steps: dict[int, Step | None] = {}
        self._spent: dict[int, Step | None] = {}

    def to(self, position: int) -> Step | None:
        """The step to a position, or None."""
        return self._steps.get(position)

    def missing(self, positions: list[int]) -> list[int]:
        """Those to which no step has been drawn."""
        return [position for position in positions if position not in self._steps]

    def add(self, position: int, step: Step | None) -> None:
        """Keep a step."""
        self._spent = {}
        self._steps[position] = step

    def take(self, step: Step) -> None:
        """The step has been made: only the way back is known.

        The others are kept until another is drawn: to free their images takes a tenth of a step.
        """
        self._spent = self._steps
        is_whole = step.start.position != step.end.position
        self._frame = step.change.after.frame
        self._steps = {step.start.position: step.undone()} if is_whole else {}

    def keep_from(self, frame: Frame) -> None:
        """Drop the steps from another frame."""
        if frame is not self._frame:
            self._frame = frame
            self._steps = {}

    def drop(self) -> None:
        """Drop them: what is shown has changed in another way."""
        self._steps = {}
