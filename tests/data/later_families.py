"""More families for `record_families`: activations in place, einsum, linear algebra, special functions, bits."""

from __future__ import annotations

from tests.data.family import Family

IN_PLACE = Family(
    one=(
        "leaky_relu(a * 1, 0.2, inplace=True)", "elu(a * 1, 1.5, inplace=True)", "neural.selu(a * 1, inplace=True)",
        "neural.celu(a * 1, 2.0, inplace=True)", "neural.threshold(a * 1, 0.1, 20, inplace=True)", "rrelu(a)",
        "neural.rrelu(a * 1, inplace=True)",
    ),
    given=(
        ("leaky_relu(a * 1, inplace=True)", ([0.0, -0.0],)), ("elu(a * 1, 2.0, inplace=True)", ([0.0, -0.0],)),
        ("neural.threshold(a * 1, 1, 5, inplace=True)", ([1.0],)), ("rrelu(a, 0.1, 0.3)", ([0.0, -0.0],)),
    ),
)  # fmt: skip

LATER = {"in_place": IN_PLACE}
"""By name, as FAMILIES."""
