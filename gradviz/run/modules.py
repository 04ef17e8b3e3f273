"""The modules that a script can import, and their public names.

Most are Python's and numpy's own, as views of names on a list: a view holds no module, so that nothing leads from
`collections` to `sys`. Those that reach the system are small stand-ins (`gradviz.run.library`), plotting is silent
(`gradviz.run.plotting`), and torch is the engine.
"""

from __future__ import annotations

import decimal
import functools
import importlib
import pprint
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from gradviz.engine.errors import Beyond
from gradviz.run import arrays, classes, command_line, copies, library, plotting
from gradviz.run.builtin_names import Builtins
from gradviz.run.gate import ModuleView, attrgetter, let_write, methodcaller, names_of, read, view
from gradviz.run.library import Surroundings
from gradviz.run.refused import NotImported, Refused
from gradviz.run.visible import Uncopied, is_class, is_script_function, real, visible

ENGINE = {
    "torch": "gradviz.engine",
    "torch.nn": "gradviz.engine.nn",
    "torch.nn.functional": "gradviz.engine.nn.functional",
    "torch.nn.init": "gradviz.engine.nn.init",
    "torch.nn.utils": "gradviz.engine.nn.utils",
    "torch.nn.utils.rnn": "gradviz.engine.nn.utils.rnn",
    "torch.nn.parameter": "gradviz.engine.nn.parameter",
    "torch.nn.modules": "gradviz.engine.nn",
    "torch.optim": "gradviz.engine.optim",
    "torch.optim.lr_scheduler": "gradviz.engine.optim.lr_scheduler",
    "torch.optim.swa_utils": "gradviz.engine.optim.swa_utils",
    "torch.autograd": "gradviz.engine.autograd",
    "torch.autograd.functional": "gradviz.engine.autograd.functional",
    "torch.autograd.function": "gradviz.engine.autograd.function",
    "torch.autograd.graph": "gradviz.engine.autograd.graph",
    "torch.utils": "gradviz.engine.utils",
    "torch.utils.data": "gradviz.engine.utils.data",
    "torch.distributions": "gradviz.engine.distributions",
    "torch.func": "gradviz.engine.func",
    "torch.linalg": "gradviz.engine.linalg",
    "torch.special": "gradviz.engine.special",
    "torch.random": "gradviz.engine.sampling",
    "torch.cuda": "gradviz.engine.cuda",
    "torch.distributed": "gradviz.engine.distributed",
    "torch.backends": "gradviz.engine.backends",
    "torch.fft": "gradviz.engine.fft",
    "torch.testing": "gradviz.engine.testing",
    "torch.version": "gradviz.engine.version",
}
"""The modules of torch, and where the engine has them; one that it has not is beyond it."""

SHOWN = frozenset({"_LRScheduler", "_calculate_fan_in_and_fan_out", "_calculate_correct_fan"})
"""Names with an underscore that modules of torch show all the same: scripts derive from them or call them."""

ALL = "*"

PYTHON: dict[str, str] = {
    "__future__": "annotations division print_function",
    "abc": "ABC abstractmethod abstractproperty abstractclassmethod abstractstaticmethod",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "calendar": "isleap leapdays weekday monthrange month_name month_abbr day_name day_abbr timegm",
    "cmath": ALL,
    "collections": ALL,
    "collections.abc": ALL,
    "copy": "copy deepcopy Error",
    "csv": "reader writer DictReader DictWriter QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC Error",
    "dataclasses": "field fields asdict astuple replace is_dataclass MISSING KW_ONLY InitVar FrozenInstanceError",
    "datetime": "date datetime time timedelta timezone tzinfo MINYEAR MAXYEAR UTC",
    "decimal": ALL,
    "enum": "auto unique CONTINUOUS NAMED_FLAGS UNIQUE STRICT CONFORM EJECT KEEP verify member nonmember",
    "fractions": "Fraction",
    "functools": "cmp_to_key cache lru_cache partial partialmethod reduce WRAPPER_ASSIGNMENTS",
    "hashlib": "md5 sha1 sha256 sha512 blake2b",
    "heapq": ALL,
    "itertools": ALL,
    "json": "dumps loads dump load JSONEncoder JSONDecoder JSONDecodeError",
    "keyword": "iskeyword kwlist",
    "math": ALL,
    "numbers": ALL,
    "operator": ALL,
    "pprint": "pprint pformat",
    "queue": "Queue LifoQueue PriorityQueue SimpleQueue Empty Full",
    "random": ALL,
    "re": ALL,
    "statistics": ALL,
    "string": "ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable punctuation "
    "whitespace Template",
    "textwrap": "dedent fill indent shorten wrap TextWrapper",
    "typing": ALL,
    "unicodedata": "category name lookup normalize numeric decimal digit combining",
    "uuid": "uuid4 uuid5 UUID NAMESPACE_DNS",
}
"""Python's own modules that scripts have as they are: names, or ALL for those that the module calls public."""

