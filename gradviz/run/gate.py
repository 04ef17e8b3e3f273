"""The one gate: every attribute that a script reads, writes or deletes comes through here, or needs no gate.

The rewriter writes a call of `private`, `special` or `typed` where a name calls for it, and of `put` or `fields` for
every write; `getattr` and its like ask for names that are known only while the script runs. What decides is the name,
a text of exactly the class `str`, and `type(owner)`: no method of a script is ever called to find out.
"""

from __future__ import annotations

import _string  # type: ignore[import-not-found]
import argparse
import functools
import operator
import string
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradviz.run.arrays import Flags, read_of_array
from gradviz.run.classes import Type, check_field, guard_lookups
from gradviz.run.copies import as_memo
from gradviz.run.names import (
    CLOSED,
    PRIVATE,
    READ,
    SLOTS,
    TYPED,
    is_dunder,
    is_field_allowed,
    is_own_dunder,
    may_define,
    refusal_of_name,
)
from gradviz.run.refused import Refused
from gradviz.run.visible import (
    SCRIPT,
    bases_of,
    home_of,
    is_class,
    is_of_script,
    is_script_class,
    is_script_function,
    module_of,
    show_as,
    visible,
)

ENGINE = ("gradviz.engine", "torch")
"""Where the engine's classes say that they were made."""
_builtin = types.BuiltinFunctionType
"""Methods that ask for their class, since Python 3.13 `BytesIO.getbuffer`, are of a class below it."""
_method_of_type = type(str.format)


class ModuleView(types.ModuleType):
    """A module as a script sees it: public names on a list, and nothing else."""

    def __getattr__(self, name: str) -> Any:
        """A name that is looked up when it is first asked for."""
        finder = _FINDERS.get(id(self))
        if finder is None or name[:1] == "_":
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        value = finder(name)
        self.__dict__[name] = value
        return value

    def __repr__(self) -> str:
        return f"<module '{self.__name__}'>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("cannot pickle 'module' object")


_FINDERS: dict[int, Callable[[str], Any]] = {}


def view(name: str, names: Mapping[str, Any], find: Callable[[str], Any] | None = None) -> ModuleView:
    """A module with these names; `find` gives others when they are asked for, or raises an AttributeError."""
    made = ModuleView(name)
    made.__dict__.pop("__loader__", None)
    made.__dict__.pop("__spec__", None)
    made.__dict__.update(names)
    if find is not None:
        _FINDERS[id(made)] = find
    return made


def names_of(module: ModuleView) -> dict[str, Any]:
    """The public names of a module as a script sees it."""
    return {name: value for name, value in types.ModuleType.__getattribute__(module, "__dict__").items()
            if name[:1] != "_" or name == "__version__"}  # fmt: skip


# ---- reading ----


def private(owner: Any, name: str) -> Any:
    """`owner._name`."""
    kind = type(owner)
    if module_of(kind) == SCRIPT or (is_class(owner) and module_of(owner) == SCRIPT):
        return getattr(owner, name)
    if name in CLOSED or not (
        name in PRIVATE
        or (name[:7] == "_saved_" and _is_of_engine(owner))
        or kind in _FREE
        or kind is super
        or issubclass(kind, types.SimpleNamespace)
    ):
        getattr(owner, name)  # raises as usual where there is no such thing
        raise Refused(f"'{name}' is private to the class '{kind.__name__}'")
    return getattr(owner, name)


_FREE = frozenset({types.FunctionType, types.MethodType, functools.partial, ModuleView})
"""What keeps attributes of a script's own under any name."""


_OWN: dict[int, type] = {}
_OPEN: dict[int, type] = {}
"""Classes by their ids, once they were met: those of the script that are no metaclasses, and besides these those of the
engine. A class never changes sides, and the dicts keep it alive."""


def _meet(kind: type) -> None:
    """Take note of a class, so that its next object passes quickly."""
    if module_of(kind) == SCRIPT and type not in bases_of(kind):
        _OWN[id(kind)] = _OPEN[id(kind)] = kind
    elif home_of(kind).startswith(ENGINE) and type not in bases_of(kind):
        _OPEN[id(kind)] = kind


