"""What a script has without an import: Python's builtins without the ways out of the script."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

from gradviz.run import classes, gate, library
from gradviz.run.levels import Trace
from gradviz.run.library import Surroundings
from gradviz.run.refused import Refused
from gradviz.run.visible import FILE, Uncopied, is_of_script, show_as

SAME = frozenset(
    """
    abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter
    float format frozenset hash hex id int isinstance issubclass iter len list map max min next object oct ord pow
    property range repr reversed round set slice sorted staticmethod str sum super tuple zip
    Ellipsis NotImplemented True False None
    """.split()
)
"""Python's own, as they are; besides these all its exceptions."""


class Builtins(Uncopied):
    """The builtins of one run, as a dict: the names that a script can spell, and those that the rewriter puts in.

    Attributes:
        names: the dict, which stands as `__builtins__` among the script's variables.
    """

    def __init__(self, around: Surroundings, trace: Trace) -> None:
        real = vars(builtins)

        def print(
            *values: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: bool = False, **wrong: Any
        ) -> None:
            if wrong:
                raise TypeError(f"'{next(iter(wrong))}' is an invalid keyword argument for print()")
            around.print(*values, sep=sep, end=end, file=file, flush=flush)

        print.__module__, print.__qualname__ = "builtins", "print"

        self.names: dict[str, Any] = {
            name: value
            for name, value in real.items()
            if name in SAME or (isinstance(value, type) and issubclass(value, BaseException))
        }
        self.names |= {
            "type": classes.Type, "getattr": gate.get_attribute, "hasattr": gate.has_attribute,
            "setattr": gate.set_attribute, "delattr": gate.delete_attribute, "vars": names_in, "dir": list_names,
            "locals": local_names, "globals": _Globals(), "print": print, "input": _ask,
            "exit": library.leave, "quit": library.leave, "open": library.refuse_files,
            "eval": library.refuse("eval", "Write the code itself in the place of the text."),
            "exec": library.refuse("exec", "Write the code itself in the place of the text."),
            "compile": library.refuse("compile", "Write the code itself in the place of the text."),
            "memoryview": library.refuse("memoryview"), "breakpoint": library.refuse("breakpoint"),
            "help": library.refuse("help"), "__build_class__": classes.build_class,
        }  # fmt: skip
        self._public = frozenset(name for name in self.names if name[:1] not in " _")
        self.names |= self._put_in(trace)

    def public(self) -> dict[str, Any]:
        """Those that a script can spell."""
        return {name: value for name, value in self.names.items() if name in self._public}

    def _put_in(self, trace: Trace) -> dict[str, Any]:
        """What the rewritten script calls, but for the modules; see `gradviz.run.rewrite`."""
        name_local = trace.name_local

        def put(value: Any, owner: Any, name: str) -> None:
            gate.put(value, owner, name)
            if is_of_script(owner):
                name_local(value, name)

        def named(value: Any, name: str, is_global: bool) -> Any:
            trace.name(value, name, is_global)
            return value

        return {
            " private": gate.private, " special": gate.special, " typed": gate.typed, " put": put,
            " fields": lambda owner: gate.Fields(owner, put), " class end": classes.end_class,
            " locals": builtins.locals,
            **{f" {name}": operate for name, operate in gate.AUGMENTED.items()},
            " name": trace.name_global, " local name": name_local, " named": named,
            " enter": trace.enter, " enter method": trace.enter_method, " leave": trace.leave,
            " leave lambda": trace.leave_lambda, " here": trace.here,
            " enter generator": trace.enter_generator, " leave generator": trace.leave_generator,
            " pause": trace.pause, " resume": trace.resume, " rounds": trace.rounds,
            " begin while": trace.begin_while, " between rounds": trace.between_rounds,
            " next round": trace.next_round, " end while": trace.end_while,
        }  # fmt: skip


def _ask(prompt: Any = "", /) -> str:  # noqa: ARG001
    raise EOFError("EOF when reading a line")


def _script_frame() -> Any:
    """The frame of the script's line that runs."""
    frame: Any = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith(FILE):
        frame = frame.f_back
    if frame is None:
        raise Refused("there is no script that asks")
    return frame


def _spelled(names: Any) -> dict[str, Any]:
    return {
        name: value for name, value in names.items() if type(name) is str and name[:1] != " " and name != "__builtins__"
    }


def local_names() -> dict[str, Any]:
    """`locals()`: a dict of its own."""
    return _spelled(_script_frame().f_locals)


def names_in(*owner: Any) -> dict[str, Any]:
    """`vars(x)`, and `vars()` for `locals()`."""
    if not owner:
        return local_names()
    try:
        return gate.attributes_of(*owner)
    except AttributeError:
        raise TypeError("vars() argument must have __dict__ attribute") from None


def list_names(*owner: Any) -> list[str]:
    """`dir(x)`."""
    if not owner:
        return sorted(local_names())
    return sorted(gate.names_of(owner[0])) if type(owner[0]) is gate.ModuleView else dir(*owner)


class GlobalNames(gate.InstanceDict):
    """`globals()`: what is written into it becomes a variable of the script."""

    def __init__(self, owned: dict[str, Any]) -> None:
        dict.__init__(self, _spelled(owned))
        self._real = owned


show_as(GlobalNames, dict)


class _Globals(Uncopied):
    """The function `globals`."""

    __slots__ = ()
    __name__ = "globals"

    def __call__(self) -> dict[str, Any]:
        return GlobalNames(_script_frame().f_globals)

    def __repr__(self) -> str:
        return "<built-in function globals>"


Function = Callable[..., Any]
