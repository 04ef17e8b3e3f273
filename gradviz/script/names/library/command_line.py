"""`argparse`: what a script would be told on a command line. Here it is empty, so the defaults count."""

from __future__ import annotations

from typing import Any

from gradviz.errors import TorchError
from gradviz.script.exceptions import raised
from gradviz.script.machine import Machine
from gradviz.script.names.library.kinds import simple_namespace
from gradviz.script.names.library.making import natives
from gradviz.script.values import Class, Instance, Namespace, Native


class Option:
    """One argument: its names, where it goes, and what it takes."""

    def __init__(self, names: tuple[str, ...], options: dict[str, Any]) -> None:
        self.names = names
        self.is_option = names[0].startswith("-")
        self.action: str = options.get("action", "store")
        self.default = options.get("default", {"store_true": False, "store_false": True}.get(str(self.action)))
        self.type = options.get("type")
        self.choices = options.get("choices")
        self.nargs = options.get("nargs")
        self.const = options.get("const")
        self.required = options.get("required", not self.is_option and self.nargs not in ("?", "*"))
        longest = next((name for name in names if name.startswith("--")), names[0])
        self.dest: str = options.get("dest") or longest.lstrip("-").replace("-", "_")

    @property
    def shown(self) -> str:
        """How errors call it."""
        return "/".join(self.names)


class Parser:
    """What `ArgumentParser(...)` gives."""

    def __init__(self, machine: Machine, space: Class) -> None:
        self.machine = machine
        self.space = space
        self.options: list[Option] = []
        self.defaults: dict[str, Any] = {}

    def add(self, *names: str, **options: Any) -> Option:
        """`add_argument`."""
        if not names:
            names = (options.pop("dest"),)
        self.options.append(Option(names, options))
        return self.options[-1]

    def parse(self, args: Any = None, namespace: Any = None) -> Instance:
        """`parse_args`."""
        found, rest = self.known(args)
        if rest:
            self.fail(f"unrecognized arguments: {' '.join(rest)}")
        return found

    def known(self, args: Any = None, namespace: Any = None) -> tuple[Instance, list[str]]:
        """`parse_known_args`."""
        words = [str(word) for word in (args or [])]
        values: dict[str, Any] = {}
        rest: list[str] = []
        places = [option for option in self.options if not option.is_option]
        while words:
            word = words.pop(0)
            option = self._option(word, words) if word.startswith("-") and not _is_number(word) else None
            if option is not None:
                self._take(option, words, values)
            elif places and not word.startswith("-"):
                self._take(places.pop(0), [word, *self._more(words)], values)
            else:
                rest.append(word)
        return self._result(values), rest

    def _more(self, words: list[str]) -> list[str]:
        taken = []
        while words and not words[0].startswith("-"):
            taken.append(words.pop(0))
        return taken

    def _option(self, word: str, words: list[str]) -> Option | None:
        name, equals, value = word.partition("=")
        for option in self.options:
            if name in option.names or (name.startswith("--") and any(full.startswith(name) for full in option.names)):
                if equals:
                    words.insert(0, value)
                return option
        return None

    def _take(self, option: Option, words: list[str], values: dict[str, Any]) -> None:
        if option.action in ("store_true", "store_false", "store_const", "count"):
            fixed = {"store_true": True, "store_false": False, "store_const": option.const}
            values[option.dest] = (
                (values.get(option.dest) or 0) + 1 if option.action == "count" else fixed[option.action]
            )
            return
        count = option.nargs
        if count is None or count == "?":
            if not words or words[0].startswith("--"):
                if count is None:
                    self.fail(f"argument {option.shown}: expected one argument")
                value = option.const
            else:
                value = self._converted(option, words.pop(0))
        else:
            taken = (
                [words.pop(0) for _ in range(count)]
                if isinstance(count, int) and len(words) >= count
                else self._more(words)
            )
            if (count == "+" and not taken) or (isinstance(count, int) and len(taken) != count):
                self.fail(f"argument {option.shown}: expected at least one argument")
            value = [self._converted(option, word) for word in taken]
        if option.action == "append":
            value = [*(values.get(option.dest) or []), value]
        values[option.dest] = value

    def _converted(self, option: Option, word: str) -> Any:
        value: Any = word
        if option.type is not None:
            try:
                value = self.machine.call(option.type, (word,), {})
            except (TorchError, ValueError):
                name = getattr(option.type, "name", "value")
                self.fail(f"argument {option.shown}: invalid {name} value: {word!r}")
        if option.choices is not None and value not in option.choices:
            listed = ", ".join(map(repr, option.choices))
            self.fail(f"argument {option.shown}: invalid choice: {value!r} (choose from {listed})")
        return value

    def _result(self, values: dict[str, Any]) -> Instance:
        missing = [option for option in self.options if option.required and option.dest not in values]
        if missing:
            self.fail(f"the following arguments are required: {', '.join(option.shown for option in missing)}")
        made = Instance(self.space, self.machine)
        for option in self.options:
            default = option.default
            if isinstance(default, str) and option.type is not None and option.dest not in values:
                default = self._converted(option, default)
            made.attributes[option.dest] = values.get(option.dest, default)
        made.attributes |= {key: value for key, value in self.defaults.items() if key not in values}
        return made

    def fail(self, message: str) -> None:
        """`error`: Python ends the script with code 2."""
        self.machine.warnings.aside(f"script.py: error: {message}\n")
        raise raised(self.machine, self.machine.state["exceptions"]["SystemExit"], 2)

    def face(self) -> Namespace:
        """The parser as the script sees it."""
        return Namespace("ArgumentParser", natives({
            "add_argument": lambda *names, **options: self.add(*names, **options) and None, "parse_args": self.parse,
            "parse_known_args": self.known, "set_defaults": lambda **values: self.defaults.update(values),
            "add_argument_group": lambda *_, **__: self.face(), "add_mutually_exclusive_group": lambda *_,
            **__: self.face(),
            "error": self.fail, "print_help": lambda: None, "print_usage": lambda: None,
        }))  # fmt: skip


def _is_number(word: str) -> bool:
    return word.lstrip("-").replace(".", "", 1).isdigit()


def _text(self: Instance) -> str:
    return f"Namespace({', '.join(f'{key}={value!r}' for key, value in self.attributes.items())})"


def module(machine: Machine) -> Namespace:
    """The names."""
    space = simple_namespace(machine, "Namespace", "argparse", _text)
    formatters = ("ArgumentDefaultsHelpFormatter", "RawTextHelpFormatter", "RawDescriptionHelpFormatter",
                  "HelpFormatter")  # fmt: skip
    return Namespace("argparse", {
        "ArgumentParser": Native("ArgumentParser", lambda *_, **__: Parser(machine, space).face()), "Namespace": space,
        **{name: Class(name, module="argparse") for name in (*formatters,
                                                             "BooleanOptionalAction", "ArgumentTypeError")},
        "SUPPRESS": "==SUPPRESS==", "REMAINDER": "...",
    })  # fmt: skip
