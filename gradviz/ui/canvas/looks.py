"""Which colour of the palette each thing has: by kind, mood and strand."""

from __future__ import annotations

from functools import lru_cache

from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.moment import Mood, Strand
from gradviz.ui.look.palette import Palette


@lru_cache(maxsize=1024)
def mix(one: str, other: str, share: float) -> str:
    """`share` of the colour `one`, the rest of `other`; "#RRGGBB"."""
    pairs = ((int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02X}" for a, b in pairs)


def quiet(palette: Palette, ink: str, ground: str, share: float) -> str:
    """`share` of an ink for what lies back; in high contrast a larger one, so that it is seen well."""
    return mix(ink, ground, 1.0 - (1.0 - share) * 0.35 if palette.is_strong else share)


def kind_color(palette: Palette, kind: Kind) -> str:
    """The colour that stands for a kind of node."""
    return {Kind.LEAF: palette.leaf, Kind.OP: palette.forward, Kind.GROUP: palette.keyword}.get(kind, palette.constant)


def kind_tint(palette: Palette, kind: Kind) -> str:
    """The surface of its tile."""
    tints = {Kind.LEAF: palette.leaf_tint, Kind.OP: palette.forward_tint, Kind.GROUP: group_tint(palette)}
    return tints.get(kind, palette.constant_tint)


def group_tint(palette: Palette) -> str:
    """The surface of what stands for a group."""
    return mix(palette.keyword, palette.card, 0.12)


def frame_fill(palette: Palette) -> str:
    """The surface of the frame around an open group; frames lie on one another, so it is faint."""
    return mix(palette.keyword, palette.canvas, 0.05 if palette.is_dark else 0.035)


def frame_border(palette: Palette) -> str:
    """The border of such a frame."""
    return quiet(palette, palette.keyword, palette.canvas, 0.32)


def box_fill(palette: Palette, mood: Mood) -> str:
    """The surface of a box."""
    return mix(palette.card, palette.canvas, 0.4) if mood is Mood.PALE else palette.card


def box_border(palette: Palette, kind: Kind, mood: Mood) -> str:
    """The border of a box."""
    if mood is Mood.FORWARD:
        return palette.forward
    if mood is Mood.BACKWARD:
        return palette.backward
    if mood is Mood.PALE:
        return palette.hairline
    return {
        Kind.LEAF: mix(palette.leaf, palette.hairline, 0.35),
        Kind.OP: mix(palette.faint, palette.hairline, 0.25),
        Kind.GROUP: mix(palette.keyword, palette.hairline, 0.4),
    }.get(kind, palette.faint)


def text_color(palette: Palette, mood: Mood) -> str:
    """The main text of a box."""
    return palette.dim if mood is Mood.PALE else palette.text


def strand_color(palette: Palette, strand: Strand) -> str:
    """The colour of an edge."""
    return {
        Strand.PALE: quiet(palette, palette.faint, palette.canvas, 0.38),
        Strand.QUIET: mix(palette.faint, palette.canvas, 0.95),
        Strand.NONE: palette.faint,
        Strand.CARRIED: quiet(palette, palette.backward, palette.canvas, 0.55),
        Strand.FORWARD: palette.forward,
        Strand.BACKWARD: palette.backward,
    }[strand]


def dot_color(palette: Palette, kind: Kind, mood: Mood, has_gradient: bool) -> str:
    """The colour of a box that is too small for a text: its kind, or how far the pass has come."""
    if mood is Mood.FORWARD:
        return palette.forward
    if mood is Mood.BACKWARD:
        return palette.backward
    if mood is Mood.PALE:
        return quiet(palette, palette.faint, palette.canvas, 0.35)
    if has_gradient:
        return quiet(palette, palette.backward, palette.canvas, 0.62)
    return quiet(palette, kind_color(palette, kind), palette.canvas, 0.55)
