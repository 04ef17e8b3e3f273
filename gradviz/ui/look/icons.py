"""The app's own icons: line drawings in one colour that follows the theme."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QToolButton

from gradviz.shipped import shipped

if TYPE_CHECKING:  # PySide6 makes a class when it is first asked for
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QAbstractButton, QDialogButtonBox, QMessageBox

    from gradviz.ui.look.theme import Theme

_SIZES = (16, 20, 40)  # menus, buttons, and both on a dense screen; each one drawn delays the first window


@lru_cache(maxsize=256)
def icon(name: str, color: str, disabled: str = "") -> QIcon:
    """The icon `resources/icons/<name>.svg` drawn in `color` ("#RRGGBB"), and in `disabled` where it cannot be used.

    Raises:
        FileNotFoundError: there is no such icon.
    """
    text = shipped("icons", f"{name}.svg").read_text(encoding="utf-8")
    result = QIcon()
    for mode, paint in ((QIcon.Mode.Normal, color), (QIcon.Mode.Disabled, disabled)):
        for pixels in _SIZES if paint else ():
            result.addPixmap(_drawn(text.replace("currentColor", paint), pixels), mode)
    return result


def dress(target: QAction | QAbstractButton, name: str, theme: Theme, role: str = "text") -> None:
    """Give a lasting action or button its icon in a colour of the palette, and keep it so when the theme changes."""
    target.setProperty("icon_name", name)
    target.setProperty("icon_role", role)

    def draw() -> None:
        palette = theme.palette
        shown, colour = str(target.property("icon_name")), getattr(palette, str(target.property("icon_role")))
        target.setIcon(icon(shown, colour, palette.faint))

    draw()
    theme.changed.connect(draw)


def icon_button(name: str, words: str, theme: Theme, pixels: int = 16) -> QToolButton:
    """A quiet button with an icon alone; `words` are its tip and, without the key in brackets, what it is called."""
    button = QToolButton()
    button.setIconSize(QSize(pixels, pixels))
    button.setToolTip(words)
    button.setAccessibleName(words.partition(" (")[0])
    dress(button, name, theme, "dim")
    return button


def redraw(target: QAction | QAbstractButton, name: str, theme: Theme) -> None:
    """Another icon on a target that is dressed already, e.g. pause for play."""
    target.setProperty("icon_name", name)
    role = str(target.property("icon_role"))
    target.setIcon(icon(name, getattr(theme.palette, role), theme.palette.faint))


def app_icon() -> QIcon:
    """The icon of the program."""
    text = shipped("icons", "gradviz.svg").read_text(encoding="utf-8")
    result = QIcon()
    for pixels in (16, 24, 32, 48, 64, 128, 256):
        result.addPixmap(_drawn(text, pixels))
    return result


def without_icons(box: QDialogButtonBox | QMessageBox) -> None:
    """Take the style's own coloured signs from the buttons of a dialog: the words are enough."""
    for button in box.buttons():
        button.setIcon(QIcon())


def _drawn(text: str, pixels: int) -> QPixmap:
    from PySide6.QtSvg import QSvgRenderer  # late: only the first icon needs it

    pixmap = QPixmap(QSize(pixels, pixels))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(text.encode())).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    return pixmap
