"""Where the scene is on the screen: one scale, one offset. Plain numbers, no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.layout.plan import Floats

Rect = tuple[float, float, float, float]
"""Left, top, right, bottom."""

Point = tuple[float, float]

SMALLEST, LARGEST = 1e-7, 4.0
"""Screen pixels per scene unit: the graph of a loop of a million rounds, as a whole, is above the first."""

_ROUNDING = 1.0
"""Screen pixels by which a box may stick out and still be in sight: a view that was fitted is then put on whole pixels.
"""


@dataclass(frozen=True)
class View:
    """screen = scene * scale + offset.

    Attributes:
        scale: screen pixels per scene unit.
        x, y: where the scene's origin is, in screen pixels.
    """

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def to_screen(self, point: Point) -> Point:
        """A scene point in screen pixels."""
        return point[0] * self.scale + self.x, point[1] * self.scale + self.y

    def to_scene(self, point: Point) -> Point:
        """The scene point under a screen point."""
        return (point[0] - self.x) / self.scale, (point[1] - self.y) / self.scale

    def rect_to_screen(self, rect: Rect) -> Rect:
        """A scene rectangle in screen pixels."""
        return (*self.to_screen(rect[:2]), *self.to_screen(rect[2:]))

    def rect_to_scene(self, rect: Rect) -> Rect:
        """The scene rectangle under a screen rectangle."""
        return (*self.to_scene(rect[:2]), *self.to_scene(rect[2:]))

    def boxes_to_screen(self, boxes: Floats) -> Floats:
        """Rectangles, shape (n, 4), or points, shape (n, 2), in screen pixels."""
        screen: Floats = boxes * self.scale
        screen[:, 0::2] += self.x
        screen[:, 1::2] += self.y
        return screen

    def snapped(self, ratio: float) -> View:
        """Moved by less than a pixel so that the offset is whole device pixels; `ratio` of them to a screen pixel."""
        return View(self.scale, round(self.x * ratio) / ratio, round(self.y * ratio) / ratio)

    def zoomed(self, factor: float, about: Point) -> View:
        """Zoom within the limits; the scene point under the screen point `about` stays there."""
        scale = min(max(self.scale * factor, SMALLEST), LARGEST)
        anchor = self.to_scene(about)
        return View(scale, about[0] - anchor[0] * scale, about[1] - anchor[1] * scale)

    def moved(self, dx: float, dy: float) -> View:
        """The scene shifted by so many screen pixels."""
        return View(self.scale, self.x + dx, self.y + dy)

    def revealing(self, rect: Rect, frame: Rect, around: float = 0.0, bounds: Rect | None = None) -> View:
        """Shifted so that a scene rectangle is inside the screen rectangle `frame`.

        Args:
            around: what is out of sight comes so far in, as a share of the frame's sides; 0 for no further than needed.
            bounds: of the whole scene: a side that is moved shows nothing beyond them where they fill the frame.
        """
        seen, offsets = self.rect_to_screen(rect), [self.x, self.y]
        for i in (0, 1):
            shift = _shift(seen[i], seen[i + 2], frame[i], frame[i + 2], around)
            offsets[i] += shift
            if shift and bounds is not None and _fills(bounds, frame, i, self.scale):
                offsets[i] = _within(offsets[i], bounds[i], bounds[i + 2], frame[i], frame[i + 2], self.scale)
        return View(self.scale, *offsets)


_FITTED, _FITTED_MOST = 1.25, 2.0
_USUAL = (1000.0, 640.0)
"""A frame of this size shows a small graph at the first scale, a larger one larger, up to the second."""


def fitted(bounds: Rect, frame: Rect, largest: float | None = None, smallest: float = SMALLEST) -> View:
    """The view that shows the scene rectangle `bounds` in the middle of the screen rectangle `frame`.

    Args:
        largest, smallest: limits of its scale; below the smallest one not all is in sight. By default a small graph
            is not blown up, but on a large screen.
    """
    left, top, right, bottom = (float(side) for side in bounds)
    width, height = max(right - left, 1.0), max(bottom - top, 1.0)
    across, down = frame[2] - frame[0], frame[3] - frame[1]
    if largest is None:
        largest = min(max(min(across / _USUAL[0], down / _USUAL[1]), 1.0) * _FITTED, _FITTED_MOST)
    scale = min(across / width, down / height, largest)
    scale = max(scale, smallest)
    x = (frame[0] + frame[2] - (left + right) * scale) / 2
    y = (frame[1] + frame[3] - (top + bottom) * scale) / 2
    return View(scale, x, y)


def holds(outer: Rect, inner: Rect) -> bool:
    """Whether a rectangle is wholly inside another."""
    within = outer[0] <= inner[0] and outer[1] <= inner[1]
    return within and inner[2] <= outer[2] and inner[3] <= outer[3]


_THIN = 0.3
"""A graph whose whole picture is thinner than this share of the frame is a thread in an empty room."""
LEGIBLE = 0.22
"""Screen pixels per scene unit from which on names can be read: then the whole is shown, however thin."""

READABLE = 0.72
"""Screen pixels per scene unit at which the numbers in a box can be read."""


def fitted_around(bounds: Rect, body: Rect, frame: Rect, about: Point) -> View:
    """As `fitted`, but of a graph so long that it would be a thread, a part that can be read.

    Args:
        body: the scene rectangle around the boxes alone: lines beside them need not be in sight.
        about: the scene point that is then in the middle, as far as the graph reaches.
    """
    whole = fitted(bounds, frame)
    room = [frame[2] - frame[0], frame[3] - frame[1]]
    sizes = [max(float(body[2] - body[0]), 1.0), max(float(body[3] - body[1]), 1.0)]
    thin = min(size * whole.scale / side for size, side in zip(sizes, room, strict=True))
    if thin >= _THIN or whole.scale >= LEGIBLE:
        return whole
    scale = min(READABLE, max(side / size for size, side in zip(sizes, room, strict=True)))
    x, y = (_offset(body[i], body[i + 2], frame[i], frame[i + 2], about[i], scale) for i in (0, 1))
    return View(scale, x, y)


def around(bounds: Rect, frame: Rect, about: Point, scale: float) -> View:
    """A part of a graph at a scale, the scene point `about` in the middle; along the graph as far as it reaches."""
    x, y = (_offset(bounds[i], bounds[i + 2], frame[i], frame[i + 2], about[i], scale) for i in (0, 1))
    if bounds[3] - bounds[1] > bounds[2] - bounds[0]:
        return View(scale, (frame[0] + frame[2]) / 2 - about[0] * scale, y)
    return View(scale, x, (frame[1] + frame[3]) / 2 - about[1] * scale)


def _offset(low: float, high: float, frame_low: float, frame_high: float, about: float, scale: float) -> float:
    middle = (frame_low + frame_high) / 2
    if (high - low) * scale <= frame_high - frame_low:
        return middle - (low + high) / 2 * scale
    return _within(middle - about * scale, low, high, frame_low, frame_high, scale)


def _within(offset: float, low: float, high: float, frame_low: float, frame_high: float, scale: float) -> float:
    """The nearest offset with which a scene that is larger than the frame fills it."""
    return min(max(offset, frame_high - high * scale), frame_low - low * scale)


def _fills(bounds: Rect, frame: Rect, axis: int, scale: float) -> bool:
    return (bounds[axis + 2] - bounds[axis]) * scale > frame[axis + 2] - frame[axis]


def _shift(low: float, high: float, frame_low: float, frame_high: float, around: float) -> float:
    if frame_low - _ROUNDING <= low and high <= frame_high + _ROUNDING:
        return 0.0
    rim = min(around * (frame_high - frame_low), max((frame_high - frame_low - (high - low)) / 2, 0.0))
    if high - low > frame_high - frame_low - 2 * rim:
        return (frame_low + frame_high - low - high) / 2
    return max(frame_low + rim - low, 0.0) + min(frame_high - rim - high, 0.0)
