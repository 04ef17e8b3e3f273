"""`x.storage()`: the memory behind a tensor as one row of numbers, the way of old to look at it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.functions import METHODS
from gradviz.imitation.engine.memory.storage import alias
from gradviz.imitation.engine.memory.views import root
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.written import run_text

OLD = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)

STORAGE = """
class TypedStorage:
    def __init__(self, row): self._row = row
    @property
    def dtype(self): return self._row.dtype
    @property
    def device(self): return self._row.device
    def _place(self, index):
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return index
    def __getitem__(self, index): return self._row[self._place(index)].item()
    def __setitem__(self, index, value):
        self._row[index if isinstance(index, slice) else self._place(index)] = value
    def __len__(self): return self._row.numel()
    def __iter__(self): return iter(self.tolist())
    def __eq__(self, other): return self.data_ptr() == other.data_ptr()
    def __hash__(self): return self.data_ptr()
    def __repr__(self):
        lines = "".join(f" {number}\\n" for number in self.tolist())
        return f"{lines}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"
    def tolist(self): return self._row.tolist()
    def size(self): return len(self)
    def nbytes(self): return len(self) * self.element_size()
    def element_size(self): return self._row.element_size()
    def data_ptr(self): return self._row.data_ptr()
    def untyped(self): return self._row.untyped_storage()
    def fill_(self, value):
        self._row.fill_(value)
        return self
"""


def storage(machine: Machine, self: Tensor) -> Any:
    """The whole memory of a tensor, with what the tensor does not show of it."""
    warn(OLD, once=True)
    cls = machine.state.get("TypedStorage")
    if cls is None:
        made = run_text(machine, STORAGE, dict(machine.builtins), "torch.storage")
        cls = machine.state["TypedStorage"] = made["TypedStorage"]
    count = int(max(np.size(root(self).data), np.size(self.data)))
    with machine.tape.grad_mode(False):
        row = METHODS["as_strided"](alias(self, tracked=True), (count,), (1,), 0)
    return machine.call(cls, (row,), {})
