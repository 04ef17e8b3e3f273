"""The pieces every card is made of: a frame with a caption, and a text that wraps, can be selected and holds links."""

from __future__ import annotations

import re
from html import escape, unescape

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.ui.look.by_width import Column, TintedLabel, WordsMeasure
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.rich_label import RichLabel
from gradviz.ui.look.theme import CAPTION_PX, caption_font, ui_font

_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
GAP = 2 * SPACE
"""Pixels between the parts of a card's head."""
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


class TitleLine(Column):
    """What a page is about, which wraps, and how far that is, at the right."""

    def __init__(self, title: Text, progress: TintedLabel) -> None:
        super().__init__()
        self._title, self._progress = title, progress
        self.add(title)
        self.add(progress)

    def settle(self, width: int) -> int:
        """Place both at a width in pixels; returns their height."""
        size = self._progress.sizeHint()
        room = max(width - size.width() - SPACE - 2, 0)
        high = max(self._title.heightForWidth(room), size.height())
        self._title.setGeometry(0, 0, room, high)
        self._progress.setGeometry(width - size.width(), 0, size.width(), high)
        self.settled = (width, high)
        return high


class PageHead(Column):
    """The head of a page of cards: a title, how far that is, and lines below.

    Attributes:
        line: the title and how far it is.
    """

    def __init__(self, title: Text, progress: TintedLabel, *below: Text) -> None:
        super().__init__(4 * SPACE, 3 * SPACE, 4 * SPACE, 2 * SPACE, spacing=SPACE // 2)
        self.line = TitleLine(title, progress)
        for part in (self.line, *below):
            self.add(part)


class CardHead(QWidget):
    """The first line of a card: a caption, a note at the right, and buttons behind that. Both texts wrap.

    Attributes:
        caption, note: what is said.
    """

    def __init__(self, caption: str) -> None:
        super().__init__()
        self.caption, self.note = caption, ""
        self._buttons: list[QWidget] = []
        self._measures = (WordsMeasure(caption_font()), WordsMeasure(ui_font(CAPTION_PX)))
        self._rooms: dict[int, tuple[int, int]] = {}
        self.setAccessibleName(caption)

    def say(self, caption: str, note: str) -> None:
        """Show two texts."""
        if (caption, note) != (self.caption, self.note):
            self.caption, self.note = caption, note
            self._rooms.clear()
            self.setAccessibleName(f"{caption} {note}".strip())
            self.update()

    def add(self, button: QWidget) -> None:
        """Put a button at the right."""
        button.setParent(self)
        self._buttons.append(button)

    def _shown(self) -> list[QWidget]:
        return [button for button in self._buttons if not button.isHidden()]

    def _shared(self, width: int) -> tuple[int, int]:
        """How wide caption and note are; where there is too little room the caption is broken last."""
        if width in self._rooms:  # it is asked again for each image
            return self._rooms[width]
        room = width - sum(button.sizeHint().width() + GAP for button in self._shown())
        caption, note = self._measures
        room -= GAP if self.note else 0
        first = min(caption.width(self.caption), max(room - note.longest(self.note), caption.longest(self.caption)))
        self._rooms[width] = first, max(room - first, 0)
        return self._rooms[width]

    # ---- Qt ----

    def heightForWidth(self, width: int) -> int:
        rooms, texts = self._shared(width), (self.caption, self.note)
        highs = [measure.height(text, room) for measure, text, room in zip(self._measures, texts, rooms, strict=True)]
        return max(*highs, *(button.sizeHint().height() for button in self._shown()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place()

    def place(self) -> None:
        """Place the buttons: one of them has another text, or is hidden."""
        self._rooms.clear()
        x, high = self.width(), self.height()
        for button in reversed(self._shown()):
            size = button.sizeHint()
            x -= size.width()
            button.setGeometry(x, (high - size.height()) // 2, size.width(), size.height())
            x -= GAP

    def paintEvent(self, event: QPaintEvent) -> None:
        first, second = self._shared(self.width())
        x = first + (self.width() - first - second if not self._shown() else GAP)
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        self._measures[0].paint(painter, QRect(0, 0, first, self.height()), self.caption)
        self._measures[1].paint(painter, QRect(x, 0, second, self.height()), self.note, Qt.AlignmentFlag.AlignRight)
        painter.end()


class Card(Column):
    """A framed area with a caption at the left and a note at the right of its head.

    Attributes:
        first: the head, which takes buttons.
    """

    def __init__(self, caption: str) -> None:
        super().__init__(3 * SPACE, 2 * SPACE + 2, 3 * SPACE, 3 * SPACE, spacing=2 * SPACE)
        self.setProperty("role", "card")
        self.setAccessibleName(caption.capitalize())
        self.first = CardHead(caption)
        self.add(self.first)

    def head(self, caption: str, note: str = "") -> None:
        """Set the two texts of the head."""
        self.first.say(caption, note)
