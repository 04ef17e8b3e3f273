"""What is recorded of losses and distances, as expressions over a, b, c, d; numbers without a dot are classes."""

from __future__ import annotations

import math

from tests.data.families import Family, Given

HOW = ("", ", reduction='sum'", ", reduction='none'")
SAME = (((3,), (3,)), ((2, 3), (2, 3)), ((), ()))
CHANCES: Given = ([0.2, 0.9, 0.4, 0.0, 1.0, 0.5], [0.0, 1.0, 0.3, 0.25, 0.5, 1.0])
LOGITS: Given = ([0.2, -0.9, 4.0, 0.0, -100.0, 30.0], [0.0, 1.0, 0.3, 0.25, 0.5, 1.0])
HEAVY: Given = ([0.5, 2.0, 1.5, 1.0, 0.25, 3.0],)
ROWS = [[1.0, -2.0, 0.5], [0.3, 1.5, -1.0], [0.2, 0.1, -0.7]]
CLASSES = [2, 0, 1]
BY_CLASS = [0.5, 2.0, 1.5]
IMAGE = [[[1.0, -2.0], [0.3, 1.5], [0.2, 0.1]], [[0.4, 0.6], [-0.5, 1.2], [0.9, -1.1]]]
PIXELS = [[0, 2], [1, 1]]
LARGE = [[[row] for row in image] for image in IMAGE]
SIGNS = [1.0, -1.0, 1.0]
VECTORS = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75], [0.1, 0.2, 0.4]]
OTHERS = [[0.4, -1.2, 1.0], [-0.5, 2.0, 0.75], [0.1, 0.2, 0.4]]
THIRD = [[0.3, -0.8, 2.5], [1.0, 0.25, -0.5], [3.0, 0.2, 0.4]]
MANY = [[round(math.sin(3 * i + j), 3) for j in range(3)] for i in range(27)]


def each(call: str, given: Given) -> list[tuple[str, Given]]:
    """A call with each reduction; `@` is where the reduction stands."""
    return [(call.replace("@", how), given) for how in HOW]