DENIED: dict[str, frozenset[str]] = {
    "operator": frozenset({"attrgetter", "methodcaller"}),
    "random": frozenset({"SystemRandom"}),
    "typing": frozenset({"get_type_hints", "ForwardRef", "get_overloads", "clear_overloads", "NamedTuple", "get_args",
                         "get_origin", "IO", "TextIO", "BinaryIO", "no_type_check",
                         "no_type_check_decorator"}),
    "decimal": frozenset({"setcontext", "HAVE_THREADS", "HAVE_CONTEXTVAR"}),
    "collections": frozenset({"namedtuple", "UserString"}),
}  # fmt: skip
"""Public names that scripts do not have, or have in the form of `_INSTEAD`."""


class Modules(Uncopied):
    """The modules of one run, each made when it is first imported.

    Args:
        around: where the script's output goes.
        engine: where torch comes from, by module; see `ENGINE`.
        builtins: the script's own builtins, which `import builtins` gives a view of.
    """

    def __init__(
        self, around: Surroundings, builtins: Builtins, variables: dict[str, Any], engine: Mapping[str, str] = ENGINE
    ) -> None:
        self._around = around
        self._builtins = builtins
        self._variables = variables
        self._engine = engine
        self._views: dict[str, Any] = {}
        self._shown: dict[str, str] = {}
        for shown, home in engine.items():
            self._shown.setdefault(home, shown)

    # ---- what the rewritten script calls ----

    def module(self, path: str) -> Any:
        """`import a.b as c`.

        Raises:
            NotImported: no script here can import it.
        """
        found = self._views.get(path)
        if found is None:
            found = self._views[path] = self._make(path)
        return found

    def package(self, path: str) -> Any:
        """`import a.b`, which binds `a` and sees to it that `a.b` is there."""
        parts = path.split(".")
        for end in range(1, len(parts) + 1):
            made = self.module(".".join(parts[:end]))
            if end > 1 and type(inner := self.module(".".join(parts[: end - 1]))) is ModuleView:
                vars(inner)[parts[end - 1]] = made
        return self.module(parts[0])

    def imported(self, path: str, name: str) -> Any:
        """`from a import b`.

        Raises:
            ImportError: there is no such name.
            NotImported: no script here can import the module.
        """
        module = self.module(path)
        if name[:1] != "_" and f"{path}.{name}" in self._engine and f"{path}.{name}" not in self._views:
            try:
                return self.module(f"{path}.{name}")
            except NotImported:
                pass
        try:
            return read(module, name)
        except AttributeError as error:
            if isinstance(error, NotImplementedError):  # beyond the engine, in its own words
                raise
            try:
                return self.module(f"{path}.{name}")
            except NotImported:
                raise ImportError(f"cannot import name '{name}' from '{path}'", name=name) from None

    def star(self, path: str) -> None:
        """`from a import *`."""
        module = self.module(path)
        if type(module) is not ModuleView:
            return
        for name, value in names_of(module).items():
            if name[:1] != "_" and not isinstance(value, ModuleType):
                self._variables[name] = value

    def import_by_name(
        self,
        name: Any,
        globals: Any = None,
        locals: Any = None,  # noqa: ARG002
        fromlist: Any = (),
        level: int = 0,  # noqa: ARG002
    ) -> Any:
        """`__import__`.

        Python itself calls it with the script's own variables where a function written in C needs another module, such
        as `datetime.strptime`; no script has that dict, nor sees what is imported so.
        """
        if globals is self._variables:
            return importlib.import_module(name)
        if type(name) is not str:
            raise TypeError("__import__() argument 1 must be str")
        return self.module(name) if fromlist else self.package(name)

    def paths(self) -> tuple[str, ...]:
        """The modules that a script can import, but for those whose calls are taken silently."""
        return (*self._engine, *PYTHON, *self._stand_ins())

    # ---- making ----

    def _make(self, path: str) -> Any:
        if path.startswith("."):
            raise ImportError("attempted relative import with no known parent package")
        if path in self._engine:
            return self._engine_view(path)
        if path in PYTHON:
            return view(path, {**self._python_names(path), **self._instead(path)}, _absent(path))
        stand_in = self._stand_ins().get(path)
        if stand_in is not None:
            return view(path, stand_in(), _absent(path))
        if path.partition(".")[0] in plotting.SILENT:
            return plotting.silent_module(path, self._around)
        if path in sys.stdlib_module_names and self._is_never_used(path):
            return view(path, {}, _beyond(path))
        raise NotImported(f"No module named '{path}'", name=path)

    def _is_never_used(self, path: str) -> bool:
        """Whether the module's name stands in the script once: where it is imported."""
        lines = [line for line in self._around.text.split("\n") if re.search(rf"\b{path}\b", line)]
        return len(lines) == 1 and re.match(rf"\s*(?:import|from)\b(?!.*\b{path}\b.*\b{path}\b)", lines[0]) is not None

    def _python_names(self, path: str) -> dict[str, Any]:
        module = importlib.import_module(path)
        wanted = PYTHON[path]
        if wanted == ALL:
            names = getattr(module, "__all__", None) or [name for name in vars(module) if name[:1] != "_"]
        else:
            names = wanted.split()
        denied = DENIED.get(path, frozenset())
        found = {name: getattr(module, name) for name in names if name not in denied and hasattr(module, name)}
        return {name: visible(value) for name, value in found.items() if not isinstance(value, ModuleType)}

    def _instead(self, path: str) -> dict[str, Any]:
        if path == "collections":
            return {"namedtuple": classes.namedtuple, "abc": self.module("collections.abc")}
        if path == "pprint":
            return {"pprint": self._pprint, "pp": functools.partial(self._pprint, sort_dicts=False)}
        if path == "decimal":
            let_write(decimal.Context, "prec", "rounding", "Emin", "Emax", "capitals", "clamp")
            let_write(decimal.getcontext().__class__, "prec", "rounding")
        return dict(_INSTEAD.get(path, {}))

    def _pprint(self, value: Any, stream: Any = None, **named: Any) -> None:
        text = pprint.pformat(value, **named) + "\n"
        self._around.print(text, end="", file=stream)

    def _stand_ins(self) -> dict[str, Callable[[], dict[str, Any]]]:
        around = self._around
        return {
            "numpy": self._numpy, "numpy.testing": arrays.testing_names, "numpy.lib.stride_tricks": arrays.stride_names,
            "numpy.lib": lambda: {"stride_tricks": self.module("numpy.lib.stride_tricks")},
            "numpy.typing": arrays.typing_names,
            **{path: (lambda path=path: arrays.submodule_names(path)) for path in arrays.SUBMODULES.values()},  # type: ignore[misc]
            "sys": lambda: library.sys_names(around), "os": lambda: library.os_names(self.module("os.path")),
            "os.path": library.path_names, "pathlib": library.pathlib_names,
            "platform": library.platform_names, "gc": library.gc_names, "time": library.time_names,
            "timeit": library.timeit_names, "contextlib": lambda: library.contextlib_names(around),
            "io": library.io_names, "warnings": library.warnings_names,
            "traceback": lambda: library.traceback_names(around),
            "argparse": lambda: command_line.argparse_names(around),
            "logging": lambda: library.logging_names(around), "types": library.types_names,
            "builtins": self._builtins.public, "inspect": library.inspect_names, "doctest": self._doctest,
        }  # fmt: skip

    def _doctest(self) -> dict[str, Any]:
        from gradviz.run.examples import Examples  # loads unittest and pdb, which other scripts need not wait for

        return Examples(self._around, self._variables).names()

    def _numpy(self) -> dict[str, Any]:
        names = arrays.numpy_names()
        for name, path in arrays.SUBMODULES.items():
            names[name] = self.module(path)
        return {**names, "testing": self.module("numpy.testing"), "lib": self.module("numpy.lib")}

    def _engine_view(self, path: str) -> ModuleView:
        try:
            real = importlib.import_module(self._engine[path])
        except ModuleNotFoundError as error:
            raise NotImported(f"No module named '{path}'", name=path) from error
        public = getattr(real, "__all__", None)
        names = [name for name in vars(real) if name[:1] != "_" or name in SHOWN] if public is None else public
        given: dict[str, Any] = {}
        for name in names:
            value = getattr(real, name)
            if not isinstance(value, ModuleType):
                given[name] = value
            elif value.__name__ in self._shown:
                given[name] = self.module(self._shown[value.__name__])
        if isinstance(version := getattr(real, "__version__", None), str):
            given["__version__"] = version

        def find(name: str) -> Any:
            if f"{path}.{name}" in self._engine:
                try:
                    return self.module(f"{path}.{name}")
                except NotImported:
                    pass
            fallback = vars(real).get("__getattr__")
            if fallback is not None:
                value = fallback(name)
                if not isinstance(value, ModuleType):
                    return value
            raise AttributeError(f"module '{path}' has no attribute '{name}'")

        return view(path, given, find)


