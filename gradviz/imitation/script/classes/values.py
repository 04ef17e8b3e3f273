"""A class as a script holds it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gradviz.imitation.engine.dtypes import DTYPES, DType
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.errors import TorchError

if TYPE_CHECKING:
    import ast

    from gradviz.imitation.script.callables import Native
    from gradviz.imitation.script.machine import Machine

PLAIN_DTYPES = {"float": DTYPES["float64"], "int": DTYPES["int64"], "bool": DTYPES["bool"]}


BREAK = "\n" if sys.version_info < (3, 13) else " "
"""What stands in the middle of Python's sentence on bases that cannot be put in order."""


class Class:
    """A class, of the script or of ours.

    Attributes:
        bases: its base classes.
        attributes: methods and class variables.
        mro: itself and its ancestors in the order of look-up.
        python: the Python types whose instances belong to it (for `isinstance`), for the classes of ours.
        module: what stands before its name in `print(cls)`.
        qualname: its name with those of the functions and classes it was defined in.
        hints: the annotations of its body.
        derived: called with a class derived from it, once that is made.
        space: makes what the body of a class derived from it fills, for those who look at each value; or None.
        members: the members of an Enum by name, and `listed`, what `for x in cls` goes through.
        check: for `isinstance`, where it depends on more than the type.
        slots: the only attributes that its objects may have, or None.
        abstract: names of it and its ancestors that were marked with @abstractmethod.
        is_generic: whether `cls[int]` is another spelling of it.
        intercepts: whether it has a `__getattribute__` of the script's.
        meta: its metaclass, or None for `type`.
        children: the classes derived from it.
        registered: classes that count as derived from it; see `abc.ABCMeta.register`.
    """

    shown_as = "type"

    def __init__(
        self,
        name: str,
        bases: tuple[Class, ...] = (),
        attributes: dict[str, Any] | None = None,
        *,
        python: tuple[type, ...] = (),
        make: Native | None = None,
        module: str = "__main__",
    ) -> None:
        self.name = name
        self.bases = bases
        self.attributes = attributes if attributes is not None else {}
        self.python = python
        self.make = make
        self.module = module
        self.qualname = name
        self.hints: dict[str, ast.expr] = {}
        self.derived: Callable[[Machine, Class], None] | None = None
        self.space: Callable[[Machine, list[Any]], dict[str, Any]] | None = None
        self.members: dict[str, Any] | None = None
        self.listed: list[Any] = []
        self.check: Callable[[Any], bool] | None = None
        self.slots: frozenset[str] | None = None
        self.abstract: frozenset[str] = frozenset()
        self.is_generic = bool(python)
        self.intercepts = False
        self.children: list[Class] = []
        self.registered: list[Class] = []
        self.meta: Class | None = next((base.meta for base in bases if base.meta is not None), None)
        self.mro = linear(self, bases)

    @property
    def dtype(self) -> DType:
        """What Python's own float, int and bool mean as a dtype, for PyTorch and for numpy's look-up."""
        if not self.python or self.name not in PLAIN_DTYPES:
            raise AttributeError("dtype")
        return PLAIN_DTYPES[self.name]

    def find(self, name: str) -> Any:
        """The attribute of that name, or None."""
        for cls in self.mro:
            if name in cls.attributes:
                return cls.attributes[name]
        return None

    def has(self, name: str) -> bool:
        """Whether it or an ancestor has the attribute."""
        return any(name in cls.attributes for cls in self.mro)

    def is_a(self, other: Class) -> bool:
        """Whether it is `other` or derived from it."""
        return other in self.mro or any(self.is_a(known) for known in other.registered)

    @property
    def is_enum(self) -> bool:
        """Whether its metaclass is that of `enum`."""
        return self.meta is not None and any(each.name == "EnumType" for each in self.meta.mro)

    def __repr__(self) -> str:
        if self.is_enum:
            return f"<{'flag' if any(base.name == 'Flag' for base in self.mro) else 'enum'} {self.name!r}>"
        return f"<class '{self.module + '.' if self.module else ''}{self.qualname}'>"

    def __iter__(self) -> Iterator[Any]:
        if self.members is None:
            raise TorchError("'type' object is not iterable", kind="TypeError")
        return iter(self.listed)

    def __len__(self) -> int:
        if self.members is None:
            raise TorchError("object of type 'type' has no len()", kind="TypeError")
        return len(self.listed)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, item: Any) -> bool:
        if self.members is None:
            raise TorchError(f"argument of type '{kind_name(self)}' is not iterable", kind="TypeError")
        return any(item is member or item == member for member in self.members.values())


def linear(cls: Class, bases: tuple[Class, ...]) -> list[Class]:
    """The method resolution order (C3).

    Raises:
        TorchError: the bases have no consistent order.
    """
    rows = [list(base.mro) for base in bases] + [list(bases)]
    order = [cls]
    while rows := [row for row in rows if row]:
        for row in rows:
            head = row[0]
            if not any(head in other[1:] for other in rows):
                break
        else:
            raise TorchError(
                f"Cannot create a consistent method resolution{BREAK}order (MRO) for bases "
                + ", ".join({row[0].name: None for row in rows}),
                kind="TypeError",
            )
        order.append(head)
        rows = [row[1:] if row[0] is head else row for row in rows]
    return order
