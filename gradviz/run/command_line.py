"""`argparse` for scripts: Python's own, behind a parser that hands out none of its parts.

Python's actions set any attribute of any object that they are given; a script gets texts and numbers in their place.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from gradviz.run.classes import allow_as_base, check_field
from gradviz.run.gate import let_write, set_attribute
from gradviz.run.library import Surroundings
from gradviz.run.refused import Refused
from gradviz.run.visible import Uncopied, show_as


class Namespace(argparse.Namespace):
    """`argparse.Namespace`, whose attributes have plain names."""

    def __init__(self, **named: Any) -> None:
        super().__init__()
        for name, value in named.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        check_field(name)
        super().__setattr__(name, value)


Namespace.__module__ = "argparse"
show_as(argparse.Namespace, Namespace)
let_write(Namespace)

FORMATTERS = {
    name: getattr(argparse, name)
    for name in ("HelpFormatter", "ArgumentDefaultsHelpFormatter", "RawTextHelpFormatter",
                 "RawDescriptionHelpFormatter", "MetavarTypeHelpFormatter")
}  # fmt: skip
"""Scripts name a formatter; these are meant."""

BOOLEAN = "BooleanOptionalAction"
ACTIONS = ("store", "store_const", "store_true", "store_false", "append", "append_const", "count", "help", "version",
           "extend")  # fmt: skip

_HELD: dict[int, tuple[Any, Any]] = {}
"""What stands behind an object that a script holds, by its id; both live as long as the process."""


def _behind(shown: Any) -> Any:
    held = _HELD.get(id(shown))
    if held is None:
        raise RuntimeError("super().__init__() was not called")
    return held[1]


class _Arguments(Uncopied):
    """What arguments are added to: a parser, or a group in one."""

    __slots__ = ()

    def add_argument(self, *flags: Any, **named: Any) -> None:
        """Describe one argument."""
        action = named.get("action")
        if action == BOOLEAN:
            named["action"] = argparse.BooleanOptionalAction
        elif action is not None and action not in ACTIONS:
            raise Refused("an action of one's own cannot be given to argparse here")
        if "dest" in named:
            check_field(named["dest"])
        for flag in flags:
            check_field(flag.lstrip("-").replace("-", "_") if type(flag) is str else flag)
        _behind(self).add_argument(*flags, **named)

    def add_argument_group(self, *given: Any, **named: Any) -> _Group:
        """A group for the help."""
        return _Group(_behind(self).add_argument_group(*given, **named))

    def add_mutually_exclusive_group(self, **named: Any) -> _Group:
        """Arguments of which one may be given."""
        return _Group(_behind(self).add_mutually_exclusive_group(**named))

    def set_defaults(self, **named: Any) -> None:
        """Values of what is not given."""
        for name in named:
            check_field(name)
        _behind(self).set_defaults(**named)

    def get_default(self, dest: Any) -> Any:
        """The value of what is not given."""
        return _behind(self).get_default(dest)


class _Group(_Arguments):
    """A group of arguments."""

    __slots__ = ()

    def __init__(self, group: Any) -> None:
        _HELD[id(self)] = (self, group)


class _Subparsers(Uncopied):
    """The commands of a parser."""

    __slots__ = ()

    def __init__(self, commands: Any, maker: type[Parser]) -> None:
        _HELD[id(self)] = (self, (commands, maker))

    def add_parser(self, name: Any, **named: Any) -> Parser:
        """A command, with arguments of its own."""
        commands, maker = _behind(self)
        made: Parser = maker._around_real(commands.add_parser(name, **_translated(named)))
        return made


class _Real(argparse.ArgumentParser):
    """Python's parser, which says through the shown one what it has to say."""

    shown: Any = None
    around: Surroundings | None = None

    def error(self, message: str) -> Any:
        """Say what is wrong, and end."""
        if self.shown is None:
            super().error(message)
        self.shown.error(message)

    def _print_message(self, message: str, file: Any = None) -> None:
        if message and self.around is not None:
            (self.around.write if file is sys.stdout else self.around.aside)(message)


def _translated(named: dict[str, Any]) -> dict[str, Any]:
    formatter = named.pop("formatter_class", None)
    named.pop("fromfile_prefix_chars", None)
    named.pop("parents", None)
    return (
        named if formatter is None else {**named, "formatter_class": FORMATTERS.get(formatter, argparse.HelpFormatter)}
    )


class Parser(_Arguments):
    """`argparse.ArgumentParser`."""

    _around: Surroundings | None = None

    def __init__(self, prog: Any = None, usage: Any = None, description: Any = None, **named: Any) -> None:
        around = type(self)._around
        name = "script.py" if around is None else around.name
        real = _Real(name if prog is None else prog, usage, description, **_translated(named))
        self._hold(real)

    def _hold(self, real: _Real) -> None:
        real.shown, real.around = self, type(self)._around
        _HELD[id(self)] = (self, real)

    @classmethod
    def _around_real(cls, real: Any) -> Parser:
        made = object.__new__(cls)
        made._hold(real)
        return made

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The words as attributes."""
        return self._parse("parse_args", args, namespace)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The words as attributes, and those that are not known."""
        return self._parse("parse_known_args", args, namespace)

    def _parse(self, method: str, args: Any, namespace: Any) -> Any:
        around = type(self)._around
        words = ([] if around is None else around.argv[1:]) if args is None else list(args)
        found = getattr(_behind(self), method)(words, Namespace())
        if namespace is None:
            return found
        made, *rest = found if type(found) is tuple else (found,)
        for name, value in vars(made).items():
            set_attribute(namespace, name, value)
        return (namespace, *rest) if rest else namespace

    def add_subparsers(self, **named: Any) -> _Subparsers:
        """Commands, with arguments of their own."""
        if "dest" in named:
            check_field(named["dest"])
        named.pop("parser_class", None)
        named.pop("action", None)
        return _Subparsers(_behind(self).add_subparsers(**named, parser_class=_Real), type(self))

    def error(self, message: Any) -> Any:
        """Say what is wrong, and end."""
        real = _behind(self)
        real.print_usage(sys.stderr)
        real.exit(2, f"{real.prog}: error: {message}\n")

    def exit(self, status: int = 0, message: Any = None) -> Any:
        """End, with a last word."""
        _behind(self).exit(status, message)

    def format_help(self) -> str:
        """The help."""
        text: str = _behind(self).format_help()
        return text

    def format_usage(self) -> str:
        """The first lines of the help."""
        text: str = _behind(self).format_usage()
        return text

    def print_help(self, file: Any = None) -> None:
        """Print the help."""
        self._print(self.format_help(), file)

    def print_usage(self, file: Any = None) -> None:
        """Print the first lines of the help."""
        self._print(self.format_usage(), file)

    def _print(self, text: str, file: Any) -> None:
        around = type(self)._around
        if file is not None:
            file.write(text)
        elif around is not None:
            around.write(text)


def argparse_names(around: Surroundings) -> dict[str, Any]:
    """`argparse`."""
    parser = type("ArgumentParser", (Parser,), {"__module__": "argparse", "_around": around})
    allow_as_base(parser)
    real = ("ArgumentError", "ArgumentTypeError", "SUPPRESS", "REMAINDER", "ONE_OR_MORE", "OPTIONAL", "ZERO_OR_MORE")
    return {
        **{name: getattr(argparse, name) for name in real}, **{name: name for name in FORMATTERS}, BOOLEAN: BOOLEAN,
        "ArgumentParser": parser, "Namespace": Namespace,
    }  # fmt: skip
