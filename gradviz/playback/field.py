"""Gradients as arrows: two leaves that hold the coordinates of points, and what one sweep brought to both.

Knows recordings. Knows no Qt and draws nothing.
Two leaves X and Y of one shape are a point (X[i], Y[i]) for each index; (X.grad[i], Y.grad[i]) is the arrow there.
Where the output has one number per point, it is the height of a surface over the points.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np

from gradviz.playback.words import in_brackets, label
from gradviz.recording import LEAF, Array, Recording, Sweep

Floats = np.ndarray[Any, np.dtype[np.float64]]
Numbers = np.ndarray[Any, np.dtype[Any]]

FIELDS_LIMIT = 24
"""Pairs that are offered; a large network has thousands of parameters of one shape."""
POINTS_LIMIT = 1_000_000
"""Points of a field; beyond, two leaves are parameters rather than places."""


class Grid(NamedTuple):
    """A mesh in the order of a picture.

    Attributes:
        xs, ys: the coordinates along the axes, strictly ascending.
        heights: the surface, of shape (len(ys), len(xs)), or None.
    """

    xs: Floats
    ys: Floats
    heights: Floats | None


@dataclass(frozen=True, eq=False)
class Field:
    """One arrow for each point. The arrays have the shape of the leaves.

    Attributes:
        names: of the two leaves; the first is drawn from left to right.
        output: what the backward pass started from, or whose sum it started from.
        x, y: the coordinates: values of the leaves.
        u, v: what this sweep brought to the leaves: x.grad and y.grad where they were None before.
        surface: the output with one number for each point, in their order, or None.
        is_mesh: whether x and y are a mesh grid: each is constant along one axis and goes up or down the other.
        is_slope: whether an arrow is the slope of the surface, or of the one number of the output: v is all ones.
    """

    names: tuple[str, str]
    output: str
    x: Numbers
    y: Numbers
    u: Numbers
    v: Numbers
    surface: Numbers | None = None
    is_mesh: bool = False
    is_slope: bool = True

    @property
    def title(self) -> str:
        """The two derivatives: "∂Z/∂X, ∂Z/∂Y"."""
        factor = "" if self.is_slope else "v·"
        return ", ".join(f"{factor}∂{in_brackets(self.output)}/∂{in_brackets(name)}" for name in self.names)

    @property
    def meaning(self) -> str:
        """What an arrow says, in one sentence."""
        if self.is_slope:
            return f"Each arrow is v·J at that point: the direction in which {self.output} grows fastest."
        if self.surface is None:
            name = in_brackets(self.output)
            return f"Each arrow is v·J at that point: the direction in which v·{name} grows fastest."
        return f"Each arrow is v·J at that point: v times the slope of {self.output}, downhill where v is negative."

    @cached_property
    def sizes(self) -> Floats:
        """The length of each gradient, flat."""
        return np.hypot(_flat(self.u), _flat(self.v))

    @cached_property
    def grid(self) -> Grid | None:
        """The mesh, turned so that x goes along the rows and both axes go up; None for scattered points."""
        if not self.is_mesh:
            return None
        is_across = varying_axis(self.x) == 1
        xs, ys = (self.x[0], self.y[:, 0]) if is_across else (self.x[:, 0], self.y[0])
        right, up = np.argsort(xs), np.argsort(ys)
        heights = None
        if self.surface is not None:
            turned = self.surface if is_across else self.surface.T
            heights = np.asarray(turned, dtype=np.float64)[np.ix_(up, right)]
        return Grid(_flat(xs[right]), _flat(ys[up]), heights)


class _Place(NamedTuple):
    """A leaf that may be a coordinate: its id, its name, its value, its gradient, the axis along which it goes."""

    node: int
    name: str
    value: Numbers
    gradient: Numbers
    axis: int | None


def find_fields(recording: Recording, sweep: int | None) -> tuple[Field, ...]:
    """All fields of one sweep, meshes first; at most `FIELDS_LIMIT`.

    A mesh is found at its values. Leaves of one shape that belong to no mesh are taken as scattered points.
    """
    if sweep is None:
        return ()
    call = recording.sweeps[sweep]
    shapes = _places(recording, call)
    found: list[Field] = []
    for is_mesh in (True, False):
        pairs = (pair for places in shapes for pair in _pairs(places, is_mesh=is_mesh))
        rest = FIELDS_LIMIT - len(found)
        found += [_field(recording, call, *pair, is_mesh=is_mesh) for pair in islice(pairs, rest)]
    return tuple(found)


def varying_axis(value: Numbers) -> int | None:
    """The axis of a matrix along which it goes strictly up or down while the other leaves it as it is, or None."""
    if value.ndim != 2 or min(value.shape) < 2:
        return None
    for axis, line, other in ((0, value[:, 0], value[:, :1]), (1, value[0], value[:1])):
        steps = np.diff(line)
        if (np.all(steps > 0) or np.all(steps < 0)) and np.array_equal(value, np.broadcast_to(other, value.shape)):
            return axis
    return None


def _places(recording: Recording, call: Sweep) -> Sequence[Sequence[_Place]]:
    """The leaves that can be coordinates, those of one shape together."""
    shapes: dict[tuple[int, ...], list[_Place]] = defaultdict(list)
    for step in sorted(call.steps, key=lambda step: step.node):
        node, value = recording.nodes[step.node], recording.values[step.node]
        if node.op == LEAF and value is not None and step.incoming is not None and _is_coordinate(value):
            name = label(recording, node.id)
            numbers, gradient = np.asarray(value), np.asarray(step.incoming)
            shapes[node.shape].append(_Place(node.id, name, numbers, gradient, varying_axis(numbers)))
    return tuple(shapes.values())


def _is_coordinate(value: Array) -> bool:
    """Whether there are several numbers in a row or a matrix, not all the same."""
    if value.dtype.kind != "f" or value.ndim not in (1, 2) or not 1 < value.size <= POINTS_LIMIT:
        return False
    first = value.flat[0]
    return bool(np.isfinite(first)) and bool(np.any(value != first))


def _pairs(places: Sequence[_Place], *, is_mesh: bool) -> Iterator[tuple[_Place, _Place]]:
    along = {axis: [place for place in places if place.axis == axis] for axis in (0, 1)}
    if is_mesh:
        yield from (_ordered(a, b) for a in along[0] for b in along[1])
        return
    has_mesh = bool(along[0] and along[1])
    loose = [place for place in places if place.axis is None or not has_mesh]
    yield from (_ordered(a, b) for a, b in combinations(loose, 2))


def _ordered(a: _Place, b: _Place) -> tuple[_Place, _Place]:
    """As they were made, but what is called x goes across."""
    first, second = sorted((a, b))
    is_turned = (first.name.casefold(), second.name.casefold()) == ("y", "x")
    return (second, first) if is_turned else (first, second)


def _field(recording: Recording, call: Sweep, x: _Place, y: _Place, *, is_mesh: bool) -> Field:
    output, surface, seed = _surface(recording, call, x.value)
    return Field(
        names=(x.name, y.name),
        output=output,
        x=x.value,
        y=y.value,
        u=x.gradient,
        v=y.gradient,
        surface=surface,
        is_mesh=is_mesh,
        is_slope=bool(np.all(seed == 1)) and (surface is not None or seed.size == 1),
    )


def _surface(recording: Recording, call: Sweep, like: Numbers) -> tuple[str, Numbers | None, Array]:
    """The name of what is derived, its value in the shape of the points where it has as many numbers, and the v."""
    if len(call.outputs) != 1 or call.seeds[0] is None:
        return "L", None, np.ones(())
    (node,), seed = call.outputs, call.seeds[0]
    if recording.nodes[node].op == "sum" and not recording.nodes[node].shape:
        node = recording.nodes[node].inputs[0]  # Z.sum().backward() is Z.backward(ones), and Z is what people look at
    value = recording.values[node]
    if value is None or value.size != like.size or value.dtype.kind == "c":
        return label(recording, call.outputs[0]), None, seed
    return label(recording, node), np.reshape(value, like.shape), seed


def _flat(array: Array) -> Floats:
    return np.ravel(np.asarray(array, dtype=np.float64))