def typed(owner: Any, name: str) -> Any:
    """An attribute whose name leads out of the script on some objects."""
    kind = type(owner)
    if id(kind) in _OPEN:
        found = getattr(owner, name)
        if not issubclass(type(found), _builtin):
            return found
    else:
        _meet(kind)
        if name in _OF_NUMPY and home_of(kind).startswith("numpy"):
            raise Refused(f"'{name}' leads to memory, which no script may touch here")
        found = getattr(owner, name)
    if name in CLOSED:
        if is_of_script(owner) or is_script_class(owner) or kind is ModuleView or _is_of_engine(owner):
            return found
        raise Refused(f"'{name}' is not available here")
    if _is_of_engine(owner) and not issubclass(type(found), _builtin):
        return found
    if type(found) is memoryview:
        raise Refused("memory cannot be looked at here")
    if issubclass(type(found), _builtin) and found.__self__ is not owner:
        owner = found.__self__  # behind `super()` or another object that passes the name on
    return _TYPED[name](owner, name, found)


_OF_NUMPY = frozenset({"data", "ctypes", "cffi", "capsule"})
"""What is not even looked up."""


def _is_of_engine(owner: Any) -> bool:
    return home_of(owner if is_class(owner) else type(owner)).startswith(ENGINE)


def special(owner: Any, name: str) -> Any:
    """`owner.__name__`."""
    if name not in READ:
        if is_own_dunder(name) and (is_of_script(owner) or is_script_class(owner) or type(owner) is super):
            return getattr(owner, name)
        raise Refused(refusal_of_name(name))
    if type(owner) is ModuleView and name not in _OF_MODULES:
        raise AttributeError(f"module '{owner.__name__}' has no attribute '{name}'")
    answer = _SPECIAL.get(name)
    return getattr(owner, name) if answer is None else answer(owner)


_OF_MODULES = frozenset(
    {"__name__", "__doc__", "__version__", "__dict__", "__class__", "__repr__", "__str__", "__eq__"}
)


def read(owner: Any, name: Any) -> Any:
    """An attribute whose name is known only now.

    Raises:
        AttributeError: there is none.
        Refused: no script may have it.
    """
    if type(name) is not str:
        if issubclass(type(name), str):
            raise Refused("the name of an attribute is a plain text")
        raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
    if is_dunder(name):
        return special(owner, name)
    if name[:1] == "_":
        return private(owner, name)
    if name in TYPED or name in CLOSED:
        return typed(owner, name)
    return getattr(owner, name)


# ---- attributes whose value depends on the object ----


def _read_format(_: Any, name: str, found: Any) -> Any:
    if issubclass(type(found), _builtin) and issubclass(type(found.__self__), str):
        return functools.partial(_FORMATS[name], str(found.__self__) if type(found.__self__) is str else
                                 str.__str__(found.__self__))  # fmt: skip
    return _FORMATS[name] if type(found) is _method_of_type else found


def _read_mro(_: Any, __: str, found: Any) -> Any:
    if issubclass(type(found), _builtin):
        return lambda: [visible(kind) for kind in found()]
    return (lambda kind: [visible(each) for each in bases_of(kind)]) if type(found) is _method_of_type else found


def _read_obj(owner: Any, _: str, found: Any) -> Any:
    if issubclass(type(owner), AttributeError) and not is_of_script(owner):
        return None  # it may be a module of the library
    if type(owner) is memoryview:
        raise Refused("memory cannot be looked at here")
    return found


def _read_buffer(_: Any, name: str, found: Any) -> Any:
    if issubclass(type(found), (_builtin, _method_of_type)):
        raise Refused(f"'{name}' writes into memory, which no script may here")
    return found


_TYPED: dict[str, Callable[[Any, str, Any], Any]] = {
    **dict.fromkeys(TYPED, read_of_array),
    "format": _read_format, "format_map": _read_format, "mro": _read_mro, "obj": _read_obj,
    "readinto": _read_buffer, "readinto1": _read_buffer, "getbuffer": _read_buffer,
}  # fmt: skip


