"""The folder that a run may write into: it stands in front of the script's own folder, and goes with the run.

Whatever lies beside the script is linked in it, so a script that reads and writes by relative paths finds its files;
one that it writes over becomes a file of the run first, and the user's own stays as it is.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, wraps
from itertools import count
from pathlib import Path
from stat import S_ISDIR
from typing import Any

MOST_LINKS = 2_000
"""Files and folders beside a script that are linked, in each folder."""

MOST_BYTES = 1_000_000_000
"""What a run may write in all."""

MOST_FILES, DEEPEST = 20_000, 50
"""Files and folders, and folders inside one another."""

MOST_FILE_BYTES = 500_000_000
"""The same of one file, which the system itself sees to."""

LEFT_SECONDS = 3_600
"""A folder that nothing was written into for so long, and whose host is no more, was left over."""

_NAME = "gradviz-run-"
_MOVED = "moved out of the way"


class Scratch:
    """The folder of one run, as its host sees it.

    Attributes:
        path: of the folder.
    """

    def __init__(self) -> None:
        remove_left_over()
        self.path = str(Path(tempfile.mkdtemp(prefix=f"{_NAME}{os.getpid()}-")).resolve())

    def is_too_large(self) -> bool:
        """Whether the script has written more than it may: bytes, files, or folders inside one another."""
        total = files = 0
        for _, size, depth in own_files(self.path):
            total, files = total + size, files + 1
            if total > MOST_BYTES or files > MOST_FILES or depth > DEEPEST:
                return True
        return False

    def remove(self) -> None:
        """Remove it with all that is in it."""
        _remove(self.path)


def _remove(path: str) -> None:
    """Remove a folder, however deep it is: what lies in a folder inside it is moved up first."""
    waiting, numbers = [Path(path)], count()
    while waiting:
        folder = waiting.pop()
        with suppress(OSError):
            folder.chmod(0o700)
            for entry in list(os.scandir(folder)):
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path).rename(Path(path, f"{_MOVED} {next(numbers)}")))
                else:
                    Path(entry.path).unlink()
        with suppress(OSError):
            folder.rmdir()
    with suppress(OSError):
        Path(path).rmdir()


@cache
def remove_left_over() -> None:
    """Remove the folders of runs whose host was killed; looked for once."""
    if sys.platform == "win32":  # where asking for a process ends it
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_NAME}*-*"):
        number = folder.name.removeprefix(_NAME).partition("-")[0]
        with suppress(OSError):
            known = folder.lstat()
            is_ours = number.isdecimal() and known.st_uid == os.getuid() and S_ISDIR(known.st_mode)
            if is_ours and time.time() - known.st_mtime > LEFT_SECONDS:  # a container may have other process ids
                try:
                    os.kill(int(number), 0)
                except ProcessLookupError:
                    _remove(str(folder))


class Links:
    """What lies beside a script, linked into the folder of its run as soon as the script looks there.

    Most scripts never do, and links take a millisecond each on some disks.

    Args:
        folder: of the script, "" where it has none.
        scratch: the folder of the run, "" where it has none.
    """

    def __init__(self, folder: str, scratch: str) -> None:
        self._folder = folder
        self._scratch = scratch
        self._asked = {name: getattr(os, name) for name in ("stat", "lstat", "access")}
        self._is_made = not (folder and scratch)

    def watch(self) -> None:
        """Make the links when somebody asks whether a file is there, which no audit event tells."""
        if not self._is_made:
            for name, ask in self._asked.items():
                setattr(os, name, self._making(ask))

    def _making(self, ask: Any) -> Any:
        @wraps(ask)
        def asked(path: Any, *given: Any, **named: Any) -> Any:
            if not isinstance(path, int):
                text = os.fsdecode(path)
                if not os.path.isabs(text) or text.startswith(self._scratch):  # noqa: PTH117
                    self.make()
            return ask(path, *given, **named)

        return asked

    def make(self) -> None:
        """Make them, once."""
        if self._is_made:
            return
        self._is_made = True
        for name, ask in self._asked.items():
            setattr(os, name, ask)
        try:
            link_all(self._folder, self._scratch)
        except OSError:  # no links can be made, as on Windows: the script reads its files, and writes none
            os.chdir(self._folder)

    def take_over(self, path: str, *, is_emptied: bool) -> None:
        """Make a path in the folder the run's own, where a link stands on the way: a folder with links, or a copy.

        Args:
            path: absolute.
            is_emptied: whether what the file holds is not needed.

        Raises:
            OSError: as of any file.
        """
        self.make()
        parts = Path(path).relative_to(self._scratch).parts
        for level in range(1, len(parts) + 1):
            at = Path(self._scratch, *parts[:level])
            if not at.is_symlink():
                continue
            real = at.resolve()
            if real.is_dir():
                at.unlink()
                at.mkdir()
                link_all(str(real), str(at))
            elif level == len(parts):
                data = None if is_emptied else real.read_bytes()
                at.unlink()
                if data is not None:
                    at.write_bytes(data)


def link_all(folder: str, into: str) -> None:
    """Link what lies in a folder, but for hidden files, into another one."""
    with os.scandir(folder) as entries:
        for _, entry in zip(range(MOST_LINKS), (each for each in entries if each.name[:1] != "."), strict=False):
            Path(into, entry.name).symlink_to(entry.path)


def own_files(scratch: str) -> Iterator[tuple[str, int, int]]:
    """What a run has made: the paths in its folder, the sizes in bytes, and how deep they are.

    A folder, whose path ends with a slash, has no bytes; below `DEEPEST` nothing is looked at.
    """
    waiting = [(scratch, 1)]
    while waiting:
        at, depth = waiting.pop()
        with suppress(OSError):
            for entry in list(os.scandir(at)):
                if entry.is_symlink():
                    continue
                is_folder = entry.is_dir(follow_symlinks=False)
                size = 0 if is_folder else entry.stat(follow_symlinks=False).st_size
                yield entry.path[len(scratch) + 1 :].replace(os.sep, "/") + "/" * is_folder, size, depth
                if is_folder and depth <= DEEPEST:
                    waiting.append((entry.path, depth + 1))
