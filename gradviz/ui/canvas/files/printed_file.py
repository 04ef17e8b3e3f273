"""A page of HTML to paper, without a window: A4, as many pages as it takes."""

from __future__ import annotations

import os
from pathlib import Path

from gradviz.errors import GradvizError

_MARGIN_MM = 16.0
_DOTS_PER_INCH = 300
_POINTS = 10.0


def print_file(html: str, file: Path) -> None:
    """Write a page of HTML as a PDF.

    Raises:
        FormatError: the file cannot be written.
        GradvizError: a system library that Qt needs is missing.
    """
    # No window is shown, so no screen is needed, whatever QT_QPA_PLATFORM asks for.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QSizeF
        from PySide6.QtGui import QGuiApplication, QPageLayout, QPageSize, QPdfWriter, QTextDocument, QTextOption
    except ImportError as error:
        raise GradvizError(f"a PDF needs Qt's system libraries: {error}", hint="Write .html instead.") from None

    from gradviz.formats.safe_write import put
    from gradviz.ui.look.theme import load_fonts, ui_font

    app = QGuiApplication.instance() or QGuiApplication(["gradviz"])
    load_fonts()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DOTS_PER_INCH)
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, margins, QPageLayout.Unit.Millimeter
        )
    )
    document = QTextDocument()
    document.documentLayout().setPaintDevice(writer)
    font, option = ui_font(), document.defaultTextOption()
    font.setPointSizeF(_POINTS)  # headings are so much larger than this
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)  # a long name makes no column too wide
    document.setDefaultFont(font)
    document.setDefaultTextOption(option)
    document.setHtml(html)
    document.setDocumentMargin(0)
    document.setPageSize(QSizeF(writer.width(), writer.height()))
    document.print_(writer)
    del writer  # which ends the file
    put(file, bytes(buffer.data().data()))
    del app
