"""The cards of the inspector: each shows one part of a report and hides itself where the report has nothing for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from PySide6.QtCore import Signal

from gradviz.playback.flow import Outgoing, Term
from gradviz.playback.formula.text import GRADIENT, VALUE, html, plain
from gradviz.playback.numbers import summed_up
from gradviz.playback.report import FREED, NodeReport, Rule
from gradviz.playback.words import shape_text
from gradviz.recording import Array, Known, Summary
from gradviz.ui.inspector.array_view import ArrayView
from gradviz.ui.inspector.card import Card, Text, link, rich, styled
from gradviz.ui.inspector.cells import fits_in_cells
from gradviz.ui.inspector.rows import (
    NUMBERS_PX,
    TERMS_LIMIT,
    elided,
    in_words_font,
    more,
    node_link,
    numbers,
    paragraphs,
    short,
    table,
)
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.rich_label import unbroken
from gradviz.ui.look.theme import Theme

LINES_LIMIT = 4
"""Inputs whose rule is shown."""
FORMULA_SIZES = ((22, 17), (34, 15), (10_000, 13))
"""Characters of a formula, and the size in pixels up to there, so that most stay on one line."""


class ReportCard(Card):
    """A card that shows part of a report.

    Signals:
        link_requested: the target of a link, "node:3".
    """

    link_requested = Signal(str)

    def __init__(self, theme: Theme, caption: str) -> None:
        super().__init__(caption)
        self._theme = theme

    @property
    def palette_in_force(self) -> Palette:
        """The colours to write with."""
        return self._theme.palette

    def show_report(self, report: NodeReport) -> None:
        """Show what the report says, or hide. The card itself is shown last: one change of layout, not one per part."""
        if self.has_a_part_in(report):
            self.write(report)
            self.show()
        else:
            self.hide()

    def has_a_part_in(self, report: NodeReport) -> bool:
        """Whether the report has something for this card."""
        raise NotImplementedError

    def write(self, report: NodeReport) -> None:
        """Bring the parts up to date; called only where `has_a_part_in` holds."""
        raise NotImplementedError

    def _text(self, name: str, *, role: str = "", links: bool = False) -> Text:
        text = Text(role=role, links=links, name=name)
        text.link_requested.connect(self.link_requested)
        self.add(text)
        return text


def is_backward(report: NodeReport) -> bool:
    """Whether the position is in the backward pass."""
    return report.place.stage == "backward"


class InputsCard(ReportCard):
    """What the op takes, while the forward pass is shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "INPUTS")
        self._rows = self._text("inputs", links=True)

    def has_a_part_in(self, report: NodeReport) -> bool:
        return bool(report.inputs) and not is_backward(report)

    def write(self, report: NodeReport) -> None:
        p, shown = self.palette_in_force, report.inputs[:TERMS_LIMIT]
        left = [f"{rich(i.name, p.dim)} = {node_link(i.source, i.label, p)}" for i in shown]
        right = [numbers(short(i.value), p.forward) for i in shown]
        self._rows.say(table(zip(left, right, strict=True)) + more(len(report.inputs), p))


