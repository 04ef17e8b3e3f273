"""gradviz in the menu of a Linux desktop, and as what opens `.gradviz` files there: files in the user's own folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gradviz.errors import GradvizError
from gradviz.shipped import shipped

MIME = "application/x-gradviz"
_MIME_PACKAGE = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{MIME}">
    <comment>gradviz recording</comment>
    <sub-class-of type="application/zip"/>
    <icon name="gradviz"/>
    <glob pattern="*.gradviz"/>
  </mime-type>
</mime-info>
"""
_ENTRY = """\
[Desktop Entry]
Type=Application
Name=gradviz
GenericName=Backward pass viewer
Comment=Step through what backward() really does
Exec={command} %f
Icon=gradviz
Terminal=false
Categories=Education;Science;Development;
MimeType={mime};
StartupWMClass=gradviz
"""
_ESCAPED = str.maketrans({char: f"\\{char}" for char in '"`$\\'})


def desktop_files(command: Sequence[str]) -> dict[str, str]:
    """The files by their places in a data folder of the desktop.

    Args:
        command: program and arguments that start gradviz.
    """
    return {
        "applications/gradviz.desktop": _ENTRY.format(command=" ".join(map(_quoted, command)), mime=MIME),
        "mime/packages/gradviz.xml": _MIME_PACKAGE,
        "icons/hicolor/scalable/apps/gradviz.svg": shipped("icons", "gradviz.svg").read_text(encoding="utf-8"),
    }


def install_desktop_entry(folder: Path | None = None, command: Sequence[str] | None = None) -> list[Path]:
    """Write the files, and tell the desktop; what was written.

    Args:
        folder: the data folder; None for the user's own.
        command: what starts gradviz; None for the Python that runs it now.

    Raises:
        GradvizError: the system is another, where there is no such thing.
        OSError: a file cannot be written.
    """
    folder = _data_folder(sys.platform, os.environ) if folder is None else folder
    given = (sys.executable, "-P", "-m", "gradviz") if command is None else command
    written = []
    for name, text in desktop_files(given).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        written.append(file)
    _tell_desktop(folder)
    return written


def remove_desktop_entry(folder: Path | None = None) -> list[Path]:
    """Remove the files again; what was there.

    Raises:
        GradvizError, OSError: as `install_desktop_entry`.
    """
    folder = _data_folder(sys.platform, os.environ) if folder is None else folder
    found = [folder / name for name in desktop_files(()) if (folder / name).exists()]
    for file in found:
        file.unlink()
    _tell_desktop(folder)
    return found


def _data_folder(platform: str, variables: Mapping[str, str]) -> Path:
    if platform in ("win32", "darwin"):
        raise GradvizError(
            "only Linux has desktop entries",
            hint="Open a .gradviz file with the menu of its icon, and choose gradviz there.",
        )
    given = variables.get("XDG_DATA_HOME", "")
    return Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "share"


def _tell_desktop(folder: Path, which: Callable[[str], str | None] = shutil.which) -> None:
    """Have the lists of programs and of types made anew; a desktop without these programs looks by itself."""
    for program, place in (("update-desktop-database", "applications"), ("update-mime-database", "mime")):
        path = which(program)
        if path is not None:
            subprocess.run([path, str(folder / place)], check=False, capture_output=True)  # noqa: S603 - a fixed program


def _quoted(word: str) -> str:
    """A word of a command as a desktop entry has it; a percent sign there stands for what is opened."""
    return f'"{word.translate(_ESCAPED)}"'.replace("\\", "\\\\").replace("%", "%%")