class _Formatter(string.Formatter):
    """`str.format` whose fields go through the gate."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        first, rest = _string.formatter_field_name_split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, key in rest:
            value = read(value, key) if is_attribute else value[key]
        return value, first


def format_text(text: str, *given: Any, **named: Any) -> str:
    """`text.format(...)`."""
    if not issubclass(type(text), str):
        raise TypeError(f"descriptor 'format' for 'str' objects doesn't apply to a '{type(text).__name__}' object")
    if _reads_no_attribute(text):
        return str.format(text, *given, **named)
    return _Formatter().vformat(text, given, named)


def format_text_map(text: str, mapping: Any) -> str:
    """`text.format_map(mapping)`."""
    if not issubclass(type(text), str):
        raise TypeError(f"descriptor 'format_map' for 'str' objects doesn't apply to a '{type(text).__name__}' object")
    return str.format_map(text, mapping) if _reads_no_attribute(text) else _Formatter().vformat(text, (), mapping)


_FORMATS: dict[str, Callable[..., str]] = {"format": format_text, "format_map": format_text_map}


def _reads_no_attribute(text: str) -> bool:
    """Whether a format has no field with a dot or an index; `{:.2f}` has none."""
    if "." not in text:
        return True
    try:
        fields = list(_string.formatter_parser(text))
    except ValueError:
        return False
    return all(
        field is None or ("." not in field and "[" not in field and "{" not in (spec or ""))
        for _, field, spec, _ in fields
    )


# ---- Python's own names ----


def _read_class(owner: Any) -> Any:
    return visible(type(owner))


def _read_bases(name: str) -> Callable[[Any], Any]:
    def answer(owner: Any) -> Any:
        found = getattr(owner, name)
        return tuple(visible(each) for each in found) if type(found) is tuple else visible(found)

    return answer


def _read_self(owner: Any) -> Any:
    found = getattr(owner, "__self__")  # noqa: B009
    if is_of_script(owner) or is_of_script(found) or type(found) in _PLAIN or _is_of_engine(found):
        return found
    if is_script_class(found):
        return found
    raise Refused("'__self__' of a function of the library is not available here")


_PLAIN = frozenset({list, dict, set, tuple, str, int, float, bytes, frozenset, complex, bool})


def _read_function(owner: Any) -> Any:
    if type(owner) in (types.MethodType, staticmethod, classmethod) or is_of_script(owner):
        return owner.__func__
    raise AttributeError(f"'{type(owner).__name__}' object has no attribute '__func__'")


def _read_copy(name: str) -> Callable[[Any], Any]:
    def answer(owner: Any) -> Any:
        found = getattr(owner, name)
        return {key: visible(value) for key, value in found.items()} if issubclass(type(found), dict) else found

    return answer


def _read_subclasses(owner: Any) -> Any:
    if not is_script_class(owner):
        raise Refused("'__subclasses__' is available for classes of the script only")
    return lambda: [visible(each) for each in type.__subclasses__(owner)]


def _read_new(owner: Any) -> Any:
    found = getattr(owner, "__new__")  # noqa: B009
    if not issubclass(type(found), _builtin):
        return found
    maker: Any = found.__self__
    if maker is type:
        return Type.__new__
    if home_of(maker).partition(".")[0] in _MAKERS and maker not in _NOT_MADE:
        return found
    raise Refused(f"'__new__' of '{maker.__name__}' is not available here")


_NOT_MADE = frozenset({memoryview, types.ModuleType, types.FunctionType, types.CodeType, types.CellType})
_MAKERS = frozenset({"builtins", "collections", "datetime", "decimal", "fractions", "functools", "itertools"})


def _read_lookup(name: str) -> Callable[[Any], Any]:
    """`__getattribute__` and `__getattr__`: what they find has gone through the gate."""

    def answer(owner: Any) -> Any:
        found = getattr(owner, name)
        if is_class(owner):
            return lambda instance, key: _looked_up(functools.partial(found, instance), instance, key)
        return lambda key: _looked_up(found, _instance_of(owner), key)

    return answer


def _looked_up(find: Callable[[str], Any], owner: Any, key: Any) -> Any:
    if type(key) is not str:
        raise TypeError("attribute name must be string")
    if not is_of_script(owner) or key in _SPECIAL or (is_dunder(key) and key not in READ):
        return read(owner, key)
    return _TYPED[key](owner, key, find(key)) if key in TYPED else find(key)


def _instance_of(owner: Any) -> Any:
    """The object behind `super()`, or the object itself."""
    return super.__dict__["__self__"].__get__(owner) if type(owner) is super else owner


def _read_setter(owner: Any) -> Any:
    found = getattr(owner, "__setattr__")  # noqa: B009
    if is_class(owner):

        def store(instance: Any, name: Any, value: Any) -> None:
            found(instance, name, check_write(instance, name, value))

        return store

    def store_bound(name: Any, value: Any) -> None:
        found(name, check_write(_instance_of(owner), name, value))

    return store_bound


def _read_deleter(owner: Any) -> Any:
    found = getattr(owner, "__delattr__")  # noqa: B009
    if is_class(owner):

        def remove(instance: Any, name: Any) -> None:
            check_write(instance, name, None)
            found(instance, name)

        return remove

    def remove_bound(name: Any) -> None:
        check_write(_instance_of(owner), name, None)
        found(name)

    return remove_bound


def _read_deepcopy(owner: Any) -> Any:
    found = getattr(owner, "__deepcopy__")  # noqa: B009

    def deepcopy(*given: Any) -> Any:
        return found(*given[:-1], as_memo(given[-1])) if given else found()

    return deepcopy


def _read_descriptor(name: str) -> Callable[[Any], Any]:
    def answer(owner: Any) -> Any:
        if type(owner) in _DESCRIPTORS or is_of_script(owner) or is_script_class(owner):
            return getattr(owner, name)
        if type(owner) is super and is_of_script(_instance_of(owner)):
            return getattr(owner, name)
        raise Refused(f"'{name}' of '{type(owner).__name__}' objects is not available here")

    return answer


_DESCRIPTORS = frozenset({types.FunctionType, types.MethodType, property, staticmethod, classmethod})

_SPECIAL: dict[str, Callable[[Any], Any]] = {
    "__class__": _read_class, "__mro__": _read_bases("__mro__"), "__bases__": _read_bases("__bases__"),
    "__base__": _read_bases("__base__"), "__args__": _read_bases("__args__"), "__origin__": _read_bases("__origin__"),
    "__self__": _read_self, "__func__": _read_function,
    "__annotations__": _read_copy("__annotations__"), "__kwdefaults__": _read_copy("__kwdefaults__"),
    "__subclasses__": _read_subclasses, "__new__": _read_new, "__traceback__": lambda _: None,
    "__getattribute__": _read_lookup("__getattribute__"), "__getattr__": _read_lookup("__getattr__"),
    "__setattr__": _read_setter, "__delattr__": _read_deleter, "__get__": _read_descriptor("__get__"),
    "__set__": _read_descriptor("__set__"), "__delete__": _read_descriptor("__delete__"),
    "__set_name__": _read_descriptor("__set_name__"), "__deepcopy__": _read_deepcopy,
}  # fmt: skip


# ---- writing ----


def put(value: Any, owner: Any, name: str) -> None:
    """`owner.name = value`."""
    number = id(type(owner))
    if name in SLOTS and _is_slot_of_engine(type(owner), name):
        raise Refused(f"'{name}' of tensors is the engine's own and cannot be set")
    if (number in _OPEN and name[:1] != "_") or (number in _OWN and name[:2] != "__"):
        setattr(owner, name, value)
    else:
        _meet(type(owner))
        setattr(owner, name, check_write(owner, name, value))


def drop(owner: Any, name: str) -> None:
    """`del owner.name`."""
    check_write(owner, name, None)
    delattr(owner, name)


def _is_slot_of_engine(kind: type, name: str) -> bool:
    """Whether the engine keeps its own record under this name in objects of a class, or of one that it derives from."""
    found = getattr(kind, name, None)
    return type(found) is types.MemberDescriptorType and home_of(found.__objclass__).startswith(ENGINE)


class Fields:
    """The attributes of an object as items, for `a, owner.name = ...`, which no call can stand for."""

    __slots__ = ("_owner", "_store")

    def __init__(self, owner: Any, store: Callable[[Any, Any, str], None]) -> None:
        self._owner = owner
        self._store = store

    def __setitem__(self, name: str, value: Any) -> None:
        self._store(value, self._owner, name)

    def __delitem__(self, name: str) -> None:
        drop(self._owner, name)


def check_write(owner: Any, name: Any, value: Any) -> Any:
    """The value that may be set, where an attribute of this object may be set or deleted at all.

    Raises:
        Refused: no script may change it.
    """
    if type(name) is not str:
        if issubclass(type(name), str):
            raise Refused("the name of an attribute is a plain text")
        raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
    kind = type(owner)
    if name in SLOTS and _is_slot_of_engine(kind, name):
        raise Refused(f"'{name}' of tensors is the engine's own and cannot be set")
    if is_class(owner):
        return _check_class_write(owner, name, value)
    if is_dunder(name):
        return _check_dunder_write(owner, name, value)
    if not is_field_allowed(name):
        raise Refused(refusal_of_name(name))
    if module_of(kind) == SCRIPT or kind in _IMMUTABLE or is_script_function(owner):
        return value
    if home_of(kind).startswith(ENGINE):
        if name[:1] == "_" and name not in PRIVATE:
            raise Refused(f"'{name}' is private to the class '{kind.__name__}'")
        return value
    for writable, names in _WRITABLE:
        if issubclass(kind, writable) and (names is None or name in names):
            if names is None:
                check_field(name)
            return value
    if kind is ModuleView:
        if (owner.__name__, name) in _SET_IN_MODULES:
            return value
        raise Refused(f"the module '{owner.__name__}' cannot be changed by a script")
    getattr(owner, name)  # raises as usual where there is no such thing
    raise Refused(f"'{name}' of '{kind.__name__}' objects cannot be set here")


_IMMUTABLE = frozenset({int, float, str, bool, type(None), list, dict, tuple, set, frozenset, complex, bytes, range})
"""What Python refuses by itself, in its own words."""

_WRITABLE: list[tuple[type, frozenset[str] | None]] = [
    (types.SimpleNamespace, None), (BaseException, None), (functools.partial, None),
    (np.ndarray, frozenset({"shape", "real", "imag", "flat"})), (Flags, frozenset({"writeable"})),
]  # fmt: skip
"""Objects of the library whose attributes scripts set: a class, and the names; None for all."""

_SET_IN_MODULES = frozenset({("sys", "argv"), ("sys", "path"), ("sys", "dont_write_bytecode")})


def let_write(kind: type, *names: str) -> None:
    """Let scripts set these attributes of a class's objects; all, where none is named."""
    _WRITABLE.append((kind, frozenset(names) or None))


