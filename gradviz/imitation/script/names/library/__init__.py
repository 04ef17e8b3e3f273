"""Python's standard library, as far as scripts of this kind use it: harmless stand-ins, made when first imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library import (
    abstract,
    clock,
    codes,
    command_line,
    comparing,
    containers,
    contexts,
    copying,
    docs,
    enums,
    exact,
    folders,
    functional,
    iterators,
    journal,
    kinds,
    looking,
    notebook,
    numbers,
    ordered,
    packing,
    progress,
    queues,
    records,
    regular,
    samples,
    streams,
    system,
    tables,
    temporary,
    texts,
    traces,
    typing_names,
    unit_tests,
    weak,
)
from gradviz.imitation.script.names.library.warning_filters import warnings_module
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.values import Namespace

MAKERS: dict[str, Callable[[Machine], Namespace]] = {
    "IPython": notebook.module,
    "abc": abstract.module,
    "argparse": command_line.module,
    "base64": codes.base64_module,
    "bisect": ordered.bisect_module,
    "calendar": codes.calendar_module,
    "cmath": numbers.cmath_module,
    "collections": containers.module,
    "contextlib": contexts.module,
    "copy": copying.module,
    "csv": tables.module,
    "dataclasses": records.module,
    "datetime": clock.datetime_module,
    "decimal": exact.decimal_module,
    "difflib": comparing.module,
    "doctest": docs.module,
    "enum": enums.module,
    "fractions": exact.fractions_module,
    "functools": functional.module,
    "gc": system.gc_module,
    "glob": folders.glob_module,
    "hashlib": codes.hashlib_module,
    "heapq": ordered.heapq_module,
    "html": texts.html_module,
    "inspect": looking.module,
    "io": streams.module,
    "itertools": iterators.module,
    "json": texts.json_module,
    "logging": journal.module,
    "math": numbers.math_module,
    "numbers": kinds.numbers_module,
    "operator": functional.operator_module,
    "os": system.os_module,
    "pathlib": system.pathlib_module,
    "pickle": packing.module,
    "platform": system.platform_module,
    "pprint": texts.pprint_module,
    "queue": queues.module,
    "random": numbers.random_module,
    "re": regular.module,
    "shutil": folders.moving_module,
    "statistics": samples.module,
    "string": texts.string_module,
    "struct": codes.struct_module,
    "sys": system.sys_module,
    "tempfile": temporary.module,
    "textwrap": texts.textwrap_module,
    "time": clock.time_module,
    "timeit": clock.timeit_module,
    "tqdm": progress.module,
    "traceback": traces.module,
    "types": kinds.types_module,
    "typing": typing_names.module,
    "typing_extensions": typing_names.module,
    "unittest": unit_tests.module,
    "unicodedata": texts.unicode_module,
    "weakref": weak.module,
    "warnings": warnings_module,
}

SILENT = (
    "matplotlib", "mpl_toolkits", "seaborn", "pylab", "plotly", "ipywidgets", "google", "torchviz",
    "graphviz",
    "tensorboardX", "wandb", "visdom", "pydot",
)  # fmt: skip
"""Drawing and logging elsewhere: taken, and named in the output."""


class Modules(dict[str, Any]):
    """Modules by name; one of the library is made when it is first asked for."""

    def __init__(self, machine: Machine, ready: dict[str, Any]) -> None:
        super().__init__(ready)
        self._machine = machine

    def __missing__(self, name: str) -> Any:
        if name in MAKERS:
            self[name] = made = MAKERS[name](self._machine)
        elif name in SILENT:
            self[name] = made = Silent(name, self._machine)
        else:
            raise KeyError(name)
        return made

    def get(self, name: str, default: Any = None) -> Any:
        """The module, or the default."""
        return self[name] if name in self or name in MAKERS or name in SILENT else default

    @property
    def names(self) -> list[str]:
        """What can be imported."""
        return sorted({*self, *MAKERS} - set(SILENT))
