"""What every producer of recordings fills: two recordings of one script, compared field by field.

Nodes are paired from what backward started from on down. Each field of a recording is compared, or stands below with
the reason why it may differ; a field that is added later belongs to one of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from gradviz.recording import CONSTANT, OUTPUT, Accumulation, Cut, Node, Origin, Problem, Recording, Step, Sweep

CLOSE = {"rtol": 2e-5, "atol": 2e-6}

EXCEPT: dict[type, dict[str, str]] = {
    Recording: {
        "engine": "it says who computed the numbers: that is the difference",
        "source": "the recorder of PyTorch reads the file, the built-in engine is given the text: compared by its text",
        "sources": "only with PyTorch can a script bring files of its own",
        "summaries": "both keep everything of a script of this size",
        "gradient_summaries": "both keep everything of a script of this size",
        "rank": "the built-in engine is one process",
        "faults": "they are of the recorder itself: both have none",
        "thinned": "each has a schedule of its own for a long run",
        "view": "nobody has looked at either",
        "warnings": "some are of a build of PyTorch, or of its Python; those of the engine are compared in the corpus",
        "nodes": "compared in pairs: the ids follow the order of first use, which unbind changes",
        "values": "compared in pairs, with the nodes",
        "sweeps": "compared one by one",
    },
    Node: {"id": "paired", "origin": "compared by its fields"},
    Origin: {
        "aten": "names a kernel, and the built-in engine has none",
        "outputs": "the built-in engine has a node per output where PyTorch has one node and an output of it each",
        "file": "only with PyTorch can a script bring files of its own",
        "line": "only with PyTorch can a script bring files of its own",
    },
    Sweep: {
        "number": "0 where all calls were kept and the place says it; the recorder of PyTorch always counts",
        "since": "follows from which calls were kept",
        "seconds": "the time of the built-in engine says nothing of PyTorch's",
        "inside": "the built-in engine notes a pass within a pass when it ends, before the one around it",
        "file": "only with PyTorch can a script bring files of its own",
        "summaries": "both keep everything of a script of this size",
    },
    Step: {},
    Accumulation: {},
    Cut: {},
    Problem: {
        "hint": "gradviz' own words, which say more where its own engine ran",
        "column": "Python tells the recorder of PyTorch a line only",
        "file": "only with PyTorch can a script bring files of its own",
    },
}
"""By type, the fields that are not compared, with the reason."""

EXCEPT_OF_CONSTANTS = frozenset(("name", "line", "scope", "origin.module"))
"""A constant stands where it was made, but where only one of the recorders saw that (an item of a loader, say), and
the other one has the place of its first use."""


def compared(kind: Any) -> list[str]:
    """The fields of a type that are compared."""
    names = kind._fields if hasattr(kind, "_fields") else [each.name for each in fields(kind)]
    return [name for name in names if name not in EXCEPT[kind]]


class Contract:
    """Two recordings of one script: the built-in engine's, `own`, and that of real PyTorch.

    Attributes:
        of: the pairs of nodes that were found.
        differences: one line for each.
    """

    def __init__(self, own: Recording, theirs: Recording) -> None:
        self.own, self.theirs = own, theirs
        self.of: dict[int, int] = {}
        self.differences: list[str] = []
        self._check("number of backward calls", len(own.sweeps), len(theirs.sweeps))
        for mine, other in zip(own.sweeps, theirs.sweeps, strict=False):
            for pair in zip(mine.outputs, other.outputs, strict=False):
                self._pair(*pair)
        for at, (mine, other) in enumerate(zip(own.sweeps, theirs.sweeps, strict=False), 1):
            for name in compared(Sweep):
                SWEEP_FIELDS[name](self, f"backward {at}: {name}", mine, other)
        self._check("faults", own.faults, theirs.faults)
        for name in compared(Recording):
            RECORDING_FIELDS[name](self)

    # ---- nodes ----

    def _pair(self, a: int, b: int) -> None:
        """Pair two nodes, and what they are made of."""
        waiting = [(a, b)]
        while waiting:
            a, b = waiting.pop()
            if a in self.of:
                self._check(f"node {a}, seen again", self.of[a], b)
                continue
            self.of[a] = b
            mine, other = self.own.nodes[a], self.theirs.nodes[b]
            where = f"node {a} ({mine.op} {mine.name or ''}, line {mine.line})"
            made = self.theirs.nodes[other.inputs[0]] if other.op == OUTPUT and mine.op != OUTPUT else other
            excepted = EXCEPT_OF_CONSTANTS if mine.op == other.op == CONSTANT else ()
            for name in compared(Node):
                if name in ("op", "inputs", "params") or name in excepted:
                    continue
                self._check(f"{where}: {name}", getattr(mine, name), getattr(other, name))
            self._check(f"{where}: op", mine.op, made.op)
            if made is other:
                self._check(f"{where}: params", *_params(mine, other))
            for name in compared(Origin):
                found = [getattr(each.origin or Origin(), name) for each in (mine, made)]
                if name == "backward_node":  # its last digit tells overloads of one op apart: a number or a tensor
                    found = [each.rstrip("0123456789") for each in found]
                if f"origin.{name}" not in excepted:
                    self._check(f"{where}: origin.{name}", *found)
            self._check_array(f"{where}: value", self.own.values[a], self.theirs.values[b])
            self._check(f"{where}: number of inputs", len(mine.inputs), len(made.inputs))
            waiting += zip(mine.inputs, made.inputs, strict=False)

    def _paired(self, nodes: Iterator[int] | Sequence[int] | frozenset[int]) -> list[int | str]:
        return [self.of.get(node, f"without a pair: {node}") for node in nodes]

    def _is_many(self, node: int) -> bool:
        """Whether a node of PyTorch's stands for several outputs, which the built-in engine has one by one."""
        origin = self.theirs.nodes[node].origin
        return origin is not None and origin.outputs > 0

    # ---- sweeps ----

    def _outputs(self, where: str, mine: Sweep, other: Sweep) -> None:
        self._check(where, self._paired(mine.outputs), list(other.outputs))

    def _seeds(self, where: str, mine: Sweep, other: Sweep) -> None:
        for seed, match in zip(mine.seeds, other.seeds, strict=False):
            self._check_array(where, seed, match)

    def _steps(self, where: str, mine: Sweep, other: Sweep) -> None:
        order = self._paired([step.node for step in mine.steps])
        theirs: list[int | str] = [step.node for step in other.steps if not self._is_many(step.node)]
        if any(self._is_many(step.node) for step in other.steps):  # which has a turn of its own
            self._check(f"{where}, in any order", set(order), set(theirs))
        else:
            self._check(where, order, theirs)
        for step in mine.steps:
            at = other.step_of.get(self.of.get(step.node, -1))
            if at is None:
                continue
            match, here = other.steps[at], f"{where}, node {step.node}"
            self._check_array(f"{here}: incoming", step.incoming, match.incoming)
            if self.theirs.nodes[match.node].op == OUTPUT:
                continue  # it sends on what came in, to the node of the op
            self._check(f"{here}: outgoing", len(step.outgoing), len(match.outgoing))
            for g, h in zip(step.outgoing, match.outgoing, strict=False):
                self._check_array(f"{here}: outgoing", g, h)

    def _accumulated(self, where: str, mine: Sweep, other: Sweep) -> None:
        nodes = self._paired([each.node for each in mine.accumulated])
        self._check(where, set(nodes), {each.node for each in other.accumulated})
        for entry in mine.accumulated:
            match = other.accumulation_of.get(self.of.get(entry.node, -1))
            if match is not None:
                self._check_array(f"{where}, node {entry.node}: before", entry.before, match.before)
                self._check_array(f"{where}, node {entry.node}: after", entry.after, match.after)

    def _hooked(self, where: str, mine: Sweep, other: Sweep) -> None:
        self._check(where, set(self._paired(mine.hooked)), set(other.hooked))

    def _read(self, where: str, mine: Sweep, other: Sweep) -> None:
        pairs = {(self.of.get(node, -1), self.of.get(of, -1)): found for (node, of), found in mine.read.items()}
        self._check(where, set(pairs), set(other.read))
        for at in pairs.keys() & other.read.keys():
            self._check(f"{where}: line", pairs[at].line, other.read[at].line)
            self._check_array(f"{where}: value", pairs[at].value, other.read[at].value)

    def _prints(self, where: str, mine: Sweep, other: Sweep) -> None:
        found = {self.of.get(node, -1): count for node, count in mine.prints.items()}
        self._check(where, found, dict(other.prints))

    def _error(self, where: str, mine: Sweep, other: Sweep) -> None:
        self._check(where, mine.error is None, other.error is None)
        if mine.error is not None and other.error is not None:
            self._check(f"{where}: message", _first_line(mine.error.message), _first_line(other.error.message))
            if mine.error.node is not None and other.error.node is not None:
                self._check(f"{where}: node", self.of.get(mine.error.node), other.error.node)

    # ---- around ----

    def _gradients(self) -> None:
        kept = {name: g for name, g in self.own.gradients.items() if g is not None}
        theirs = {name: g for name, g in self.theirs.gradients.items() if g is not None}
        for name in theirs.keys() - kept.keys():  # one of several variables may stand for a tensor
            self._check("gradients", None, name)
        for name in kept.keys() & theirs.keys():
            self._check_array(f"gradient of {name}", kept[name], theirs[name])

    def _output(self) -> None:
        self._check("output", self.own.output, self.theirs.output)

    def _problem(self) -> None:
        mine, other = self.own.problem, self.theirs.problem
        self._check("problem", mine is None, other is None)
        if mine is not None and other is not None:
            self._check("problem: line", mine.line, other.line)
            self._check("problem: message", _first_line(mine.message), _first_line(other.message))
            if mine.node is not None and other.node is not None and mine.node in self.of:
                self._check("problem: node", self.of[mine.node], other.node)

    def _cuts(self) -> None:
        """PyTorch's has the masks of where() too."""
        found = {(cut.how, cut.line, cut.result) for cut in self.theirs.cuts}
        for cut in self.own.cuts:
            if cut.result in self.of:
                key = cut.how, cut.line, self.of[cut.result]
                self._check("cut", key in found and key, key)
                match = [each for each in self.theirs.cuts if (each.how, each.line, each.result) == key]
                if match:
                    self._check("cut: sources", len(cut.sources), len(match[0].sources))

    def _check(self, what: str, mine: Any, other: Any) -> None:
        if mine != other:
            self.differences.append(f"{what}: {mine!r}, and with PyTorch {other!r}")

    def _check_array(self, what: str, mine: Any, other: Any) -> None:
        if mine is None or other is None:
            self._check(what, mine is None, other is None)
        elif mine.shape != other.shape or mine.dtype != other.dtype:
            self._check(what, (mine.shape, mine.dtype), (other.shape, other.dtype))
        elif not np.allclose(other, mine, **CLOSE, equal_nan=True):
            self.differences.append(f"{what}: {mine}, and with PyTorch {other}")


