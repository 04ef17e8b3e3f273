"""The right-hand side of the window: what happens at one node at one position, as a column of cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QAction, QColor, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from gradviz.changes import Spot
from gradviz.playback.difference import Difference
from gradviz.playback.flow import way_in, way_out
from gradviz.playback.groups.report import GroupReport
from gradviz.playback.health.finding import Finding
from gradviz.playback.product.form import V
from gradviz.playback.product.inside import Row, read_inside
from gradviz.playback.product.product import Given, Product, asks_the_run, product_at
from gradviz.playback.report import NodeReport, Place, node_report, without_sum
from gradviz.playback.rules import Rules
from gradviz.playback.track import Track
from gradviz.recording import Recording
from gradviz.ui.inspector.as_text import as_text
from gradviz.ui.inspector.card import PageHead, Text, link, rich, styled
from gradviz.ui.inspector.cards import CARDS, InsideCard, ProductCard, ReportCard, RuleCard
from gradviz.ui.inspector.copies import formula_text, markdown_text, value_text
from gradviz.ui.inspector.group_page import GroupPage
from gradviz.ui.look.by_width import Column, TintedLabel
from gradviz.ui.look.enclosure import Enclosure
from gradviz.ui.look.modest_bar import ModestBar
from gradviz.ui.look.number_tiles import NumberTiles
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import CAPTION_PX, Theme

NOTHING_TO_CHANGE = (
    "No number here can be changed: select a small leaf, or a node whose gradient has come in at this step."
)
EMPTY = "Nothing is selected. Step forward, or click a node in the graph, to see what happens there."
TITLE_PX = 16
STEPS = "steps"
"""The target of the link back to the node of the current step."""


class Part(NamedTuple):
    """What of a report is copied by itself.

    Attributes:
        words: in the menu.
        what: in a sentence.
        text_of: makes it; "" where a report has none.
    """

    words: str
    what: str
    text_of: Callable[[NodeReport], str]


PARTS: dict[str, Part] = {
    "copy_value": Part("Copy value", "the value", value_text),
    "copy_formula": Part("Copy formula as TeX", "the formula", formula_text),
    "copy_markdown": Part("Copy as Markdown", "what happens", markdown_text),
}
"""By the names of their actions."""


class Inspector(QWidget):
    """Shows a node at a position. Its widgets are made once and keep their place from step to step.

    Attributes:
        hides_sums: whether what has arrived is shown term by term only, since somebody is to predict the sum.

    Args:
        rules: the table of rules; the engine's own where None.

    Signals:
        node_requested: the id of an input or consumer that was clicked.
        line_requested: the line of the source that was clicked, from 1.
        fold_requested, focus_requested: payload: number of a group.
        steps_requested: the node of the current step is to be shown, not the one that was clicked.
        way_pointed: a number of the product is pointed at. Payload: the `Way` that it came or goes; None for none.
        jacobian_requested: the id of a node whose Jacobian only the run knows.
        number_changed: a number was dragged or typed. Payload: its Spot, the number, and whether it stays so.
        refused: what was typed is no number. Payload: the sentence.
    """

    node_requested = Signal(int)
    line_requested = Signal(int)
    fold_requested = Signal(int)
    focus_requested = Signal(int)
    steps_requested = Signal()
    jacobian_requested = Signal(int)
    way_pointed = Signal(object)
    number_changed = Signal(object, float, bool)
    refused = Signal(str)

    def __init__(self, theme: Theme, rules: Rules | None = None) -> None:
        super().__init__()
        self._theme, self._rules = theme, rules
        self._report: NodeReport | None = None
        self.hides_sums = False
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # or all that it stands on is painted first
        self.setAccessibleName("Inspector")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMinimumWidth(200)
        self._title = Text(name="node")
        self._where = Text(links=True)
        self._where.link_requested.connect(self._follow)
        self._remark = Text(role="dim")
        self._progress = TintedLabel()
        self._progress.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._track: Track | None = None
        self._position = 0
        self._product: tuple[Track, int, Product | None] | None = None
        self._given: dict[int, Given | str] = {}
        self._inside: dict[int, tuple[Row, ...]] = {}
        self._remarks: Mapping[int, Finding] = {}
        self.cards: tuple[ReportCard, ...] = tuple(make(theme) for make in CARDS)
        self._rule = next(card for card in self.cards if isinstance(card, RuleCard))
        self._drawn = next(card for card in self.cards if isinstance(card, ProductCard))
        self._drawn.finder = self._find_product
        self._drawn.toggled.connect(self._write)
        self._drawn.view.number_pointed.connect(self._point)
        inside = next(card for card in self.cards if isinstance(card, InsideCard))
        inside.finder = lambda node: self._inside.get(node, ()) if self._drawn.is_open else ()
        for card in self.cards:
            card.link_requested.connect(self._follow)
            card.number_changed.connect(self._change_number)
            card.refused.connect(self.refused)
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._empty_page())
        self._pages.addWidget(self._full_page())
        self._group = GroupPage(theme)
        self._group.link_requested.connect(self._follow)
        self._pages.addWidget(self._group)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(Enclosure(pages))
        self._offer_copy()
        theme.changed.connect(self._write)

    def show_node(self, track: Track | None, position: int, node: int | None) -> None:
        """Show a node of the track's recording at a position; without one, say what to do."""
        if track is not self._track:
            self._given.clear()
            self._inside.clear()
            self._product = None
        self._track, self._position = track, position
        if track is None or node is None:
            self._report = None
            self._pages.setCurrentIndex(0)
            return
        fresh = self._report is None or self._report.place.node != node
        report = node_report(track, position, node, self._rules)
        if node in self._remarks:
            report = replace(report, health=(*report.health, self._remarks[node]))
        self._report = without_sum(report) if self.hides_sums else report
        self._write()
        self._pages.setCurrentIndex(1)
        if fresh:
            self._scroll.verticalScrollBar().setValue(0)

    def show_remarks(self, remarks: Mapping[int, Finding]) -> None:
        """What is said of nodes besides, from the next node that is shown on: what a check has found."""
        self._remarks = remarks

    def show_difference(self, difference: Difference | None, edited: frozenset[int] = frozenset()) -> None:
        """Say of the numbers that follow what they were; None where nothing is compared.

        Args:
            edited: nodes at which what comes in was changed by hand.
        """
        for card in self.cards:
            card.difference, card.edited = difference, edited

    def let_change(self, is_allowed: bool) -> None:
        """Let the numbers be dragged and typed, or not."""
        for card in self.cards:
            card.can_change = is_allowed

    def write_number(self) -> str:
        """Open the first number that can be changed for typing; why there is none, or ""."""
        for card in (card for card in self.cards if not card.isHidden()):
            for tiles in card.findChildren(NumberTiles):
                if tiles.isVisibleTo(card):
                    self._scroll.ensureWidgetVisible(tiles)
                    tiles.write(tiles.at)
                    return ""
        return NOTHING_TO_CHANGE

    def _change_number(self, what: str | int, element: int, number: float, stays: bool) -> None:
        if self._report is None or self._track is None:
            return
        sweep = None if what == "value" else self._track.sweep
        slot = what if isinstance(what, int) else None
        self.number_changed.emit(Spot(self._report.place.node, element, sweep, slot), number, stays)

    def take_jacobian(self, recording: Recording, node: int, given: Given | str, inside: object = None) -> None:
        """Show what the run has answered about a call of a custom Function.

        Args:
            recording: of which it is; of any other than the one that is shown it is dropped.
            given: the rows of its Jacobians by input, or why there are none.
            inside: the lines of its backward, as the run tells them.
        """
        if self._track is not None and recording is self._track.recording and node < len(recording.nodes):
            self._given[node] = given
            self._inside[node] = read_inside(recording, recording.nodes[node], inside)
            self._product = None
            self._write()

    def show_group(self, report: GroupReport, *, is_folded: bool) -> None:
        """Show a group; `is_folded` tells what can be done with it."""
        self._report = None
        self._group.show_report(report, is_folded=is_folded)
        self._pages.setCurrentWidget(self._group)

    def text(self) -> str:
        """What is shown, as plain text; "" where nothing is."""
        if self._pages.currentWidget() is self._group:
            return self._group.text()
        return "" if self._report is None else as_text(self._report, self._find_product())

    def copy(self) -> None:
        """Put `text` on the clipboard."""
        if self.text():
            QGuiApplication.clipboard().setText(self.text())

    @property
    def report(self) -> NodeReport | None:
        """What is shown of a node; None where that is a group, or nothing."""
        return self._report

    def copy_part(self, name: str) -> str:
        """Put a part of the report on the clipboard, one of `PARTS`; what it was, "" for nothing."""
        text = "" if self._report is None else PARTS[name].text_of(self._report)
        if text:
            QGuiApplication.clipboard().setText(text)
        return text

    # ---- pages -------------------------------------------------------------------------------------------------

    def _empty_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(6 * SPACE, 6 * SPACE, 6 * SPACE, 6 * SPACE)
        words = QLabel(EMPTY)
        words.setProperty("role", "dim")
        words.setWordWrap(True)
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(words)
        return page

    def _full_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._head = PageHead(self._title, self._progress, self._where, self._remark)
        column.addWidget(self._head)
        column.addWidget(self._scrolled(), 1)
        return page

    def _scrolled(self) -> QScrollArea:
        # With the scroll bar's room the cards end where the head does.
        self._content = content = Column(4 * SPACE, SPACE, SPACE // 2, 4 * SPACE, spacing=3 * SPACE)
        for card in self.cards:
            content.add(card)
            card.hide()
        self._columns = [self._head, self._head.line, content, *content.findChildren(Column)]
        self._scroll = QScrollArea()
        self._scroll.setObjectName("cards")
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Its room is kept: a bar that comes and goes changes the width of every card, in the middle of a pass.
        self._scroll.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self._scroll.setVerticalScrollBar(ModestBar(Qt.Orientation.Vertical))
        self._scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # arrow keys scroll
        self._scroll.setAccessibleName("Cards of the node")
        self._scroll.setWidget(content)
        content.setAutoFillBackground(False)  # the inspector has filled it
        return self._scroll

    def _offer_copy(self) -> None:
        action = QAction("Copy all as text", self)
        action.triggered.connect(self.copy)
        self.addAction(action)
        for name, part in PARTS.items():
            action = QAction(part.words, self)
            action.triggered.connect(lambda _checked=False, name=name: self.copy_part(name))
            self.addAction(action)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    # ---- writing -----------------------------------------------------------------------------------------------

    def _write(self) -> None:
        if self._report is None:
            return
        self._write_head(self._report.place)
        self._rule.draws_jacobian = self._drawn.is_open and self._drawn.has_a_part_in(self._report)
        for card in self.cards:
            card.show_report(self._report)
        self._settle()

    def _find_product(self) -> Product | None:
        """The product of the node that is shown: worked out once, since it is the same wherever the slider stands."""
        track, report = self._track, self._report
        if track is None or report is None or not self._drawn.has_a_part_in(report):
            return None
        node = report.place.node
        known = self._product
        if known is None or known[0] is not track or known[1] != node:
            if node not in self._given and asks_the_run(track, node, self._rules):
                self.jacobian_requested.emit(node)
            made = product_at(track, self._position, node, self._rules, self._given.get(node))
            known = self._product = (track, node, made)
        return known[2]

    def _point(self, kind: str, slot: int) -> None:
        report, track = self._report, self._track
        if not kind or report is None or track is None:
            self.way_pointed.emit(None)
        elif kind == V:
            arriving = () if report.incoming is None else report.incoming.terms
            self.way_pointed.emit(way_in(report.place.node, arriving))
        else:
            self.way_pointed.emit(way_out(track, report.place.node, slot))

    def _settle(self) -> None:
        """Lay the cards out now: left to the event loop, a text that grew would be cut off for one frame."""
        before = self._head.settled[1]
        if self._head.settle(self._head.width()) != before:
            self._head.updateGeometry()
        before = self._content.settled[1]
        if self._content.settle(self._content.width()) != before:
            self._content.updateGeometry()
            QCoreApplication.sendPostedEvents(self._scroll.viewport(), QEvent.Type.LayoutRequest)
        for column in self._columns:  # they have done what they are asked for
            QCoreApplication.removePostedEvents(column, QEvent.Type.LayoutRequest)

    def _write_head(self, place: Place) -> None:
        p = self._theme.palette
        op = "" if place.title == place.op else f"&nbsp; {rich(place.op, p.dim)}"
        output = f" {rich('· output', p.dim)}" if place.is_output else ""
        self._title.say(f"{rich(place.title, p.text, bold=True, pixels=TITLE_PX)}{op}{output}")
        parts = [rich(f"node {place.node}")]
        if place.line is not None and place.file:
            parts.append(rich(f"{place.file}, line {place.line}"))
        elif place.line is not None:
            parts.append(link(f"line:{place.line}", rich(f"line {place.line}"), p.dim))
        parts += [rich(text) for text in (" › ".join(place.scope), place.torch) if text]
        if not place.is_now:
            parts.append(link(f"{STEPS}:", rich("follow the steps"), p.forward))
        self._where.say(styled(" · ".join(parts), p.dim, pixels=CAPTION_PX))
        self._remark.say(rich(place.remark, pixels=12))
        tint = p.dim if not place.is_now else p.backward if place.stage == "backward" else p.forward
        self._progress.say(place.progress, tint, bold=place.is_now)

    def _follow(self, target: str) -> None:
        kind, _, number = target.partition(":")
        if kind == STEPS:
            self.steps_requested.emit()
        asked = {
            "node": self.node_requested,
            "line": self.line_requested,
            "fold": self.fold_requested,
            "focus": self.focus_requested,
        }
        if kind in asked:
            asked[kind].emit(int(number))

    # ---- Qt ----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._theme.palette.panel))
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)
