"""An MP4 by PyAV: H.264 where its FFmpeg has that encoder, else AV1 or MPEG-4.

resources/decisions/film.md says which licence each of them has, and why the first is the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import av
from av.video.reformatter import ColorRange, Colorspace

from gradviz.film.images import Image

_ENCODERS: tuple[tuple[str, dict[str, str]], ...] = (
    ("libx264", {"crf": "17", "preset": "medium", "tune": "animation", "threads": "1"}),
    ("libsvtav1", {"crf": "28", "preset": "6"}),
    ("mpeg4", {"qscale": "2"}),
)
"""By what the film can be shown in: H.264 by everything, AV1 by current browsers, MPEG-4 by most players."""
_BT709 = 1


class Mp4:
    """An MP4 that is being written, an image for every tick.

    Args:
        rate: images per second.
        samples: images of its size, in even numbers.
    """

    def __init__(self, rate: int, samples: Sequence[Image]) -> None:
        height, width = samples[0].shape[:2]
        self._file = BytesIO()
        self._container: Any = av.open(self._file, "w", format="mp4")
        name, options = next(known for known in _ENCODERS if known[0] in av.codecs_available)
        stream = self._container.add_stream(name, rate=rate, options=options)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        context = stream.codec_context
        context.colorspace = context.color_primaries = context.color_trc = _BT709
        context.color_range = ColorRange.MPEG
        self._stream = stream

    def add(self, image: Image, ticks: int) -> None:
        """Show an image for so many ticks."""
        frame = av.VideoFrame.from_ndarray(image, format="rgb24")
        frame = frame.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG)
        for _ in range(ticks):
            frame.pts = None
            self._container.mux(self._stream.encode(frame))

    def finish(self) -> bytes:
        """The whole file."""
        self._container.mux(self._stream.encode())
        self._container.close()
        return self._file.getvalue()
