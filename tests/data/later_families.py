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

SPD = "(a @ t(a) + diag(n + 2))"

LINALG = Family(
    shaped=(
        *((f"linalg.eigh({SPD})[{k}] ** 2 * c", (((3, 3), (3,), shape),)) for k, shape in ((0, (3,)), (1, (3, 3)))),
        (f"linalg.eigvalsh({SPD})", (((3, 3),),)),
        (f"linalg.eigh({SPD}, UPLO='U')[0]", (((3, 3),),)),
        *((f"linalg.svd(a, full_matrices=False)[{k}]", (((3, 3),), ((4, 3),), ((2, 4),))) for k in range(3)),
        ("linalg.svd(a)[2]", (((3, 3),), ((4, 2),))),
        ("linalg.svdvals(a)", (((3, 2),), ((2, 3, 3),))),
        ("svd(a)[2]", (((3, 3),),)),
        *((f"linalg.qr(a)[{k}]", (((3, 3),), ((4, 3),), ((2, 4),))) for k in range(2)),
        ("linalg.pinv(a)", (((3, 2),), ((2, 3),), ((3, 3),))),
        ("pinverse(a)", (((3, 2),),)),
        ("linalg.lstsq(a, b)[0]", (((4, 2), (4, 3)), ((3, 2), (3,)))),
        ("linalg.slogdet(a)[0]", (((3, 3),),)),
        ("linalg.lu(a)[1]", (((3, 3),),)),
        ("linalg.lu(a)[2]", (((3, 3),),)),
        ("linalg.solve_triangular(tril(a) + diag(n + 2), b, upper=False)", (((3, 3), (3, 2)),)),
        ("linalg.solve_triangular(triu(a) + diag(n + 2), b, upper=True)", (((3, 3), (3, 2)),)),
        ("linalg.solve_triangular(a + diag(n + 2), b, upper=True, left=False)", (((3, 3), (2, 3)),)),
        ("linalg.solve_triangular(a, b, upper=False, unitriangular=True)", (((3, 3), (3, 2)),)),
        ("linalg.solve(a + diag(n + 4), b, left=False)", (((3, 3), (2, 3)),)),
        (f"cholesky_solve(b, linalg.cholesky({SPD}))", (((3, 3), (3, 2)),)),
        (f"cholesky_inverse(linalg.cholesky({SPD}))", (((3, 3),),)),
        (f"linalg.cholesky({SPD}, upper=True)", (((3, 3),),)),
        ("matrix_exp(a)", (((3, 3),), ((2, 2, 2),))),
        ("linalg.cond(a)", (((3, 3),),)),
        ("linalg.vecdot(a, b)", (((2, 3), (2, 3)), ((2, 3), (3,)))),
        ("linalg.multi_dot([a, b, c])", (((2, 3), (3, 2), (2, 2)),)),
        ("matrix_power(a, 1)", (((2, 2),),)),
        ("linalg.tensorsolve(a, b)", (((2, 3, 6), (2, 3)),)),
    ),
)  # fmt: skip

LATER = {"linalg": LINALG, "in_place": IN_PLACE, "einsum": EINSUM, "attention": ATTENTION}
"""By name, as FAMILIES."""
