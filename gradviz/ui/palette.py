"""Every colour and size of the window, in one place. Colours carry meaning: blue is forward, orange is backward.

Text roles keep WCAG AA (4.5 : 1) on the surfaces they are used on, which a test checks; `faint` is decoration
and never the only copy of a fact.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Palette:
    """One theme. Values are "#RRGGBB"."""

    name: str
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
    on_accent: str  # text on a filled forward, backward or leaf colour


LIGHT = Palette(
    name="light",
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
    on_accent="#FFFFFF",
)

DARK = Palette(
    name="dark",
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
    on_accent="#14161B",
)

SPACE = 4
"""Spacing goes in steps of this many pixels."""

RADIUS = 10
"""Corner radius of cards and boxes, in pixels."""
