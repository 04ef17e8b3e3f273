"""The recorder: listens to PyTorch while it is entered, and keeps what fits.

    with Recorder() as recording:
        loss = model(x)
        loss.backward()
    recording.save("run.gradviz")

Three places are listened at, all restored on leaving, also after an exception: a dispatch mode sees every op,
`torch.nn.Module.__call__` says which modules run, and the door of the engine sees every backward pass, for whose time
each Node has a hook.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from types import FrameType
from typing import Any, Union
from weakref import WeakSet

import torch

from gradviz.capture import compiling, modules
from gradviz.capture.container import summary_of, write
from gradviz.capture.cuts import CutNote, hint_about
from gradviz.capture.document import Document
from gradviz.capture.engine_door import EngineDoor
from gradviz.capture.filters import Filter, Named
from gradviz.capture.forward import Event, Forward, Mode
from gradviz.capture.gradients import Pass, is_not_finite, run_watched
from gradviz.capture.graph import walk
from gradviz.capture.keep import Keeper, Kept, is_batched, is_wrapped
from gradviz.capture.names import ModuleNames, quote_in, tensors, variables
from gradviz.capture.scopes import ModuleCall, Places, user_frames
from gradviz.capture.table import html_of

MOST_FAULTS = 20
MOST_WAITING = 100_000
"""Ops since the last backward call that are held, where none comes."""

_python_dispatch: Any = torch.utils._python_dispatch
_peek: Any = getattr(getattr(torch._C, "_functorch", None), "peek_interpreter_stack", lambda: None)


class Recorder:
    """Records what runs in the thread that enters it.

    Args:
        keep: how many backward calls are kept of a long run (of rounds of a loop, where a round has several): the
            first, the last, and others evenly spread between. The first with NaN or infinity, and the one that ended
            in an error, are kept besides.
        megabytes: of values and gradients held at a time. Where more comes, calls between are dropped, then the first;
            what does not fit even so is summarised.
        summary_above: a tensor of more elements is summarised: norm, extremes, counts of NaN and infinity, a sample.
        filter: what is kept in full; everything else is summarised. Patterns with commas between, held against
            variables, parameters, ops and the paths of modules, as "layers.0.*, loss, softmax"; or a function of such
            a name that says whether it is meant.
        path: written to when the recorder is left, whatever happens.
        main: absolute path of the script that is run as a whole.

    Attributes:
        sweeps: the backward calls kept.
        calls: how many there were.
        first_only: whether nothing is recorded after the first.
        faults: what went wrong in the recorder itself; never the user's concern.
        space: the variables of the script, whose `.grad` at the end are part of the recording; without it those of the
            function that entered the recorder.
        on_pass: called with the recorder and each pass that was kept, once it has ended.
        printed: how many characters the script has printed, as a function; None where nobody counts them.
        blamed: the cut behind which the outputs of a failing pass are.

    Raises:
        ValueError: `keep` or `megabytes` leaves nothing that could be kept.

    Example:
        >>> with gradviz.capture(keep=20, path="run.gradviz") as recording:  # doctest: +SKIP
        ...     for x, y in loader:
        ...         loss = criterion(model(x), y)
        ...         loss.backward()
    """

    def __init__(
        self,
        keep: int = 200,
        *,
        megabytes: float = 1_000,
        summary_above: int | None = None,
        filter: Filter | None = None,
        path: Union[str, os.PathLike[str], None] = None,  # noqa: UP007 # read by Python 3.9
        main: str | None = None,
    ) -> None:
        self.hung: list[Any] = []
        if keep < 1:
            raise ValueError(f"keep is {keep}, but at least one backward call must be kept: give 1 or more.")
        if not megabytes > 0:
            raise ValueError(f"megabytes is {megabytes}, but something must be kept: give more than 0.")
        self.keep, self.path = keep, None if path is None else os.fspath(path)
        self.filter = Named(filter) if filter else None
        self.keeper = Keeper(megabytes, summary_above)
        self.modules = ModuleNames()
        self.places = Places(main)
        self.forward = Forward()
        self.main_file = main
        self.passes: list[Pass] = []
        self.tape: list[Event] = []
        self._loose: list[Event] = []
        self.key = f"gradviz {id(self)}"
        self.on, self.busy, self.depth = False, False, 0
        self.running: Pass | None = None
        self.calls = 0
        self.first_only = False
        self.bad: Pass | None = None
        self._failed: int | None = None
        self._limit = ""
        self._is_stuck = False
        self.keeper.make_room = self._make_room
        self._unit = -1
        self._round: Any = None
        self._first_tick = 0
        self._mode: Mode | None = None
        self._is_pushed = False
        self._door: EngineDoor | None = None
        self._is_entered = False
        self._thread = 0
        self.gradients: dict[str, Kept | None] = {}
        self.output = ""
        self.source: dict[str, str] | None = None
        self.problem: dict[str, Any] | None = None
        self.warnings: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.rank = _rank()
        self.on_pass: Any = None
        self.printed: Any = None
        self.blamed: CutNote | None = None
        self.space: dict[str, Any] | None = None
        self._quote = '"'

    @property
    def sweeps(self) -> list[Pass]:
        """The backward calls kept, in the order in which they began."""
        return sorted(self.passes, key=lambda each: each.number)

    # ---- entering and leaving --------------------------------------------------------------------------------------

    def __enter__(self) -> Recorder:
        self.begin(sys._getframe(1))
        return self

    def begin(self, frame: Any = None) -> None:
        """Listen from now on, for the thread that calls this; `frame` is the one that all of it runs in, if any.

        Raises:
            RuntimeError: it listens already.
        """
        if self._is_entered:
            raise RuntimeError("This capture is entered already. Make another one with gradviz.capture().")
        self._is_entered = True
        self._mode = Mode(self)
        self.forward.listen_for(self)
        self.places.label = self._label
        self._thread = threading.get_ident()
        self.places.base = frame
        if self.main_file is None:
            around = user_frames(frame or sys._getframe(1), None)
            self.main_file = next((each.f_code.co_filename for each in around), None)
        modules.listen()
        compiling.listen()
        self._door = EngineDoor(self._run_backward)
        _listening.add(self)
        self.listen(True)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.end(error)

    def end(self, error: BaseException | None = None) -> None:
        """Listen no longer; `error` is what ended the run, if that."""
        if not self._is_entered:
            return
        self.listen(False)
        self.on = False
        _listening.discard(self)
        if self._door is not None:
            self._door.close()
            self._door = None
        modules.stop()
        compiling.stop()
        self.busy = True
        try:
            with torch.no_grad():
                self.forward.attach_bases()
                if self.places.base is not None:
                    self.name_alive(user_frames(self.places.base, None))
                    if self.space is None:
                        self.space = self.places.base.f_locals
                self._loose += self.tape
                self.tape = []
                self._take_final_gradients()
                self.space = None
                if error is not None and self.problem is None:
                    self.problem = self.problem_of(error)
        except Exception as fault:
            self.fault(fault)
        finally:
            self.busy = False
            self._is_entered = False
            self.places.base = None
            self.forward.forget()
            self.keeper.forget()
            # no circle is left that only a collector frees
            self._mode = self.places.label = None
            self.keeper.make_room = lambda _: False
            self.forward.listen_for(None)
        if self.path is not None:
            self.save(self.path)

    def __del__(self) -> None:
        for weak in self.hung:  # a graph that the user keeps holds no copies of ours
            event = weak()
            if event is not None:
                event.outputs, event.made, event.arguments, event.edges = {}, [], [], None

    def listen(self, on: bool) -> bool:
        """Have the dispatch mode on or off; False where it is not on top of others and so only lets everything pass."""
        if on:
            self.on = True
            if not self._is_pushed and self._mode is not None:
                self._mode.__enter__()
                self._is_pushed = True
            return True
        if not self._is_pushed or self._mode is None:
            return False
        top = getattr(_python_dispatch, "_get_current_dispatch_mode", None)
        if top is not None and top() is not self._mode:
            return False
        self._mode.__exit__(None, None, None)
        self._is_pushed = False
        return True

    def trim_tape(self) -> None:
        """Let go of the older half of the ops that no backward call came of, where they are many or large.

        What a later call goes through hangs on its Node besides, so nothing is lost that is part of a graph.
        """
        if len(self.tape) > MOST_WAITING or self.keeper.budget.is_half_new:
            del self.tape[: max(1, len(self.tape) // 2)]

    def fault(self, error: BaseException) -> None:
        """Note a fault of ours."""
        if len(self.faults) < MOST_FAULTS:
            frames = traceback.extract_tb(error.__traceback__)
            at = frames[-1] if frames else None
            where = f" ({os.path.basename(at.filename)}:{at.lineno}, {at.name})" if at is not None else ""
            self.faults.append(f"{type(error).__name__}: {error}{where}")

    # ---- backward passes -------------------------------------------------------------------------------------------

    def _run_backward(self, engine: Any, args: Any, kwargs: Any) -> Any:
        """Stands in for `engine.run_backward`."""
        if self.busy or not self._is_entered or threading.get_ident() != self._thread:
            return engine.run_backward(*args, **kwargs)
        self.calls += 1
        number = self.calls
        if not self.on:
            return engine.run_backward(*args, **kwargs)
        compiling.turn_off()
        seeds = args[1] if len(args) > 1 else kwargs.get("grad_tensors")
        if self.depth == 0:
            self._note_round()
        try:
            if _is_batched(seeds):
                return engine.run_backward(*args, **kwargs)
            return run_watched(self, engine, args, kwargs, number)
        finally:
            if self.depth == 0:
                self._settle()

    def _note_round(self) -> None:
        """Which round of a loop this call is in."""
        try:
            here = self.places.here(sys._getframe(2), modules.current_call())
            around = here.level.round
        except Exception as error:
            self.fault(error)
            around = None
        if around is None or around is not self._round:
            self._unit += 1
            self._round = around

    def begin_pass(self, made: Pass) -> None:
        """A pass begins that is recorded."""
        frame = sys._getframe(2)
        here = self.places.here(frame, modules.current_call())
        made.line, made.file = here.line, here.file
        made.printed = self.printed() if self.printed is not None else None
        self.forward.finish_unpacking()
        self.name_alive(user_frames(frame, self.places.base))

    def end_pass(self, made: Pass) -> None:
        """A pass has ended, however."""
        if made.around is None:
            made.tape, self.tape = self.tape, []
            made.first_tick, self._first_tick = self._first_tick, self.forward.tick + 1
            self.keeper.forget()
        made.unit = self._unit
        if made.outputs or made.steps:
            self.passes.append(made)
            self._is_stuck = False
            if made.error is not None:
                self._failed = made.unit
            if self.bad is None and is_not_finite(made):
                self.bad = made
            if made.around is None and self.on_pass is not None:
                self.on_pass(self, made)

    def _settle(self) -> None:
        """A call has ended: drop what is more than may be kept."""
        if self.first_only and self.passes:
            self._switch_off()
        is_thinned = False
        always = {self._failed, None if self.bad is None else self.bad.unit}
        while len({made.unit for made in self.passes} - always) > self.keep and self._drop_round():
            self._limit = self._limit or "keep"
            is_thinned = True
        if is_thinned:
            self.forward.sweep_out()
        if len(self.hung) > 4096 and not self.calls & 63:
            self.hung = [weak for weak in self.hung if weak() is not None]
        self.keeper.budget.settled = self.keeper.budget.bytes

    def _switch_off(self) -> None:
        """Record no more.

        Within a compiled function the modes must stay as they are, since PyTorch sets them back when it is left: there
        the mode lets everything pass.
        """
        if not compiling.is_inside(sys._getframe(1)):
            self.listen(False)
        self.on = False
        self.forward.finish_unpacking()

    def _make_room(self, size: int) -> bool:
        """Drop calls until so many bytes fit; False where they do not."""
        budget = self.keeper.budget
        while budget.bytes + size > budget.limit:
            held = budget.bytes
            if self._is_stuck or not self._drop_round():
                return False
            self._limit = "memory"
            self.forward.sweep_out()
            budget.settled = max(0, budget.settled - held + budget.bytes)
            # where the user holds its graph, the bytes do not come back, nor will those of others
            self._is_stuck = budget.bytes == held
        return True

    def _drop_round(self) -> bool:
        """Drop the calls of one round, such that the rest is evenly spread; False where all are to be kept.

        The first goes where there is none between any more; the last only while a later one is under way, which will
        be the last.
        """
        units = sorted({made.unit for made in self.passes})
        always = {self._failed, None if self.bad is None else self.bad.unit}
        is_newer = self.running is not None and bool(units) and self._unit > units[-1]
        ends = [*units, self._unit] if is_newer else units
        gaps = {u: ends[at + 1] - ends[at - 1] for at, u in enumerate(ends[:-1]) if at and u not in always}
        if is_newer and len(units) > 1:
            gaps.pop(units[-1], None)
        if gaps:
            dropped = min(gaps, key=lambda unit: (gaps[unit], unit))
        else:
            rest = [u for u in (units if is_newer else units[:-1]) if u not in always]
            if not rest:
                return False
            dropped = rest[0]
        self.passes = [made for made in self.passes if made.unit != dropped]
        return True

    def thinned(self) -> dict[str, Any] | None:
        """What of a long run is not there, as the document says it; None where all is."""
        if len(self.passes) >= self.calls:
            return None
        numbers = {made.number for made in self.passes}
        units = {made.unit for made in self.passes}
        found: dict[str, Any] = {
            "calls": self.calls,
            "every": max(1, round((self._unit + 1) / max(1, len(units) - 1))),
            "in_rounds": self.counts_rounds,
            "last": self.calls in numbers,
            "first": 1 in numbers,
            "about": True,
        }
        if self._limit:
            found["limit"] = self._limit
            found["most"] = self.keep if self._limit == "keep" else max(1, round(self.keeper.budget.limit / 1e6))
        if self.bad is not None and self.bad.number in numbers:
            found["not_finite"] = self.bad.number
        return found

    @property
    def counts_rounds(self) -> bool:
        """Whether rounds of a loop are counted rather than calls."""
        return self.calls > self._unit + 1

    # ---- names -----------------------------------------------------------------------------------------------------

    def _label(self, call: ModuleCall, frame: Any) -> tuple[str, str]:
        """(the text of a module's level, its full path)."""
        module = call.module
        found = self.modules.of_module(module)
        if found is None:
            name = type(module).__name__
            if call.outer is None:
                held = variables(user_frames(frame, None))
                name = next((each for each, value in held if value is module), name)
            self.modules.add(module, name)
            found = self.modules.of_module(module) or (name, name)
        return found

    def name_alive(self, frames: list[FrameType]) -> None:
        """Name tensors and modules by the user's variables that hold them now."""
        if frames:
            self._quote = quote_in(frames[-1].f_code.co_filename)
        held: dict[int, tuple[torch.Tensor, list[str]]] = {}
        for name, value in variables(frames):
            if isinstance(value, torch.nn.Module):
                if value not in self.modules:
                    self.modules.add(value, name)
                continue
            for each, t in tensors(name, value, self._quote):
                held.setdefault(id(t), (t, []))[1].append(each)
        for t, names in held.values():
            self.forward.name_alive(names, t)
        for leaf in self.forward.leaves.values():
            if leaf.name is None or leaf.kind == "leaf":
                t = leaf.ref()
                path = self.modules.of_parameter(t) if t is not None else None
                if path is not None:
                    leaf.name = path

    def _take_final_gradients(self) -> None:
        """The `.grad` that leaves have at the end: a leaf of the graph by its node's name, another by a path to it."""
        named: dict[str, torch.Tensor] = {}
        known: set[int] = set()

        def add(name: str, t: torch.Tensor) -> None:
            if id(t) not in known and named.setdefault(name, t) is t:
                known.add(id(t))

        space, latest = self.space or {}, dict[str, torch.Tensor]()
        for leaf in list(self.forward.leaves.values()):
            t = leaf.ref()
            if t is not None and leaf.kind == "leaf" and leaf.name is not None:
                latest[leaf.name] = t
        for name, t in latest.items():
            if (
                not isinstance(space.get(name, t), torch.Tensor) or space.get(name, t) is t
            ):  # else the name is another's
                add(name, t)
        for value, name in self.modules:
            if isinstance(value, torch.nn.Parameter):
                add(name, value)
        for variable, value in space.items():
            if not variable.startswith(("_", " ", "@")):
                for name, t in tensors(variable, value, self._quote):
                    if t.is_leaf:
                        add(name, t)
                if isinstance(value, torch.nn.Module):
                    for path, parameter in value.named_parameters():
                        add(f"{variable}.{path}", parameter)
        for name, t in named.items():
            if t.requires_grad:
                in_full = self.filter is None or self.filter.wants_leaf(name)
                self.gradients[name] = self.keeper.take(t.grad, in_full)

    # ---- what becomes of it ----------------------------------------------------------------------------------------

    def add(self, *roots: Any) -> None:
        """Take the graph of tensors that no backward call was made of."""
        with torch.no_grad():
            found = walk(self, [each for each in roots if each.grad_fn is not None])
        self._loose += [each for each in found.values() if each.__class__ is Event]

    def loose(self) -> list[Event]:
        """Ops of which no kept pass came."""
        return [*self._loose, *self.tape]

    def problem_of(self, error: BaseException) -> dict[str, Any]:
        """The error that ended a run, in PyTorch's words and ours."""
        from gradviz.capture.problems import explained

        problem = explained(error, self.places.main)
        failed = self.passes[-1] if self.passes and self.passes[-1].error else None
        if failed is not None and str(error) in (failed.error or ""):
            problem["failing"] = failed.failing
        if "does not require grad" in str(error):
            problem["hint"] = hint_about(self.blamed, self.forward.cuts, self.places.main) or problem["hint"]
        return problem

    def notes(self) -> list[str]:
        """What the picture cannot show, in sentences."""
        found = []
        if self.places.is_compiled:
            found.append("torch.compile was off while recording; last digits may differ.")
        if self.keeper.clipped:
            megabytes = self.keeper.budget.limit / 1e6
            found.append(
                f"{self.keeper.clipped:,} tensors are only summarised, since {megabytes:,.0f} MB were kept already."
            )
        return found

    def document(self, put: Any) -> dict[str, Any]:
        """The recording as a document; `put` turns an array into JSON."""
        before, self.busy = self.busy, True
        try:
            with torch.no_grad():
                return Document(self, put).build()
        finally:
            self.busy = before

    def _repr_html_(self) -> str:
        """The steps as a table, for notebooks."""
        return html_of(self.document(_told))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:  # noqa: UP007 # read by Python 3.9
        """Write a `.gradviz` file.

        Args:
            path: of the file; one that is there is replaced.

        Raises:
            OSError: the place cannot be written to.
        """
        write(os.fspath(path), self.document)


_listening: WeakSet[Recorder] = WeakSet()


def _end_in_fork() -> None:
    """A process that was forked off, such as a worker that loads data, records nothing."""
    for recorder in list(_listening):
        recorder.on, recorder.busy = False, True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_in_fork)


def _told(kept: Kept | None) -> Any:
    """What a table tells of an array."""
    if kept is None:
        return None
    found = summary_of(kept)
    if found is None:
        found = summary_of(Kept(kept.tensor, kept.shape, kept.dtype, "table"))
    return found


def _is_batched(seeds: Any) -> bool:
    """Whether functorch runs here, whose tensors hooks cannot look into."""
    return _peek() is not None or any([g is not None and (is_wrapped(g) or is_batched(g)) for g in seeds or ()])


def _rank() -> dict[str, int] | None:
    """Which process of several this is, as torchrun says or as the process group knows."""
    distributed: Any = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return {"rank": distributed.get_rank(), "world": distributed.get_world_size()}
    try:
        rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    except (KeyError, ValueError):
        return None
    return {"rank": rank, "world": world}
