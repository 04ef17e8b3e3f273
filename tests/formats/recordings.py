"""Recordings of every kind for the tests of the formats, and what it means that two are equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gradviz.recording import (
    OUTPUT,
    Accumulation,
    Array,
    Broken,
    ChangedNumber,
    Cut,
    Engine,
    Framing,
    Node,
    Origin,
    Problem,
    Rank,
    Read,
    Recording,
    SavedView,
    Source,
    Step,
    Summaries,
    Summary,
    Sweep,
    Thinned,
    Warned,
)

DTYPES = (
    "float32",
    "float64",
    "float16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
    "complex64",
    "complex128",
)
SHAPES = ((), (1,), (3,), (2, 3), (0,), (0, 3), (3, 0), (2, 1, 2), (40,))
WORDS = st.text(st.characters(exclude_characters="\0"), max_size=8)
FINITE_PARAMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | WORDS.filter(lambda s: "N" not in s and "I" not in s)
)
PARAMS = st.dictionaries(
    WORDS, st.recursive(FINITE_PARAMS, lambda inner: st.lists(inner, max_size=3), max_leaves=5), max_size=3
)


def plain(value: Any) -> Any:
    """A recording, or a part of it, as names, types, shapes and bits, which compare exactly.

    NaN is as NaN, -0.0 is not as 0.0, and a field that is added is compared without a word here.
    """
    if isinstance(value, np.ndarray | np.generic):
        return _bits(value)
    kind = type(value)
    names = [each.name for each in fields(value)] if is_dataclass(value) else getattr(kind, "_fields", None)
    if names is not None:
        return kind.__name__, [(name, plain(getattr(value, name))) for name in names]
    if isinstance(value, Mapping):
        held = [(repr(key), plain(each)) for key, each in value.items()]
        # Names stand in the order of the script; what is by node may come in any.
        return held if all(type(key) is str for key in value) else sorted(held)
    if isinstance(value, list | tuple):
        return kind.__name__, [plain(each) for each in value]
    return sorted(value) if isinstance(value, frozenset) else repr(value)


def _bits(array: Array) -> Any:
    numbers = np.array(array)
    if array.dtype.kind in "fc":
        for part in (numbers.real, numbers.imag) if array.dtype.kind == "c" else (numbers,):
            part[np.isnan(part)] = np.nan  # which has many bit patterns
    return type(array).__name__, array.dtype.name, array.shape, numbers.tobytes()


@st.composite
def arrays(draw: st.DrawFn, dtype: str, shape: tuple[int, ...]) -> Array:
    """An array of that dtype and shape with any bits in it, infinities and NaN too."""
    stored = np.dtype(dtype)
    count = int(np.prod(shape, dtype=int))
    if stored.kind == "b":
        numbers = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)), dtype=stored)
    else:
        size = count * stored.itemsize
        numbers = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), dtype=stored)
    return numbers.reshape(shape)[()]  # type: ignore[no-any-return]


COUNTS = st.none() | st.integers(0, 99)
LINES = st.none() | st.integers(1, 99)
NUMBERS = st.none() | st.floats()
FILES = (Source("script", "model.py", "a = 1\n"), Source("script", "data.py", "b = 2\n"))


@st.composite
def summaries(draw: st.DrawFn, node: Node) -> Summary:
    numbers = [draw(part) for part in (NUMBERS, NUMBERS, NUMBERS, COUNTS, COUNTS)]
    sample = draw(st.lists(st.floats(), max_size=3))
    return Summary(node.shape, node.dtype, draw(st.sampled_from(("size", "unseen"))), *numbers, tuple(sample))


def cuts(count: int) -> st.SearchStrategy[Cut]:
    ids = st.integers(0, count - 1)
    return st.builds(Cut, st.lists(ids, max_size=3).map(tuple), WORDS, COUNTS, st.none() | ids)


@st.composite
def origins(draw: st.DrawFn) -> Origin | None:
    file = draw(st.none() | st.integers(0, len(FILES) - 1))
    line = None if file is None else draw(st.none() | st.integers(1, 99))
    origin = Origin(draw(WORDS), draw(WORDS), draw(WORDS), draw(st.booleans()), 0, file, line)
    return None if origin == Origin() else origin


@st.composite
def nodes(draw: st.DrawFn, count: int) -> tuple[Node, ...]:
    made: list[Node] = []
    for i in range(count):
        is_op = i > 0 and draw(st.booleans())
        inputs = draw(st.lists(st.integers(0, i - 1), max_size=3)) if is_op else []
        origin = draw(origins())
        made.append(
            Node(
                i,
                draw(st.sampled_from(("mul", "pow", "an_op_of_nobody")))
                if is_op
                else draw(st.sampled_from(("leaf", "constant"))),
                tuple(inputs),
                draw(PARAMS),
                draw(st.sampled_from(SHAPES)),
                draw(st.sampled_from(DTYPES)),
                draw(st.none() | WORDS),
                draw(st.booleans()),
                draw(st.none() | st.integers(1, 10**6)) if origin is None or origin.file is None else None,
                tuple(draw(st.lists(WORDS, max_size=2))),
                origin,
            )
        )
    if draw(st.booleans()):  # an op with two outputs, which has no value of its own
        made.append(Node(count, "unbind", (0,) if count else (), origin=Origin(outputs=2)))
        made += [Node(count + 1 + i, OUTPUT, (count,), {"index": i}, (2, i), requires_grad=True) for i in range(2)]
    return tuple(made)


@st.composite
def sweeps(draw: st.DrawFn, graph: tuple[Node, ...], before: int) -> Sweep:
    def maybe(node: Node, key: Any, into: dict[Any, Summary]) -> Array | None:
        """An array like the node, or none; where there is none, perhaps its summary."""
        kept = draw(st.sampled_from(("kept", "none", "summed up")))
        if kept == "summed up":
            into[key] = draw(summaries(node))
        return draw(arrays(node.dtype, node.shape)) if kept == "kept" else None

    def sent(node: Node, slot: int) -> Array | None:
        return maybe(node if node.op == OUTPUT else graph[node.inputs[slot]], (node.id, slot), kept.outgoing)

    kept = Summaries({}, {}, {}, {}, {})
    ids = st.lists(st.integers(0, len(graph) - 1), max_size=4, unique=True)
    one = st.integers(0, len(graph) - 1).map(lambda id: [id])
    outputs, reached, leaves = draw(one | ids), draw(ids), draw(ids)
    seeds = [maybe(graph[i], at, kept.seeds) for at, i in enumerate(outputs)]
    for at, seed in enumerate(seeds):
        if seed is None and at not in kept.seeds:
            kept.seeds[at] = draw(summaries(graph[outputs[at]]))
    return Sweep(
        tuple(outputs),
        tuple(seeds),
        tuple(
            Step(
                i,
                maybe(graph[i], i, kept.incoming),
                tuple(sent(graph[i], slot) for slot in range(len(graph[i].inputs))),
            )
            for i in reached
        ),
        tuple(Accumulation(i, maybe(graph[i], i, kept.before), maybe(graph[i], i, kept.after)) for i in leaves),
        draw(st.none() | st.integers(1, 99)),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.integers(0, 3)),
        draw(st.none() | st.integers(0, len(graph) - 1)),
        draw(st.sampled_from(("backward", "grad"))),
        draw(st.none() | st.builds(Broken, WORDS, st.none() | st.integers(0, len(graph) - 1))),
        draw(st.none() | st.floats(0, 9)),
        draw(st.integers(0, before - 1)) if before else None,
        draw(st.none() | st.integers(0, len(FILES) - 1)),
        frozenset(reached[:1]) if draw(st.booleans()) else frozenset(),
        kept,
        draw(COUNTS),
        {i: draw(st.integers(0, 99)) for i in reached if draw(st.booleans())},
        read={
            (i, source): Read(draw(st.none() | arrays(graph[source].dtype, graph[source].shape)), draw(LINES))
            for i in reached[:2]
            for source in (i, *graph[i].inputs)
            if draw(st.booleans())
        },
    )


@st.composite
def views(draw: st.DrawFn, graph: tuple[Node, ...], passes: tuple[Sweep, ...]) -> SavedView:
    """Any view of a recording, with so many passes by hand as there can be at its end."""
    of_one = [len(sweep.seeds) == 1 and sweep.seeds[0] is not None for sweep in reversed(passes)]
    most = of_one.index(False) if False in of_one else len(of_one)
    keys = st.lists(WORDS, max_size=3).map(tuple)
    sides = st.floats(allow_nan=False, allow_infinity=False)
    ids = st.integers(0, len(graph) - 1)
    framings = st.none() | st.builds(Framing, sides.map(abs).filter(bool), ids, sides, sides) if graph else st.none()
    return SavedView(
        draw(st.integers(0, len(passes) - 1)) if passes and draw(st.booleans()) else None,
        draw(COUNTS),
        draw(st.integers(0, most)),
        tuple(draw(st.lists(st.tuples(WORDS, st.booleans()), max_size=2))),
        draw(st.none() | st.lists(keys, max_size=3).map(tuple)),
        draw(st.none() | keys),
        draw(st.none() | st.booleans()),
        draw(framings),
        draw(st.none() | WORDS),
        tuple(draw(st.lists(st.builds(ChangedNumber, ids, st.integers(0, 99), COUNTS, COUNTS, sides), max_size=2)))
        if graph
        else (),
    )


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    """Any recording that keeps the rules."""
    graph = draw(nodes(draw(st.integers(0, 5))))
    values = tuple(
        draw(arrays(n.dtype, n.shape)) if not (n.origin and n.origin.outputs) and draw(st.booleans()) else None
        for n in graph
    )
    passes = tuple(draw(sweeps(graph, at)) for at in range(draw(st.integers(0, 2)) if graph else 0))
    names = [n.name for n in graph if n.name is not None] + draw(st.lists(WORDS, max_size=2))
    final = {
        name: draw(st.none() | arrays(draw(st.sampled_from(DTYPES)), draw(st.sampled_from(SHAPES)))) for name in names
    }
    missing = [
        n for n, value in zip(graph, values, strict=True) if value is None and not (n.origin and n.origin.outputs)
    ]
    nowhere = [name for name, gradient in final.items() if gradient is None]
    like = Node(0, "leaf")
    failed = st.none() | st.integers(0, len(graph) - 1) if graph else st.none()
    return Recording(
        *(graph, values, passes, final, draw(WORDS)),
        draw(st.none() | st.builds(Source, st.sampled_from(("script", "notebook")), WORDS, WORDS)),
        draw(st.none() | st.builds(Problem, WORDS, WORDS, COUNTS, COUNTS, failed, WORDS, st.booleans())),
        tuple(draw(st.lists(st.builds(Warned, WORDS, WORDS, COUNTS, st.integers(0, 9)), max_size=2))),
        draw(
            st.none()
            | st.builds(
                Thinned,
                st.integers(0, 9),
                st.integers(1, 9),
                st.booleans(),
                st.booleans(),
                st.booleans(),
                st.booleans(),
                st.sampled_from(("", "keep", "memory", "nodes")),
                st.integers(0, 9),
                COUNTS,
            )
        ),
        draw(st.none() | st.builds(Engine, WORDS, WORDS, WORDS, st.tuples(WORDS))),
        FILES,
        {n.id: draw(summaries(n)) for n in missing if draw(st.booleans())},
        {name: draw(summaries(like)) for name in nowhere if draw(st.booleans())},
        draw(st.none() | st.builds(Rank, st.integers(0, 3), st.integers(1, 4), COUNTS)),
        tuple(draw(st.lists(WORDS, max_size=2))),
        tuple(draw(st.lists(cuts(len(graph)), max_size=2))) if graph else (),
        draw(st.none() | views(graph, passes)),
    )
