"""One backward pass, as it ran: what came in at each entry and what went out to each input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gradviz.engine.tensor import Tensor
from gradviz.ops.fitting import Gradient
from gradviz.ops.op import Array


@dataclass(eq=False)
class Sweep:
    """One call of `backward()` or `autograd.grad()`.

    Attributes:
        outputs: the entries that it started from, with `seeds`, the v of v·J, one for each.
        steps: (entry, what came in, what went out for each input ...), in the order in which they ran. A leaf has one
            too, with nothing going out.
        accumulated: (entry, `.grad` before, `.grad` after) of the leaves, and of tensors that retain it; after what hooks
            of a leaf have made of it.
        error: what ended the pass early, or None. Without seeds it never began.
        read: (entry, the input of it or itself, what was read), where a rule read other numbers than the entry's own.
        at: the entry that it is at, or was at when it ended early; entries at which nothing of a script runs are not
            named.
        hooked: entries at which something else came in than the sum of what was sent, since a hook changed it.
        kind: "backward", or "grad" for `autograd.grad`.
    """

    outputs: tuple[Tensor, ...]
    seeds: tuple[Gradient, ...]
    retain_graph: bool = False
    create_graph: bool = False
    steps: list[tuple[Any, ...]] = field(default_factory=list)
    accumulated: list[tuple[Tensor, Array | None, Array | None]] = field(default_factory=list)
    read: list[tuple[Tensor, Tensor, Array]] = field(default_factory=list)
    error: BaseException | None = None
    at: Tensor | None = None
    hooked: set[Tensor] = field(default_factory=set)
    kind: str = "backward"
