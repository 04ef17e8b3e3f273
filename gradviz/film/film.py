"""A film that is being written. The same images give the same bytes, of GIF and APNG on any machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from gradviz.film.images import Image


class Film(Protocol):
    """A film that is being written, in memory."""

    def add(self, image: Image, ticks: int) -> None:
        """Show an image for so many ticks, from 1."""

    def finish(self) -> bytes:
        """The whole file."""


Start: TypeAlias = Callable[[int, Sequence[Image]], Film]
"""Begins a film, given the ticks per second and some of its images, all of its size, in even numbers."""
