"""More families for `record_families`: activations in place, einsum, linear algebra, special functions, bits."""

from __future__ import annotations

from tests.data.family import Family

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")

IN_PLACE = Family(
    one=(
        "leaky_relu(a * 1, 0.2, inplace=True)", "elu(a * 1, 1.5, inplace=True)", "neural.selu(a * 1, inplace=True)",
        "neural.celu(a * 1, 2.0, inplace=True)", "neural.threshold(a * 1, 0.1, 20, inplace=True)", "rrelu(a)",
        "neural.rrelu(a * 1, inplace=True)",
    ),
    shaped=(
        ("unsqueeze_(a * 2, 0)", (((2, 3),), ((),))), ("t_(a * 2)", (((2, 3),), ((3,),))),
        ("transpose_(a * 2, 0, -1)", (((2, 3),), ((2, 1, 3),))), ("swapaxes_(a * 2, 0, 1) * b", (((2, 3), (3, 2)),)),
        ("squeeze_(a * 2)", (((1, 3, 1),),)), ("squeeze_(a * 2, 0)", (((1, 3, 1),), ((2, 3),))),
        ("squeeze_(a * 2, (0, 2))", (((1, 3, 1),),)),
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
        ("linalg.lu_factor(a)[0]", (((3, 3),), ((2, 4, 4),))),
        ("lu_unpack(*linalg.lu_factor(a))[1]", (((3, 3),),)),
        ("linalg.lu_solve(*linalg.lu_factor(a), b)", (((3, 3), (3, 2)),)),
        ("linalg.lu_solve(*linalg.lu_factor(a), b, adjoint=True)", (((3, 3), (3, 2)),)),
        ("linalg.lu_solve(*linalg.lu_factor(a), b, left=False)", (((3, 3), (2, 3)),)),
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

SPECIAL = Family(
    one=("lgamma(a)",),
    shaped=(
        ("polygamma(2, abs(a) + 0.1)", (((2, 3),),)),
        ("polygamma(3, abs(a) + 0.1)", (((2, 3),),)),
        ("mvlgamma(abs(a) + 3, 2)", (((2, 3),),)),
        ("ldexp(a, b)", (((2, 3), (3,)),)),
        ("frexp(a)[0]", (((2, 3),),)),
        ("special.xlog1py(a, abs(b))", (((2, 3), (3,)),)),
        ("special.entr(abs(a))", (((2, 3),),)),
        ("special.ndtr(a)", (((2, 3),),)),
        ("ldexp(a, k)", (((3,),),)),
        *((f"special.{name}(a)", (((2, 3),), ((),))) for name in ("i1", "i0e", "i1e", "i0", "digamma")),
        ("polygamma(1, a)", (((2, 3),),)),
        ("special.erfcx(a)", (((2, 3),),)),
        ("special.log_ndtr(a)", (((2, 3),),)),
        *((f"{name}(abs(detach(a)) + 0.2, abs(b))", (((2, 3), (3,)),)) for name in ("igamma", "igammac")),
        ("special.gammainc(abs(detach(a)) + 4, abs(b))", (((2, 3), (3,)),)),
        ("special.gammaincc(abs(detach(a)) + 0.2, abs(b) + 4)", (((2, 3), (3,)),)),
        ("special.zeta(abs(detach(a)) + 1.5, abs(b) + 0.1)", (((2, 3), (3,)),)),
    ),
    given=(
        ("special.erfcx(a)", ([-30.0, -5.0, 0.0, 9.5, 12.0, 1e9],)),
        ("special.log_ndtr(a)", ([-2.5, -1.0, 0.0, 3.0, 12.0],)),
        ("igamma(detach(a), b)", ([0.0, 1.0, 20.0, 20.0, 150.0], [2.0, 0.5, 12.0, 35.0, 220.0])),
        ("igammac(detach(a), b)", ([0.0, 1.0, 20.0, 20.0, 150.0], [2.0, 0.5, 12.0, 35.0, 220.0])),
        ("special.zeta(detach(a), b)", ([2.0, 1.5, 3.0, 30.0], [-0.5, 0.5, 7.0, 2.0])),
        ("erfinv(a)", ([-0.95, -0.5, -1e-9, 0.0, 0.3, 0.9999, 1.0, -1.0, 1.5],)),
        ("special.ndtri(a)", ([0.0, 1e-9, 0.1, 0.3, 0.5, 0.8, 0.999, 1.0, 1.5],)),
        ("lgamma(a)", ([0.0, -1.0, -0.5, 1.0, 2.0, 171.5],)), ("digamma(a)", ([0.0, -0.0, -1.0, -0.5, 1e-3, 50.0],)),
        ("i0(a)", ([0.0, 60.0, -60.0],)), ("special.i1(a)", ([0.0, 60.0, -60.0],)), ("special.i1e(a)", ([0.0],)),
        ("special.entr(a)", ([0.0, 1.0],)), ("special.xlog1py(a, b)", ([0.0, 0.0], [-1.0, 2.0])),
        ("frexp(a)[0]", ([0.0, 1.0, -8.0],)),
    ),
)  # fmt: skip

WRITTEN = Family(
    shaped=(
        ("slice_scatter(a, b, 1, 0, 2)", (((2, 3), (2, 2)),)),
        ("select_scatter(a, b, 1, 0)", (((2, 3), (2,)),)),
        ("diagonal_scatter(a, b)", (((2, 3), (2,)),)),
        ("masked_scatter(a, b > 0, b * 2)", (((2, 3), (2, 3)),)),
        ("put(a, k[:2], b)", (((2, 3), (2,)),)),
        ("put(a, k, b, accumulate=True)", (((2, 3), (3,)),)),
        *((f"scatter_reduce(a, 1, i, b, '{reduce}')", (((2, 3), (2, 3)),)) for reduce in REDUCTIONS),
        *((f"scatter_reduce(a, 0, i, b, '{reduce}', include_self=False)", (((2, 3),) * 2,)) for reduce in REDUCTIONS),
        *((f"index_reduce(a, 1, k, b, '{reduce}')", (((2, 3), (2, 3)),)) for reduce in REDUCTIONS[1:]),
        ("as_strided(a, (2, 2), (1, 2)) * 2", (((2, 3),),)),
        ("as_strided(a, (3,), (1,), 2)", (((2, 3),),)),
    ),
    given=(
        ("scatter_reduce(a, 0, k, b, 'prod')", ([1.0, 2.0], [0.0, 3.0, 2.0])),
        ("scatter_reduce(a, 0, k, b, 'prod')", ([0.0, 2.0], [0.0, 3.0, 0.0])),
        ("scatter_reduce(a, 0, k, b, 'amax')", ([3.0, 2.0], [3.0, 2.0, 2.0])),
        ("scatter_reduce(a, 0, k, b, 'mean', include_self=False)", ([3.0, 2.0, 1.0], [3.0, 2.0, 2.0])),
    ),
)  # fmt: skip

BAGS = Family(
    shaped=(
        *((f"neural.embedding_bag(i, a, mode='{mode}')", (((3, 2),),)) for mode in ("sum", "mean", "max")),
        *((f"neural.embedding_bag(n, a, k[:2] * 2, mode='{mode}', padding_idx=0)", (((3, 2),),))
          for mode in ("sum", "mean", "max")),
        ("neural.embedding_bag(n, a, k[:2] * 2, mode='sum', per_sample_weights=b)", (((3, 2), (3,)),)),
        ("neural.embedding_bag(i, a, mode='sum', per_sample_weights=b)", (((2, 2), (2, 3)),)),
        ("neural.embedding_bag(k, a, n * 0, mode='mean', include_last_offset=True)", (((2, 2),),)),
        ("neural.embedding(i, a, scale_grad_by_freq=True)", (((2, 3),),)),
        ("neural.embedding(k, a, padding_idx=1, scale_grad_by_freq=True)", (((2, 3),),)),
    ),
)  # fmt: skip

LATER = {
    "written": WRITTEN, "special": SPECIAL, "linalg": LINALG, "in_place": IN_PLACE, "einsum": EINSUM,
    "attention": ATTENTION, "bags": BAGS,
}  # fmt: skip
"""By name, as FAMILIES."""
