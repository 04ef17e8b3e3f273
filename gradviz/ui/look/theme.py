"""Fonts, and the switch between light, dark and high contrast. Colours come from `palette` alone."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette, QStyleHints
from PySide6.QtWidgets import QApplication

from gradviz.shipped import shipped
from gradviz.ui.look.palette import BLACK, DARK, LIGHT, WHITE, Palette

UI_FAMILY = "Inter"
MONO_FAMILY = "JetBrains Mono"
TEXT_PX = 13
CAPTION_PX = 11

PALETTES = {palette.name: palette for palette in (LIGHT, DARK, WHITE, BLACK)}

CHOICES = ("system", *PALETTES)
"""What can be chosen: follow the system, or one of the palettes."""


def load_fonts() -> None:
    """Make the shipped fonts known to Qt; needs an application object. Safe to call twice."""
    known = set(QFontDatabase.families())
    if UI_FAMILY in known and MONO_FAMILY in known:
        return
    for file in sorted(shipped("fonts").glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(file))


def ui_font(pixels: float = TEXT_PX, *, bold: bool = False) -> QFont:
    """The font of words. Falls back to the system's interface font for signs that Inter lacks."""
    return _font(UI_FAMILY, pixels, QFont.Weight.DemiBold if bold else QFont.Weight.Normal)


def caption_font() -> QFont:
    """The font of a caption: small, bold and spaced, as the style sheet has it for labels."""
    font = ui_font(CAPTION_PX, bold=True)
    font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0.6)
    return font


def mono_font(pixels: float = TEXT_PX, *, bold: bool = False) -> QFont:
    """The font of numbers and code: monospaced, so that numbers align."""
    return _font(MONO_FAMILY, pixels, QFont.Weight.Bold if bold else QFont.Weight.Normal)


class _Fonts(threading.local):
    """The fonts of this thread: one may be used by one thread only, even to measure."""

    def __init__(self) -> None:
        self.made: dict[tuple[str, int, QFont.Weight], QFont] = {}


_fonts = _Fonts()


def _font(family: str, pixels: float, weight: QFont.Weight) -> QFont:
    """A font of one's own; what Qt has found for it is shared with all alike."""
    key = (family, max(1, round(pixels)), weight)
    if key not in _fonts.made:
        font = _fonts.made[key] = QFont(family)
        font.setPixelSize(key[1])
        font.setWeight(weight)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        without_ligatures(font)
        if family == MONO_FAMILY:
            font.setStyleHint(QFont.StyleHint.Monospace)
    return QFont(_fonts.made[key])


def without_ligatures(font: QFont) -> None:
    """Have a font show != and -> as typed, and x1w1x2 as no product."""
    font.setFeature(QFont.Tag("calt"), 0)


def color(value: str, alpha: float = 1.0) -> QColor:
    """A colour of the palette, with an opacity 0..1."""
    result = QColor(value)
    result.setAlphaF(alpha)
    return result


class Theme(QObject):
    """The palette in force.

    Attributes:
        choice: one of `CHOICES`.

    Signals:
        changed: another palette is in force; views repaint and read `palette` again.
    """

    changed = Signal()

    def __init__(self, choice: str = "system") -> None:
        super().__init__()
        self.choice = choice
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._system_changed)
        accessibility = getattr(hints, "accessibility", None)
        if accessibility is not None:  # since Qt 6.10
            accessibility().contrastPreferenceChanged.connect(self._system_changed)
        self.palette = self._resolve()

    def choose(self, choice: str) -> None:
        """Follow the system, or stay with one palette: one of `CHOICES`."""
        self.choice = choice
        self._apply()

    def install(self, app: QApplication) -> None:
        """Load the fonts and set style and colours; called once before the first window."""
        load_fonts()
        app.setStyle("Fusion")
        app.setFont(ui_font())
        app.setPalette(qt_palette(self.palette))

    def _resolve(self) -> Palette:
        return PALETTES.get(self.choice) or system_palette(QGuiApplication.styleHints())

    def _system_changed(self) -> None:
        if self.choice == "system":
            self._apply()

    def _apply(self) -> None:
        palette = self._resolve()
        if palette is self.palette:
            return
        self.palette = palette
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.setPalette(qt_palette(self.palette))
        self.changed.emit()


def system_palette(hints: QStyleHints) -> Palette:
    """The palette that the system asks for: light or dark, with high contrast where Qt can tell (since 6.10)."""
    is_dark = hints.colorScheme() == Qt.ColorScheme.Dark
    accessibility = getattr(hints, "accessibility", None)
    if accessibility is not None and accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
        return BLACK if is_dark else WHITE
    return DARK if is_dark else LIGHT


def qt_palette(p: Palette) -> QPalette:
    """Qt's own palette, for what the style sheet does not name."""
    roles = QPalette.ColorRole
    table = {
        roles.Window: p.window,
        roles.WindowText: p.text,
        roles.Base: p.panel,
        roles.AlternateBase: p.window,
        roles.Text: p.text,
        roles.Button: p.panel,
        roles.ButtonText: p.text,
        roles.ToolTipBase: p.card,
        roles.ToolTipText: p.text,
        roles.PlaceholderText: p.dim,
        roles.Highlight: p.forward,
        roles.HighlightedText: p.on_accent,
        roles.Link: p.forward,
    }
    palette = QPalette()
    for role, value in table.items():
        palette.setColor(role, QColor(value))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(p.faint))
    return palette
