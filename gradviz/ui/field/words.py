"""What is said where there is no arrow field."""

from __future__ import annotations

NEEDED = (
    "An arrow field needs two leaves of one shape, such as X and Y of a mesh grid, "
    "that both get a gradient in this backward pass."
)
