"""What every box and edge looks like at a position, as small codes. A pure function; knows no colours."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.track import EdgeState, NodeState, Which
from gradviz.ui.canvas.scene.scene import Scene

Codes = np.ndarray[Any, np.dtype[np.uint8]]


class Stage(IntEnum):
    """How far the animation on the way to a position has come."""

    ARRIVING = 0  # the terms of a gradient come in and are added up
    TRAVELLING = 1  # values come in, or gradients go out
    REST = 2


class Mood(IntEnum):
    """How loud a box is."""

    PALE = 0  # not computed yet, or not reached by this pass
    PLAIN = 1
    FORWARD = 2  # being computed
    BACKWARD = 3  # sends its gradients


class Strand(IntEnum):
    """The look of an edge; a larger one is drawn over a smaller one."""

    PALE = 0
    QUIET = 1
    NONE = 2
    CARRIED = 3
    FORWARD = 4
    BACKWARD = 5


class Moment(NamedTuple):
    """A position, and how far the animation to it is.

    Attributes:
        progress: how far the stage is, 0..1.
    """

    position: int
    stage: Stage = Stage.REST
    progress: float = 1.0


class Frame(NamedTuple):
    """The codes of everything at rest in one stage.

    Attributes:
        faces: per node: mood * 4 + (value shown) * 2 + (gradient shown), and `UNDER_WAY` for a group amid its steps.
        strands: per edge its `Strand`.
        current: index of the current node, or None.
    """

    faces: Codes
    strands: Codes
    current: int | None


UNDER_WAY = 16
"""In the face of a folded group: some of its steps of this pass are done, and some are not."""

_ARRIVAL = 0.45
"""The part of a step in which the terms of a gradient are added up, where there are any."""


_TOGETHER = 32
"""The frames of so many positions are worked out together: in less time than those of three one by one."""


def _table(codes: Mapping[int, int]) -> Codes:
    return np.array([codes.get(state, 0) for state in range(max(codes) + 1)], dtype=np.uint8)


_FACE_OF = _table(
    {
        NodeState.COMING: Mood.PALE << 2,
        NodeState.COMPUTED: Mood.PLAIN << 2 | 2,
        NodeState.UNREACHED: Mood.PALE << 2 | 2,
        NodeState.FORWARD_NOW: Mood.FORWARD << 2 | 2,
        NodeState.BACKWARD_NOW: Mood.BACKWARD << 2 | 3,
        NodeState.DONE: Mood.PLAIN << 2 | 3,
    }
)
"""By state the face at rest: a value once it is computed, a gradient once its step runs."""

_STRANDS: dict[int, int] = {
    EdgeState.COMING: Strand.PALE,
    EdgeState.COMPUTED: Strand.QUIET,
    EdgeState.FORWARD_NOW: Strand.FORWARD,
    EdgeState.BACKWARD_NOW: Strand.BACKWARD,
    EdgeState.ARRIVED: Strand.BACKWARD,
    EdgeState.CARRIED: Strand.CARRIED,
    EdgeState.NONE: Strand.NONE,
}
_AT_REST = _table(_STRANDS)
_MOVING = _table({**_STRANDS, EdgeState.FORWARD_NOW: Strand.QUIET, EdgeState.BACKWARD_NOW: Strand.QUIET})


def _strand_of(stage: Stage) -> Codes:
    """By state the strand of an edge."""
    return _AT_REST if stage is Stage.REST else _MOVING


def moment_of(scene: Scene, position: int, phase: float) -> Moment:
    """The stage that a phase 0..1 of the way to `position` is in."""
    if phase >= 1.0 or position <= 0:
        return Moment(position)
    phase = max(phase, 0.0)
    step = scene.track.step_at(position)
    if step is None:
        return Moment(position, Stage.TRAVELLING, phase)
    if scene.group_at(position) is not None:
        return Moment(position, Stage.TRAVELLING, phase)
    sends = any(gradient is not None for gradient in step.outgoing)
    if not sends:
        return Moment(position, Stage.ARRIVING, phase)
    if len(arriving(scene, position)) < 2:
        return Moment(position, Stage.TRAVELLING, phase)
    if phase < _ARRIVAL:
        return Moment(position, Stage.ARRIVING, phase / _ARRIVAL)
    return Moment(position, Stage.TRAVELLING, (phase - _ARRIVAL) / (1.0 - _ARRIVAL))


def arriving(scene: Scene, position: int) -> list[int]:
    """The edges along which the gradient of the node current at a backward position came in."""
    track = scene.track
    node = track.node_at(position)
    index = track.index_of.get(node) if node is not None else None
    if index is None or position <= track.turn:
        return []
    carries, sent = track.edge_carries, track.edge_sent
    return [edge for edge in scene.edges_out_of(index) if carries[edge] and sent[edge] <= position]


def leaving(scene: Scene, index: int, position: int) -> list[int]:
    """The edges along which gradients go out of a node at a backward position.

    Out of a group that is done with its steps in a row, all that it has sent; before that, what this step sends.
    """
    track = scene.track
    carried = [edge for edge in scene.edges_into(index) if track.edge_carries[edge]]
    if scene.group_at(position) is None:
        return carried
    is_end = scene.group_at(position + 1) != index
    return [e for e in carried if track.edge_sent[e] == position or (is_end and track.edge_sent[e] < position)]


class Film:
    """The frames of one scene. Those of a stretch of positions have most in common, and are worked out together."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._stretch: _Stretch | None = None
        self._last: tuple[int, Stage, Frame] | None = None

    def frame(self, position: int, stage: Stage) -> Frame:
        """The look of every node and edge; the same one through a whole stage of an animation."""
        if self._last is None or self._last[:2] != (position, stage):
            self._last = (position, stage, self._made(position, stage))
        return self._last[2]

    def _made(self, position: int, stage: Stage) -> Frame:
        if self._last is None:
            return frame_of(self._scene, position, stage)  # the first picture does not wait for those beside it
        stretch = self._stretch
        if stretch is None or not stretch.first <= position <= stretch.last:
            self._stretch = stretch = self._stretch_around(position)
        return frame_of(self._scene, position, stage) if stretch is None else stretch.frame(position, stage)

    def _stretch_around(self, position: int) -> _Stretch | None:
        track = self._scene.track
        start, end = (0, track.turn) if position <= track.turn else (track.turn + 1, track.length)
        first = position - (position - start) % _TOGETHER
        last = min(first + _TOGETHER - 1, end)
        changed = track.changed(first, last)
        return None if changed is None else _Stretch(self._scene, first, last, *changed)


