"""Exceptions of a script: classes by name, `raise`, and `try` with what it catches.

An error of the engine and an exception that the script raised are caught alike, by the class's name. Limits,
Stop and unsupported syntax cannot be caught.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from gradviz.errors import GradvizError, TorchError
from gradviz.imitation.script.errors.failures import Code, WithValue, located
from gradviz.imitation.script.machine import Frame, Machine
from gradviz.imitation.script.producer import Steps
from gradviz.imitation.script.syntax.forms import expression
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.syntax.steps import StepCode
from gradviz.imitation.script.values import Class, Instance, Native, Property, Raised, Static, type_name

TREE = """
BaseException > Exception KeyboardInterrupt SystemExit GeneratorExit
Exception > ArithmeticError AssertionError AttributeError BufferError EOFError ImportError LookupError MemoryError
Exception > NameError OSError ReferenceError RuntimeError StopIteration StopAsyncIteration SyntaxError SystemError
Exception > TypeError ValueError Warning
ArithmeticError > ZeroDivisionError OverflowError FloatingPointError
LookupError > IndexError KeyError
NameError > UnboundLocalError
RuntimeError > NotImplementedError RecursionError
ImportError > ModuleNotFoundError
SyntaxError > IndentationError
ValueError > UnicodeError
UnicodeError > UnicodeDecodeError UnicodeEncodeError
OSError > BlockingIOError ChildProcessError ConnectionError FileExistsError FileNotFoundError InterruptedError
ConnectionError > BrokenPipeError ConnectionAbortedError ConnectionRefusedError ConnectionResetError
OSError > IsADirectoryError NotADirectoryError PermissionError ProcessLookupError TimeoutError
Warning > BytesWarning DeprecationWarning FutureWarning ImportWarning PendingDeprecationWarning ResourceWarning
Warning > RuntimeWarning SyntaxWarning UnicodeWarning UserWarning
"""
ALIASES = {"IOError": "OSError", "EnvironmentError": "OSError"}

CAUSE, CONTEXT, NO_CONTEXT, TRACE, NAME = " cause", " context", " suppressed", " traceback", " name"
"""Under these names an exception keeps what it came from; no script can spell them."""


class Traceback:
    """Where an exception came from, of which a script sees the line alone."""

    shown_as = "traceback"
    FIELDS = ("tb_lineno", "tb_next")

    def __init__(self, line: int | None) -> None:
        self.tb_lineno = line
        self.tb_next = None

    def __repr__(self) -> str:
        return "<traceback object at 0x7f0000000000>"


def _init(self: Instance, *arguments: Any) -> None:
    self.attributes["args"] = arguments


def _text(self: Instance) -> str:
    arguments = self.attributes.get("args", ())
    if not arguments:
        return ""
    if len(arguments) == 1:
        return repr(arguments[0]) if self.cls.name == "KeyError" else str(arguments[0])
    return str(arguments)


def _repr(self: Instance) -> str:
    arguments = self.attributes.get("args", ())
    inside = repr(arguments[0]) if len(arguments) == 1 else ", ".join(map(repr, arguments))
    return f"{self.cls.name}({inside})"


def _note(self: Instance, note: Any) -> None:
    if not isinstance(note, str):
        raise TorchError(f"note must be a str, not '{type_name(note)}'", kind="TypeError")
    self.attributes.setdefault("__notes__", []).append(note)


def _kept(key: str, otherwise: Any = None) -> Property:
    """An attribute kept under a name that no script can spell."""
    return Property(Native(key, lambda self: self.attributes.get(key, otherwise), is_method=True))


def _first(name: str) -> Property:
    """`value` of StopIteration and `code` of SystemExit: the first argument."""
    return Property(Native(name, lambda self: (*self.attributes.get("args", ()), None)[0], is_method=True))


def _of_system(name: str, place: int) -> Property:
    """`errno` and the like: arguments, where at least two are given."""

    def run(self: Instance) -> Any:
        arguments = self.attributes.get("args", ())
        return arguments[place] if 2 <= len(arguments) > place else None

    return Property(Native(name, run, is_method=True))


def _system_text(self: Instance) -> str:
    arguments = self.attributes.get("args", ())
    if len(arguments) < 2:
        return _text(self)
    where = f": {arguments[2]!r}" if len(arguments) > 2 else ""
    return f"[Errno {arguments[0]}] {arguments[1]}{where}"


UNICODE = {"UnicodeDecodeError": UnicodeDecodeError, "UnicodeEncodeError": UnicodeEncodeError}
IN_UNICODE = ("encoding", "object", "start", "end", "reason")


def _argument(name: str, place: int) -> Property:
    """An attribute that is the argument at its place."""
    return Property(Native(name, lambda self: self.attributes["args"][place], is_method=True))


def _unicode_text(self: Instance) -> str:
    arguments = self.attributes.get("args", ())
    return str(UNICODE[self.cls.name](*arguments)) if len(arguments) == len(IN_UNICODE) else _text(self)


def _of_number(machine: Machine, cls: Class, *arguments: Any, **keywords: Any) -> Instance:
    """`OSError(2, text)` is a FileNotFoundError: the class goes by the number."""
    from gradviz.imitation.script.syntax.classes import blank

    classes = machine.state["exceptions"]
    if cls is classes["OSError"] and len(arguments) > 1 and type(arguments[0]) is int:
        cls = classes[type(OSError(arguments[0], "")).__name__]
    return blank(machine, cls, arguments, keywords)


def exception_classes(base: Class) -> dict[str, Class]:
    """The classes of Python's exceptions that a script may name."""
    table: dict[str, Callable[..., Any]] = {
        "__init__": _init, "__str__": _text, "__repr__": _repr, "with_traceback": lambda self, _: self,
        "add_note": _note,
    }  # fmt: skip
    methods: dict[str, Any] = {name: Native(name, run, is_method=True) for name, run in table.items()}
    methods |= {
        "__cause__": _kept(CAUSE),
        "__context__": _kept(CONTEXT),
        "__suppress_context__": _kept(NO_CONTEXT, False),
    }
    methods["__traceback__"] = _kept(TRACE)
    classes = {"BaseException": Class("BaseException", (base,), methods, module="")}
    for line in TREE.strip().splitlines():
        parent, children = line.split(" > ")
        for name in children.split():
            classes[name] = Class(name, (classes[parent],), {}, module="")
    for place, name in enumerate(("errno", "strerror", "filename")):
        classes["OSError"].attributes[name] = _of_system(name, place)
    classes["OSError"].attributes["__new__"] = Static(Native("__new__", _of_number, needs_machine=True))
    classes["OSError"].attributes["__str__"] = Native("__str__", _system_text, is_method=True)
    for kind in UNICODE:
        classes[kind].attributes |= {name: _argument(name, place) for place, name in enumerate(IN_UNICODE)}
        classes[kind].attributes["__str__"] = Native("__str__", _unicode_text, is_method=True)
    for kind in ("NameError", "AttributeError", "ImportError"):
        classes[kind].attributes["name"] = _kept(NAME)
    classes["StopIteration"].attributes["value"] = _first("value")
    classes["SystemExit"].attributes["code"] = _first("code")
    return classes | {alias: classes[name] for alias, name in ALIASES.items()}