LOSSES = Family(
    grid=(
        "smooth_l1_loss(a, a * 0.5)", "huber_loss(a, a * a)", "soft_margin_loss(a, sign(detach(a)))",
        "l1_loss(a, a * a)",
        "binary_cross_entropy(sigmoid(a), sigmoid(a * 2))", "binary_cross_entropy_with_logits(a, sigmoid(a))",
        "kl_div(a, a * a)", "poisson_nll_loss(a, a * a, full=True)", "gaussian_nll_loss(a, a * a, a * a, full=True)",
        "hinge_embedding_loss(a, sign(detach(a)))", "margin_ranking_loss(a, a * a, sign(detach(a)), 0.3)",
    ),
    shaped=(
        *((f"smooth_l1_loss(a, b{how})", SAME) for how in HOW),
        *((f"huber_loss(a, b{how})", SAME) for how in HOW),
        *((f"l1_loss(a, b{how})", SAME) for how in HOW),
        ("smooth_l1_loss(a, b, beta=0.3)", SAME), ("smooth_l1_loss(a, b, beta=0)", SAME),
        ("huber_loss(a, b, delta=2.5)", SAME), ("smooth_l1_loss(a, b)", (((2, 3), (3,)), ((2, 1), (1, 3)))),
        ("huber_loss(a, b)", (((3,), (2, 3)),)), ("l1_loss(a, b)", (((2, 3), (3,)),)),
        ("mse_loss(a, b, weight=c)", (((3,), (3,), (3,)),)), ("l1_loss(a, b, weight=c)", (((3,), (3,), (3,)),)),
        ("huber_loss(a, b, weight=c)", (((3,), (3,), (3,)),)),
        ("mse_loss(a, b, weight=c, reduction='sum')", (((2, 3), (3,), (2, 3)),)),
        *((f"soft_margin_loss(a, sign(detach(b)){how})", SAME) for how in HOW),
        *((f"hinge_embedding_loss(a, sign(detach(b)){how})", SAME) for how in HOW),
        *((f"margin_ranking_loss(a, b, sign(detach(c)){how})", (((3,), (3,), (3,)), ((2, 3), (2, 3), (2, 3))))
          for how in HOW),
        ("margin_ranking_loss(a, b, c, margin=0.5)", (((3,), (3,), (3,)),)),
        *((f"kl_div(a, b * b{how})", SAME) for how in HOW),
        *((f"kl_div(a, b, log_target=True{how})", SAME) for how in HOW),
        ("kl_div(a, b * b, reduction='batchmean')", SAME), ("kl_div(a, detach(abs(b)))", SAME),
        *((f"poisson_nll_loss(a, b{how})", SAME) for how in HOW),
        ("poisson_nll_loss(a, b * b + 2, full=True)", SAME), ("poisson_nll_loss(a * a, b * b, log_input=False)", SAME),
        ("poisson_nll_loss(a * a, detach(b * b), False, True, reduction='none')", SAME),
        *((f"gaussian_nll_loss(a, b, c * c{how})", (((3,), (3,), (3,)), ((2, 3), (2, 3), (2,)))) for how in HOW),
        ("gaussian_nll_loss(a, b, c * c, full=True)", (((2, 3), (2, 3), (2, 1)),)),
        ("gaussian_nll_loss(a, b, 0.5, full=True)", (((2, 3), (2, 3)),)),
    ),
    given=(
        *each("binary_cross_entropy(a, b@)", CHANCES),
        *each("binary_cross_entropy(a, b, detach(c)@)", CHANCES + HEAVY),
        ("binary_cross_entropy(a, b, detach(c))", ([[0.2, 0.7], [0.1, 0.6]], [[0.0, 1.0], [1.0, 0.5]], [2.0, 3.0])),
        *each("binary_cross_entropy_with_logits(a, b@)", LOGITS),
        *each("binary_cross_entropy_with_logits(a, b, detach(c)@)", LOGITS + HEAVY),
        *each("binary_cross_entropy_with_logits(a, b, pos_weight=detach(c)@)",
              ([0.2, -0.9, 4.0], [0.0, 1.0, 0.3], BY_CLASS)),
        ("binary_cross_entropy_with_logits(a, b, detach(c), pos_weight=detach(d))",
         (ROWS, [[0.0, 1.0, 1.0], [1.0, 0.5, 0.0], [0.0, 0.0, 0.2]], [1.0, 2.0, 3.0], BY_CLASS)),
        ("binary_cross_entropy_with_logits(a, detach(b), pos_weight=detach(c))", ([0.2, -0.9], [0.0, 1.0], [2.0])),
        ("smooth_l1_loss(a, b)", ([0.0, 1.0, 2.0, math.nan, math.inf, 0.5], [0.0, 0.0, 3.0, 0.0, 0.0, -0.5])),
        ("huber_loss(a, b)", ([0.0, 1.0, 2.0, math.nan, math.inf, 0.5], [0.0, 0.0, 3.0, 0.0, 0.0, -0.5])),
        ("l1_loss(a, b)", ([0.0, 1.0, 2.0], [0.0, 0.5, 3.0])),
        ("hinge_embedding_loss(a, b)", ([1.0, 2.0, 0.5, 0.0], [-1.0, -1.0, 1.0, 1.0])),
        ("hinge_embedding_loss(a, b, margin=0.3)", ([0.3, 0.2, 0.5], [-1, -1, 1])),
        ("margin_ranking_loss(a, b, c)", ([1.0, 2.0, 0.5], [1.0, 1.0, 1.0], [1, 1, -1])),
        ("soft_margin_loss(a, b)", ([0.0, 1.0, -2.0], [1, -1, 1])),
        ("kl_div(a, b)", ([-1.0, -2.0, 0.0], [0.0, 0.4, 0.6])),
        ("kl_div(log_softmax(a, 1), softmax(b, 1), reduction='batchmean')", (ROWS, OTHERS)),
        ("gaussian_nll_loss(a, b, c)", ([1.0, 2.0], [0.0, 2.0], [0.0, 1.0])),
        ("poisson_nll_loss(a, b, full=True)", ([1.0, 2.0], [1, 3])),
        ("mse_loss(a, b)", ([1.0, 2.0], [1, 3])), ("smooth_l1_loss(a, b)", ([1.0, 2.0], [1, 3])),
        ("l1_loss(a, b)", ([1.0, 2.0], [1, 3])),
    ),
)  # fmt: skip

