"""The seed editor: run backward once more with a v of one's own, and say in words what that v asks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.errors import GradvizError
from gradviz.playback.track import Track
from gradviz.playback.words import label, shape_text, short_value
from gradviz.recording import Array
from gradviz.ui.look.icons import combo_arrow, without_icons
from gradviz.ui.look.theme import Theme, mono_font
from gradviz.ui.seed.candidates import candidates
from gradviz.ui.seed.words import example, one_hot, question, typed_seed

KINDS = (("ones", "Ones"), ("one_hot", "One-hot"), ("random", "Random"), ("typed", "Typed"))
_MAX_OUTPUTS = 2000


class SeedEditor(QDialog):
    """Chooses a node and a v of its shape.

    Attributes:
        seed: the v as it stands, or None where what was typed is not one.

    Signals:
        seed_chosen: payload: id of the node, and v as an array of its shape.
    """

    seed_chosen = Signal(int, object)

    def __init__(
        self,
        track: Track,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        draw: Callable[[tuple[int, ...]], Array] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Another seed v")
        self._track, self._theme = track, theme
        self._draw = draw or (lambda shape: np.random.default_rng().standard_normal(shape))
        self.seed: Array | None = None
        self._random: Array | None = None
        self.output = QComboBox()
        for node in islice(candidates(track), _MAX_OUTPUTS):
            shape = track.recording.nodes[node].shape
            self.output.addItem(f"{label(track.recording, node)}   {shape_text(shape)}", node)
        self.kinds = QButtonGroup(self)
        self.choices = {kind: self._kind(kind, text) for kind, text in KINDS}
        self.positions: list[QSpinBox] = []
        self.typed = QLineEdit()
        self.typed.setFont(mono_font())
        self.typed.setAccessibleName("Values of v")
        self.question, self.value, self.problem = QLabel(), QLabel(), QLabel()
        self._arrange()
        self._wire()
        self._output_changed()
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def node(self) -> int:
        """The chosen node."""
        return int(self.output.currentData())

    @property
    def kind(self) -> str:
        """How v is made, one of `KINDS`."""
        return next(kind for kind, button in self.choices.items() if button.isChecked())

    # ---- building ----

    def _kind(self, kind: str, text: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setCheckable(True)
        self.kinds.addButton(button)
        button.setChecked(kind == "ones")
        return button

    def _arrange(self) -> None:
        kinds = QHBoxLayout()
        for button in self.choices.values():
            kinds.addWidget(button)
        kinds.addStretch()
        self._position_row = QWidget()
        self._position_layout = QHBoxLayout(self._position_row)
        self._position_layout.setContentsMargins(0, 0, 0, 0)
        self._again = QPushButton("Draw again")
        self._again.setAutoDefault(False)  # the first that may be is the one Enter presses, seen or not
        self.value.setFont(mono_font())
        self.problem.setProperty("role", "error")
        for text in (self.question, self.problem):
            text.setWordWrap(True)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        form.addRow("Start at", self.output)
        form.addRow("v is", kinds)
        self._form = form
        form.addRow("at position", self._position_row)
        form.addRow("values", self.typed)
        form.addRow("", self._again)
        form.addRow("v", self.value)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = QPushButton("Run backward")
        self.go.setProperty("role", "primary")
        self.go.setDefault(True)
        self.buttons.addButton(self.go, QDialogButtonBox.ButtonRole.AcceptRole)
        without_icons(self.buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(12)
        layout.addLayout(form)
        layout.addWidget(self.question)
        layout.addWidget(self.problem)
        layout.addStretch()
        layout.addWidget(self.buttons)
        self.setMinimumWidth(460)

    def _wire(self) -> None:
        self.output.currentIndexChanged.connect(self._output_changed)
        self.kinds.buttonClicked.connect(self._kind_chosen)
        self.typed.textChanged.connect(self._changed)
        self._again.clicked.connect(self._draw_again)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)

    # ---- what has happened ----

    def _output_changed(self) -> None:
        shape = self._shape()
        while self.positions:
            self.positions.pop().deleteLater()
        for axis, length in enumerate(shape):
            box = QSpinBox()
            box.setRange(0, max(0, length - 1))
            box.setAlignment(Qt.AlignmentFlag.AlignCenter)
            box.setToolTip(f"Axis {axis}: 0 to {max(0, length - 1)}; the arrow keys count")
            box.setAccessibleName(f"Position along axis {axis}")
            box.valueChanged.connect(self._changed)
            self._position_layout.addWidget(box)
            self.positions.append(box)
        self.typed.setPlaceholderText(example(shape))
        self._random = None
        self._changed()

    def _kind_chosen(self) -> None:
        self._changed()
        if self.kind == "typed":
            self.typed.setFocus()

    def _draw_again(self) -> None:
        self._random = None
        self._changed()

    def _changed(self) -> None:
        kind, shape = self.kind, self._shape()
        self._form.setRowVisible(self._position_row, kind == "one_hot" and bool(shape))
        self._form.setRowVisible(self.typed, kind == "typed")
        self._form.setRowVisible(self._again, kind == "random")
        try:
            self.seed, problem = self._made(kind, shape), ""
        except GradvizError as error:
            self.seed, problem = None, error.one_line()
        is_begun = kind != "typed" or bool(self.typed.text().strip())  # before that the field says what to type
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem) and is_begun)
        self._form.setRowVisible(self.value, self.seed is not None)
        name = label(self._track.recording, self.node)
        self.question.setText(question(self.seed, name) if self.seed is not None else "")
        self.value.setText(short_value(self.seed, 48) if self.seed is not None else "")
        self.go.setEnabled(self.seed is not None)

    def _made(self, kind: str, shape: tuple[int, ...]) -> Array:
        dtype = self._dtype()
        if kind == "ones":
            return np.ones(shape, dtype)
        if kind == "one_hot":
            return one_hot(shape, tuple(box.value() for box in self.positions), dtype)
        if kind == "random":
            if self._random is None:
                self._random = np.asarray(self._draw(shape)).round(3).astype(dtype)
            return self._random
        return typed_seed(self.typed.text(), shape, dtype)

    def _shape(self) -> tuple[int, ...]:
        return self._track.recording.nodes[self.node].shape

    def _dtype(self) -> np.dtype[np.generic]:
        value = self._track.recording.values[self.node]
        return np.dtype(np.float32) if value is None else value.dtype

    def _dress(self) -> None:
        p = self._theme.palette
        self.setStyleSheet(
            f"QToolButton {{ border: 1px solid {p.hairline}; padding: 5px 12px; background: {p.card}; }}"
            f"QToolButton:checked {{ background: {p.backward_tint}; border-color: {p.backward}; }}"
            f"QToolButton:focus {{ border-color: {p.forward}; }}" + combo_arrow()
        )

    def _accept(self) -> None:
        if self.seed is not None:
            self.seed_chosen.emit(self.node, self.seed)
            self.accept()
