"""The built-in backend: Python runs the script, with the small engine as its torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, ParamSpec, TypeVar

import numpy as np

from gradviz.engine import serialization
from gradviz.engine.nn.module import Module
from gradviz.engine.nn.parameter import Parameter
from gradviz.engine.tensor import Tensor
from gradviz.errors import GradvizError
from gradviz.graph.answer import answering
from gradviz.graph.derivatives import Derivatives
from gradviz.graph.replay import call_of, checked_seed, sweep_back
from gradviz.graph.verify import check
from gradviz.ops.op import Op
from gradviz.recording import Array, Recording, Source, Sweep, Warned
from gradviz.run.execute import execute
from gradviz.run.inside import lines_inside
from gradviz.run.job import Emit, Job, Outcome
from gradviz.run.levels import Trace, quote_in
from gradviz.run.recorder import Recorder
from gradviz.run.scratch import own_files

P = ParamSpec("P")
T = TypeVar("T")


def run_job(job: Job, emit: Emit) -> Outcome:
    """Run a script and freeze what it left."""
    source = Source(job.kind, job.name, job.text)
    paths = ModulePaths()
    trace = Trace((Tensor, Parameter), Module, path_of=paths.find)
    trace.quote = quote_in(job.text)
    texts: dict[str, str] = {}
    serialization.files_go_too = bool(job.scratch)
    recorder = Recorder(texts, trace, job.keep, job.limits.nodes)
    printed: list[str] = []

    def write(text: str) -> None:
        printed.append(text)
        recorder.count_printed(len(text))
        emit.output(text)

    if job.wants_recording:
        trace.name_tensor, trace.label_module = recorder.name, recorder.place_module
        recorder.start()
    try:
        with np.errstate(all="ignore"):
            result = execute(
                source, trace=trace, write=write, aside=emit.aside, seed=job.seed,
                echo_last=job.echo_last or job.kind == "notebook", folder=job.folder, texts=texts,
            )  # fmt: skip
    finally:
        recorder.stop()
    output = "".join(printed)
    warnings = [*[Warned(remark, "Note") for remark in result.remarks], *result.warnings]
    if written := list(islice(_written(job.scratch), MOST_NAMED + 1)):
        few = ", ".join([*written[:MOST_NAMED], *(["…"] if len(written) > MOST_NAMED else [])])
        warnings.append(Warned(f"What was written goes with this run: {few}", "Note", None, len(output)))
    if not job.wants_recording:
        empty = Recording(output=output, source=source, problem=result.problem, warnings=tuple(warnings))
        return Outcome(empty, result.exit_code)
    recording, entries = recorder.freeze(
        variables=result.variables,
        source=source,
        output=output,
        problem=result.problem,
        error=result.error,
        warnings=warnings,
    )
    live = LiveGraph(recording, entries, trace)
    asked = {what: _within(result.imports, answer) for what, answer in live.answers.items()}
    return Outcome(recording, result.exit_code, _within(result.imports, live.add_seed), asked)


def _within(imports: AbstractContextManager[object], answer: Callable[P, T]) -> Callable[P, T]:
    """An answer whose functions of the script import what they imported while it ran."""

    def answered(*given: P.args, **named: P.kwargs) -> T:
        with imports:
            return answer(*given, **named)

    return answered


def _written(scratch: str) -> Iterator[str]:
    """The files that a run has written."""
    return (name for name, *_ in own_files(scratch) if name[-1] != "/") if scratch else iter(())


MOST_NAMED = 5
"""Files that a note names."""

MOST_ENTRIES, MOST_ROWS = 40_000, 64
"""Of the Jacobian of a custom Function: each row is a call of the script's backward."""


