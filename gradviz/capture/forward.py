"""The forward pass: every aten op, its inputs, its result, and where it ran.

An `Event` is one op that made something which takes a gradient, or a Node of autograd's of which no op was seen. It
hangs on its Node (`Node.metadata`), so it lives as long as PyTorch keeps the graph. Inside a dispatch mode the result
has no Node yet; the event is hung on it when the result is used, or when a backward pass begins there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gradviz.capture.cuts import CutNote, Cuts, words_for
from gradviz.capture.keep import Kept, is_same, is_wrapped
from gradviz.capture.modules import current_call
from gradviz.capture.ops import Op
from gradviz.capture.scopes import USER, Here, Level, caller, kind_of

if TYPE_CHECKING:
    from gradviz.capture.recorder import Recorder

Tensor = torch.Tensor
Parameter = torch.nn.Parameter
Custom: Any = torch.autograd.function.BackwardCFunction
_is_grad_enabled = torch.is_grad_enabled

COPY_SLICES = "torch::autograd::CopySlices"
"""autograd's name for the Node of a tensor of which a view was changed in place."""
UNSEEN = "unseen"
MOST_UNSEEN = 4096
"""Memories of which it is kept that they were written to without being counted."""


class Event:
    """One op, or one Node.

    Attributes:
        op: its schema; None for a Node of which no op was seen.
        arguments: what its tensor arguments were, in order; a Python number that autograd takes for a tensor is among
            them as a constant.
        given: its other arguments, (name, value).
        outputs: by number of the Node's output.
        tick: counts up with the ops.
        node: the Node's name, once it has been walked over, and `edges`, by slot (event or leaf, output) or None.
        custom: whether it is a custom Function's.
        shapes: (shape, dtype) by output, where outputs are not known.
    """

    __slots__ = (
        "__weakref__", "arguments", "custom", "edges", "file", "given", "level", "line", "made", "node", "op",
        "outputs", "shapes", "tick",
    )  # fmt: skip

    def __init__(self, op: Op | None, tick: int) -> None:
        self.op, self.tick = op, tick
        self.arguments: list[Any] = []
        self.given: Any = ()
        self.made: list[Output] = []
        self.outputs: dict[int, Output] = {}
        self.line: int | None = None
        self.file: str | None = None
        self.level: Level | None = None
        self.node = ""
        self.edges: list[tuple[Event | Leaf, int] | None] | None = None
        self.custom = False
        self.shapes: Any = None


class Output:
    """One tensor that an event made.

    Attributes:
        ref: the tensor, weakly, and `version`, in which it is this output.
        number: of the Node's output; -1 until it is known.
        kept: its value; None until it is known.
    """

    __slots__ = ("kept", "name", "number", "ref", "version")

    def __init__(self, weak: Any, version: int, kept: Kept | None) -> None:
        self.ref, self.version, self.kept = weak, version, kept
        self.number = -1
        self.name: str | None = None


Made = tuple[Event, Output]
"""An output with its event. An output does not know its event, so there is no circle that only a collector frees."""


class Leaf:
    """A tensor without a Node, in one version.

    Attributes:
        kind: "leaf" where it takes a gradient, else "constant".
        cut: where its numbers left the graph, or None.
        is_held: whether it is called as a variable that has been seen to hold it.
    """

    __slots__ = (
        "__weakref__", "cut", "file", "is_held", "kept", "kind", "level", "line", "name", "ref", "tick", "version",
    )  # fmt: skip

    def __init__(self, kind: str, kept: Kept, tick: int, weak: Any = None, version: int = 0) -> None:
        self.kind, self.kept, self.tick, self.ref, self.version = kind, kept, tick, weak, version
        self.cut: CutNote | None = None
        self.name: str | None = None
        self.is_held = False
        self.line: int | None = None
        self.file: str | None = None
        self.level: Level | None = None


class Origin:
    """Where a tensor was made that takes no gradient; it may become a leaf or a constant."""

    __slots__ = ("file", "level", "line", "name", "ref")

    def __init__(self, weak: Any, here: Here, name: str | None) -> None:
        self.ref, self.line, self.file, self.level, self.name = weak, here.line, here.file, here.level, name


class Unseen(NamedTuple):
    """A write that autograd does not count: when, and where."""

    tick: int
    line: int | None
    file: str | None


