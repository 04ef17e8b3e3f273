"""Says whether a piece of code touched a file, a process or the network: an audit hook that can be switched on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gradviz.imitation.script.text.parsing import NO_FILE

TOUCHES = (
    "open", "os.", "subprocess.", "socket.", "shutil.", "ctypes.", "urllib.", "http.", "ftplib.", "smtplib.", "exec",
    "import", "pty.", "tempfile.", "webbrowser.", "builtins.input", "builtins.breakpoint", "code.__new__", "glob.",
    "pathlib.", "mmap.", "pickle.", "marshal.", "sqlite3.", "signal.", "syslog.", "sys.settrace", "sys.setprofile",
    "cpython.run_", "function.__new__", "gc.get", "winreg.", "fcntl.", "faulthandler.",
)  # fmt: skip
"""Beginnings of the names of audit events that a script must not cause."""

OWN = ("gradviz", "numpy", "ml_dtypes")
"""What the reader itself loads late."""

LATE = ("_strptime", "locale", "calendar", "inspect", "statistics", "fractions", "decimal", "textwrap", "pprint")
"""Modules of the standard library that a stand-in loads when it is first asked."""


class Guard:
    """Notes what happens inside `watching`.

    Attributes:
        touched: events that no script may cause, with their arguments.
        loaded: modules that were imported meanwhile.
    """

    def __init__(self) -> None:
        self.touched: list[str] = []
        self.loaded: set[str] = set()
        self._is_on = False
        sys.addaudithook(self._heard)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """What happens inside is noted."""
        self.touched.clear()
        self._is_on = True
        try:
            yield
        finally:
            self._is_on = False

    @contextmanager
    def looking_away(self) -> Iterator[None]:
        """What happens inside is not the script's doing."""
        was, self._is_on = self._is_on, False
        try:
            yield
        finally:
            self._is_on = was

    def _heard(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self._is_on or (event == "open" and arguments[0] == NO_FILE) or not event.startswith(TOUCHES):
            return
        self._is_on = False  # what is done here is not the script's doing
        if event == "import" and str(arguments[0]).split(".")[0] in OWN + LATE:
            self.loaded.add(str(arguments[0]))
        elif not _loads_module():
            self.touched.append(f"{event} {arguments!r}"[:500])
        self._is_on = True


LOADERS = ("<frozen importlib", "shibokensupport")
"""Files that stand on the stack during an import; PySide's, where it is loaded, looks into the importing module."""


def _loads_module() -> bool:
    """Whether an import is going on, whose files are opened and run."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename.startswith(LOADERS):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False
