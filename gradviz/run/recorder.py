"""From the running engine to a frozen recording: which entries were made, where, and what the passes did.

The recorder listens to the engine (`gradviz.engine.state`). For each entry it keeps the place: the instruction of the
script that made it, found by walking the frames up to the script's own, and the level of calls, modules and loops
around it. Lines and names are worked out at the end, for what is kept.

Of a long run not everything is kept: the first backward call, the last, the first that is not finite, and every nth,
where n grows with the run, so that what is kept stays bounded however long the run is. An entry that no kept pass needs
goes once the script has let it go.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from gradviz.engine.nn.module import Module
from gradviz.engine.nn.parameter import Parameter
from gradviz.engine.state import state
from gradviz.engine.sweep import Sweep as Pass
from gradviz.engine.tensor import Memory, Tensor, current, extra_of, owner_of
from gradviz.errors import LimitError
from gradviz.graph.order import leaves_when_ready
from gradviz.ops.op import Op
from gradviz.ops.params import plain
from gradviz.recording import (
    CONSTANT,
    LEAF,
    OUTPUT,
    Accumulation,
    Array,
    Broken,
    Cut,
    Node,
    Origin,
    Problem,
    Read,
    Recording,
    Source,
    Step,
    Sweep,
    Thinned,
    Warned,
)
from gradviz.run.job import Keep
from gradviz.run.levels import (
    CONTAINERS,
    Level,
    ModulePaths,
    ScopeNames,
    Trace,
    is_of_script,
    items_in,
    name_beside,
)

Place = tuple[CodeType | None, int, Level]
"""The code of the script that ran, the offset of its instruction, and the level around it."""

COMPARISONS = frozenset(("eq", "ge", "gt", "le", "lt", "ne"))
DROPPED = "{op} of a backward call that was not kept"


class Printed(NamedTuple):
    """How many characters had been printed when a pass began, and by the end of the entries that printed some."""

    before: int
    by: dict[Tensor, int]


@dataclass(eq=False)
class Round:
    """The backward calls of one round of a loop, or one call outside of loops; they are kept or dropped together.

    Attributes:
        level: the round; None outside of loops.
        start: where the entries that were made since the round before begin on the tape, while it is the last one.
        passes: each with its place, its number from 1, and what had been printed.
        nodes: how many steps they have, and `size`, of how many bytes.
        is_pinned: whether it was asked for, or is the first that is not finite.
    """

    level: Level | None
    start: int = 0
    passes: list[tuple[Pass, Place, int, Printed]] = field(default_factory=list)
    nodes: int = 0
    size: int = 0
    is_pinned: bool = False


class Recorder:
    """What a run has made so far.

    Attributes:
        printed: how many characters the script has printed.

    Args:
        files: that the script, and modules beside it, are compiled with, and their texts; the script's own first.
        trace: the level of calls, modules and loops that the script is in.
        keep: how much of a long run is kept.
        most_nodes: how many entries may be held at a time.
    """

    def __init__(self, files: Mapping[str, str], trace: Trace, keep: Keep, most_nodes: int = 1_000_000) -> None:
        self.files = files
        self.trace = trace
        self.keep = keep
        self.most_nodes = most_nodes
        self.tape: list[Tensor] = []
        self.places: list[Place] = []
        self.rounds: dict[int, Round] = {}
        self.every = 1
        self.calls = self.printed = 0
        self.failed: Pass | None = None
        self._under_way: list[tuple[Pass, Printed]] = []
        self.cuts = CutNotes()
        self._set_aside: dict[int, tuple[ref[Tensor], Place]] = {}
        self.names: dict[int, tuple[str, bool]] = {}
        self._around: list[Level] = []
        self.root = trace.level
        self._count = 0
        self._open = 0
        self._kept = Totals()
        self._limit = ""
        self._not_finite: int | None = None
        self._end = 0

    # ---- listening -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Listen to the engine."""
        state.tape, state.on_entry, state.on_sweep = self.tape, self.add, self.add_pass
        state.on_begin, state.on_module, state.on_cut = self.begin_pass, self.enter_module, self.add_cut
        state.on_write, state.names = self.place_write, self.names

    def stop(self) -> None:
        """Listen no longer."""
        state.tape = state.on_entry = state.on_sweep = state.on_begin = state.on_module = state.on_cut = None
        state.on_write, state.names = None, {}

    def add(self, entry: Tensor) -> None:
        """Take note of an entry that an op has just made."""
        self.tape.append(entry)
        frame: Any = sys._getframe(2)
        files = self.files
        while frame is not None and frame.f_code.co_filename not in files:
            frame = frame.f_back
        level = self.trace.level
        self.places.append((None, 0, level) if frame is None else (frame.f_code, frame.f_lasti, level))
        if len(self.tape) > self.most_nodes:
            self._refuse()

    def _refuse(self) -> None:
        raise LimitError(
            f"the graph has more than {self.most_nodes:,} nodes at a time",
            hint="Call backward() more often, detach() what a loop carries on, or use fewer steps.",
        )

    def place(self) -> Place:
        """Where the script is now."""
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename not in self.files:
            frame = frame.f_back
        return (None, 0, self.trace.level) if frame is None else (frame.f_code, frame.f_lasti, self.trace.level)

    def name(self, x: Tensor, name: str, is_global: bool) -> None:
        """A variable was given a tensor: the first of the script's own names it, else the first inside a function.

        A leaf keeps its name when `requires_grad` or a change in place has made another entry of it.
        """
        if x.extra is None and x.op is not None:
            # What an op made is on the tape. Were its name kept in an Extra, the reverse loop would take it for a
            # special one, and a pass over variables take twice as long.
            known = self.names.get(id(x))
            if known is None or (is_global and not known[1] and name.isidentifier()):
                self.names[id(x)] = (name, is_global and name.isidentifier())
            return
        entry = current(x)
        extra = extra_of(entry)
        if id(entry) in self.names:
            extra.name, extra.is_named = self.names.pop(id(entry))
        if entry is not x and entry.op is None and x.extra is not None and x.extra.is_named:
            extra.name, extra.is_named = x.extra.name, True
        is_own = is_global and (entry.op is None or name.isidentifier())  # a result is called by its own variable
        if extra.name is None or (is_own and not extra.is_named):
            extra.name, extra.is_named = name, is_own
            if entry is not x and entry.op is None:
                extra_of(x).name, extra_of(x).is_named = name, is_own
        if entry.op is None and extra.place is None and extra_of(x).place is None:
            extra.place = self.place()

    def place_module(self, module: Module) -> None:
        """A module was assigned to a variable: its parameters were made here."""
        place = self.place()
        for parameter in module.parameters():
            extra = extra_of(parameter)
            if extra.place is None:
                extra.place = place

    def add_cut(self, made: Tensor | None, sources: tuple[Tensor, ...], how: str) -> None:
        """Take note of what was computed outside of the graph, where any of it comes out of the graph."""
        is_tracked = False
        for x in sources:  # a loop, since every op outside of the graph comes here
            is_tracked = is_tracked or x.tracked
        if is_tracked:
            word = "a comparison" if how in COMPARISONS else f"{how}()" if how.isidentifier() else how
            word = word if state.grad_enabled or not how.isidentifier() else "torch.no_grad()"
            self.cuts.add(made, CutNote(tuple([ref(x) for x in sources if x.tracked]), word, self.place()))
        elif self.cuts.made_of:
            self.cuts.go_on(made, sources, how, self.place)

    def place_write(self, memory: Memory) -> None:
        """A memory was changed where autograd does not see it, as through `.data`: keep where."""
        memory.place = self.place()

    def enter_module(self, module: object, begins: bool) -> None:
        """A module's call begins or ends."""
        if begins:
            self._around.append(self.trace.enter_module(module))
        else:
            self.trace.leave(self._around.pop())

    # ---- passes --------------------------------------------------------------------------------------------------

    def count_printed(self, characters: int) -> None:
        """Take note that the script has printed."""
        self.printed += characters
        if self._under_way:
            made, printed = self._under_way[-1]
            if made.at is not None:
                printed.by[made.at] = self.printed

    def begin_pass(self, made: Pass) -> None:
        """Take note of a backward pass that begins."""
        self._under_way.append((made, Printed(self.printed, {})))

    def add_pass(self, made: Pass) -> None:
        """Take note of a backward pass that has ended, and let go of what need not be kept."""
        printed = Printed(self.printed, {})
        if self._under_way and self._under_way[-1][0] is made:  # it is not where it was refused before it began
            _, printed = self._under_way.pop()
        if made.error is not None:
            self.failed = made
        if not made.seeds or not (made.steps or made.error):  # it never began, or came to nothing
            return
        self.calls += 1
        place = self.place()
        one = self._round(place[2].round)
        one.passes.append((made, place, self.calls, printed))
        if self._not_finite is None and not _is_finite(made):
            self._not_finite = self.calls
        one.is_pinned |= self.calls in self.keep.pinned or self.calls == self._not_finite
        # The values, and as much again for what came in and what went out.
        nodes = len(made.steps)
        size = 3 * sum([step[0].array.nbytes for step in made.steps])
        one.nodes += nodes
        one.size += size
        self._kept.add(1, nodes, size)
        self._end = len(self.tape)
        if not state.passes:  # inside another pass, which goes along the tape, nothing may be taken off it
            self._let_go()

    def _round(self, level: Level | None) -> Round:
        last = self.rounds.get(self._count - 1)
        if last is not None and level is not None and last.level is level:
            return last
        self._count += 1
        made = self.rounds[self._count - 1] = Round(level, self._end)
        return made

    def _is_due(self, number: int) -> bool:
        """Whether a round is kept though nobody asked for it: such are counted against what may be kept."""
        return number % self.every == 0 or number == self._count - 1

    def _let_go(self) -> None:
        """Drop what need not be kept: of the rounds that have ended since, and of all where there are too many."""
        while self._open < self._count - 1:
            self._close(self._open)
            self._open += 1
        if self._kept.is_over(self.keep) and self.every < self._count:
            self._thin()

    def _close(self, number: int) -> None:
        """A round is not the last one any more: drop it if it is not due, with its entries.

        Its entries are those made since the round before; but for those that the round after it went through.
        """
        if self._is_due(number):
            return
        one, after = self.rounds[number], self.rounds[number + 1]
        self._kept.add(-len(one.passes), -one.nodes, -one.size)
        if one.is_pinned:
            return
        del self.rounds[number]
        start, end = one.start, after.start
        del one
        needed = {id(step[0]) for made, *_ in after.passes for step in made.steps}
        after.start -= self._drop_entries(start, end, needed)

    def _thin(self) -> None:
        """Drop rounds until what is kept is within bounds."""
        while self._kept.is_over(self.keep) and self.every < self._count:
            self._limit = self._kept.limit(self.keep)
            self.every *= 2  # what is kept stays evenly spread
            self._kept = Totals()
            for number, one in self.rounds.items():
                if self._is_due(number):
                    self._kept.add(len(one.passes), one.nodes, one.size)
        self.rounds = {number: one for number, one in self.rounds.items() if self._is_due(number) or one.is_pinned}
        self._drop_unneeded()

    def _drop_unneeded(self) -> None:
        """Drop the entries that no kept pass needs; those made since the last pass stay."""
        waiting = [output for one in self.rounds.values() for made, *_ in one.passes for output in made.outputs]
        last = max([output.index for output in waiting], default=0)
        waiting += [entry for entry in self.tape if entry.index > last]
        needed: set[int] = set()
        while waiting:
            entry = waiting.pop()
            if entry.op is not None and id(entry) not in needed:
                needed.add(id(entry))
                waiting += entry.inputs
        newest = self.rounds[self._count - 1]
        self._drop_entries(newest.start, self._end, needed)
        newest.start -= self._drop_entries(0, newest.start, needed)

    def _drop_entries(self, start: int, end: int, needed: Container[int]) -> int:
        """Take a stretch off the tape but for entries that are needed, by `id`; returns how many are gone."""
        stretch = list(zip(self.tape[start:end], self.places[start:end], strict=True))
        gone = [(ref(entry), place) for entry, place in stretch if id(entry) not in needed]
        names = {id(entry): self.names.pop(id(entry), None) for entry, _ in stretch if id(entry) not in needed}
        stretch = [(entry, place) for entry, place in stretch if id(entry) in needed]
        self.tape[start:end] = [entry for entry, _ in stretch]
        self.places[start:end] = [place for _, place in stretch]
        self._end -= len(gone)
        for weak, place in gone:
            held = weak()
            if held is not None:  # by the script: a pass may yet go through it, so passes search from now on
                self._remember(held, place)
                name = names[id(held)]
                if name is not None:
                    self.names[id(held)] = name
                state.tape = None
            del held
        return len(gone)

    def _remember(self, entry: Tensor, place: Place) -> None:
        """Keep the place of an entry that is not on the tape any more, as long as the script holds it."""
        key = id(entry)
        self._set_aside[key] = ref(entry, lambda _: self._forget(key)), place

    def _forget(self, key: int) -> None:
        self._set_aside.pop(key, None)
        self.names.pop(key, None)

    def placed_entries(self) -> list[tuple[Tensor, Place]]:
        """What the recording consists of, in the order in which it was made.

        That is the tape, and what had been taken off it when a later pass that is kept went through it after all.
        """
        on_tape = set(map(id, self.tape))
        found = list(zip(self.tape, self.places, strict=True))
        steps = [step for one in self.rounds.values() for made, *_ in one.passes for step in made.steps]
        for entry, *_ in steps:
            if entry.op is not None and id(entry) not in on_tape:
                on_tape.add(id(entry))
                found.append((entry, self._set_aside[id(entry)][1] if id(entry) in self._set_aside else self.nowhere))
        return found if len(found) == len(self.tape) else sorted(found, key=lambda placed: placed[0].index)

    @property
    def nowhere(self) -> Place:
        """The place of what was made at no line of the script."""
        return None, 0, self.root

    def _thinned(self) -> Thinned:
        """What was not kept, and why."""
        most = {"keep": self.keep.sweeps, "memory": self.keep.megabytes, "nodes": self.keep.nodes}.get(self._limit, 0)
        bounds = {"limit": self._limit, "most": most, "not_finite": self._not_finite}
        return Thinned(self.calls, self.every, self.calls > self._count, **bounds)  # type: ignore[arg-type]

    # ---- the recording ---------------------------------------------------------------------------------------------

    def freeze(
        self,
        *,
        variables: Mapping[str, object],
        source: Source,
        output: str = "",
        problem: Problem | None = None,
        error: BaseException | None = None,
        warnings: Iterable[Warned] = (),
    ) -> tuple[Recording, list[Tensor]]:
        """The recording, and the entry behind each of its nodes.

        A pass that failed is part of it: the steps that ran before, the error, and the node that it was at.
        """
        if self.rounds:
            self._let_go()
        if self.calls > sum(len(one.passes) for one in self.rounds.values()):
            self._drop_unneeded()
        frozen = _Freezer(self, variables)
        passes = [each for _, one in sorted(self.rounds.items()) for each in one.passes]
        kept = len(passes)
        thinned = self._thinned() if kept < self.calls else None
        sweeps = [frozen.sweep(*each) for each in passes]
        if problem is not None and self.failed is not None and self.failed.error is error:
            made = self.failed
            at = made.at if made.at is not None else made.outputs[0]
            problem = replace(problem, node=frozen.ids.get(at))
            if not at.tracked:
                problem = frozen.blamed(problem, self.cuts, at)
        sweeps = [replace(sweep, number=0) for sweep in sweeps] if thinned is None else list(frozen.with_starts(sweeps))
        cuts = tuple(frozen.cuts(self.cuts))
        recording = Recording(
            tuple(frozen.nodes),
            tuple(frozen.values),
            tuple(sweeps),
            {name: None if g is None else current(g).array for name, g in gradients_of(variables, self.trace.quote)},
            output,
            source,
            problem,
            tuple(warnings),
            thinned,
            sources=frozen.sources,
            cuts=cuts,
        )
        return recording, frozen.entries


