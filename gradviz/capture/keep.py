"""What is kept of a tensor: its numbers as they were, or a summary of them.

A gradient is taken while the engine runs, which adds to it in place a moment later, so it is copied at once. One copy
serves every place where the same tensor in the same version is seen: what leaves one node is what comes into the next.
"""

from __future__ import annotations

import math
from typing import Any, Callable
from weakref import ref

import torch

SAMPLE = 8
"""Entries that a summary shows; a tensor of no more elements is always kept in full."""

SOONER_COPIED = 16_384
"""Up to so many elements a copy is sooner made than a summary, which is then made from the copy when it is written."""

PLAIN = {torch.Tensor, torch.nn.Parameter}
_functorch = getattr(torch._C, "_functorch", None)
is_wrapped: Callable[[Any], bool] = getattr(_functorch, "is_functorch_wrapped_tensor", lambda _: False)
is_batched: Callable[[Any], bool] = getattr(_functorch, "is_legacy_batchedtensor", lambda _: False)
_DEFAULT_DISPATCH = torch.Tensor.__torch_dispatch__
_names: dict[torch.dtype, str] = {}

Summary: Any = tuple
"""(norm, min, max, count of NaN, count of infinity, sample), or () where nothing is known."""


def dtype_name(dtype: torch.dtype) -> str:
    """As PyTorch names it, without "torch."."""
    name = _names.get(dtype)
    if name is None:
        name = _names[dtype] = str(dtype)[6:]
    return name


class Budget:
    """How many bytes of copies are held at present; a copy takes itself off when nobody needs it any more.

    Attributes:
        settled: how many were held when the last backward pass had ended.
    """

    __slots__ = ("bytes", "limit", "settled")

    def __init__(self, limit: int) -> None:
        self.bytes, self.limit, self.settled = 0, limit, 0

    @property
    def is_half_new(self) -> bool:
        """Whether half of what may be held has come since the last backward pass."""
        return self.bytes - self.settled > self.limit // 2


class Kept:
    """One tensor as it was.

    Attributes:
        tensor: a copy on the CPU, or None.
        reason: why there is no more than a summary ("size", "filter", "memory", ...); "" where all is kept. With a
            reason and a tensor, the summary is made from the tensor when it is written.
        summary: where there is no tensor.
        member: the container it was written to, and the name of its array there.
    """

    __slots__ = ("__weakref__", "_budget", "_size", "dtype", "member", "reason", "shape", "summary", "tensor")

    def __init__(
        self,
        tensor: Any,
        shape: Any,
        dtype: torch.dtype,
        reason: str = "",
        summary: Summary = (),
        budget: Budget | None = None,
        size: int = 0,
    ) -> None:
        self.tensor, self.shape, self.dtype, self.reason, self.summary = tensor, shape, dtype, reason, summary
        self._budget, self._size = budget, size
        self.member: tuple[object, str] | None = None
        if size and budget is not None:
            budget.bytes += size

    def __del__(self) -> None:
        if self._size and self._budget is not None:
            self._budget.bytes -= self._size


