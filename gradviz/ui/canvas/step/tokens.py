"""The animation of a step: values ride to the node that is computed, gradients ride out of it and are added up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.playback.words import short_value
from gradviz.recording import Known
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.edges.edges import EdgePainter
from gradviz.ui.canvas.ink.marks import PILL_HEIGHT, Ink, Mark, dot, pill, pill_size
from gradviz.ui.canvas.ink.painter import line_path, scaled_to
from gradviz.ui.canvas.plane.geometry import point_at, until
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.measure import gradient_place
from gradviz.ui.canvas.scene.moment import Moment, Stage, arriving, leaving
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.labels import label_scale, on_edge
from gradviz.ui.look.palette import Palette

MOST = 24
_LAST_PIECE = 0.55
"""Terms of a sum set out again this far along their edge: they had gone out before."""

_TOKEN_GAP = 6.0
_ROUNDS = 12
_SUM_FROM = 0.72
"""The part of the arrival after which the sum is whole."""
_DROP_FROM = 0.84
"""The part of it after which the sum drops into `.grad` of a leaf."""
_MOST_ADDED = 4096
"""Elements of a term up to which the sum so far is worked out for every picture."""


def token_marks(
    scene: Scene,
    moment: Moment,
    view: View,
    palette: Palette,
    edges: EdgePainter,
    *,
    vector: bool = False,
) -> list[Mark]:
    """The tokens of a moment, and the coloured trails behind them."""
    track = scene.track
    node = track.node_at(moment.position)
    index = track.index_of.get(node) if node is not None else None
    if moment.stage is Stage.REST or index is None:
        return []
    made = _Tokens(scene, view, palette, edges, vector)
    glide = _eased(moment.progress)
    if moment.position <= track.turn:
        return made.forward(index, glide)
    if moment.stage is Stage.TRAVELLING:
        return made.backward(index, moment.position, glide)
    return made.sum_up(index, moment)


def _eased(progress: float) -> float:
    return progress * progress * (3.0 - 2.0 * progress)


class _Tokens:
    def __init__(self, scene: Scene, view: View, palette: Palette, edges: EdgePainter, vector: bool) -> None:
        self.scene, self.view, self.palette, self.edges, self.vector = scene, view, palette, edges, vector

    def forward(self, index: int, glide: float) -> list[Mark]:
        ink = Ink(self.palette.forward, self.palette.on_accent)
        into = list(self.scene.edges_into(index))[:MOST]
        trails = [self._trail(edge, glide, ink.fill, backward=False) for edge in into]
        return trails + self._tokens([(edge, glide, self.scene.track.edge_value(edge)) for edge in into], ink)

    def backward(self, index: int, position: int, glide: float) -> list[Mark]:
        ink = Ink(self.palette.backward, self.palette.on_accent)
        out = leaving(self.scene, index, position)[:MOST]
        trails = [self._trail(edge, glide, ink.fill, backward=True) for edge in out]
        return trails + self._tokens([(edge, 1.0 - glide, self.scene.track.edge_known(edge)) for edge in out], ink)

    def sum_up(self, index: int, moment: Moment) -> list[Mark]:
        """The terms come in one after the other, and the sum grows; at a leaf it then drops into `.grad`."""
        ink = Ink(self.palette.backward, self.palette.on_accent)
        track = self.scene.track
        terms = sorted(arriving(self.scene, moment.position), key=lambda edge: int(track.edge_sent[edge]))[:MOST]
        coming = min(moment.progress / _SUM_FROM, 1.0) * len(terms)
        done = len(terms) if moment.progress >= _SUM_FROM else int(coming)
        riders = []
        for order, edge in enumerate(terms[done:], done):
            glide = _eased(min(max(coming - order, 0.0), 1.0))
            at = 1.0 - (_LAST_PIECE + (1.0 - _LAST_PIECE) * glide)
            riders.append((edge, at, track.edge_known(edge)))
        marks = self._tokens(riders, ink)
        return [*marks, self._sum(index, moment, terms, done, ink)] if done or not terms else marks

    def _sum(self, index: int, moment: Moment, terms: Sequence[int], done: int, ink: Ink) -> Mark:
        """What has been added up so far, where the terms come in; whole, it moves to where a leaf keeps it."""
        step = self.scene.track.step_at(moment.position)
        whole = done == len(terms)
        call = self.scene.track.call
        came = None if step is None or call is None else call.incoming(step)
        text = on_edge(partial(short_value, came)) if whole else self._partial_sum(terms[:done])
        left, top, right, bottom = self.scene.boxes[index].tolist()
        falls = whole and step is not None and not step.outgoing
        fallen = _eased(min(max((moment.progress - _DROP_FROM) / (1.0 - _DROP_FROM), 0.0), 1.0)) if falls else 0.0
        low = top + gradient_place(self.scene.cards[index])[1]
        x, y = self.view.to_screen(((left + right) / 2, bottom + (low - bottom) * fallen))
        return self._pill(x, y, f"Σ {text}" if len(terms) > 1 else text, ink)

    def _partial_sum(self, edges: Sequence[int]) -> str:
        """The sum of some terms; only their number where they are large or not recorded."""
        gradients = [self.scene.track.edge_gradient(edge) for edge in edges]
        known = [gradient for gradient in gradients if gradient is not None and gradient.size <= _MOST_ADDED]
        if len(known) < len(edges) or len({gradient.shape for gradient in known}) > 1:
            return f"of {len(edges)}"
        with np.errstate(all="ignore"):
            return on_edge(partial(short_value, np.sum(known, axis=0, dtype=known[0].dtype)))

    def _tokens(self, riders: Sequence[tuple[int, float, Known]], ink: Ink) -> list[Mark]:
        """One token per (edge, fraction of its length, value); those side by side make room for each other."""
        points = [self.view.to_screen(point_at(self.scene.line(edge), at)) for edge, at, _ in riders]
        texts = [on_edge(partial(short_value, array)) for _, _, array in riders]
        if detail_of(self.view.scale) is Detail.FAR or not all(texts):
            return [dot(x, y, 4.0, ink.fill) for x, y in points]
        widths = [pill_size(text, label_scale(self.view))[0] for text in texts]
        places = spread([x for x, _ in points], [y for _, y in points], widths)
        return [self._pill(x, y, text, ink) for x, (_, y), text in zip(places, points, texts, strict=True)]

    def _pill(self, x: float, y: float, text: str, ink: Ink) -> Mark:
        size = label_scale(self.view)
        width, height = pill_size(text, size)
        rect = QRectF(x - width / 2, y - height / 2, width, height)
        return pill(text, rect, ink, size, radius=PILL_HEIGHT / 2, vector=self.vector)

    def _trail(self, edge: int, share: float, ink: str, *, backward: bool) -> Mark:
        """The part of an edge that its token has passed."""
        view = self.view
        line, width = self.edges.trail(edge, backward=backward)
        body = until(line, max(share, 0.01))

        def paint(painter: QPainter) -> None:
            with scaled_to(painter, view.x, view.y, view.scale):
                painter.setPen(QPen(QColor(ink), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawPath(line_path(body))

        (left, top), (right, bottom) = view.boxes_to_screen(np.array([body.min(axis=0), body.max(axis=0)])).tolist()
        beyond = width * view.scale + 2
        return Mark(QRectF(left - beyond, top - beyond, right - left + 2 * beyond, bottom - top + 2 * beyond), paint)


def spread(xs: Sequence[float], ys: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Middles of tokens moved sideways, as little as needed, so that those of one height do not overlap."""
    places = list(xs)
    order = sorted(range(len(xs)), key=lambda i: xs[i])
    for _ in range(_ROUNDS):
        for one, other in pairwise(order):
            lack = (widths[one] + widths[other]) / 2 + _TOKEN_GAP - (places[other] - places[one])
            if lack > 0 and abs(ys[one] - ys[other]) < PILL_HEIGHT:
                places[one] -= lack / 2
                places[other] += lack / 2
    return places
