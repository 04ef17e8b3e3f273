"""Where the shipped files are: examples, icons, help pages, the JSON schema."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(*parts: str) -> Path:
    """The path of a shipped file or folder, in an installed wheel and in a checkout alike."""
    installed = _PACKAGE / "resources"
    root = installed if installed.is_dir() else _PACKAGE.parent / "resources"
    return root.joinpath(*parts)
