"""A folder of recordings, one of each rank of a distributed run, as it was left by one capture in every process."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from gradviz.errors import FormatError
from gradviz.formats import load
from gradviz.formats.watched import Nobody, Part, Watch
from gradviz.recording import Rank, Recording

MOST_FILES = 4096
"""Files of a folder that are looked at."""
_NOBODY = Nobody()


def load_ranks(folder: Path, watch: Watch = _NOBODY) -> list[Recording]:
    """The recordings of all ranks at the latest step that most of them have, by rank.

    Args:
        folder: with one file or more of each rank.
        watch: who waits for it.

    Raises:
        FormatError: the folder cannot be read, or holds no recording of a rank; or one file is damaged.
        Cancelled: nobody wants it any more.
    """
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix.lower() == ".gradviz")[:MOST_FILES]
    except OSError as error:
        raise FormatError(f"The folder {folder.name} cannot be read: {error.strerror or error}.") from None
    steps: defaultdict[int, dict[int, Recording]] = defaultdict(dict)
    for at, file in enumerate(files):
        try:
            recording = load(file, Part(watch, at / len(files), (at + 1) / len(files)))
        except FormatError as error:
            raise FormatError(f"{file.name} in the folder {folder.name}: {error.message}", hint=error.hint) from None
        if isinstance(recording.rank, Rank):
            steps[recording.rank.step or 0][recording.rank.rank] = recording
    if not steps:
        raise FormatError(
            f"The folder {folder.name} holds no recording of a distributed run",
            hint="Capture in every process, and save to one folder; a single file is opened by its own name.",
        )
    last = max(steps, key=lambda step: (len(steps[step]), step))
    return [steps[last][rank] for rank in sorted(steps[last])]
