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

EINSUM = Family(
    shaped=tuple(
        (f"einsum('{equation}', {', '.join('abc'[: len(shapes)])})", (shapes,))
        for equation, *shapes in (
            ("ij,jk->ik", (2, 3), (3, 4)), ("i,i->", (3,), (3,)), ("i,j->ij", (2,), (3,)), ("ii->", (3, 3)),
            ("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("ij->", (2, 3)), ("ij->i", (2, 3)), ("ij,ij->", (2, 3), (2, 3)),
            ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)), ("bhqd,bhkd->bhqk", (1, 2, 3, 2), (1, 2, 3, 2)),
            ("...ij,...jk->...ik", (2, 2, 3), (3, 2)), ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)),
            ("ij,ij->ij", (2, 3), (2, 3)), ("ij,j", (2, 3), (3,)), ("bn,anm,bm->ba", (2, 3), (2, 3, 2), (2, 2)),
            ("i,ij,j", (2,), (2, 3), (3,)), ("iij->j", (2, 2, 3)), ("ij,jk->ik", (1, 3), (3, 1)),
            ("a,b->", (2,), (3,)), ("i...->...", (2, 3)), ("...d,...d->...", (2, 3, 2), (3, 2)),
        )
    )
)  # fmt: skip

ATTENTION = Family(
    shaped=(
        ("neural.scaled_dot_product_attention(a, b, c)", (((1, 2, 3, 2),) * 3, ((2, 3, 2),) * 3)),
        ("neural.scaled_dot_product_attention(a, b, c, is_causal=True)", (((1, 1, 3, 2),) * 3, ((3, 2),) * 3)),
        ("neural.scaled_dot_product_attention(a, b, c, scale=0.3)", (((1, 1, 3, 2),) * 3,)),
        ("neural.scaled_dot_product_attention(a, b, c, attn_mask=c[0, 0] @ t(a[0, 0]))", (((1, 1, 3, 2),) * 3,)),
    ),
    given=(
        ("neural.scaled_dot_product_attention(a, a, a, attn_mask=b > 0)",
         ([[[[1.0, 0.5], [0.2, -1.0]]]], [[1.0, 0.0], [-1.0, 0.0]])),
    ),
)  # fmt: skip

LATER = {"in_place": IN_PLACE, "einsum": EINSUM, "attention": ATTENTION}
"""By name, as FAMILIES."""
