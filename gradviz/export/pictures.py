"""The graph at one moment as a picture: PNG, SVG, PDF."""

from __future__ import annotations

from gradviz.export.row import Family, Row, Subject
from gradviz.export.work import Work

_PAINTED = frozenset({"sweep", "step", "theme", "legend", "gauges"})


def _png(subject: Subject) -> Work:
    from gradviz.ui.canvas.files.picture_file import png

    return png(subject.graph(), subject.look())


def _svg(subject: Subject) -> Work:
    from gradviz.ui.canvas.files.picture_file import svg

    return svg(subject.graph(), subject.look())


def _pdf(subject: Subject) -> Work:
    from gradviz.ui.canvas.files.picture_file import pdf

    return pdf(subject.graph(), subject.look())


PICTURES = (
    Row((".png",), "Picture", "The graph at this step, in pixels.", Family.PICTURE, _png,
        _PAINTED | {"scale", "width"}),
    Row((".svg",), "Drawing", "The graph at this step as lines that stay sharp; it needs no font.", Family.PICTURE,
        _svg, _PAINTED),
    Row((".pdf",), "Page", "The graph as lines that stay sharp, on one page or one for each step.", Family.PICTURE,
        _pdf, _PAINTED | {"every_step"}),
)  # fmt: skip
