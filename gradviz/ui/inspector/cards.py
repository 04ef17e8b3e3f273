"""The cards of the inspector: each shows one part of a report and hides itself where the report has nothing for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QToolButton

from gradviz.playback.difference import Difference, Pair, pair_text
from gradviz.playback.flow import Outgoing, Term
from gradviz.playback.formula.formula import gradient_of
from gradviz.playback.formula.text import GRADIENT, VALUE, html, plain
from gradviz.playback.health.finding import Finding
from gradviz.playback.numbers import summed_up
from gradviz.playback.product.inside import COMES_IN, GOES_OUT, Row
from gradviz.playback.product.product import Product
from gradviz.playback.report import FREED, HOOKED, READ, NodeReport, Rule
from gradviz.playback.words import shape_text
from gradviz.recording import CONSTANT, LEAF, Array, Known, Summary
from gradviz.ui.inspector.array_view import ArrayView
from gradviz.ui.inspector.card import Card, Text, link, rich, styled
from gradviz.ui.inspector.cells import digit_width, fits_in_cells
from gradviz.ui.inspector.product_view import ProductView
from gradviz.ui.inspector.rows import (
    NBSP,
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
from gradviz.ui.look.theme import CAPTION_PX, Theme, ui_font

LINES_LIMIT = 4
"""Inputs whose rule is shown."""
CODE_PX = 11
"""Size of a line of code."""
FORMULA_SIZES = ((22, 17), (34, 15), (10_000, 13))
"""Characters of a formula, and the size in pixels up to there, so that most stay on one line."""


class ReportCard(Card):
    """A card that shows part of a report.

    Signals:
        link_requested: the target of a link, "node:3".
        number_changed: a number was dragged or typed. Payload: of what ("value", "incoming", or the slot of what goes
            out), where in it, the number, and whether it stays so.
        refused: what was typed is no number. Payload: the sentence.

    Attributes:
        can_change: whether numbers can be changed at all.
        difference: what differs from what is compared with, or None.
        edited: nodes at which what comes in was changed by hand.
    """

    link_requested = Signal(str)
    number_changed = Signal(object, int, float, bool)
    refused = Signal(str)

    def __init__(self, theme: Theme, caption: str) -> None:
        super().__init__(caption)
        self._theme = theme
        self.can_change = False
        self.difference: Difference | None = None
        self.edited: frozenset[int] = frozenset()

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

    def _array(self, role: str, name: str, what: Callable[[], str | int | None]) -> ArrayView:
        """An array whose numbers can be changed."""
        array = ArrayView(self._theme, role, name)
        array.number_changed.connect(lambda at, number, stays: self._tell(what(), at, number, stays))
        array.refused.connect(self.refused)
        self.add(array)
        return array

    def _tell(self, what: str | int | None, at: int, number: float, stays: bool) -> None:
        if what is not None:
            self.number_changed.emit(what, at, number, stays)

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
        left = [_named(i.name, i.label, node_link(i.source, i.label, p), p) for i in shown]
        right = [numbers(short(i.value), p.forward) for i in shown]
        self._rows.say(table(zip(left, right, strict=True)) + more(len(report.inputs), p))


class IncomingCard(ReportCard):
    """dL/dy, and the terms it is the sum of."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "COMES IN")
        self._terms = self._text("terms of the sum", links=True)
        self.array = self._array("backward", "incoming gradient", lambda: "incoming")

    def has_a_part_in(self, report: NodeReport) -> bool:
        return report.incoming is not None and is_backward(report)

    def write(self, report: NodeReport) -> None:
        incoming = report.incoming
        if incoming is None:
            return
        gradient = incoming.gradient if incoming.gradient is not None else incoming.so_far
        kind = "" if gradient is None else figures_kind(gradient, report.dtype)
        self.head(f"COMES IN  {gradient_name(report)}", kind)
        terms = self._sum(incoming.terms, gradient_name(report), report)
        self._terms.say(terms + paragraphs(rich(incoming.note, self.palette_in_force.dim)))
        is_whole = incoming.gradient is not None
        if report.place.node in self.edited:
            self._terms.say(terms + paragraphs(rich(EDITED, self.palette_in_force.changed)))
        was = self.difference.gradients.get(report.place.node) if self.difference is not None and is_whole else None
        self.array.show_array(gradient, report.dtype, can_change=self.can_change and is_whole, was=was)

    def _sum(self, terms: tuple[Term, ...], name: str, report: NodeReport) -> str:
        """The terms one below the other; "" for a single one, which is its own sum, unless it is the seed."""
        p = self.palette_in_force
        if len(terms) < 2:
            is_seed = any(term.consumer is None for term in terms)
            said = unbroken(rich(self._seed(terms[0], name, report), p.dim)) if is_seed else ""
            return f"{rich('v', p.text, bold=True)}{said}" if is_seed else ""
        count = Counter(term.consumer for term in terms)
        rows = [
            (self._term(term, "+" if index else "\u00a0", show_slot=count[term.consumer] > 1), self._amount(term))
            for index, term in enumerate(terms[:TERMS_LIMIT])
        ]
        return table(rows) + more(len(terms), p)

    def _seed(self, term: Term, name: str, report: NodeReport) -> str:
        """What v is: with it L is a number, whose gradient is sent back."""
        v, f = term.gradient, report.name
        if report.incoming is not None and report.incoming.note == HOOKED:
            return ", the seed"
        if v.shape:
            return f", the seed: L = Σ vᵢ·{f}ᵢ, so {name} = v"
        is_one = not isinstance(v, Summary) and bool(v == 1)
        return f", the seed: L is {f} itself, so {name} = 1" if is_one else f", the seed: L = v·{f}, so {name} = v"

    def _term(self, term: Term, sign: str, *, show_slot: bool) -> str:
        p = self.palette_in_force
        sign = rich(f"{sign}\u00a0", p.dim)
        if term.consumer is None:
            return f"{sign}{rich('v', p.text, bold=True)} {rich('the seed', p.dim)}"
        slot = rich(f" ({ordinal(term.slot)}\u00a0input)", p.dim) if show_slot and term.slot is not None else ""
        return f"{sign}{node_link(term.consumer, term.label, p)}{slot}"

    def _amount(self, term: Term) -> str:
        p = self.palette_in_force
        if not term.has_arrived:
            return in_words_font("to come", p)
        return numbers(short(term.gradient), p.backward)


