"""About gradviz: version, what it is made with, licences."""

from __future__ import annotations

import platform
from importlib import metadata

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gradviz import __version__
from gradviz.ui.look.icons import app_icon, without_icons
from gradviz.ui.look.theme import ui_font

PARTS = ("PySide6-Essentials", "numpy", "networkx", "pyqtgraph", "pygraphviz")


class About(QDialog):
    """Version and parts; the text can be selected for a bug report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About gradviz")
        picture = QLabel()
        picture.setPixmap(app_icon().pixmap(64, 64))
        name = QLabel("gradviz")
        name.setFont(ui_font(22, bold=True))
        what = QLabel("Step through what backward() really does.")
        self.versions = QLabel(versions_text())
        self.versions.setProperty("role", "dim")
        self.versions.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        licence = QLabel(
            "gradviz is free software under the MIT licence.\nFonts: Inter and JetBrains Mono (SIL OFL 1.1).\n"
            "Constants of oneDNN (Apache-2.0), SLEEF, Cephes and others."
        )
        licence.setProperty("role", "dim")
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        without_icons(close)
        words = QVBoxLayout()
        words.setSpacing(8)
        for part in (name, what, self.versions, licence):
            words.addWidget(part)
        row = QHBoxLayout()
        row.setSpacing(20)
        row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(16)
        layout.addLayout(row)
        layout.addWidget(close)


def versions_text() -> str:
    """gradviz, Python, system and parts with their versions, one per line."""
    lines = [
        f"gradviz {__version__}",
        f"Python {platform.python_version()} on {platform.system()} {platform.release()}",
    ]
    for part in PARTS:
        try:
            lines.append(f"{part} {metadata.version(part)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{part} is not installed")
    return "\n".join(lines)
