"""Images one after the other made into a film: GIF, APNG, MP4. Knows no graph and no window."""

from gradviz.film.film import Film, Start
from gradviz.film.images import Image

__all__ = ["Film", "Image", "Start"]
