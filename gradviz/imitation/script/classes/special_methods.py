"""Special methods called by their names: `x.__add__(1)`, `object.__new__(cls)`.

Those of an array are the operators that a script writes; those of Python's own types are made in `extended`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script import operators, subscripts
from gradviz.imitation.script.classes.extended import as_builtin
from gradviz.imitation.script.showing.formatting import formatted
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Bound, Class, Function, Instance, Native, Object, type_name

TWO_SIDED = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod,
    "pow": ast.Pow, "matmul": ast.MatMult, "and": ast.BitAnd, "or": ast.BitOr, "xor": ast.BitXor,
    "lshift": ast.LShift, "rshift": ast.RShift,
}  # fmt: skip
COMPARED = {"eq": ast.Eq, "ne": ast.NotEq, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE}
ONE_SIDED = {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert}


def _turned(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: run(y, x)


def _in_place(kind: type[ast.operator]) -> Callable[[Any, Any], Any]:
    return lambda x, y: operators.in_place(kind, x, y)


TABLE: dict[str, Callable[..., Any]] = {
    **{name: operators.BINARY[kind] for name, kind in TWO_SIDED.items()},
    **{f"r{name}": _turned(operators.BINARY[kind]) for name, kind in TWO_SIDED.items()},
    **{f"i{name}": _in_place(kind) for name, kind in TWO_SIDED.items()},
    **{name: operators.COMPARE[kind] for name, kind in COMPARED.items()},
    **{name: operators.UNARY[kind] for name, kind in ONE_SIDED.items()},
    "abs": abs, "len": len, "bool": bool, "float": float, "int": int, "index": operator.index, "iter": iter,
    "contains": lambda x, item: operators.COMPARE[ast.In](item, x),
    "getitem": subscripts.get_item, "setitem": subscripts.set_item, "array": np.asarray,
}  # fmt: skip
OF_ARRAYS = {f"__{name}__": Native(f"__{name}__", run, is_method=True) for name, run in TABLE.items()}
MORE: dict[str, Callable[..., Any]] = {
    "div": TABLE["truediv"], "rdiv": TABLE["rtruediv"], "idiv": TABLE["itruediv"], "long": int, "nonzero": bool,
    "hash": hash, "format": formatted, "reversed": lambda x: F["flip"](x, *range(x.ndim)),
}  # fmt: skip
LESS = ("__array__", "__imatmul__")
OF_TENSORS = {name: method for name, method in OF_ARRAYS.items() if name not in LESS}
OF_TENSORS |= {f"__{name}__": Native(f"__{name}__", run, is_method=True) for name, run in MORE.items()}
"""What a tensor has besides its methods; some names are those of Python 2."""


def special(machine: Any, owner: Any, name: str) -> Any:
    """A special method of a plain value, an array or a function; NOTHING where it has none of that name."""
    if isinstance(owner, np.ndarray | np.generic) and name in OF_ARRAYS:
        return Bound(OF_ARRAYS[name], owner)
    if isinstance(owner, Tensor) and name in OF_TENSORS:
        return Bound(OF_TENSORS[name], owner)
    for cls in machine.state["types"]:
        if type(owner) in cls.python and name in cls.attributes:
            return Bound(cls.attributes[name], owner)
    if name in OF_ANY and isinstance(owner, WITH_TEXT):
        return Bound(Native(name, OF_ANY[name], is_method=True), owner)
    if name == "__call__" and isinstance(owner, Function | Native | Bound):
        return Native(name, lambda *given, **named: machine.call(owner, given, named))
    return NOTHING


def _differs(x: Any, other: Any) -> Any:
    equal = x.special("__eq__", other) if isinstance(x, Instance) else _same(x, other)
    return equal if equal is NotImplemented else not equal


def _same(x: Any, other: Any) -> Any:
    return True if x is other else NotImplemented


def _shown(x: Any) -> str:
    return x.plain_text() if isinstance(x, Object) else repr(x)


def _text(x: Any) -> str:
    return repr(x) if isinstance(x, Object) else str(x)


def _hashed(x: Any) -> int:
    return x.identity() if isinstance(x, Instance) else hash(x)


def _formatted(x: Any, spec: str) -> str:
    return formatted(as_builtin(x) if isinstance(x, Instance) else x, spec)


OF_ANY: dict[str, Callable[..., Any]] = {
    "__repr__": _shown, "__str__": _text, "__format__": _formatted, "__eq__": _same, "__ne__": _differs,
    "__hash__": _hashed, "__init__": lambda x, *_, **__: None,
}  # fmt: skip
"""What every value has from `object`."""
WITH_TEXT = (str, int, float, complex, bytes, list, tuple, dict, set, frozenset, np.ndarray, np.generic)


def maker(machine: Any, asked: Class) -> Native:
    """`object.__new__`, `tuple.__new__` and the like."""
    from gradviz.imitation.script.syntax.classes import blank

    def run(cls: Any, *given: Any, **named: Any) -> Any:
        if not isinstance(cls, Class):
            text = f"{asked.name}.__new__(X): X is not a type object ({type_name(cls)})"
            raise TorchError(text, kind="TypeError")
        if cls.python and cls.make is not None:
            return machine.call(cls.make, given, named)
        return blank(machine, cls, given, named)

    return Native("__new__", run)