def gradient_name(report: NodeReport) -> str:
    """What dL/d(result) is called at this node, as in its rule."""
    return gradient_of(elided(report.place.title if report.rule is None else report.name, 14))


def _named(name: str, title: str, markup: str, palette: Palette) -> str:
    """An input by what the rule calls it, "in = x·x"; one that has a name of its own by that alone."""
    return markup if name == title else f"{rich(name, palette.dim)} = {markup}"


EDITED = "Changed here: what comes after it follows from this."
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def ordinal(number: int) -> str:
    """Which input in words, from 0: "first"."""
    return ORDINALS[number] if number < len(ORDINALS) else f"{number + 1}th"


def figures_kind(array: Array, dtype: str) -> str:
    """Shape and type of an array."""
    return f"{shape_text(array.shape)} {dtype or array.dtype}"


class RuleCard(ReportCard):
    """The local rule with letters, with numbers, and what its Jacobian looks like where that is not drawn.

    Attributes:
        draws_jacobian: whether the product below shows it.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "LOCAL RULE")
        self.draws_jacobian = False
        self._words = self._text("rule")

    def has_a_part_in(self, report: NodeReport) -> bool:
        rule = report.rule
        if rule is None or (rule.unknown and self.draws_jacobian):
            return False
        return bool(rule.lines or rule.equation or rule.unknown)

    def write(self, report: NodeReport) -> None:
        rule, p = report.rule, self.palette_in_force
        if rule is None:
            return
        self.head("LOCAL RULE", rule.equation)
        is_said = (rule.lines or rule.unknown) and not self.draws_jacobian
        jacobian = rich(rule.jacobian, p.dim, pixels=12) if is_said else ""
        parts = (rich(rule.remark, p.text), rich(rule.unknown, p.text), jacobian, rich(rule.note, p.dim, pixels=12))
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


class ProductCard(ReportCard):
    """v, the Jacobian that is never built, and v·J, drawn; it can be closed, and then finds nothing out.

    Attributes:
        finder: what gives the product of the report that is shown next.

    Signals:
        toggled: it was opened or closed.
    """

    toggled = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "V TIMES J")
        self.finder: Callable[[], Product | None] = lambda: None
        self.is_open = True
        self.as_matrices = True
        self.form = QToolButton()
        self.form.setFont(ui_font(CAPTION_PX))
        self.form.clicked.connect(self.change_form)
        self.first.add(self.form)
        self._toggle = QToolButton()
        self._toggle.setProperty("role", "dim")
        self._toggle.setFont(ui_font(CAPTION_PX))
        theme.changed.connect(self._dress)
        self._dress()
        self._toggle.clicked.connect(self.toggle)
        self.first.add(self._toggle)
        self.view = ProductView(theme)
        self.add(self.view)
        self._words = self._text("structure")
        self._show_toggle()

    def _dress(self) -> None:
        for button in (self._toggle, self.form):
            button.setStyleSheet(f"color: {self.palette_in_force.dim}; padding: 0 2px;")

    def change_form(self) -> None:
        """Show the two matrices that are multiplied as v and one flat J, or the other way round."""
        self.as_matrices = not self.as_matrices
        self.toggled.emit()

    def toggle(self) -> None:
        """Open it, or close it."""
        self.is_open = not self.is_open
        self._show_toggle()
        self.toggled.emit()

    def _show_toggle(self) -> None:
        self._toggle.setText("Hide" if self.is_open else "Show")
        self._toggle.setAccessibleName("Hide the product" if self.is_open else "Show the product")
        self._toggle.setToolTip("Hide the product" if self.is_open else "Show v, the Jacobian and v·J")

    def has_a_part_in(self, report: NodeReport) -> bool:
        came = report.incoming
        is_here = report.rule is not None and is_backward(report) and came is not None and came.gradient is not None
        return is_here and any(out.gradient is not None for out in report.outgoing)

    def write(self, report: NodeReport) -> None:
        product = self.finder() if self.is_open else None
        drawn = product is not None and bool(product.factors or (product.forms and self.as_matrices))
        self.view.setVisible(drawn)
        if product is not None and drawn:
            self.view.show_product(product, as_matrices=self.as_matrices)
        self._offer_form(product)
        unknown = "" if report.rule is None else report.rule.unknown
        self._words.say("" if product is None else self._said(product, unknown))

    def _offer_form(self, product: Product | None) -> None:
        """The button for the other form, where there is one."""
        self.form.setVisible(product is not None and bool(product.forms))
        self.form.setText("As v · J" if self.as_matrices else "As matrices")
        tip = "Show v and one flat Jacobian" if self.as_matrices else "Show the two matrices that are multiplied"
        self.form.setToolTip(tip)
        self.form.setAccessibleName(tip)
        self.first.place()

    def _said(self, product: Product, unknown: str) -> str:
        """What each Jacobian looks like, and what backward did; alike ones once."""
        p = self.palette_in_force
        said: dict[tuple[str, str], list[str]] = {}
        for factor in product.factors:
            said.setdefault((factor.structure.words, factor.structure.cost), []).append(factor.name)
        parts = []
        for (words, cost), names in said.items():
            which = f" (to {' and '.join(names)})" if len(said) > 1 else ""
            each = " each" if len(names) > 1 else ""
            first = f"{words[:1].upper()}{words[1:]}{which}"
            parts.append(f"{rich(first, p.forward, bold=True, pixels=12)}{rich(f'{each}: {cost}', p.dim, pixels=12)}")
        if product.left_out:
            parts.append(rich(f"and {product.left_out} more inputs in the same way", p.dim, pixels=12))
        zeros = [rich(text, p.text, pixels=12) for text in product.zeros]
        return paragraphs(rich(product.note, p.dim, pixels=12), *zeros, *parts, rich(unknown, p.dim, pixels=12))


class InsideCard(ReportCard):
    """The lines of a custom Function's backward with their numbers; they can be gone through one by one.

    Attributes:
        finder: gives the rows of a node; () where there are none.
        at: index of the line that is gone through, or None where all are shown.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "INSIDE BACKWARD")
        self.finder: Callable[[int], tuple[Row, ...]] = lambda _node: ()
        self.at: int | None = None
        self._rows: tuple[Row, ...] = ()
        self.step = QToolButton()
        self.step.setFont(ui_font(CAPTION_PX))
        self.step.clicked.connect(self.step_on)
        self.first.add(self.step)
        self._lines = self._text("lines of backward", links=True)
        theme.changed.connect(self._dress)
        self._dress()

    def has_a_part_in(self, report: NodeReport) -> bool:
        came = report.incoming
        is_here = is_backward(report) and came is not None and came.gradient is not None
        return is_here and bool(self.finder(report.place.node))

    def write(self, report: NodeReport) -> None:
        rows = self.finder(report.place.node)
        if rows != self._rows:
            self._rows, self.at = rows, None
        self._show()

    def step_on(self) -> None:
        """Go into the first line, or on to the next; behind the last all are shown again."""
        at = 0 if self.at is None else self.at + 1
        self.at = at if at < len(self._rows) else None
        self._show()
        if self.at is not None:
            self.link_requested.emit(f"line:{self._rows[self.at].line}")

    def _show(self) -> None:
        is_last = self.at == len(self._rows) - 1
        words = "Step in" if self.at is None else "Step out" if is_last else "Next line"
        self.step.setText(words)
        self.step.setAccessibleName(f"{words}: lines of backward")
        self.step.setToolTip("Go through the lines of backward one by one")
        self._lines.say("".join(self._line(number, row, self._room()) for number, row in enumerate(self._rows)))

    def _room(self) -> int:
        """Characters of code that fit on a line."""
        return max(int((self.width() - 60) / digit_width(CODE_PX)), 24)

    def _line(self, number: int, row: Row, room: int) -> str:
        """A line of code, and below it what it gave its variables, once it has run."""
        p = self.palette_in_force
        is_now, is_later = number == self.at, self.at is not None and number > self.at
        code = row.code if len(row.code) <= room else f"{row.code[: room - 1]}…"
        ink = p.backward if is_now else p.dim if is_later else p.text
        mark = rich(f"{row.line:>3} ".replace(" ", NBSP), p.dim, mono=True, pixels=CODE_PX)
        text = rich(code.replace(" ", NBSP), ink, mono=True, bold=is_now, pixels=CODE_PX)
        head = f'<p style="margin:{5 if number else 0}px 0 0 0">{mark}{link(f"line:{row.line}", text, ink)}</p>'
        if not row.values or is_later:
            return head
        tint = p.backward if row.kind in (COMES_IN, GOES_OUT) else p.forward
        sign = f"{NBSP}× {row.times}" if row.times > 1 else ""
        said = f"{NBSP}{NBSP}{row.kind}{sign}" if row.kind or sign else ""
        values = ", ".join(f"{name} = {value}" if name else value for name, value in row.values)
        indent = 4 + len(row.code) - len(row.code.lstrip())
        below = rich(NBSP * indent, mono=True, pixels=CODE_PX) + rich(values, tint, mono=True, pixels=CODE_PX)
        return f'{head}<p style="margin:1px 0 0 0">{below}{rich(said, p.dim, pixels=CODE_PX)}</p>'

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._rows:
            self._show()

    def _dress(self) -> None:
        self.step.setStyleSheet(f"color: {self.palette_in_force.backward}; padding: 0 2px;")


