"""Mouse, wheel, touch and keys on the canvas, as what they mean: zoom, move, click, point at."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QGestureEvent, QPinchGesture, QWidget

from gradviz.ui.canvas.plane.view import Point

_WHEEL_BASE = 1.0015
"""Zoom per eighth of a degree: a notch of 120 is a factor of 1.2."""

KEY_ZOOM = 1.25


class Gestures(QWidget):
    """A widget whose input arrives as meanings. What they do is written in the subclass.

    Signals:
        turned_back, turned_forward: the mouse's buttons for going back and forward.
        menu_requested: by the right button, or a key. Payload: the place on the screen, and whether it was a key.
    """

    turned_back = Signal()
    turned_forward = Signal()
    menu_requested = Signal(QPoint, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.grabGesture(Qt.GestureType.PinchGesture)
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._is_dragging = False
        self._on_map = False

    # ---- what they mean -------------------------------------------------------------------------------------

    def zoom_by(self, factor: float, about: Point | None = None) -> None:
        """Zoom about a screen point, or about the middle."""
        raise NotImplementedError

    def move_by(self, dx: float, dy: float) -> None:
        """Move the picture by screen pixels."""
        raise NotImplementedError

    def fit(self) -> None:
        """Show everything."""
        raise NotImplementedError

    def clicked_at(self, point: Point) -> None:
        """A click without a drag."""
        raise NotImplementedError

    def double_clicked_at(self, point: Point) -> None:
        """Two clicks at one place."""
        raise NotImplementedError

    def pressed_for_menu(self, point: Point) -> None:
        """A menu is wanted for what is there."""
        raise NotImplementedError

    def pointed_at(self, point: Point | None) -> None:
        """The pointer moved there, or left."""
        raise NotImplementedError

    def is_on_map(self, point: Point) -> bool:
        """Whether a screen point is on the map in the corner."""
        raise NotImplementedError

    def go_on_map(self, point: Point) -> None:
        """Show what a point of the map stands for."""
        raise NotImplementedError

    # ---- Qt's events ----------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and self._native(event):
            return True
        if isinstance(event, QGestureEvent) and self._pinched(event):
            return True
        return super().event(event)

    def _native(self, event: QNativeGestureEvent) -> bool:
        if event.gestureType() is not Qt.NativeGestureType.ZoomNativeGesture:
            return False
        self.zoom_by(1.0 + event.value(), event.position().toTuple())
        return True

    def _pinched(self, event: QGestureEvent) -> bool:
        pinch = event.gesture(Qt.GestureType.PinchGesture)
        if not isinstance(pinch, QPinchGesture):
            return False
        middle = self.mapFromGlobal(pinch.centerPoint())
        self.zoom_by(pinch.scaleFactor(), middle.toTuple())
        event.accept()
        return True

    def wheelEvent(self, event: QWheelEvent) -> None:
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        # Only a touch pad has scroll phases; there two fingers move the picture, as everywhere else.
        if event.phase() is not Qt.ScrollPhase.NoScrollPhase and not event.pixelDelta().isNull() and not held:
            self.move_by(*event.pixelDelta().toTuple())
        else:
            self.zoom_by(_WHEEL_BASE ** event.angleDelta().y(), event.position().toTuple())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        turned = {Qt.MouseButton.BackButton: self.turned_back, Qt.MouseButton.ForwardButton: self.turned_forward}
        if event.button() in turned:
            turned[event.button()].emit()
        if event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            return
        self._pressed = self._last = event.position()
        self._is_dragging = False
        self._on_map = self.is_on_map(event.position().toTuple())
        if self._on_map:
            self.go_on_map(event.position().toTuple())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        if self._pressed is None:
            self.pointed_at(point.toTuple())
        elif self._on_map:
            self.go_on_map(point.toTuple())
        elif self._is_dragging or self._is_far(point):
            self._drag_to(point)

    def _is_far(self, point: QPointF) -> bool:
        assert self._pressed is not None
        return (point - self._pressed).manhattanLength() >= QGuiApplication.styleHints().startDragDistance()

    def _drag_to(self, point: QPointF) -> None:
        if not self._is_dragging:
            self._is_dragging = True
            self.pointed_at(None)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.move_by(*(point - self._last).toTuple())
        self._last = point

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        was_click = self._pressed is not None and not self._is_dragging and not self._on_map
        self._pressed = None
        self._is_dragging = self._on_map = False
        self.unsetCursor()
        if was_click and event.button() is Qt.MouseButton.LeftButton:
            self.clicked_at(event.position().toTuple())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and not self.is_on_map(event.position().toTuple()):
            self.double_clicked_at(event.position().toTuple())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        if not by_key:
            self.pressed_for_menu(QPointF(event.pos()).toTuple())
        self.menu_requested.emit(event.globalPos(), by_key)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed_at(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text() in ("+", "="):
            self.zoom_by(KEY_ZOOM)
        elif event.text() == "-":
            self.zoom_by(1.0 / KEY_ZOOM)
        elif event.text() == "0":
            self.fit()
        else:
            super().keyPressEvent(event)
