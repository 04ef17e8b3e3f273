"""One backward pass: a hook on every Node, which sees what comes in and what goes out in the order of the engine."""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

import torch

from gradviz.capture.forward import Custom, Event, Leaf, Unseen
from gradviz.capture.graph import node_of, walk
from gradviz.capture.keep import Kept, is_finite, is_wrapped

if TYPE_CHECKING:
    from gradviz.capture.recorder import Recorder


class Step:
    """What happened at one Node.

    Attributes:
        came: what came in, by output.
        sent: what went out, by slot; None for one that only took.
        printed: how many characters the script had printed then; None where it printed nothing since the step before.
    """

    __slots__ = ("came", "printed", "sent", "where")

    def __init__(self, where: Any, came: list[Kept | None], sent: list[Kept | None] | None) -> None:
        self.where, self.came, self.sent = where, came, sent
        self.printed: int | None = None


class Pass:
    """One call of the engine.

    Attributes:
        kind: "backward" or "grad".
        number: which call of the run, from 1.
        outputs: (event or leaf, output) it started from; `seeds` with them.
        accumulated: (event or leaf, output, before, after).
        error: the words of what ended it, or None; `failing`, the event it was at.
        around: the pass that this one was called inside of, or None.
        tape: the ops since the pass before.
        unit: the round of a loop that it was called in, or the call itself outside of loops, counted from 0.
        first_tick: of the ops since the pass before.
        printed: how many characters the script had printed when it began, or None where nobody counts them.
        read: (event, its argument or (event, output), what is read, the write) where an event saved a tensor that was
            changed since in a way that autograd does not count.
    """

    def __init__(self, kind: str, number: int) -> None:
        self.kind, self.number = kind, number
        self.line: int | None = None
        self.file: str | None = None
        self.retain_graph = self.create_graph = False
        self.steps: list[Step] = []
        self.outputs: list[tuple[Any, int]] = []
        self.seeds: list[Kept | None] = []
        self.accumulated: list[tuple[Any, int, Kept | None, Kept | None]] = []
        self.error: str | None = None
        self.failing: Any = None
        self.around: Pass | None = None
        self.seconds = 0.0
        self.tape: list[Event] = []
        self.unit = 0
        self.first_tick = 0
        self.printed: int | None = None
        self.read: list[tuple[Event, Any, Kept, Unseen]] = []


def is_not_finite(made: Pass) -> bool:
    """Whether a loss, or what came to a leaf, is not finite."""
    losses = [where.outputs[number].kept for where, number in made.outputs if where.__class__ is Event]
    came = [kept for step in made.steps if step.where.__class__ is Leaf for kept in step.came]
    return any([not is_finite(kept) for kept in (*losses, *came)])


