"""`torch.autocast("cpu")`: products get their tensors in 16 bits, losses in float32.

The functions of the tables are wrapped once; outside of an autocast region that is one look at the tape. While such
a function runs nothing inside it is cast again, as in PyTorch, which leaves the mode for that time.

Source: aten/src/ATen/autocast_mode.h, the lists of the CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from gradviz.imitation.engine.dtypes import FLOAT32, FLOAT64, FLOATING, DType
from gradviz.imitation.engine.functions.numbers.conversion import to
from gradviz.imitation.engine.tensor import Tensor

LOWER = frozenset({
    "addbmm", "addmm", "baddbmm", "bmm", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "einsum", "inner", "linear", "matmul", "mm", "prelu", "scaled_dot_product_attention",
    "tensordot",
})  # fmt: skip
"""What is computed in 16 bits."""

SINGLE = frozenset({
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cdist", "cholesky", "cholesky_inverse",
    "cholesky_solve", "cosine_embedding_loss", "cross_entropy", "ctc_loss", "grid_sample", "hinge_embedding_loss",
    "huber_loss", "inverse", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss", "multi_margin_loss",
    "multilabel_margin_loss", "nanquantile", "nll_loss", "pinverse", "poisson_nll_loss", "prod", "quantile",
    "smooth_l1_loss", "soft_margin_loss", "trace", "triplet_margin_loss",
})  # fmt: skip
"""What is computed in float32."""

SINGLE_LINALG = frozenset(
    {"cholesky", "inv", "pinv", "solve", "svd", "svdvals", "eigh", "qr", "matrix_rank", "lu_solve"}
)

LOWER_LINALG = frozenset({"matmul", "multi_dot", "vecdot"})

Function = Callable[..., Any]


class Region:
    """Autocast of one tape.

    Attributes:
        dtype: what products are computed in, or None while nothing is cast.
        keeps: whether a parameter is cast once in a region, and not at each use.
    """

    __slots__ = ("_cast", "depth", "dtype", "keeps")

    def __init__(self) -> None:
        self.dtype: DType | None = None
        self.keeps = True
        self.depth = 0
        self._cast: dict[int, tuple[Tensor, Tensor]] = {}

    def enter(self, dtype: DType | None, keeps: bool) -> tuple[DType | None, bool]:
        """Begin a region; gives what `leave` needs."""
        before = self.dtype, self.keeps
        self.dtype, self.keeps = dtype, keeps
        self.depth += 1
        return before

    def leave(self, before: tuple[DType | None, bool]) -> None:
        """End a region; the outermost forgets the parameters that were cast."""
        self.dtype, self.keeps = before
        self.depth -= 1
        if not self.depth:
            self.forget()

    def forget(self) -> None:
        """Let go of the parameters that were cast."""
        self._cast.clear()

    def lowered(self, x: Tensor) -> Tensor:
        """A tensor in 16 bits; of a parameter the one made before."""
        assert self.dtype is not None
        if not (self.keeps and x.requires_grad and x.op is None and x.dtype is FLOAT32):
            return to(x, self.dtype)
        kept = self._cast.get(id(x))
        if kept is None or kept[1].dtype != self.dtype:
            kept = self._cast[id(x)] = x, to(x, self.dtype)
        return kept[1]

    def operand(self, x: Tensor) -> Tensor:
        """An operand of `@`."""
        return self.lowered(x) if x.dtype.kind in FLOATING and x.dtype is not FLOAT64 else x


def region_of(tape: Any) -> Region:
    """That of a tape, made when first asked for."""
    if tape.casting is None:
        tape.casting = Region()
    return tape.casting  # type: ignore[no-any-return]


def _cast(x: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if type(x) is Tensor:
        return change(x) if x.dtype.kind in FLOATING and x.dtype is not FLOAT64 else x
    return type(x)([_cast(item, change) for item in x]) if type(x) in (list, tuple) else x


def _some_tensor(arguments: Iterable[Any]) -> Tensor | None:
    several = [x if type(x) in (list, tuple) else (x,) for x in arguments]
    return next((x for each in several for x in each if type(x) is Tensor), None)


def _single(x: Tensor) -> Tensor:
    return to(x, FLOAT32)


def cast(function: Function, *, lowers: bool) -> Function:
    """A function whose tensors are cast where its tape is in a region.

    Args:
        lowers: to 16 bits; else to float32.
    """

    @wraps(function)
    def run(*arguments: Any, **named: Any) -> Any:
        first = arguments[0] if arguments else next(iter(named.values()), None)
        if type(first) is not Tensor:
            first = _some_tensor(arguments)
        if first is None or first.tape.casting is None or first.tape.casting.dtype is None:
            return function(*arguments, **named)
        region = first.tape.casting
        change = region.lowered if lowers else _single
        given = [_cast(x, change) for x in arguments]
        options = {name: _cast(x, change) for name, x in named.items()}
        dtype, region.dtype = region.dtype, None
        try:
            return function(*given, **options)
        finally:
            region.dtype = dtype

    return run


def install(tables: Iterable[dict[str, Function]], linalg: dict[str, Function]) -> None:
    """Wrap the functions of the lists in all tables that have them."""
    for table in tables:
        for name in LOWER | SINGLE:
            if name in table:
                table[name] = cast(table[name], lowers=name in LOWER)
    for name in SINGLE_LINALG | LOWER_LINALG:
        if name in linalg:
            linalg[name] = cast(linalg[name], lowers=name in LOWER_LINALG)
