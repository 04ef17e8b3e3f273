"""`inspect`: what a function or class says of itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.machine import Frame, Machine
from gradviz.imitation.script.names.library.making import natives, with_machine
from gradviz.imitation.script.producer import Producer
from gradviz.imitation.script.readers import READERS, fields, with_methods
from gradviz.imitation.script.syntax.calls import variables
from gradviz.imitation.script.values import Bound, Class, Function, Namespace, Native, Static

KINDS = inspect.Parameter
EMPTY = Class("_empty", module="inspect")


class Parameter:
    """One parameter of a signature."""

    def __init__(self, name: str, kind: Any, default: Any, annotation: Any) -> None:
        self.name, self.kind, self.default, self.annotation = name, kind, default, annotation

    def __repr__(self) -> str:
        return f'<Parameter "{self.name}{"" if self.default is EMPTY else f"={self.default!r}"}">'


class Signature:
    """The parameters of a function, and how they are written, where that is known."""

    def __init__(self, text: str | None, parameters: dict[str, Parameter], returned: Any) -> None:
        self.text = text
        self.parameters = parameters
        self.return_annotation = returned

    def bind(self, *arguments: Any, **keywords: Any) -> inspect.BoundArguments:
        """The arguments of a call by the names of the parameters, in Python's words where they do not fit."""
        return self._bound(inspect.Signature.bind, arguments, keywords)

    def bind_partial(self, *arguments: Any, **keywords: Any) -> inspect.BoundArguments:
        """The same, where some may still be missing."""
        return self._bound(inspect.Signature.bind_partial, arguments, keywords)

    def _bound(self, bind: Callable[..., Any], arguments: Any, keywords: dict[str, Any]) -> inspect.BoundArguments:
        plain = inspect.Signature([
            inspect.Parameter(one.name, one.kind, default=KINDS.empty if one.default is EMPTY else one.default)
            for one in self.parameters.values()
        ])  # fmt: skip
        try:
            return bind(plain, *arguments, **keywords)  # type: ignore[no-any-return]
        except TypeError as error:
            raise TorchError(str(error), kind="TypeError") from None

    def __repr__(self) -> str:
        return f"<Signature {self}>"

    def __str__(self) -> str:
        if self.text is None:
            raise ScriptError(
                "how a signature of PyTorch's own is written is not known to gradviz",
                hint="Its parameters are: list(inspect.signature(f).parameters).",
            )
        return self.text


def signature(machine: Machine, x: Any) -> Signature:
    """`inspect.signature`."""
    from gradviz.imitation.script.showing.pretty_calls import signature as written

    if isinstance(x, Native) and "__wrapped__" in x.members:
        return signature(machine, x.members["__wrapped__"])
    if isinstance(x, Function) and "__wrapped__" in x.members:
        return signature(machine, x.members["__wrapped__"])
    function, skipped = x, 0
    if isinstance(x, Bound):
        function, skipped = x.function, 1
    elif isinstance(x, Class):
        function, skipped = x.find("__init__"), 1
    if isinstance(function, Native) and hasattr(function.run, "__signature__"):
        return _of_pytorch(function.run.__signature__, skipped)
    if isinstance(function, Native):
        function = getattr(function.run, "told", function)
    if not isinstance(function, Function):
        raise TorchError(f"no signature found for builtin {x!r}", kind="ValueError")
    hints = attributes.get(machine, function, "__annotations__")
    params, made = function.params, {}
    for place, name in enumerate(params.names):
        kind: Any = KINDS.POSITIONAL_OR_KEYWORD
        if name in params.positional_only:
            kind = KINDS.POSITIONAL_ONLY
        elif name in params.keyword_only:
            kind = KINDS.KEYWORD_ONLY
        elif name in (params.rest, params.keywords):
            kind = KINDS.VAR_POSITIONAL if name == params.rest else KINDS.VAR_KEYWORD
        if place >= skipped:
            made[name] = Parameter(name, kind, params.defaults.get(name, EMPTY), hints.get(name, EMPTY))
    order = [n for n in (*params.positional, params.rest, *params.keyword_only, params.keywords) if n in made]
    return Signature(written(function, skipped), {n: made[n] for n in order}, hints.get("return", EMPTY))


