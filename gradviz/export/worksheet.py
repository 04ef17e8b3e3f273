"""The steps of a backward call with blanks, to print."""

from __future__ import annotations

from pathlib import Path

from gradviz.errors import GradvizError
from gradviz.formats.safe_write import put
from gradviz.playback.track import Track
from gradviz.recording import Recording


def write_worksheet(recording: Recording, sweep: int, file: Path) -> None:
    """Write the steps of a backward call with blanks, and their key on a page of its own, to print: PDF or HTML.

    Raises:
        GradvizError: the suffix is none of the two, or the file cannot be written.
    """
    from gradviz.texts.step_text import worksheet

    page = worksheet(Track(recording, sweep))
    if file.suffix.lower() in (".html", ".htm"):
        put(file, page.encode(errors="replace"))
    elif file.suffix.lower() == ".pdf":
        from gradviz.ui.canvas.files.printed_file import print_file

        print_file(page, file)
    else:
        raise GradvizError(f"{file}: a worksheet is a .pdf or an .html file")