def value_of(machine: Machine, error: GradvizError) -> Instance:
    """The exception object a script sees for an error; the same one each time it looks."""
    if isinstance(error, Raised):
        error.value.attributes[TRACE] = Traceback(error.line)
        return error.value
    seen: Instance | None = getattr(error, "seen", None)
    if seen is None:
        seen = error.seen = _made_value(machine, error)  # type: ignore[attr-defined]
        seen.attributes[TRACE] = Traceback(error.line)
    return seen


def _made_value(machine: Machine, error: GradvizError) -> Instance:
    kind = error.kind if isinstance(error, TorchError) else "RuntimeError"
    classes = machine.state["exceptions"]
    value = Instance(classes.get(kind, classes["RuntimeError"]), machine)
    text: Any = error.message
    if kind == "KeyError" and text[:1] in ("'", '"'):
        with contextlib.suppress(ValueError, SyntaxError):
            text = ast.literal_eval(text)  # the message is the repr of the key already
    value.attributes["args"] = (text,) if text or kind not in WITHOUT_TEXT else ()
    if isinstance(error, WithValue):
        value.attributes["args"] = error.arguments
    if kind in NAMING and (found := NAMED.search(str((*value.attributes["args"], "")[0]))):
        value.attributes[NAME] = found[1]
    return value


NAMING = ("NameError", "UnboundLocalError", "AttributeError", "ModuleNotFoundError")
"""Exceptions that keep the name that was looked for, where it was not the script that made them."""

NAMED = re.compile(r"(?:name|variable|attribute|named) '([^']+)'")


WITHOUT_TEXT = ("AssertionError", "StopIteration")
"""Exceptions that have no argument where there is no message."""


def raised(machine: Machine, value: Any, *more: Any) -> Raised:
    """What `raise value` raises.

    Raises:
        TorchError: it is no exception, or its class cannot be made.
    """
    if isinstance(value, Class):
        value = more[0] if more and isinstance(more[0], Instance) else machine.call(value, more, {})
    base = machine.state["exceptions"]["BaseException"]
    if not isinstance(value, Instance) or not value.cls.is_a(base):
        raise TorchError("exceptions must derive from BaseException", kind="TypeError")
    return Raised(value, str(value))


