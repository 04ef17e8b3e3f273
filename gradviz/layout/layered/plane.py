"""What is laid out at once: boxes, frames as boxes of their own, and the ports of the frames that all this is in.

A picture without frames is one plane. Where there are frames, all those of one depth make a plane, each of them a
component of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradviz.layout.graph import indices_of
from gradviz.layout.plan import Flags, Floats, Ints, Request


@dataclass(frozen=True, eq=False)
class Plane:
    """Boxes, frames and ports, and the edges between them.

    Attributes:
        sizes: width and height of each vertex, those of ports 0; shape (n, 2).
        ends: source and consumer of each edge, as indices of vertices; shape (m, 2).
        slots: of each edge at its consumer; shape (m,).
        tensors: a number for what each edge carries: edges of one tensor may run together; shape (m,).
        attached: how far right of the middle of its source and of its consumer each edge meets it; NaN at a box, whose
            border is free; shape (m, 2).
        groups: the frame that each vertex is directly in, or `NO_FRAME`; shape (n,).
        held: how many boxes each frame holds, 0 for a box and for a port; shape (n,).
        is_entry: the ports at the top of a frame, through which a tensor comes in; shape (n,).
        is_exit: those at the bottom, through which one goes out; shape (n,).
        spine: the edges that are to run straight down, or None: those of the longest path.
        is_framed: whether this is a part of a picture with frames.
    """

    sizes: Floats
    ends: Ints
    slots: Ints
    tensors: Ints
    attached: Floats
    groups: Ints
    held: Ints
    is_entry: Flags
    is_exit: Flags
    spine: Ints | None = None
    is_framed: bool = False

    @staticmethod
    def of(request: Request) -> Plane:
        """The boxes of a request, without its frames.

        Raises:
            LayoutError: an edge names a node that is not there.
        """
        count, ends = len(request.nodes), indices_of(request)
        nothing = np.zeros(count, dtype=np.bool_)
        return Plane(
            request.sizes,
            ends,
            request.edges[:, 2],
            ends[:, 0],
            np.full((len(ends), 2), np.nan),
            np.full(count, -1),
            np.zeros(count, dtype=np.int64),
            nothing,
            nothing,
        )

    @cached_property
    def is_frame(self) -> Flags:
        """Which vertices are frames; shape (n,)."""
        return np.asarray(self.held > 0)

    @cached_property
    def is_port(self) -> Flags:
        """Which vertices are ports; shape (n,)."""
        return self.is_entry | self.is_exit

    @cached_property
    def is_box(self) -> Flags:
        """Which vertices are boxes; shape (n,)."""
        return ~(self.is_frame | self.is_port)

    @cached_property
    def joins(self) -> Flags:
        """Which edges are between boxes and frames, not of a port; shape (m,)."""
        return np.asarray(~self.is_port[self.ends].any(axis=1))


@dataclass(frozen=True, eq=False)
class Arranged:
    """A plane with everything in its place. Each component begins at y = 0, with its frame.

    Attributes:
        centres: of each vertex; shape (n, 2).
        component: of each vertex; shape (n,).
        left, right: x of each component's borders, its lanes included, but no room beside them; shape (components,).
        bottom: y of the last row of each component; shape (components,).
        points: of a chain of cubic Bézier pieces for each edge, one chain after the other; shape (p, 2).
        starts: where the chain of each edge begins; shape (m,).
    """

    centres: Floats
    component: Ints
    left: Floats
    right: Floats
    bottom: Floats
    points: Floats
    starts: Ints
