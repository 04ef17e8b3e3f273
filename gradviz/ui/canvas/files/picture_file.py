"""Pictures and films of a graph as files, by a look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gradviz.export.work import Work
from gradviz.film import Start
from gradviz.layout.plan import Layout
from gradviz.playback.difference import Difference
from gradviz.playback.track import Track
from gradviz.ui.canvas.files.film_file import film_of
from gradviz.ui.canvas.files.pictures import GraphPicture, page_positions, pdf_of, png_of, svg_of
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import Palette


class Graph(NamedTuple):
    """What is written.

    Attributes:
        position: the one that a single picture shows.
        stops: where steps lead to, ascending, with the start and the end; empty where every position is one.
        scene: of the track and the layout, where it is made already.
        difference: what is marked as other than in what it is compared with, or None.
        notes: sentences above the graph, on what its numbers are where they are not simply those of a run.
    """

    track: Track
    layout: Layout
    position: int
    stops: Sequence[int] = ()
    scene: Scene | None = None
    difference: Difference | None = None
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Look:
    """How it is written.

    Attributes:
        palette: its colours.
        legend: whether the legend stands below the graph.
        gauges: whether boxes have gauges of their gradients.
        scale: pixels per scene unit, of a PNG or a film; None for what is usual there.
        width: in pixels, of a PNG or a film, in place of a scale.
        every_step: whether a PDF has a page for every step of backward.
        rate: images per second of a film.
        pace: seconds from one step of a film to the next.
    """

    palette: Palette
    legend: bool = True
    gauges: bool = True
    scale: float | None = None
    width: int | None = None
    every_step: bool = False
    rate: int = 20
    pace: float = 1.5


PNG_SCALE = 2.0


def png_scale(size: tuple[float, float], look: Look) -> float:
    """Pixels per scene unit that a look wants for a PNG of a picture of that size."""
    return look.width / size[0] if look.width is not None else PNG_SCALE if look.scale is None else look.scale


def picture_of(graph: Graph, look: Look, positions: Sequence[int] = (), *, vector: bool = False) -> GraphPicture:
    """The graph, cropped for some positions; for its own where none are given."""
    wanted = positions or [graph.position]
    return GraphPicture(
        graph.track, graph.layout, wanted, look.palette, scene=graph.scene, legend=look.legend, gauges=look.gauges,
        vector=vector, difference=graph.difference, notes=graph.notes,
    )  # fmt: skip


def png(graph: Graph, look: Look) -> Work:
    """The graph at its position, in pixels."""
    picture = picture_of(graph, look)
    return (yield from png_of(picture, graph.position, png_scale(picture.size, look)))


def svg(graph: Graph, look: Look) -> Work:
    """The graph at its position, as lines."""
    picture = picture_of(graph, look, vector=True)
    return (yield from svg_of(picture, graph.position))


def pdf(graph: Graph, look: Look) -> Work:
    """The graph as lines, at its position or on a page for every step of backward."""
    positions = page_positions(graph.track, graph.stops) if look.every_step else [graph.position]
    picture = picture_of(graph, look, positions[:1], vector=True)
    for number, position in enumerate(positions[1:], 1):
        picture.take_in(picture.moment(position))
        yield 0.3 * number / len(positions)
    return (yield from pdf_of(picture, positions, began=0.3))


def film(graph: Graph, look: Look, start: Start) -> Work:
    """The pass from start to end.

    Args:
        start: begins a film of the format.
    """
    stops = graph.stops or range(graph.track.length + 1)
    picture = picture_of(graph, look, [stops[0]])
    work = film_of(picture, start, stops, scale=look.scale, width=look.width, rate=look.rate, pace=look.pace)
    return (yield from work)
