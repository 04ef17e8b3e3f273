"""What the keys do beyond inserting their letter: indent, outdent, comment. Each is one step of undo."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QTextBlock, QTextCursor

from gradviz.ui.editor.lexer import INDENT, commented, indent_after


def break_line(cursor: QTextCursor) -> None:
    """Start a new line with the indentation that the text before the cursor asks for."""
    before = cursor.block().text()[: cursor.positionInBlock()] if not cursor.hasSelection() else ""
    cursor.beginEditBlock()
    cursor.insertText("\n" + indent_after(before))
    cursor.endEditBlock()


def indent(cursor: QTextCursor) -> None:
    """Go to the next multiple of four columns; with a selection of several lines, indent them."""
    if _is_several_lines(cursor):
        _rewrite_lines(cursor, lambda lines: [INDENT + line if line else line for line in lines])
        return
    column = cursor.positionInBlock()
    cursor.insertText(" " * (len(INDENT) - column % len(INDENT)))


def outdent(cursor: QTextCursor) -> None:
    """Take up to four leading spaces from the selected lines."""
    _rewrite_lines(cursor, lambda lines: [_without_indent(line) for line in lines])


def erase_indent(cursor: QTextCursor) -> bool:
    """Backspace within leading spaces goes back to the last multiple of four; False where that does not apply."""
    column = cursor.positionInBlock()
    before = cursor.block().text()[:column]
    if cursor.hasSelection() or not before or before.strip(" "):
        return False
    steps = (column - 1) % len(INDENT) + 1
    cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, steps)
    cursor.removeSelectedText()
    return True


def toggle_comment(cursor: QTextCursor) -> None:
    """Make the selected lines comments, or code again where all of them are comments."""
    _rewrite_lines(cursor, commented)


def _without_indent(line: str) -> str:
    if line.startswith("\t"):
        return line[1:]
    return line[min(len(INDENT), len(line) - len(line.lstrip(" "))) :]


def _is_several_lines(cursor: QTextCursor) -> bool:
    document = cursor.document()
    return document.findBlock(cursor.selectionStart()) != document.findBlock(cursor.selectionEnd())


def _selected_blocks(cursor: QTextCursor) -> list[QTextBlock]:
    document = cursor.document()
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    if end > start and document.findBlock(end).position() == end:
        end -= 1  # a selection that ends before the first letter of a line does not mean that line
    block, blocks = document.findBlock(start), []
    while block.isValid() and block.position() <= end:
        blocks.append(block)
        block = block.next()
    return blocks


def _rewrite_lines(cursor: QTextCursor, rewrite: Callable[[list[str]], list[str]]) -> None:
    """Exchange the start of each selected line, so that the selection stays where it is."""
    blocks = _selected_blocks(cursor)
    old = [block.text() for block in blocks]
    edit = QTextCursor(cursor.document())
    edit.beginEditBlock()
    for block, before, after in zip(blocks, old, rewrite(old), strict=True):
        _exchange(edit, block, before, after)
    edit.endEditBlock()


def _exchange(edit: QTextCursor, block: QTextBlock, before: str, after: str) -> None:
    start = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    growth = len(after) - len(before)
    edit.setPosition(block.position() + start)
    if growth < 0:
        edit.setPosition(block.position() + start - growth, QTextCursor.MoveMode.KeepAnchor)
        edit.removeSelectedText()
    elif growth:
        edit.insertText(after[start : start + growth])
