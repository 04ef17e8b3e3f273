"""Says whether a script came by something that no script may have, and whether it changed what is not its own.

Three watches: `Canary.audit` hears every event that the wall would refuse, and those that only the gate keeps from a
script; `Canary.see` looks at every value that an expression of the script gives (`watched` puts it there); `changes`
compares what the modules, the tables of the gate and the classes of the engine hold with what they held.
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib._stride_tricks_impl import DummyArray

from gradviz.engine.tensor import Tensor
from gradviz.run import gate
from gradviz.run.confine import audit
from gradviz.run.gate import ModuleView
from gradviz.run.visible import FILE, SCRIPT, is_class, is_script_class, module_of

SEEN = " seen"
"""The name of `Canary.see` among the builtins of a watched script; no script can spell it."""

FRAMES = (types.FrameType, types.CodeType, types.TracebackType, types.ModuleType, types.CellType, memoryview)
"""Kinds of objects that no script holds."""

SLOTS = (types.GetSetDescriptorType, types.MemberDescriptorType)
INNER = (*FRAMES, types.FunctionType, types.GeneratorType, types.CoroutineType, types.MethodType, type)
"""Classes whose descriptors read what the gate keeps closed."""

CLOSED_MODULES = frozenset(
    """
    _ctypes _frozen_importlib _frozen_importlib_external _imp _io _pickle _posixsubprocess _socket _thread ctypes
    fcntl gc importlib io marshal mmap nt os pickle posix resource select shutil signal socket
    subprocess tempfile threading zipimport
    gradviz.run.child gradviz.run.confine gradviz.run.execute gradviz.run.host gradviz.run.protocol gradviz.formats
    """.split()
)
"""Modules whose functions and classes no script holds."""

OF_THE_RUN = frozenset(f"gradviz.run.{name}" for name in ("builtin_names", "levels", "modules", "recorder"))
"""Modules whose objects no script holds."""

ALLOWED_OF_THEM = frozenset(
    {"StringIO", "BytesIO", "PathLike", "UnsupportedOperation", "_Globals", "GlobalNames", "UnpicklingError"}
) | {"_IOBase", "_TextIOBase", "_BufferedIOBase"}
"""What they hold of them all the same."""

OF_NUMPY = "frombuffer fromfile fromregex genfromtxt load loadtxt memmap save savez savez_compressed savetxt".split()
CLOSED_METHODS = {
    (kind, name)
    for kind, names in (
        (np.ndarray, "view setfield getfield tofile dump dumps setflags resize __setstate__ __reduce__ __reduce_ex__"),
        (str, "format format_map"),
        (type, "mro __subclasses__ __getattribute__ __setattr__ __delattr__"),
        (object, "__getattribute__ __setattr__ __delattr__ __reduce__ __reduce_ex__"),
    )
    for name in names.split()
}
"""Methods that a script has in another form."""

FROM_THE_SCRIPT = frozenset({"code.__new__", "function.__new__", "compile", "exec", "marshal.loads", "sys._getframe"})
"""Events that the wall lets through for others, and the script itself must not cause."""

_FRAME_NAMES = ("__code__", "__closure__", "__globals__", "gi_", "cr_", "ag_", "f_", "tb_", "co_", "__dict__")


class Canary:
    """Notes what happens while it is on.

    Attributes:
        is_on: whether a script runs.
        found: (kind, what) of all that no script may do.
    """

    def __init__(self, library: Sequence[str]) -> None:
        self.is_on = False
        self.found: list[tuple[str, str]] = []
        roots = tuple(f"{each.rstrip('/')}/" for each in library)
        self._refuse = audit._hook(roots, frozenset(audit.ALLOWED) - {"import"})
        self._closed = {id(value): name for name, value in _closed_values()}
        self._kept = [value for _, value in _closed_values()]
        self._checks: dict[type, Callable[[Any], str | None]] = {
            **dict.fromkeys(FRAMES, lambda value: f"a {type(value).__name__}"),
            **dict.fromkeys(SLOTS, _of_slot),
            types.MappingProxyType: _of_proxy,
            types.FunctionType: _of_function,
            types.MethodType: lambda value: _of_function(value.__func__),
            types.BuiltinFunctionType: _of_builtin,
            types.MethodDescriptorType: _of_descriptor,
            types.WrapperDescriptorType: _of_descriptor,
            types.ClassMethodDescriptorType: _of_descriptor,
            types.MethodWrapperType: _of_wrapper,
            dict: self._of_dict,
            np.ndarray: _of_array,
            Tensor: lambda value: _of_array(value.array) if type(value.array) is np.ndarray else None,
        }

    # ---- what is done ----

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """An audit hook: the wall's own, whose refusals are noted, and an eye on the gate."""
        if not self.is_on or _is_of_compiler(event, arguments):
            return  # Python itself asks for the file of a text that it cannot parse or compile; none is called so
        self.is_on = False  # what is done here is not the script's doing
        try:
            self._refuse(event, arguments)
            if event in FROM_THE_SCRIPT or event == "object.__getattr__":
                self._look_at(event, arguments)
        except PermissionError as error:
            self.note("touch", event, f"{event} {str(arguments)[:200]}: {error}")
            raise
        finally:
            self.is_on = True

    def _look_at(self, event: str, arguments: tuple[Any, ...]) -> None:
        """An event that others may cause: whose doing is it?"""
        is_closed = event != "object.__getattr__" or _is_closed(arguments)
        if is_closed and sys._getframe(2).f_code.co_filename.startswith(FILE):
            self.note("escape", f"event {event}", f"{event} {str(arguments)[:200]}")

    def note(self, kind: str, mark: str, text: str = "") -> None:
        """Keep a finding."""
        self.found.append((kind, f"{mark}\n{text or mark}"))

    # ---- what is held ----

    def see(self, value: Any) -> Any:
        """The value of an expression of the script, after a look at it."""
        check = self._checks.get(type(value))
        if check is None:
            check = _of_class if is_class(value) else _of_object
        what = check(value)
        if what is None and id(value) in self._closed:
            what = self._closed[id(value)]
        if what is not None and self.is_on:
            self.note("escape", f"held {what}")
        return value

    def _of_dict(self, value: dict[Any, Any]) -> str | None:
        return self._closed.get(id(value))


