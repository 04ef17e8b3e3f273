"""A film that is being written, by its suffix. The same images give the same bytes, of GIF and APNG on any machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import NamedTuple, Protocol

from gradviz.errors import GradvizError
from gradviz.film.images import Image


class _Library(NamedTuple):
    """What a film takes that gradviz does not bring.

    Attributes:
        module: the name under which it is imported.
        why: what it is for.
        requirement: what pip installs, as the extra of the distribution has it.
    """

    module: str
    why: str
    requirement: str


LIBRARIES = {
    ".gif": _Library("PIL", "a GIF needs Pillow, which is not installed", "pillow>=10.3"),
    ".mp4": _Library("av", "an MP4 needs PyAV, which is not installed", "av>=14"),
}


class Film(Protocol):
    """A film that is being written, in memory."""

    def add(self, image: Image, ticks: int) -> None:
        """Show an image for so many ticks, from 1."""

    def finish(self) -> bytes:
        """The whole file."""


def start_film(suffix: str, rate: int, samples: Sequence[Image]) -> Film:
    """Begin a film.

    Args:
        suffix: one of `SUFFIXES`.
        rate: ticks per second.
        samples: some of its images, from which a GIF takes its colours; all have the size of the film, in even numbers.

    Raises:
        GradvizError: the library that it takes is not installed.
    """
    return _STARTS[suffix](rate, samples)


def lacking(suffix: str) -> GradvizError | None:
    """Why no film of a suffix can be written here, and what to install; None where it can, or is no film.

    Nothing is imported to find out.
    """
    library = LIBRARIES.get(suffix)
    return None if library is None or find_spec(library.module) is not None else _lack_of(library)


def _lack_of(library: _Library) -> GradvizError:
    return GradvizError(library.why, hint=f"{_install(library.requirement)} An .apng needs nothing.")


def _start_gif(rate: int, samples: Sequence[Image]) -> Film:
    try:
        from gradviz.film.gif import Gif
    except ImportError:
        raise _lack_of(LIBRARIES[".gif"]) from None
    return Gif(rate, samples)


def _start_apng(rate: int, samples: Sequence[Image]) -> Film:
    from gradviz.film.apng import Apng

    height, width = samples[0].shape[:2]
    return Apng(width, height, rate)


def _start_mp4(rate: int, samples: Sequence[Image]) -> Film:
    try:
        from gradviz.film.mp4 import Mp4
    except ImportError:
        raise _lack_of(LIBRARIES[".mp4"]) from None
    height, width = samples[0].shape[:2]
    return Mp4(width, height, rate)


def _install(requirement: str) -> str:
    return f'Install it: "{sys.executable}" -m pip install "{requirement}".'


_STARTS: dict[str, Callable[[int, Sequence[Image]], Film]] = {
    ".gif": _start_gif,
    ".apng": _start_apng,
    ".mp4": _start_mp4,
}
SUFFIXES = tuple(_STARTS)
