"""The layered layout in numpy: any size, no program needed besides networkx for the layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from gradviz.layout.frames.bands import Bands
from gradviz.layout.frames.entering import entering_of
from gradviz.layout.frames.frames import MOST_PAIRS, Sides, blocks_in_order, row_room, sides_of, weights_of
from gradviz.layout.frames.gathering import Gathering
from gradviz.layout.frames.passing import walls_of
from gradviz.layout.graph import indices_of, skeleton_of
from gradviz.layout.layered.lanes import extents_of, lanes_of, shifts_of
from gradviz.layout.layered.order import order_of
from gradviz.layout.layered.place import blocks_of, means_of, packed, widths_of, x_of, y_of
from gradviz.layout.layered.place import weights_of as weights_of_links
from gradviz.layout.layered.proper import Proper, components_of, proper_of
from gradviz.layout.layered.ranks import ranks_of
from gradviz.layout.layered.skips import skips_on_the_right
from gradviz.layout.layered.stacks import rows_in_stacks, stacks_in_turn, stacks_of
from gradviz.layout.layered.twins import in_turn
from gradviz.layout.plan import NO_FRAME, Floats, Ints, Layout, Request
from gradviz.layout.pulse import Pulse, part_of, pulse_of
from gradviz.layout.routes.channels import Channels
from gradviz.layout.routes.routes import CLEARANCE, Placed, Walls, drawn
from gradviz.layout.shape import laid_out, turned

if TYPE_CHECKING:
    import networkx as nx


MOST_ORDERED = 20_000
"""Boxes up to which frames that feed one another are set one below the other; without it they run down like stairs."""


MANY = 5_000
"""Vertices from which on frames are moved half as often."""
GATHERED = 8
"""How often frames are moved as wholes towards what they are linked to."""
CENTRED = 8
"""How often what is in a frame is centred in it afterwards."""
STRAIGHTENED = 4
"""How often long edges, and the spine, that frames have bent are drawn straight again."""


def lay_out_layers(
    request: Request,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[float], None] = lambda _: None,
) -> Layout:
    """Lay out a request in layers.

    Args:
        request: boxes and edges, of any number.
        cancelled: asked now and then; True stops the work.
        progress: told the share done, 0..1.

    Raises:
        Cancelled: `cancelled` said so.
        LayoutError: the graph has a cycle, or an edge names a node that is not there.
    """
    pulse = pulse_of(cancelled, progress)
    sides = sides_of(request.direction)
    if request.direction == "right":
        return turned(_lay_out(turned(request), pulse, sides))
    return _lay_out(request, pulse, sides)


def _lay_out(request: Request, pulse: Pulse, sides: Sides) -> Layout:
    """Lay out downwards; `sides` as `frames.sides_of` says."""
    pulse(0.0)
    if not len(request.nodes):
        return laid_out(request, np.zeros((0, 2)), (), "layers")
    placed = _placed(layered(request), request, pulse, sides)
    pulse(0.9)
    layout = drawn(request, in_turn(request, placed), "layers")
    pulse(1.0)
    return layout


def layered(request: Request) -> Proper:
    """The rows of a request."""
    graph, ends = skeleton_of(request), indices_of(request)
    ranks = _ranks(request, graph, ends)
    # What is in one frame stays together, like what is joined by an edge.
    graph.add_edges_from(_ties(request))
    return proper_of(ranks, components_of(graph), ends, entering_of(request, ends), trunks=True)


def _ranks(request: Request, graph: nx.DiGraph[int], ends: Ints) -> Ints:
    """The layer of each box; frames follow one another where one feeds the other, and rows of stacks do."""
    count = len(request.nodes)
    pairs = rows_in_stacks(request, ends)
    if len(request.frame_parents) and count <= MOST_ORDERED:
        pairs += _frames_in_order(request, ends)
    if not pairs:
        return ranks_of(graph, ends, weights_of(request, ends))
    ordered = graph.copy()
    ordered.add_nodes_from(range(max((vertex for pair in pairs for vertex in pair), default=0) + 1))
    ordered.add_edges_from(pairs)
    every = np.concatenate([ends, np.array(pairs, dtype=np.int64).reshape(-1, 2)])
    weights = np.concatenate([weights_of(request, ends), np.zeros(len(every) - len(ends), dtype=np.int64)])
    return ranks_of(ordered, every, weights)[:count]


def _frames_in_order(request: Request, ends: Ints) -> list[tuple[int, int]]:
    """Pairs of vertices, the first of which is above the second: boxes (by index), or with a greater number between."""
    pairs: list[tuple[int, int]] = []
    for number, (above, below) in enumerate(blocks_in_order(request, ends), len(request.nodes)):
        if len(above) * len(below) <= MOST_PAIRS:
            pairs += product(above, below)
        else:
            # By way of one more vertex there are as many links as boxes, not as many as pairs of them.
            pairs += [*((box, number) for box in above), *((number, box) for box in below)]
    return pairs


def _ties(request: Request) -> Iterator[tuple[int, int]]:
    """Pairs of boxes (by index) that join all boxes of every outermost frame."""
    outermost = np.arange(len(request.frame_parents))
    for frame, parent in enumerate(request.frame_parents.tolist()):
        if parent != NO_FRAME:
            outermost[frame] = outermost[parent]
    last: dict[int, int] = {}
    for box, frame in enumerate(request.framed.tolist()):
        if frame != NO_FRAME:
            outer = int(outermost[frame])
            if outer in last:
                yield last[outer], box
            last[outer] = box


def _placed(proper: Proper, request: Request, pulse: Pulse, sides: Sides) -> Placed:
    position = skips_on_the_right(proper, order_of(proper, part_of(pulse, 0.1, 0.7)))
    position = stacks_in_turn(proper, position, stacks_of(request, proper.ends))
    widths = widths_of(proper, request.sizes)
    bands = Bands.of(proper, request) if len(request.frame_parents) else None
    if bands is not None:
        value = bands.values(position)
        position = bands.positions(value)
    row = packed(proper, position, widths)
    x = x_of(proper, row, part_of(pulse, 0.7, 0.8))
    if bands is not None:
        x = _framed_x(bands, value, x, widths, sides, part_of(pulse, 0.8, 0.9))
    return finished(proper, request, x, bands, sides)


def _framed_x(bands: Bands, value: Floats, x: Floats, widths: Floats, sides: Sides, pulse: Pulse) -> Floats:
    """The x of each vertex beside the frames, which stand near to what they are linked to."""
    proper = bands.proper
    is_stiff = np.arange(proper.vertices) >= proper.nodes
    is_stiff[proper.spine] = True
    blocks, gathering = blocks_of(proper, x), Gathering(bands, weights_of_links(proper))

    def straight(x: Floats) -> Floats:
        return np.where(is_stiff, means_of(x, blocks, np.where(is_stiff, 1.0, 1e-9)), x)

    haste = 2 if proper.vertices > MANY else 1
    moves: list[Callable[[Floats], Floats]] = [
        *[partial(gathering.gathered, depth=depth) for depth in range(bands.depth)] * (GATHERED // haste),
        *[lambda x: straight(gathering.centred(x))] * (CENTRED // haste),
        gathering.attended,
        *[straight] * (STRAIGHTENED // haste),
    ]
    rails = bands.rails(value, widths, sides)
    x = bands.inlets.drawn_in(rails.separated(rails.wanted(x)))
    for number, move in enumerate(moves):
        pulse(number / len(moves))
        x = bands.inlets.drawn_in(rails.nudged(x, move(x)))
    return bands.with_inlets(x, value, widths, sides)


def finished(
    proper: Proper, request: Request, x: Floats, bands: Bands | None, sides: Sides, *, lanes: bool = True
) -> Placed:
    """The rest when every vertex has its x: the rows' y, lanes, and components side by side.

    Args:
        lanes: False where no edge goes in a lane and the components stand where they are.
    """
    room = row_room(request, proper.row[: proper.nodes], len(proper.component), sides)
    channels = Channels.of(proper, x)
    top, bottom = y_of(proper, x, request.sizes[:, 1], room, channels.room)
    order = np.lexsort((x, proper.row))
    placed = Placed(proper, x, top, bottom, request.sizes, order, np.zeros(len(proper.ends)))
    if lanes:
        placed = _with_lanes(placed, bands, channels, room, sides)
    if bands is None:
        return placed
    return replace(placed, borders=bands.borders(placed.x, placed.x, widths_of(proper, request.sizes), sides))


def _with_lanes(placed: Placed, bands: Bands | None, channels: Channels, room: Floats, sides: Sides) -> Placed:
    """With walls and lanes, and the components side by side; `room` is what frames need above and below each row."""
    proper, x = placed.proper, placed.x
    widths = widths_of(proper, placed.sizes)
    if bands is not None:
        low, high = walls_of(bands, placed.order, bands.borders(x, x, widths, sides), CLEARANCE)
        low[proper.is_inlet] = high[proper.is_inlet] = x[proper.is_inlet]
        placed = replace(placed, walls=Walls(low, high, room, channels))
        widths = widths + 2 * max(sides[0], sides[2]) * bands.depths
    beside, extents = lanes_of(proper, x, extents_of(proper, x, widths))
    return _side_by_side(replace(placed, lanes=beside), extents, room[1])


def _side_by_side(placed: Placed, extents: tuple[Floats, Floats], room: Floats) -> Placed:
    """Move the components, which all begin at the same place, apart; `room` is kept free below each row."""
    proper = placed.proper
    heights = np.zeros(len(extents[0]))
    np.maximum.at(heights, proper.component, placed.bottom + room)
    shifts = shifts_of(extents, heights)
    aside, down = shifts[:, 0], shifts[proper.component, 1]
    by_vertex = proper.component[proper.row]
    by_edge = by_vertex[proper.ends[:, 0]]
    by_vertex_aside = aside[by_vertex]
    walls = placed.walls
    if walls is not None:
        walls = replace(walls, low=walls.low + by_vertex_aside, high=walls.high + by_vertex_aside)
    return replace(
        placed,
        x=placed.x + by_vertex_aside,
        walls=walls,
        lanes=placed.lanes + aside[by_edge],
        top=placed.top + down,
        bottom=placed.bottom + down,
    )
