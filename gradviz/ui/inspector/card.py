"""The pieces every card is made of: a frame with a caption, and a text that wraps, can be selected and holds links."""

from __future__ import annotations

import re
from html import escape, unescape

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gradviz.ui.look.by_width import ByWidth, WrappedLabel
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.rich_label import RichLabel
from gradviz.ui.look.theme import CAPTION_PX, ui_font

_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
LONG_WORD = 20
"""Characters from which a word may be broken after _ . and brackets."""
_LONG, _BREAK = re.compile(rf"\S{{{LONG_WORD},}}"), re.compile(r"(?<=[_./(·])")


def rich(text: str, colour: str = "", *, mono: bool = False, bold: bool = False, pixels: int = 0) -> str:
    """A text as rich text of one style; signs of HTML are escaped."""
    whole = text.replace(" × ", "\u00a0×\u00a0")  # 2 × 2 stays on one line
    return styled(escape(breakable(whole)), colour, mono=mono, bold=bold, pixels=pixels)


def styled(markup: str, colour: str = "", *, mono: bool = False, bold: bool = False, pixels: int = 0) -> str:
    """Rich text in a style; "" stays "", so that an empty text can be told from a written one."""
    if not markup:
        return ""
    style = [f"color:{colour}"] if colour else []
    style += ["font-family:'JetBrains Mono'"] if mono else []
    style += ["font-weight:600"] if bold else []
    style += [f"font-size:{pixels}px"] if pixels else []
    return f'<span style="{";".join(style)}">{markup}</span>' if style else markup


_TAG = re.compile(r"<[^>]*>")
_UNSEEN = str.maketrans({"\u200b": None, "\u2060": None, "\u00a0": " "})


def visible(markup: str) -> str:
    """What is seen of rich text."""
    return unescape(_TAG.sub("", markup)).translate(_UNSEEN)


def link(target: str, markup: str, colour: str) -> str:
    """A link in a colour of its own, without an underline: there are many of them, and they are names."""
    return f'<a href="{target}" style="color:{colour};text-decoration:none">{markup}</a>'


def breakable(text: str) -> str:
    """The text with places where a long word may be broken, so that no name is cut off in a narrow window."""
    if len(text) < LONG_WORD:
        return text
    return _LONG.sub(lambda word: _BREAK.sub("\u200b", word[0]), text)


class Text(RichLabel):
    """Rich text that wraps, can be selected and copied. It hides itself while it is empty.

    Signals:
        link_requested: the target of a link that was clicked or opened by key.
    """

    link_requested = Signal(str)

    def __init__(self, *, role: str = "", links: bool = False, name: str = "") -> None:
        super().__init__()
        self._name, self._said, self._has_links = name, "", links
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.TextBrowserInteraction if links else flags.TextSelectableByMouse)
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)  # a long word must not widen the panel
        self.setSizePolicy(policy)
        if role:
            self.setProperty("role", role)
        self.linkActivated.connect(self.link_requested)
        self.hide()

    def say(self, markup: str) -> None:
        """Show rich text; nothing happens where it is shown already."""
        if markup == self._said:
            return
        self._said = markup
        self.write(markup)
        self.setAccessibleName(f"{self._name} {self.words()}".strip())
        self.setVisible(bool(markup))
        if self._has_links:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if "<a " in markup else Qt.FocusPolicy.ClickFocus)

    def words(self) -> str:
        """The text without its markup."""
        return " ".join(visible(self._said.replace("</p>", " ")).split())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in _BY_TAB:  # Qt would stop at the text first, where nothing shows it, then at its links
            self.focusNextPrevChild(event.reason() is Qt.FocusReason.TabFocusReason)

    # The width is given by the panel, so only the height for that width needs the document.

    def sizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())


def page_head(title: QWidget, progress: QWidget, *below: QWidget) -> QVBoxLayout:
    """The head of a page of cards: what it is about, how far that is at the right, and lines below."""
    line = QHBoxLayout()
    line.addWidget(title, 1)
    line.addWidget(progress)
    head = QVBoxLayout()
    head.setContentsMargins(4 * SPACE, 3 * SPACE, 4 * SPACE, 2 * SPACE)
    head.setSpacing(SPACE // 2)
    head.addLayout(line)
    for widget in below:
        head.addWidget(widget)
    return head


class Card(ByWidth):
    """A framed area with a caption at the left and a note at the right of its head.

    Attributes:
        head_row: the layout of the head.
        body: the layout of the whole card.
    """

    def __init__(self, caption: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName(caption.capitalize())
        self.caption = WrappedLabel(caption)
        self.caption.setProperty("role", "caption")
        self.note = WrappedLabel()
        self.note.setProperty("role", "dim")
        self.note.setFont(ui_font(CAPTION_PX))
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.head_row = QHBoxLayout()
        self.head_row.setSpacing(2 * SPACE)
        self.head_row.addWidget(self.caption)
        self.head_row.addWidget(self.note, 1)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(3 * SPACE, 2 * SPACE + 2, 3 * SPACE, 3 * SPACE)
        self.body.setSpacing(2 * SPACE)
        self.body.addLayout(self.head_row)

    def add(self, widget: QWidget) -> None:
        """Put a widget below what is there."""
        self.body.addWidget(widget)

    def head(self, caption: str, note: str = "") -> None:
        """Set the two texts of the head."""
        if caption != self.caption.text():
            self.caption.setText(caption)
        if note != self.note.text():
            self.note.setText(note)