def _check_class_write(owner: type, name: str, value: Any) -> Any:
    if module_of(owner) != SCRIPT:
        raise Refused(f"the class '{owner.__name__}' cannot be changed by a script")
    if is_dunder(name) and not may_define(name) and name not in ("__name__", "__qualname__", "__signature__"):
        raise Refused(refusal_of_name(name))
    checked = {name: value}
    guard_lookups(checked)
    return checked[name]


def _check_dunder_write(owner: Any, name: str, value: Any) -> Any:
    if name == "__class__" and is_of_script(owner) and is_script_class(value):
        return value
    if name in _OF_FUNCTIONS and is_script_function(owner):
        return value
    if name == "__doc__" or (name in _OF_ERRORS and issubclass(type(owner), BaseException)):
        return None if name == "__traceback__" else value
    if is_of_script(owner) and (name in _OF_INSTANCES or is_own_dunder(name)):
        return value
    raise Refused(f"'{name}' cannot be set here")


_OF_FUNCTIONS = frozenset({"__name__", "__qualname__", "__doc__", "__wrapped__", "__module__", "__signature__"})
_OF_INSTANCES = _OF_FUNCTIONS | {"__array_priority__"}
_OF_ERRORS = frozenset({"__cause__", "__context__", "__suppress_context__", "__traceback__", "__notes__"})


