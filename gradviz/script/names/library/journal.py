"""`logging` and `traceback`: they speak on the error stream, as in Python, or where a handler sends them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.errors import GradvizError, TorchError
from gradviz.script import attributes
from gradviz.script.exceptions import value_of
from gradviz.script.formatting import checked, percent
from gradviz.script.machine import Machine
from gradviz.script.names.library.making import natives, with_machine
from gradviz.script.names.surroundings import Settings
from gradviz.script.values import Class, Instance, Namespace, Native

LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50, "NOTSET": 0, "WARN": 30, "FATAL": 50}
NAMES = {10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL", 0: "NOTSET"}
BASIC = "%(levelname)s:%(name)s:%(message)s"


class Journal:
    """The loggers of a run."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.is_set_up = False
        self.level = 30
        self.format = BASIC
        self.write: Callable[[str], Any] = machine.warnings.aside
        self.levels: dict[str, int] = {}
        self.disabled = 0

    def set_up(
        self, *, level: Any = None, format: str = BASIC, stream: Any = None, handlers: Any = None, style: str = "%",
        force: bool = False, **_: Any,
    ) -> None:  # fmt: skip
        """`logging.basicConfig`: only the first counts."""
        if self.is_set_up and not force:
            return
        self.is_set_up = True
        self.format = format if style == "%" else BASIC
        if level is not None:
            self.level = number_of(level)
        for handler in handlers or ():
            stream = getattr(handler, "stream", None) or stream
        if stream is not None:
            self.write = self.to(stream)

    def to(self, stream: Any) -> Callable[[str], Any]:
        """How to write to what the script gave."""
        return lambda text: self.machine.call(attributes.get(self.machine, stream, "write"), (text,), {})

    def level_of(self, name: str) -> int:
        """The level that holds for a logger: its own, or that of those around it."""
        while name:
            if self.levels.get(name):
                return self.levels[name]
            name = name.rpartition(".")[0]
        return self.level

    def say(self, name: str, level: int, message: Any, arguments: tuple[Any, ...]) -> None:
        """One line, where the level is high enough."""
        if level < self.level_of(name) or level <= self.disabled:
            return
        is_named = len(arguments) == 1 and isinstance(arguments[0], dict)
        text = percent(str(message), arguments[0] if is_named else arguments) if arguments else str(message)
        shown = self.format if self.is_set_up else "%(message)s"
        self.write(self._filled(shown, name or "root", level, text) + "\n")

    def _filled(self, pattern: str, name: str, level: int, text: str) -> str:
        from logging import Formatter, makeLogRecord

        record = makeLogRecord({
            "name": name, "levelno": level, "levelname": NAMES.get(level, f"Level {level}"), "msg": text,
            "lineno": self.machine.line, "filename": "script.py", "module": "script", "funcName": "<module>",
            "threadName": "MainThread",
        })  # fmt: skip
        return Formatter(checked(pattern), validate=False).format(record)


def number_of(level: Any) -> int:
    """A level by its name or number."""
    if isinstance(level, str):
        if level not in LEVELS:
            raise TorchError(f"Unknown level: {level!r}", kind="ValueError")
        return LEVELS[level]
    return int(level)


def _logger(journal: Journal, name: str) -> Namespace:
    """What `getLogger` gives."""

    def at(level: int) -> Callable[..., None]:
        return lambda message, *arguments, **_: journal.say(name, level, message, arguments)

    def set_level(level: Any) -> None:
        made.members["level"] = number_of(level)
        if name:
            journal.levels[name] = number_of(level)
        else:
            journal.level = number_of(level)

    handlers: list[Any] = []

    def add(handler: Any) -> None:
        handlers.append(handler)
        if getattr(handler, "stream", None) is not None:
            journal.write = journal.to(handler.stream)
        if getattr(handler, "format", None):
            journal.format, journal.is_set_up = handler.format, True

    levels = {"debug": 10, "info": 20, "warning": 30, "warn": 30, "error": 40, "critical": 50, "exception": 40}
    quiet = ("removeHandler", "addFilter")
    made = Settings(f"logging.Logger {name}", {
        **natives({key: at(level) for key, level in levels.items()}), **natives(dict.fromkeys(quiet, lambda *_: None)),
        **natives({
            "log": lambda level, message, *arguments: journal.say(name, number_of(level), message, arguments),
            "setLevel": set_level, "addHandler": add, "isEnabledFor": lambda level: level >= journal.level_of(name),
            "getEffectiveLevel": lambda: journal.level_of(name), "hasHandlers": lambda: journal.is_set_up,
        }),
        "name": name or "root", "level": journal.levels.get(name, 0) if name else journal.level, "handlers": handlers,
        "propagate": True,
    })  # fmt: skip
    return made


