"""Calls: arguments evaluated, methods of tensors reached directly, and a script's parameters bound."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.nicknames import call_argument
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import GradvizError, TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.errors.failures import CAUGHT, Code, converted, located, suggestion
from gradviz.imitation.script.errors.hints import on_call, on_none
from gradviz.imitation.script.hinting import Hint
from gradviz.imitation.script.machine import Frame
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.syntax.forms import expression, items_of
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.tensors.grad_nodes import GradNode
from gradviz.imitation.script.tensors.members import TENSOR_METHODS
from gradviz.imitation.script.torch_values import Scoped
from gradviz.imitation.script.values import (
    Bound,
    Class,
    Function,
    Instance,
    Native,
    OnClass,
    Static,
    refuse_single,
    type_name,
)

Arguments = Callable[[Frame, Any], tuple[tuple[Any, ...], dict[str, Any]]]
"""The arguments of a call; the function that is called is named in their errors."""


def compile_call(node: ast.Call, scope: Scope) -> Code:
    """The code of a call."""
    evaluate = _arguments(node, scope)
    if isinstance(node.func, ast.Attribute):
        owner, key = expression(node.func.value, scope), node.func.attr
        return _method_call(owner, key, evaluate, node)
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super_call(evaluate, node)
    callee = expression(node.func, scope)
    if isinstance(node.func, ast.Name) and node.func.id in OF_FRAME and not node.args:
        callee = _of_frame(callee, node.func.id)

    def run(frame: Frame) -> Any:
        function = callee(frame)
        if type(function) not in CALLABLE and not callable_value(function):
            raise not_callable(function, node.func)
        arguments, keywords = evaluate(frame, function)
        try:
            return frame.machine.call(function, arguments, keywords)
        except GradvizError as error:
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None

    return run


def variables(frame: Frame) -> dict[str, Any]:
    """The variables of a call or of the module; names of ours begin with a space."""
    return frame.vars if frame.outer is None else {k: v for k, v in frame.vars.items() if k[:1] != " "}


def _of_module(frame: Frame) -> dict[str, Any]:
    while frame.outer is not None:
        frame = frame.outer
    return frame.vars


OF_FRAME: dict[str, Callable[[Frame], Any]] = {
    "locals": variables,
    "vars": variables,
    "globals": _of_module,
    "dir": lambda frame: sorted(variables(frame)),
}
"""Builtins that look at where they are called."""


def _of_frame(callee: Code, name: str) -> Code:
    """The builtin where it stands; a name that the script gave to something of its own stays that."""

    def run(frame: Frame) -> Any:
        found = callee(frame)
        if found is frame.machine.builtins[name]:
            return Native(name, lambda: OF_FRAME[name](frame))
        return found

    return run


def _method_call(owner: Code, key: str, evaluate: Arguments, node: ast.Call) -> Code:
    method = TENSOR_METHODS.get(key)
    site = node.func
    assert isinstance(site, ast.Attribute)

    def run(frame: Frame) -> Any:
        receiver = owner(frame)
        try:
            if type(receiver) is Tensor and method is not None:
                arguments, keywords = evaluate(frame, method)
                return frame.machine.run(method, (receiver, *arguments), keywords)
            try:
                function = attributes.get(frame.machine, receiver, key)
            except GradvizError as error:
                if receiver is None and not error.hint:
                    error.hint = on_none(site.value)
                raise located(error, site) from None
            if type(function) not in CALLABLE and not callable_value(function):
                raise not_callable(function, site)
            arguments, keywords = evaluate(frame, function)
            return frame.machine.call(function, arguments, keywords)
        except GradvizError as error:
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None

    return run


CALLABLE = (Native, Bound, Function, Class, Static, OnClass, Silent, Hint, Scoped)


def callable_value(x: Any) -> bool:
    """Whether a script can call it."""
    if isinstance(x, GradNode):
        return x.is_callable
    return isinstance(x, CALLABLE) or (isinstance(x, Instance) and x.cls.has("__call__"))


def not_callable(x: Any, node: ast.expr) -> GradvizError:
    """The error for a call of something that is no function."""
    return located(
        TorchError(f"'{type_name(x)}' object is not callable", kind="TypeError", hint=on_call(node, x)), node
    )


def _super_call(evaluate: Arguments, node: ast.Call) -> Code:
    from gradviz.imitation.script.syntax.classes import make_super

    def run(frame: Frame) -> Any:
        arguments, _ = evaluate(frame, None)
        try:
            return make_super(frame, arguments)
        except GradvizError as error:
            raise located(error, node) from None

    return run


def _arguments(node: ast.Call, scope: Scope) -> Arguments:
    if len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
        positional = _only_starred(expression(node.args[0].value, scope))
    else:
        items = items_of(node.args, scope)
        positional = lambda frame, _function: items(frame)  # noqa: E731 - one line
    named = [(keyword.arg, expression(keyword.value, scope)) for keyword in node.keywords]
    if not named:
        return lambda frame, function: (tuple(positional(frame, function)), {})

    def run(frame: Frame, function: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        arguments = tuple(positional(frame, function))
        keywords: dict[str, Any] = {}
        for key, code in named:
            value = code(frame)
            for name, item in ((key, value),) if key is not None else _pairs(frame, function, value):
                if name in keywords:
                    text = f"{_spelled(function)}() got multiple values for keyword argument '{name}'"
                    raise TorchError(text, kind="TypeError")
                keywords[name] = item
        return arguments, keywords

    return run


def mapping_pairs(machine: Any, value: Instance) -> list[tuple[Any, Any]]:
    """The keys and values of an object of the script that has `keys` and `__getitem__`."""
    return [(key, value.special("__getitem__", key)) for key in machine.listed(value.special("keys"))]


def _only_starred(code: Code) -> Callable[[Frame, Any], list[Any]]:
    def run(frame: Frame, function: Any) -> list[Any]:
        value = code(frame)
        refuse_single(value, f"{_spelled(function)}() argument after * must be an iterable")
        return frame.machine.listed(value)

    return run


def _pairs(frame: Frame, function: Any, value: Any) -> list[tuple[Any, Any]]:
    """The arguments behind two stars.

    Raises:
        TorchError: it is no mapping, or one of its keys is no text.
    """
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, Instance) and value.cls.has("keys") and value.cls.has("__getitem__"):
        pairs = mapping_pairs(frame.machine, value)
    else:
        text = f"{_spelled(function)}() argument after ** must be a mapping, not {type_name(value)}"
        raise TorchError(text, kind="TypeError")
    if not all(isinstance(key, str) for key, _ in pairs):
        raise TorchError("keywords must be strings", kind="TypeError")
    return pairs


def _spelled(function: Any) -> str:
    """A function with its module, as Python names it where its arguments cannot be unpacked."""
    if isinstance(function, Bound | Static | OnClass):
        return _spelled(function.function)
    if isinstance(function, Function | Class):
        module = getattr(function, "module", "__main__")
        return f"{module}.{function.qualname}" if module else function.qualname
    return getattr(function, "name", None) or repr(function)


class Parameters:
    """The parameters of a function of the script."""

    def __init__(self, node: ast.arguments, scope: Scope, name: str) -> None:
        self.name = name
        self.positional = [a.arg for a in (*node.posonlyargs, *node.args)]
        self.by_keyword = {a.arg for a in (*node.args, *node.kwonlyargs)}
        self.positional_only = frozenset(a.arg for a in node.posonlyargs)
        self.keyword_only = [a.arg for a in node.kwonlyargs]
        self.rest = node.vararg.arg if node.vararg else None
        self.keywords = node.kwarg.arg if node.kwarg else None
        self._defaults = [expression(value, scope) for value in node.defaults]
        self._keyword_defaults = [None if v is None else expression(v, scope) for v in node.kw_defaults]
        self.defaults: dict[str, Any] = {}

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [*self.positional, *self.keyword_only, *(n for n in (self.rest, self.keywords) if n)]

    def evaluated(self, frame: Frame) -> Parameters:
        """A copy with the defaults worked out, at the time of `def`."""
        out = object.__new__(Parameters)
        out.__dict__.update(self.__dict__)
        names = self.positional[len(self.positional) - len(self._defaults) :]
        out.defaults = {name: code(frame) for name, code in zip(names, self._defaults, strict=True)}
        for name, code in zip(self.keyword_only, self._keyword_defaults, strict=True):
            if code is not None:
                out.defaults[name] = code(frame)
        return out

    def bind(self, frame: Frame, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        """Put the arguments of a call into a frame.

        Raises:
            TorchError: missing, too many, unknown or doubled arguments, in Python's words.
        """
        variables = frame.vars
        frame.first = arguments[0] if arguments else None
        for name, value in zip(self.positional, arguments, strict=False):
            variables[name] = value
            if type(value) is Tensor:
                call_argument(value, name)
        extra = arguments[len(self.positional) :]
        if self.rest is not None:
            variables[self.rest] = extra
        elif extra:
            raise self._too_many(len(arguments), sum(name in self.keyword_only for name in keywords))
        others = self._named(variables, keywords)
        if self.keywords is not None:
            variables[self.keywords] = others
        elif others:
            wrong = [name for name in others if name in self.positional_only]
            if wrong:
                text = "got some positional-only arguments passed as keyword arguments"
                raise TorchError(f"{self.name}() {text}: '{', '.join(wrong)}'", kind="TypeError")
            name = next(iter(others))
            known = [each for each in (*self.positional, *self.keyword_only) if each != "self"]
            hint = suggestion(name, known) or f"It takes {', '.join(known) or 'nothing'}."
            text = f"{self.name}() got an unexpected keyword argument '{name}'"
            raise TorchError(text, kind="TypeError", hint=hint)
        self._fill(variables)

    def _named(self, variables: dict[str, Any], keywords: dict[str, Any]) -> dict[str, Any]:
        others = {}
        for name, value in keywords.items():
            if name not in self.by_keyword:
                others[name] = value
            elif name in variables:
                raise TorchError(f"{self.name}() got multiple values for argument '{name}'", kind="TypeError")
            else:
                variables[name] = value
        return others

    def _fill(self, variables: dict[str, Any]) -> None:
        for names, kind in ((self.positional, "positional"), (self.keyword_only, "keyword-only")):
            self._fill_each(variables, names, kind)

    def _fill_each(self, variables: dict[str, Any], names: list[str], kind: str) -> None:
        missing = []
        for name in names:
            if name not in variables:
                if name in self.defaults:
                    variables[name] = self.defaults[name]
                else:
                    missing.append(f"'{name}'")
        if missing:
            comma = "," if len(missing) > 2 else ""
            listed = missing[0] if len(missing) == 1 else f"{', '.join(missing[:-1])}{comma} and {missing[-1]}"
            raise TorchError(
                f"{self.name}() missing {len(missing)} required {kind} argument{'s' if len(missing) > 1 else ''}: "
                f"{listed}",
                kind="TypeError",
            )

    def _too_many(self, given: int, by_keyword: int) -> TorchError:
        most = len(self.positional)
        least = most - sum(name in self.defaults for name in self.positional)
        takes = str(most) if least == most else f"from {least} to {most}"
        told = str(given)
        if by_keyword:
            plural = "s" if given != 1 else ""
            also = f"{by_keyword} keyword-only argument{'s' if by_keyword != 1 else ''}"
            told = f"{given} positional argument{plural} (and {also})"
        return TorchError(
            f"{self.name}() takes {takes} positional argument{'s' if takes != '1' else ''} but {told} "
            f"{'were' if given != 1 or by_keyword else 'was'} given",
            kind="TypeError",
        )
