"""Classes of a script derived from Python's own: `class Config(dict)`, named tuples, IntEnum.

A value of such a class is a real dict (list, tuple, ...) that carries its class. The special methods of the
builtin types are given to the classes that stand for them, so that `super().__setitem__(...)` and the like find
them as they find a script's own.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

from gradviz.imitation.engine.creation import MAX_ELEMENTS
from gradviz.errors import TorchError
from gradviz.imitation.script.limits.arithmetic import (
    limited_power,
    limited_product,
    limited_shift,
    limited_sum,
    remainder_or_text,
)
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.values import Class, Function, Instance, Native, type_name

MUTABLE = (dict, list, set, OrderedDict, Counter, deque)
IMMUTABLE = (tuple, str, int, float, frozenset)
BASES: dict[str, type] = {kind.__name__: kind for kind in (*MUTABLE, *IMMUTABLE)}

SPECIAL = """
__len__ __contains__ __iter__ __getitem__ __setitem__ __delitem__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__
__repr__ __str__ __int__ __float__ __index__ __neg__ __pos__ __abs__ __bool__ __sub__ __rsub__ __or__ __ror__ __and__
__rand__ __xor__ __rxor__ __rshift__ __rrshift__ __invert__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__
__divmod__ __rdivmod__ __round__ __trunc__ __floor__ __ceil__ __reversed__ __missing__ __ior__ __iand__ __isub__
__ixor__
""".split()  # noqa: SIM905 - a table of names reads better as words
"""What cannot make a value much larger than those it is given."""

GROWS = {("int", "__round__"), ("range", "__contains__")}
"""What can, or can take for ever."""

LIMITED: dict[str, Callable[[Any, Any], Any]] = {
    "add": limited_sum, "mul": limited_product, "pow": limited_power, "lshift": limited_shift,
    "mod": remainder_or_text,
}  # fmt: skip
"""Operators that can make a large value: they are reckoned with an end."""


def special_methods(kind: type) -> dict[str, Native]:
    """The special methods of a builtin type, for the class that stands for it."""
    found = {}
    for name in SPECIAL:
        method = getattr(kind, name, None)
        if method is None or method is getattr(object, name, None) or (kind.__name__, name) in GROWS:
            continue
        found[name] = Native(name, method, is_method=True)
    for operator, reckon in LIMITED.items():
        for side in ("", "r", "i"):
            name = f"__{side}{operator}__"
            if getattr(kind, name, None) is not None:
                found[name] = Native(name, _limited(kind, name, side, reckon), is_method=True)
    return found


def _limited(kind: type, name: str, side: str, reckon: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """One of the operators by its special method; what the type does not know it leaves to the other operand."""
    known = OPERANDS.get(kind, (object,))

    def run(x: Any, y: Any, *modulus: int) -> Any:
        if not isinstance(x, kind):
            text = f"descriptor '{name}' requires a '{kind.__name__}' object but received a '{type_name(x)}'"
            raise TorchError(text, kind="TypeError")
        if modulus:
            return pow(x, y, modulus[0])  # type: ignore[call-overload]
        if not isinstance(y, known):
            return NotImplemented
        if side != "i":
            x, y = (as_builtin(value) if isinstance(value, Instance) else value for value in (x, y))
            return reckon(y, x) if side == "r" else reckon(x, y)
        grown: Any = y
        if name == "__iadd__" and not isinstance(y, kind):
            grown = list(islice(iter(grown), MAX_ELEMENTS // 5 + 1))
        reckon(as_builtin(x) if isinstance(x, Instance) else x, grown)
        return getattr(kind, name)(x, grown)

    return run


OPERANDS: dict[type, tuple[type, ...]] = {
    bool: (int,), int: (int,), float: (int, float), complex: (int, float, complex), str: (object,),
}  # fmt: skip
"""What numbers reckon with by themselves."""


def can_be_derived(base: Class) -> bool:
    """Whether a script's class may derive from it."""
    return base.name in BASES and BASES[base.name] in base.python


