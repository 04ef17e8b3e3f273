"""The whole recording as a page that plays it in a browser."""

from __future__ import annotations

from gradviz.export.row import Family, Row, Subject
from gradviz.export.work import Work

OF_THE_RUN = "The script and what it printed are those of the run."


def _page(subject: Subject) -> Work:
    from gradviz.player.document import Start
    from gradviz.player.page import page_of
    from gradviz.ui.canvas.scene.cards import cards

    yield 0.0
    said = " ".join((*subject.notes, OF_THE_RUN)) if subject.notes else ""
    start = Start(subject.sweep, subject.step, subject.is_dark)
    return page_of(subject.recording, cards, start, subject.ask, said).encode()


PAGE = Row(
    (".html",),
    "Page that plays in a browser",
    "The whole recording in one file: it steps, plays and shows every node in any browser, without a network.",
    Family.PAGE,
    _page,
    frozenset({"sweep", "step", "theme"}),
)
