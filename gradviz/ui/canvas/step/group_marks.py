"""What lies over folded groups while stepping: how far their steps are. One mark per group in sight that is at work."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gradviz.playback.groups.folded import FoldedTrack, Progress
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.ink.marks import Mark, qt_rect
from gradviz.ui.canvas.ink.painter import scaled_to
from gradviz.ui.canvas.ink.text import Pen, Role, text_width
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.measure import GROUP_PAD, LINE_2, STACK, TEXT_X
from gradviz.ui.canvas.scene.moment import Frame, Moment
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import color

MOST = 80
_BAR, _RAISED = 3.5, 6.5


def progress_marks(scene: Scene, moment: Moment, frame: Frame, view: View, sight: Rect, palette: Palette) -> list[Mark]:
    """The progress of the folded groups that have begun and are not done, and of the current one."""
    track = scene.folded
    if track is None or not track.has_folded or detail_of(view.scale) < Detail.NAME:
        return []
    at_work = track.under_way(moment.position)
    if frame.current is not None and track.is_group[frame.current] and frame.current not in at_work:
        at_work.append(frame.current)
    accent = palette.forward if moment.position <= track.turn else palette.backward
    marks = [_mark(scene, track, index, moment.position, view, accent) for index in at_work[:MOST]]
    return [mark for mark in marks if mark.rect.intersects(qt_rect(sight))]


def _mark(scene: Scene, track: FoldedTrack, index: int, position: int, view: View, accent: str) -> Mark:
    progress = track.progress(index, position)
    rect = qt_rect(scene.box_in(view, index))

    def paint(painter: QPainter) -> None:
        with scaled_to(painter, rect.x(), rect.y(), view.scale):
            _paint(painter, rect.width() / view.scale, rect.height() / view.scale, progress, accent)

    return Mark(rect, paint)


def _paint(painter: QPainter, width: float, height: float, progress: Progress, accent: str) -> None:
    """A bar along the lower border, and the count beside the shapes; in scene units."""
    floor = height - STACK
    span = width - TEXT_X - GROUP_PAD
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color(accent, 0.18))
    painter.drawRoundedRect(QRectF(TEXT_X, floor - _RAISED, span, _BAR), _BAR / 2, _BAR / 2)
    share = progress.done / max(progress.total, 1)
    if share:
        painter.setBrush(QColor(accent))
        painter.drawRoundedRect(QRectF(TEXT_X, floor - _RAISED, max(span * share, _BAR), _BAR), _BAR / 2, _BAR / 2)
    text = f"{progress.done} of {progress.total}"
    Pen(painter).write(width - GROUP_PAD - text_width(text, Role.BADGE), LINE_2, text, Role.BADGE, accent)