def _is_finite(made: Pass) -> bool:
    """Whether a loss, or the `.grad` that a pass has left, is finite."""
    arrays = [output.array for output in made.outputs]
    arrays += [after for _, _, after in made.accumulated if isinstance(after, np.ndarray)]
    return all(bool(np.isfinite(array).all()) for array in arrays if array.dtype.kind in "fc")


class CutNote(NamedTuple):
    """One cut: the entries whose numbers were taken, by what, and where. It keeps none of them alive."""

    sources: tuple[ref[Tensor], ...]
    how: str
    place: Place


class CutNotes:
    """Which tensors were computed from the graph outside of it, and which of them Python has got.

    Attributes:
        made_of: by `id` of such a tensor, as long as it lives, itself and the cut that it comes from.
        left: what Python or numpy got, the last of each place.
    """

    def __init__(self) -> None:
        self.made_of: dict[int, tuple[ref[Tensor], CutNote]] = {}
        self.left: dict[tuple[CodeType | None, int], CutNote] = {}

    def add(self, made: Tensor | None, note: CutNote) -> None:
        """A cut has been made."""
        if made is None:
            self.left[note.place[:2]] = note
            return
        key = id(made)
        self.made_of[key] = (ref(made, lambda _: self.made_of.pop(key, None)), note)

    def go_on(self, made: Tensor | None, sources: tuple[Tensor, ...], how: str, place: Callable[[], Place]) -> None:
        """What was computed from tensors behind a cut is behind it too."""
        for x in sources:
            known = self.of(x)
            if known is not None:
                self.add(made, known if made is not None else CutNote(known.sources, how, place()))
                return

    def of(self, x: Tensor) -> CutNote | None:
        """The cut that a tensor is behind."""
        found = self.made_of.get(id(x))
        return found[1] if found is not None and found[0]() is x else None


