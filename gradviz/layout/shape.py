"""What every layout engine ends with: the bounds, and the picture turned to run to the right."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

import numpy as np

from gradviz.layout.plan import Floats, Ints, Layout, Request

_T = np.linspace(0, 1, 9)[1:, None]
BASIS = np.concatenate([(1 - _T) ** 3, 3 * _T * (1 - _T) ** 2, 3 * _T**2 * (1 - _T), _T**3], axis=1)
"""Eight points of a Bézier piece from its four control points."""


def x_at(curve: Floats, heights: Floats) -> Floats:
    """x where a Bézier chain that runs downwards passes these heights."""
    pieces = np.stack([curve[0:-1:3], curve[1::3], curve[2::3], curve[3::3]], axis=1)
    points = np.concatenate([curve[:1], (BASIS @ pieces).reshape(-1, 2)])
    return np.asarray(np.interp(heights, np.maximum.accumulate(points[:, 1]), points[:, 0]))


def laid_out(
    request: Request, centres: Floats, points: Floats, starts: Ints, engine: str, frames: Floats | None = None
) -> Layout:
    """A layout of the request with its bounds, moved so that its left top corner is at (0, 0).

    Args:
        points: of the curves of all edges, one after the other; shape (p, 2).
        starts: where the curve of each edge begins; shape (m,).
        frames: left, top, right, bottom of each frame; shape (k, 4). None: there are none.
    """
    borders = np.zeros((0, 4)) if frames is None else frames
    corners = [centres - request.sizes / 2, centres + request.sizes / 2, points, borders.reshape(-1, 2)]
    every = np.concatenate(corners)
    if not len(every):
        return Layout(request.nodes, centres, request.sizes, request.edges, (), (0.0, 0.0, 0.0, 0.0), engine)
    corner = every.min(axis=0)
    right, bottom = (every.max(axis=0) - corner).tolist()
    curves = tuple(np.split(points - corner, starts[1:])) if len(starts) else ()
    bounds, borders = (0.0, 0.0, right, bottom), borders - np.tile(corner, 2)
    return Layout(request.nodes, centres - corner, request.sizes, request.edges, curves, bounds, engine, borders)


@overload
def turned(plan: Request) -> Request: ...
@overload
def turned(plan: Layout) -> Layout: ...
def turned(plan: Request | Layout) -> Request | Layout:
    """The same with x and y exchanged: "down" becomes "right" and the other way round."""
    sizes = np.ascontiguousarray(plan.sizes[:, ::-1])
    if isinstance(plan, Request):
        direction = "down" if plan.direction == "right" else "right"
        return replace(plan, sizes=sizes, direction=direction)
    left, top, right, bottom = plan.bounds
    curves = tuple(np.ascontiguousarray(curve[:, ::-1]) for curve in plan.curves)
    centres = np.ascontiguousarray(plan.centres[:, ::-1])
    frames = np.ascontiguousarray(plan.frames[:, [1, 0, 3, 2]])
    return Layout(plan.nodes, centres, sizes, plan.edges, curves, (top, left, bottom, right), plan.engine, frames)