class ModulePaths:
    """The path of a module inside another, e.g. "layers.0.fc"."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Module, dict[int, str]]] = {}

    def find(self, root: Module, module: Module) -> str:
        """The path; "" where the module is not inside."""
        known = self._known.get(id(root))
        if known is None or id(module) not in known[1]:
            known = (root, {id(inner): path for path, inner in root.named_modules()})
            known[1].setdefault(id(module), "")
            self._known[id(root)] = known
        return known[1][id(module)]


class LiveGraph:
    """The graph of a run that has ended, for other seeds and for checks of custom Functions."""

    def __init__(self, recording: Recording, entries: list[Tensor], trace: Trace) -> None:
        self._recording = recording
        self._entries = entries
        self._trace = trace
        self._derived: tuple[int, Derivatives] | None = None

    @property
    def answers(self) -> dict[str, Callable[[Any], Any]]:
        """What can be asked by name."""
        return {
            "check": self.check, "jacobian": self.jacobian, "inside": self.inside, "sent": self.sent,
            "derivatives": self.derivatives,
        }  # fmt: skip

    def add_seed(self, output: int, seed: Array) -> Sweep:
        """v·J from a node, by the engine's own loop over the entries that the run made.

        Raises:
            GradvizError: v does not fit the node, or a custom Function fails.
        """
        nodes = self._recording.nodes
        v = checked_seed(nodes[output], seed)
        return sweep_back(self._recording, output, dict(enumerate(self._entries)), v)

    def jacobian(self, node: object) -> dict[str, list[list[float]]]:
        """The rows of the Jacobian of a custom Function's call, by input: its backward called with each unit vector.

        Raises:
            GradvizError: the node is no such call, its Jacobian is too large, or the script's backward fails.
        """
        x, op = self._custom(node)
        assert op.joint is not None
        size = x.array.size
        if size * max(each.array.size for each in x.inputs) > MOST_ENTRIES or size > MOST_ROWS:
            raise GradvizError(f"the Jacobian of {op.name} is too large to be drawn")
        found: dict[str, list[list[float]]] = {str(slot): [] for slot, each in enumerate(x.inputs) if each.tracked}
        for number in range(size):
            v = np.zeros(x.array.shape, x.array.dtype)
            v.flat[number] = 1
            for slot, rows in found.items():
                rows.append([0.0] * x.inputs[int(slot)].array.size)
            with answering(f"the Jacobian of {op.name} is not known", runs_script=True):
                sent = op.joint(x, v[()])
            for slot, rows in found.items():
                g = sent[int(slot)]
                if g is not None:
                    rows[-1] = np.ravel(g.array if isinstance(g, Tensor) else g).tolist()
        return found

    def inside(self, asked: object) -> dict[str, Any]:
        """The lines of a custom Function's backward with their numbers, for one v: see `gradviz.run.inside`.

        Args:
            asked: {"node": id, "v": numbers, flat}.

        Raises:
            GradvizError: the node is no such call, v does not fit, or the script's backward fails.
        """
        node, v = (asked.get("node"), asked.get("v")) if isinstance(asked, dict) else (None, None)
        x, op = self._custom(node)
        call = call_of(x)
        if call is None:
            raise GradvizError("this is one of several outputs, whose backward is that of the whole")
        with answering(f"the backward of {op.name} cannot be stepped through", runs_script=True):
            incoming = np.asarray(v, dtype=x.array.dtype).reshape(x.array.shape)[()]
            return lines_inside(call, incoming, self._trace)

    def sent(self, asked: object) -> list[list[float] | None]:
        """What the backward of a custom Function sends for one v: the numbers for each input, flat, or None.

        Args:
            asked: {"node": id, "v": numbers, flat}.

        Raises:
            GradvizError: the node is no such call, v does not fit, or the script's backward fails.
        """
        node, v = (asked.get("node"), asked.get("v")) if isinstance(asked, dict) else (None, None)
        x, op = self._custom(node)
        assert op.joint is not None
        with answering(f"the backward of {op.name} failed", runs_script=True):
            found = op.joint(x, np.asarray(v, dtype=x.array.dtype).reshape(x.array.shape)[()])
            sent = [None if out is None else out.array if isinstance(out, Tensor) else out for out in found]
            return [None if out is None else np.ravel(np.asarray(out, np.float64)).tolist() for out in sent]

    def derivatives(self, asked: object) -> Any:
        """What somebody asks of one output: see `gradviz.graph.derivatives`.

        Args:
            asked: {"output": id, "what": name of the question, "given": its arguments}.

        Raises:
            GradvizError: the question or the output is none, or the derivative cannot be taken.
        """
        wish = asked if isinstance(asked, dict) else {}
        output = wish.get("output")
        if not isinstance(output, int) or not 0 <= output < len(self._entries):
            raise GradvizError("only a node of the run is asked for its derivatives")
        if self._derived is None or self._derived[0] != output:
            self._derived = output, Derivatives(self._recording, output, dict(enumerate(self._entries)))
        return self._derived[1].answer(str(wish.get("what")), wish.get("given") or {})

    def _custom(self, node: object) -> tuple[Tensor, Op]:
        x = self._entries[node] if isinstance(node, int) and 0 <= node < len(self._entries) else None
        op = None if x is None else x.op
        if x is None or op is None or op.joint is None:
            raise GradvizError("only a call of a custom Function is asked for its Jacobian")
        return x, op

    def check(self, _: object = None) -> list[dict[str, Any]]:
        """Every node's rule against central differences, those of custom Functions included."""
        calls = {i: call for i, x in enumerate(self._entries) if (call := call_of(x)) is not None}
        return [row._asdict() for row in check(self._recording, calls)]