NLL = Family(
    grid=("cross_entropy(a, softmax(a * 2, 1), label_smoothing=0.1)",),
    given=(
        *each("nll_loss(a, b@)", (ROWS, CLASSES)), *each("nll_loss(a, b, detach(c)@)", (ROWS, CLASSES, BY_CLASS)),
        *each("nll_loss(a, b, ignore_index=0@)", (ROWS, CLASSES)),
        *each("nll_loss(a, b, detach(c), ignore_index=2@)", (ROWS, CLASSES, BY_CLASS)),
        *each("nll_loss(a, b@)", (IMAGE, PIXELS)),
        *each("nll_loss(a, b, ignore_index=1@)", (LARGE, [[p] for p in PIXELS])),
        *each("nll_loss(a, b, detach(c)@)", (LARGE, [[p] for p in PIXELS], BY_CLASS)),
        *each("nll_loss(a, b@)", (ROWS[0], 1)),
        ("nll_loss(a, b, ignore_index=1)", (ROWS[:2], [1, 1])),
        *each("cross_entropy(a, b@)", (ROWS, CLASSES)),
        *each("cross_entropy(a, b, detach(c)@)", (ROWS, CLASSES, BY_CLASS)),
        *each("cross_entropy(a, b, ignore_index=0@)", (ROWS, CLASSES)),
        *each("cross_entropy(a, b, label_smoothing=0.1@)", (ROWS, CLASSES)),
        *each("cross_entropy(a, b, detach(c), label_smoothing=0.1@)", (ROWS, CLASSES, BY_CLASS)),
        *each("cross_entropy(a, b, detach(c), ignore_index=2, label_smoothing=0.3@)", (ROWS, CLASSES, BY_CLASS)),
        *each("cross_entropy(a, b, label_smoothing=0.2@)", (IMAGE, PIXELS)),
        *each("cross_entropy(a, b@)", (LARGE, [[p] for p in PIXELS])), ("cross_entropy(a, b)", (ROWS[0], 1)),
        ("cross_entropy(a, b, label_smoothing=0.1)", (ROWS[0], 1)),
        *each("cross_entropy(a, softmax(b, 1)@)", (ROWS, OTHERS)),
        *each("cross_entropy(a, detach(softmax(b, 1)), detach(c), label_smoothing=0.1@)", (ROWS, OTHERS, BY_CLASS)),
        ("cross_entropy(a, softmax(b, 0), label_smoothing=0.1)", (ROWS[0], OTHERS[0])),
        ("cross_entropy(a, softmax(b, 1), c)", (IMAGE, IMAGE, BY_CLASS)),
        *each("multi_margin_loss(a, b@)", (ROWS, CLASSES)),
        *each("multi_margin_loss(a, b, p=2, margin=0.5, weight=detach(c)@)", (ROWS, CLASSES, BY_CLASS)),
        ("multi_margin_loss(a, b)", (ROWS[0], 1)), ("multi_margin_loss(a, b)", ([[1.0, 0.0, 2.0]], [0])),
        *each("multilabel_margin_loss(a, b@)", (ROWS, [[1, -1, 0], [0, 2, -1], [-1, 0, 0]])),
        ("multilabel_margin_loss(a, b)", ([0.1, 0.2, 0.4, 0.8], [3, 0, -1, 1])),
        ("multilabel_margin_loss(a, b)", ([0.0, 1.0, 2.0], [1, -1, -1])),
        *each("multilabel_soft_margin_loss(a, b@)", (ROWS, [[0, 1, 1], [1, 0, 0], [0, 0, 0]])),
        ("multilabel_soft_margin_loss(a, b, detach(c))",
         (ROWS, [[0.0, 1.0, 1.0], [1.0, 0.5, 0.0], [0.0, 0.0, 0.2]], BY_CLASS)),
    ),
)  # fmt: skip