class IncomingCard(ReportCard):
    """dL/dy, and the terms it is the sum of."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "COMES IN")
        self._terms = self._text("terms of the sum", links=True)
        self.array = ArrayView(theme, "backward", "incoming gradient")
        self.add(self.array)

    def has_a_part_in(self, report: NodeReport) -> bool:
        return report.incoming is not None and is_backward(report)

    def write(self, report: NodeReport) -> None:
        incoming = report.incoming
        if incoming is None:
            return
        gradient = incoming.gradient if incoming.gradient is not None else incoming.so_far
        kind = "" if gradient is None else figures_kind(gradient, report.dtype)
        self.head(f"COMES IN  {gradient_name(report)}", _with_name(kind, report))
        self._terms.say(self._sum(incoming.terms) + paragraphs(rich(incoming.note, self.palette_in_force.dim)))
        self.array.show_array(gradient, report.dtype)

    def _sum(self, terms: tuple[Term, ...]) -> str:
        """The terms one below the other; "" for a single one, which is its own sum, unless it is the seed."""
        p = self.palette_in_force
        if len(terms) < 2:
            is_seed = any(term.consumer is None for term in terms)
            return f"{rich('v', p.text, bold=True)}{rich(', the seed of this backward pass', p.dim)}" if is_seed else ""
        count = Counter(term.consumer for term in terms)
        rows = [
            (self._term(term, "+" if index else "\u00a0", show_slot=count[term.consumer] > 1), self._amount(term))
            for index, term in enumerate(terms[:TERMS_LIMIT])
        ]
        return table(rows) + more(len(terms), p)

    def _term(self, term: Term, sign: str, *, show_slot: bool) -> str:
        p = self.palette_in_force
        sign = rich(f"{sign}\u00a0", p.dim)
        if term.consumer is None:
            return f"{sign}{rich('v', p.text, bold=True)} {rich('the seed', p.dim)}"
        slot = rich(f" slot\u00a0{term.slot}", p.dim) if show_slot else ""
        return f"{sign}{node_link(term.consumer, term.label, p)}{slot}"

    def _amount(self, term: Term) -> str:
        p = self.palette_in_force
        if not term.has_arrived:
            return in_words_font("to come", p)
        return numbers(short(term.gradient), p.backward)


def gradient_name(report: NodeReport) -> str:
    """What dL/dy is called at this node: ∂L/∂x at a leaf, ∂L/∂y where a rule speaks of y."""
    return "∂L/∂y" if report.rule is not None else f"∂L/∂{elided(report.place.title)}"


def _with_name(kind: str, report: NodeReport) -> str:
    """What y stands for in the rule, before the kind of its gradient: a script may call another node y."""
    title = report.place.title
    return kind if report.rule is None or title == "y" or not kind else f"y = {elided(title, 12)} · {kind}"


def figures_kind(array: Array, dtype: str) -> str:
    """Shape and type of an array."""
    return f"{shape_text(array.shape)} {dtype or array.dtype}"


class RuleCard(ReportCard):
    """The local rule with letters, with numbers, and what its Jacobian looks like."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "LOCAL RULE")
        self._words = self._text("rule")

    def has_a_part_in(self, report: NodeReport) -> bool:
        rule = report.rule
        return rule is not None and bool(rule.lines or rule.equation or rule.unknown)

    def write(self, report: NodeReport) -> None:
        rule, p = report.rule, self.palette_in_force
        if rule is None:
            return
        self.head("LOCAL RULE", rule.equation)
        jacobian = rich(rule.jacobian, p.dim, pixels=12) if rule.lines or rule.unknown else ""
        parts = (rich(rule.unknown, p.text), jacobian, rich(rule.note, p.dim, pixels=12))
        self._words.say(self._lines(rule) + paragraphs(*parts))

    def _lines(self, rule: Rule) -> str:
        p = self.palette_in_force
        colours = {GRADIENT: p.backward, VALUE: p.forward}
        out = []
        for index, line in enumerate(rule.lines[:LINES_LIMIT]):
            top = 12 if index else 0
            size = next(pixels for length, pixels in FORMULA_SIZES if len(plain(line.letters)) <= length)
            letters = styled(unbroken(html(line.letters, colours)), p.text, pixels=size)
            out.append(f'<p align="center" style="margin:{top}px 0 3px 0">{letters}</p>')
            if line.numbers:
                numbers = styled(unbroken(html(line.numbers, colours)), p.text, mono=True, pixels=NUMBERS_PX)
                out.append(f'<p align="center" style="margin:0">{numbers}</p>')
        if len(rule.lines) > LINES_LIMIT:
            out.append(rich(f"and {len(rule.lines) - LINES_LIMIT} more inputs in the same way", p.dim))
        return "".join(out)


