"""Families of functions that the grid calls densely: templates of calls, and the values that their names take."""

from __future__ import annotations

import math

Family = tuple[tuple[str, dict[str, tuple[str, ...]]], ...]


def made(*shape: int, dtype: str = "float64", grad: bool = False) -> str:
    """A tensor of a shape with a few numbers that return, some equal, negative or 0, as it is written in a script."""
    numbers = f"torch.arange({math.prod(shape)}) * 7 % 5"
    if "float" in dtype:
        numbers = f"({numbers} - 2) * 0.25"
    ends = ", requires_grad=True" if grad else ""
    return f"torch.tensor(({numbers}).reshape({shape}).tolist(), dtype=torch.{dtype}{ends})"


def square(*shape: int, dtype: str = "float64", grad: bool = False) -> str:
    """Matrices with large numbers on the diagonal."""
    rows = f"(torch.arange({math.prod(shape)}) * 7 % 11 - 4).reshape({shape}) * 0.25 + 3 * torch.eye{shape[-2:]}"
    return f"torch.tensor(({rows}).tolist(), dtype=torch.{dtype}{', requires_grad=True' if grad else ''})"


def each(words: str) -> tuple[str, ...]:
    """The words, one value each."""
    return tuple(words.split())


ANY = (
    made(2, 3), made(2, 3, grad=True), made(3, grad=True), made(2, 3, dtype="int64"), made(), made(grad=True),
    made(2, 3, dtype="float32", grad=True), made(0, grad=True), made(2, 0, grad=True), made(3, dtype="bool"),
    made(2, 3, dtype="float16"), made(1, 3, grad=True), made(1, grad=True), made(2, 2, dtype="uint8"),
)  # fmt: skip
RESULTS = (*ANY, f"{made(2, 3, grad=True)} * 1", f"{made(3, grad=True)} * 1", f"{made(grad=True)} * 1")
LONG = (
    made(4, 3), made(4, 3, grad=True), made(3, grad=True), made(4, 3, 2, grad=True), made(4, 3, dtype="int64"), made(),
    made(0, grad=True), made(4, 0, grad=True), made(0, 3), made(1, grad=True), made(2, 3, 4, 2, grad=True),
)  # fmt: skip
MATRICES = (
    square(3, 3, grad=True), square(3, 3), square(2, 3, 3, grad=True), square(3, 3, dtype="float32", grad=True),
    square(3, 3, dtype="int64"), square(2, 3, grad=True), square(3, 2, grad=True), made(3, grad=True), made(),
    "torch.zeros(0, 0, dtype=torch.float64, requires_grad=True)", "torch.ones(3, 0, requires_grad=True)",
    "torch.ones(0, 3, 3, requires_grad=True)", square(1, 1, grad=True), square(3, 3, dtype="float16"),
    "torch.zeros(2, 2, dtype=torch.float64, requires_grad=True)", f"{square(3, 3)}.T", f"{square(3, 3, grad=True)} * 1",
)  # fmt: skip
LABELS = ("torch.tensor([0, 2])", "torch.tensor(1)", "torch.tensor([0, -100])", "torch.tensor([0, 3])")
CHANNELS = (
    made(2, 4, 3, grad=True), made(2, 4, grad=True), made(4, grad=True), made(2, 4, 3, 2, grad=True),
    made(2, 4, 3, dtype="float32", grad=True), made(2, 4, 3, dtype="int64"), made(0, 4, 3, grad=True), made(),
    made(2, 0, 3, grad=True), made(1, 4, 1, grad=True), made(1, 4, grad=True), made(2, 4, 3, dtype="bfloat16"),
)  # fmt: skip
WEIGHTS = (
    "None", made(4, grad=True), made(3, grad=True), made(2), made(4, dtype="float32"), made(2, 4),
    made(4, dtype="int64"),
)  # fmt: skip
PICTURES = (
    made(1, 2, 6, grad=True), made(2, 6, grad=True), made(6), made(1, 2, 6, 6, grad=True), made(2, 6, 6, grad=True),
    made(6, 6), made(1, 2, 6, dtype="int64"), made(1, 2, 6, 6, dtype="float32", grad=True), made(0, 2, 6, grad=True),
    made(0, 2, 6, 6), made(1, 0, 6), made(1, 2, 0), made(1, 2, 3, 4, 4, grad=True), made(1, 2, 6, 6, dtype="bfloat16"),
)  # fmt: skip
INTO = (
    made(2, 3), made(3), made(0), made(), made(2, 3, dtype="float32"), made(2, 3, dtype="int64"), f"{made(3, 2)}.T",
    made(2, 3, dtype="bool"), made(2, 3, grad=True), f"{made(2, 3, grad=True)} * 1", f"{made(4, 3)}[::2]",
    f"{made(3)}.expand(2, 3)", "None", "1", made(2, 3, dtype="uint8"),
)  # fmt: skip

