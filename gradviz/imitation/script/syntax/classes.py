"""`class`, making objects, and `super()`."""

from __future__ import annotations

import ast
import sys
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.classes import extended, metaclasses
from gradviz.imitation.script.classes.supers import Super, Unbound, no_keywords
from gradviz.imitation.script.errors.failures import Code
from gradviz.imitation.script.hinting import HINTS, Hint
from gradviz.imitation.script.machine import Frame, Machine
from gradviz.imitation.script.syntax.forms import block, expression, not_read
from gradviz.imitation.script.syntax.functions import ClassFrame, decorators_of
from gradviz.imitation.script.syntax.mangling import mangled
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.values import (
    Bound,
    Class,
    Function,
    Instance,
    Native,
    OnClass,
    Property,
    Static,
    type_name,
)


def compile_class(node: ast.ClassDef, scope: Scope) -> Code:
    """The code that makes a class.

    Raises:
        ScriptError: a metaclass, or syntax that gradviz does not read in its body.
    """
    if any(keyword.arg is None for keyword in node.keywords):
        raise not_read(node.keywords[0])
    bases = [expression(base, scope) for base in node.bases]
    keywords = [(str(keyword.arg), expression(keyword.value, scope), keyword) for keyword in node.keywords]
    qualname = f"{scope.qualname}{node.name}"
    body = block(mangled(node).body, Scope(qualname=f"{qualname}."))
    decorators = decorators_of(node, scope)
    doc = ast.get_docstring(node, clean=False)

    def make(frame: Frame) -> Any:
        decorated = decorators(frame)
        parents = [base(frame) for base in bases]
        given = {name: code(frame) for name, code, _ in keywords}
        machine = frame.machine
        meta = metaclasses.metaclass(machine, given.pop("metaclass", None), parents)
        inside = ClassFrame(machine, frame)
        inside.vars = metaclasses.namespace(machine, meta, node.name, parents, given)
        if metaclasses.of_script(meta):
            inside.vars["__module__"], inside.vars["__qualname__"] = "__main__", qualname
        if doc is not None or not metaclasses.of_script(meta):
            inside.vars["__doc__"] = doc
        body(inside)
        if metaclasses.of_script(meta):
            cls: Any = metaclasses.made(machine, meta, node.name, parents, inside.vars, given)
        else:
            cls = make_class(machine, node.name, qualname, parents, inside.vars, given, meta=meta)
        return decorated(cls)

    return make


def make_class(
    machine: Machine,
    name: str,
    qualname: str,
    parents: list[Any],
    attributes: dict[str, Any],
    keywords: dict[str, Any] | None = None,
    *,
    meta: Class | None = None,
) -> Class:
    """A class of the script; those it derives from and the values in it are told.

    Args:
        meta: its metaclass, None for `type`.

    Raises:
        TorchError: a base that cannot be derived from.
    """
    # Generic[T] and the like say something to a type checker only.
    origins = (base.origin if isinstance(base, Hint) else base for base in parents)
    bases = tuple(_base(base) for base in origins if base is not None)
    _refuse_together(bases)
    hints = attributes.pop(HINTS, {})
    bases = bases or (machine.builtins["object"],)
    if meta is not None and metaclasses.of_script(meta):
        cls: Class = metaclasses.Ruled(meta, machine, name, bases, attributes)
    else:
        cls = Class(name, bases, attributes)
        cls.meta = meta
    cls.qualname, cls.hints = qualname, hints
    cls.slots = only_slots(cls)
    cls.intercepts = any("__getattribute__" in base.attributes for base in cls.mro if base.name != "object")
    if "__eq__" in attributes:
        attributes.setdefault("__hash__", None)
    if any(isinstance(base, Hint) for base in parents):
        attributes.setdefault("__orig_bases__", tuple(parents))
    cls.is_generic = any(isinstance(base, Hint) for base in parents) or any(base.is_generic for base in bases)
    cls.abstract = _abstract(cls)
    for base in bases:
        base.children.append(cls)
    _mark(attributes)
    for key, value in list(attributes.items()):
        _own(value, cls)
        if isinstance(value, Instance) and value.cls.has("__set_name__"):
            value.special("__set_name__", cls, key)
    for ancestor in cls.mro[1:]:
        if ancestor.derived is not None:
            ancestor.derived(machine, cls)
            break
    _tell_parents(machine, cls, keywords or {})
    return cls


def _mark(attributes: dict[str, Any]) -> None:
    """Special methods that belong to the class without a mark of the script's."""
    for name, mark in (("__new__", Static), ("__class_getitem__", OnClass), ("__init_subclass__", OnClass)):
        if isinstance(attributes.get(name), Function):
            attributes[name] = mark(attributes[name])


def _tell_parents(machine: Machine, cls: Class, keywords: dict[str, Any]) -> None:
    hook = "__init_subclass__"
    told = next((base.attributes[hook] for base in cls.mro[1:] if hook in base.attributes), None)
    if told is not None:
        machine.call(told.function if isinstance(told, OnClass) else told, (cls,), keywords)
    else:
        no_keywords(cls, keywords)


def _base(base: Any) -> Class:
    if not isinstance(base, Class):
        raise TorchError(f"cannot derive a class from {type_name(base)} '{base!r}'", kind="TypeError")
    if base.python and not extended.can_be_derived(base) and not metaclasses.is_type(base):
        raise TorchError(
            f"deriving a class from '{base.name}' is not supported",
            kind="TypeError",
            hint="Keep the value in an attribute.",
        )
    return base