class _Stretch:
    """The frames of the positions first..last of one pass: the same but for some nodes and edges."""

    def __init__(self, scene: Scene, first: int, last: int, nodes: Which, edges: Which) -> None:
        self.first, self.last = first, last
        self._scene, self._nodes, self._edges = scene, nodes, edges
        # What is out of reach of the pass is not among what changes in it.
        self._base = frame_of(scene, first, Stage.REST)
        at = np.arange(first, last + 1)[:, None]
        self._faces = _FACE_OF[scene.track.node_states(at, nodes)]
        self._states = scene.track.edge_states(at, edges)

    def frame(self, position: int, stage: Stage) -> Frame:
        faces, strands = self._base.faces.copy(), self._base.strands.copy()
        faces[self._nodes] = self._faces[position - self.first]
        strands[self._edges] = _strand_of(stage)[self._states[position - self.first]]
        return Frame(faces, strands, _take_current(self._scene, faces, position, stage))


def frame_of(scene: Scene, position: int, stage: Stage) -> Frame:
    """The look of every node and edge at a position, from nothing but that."""
    track = scene.track
    states = track.node_states(position)
    # What takes no gradient is not missed by the pass: only what could have been reached is pale.
    if position > track.turn:
        states[scene.out_of_reach] = NodeState.COMPUTED
    faces = _FACE_OF[states]
    current = _take_current(scene, faces, position, stage)
    if scene.folded is not None:
        _add_groups(faces, scene.folded, position, current)
    return Frame(faces, _strand_of(stage)[track.edge_states(position)], current)


def _take_current(scene: Scene, faces: Codes, position: int, stage: Stage) -> int | None:
    """Index of the current node; its face has only what is there at this stage."""
    node = scene.track.node_at(position)
    current = scene.track.index_of.get(node) if node is not None else None
    if current is not None and stage is not Stage.REST:
        # A value is there when its inputs have come, a gradient when its terms have been added up.
        faces[current] &= 0xFD if position <= scene.track.turn else 0xFE if stage is Stage.ARRIVING else 0xFF
    return current


def _add_groups(faces: Codes, track: FoldedTrack, position: int, current: int | None) -> None:
    """What only folded groups have in their faces."""
    under_way = track.under_way(position)
    faces[under_way] |= UNDER_WAY
    for index in {*under_way, *(() if current is None else (current,))}:
        if track.is_group[index] and track.received[index] > position:
            faces[index] &= 0xFE


def mood_of(face: int) -> Mood:
    """The mood in a face."""
    return Mood(face >> 2 & 3)