class Mode(TorchDispatchMode):
    """Passes every aten op of this thread to the recorder."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else every op goes through a wrapper of torch._dynamo, which takes seconds to import

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        recorder = self._recorder
        if recorder.busy or not recorder.on:
            return func(*args, **(kwargs or {}))
        return recorder.forward.run(func, args, kwargs)


class Forward:
    """What is known of the ops that ran.

    Attributes:
        unseen: writes that autograd does not count, the last of each memory, by its address.
    """

    def __init__(self) -> None:
        self._recorder: Any = None
        self.made: dict[int, Made] = {}
        self.leaves: dict[int, Leaf] = {}
        self.origins: dict[int, Origin] = {}
        self.cuts = Cuts()
        self.tick = 0
        self.unseen: dict[int, Unseen] = {}
        self._rebased: list[Any] = []
        self._ops: dict[Any, Op] = {}
        self._stored: Any = None
        self._unpacking: Any = None

    def listen_for(self, recorder: Recorder | None) -> None:
        """Whose ops these are from now on."""
        self._recorder = recorder

    def forget(self) -> None:
        """Let go of everything that concerns tensors which may yet be made."""
        self.made.clear()
        self.leaves.clear()
        self.origins.clear()
        self.cuts.made_of.clear()
        self.unseen.clear()
        self._rebased.clear()
        self._stored = self._unpacking = None

    def run(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run one op and take note of it."""
        op = self._ops.get(func)
        if op is None:
            op = self._ops[func] = Op(func)
        recorder = self._recorder
        watched = False
        for value in args if not kwargs else (*args, *kwargs.values()):
            if isinstance(value, Tensor):
                if value.requires_grad:
                    watched = True
                    break
            elif isinstance(value, (list, tuple)) and any([isinstance(t, Tensor) and t.requires_grad for t in value]):
                watched = True
                break
        if watched and not op.is_detach and _is_grad_enabled():
            recorder.busy = True
            event = None
            try:
                event = self._begin(op, args, kwargs)
            except Exception as error:
                recorder.fault(error)
            finally:
                recorder.busy = False
            out = func(*args, **kwargs) if kwargs else func(*args)
            if event is not None:
                recorder.busy = True
                try:
                    self._end(event, out)
                except Exception as error:
                    recorder.fault(error)
                finally:
                    recorder.busy = False
            return out
        out = func(*args, **kwargs) if kwargs else func(*args)
        if not recorder.depth and (not op.is_detach or kind_of(caller(2).f_code) == USER):
            recorder.busy = True
            try:
                self._note_plain(op, watched, args, out)
            except Exception as error:
                recorder.fault(error)
            finally:
                recorder.busy = False
        return out

    def _begin(self, op: Op, args: Any, kwargs: Any) -> tuple[Event, Here, list[Any]]:
        """What the arguments of an op are, before it may change them."""
        self.tick += 1
        event = Event(op, self.tick)
        here = self._recorder.places.here(caller(3), current_call())
        event.line, event.file, _, event.level, _ = here
        arguments = event.arguments
        tensors: list[Any] = []
        given: list[Any] = []
        for at, value in enumerate(args):
            if isinstance(value, Tensor):
                tensors.append(value)
                arguments.append(self.known(value, here))
            elif isinstance(value, (list, tuple)) and any([isinstance(t, Tensor) for t in value]):
                for t in value:
                    if isinstance(t, Tensor):
                        tensors.append(t)
                        arguments.append(self.known(t, here))
            elif op.takes_tensor[at] and isinstance(value, (bool, int, float)):
                arguments.append(value)
            else:
                given.append((op.arguments[at], value))
        if kwargs:
            for name, value in kwargs.items():
                if isinstance(value, Tensor):
                    tensors.append(value)
                    arguments.append(self.known(value, here))
                else:
                    given.append((name, value))
        event.given = given
        return event, here, tensors

    def _end(self, begun: tuple[Event, Here, list[Any]], out: Any) -> None:
        """What an op made."""
        event, here, tensors = begun
        op: Any = event.op
        recorder = self._recorder
        keeper = recorder.keeper
        outs = (out,) if isinstance(out, Tensor) else tuple(tensors_in(out))
        if not outs or not outs[0].dtype.is_floating_point:
            self._note_cut(op, event.arguments, outs, here)
        if not outs:
            return
        in_full = recorder.filter is None or recorder.filter.wants_event(event, here.names)
        arguments = event.arguments
        base = source = None
        if op.is_view and not op.writes and tensors:
            source = tensors[0]
            first = arguments[0]
            base = first[1].kept if first.__class__ is tuple else first.kept if first.__class__ is Leaf else None
            if base is not None and base.shape != source.shape:
                base = None
        for at, argument in enumerate(arguments):
            if argument.__class__ is not tuple and argument.__class__ is not Leaf:
                arguments[at] = self._number(argument, outs[0], event)
        made = self.made
        for t in outs:
            written = op.writes and any([t is each for each in tensors])
            kept = keeper.view(base, t, source, in_full) if base is not None else keeper.copy(t, in_full)
            version = t._version + 1 if written else t._version
            if written and t._is_view() and t._base is not None:
                # autograd rebases the graph of the base, and gives the view a Node of its own when it is asked for
                base_of_t = t._base
                rebased = Output(ref(base_of_t), version, Kept(None, base_of_t.shape, base_of_t.dtype, UNSEEN))
                event.node = COPY_SLICES
                event.made.append(rebased)
                made[id(base_of_t)] = (event, rebased)
                self._rebased.append(rebased.ref)
                seen = Event(None, self.tick)
                seen.line, seen.file, seen.level = event.line, event.file, event.level
                output = Output(ref(t), version, kept)
                seen.made.append(output)
                made[id(t)] = (seen, output)
            else:
                output = Output(ref(t), version, kept)
                event.made.append(output)
                made[id(t)] = (event, output)
        if here.names is not None or self._unpacking is not None or self._stored is not None:
            self._name_outputs(event, here, tensors)
        recorder.tape.append(event)
        if (keeper.budget.is_half_new and len(recorder.tape) > 16) or not self.tick & 4095:
            recorder.trim_tape()
            self.sweep_out()

    def sweep_out(self) -> None:
        """Let go of what is known of tensors that are gone."""
        for key in [key for key, (_, output) in self.made.items() if output.ref() is None]:
            del self.made[key]
        known: Any
        for known in (self.origins, self.leaves):
            for key in [key for key, each in known.items() if each.ref() is None]:
                del known[key]

    def known(self, t: Any, here: Here) -> Made | Leaf:
        """What a tensor is that an op is given."""
        if t.requires_grad:
            found = self.made.get(id(t))
            if found is not None:
                output = found[1]
                if output.number >= 0 and output.ref() is t and output.version == t._version:
                    return found
            node = t.grad_fn
            if node is not None:
                return self.attach(node, t)
        return self.leaf(t, here)

    def attach(self, node: Any, t: Any) -> Made:
        """Hang what is known of `t` on its Node."""
        key = self._recorder.key
        metadata = node.metadata
        number = t.output_nr
        event = metadata.get(key)
        output = None
        found = self.made.get(id(t))
        if found is not None and found[1].ref() is not t:
            found = None
        if event is None:
            event = found[0] if found is not None else Event(None, self.tick)
            if found is not None and _is_another(node, event, found[1].version != t._version):
                event, found = Event(None, self.tick), None
            if event.op is None:
                event.node, event.custom = node.name(), isinstance(node, Custom)
            metadata[key] = event
            self._recorder.hung.append(ref(event))
            if event.op is None and event.line is None:
                self._place_unseen(event, t)
        if found is not None and found[0] is event:
            output = found[1]
        known = event.outputs.get(number)
        if known is not None and (output is None or known is output):
            return (event, known)
        if output is None:
            output = Output(ref(t), t._version, None)
            origin = self.origins.get(id(t))
            if origin is not None and origin.ref() is t:
                output.name = origin.name
        if output.kept is None or output.kept.reason == UNSEEN or output.version != t._version:
            output.kept = self._recorder.keeper.copy(t)
            output.version = t._version
        output.number = number
        event.outputs[number] = output
        return found if found is not None and found[0] is event else (event, output)

    def attach_bases(self) -> None:
        """Hang what is known of tensors of which a view was changed, and which were used by nobody since."""
        for weak in self._rebased:
            base = weak()
            if base is not None and base.grad_fn is not None:
                self.attach(base.grad_fn, base)
        self._rebased.clear()

    def _place_unseen(self, event: Event, t: Any) -> None:
        """Where a custom Function was applied: its output was made there, without a gradient."""
        origin = self.origins.get(id(t))
        if origin is not None and origin.ref() is t:
            event.line, event.file, event.level = origin.line, origin.file, origin.level

    def leaf(self, t: Any, here: Here | None = None, *, is_new: bool = True) -> Leaf:
        """The leaf or constant that a tensor is in its present version.

        Args:
            is_new: whether it is used now: another one, if it was written to through `.data` since it was last used.
        """
        key, version = id(t), 0 if t.is_inference() else t._version
        kind = "leaf" if t.requires_grad else "constant"
        before = self.leaves.get(key)
        if before is not None and before.ref() is not t:
            before = None
        if before is not None and before.version == version and before.kind == kind:
            if not is_new or not self.unseen or self.written_unseen(t, before.tick) is None:
                return before
            if before.kept.tensor is not None and is_same(before.kept.tensor, t):
                return before
        recorder = self._recorder
        name = before.name if before is not None else None
        in_full = recorder.filter is None or recorder.filter.wants_leaf(name or recorder.modules.of_parameter(t))
        leaf = Leaf(kind, recorder.keeper.copy(t, in_full), self.tick, ref(t), version)
        leaf.name, leaf.is_held = name, before is not None and before.is_held
        if self.cuts.made_of:
            leaf.cut = self.cuts.of(t)
        origin = self.origins.get(key)
        event, made = self.made.get(key, (None, None))
        if before is not None:
            leaf.line, leaf.file, leaf.level = before.line, before.file, before.level
        elif origin is not None and origin.ref() is t:
            leaf.line, leaf.file, leaf.level, leaf.name = origin.line, origin.file, origin.level, origin.name
        elif event is not None and made is not None and made.ref() is t:  # without a gradient: x > 0
            leaf.line, leaf.file, leaf.level, leaf.name = event.line, event.file, event.level, made.name
        if isinstance(t, Parameter):
            leaf.name = recorder.modules.of_parameter(t) or leaf.name
            if here is not None:
                leaf.level = here.level
        self.leaves[key] = leaf
        return leaf

    def _number(self, value: Any, like: Any, event: Event) -> Leaf:
        """A Python number as the tensor that autograd takes it for."""
        dtype = like.dtype
        if isinstance(value, float) and not (dtype.is_floating_point or dtype.is_complex):
            dtype = torch.float32
        leaf = Leaf("constant", Kept(torch.tensor(value, dtype=dtype), torch.Size(()), dtype), self.tick)
        leaf.line, leaf.file, leaf.level = event.line, event.file, event.level
        return leaf

    def _note_unseen_write(self, t: Any) -> None:
        """A tensor without a graph was written to: perhaps the memory of one that has one, as through `x.data`."""
        if not t.dtype.is_floating_point or t.layout is not torch.strided or t.is_meta or is_wrapped(t):
            return
        known = self.leaves.get(id(t)) or self.made.get(id(t), (None, None))[1]
        if known is not None and known.ref() is t:
            return  # autograd counts this one
        key = t.untyped_storage().data_ptr()
        if key:
            if len(self.unseen) >= MOST_UNSEEN:
                self.unseen.pop(next(iter(self.unseen)))
            self.unseen.pop(key, None)
            self.tick += 1
            here = self._recorder.places.here(caller(4), current_call())
            self.unseen[key] = Unseen(self.tick, here.line, here.file)

    def written_unseen(self, t: Any, since: int) -> Unseen | None:
        """The last write to the memory of a tensor after a tick that autograd does not count, or None."""
        if not self.unseen or t is None or t.layout is not torch.strided or t.is_meta or is_wrapped(t):
            return None
        found = self.unseen.get(t.untyped_storage().data_ptr())
        return found if found is not None and found.tick > since else None

    def _note_plain(self, op: Op, watched: bool, args: Any, out: Any) -> None:
        """An op whose result takes no gradient."""
        if op.writes and args and isinstance(args[0], Tensor) and type(args[0]) is not Parameter:
            self._note_unseen_write(args[0])
        if watched:  # what only a custom Function consumes is seen nowhere else
            for t in tensors_in(args):
                if t.grad_fn is not None:
                    self.attach(t.grad_fn, t)
        if op.writes:
            t = args[0] if args else None
            if type(t) is Parameter and not self._is_placed(t):
                self._note_origin(t, None)  # filled for the first time, where its module is made
            return
        here = None
        outs = [out] if isinstance(out, Tensor) else tensors_in(out)
        if watched:
            here = self._recorder.places.here(caller(3), current_call())
            self._note_cut(op, [self.known(t, here) for t in tensors_in(args) if t.requires_grad], outs, here)
        elif self.cuts.made_of:
            self.cuts.go_on(tensors_in(args), outs)
        for t in outs:
            found = self.origins.get(id(t))
            if found is not None and found.ref() is t:
                continue
            here = self._note_origin(t, here)

    def _is_placed(self, t: Any) -> bool:
        """Whether it is known where a tensor was made; a number of `id` may be that of a tensor which is gone."""
        found = self.leaves.get(id(t)), self.origins.get(id(t))
        return any([each is not None and each.ref() is t for each in found])

    def _note_cut(self, op: Op, arguments: list[Any], outs: Any, here: Here) -> None:
        """Numbers of the graph went on outside of it: into tensors that take no gradient, or to Python."""
        is_differentiable = any([t.dtype.is_floating_point or t.dtype.is_complex for t in outs]) and not op.is_detach
        if is_differentiable and _is_grad_enabled():
            return
        sources = [
            (each, 0) if each.__class__ is Leaf else (ref(each[0]), each[1].number)
            for each in arguments
            if _takes_gradient(each)
        ]
        if sources:
            frame = caller(4)
            while frame.f_back is not None and kind_of(frame.f_code) != USER:
                frame = frame.f_back
            self.cuts.add(list(outs), CutNote(sources, words_for(frame, op.plain), here))

    def _note_origin(self, t: Any, here: Here | None) -> Here:
        if here is None:
            here = self._recorder.places.here(caller(3), current_call())
        name = here.names[0] if here.names and len(here.names) == 1 else None
        self.origins[id(t)] = Origin(ref(t), here, None if isinstance(t, Parameter) else name)
        if len(self.origins) > 4096:
            self.sweep_out()
            if len(self.origins) > 4096:
                self.origins.clear()
        return here

    # ---- names -----------------------------------------------------------------------------------------------------

    def _name_outputs(self, event: Event, here: Here, tensors: list[Any]) -> None:
        """Of several ops in one call only the last is what is stored, as in `loss = cross_entropy(...)`."""
        names, frame = here.names, here.frame
        if self._unpacking is not None:
            self.finish_unpacking(frame if names is not None else None)
        before, self._stored = self._stored, None
        if names is None or frame is None:
            return
        place = (id(frame), frame.f_lasti, None if event.level is None else event.level.round)
        if before is not None and before[0] == place:
            t = before[1].made[0].ref()
            # the same instruction again: another round, if what it made before is a variable by now
            is_again = t is not None and any([t is each for each in tensors])
            if not is_again or not any([frame.f_locals.get(name) is t for name in before[2]]):
                for each in before[1].made:
                    each.name = None
        if len(names) == len(event.made):
            for output, name in zip(event.made, names):
                output.name = name
        else:
            self._unpacking = (frame, frame.f_lasti, names)
        if event.made:
            self._stored = (place, event, names)

    def finish_unpacking(self, frame: Any = None) -> None:
        """`h, c = cell(x, (h, c))`: which is which is known once it is done, at the next op."""
        if self._unpacking is None:
            return
        owner, at, names = self._unpacking
        if frame is owner and frame is not None and frame.f_lasti == at:
            return
        self._unpacking = None
        space = owner.f_locals
        for name in names:
            t = space.get(name)
            found = self.made.get(id(t))
            if found is not None and found[1].ref() is t:
                found[1].name = name

    def name_alive(self, names: list[str], t: Any) -> None:
        """Variables of the user's hold `t` now, or what it is in: these are their names, and the places in them.

        A leaf keeps its first name that is among them: a function that made it may have called it otherwise.
        """
        name = names[0]
        origin = self.origins.get(id(t))
        if origin is not None and origin.ref() is t and t.grad_fn is not None:  # of a custom Function
            _, output = self.attach(t.grad_fn, t)
            if output.name is None:
                output.name = name
        leaf = self.leaves.get(id(t))
        if leaf is not None and leaf.ref() is t and not leaf.is_held:
            leaf.name, leaf.is_held = leaf.name if leaf.name in names else name, True
        found = self.made.get(id(t))
        if found is not None and found[1].ref() is t:
            own = [each for each in names if each.isidentifier()]
            found[1].name = own[-1] if own else found[1].name or name


def _is_another(node: Any, event: Event, is_changed: bool) -> bool:
    """Whether a Node is not that of the event that made its tensor.

    A custom Function may return its input, changed in place; and a view gets a new Node when its base is changed.
    """
    if event.outputs or isinstance(node, Custom):
        return True
    is_strided = type(node).__name__ == "AsStridedBackward0"
    return is_changed and is_strided and event.op is not None and event.op.plain != "as_strided"


def _takes_gradient(known: Any) -> bool:
    return known.__class__ is tuple or (known.__class__ is Leaf and known.kind == "leaf")


def tensors_in(values: Any) -> list[Any]:
    """The tensors among some values, lists opened, in order."""
    found: list[Any] = []
    for value in values if isinstance(values, (list, tuple)) else (values,):
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += [each for each in value if isinstance(each, Tensor)]
    return found