class OutgoingCard(ReportCard):
    """One line for every input: what goes out to it, or why nothing does. A click on a gradient shows it whole."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "GOES OUT")
        self._rows = self._text("goes out", links=True)
        self._rows.link_requested.connect(self._show_whole)
        self.array = ArrayView(theme, "backward", "outgoing gradient")
        self.add(self.array)
        self._open: int | None = None
        self._report: NodeReport | None = None

    def has_a_part_in(self, report: NodeReport) -> bool:
        return bool(report.outgoing) and is_backward(report) and report.incoming is not None

    def write(self, report: NodeReport) -> None:
        if self._report is not None and self._report.place.node != report.place.node:
            self._open = None
        self._report = report
        self.head("GOES OUT", "one for every input" if len(report.outgoing) > 1 else "")
        p, shown = self.palette_in_force, report.outgoing[:TERMS_LIMIT]
        names = [i.name for i in report.inputs[:TERMS_LIMIT]]
        rows = [(self._name(name, out), self._amount(out)) for name, out in zip(names, shown, strict=True)]
        self._rows.say(table(rows) + more(len(report.outgoing), p))
        opened = next((out for out in report.outgoing if out.slot == self._open), None)
        self.array.show_array(None if opened is None else _numbers(opened.gradient))

    def _name(self, name: str, out: Outgoing) -> str:
        p = self.palette_in_force
        quiet = p.dim if out.never else p.text
        return f"{rich(name, p.dim)} = {link(f'node:{out.source}', rich(out.label, quiet), quiet)}"

    def _amount(self, out: Outgoing) -> str:
        p = self.palette_in_force
        if out.gradient is None:
            return in_words_font(f"none: {out.reason}" if out.never else out.reason, p)
        text = numbers(short(out.gradient), p.backward)
        if isinstance(out.gradient, Summary):
            return f"{text} {in_words_font(summed_up(out.gradient), p)}"
        return link(f"show:{out.slot}", text, p.backward)

    def _show_whole(self, target: str) -> None:
        kind, _, slot = target.partition(":")
        if kind == "show" and self._report is not None:
            self._open = None if self._open == int(slot) else int(slot)
            self.write(self._report)


class GradientCard(ReportCard):
    """`.grad` before and after the accumulation."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "GRAD")
        self._before = self._text("before")
        self.before = ArrayView(theme, "backward", "grad before")
        self.add(self.before)
        self._after = self._text("after")
        self.after = ArrayView(theme, "backward", "grad after")
        self.add(self.after)

    def has_a_part_in(self, report: NodeReport) -> bool:
        return report.gradient is not None and is_backward(report)

    def write(self, report: NodeReport) -> None:
        gradient, p = report.gradient, self.palette_in_force
        if gradient is None:
            return
        self.head(f"{elided(report.place.title, 12)}.grad", "accumulated" if gradient.has_run else "")
        before = rich("before", p.dim)
        if gradient.before is None:
            before += f" &nbsp;{rich('None', p.text, mono=True, pixels=NUMBERS_PX)}"
        before += self._summed_up(gradient.before)
        self._before.say(before if gradient.takes_part else "")
        self.before.show_array(_numbers(gradient.before), report.dtype)
        after = f"{rich('after', p.dim)} &nbsp;{rich(gradient.note, p.text)}"
        after += self._summed_up(gradient.after)
        self._after.say(after if gradient.has_run else rich(gradient.note, p.dim))
        # Where it was None it is the gradient that came in, whose picture stands above already.
        again = gradient.before is None and gradient.after is not None and not fits_in_cells(gradient.after.shape)
        self.after.show_array(None if again else _numbers(gradient.after), report.dtype)

    def _summed_up(self, gradient: Known) -> str:
        p = self.palette_in_force
        return f" &nbsp;{in_words_font(summed_up(gradient), p)}" if isinstance(gradient, Summary) else ""


def _numbers(known: Known) -> Array | None:
    """What an array view can show: nothing of what was not kept."""
    return None if isinstance(known, Summary) else known


class ValueCard(ReportCard):
    """The result of the forward pass."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "VALUE")
        self._note = self._text("", role="dim")
        self.array = ArrayView(theme, "forward", "value")
        self.add(self.array)

    def has_a_part_in(self, report: NodeReport) -> bool:
        return True

    def write(self, report: NodeReport) -> None:
        kind = "" if report.value is None else figures_kind(report.value, report.dtype)
        self.head("VALUE  y" if report.rule is not None else "VALUE", _with_name(kind, report))
        self._note.say(rich(report.value_note))
        self.array.show_array(report.value, report.dtype)


class SavedCard(ReportCard):
    """What the op keeps for its backward step, and how long."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "SAVED FOR BACKWARD")
        self._rows = self._text("saved for backward", links=True)

    def has_a_part_in(self, report: NodeReport) -> bool:
        return bool(report.saved)

    def write(self, report: NodeReport) -> None:
        self.head("SAVED FOR BACKWARD", report.saved_note)
        p = self.palette_in_force
        shown = report.saved[:TERMS_LIMIT]
        left = [f"{rich(kept.name, p.dim)} = {node_link(kept.source, kept.label, p)}" for kept in shown]
        if report.saved_note == FREED:
            right = [in_words_font(FREED, p)] * len(shown)
        else:
            right = [numbers(short(kept.value), p.forward) for kept in shown]
        self._rows.say(table(zip(left, right, strict=True)) + more(len(report.saved), p))


class ParametersCard(ReportCard):
    """What the op was given besides tensors."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "PARAMETERS")
        self._rows = self._text("parameters")

    def has_a_part_in(self, report: NodeReport) -> bool:
        return bool(report.params)

    def write(self, report: NodeReport) -> None:
        p = self.palette_in_force
        self._rows.say(table((rich(n, p.dim), rich(t, p.text)) for n, t in report.params))


CARDS: tuple[Callable[[Theme], ReportCard], ...] = (
    InputsCard,
    IncomingCard,
    RuleCard,
    OutgoingCard,
    GradientCard,
    ValueCard,
    SavedCard,
    ParametersCard,
)
"""In the order in which they stand."""