def compile_raise(node: ast.Raise, scope: Scope) -> Code:
    """The code of `raise`."""
    if node.exc is None:
        return _raise_again(node)
    code = expression(node.exc, scope)
    reason = None if node.cause is None else expression(node.cause, scope)

    def run(frame: Frame) -> None:
        try:
            error = raised(frame.machine, code(frame))
            if reason is not None:
                _say_cause(frame.machine, error.value, reason(frame))
        except GradvizError as problem:
            raise located(problem, node) from None
        handling = frame.machine.handling
        if handling and (context := value_of(frame.machine, handling[-1])) is not error.value:
            error.value.attributes[CONTEXT] = context
        raise located(error, node)

    return run


def _say_cause(machine: Machine, value: Instance, cause: Any) -> None:
    value.attributes[NO_CONTEXT] = True
    if cause is not None:
        value.attributes[CAUSE] = raised(machine, cause).value


def _raise_again(node: ast.Raise) -> Code:
    def run(frame: Frame) -> None:
        if not frame.machine.handling:
            raise located(TorchError("No active exception to reraise"), node)
        raise frame.machine.handling[-1]

    return run


AnyTry = ast.Try | ast.TryStar


class Handler(NamedTuple):
    """One `except`: the code of its classes (None for all), its name, its body."""

    kinds: Code | None
    name: str | None
    body: StepCode
    node: ast.ExceptHandler


def handlers_of(
    node: ast.Try | ast.TryStar, scope: Scope, block: Callable[[list[ast.stmt]], StepCode]
) -> list[Handler]:
    """The handlers of a `try`, their bodies compiled by `block`."""
    return [
        Handler(None if h.type is None else expression(h.type, scope), h.name, block(h.body), h) for h in node.handlers
    ]


def fitting(frame: Frame, error: GradvizError, handlers: list[Handler]) -> Handler | None:
    """The first handler that takes an error."""
    for handler in handlers:
        if handler.kinds is None or _fits(frame.machine, error, handler.kinds(frame), handler.node):
            return handler
    return None


def handled_by(frame: Frame, error: GradvizError, handler: Handler) -> Steps:
    """Run a handler's body; meanwhile the error is the one being handled, under the handler's name."""
    handling = frame.machine.handling
    if handling:
        came_upon(frame.machine, error, handling[-1])
    if handler.name is not None:
        frame.vars[handler.name] = value_of(frame.machine, error)
    handling.append(error)  # type: ignore[arg-type]
    try:
        return (yield from handler.body(frame))
    except GradvizError as later:
        came_upon(frame.machine, later, error)
        raise
    finally:
        if handling and handling[-1] is error:  # it is not where a generator is dropped in the midst of a handler
            handling.pop()
        if handler.name is not None:
            frame.vars.pop(handler.name, None)


def came_upon(machine: Machine, later: GradvizError, earlier: GradvizError) -> None:
    """Note that an error came while another was handled, unless it is known what it came upon."""
    if isinstance(later, TorchError) and isinstance(earlier, TorchError):
        value, context = value_of(machine, later), value_of(machine, earlier)
        if value is not context:
            value.attributes.setdefault(CONTEXT, context)


def _fits(machine: Machine, error: GradvizError, kinds: Any, node: ast.ExceptHandler) -> bool:
    try:
        return matches(machine, error, kinds)
    except TorchError as problem:
        raise located(problem, node) from None


def matches(machine: Machine, error: GradvizError, kinds: Any) -> bool:
    """Whether `except kinds` catches an error.

    Raises:
        TorchError: what is no class of exceptions.
    """
    value = value_of(machine, error)
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if isinstance(kind, tuple):
            if matches(machine, error, kind):
                return True
            continue
        if not isinstance(kind, Class):
            raise TorchError(
                f"catching classes that do not inherit from BaseException is not allowed (got {type_name(kind)})",
                kind="TypeError",
            )
        if value.cls.is_a(kind):
            return True
    return False


def left_with(error: GradvizError) -> tuple[int, str] | None:
    """What the script ended itself with, by `sys.exit()` or `exit(3)`: 0 to 255; None for an error.

    Anything but a number is what is said on the error stream, and the code is 1.
    """
    if not isinstance(error, Raised) or error.value.cls.name != "SystemExit":
        return None
    given = error.value.attributes["args"] or (None,)
    if len(given) > 1 or not isinstance(given[0], int | None):
        return 1, str(error.value)
    return int(given[0] or 0) & 0xFF, ""
