"""What happens at the border of a group, as cards: the page of the inspector while a group is selected."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from gradviz.playback.groups.report import Flow, GroupReport
from gradviz.playback.words import counted, shape_text
from gradviz.recording import Known
from gradviz.ui.inspector.card import Card, PageHead, Text, link, rich
from gradviz.ui.inspector.rows import TERMS_LIMIT, in_words_font, more, node_link, numbers, paragraphs, short, table
from gradviz.ui.look.by_width import Column, TintedLabel
from gradviz.ui.look.palette import SPACE, Palette
from gradviz.ui.look.theme import CAPTION_PX, Theme

_CARDS = ("COMES IN", "GOES OUT", "LEAVES", "FORWARD", "INSIDE")
_TITLE_PX = 16
_MOST_OPS = 8


class GroupPage(QWidget):
    """Shows a report of a group.

    Signals:
        link_requested: "node:4", "line:7", or "fold:3" and "focus:3" with the number of the group.
    """

    link_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._report: GroupReport | None = None
        self._is_folded = False
        self._title, self._where, self._actions = Text(name="group"), Text(links=True), Text(links=True)
        self._progress = TintedLabel()
        self._progress.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._cards = {name: (Card(name), Text(links=True)) for name in _CARDS}
        self._arrange()
        theme.changed.connect(self._write)

    def show_report(self, report: GroupReport, *, is_folded: bool) -> None:
        """Show a report; `is_folded` tells what can be done with the group."""
        self._report, self._is_folded = report, is_folded
        self._write()

    def text(self) -> str:
        """What is shown, as plain text."""
        texts = [self._title.words(), self._where.words()]
        texts += [f"{card.first.caption}: {body.words()}" for card, body in self._cards.values() if body.words()]
        return "\n".join(texts) + "\n"

    def _arrange(self) -> None:
        for text in (self._where, self._actions):
            text.link_requested.connect(self.link_requested)
        content = Column(4 * SPACE, SPACE, 4 * SPACE, 4 * SPACE, spacing=3 * SPACE)
        content.setProperty("role", "panel")
        for card, body in self._cards.values():
            card.add(body)
            body.link_requested.connect(self.link_requested)
            content.add(card)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # arrow keys scroll
        scroll.setAccessibleName("Cards of the group")
        scroll.setWidget(content)
        self._content = content
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(PageHead(self._title, self._progress, self._where, self._actions))
        whole.addWidget(scroll, 1)

    # ---- writing ----

    def _write(self) -> None:
        report, p = self._report, self._theme.palette
        if report is None:
            return
        self._write_head(report, p)
        bodies = {
            "COMES IN": _flows(report.outputs, p, p.backward, "nothing leaves this group"),
            "GOES OUT": _flows(report.inputs, p, p.backward, "nothing enters this group"),
            "LEAVES": _leaves(report, p),
            "FORWARD": _forward(report, p),
            "INSIDE": _inside(report, p),
        }
        notes = {
            "COMES IN": "∂L/∂ its outputs", "GOES OUT": "∂L/∂ its inputs", "LEAVES": ".grad",
            "FORWARD": "values in and out",
        }  # fmt: skip
        for name, (card, body) in self._cards.items():
            card.setVisible(bool(bodies[name]))
            card.head(name, notes.get(name, ""))
            body.say(bodies[name])
        self._content.settle(self._content.width())
        self._content.updateGeometry()

    def _write_head(self, report: GroupReport, p: Palette) -> None:
        count = f" &nbsp;{rich(report.count_text, p.dim)}" if report.count_text else ""
        self._title.say(f"{rich(report.title, p.text, bold=True, pixels=_TITLE_PX)}{count}")
        ops = sum(number for _, number in report.ops)
        parts = [rich(f"group · {ops} {'op' if ops == 1 else 'ops'}", p.dim, pixels=CAPTION_PX)]
        if report.lines is not None:
            first, last = report.lines
            words = f"line {first}" if first == last else f"lines {first}–{last}"
            parts.append(link(f"line:{first}", rich(words, p.dim, pixels=CAPTION_PX), p.dim))
        self._where.say(rich(" · ", p.dim, pixels=CAPTION_PX).join(parts))
        asks = (("fold", "Unfold" if self._is_folded else "Fold"), ("focus", "Focus"))
        links = [link(f"{kind}:{report.number}", rich(word, p.forward, pixels=12), p.forward) for kind, word in asks]
        self._actions.say(rich(" · ", p.dim).join(links))
        tint = p.dim if not 0 < report.done < report.total else p.backward if report.stage == "backward" else p.forward
        self._progress.say(f"{report.stage} {report.done} of {report.total}", tint)


def _flows(flows: Sequence[Flow], p: Palette, ink: str, nothing: str) -> str:
    """One row per tensor: its name, and the gradient that crosses the border there."""
    if not flows:
        return in_words_font(nothing, p)
    rows = [(node_link(flow.node, flow.label, p), _gradient(flow, p, ink)) for flow in flows[:TERMS_LIMIT]]
    return table(rows) + paragraphs(more(len(flows), p))


def _leaves(report: GroupReport, p: Palette) -> str:
    """One row per leaf: its name, and what its `.grad` is by now."""
    if not report.leaves:
        return ""
    rows = [(node_link(leaf.node, leaf.label, p), _gradient(leaf, p, p.backward)) for leaf in report.leaves]
    return table(rows) + paragraphs(more(report.parameters, p))


def _gradient(flow: Flow, p: Palette, ink: str) -> str:
    return in_words_font(flow.note, p) if flow.gradient is None else numbers(short(flow.gradient), ink)


def _forward(report: GroupReport, p: Palette) -> str:
    parts = ""
    for word, flows in (("in", report.inputs), ("out", report.outputs)):
        rows = [(node_link(f.node, f.label, p), _value(f.value, f.shape, p)) for f in flows[:TERMS_LIMIT]]
        if rows:
            head = paragraphs(rich(word, p.dim, pixels=CAPTION_PX))
            parts += head + table(rows) + paragraphs(more(len(flows), p))
    return parts


def _value(value: Known, shape: tuple[int, ...], p: Palette) -> str:
    return numbers(short(value) if value is not None else shape_text(shape), p.forward if value is not None else p.dim)


def _inside(report: GroupReport, p: Palette) -> str:
    ops = ", ".join(f"{count} {op}" for op, count in report.ops[:_MOST_OPS])
    ops += f" and {len(report.ops) - _MOST_OPS} more kinds" if len(report.ops) > _MOST_OPS else ""
    leaves = "" if not report.parameters else counted(report.parameters, "leaf", "leaves")
    alike = ""
    if report.count > 1:
        alike = f"{report.count} groups with the same ops, shapes and wiring: {report.titles[0]} to {report.titles[-1]}"
    return paragraphs(rich(ops, p.text), rich(leaves, p.dim), rich(alike, p.dim))
