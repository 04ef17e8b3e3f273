"""`functools` and `operator`."""

from __future__ import annotations

import ast
import copy
import functools
import operator
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.callables import Once
from gradviz.imitation.script.hinting import Union, read_hints
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import builtin_class, natives, with_machine
from gradviz.imitation.script.operators import BINARY, COMPARE, IN_PLACE_NAMES, UNARY, in_place
from gradviz.imitation.script.readers import READERS, fields
from gradviz.imitation.script.subscripts import del_item, get_item, set_item
from gradviz.imitation.script.syntax.calls import callable_value
from gradviz.imitation.script.values import Class, Function, Instance, Namespace, Native

CacheInfo = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"])


class Partial(Native):
    """What `functools.partial` gives."""

    shown_as = "functools.partial"
    __slots__ = ()

    def __repr__(self) -> str:
        given = [repr(x) for x in self.members["args"]]
        given += [f"{name}={value!r}" for name, value in self.members["keywords"].items()]
        return f"functools.partial({', '.join([repr(self.members['func']), *given])})"


def partial(machine: Machine, function: Any, /, *arguments: Any, **keywords: Any) -> Partial:
    """`functools.partial`; of another one, both are made into one."""
    if not callable_value(function):
        raise TorchError("the first argument must be callable", kind="TypeError")
    if isinstance(function, Partial):
        inner = function.members
        function, arguments = inner["func"], (*inner["args"], *arguments)
        keywords = {**inner["keywords"], **keywords}
    made = Partial("partial", lambda *rest, **more: machine.call(function, (*arguments, *rest), {**keywords, **more}))
    made.members = {"func": function, "args": arguments, "keywords": keywords}
    return made


def _partial_method(machine: Machine, function: Any, /, *arguments: Any, **keywords: Any) -> Native:
    """`functools.partialmethod`."""

    def run(self: Any, *rest: Any, **more: Any) -> Any:
        return machine.call(attributes.bound(function, self), (*arguments, *rest), {**keywords, **more})

    return Native("partialmethod", run, is_method=True)


def _reduce(machine: Machine, function: Any, items: Any, /, *start: Any) -> Any:
    return functools.reduce(lambda a, b: machine.call(function, (a, b), {}), machine.whole(items), *start)


def _wraps(machine: Machine, wrapped: Any, *_: Any, **__: Any) -> Native:
    return Native("wraps", lambda wrapper: _updated(machine, wrapper, wrapped))


def _updated(machine: Machine, wrapper: Any, wrapped: Any, *_: Any, **__: Any) -> Any:
    """`functools.update_wrapper`: the wrapper takes over the name and the text."""
    if isinstance(wrapper, Function):
        for name in ("__name__", "__qualname__", "__doc__"):
            wrapper.members[name] = attributes.get(machine, wrapped, name) if _has(machine, wrapped, name) else None
        if isinstance(wrapped, Function):
            wrapper.hints = wrapped.hints
            wrapper.params = copy.copy(wrapper.params)  # its errors go by the name that it has now
            wrapper.params.name = wrapper.members["__qualname__"] or wrapper.params.name
            hidden = {key: value for key, value in wrapped.members.items() if key not in ("__doc__", "__wrapped__")}
            wrapper.members = {**hidden, **wrapper.members}
        wrapper.members["__wrapped__"] = wrapped
    elif isinstance(wrapper, Instance):
        taken = {name: attributes.get(machine, wrapped, name) for name in TAKEN if _has(machine, wrapped, name)}
        held = attributes.get(machine, wrapped, "__dict__") if _has(machine, wrapped, "__dict__") else {}
        wrapper.attributes |= {**taken, **held, "__wrapped__": wrapped}
    return wrapper


TAKEN = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")
"""What an object that wraps a function takes over."""


def _has(machine: Machine, x: Any, name: str) -> bool:
    try:
        attributes.get(machine, x, name)
    except TorchError:
        return False
    return True


# ---- caches ----


def _cache(machine: Machine, maxsize: Any = 128, typed: bool = False) -> Native:
    """`@lru_cache`, with or without brackets."""
    if callable_value(maxsize):
        return _cached(machine, maxsize, 128)
    return Native("lru_cache", lambda function: _cached(machine, function, maxsize))