class Keeper:
    """Copies tensors within a bound.

    Args:
        megabytes: of copies held at a time; beyond it there are summaries.
        summary_above: a tensor of more elements is only summarised; None for no such bound.

    Attributes:
        make_room: asked for so many bytes where they do not fit; says whether they do now.
    """

    def __init__(self, megabytes: float, summary_above: int | None = None) -> None:
        self.budget = Budget(int(megabytes * 1e6))
        self.above = math.inf if summary_above is None else max(summary_above, SAMPLE)
        self.clipped = 0
        self.make_room: Callable[[int], bool] = lambda _: False
        self._same: dict[int, tuple[Any, int, bool, Kept]] = {}
        self._lasting: dict[int, tuple[Any, int, Any]] = {}

    def take(self, t: Any, in_full: bool = True) -> Kept | None:
        """The tensor, of which there may be a copy already; None for None."""
        if t is None:
            return None
        found = self._same.get(id(t))
        if found is not None and found[0]() is t and found[1] == t._version and found[2] >= in_full:
            return found[3]
        lasting = self._lasting.get(id(t))
        if lasting is not None and lasting[0]() is t and lasting[1] == t._version:
            before: Kept | None = lasting[2]()
            # `p.grad.data.zero_()` changes the numbers without a new version
            if before is not None and in_full and before.tensor is not None and is_same(before.tensor, t):
                return before
        kept = self.copy(t, in_full)
        self._same[id(t)] = (ref(t), 0 if t.is_inference() else t._version, in_full, kept)
        return kept

    def take_grad(self, t: Any, came: tuple[int, int, Kept] | None, in_full: bool = True) -> Kept | None:
        """The `.grad` of a leaf, which is often the very memory that came in, and stays from one pass to the next.

        Args:
            came: where what came in was, its version, and its copy.
        """
        if t is None:
            return None
        is_stolen = came is not None and came[0] == t.data_ptr() and came[1] == t._version
        if came is not None and is_stolen and came[2].tensor is not None and came[2].tensor.stride() == t.stride():
            kept: Kept | None = came[2]
        else:
            kept = self.take(t, in_full)
        self._lasting[id(t)] = (ref(t), t._version, ref(kept))
        return kept

    def forget(self) -> None:
        """End of a sweep: what comes later has copies of its own."""
        self._same.clear()

    def copy(self, t: Any, in_full: bool = True) -> Kept:
        """The tensor, copied or summarised."""
        shape, dtype = t.shape, t.dtype
        if type(t) not in PLAIN:
            if type(t).__torch_dispatch__ is not _DEFAULT_DISPATCH:
                return Kept(None, shape, dtype, type(t).__name__)
            t = t.as_subclass(torch.Tensor)
        if t.layout is not torch.strided:
            return Kept(None, shape, dtype, "sparse" if "sparse" in str(t.layout) else str(t.layout)[6:])
        on_cpu = t.is_cpu
        if not on_cpu and t.is_meta:
            return Kept(None, shape, dtype, "meta")
        if is_wrapped(t):
            return Kept(None, shape, dtype, "functorch")
        if t.is_quantized or t.is_nested:
            return Kept(None, shape, dtype, "quantized" if t.is_quantized else "nested")
        if t.requires_grad:
            t = t.detach()
        count = t.numel()
        reason = ""
        if count > SAMPLE:
            if not in_full:
                reason = "filter"
            elif count > self.above:
                reason = "size"
            if reason and count > SOONER_COPIED:
                return Kept(None, shape, dtype, reason, summarise(t))
        expanded = count > 1 and 0 in t.stride()
        if expanded:
            t = t[tuple([slice(0, 1) if stride == 0 else slice(None) for stride in t.stride()])]
        size = t.numel() * t.element_size()
        budget = self.budget
        if budget.bytes + size > budget.limit and count > SAMPLE and not self.make_room(size):
            self.clipped += 1
            return Kept(None, shape, dtype, "memory", summarise(t.expand(shape) if expanded else t))
        if dtype.is_complex:
            t = t.resolve_conj().resolve_neg()
        copy = t.clone() if on_cpu else t.to("cpu", copy=True)
        return Kept(copy.expand(shape) if expanded else copy, shape, dtype, reason, (), budget, size)

    def view(self, kept: Kept, t: Any, source: Any, in_full: bool) -> Kept:
        """The view `t` of `source`, of which `kept` is the copy: a view of the copy."""
        copy = kept.tensor
        if copy is None:
            if kept.summary and t.numel() == source.numel() and t.numel() > SAMPLE:
                return Kept(None, t.shape, t.dtype, kept.reason, kept.summary)
        elif (
            copy.stride() == source.stride()
            and t.dtype is copy.dtype
            and (in_full or kept.reason)
            and not (t.dtype.is_complex and (t.is_conj() or t.is_neg()))
        ):
            offset = t.storage_offset() - source.storage_offset() + copy.storage_offset()
            try:
                return Kept(copy.as_strided(t.shape, t.stride(), offset), t.shape, t.dtype, kept.reason)
            except RuntimeError:  # reaches beyond the source
                pass
        return self.copy(t, in_full)


def is_finite(kept: Kept | None) -> bool:
    """Whether there is neither NaN nor infinity, as far as it is known."""
    if kept is None:
        return True
    if kept.summary:
        return not (kept.summary[3] or kept.summary[4])
    return kept.tensor is None or bool(torch.isfinite(kept.tensor).all())


_INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def is_same(a: Any, b: Any) -> bool:
    """Whether two tensors of one dtype are the same bits."""
    kind = _INTEGERS.get(a.element_size())
    if kind is None or a.dtype is not b.dtype or a.stride() != b.stride() or not b.is_cpu:
        return False
    return bool(torch.equal(a.view(kind), b.detach().view(kind)))


def summarise(t: Any) -> Summary:
    """Norm, extremes, how many are not finite, and a few entries evenly spread, as a flat tuple.

    Extremes are those of the finite entries; NaN where there are none.
    """
    count = t.numel()
    if not count:
        return (0.0, math.nan, math.nan, 0, 0)
    if t.is_complex():
        t = torch.view_as_real(t.resolve_conj().resolve_neg())
        count *= 2
    if t.dtype is not torch.float32 and t.dtype is not torch.float64:
        t = t.to(torch.float64 if t.dtype in (torch.int64, torch.int32) else torch.float32)
    low_high = torch.aminmax(t)
    low, high = low_high[0].item(), low_high[1].item()
    norm = torch.linalg.vector_norm(t).item()
    nan = inf = 0
    if not (math.isfinite(low) and math.isfinite(high)):
        nan, inf = int(torch.isnan(t).sum()), int(torch.isinf(t).sum())
        finite = t[torch.isfinite(t)]
        low, high = (finite.min().item(), finite.max().item()) if finite.numel() else (math.nan, math.nan)
    elif not math.isfinite(norm):
        norm = torch.linalg.vector_norm(t.double()).item()
    every = max(1, count // SAMPLE)
    if t.is_contiguous():
        sample = t.view(-1)[::every][:SAMPLE].tolist()
    else:
        shape = t.shape
        sample = [t[_unravel(i * every, shape)].item() for i in range(min(SAMPLE, count))]
    return (norm, low, high, nan, inf, *sample)


def _unravel(position: int, shape: Any) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        position, at = divmod(position, size)
        index.append(at)
    return tuple(reversed(index))
