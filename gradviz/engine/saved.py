"""What entries keep for their backward step: until a pass has freed it, and as long as nobody has changed it.

The arrays themselves are always there, for the recording; what is kept here is what PyTorch would still have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.dtypes import dtype_of
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor
from gradviz.engine.views import was_written
from gradviz.ops.fitting import Gradient

TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
CHANGED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.{type}Tensor {shape}]{made_by} is at version {now}; expected version {expected} instead. Hint: {hint}"
)
ENABLE_ANOMALY = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
SHOWN_ABOVE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
)

FREED: Any = type("Freed", (), {"__repr__": lambda _: "freed"})()
"""Stands in `incoming` of an entry whose saved values a pass has let go of."""


def check_kept(entry: Tensor) -> None:
    """Raise if something that an entry saved was changed in place since."""
    op = entry.op
    assert op is not None
    for slot, x in enumerate(entry.inputs):
        extra = x.extra
        if extra is None or extra.memory is None or extra.memory.version == extra.version:
            continue  # as `was_written`, which is a call too many here
        if keeps(entry, op.input_name(slot)):
            if slot == 0 and entry.extra is not None and entry.extra.overwrote is extra.memory:
                continue
            raise RuntimeError(changed_text(x))
    if entry.extra is not None and "y" in op.saves and was_written(entry):
        raise RuntimeError(changed_text(entry))


def keeps(entry: Tensor, name: str) -> bool:
    """Whether PyTorch's node keeps a value for its backward step.

    What only one input's gradient reads is kept only if that gradient is wanted: x * w with a constant w keeps w alone.
    """
    op = entry.op
    assert op is not None
    if name not in op.saves:
        return op.is_variadic and op.inputs[0] in op.saves
    if name == "y" or op.is_variadic:
        return True
    readers = op.reads(name)
    return len(readers) != 1 or entry.inputs[readers[0]].tracked


def keeps_something(entry: Tensor) -> bool:
    """Whether PyTorch's node keeps anything at all, so that it cannot run a second time once that is freed."""
    op = entry.op
    assert op is not None
    if op.joint is not None:
        return bool(op.saves)
    return any(keeps(entry, name) for name in op.saves)


def changed_text(x: Tensor) -> str:
    """PyTorch's text for a saved value that was changed in place."""
    extra = x.extra
    assert extra is not None
    assert extra.memory is not None
    # A view that was changed is looked up again when it is next used, and its node is another then.
    name = (
        "AsStrided"
        if extra.path
        else ""
        if x.op is None
        else x.op.node_name.rpartition("Backward")[0] or x.op.node_name
    )
    by = f", which is output 0 of {name}," if name and x.tracked else ""
    hint = SHOWN_ABOVE if state.detects_anomaly else ENABLE_ANOMALY
    return CHANGED.format(
        type=dtype_of(x.array.dtype).type_name, shape=list(x.array.shape), made_by=by,
        now=extra.memory.version, expected=extra.version, hint=hint,
    )  # fmt: skip


def check_finite(entry: Tensor, sent: Sequence[Gradient | None]) -> None:
    """Raise if there is a NaN in what goes out of an entry, as anomaly detection does."""
    assert entry.op is not None
    for slot, g in enumerate(sent):
        if g is not None and np.isnan(g.array if isinstance(g, Tensor) else g).any():
            raise RuntimeError(f"Function '{entry.op.node_name}' returned nan values in its {slot}th output.")