def _cached(machine: Machine, function: Any, maxsize: int | None) -> Native:
    known: OrderedDict[Any, Any] = OrderedDict()
    counts = {"hits": 0, "misses": 0}

    def run(*arguments: Any, **keywords: Any) -> Any:
        key = (arguments, tuple(keywords.items()))
        if key in known:
            counts["hits"] += 1
            known.move_to_end(key)
            return known[key]
        counts["misses"] += 1
        value = machine.call(function, arguments, keywords)
        if maxsize != 0:
            known[key] = value
            if maxsize is not None and len(known) > maxsize:
                known.popitem(last=False)
        return value

    def clear() -> None:
        known.clear()
        counts.update(hits=0, misses=0)

    made = Native(getattr(function, "name", "function"), run, is_method=True)
    made.members = {
        "__wrapped__": function, "cache_clear": Native("cache_clear", clear),
        "cache_info": Native("cache_info", lambda: CacheInfo(counts["hits"], counts["misses"], maxsize, len(known))),
    }  # fmt: skip
    if isinstance(function, Function):
        made.members["__doc__"] = function.members.get("__doc__")
    return made


# ---- ordering and dispatch ----


def _key(machine: Machine, compare: Any) -> Native:
    return Native("K", functools.cmp_to_key(lambda a, b: machine.call(compare, (a, b), {})))


FROM_ONE: dict[str, dict[str, Callable[[Instance, Any], Any]]] = {
    "__lt__": {"__gt__": lambda a, b: not a < b and a != b, "__le__": lambda a, b: a < b or a == b,
               "__ge__": lambda a, b: not a < b},
    "__gt__": {"__lt__": lambda a, b: not a > b and a != b, "__ge__": lambda a, b: a > b or a == b,
               "__le__": lambda a, b: not a > b},
    "__le__": {"__ge__": lambda a, b: not a <= b or a == b, "__lt__": lambda a, b: a <= b and a != b,
               "__gt__": lambda a, b: not a <= b},
    "__ge__": {"__le__": lambda a, b: not a >= b or a == b, "__gt__": lambda a, b: a >= b and a != b,
               "__lt__": lambda a, b: not a >= b},
}  # fmt: skip
"""The other comparisons from the one that a class defines."""


def _total(cls: Class) -> Class:
    root = next((name for name in FROM_ONE if cls.has(name)), None)
    if root is None:
        raise TorchError("must define at least one ordering operation: < > <= >=", kind="ValueError")
    for name, run in FROM_ONE[root].items():
        if not cls.has(name):
            cls.attributes[name] = Native(name, run, is_method=True)
    return cls


def _dispatch(machine: Machine, function: Any, place: int = 0) -> Native:
    """`@singledispatch`: by the class of the first argument; `place` is 1 for methods, where `self` comes first."""
    from gradviz.imitation.script.names.python.belonging import isinstance_, issubclass_

    known: dict[Any, Any] = {machine.builtins["object"]: function}
    name = getattr(function, "name", "function")

    def run(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) <= place:
            raise TorchError(f"{name} requires at least 1 positional argument", kind="TypeError")
        chosen = nearest([cls for cls in known if isinstance_(machine, arguments[place], cls)])
        return machine.call(attributes.bound(chosen, arguments[0]) if place else chosen, arguments[place:], keywords)

    def nearest(fits: list[Class]) -> Any:
        """That of the class which is derived from the others."""
        return known[max(fits, key=lambda cls: sum(issubclass_(machine, cls, other) for other in fits))]

    def register(cls: Any, given: Any = None) -> Any:
        inner = getattr(cls, "function", cls)
        if isinstance(inner, Function):
            hints = list(read_hints(inner.outer, inner.hints, is_text=False).values())
            return register(hints[0], cls)
        if given is None:
            return Native("register", lambda inner: register(cls, inner))
        known.update(dict.fromkeys(cls.kinds if isinstance(cls, Union) else (cls,), given))
        return given

    def dispatch(cls: Any) -> Any:
        return nearest([kind for kind in known if issubclass_(machine, cls, kind)])

    made = Native(name, run, is_method=bool(place))
    made.members = {
        "register": Native("register", register), "dispatch": Native("dispatch", dispatch), "registry": known,
        "__wrapped__": function,
    }  # fmt: skip
    if isinstance(function, Function):
        made.members["__doc__"] = function.members.get("__doc__")
    return made


