"""The recording as the document of a file, JSON format version 1: nodes, passes, and what is around them."""

from __future__ import annotations

import linecache
import os
import platform
import sys
from typing import TYPE_CHECKING, Any, Callable, Optional

import torch

from gradviz.capture.container import summary_of
from gradviz.capture.forward import Event, Leaf
from gradviz.capture.gradients import Pass, Step
from gradviz.capture.graph import Inputs
from gradviz.capture.keep import Kept, dtype_name
from gradviz.capture.ops import ELSEWISE, MANY
from gradviz.capture.scopes import ScopeNames

if TYPE_CHECKING:
    from gradviz.capture.cuts import CutNote
    from gradviz.capture.recorder import Recorder

GENERATOR = "gradviz capture 1"
_WITHOUT_NODE = ("_like", "new_", "detach", "_local_scalar_dense", "empty", "equal", "argm")
_COMPARED = 1_000_000
"""Elements of gradients that are added up to see whether a hook has changed them."""

Put = Callable[[Optional[Kept]], Any]


class Document:
    """Builds the document of a recorder; `put` turns what was kept into JSON.

    Attributes:
        nodes: as the document has them, and `wheres`, the event or leaf that each is of.
    """

    def __init__(self, recorder: Recorder, put: Put) -> None:
        self._recorder, self._put = recorder, put
        self.nodes: list[dict[str, Any]] = []
        self._ids: dict[tuple[int, Any], int] = {}
        self._inputs: dict[int, Inputs] = {}
        self._used: dict[int, set[int]] = {}
        self._scopes = ScopeNames()
        self.wheres: list[Any] = []
        self._behind_cuts: list[tuple[CutNote, int]] = []
        self.main = recorder.main_file
        self.files: list[str] = []

    def build(self) -> dict[str, Any]:
        """The whole document."""
        recorder = self._recorder
        passes = sorted(recorder.passes, key=lambda each: each.number)
        self._add_nodes(passes)
        numbers = {id(each): index for index, each in enumerate(passes)}
        backward = [self._pass(each, numbers) for each in passes]
        document: dict[str, Any] = {
            "format": "gradviz",
            "version": 1,
            "generator": GENERATOR,
            "engine": {
                "name": "PyTorch",
                "version": str(torch.__version__).split("+")[0],
                "python": platform.python_version(),
                "notes": [*recorder.notes(), *self._notes()],
            },
            "source": self._source(),
            "nodes": self.nodes,
            "backward": backward,
            **self._gradients(),
            "output": recorder.output,
        }
        if self.files:
            document["sources"] = [{"name": _short(name), "text": _text(name)} for name in self.files]
        if cuts := self._cuts():
            document["cuts"] = cuts
        if recorder.problem is not None:
            document["problem"] = self._problem(recorder.problem)
        if recorder.warnings:
            document["warnings"] = recorder.warnings
        thinned = recorder.thinned()
        if thinned is not None:
            document["thinned"] = thinned
        if recorder.rank is not None:
            document["rank"] = recorder.rank
        if recorder.faults:
            document["faults"] = list(recorder.faults)
        return document

    def _notes(self) -> list[str]:
        """What was other than in a run that nobody records, in sentences."""
        found = sorted(ELSEWISE.intersection(node["op"] for node in self.nodes))
        names = " and ".join(name.replace("linalg_", "linalg.") for name in found)
        return [f"PyTorch computes {names} in another way while it is recorded; last digits may differ."] * bool(found)

    # ---- nodes -----------------------------------------------------------------------------------------------------

    def _add_nodes(self, passes: list[Pass]) -> None:
        found: dict[int, Event] = {}
        leaves: dict[int, Leaf] = {}

        def add(where: Any) -> None:
            if where.__class__ is Leaf:
                leaves.setdefault(id(where), where)
            else:
                found.setdefault(id(where), where)

        for made in passes:
            for event in made.tape:
                if _has_node(event):
                    found.setdefault(id(event), event)
            for step in made.steps:
                add(step.where)
            for where, _ in made.outputs:
                add(where)
        for event in self._recorder.loose():
            if _has_node(event):
                found.setdefault(id(event), event)
        waiting = list(found.values())
        while waiting:
            event = waiting.pop()
            inputs = self._inputs.get(id(event))
            if inputs is None:
                inputs = self._inputs[id(event)] = Inputs(event)
                for source, number in inputs.sources:
                    if source.__class__ is Event:
                        self._used.setdefault(id(source), set()).add(max(number, 0))
                        if id(source) not in self._inputs:
                            waiting.append(source)
        for made in passes:
            for where, number in made.outputs:
                self._used.setdefault(id(where), set()).add(number)
            for step in made.steps:
                for number, kept in enumerate(step.came):
                    if kept is not None:
                        self._used.setdefault(id(step.where), set()).add(number)
        for event in sorted(found.values(), key=lambda each: each.tick):
            self._emit(event)
        for leaf in leaves.values():
            if (id(leaf), 0) not in self._ids:
                self._add_leaf(leaf)

    def _emit(self, event: Event) -> None:
        """Nodes for an event and, before it, for all it is made of; without recursion."""
        waiting: list[tuple[Any, bool]] = [(event, False)]
        ids = self._ids
        while waiting:
            one, is_ready = waiting.pop()
            if (id(one), None) in ids:
                continue
            if one.__class__ is Leaf:
                self._add_leaf(one)
            elif is_ready:
                self._add_event(one)
            else:
                sources = [source for source, _ in self._inputs[id(one)].sources if (id(source), None) not in ids]
                waiting.append((one, True))
                # a leaf comes just before its first use, after what the op is made of besides
                waiting += [(source, False) for source in reversed(sources) if source.__class__ is Leaf]
                waiting += [(source, False) for source in reversed(sources) if source.__class__ is not Leaf]

    def _add_leaf(self, leaf: Leaf) -> None:
        kept = leaf.kept
        self._ids[id(leaf), 0] = self._ids[id(leaf), None] = self._add(
            leaf.kind, leaf.name, [], {}, kept.shape, dtype_name(kept.dtype), kept, leaf, leaf.kind == "leaf"
        )
        if leaf.cut is not None:
            self._behind_cuts.append((leaf.cut, self._ids[id(leaf), None]))

    def _cuts(self) -> list[dict[str, Any]]:
        """Where numbers left the graph, as far as what they were taken from is in it."""
        left = self._recorder.forward.cuts.left.values()
        found = []
        for note, result in [*self._behind_cuts, *((note, None) for note in left)]:
            sources = []
            for weak, number in note.sources:
                where = weak if weak.__class__ is Leaf else weak()
                if where.__class__ is Leaf and result is not None and (id(where), None) not in self._ids:
                    self._add_leaf(where)
                node = self._ids.get((id(where), number), self._ids.get((id(where), None)))
                if where is not None and node is not None:
                    sources.append(node)
            if sources:
                line = note.line if note.file in (None, self.main) else None
                found.append({"sources": sources, "how": note.how, "line": line, "result": result})
        return found

    def _add_event(self, event: Event) -> None:
        inputs = self._inputs[id(event)]
        ids = self._ids
        sources = [self._id(source, number) for source, number in inputs.sources]
        numbers = sorted({*event.outputs, *self._used.get(id(event), ())}) or [0]
        has_many = len(numbers) > 1 or (inputs.op in MANY and len(event.made) > 1)
        more: dict[str, Any] = {}
        if event.node:
            more["backward_node"] = event.node
        if event.op is not None:
            if event.op.name != inputs.op:
                more["aten"] = event.op.name
            if event.op.writes:
                more["in_place"] = True
        if not has_many:
            shape, dtype, kept, name = self._output(event, numbers[0])
            node = self._add(inputs.op, name, sources, inputs.params, shape, dtype, kept, event, True, more)
            ids[id(event), numbers[0]] = ids[id(event), 0] = ids[id(event), None] = node
            return
        count = max(len(event.made), len(event.shapes or ()), numbers[-1] + 1)
        more["outputs"] = count
        node = self._add(inputs.op, None, sources, inputs.params, (), "float32", None, event, True, more)
        ids[id(event), None] = node
        if inputs.op in MANY and len(event.made) > 1:
            numbers = list(range(len(event.made)))
        for number in numbers:
            shape, dtype, kept, name = self._output(event, number)
            ids[id(event), number] = self._add(
                "output", name, [node], {"index": number}, shape, dtype, kept, event, True
            )
        ids[id(event), "many"] = node
        ids.setdefault((id(event), 0), ids[id(event), numbers[0]])

    @staticmethod
    def _output(event: Event, number: int) -> tuple[Any, str, Kept | None, str | None]:
        """(shape, dtype, value, name) of an output."""
        output = event.outputs.get(number)
        if output is None and number < len(event.made):
            output = event.made[number]
        if output is not None and output.kept is not None:
            return output.kept.shape, dtype_name(output.kept.dtype), output.kept, output.name
        shape, dtype = event.shapes[number] if event.shapes and number < len(event.shapes) else ((), "float32")
        return shape, dtype, None, output.name if output is not None else None

    def _add(
        self, op: str, name: str | None, inputs: list[int], params: dict[str, Any], shape: Any, dtype: str,
        kept: Kept | None, where: Any, takes_gradient: bool, more: dict[str, Any] | None = None,
    ) -> int:  # fmt: skip
        scope = self._scopes.of(where.level)
        node: dict[str, Any] = {
            "id": len(self.nodes), "op": op, "name": name, "inputs": inputs, "params": params, "shape": list(shape),
            "dtype": dtype, "requires_grad": takes_gradient, "is_leaf": op in ("leaf", "constant"),
            "value": self._put(kept), "line": where.line, "scope": list(scope),
        }  # fmt: skip
        if node["value"] is None and not (more and "outputs" in more):
            node["summary"] = summary_of(kept) or {"shape": list(shape), "dtype": dtype, "reason": "unseen"}
        file = self._file(where.file)
        if file is not None:
            node["file"] = file
        if where.level is not None and where.level.module is not None:
            node["module"] = where.level.module
        if more:
            node.update(more)
        self.nodes.append(node)
        self.wheres.append(where)
        return len(self.nodes) - 1

    def _id(self, where: Any, number: Any) -> int:
        """The node of an output."""
        found = self._ids.get((id(where), number))
        return self._ids[id(where), None] if found is None else found

    def _file(self, name: str | None) -> int | None:
        if name is None or name == self.main:
            return None
        if name not in self.files:
            self.files.append(name)
        return self.files.index(name)

    # ---- passes ----------------------------------------------------------------------------------------------------

    def _pass(self, made: Pass, numbers: dict[int, int]) -> dict[str, Any]:
        outputs = [self._id(where, number) for where, number in made.outputs]
        steps: list[dict[str, Any]] = []
        sent: dict[int, list[Kept]] = {node: [seed] for node, seed in zip(outputs, made.seeds) if seed is not None}
        read: dict[int, list[Any]] = {}
        for event, *what in made.read:
            read.setdefault(id(event), []).append(what)
        for step in made.steps:
            self._add_steps(step, steps, sent)
            if id(step.where) in read:
                self._add_read(steps[-1], read[id(step.where)])
            if step.printed is not None:
                steps[-1]["printed"] = step.printed
        found: dict[str, Any] = {
            "outputs": outputs, "seeds": [self._put(each) for each in made.seeds], "line": made.line,
            "retain_graph": made.retain_graph, "create_graph": made.create_graph, "steps": steps,
            "accumulated": [self._accumulated(*each) for each in made.accumulated if (id(each[0]), None) in self._ids],
            "number": made.number, "kind": made.kind, "seconds": round(made.seconds, 6),
        }  # fmt: skip
        if any(each is None for each in found["seeds"]):
            found["seed_summaries"] = [summary_of(each) for each in made.seeds]
        if made.error is not None:
            at = made.failing
            found["error"] = {"message": made.error, "node": self._ids.get((id(at), None)) if at is not None else None}
        if made.around is not None and id(made.around) in numbers:
            found["inside"] = numbers[id(made.around)]
        if made.printed is not None:
            found["printed"] = made.printed
        file = self._file(made.file)
        if file is not None:
            found["file"] = file
        if len(self._recorder.passes) < self._recorder.calls:
            own = [each["node"] for each in steps if not self.nodes[each["node"]]["is_leaf"]]
            own += [self._ids[id(event), None] for event in made.tape if (id(event), None) in self._ids]
            found["since"] = min(own, default=min(outputs, default=0))
        return found

    def _add_steps(self, step: Step, steps: list[dict[str, Any]], sent: dict[int, list[Kept]]) -> None:
        where, came = step.where, step.came
        if where.__class__ is Leaf:
            self._add_step(self._ids[id(where), 0], came[0] if came else None, [], steps, sent)
            return
        inputs = self._inputs[id(where)]
        outgoing: list[Kept | None] = []
        if step.sent is not None:
            given = step.sent
            outgoing = [None if slot is None or slot >= len(given) else given[slot] for slot in inputs.slots]
        if (id(where), "many") in self._ids:
            for number, kept in enumerate(came):
                if kept is not None and (id(where), number) in self._ids:
                    self._add_step(self._ids[id(where), number], kept, [kept], steps, sent)
            self._add_step(self._ids[id(where), None], None, outgoing, steps, sent)
            return
        number = next((each for each, kept in enumerate(came) if kept is not None), 0)
        self._add_step(self._id(where, number), came[number] if came else None, outgoing, steps, sent)

    def _add_step(
        self, node: int, came: Kept | None, outgoing: list[Kept | None], steps: list[dict[str, Any]],
        sent: dict[int, list[Kept]],
    ) -> None:  # fmt: skip
        targets = self.nodes[node]["inputs"]
        entries = []
        for slot, gradient in enumerate(outgoing):
            target = targets[slot]
            kept = self._fitted(gradient, self.nodes[target])
            entry = {"slot": slot, "to": target, "gradient": self._put(kept)}
            summary = summary_of(kept)
            if summary is not None:
                entry["summary"] = summary
            entries.append(entry)
            if kept is not None:
                sent.setdefault(target, []).append(kept)
        step: dict[str, Any] = {"node": node, "incoming": self._put(came), "outgoing": entries}
        summary = summary_of(came)
        if summary is not None:
            step["summary"] = summary
        if came is not None and is_changed(came, sent.get(node, [])):
            step["hooked"] = True
        steps.append(step)

    def _add_read(self, step: dict[str, Any], read: list[Any]) -> None:
        """What a step read of tensors that were changed in a way that autograd does not count."""
        node = step["node"]
        near = {node, *self.nodes[node]["inputs"]}
        for source, kept, unseen in read:
            of = self._id(source, 0) if source.__class__ is Leaf else self._id(source[0], source[1].number)
            if of in near:
                line = unseen.line if unseen.file in (None, self.main) else None
                step.setdefault("read", []).append({"node": of, "value": self._put(kept), "line": line})

    @staticmethod
    def _fitted(kept: Kept | None, target: dict[str, Any]) -> Kept | None:
        """What goes out in the shape of the input: the engine itself sums what was broadcast, after the hooks."""
        if kept is None or "outputs" in target or list(kept.shape) == target["shape"]:
            return kept
        if kept.tensor is not None:
            try:
                fitted = kept.tensor.sum_to_size(target["shape"])
            except RuntimeError:
                return Kept(None, torch.Size(target["shape"]), kept.dtype, "shape")
            return Kept(fitted, fitted.shape, kept.dtype, kept.reason)
        return Kept(None, torch.Size(target["shape"]), kept.dtype, "shape")

    def _accumulated(self, where: Any, number: int, before: Kept | None, after: Kept | None) -> dict[str, Any]:
        entry: dict[str, Any] = {"node": self._id(where, number)}
        for name, kept in (("before", before), ("after", after)):
            entry[name] = self._put(kept)
            summary = summary_of(kept)
            if summary is not None:
                entry[f"{name}_summary"] = summary
        return entry

    # ---- what is around --------------------------------------------------------------------------------------------

    def _gradients(self) -> dict[str, Any]:
        gradients = self._recorder.gradients
        found: dict[str, Any] = {"gradients": {name: self._put(kept) for name, kept in gradients.items()}}
        types = {name: kept for name, kept in gradients.items() if kept is not None}
        if types:
            found["gradient_types"] = {
                name: {"dtype": dtype_name(kept.dtype), "shape": list(kept.shape)} for name, kept in types.items()
            }
        summaries = {name: summary_of(kept) for name, kept in gradients.items()}
        summaries = {name: each for name, each in summaries.items() if each is not None}
        if summaries:
            found["gradient_summaries"] = summaries
        return found

    def _source(self) -> dict[str, str] | None:
        given = self._recorder.source
        if given is not None:
            return given
        if self.main is None:
            return None
        text = _text(self.main)
        return {"kind": "script", "name": _short(self.main), "text": text} if text else None

    def _problem(self, problem: dict[str, Any]) -> dict[str, Any]:
        found = {key: value for key, value in problem.items() if key not in ("file", "failing")}
        failing = problem.get("failing")
        found["node"] = self._ids.get((id(failing), None)) if failing is not None else problem.get("node")
        file = self._file(problem.get("file"))
        if file is not None:
            found["file"] = file
        return found


