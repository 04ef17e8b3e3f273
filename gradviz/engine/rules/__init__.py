"""THE TABLE: every op with its forward, its vjp per input, the formula people read and an example to test it on.

By family: elementwise, reduce, shape, linalg, nn. A new op is one entry.
Values at kinks and ties are PyTorch's; where that is a choice, the entry's note says which.
"""

from gradviz.engine.generic import OPS
from gradviz.engine.rules import elementwise, linalg, nn, numeric, reduce, shape, structure
from gradviz.engine.tensor import bind_operators

for _family in (elementwise, reduce, shape, linalg, nn, numeric, structure):
    for _op in _family.TABLE:
        OPS[_op.name] = _op
bind_operators(OPS)

__all__ = ["OPS"]
