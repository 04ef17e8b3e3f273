"""What is lit and what is marked on the present scene: the spotlight, and the dots of breakpoints."""

from __future__ import annotations

from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Frame
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.spotlight import Lit, Spotlight
from gradviz.ui.canvas.step.stops import StopDots


class Lights:
    """Kept by ids of nodes, so that it holds on the next scene.

    Attributes:
        spotlight: what is lit while the rest is pale; None lights all.
        gauges: whether boxes have gauges of their gradients.
        stops: the nodes at which playing stops, and those whose breakpoint is off.
    """

    def __init__(self) -> None:
        self.spotlight: Spotlight | None = None
        self.stops: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
        self.gauges = True
        self._lit: Lit | None = None
        self._dots: StopDots | None = None

    def take(self, scene: Scene | None) -> None:
        """Find what is lit on a scene."""
        self._lit = Lit(scene, self.spotlight) if scene is not None and self.spotlight is not None else None
        self._dots = StopDots(scene, *self.stops) if scene is not None and any(self.stops) else None

    def frame(self, frame: Frame) -> Frame:
        """A frame with what is not lit pale."""
        return frame if self._lit is None else self._lit.frame(frame)

    def rings(self, painting: Painting, view: View, sight: Rect) -> list[Mark]:
        """Around what is lit."""
        return [] if self._lit is None else [*self._lit.marks(view, sight, painting.palette, painting.edges)]

    def dots(self, painting: Painting, view: View, sight: Rect) -> list[Mark]:
        """Of the breakpoints."""
        return [] if self._dots is None else [*self._dots.marks(view, sight, painting.palette)]
