"""`argparse`: Python's own parser, over the words that a script gives it; the command line itself is empty."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NoReturn

from gradviz.errors import LimitError, ScriptError, TorchError
from gradviz.imitation.script.errors.exceptions import raised
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.kinds import simple_namespace
from gradviz.imitation.script.names.library.making import natives, refusal
from gradviz.imitation.script.readers import READERS
from gradviz.imitation.script.showing.formatting import PERCENT, checked
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Class, Instance, Namespace, Native

WIDTH = 78
"""Columns of a help text where the output is no terminal."""

MOST_WORDS = 1_000
FORMATTERS = (
    "HelpFormatter", "RawDescriptionHelpFormatter", "RawTextHelpFormatter", "ArgumentDefaultsHelpFormatter",
    "MetavarTypeHelpFormatter",
)  # fmt: skip
TEXTS = ("help", "usage", "description", "epilog", "prog", "version", "metavar", "title")
"""Options that are filled with `%`."""


class Parser(argparse.ArgumentParser):
    """Python's parser, which speaks through the machine and ends the script, not the program."""

    def __init__(self, *, machine: Machine, **options: Any) -> None:
        self.machine = machine
        options.setdefault("prog", machine.state["source"].name.rpartition("/")[2] or "script.py")
        options["formatter_class"] = partial(_formatter(options.get("formatter_class")), width=WIDTH)
        super().__init__(**options)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the script."""
        if message:
            self.machine.warnings.aside(message)
        raise raised(self.machine, self.machine.state["exceptions"]["SystemExit"], status)

    def error(self, message: str) -> NoReturn:
        """End the script with code 2, how it is used first."""
        self.exit(2, f"{self.format_usage()}{self.prog}: error: {message}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        self.machine.write(message)


class Converter:
    """The `type` of an argument, called as the script calls it."""

    def __init__(self, machine: Machine, function: Any) -> None:
        self._machine = machine
        self._function = function
        self.__name__ = str(getattr(function, "name", repr(function)))

    def __call__(self, word: str) -> Any:
        try:
            return self._machine.call(self._function, (word,), {})
        except TorchError as error:
            if error.kind == "ArgumentTypeError":
                raise argparse.ArgumentTypeError(error.message) from None
            if error.kind in ("TypeError", "ValueError"):
                raise ValueError(error.message) from None
            raise


def _formatter(given: Any) -> Callable[..., argparse.HelpFormatter]:
    name = given.name if isinstance(given, Class) else "HelpFormatter"
    return getattr(argparse, name) if name in FORMATTERS else argparse.HelpFormatter


def _options(machine: Machine, options: dict[str, Any]) -> dict[str, Any]:
    """What a script says of an argument or a parser, as Python's own parser takes it.

    Raises:
        ScriptError: an action of the script's own.
        LimitError: a text with too wide a place to fill.
    """
    for key in TEXTS:
        for spec in PERCENT.findall(str(options.get(key) or "")):
            checked(spec)
    if options.get("type") is not None:
        options["type"] = Converter(machine, options["type"])
    if isinstance(options.get("choices"), Class | Instance):
        options["choices"] = list(machine.each(options["choices"]))
    action = options.get("action")
    if isinstance(action, Class):
        if action.name != "BooleanOptionalAction":
            raise ScriptError("an argparse action of the script's own is not supported", hint="Use type= or choices=.")
        options["action"] = argparse.BooleanOptionalAction
    options.pop("parents", None)
    return options


def _told(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        return call(*arguments, **options)
    except argparse.ArgumentError as error:
        raise TorchError(str(error), kind="ArgumentError") from None


class Face(Namespace):
    """A parser, or a group of its arguments, as a script sees it."""

    __slots__ = ("parser",)

    def __init__(self, machine: Machine, parser: Any, space: Class) -> None:
        self.parser = parser

        def add(*names: str, **options: Any) -> None:
            _told(parser.add_argument, *names, **_options(machine, options))

        def group(*texts: Any, **options: Any) -> Face:
            return Face(machine, parser.add_argument_group(*texts, **_options(machine, options)), space)

        def exclusive(**options: Any) -> Face:
            return Face(machine, parser.add_mutually_exclusive_group(**options), space)

        super().__init__("argparse.ArgumentParser", natives({
            "add_argument": add, "add_argument_group": group, "add_mutually_exclusive_group": exclusive,
            "set_defaults": parser.set_defaults, "get_default": parser.get_default,
        }))  # fmt: skip
        if isinstance(parser, Parser):
            self.members |= natives(_of_parser(machine, parser, space))
            self.members |= {key: getattr(parser, key) for key in ("prog", "description", "epilog", "usage")}


def _of_parser(machine: Machine, parser: Parser, space: Class) -> dict[str, Callable[..., Any]]:
    def known(args: Any = None, namespace: Any = None) -> tuple[Instance, list[str]]:
        words = list(args or ())
        if len(words) > MOST_WORDS:
            raise LimitError(f"{len(words):,} words are too many for a command line", hint="Use fewer.")
        into = argparse.Namespace(**(namespace.attributes if isinstance(namespace, Instance) else {}))
        found, rest = _told(parser.parse_known_args, words, into)
        made = namespace if isinstance(namespace, Instance) else Instance(space, machine)
        made.attributes.update(vars(found))
        return made, rest

    def parse(args: Any = None, namespace: Any = None) -> Instance:
        found, rest = known(args, namespace)
        if rest:
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        return found

    def commands(**options: Any) -> Namespace:
        kind: Any = partial(Parser, machine=machine)
        made = parser.add_subparsers(parser_class=kind, **_options(machine, options))

        def add(name: str, **options: Any) -> Face:
            return Face(machine, made.add_parser(name, **_options(machine, options)), space)

        return Namespace("argparse._SubParsersAction", natives({"add_parser": add}))

    def show(file: Any = None) -> None:
        machine.write(parser.format_help())

    return {
        "parse_args": parse, "parse_known_args": known, "parse_intermixed_args": parse, "add_subparsers": commands,
        "error": parser.error, "exit": parser.exit, "print_help": show, "format_help": parser.format_help,
        "print_usage": lambda file=None: machine.write(parser.format_usage()), "format_usage": parser.format_usage,
    }  # fmt: skip


def _parents(options: dict[str, Any]) -> list[argparse.ArgumentParser]:
    given: Iterable[Any] = options.get("parents") or ()
    return [face.parser for face in given if isinstance(face, Face)]


def _text(self: Instance) -> str:
    """Names that are no names of Python stand at the end, as a dict."""
    plain = [f"{key}={value!r}" for key, value in self.attributes.items() if key.isidentifier()]
    other = {key: value for key, value in self.attributes.items() if not key.isidentifier()}
    return f"Namespace({', '.join([*plain, f'**{other!r}'] if other else plain)})"


def module(machine: Machine) -> Namespace:
    """The names."""
    space = simple_namespace(machine, "Namespace", "argparse", _text)
    space.attributes["__contains__"] = Native("__contains__", lambda self, key: key in self.attributes, is_method=True)
    classes = machine.state["exceptions"]
    for name in ("ArgumentError", "ArgumentTypeError"):
        classes.setdefault(name, Class(name, (classes["Exception"],), {}, module="argparse"))

    def make(prog: Any = None, usage: Any = None, description: Any = None, epilog: Any = None, **options: Any) -> Face:
        parents = _parents(options)
        texts = {"prog": prog, "usage": usage, "description": description, "epilog": epilog}
        given = _options(machine, options | {key: text for key, text in texts.items() if text is not None})
        return Face(machine, _told(Parser, machine=machine, parents=parents, **given), space)

    return Namespace("argparse", {
        "ArgumentParser": Native("ArgumentParser", make), "Namespace": space,
        **{name: Class(name, module="argparse") for name in (*FORMATTERS, "BooleanOptionalAction", "Action")},
        **{name: classes[name] for name in ("ArgumentError", "ArgumentTypeError")},
        "FileType": refusal("argparse.FileType", "A script cannot read or write files here."),
        "SUPPRESS": argparse.SUPPRESS, "REMAINDER": argparse.REMAINDER, "OPTIONAL": "?", "ZERO_OR_MORE": "*",
        "ONE_OR_MORE": "+",
    })  # fmt: skip


READERS[Face] = lambda machine, owner, name: owner.members.get(name, NOTHING)
