"""Products, einsum and linear algebra: as PyTorch has them."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as engine
from tests.engine.against_torch import assert_same, assert_same_error

A = np.array([[1.0, -2.0, 0.5], [0.3, 1.5, -1.0]])
B = np.array([[0.7, 1.1], [-0.4, 0.2], [2.0, -1.3]])
V = np.array([0.5, -1.5, 2.0])
U = np.array([1.0, 2.0])
SQUARE = np.array([[2.0, -1.0, 0.5], [0.3, 1.5, -1.0], [1.0, 0.4, 3.0]])
POSITIVE = np.array([[2.0, 0.5, -0.3], [0.5, 1.5, 0.2], [-0.3, 0.2, 1.0]])
BATCH = np.stack([A, A[::-1] + 0.3, A * A])
COLUMNS = np.stack([B, B - 1, B * 2])
SQUARES = np.stack([SQUARE, POSITIVE])

PRODUCTS = {
    "mm": (lambda t, a, b: a @ b, A, B),
    "mm function": (lambda t, a, b: t.mm(a, b) + a.mm(b), A, B),
    "mm of itself": (lambda t, a: a @ a.T, A),
    "mm whole": (lambda t, n: n @ n.t(), np.array([[1, 2], [3, 4]])),
    "mv": (lambda t, a, v: a @ v + t.mv(a, v), A, V),
    "vector matrix": (lambda t, v, b: v @ b, V, B),
    "dot": (lambda t, v, w: v @ w + t.dot(v, w) + v.dot(w), V, V + 1),
    "bmm": (lambda t, a, b: a @ b + t.bmm(a, b), BATCH, COLUMNS),
    "stack times matrix": (lambda t, a, b: a @ b, BATCH, B),
    "matrix times stack": (lambda t, a, b: a @ b, A, COLUMNS),
    "stack times vector": (lambda t, a, v: a @ v, BATCH, V),
    "vector times stack": (lambda t, v, b: v @ b, V, COLUMNS),
    "stacks broadcast": (lambda t, a, b: t.matmul(a[:, None], b[None]), BATCH, COLUMNS),
    "linear": (lambda t, x, w, b: t.nn.functional.linear(x, w, b), A, SQUARE, V),
    "linear without bias": (lambda t, x, w: t.nn.functional.linear(x, w), A, SQUARE),
    "linear rows": (lambda t, x, w, b: t.nn.functional.linear(x, w, b), BATCH, SQUARE, V),
    "linear vector": (lambda t, x, w, b: t.nn.functional.linear(x, w, b), V, SQUARE, V),
    "linear one output": (lambda t, x, w: t.nn.functional.linear(x, w), A, V),
    "addmm": (lambda t, c, a, b: t.addmm(c, a, b) + c.addmm(a, b, beta=0.5, alpha=2), U, A, B),
    "outer": (lambda t, v, w: t.outer(v, w) + v.outer(w), U, V),
    "inner": (lambda t, a, b: (t.inner(a, b), t.inner(a[0], b[0]), t.inner(a, b[0])), A, A + 1),
    "tensordot": (lambda t, a, b: (t.tensordot(a, b, dims=1), t.tensordot(a, b, dims=([1], [0]))), A, B),
    "tensordot all": (lambda t, a, b: t.tensordot(a, b, 2), A, A + 1),
    "tensordot broadcast": (lambda t, a, b: t.tensordot(a, b, ([1], [0])), A, B[:1]),
    "bilinear": (lambda t, x, y, w, b: t.nn.functional.bilinear(x, y, w, b), A, A + 1, SQUARES, U),
    "einsum matrices": (lambda t, a, b: t.einsum("ij,jk->ik", a, b), A, B),
    "einsum implicit": (lambda t, a, b: t.einsum("ij,jk", a, b), A, B),
    "einsum stack": (lambda t, a, b: t.einsum("bij,bjk->bik", a, b), BATCH, COLUMNS),
    "einsum attention": (lambda t, a, b: t.einsum("bqd,bkd->bqk", a, b), BATCH, BATCH + 0.5),
    "einsum ellipsis": (lambda t, a, b: t.einsum("...i,...i->...", a, b), BATCH, A),
    "einsum transpose": (lambda t, a: t.einsum("ij->ji", a) ** 2, A),
    "einsum sum": (lambda t, a: t.einsum("ij->", a) ** 2, A),
    "einsum trace": (lambda t, a: t.einsum("ii", a) ** 2, SQUARE),
    "einsum diagonal": (lambda t, a: t.einsum("ii->i", a) ** 2, SQUARE),
    "einsum outer": (lambda t, v, w: t.einsum("i,j->ij", v, w), U, V),
    "einsum three": (lambda t, a, b, v: t.einsum("ij,jk,j->k", a, b, v), A, B, V),
    "einsum lonely": (lambda t, a, b: t.einsum("ij,kl->il", a, b), A, B),
    "einsum broadcast": (lambda t, a, b: t.einsum("ij,kj->ik", a, b), A, B[:, :1]),
    "einsum list of operands": (lambda t, a, b: t.einsum("ij , jk -> ik", [a, b]), A, B),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", PRODUCTS)
def test_product_agrees_with_pytorch(name):
    pytest.importorskip("torch")
    call, *arrays = PRODUCTS[name]
    assert_same(call, *arrays)


@pytest.mark.torch
def test_products_of_float32_agree_with_pytorch():
    pytest.importorskip("torch")
    a, b = BATCH.astype(np.float32), B.astype(np.float32)
    assert_same(lambda t, a, b: (a @ b, a[0] @ b, t.einsum("bij,jk->bki", a, b)), a, b)


FUNCTIONS = {
    "det": (lambda t, a: (t.det(a), t.linalg.det(a)), SQUARES),
    "det of singular": (lambda t, a: a.det(), np.array([[1.0, 2.0], [2.0, 4.0]])),
    "slogdet": (lambda t, a: (t.slogdet(a)[1], t.linalg.slogdet(a).logabsdet), SQUARES),
    "logdet": (lambda t, a: t.logdet(a), POSITIVE),
    "inverse": (lambda t, a: (t.inverse(a), t.linalg.inv(a), a.inverse()), SQUARES),
    "pinv": (lambda t, a: t.linalg.pinv(a), A),
    "solve": (lambda t, a, b: t.linalg.solve(a, b), SQUARE, B),
    "solve vector": (lambda t, a, b: t.linalg.solve(a, b), SQUARE, V),
    "solve stack": (lambda t, a, b: t.linalg.solve(a, b), SQUARES, np.stack([B, B + 1])),
    "solve from the right": (lambda t, a, b: t.linalg.solve(a, b, left=False), SQUARE, A),
    "solve triangular": (lambda t, a, b: t.linalg.solve_triangular(a, b, upper=True), SQUARE, B),
    "cholesky": (lambda t, a: (t.linalg.cholesky(a), t.linalg.cholesky(a, upper=True)), POSITIVE),
    "cholesky of product": (lambda t, a: t.linalg.cholesky(a @ a.mT + t.eye(3, dtype=a.dtype)), SQUARES),
    "cholesky solve": (lambda t, b, a: t.cholesky_solve(b, t.linalg.cholesky(a)), B, POSITIVE),
    "svd": (lambda t, a: [x**2 for x in t.linalg.svd(a, full_matrices=False)], A),
    "svd square": (lambda t, a: [x**2 for x in t.linalg.svd(a)], SQUARE),
    "eigh": (lambda t, a: [x**2 for x in t.linalg.eigh(a)], POSITIVE),
    "eigh of sum": (lambda t, a: [x**2 for x in t.linalg.eigh(a + a.mT)], SQUARES),
    "matrix exponential": (lambda t, a: (t.linalg.matrix_exp(a), t.matrix_exp(a * 9)[0], (a / 9).matrix_exp()), SQUARE),
    "matrix power": (lambda t, a: (t.matrix_power(a, 3), t.linalg.matrix_power(a, -2), a.matrix_power(1)), SQUARE),
    "trace": (lambda t, a: (t.trace(a) ** 2, a[:, :2].trace()), SQUARE),
    "cross": (lambda t, a, b: (t.linalg.cross(a, b), t.cross(a, b, dim=0)), SQUARE, POSITIVE),
    "cdist": (lambda t, a, b: (t.cdist(a, b), t.cdist(a, b, p=1.0), t.cdist(a, b, p=3.0)), A, SQUARE),
    "pdist": (lambda t, a: t.pdist(a), SQUARE),
    "cosine similarity": (lambda t, a, b: t.cosine_similarity(a, b), A, A[::-1].copy()),
    "norms": (lambda t, a: (t.linalg.norm(a), t.linalg.norm(a, 2), t.linalg.norm(a, "nuc")), A),
    "norm of dim": (lambda t, a: (t.linalg.norm(a, dim=1), t.linalg.norm(a, 3, dim=0), t.linalg.norm(a[0], 1)), A),
}  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_agrees_with_pytorch(name):
    pytest.importorskip("torch")
    call, *arrays = FUNCTIONS[name]
    assert_same(call, *arrays, rtol=1e-7, second=name not in ("cdist", "pdist"))  # which PyTorch has no second ones of


ERRORS = {
    "mm": (lambda t, a: a @ a, A),
    "mv": (lambda t, a, v: a @ v, A, U),
    "vector matrix": (lambda t, v, a: v @ a, V, A),
    "dot": (lambda t, v, w: v @ w, U, V),
    "number": (lambda t, v, a: v.sum() @ a, V, A),
    "bmm": (lambda t, a: a @ a, BATCH),
    "stack times matrix": (lambda t, a, b: a @ b, BATCH, A),
    "mm dtype": (lambda t, a, b: a @ b, A, B.astype(np.float32)),
    "mm whole": (lambda t, a, n: a @ n, A.astype(np.float32), np.ones((3, 2), dtype=np.int64)),
    "dot dtype": (lambda t, v, w: v @ w, V, V.astype(np.float32)),
    "mm vector": (lambda t, a, v: t.mm(a, v), A, V),
    "mv matrix": (lambda t, a: t.mv(a, a), A),
    "bmm matrix": (lambda t, a: t.bmm(a, a), A),
    "matmul number": (lambda t, a: t.matmul(a, 3), A),
    "linear": (lambda t, x, w: t.nn.functional.linear(x, w), A, B),
    "linear rows": (lambda t, x, w: t.nn.functional.linear(x, w), BATCH, B),
    "linear vector": (lambda t, x, w: t.nn.functional.linear(x, w), V, B),
    "linear bias": (lambda t, x, w, b: t.nn.functional.linear(x, w, b), A, np.ones((4, 3)), V),
    "linear dtype": (lambda t, x, w: t.nn.functional.linear(x, w), A.astype(np.float32), np.ones((4, 3))),
    "linear whole": (lambda t, x, w: t.nn.functional.linear(x, w), A.astype(np.int64), np.ones((4, 3), np.float32)),
    "outer": (lambda t, a, v: t.outer(a, v), A, V),
    "inner": (lambda t, a, b: t.inner(a, b), A, B),
    "tensordot": (lambda t, a, b: t.tensordot(a, b.T, dims=1), A, B),
    "einsum sizes": (lambda t, a, b: t.einsum("ij,kj->ik", a, b), A, B),
    "einsum operands": (lambda t, a: t.einsum("ij,jk", a), A),
    "einsum dims": (lambda t, a: t.einsum("ijk", a), A),
    "einsum output": (lambda t, a: t.einsum("ij->ijz", a), A),
    "matmul of other batches": (lambda t, a, b: t.stack([a, a]) @ t.stack([b, b, b]), A, B),
    "det": (lambda t, a: t.det(a), A),
    "solve": (lambda t, a, b: t.linalg.solve(a, b), np.zeros((2, 2)), U),
    "cholesky": (lambda t, a: t.linalg.cholesky(a), -POSITIVE),
    "trace": (lambda t, v: t.trace(v), V),
    "cdist": (lambda t, a, b: t.cdist(a, b), A, B),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", ERRORS)
def test_error_is_pytorchs(name):
    pytest.importorskip("torch")
    call, *arrays = ERRORS[name]
    assert_same_error(call, *arrays)


@pytest.mark.torch
@pytest.mark.parametrize(
    "call",
    [
        lambda t, a, b, v: a @ b,
        lambda t, a, b, v: a @ v,
        lambda t, a, b, v: v @ v,
        lambda t, a, b, v: t.bmm(a[None], b[None]),
        lambda t, a, b, v: t.nn.functional.linear(a, a, a[:, 0]),
        lambda t, a, b, v: t.nn.functional.linear(a, a),
        lambda t, a, b, v: t.addmm(a[:, :2], a, b),
        lambda t, a, b, v: t.det(a[:, :2]),
        lambda t, a, b, v: t.inverse(a[:, :2]),
        lambda t, a, b, v: t.linalg.solve(a[:, :2], a),
        lambda t, a, b, v: t.linalg.svd(a)[1],
        lambda t, a, b, v: t.trace(a),
        lambda t, a, b, v: t.linalg.eigh(a @ a.T)[0],
        lambda t, a, b, v: t.cdist(a, a),
        lambda t, a, b, v: t.linalg.eigvalsh(a @ a.T),
        lambda t, a, b, v: a[None] @ b,
        lambda t, a, b, v: a[None] @ b[None],
        lambda t, a, b, v: t.stack([a, a])[None] @ t.stack([b, b])[None],
        lambda t, a, b, v: a[None] @ v,
        lambda t, a, b, v: v @ b,
        lambda t, a, b, v: t.einsum("ij,jk->ik", a, b),
        lambda t, a, b, v: t.einsum("ij,j,ij->", a, v, a),
        lambda t, a, b, v: t.einsum("i,j->ij", v, v),
        lambda t, a, b, v: t.einsum("i,kj->i", v, a),
        lambda t, a, b, v: t.einsum("ij->i", a),
        lambda t, a, b, v: t.einsum("ij->ji", a),
    ],
)
def test_node_has_pytorchs_name(call):
    torch = pytest.importorskip("torch")
    names = [call(t, *[t.tensor(x, requires_grad=True) for x in (A, B, V)]).grad_fn.name() for t in (engine, torch)]
    assert names[0] == names[1]


def test_singular_matrix_is_a_runtime_error():
    with pytest.raises(RuntimeError, match="the input matrix is singular"):
        engine.linalg.inv(engine.zeros(2, 2))


@pytest.mark.torch
@pytest.mark.parametrize("other", [2, 2.5, "a", None, [1, 2]])
def test_what_is_no_tensor_is_no_operand(other):
    pytest.importorskip("torch")
    assert_same_error(lambda t, a: a @ other, A)
    assert_same_error(lambda t, a: other @ a, A)


def test_two_products_in_place_write_to_the_tensor():
    x = engine.eye(2)
    x.addmm_(engine.ones(2, 2), engine.ones(2, 2))
    assert x.tolist() == [[3, 2], [2, 3]]


@pytest.mark.torch
@pytest.mark.parametrize("uplo", ["L", "U"])
def test_eigenvalues_of_a_symmetric_matrix_are_pytorchs(uplo):
    pytest.importorskip("torch")
    assert_same(lambda t, a: t.linalg.eigvalsh(a + a.T, uplo), POSITIVE)