DIMS = ("0", "1", "-1", "2", "-3")
SEVERAL = (*DIMS, "(0, 1)", "()", "(0, 0)", "None", "[0, -1]")
FLAGS = ("False", "True")
REDUCTIONS = ("'none'", "'mean'", "'sum'")
ORDERS = ("None", "1", "2", "-1", "-2", "0", "0.5", "float('inf')", "'fro'", "'nuc'", "3")

REDUCING: Family = (
    (
        "torch.$f(x, $dim)",
        {
            "x": ANY,
            "dim": SEVERAL,
            "f": each(
                "sum mean prod amax amin std var logsumexp nansum any all count_nonzero norm median max min "
                "argmax argmin cumsum cumprod cummax logcumsumexp softmax log_softmax mode sort argsort "
                "aminmax flip squeeze unsqueeze unbind std_mean var_mean"
            ),
        },
    ),
    (
        "torch.$f(x, dim=$dim, keepdim=True)",
        {
            "x": ANY,
            "dim": SEVERAL,
            "f": each(
                "sum mean prod amax amin std var logsumexp nansum nanmean any all norm median max min argmax "
                "mode aminmax std_mean"
            ),
        },
    ),
    (
        "torch.$f(x)",
        {
            "x": ANY,
            "f": each(
                "sum mean prod amax std var nansum any all norm median max min argmax sort aminmax squeeze "
                "std_mean unique trace diag tril nonzero t ravel diff rot90 trapezoid cov frexp sgn vander "
                "histc"
            ),
        },
    ),
    (
        "torch.$f(x, $dim, dtype=torch.$dtype)",
        {
            "x": ANY,
            "dim": DIMS,
            "f": each("sum mean prod cumsum cumprod softmax log_softmax"),
            "dtype": each("float64 float32 int64 bool float16"),
        },
    ),
)
"""Reductions, sorting and running sums."""

PAIRED: Family = (
    (
        "torch.$f(x, y)",
        {
            "x": ANY,
            "y": ANY,
            "f": each(
                "add sub rsub mul div pow remainder fmod floor_divide maximum fmax atan2 hypot eq lt "
                "logical_and bitwise_and copysign nextafter xlogy logaddexp float_power gcd heaviside ldexp "
                "dot inner outer mv mm matmul bmm kron cross dist cdist isclose lerp cosine_similarity vdot "
                "isin tensordot"
            ),
        },
    ),
    (
        "torch.$f(x, $y)",
        {
            "x": ANY,
            "y": ("2", "-1", "0.5", "0", "True", "1e20"),
            "f": each(
                "add sub rsub mul div pow remainder fmod floor_divide maximum eq bitwise_and copysign xlogy "
                "float_power clamp_min clamp_max ldexp logit round polygamma mvlgamma nan_to_num threshold "
                "hardshrink softshrink celu heaviside"
            ),
        },
    ),
    (
        "torch.$f(x, y, alpha=$alpha)",
        {"x": ANY, "y": (*ANY, "2", "0.5"), "alpha": ("2", "0.5", "True"), "f": each("add sub subtract rsub")},
    ),
    (
        "torch.$f(x, y, z)",
        {"x": ANY, "y": ANY, "z": ANY, "f": each("addcmul addcdiv addmm addmv addr lerp where baddbmm addbmm clamp")},
    ),
    (
        "torch.$f(x, y, z, value=$value)",
        {"x": ANY, "y": ANY, "z": ANY, "value": ("1", "2", "0.5", "True"), "f": each("addcdiv addcmul")},
    ),
    (
        "x.$f($a)",
        {
            "x": ANY,
            "a": ("None", "None, True", "0, 1", "0.5", "2., 3"),
            "f": each(
                "sum mean prod std var all any sub add subtract argmax cumsum nansum median logsumexp norm amax max"
            ),
        },
    ),
)
"""Elementwise functions of several tensors, and arguments given by place."""

