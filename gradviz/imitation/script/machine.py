"""The machine a script runs on: its frames, what it printed, where it is, and how far it may go."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gradviz.imitation.engine.random.generator import Generator
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import Cancelled, LimitError, TorchError
from gradviz.imitation.script.arguments.checking import failure, read
from gradviz.imitation.script.arguments.out import with_out, written
from gradviz.imitation.script.errors.calls import in_torch_words
from gradviz.imitation.script.errors.warned import Warnings
from gradviz.imitation.script.hinting import Hint
from gradviz.imitation.script.levels import Level
from gradviz.imitation.script.limits import memory
from gradviz.imitation.script.limits.keeping import Keep, Keeping
from gradviz.imitation.script.limits.sizes import LARGE, RULES, admit
from gradviz.imitation.script.torch_values import Scoped
from gradviz.imitation.script.values import Bound, Class, Function, Native, OnClass, Static, type_name

if TYPE_CHECKING:
    from gradviz.imitation.script.producer import Producer


@dataclass(frozen=True)
class Limits:
    """How far a script may go; a learner's script stays far below.

    Attributes:
        steps: statements, rounds of loops, items taken from iterators; large results count as many.
        depth: calls inside one another, as many as Python allows.
        nodes: of the graph.
        megabytes: of the graph's values, and of everything that the script holds.
        output_characters: printed.
        keep: of the backward calls of a long run.
    """

    steps: int = 20_000_000
    depth: int = 990
    nodes: int = 1_000_000
    megabytes: int = 4_000
    output_characters: int = 1_000_000
    keep: Keep = field(default_factory=Keep)


FINITE = (list, tuple, str, range)
FEW = 10_000
"""Shorter sequences are looped over in native code without a look at the limits."""

MOST = 10_000_000
"""Items of one list or characters of one text."""

PRINTED = 10
"""What one print counts as steps, so that an endless one ends in seconds."""


class Frame:
    """The variables of one call, or of the module.

    Attributes:
        vars: local variables.
        outer: the frame its function was defined in, or None for the module.
        function: the function it runs, and `first`, its first argument, for `super()`.
        declared: names declared global or nonlocal.
    """

    __slots__ = ("first", "function", "machine", "outer", "vars")

    def __init__(self, machine: Machine, outer: Frame | None, function: Function | None = None) -> None:
        self.vars: dict[str, Any] = {}
        self.outer = outer
        self.machine = machine
        self.function = function
        self.first: Any = None


class Machine:
    """One run of one script.

    Attributes:
        tape: what the engine records.
        line: line of the statement being run.
        marks: (number of entries, line); see `freeze.Marks`.
        levels: (number of entries, level); see `levels.Marks`, and `level`, where the script is.
        named_locally: positions of tensors that only a variable of a function is named after.
        bytes: of the values of the first `counted_entries` entries.
        frames: of the calls that run, innermost last; see `inspect.currentframe`.
        sweeping: how many backward passes run, inside one another.
        depth: calls inside one another that are allowed now; see `sys.setrecursionlimit`.
        handling: the exceptions being handled, innermost last, for a bare `raise`.
        writers: where prints go instead, innermost last; see `contextlib.redirect_stdout`.
        warnings: the filters and what came through them.
    """

    CHECK_EVERY = 32

    def __init__(self, limits: Limits, cancelled: Callable[[], bool], seed: int) -> None:
        self.tape = Tape()
        self.limits = limits
        self.depth = limits.depth
        self.line = 0
        self.marks: list[tuple[int, int]] = []
        self.levels: list[tuple[int, Level]] = []
        self.level = Level(None, "")
        self.frames: list[Frame] = []
        self.sweeping = 0
        self.keeping = Keeping(limits.keep)
        self.random = Generator(seed)
        self.numpy_seed: int = seed % 2**32
        self.handling: list[TorchError] = []
        self.builtins: dict[str, Any] = {}
        self.modules: dict[str, Any] = {}
        self.output: list[str] = []
        self.writers: list[Callable[[str], Any]] = []
        self.warnings = Warnings(self)
        self.state: dict[str, Any] = {}
        self.numbered = itertools.count(1).__next__
        self._cancelled = cancelled
        self.tape.pulse = self.pulse
        self._written = 0
        self._steps = 0
        self._next_check = self.CHECK_EVERY
        self._memory = memory.used()
        self.counted_entries = 0
        self.bytes = 0
        self.named_locally: set[int] = set()

    # ---- where we are ----

    def at(self, line: int) -> None:
        """A statement (or a piece of one) of this line begins."""
        self._steps += 1
        if self._steps >= self._next_check:
            self.check()
        if line != self.line:
            self.mark(line)

    def spend(self, steps: int) -> None:
        """Count work that is not a statement.

        Raises:
            Cancelled, LimitError: as `check`.
        """
        self._steps += steps
        if self._steps >= self._next_check:
            self.check()

    def each(self, items: Iterable[Any]) -> Iterable[Any]:
        """The items for a loop that runs in native code, made stoppable where there may be many.

        Raises:
            TypeError: it cannot be iterated.
        """
        if type(items) in FINITE and not items[FEW:]:  # type: ignore[index]
            return items
        return self._each(iter(items))

    def _each(self, items: Iterator[Any]) -> Iterator[Any]:
        for item in items:
            self.spend(1)
            yield item

    def whole(self, items: Iterable[Any]) -> Iterable[Any]:
        """As `each`, for a loop that needs all items: it is refused at once where they are too many.

        Raises:
            LimitError: a range that is too long.
            TypeError: it cannot be iterated.
        """
        if type(items) is range and items[MOST:]:
            raise LimitError(f"{items!r} is too long to go through", hint="Use a shorter range.")
        return self.each(items)

    def listed(self, items: Iterable[Any]) -> list[Any]:
        """All items at once.

        Raises:
            LimitError: too many.
            TypeError: it cannot be iterated.
        """
        return list(self.whole(items))

    def mark(self, line: int) -> None:
        """Entries from here on are made by this line; what the texts of the library do, by the one that called them."""
        if line < 0:
            return
        self.line = line
        count = len(self.tape.entries)
        if self.marks and self.marks[-1][0] == count:
            self.marks.pop()
        self.marks.append((count, line))

    def check(self) -> None:
        """Stop where the user asked for it, or where a limit is passed.

        Raises:
            Cancelled: the user pressed Stop.
            LimitError: too many steps, nodes or bytes.
        """
        self._next_check = self._steps + self.CHECK_EVERY
        self.pulse()
        if self._steps > self.limits.steps:
            raise LimitError(
                f"the script ran {self.limits.steps:,} steps without an end and was stopped",
                hint="Check for an endless loop, or use fewer iterations.",
            )
        if memory.used() - self._memory > self.limits.megabytes * 1_000_000:
            raise LimitError(
                f"the script needs more than {self.limits.megabytes:,} MB of memory",
                hint="Use smaller tensors, or fewer and shorter lists.",
            )
        self._check_graph()

    def pulse(self) -> None:
        """Stop where the user asked for it.

        Raises:
            Cancelled: the user pressed Stop.
        """
        if self._cancelled():
            raise Cancelled("The run was stopped.")

    def _check_graph(self) -> None:
        entries = self.tape.entries
        if len(entries) - self.tape.holes > self.limits.nodes:
            raise LimitError(
                f"the graph has more than {self.limits.nodes:,} nodes", hint="Use fewer iterations or smaller inputs."
            )
        self.bytes += sum(entry.data.nbytes for entry in entries[self.counted_entries :])
        self.counted_entries = len(entries)
        if self.bytes > self.limits.megabytes * 1_000_000:
            raise LimitError(
                f"the values of the graph take more than {self.limits.megabytes:,} MB",
                hint="gradviz keeps every value of a run: use smaller tensors or fewer iterations.",
            )

    # ---- calls ----

    def call(self, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Call anything that a script can call.

        Raises:
            TorchError: it is not callable, or what the call itself raises.
        """
        kind = type(function)
        if isinstance(function, Native):
            return self.run(function, arguments, keywords)
        if kind is Bound:
            return self.call(function.function, (function.receiver, *arguments), keywords)
        if kind is Function:
            return self.enter(function, arguments, keywords)
        if kind is Class:
            from gradviz.imitation.script.syntax.classes import construct

            return construct(self, function, arguments, keywords)
        if kind is Static or kind is OnClass:
            return self.call(function.function, arguments, keywords)
        if kind is Hint and function.origin is not None:
            return self.call(function.origin, arguments, keywords)
        if kind is Scoped:
            from gradviz.imitation.script.syntax.functions import scoped_function

            return scoped_function(Frame(self, None), function, *arguments)
        if getattr(function, "is_callable", False):  # a backward node, or what is drawn
            return function(*arguments, **keywords)
        special = getattr(function, "cls", None)
        if isinstance(special, Class) and special.has("__call__"):
            return self.call(Bound(special.find("__call__"), function), arguments, keywords)
        raise TorchError(f"'{type_name(function)}' object is not callable", kind="TypeError")

    def run(self, native: Native, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Run a function of ours, once it is known that its result is not too large.

        Raises:
            TorchError: what it raises itself, or arguments that it does not take.
            LimitError: the result would be too large.
        """
        if keywords and "out" in keywords and with_out(self, native, keywords):
            return written(self, native, arguments, keywords)
        try:
            if native.reader:
                arguments, keywords = read(native, arguments, keywords)
            if len(arguments) > 1 or native.name in RULES:
                admit(native.name, arguments, keywords)
            given = (self, *arguments) if native.needs_machine else arguments
            result = native.run(*given, **keywords)
        except (TypeError, AttributeError, LookupError, ValueError, TorchError) as error:
            if keywords and isinstance(error, TypeError) and (call := in_torch_words(native, arguments, keywords)):
                return self.run(native, *call)
            raise failure(native, arguments, keywords, error) from None
        if type(result) is Tensor and result.data.size > LARGE:
            self.spend(result.data.size // 1000)
        return result

    def enter(self, function: Function, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Run a script's function in a frame of its own."""
        frame = Frame(self, function.outer, function)
        function.params.bind(frame, arguments, keywords)
        line, outer = self.line, self.level
        self.spend(1)
        if len(self.frames) >= self.depth:
            self.spend(self.depth)  # leaving them all takes as long as that many statements
            raise TorchError(
                "maximum recursion depth exceeded",
                kind="RecursionError",
                hint=f"{self.depth} calls inside one another are allowed: give it an end, or use a loop.",
            )
        self.frames.append(frame)
        # the forward of a module that is being called is the call itself
        if outer.module is None or function.name != "forward" or not arguments or arguments[0] is not outer.module:
            self.go_to(Level(outer, function.qualname.replace(".<locals>", ""), line=line))
        try:
            return function.body(frame)
        finally:
            self.frames.pop()
            self.go_to(outer)
            if self.line != line:
                self.mark(line)

    def resume(self, producer: Producer, go_on: Callable[[], Any]) -> Any:
        """Let a function with `yield` go on where it was; it returns to the line it was called from."""
        line, outer = self.line, self.level
        self.spend(1)
        self.go_to(producer.level or Level(outer, producer.name, line=line))
        self.frames.append(producer.frame)
        try:
            return go_on()
        finally:
            self.frames.pop()
            producer.level = self.level
            self.go_to(outer)
            if self.line != line:
                self.mark(line)

    def go_to(self, level: Level) -> None:
        """Entries from here on are made there."""
        self.level = level
        count = len(self.tape.entries)
        if self.levels and self.levels[-1][0] == count:
            self.levels.pop()
        self.levels.append((count, level))

    # ---- what it says ----

    @property
    def written(self) -> int:
        """Characters printed so far."""
        return self._written

    def write(self, text: str) -> None:
        """Print. Over the limit the output is cut, visibly."""
        self.spend(PRINTED + len(text) // 16)
        if self.writers:
            self.writers[-1](text)
            return
        room = self.limits.output_characters - self._written
        if room < 0 or not text:
            return
        self._written += len(text)
        if len(text) > room:
            text = f"{text[:room]}\n… output cut after {self.limits.output_characters:,} characters …\n"
        self.output.append(text)

    def tensor(self, data: Any, *, requires_grad: bool = False) -> Tensor:
        """A new tensor of this run, which knows the line that made it."""
        return self.made(self.tape.tensor(data, requires_grad=requires_grad))

    def made(self, tensor: Tensor) -> Tensor:
        """Note the line and level that made a leaf or constant, whose first use may be elsewhere."""
        more = tensor.more
        more.line, more.level = self.line, self.level
        if tensor.index >= 0:
            self.tape.lines[tensor.index], self.tape.levels[tensor.index] = self.line, self.level
        return tensor

    def rename(self, leaf: Tensor, name: str) -> None:
        """Call a leaf by a longer name, such as `fc1.weight`."""
        leaf.more.label = name
        if leaf.index >= 0:
            self.tape.names[leaf.index] = name

    def name(self, tensor: Tensor, name: str, *, is_global: bool) -> None:
        """A tensor was assigned to a variable. The first name stays; one of the module beats one of a function."""
        index, names = tensor.index, self.tape.names
        if tensor.op is None:
            more = tensor.more
            if more.label is None:
                more.label = name
                if index >= 0:
                    names[index] = name
        elif index not in names or (is_global and index in self.named_locally):
            names[index] = name
            if is_global:
                self.named_locally.discard(index)
            else:
                self.named_locally.add(index)