def module(machine: Machine) -> Namespace:
    """`functools`."""
    made = builtin_class(machine, Partial, "functools", partial)
    made.name = made.qualname = "partial"
    return Namespace("functools", {
        "partial": made,
        **with_machine({
            "reduce": _reduce, "wraps": _wraps, "update_wrapper": _updated, "lru_cache": _cache,
            "cache": lambda machine, function: _cached(machine, function, None), "cmp_to_key": _key,
            "singledispatch": _dispatch, "partialmethod": _partial_method,
            "singledispatchmethod": lambda machine, function: _dispatch(machine, function, 1),
        }),
        **natives({"cached_property": Once, "total_ordering": _total}),
    })  # fmt: skip


# ---- operator ----

TWO: dict[str, Any] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod,
    "pow": ast.Pow, "matmul": ast.MatMult, "and_": ast.BitAnd, "or_": ast.BitOr, "xor": ast.BitXor,
    "lshift": ast.LShift, "rshift": ast.RShift, "concat": ast.Add,
}  # fmt: skip
COMPARED: dict[str, Any] = {
    "eq": ast.Eq, "ne": ast.NotEq, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE, "is_": ast.Is,
    "is_not": ast.IsNot,
}  # fmt: skip


def _changing(kind: Any) -> Callable[[Any, Any], Any]:
    return lambda x, y: in_place(kind, x, y)


def _item_getter(*keys: Any) -> Native:
    def run(x: Any) -> Any:
        found = tuple(get_item(x, key) for key in keys)
        return found[0] if len(keys) == 1 else found

    return Native("itemgetter", run)


def _attribute(machine: Machine, x: Any, path: str) -> Any:
    for name in path.split("."):
        x = attributes.get(machine, x, name)
    return x


def _attribute_getter(machine: Machine, *paths: str) -> Native:
    def run(x: Any) -> Any:
        found = tuple(_attribute(machine, x, path) for path in paths)
        return found[0] if len(paths) == 1 else found

    return Native("attrgetter", run)


def _method_caller(machine: Machine, name: str, /, *arguments: Any, **keywords: Any) -> Native:
    return Native("methodcaller", lambda x: machine.call(attributes.get(machine, x, name), arguments, keywords))


def _place_of(machine: Machine, items: Any, wanted: Any) -> int:
    for place, item in enumerate(machine.each(items)):
        if item is wanted or COMPARE[ast.Eq](item, wanted):
            return place
    raise TorchError("sequence.index(x): x not in sequence", kind="ValueError")


def operator_module(machine: Machine) -> Namespace:
    """`operator`: the operators of the script, so that tensors record and limits hold."""
    table: dict[str, Callable[..., Any]] = {name: BINARY[kind] for name, kind in TWO.items()}
    table |= {name: COMPARE[kind] for name, kind in COMPARED.items()}
    table |= {name: _changing(kind) for kind, name in IN_PLACE_NAMES.items()}
    table |= {
        "neg": UNARY[ast.USub], "pos": UNARY[ast.UAdd], "invert": UNARY[ast.Invert], "inv": UNARY[ast.Invert],
        "not_": operator.not_, "truth": operator.truth,
        "abs": lambda x: machine.call(machine.builtins["abs"], (x,), {}),
        "index": operator.index, "contains": lambda a, b: COMPARE[ast.In](b, a), "getitem": get_item,
        "setitem": set_item, "delitem": del_item, "itemgetter": _item_getter,
        "countOf": lambda a, b: sum(item is b or bool(COMPARE[ast.Eq](item, b)) for item in machine.each(a)),
        "indexOf": lambda a, b: _place_of(machine, a, b), "length_hint": operator.length_hint,
    }  # fmt: skip
    return Namespace(
        "operator",
        {**natives(table), **with_machine({"attrgetter": _attribute_getter, "methodcaller": _method_caller})},
    )


READERS[Partial] = READERS[Native]
READERS[CacheInfo] = fields("hits", "misses", "maxsize", "currsize")
