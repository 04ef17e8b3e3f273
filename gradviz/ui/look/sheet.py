"""The one style sheet: all that Qt draws by rules, in the colours of a palette.

The window has the style sheet, not the application: with that, Qt would dress each widget anew as often as it has
others around it. Widgets with sheets of their own would be dressed twice at each change.
"""

from __future__ import annotations

from gradviz.shipped import shipped
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import CAPTION_PX, MONO_FAMILY


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
    QPlainTextEdit, QTextEdit {{ background: {p.panel}; color: {p.text}; border: none; placeholder-text-color: {p.dim};
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
    {_strip_rules(p)}
    {_float_rules(p)}
    {_choice_rules(p)}
    {_strong_rules(p) if p.is_strong else ""}"""


def _tick(p: Palette) -> str:
    """The tick of a checked box, in the ink that reads on its colour."""
    return shipped("icons", "tick_dark.svg" if p.is_dark else "tick_light.svg").as_posix()


def _start_rules(p: Palette) -> str:
    return f"""
    QWidget#start {{ background: {p.window}; }}
    QFrame#entry {{ background: {p.card}; border: 1px solid {p.hairline}; border-radius: 10px; }}
    QFrame#entry QPlainTextEdit {{ background: {p.card}; }}
    """


def _strip_rules(p: Palette) -> str:
    """The strips above and below the graph: a ground each, and a hairline towards the graph."""
    return f"""
    #held, #watch, #lesson_strip {{ background: {p.forward_tint}; }}
    #alarm {{ background: {p.error_tint}; }}
    #whatif {{ background: {p.changed_tint}; }}
    #compare {{ background: {p.card}; }}
    #top, #heat {{ background: {p.panel}; }}
    #problem {{ background: {p.error_tint}; border: none; border-left: 3px solid {p.error}; }}
    #held, #alarm, #whatif, #compare, #watch, #top {{ border-bottom: 1px solid {p.hairline}; }}
    #lesson_strip, #heat {{ border-top: 1px solid {p.hairline}; }}
    #held QLabel, #whatif QLabel, #compare QLabel, #lesson_strip QLabel {{ color: {p.text}; }}
    #watch QLabel {{ color: {p.text}; padding: 4px 0; }}
    #whatif QLabel#words {{ color: {p.changed}; font-weight: 600; }}
    #whatif QLabel#notes {{ font-size: 12px; }}
    #lesson_strip QToolButton {{ color: {p.dim}; padding: 5px 8px; }}
    #lesson_strip QToolButton:checked {{ color: {p.forward}; background: {p.card}; border: 1px solid {p.forward}; }}
    #heat QToolButton {{ padding: 3px 10px; border: 1px solid transparent; }}
    #heat QToolButton:checked {{ background: {p.forward_tint}; border-color: {p.forward}; }}
    #top QMenuBar {{ background: transparent; border: none; color: {p.dim}; padding: 0; }}
    #top QMenuBar::item:selected {{ background: {p.window}; color: {p.text}; }}
    #top QToolButton {{ color: {p.dim}; padding: 6px 10px; }}
    #top QLabel#brand {{ font-weight: 600; font-size: 14px; }}
    #top QLabel#slash {{ color: {p.faint}; }}
    #problem QScrollArea, #problem QScrollArea > QWidget > QWidget, #problem QLabel {{ background: transparent; }}
    #problem QLabel {{ color: {p.error}; }} #problem QLabel#hint {{ color: {p.text}; }}
    """


def _float_rules(p: Palette) -> str:
    """What lies over the graph or over the window."""
    return f"""
    #commands {{ background: {p.card}; border: 1px solid {p.faint}; border-radius: 12px; }}
    #commands QLineEdit {{ font-size: 15px; padding: 7px 10px; }}
    #commands QListView {{ background: {p.card}; }}
    #find {{ background: {p.card}; border: 1px solid {p.hairline}; border-radius: 10px; }}
    #find QToolButton {{ padding: 4px; }}
    #progress {{ background: {p.card}; border: 1px solid {p.hairline}; border-radius: 8px; }}
    #progress QProgressBar {{ background: {p.hairline}; border: none; border-radius: 3px; }}
    #progress QProgressBar::chunk {{ background: {p.forward}; border-radius: 3px; }}
    #progress QToolButton {{ padding: 3px 10px; border: 1px solid {p.hairline}; border-radius: 5px; }}
    #badge {{ background: {p.card}; color: {p.dim}; border: 1px solid {p.hairline}; border-radius: 9px;
        padding: 2px 9px; font-size: {CAPTION_PX}px; font-weight: 600; }}
    #note {{ background: {p.card}; border: 1px solid {p.faint}; border-radius: 8px; padding: 6px 10px; }}
    #copy {{ background: {p.card}; color: {p.dim}; border: 1px solid {p.hairline}; border-radius: 6px;
        padding: 2px 8px; font-size: {CAPTION_PX}px; }}
    #copy:hover {{ color: {p.text}; }}
    """


def _choice_rules(p: Palette) -> str:
    """Rows of buttons of which one is chosen, and lists with boxes to tick."""
    return f"""
    QToolButton[role="choice"] {{ border: 1px solid {p.hairline}; padding: 5px 12px; background: {p.card}; }}
    QToolButton[role="choice"]:checked {{ background: {p.forward_tint}; border-color: {p.forward}; }}
    QToolButton[role="choice"]:focus {{ border-color: {p.forward}; }}
    #v QLabel {{ color: {p.backward}; }} #u QLabel {{ color: {p.leaf}; }}
    #v QToolButton:checked {{ background: {p.backward_tint}; border-color: {p.backward}; }}
    #u QToolButton:checked {{ background: {p.leaf_tint}; border-color: {p.leaf}; }}
    #leaves, #pairs {{ background: transparent; }}
    #leaves QToolButton {{ border: 1px solid {p.hairline}; padding: 2px 8px; }}
    #leaves QToolButton:checked {{ background: {p.forward_tint}; border-color: {p.forward}; }}
    #leaves QToolButton:focus {{ border-color: {p.forward}; }}
    #pairs QLabel#first {{ color: {p.forward}; }} #pairs QLabel#second {{ color: {p.backward}; }}
    #pairs QLabel#arrow {{ color: {p.dim}; padding: 4px 0; }}
    #pairs QLabel#made {{ background: {p.backward_tint}; border-radius: 6px; padding: 4px 10px; color: {p.text}; }}
    #pairs QToolButton {{ background: {p.forward_tint}; border: 1px solid {p.forward_tint}; padding: 3px 10px;
        font-family: "{MONO_FAMILY}"; }}
    #pairs QToolButton:hover, #pairs QToolButton:focus {{ border-color: {p.forward}; }}
    #breakpoints QTreeView {{ background: {p.panel}; border: none; outline: none; }}
    #breakpoints QTreeView::item {{ padding: 0 2px; }}
    #breakpoints QTreeView::item:selected {{ background: {p.forward_tint}; color: {p.text}; }}
    #breakpoints QTreeView::indicator {{ width: 8px; height: 8px; border-radius: 6px; border: 2px solid {p.error}; }}
    #breakpoints QTreeView::indicator:checked {{ background: {p.error}; }}
    """


def _strong_rules(p: Palette) -> str:
    """What shows by a tint alone elsewhere has a border in high contrast."""
    return f"""
    QPushButton:hover, QToolButton:hover {{ border: 1px solid {p.text}; }}
    QPushButton:focus, QToolButton:focus, QLineEdit:focus, QSpinBox:focus, QComboBox:focus {{
        border: 2px solid {p.forward}; }}
    QMenu::item:selected, QMenuBar::item:selected, QListView::item:selected {{ border: 1px solid {p.forward}; }}
    """