def builtin_base(cls: Class) -> Class | None:
    """The builtin type that it is derived from."""
    return next((base for base in cls.mro[1:] if base.python and can_be_derived(base)), None)


def content_kind(cls: Class) -> type | None:
    """The builtin type that its objects are values of, itself or derived."""
    base = cls if cls.python and can_be_derived(cls) else builtin_base(cls)
    return None if base is None else BASES[base.name]


def takes_value(cls: Class) -> bool:
    """Whether its objects are made from a value, as those of `int` are."""
    return builtin_base(cls) is not None


def make(machine: Machine, cls: Class, base: Class, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Instance:
    """A value of a class derived from a builtin type; a changeable one is filled by its `__init__`."""
    kind: Any = BASES[base.name]
    if kind in MUTABLE:
        value: Any = kind.__new__(carrier(kind))
        kind.__init__(value)
    else:
        assert base.make is not None
        plain = machine.call(base.make, arguments, keywords)
        value = kind.__new__(carrier(kind), plain)
    value.cls, value.machine, value.attributes, value.label, value.number = cls, machine, {}, "", 0
    if kind in MUTABLE and not cls.has("__init__"):
        fill(machine, value, base, arguments, keywords)
    return value  # type: ignore[no-any-return]


def fill(machine: Machine, value: Any, base: Class, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """`dict.__init__` and the like."""
    assert base.make is not None
    plain = machine.call(base.make, arguments, keywords)
    if isinstance(value, deque):
        value.__init__(plain, plain.maxlen)  # type: ignore[misc]
        return
    value.clear()
    if isinstance(value, list):
        value.extend(plain)
    else:
        value.update(plain)


def as_builtin(value: Instance) -> Any:
    """The number, text or container alone; the value itself where its class is derived from none."""
    kind = next((kind for kind in BASES.values() if isinstance(value, kind)), None)
    return value if kind is None else CONTENT.get(kind, kind)(value)


CONTENT: dict[type, Callable[[Any], Any]] = {
    str: str.__str__, int: int.__int__, float: float.__float__, list: list.copy, dict: dict.copy,
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
}  # fmt: skip
"""The content alone, whatever special methods the script's class has."""


AS_VALUES = ("IntEnum", "StrEnum", "IntFlag")
"""Enums whose members are formatted as their values; those of others as their names."""


@cache
def carrier(kind: type) -> type:
    """The Python type of values that are `kind` and have a class of the script."""

    def own_or_plain(name: str) -> Any:
        plain = getattr(kind, name)

        def method(self: Any, *arguments: Any) -> Any:
            found = self.cls.find(name)
            if found is None or (isinstance(found, Native) and found.run == plain):
                return plain(self, *arguments)
            return getattr(Instance, name)(self, *arguments)

        return method

    def shown(self: Any, spec: str) -> str:
        is_text = self.cls.members is not None and not any(base.name in AS_VALUES for base in self.cls.mro)
        if is_text or (self.cls.has("__format__") and isinstance(self.cls.find("__format__"), Function)):
            return Instance.__format__(self, spec)
        # Without a spec it is its text, which may be the script's own.
        return kind.__format__(self, spec) if spec else str(self)  # type: ignore[call-arg]

    names = [name for name in vars(Instance) if name in SPECIAL and getattr(kind, name, None) is not None]
    methods = {name: own_or_plain(name) for name in names} | {"__format__": shown}
    if kind.__hash__ is None:
        methods["__hash__"] = _own_hash
    return type(kind.__name__, (Instance, kind), {**methods, "__missing__": _missing} if kind is dict else methods)


def _own_hash(self: Any) -> int:
    """Lists and the like have none, unless the script gives them one."""
    if self.cls.find("__hash__") is None:
        raise TorchError(f"unhashable type: '{self.cls.name}'", kind="TypeError")
    return Instance.__hash__(self)


def _missing(self: Any, key: Any) -> Any:
    found = self.special("__missing__", key)
    if found is NotImplemented:
        raise KeyError(key)
    return found
