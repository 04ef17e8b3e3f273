"""Changes of the numbers of a recording, as data, and what they have made of it. Computes nothing: see `what_if`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gradviz.errors import GradvizError
from gradviz.recording import Array, Recording


class Spot(NamedTuple):
    """Where one number of a recording is.

    Attributes:
        node: id.
        element: of the array, counted along the last axis first.
        sweep: None for the value of a leaf or constant; else the index of the backward call.
        slot: None for what comes in at the node; else of what it sends to that input.
    """

    node: int
    element: int = 0
    sweep: int | None = None
    slot: int | None = None


class Change(NamedTuple):
    """Another number at one spot."""

    spot: Spot
    number: float


@dataclass(frozen=True)
class WhatIf:
    """Numbers that are other than in the run, the last change last; at most one for each spot."""

    changes: tuple[Change, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)

    def changed(self, spot: Spot, number: float) -> WhatIf:
        """The same with another number at a spot."""
        return WhatIf((*(each for each in self.changes if each.spot != spot), Change(spot, float(number))))

    def without(self, spot: Spot) -> WhatIf:
        """The same with the run's own number at a spot."""
        return WhatIf(tuple(each for each in self.changes if each.spot != spot))


NO_CHANGES = WhatIf()


class Kept(NamedTuple):
    """A node that keeps the numbers of the run though something before it has changed, and why."""

    node: int
    why: str


class Broken(NamedTuple):
    """Where a change makes the first NaN or infinity: at which node, and in which backward call (None: its value)."""

    node: int
    sweep: int | None


class Applied(NamedTuple):
    """What a what-if has made of a recording.

    Attributes:
        recording: with the changed numbers, and all that follows from them.
        kept: the nodes that could not be computed again, in evaluation order.
        broken: where the first NaN or infinity comes from that the run did not have, or None.
    """

    recording: Recording
    kept: tuple[Kept, ...] = ()
    broken: Broken | None = None


def number_at(recording: Recording, spot: Spot) -> float:
    """The number at a spot.

    Raises:
        GradvizError: there is none, or it was not kept.
    """
    return float(np.asarray(array_at(recording, spot)).flat[spot.element])


def array_at(recording: Recording, spot: Spot) -> Array:
    """The array that a spot is in.

    Raises:
        GradvizError: there is none, it was not kept, or it is too small for the spot.
    """
    array = _found(recording, spot)
    if array is None:
        raise GradvizError(
            "this number cannot be changed: it is not part of the recording",
            hint="Change a leaf, or a gradient of a pass that is shown.",
        )
    if not 0 <= spot.element < array.size:
        raise GradvizError(f"there is no element {spot.element} in an array of {array.size} numbers")
    return array


def _found(recording: Recording, spot: Spot) -> Array | None:
    if not 0 <= spot.node < len(recording.nodes):
        return None
    if spot.sweep is None:
        return recording.values[spot.node] if recording.nodes[spot.node].is_leaf else None
    if not 0 <= spot.sweep < len(recording.sweeps):
        return None
    call = recording.sweeps[spot.sweep]
    order = call.step_of.get(spot.node)
    if order is None:
        return None
    step = call.steps[order]
    if spot.slot is None:
        return step.incoming
    return step.outgoing[spot.slot] if 0 <= spot.slot < len(step.outgoing) else None
