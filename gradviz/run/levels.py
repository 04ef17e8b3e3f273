"""Where a run is: the calls, modules and rounds of loops around what it computes. See `recording.Node.scope`.

The rewritten script calls the methods of a `Trace`. A level is made for every call and every round, so making one is
cheap; it gets its name once the run has ended, and only if it, or a level inside it, made a node (`ScopeNames`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

LONGEST_VALUE = 30
"""Characters of a loop variable's value that a scope shows."""

NAMED_ITEMS = 200
"""A list, dict or object of at most so many things names them by their places, as `ws[0]`, `layers[1]["w"]`."""

CONTAINERS = frozenset((list, tuple, dict))

SCRIPT = "__main__"
MODULES = {SCRIPT}
"""The script's own module, and those beside it that it has imported."""

module_of: Callable[[type], object] = type.__dict__["__module__"].__get__
"""The module that a class was made in, whatever the class itself answers."""


def is_of_script(value: object) -> bool:
    """Whether it is an object of a class that the script made, or that a module beside it did."""
    home = module_of(type(value))
    return type(home) is str and home in MODULES


_DEEPEST = 3


def items_in(value: Any, name: str, quote: str = '"', depth: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    """What a list, dict or object of the script holds, and those inside it, with places: `w[0][1]`, `w["b"]`, `net.w`.

    Args:
        quote: around the keys of dicts, as the script writes them.
    """
    for place, item in _places(value, name, quote):
        if type(item) not in CONTAINERS and not is_of_script(item):
            yield place, item
        elif depth > 1:
            yield from items_in(item, place, quote, depth - 1)


def _places(value: Any, name: str, quote: str) -> Iterator[tuple[str, Any]]:
    kind = type(value)
    if kind in CONTAINERS:
        if len(value) > NAMED_ITEMS:
            return
        for key, item in value.items() if kind is dict else enumerate(value):
            if type(key) is str:
                yield f"{name}[{quote}{key}{quote}]", item
            elif type(key) is int or (type(key) is tuple and key and all(type(each) is int for each in key)):
                yield f"{name}[{str(key).strip('()')}]", item
        return
    try:
        held: dict[str, Any] = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return
    if len(held) <= NAMED_ITEMS:
        yield from ((f"{name}.{key}", item) for key, item in held.items())


def quote_in(text: str) -> str:
    """The quotes in which a script writes the keys of its dicts."""
    return "'" if text.count("['") > text.count('["') else '"'


def name_beside(path: str, folder: str) -> str:
    """A file beside the script as people call it: "model.py", "parts/layers.py"."""
    with suppress(ValueError):
        return Path(path).relative_to(folder).as_posix()
    return Path(path).name


class Level:
    """One call of a function or module, or one round of a loop.

    Attributes:
        outer: the level around it; None for the script's own.
        name: of the function or module, or what the loop assigns to.
        number: of the round, from 0; -1 for a call.
        value: of the loop variable, where it is a number or a text.
        module: the module called, and `root`, the outermost module around, which its path begins at.
    """

    __slots__ = ("module", "name", "number", "outer", "root", "value")

    def __init__(self, outer: Level | None, name: str, number: int = -1, item: object = None) -> None:
        self.outer = outer
        self.name = name
        self.number = number
        while type(item) is tuple and item:
            item = item[0]
        # anything else is not kept, for it may be large
        self.value = item if type(item) in (int, float, str, bool) else None
        self.module: object = None
        self.root: object = None if outer is None else outer.root

    @property
    def round(self) -> Level | None:
        """The innermost round of a loop that it is in, or is."""
        level: Level | None = self
        while level is not None and level.number < 0:
            level = level.outer
        return level

    @property
    def text(self) -> str:
        """E.g. "block", "epoch = 3" or "x, y [3]"."""
        if self.number < 0:
            return self.name
        if self.value is None:
            return f"{self.name} [{self.number}]"
        return f"{self.name.partition(', ')[0]} = {str(self.value)[:LONGEST_VALUE]}"


class Pause:
    """Where a generator stands between two of its values.

    Attributes:
        outer: the level of whoever asked for the present value.
        inner: the generator's own level when it gave its last value.
        is_running: False while it waits to be asked again.
    """

    __slots__ = ("inner", "is_running", "outer")

    def __init__(self, outer: Level, inner: Level) -> None:
        self.outer = outer
        self.inner = inner
        self.is_running = True


class WhileLoop:
    """A `while` loop that runs: the level around it, and how many rounds it has begun."""

    __slots__ = ("count", "outer")

    def __init__(self, outer: Level) -> None:
        self.outer = outer
        self.count = 0


class Trace:
    """The level that a run is in, and what its variables are called.

    Attributes:
        level: the current one; the recorder reads it when an op runs.
        quote: around the keys of dicts in names.
        tensor_types: the classes whose objects take the names of variables; an object of another class costs nothing.
        module_type: objects of this class are labelled by the variable that they are assigned to.
        name_tensor: called with a tensor, its name, and whether a variable of the script itself names it.
        label_module: called with a module that a variable or an attribute was given.
        path_of: called with two modules, gives the path of the second in the first, "" where it is not inside.
        labels: variables of modules, by id; the modules are kept alive in `labelled`.
    """

    def __init__(
        self,
        tensor_types: Iterable[type] = (),
        module_type: type | None = None,
        name_tensor: Callable[[Any, str, bool], object] = lambda *_: None,
        path_of: Callable[[Any, Any], str] = lambda *_: "",
    ) -> None:
        self.level = Level(None, "")
        self.quote = '"'
        self.tensor_types = frozenset(tensor_types)
        self.module_type = module_type
        self.name_tensor = name_tensor
        self.path_of = path_of
        self.label_module: Callable[[Any], object] = lambda _: None
        self.labels: dict[int, str] = {}
        self.labelled: list[object] = []

    # ---- names ----

    def name_global(self, value: Any, name: str) -> None:
        """A variable of the script has been given a value."""
        self.name(value, name, True)

    def name_local(self, value: Any, name: str) -> None:
        """A variable of a function or an attribute has been given a value."""
        self.name(value, name, False)

    def name(self, value: Any, name: str, is_global: bool) -> None:
        """Call a tensor by the variable that it is assigned to, those in what it holds by their places in it."""
        kind = type(value)
        if kind in self.tensor_types:
            self.name_tensor(value, name, is_global)
        elif self.module_type is not None and issubclass(kind, self.module_type):
            if is_global:
                self.label(value, name)
            else:
                self.label_module(value)
        elif kind in CONTAINERS or is_of_script(value):
            for place, item in items_in(value, name, self.quote):
                if type(item) in self.tensor_types:
                    self.name_tensor(item, place, is_global)

    def attribute(self, value: Any, owner: object, name: str) -> Any:
        """An attribute is about to be given a value, which is passed on; those of the script's own objects name it."""
        if is_of_script(owner):
            self.name(value, name, False)
        return value

    def changed_attribute(self, owner: object, name: str) -> None:
        """An attribute has been given what an operation made of it."""
        if is_of_script(owner):
            with suppress(AttributeError):
                self.name(object.__getattribute__(owner, "__dict__").get(name), name, False)

    def named(self, value: Any, name: str, is_global: bool) -> Any:
        """A variable has been given a value within an expression, `(y := v)`."""
        self.name(value, name, is_global)
        return value

    def label(self, module: object, name: str) -> None:
        """Call a module by a variable, if it has no name yet."""
        if id(module) not in self.labels:
            self.labels[id(module)] = name
            self.labelled.append(module)
            self.label_module(module)

    # ---- functions ----

    def enter(self, name: str) -> Level:
        """Begin the call of a function.

        Returns:
            The level around it, for `leave`.
        """
        outer = self.level
        self.level = Level(outer, name)
        return outer

    def enter_method(self, name: str, owner: object) -> Level:
        """The same for a method `forward`, which is no level of its own inside the call of its module."""
        outer = self.level
        if outer.module is None or outer.module is not owner:
            self.level = Level(outer, name)
        return outer

    def leave(self, outer: Level) -> None:
        """End a call."""
        self.level = outer

    def leave_lambda(self, outer: Level, result: Any) -> Any:
        """End the call of a lambda, and pass on its result."""
        self.level = outer
        return result

    def here(self) -> Level:
        """The current level, which an `except` block goes back to."""
        return self.level

    # ---- modules ----

    def enter_module(self, module: object) -> Level:
        """Begin the call of a module: named by its variable, inside another module by its path.

        Returns:
            The level around it, for `leave`.
        """
        outer = self.level
        path = "" if outer.root is None else self.path_of(outer.root, module)
        level = Level(outer, path or self.labels.get(id(module)) or type(module).__name__)
        level.module = module
        if not path:
            level.root = module
        self.level = level
        return outer

    # ---- generators ----

    def enter_generator(self, name: str) -> Pause:
        """Begin the body of a generator."""
        outer = self.level
        self.level = Level(outer, name)
        return Pause(outer, self.level)

    def pause(self, pause: Pause, value: Any) -> Any:
        """The generator gives a value: back to the level of whoever asked."""
        pause.inner, self.level = self.level, pause.outer
        pause.is_running = False
        return value

    def resume(self, pause: Pause, sent: Any) -> Any:
        """The generator goes on."""
        pause.outer, self.level = self.level, pause.inner
        pause.is_running = True
        return sent

    def leave_generator(self, pause: Pause) -> None:
        """The body ends; where it is closed while it waits, nobody is inside it."""
        if pause.is_running:
            self.level = pause.outer

    # ---- loops ----

    def rounds(self, items: Iterable[Any], name: str) -> Iterator[Any]:
        """The items of a `for` loop, each in a level of its own; the next item is computed outside.

        Raises:
            TypeError: nothing that can be iterated over; at once, so that it is told at its place.
        """
        return self._rounds(iter(items), name)

    def _rounds(self, items: Iterator[Any], name: str) -> Iterator[Any]:
        outer = self.level
        level: Level | None = None
        number = 0
        try:
            for item in items:
                level = self.level = Level(outer, name, number, item)
                yield item
                self.level = outer
                number += 1
        finally:
            if level is not None and self._is_in(level):
                self.level = outer

    def _is_in(self, level: Level) -> bool:
        """Whether the run is still in it: a loop may also end because its generator is thrown away elsewhere."""
        at: Level | None = self.level
        while at is not None and at is not level:
            at = at.outer
        return at is not None

    def begin_while(self) -> WhileLoop:
        """A `while` loop begins."""
        return WhileLoop(self.level)

    def between_rounds(self, loop: WhileLoop) -> None:
        """Its test is computed outside of its rounds."""
        self.level = loop.outer

    def next_round(self, loop: WhileLoop, _: None, test: Any) -> bool:
        """Whether another round begins; then in a level of its own."""
        if not test:
            return False
        self.level = Level(loop.outer, "while", loop.count)
        loop.count += 1
        return True

    def end_while(self, loop: WhileLoop) -> None:
        """The loop ends, however that may be."""
        self.level = loop.outer


def calls_put_in(trace: Trace) -> dict[str, Any]:
    """What a rewritten script calls, by the names that it calls them by; see `gradviz.run.rewrite`."""
    return {
        " name": trace.name_global, " local name": trace.name_local, " named": trace.named,
        " attribute": trace.attribute, " changed attribute": trace.changed_attribute,
        " enter": trace.enter, " enter method": trace.enter_method, " leave": trace.leave,
        " leave lambda": trace.leave_lambda, " here": trace.here,
        " enter generator": trace.enter_generator, " leave generator": trace.leave_generator,
        " pause": trace.pause, " resume": trace.resume, " rounds": trace.rounds,
        " begin while": trace.begin_while, " between rounds": trace.between_rounds,
        " next round": trace.next_round, " end while": trace.end_while,
        " spelled": spelled, " kept": {},
    }  # fmt: skip


def spelled(names: Any) -> Any:
    """What `locals()`, `vars()` or `dir()` gave in a function, without the names that are put in."""
    if type(names) is dict:
        return {name: value for name, value in names.items() if name[:1] != " "}
    return [name for name in names if name[:1] != " "] if type(names) is list else names


class ScopeNames:
    """Gives levels their names, those inside one another outermost first; a name that comes again gets a number."""

    def __init__(self) -> None:
        self._known: dict[Level, tuple[str, ...]] = {}
        self._seen: dict[tuple[tuple[str, ...], str], int] = {}

    def of(self, level: Level) -> tuple[str, ...]:
        """The texts of the level and of those around it; to be asked in the order in which nodes were made."""
        for inner in reversed(list(self._unknown(level))):
            self._known[inner] = self._named(inner)
        return self._known[level]

    def _unknown(self, level: Level | None) -> Iterator[Level]:
        while level is not None and level not in self._known:
            yield level
            level = level.outer

    def _named(self, level: Level) -> tuple[str, ...]:
        if level.outer is None:
            return ()
        around, text = self._known[level.outer], level.text
        count = self._seen[around, text] = self._seen.get((around, text), 0) + 1
        return (*around, text if count == 1 else f"{text} #{count}")


class ModulePaths:
    """Gives levels the full path of the innermost module around them, "" outside of any."""

    def __init__(self) -> None:
        self._known: dict[Level, str] = {}

    def of(self, level: Level) -> str:
        """E.g. "net.layers.0" inside of the call of that layer, and in the functions that it calls."""
        inner: Level | None = level
        while inner is not None and inner.module is None:
            inner = inner.outer
        if inner is None:
            return ""
        if inner not in self._known:
            around = inner.outer
            while around is not None and around.module is not inner.root:
                around = around.outer
            is_root = around is None or inner.module is inner.root
            self._known[inner] = inner.name if is_root or around is None else f"{around.name}.{inner.name}"
        return self._known[inner]