def _absent(path: str) -> Callable[[str], Any]:
    """What is said of a name that a module of Python or numpy has, and scripts have not."""

    def find(name: str) -> Any:
        if name in dir(importlib.import_module(path)):
            raise Beyond(f"{path}.{name}")
        raise AttributeError(f"module '{path}' has no attribute '{name}'")

    return find


def _beyond(path: str) -> Callable[[str], Any]:
    def find(_: str) -> Any:
        raise NotImported(f"No module named '{path}'", name=path)

    return find


def _get_args(kind: Any) -> Any:
    return tuple(visible(each) for each in typing.get_args(kind))


def _get_origin(kind: Any) -> Any:
    return visible(typing.get_origin(kind))


def single_dispatch(function: Any) -> Any:
    """`functools.singledispatch`, which evaluates no annotations that are texts."""
    made = functools.singledispatch(function)
    table: Any = made.register

    def register(cls: Any, func: Any = None) -> Any:
        if _is_kind(cls):
            return table(_unmasked(cls), func) if func is not None else lambda func: table(_unmasked(cls), func)
        if func is not None:
            raise TypeError("Invalid first argument to `register()`. " + repr(cls) + " is not a class or union type.")
        annotations = [kind for name, kind in getattr(cls, "__annotations__", {}).items() if name != "return"]
        if not annotations:
            raise TypeError(
                f"Invalid first argument to `register()`: {cls!r}. "
                "Use either `@register(some_class)` or plain `@register` on an annotated function."
            )
        first = _named_kind(annotations[0], cls)
        if not _is_kind(first):
            raise Refused("register takes a class here, or a function whose first argument is annotated with one")
        return table(_unmasked(first), cls)

    made.register = register  # type: ignore[method-assign]
    return made


