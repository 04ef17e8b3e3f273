"""The pass from its start to its end as a film, by the animation of the window.

The images are painted one by one; they are encoded in another thread, so that who paints is not kept waiting.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from gradviz.errors import GradvizError
from gradviz.export.work import Work
from gradviz.film import Film, Image, Start
from gradviz.ui.canvas.camera import MIDDLE
from gradviz.ui.canvas.files.pictures import MARGIN, GraphPicture, waiting_for
from gradviz.ui.canvas.ink.painter import painter_on
from gradviz.ui.canvas.overlay import LEGEND_HEIGHT
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.moment import Frame, Moment, Stage, frame_of, moment_of
from gradviz.ui.session.clock import playing_ms

WHOLE = 1_920.0
"""A graph with no side longer than this, in pixels at scale 1 and above, is shown whole."""
SCREEN = (1_920.0, 1_080.0)
"""Of a larger one as much is seen at a time."""

MOST_IMAGES = 20_000

_SAMPLES = 9
"""Moments from which the colours are taken, besides those in motion."""
_WAITING = 4
"""Images that are painted and not encoded yet, at most: each takes a few megabytes."""
_MEASURED, _PAINTED = 0.08, 0.98
"""Shares of the work that are done when it is known how large the film is, and when all is painted."""


class Shot(NamedTuple):
    """What stands for how long: so many ticks."""

    moment: Moment
    ticks: int


def shots(picture: GraphPicture, stops: Sequence[int], rate: int, pace: float) -> Iterator[Shot]:
    """What the film shows, one after the other.

    Args:
        stops: the positions it goes through, ascending.
        rate: ticks per second.
        pace: seconds from one step to the next; the start stands as long, and the end twice as long.
    """
    whole = max(1, round(pace * rate))
    moving = min(round(playing_ms(1000 * pace) / 1000 * rate), whole - 1)
    yield Shot(picture.moment(stops[0]), whole)
    for number, stop in enumerate(stops[1:], 2):
        for tick in range(moving):
            yield Shot(moment_of(picture.scene, stop, tick / moving), 1)
        is_last = number == len(stops)
        yield Shot(picture.moment(stop), whole - moving + (whole if is_last else 0))


def film_of(
    picture: GraphPicture,
    start: Start,
    stops: Sequence[int],
    *,
    scale: float | None,
    width: int | None,
    rate: int,
    pace: float,
) -> Work:
    """A film of the pass.

    Args:
        start: begins a film of the format.
        stops: the positions it goes through, ascending.
        scale: pixels per scene unit; None for 1.
        width: in pixels, in place of a scale.
        rate: images per second while something moves.
        pace: seconds from one step to the next.

    Raises:
        GradvizError: it would have too many images.
    """
    plan = list(shots(picture, stops, rate, pace))
    if len(plan) > MOST_IMAGES:
        raise GradvizError(
            f"a film of {len(stops) - 1:,} steps would have {len(plan):,} images, more than {MOST_IMAGES:,}",
            hint="Take fewer images per second, or export the page that plays (.html).",
        )
    for number, shot in enumerate(plan):
        if shot.moment.stage is Stage.REST or number % 3 == 0:
            picture.take_in(shot.moment)
            yield _MEASURED * number / len(plan)
    painter = _Painter(picture, film_scale(picture.size, scale, width), stops)
    chosen = {round(place * (len(plan) - 1) / _SAMPLES) for place in range(_SAMPLES + 1)}
    samples = []
    for number in sorted(chosen):
        samples.append(painter.image(plan[number].moment))
        yield _MEASURED
    film = start(rate, samples)
    samples.clear()
    waiting = list[Future[None]]()
    pool = ThreadPoolExecutor(1)  # one, so that they stay in order
    try:
        for number, shot in enumerate(plan):
            waiting.append(pool.submit(film.add, painter.image(shot.moment), shot.ticks))
            share = _MEASURED + (_PAINTED - _MEASURED) * number / len(plan)
            while len(waiting) > _WAITING:
                yield from waiting_for(waiting[0], share)
                waiting.pop(0).result()
            yield share
        end: Future[bytes] = pool.submit(_finish, film, waiting)
        yield from waiting_for(end, _PAINTED)
        return end.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # who gives the work up does not wait for it


def _finish(film: Film, added: Sequence[Future[None]]) -> bytes:
    for one in added:
        one.result()
    return film.finish()


def film_scale(size: tuple[float, float], scale: float | None, width: int | None) -> float:
    """Pixels per scene unit of a film of a picture of that size in scene units."""
    return width / size[0] if width is not None else 1.0 if scale is None else scale


def film_sides(size: tuple[float, float], scale: float) -> tuple[int, int]:
    """Width and height of a film in pixels: even, since H.264 takes no others."""
    ratio = max(scale, 1.0)
    sides = [side * scale / ratio for side in size]
    if max(sides) > WHOLE:
        sides = [min(side, most) for side, most in zip(sides, SCREEN, strict=True)]
    width, height = (2 * math.ceil(side * ratio / 2) for side in sides)
    return width, height


class _Painter:
    """Paints moments of a picture; what stays through a stage of the animation is painted once.

    Of a graph that is too large to be shown whole the film shows a part, and turns to another one like a page where
    the node of a step is not in it, as the window does.
    """

    def __init__(self, picture: GraphPicture, scale: float, stops: Sequence[int]) -> None:
        self._picture, self._stops = picture, stops
        self._zoom, self._ratio = min(scale, 1.0), max(scale, 1.0)
        self._sides = QSize(*film_sides(picture.size, scale))
        self._sight = (0.0, 0.0, self._sides.width() / self._ratio, self._sides.height() / self._ratio)
        is_whole = max(picture.size) * self._zoom <= WHOLE
        self._views = {} if is_whole else self._followed()
        self._ground: tuple[tuple[int, Stage], Frame, QImage] | None = None

    def image(self, moment: Moment) -> Image:
        """A moment in pixels."""
        picture, key = self._picture, (moment.position, moment.stage)
        view = self._views.get(moment.position) or picture.view(self._zoom, self._ratio)
        if self._ground is None or self._ground[0] != key:
            frame, ground = frame_of(picture.scene, *key), QImage(self._sides, QImage.Format.Format_RGB32)
            ground.setDevicePixelRatio(self._ratio)
            ground.fill(picture.palette.canvas)
            with painter_on(ground) as painter:
                picture.painting.paint(painter, view, frame, self._sight, self._ratio)
            self._ground = (key, frame, ground)
        _, frame, ground = self._ground
        image = ground.copy()
        with painter_on(image) as painter:
            follows = bool(self._views)
            for mark in picture.marks(view, moment, frame, self._sight if follows or self._zoom < 1.0 else None):
                mark.paint(painter)
            size = 1.0 if follows else self._zoom
            picture.paint_legend(painter, self._sight[3] - MARGIN * size, size)
            picture.paint_band(painter, self._sight[2], size)
        return _pixels(image)

    def _followed(self) -> dict[int, View]:
        """The view at each stop: that of the one before, until its node is not in sight."""
        scene, views = self._picture.scene, dict[int, View]()
        below = LEGEND_HEIGHT + 2 * MARGIN if self._picture.has_legend else MARGIN
        above = MARGIN + self._picture.band.height
        free = (MARGIN, above, self._sight[2] - MARGIN, self._sight[3] - below)
        view = View(self._zoom, MARGIN - scene.around[0] * self._zoom, above - scene.around[1] * self._zoom)
        for stop in self._stops:
            node = scene.track.node_at(stop)
            index = 0 if node is None else scene.track.index_of.get(node, 0)
            left, top, right, bottom = scene.boxes[index].tolist()
            view = view.revealing((left, top, right, bottom), free, MIDDLE, scene.around).snapped(self._ratio)
            views[stop] = view
        return views


def _pixels(image: QImage) -> Image:
    rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    order = (2, 1, 0) if sys.byteorder == "little" else (1, 2, 3)
    return np.ascontiguousarray(rows[:, : image.width(), order])
