"""What `import` finds while a script runs, besides Python's own library and numpy.

torch is the engine, libraries that only show something are silent (`gradviz.run.plotting`), and a module beside the
script is rewritten as the script is, so that its lines and names are recorded too.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
)
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from gradviz.engine.errors import Beyond
from gradviz.run import levels
from gradviz.run.plotting import SILENT, Surroundings, silent_module

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

Compile = Callable[[str, str], CodeType]
"""Makes code of a text and its file."""


class Imports:
    """What is put into Python's import while a script runs, and taken out again.

    Args:
        engine: where torch comes from, by module; see `ENGINE`.
        around: the silent libraries' surroundings.
        folder: of the script; "" where it has none.
        compile: makes the code of a module beside the script.
    """

    def __init__(self, engine: Mapping[str, str], around: Surroundings, folder: str, compile: Compile) -> None:
        self._given = _GivenFinder(engine, around, folder)
        self._folder = folder
        self._compile = compile
        self._roots = (*engine, *SILENT)
        self._before: dict[str, ModuleType] = {}
        self._elsewhere: tuple[Path, ...] = ()

    def __enter__(self) -> Imports:
        self._before = {name: sys.modules.pop(name) for name in self._replaced()}
        sys.meta_path.insert(0, self._given)
        if self._folder:
            own = Path(__file__).resolve().parent.parent
            inside = [Path(path) for path in sys.path if Path(path).is_relative_to(self._folder)]
            self._elsewhere = (own, *(path for path in inside if path != Path(self._folder)))
            sys.path.insert(0, self._folder)
            sys.path_hooks.insert(0, self._finder)
            self._forget_folder()
        return self

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self._given)
        if self._folder:
            with suppress(ValueError):  # a script may have done so itself
                sys.path.remove(self._folder)
            sys.path_hooks.remove(self._finder)
            self._forget_folder()
        for name in [*self._replaced(), *_traced()]:
            sys.modules.pop(name, None)
            levels.MODULES.discard(name)
        sys.modules.update(self._before)

    def _replaced(self) -> list[str]:
        return [name for name in sys.modules if name.partition(".")[0] in self._roots]

    def _forget_folder(self) -> None:
        for path in [path for path in sys.path_importer_cache if path.startswith(self._folder)]:
            del sys.path_importer_cache[path]

    def _finder(self, path: str) -> FileFinder:
        """Python's own finder, whose modules are rewritten, for the script's folder and those inside it.

        Raises:
            ImportError: the path lies elsewhere, or a library lies there.
        """
        at = Path(path)
        if not at.is_relative_to(self._folder) or any(at.is_relative_to(root) for root in self._elsewhere):
            raise ImportError("not beside the script")
        loader = type("TracedLoader", (TracedLoader,), {"compile": staticmethod(self._compile)})
        return FileFinder(path, (ExtensionFileLoader, EXTENSION_SUFFIXES), (loader, SOURCE_SUFFIXES))


class TracedLoader(SourceFileLoader):
    """Loads a module beside the script, always from its text."""

    compile: Compile

    def get_code(self, fullname: str) -> CodeType:
        """Its code."""
        levels.MODULES.add(fullname)
        path = self.get_filename(fullname)
        return self.compile(importlib.util.decode_source(self.get_data(path)), path)


def _traced() -> list[str]:
    """The modules that were loaded so."""
    found = [(name, getattr(module, "__spec__", None)) for name, module in list(sys.modules.items())]
    return [name for name, spec in found if isinstance(getattr(spec, "loader", None), TracedLoader)]


class _GivenFinder(MetaPathFinder, Loader):
    """Finds torch in the engine, and what only shows something in silence."""

    def __init__(self, engine: Mapping[str, str], around: Surroundings, folder: str) -> None:
        self._engine = engine
        self._folder = folder
        self._around = around

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        """Where a module comes from.

        Raises:
            Beyond: `from torch import name` asks for what the engine says of itself that it has not.
        """
        home, _, last = name.rpartition(".")
        root = name.partition(".")[0]
        if (root in SILENT and not self._is_beside(root)) or (
            name in self._engine and importlib.util.find_spec(self._engine[name])
        ):
            return ModuleSpec(name, self, is_package=True)
        if home in self._engine and _is_asked_by_from():
            try:
                getattr(sys.modules[home], last)
            except Beyond:
                raise
            except AttributeError:
                pass
        return None

    def _is_beside(self, name: str) -> bool:
        """Whether the script has a module of its own of this name."""
        at = Path(self._folder, name)
        return bool(self._folder) and (at.with_suffix(".py").is_file() or at.joinpath("__init__.py").is_file())

    def create_module(self, spec: ModuleSpec) -> Any:
        """The module."""
        if spec.name in self._engine:
            return self._engine_module(spec.name)
        return silent_module(spec.name, self._around)

    def exec_module(self, module: ModuleType) -> None:
        """It is made already."""

    def _engine_module(self, path: str) -> ModuleType:
        """The public names of a module of the engine, under PyTorch's name."""
        real = importlib.import_module(self._engine[path])
        public = getattr(real, "__all__", None)
        made = ModuleType(path, real.__doc__)
        names = [name for name in vars(real) if name[:1] != "_" or name in SHOWN] if public is None else public
        for name in names:
            value = getattr(real, name)
            if not isinstance(value, ModuleType):
                setattr(made, name, value)
        if isinstance(version := getattr(real, "__version__", None), str):
            vars(made)["__version__"] = version
        inner = {path.rpartition(".")[2] for path in self._engine if path.rpartition(".")[0] == made.__name__}

        def find(name: str) -> Any:
            if name in inner:
                with suppress(ModuleNotFoundError):
                    return importlib.import_module(f"{path}.{name}")
            fallback = vars(real).get("__getattr__")
            if fallback is not None and name[:2] != "__":
                value = fallback(name)
                if not isinstance(value, ModuleType):
                    return value
            raise AttributeError(f"module '{path}' has no attribute '{name}'")

        vars(made)["__getattr__"] = find
        vars(made)["__dir__"] = lambda: sorted({*(name for name in vars(made) if name != "__getattr__"), *inner})
        return made


def _is_asked_by_from() -> bool:
    """Whether `from a import b` asks whether b is a module."""
    frame: Any = sys._getframe(2)
    while frame is not None and "importlib" in frame.f_code.co_filename:
        if frame.f_code.co_name == "_handle_fromlist":
            return True
        frame = frame.f_back
    return False
