"""Every colour and size of the window, in one place. Colours carry meaning: blue is forward, orange is backward.

Text roles keep WCAG AA (4.5 : 1) on the surfaces they are used on, in high contrast AAA (7 : 1), and there borders
keep 3 : 1; a test checks it. `faint` is decoration and never the only copy of a fact.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)  # by identity: what is drawn is looked up by its palette thousands of times
class Palette:
    """One theme. Values are "#RRGGBB".

    Attributes:
        is_dark: whether the ground is dark.
        is_strong: high contrast: what else is pale keeps lines that are seen well.
    """

    name: str
    is_dark: bool
    is_strong: bool
    window: str
    panel: str
    canvas: str
    card: str
    hairline: str
    grid: str
    text: str
    dim: str
    faint: str
    forward: str
    forward_tint: str
    backward: str
    backward_tint: str
    leaf: str
    leaf_tint: str
    constant: str
    constant_tint: str
    keyword: str
    number: str
    string: str
    comment: str
    error: str
    error_tint: str
    warning: str
    changed: str
    changed_tint: str
    on_accent: str  # text on a filled forward, backward or leaf colour


_COLOURS = (
    ("window",         "#F6F7F9", "#14161B", "#F2F2F2", "#161616"),
    ("panel",          "#FFFFFF", "#1B1E25", "#FFFFFF", "#000000"),
    ("canvas",         "#FBFBFC", "#16191F", "#FFFFFF", "#000000"),
    ("card",           "#FFFFFF", "#20242D", "#FFFFFF", "#000000"),
    ("hairline",       "#E1E4EA", "#2B303A", "#6B6B6B", "#8C8C8C"),
    ("grid",           "#ECEEF2", "#1E222A", "#E4E4E4", "#262626"),
    ("text",           "#1B1F27", "#E7EAF0", "#000000", "#FFFFFF"),
    ("dim",            "#5F6673", "#A2AAB8", "#333333", "#D9D9D9"),
    ("faint",          "#A3A9B5", "#5E6675", "#4F4F4F", "#ABABAB"),
    ("forward",        "#2563C9", "#6AA5FF", "#0A3C9E", "#8FBDFF"),
    ("forward_tint",   "#E8F0FD", "#1C2A44", "#E1ECFF", "#0C2144"),
    ("backward",       "#C2410B", "#FF8A4C", "#852400", "#FFAB78"),
    ("backward_tint",  "#FEEEE6", "#3D2417", "#FFE9DC", "#3A1B07"),
    ("leaf",           "#0B7A5B", "#42C79B", "#004D35", "#5FE3B5"),
    ("leaf_tint",      "#E2F5EE", "#15342B", "#D6F5E8", "#062E1F"),
    ("constant",       "#666D7C", "#9AA2B1", "#3A4150", "#C9CED7"),
    ("constant_tint",  "#EFF1F4", "#2A2F39", "#EDEFF2", "#22262D"),
    ("keyword",        "#8A3FB8", "#C792EA", "#5A1488", "#DDB5FF"),
    ("number",         "#B45309", "#F2B26B", "#6E2F00", "#FFCB91"),
    ("string",         "#0B7A5B", "#7FD1AE", "#004D35", "#8FE8C0"),
    ("comment",        "#6B7280", "#8C94A3", "#474747", "#BDBDBD"),
    ("error",          "#B3122B", "#FF7A8A", "#8C0016", "#FFA8B3"),
    ("error_tint",     "#FCE8EB", "#3F1A22", "#FFE5E9", "#3D0A12"),
    ("warning",        "#B45309", "#F2B26B", "#6E2F00", "#FFCB91"),
    ("changed",        "#A3186F", "#F29BD4", "#70004A", "#FFB3E2"),
    ("changed_tint",   "#FBE9F4", "#3B1A30", "#FFE3F3", "#2B0A1F"),
    ("on_accent",      "#FFFFFF", "#14161B", "#FFFFFF", "#000000"),
)  # fmt: skip
"""Of each role the colour in the four palettes: light, dark, and both in high contrast."""


def _palette(place: int, name: str, *, is_dark: bool, is_strong: bool) -> Palette:
    return Palette(name, is_dark, is_strong, **{role: colours[place] for role, *colours in _COLOURS})


LIGHT = _palette(0, "light", is_dark=False, is_strong=False)
DARK = _palette(1, "dark", is_dark=True, is_strong=False)
WHITE = _palette(2, "contrast_light", is_dark=False, is_strong=True)
BLACK = _palette(3, "contrast_dark", is_dark=True, is_strong=True)

SPACE = 4
"""Spacing goes in steps of this many pixels."""

RADIUS = 10
"""Corner radius of cards and boxes, in pixels."""