# ---- the dict of an object ----


class InstanceDict(dict[str, Any]):
    """`obj.__dict__`: what is written into it goes into the object, if an attribute may be called so."""

    __slots__ = ("_real",)

    def __init__(self, owned: dict[str, Any]) -> None:
        dict.__init__(self, owned)
        self._real = owned

    def __setitem__(self, key: Any, value: Any) -> None:
        check_field(key)
        self._real[key] = value
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: Any) -> None:
        dict.__delitem__(self, key)
        self._real.pop(key, None)

    def update(self, *given: Any, **named: Any) -> None:
        """As a dict's."""
        for key, value in dict(*given, **named).items():
            self[key] = value

    def __ior__(self, other: Any) -> InstanceDict:  # type: ignore[override,misc]
        self.update(other)
        return self

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """As a dict's."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        """As a dict's."""
        found = dict.pop(self, key, *default)
        self._real.pop(key, None)
        return found

    def popitem(self) -> Any:
        """As a dict's."""
        key = next(reversed(self))
        return key, self.pop(key)

    def clear(self) -> None:
        """As a dict's."""
        for key in list(self):
            del self[key]

    def copy(self) -> dict[str, Any]:
        """A dict of its own."""
        return dict(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (dict(self),)


show_as(InstanceDict, dict)


def attributes_of(owner: Any) -> dict[str, Any]:
    """`owner.__dict__`, or `vars(owner)`.

    Raises:
        AttributeError: it has none.
        Refused: it belongs to the library.
    """
    kind = type(owner)
    if kind is ModuleView:
        return names_of(owner)
    if is_class(owner):
        if module_of(owner) != SCRIPT:
            raise Refused(f"the names of the class '{owner.__name__}' are not available here")
        found = type.__dict__["__dict__"].__get__(owner)
        return {name: value for name, value in found.items() if name not in ("__dict__", "__weakref__")}
    real: dict[str, Any] = object.__getattribute__(owner, "__dict__")
    if is_of_script(owner) or is_script_function(owner) or home_of(kind).startswith(ENGINE):
        return InstanceDict(real)
    if issubclass(kind, (types.SimpleNamespace, argparse.Namespace, BaseException, functools.partial)):
        return InstanceDict(real)
    raise Refused(f"the names of '{kind.__name__}' objects are not available here")


_SPECIAL["__dict__"] = attributes_of


# ---- Python's functions of attributes ----

_NOTHING = object()


def get_attribute(owner: Any, name: Any, *default: Any) -> Any:
    """`getattr`."""
    if not default:
        return read(owner, name)
    try:
        return read(owner, name)
    except (AttributeError, Refused):
        return default[0]


def has_attribute(owner: Any, name: Any) -> bool:
    """`hasattr`."""
    try:
        read(owner, name)
    except (AttributeError, Refused):
        return False
    return True


def set_attribute(owner: Any, name: Any, value: Any) -> None:
    """`setattr`."""
    setattr(owner, name, check_write(owner, name, value))


def delete_attribute(owner: Any, name: Any) -> None:
    """`delattr`."""
    if type(name) is not str:
        raise Refused("the name of an attribute is a plain text")
    drop(owner, name)


def attrgetter(*names: Any) -> Callable[[Any], Any]:
    """`operator.attrgetter`."""

    def walk(owner: Any, path: Any) -> Any:
        if type(path) is not str:
            raise TypeError("attribute name must be a string")
        for name in path.split("."):
            owner = read(owner, name)
        return owner

    if len(names) == 1:
        return lambda owner: walk(owner, names[0])
    return lambda owner: tuple(walk(owner, path) for path in names)


def methodcaller(name: Any, /, *given: Any, **named: Any) -> Callable[[Any], Any]:
    """`operator.methodcaller`."""
    return lambda owner: read(owner, name)(*given, **named)


AUGMENTED: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "MatMult": operator.imatmul,
    "Div": operator.itruediv, "FloorDiv": operator.ifloordiv, "Mod": operator.imod, "Pow": operator.ipow,
    "LShift": operator.ilshift, "RShift": operator.irshift, "BitAnd": operator.iand, "BitOr": operator.ior,
    "BitXor": operator.ixor,
}  # fmt: skip
"""What `owner.name += value` computes, by the operator's name in the syntax tree."""
