"""The help: the shipped pages in a window of their own, and the keys from the table of actions."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import (
    QDesktopServices,
    QFont,
    QKeySequence,
    QShortcut,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gradviz.shipped import shipped
from gradviz.ui.actions.table import shortcut_rows
from gradviz.ui.look.theme import Theme

KEYS_TITLE = "Keys"
WALLS_TITLE = "Walls around a script"


def made_pages() -> dict[str, Callable[[], str]]:
    """Pages that are made from the tables of the program when they are opened, in Markdown; none without an engine."""
    try:
        from gradviz.run.confine.walls import walls
        from gradviz.run.reference import NAMES_TITLE, OPS_TITLE, names_page, ops_page  # late: it brings the engine
    except ImportError:
        return {}
    return {WALLS_TITLE: lambda: walls_page(walls()), NAMES_TITLE: names_page, OPS_TITLE: ops_page}


def walls_page(walls: list[str]) -> str:
    """What stands around a script on this machine, in Markdown."""
    said = "\n".join(f"- {sentence}" for sentence in walls)
    return f"# {WALLS_TITLE}\n\nOn this machine these stand between a script and everything else:\n\n{said}\n"


_AIR = {level: (22.0 - 3.0 * level, 7.0) for level in range(1, 7)}
"""Above and below a heading, in pixels."""
_BELOW, _BETWEEN_ITEMS = 8.0, 3.0
"""Below a paragraph, a list or a piece of code, and between the items of a list."""
_LINE_PERCENT = 118.0


class HelpWindow(QWidget):
    """A list of pages and the page.

    Attributes:
        pages: the list.
        page: the text.
        find_line: what is looked for in the page; Return goes on to the next place.
        found: says where it is nowhere.

    Signals:
        lesson_requested: a link to a lesson was followed. Payload: its Path.
    """

    lesson_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, folder: Path | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle("gradviz help")
        self.resize(900, 640)
        self._folder = folder or shipped("help")
        self._theme = theme
        self._made = made_pages()
        self.pages = QListWidget()
        self.pages.setAccessibleName("Pages")
        self.pages.setStyleSheet("QListWidget::item { padding: 6px 12px; }")
        self.page = QTextBrowser()
        self.page.setAccessibleName("Help page")
        self.page.setOpenLinks(False)
        self.page.document().setDocumentMargin(20)
        self.page.anchorClicked.connect(self._follow)
        for file in sorted(self._folder.glob("*.md")):
            item = QListWidgetItem(page_title(file))
            item.setData(Qt.ItemDataRole.UserRole, str(file))
            self.pages.addItem(item)
        self.pages.addItems([*self._made, KEYS_TITLE])
        self.pages.currentItemChanged.connect(self._show_page)
        self.find_line = QLineEdit()
        self.find_line.setPlaceholderText("Find in this page")
        self.find_line.setAccessibleName("Find in this page")
        self.find_line.setClearButtonEnabled(True)
        self.find_line.textChanged.connect(self._find_from_start)
        self.find_line.returnPressed.connect(self._find_next)
        self.found = QLabel()
        both = QSplitter()
        both.addWidget(self.pages)
        both.addWidget(self._page_side())
        both.setSizes([220, 680])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(both)
        for key in QKeySequence.keyBindings(QKeySequence.StandardKey.Find):
            QShortcut(key, self).activated.connect(self.find_line.setFocus)
        QShortcut(QKeySequence.StandardKey.Cancel, self).activated.connect(self.close)
        theme.changed.connect(self._show_page)
        self.pages.setCurrentRow(0)

    def _page_side(self) -> QWidget:
        """The find line over the page."""
        line = QHBoxLayout()
        line.setContentsMargins(12, 8, 12, 8)
        line.addWidget(self.find_line, 1)
        line.addWidget(self.found)
        side = QWidget()
        layout = QVBoxLayout(side)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(line)
        layout.addWidget(self.page)
        return side

    def _find_from_start(self) -> None:
        """As it is typed: the first place."""
        self.page.moveCursor(QTextCursor.MoveOperation.Start)
        self._find_next()

    def _find_next(self) -> None:
        """The next place, from the top again after the last."""
        text = self.find_line.text()
        is_found = not text or self.page.find(text)
        if not is_found:
            self.page.moveCursor(QTextCursor.MoveOperation.Start)
            is_found = self.page.find(text)
        self.found.setText("" if is_found else "Not on this page")

    def _show_page(self) -> None:
        """The chosen page, searched for what is typed."""
        self._fill()
        if self.find_line.text():
            self._find_from_start()

    def _fill(self) -> None:
        item = self.pages.currentItem()
        file = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        self.page.document().setDefaultStyleSheet(self._styles())
        if item is not None and item.text() in self._made and file is None:
            self.page.setMarkdown(self._made[item.text()]())  # of thousands of rows: as it comes
        elif file is None:
            self.page.setHtml(keys_html())
        else:
            self.page.setMarkdown(Path(file).read_text(encoding="utf-8"))
            self._give_air()
        self._take_our_bold()

    def _take_our_bold(self) -> None:
        """The bold that the fonts have: of a bolder one Qt would draw every letter twice, a little aside."""
        document = self.page.document()
        cursor, ours, block = QTextCursor(document), QTextCharFormat(), document.begin()
        ours.setFontWeight(QFont.Weight.DemiBold)
        cursor.beginEditBlock()
        while block.isValid():
            weights = [(form.start, form.length, form.format.fontWeight()) for form in block.textFormats()]
            for start, length, weight in weights:
                if weight > QFont.Weight.DemiBold:
                    cursor.setPosition(block.position() + start)
                    cursor.setPosition(block.position() + start + length, QTextCursor.MoveMode.KeepAnchor)
                    cursor.mergeCharFormat(ours)
            block = block.next()
        cursor.endEditBlock()

    def _follow(self, url: QUrl) -> None:
        """Another page of the help, a lesson, or a place on the web in the user's browser."""
        for row in range(self.pages.count()):
            file = self.pages.item(row).data(Qt.ItemDataRole.UserRole)
            if file is not None and Path(file).name == url.fileName():
                self.pages.setCurrentRow(row)
                return
        lesson = shipped("examples", url.fileName())
        if lesson.suffix == ".py" and lesson.is_file():
            self.lesson_requested.emit(lesson)
        if url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)

    def _styles(self) -> str:
        p = self._theme.palette
        return f"a {{ color: {p.forward}; }} td {{ padding: 3px 24px 3px 0; }} .key {{ color: {p.dim}; }}"

    def _give_air(self) -> None:
        """Space between paragraphs, headings and items, which Markdown is given none of; a line of readable length."""
        document = self.page.document()
        cursor, block = QTextCursor(document), document.begin()
        while block.isValid():
            form = block.blockFormat()
            above, below = _AIR.get(form.headingLevel(), (0.0, _air_below(block)))
            form.setTopMargin(0.0 if block == document.begin() else above)
            form.setBottomMargin(below)
            if not form.nonBreakableLines():
                form.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            cursor.setPosition(block.position())
            cursor.setBlockFormat(form)
            block = block.next()


def _air_below(block: QTextBlock) -> float:
    """Below a paragraph, an item or a line of code: less between items, none between the lines of one piece of code."""
    after = block.next()
    if block.textList() is not None and after.textList() is not None:
        return _BETWEEN_ITEMS
    if block.blockFormat().nonBreakableLines() and after.blockFormat().nonBreakableLines():
        return 0.0
    return _BELOW


def page_title(file: Path) -> str:
    """The first heading of a page, else its file name."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            return line.lstrip("#").strip()
    return file.stem.replace("_", " ")


def keys_html() -> str:
    """The keys of all actions as a table."""
    rows = "".join(
        f"<tr><td>{escape(words)}</td><td class='key'>{escape(keys)}</td></tr>" for words, keys in shortcut_rows()
    )
    return f"<h2>{KEYS_TITLE}</h2><table>{rows}</table>"
