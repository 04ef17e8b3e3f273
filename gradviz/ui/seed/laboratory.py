"""The seed laboratory: a v that is dragged, with all that follows from it, and the J that no pass has ever built."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.errors import Cancelled, GradvizError
from gradviz.playback.track import Track
from gradviz.playback.words import counted, in_brackets, shape_text
from gradviz.recording import Array, Recording
from gradviz.ui.look.fitted_label import FittedLabel
from gradviz.ui.look.icons import dress, redraw
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import Theme
from gradviz.ui.seed.board import Board
from gradviz.ui.seed.candidates import candidates
from gradviz.ui.seed.experiment import MOST, QUICK, Experiment, Findings, Wish, disagreement, sentence
from gradviz.ui.seed.gradient_strip import GradientStrip
from gradviz.ui.seed.pairs import name_of, short_name
from gradviz.ui.seed.second_graph import SecondGraphView
from gradviz.ui.seed.vector_choice import VectorChoice
from gradviz.ui.seed.words import one_hot, question
from gradviz.ui.session.runner import Going, Latest

MOST_OUTPUTS = 2000
PASS_MS = 900
"""Milliseconds between the passes that build J, so that each can be followed."""
BUILD, STOP = "Build J row by row", "Stop"
KINK = "The differences say something else: here is a kink or another convention of PyTorch, or a rule is wrong."
AskRun = Callable[[str, Any], Any]


class SeedLaboratory(QDialog):
    """Tries v on one output of what is drawn. Not modal: it stays open beside the graph.

    Signals:
        seed_chosen: run this v as a backward call of the picture. Payload: id of the node, and v as an array.
        node_chosen: show a node of the graph. Payload: its id.
    """

    seed_chosen = Signal(int, object)
    node_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._track: Track | None = None
        self._ask_run: AskRun | None = None
        self._experiment: Experiment | None = None
        self._found: Findings | None = None
        self._pending: Wish | None = None
        self._is_dragging = False
        self._seconds = 0.0
        self._pass = 0
        self._aside: tuple[Array, str] | None = None
        self._is_built = False
        self._work = Latest()
        self._work.answered.connect(self._take)
        self._work.failed.connect(self._fail)
        self._work.slow_changed.connect(self._show_waiting)
        self._timer = QTimer(self, interval=PASS_MS)
        self._timer.timeout.connect(self.build_on)
        self.setWindowTitle("Seed laboratory")
        self.resize(940, 660)
        self.output, self.leaf = QComboBox(), QComboBox()
        self.v = VectorChoice("v")
        self.u = VectorChoice("u")
        self.question, self.count = FittedLabel(2), FittedLabel(2)
        self.problem = plain_label(role="error")
        self.board, self.gradients = Board(theme), GradientStrip(theme)
        self.graphs = SecondGraphView()
        self.build, self.play = QPushButton(BUILD), QPushButton("Play this v")
        self._arrange()
        self._wire()

    # ---- building ----

    def _arrange(self) -> None:
        for combo, name in ((self.output, "Output"), (self.leaf, "Leaf")):
            combo.setAccessibleName(name)
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(14)
        self.orders = QButtonGroup(self)
        self.first, self.second, self.both = QToolButton(), QToolButton(), QToolButton()
        for button, text, tip in (
            (self.first, "Jacobian", "J: how the output changes with the leaf"),
            (
                self.second,
                "Hessian",
                "H: how v·J changes with the leaf, by a pass through a pass",
            ),
            (self.both, "Second graph", "What each step of the pass makes where create_graph=True records it"),
        ):
            button.setText(text)
            button.setToolTip(tip)
            button.setCheckable(True)
            button.setProperty("role", "choice")
            self.orders.addButton(button)
        self.first.setChecked(True)
        head = QHBoxLayout()
        head.setSpacing(2 * SPACE)
        for text, combo in (("Output", self.output), ("with respect to", self.leaf)):
            words = QLabel(text)
            words.setProperty("role", "dim")
            head.addWidget(words)
            head.addWidget(combo)
        head.addStretch()
        head.addWidget(self.first)
        head.addWidget(self.second)
        head.addWidget(self.both)
        choices = QGridLayout()
        choices.setHorizontalSpacing(6 * SPACE)
        choices.addWidget(self.v, 0, 0)
        choices.addWidget(self.u, 0, 1)
        choices.setColumnStretch(0, 1)
        choices.setColumnStretch(1, 1)
        card = QFrame()
        card.setProperty("role", "card")
        inner = QVBoxLayout(card)
        inner.setContentsMargins(4 * SPACE, 3 * SPACE, 4 * SPACE, 3 * SPACE)
        self._views = QStackedLayout()
        self._views.addWidget(self.board)
        self._views.addWidget(self.graphs)
        inner.addLayout(self._views, 1)
        inner.addWidget(self.gradients)
        self.count.setProperty("role", "dim")
        self.play.setProperty("role", "primary")
        dress(self.build, "play", self._theme, "dim")
        foot = QHBoxLayout()
        foot.setSpacing(2 * SPACE)
        foot.addWidget(self.count, 1)
        for push in (self.build, self.play):
            push.setAutoDefault(False)
            foot.addWidget(push)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(5 * SPACE, 4 * SPACE, 5 * SPACE, 4 * SPACE)
        whole.setSpacing(3 * SPACE)
        whole.addLayout(head)
        whole.addLayout(choices)
        whole.addWidget(self.question)
        whole.addWidget(card, 1)
        whole.addWidget(self.problem)
        whole.addLayout(foot)

    def _wire(self) -> None:
        self.output.currentIndexChanged.connect(self._choose_output)
        self.leaf.currentIndexChanged.connect(self._choose_leaf)
        self.orders.buttonClicked.connect(self._ask_again)
        for choice in (self.v, self.u):
            choice.chosen.connect(self._ask_again)
            choice.problem_changed.connect(self._show_problem)
        board = self.board
        for choice, changed, settled, clicked in (
            (self.v, board.v_changed, board.v_settled, board.v_clicked),
            (self.u, board.u_changed, board.u_settled, board.u_clicked),
        ):
            changed.connect(lambda array, c=choice: self._drag(c, array))
            settled.connect(lambda _array: self._settle())
            clicked.connect(choice.click)
        board.refused.connect(self._show_problem)
        self.gradients.leaf_chosen.connect(lambda node: self.leaf.setCurrentIndex(self.leaf.findData(node)))
        self.graphs.node_chosen.connect(self.node_chosen)
        self.build.clicked.connect(self._build_or_stop)
        self.play.clicked.connect(self._play)
        self.v.field.returnPressed.connect(self._play)

    # ---- what is tried ----

    def show_track(self, track: Track, ask_run: AskRun | None = None) -> None:
        """Try v on what is drawn; another v for the same run leaves everything as it is.

        Args:
            track: of the picture.
            ask_run: asks the run of the script, where there is one at hand; see `Session.run_asked`.
        """
        before = self._track
        self._track, self._ask_run = track, ask_run
        if before is not None and before.recording.nodes is track.recording.nodes:
            if before.recording.values is not track.recording.values and self._experiment is not None:
                self._stop_building()
                self._work.drop()  # of a what-if, the graph is the same and its numbers are not
                self._experiment = Experiment(track.recording, self._experiment.output, ask_run)
                self._ask()
            elif self._found is None:
                self._ask()  # it was closed before there was an answer
            return
        names = {self.output.currentText()} if before is not None else set()
        with QSignalBlocker(self.output):
            self.output.clear()
            for node in islice(candidates(track), MOST_OUTPUTS):
                shape = track.recording.nodes[node].shape
                self.output.addItem(f"{name_of(track.recording, node)}   {shape_text(shape)}", node)
            kept = next((at for at in range(self.output.count()) if self.output.itemText(at) in names), 0)
            self.output.setCurrentIndex(kept if self.output.count() else -1)
        self._choose_output()

    @property
    def recording(self) -> Recording | None:
        """Of what is drawn."""
        return None if self._track is None else self._track.recording

    @property
    def findings(self) -> Findings | None:
        """What was found last."""
        return self._found

    @property
    def is_busy(self) -> bool:
        """Whether something is being computed."""
        return self._work.is_busy

    def _choose_output(self) -> None:
        self._stop_building()
        self._work.drop()
        self._pending = self._found = None
        recording, node = self.recording, self.output.currentData()
        has_output = recording is not None and node is not None
        for widget in (self.v, self.u, self.board, self.play):
            widget.setEnabled(has_output)
        if recording is None or node is None:
            self._experiment = None
            with QSignalBlocker(self.leaf):
                self.leaf.clear()
            self.question.say("")
            self._clear()
            self._show_problem("There is no result here that requires grad: compute one in the script first.")
            return
        self._experiment = Experiment(recording, node, self._ask_run)
        self.v.begin(recording.nodes[node].shape, _dtype(recording, node))
        with QSignalBlocker(self.leaf):
            self.leaf.clear()  # which leaves there are, the first answer says
        self._ask()

    def _list_leaves(self, leaves: Sequence[int]) -> None:
        """Offer the leaves that gradients have come to, and ask for the first."""
        recording = self.recording
        if recording is None:
            return
        with QSignalBlocker(self.leaf):
            for leaf in leaves:
                self.leaf.addItem(f"{name_of(recording, leaf)}   {shape_text(recording.nodes[leaf].shape)}", leaf)
            self.leaf.setCurrentIndex(0)
        self.leaf.setEnabled(len(leaves) > 1)
        self._choose_leaf()

    def _choose_leaf(self) -> None:
        recording, leaf = self.recording, self.leaf.currentData()
        self._stop_building()
        if recording is not None and leaf is not None:
            self.u.begin(recording.nodes[leaf].shape, _dtype(recording, leaf))
        self._ask()

    # ---- asking ----

    def _wish(self) -> Wish:
        leaf = self.leaf.currentData()
        u = None if leaf is None else self.u.array
        return Wish(self.v.array, leaf, u, self.second.isChecked(), self.both.isChecked())

    def _ask(self, *, wants_rows: bool = False) -> None:
        """Compute what follows from v and u as they stand; while something is computed, the latest wish waits."""
        if self._experiment is None:
            return
        wish = self._wish()._replace(wants_rows=wants_rows, is_quick=self._is_dragging and self._seconds > QUICK)
        self._show_question()
        self.board.show_vectors(wish.v, wish.u)
        if self._work.is_busy:
            self._pending = wish
        else:
            self._start(wish)

    def _ask_again(self) -> None:
        self._stop_building()
        self._ask()

    def _start(self, wish: Wish) -> None:
        experiment = self._experiment
        if experiment is None:
            return

        def work(going: Going) -> tuple[Experiment, Findings]:
            return experiment, experiment.find(wish, going)

        self._pending = None
        self._work.ask(work)

    def _take(self, answer: tuple[Experiment, Findings]) -> None:
        experiment, found = answer
        pending, self._pending = self._pending, None
        if experiment is self._experiment:
            self._found = found
            if found.gradients and not self.leaf.count():
                self._list_leaves(tuple(found.gradients)[:MOST_OUTPUTS])
                return
            if not found.wish.is_quick:
                self._seconds = found.seconds
            self._show_found()
        if pending is not None:
            self._start(pending)
        elif self.is_building and not self._pass:
            self.build_on()  # what was under way when it was asked for is done

    def _fail(self, error: BaseException) -> None:
        pending, self._pending = self._pending, None
        if isinstance(error, Cancelled):
            return
        if not isinstance(error, GradvizError):
            raise error
        self._clear()
        self._show_problem(sentence(error))
        if pending is not None:
            self._start(pending)

    def _drag(self, choice: VectorChoice, array: Array) -> None:
        self._stop_building()
        self._is_dragging = self.board.v.is_changing or self.board.u.is_changing  # not when it is taken back
        choice.take(array)
        self._ask()

    def _settle(self) -> None:
        self._is_dragging = False
        self._ask()

    def _play(self) -> None:
        node = self.output.currentData()
        self._stop_building()
        if node is not None and not self.v.problem:
            self.seed_chosen.emit(int(node), self.v.array)

    # ---- building J ----

    def _build_or_stop(self) -> None:
        if self._timer.isActive():
            self._stop_building()
            self._ask()
            return
        self.second.setChecked(False)
        self.first.setChecked(True)
        self._aside = (self.v.array, self.v.kind)
        self._pass = 0
        self.build.setText(STOP)
        redraw(self.build, "stop", self._theme)
        self._timer.start()
        self.build_on()

    def build_on(self) -> None:
        """The next pass that builds J: a one-hot v, whose v·J is a row."""
        found, recording = self._found, self.recording
        rows = () if found is None else found.rows
        if recording is None or self._aside is None or self._pass >= len(rows):
            self._stop_building()
            self._is_built = True
            self._ask()
            return
        if self._work.is_busy:
            return  # the pass before is not done
        shape, before = self._aside[0].shape, self._aside[0]
        at = tuple(int(i) for i in np.unravel_index(rows[self._pass], shape)) if shape else ()
        self._pass += 1
        self.v.take(one_hot(shape, at, before.dtype) if shape else np.ones_like(before)[()])
        self._ask(wants_rows=True)

    def _stop_building(self) -> None:
        """Put back the v of before."""
        self._is_built = False
        self._timer.stop()
        self.build.setText(BUILD)
        redraw(self.build, "play", self._theme)
        if self._aside is not None:
            (array, kind), self._aside = self._aside, None
            self.v.restore(array, kind)
        self._pass = 0

    @property
    def is_building(self) -> bool:
        """Whether J is being built row by row."""
        return self._aside is not None

    # ---- showing ----

    def _show_found(self) -> None:
        found, recording, node = self._found, self.recording, self.output.currentData()
        if found is None or recording is None:
            return
        self.board.setEnabled(True)
        leaf = found.wish.leaf
        output = in_brackets(short_name(recording, node))
        names = output, "" if leaf is None else in_brackets(short_name(recording, leaf))
        shapes = (recording.nodes[node].shape, () if leaf is None else recording.nodes[leaf].shape)
        shown = found
        built = self._pass - 1 if self.is_building and self._pass else None
        if built is not None:
            shown = replace(found, known=tuple([known and row <= built for row, known in enumerate(found.known)]))
        if self._is_dragging:  # v and u have gone on since
            u = None if found.wish.u is None else self.u.array
            shown = replace(shown, wish=found.wish._replace(v=self.v.array, u=u))
        if found.wish.is_paired:
            self.graphs.show_pairs(found.pairs)
        else:
            self.board.show_findings(shown, names, shapes, built)
        self._views.setCurrentWidget(self.graphs if found.wish.is_paired else self.board)
        self.gradients.show_gradients(recording, found.gradients, leaf)
        self._show_question()
        self._show_count()
        self._show_problem()

    def _clear(self) -> None:
        """Show no numbers: those of before are of something else."""
        self._found = None
        self.board.clear()
        self.gradients.hide()
        self.graphs.show_pairs(())
        self.count.say("")

    def _show_question(self) -> None:
        recording, node = self.recording, self.output.currentData()
        if recording is None or node is None or self.v.problem:
            return
        name = in_brackets(name_of(recording, node))
        if self.is_building and self._pass and self._found is not None:
            rows = self._found.rows
            row = rows[self._pass - 1] + 1
            self.question.say(f"Pass {self._pass} of {len(rows)}: this v gives row {row} of J.")
        elif self._is_built:
            passes = 1 if self._found is None else len(self._found.rows)
            took = counted(passes, "pass", "passes")
            self.question.say(f"J took {took}. backward(v) takes one, for any v, and never has J.")
        elif self.both.isChecked():
            self.question.say(
                "With create_graph=True the pass is itself recorded: each of its steps makes new nodes, "
                "and a second pass goes back through both columns, to the leaves."
            )
        elif self.second.isChecked():
            self.question.say(
                f"H holds the second derivatives of v·{name}: H·u says how v·J changes along u. "
                "It takes a second pass, through the graph that create_graph=True records of the first."
            )
        else:
            self.question.say(question(self.v.array, name))

    def _show_count(self) -> None:
        recording, node, found = self.recording, self.output.currentData(), self._found
        if recording is None or node is None or found is None:
            return
        sent, nodes, whole = found.counts
        rows = math.prod(recording.nodes[node].shape)
        columns = 0 if found.wish.leaf is None else math.prod(recording.nodes[found.wish.leaf].shape)
        through, numbers = counted(nodes, "node"), counted(sent, "number")
        text = f"One pass sends back {numbers} through {through}; the Jacobians of these would have {whole:,}."
        if columns and found.wish.is_second:
            text += f" H would be {columns:,} × {columns:,}; H·u takes two passes, however large it is."
        elif columns and found.rows:
            text += f" J would be {rows:,} × {columns:,}, built by {counted(rows, 'pass', 'passes')}"
            if max(rows, columns) > MOST:
                text += f"; {len(found.rows)} of its rows and {len(found.columns)} of its columns are shown"
            text += "."
        self.count.say(text)

    def _show_problem(self, text: str = "") -> None:
        found = self._found
        text = text or self.v.problem or self.u.problem
        if not text and found is not None:
            text = " ".join(found.problems) or remark(found)
        self.problem.setText(text)
        self.problem.setVisible(bool(text))
        self.play.setEnabled(self._experiment is not None and not self.v.problem)
        self.build.setEnabled(found is not None and self._experiment is not None and found.wish.leaf is not None)

    def _show_waiting(self, is_slow: bool) -> None:
        if is_slow:
            self.count.say("Computing…")
        else:
            self._show_count()

    # ---- Qt ----

    def end(self) -> None:
        """Wait for nothing any more: the program ends."""
        self._stop_building()
        self._work.close()

    def hideEvent(self, event: QHideEvent) -> None:
        self._is_dragging = False
        self._stop_building()
        self._work.drop()
        self._pending = None
        super().hideEvent(event)


def remark(found: Findings) -> str:
    """What is to be said of what was found: of numbers that are not finite, and of a kink; mostly ""."""
    if not np.isfinite(np.asarray(found.wish.v, np.float64)).all():
        return "v holds a number that is not finite: what follows from it cannot be either."
    if any(not np.isfinite(np.asarray(g)).all() for g in found.gradients.values()):
        return "v·J is not finite here: step through this v in the graph to see where NaN or infinity is born."
    if found.forward is not None and not np.isfinite(np.asarray(found.forward)).all():
        return f"{'H·u' if found.wish.is_second else 'J·u'} is not finite here."
    return KINK if disagreement(found) else ""


def _dtype(recording: Recording, node: int) -> np.dtype[Any]:
    value = recording.values[node]
    return np.dtype(np.float32) if value is None else value.dtype