@dataclass
class Totals:
    """Backward calls, nodes and bytes."""

    sweeps: int = 0
    nodes: int = 0
    size: int = 0

    def add(self, sweeps: int, nodes: int, size: int) -> None:
        """Count more."""
        self.sweeps += sweeps
        self.nodes += nodes
        self.size += size

    def is_over(self, keep: Keep) -> bool:
        """Whether it is more than may be kept."""
        return bool(self.limit(keep))

    def limit(self, keep: Keep) -> str:
        """Which bound it is beyond, as `Thinned` names it; "" where it is beyond none."""
        if self.size > keep.megabytes * 1_000_000:
            return "memory"
        return "keep" if self.sweeps > keep.sweeps else "nodes" if self.nodes > keep.nodes else ""


class _Freezer:
    """Turns entries into nodes, each after its inputs.

    Attributes:
        ids: the id of each entry's node.
        entries: the entry behind each node.
    """

    def __init__(self, recorder: Recorder, variables: Mapping[str, object]) -> None:
        self.ids: dict[Tensor, int] = {}
        self._owners: set[Tensor] = set()
        self.entries: list[Tensor] = []
        self.nodes: list[Node] = []
        self.values: list[Array | None] = []
        self._lines: dict[CodeType, list[int | None]] = {}
        self._elsewhere: dict[str, int] = {}
        self._main = next(iter(recorder.files), "")
        self._texts = recorder.files
        self._names, self._modules = ScopeNames(), ModulePaths()
        self._origins: dict[tuple[Op | None, str, bool], Origin | None] = {}
        self._given = recorder.names
        self._paths = dict(_paths_of(variables, recorder.trace.quote))
        for entry, place in recorder.placed_entries():
            self._emit_with_inputs(entry, place)
        self._emit_rest(recorder, variables)

    def _emit_with_inputs(self, entry: Tensor, place: Place) -> None:
        for x in entry.inputs:
            if x not in self.ids:
                self._emit_source(x, place)
        self._emit(entry, place, entry.op.name if entry.op is not None else LEAF, entry.inputs)

    def _emit_source(self, x: Tensor, place: Place) -> None:
        """A leaf or a constant; or what an op made that is not on the tape any more."""
        owner = owner_of(x)
        own = None if x.extra is None else x.extra.place
        if own is None and owner.extra is not None:
            own = owner.extra.place
        made: Place = own if isinstance(own, tuple) else place
        if isinstance(owner, Parameter):
            made = (made[0], made[1], place[2])  # a parameter belongs where it is used
        if x.op is not None:
            self._emit(x, made, CONSTANT, (), {"from": DROPPED.format(op=x.op.name)})
        else:
            self._emit(x, made, LEAF if x.tracked else CONSTANT, ())

    def _emit(
        self, x: Tensor, place: Place, op: str, inputs: tuple[Tensor, ...], params: Mapping[str, Any] | None = None
    ) -> None:
        given = (_params_of(x) if params is None else params) if op != LEAF else {}
        self.ids[x] = len(self.nodes)
        self._owners.add(owner_of(x))
        self.nodes.append(
            Node(
                len(self.nodes),
                op,
                tuple([self.ids[each] for each in inputs]),
                {name: plain(value) for name, value in given.items()},
                x.array.shape,
                x.array.dtype.name,
                self._name_of(x),
                x.tracked and op != CONSTANT,
                self.line(place),
                self._names.of(place[2]),
                self._origin_at(place, self._origin_of(x, op, self._modules.of(place[2]))),
            )
        )
        self.values.append(x.array)
        self.entries.append(x)

    def _origin_at(self, place: Place, origin: Origin | None) -> Origin | None:
        """The same with the place, where that is in a module beside the script."""
        file = self.file(place)
        return origin if file is None else (origin or Origin())._replace(file=file, line=self._any_line(place))

    def _origin_of(self, x: Tensor, op: str, module: str) -> Origin | None:
        """What PyTorch says of it besides; alike ones are one object, for there may be a million."""
        row = None if op in (LEAF, CONSTANT) else x.op
        key = row, module, row is not None and x.extra is not None and x.extra.overwrote is not None
        if key not in self._origins:
            name = "" if row is None or row.name == OUTPUT else row.node_name
            given = Origin(backward_node=name, module=module, in_place=key[2])
            self._origins[key] = given if any(given) else None
        return self._origins[key]

    def _name_of(self, x: Tensor) -> str | None:
        path = self._paths.get(owner_of(x))
        if path is not None:
            return path
        owner = owner_of(x)
        return self._given_name(x) or (self._given_name(owner) if owner is not x else None)

    def _given_name(self, x: Tensor) -> str | None:
        if x.extra is not None and x.extra.name is not None:
            return x.extra.name
        return self._given.get(id(x), (None,))[0]

    def _emit_rest(self, recorder: Recorder, variables: Mapping[str, object]) -> None:
        """Leaves that no op used: a script may ask for their `.grad` all the same."""
        for value in tuple(variables.values()):
            if isinstance(value, Tensor):
                x = current(value)
                if x.op is None and x.tracked and x not in self.ids and owner_of(x) not in self._owners:
                    self._emit_source(x, recorder.nowhere)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The files besides the script that places are in."""
        folder = str(Path(self._main).parent)
        return tuple([Source("script", name_beside(path, folder), self._texts[path]) for path in self._elsewhere])

    def file(self, place: Place) -> int | None:
        """The number of the source that a place is in; None for the script's own."""
        path = self._main if place[0] is None else place[0].co_filename
        return None if path == self._main else self._elsewhere.setdefault(path, len(self._elsewhere))

    def line(self, place: Place) -> int | None:
        """The line of a place in the script itself; None in another file."""
        return self._any_line(place) if self.file(place) is None else None

    def _any_line(self, place: Place) -> int | None:
        code, offset, _ = place
        if code is None:
            return None
        if code not in self._lines:
            self._lines[code] = [position[0] for position in code.co_positions()]
        lines = self._lines[code]
        return lines[offset // 2] if offset // 2 < len(lines) else None

    def sweep(self, made: Pass, place: Place, number: int, printed: Printed) -> Sweep:
        """One backward pass."""
        steps = [
            Step(self.ids[entry], _array(g), tuple([_array(out) for out in sent]))
            for entry, g, *sent in made.steps
            if entry in self.ids
        ]
        stepped = {entry for entry, *_ in made.steps if entry in self.ids}
        by = {self.ids[entry]: count for entry, count in printed.by.items() if entry in self.ids}
        return Sweep(
            tuple([self._id(output) for output in made.outputs]),
            tuple([_array(seed) for seed in made.seeds]),
            tuple(leaves_when_ready(steps, self.nodes)),
            tuple([Accumulation(self._id(entry), before, after) for entry, before, after in made.accumulated]),
            self._any_line(place),
            made.retain_graph,
            made.create_graph,
            number,
            kind=made.kind,
            error=self._broken(made),
            hooked=frozenset([self.ids[entry] for entry in made.hooked if entry in stepped]),
            file=self.file(place),
            printed=printed.before,
            prints={step.node: count for step in steps if (count := by.get(step.node)) is not None},
            read={
                (self.ids[entry], self.ids[x]): Read(array, self._line_of_write(x))
                for entry, x, array in made.read
                if entry in self.ids and x in self.ids and not np.array_equal(array, x.array, equal_nan=True)
            },
        )

    def _line_of_write(self, x: Tensor) -> int | None:
        """Where the memory that an entry looks into was last changed, if autograd did not see it."""
        place = None if x.extra is None or x.extra.memory is None else x.extra.memory.place
        return self.line(place) if isinstance(place, tuple) else None

    def _broken(self, made: Pass) -> Broken | None:
        """What ended a pass midway, in PyTorch's words, with the node that it was at."""
        if made.error is None:
            return None
        return Broken(f"{type(made.error).__name__}: {made.error}", None if made.at is None else self.ids.get(made.at))

    def _id(self, entry: Tensor) -> int:
        if entry not in self.ids:  # nothing was computed from it: backward() of a leaf itself
            self._emit_source(entry, (None, 0, Level(None, "")))
        return self.ids[entry]

    def cuts(self, notes: CutNotes) -> Iterator[Cut]:
        """The cuts behind which a constant of the recording is, and those of which Python got the numbers."""
        for id, entry in enumerate(self.entries):
            note = None if entry.op is not None else notes.of(entry) or notes.of(owner_of(entry))
            if note is not None and (sources := self._sources(note)):
                yield Cut(sources, note.how, self.line(note.place), id)
        for note in notes.left.values():
            if sources := self._sources(note):
                yield Cut(sources, note.how, self.line(note.place))

    def blamed(self, problem: Problem, notes: CutNotes, at: Tensor) -> Problem:
        """The error of a backward call on a tensor without a graph, with the place of the cut, if it was seen."""
        note = notes.of(at)
        if note is not None:
            hint = f"The graph was cut{self._at_line(note)} by {note.how}: from there on no gradient is recorded."
            return replace(problem, hint=hint, node=next(iter(self._sources(note)), problem.node))
        if len(notes.left) != 1:
            return problem
        (note,) = notes.left.values()
        left = f"Numbers left the graph{self._at_line(note)} by {note.how}"
        hint = f"{left}: a tensor that is made of them knows nothing of where they come from."
        return replace(problem, hint=hint, node=next(iter(self._sources(note)), problem.node))

    def _at_line(self, note: CutNote) -> str:
        line = self.line(note.place)
        return "" if line is None else f" at line {line}"

    def _sources(self, note: CutNote) -> tuple[int, ...]:
        alive = [each() for each in note.sources]
        return tuple([self.ids[x] for x in alive if x is not None and x in self.ids])

    def with_starts(self, sweeps: list[Sweep]) -> Iterator[Sweep]:
        """Sweeps of a run of which not all were kept, each with the first node that is its own."""
        for sweep in sweeps:
            yield replace(sweep, since=min([step.node for step in sweep.steps], default=0))


def _array(g: Any) -> Any:
    return g.array if isinstance(g, Tensor) else g


def _params_of(x: Tensor) -> Mapping[str, Any]:
    """What an op was given besides tensors; of a script's own one its workings are not shown."""
    if x.op is None or x.op.joint is None:
        return x.params
    return {"index": x.params["output"]} if x.op.name == OUTPUT else {}


def leaves_of(variables: Mapping[str, object], quote: str = '"') -> Iterator[tuple[str, Tensor]]:
    """The tensors that the script's variables hold: themselves, in lists, dicts and objects, as parameters of modules.

    Args:
        quote: around the keys of dicts.
    """
    for name, value in variables.items():
        if name.startswith(" "):
            continue
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, Module):
            yield from ((f"{name}.{path}", x) for path, x in value.named_parameters())
        elif type(value) in CONTAINERS or is_of_script(value):
            yield from ((place, x) for place, x in items_in(value, name, quote) if isinstance(x, Tensor))


def gradients_of(variables: Mapping[str, object], quote: str = '"') -> Iterator[tuple[str, Tensor | None]]:
    """The final `.grad` of every leaf that takes or holds one, by name."""
    for name, x in leaves_of(variables, quote):
        now = current(x)
        grad = None if x.extra is None else x.extra.grad
        if (now.op is None or not now.tracked) and (now.tracked or grad is not None):
            yield name, grad


def _paths_of(variables: Mapping[str, object], quote: str) -> Iterator[tuple[Tensor, str]]:
    """The parameters of modules, and the leaves without a name of the script's own, with the first path to each."""
    seen: set[Tensor] = set()
    for name, x in leaves_of(variables, quote):
        owner = owner_of(x)
        is_unnamed = x.op is None and not (x.extra is not None and x.extra.is_named)
        if owner not in seen and (("." in name and isinstance(x, Parameter)) or is_unnamed):
            seen.add(owner)
            yield owner, name