class Watch:
    """Hooks for one pass.

    Args:
        roots: tensors or GradientEdges that it starts from, `seeds` with them.
        inputs: what it is for, or nothing for all leaves.
    """

    def __init__(self, recorder: Recorder, made: Pass, roots: Any, seeds: Any, inputs: Any) -> None:
        self._recorder, self._made, self._inputs = recorder, made, inputs
        self._handles: list[Any] = []
        self.has_custom = False
        self._running: Any = None
        self._came: dict[int, tuple[int, int, Kept]] = {}
        self._printed = made.printed
        keeper = recorder.keeper
        self._found = found = walk(recorder, roots)
        self._before: dict[int, tuple[Any, Any, int, Kept | None]] = {}
        for node, where in found.items():
            if isinstance(where, Leaf):
                variable = node.variable
                self._before[id(variable)] = (variable, where, 0, keeper.take(variable.grad))
                continue
            for output in where.outputs.values():
                t = output.ref()
                if t is not None and t.retains_grad:
                    self._before[id(t)] = (t, where, output.number, keeper.take(t.grad))
        for root, seed in zip(roots, seeds or (None,) * len(roots)):
            node = node_of(root)
            if node is None:
                continue
            made.outputs.append((found[node], root.output_nr))
            implicit = seed is None and isinstance(root, torch.Tensor)
            made.seeds.append(keeper.take(torch.ones_like(root.detach()) if implicit else seed))
        try:
            if recorder.forward.unseen:
                self._note_read(found)
            self._hang(found)
        except BaseException:
            self.remove()
            raise

    def _hang(self, found: dict[Any, Any]) -> None:
        handles = self._handles
        for node, where in found.items():
            box: list[Any] = []
            if isinstance(node, Custom):  # it may write into what comes in
                self.has_custom = True
            is_changed_later = where.__class__ is Leaf and _post_accumulate_hooks(node.variable)
            if is_changed_later or isinstance(node, Custom):
                handles.append(node.register_prehook(functools.partial(self._before_custom, where, box)))
            handles.append(node.register_hook(functools.partial(self._step, where, box)))

    def _note_read(self, found: dict[Any, Any]) -> None:
        """Where saved tensors are other than they were recorded, since they were changed through `.data`."""
        recorder = self._recorder
        for node, where in found.items():
            if where.__class__ is Leaf or where.custom:
                continue
            saved: set[int] | None = None
            for source in (*where.arguments, *[(where, output) for output in where.outputs.values()]):
                holder = source if source.__class__ is Leaf else source[1]
                t = None if holder.ref is None else holder.ref()
                unseen, kept = recorder.forward.written_unseen(t, where.tick), holder.kept
                if t is None or unseen is None or kept is None or kept.tensor is None or t._version != holder.version:
                    continue
                if kept.shape != t.shape or torch.equal(kept.tensor, t.detach().cpu()):
                    continue
                saved = _saved_memories(node) if saved is None else saved
                if t.data_ptr() in saved:
                    self._made.read.append((where, source, recorder.keeper.copy(t), unseen))

    def _before_custom(self, where: Any, box: list[Any], came: Any) -> None:
        self._running = where
        recorder = self._recorder
        before, recorder.busy = recorder.busy, True
        try:
            in_full = recorder.filter is None or recorder.filter.wants(where)
            box[:] = [recorder.keeper.take(g, in_full) for g in came]
        except Exception as error:
            recorder.fault(error)
        finally:
            recorder.busy = before

    def _step(self, where: Any, box: list[Any], sent: Any, came: Any) -> None:
        """The post hook of a Node."""
        recorder = self._recorder
        before, recorder.busy = recorder.busy, True
        try:
            take = recorder.keeper.take
            if recorder.filter is None:
                taken = box or [take(g) for g in came]
                self._made.steps.append(Step(where, taken, [take(g) for g in sent]))
            else:
                in_full = recorder.filter.wants(where)
                taken = box or [take(g, in_full) for g in came]
                self._made.steps.append(Step(where, taken, [take(g, in_full) for g in sent]))
            if recorder.printed is not None and (count := recorder.printed()) != self._printed:
                self._made.steps[-1].printed = self._printed = count
            if where.__class__ is Leaf and not box and came[0].layout is torch.strided:
                self._came[id(where)] = (came[0].data_ptr(), came[0]._version, taken[0])
        except Exception as error:
            recorder.fault(error)
        finally:
            recorder.busy = before

    def remove(self) -> None:
        """Take all hooks off."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def finish(self, accumulates: bool, result: Any) -> None:
        """What leaves have now, and what `autograd.grad` returned."""
        made, keeper = self._made, self._recorder.keeper
        reached = {id(step.where) for step in made.steps}
        if not accumulates and result is not None:
            for t, g in zip(self._inputs, result):
                node = node_of(t)
                where = self._found.get(node)
                if where is None or g is None or id(where) in reached:
                    continue
                reached.add(id(where))
                came: list[Kept | None] = [None] * (t.output_nr + 1)
                came[t.output_nr] = keeper.take(g.detach() if g.requires_grad else g)
                made.steps.append(Step(where, came, None))
        if accumulates:
            for t, where, number, before in self._before.values():
                after = t.grad
                if id(where) in reached and (where.__class__ is Leaf or after is not None):
                    kept = keeper.take_grad(after, self._came.get(id(where)) if before is None else None)
                    made.accumulated.append((where, number, before, kept))
        if made.error is not None:
            made.failing = self._failing(reached)

    def _failing(self, reached: set[int]) -> Any:
        """The event that a pass which failed was at: got all it waits for, and did not step."""
        if self._running is not None and id(self._running) not in reached:
            return self._running
        waiting: dict[int, int] = {}
        for where in self._found.values():
            for edge in (where.edges or ()) if where.__class__ is Event else ():
                if edge is not None:
                    waiting[id(edge[0])] = waiting.get(id(edge[0]), 0) + 1
        for step in self._made.steps:
            for edge in (step.where.edges or ()) if step.where.__class__ is Event else ():
                if edge is not None:
                    waiting[id(edge[0])] -= 1
        ready = [each for each in self._found.values() if id(each) not in reached and not waiting.get(id(each))]
        # the engine takes the one that was made last
        return max(ready, key=lambda each: each.tick, default=None)


def _saved_memories(node: Any) -> set[int]:
    """Where the tensors are that a Node has saved."""
    found = set()
    for name in dir(node):
        if name.startswith("_saved_"):
            try:
                value = getattr(node, name)
            except RuntimeError:  # freed: the pass ends here
                continue
            found |= {t.data_ptr() for t in (value if isinstance(value, (list, tuple)) else (value,)) if _has_memory(t)}
    return found


def _has_memory(t: Any) -> bool:
    return isinstance(t, torch.Tensor) and t.layout is torch.strided and not t.is_meta and not is_wrapped(t)


def _post_accumulate_hooks(variable: Any) -> Any:
    """Hooks that see, and may change, `.grad`, which is the very tensor that came in."""
    return getattr(variable, "_post_accumulate_grad_hooks", None)


def run_watched(recorder: Recorder, engine: Any, args: Any, kwargs: Any, number: int) -> Any:
    """`engine.run_backward(tensors, grad_tensors, keep_graph, create_graph, inputs, ...)`, recorded."""
    names = ("tensors", "grad_tensors", "keep_graph", "create_graph", "inputs")
    given = dict(zip(names, args), **kwargs)
    accumulates = bool(kwargs.get("accumulate_grad", args[6] if len(args) > 6 else False))
    made = Pass("backward" if accumulates else "grad", number)
    made.retain_graph, made.create_graph = bool(given["keep_graph"]), bool(given["create_graph"])
    inputs = tuple(given.get("inputs") or ())
    watch: Watch | None = None
    is_quiet = False
    recorder.busy = True
    try:
        with torch.no_grad():
            recorder.begin_pass(made)
            watch = Watch(recorder, made, tuple(given["tensors"]), tuple(given["grad_tensors"] or ()), inputs)
    except Exception as error:
        recorder.fault(error)
    finally:
        recorder.busy = False
    # a custom Function may build a graph of its own inside its backward; without one nothing is made that matters
    if watch is not None and not made.create_graph and not watch.has_custom and not recorder.depth:
        is_quiet = recorder.listen(False)
    recorder.depth += 1
    around, recorder.running = recorder.running, made
    result = None
    started = time.perf_counter()
    try:
        result = engine.run_backward(*args, **kwargs)
    except BaseException as error:
        made.error = f"{type(error).__name__}: {error}"
        roots = [t for t in given["tensors"] if isinstance(t, torch.Tensor)]
        recorder.blamed = next((note for t in roots if (note := recorder.forward.cuts.of(t)) is not None), None)
        raise
    finally:
        made.seconds = time.perf_counter() - started
        recorder.depth -= 1
        recorder.running, made.around = around, around
        before, recorder.busy = recorder.busy, True
        try:
            if watch is not None:
                watch.remove()
                with torch.no_grad():
                    watch.finish(accumulates, result)
            recorder.end_pass(made)
        except Exception as error:
            recorder.fault(error)
        finally:
            recorder.busy = before
        if is_quiet:
            recorder.listen(True)
    return result