def _named_kind(annotation: Any, function: Any) -> Any:
    """What an annotation names that is kept as a text, where it is a name such as "torch.Tensor"; none is evaluated."""
    if type(annotation) is not str or not is_script_function(function):
        return annotation
    variables = function.__globals__
    first, *rest = annotation.split(".")
    found = variables.get(first, variables["__builtins__"].get(first))
    for name in rest:
        found = read(found, name)
    return found


def _is_kind(value: Any) -> bool:
    """Whether it is a class, or a union of classes."""
    if type(value) in (types.UnionType, type(typing.Union[int, str])):  # noqa: UP007
        return all(is_class(each) for each in value.__args__)
    return is_class(value)


class SingleDispatchMethod(functools.singledispatchmethod):  # type: ignore[type-arg]
    """`functools.singledispatchmethod`, likewise."""

    def __init__(self, func: Any) -> None:
        self.dispatcher = single_dispatch(func)
        self.func = func


SingleDispatchMethod.__module__, SingleDispatchMethod.__qualname__ = "functools", "singledispatchmethod"


def _unmasked(kind: Any) -> Any:
    return real(kind) if is_class(kind) else kind


_INSTEAD: dict[str, dict[str, Any]] = {
    "abc": {"ABCMeta": classes.ABCMeta},
    "copy": {"deepcopy": copies.deepcopy},
    "dataclasses": {"dataclass": classes.dataclass, "make_dataclass": classes.make_dataclass},
    "enum": {**classes.ENUMS, "EnumMeta": classes.EnumType, "EnumType": classes.EnumType},
    "functools": {
        "wraps": classes.wraps, "update_wrapper": classes.update_wrapper, "cached_property": classes.cached_property,
        "singledispatch": single_dispatch, "singledispatchmethod": SingleDispatchMethod,
        "total_ordering": classes.total_ordering,
    },
    "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller},
    "typing": {"NamedTuple": classes.NamedTuple, "get_args": _get_args, "get_origin": _get_origin},
}  # fmt: skip
"""What stands in for a name of a module."""
