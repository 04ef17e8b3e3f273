"""What the app remembers between starts: window, theme, recent files. Kept by QSettings, read as plain values."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

MAX_RECENT = 10


class Settings:
    """Named, typed access; a damaged or missing entry reads as its default.

    Args:
        file: an .ini file to keep them in; without it, where the system keeps settings.
    """

    def __init__(self, file: Path | None = None) -> None:
        ini = QSettings.Format.IniFormat
        self._store = QSettings("gradviz", "gradviz") if file is None else QSettings(str(file), ini)

    @property
    def theme(self) -> str:
        """ "system", "light" or "dark"."""
        return self._choice("theme", ("system", "light", "dark"))

    @theme.setter
    def theme(self, choice: str) -> None:
        self._store.setValue("theme", choice)

    @property
    def direction(self) -> str:
        """ "down" or "right"."""
        return self._choice("direction", ("down", "right"))

    @direction.setter
    def direction(self, direction: str) -> None:
        self._store.setValue("direction", direction)

    @property
    def reduced_motion(self) -> bool:
        """Whether steps are shown without animation."""
        return self._choice("reduced_motion", ("false", "true")) == "true"

    @reduced_motion.setter
    def reduced_motion(self, is_on: bool) -> None:
        self._store.setValue("reduced_motion", "true" if is_on else "false")

    @property
    def recent(self) -> tuple[Path, ...]:
        """Files opened lately that are still there, the latest first."""
        stored = self._store.value("recent", [])
        entries = [stored] if isinstance(stored, str) else stored if isinstance(stored, list) else []
        return tuple(path for path in map(Path, entries) if path.is_file())[:MAX_RECENT]

    def remember_file(self, path: Path) -> None:
        """Put a file first among the recent ones."""
        path = path.resolve()
        others = [known for known in self.recent if known != path]
        self._store.setValue("recent", [str(known) for known in (path, *others)][:MAX_RECENT])

    def forget_files(self) -> None:
        """Empty the list of recent files."""
        self._store.remove("recent")

    @property
    def folder(self) -> Path:
        """Where file dialogs start."""
        stored = Path(str(self._store.value("folder", "")))
        return stored if stored.is_dir() else Path.home()

    @folder.setter
    def folder(self, path: Path) -> None:
        self._store.setValue("folder", str(path))

    def window_state(self, part: str) -> QByteArray | None:
        """The stored geometry or splitter state of a part of the window, or None."""
        stored = self._store.value(f"window/{part}")
        return stored if isinstance(stored, QByteArray) else None

    def remember_window_state(self, part: str, state: QByteArray) -> None:
        """Store the geometry or splitter state of a part of the window."""
        self._store.setValue(f"window/{part}", state)

    def save(self) -> None:
        """Write to disk now."""
        self._store.sync()

    def _choice(self, key: str, allowed: tuple[str, ...]) -> str:
        """The stored text if it is allowed, else the first allowed one."""
        stored = str(self._store.value(key, allowed[0]))
        return stored if stored in allowed else allowed[0]
