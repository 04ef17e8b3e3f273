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


LIGHT = Palette(
    name="light",
    is_dark=False,
    is_strong=False,
    window="#F6F7F9",
    panel="#FFFFFF",
    canvas="#FBFBFC",
    card="#FFFFFF",
    hairline="#E1E4EA",
    grid="#ECEEF2",
    text="#1B1F27",
    dim="#5F6673",
    faint="#A3A9B5",
    forward="#2563C9",
    forward_tint="#E8F0FD",
    backward="#C2410B",
    backward_tint="#FEEEE6",
    leaf="#0B7A5B",
    leaf_tint="#E2F5EE",
    constant="#666D7C",
    constant_tint="#EFF1F4",
    keyword="#8A3FB8",
    number="#B45309",
    string="#0B7A5B",
    comment="#6B7280",
    error="#B3122B",
    error_tint="#FCE8EB",
    warning="#B45309",
    changed="#A3186F",
    changed_tint="#FBE9F4",
    on_accent="#FFFFFF",
)

DARK = Palette(
    name="dark",
    is_dark=True,
    is_strong=False,
    window="#14161B",
    panel="#1B1E25",
    canvas="#16191F",
    card="#20242D",
    hairline="#2B303A",
    grid="#1E222A",
    text="#E7EAF0",
    dim="#A2AAB8",
    faint="#5E6675",
    forward="#6AA5FF",
    forward_tint="#1C2A44",
    backward="#FF8A4C",
    backward_tint="#3D2417",
    leaf="#42C79B",
    leaf_tint="#15342B",
    constant="#9AA2B1",
    constant_tint="#2A2F39",
    keyword="#C792EA",
    number="#F2B26B",
    string="#7FD1AE",
    comment="#8C94A3",
    error="#FF7A8A",
    error_tint="#3F1A22",
    warning="#F2B26B",
    changed="#F29BD4",
    changed_tint="#3B1A30",
    on_accent="#14161B",
)

WHITE = Palette(
    name="contrast_light",
    is_dark=False,
    is_strong=True,
    window="#F2F2F2",
    panel="#FFFFFF",
    canvas="#FFFFFF",
    card="#FFFFFF",
    hairline="#6B6B6B",
    grid="#E4E4E4",
    text="#000000",
    dim="#333333",
    faint="#4F4F4F",
    forward="#0A3C9E",
    forward_tint="#E1ECFF",
    backward="#852400",
    backward_tint="#FFE9DC",
    leaf="#004D35",
    leaf_tint="#D6F5E8",
    constant="#3A4150",
    constant_tint="#EDEFF2",
    keyword="#5A1488",
    number="#6E2F00",
    string="#004D35",
    comment="#474747",
    error="#8C0016",
    error_tint="#FFE5E9",
    warning="#6E2F00",
    changed="#70004A",
    changed_tint="#FFE3F3",
    on_accent="#FFFFFF",
)

BLACK = Palette(
    name="contrast_dark",
    is_dark=True,
    is_strong=True,
    window="#161616",
    panel="#000000",
    canvas="#000000",
    card="#000000",
    hairline="#8C8C8C",
    grid="#262626",
    text="#FFFFFF",
    dim="#D9D9D9",
    faint="#ABABAB",
    forward="#8FBDFF",
    forward_tint="#0C2144",
    backward="#FFAB78",
    backward_tint="#3A1B07",
    leaf="#5FE3B5",
    leaf_tint="#062E1F",
    constant="#C9CED7",
    constant_tint="#22262D",
    keyword="#DDB5FF",
    number="#FFCB91",
    string="#8FE8C0",
    comment="#BDBDBD",
    error="#FFA8B3",
    error_tint="#3D0A12",
    warning="#FFCB91",
    changed="#FFB3E2",
    changed_tint="#2B0A1F",
    on_accent="#000000",
)

SPACE = 4
"""Spacing goes in steps of this many pixels."""

RADIUS = 10
"""Corner radius of cards and boxes, in pixels."""
