"""How a vector is chosen: ones, a one at one place, random numbers, or numbers that are typed or dragged."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QLineEdit, QSpinBox, QToolButton, QWidget

from gradviz.errors import GradvizError
from gradviz.playback.words import number_text
from gradviz.recording import Array
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import mono_font, ui_font
from gradviz.ui.seed.experiment import MOST
from gradviz.ui.seed.words import example, one_hot, typed_seed

KINDS = (("ones", "Ones"), ("one_hot", "One-hot"), ("random", "Random"))
OWN = "own"
"""The kind of what was typed or dragged."""
WRITTEN = 64
"""Numbers up to which they stand in the field."""


class VectorChoice(QWidget):
    """A row of buttons and a field, which hold one array.

    Attributes:
        array: as it was last chosen; of the shape and dtype that `begin` was given.
        kind: "ones", "one_hot", "random" or "own".
        problem: why what stands in the field is no such array, as a sentence; or "".

    Signals:
        chosen: another array was chosen. Payload: the array.
        problem_changed: `problem` is another.
    """

    chosen = Signal(object)
    problem_changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.setObjectName(name)
        self._is_begun = False
        self._shape: tuple[int, ...] = ()
        self._dtype: np.dtype[Any] = np.dtype(np.float32)
        self._at = 0
        self.array: Array = np.ones((), np.float32)
        self.kind, self.problem = "ones", ""
        self.title = QLabel(name)
        self.title.setFont(ui_font(14, bold=True))
        self.title.setFixedWidth(16)
        self.kinds = QButtonGroup(self)
        self.buttons = {kind: self._button(kind, text) for kind, text in KINDS}
        self.field = QLineEdit()
        self.field.setFont(mono_font())
        self.field.setAccessibleName(f"Numbers of {name}")
        self.positions: list[QSpinBox] = []
        self._places = QHBoxLayout()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * SPACE)
        row.addWidget(self.title)
        for button in self.buttons.values():
            row.addWidget(button)
        row.addLayout(self._places)
        row.addWidget(self.field, 1)
        self.field.textEdited.connect(self._take_typed)

    def _button(self, kind: str, text: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setCheckable(True)
        button.setProperty("role", "choice")
        button.setAccessibleName(f"{self._name}: {text}")
        button.clicked.connect(lambda: self.choose(kind))
        self.kinds.addButton(button)
        return button

    # ---- choosing ----

    def begin(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        """Start with an array of ones for another place; the kind of one that fits any shape stays."""
        is_same = self._is_begun and (shape, dtype) == (self._shape, self._dtype)
        self._is_begun = True
        self._shape, self._dtype = shape, dtype
        if is_same:
            return
        self._at = 0
        self._place_boxes()
        self.buttons["one_hot"].setVisible(prod(shape) > 1)
        self._make("ones" if self.kind == OWN or (self.kind == "one_hot" and prod(shape) < 2) else self.kind)

    def choose(self, kind: str) -> None:
        """Choose a kind; random numbers are drawn again each time."""
        self._make(kind)
        self.chosen.emit(self.array)

    def click(self, index: int) -> None:
        """Where a single 1 is chosen, put it there."""
        if self.kind == "one_hot" and index != self._at:
            self._at = index
            self._make("one_hot")
            self.chosen.emit(self.array)

    def take(self, array: Array) -> None:
        """Hold an array that was dragged elsewhere."""
        self.kind, self.array = OWN, array
        self._show()

    def restore(self, array: Array, kind: str) -> None:
        """Hold an array of a kind again, as it was."""
        self.kind, self.array = kind, array
        self._show()

    def _make(self, kind: str) -> None:
        shape, dtype = self._shape, self._dtype
        self.kind = kind
        if kind == "one_hot":
            at = tuple(int(i) for i in np.unravel_index(self._at, shape)) if shape else ()
            self.array = one_hot(shape, at, dtype) if prod(shape) else np.zeros(shape, dtype)
        elif kind == "random":
            self.array = np.asarray(np.random.default_rng().standard_normal(shape)).round(3).astype(dtype)
        else:
            self.array = np.ones(shape, dtype)
        self._show()

    def _take_typed(self) -> None:
        try:
            self.array, problem = typed_seed(self.field.text(), self._shape, self._dtype), ""
        except GradvizError as error:
            problem = error.one_line().replace("for v,", f"for {self._name},").replace("v needs", f"{self._name} needs")
        self.kind = OWN
        self._show_kind()
        self._set_problem(problem)
        if not problem:
            self.chosen.emit(self.array)

    # ---- showing ----

    def _show(self) -> None:
        self._show_kind()
        flat = np.ravel(self.array)
        text = ", ".join(number_text(number) for number in flat.tolist()) if flat.size <= WRITTEN else ""
        if not self.field.hasFocus() or self.field.text() != text:
            with QSignalBlocker(self.field):
                self.field.setText(text)
                self.field.setCursorPosition(0)
        self.field.setPlaceholderText(f"Type {example(self._shape)}")
        self._set_problem("")

    def _show_kind(self) -> None:
        self.kinds.setExclusive(False)
        for kind, button in self.buttons.items():
            button.setChecked(kind == self.kind)
        self.kinds.setExclusive(self.kind != OWN)
        for box in self.positions:
            box.setVisible(self.kind == "one_hot")

    def _set_problem(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            self.problem_changed.emit()

    def _place_boxes(self) -> None:
        """Of what has more numbers than are shown, the place of a single 1 is counted."""
        while self.positions:
            self.positions.pop().deleteLater()
        for axis, length in enumerate(self._shape if prod(self._shape) > MOST else ()):
            box = QSpinBox()
            box.setRange(0, max(0, length - 1))
            box.setAlignment(Qt.AlignmentFlag.AlignCenter)
            box.setToolTip(f"Axis {axis}: 0 to {max(0, length - 1)}; the arrow keys count")
            box.setAccessibleName(f"Place of the 1 in {self._name} along axis {axis}")
            box.valueChanged.connect(self._move_one)
            box.hide()
            self._places.addWidget(box)
            self.positions.append(box)

    def _move_one(self) -> None:
        at = np.ravel_multi_index(tuple(box.value() for box in self.positions), self._shape)
        self.click(int(at))
