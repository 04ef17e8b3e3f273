"""A script that computes the gradients of one backward call again, with numpy and nothing else.

It is written from the recording: the leaves as numbers, each op as a line of numpy, each step as the line that sends
its gradient on, in the order in which the steps ran.
"""

from __future__ import annotations

import keyword
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gradviz import __version__
from gradviz.errors import GradvizError
from gradviz.playback.rules import engine_rules, rule_of
from gradviz.playback.track import Track
from gradviz.playback.words import label, op_word
from gradviz.recording import Array, Node, Recording, Sweep
from gradviz.texts.numpy_ops import FUNCTIONS, Row, row_of

MOST_WRITTEN = 1_000
"""Numbers of an array that are written as numbers; those of a larger one are packed."""
_LINE_LENGTH = 110
_DTYPES = frozenset("bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split())
_TAKEN = frozenset("np math base64 gradients name gradient print".split()) | FUNCTIONS.keys()
_CLOSE = 1e-3
"""Of the largest number: what single precision, and another order of adding up, may make of it."""
_EMPTY_RESULTS = 4
"""Lines of what is printed where there is nothing to print."""
SILENCE = 'np.seterr(all="ignore")  # what is divided by 0 is inf or nan, without a word, as in PyTorch'
_WORD = re.compile(r"\W+")


class Unwritten(Exception):
    """A parameter that no line of numpy can hold."""


class Line(NamedTuple):
    """One op with its place in the script.

    Attributes:
        row: how it is written.
        fields: what stands for the names in the templates, but for the gradients.
    """

    row: Row
    fields: dict[str, str]


def numpy_script(track: Track, notes: Sequence[str] = ()) -> str:
    """The script for the backward call of a track; notes stand at its beginning.

    Raises:
        GradvizError: there is no backward call, or it has ops that are not written out, gradients changed by hooks, or
            numbers that were not kept.
    """
    call, recording = track.call, track.recording
    if call is None or track.sweep is None:
        raise GradvizError("there are no gradients to replay: the script calls no backward()")
    if call.hooked:
        named = _listed(label(recording, node) for node in sorted(call.hooked))
        raise GradvizError(f"a script for numpy cannot replay what hooks did to the gradient of {named}")
    stepped = {step.node for step in call.steps}
    needed = _needed(recording, call)
    names = _names(recording, needed)
    lines = {
        node: _line(recording, recording.nodes[node], names)
        for node in needed
        if _is_computed(recording, node, stepped)
    }
    unknown = sorted({op_word(recording.nodes[node]) for node, line in lines.items() if line is None})
    if unknown:
        raise GradvizError(
            f"a script for numpy cannot be written: it does not write out {_listed(unknown)}",
            hint="Export .json instead, which holds every gradient.",
        )
    known = {node: line for node, line in lines.items() if line is not None}
    _check_steps(recording, call, known)
    forward = [_forward(recording, node, names, known) for node in needed]
    backward = list(_backward(recording, call, names, known))
    results = list(_results(recording, call, names))
    if len(results) == _EMPTY_RESULTS:
        raise GradvizError("there are no gradients to replay: this backward call ended before it reached a leaf")
    forward_title, backward_title = "# ---- forward ----", "# ---- backward: d_x is dL/dx ----"
    body = "\n".join([SILENCE, "", forward_title, *forward, "", backward_title, *backward, "", *results])
    return "\n".join([*_head(track, call, body, notes), body, ""])


def _head(track: Track, call: Sweep, body: str, notes: Sequence[str]) -> Iterator[str]:
    recording = track.recording
    source = "a recording" if recording.source is None else recording.source.name
    number = recording.number(track.sweep or 0)
    where = "" if call.main_line is None else f", line {call.main_line}"
    text = f"The gradients of backward call {number} of {_in_words(source)}{where}, computed again with numpy."
    text = "\n\n".join((text, *map(_in_words, notes)))
    yield f'"""{text}\n\nWritten by gradviz {__version__}.\n"""\n'
    called = [name for name in FUNCTIONS if re.search(rf"\b{name}\(", body)]
    modules = [name for name in ("base64", "math") if f"{name}." in body + "".join(FUNCTIONS[name] for name in called)]
    yield from (f"import {name}" for name in modules)
    yield "\n" * bool(modules) + "import numpy as np\n"
    yield from (f"\n{FUNCTIONS[name]}" for name in called)
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


def _line(recording: Recording, node: Node, names: Mapping[int, str]) -> Line | None:
    """How a node is written, or None where it is not."""
    row = row_of(node.op, len(node.inputs), node.params)
    dtypes = {node.dtype, *(recording.nodes[source].dtype for source in node.inputs)}
    if row is None or not dtypes <= _DTYPES:
        return None
    shapes = [recording.nodes[source].shape for source in node.inputs]
    fields = dict(zip("abc", (names[source] for source in node.inputs), strict=False))
    fields |= {"y": names[node.id], "all": ", ".join(names[source] for source in node.inputs), "shape": str(node.shape)}
    axes = len(node.shape if node.op == "stack" else shapes[0])
    try:
        fields |= {name: _parameter(name, value, axes) for name, value in node.params.items() if name in row.fields}
        if "at" in row.fields and not row.is_variadic:
            fields["at"] = _place(node)
    except Unwritten:
        return None
    if node.op == "matmul" and min(map(len, shapes)) < 2:
        return None  # a vector is a row or a column, as it fits
    if "rows" in row.fields:
        if len(shapes[0]) != 2:
            return None
        fields["rows"] = f"np.arange({shapes[0][0]}), {fields['b']}"
    if "count" in row.fields:
        fields["count"] = str(prod(shapes[0]) // max(prod(node.shape), 1))
    if "lower" in row.fields:
        fields["lower"] = _number(node.params["exponent"] - 1)
    if not shapes[0] and "dim" in fields and node.op != "stack":
        return None  # PyTorch takes dim 0 of a single number, numpy does not
    return Line(row, fields)


def _parameter(name: str, value: Any, axes: int) -> str:
    if name.startswith("dim"):
        return str(_axes(value, axes))
    if isinstance(value, bool | int | float):
        return _number(value)
    raise Unwritten


def _axes(value: Any, count: int) -> int | tuple[int, ...]:
    if isinstance(value, int):
        return value % max(count, 1)
    if value is None:
        return tuple(range(count))
    if isinstance(value, list | tuple) and all(isinstance(axis, int) for axis in value):
        return tuple(axis % max(count, 1) for axis in value)
    raise Unwritten


def _place(node: Node) -> str:
    """What is taken of the input, as it stands between the brackets of an index."""
    params = node.params
    if node.op == "index":
        entries = params.get("index")
        if not isinstance(entries, list | tuple):
            raise Unwritten
        return ", ".join(_index(entry) for entry in entries)
    wanted = ("dim", "start", "end", "step") if node.op == "slice" else ("dim", "index")
    if not all(isinstance(params.get(name), int) for name in wanted):
        raise Unwritten  # of an op with several outputs, say, whose outputs have the index
    before = ":, " * int(params["dim"])
    return before + ("{start}:{end}:{step}".format(**params) if node.op == "slice" else str(params["index"]))


def _index(entry: Any) -> str:
    if isinstance(entry, int):
        return str(entry)
    if isinstance(entry, list | np.ndarray) and (array := np.asarray(entry)).dtype.kind in "bi":
        return _array(array, dtype=False)
    raise Unwritten


def _forward(recording: Recording, node: int, names: Mapping[int, str], lines: Mapping[int, Line]) -> str:
    here = recording.nodes[node]
    line = lines.get(node)
    if line is None:
        text = _array(_kept(recording.values[node], f"the value of {label(recording, node)}"))
    else:
        text = _as_dtype(line.row.forward.format(**line.fields), recording, node, here.dtype)
    return _commented(f"{names[node]} = {text}", here.line)


def _commented(text: str, line: int | None) -> str:
    return text if line is None or "\n" in text else f"{text}  # line {line}"


def _as_dtype(text: str, recording: Recording, node: int, dtype: str) -> str:
    """The text with a conversion where numpy would not find the dtype by itself."""
    others = {recording.nodes[source].dtype for source in recording.nodes[node].inputs}
    return text if others <= {dtype} else f"np.asarray({text}).astype(np.{_numpy_name(dtype)})"


# ---- backward ----


def _backward(recording: Recording, call: Sweep, names: Mapping[int, str], lines: Mapping[int, Line]) -> Iterator[str]:
    begun: set[int] = set()
    for output, seed in zip(call.outputs, call.seeds, strict=True):
        yield _added(names[output], _array(_kept(seed, f"v at {label(recording, output)}")), output in begun)
        begun.add(output)
    for step in call.steps:
        line = lines.get(step.node)
        if line is None:
            continue
        for slot, source in enumerate(recording.nodes[step.node].inputs):
            if call.outgoing(step, slot) is not None:
                text = _sent(recording, recording.nodes[step.node], slot, names, line)
                yield _commented(_added(names[source], text, source in begun), recording.nodes[step.node].line)
                begun.add(source)


def _added(name: str, text: str, has_begun: bool) -> str:
    return f"d_{name} = d_{name} + ({text})" if has_begun else f"d_{name} = {text}"


def _sent(recording: Recording, node: Node, slot: int, names: Mapping[int, str], line: Line) -> str:
    """The gradient that a node sends to one of its inputs."""
    source = recording.nodes[node.inputs[slot]]
    fields = line.fields | {"g": f"d_{names[node.id]}", "like": str(source.shape), "slot": str(slot)}
    if line.row.is_variadic:
        fields["at"] = _part(recording, node, slot)
    template = line.row.backward[0 if line.row.is_variadic else slot]
    if not template:
        raise GradvizError(f"a script for numpy has no rule for input {slot + 1} of {op_word(node)}")
    text = template.format(**fields)
    if line.row.is_elementwise and source.shape != node.shape:
        text = f"unbroadcast({text}, {source.shape})"
    return text if source.dtype == node.dtype else f"np.asarray({text}).astype(np.{_numpy_name(source.dtype)})"


def _part(recording: Recording, node: Node, slot: int) -> str:
    """What of the result of cat came from one input."""
    if node.op != "cat":
        return ""
    shapes = [recording.nodes[source].shape for source in node.inputs]
    dim = int(node.params["dim"]) % len(node.shape)
    start = sum(shape[dim] for shape in shapes[:slot])
    return ":, " * dim + f"{start}:{start + shapes[slot][dim]}"


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
            if entry.before is not None:
                text = f"{_array(entry.before)} + {text}"
            elif entry.node in call.summaries.before:
                raise GradvizError(f"a script for numpy cannot be written: {what}.grad before the call was not kept")
            yield f"    {_quoted(f'{what}.grad')}: {text},"
    else:
        for step in call.steps:
            if all(call.outgoing(step, slot) is None for slot in range(len(step.outgoing))):
                yield f"    {_quoted(f'dL/d{label(recording, step.node)}')}: d_{names[step.node]},"
    yield "}"
    yield "for name, gradient in gradients.items():"
    yield '    print(f"{name} = {gradient}")'


# ---- whether the script finds what was recorded ----


def _check_steps(recording: Recording, call: Sweep, lines: Mapping[int, Line]) -> None:
    """Compare what the steps have sent with what the rules give for the values of the recording.

    Raises:
        GradvizError: they differ: the run computed them with values that are not recorded.
    """
    rules = engine_rules()
    for step in call.steps:
        node = recording.nodes[step.node]
        op = rule_of(node, rules)
        given = [recording.values[id] for id in node.inputs]
        y, g = recording.values[step.node], step.incoming
        if op is None or step.node not in lines or any(array is None for array in (y, g, *given)):
            continue
        if any(isinstance(value, list) for value in node.params.values()):
            continue  # as a file has them: an array, or a tuple
        for slot, gradient in enumerate(step.outgoing):
            rule = op.rule_of(slot)
            if rule is not None and gradient is not None and not _gives(rule, (g, y, *given), node.params, gradient):
                raise GradvizError(
                    f"a script for numpy would find other numbers at {label(recording, step.node)}: "
                    "the run computed them with values that are not in the recording",
                    hint="A tensor was changed behind autograd's back, say through .data.",
                )


def _gives(rule: Callable[..., Any], given: Sequence[Any], params: Mapping[str, Any], gradient: Array) -> bool:
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(rule(*(np.asarray(array)[()] for array in given), **params))
    except Exception:  # a recording from elsewhere may give an op what it does not take
        return True
    if found.shape != gradient.shape:
        return True  # it is summed over the axes that were broadcast: not looked at here
    flat = np.ravel(gradient)
    size = np.max(np.abs(flat[np.isfinite(flat)]), initial=0.0)
    return bool(np.allclose(found, gradient, rtol=_CLOSE, atol=_CLOSE * float(size), equal_nan=True))


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