def _same(name: str) -> Callable[[Contract, str, Sweep, Sweep], None]:
    def compare(contract: Contract, where: str, mine: Sweep, other: Sweep) -> None:
        contract._check(where, getattr(mine, name), getattr(other, name))

    return compare


def _params(mine: Node, other: Node) -> list[dict[str, Any]]:
    """The params of both; the -1 of a size stands for what fits, and the index of a maximum for its numbers."""
    found = [dict(node.params) for node in (mine, other)]
    for params, node in zip(found, (mine, other), strict=True):
        if "size" in params and -1 in params["size"]:
            params["size"] = list(node.shape)
        if isinstance(params.get("index"), list):
            params["index"] = np.ravel(params["index"]).tolist()
    return found


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


SWEEP_FIELDS: Mapping[str, Callable[[Contract, str, Sweep, Sweep], None]] = {
    "outputs": Contract._outputs,
    "seeds": Contract._seeds,
    "steps": Contract._steps,
    "accumulated": Contract._accumulated,
    "hooked": Contract._hooked,
    "prints": Contract._prints,
    "read": Contract._read,
    "error": Contract._error,
    **{name: _same(name) for name in ("line", "retain_graph", "create_graph", "kind", "printed")},
}
RECORDING_FIELDS: Mapping[str, Callable[[Contract], None]] = {
    "gradients": Contract._gradients,
    "output": Contract._output,
    "problem": Contract._problem,
    "cuts": Contract._cuts,
}
