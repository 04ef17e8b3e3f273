"""A script that computes the gradients of one backward call again, with numpy and nothing else.

It is written from the recording: the leaves as numbers, each op as a line of numpy, each step as the line that sends
its gradient on, in the order in which the steps ran.

Each line is tried on the recorded numbers before it is written. Where it does not give what was recorded, since a hook,
a custom Function or a change behind autograd's back had a hand in it, the recorded numbers stand there, and a comment
says so: what the script prints is what the run found.
"""

from __future__ import annotations

import base64
import keyword
import math
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gradviz import __version__
from gradviz.errors import GradvizError
from gradviz.ops.numpy_text import Script, Unwritten
from gradviz.ops.params import thaw
from gradviz.ops.symbols import VOCABULARY
from gradviz.ops.table import TABLE
from gradviz.playback.track import Track
from gradviz.playback.words import label, op_word
from gradviz.recording import OUTPUT, Array, Node, Recording, Step, Sweep

MOST_WRITTEN = 1_000
"""Numbers of an array that are written as numbers; those of a larger one are packed."""
MOST_TRIED = 100_000_000
"""Numbers of an array with which an op is still run to be written and tried."""
_LINE_LENGTH = 110
_DTYPES = frozenset("bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split())
_TAKEN = frozenset("np math base64 gradients name gradient print".split()) | VOCABULARY.keys()
_CLOSE = {"float64": 1e-9, "complex128": 1e-9, "float32": 1e-4, "complex64": 1e-4}
"""Of the largest number: what rounding, and another order of adding up, may make of it; 0.01 in other precisions."""
_HOOKED = "what came in here was changed on its way, say by a hook: this is what was recorded"
_BEHIND = (
    "other numbers than the values above give, since one was changed behind autograd's back or a hook came between"
)
_OWN = "by the backward of {}, which only the run had"
_OWN_VALUE = "by the forward of {}, which only the run had"
_EMPTY_RESULTS = 4
"""Lines of what is printed where there is nothing to print."""
SILENCE = 'np.seterr(all="ignore")  # what is divided by 0 is inf or nan, without a word, as in PyTorch'
_WORD = re.compile(r"\W+")


class Line(NamedTuple):
    """One op with its place in the script. Nodes are called x and their number, gradients d_x, until they have names.

    Attributes:
        value: what it computes.
        sent: what it sends to each input; "" for one that takes none.
    """

    value: str
    sent: tuple[str, ...]


def numpy_script(track: Track, notes: Sequence[str] = ()) -> str:
    """The script for the backward call of a track; notes stand at its beginning.

    Raises:
        GradvizError: there is no backward call, or it has ops that are not written out, or numbers that were not kept.
    """
    call, recording = track.call, track.recording
    if call is None or track.sweep is None:
        raise GradvizError("there are no gradients to replay: the script calls no backward()")
    stepped = {step.node for step in call.steps}
    needed = _needed(recording, call)
    names = _names(recording, needed)
    own = {node for node in needed if _is_own(recording, recording.nodes[node])}
    script = Script()
    lines = {
        node: _line(recording, recording.nodes[node], script)
        for node in needed
        if node not in own and _is_computed(recording, node, stepped)
    }
    unknown = sorted({op_word(recording.nodes[node]) for node, line in lines.items() if line is None})
    if unknown:
        raise GradvizError(
            f"a script for numpy cannot be written: it does not write out {_listed(unknown)}",
            hint="Export .gradviz instead, which holds every gradient.",
        )
    known = {node: line for node, line in lines.items() if line is not None}
    trial = _Trial(recording, call, needed, known, own, script)
    forward = [line for node in needed if node not in trial.heads for line in _forward(recording, node, names, trial)]
    backward = list(_backward(recording, call, names, trial))
    results = list(_results(recording, call, names))
    if len(results) == _EMPTY_RESULTS:
        raise GradvizError("there are no gradients to replay: this backward call ended before it reached a leaf")
    forward_title, backward_title = "# ---- forward ----", "# ---- backward: d_x is dL/dx ----"
    body = "\n".join([SILENCE, "", forward_title, *forward, "", backward_title, *backward, "", *results])
    return "\n".join([*_head(track, call, body, notes, script), body, ""])


def _head(track: Track, call: Sweep, body: str, notes: Sequence[str], script: Script) -> Iterator[str]:
    recording = track.recording
    source = "a recording" if recording.source is None else recording.source.name
    number = recording.number(track.sweep or 0)
    where = "" if call.main_line is None else f", line {call.main_line}"
    text = f"The gradients of backward call {number} of {_in_words(source)}{where}, computed again with numpy."
    text = "\n\n".join((text, *map(_in_words, notes)))
    yield f'"""{text}\n\nWritten by gradviz {__version__}.\n"""\n'
    modules = [name for name in ("base64", "math") if f"{name}." in body + "".join(script.definitions.values())]
    yield from (f"import {name}" for name in modules)
    yield "\n" * bool(modules) + "import numpy as np\n"
    yield from (f"\n{text}" for text in script.definitions.values())
    yield ""


# ---- which nodes, and what they are called ----


def _needed(recording: Recording, call: Sweep) -> list[int]:
    """The nodes that the steps visit, and those that their lines read, in the order in which they were computed."""
    found = set(call.outputs)
    for step in call.steps:
        found.update((step.node, *recording.nodes[step.node].inputs))
    return sorted(found)


def _is_computed(recording: Recording, node: int, stepped: set[int]) -> bool:
    """Whether it is computed by the script. What no gradient flows through is written as numbers."""
    return node in stepped and not recording.nodes[node].is_leaf


def _is_own(recording: Recording, node: Node) -> bool:
    """Whether a custom Function made it, or it is one of the outputs of one."""
    made = recording.nodes[node.inputs[0]] if node.op == OUTPUT and node.inputs else node
    return made.op[:1].isupper()


def _names(recording: Recording, nodes: list[int]) -> dict[int, str]:
    """A name for each node that no other has: its own where that is one of Python's, else one after its op."""
    found: dict[int, str] = {}
    used = set(_TAKEN)
    for node in nodes:
        own = _identifier(recording.nodes[node].name or "")
        name = own or f"{_identifier(op_word(recording.nodes[node])) or 'node'}{node}"
        while name in used or f"d_{name}" in used:
            name = f"{name}_{node}"
        used |= {name, f"d_{name}"}
        found[node] = name
    return found


def _identifier(text: str) -> str:
    name = _WORD.sub("_", text).strip("_")
    return name if name.isidentifier() and name.isascii() and not keyword.iskeyword(name) else ""


# ---- forward ----


def _line(recording: Recording, node: Node, script: Script) -> Line | None:
    """How a node is written, or None where it is not."""
    try:
        params = thaw(node.params)
    except (ArithmeticError, TypeError, ValueError):
        return None  # of a file from elsewhere
    row = TABLE.find(node.op.rstrip("_"), len(node.inputs), params)
    dtypes = {node.dtype, *(recording.nodes[source].dtype for source in node.inputs)}
    if row is None or not dtypes <= _DTYPES:
        return None
    if any(prod(recording.nodes[each].shape) > MOST_TRIED for each in (node.id, *node.inputs)):
        return None
    inputs = [(f"x{source}", _stand_in(recording, source)) for source in node.inputs]
    g = (f"d_x{node.id}", np.broadcast_to(np.ones((), node.dtype), node.shape))
    y = (f"x{node.id}", _stand_in(recording, node.id))
    try:
        value = script.value(row, [name for name, _ in inputs], [array for _, array in inputs], params)
        sent = [
            script.gradient(row, slot, g, y, inputs, params) if recording.nodes[source].requires_grad else ""
            for slot, source in enumerate(node.inputs)
        ]
    except Unwritten:
        return None
    kinds = [recording.nodes[source].dtype for source in node.inputs]
    dtyped = [
        text if not text or kind == node.dtype else _as_dtype(text, kind)
        for text, kind in zip(sent, kinds, strict=True)
    ]
    return Line(value if {*kinds} <= {node.dtype} else _as_dtype(value, node.dtype), tuple(dtyped))


_NUMBERED = re.compile(r"\b(d_)?x(\d+)\b")


def _named(text: str, names: Mapping[int, str]) -> str:
    """A line with what the script calls its nodes."""
    return _NUMBERED.sub(lambda found: f"{found[1] or ''}{names[int(found[2])]}", text)


def _stand_in(recording: Recording, node: int) -> Any:
    """The value of a node, or zeros of its shape where that was not kept: a line depends on shapes alone."""
    value = recording.values[node]
    here = recording.nodes[node]
    return np.broadcast_to(np.zeros((), here.dtype), here.shape) if value is None else np.asarray(value)


def _forward(recording: Recording, node: int, names: Mapping[int, str], trial: _Trial) -> Iterator[str]:
    here = recording.nodes[node]
    line = trial.lines.get(node)
    if line is None or not trial.gives_value(here):
        if line is not None:
            yield f"# {_BEHIND}"
        elif node in trial.own:
            yield f"# {_OWN_VALUE.format(_in_words(_maker(recording, here)))}"
        text = _array(_kept(recording.values[node], f"the value of {label(recording, node)}"))
    else:
        text = _named(line.value, names)
    yield _commented(f"{names[node]} = {text}", here.line)


def _maker(recording: Recording, node: Node) -> str:
    """The name of the custom Function that made a node."""
    return op_word(recording.nodes[node.inputs[0]] if node.op == OUTPUT else node)


def _commented(text: str, line: int | None) -> str:
    return text if line is None or "\n" in text else f"{text}  # line {line}"


def _as_dtype(text: str, dtype: str) -> str:
    return f"np.asarray({text}).astype(np.{_numpy_name(dtype)})"


# ---- backward ----


def _backward(recording: Recording, call: Sweep, names: Mapping[int, str], trial: _Trial) -> Iterator[str]:
    begun: set[int] = set()
    for output, seed in zip(call.outputs, call.seeds, strict=True):
        yield _added(names[output], _array(_kept(seed, f"v at {label(recording, output)}")), output in begun)
        begun.add(output)
    for step in call.steps:
        node = recording.nodes[step.node]
        if trial.is_hooked(step):
            yield f"# {_HOOKED}"
            what = f"what came in at {label(recording, step.node)}"
            yield f"d_{names[step.node]} = {_array(_kept(step.incoming, what))}"
        line = trial.lines.get(step.node)
        for slot, source in enumerate(node.inputs):
            if call.outgoing(step, slot) is None or source in trial.heads:
                continue
            if line is not None and trial.gives(step, slot):
                text = _named(line.sent[slot], names)
            else:
                maker = _in_words(_maker(recording, node))
                yield f"# {_OWN.format(maker) if step.node in trial.own else _BEHIND}"
                text = _array(_kept(step.outgoing[slot], f"what {label(recording, step.node)} sent"))
            yield _commented(_added(names[source], text, source in begun), node.line)
            begun.add(source)


def _added(name: str, text: str, has_begun: bool) -> str:
    return f"d_{name} = d_{name} + ({text})" if has_begun else f"d_{name} = {text}"


def _results(recording: Recording, call: Sweep, names: Mapping[int, str]) -> Iterator[str]:
    """What is printed: each `.grad` that the call has changed; of `autograd.grad` the gradients where it ended."""
    yield "gradients = {"
    if call.accumulated:
        for entry in call.accumulated:
            what = label(recording, entry.node)
            if entry.node not in call.step_of:
                raise GradvizError(
                    f"a script for numpy cannot be written: no step comes to {what}, whose .grad changed"
                )
            text = f"d_{names[entry.node]}"
            came = call.steps[call.step_of[entry.node]].incoming
            if entry.node in call.summaries.before:
                raise GradvizError(f"a script for numpy cannot be written: {what}.grad before the call was not kept")
            if entry.before is not None:
                text = f"{_array(entry.before)} + {text}"
                came = None if came is None else np.add(came, entry.before)
            if came is not None and entry.after is not None and not _is_close(came, entry.after):
                yield "    # changed after the step, say by a hook: this is what was recorded"
                text = _array(entry.after)
            yield f"    {_quoted(f'{what}.grad')}: {text},"
    else:
        for step in call.steps:
            if all(call.outgoing(step, slot) is None for slot in range(len(step.outgoing))):
                yield f"    {_quoted(f'dL/d{label(recording, step.node)}')}: d_{names[step.node]},"
    yield "}"
    yield "for name, gradient in gradients.items():"
    yield '    print(f"{name} = {gradient}")'


# ---- whether the script finds what was recorded ----


class _Trial:
    """The lines of a script, tried one by one on the numbers of the recording.

    What is evaluated is made of the templates of this package and of numbers: no name or text of the recording is in
    it, for every node is called by its number here.

    Attributes:
        lines: of the nodes that are written out.
        own: the nodes that custom Functions made.
        heads: those of them that stand for several outputs, and have no value and no gradient of their own.
    """

    def __init__(
        self, recording: Recording, call: Sweep, needed: Sequence[int], lines: Mapping[int, Line], own: set[int],
        script: Script,
    ) -> None:  # fmt: skip
        self.recording, self.call, self.lines, self.own = recording, call, lines, own
        parts = [recording.nodes[node] for node in own]
        self.heads = {part.inputs[0] for part in parts if part.op == OUTPUT}
        self._names = {node: f"x{node}" for node in needed}
        self._sums = _sums(recording, call)
        self._space: dict[str, Any] = {"np": np, "math": math, "base64": base64}
        for text in script.definitions.values():
            exec(text, self._space)  # noqa: S102 # a function of this package

    def gives_value(self, node: Node) -> bool:
        """Whether the line of a node gives its value; True where that was not kept."""
        y = self.recording.values[node.id]
        line = self.lines.get(node.id)
        if y is None or line is None:
            return True
        found = self._found(line.value, node, None)
        return found is None or _is_close(found, y)

    def gives(self, step: Step, slot: int) -> bool:
        """Whether the line for what a step sends to an input gives what it sent; True where that was not kept."""
        node, sent = self.recording.nodes[step.node], step.outgoing[slot]
        line = self.lines.get(node.id)
        if sent is None or line is None:
            return True
        found = self._found(line.sent[slot], node, step.incoming)
        return found is None or _is_close(found, sent)

    def _found(self, text: str, node: Node, g: Array | None) -> Any:
        """What a line gives for the numbers of the recording; None where one that it reads was not kept."""
        arrays = {self._names[id]: self.recording.values[id] for id in (node.id, *node.inputs)}
        arrays[f"d_{self._names[node.id]}"] = g
        known = {name: np.asarray(array) for name, array in arrays.items() if array is not None}
        try:
            with np.errstate(all="ignore"):
                return np.asarray(eval(text, self._space, known))  # noqa: S307 # see above
        except NameError:
            return None
        except Exception:  # a recording from elsewhere may give an op what it does not take
            return np.empty(0)

    def is_hooked(self, step: Step) -> bool:
        """Whether what came in at a step is not the sum of what was sent there."""
        if step.incoming is None or step.node not in self._sums:
            return step.node in self.call.hooked
        return step.node in self.call.hooked or not _is_close(self._sums[step.node], step.incoming)


def _sums(recording: Recording, call: Sweep) -> dict[int, Any]:
    """What was sent to each node, added up; without those of which a part was not kept."""
    found: dict[int, Any] = {}
    unknown = {output for output, seed in zip(call.outputs, call.seeds, strict=True) if seed is None}
    for output, seed in zip(call.outputs, call.seeds, strict=True):
        if seed is not None:
            found[output] = found[output] + seed if output in found else seed
    for step in call.steps:
        node = recording.nodes[step.node]
        for slot, source in enumerate(() if node.op == OUTPUT else node.inputs):  # outputs have shapes of their own
            g = step.outgoing[slot] if slot < len(step.outgoing) else None
            if g is None:
                unknown |= {source} if call.outgoing(step, slot) is not None else set()
            else:
                found[source] = found[source] + g if source in found else g
    return {node: total for node, total in found.items() if node not in unknown}


def _is_close(found: Any, recorded: Array) -> bool:
    if found.shape != recorded.shape:
        return False
    flat = np.ravel(recorded)
    if flat.dtype.kind not in "fc":
        return bool(np.array_equal(found, recorded))
    size = float(np.max(np.abs(flat[np.isfinite(flat)]), initial=0.0))
    close = _CLOSE.get(recorded.dtype.name, 1e-2)
    return bool(np.allclose(found, recorded, rtol=close, atol=close * size, equal_nan=True))


# ---- numbers and words ----


def _kept(array: Array | None, what: str) -> Array:
    if array is None:
        raise GradvizError(f"a script for numpy cannot be written: {what} was not kept")
    return array


def _array(array: Array, *, dtype: bool = True) -> str:
    """An array as an expression of numpy that gives exactly the same numbers."""
    kind = f", dtype=np.{_numpy_name(str(array.dtype))}" if dtype else ""
    if array.size > MOST_WRITTEN:
        packed = b64encode(np.ascontiguousarray(array).tobytes()).decode()
        given = f'base64.b64decode("{packed}"), dtype=np.{_numpy_name(str(array.dtype))}'
        return f"np.frombuffer({given}).reshape({array.shape})"
    if not array.size:
        return f"np.zeros({array.shape}{kind or ', dtype=int'})"
    return f"np.array({_nested(np.asarray(array), 0)}{kind})"


def _nested(array: Any, depth: int) -> str:
    """As deep as the array has axes: at most 64."""
    if array.ndim == 0:
        return _number(array[()])
    parts = [_nested(np.asarray(part), depth + 1) for part in array]
    joined = ", ".join(parts)
    if array.ndim > 1 and len(joined) > _LINE_LENGTH:
        joined = (",\n" + " " * (depth + 10)).join(parts)
    return f"[{joined}]"


def _number(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, complex | np.complexfloating):
        return f"complex({_number(value.real)}, {_number(value.imag)})"
    text = str(value)
    words = {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}
    return words.get(text, f"({text})" if text[0] == "-" else text)


def _numpy_name(dtype: str) -> str:
    return "bool_" if dtype == "bool" else dtype


def _quoted(text: str) -> str:
    return ascii(text) if '"' in text or "\\" in text or not text.isprintable() else f'"{text}"'


def _in_words(text: str) -> str:
    """A name from elsewhere, harmless inside a docstring."""
    return ascii(text)[1:-1].replace('"', "'").replace("\\", "/")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