def _closed_values() -> Iterator[tuple[str, Any]]:
    """What is known by its identity."""
    names = "eval exec compile open __import__ input breakpoint globals locals vars getattr setattr delattr hasattr dir"
    yield from ((f"the real {name}", vars(builtins)[name]) for name in names.split())
    yield from ((f"numpy's own {name}", getattr(np, name)) for name in OF_NUMPY)
    yield from ((f"the names of {name}", vars(module)) for name, module in list(sys.modules.items())
                if isinstance(module, types.ModuleType) and type(module) is not ModuleView)  # fmt: skip
    yield "the modules", sys.modules
    yield from ((f"a table of the gate, {name}", value) for name, value in vars(gate).items() if type(value) is dict)
    yield from ((f"the real class {kind.__name__}", kind) for kind in (*FRAMES, type))


def _is_of_compiler(event: str, arguments: tuple[Any, ...]) -> bool:
    return event == "open" and (arguments[0] == "" or str(arguments[0]).startswith(FILE))


def _is_closed(arguments: tuple[Any, ...]) -> bool:
    owner, name = arguments
    return str(name).startswith(_FRAME_NAMES) and not (type(owner) is types.FunctionType and name == "__dict__")


def _of_proxy(value: Any) -> str | None:
    return "the names of a class" if "__module__" in value and "__doc__" in value else None


def _of_slot(value: Any) -> str | None:
    if value.__objclass__ in INNER or (value.__objclass__, value.__name__) in CLOSED_METHODS:
        return f"the slot {value.__objclass__.__name__}.{value.__name__}"
    return None


def _of_home(value: Any, home: Any) -> str | None:
    name = getattr(value, "__name__", "")
    if type(home) is not str or name in ALLOWED_OF_THEM:
        return None
    is_closed = home in CLOSED_MODULES or ".".join(home.split(".")[:3]) in CLOSED_MODULES
    return f"{home}.{name}" if is_closed else None


def _of_function(value: Any) -> str | None:
    if type(value) is not types.FunctionType:
        return None
    return _of_home(value, value.__globals__.get("__name__"))


def _of_builtin(value: Any) -> str | None:
    owner = value.__self__
    if type(owner) is types.ModuleType:
        return _of_home(value, owner.__name__)
    return _of_method(owner, value.__name__)


def _of_wrapper(value: Any) -> str | None:
    return _of_method(value.__self__, value.__name__)


def _of_method(owner: Any, name: str) -> str | None:
    if module_of(type(owner)) == "__main__" or is_script_class(owner):
        return None
    if name == "__new__":
        return f"{owner.__name__}.__new__" if owner in INNER and owner is not types.MethodType else None
    if name in ("__call__", "__setattr__", "__delattr__"):
        return None
    for kind in type(owner).__mro__:
        if (kind, name) in CLOSED_METHODS and not (kind is type and name == "mro"):
            return f"the method {kind.__name__}.{name}"
    return None


def _of_descriptor(value: Any) -> str | None:
    if (value.__objclass__, value.__name__) in CLOSED_METHODS:
        return f"the method {value.__objclass__.__name__}.{value.__name__} itself"
    return None