IN_PLACE: Family = (
    (
        "x.$f($a)",
        {
            "x": RESULTS,
            "a": ("0, 1", "0, 0, 1", "2", "0", "0.5", "", "1, 2", "-1", "True", "torch.tensor(2.)", "(0, 1)"),
            "f": each(
                "subtract_ sub_ add_ squeeze_ unsqueeze_ clamp_ clip_ clamp_min_ mul_ div_ transpose_ t_ "
                "fill_ fill_diagonal_ masked_fill_ pow_ round_ renorm_ cumsum_ cumprod_ tril_ nan_to_num_ "
                "logit_ mvlgamma_ lerp_ addcmul_ index_fill_ zero_ swapaxes_ resize_ float_power_ copysign_ "
                "remainder_ atan2_ eq_ logical_and_ bitwise_and_ multiply_ floor_divide_ relu_"
            ),
        },
    ),
    (
        "F.$f(x$a)",
        {
            "x": RESULTS,
            "a": ("", ", 0", ", 0, 1", ", 0.5", ", 1, 2", ", 0, 1, True", ", -1"),
            "f": each(
                "hardtanh_ elu_ celu_ leaky_relu_ threshold_ relu_ selu_ hardtanh elu celu leaky_relu "
                "threshold relu selu relu6 hardsigmoid hardswish silu mish softplus gelu logsigmoid "
                "tanhshrink softsign softmin glu normalize hardshrink softshrink"
            ),
        },
    ),
)
"""Changes in place, and activations that may work in place."""

SPLITTING: Family = (
    (
        "torch.$f(x, $parts$a)",
        {
            "x": LONG,
            "f": each("split tensor_split chunk split_with_sizes unsafe_split"),
            "parts": (
                "2",
                "[1, 2]",
                "(1, 3)",
                "0",
                "-1",
                "5",
                "[0, 4]",
                "[]",
                "torch.tensor(2)",
                "torch.tensor([1, 2])",
                "1.5",
                "None",
                "[-1, 2]",
                "(1, 1, 1)",
            ),
            "a": ("", ", 0", ", 1", ", -1", ", 2", ", -3"),
        },
    ),
    (
        "torch.$f(x, $parts)",
        {
            "x": LONG,
            "f": each("vsplit hsplit dsplit"),
            "parts": ("2", "[1, 2]", "(2,)", "0", "-1", "5", "torch.tensor(2)", "1", "1.5", "None", "[-1]", "[9]"),
        },
    ),
    (
        "x.$f($a)",
        {
            "x": LONG,
            "f": each("split tensor_split chunk vsplit hsplit dsplit split_with_sizes"),
            "a": ("2", "1, 2", "[1, 2]", "", "(1, 3), 1", "[2, 2], 0", "[1, 1, 1], 1"),
        },
    ),
    ("torch.$f([x, y], $dim)", {"x": LONG, "y": LONG, "f": each("cat stack concat"), "dim": DIMS}),
    (
        "torch.$f([x, y])",
        {
            "x": LONG,
            "y": LONG,
            "f": each(
                "cat stack hstack vstack dstack column_stack block_diag cartesian_prod meshgrid "
                "broadcast_tensors atleast_1d"
            ),
        },
    ),
)
"""What splits and joins tensors."""

LINEAR_ALGEBRA: Family = (
    (
        "torch.linalg.$f(x)",
        {
            "x": MATRICES,
            "f": each(
                "det slogdet inv pinv matrix_exp cholesky eigvalsh svdvals matrix_rank norm matrix_norm "
                "vector_norm cond inv_ex cholesky_ex diagonal vander lu_factor lu tensorinv"
            ),
        },
    ),
    (
        "torch.linalg.$f(x, y)",
        {"x": MATRICES, "y": MATRICES, "f": each("solve lstsq matmul cross vecdot tensorsolve solve_ex")},
    ),
    (
        "torch.$f(x, y)",
        {
            "x": MATRICES,
            "y": MATRICES,
            "f": each(
                "cholesky_solve matmul mm mv bmm dot outer inner kron cdist dist chain_matmul vdot tensordot cross"
            ),
        },
    ),
    (
        "torch.linalg.solve_triangular(x, y, upper=$upper, left=$left, unitriangular=$unit)",
        {"x": MATRICES, "y": MATRICES, "upper": FLAGS, "left": FLAGS, "unit": FLAGS},
    ),
    ("torch.linalg.norm(x, $ord, $dim, $keep)", {"x": MATRICES, "ord": ORDERS, "dim": SEVERAL, "keep": FLAGS}),
    (
        "torch.linalg.$f(x, $ord, $dim, $keep, dtype=$dtype)",
        {
            "x": MATRICES,
            "f": each("vector_norm matrix_norm"),
            "ord": ORDERS,
            "dim": SEVERAL,
            "keep": FLAGS,
            "dtype": each("None torch.float64 torch.float32 torch.int64"),
        },
    ),
    ("torch.norm(x, $ord, $dim, $keep)", {"x": (*MATRICES, *ANY), "ord": ORDERS, "dim": SEVERAL, "keep": FLAGS}),
    ("torch.linalg.matrix_power(x, $n)", {"x": MATRICES, "n": ("0", "1", "2", "3", "-1", "-2", "1.5")}),
    (
        "torch.einsum($sum, x, y)",
        {
            "x": MATRICES,
            "y": MATRICES,
            "sum": (
                "'ij,jk->ik'",
                "'ij,ij->'",
                "'...ij,...jk'",
                "'ij,kl'",
                "'ii,ij->j'",
                "'i,j->ij'",
                "'bij,bjk->bik'",
                "'ij'",
                "'ij,j->i'",
                "'ij,jk->iz'",
                "'i j, j k -> i k'",
                "'ij,jk->kk'",
            ),
        },
    ),
    (
        "torch.tensordot(x, y, $dims)",
        {
            "x": MATRICES,
            "y": MATRICES,
            "dims": ("0", "1", "2", "([0], [1])", "([0, 1], [1, 0])", "-1", "([0], [0, 1])", "([5], [0])", "3"),
        },
    ),
)
"""Linear algebra."""

