"""THE TABLE: every op with its forward, its vjp per input, the formula people read and an example to test it on.

By families, a folder for each kind. A new op is one entry.
Values at kinks and ties are PyTorch's; where that is a choice, the entry's note says which.
"""

from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.rules.families import TABLE
from gradviz.imitation.engine.tensor import bind_operators

for _op in TABLE:
    OPS[_op.name] = _op
bind_operators(OPS)

__all__ = ["OPS"]