class OutgoingCard(ReportCard):
    """One line for every input: what goes out to it, or why nothing does. A click on a gradient shows it whole."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "GOES OUT")
        self._rows = self._text("goes out", links=True)
        self._rows.link_requested.connect(self._show_whole)
        self.array = self._array("backward", "outgoing gradient", lambda: self._open)
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
        array = None if opened is None else _numbers(opened.gradient)
        was = None if opened is None else self._was(opened)
        self.array.show_array(array, can_change=self.can_change, was=was)

    def _was(self, out: Outgoing) -> Pair | None:
        report = self._report
        if self.difference is None or report is None:
            return None
        return self.difference.edges.get((report.place.node, out.slot))

    def _name(self, name: str, out: Outgoing) -> str:
        p = self.palette_in_force
        quiet = p.dim if out.never else p.text
        return _named(name, out.label, link(f"node:{out.source}", rich(out.label), quiet), p)

    def _amount(self, out: Outgoing) -> str:
        p = self.palette_in_force
        if out.gradient is None:
            return in_words_font(f"none: {out.reason}" if out.never else out.reason, p)
        was, text = self._was(out), short(out.gradient)
        before = "" if was is None else f" {rich(f'Δ {pair_text(was, 24)}', p.changed, pixels=CAPTION_PX)}"
        if isinstance(out.gradient, Summary):
            return f"{numbers(text, p.backward)}{before} {in_words_font(summed_up(out.gradient), p)}"
        return link(f"show:{out.slot}", f"{numbers(text)}{before}", p.backward)

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
        was = None if self.difference is None or not gradient.has_run else self.difference.grads.get(report.place.node)
        self.after.show_array(None if again else _numbers(gradient.after), report.dtype, was=was)

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
        self.array = self._array("forward", "value", lambda: "value")

    def has_a_part_in(self, report: NodeReport) -> bool:
        return True

    def write(self, report: NodeReport) -> None:
        kind = "" if report.value is None else figures_kind(report.value, report.dtype)
        self.head("VALUE" if report.rule is None else f"VALUE  {elided(report.name, 14)}", kind)
        self._note.say(rich(report.value_note))
        can_change = self.can_change and report.place.op in (LEAF, CONSTANT)
        was = None if self.difference is None else self.difference.values.get(report.place.node)
        self.array.show_array(report.value, report.dtype, can_change=can_change, was=was)


class SavedCard(ReportCard):
    """What the op keeps for its backward step, and how long."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "SAVED FOR BACKWARD")
        self._rows = self._text("saved for backward", links=True)

    def has_a_part_in(self, report: NodeReport) -> bool:
        return bool(report.saved or report.saved_stop)

    def write(self, report: NodeReport) -> None:
        self.head("SAVED FOR BACKWARD", report.saved_note)
        p = self.palette_in_force
        shown = report.saved[:TERMS_LIMIT]
        rows = []
        for kept in shown:
            is_freed, name = report.saved_note == FREED, node_link(kept.source, kept.label, p)
            value = in_words_font(FREED, p) if is_freed else numbers(short(kept.value), p.forward)
            rows.append((_named(kept.name, kept.label, name, p), value))
            if kept.read is not None and not is_freed:
                rows.append((in_words_font(READ, p), numbers(short(kept.read.value), p.forward)))
        stop = paragraphs(rich(report.saved_stop, p.dim, pixels=12))
        self._rows.say(table(rows) + more(len(report.saved), p) + stop)


class HealthCard(ReportCard):
    """What went wrong here, or would: where a NaN was born, where the graph was cut. Hidden at a healthy node."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "HEALTH")
        self._words = self._text("health", links=True)

    def has_a_part_in(self, report: NodeReport) -> bool:
        return bool(report.health)

    def write(self, report: NodeReport) -> None:
        self._words.say("".join(self._said(finding, index) for index, finding in enumerate(report.health)))

    def _said(self, finding: Finding, index: int) -> str:
        p = self.palette_in_force
        text = rich(finding.text, p.error if finding.is_wrong else p.text)
        if finding.node is not None:
            text += f" {link(f'node:{finding.node}', rich('Go there', p.forward), p.forward)}"
        return f'<p style="margin:{8 if index else 0}px 0 0 0">{text}</p>'


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
    HealthCard,
    InputsCard,
    IncomingCard,
    RuleCard,
    ProductCard,
    InsideCard,
    OutgoingCard,
    GradientCard,
    ValueCard,
    SavedCard,
    ParametersCard,
)
"""In the order in which they stand."""