def _has_node(event: Event) -> bool:
    """Whether an op made something that takes a gradient: one that was used, or still does."""
    if event.node or event.outputs:
        return True
    if event.op is None or any(each in event.op.name for each in _WITHOUT_NODE):
        return False
    for output in event.made:
        t = output.ref()
        if t is not None:
            return bool(t.requires_grad)
    kept = event.made[0].kept if event.made else None
    return kept is not None and (kept.dtype.is_floating_point or kept.dtype.is_complex)


def is_changed(came: Kept, sent: list[Kept]) -> bool:
    """Whether what came in is not the sum of what was sent: a hook has changed it."""
    if not sent or (len(sent) == 1 and sent[0] is came):
        return False
    if came.tensor is None or any(each.tensor is None or each.shape != came.shape for each in sent):
        return False
    if came.tensor.numel() > _COMPARED or came.tensor.layout is not torch.strided:
        return False
    total = sent[0].tensor
    for each in sent[1:]:
        total = total + each.tensor
    if len(sent) == 1:
        return not torch.equal(torch.nan_to_num(total), torch.nan_to_num(came.tensor))
    rounding = 0.02 if came.tensor.element_size() < 4 else 1e-3  # sums of few bits depend on their order
    return not torch.allclose(total.to(came.dtype), came.tensor, rtol=rounding, atol=rounding / 100, equal_nan=True)


def _text(name: str) -> str:
    return "".join(linecache.getlines(name))


def _short(name: str) -> str:
    """A file without its folder; a cell of a notebook by the number that stands beside it."""
    shell: Any = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    cells = getattr(getattr(running, "compile", None), "_filename_map", {})
    return f"In [{cells[name]}]" if name in cells else os.path.basename(name)
