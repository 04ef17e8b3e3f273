"""Which slice of an array with more than two axes is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QWidget

from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import CAPTION_PX, mono_font


class SliceChoice(QWidget):
    """Which slice of an array with more than two axes is shown: one number for each axis but the last two.

    Signals:
        changed: another slice was chosen.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(2 * SPACE)
        self._grid.setColumnStretch(1, 1)
        self._axes: list[tuple[QLabel, QSlider, QLabel]] = []
        self._shape: tuple[int, ...] = ()

    def show_shape(self, shape: tuple[int, ...]) -> None:
        """Offer the slices of a shape; the choice stays where the shape is the same."""
        leading = shape[:-2]
        self.setVisible(any(size > 1 for size in leading))
        if shape == self._shape:
            return
        self._shape = shape
        while len(self._axes) < len(leading):
            self._add_axis()
        for axis, row in enumerate(self._axes):
            size = leading[axis] if axis < len(leading) else 1
            for widget in row:
                widget.setVisible(size > 1)
            slider = row[1]
            slider.blockSignals(True)
            slider.setRange(0, max(0, size - 1))
            slider.setValue(0)
            slider.blockSignals(False)
        self._say()

    def index(self) -> tuple[int, ...]:
        """The chosen number of every axis but the last two."""
        return tuple(slider.value() for _, slider, _ in self._axes[: max(0, len(self._shape) - 2)])

    def choose(self, axis: int, number: int) -> None:
        """Take a slice along an axis, as the slider does."""
        self._axes[axis][1].setValue(number)

    def _add_axis(self) -> None:
        axis = len(self._axes)
        slider = _Slider(Qt.Orientation.Horizontal)
        slider.setAccessibleName(f"slice along axis {axis}")
        slider.valueChanged.connect(self._choose)
        row = (QLabel(f"axis {axis}"), slider, QLabel())
        for column, widget in enumerate(row):
            self._grid.addWidget(widget, axis, column)
        for label in (row[0], row[2]):
            label.setProperty("role", "dim")
            label.setFont(mono_font(CAPTION_PX))
        self._axes.append(row)

    def _choose(self) -> None:
        self._say()
        self.changed.emit()

    def _say(self) -> None:
        for _, slider, number in self._axes:
            # From 0, as the index in the script.
            number.setText(f"{slider.value()} of 0..{slider.maximum()}")


class _Slider(QSlider):
    """A wheel over it scrolls the panel it stands in."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