def _refuse_together(bases: tuple[Class, ...]) -> None:
    """Refuse bases that no class can have at once: one twice, or values of two of Python's own types."""
    for place, base in enumerate(bases):
        if base in bases[:place]:
            raise TorchError(f"duplicate base class {base.name}", kind="TypeError")
    kinds = [kind for base in bases if (kind := extended.content_kind(base)) is not None]
    if any(not issubclass(a, b) and not issubclass(b, a) for a in kinds for b in kinds):
        raise TorchError("multiple bases have instance lay-out conflict", kind="TypeError")


WITHOUT_FIELDS = ("abc", "collections.abc", "typing")
"""Modules of bases that give their objects no place for attributes."""


def only_slots(cls: Class) -> frozenset[str] | None:
    """The only attributes that its objects may have, or None where they may have any."""
    named = cls.attributes.get("__slots__")
    inherited = [base.slots for base in cls.mro[1:] if base.name != "object" and base.module not in WITHOUT_FIELDS]
    if named is None or None in inherited:
        return None
    own = (named,) if isinstance(named, str) else tuple(named)
    if "__dict__" in own:
        return None
    return frozenset(own).union(*(slots for slots in inherited if slots is not None))


def _abstract(cls: Class) -> frozenset[str]:
    """The names that must be defined before an object can be made; only `abc.ABC` asks for it."""
    if cls.meta is None or not any(meta.name == "ABCMeta" for meta in cls.meta.mro):
        return frozenset()
    own = (name for name, value in cls.attributes.items() if is_abstract(value))
    asked = frozenset(own).union(*(base.abstract for base in cls.bases))
    return frozenset(name for name in asked if is_abstract(cls.find(name)))


def _own(value: Any, cls: Class) -> None:
    """Tell the functions of a class body which class they belong to, for `super()`."""
    if isinstance(value, Static | OnClass):
        value = value.function
    inside = (value.getter, value.setter, value.deleter) if isinstance(value, Property) else (value,)
    for part in inside:
        function = part.members.get("__wrapped__") if isinstance(part, Native) else part
        if isinstance(function, Function) and function.owner is None:
            function.owner = cls


def construct(machine: Machine, cls: Class, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """`cls(...)`.

    Raises:
        TorchError: arguments that its `__init__` does not take.
    """
    new = cls.find("__new__") if cls.members is None else None  # the members of an Enum are made already
    if new is None:
        for ancestor in cls.mro:
            if ancestor.make is not None and not (ancestor.python and ancestor is not cls):
                taken = (cls, *arguments) if ancestor.make.is_method else arguments
                return machine.call(ancestor.make, taken, keywords)
            if "__init__" in ancestor.attributes:
                break
        instance: Any = blank(machine, cls, arguments, keywords)
    else:
        function = new.function if isinstance(new, Static) else new
        instance = machine.call(function, (cls, *arguments), keywords)
        if not isinstance(instance, Instance) or not instance.cls.is_a(cls):
            return instance
    init = cls.find("__init__")
    if init is not None:
        result = machine.call(Bound(init, instance), arguments, keywords)
        if result is not None:
            raise TorchError(f"__init__() should return None, not '{type_name(result)}'", kind="TypeError")
    elif (arguments or keywords) and new is None and not extended.takes_value(cls):
        raise TorchError(f"{cls.name}() takes no arguments", kind="TypeError")
    return instance


def _missing(abstract: list[str]) -> str:
    """What a class lacks, as this version of Python words it."""
    plural = "s" if len(abstract) > 1 else ""
    if sys.version_info < (3, 12):
        return f"with abstract method{plural} {', '.join(abstract)}"
    return f"without an implementation for abstract method{plural} {', '.join(map(repr, abstract))}"


def blank(machine: Machine, cls: Class, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Instance:
    """`object.__new__`: an object before its `__init__`.

    Raises:
        TorchError: a class with abstract methods.
    """
    abstract = sorted(cls.abstract)
    if abstract:
        raise TorchError(
            f"Can't instantiate abstract class {cls.name} {_missing(abstract)}",
            kind="TypeError",
            hint="Define what is abstract in the class that is made.",
        )
    base = extended.builtin_base(cls)
    if base is not None:
        return extended.make(machine, cls, base, arguments, keywords)
    instance = Instance(cls, machine)
    prepare = cls.find("__prepare__")
    if prepare is not None:
        machine.call(prepare, (instance,), {})
    return instance


def is_abstract(value: Any) -> bool:
    """Whether it was marked with @abstractmethod."""
    if isinstance(value, Property):
        return is_abstract(value.getter)
    if isinstance(value, Static | OnClass):
        value = value.function
    return isinstance(value, Function) and bool(value.members.get(ABSTRACT))


ABSTRACT = " abstract"


def make_super(frame: Frame, arguments: tuple[Any, ...]) -> Super:
    """`super()` or `super(Class, self)`.

    Raises:
        TorchError: outside a method, or of what is no class.
    """
    if arguments and not isinstance(arguments[0], Class):
        text = f"super() argument 1 must be a type, not {type_name(arguments[0])}"
        raise TorchError(text, kind="TypeError")
    if len(arguments) == 2:
        return Super(frame.machine, arguments[0], arguments[1])
    if arguments:
        return Unbound(frame.machine, arguments[0])
    place: Frame | None = frame
    while place is not None and (place.function is None or place.function.owner is None):
        place = place.outer
    if place is None or place.function is None or place.function.owner is None or place.first is None:
        raise TorchError("super(): no arguments", kind="RuntimeError", hint="Call it inside a method.")
    return Super(frame.machine, place.function.owner, place.first)