def _of_class(value: type) -> str | None:
    return _of_memory(vars(value)) if is_script_class(value) else _of_home(value, module_of(value))


def _of_memory(names: Any) -> str | None:
    return "attributes that numpy believes" if not MEMORY.isdisjoint(names) else None


MEMORY = frozenset({"__array_interface__", "__array_struct__", "__buffer__", "__dlpack__", "__del__"})


def _of_object(value: Any) -> str | None:
    """An object of a class that no script holds, or one that gives numpy memory."""
    kind = type(value)
    if module_of(kind) == SCRIPT:
        try:
            names = object.__getattribute__(value, "__dict__")
        except AttributeError:
            names = {}
        return _of_memory(names) or _of_memory(vars(kind))
    home = module_of(kind)
    if (home in CLOSED_MODULES or home in OF_THE_RUN) and kind.__name__ not in ALLOWED_OF_THEM:
        return f"an object of {home}.{kind.__name__}"
    return None


def _of_array(value: Any) -> str | None:
    """An array's memory is its own, or a part of the array's that owns it, of the same nature."""
    root = value
    while type(root.base) in (np.ndarray, DummyArray):
        root = root.base if type(root.base) is np.ndarray else root.base.base
    if root.base is not None and type(root.base) not in (np.ndarray, bytes):
        return None if issubclass(type(root.base), (np.ndarray, np.generic)) else f"memory of {type(root.base)}"
    if root is value:
        return None
    if root.dtype.hasobject and not value.dtype.hasobject and value.dtype.names is None and root.dtype.names is None:
        return "addresses of objects as numbers"
    low, high = np.lib.array_utils.byte_bounds(value)
    first, last = np.lib.array_utils.byte_bounds(root)
    return None if value.size == 0 or (first <= low and high <= last) else "memory beyond an array"


# ---- what is changed ----


class Holdings:
    """What modules and classes held at first."""

    def __init__(self) -> None:
        self._places = [
            (f"module {name}", vars(module))
            for name, module in sys.modules.items()
            if name.partition(".")[0] in ("gradviz", "builtins", "numpy", "sys", "copyreg") and name != "__main__"
        ]
        kinds = {
            id(value): value for _, names in self._places for value in names.values()
            if isinstance(value, type) and value.__module__.startswith(("gradviz", "torch"))
        }  # fmt: skip
        self._places += [(f"class {kind.__module__}.{kind.__name__}", vars(kind)) for kind in kinds.values()]  # type: ignore[misc]
        self._before = [dict(names) for _, names in self._places]

    def changes(self) -> list[str]:
        """Names that hold something else now."""
        found = []
        for (place, names), before in zip(self._places, self._before, strict=True):
            if len(names) == len(before) and all(map(_is_same, names.values(), before.values())):
                continue
            for name in {*names, *before}:
                if name not in _OWN_DOING and names.get(name, before) is not before.get(name, before):
                    if isinstance(names.get(name), types.ModuleType) and name not in before:
                        continue  # a part of the package, imported when it was first asked for
                    found.append(f"{place}: {name}")
        return found


def _is_same(now: Any, before: Any) -> bool:
    return now is before


_OWN_DOING = frozenset(
    "__slotnames__ _abc_impl __abstractmethods__ __warningregistry__ __annotations__ __doc__ __getattr__ "
    "excepthook".split()
)


# ---- the watch in the script ----


class _Watching(ast.NodeTransformer):
    """Puts a look at its value around every name, attribute, call and item that is read."""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.pattern | ast.arg):  # an annotation may become a text
            return node
        if isinstance(node, ast.AnnAssign):
            annotation, node.annotation = node.annotation, ast.Constant(None)
            node = self.generic_visit(node)
            node.annotation = annotation
            return node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            returns, node.returns = node.returns, None
            node = self.generic_visit(node)
            node.returns = returns
            return node
        made = super().visit(node)
        if not isinstance(made, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            return made
        if isinstance(getattr(made, "ctx", _LOAD), ast.Load) and not _is_put_in(made):
            return ast.copy_location(ast.Call(_name(made), [made], []), made)
        return made


_LOAD = ast.Load()


def _name(at: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Name(SEEN, _LOAD), at)


def _is_put_in(node: ast.expr) -> bool:
    """Whether the rewriter put it in, for itself."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id[:1] == " " and node.func.id not in _GIVING
    return isinstance(node, ast.Name) and node.id[:1] == " "


_GIVING = frozenset({" private", " special", " typed", " module", " package", " imported"})


def watched(tree: ast.Module) -> ast.Module:
    """The rewritten tree of a script, with `SEEN` around its values."""
    made: ast.Module = _Watching().visit(tree)
    return made