class Handler(Namespace):
    """`logging.StreamHandler`."""

    __slots__ = ("format", "stream")

    def __init__(self, stream: Any = None) -> None:
        super().__init__("logging.StreamHandler", {})
        self.stream = stream
        self.format = ""
        self.members |= natives({
            "setFormatter": self._set, "setLevel": lambda level: None, "flush": lambda: None,
        })  # fmt: skip

    def _set(self, formatter: Any) -> None:
        self.format = getattr(formatter, "pattern", "")


class Formatter(Namespace):
    """`logging.Formatter`."""

    __slots__ = ("pattern",)

    def __init__(self, fmt: str = BASIC, *_: Any, **__: Any) -> None:
        super().__init__("logging.Formatter", {})
        self.pattern = fmt


def module(machine: Machine) -> Namespace:
    """`logging`."""
    journal = Journal(machine)
    known: dict[str, Namespace] = {}

    def get(name: str = "") -> Namespace:
        return known.setdefault(name or "", _logger(journal, name or ""))

    def disable(level: Any = 50) -> None:
        journal.disabled = number_of(level)

    root = get()
    said = ("debug", "info", "warning", "warn", "error", "critical", "exception", "log")
    return Namespace("logging", {
        **LEVELS, **{key: _with_set_up(journal, root.members[key]) for key in said},
        **natives({
            "basicConfig": journal.set_up, "getLogger": get, "disable": disable, "StreamHandler": Handler,
            "Formatter": Formatter, "getLevelName": lambda level: NAMES.get(level, level),
            "captureWarnings": lambda on: None, "shutdown": lambda: None, "NullHandler": Handler,
        }),
    })  # fmt: skip


def _with_set_up(journal: Journal, say: Native) -> Native:
    """The functions of the module set logging up where nobody has."""

    def run(*arguments: Any, **named: Any) -> None:
        journal.set_up()
        say.run(*arguments, **named)

    return Native(say.name, run)


# ---- traceback ----


def _last_line(error: GradvizError, value: Instance) -> str:
    text = str(value)
    cls: Class = value.cls
    name = f"{cls.module}.{cls.qualname}" if cls.module not in ("", "__main__") else cls.qualname
    return f"{name}: {text}\n" if text else f"{name}\n"


def traceback_module(machine: Machine) -> Namespace:
    """`traceback`: the error and its line; the frames between are not shown."""

    def now(machine: Machine, *_: Any, **__: Any) -> str:
        if not machine.handling:
            return "NoneType: None\n"
        error = machine.handling[-1]
        place = f'  File "script.py", line {error.line}\n' if error.line is not None else ""
        return f"Traceback (most recent call last):\n{place}{_last_line(error, value_of(machine, error))}"

    def only(machine: Machine, error: Any, value: Any = None, **_: Any) -> list[str]:
        given = error if isinstance(error, Instance) else value
        return [_last_line(TorchError(""), given)] if isinstance(given, Instance) else ["NoneType: None\n"]

    return Namespace("traceback", with_machine({
        "format_exc": now, "print_exc": lambda machine, *_, **__: machine.warnings.aside(now(machine)),
        "format_exception_only": only, "print_stack": lambda machine, *_, **__: None,
        "format_exception": lambda machine, *given, **_: only(machine, *given),
        "print_exception": lambda machine, *given, **_: machine.warnings.aside("".join(only(machine, *given))),
    }))  # fmt: skip
