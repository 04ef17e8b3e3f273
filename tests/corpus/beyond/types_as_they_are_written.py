"""Types of typing as they print, methods of plain values, dtypes of numpy and their classes."""
import typing
from typing import Callable, Dict, List, Literal, Optional, TypedDict, Union

import numpy as np
import torch


class Node:
    parent: Optional["Node"]
    children: List["Node"]
    rule: Callable[["Node"], float]
    kind: Union[int, Optional[str]]


print(Node.__annotations__)
print(Optional[Union[int, str]], Union[int, None], Union[int, int], Union["Node", int], Literal["a"], Dict[str, "Node"])
print(list["Node"], isinstance(3, Union[int, str]), isinstance("a", Optional[int]), isinstance(None, Optional[int]))
Edge = TypedDict("Edge", {"to": int, "weights": List[float]})
edge: Edge = Edge(to=1, weights=[])
print(edge, Edge.__annotations__, Edge)
print(np.ones(2).astype, "a".join, [].append, {}.get, (1).bit_length, np.float64(1).item, sep="\n")
x = torch.ones(2).numpy()
print(type(x.dtype), x.dtype.type, x.dtype.type is np.float32, x.dtype.type(3), x.dtype.descr, x.dtype.alignment)
print(typing.Tuple[int, ...], isinstance(x.dtype, np.dtype))
print(torch.ones(2).dtype is torch.float32, torch.float is torch.float32, torch.ones(2).long().dtype is torch.int64)
print(torch.get_default_dtype() is torch.float, torch.ones(2).bfloat16().dtype is torch.bfloat16, torch.ones(2).half().dtype is not torch.half)
print(torch.nn.Linear.forward.__name__, torch.nn.Linear(1, 1).parameters.__name__, torch.nn.Module.train.__qualname__)
np.eye(2, dtype=torch.float32)
