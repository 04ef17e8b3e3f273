"""Images one after the other made into a film: GIF, APNG, MP4. Knows no graph and no window."""

from gradviz.film.film import SUFFIXES, Film, lacking, start_film
from gradviz.film.images import Image

__all__ = ["SUFFIXES", "Film", "Image", "lacking", "start_film"]
