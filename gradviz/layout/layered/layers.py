"""The layered layout in numpy: any size, no program needed.

Frames are laid out from the innermost to the outermost, all of one depth at once and each of them once: to what is
around it, a frame is a box with ports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np

from gradviz.layout.frames.frames import sides_of
from gradviz.layout.frames.nesting import NO_OUTLINES, Level, Nesting
from gradviz.layout.layered.lanes import Extent, extents_of, lanes_of, shifts_of
from gradviz.layout.layered.order import order_of
from gradviz.layout.layered.place import NO_SIDES, Sides, packed, widths_of, x_of, y_of
from gradviz.layout.layered.plane import Arranged, Plane
from gradviz.layout.layered.proper import Proper, components_of, proper_of
from gradviz.layout.layered.ranks import ranks_of
from gradviz.layout.layered.skips import skips_on_the_right
from gradviz.layout.layered.stacks import rows_in_stacks, stacks_in_turn, stacks_of
from gradviz.layout.layered.turns import numbers_in_turn, ports_spread
from gradviz.layout.layered.twins import in_turn
from gradviz.layout.plan import NO_FRAME, Floats, Ints, Layout, Request
from gradviz.layout.pulse import Pulse, part_of, pulse_of
from gradviz.layout.routes.channels import Channels
from gradviz.layout.routes.routes import Placed, curves_of
from gradviz.layout.shape import laid_out, turned


def lay_out_layers(
    request: Request,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[float], None] = lambda _: None,
    settling: Settling | None = None,
) -> Layout:
    """Lay out a request in layers.

    Args:
        request: boxes and edges, of any number.
        settling: says where things stand in frames, for a request that has some and runs as the settling does.
        cancelled: asked now and then; True stops the work.
        progress: told the share done, 0..1.

    Raises:
        Cancelled: `cancelled` said so.
        LayoutError: the graph has a cycle, or an edge names a node that is not there.
    """
    pulse = pulse_of(cancelled, progress)
    sides = sides_of(request.direction)
    if request.direction == "right":
        return turned(_lay_out(turned(request), pulse, sides, settling))
    return _lay_out(request, pulse, sides, settling)


def _lay_out(request: Request, pulse: Pulse, sides: Sides, settling: Settling | None) -> Layout:
    """Lay out downwards; `sides` as `frames.sides_of` says."""
    pulse(0.0)
    if not len(request.nodes):
        return laid_out(request, np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0, dtype=np.int64), "layers")
    if not len(request.frame_parents):
        found = arrange(Plane.of(request), NO_SIDES, pulse)
        layout = laid_out(request, found.centres, found.points, found.starts, "layers")
    else:
        layout = _lay_out_frames(request, pulse, sides, settling)
    pulse(1.0)
    return layout


class Settling(Protocol):
    """Places what is in frames otherwise than anew."""

    def settled(self, nesting: Nesting, level: Level, proper: Proper, fresh: Callable[[], Floats]) -> Floats:
        """The x of each vertex of the rows of a level; `fresh` finds them anew."""

    def take(self, nesting: Nesting, level: Level, found: Arranged) -> None:
        """A level is done, and is a part of the next."""


def _lay_out_frames(request: Request, pulse: Pulse, sides: Sides, settling: Settling | None) -> Layout:
    """Every frame from the innermost to the outermost, all of one depth at once."""
    nesting, outlines, parts, done = Nesting.of(request), NO_OUTLINES, [], 0.0
    for depth in reversed(range(nesting.depth + 1)):
        level = nesting.level(depth, outlines)
        share = 0.9 * float((nesting.depths == depth).mean())
        part = part_of(pulse, done, done + share)
        if settling is None:
            found = arrange(level.plane, sides, part)
        else:
            proper = layered(level.plane)
            x = settling.settled(nesting, level, proper, partial(_x_of, proper, part))
            found = arranged(finished(proper, x, sides))
            settling.take(nesting, level, found)
        outlines = level.outlines(found, sides)
        parts.append((level, found))
        done += share
    return nesting.layout(parts, sides)


def arrange(plane: Plane, sides: Sides, pulse: Pulse) -> Arranged:
    """A plane in layers.

    Args:
        plane: nodes and edges.
        sides: room in frames.
        pulse: told the share done.

    Raises:
        LayoutError: the graph has a cycle.
    """
    pulse(0.0)
    proper = layered(plane)
    return arranged(in_turn(finished(proper, _x_of(proper, pulse), sides)))


def _x_of(proper: Proper, pulse: Pulse) -> Floats:
    """The x of each vertex of the rows of a plane, found anew."""
    plane = proper.plane
    position = skips_on_the_right(proper, order_of(proper, part_of(pulse, 0.1, 0.7)))
    if plane.is_framed:
        position = numbers_in_turn(proper, position)
    position = stacks_in_turn(proper, position, stacks_of(plane))
    row = packed(proper, position, widths_of(proper))
    x = x_of(proper, row, part_of(pulse, 0.7, 0.9))
    return ports_spread(proper, x) if plane.is_framed else x


def arranged(placed: Placed) -> Arranged:
    """A plane whose vertices have their places, with the curves of its edges."""
    proper = placed.proper
    left, right = extents_of(proper, placed.x, widths_of(proper))
    edges = np.flatnonzero(proper.laned)
    component = proper.component[proper.row]
    of_lane = component[proper.ends[edges, 0]]
    np.minimum.at(left, of_lane, placed.lanes[edges])
    np.maximum.at(right, of_lane, placed.lanes[edges])
    bottom = np.zeros(len(left))
    np.maximum.at(bottom, proper.component, placed.bottom)
    centres = np.stack([placed.x[: proper.nodes], placed.y], axis=1)
    return Arranged(centres, component[: proper.nodes], left, right, bottom, *curves_of(placed))


def layered(plane: Plane) -> Proper:
    """The rows of a plane.

    Raises:
        LayoutError: the graph has a cycle.
    """
    joins = plane.ends[plane.joins]
    components = np.unique(plane.groups, return_inverse=True)[1]
    if (plane.groups == NO_FRAME).all():
        components = components_of(len(plane.sizes), joins)
    return proper_of(plane, _ranks(plane, joins, components), components, trunks=True)


def _ranks(plane: Plane, joins: Ints, components: Ints) -> Ints:
    """The layer of each vertex: ports above and below all else, and rows of stacks below one another.

    Args:
        joins: ends of the edges that are not of ports; shape (j, 2).
        components: of each vertex; shape (n,).
    """
    pairs = np.array(rows_in_stacks(plane), dtype=np.int64).reshape(-1, 2)
    weights = np.repeat([1, 0], [len(joins), len(pairs)])
    ranks = ranks_of(len(plane.sizes), np.concatenate([joins, pairs]), weights)
    if not plane.is_port.any():
        return ranks
    inner = ~plane.is_port
    first, last = np.full(len(ranks), len(ranks)), np.full(len(ranks), -1)
    np.minimum.at(first, components[inner], ranks[inner])
    np.maximum.at(last, components[inner], ranks[inner])
    ranks[plane.is_entry] = first[components[plane.is_entry]] - 1
    ranks[plane.is_exit] = last[components[plane.is_exit]] + 1
    return np.asarray(ranks - ranks.min())


def finished(proper: Proper, x: Floats, sides: Sides = NO_SIDES, *, lanes: bool = True) -> Placed:
    """The rest when every vertex has its x: the rows' y, lanes, and components side by side.

    Args:
        lanes: False where no edge goes in a lane and the components stand where they are.
    """
    plane = proper.plane
    channels = Channels.of(proper, x) if plane.is_framed else None
    top, bottom = y_of(proper, x, sides, None if channels is None else channels.lines)
    beside, extents = np.zeros(len(proper.ends)), extents_of(proper, x, widths_of(proper))
    if lanes:
        beside, extents = lanes_of(proper, x, extents)
        x = x.copy()
        # A port whose edges all run in its lane stands above it.
        short = np.bincount(proper.ends[~proper.laned, 0], minlength=proper.nodes)
        runs = np.flatnonzero(proper.laned & plane.is_entry[proper.ends[:, 0]] & (short[proper.ends[:, 0]] == 0))
        x[proper.ends[runs, 0]] = beside[runs]
    placed = Placed(proper, x, top, bottom, np.lexsort((x, proper.row)), beside, channels)
    if lanes and (plane.groups == NO_FRAME).all():
        return _side_by_side(placed, extents)
    return placed


def _side_by_side(placed: Placed, extents: Extent) -> Placed:
    """Move the components, which all begin at the same place, apart."""
    proper = placed.proper
    heights = np.zeros(len(extents[0]))
    np.maximum.at(heights, proper.component, placed.bottom)
    shifts = shifts_of(extents, heights)
    aside, down = shifts[:, 0], shifts[proper.component, 1]
    by_vertex = proper.component[proper.row]
    return replace(
        placed,
        x=placed.x + aside[by_vertex],
        lanes=placed.lanes + aside[by_vertex[proper.ends[:, 0]]],
        top=placed.top + down,
        bottom=placed.bottom + down,
    )
