"""The pass from start to end as a film: GIF, APNG, MP4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.export.row import Family, Library, Row, Subject
from gradviz.export.work import Work

if TYPE_CHECKING:
    from gradviz.film import Start

_TAKES = frozenset({"sweep", "theme", "legend", "gauges", "scale", "width", "rate", "pace"})
_INSTEAD = "An .apng needs nothing."


def _gif(subject: Subject) -> Work:
    from gradviz.film.gif import Gif

    return _film(subject, Gif)


def _apng(subject: Subject) -> Work:
    from gradviz.film.apng import Apng

    return _film(subject, Apng)


def _mp4(subject: Subject) -> Work:
    from gradviz.film.mp4 import Mp4

    return _film(subject, Mp4)


def _film(subject: Subject, start: Start) -> Work:
    from gradviz.ui.canvas.files.picture_file import film

    return film(subject.graph(), subject.look(), start)


FILMS = (
    Row((".gif",), "Film", "The pass from start to end, for chats and slides. It has 256 colours.", Family.FILM, _gif,
        _TAKES, Library("PIL", "a GIF needs Pillow, which is not installed", "pillow>=10.3", _INSTEAD)),
    Row((".apng",), "Film in all colours", "The pass from start to end, for web pages.", Family.FILM, _apng, _TAKES),
    Row((".mp4",), "Film for video players", "The pass from start to end, for slides and video programs.", Family.FILM,
        _mp4, _TAKES, Library("av", "an MP4 needs PyAV, which is not installed", "av>=14", _INSTEAD)),
)  # fmt: skip