def _of_pytorch(known: inspect.Signature, skipped: int) -> Signature:
    """Of a class of PyTorch's, whose annotations are not kept here."""
    given = [*known.parameters.values()][skipped:]
    made = [Parameter(p.name, p.kind, EMPTY if p.default is p.empty else p.default, EMPTY) for p in given]
    return Signature(None, {p.name: p for p in made}, EMPTY)


def _doc(machine: Machine, x: Any) -> str | None:
    text = attributes.get(machine, x, "__doc__")
    return inspect.cleandoc(text) if isinstance(text, str) else None


def _source(x: Any) -> str:
    raise ScriptError("'inspect.getsource' is not available in gradviz", hint="The text stands in the script itself.")


def _members(machine: Machine, x: Any, predicate: Any = None) -> list[tuple[str, Any]]:
    from gradviz.imitation.script.names.python.builtins import dir_

    pairs = [(name, attributes.get(machine, x, name)) for name in dir_(machine, x)]
    return [pair for pair in pairs if predicate is None or machine.call(predicate, (pair[1],), {})]


class Place:
    """A call that runs, or the module, as a script may look at it: its variables, and who called it."""

    shown_as = "frame"

    def __init__(self, frames: tuple[Frame, ...]) -> None:
        *self._callers, self.frame = frames

    @property
    def f_locals(self) -> dict[str, Any]:
        """Its variables as they are now."""
        return variables(self.frame)

    @property
    def f_back(self) -> Place | None:
        """Where it was called from."""
        return Place(tuple(self._callers)) if self._callers else None

    @property
    def f_code(self) -> Namespace:
        """The name alone: what runs is no code of Python's."""
        function = self.frame.function
        return Namespace("code", {"co_name": "<module>" if function is None else function.name})


def _arguments(place: Place) -> inspect.ArgInfo:
    """`inspect.getargvalues`: what the call takes by name, and all its variables."""
    function = place.frame.function
    if function is None:
        return inspect.ArgInfo([], None, None, place.f_locals)
    taken = function.params
    return inspect.ArgInfo([*taken.positional, *taken.keyword_only], taken.rest, taken.keywords, place.f_locals)


def module(machine: Machine) -> Namespace:
    """The names."""
    table: dict[str, Callable[..., Any]] = {
        "isfunction": lambda x: isinstance(x, Function), "isclass": lambda x: isinstance(x, Class),
        "ismethod": lambda x: isinstance(x, Bound), "isbuiltin": lambda x: isinstance(x, Native),
        "ismodule": lambda x: isinstance(x, Namespace), "isgenerator": lambda x: isinstance(x, Producer),
        "isroutine": lambda x: isinstance(x, Function | Native | Bound | Static),
        "isabstract": lambda x: isinstance(x, Class) and bool(x.abstract), "getsource": _source,
        "cleandoc": inspect.cleandoc, "getargvalues": _arguments,
    }  # fmt: skip
    return Namespace("inspect", {
        **natives(table), **with_machine({
            "signature": signature, "getdoc": _doc, "getmembers": _members,
            "currentframe": lambda machine: Place((machine.state["module"], *machine.frames)),
        }),
        "Parameter": Namespace("inspect.Parameter", {
            "empty": EMPTY, **{kind.name: kind for kind in (KINDS.POSITIONAL_ONLY, KINDS.POSITIONAL_OR_KEYWORD,
                               KINDS.VAR_POSITIONAL, KINDS.KEYWORD_ONLY, KINDS.VAR_KEYWORD)},
        }),
        "_empty": EMPTY,
    })  # fmt: skip


READERS[Parameter] = fields("name", "kind", "default", "annotation")
READERS[Place] = fields("f_back", "f_code", "f_locals")
READERS[inspect.ArgInfo] = fields(*inspect.ArgInfo._fields)
READERS[Signature] = with_methods("parameters", "return_annotation", methods=("bind", "bind_partial"))
READERS[inspect.BoundArguments] = with_methods("arguments", "args", "kwargs", methods=("apply_defaults",))
READERS[type(KINDS.VAR_KEYWORD)] = fields("name", "value", "description")
