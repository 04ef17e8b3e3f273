"""Mouse, wheel, touch and keys on the canvas, as what they mean: zoom, move, click, point at."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QGestureEvent, QPinchGesture, QWidget

from gradviz.ui.canvas.plane.view import Point

_WHEEL_BASE = 1.0015
"""Zoom per eighth of a degree: a notch of 120 is a factor of 1.2."""

KEY_ZOOM = 1.25
_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


class Gestures(QObject):
    """Watches the input of a widget.

    Args:
        is_on_map: whether a screen point is on the map in the corner.

    Signals:
        zoomed: payload: the factor, and the screen point about which, or None for the middle.
        moved: the graph is moved. Payload: screen pixels to the right and down.
        clicked, double_clicked: payload: the screen point.
        pointed: the pointer is at another screen point, or at None where it has left.
        went_on_map: payload: the point of the map.
        fit_asked, entered: keys.
        turned_back, turned_forward: the mouse's buttons for going back and forward.
    """

    zoomed = Signal(float, object)
    moved = Signal(float, float)
    clicked = Signal(object)
    double_clicked = Signal(object)
    pointed = Signal(object)
    went_on_map = Signal(object)
    fit_asked = Signal()
    entered = Signal()
    turned_back = Signal()
    turned_forward = Signal()

    def __init__(self, widget: QWidget, is_on_map: Callable[[Point], bool]) -> None:
        super().__init__(widget)
        self._widget, self._is_on_map = widget, is_on_map
        widget.setMouseTracking(True)
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        widget.grabGesture(Qt.GestureType.PinchGesture)
        widget.installEventFilter(self)
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._is_dragging = False
        self._is_going_on_map = False
        kinds = QEvent.Type
        self._takes: dict[QEvent.Type, Callable[[QEvent], bool]] = {
            kinds.NativeGesture: self._zoom_natively,
            kinds.Gesture: self._pinch,
            kinds.Wheel: self._turn_wheel,
            kinds.MouseButtonPress: self._press,
            kinds.MouseMove: self._move,
            kinds.MouseButtonRelease: self._release,
            kinds.MouseButtonDblClick: self._click_twice,
            kinds.Leave: self._leave,
            kinds.KeyPress: self._press_key,
        }

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        take = self._takes.get(event.type())
        return take is not None and take(event)

    def _zoom_natively(self, event: QEvent) -> bool:
        if not isinstance(event, QNativeGestureEvent):
            return False
        if event.gestureType() is not Qt.NativeGestureType.ZoomNativeGesture:
            return False
        self.zoomed.emit(1.0 + event.value(), event.position().toTuple())
        return True

    def _pinch(self, event: QEvent) -> bool:
        pinch = event.gesture(Qt.GestureType.PinchGesture) if isinstance(event, QGestureEvent) else None
        if not isinstance(pinch, QPinchGesture):
            return False
        self.zoomed.emit(pinch.scaleFactor(), self._widget.mapFromGlobal(pinch.centerPoint()).toTuple())
        event.accept()
        return True

    def _turn_wheel(self, event: QEvent) -> bool:
        assert isinstance(event, QWheelEvent)
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        # Only a touch pad has scroll phases; there two fingers move the graph, as everywhere else.
        if event.phase() is not Qt.ScrollPhase.NoScrollPhase and not event.pixelDelta().isNull() and not held:
            self.moved.emit(*event.pixelDelta().toTuple())
        else:
            self.zoomed.emit(_WHEEL_BASE ** event.angleDelta().y(), event.position().toTuple())
        event.accept()
        return True

    def _press(self, event: QEvent) -> bool:
        assert isinstance(event, QMouseEvent)
        turned = {Qt.MouseButton.BackButton: self.turned_back, Qt.MouseButton.ForwardButton: self.turned_forward}
        if event.button() in turned:
            turned[event.button()].emit()
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = self._last = event.position()
            self._is_dragging = False
            self._is_going_on_map = self._is_on_map(event.position().toTuple())
            if self._is_going_on_map:
                self.went_on_map.emit(event.position().toTuple())
        return True

    def _move(self, event: QEvent) -> bool:
        assert isinstance(event, QMouseEvent)
        point = event.position()
        if self._pressed is None:
            self.pointed.emit(point.toTuple())
        elif self._is_going_on_map:
            self.went_on_map.emit(point.toTuple())
        elif self._is_dragging or self._is_far(point, self._pressed):
            self._drag_to(point)
        return True

    @staticmethod
    def _is_far(point: QPointF, start: QPointF) -> bool:
        return (point - start).manhattanLength() >= QGuiApplication.styleHints().startDragDistance()

    def _drag_to(self, point: QPointF) -> None:
        if not self._is_dragging:
            self._is_dragging = True
            self.pointed.emit(None)
            self._widget.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.moved.emit(*(point - self._last).toTuple())
        self._last = point

    def _release(self, event: QEvent) -> bool:
        assert isinstance(event, QMouseEvent)
        was_click = self._pressed is not None and not self._is_dragging and not self._is_going_on_map
        self._pressed = None
        self._is_dragging = self._is_going_on_map = False
        self._widget.unsetCursor()
        if was_click and event.button() is Qt.MouseButton.LeftButton:
            self.clicked.emit(event.position().toTuple())
        return True

    def _click_twice(self, event: QEvent) -> bool:
        assert isinstance(event, QMouseEvent)
        if event.button() is Qt.MouseButton.LeftButton and not self._is_on_map(event.position().toTuple()):
            self.double_clicked.emit(event.position().toTuple())
        return True

    def _leave(self, _event: QEvent) -> bool:
        self.pointed.emit(None)
        return False

    def _press_key(self, event: QEvent) -> bool:
        assert isinstance(event, QKeyEvent)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers() & _HELD:
            self.entered.emit()
        elif event.text() in ("+", "="):
            self.zoomed.emit(KEY_ZOOM, None)
        elif event.text() == "-":
            self.zoomed.emit(1.0 / KEY_ZOOM, None)
        elif event.text() == "0":
            self.fit_asked.emit()
        else:
            return False
        return True
