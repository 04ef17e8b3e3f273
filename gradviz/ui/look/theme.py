"""Fonts, the style sheet and the switch between light, dark and high contrast. Colours come from `palette` alone.

The window has the style sheet, not the application: with that, Qt would dress each widget anew as often as it has
others around it.
"""

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

    Signals:
        changed: another palette is in force; views repaint and read `palette` again.
    """

    changed = Signal()

    def __init__(self, choice: str = "system") -> None:
        super().__init__()
        self._choice = choice
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._system_changed)
        accessibility = getattr(hints, "accessibility", None)
        if accessibility is not None:  # since Qt 6.10
            accessibility().contrastPreferenceChanged.connect(self._system_changed)
        self.palette = self._resolve()

    @property
    def choice(self) -> str:
        """One of `CHOICES`."""
        return self._choice

    def choose(self, choice: str) -> None:
        """Follow the system, or stay with one palette: one of `CHOICES`."""
        self._choice = choice
        self._apply()

    def install(self, app: QApplication) -> None:
        """Load the fonts and set style and colours; called once before the first window."""
        load_fonts()
        app.setStyle("Fusion")
        app.setFont(ui_font())
        app.setPalette(qt_palette(self.palette))

    def _resolve(self) -> Palette:
        return PALETTES.get(self._choice) or system_palette(QGuiApplication.styleHints())

    def _system_changed(self) -> None:
        if self._choice == "system":
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


def style_sheet(p: Palette) -> str:
    """The style sheet. Widgets opt in by object name or by the property `role`.

    Roles: caption (small grey spaced capitals), dim, mono, card (framed surface), panel (side area),
    flat (quiet tool button), primary (the one filled button of an area), error.
    """
    return f"""
    QMainWindow, QDialog {{ background: {p.window}; }}
    QFileDialog {{ min-width: 820px; min-height: 480px; }}
    QToolTip {{ background: {p.card}; color: {p.text}; border: 1px solid {p.hairline}; padding: 4px 8px; }}
    QSplitter::handle {{ background: {p.hairline}; }}
    QSplitter::handle:horizontal {{ width: 1px; }} QSplitter::handle:vertical {{ height: 1px; }}
    QMenuBar {{ background: {p.panel}; border-bottom: 1px solid {p.hairline}; padding: 2px 8px; }}
    QMenuBar::item {{ padding: 6px 10px; border-radius: 6px; background: transparent; }}
    QMenuBar::item:selected {{ background: {p.window}; }}
    QMenu {{ background: {p.card}; border: 1px solid {p.hairline}; border-radius: 8px; padding: 4px; }}
    QMenu::item {{ padding: 6px 28px 6px 12px; border-radius: 6px; }}
    QMenu::item:selected {{ background: {p.forward_tint}; color: {p.text}; }}
    QMenu::item:disabled {{ color: {p.faint}; }}
    QMenu::separator {{ height: 1px; background: {p.hairline}; margin: 4px 8px; }}
    QStatusBar {{ background: {p.panel}; color: {p.dim}; border-top: 1px solid {p.hairline}; }}
    QStatusBar::item {{ border: none; }}
    QLabel[role="caption"] {{ color: {p.dim}; font-size: {CAPTION_PX}px; font-weight: 600; letter-spacing: 0.6px; }}
    QLabel[role="dim"] {{ color: {p.dim}; }}
    QLabel[role="mono"] {{ font-family: "{MONO_FAMILY}"; }}
    QLabel[role="error"] {{ color: {p.error}; }}
    QFrame[role="panel"], QWidget[role="panel"] {{ background: {p.panel}; }}
    QFrame[role="card"] {{ background: {p.card}; border: 1px solid {p.hairline}; border-radius: 10px; }}
    QScrollArea {{ background: transparent; border: none; }}
    #cards {{ border-top: 1px solid transparent; border-bottom: 1px solid transparent; }}
    #cards:focus {{ border-color: {p.forward}; }}
    QPlainTextEdit, QTextEdit {{ background: {p.panel}; color: {p.text}; border: none;
        selection-background-color: {p.forward}; selection-color: {p.on_accent}; }}
    QLineEdit, QSpinBox, QComboBox {{ background: {p.card}; color: {p.text};
        placeholder-text-color: {p.dim};
        border: 1px solid {p.hairline}; border-radius: 6px; padding: 4px 8px; min-height: 20px; }}
    QLineEdit:focus, QSpinBox:focus, QComboBox:focus {{ border-color: {p.forward}; }}
    QComboBox::drop-down {{ border: none; width: 20px; }}
    QComboBox::down-arrow {{ image: url("{shipped("icons", "combo.svg").as_posix()}"); width: 16px; height: 16px; }}
    QFileDialog {{
        backward-icon: url("{shipped("icons", "folder_back.svg").as_posix()}");
        forward-icon: url("{shipped("icons", "folder_forward.svg").as_posix()}");
        filedialog-parent-directory-icon: url("{shipped("icons", "folder_up.svg").as_posix()}"); }}
    QSpinBox QLineEdit {{ border: none; padding: 0; min-height: 0; background: transparent; }}
    QSpinBox::up-button, QSpinBox::down-button {{ width: 0; border: none; }}
    QRadioButton, QCheckBox {{ color: {p.text}; spacing: 8px; }}
    QRadioButton::indicator, QCheckBox::indicator {{ width: 12px; height: 12px; border: 2px solid {p.dim};
        background: {p.card}; }}
    QRadioButton::indicator {{ border-radius: 8px; }} QCheckBox::indicator {{ border-radius: 4px; }}
    QRadioButton::indicator:checked, QCheckBox::indicator:checked {{ border-color: {p.forward};
        background: {p.forward}; }}
    QCheckBox::indicator:checked {{ image: url("{_tick(p)}"); }}
    QRadioButton::indicator:checked {{ background: qradialgradient(cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5,
        stop: 0 {p.forward}, stop: 0.55 {p.forward}, stop: 0.6 {p.card}, stop: 1 {p.card}); }}
    QComboBox QAbstractItemView {{ background: {p.card}; border: 1px solid {p.hairline}; outline: none;
        selection-background-color: {p.forward_tint}; selection-color: {p.text}; }}
    QPushButton {{ background: {p.card}; color: {p.text}; border: 1px solid {p.hairline}; border-radius: 8px;
        padding: 6px 14px; }}
    QPushButton:hover {{ background: {p.window}; }}
    QPushButton:disabled {{ color: {p.faint}; }}
    QPushButton:focus {{ border-color: {p.forward}; }}
    QPushButton[role="primary"] {{ background: {p.backward}; color: {p.on_accent}; border: none; font-weight: 600; }}
    QPushButton[role="primary"]:disabled {{ background: {p.backward_tint}; color: {p.dim}; }}
    QPushButton[role="primary"]:focus {{ border: 2px solid {p.text}; padding: 4px 12px; }}
    QToolButton {{ background: transparent; border: none; border-radius: 8px; padding: 6px; color: {p.text}; }}
    QToolButton:hover {{ background: {p.window}; }}
    QToolButton:disabled {{ color: {p.faint}; }}
    QTableView {{ background: {p.panel}; border: none; gridline-color: {p.hairline}; outline: none;
        selection-background-color: {p.forward_tint}; selection-color: {p.text}; }}
    QHeaderView {{ background: {p.panel}; }}
    QHeaderView::section {{ background: {p.panel}; color: {p.dim}; border: none;
        border-bottom: 1px solid {p.hairline}; padding: 4px 8px; font-size: {CAPTION_PX}px; font-weight: 600; }}
    QListView {{ background: {p.panel}; border: none; outline: none; }}
    QListView::item:selected {{ background: {p.forward_tint}; color: {p.text}; }}
    QScrollBar:vertical {{ background: transparent; width: 10px; margin: 2px; }}
    QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 2px; }}
    QScrollBar::handle {{ background: {p.hairline}; border-radius: 3px; min-height: 24px; min-width: 24px; }}
    QScrollBar::handle:hover {{ background: {p.faint}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QSlider::groove:horizontal {{ background: {p.hairline}; height: 4px; border-radius: 2px; }}
    QSlider::handle:horizontal {{ background: {p.card}; border: 2px solid {p.dim}; border-radius: 7px;
        width: 10px; margin: -5px 0; }}
    QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus {{ border-color: {p.forward}; }}
    QAbstractScrollArea::corner {{ background: transparent; border: none; }}
    {_start_rules(p)}
    {_strong_rules(p) if p.is_strong else ""}"""


def _tick(p: Palette) -> str:
    """The tick of a checked box, in the ink that reads on its colour."""
    return shipped("icons", "tick_dark.svg" if p.is_dark else "tick_light.svg").as_posix()


def _start_rules(p: Palette) -> str:
    """The start page. A sheet of its own would dress its many cards twice at each change."""
    return f"""
    QWidget#start {{ background: {p.window}; }}
    QFrame#entry {{ background: {p.card}; border: 1px solid {p.hairline}; border-radius: 10px; }}
    QFrame#entry QPlainTextEdit {{ background: {p.card}; }}
    """


def _strong_rules(p: Palette) -> str:
    """What shows by a tint alone elsewhere has a border in high contrast."""
    return f"""
    QPushButton:hover, QToolButton:hover {{ border: 1px solid {p.text}; }}
    QPushButton:focus, QToolButton:focus, QLineEdit:focus, QSpinBox:focus, QComboBox:focus {{
        border: 2px solid {p.forward}; }}
    QMenu::item:selected, QMenuBar::item:selected, QListView::item:selected {{ border: 1px solid {p.forward}; }}
    """
