"""`ExceptionGroup`, and the handlers of `except*`, each of which takes the part of a group that it names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.errors import Cancelled, GradvizError, ScriptError, TorchError
from gradviz.imitation.script.errors.exceptions import Handler, handled_by, matches, raised, value_of
from gradviz.imitation.script.machine import Frame, Machine
from gradviz.imitation.script.producer import Steps
from gradviz.imitation.script.values import Class, Instance, Native, Raised, type_name

MEMBERS = "exceptions"


def _begin(self: Instance, message: Any, members: Any) -> None:
    if not isinstance(message, str):
        raise TorchError(
            f"BaseExceptionGroup.__new__() argument 1 must be str, not {type_name(message)}", kind="TypeError"
        )
    listed = tuple(members)
    if not listed:
        raise TorchError("second argument (exceptions) must be a non-empty sequence", kind="ValueError")
    base = self.machine.state["exceptions"]["BaseException"]
    for number, each in enumerate(listed):
        if not isinstance(each, Instance) or not each.cls.is_a(base):
            text = f"Item {number} of second argument (exceptions) is not an exception"
            raise TorchError(text, kind="ValueError")
    self.attributes |= {"args": (message, list(listed)), "message": message, MEMBERS: listed}


def _text(self: Instance) -> str:
    count = len(self.attributes[MEMBERS])
    return f"{self.attributes['message']} ({count} sub-exception{'s' if count != 1 else ''})"


def _repr(self: Instance) -> str:
    return f"{self.cls.name}({self.attributes['message']!r}, {list(self.attributes[MEMBERS])!r})"


def is_group(value: Instance) -> bool:
    """Whether an exception holds others."""
    return MEMBERS in value.attributes and any(cls.name == "BaseExceptionGroup" for cls in value.cls.mro)


def _alike(group: Instance, members: list[Instance]) -> Instance | None:
    """A group with some of the members, or None where there are none."""
    if not members:
        return None
    made: Instance = group.machine.call(group.cls, (group.attributes["message"], members), {})
    made.attributes |= {key: value for key, value in group.attributes.items() if key not in made.attributes}
    return made


def split(value: Instance, fits: Callable[[Instance], bool]) -> tuple[Instance | None, Instance | None]:
    """The part of an exception that fits and the rest, each a group of the same shape."""
    if fits(value):
        return value, None
    if not is_group(value):
        return None, value
    pairs = [split(each, fits) for each in value.attributes[MEMBERS]]
    inside, outside = ([part for part in side if part is not None] for side in zip(*pairs, strict=True))
    return _alike(value, inside), _alike(value, outside)


def _fitting(machine: Machine, kinds: Any) -> Callable[[Instance], bool]:
    if isinstance(kinds, Class | tuple):
        return lambda value: matches(machine, Raised(value, ""), kinds)
    return lambda value: bool(machine.call(kinds, (value,), {}))


def classes(known: dict[str, Class]) -> dict[str, Class]:
    """The classes of groups, for the tree of exceptions."""
    table: dict[str, Callable[..., Any]] = {
        "__init__": _begin, "__str__": _text, "__repr__": _repr, "derive": _alike,
        "split": lambda self, kinds: split(self, _fitting(self.machine, kinds)),
        "subgroup": lambda self, kinds: split(self, _fitting(self.machine, kinds))[0],
    }  # fmt: skip
    methods = {name: Native(name, run, is_method=True) for name, run in table.items()}
    base = Class("BaseExceptionGroup", (known["BaseException"],), methods, module="")
    group = Class("ExceptionGroup", (base, known["Exception"]), {}, module="")
    base.is_generic = group.is_generic = True
    return {cls.name: cls for cls in (base, group)}


# ---- except* ----


def handled_by_parts(frame: Frame, error: GradvizError, handlers: list[Handler]) -> Steps:
    """Run each handler on its part; what no handler takes, and what handlers raise, goes on together.

    Raises:
        GradvizError: the error itself, or a group of what is left.
    """
    machine = frame.machine
    value = value_of(machine, error)
    rest: Instance | None = value
    problems: list[Instance] = []
    for handler in handlers:
        if rest is None:
            break
        assert handler.kinds is not None
        taken, rest = split(rest, _fitting(machine, handler.kinds(frame)))
        if taken is not None:
            yield from _one(frame, handler, taken, problems)
    if problems:
        left = problems if rest is None else [*problems, rest]
        raise raised(machine, machine.call(machine.state["exceptions"]["ExceptionGroup"], ("", left), {}))
    if rest is value:
        raise error
    if rest is not None:
        raise raised(machine, rest)


def _one(frame: Frame, handler: Handler, taken: Instance, problems: list[Instance]) -> Steps:
    machine = frame.machine
    if not is_group(taken):
        taken = machine.call(machine.state["exceptions"]["ExceptionGroup"], ("", [taken]), {})
    try:
        yield from handled_by(frame, raised(machine, taken), handler)
    except (Cancelled, ScriptError):
        raise
    except GradvizError as error:
        problems.append(value_of(machine, error))