DISTANCES = Family(
    grid=(
        "normalize(a)", "cdist(a, a * a)", "cdist(a, a * a, 3.0)", "pdist(a)", "cosine_similarity(a, a * a)",
        "pairwise_distance(a, a * a)", "triplet_margin_loss(a, a * a, a * 2)", "dist(a, a * a)",
    ),
    shaped=(
        ("cosine_similarity(a, b)", (((2, 3), (2, 3)), ((2, 3, 2), (2, 3, 2)), ((2, 3), (3,)))),
        ("cosine_similarity(a, b, dim=0)", (((3,), (3,)), ((2, 3), (2, 3)))),
        ("pairwise_distance(a, b)", (((2, 3), (2, 3)), ((3,), (3,)), ((2, 3), (3,)))),
        *((f"pairwise_distance(a, b, p={p})", (((2, 3), (2, 3)),)) for p in ("1", "3.0", "1.5", "0.5", "1e999")),
        ("pairwise_distance(a, b, eps=0, keepdim=True)", (((2, 3), (2, 3)),)),
        ("normalize(a)", (((2, 3),), ((2, 3, 2),))), ("normalize(a, dim=0)", (((3,), (2, 3)),)),
        ("dist(a, b)", (((3,), (3,)), ((2, 3), (3,)), ((), ()))),
        *((f"dist(a, b, {p})", (((2, 3), (2, 3)),)) for p in ("1", "3", "0.5", "1.5", "1e999")),
        ("cdist(a, b)", (((2, 3), (4, 3)), ((2, 2, 3), (2, 4, 3)), ((1, 2, 3), (2, 4, 3)), ((2, 3), (2, 4, 3)))),
        *((f"cdist(a, b, p={p})", (((2, 3), (4, 3)),)) for p in ("1", "3.0", "1.5", "0.5", "0", "1e999")),
        ("cdist(a, b, compute_mode='use_mm_for_euclid_dist')", (((2, 3), (4, 3)), ((2, 1, 3), (2, 3, 3)))),
        ("cdist(a, b, compute_mode='donot_use_mm_for_euclid_dist')", (((2, 3), (4, 3)),)),
        *((f"pdist(a, {p})", (((4, 3),),)) for p in ("2", "1", "3.0", "1.5", "1e999")),
        ("bilinear(a, b, c)",
         (((2, 3), (2, 4), (5, 3, 4)), ((3,), (4,), (2, 3, 4)), ((2, 1, 3), (2, 1, 2), (1, 3, 2)))),
        *((f"cosine_embedding_loss(a, b, sign(detach(c)){how})", (((3, 4), (3, 4), (3,)), ((4,), (4,), ())))
          for how in HOW),
        *((f"triplet_margin_loss(a, b, c{how})", (((2, 3), (2, 3), (2, 3)), ((3,), (3,), (3,)))) for how in HOW),
        ("triplet_margin_loss(a, b, c, swap=True, p=1, margin=2.0)", (((2, 3), (2, 3), (2, 3)),)),
        *((f"triplet_margin_with_distance_loss(a, b, c{how})", (((2, 3), (2, 3), (2, 3)),)) for how in HOW),
        ("triplet_margin_with_distance_loss(a, b, c, swap=True)", (((2, 3), (2, 3), (2, 3)),)),
    ),
    given=(
        ("bilinear(a, b, c, d)", (VECTORS, OTHERS, [VECTORS, OTHERS], [1.0, 2.0])),
        ("dist(a, b)", ([1.0, 2.0], [1.0, 2.0])), ("dist(a, b, 1e999)", ([1.0, 2.0, 0.0], [0.0, 3.0, 0.0])),
        ("dist(a, b, 1)", ([1.0, 2.0], [1.0, 3.0])), ("dist(a, b)", ([1.0, 2.0], [1, 3])),
        ("cdist(a, b)", (VECTORS, OTHERS)), ("cdist(a, b, 1)", (VECTORS, OTHERS)),
        ("cdist(a, b, 0.5)", (VECTORS, OTHERS)),
        ("cdist(a, b, 1e999)", ([[1.0, 2.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]])),
        ("cdist(a, b)", (MANY, OTHERS)), ("cdist(a, a)", (VECTORS,)), ("pdist(a)", ([*VECTORS, VECTORS[0]],)),
        ("cosine_similarity(a, b, 0)", ([0.0, 0.0], [1.0, 2.0])), ("cosine_similarity(a, b, 0)", ([1.0, 2.0], [1, 3])),
        ("normalize(a, dim=0)", ([0.0, 0.0],)), ("pairwise_distance(a, b)", (VECTORS, VECTORS)),
        ("pairwise_distance(a, b, eps=0)", ([[1.0, 2.0]], [[1.0, 2.0]])),
        ("pairwise_distance(a, b, p=1e999, eps=0)", ([[1.0, 2.0, 0.0]], [[0.0, 3.0, 0.0]])),
        ("cosine_embedding_loss(a, b, c)", (VECTORS, OTHERS, SIGNS)),
        ("cosine_embedding_loss(a, b, c, margin=0.5)", (VECTORS, OTHERS, [-1, -1, -1])),
        ("triplet_margin_loss(a, b, c)", (VECTORS, OTHERS, THIRD)),
        ("triplet_margin_loss(a, b, c)", ([[0.0, 0.0]], [[0.0, 0.0]], [[5.0, 5.0]])),
    ),
)  # fmt: skip

FAMILIES = {"losses": LOSSES, "nll": NLL, "distances": DISTANCES}