LOSSES: Family = (
    (
        "F.$f(x, y, reduction=$how)",
        {
            "x": ANY,
            "y": (*ANY, *LABELS),
            "how": (*REDUCTIONS, "'x'"),
            "f": each(
                "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy "
                "binary_cross_entropy_with_logits kl_div poisson_nll_loss hinge_embedding_loss "
                "soft_margin_loss multilabel_margin_loss multilabel_soft_margin_loss multi_margin_loss "
                "nll_loss cross_entropy"
            ),
        },
    ),
    (
        "F.$f(x, y, w, reduction=$how)",
        {
            "x": ANY,
            "y": (*ANY, *LABELS),
            "w": ("None", f"{made(3)} + 1", made(2), made(2, 3), made(3, dtype="float32"), "0.5"),
            "how": REDUCTIONS,
            "f": each("mse_loss binary_cross_entropy binary_cross_entropy_with_logits nll_loss cross_entropy"),
        },
    ),
    (
        "F.cross_entropy(x, y, ignore_index=$i, reduction=$how, label_smoothing=$smooth)",
        {
            "x": ANY,
            "y": (*ANY, *LABELS),
            "i": ("-100", "0", "2"),
            "how": REDUCTIONS,
            "smooth": ("0.0", "0.1", "1.0", "1.5"),
        },
    ),
    (
        "F.$f(x, y, z, reduction=$how)",
        {
            "x": ANY,
            "y": ANY,
            "z": (*ANY, *LABELS),
            "how": REDUCTIONS,
            "f": each("margin_ranking_loss cosine_embedding_loss triplet_margin_loss gaussian_nll_loss"),
        },
    ),
    (
        "F.$f(x, y, reduction=$how, $size)",
        {
            "x": ANY,
            "y": ANY,
            "how": REDUCTIONS,
            "f": each("huber_loss smooth_l1_loss"),
            "size": ("delta=0.5", "delta=0", "beta=0.5", "beta=0", "beta=-1"),
        },
    ),
    ("F.$f(x, y)", {"x": ANY, "y": ANY, "f": each("cosine_similarity pairwise_distance")}),
    (
        "F.kl_div(x, y, log_target=$log, reduction=$how)",
        {"x": ANY, "y": ANY, "log": FLAGS, "how": (*REDUCTIONS, "'batchmean'")},
    ),
)
"""Losses and distances."""

