"""The bottom of the window: transport, sweeps, both passes as one track, and the step in words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gradviz.playback import flow
from gradviz.playback.health.saved import keeping, keeping_text, second_stop
from gradviz.playback.player import Player
from gradviz.playback.track import Track
from gradviz.playback.words import label
from gradviz.recording import Recording
from gradviz.ui.look.enclosure import Enclosure
from gradviz.ui.look.fitted_label import FittedLabel
from gradviz.ui.look.theme import Theme
from gradviz.ui.timeline.slider import Lane, PassSlider
from gradviz.ui.timeline.sweeps import SweepBar
from gradviz.ui.timeline.transport import Transport

Sentence = Callable[[Track, int], tuple[str, str]]

LINES, FEW_LINES = 4, 2
"""Of both sentences together: so many are kept free, so that the height stays while stepping. Few in a low window."""

ROOMY_PX = 900
"""Width from which there is room for the counts beside the calls."""

_SIDES = (16, 8)


class Timeline(QWidget):
    """Shows a track and a player.

    Attributes:
        transport, sweeps, slider: ask for everything else.
    """

    def __init__(self, theme: Theme, sentence: Sentence) -> None:
        super().__init__()
        self._sentence, self._theme = sentence, theme
        self._track = Track(Recording())
        self._told: tuple[int, bool] | None = None
        self._seen_as: Callable[[int], int] = lambda node: node
        self.transport = Transport(theme)
        self.sweeps = SweepBar(theme)
        self.slider = PassSlider(theme)
        self._lines = LINES
        self.now, self.next = FittedLabel(LINES - 1), FittedLabel(1)
        self.counts = QLabel()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # or all that it stands on is painted first
        self._arrange()
        theme.changed.connect(self._take_room)
        self._take_room()

    def show_track(self, track: Track, script_sweeps: int, seen_as: Callable[[int], int] = lambda node: node) -> None:
        """Take another track.

        Args:
            script_sweeps: how many of its backward calls the script made.
            seen_as: given a node, the one in whose place it is seen; ids.
        """
        self._track, self._seen_as, self._told = track, seen_as, None
        self.sweeps.show_sweeps(track.recording, track.sweep, script_sweeps)
        self.slider.show_passes(track.turn, track.length, self.step_name)
        self.slider.show_lane(saved_lane(track))
        self.counts.setText(counts_text(track))

    def show_player(self, player: Player, phase: float) -> None:
        """Show where the player is."""
        self.transport.show_player(player)
        self.slider.show_position(player.position, phase)
        told = (player.position, player.is_skipping)
        if self._told != told:
            self._told = told
            self._tell(player)

    def align(self, left: int) -> None:
        """Begin the track where the graph begins, `left` pixels from the left, as far as the transport lets it."""
        self._wanted_left = left - 8
        self._take_room()

    def be_low(self, is_low: bool) -> None:
        """Take less height, in a low window."""
        lines = FEW_LINES if is_low else LINES
        if lines != self._lines:
            self._lines = lines
            self._share_lines()
            self._take_room()

    def step_name(self, position: int) -> str:
        """What a position, from 1, is called below the track."""
        track = self._track
        node = track.node_at(position)
        if node is None:
            return ""
        text = label(track.recording, self._seen_as(node))
        call = track.call
        if position > track.turn and call is not None and node in call.accumulation_of:
            return f"{text}.grad +="
        return text

    def _tell(self, player: Player) -> None:
        position = player.position
        now, following = self._sentence(self._track, position) if self._track.length else ("", "")
        node = self._track.node_at(position)
        name = label(self._track.recording, node) if node is not None else ""
        self.now.say(now, name)
        self.next.say(skipping_text(player.jump) if player.is_skipping else following)
        self._share_lines()

    def _share_lines(self) -> None:
        """What happens now has the first claim on the lines; what comes next takes those that are left."""
        self.now.allow(self._lines - 1)
        self.next.allow(self._lines - min(self.now.lines_taken(), self._lines - 1))

    def _take_room(self) -> None:
        """As wide as the transport needs, as high as its buttons and the lines of the sentences."""
        least = self.transport.sizeHint().width() + sum(_SIDES)
        self._left.setFixedWidth(max(least, self._wanted_left))
        lines = self._lines * QFontMetrics(self.now.font()).lineSpacing()
        beside = self._right.minimumSize().height()
        self.setFixedHeight(max(self.transport.sizeHint().height() + lines + 32, beside))

    def _arrange(self) -> None:
        self.next.setProperty("role", "dim")
        self.counts.setProperty("role", "dim")
        self._left = QWidget()
        self._wanted_left = 0
        left = QVBoxLayout(self._left)
        left.setContentsMargins(_SIDES[0], 12, _SIDES[1], 6)
        left.setSpacing(2)
        left.addWidget(self.transport)
        left.addSpacing(6)
        left.addWidget(self._enclosed_words(), 1)
        above = QHBoxLayout()
        above.setContentsMargins(12, 0, 12, 0)
        above.addWidget(self.sweeps, 1)
        above.addWidget(self.counts)
        right = self._right = QVBoxLayout()
        right.setContentsMargins(8, 14, 16, 8)
        right.setSpacing(8)
        right.addLayout(above)
        right.addWidget(self.slider)
        right.addStretch()
        both = QHBoxLayout(self)
        both.setContentsMargins(0, 1, 0, 0)  # the line above
        both.setSpacing(0)
        both.addWidget(self._left)
        both.addLayout(right, 1)

    def _enclosed_words(self) -> Enclosure:
        """Both sentences one below the other."""
        words = QWidget()
        column = QVBoxLayout(words)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.now)
        column.addWidget(self.next)
        column.addStretch()
        return Enclosure(words)

    # ---- Qt ----

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self._theme.palette
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(palette.panel))
        painter.fillRect(0, 0, self.width(), 1, QColor(palette.hairline))
        painter.end()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._take_room()  # the chips of other calls may be higher, once they are dressed
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.counts.setVisible(self.width() >= ROOMY_PX)
        self._share_lines()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._take_room()


def saved_lane(track: Track) -> Lane:
    """The bytes that are kept for backward at each position, and where a second backward would stop."""
    kept = keeping(track)
    if kept is None:
        return Lane()
    stop = second_stop(track, track.length)
    number = 0 if stop is None else track.turn + (flow.step_number(track, stop.node) or 0)

    def describe(position: int) -> str:
        said = f"\n{keeping_text(kept, position).capitalize()}."
        return said if stop is None or position != number else f"{said}\n{stop.text}"

    return Lane(kept.bytes.tolist(), describe, number)


def counts_text(track: Track) -> str:
    """ "5 forward · 4 backward", or what there is of it."""
    if not track.length:
        return ""
    if track.call is None:
        return f"{track.turn:,} forward · no backward call"
    return f"{track.turn:,} forward · {len(track.steps):,} backward"


def skipping_text(jump: int) -> str:
    """What is said while playing faster than pictures can be shown; the number is round, or it would flicker."""
    size = 10 ** (len(str(jump)) - 1)
    return f"Fast: of about {round(jump / size) * size:,} steps one is shown."
