"""What every box and edge looks like at a position, as small codes. A pure function; knows no colours."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.track import EdgeState, NodeState
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


_MOODS = tuple(Mood)


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
        faces: per node: mood * 4 + (value shown) * 2 + (gradient shown).
        strands: per edge its `Strand`.
        current: index of the current node, or None.
    """

    faces: Codes
    strands: Codes
    current: int | None


_ARRIVAL = 0.45
"""The part of a step in which the terms of a gradient are added up, where there are any."""


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
    call = scene.track.call
    sends = call is not None and any(call.outgoing(step, slot) is not None for slot in range(len(step.outgoing)))
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
        _hide_partial_gradients(faces, scene.folded, position, current)
    strand_of = _AT_REST if stage is Stage.REST else _MOVING
    return Frame(faces, strand_of[track.edge_states(position)], current)


def _take_current(scene: Scene, faces: Codes, position: int, stage: Stage) -> int | None:
    """Index of the current node; its face has only what is there at this stage."""
    node = scene.track.node_at(position)
    current = scene.track.index_of.get(node) if node is not None else None
    if current is not None and stage is not Stage.REST:
        # A value is there when its inputs have come, a gradient when its terms have been added up.
        faces[current] &= 0xFD if position <= scene.track.turn else 0xFE if stage is Stage.ARRIVING else 0xFF
    return current


def _hide_partial_gradients(faces: Codes, track: FoldedTrack, position: int, current: int | None) -> None:
    """A folded group that has not received all its gradients shows none yet."""
    for index in {*track.under_way(position), *(() if current is None else (current,))}:
        if track.is_group[index] and track.received[index] > position:
            faces[index] &= 0xFE


def mood_of(face: int) -> Mood:
    """The mood in a face."""
    return _MOODS[face >> 2 & 3]