LAYERS: Family = (
    (
        "F.layer_norm(x, $shape, w, b)",
        {"x": CHANNELS, "w": WEIGHTS, "b": WEIGHTS, "shape": ("(4,)", "(3,)", "(4, 3)", "()", "3")},
    ),
    (
        "F.group_norm(x, $groups, w, b)",
        {"x": CHANNELS, "w": WEIGHTS, "b": WEIGHTS, "groups": ("1", "2", "4", "3", "0", "-1")},
    ),
    (
        "F.batch_norm(x, m, v, w, b, training=$train)",
        {
            "x": CHANNELS,
            "m": ("None", made(4), made(3)),
            "v": ("None", f"{made(4)} + 1"),
            "w": WEIGHTS,
            "b": WEIGHTS,
            "train": FLAGS,
        },
    ),
    ("F.rms_norm(x, $shape, w)", {"x": CHANNELS, "w": WEIGHTS, "shape": ("(4,)", "(3,)", "(4, 3)", "()")}),
    (
        "F.$f(x, $size, $step, $pad)",
        {
            "x": PICTURES,
            "f": each("max_pool1d avg_pool1d max_pool2d avg_pool2d"),
            "size": ("2", "3", "(2,)", "0", "7", "(2, 3)"),
            "step": ("None", "1", "2", "0", "(2, 1)"),
            "pad": ("0", "1", "2", "-1", "(1, 0)"),
        },
    ),
    (
        "F.adaptive_$f(x, $size)",
        {
            "x": PICTURES,
            "f": each("max_pool1d avg_pool1d max_pool2d avg_pool2d"),
            "size": ("1", "2", "(2,)", "(2, 3)", "(None, 2)", "0", "-1", "7"),
        },
    ),
    (
        "F.lp_pool$n(x, $p, $size)",
        {"x": PICTURES, "n": each("1d 2d"), "p": ("1", "2", "3", "0.5"), "size": ("2", "3", "(2,)", "(2, 1)", "7")},
    ),
    (
        "F.pad(x, $size, $mode, $value)",
        {
            "x": PICTURES,
            "size": ("(1, 1)", "(1, 2, 0, 1)", "(1,)", "(-1, -1)", "(6, 0)", "()"),
            "mode": ("'constant'", "'reflect'", "'replicate'", "'circular'"),
            "value": ("None", "0", "2.5"),
        },
    ),
    (
        "F.interpolate(x, $size, mode=$mode, align_corners=$corners)",
        {
            "x": PICTURES,
            "size": ("size=4", "size=(4, 3)", "scale_factor=2", "scale_factor=(2, 1.5)", "size=0", "size=None"),
            "mode": ("'nearest'", "'linear'", "'bilinear'", "'bicubic'", "'area'", "'nearest-exact'"),
            "corners": ("None", "True", "False"),
        },
    ),
    (
        "F.linear(x, w, b)",
        {
            "x": CHANNELS,
            "w": (made(2, 3, grad=True), made(4, 4), made(3), made(2, 3, dtype="float32"), made(), made(0, 3)),
            "b": WEIGHTS,
        },
    ),
)
"""Normalising, pooling, padding and resizing."""

INTO_OTHERS: Family = (
    (
        "torch.$f(x, out=o)",
        {
            "x": ANY,
            "o": INTO,
            "f": each(
                "sin abs neg exp sqrt ceil isfinite signbit reciprocal logical_not bitwise_not sum mean prod "
                "nonzero tril argmax round erf square sigmoid all any nansum logsumexp nan_to_num inverse "
                "angle msort"
            ),
        },
    ),
    (
        "torch.$f(x, $n, out=o)",
        {
            "x": ANY,
            "o": INTO,
            "n": ("0", "1", "-1"),
            "f": each(
                "sum mean prod cumsum cumprod softmax amax argmax all any std var norm add mul div pow "
                "remainder floor_divide eq clamp tril diag bitwise_and float_power logcumsumexp renorm"
            ),
        },
    ),
    (
        "torch.$f(x, y, out=o)",
        {
            "x": ANY,
            "y": ANY,
            "o": INTO,
            "f": each(
                "add sub mul div pow maximum atan2 eq logical_and bitwise_and matmul mm mv dot outer inner "
                "floor_divide copysign logaddexp xlogy kron cross"
            ),
        },
    ),
    ("torch.$f([x, y], out=o)", {"x": ANY, "y": ANY, "o": INTO, "f": each("cat stack hstack vstack")}),
    (
        "torch.$f($a, out=o)",
        {
            "o": INTO,
            "a": ("3", "(2, 3)", "1, 4", "2, 3", "0, 1, 3", "5.0"),
            "f": each("arange zeros ones full linspace eye"),
        },
    ),
    (
        "torch.$f(x, $n, out=(o, i))",
        {
            "x": ANY,
            "o": INTO,
            "i": (made(2, dtype="int64"), made(2, 3, dtype="int64"), made(2)),
            "n": ("0", "1"),
            "f": each("max min median sort topk kthvalue mode cummax"),
        },
    ),
)
"""What is written into other tensors with out=."""

FAMILIES = {
    "reducing": REDUCING, "paired": PAIRED, "in-place": IN_PLACE, "splitting": SPLITTING,
    "linear-algebra": LINEAR_ALGEBRA, "losses": LOSSES, "layers": LAYERS, "out": INTO_OTHERS,
}  # fmt: skip
