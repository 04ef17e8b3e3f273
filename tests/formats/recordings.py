"""Recordings of every kind for the tests of the formats, and what it means that two are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from gradviz.recording import Accumulation, Array, Node, Recording, Source, Step, Sweep

DTYPES = ("float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8", "bool")
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


def plain(recording: Recording) -> Any:
    """The recording as tuples of types, shapes and bytes, which compare exactly: NaN to NaN, -0.0 not to 0.0."""
    return (
        [tuple(node) for node in recording.nodes],
        [_bits(value) for value in recording.values],
        [_plain_sweep(sweep) for sweep in recording.sweeps],
        [(name, _bits(value)) for name, value in recording.gradients.items()],
        recording.output,
        recording.source,
    )


def _plain_sweep(sweep: Sweep) -> Any:
    return (
        *(sweep.outputs, sweep.line, sweep.retain_graph, sweep.create_graph),
        [_bits(seed) for seed in sweep.seeds],
        [(step.node, _bits(step.incoming), [_bits(g) for g in step.outgoing]) for step in sweep.steps],
        [(entry.node, _bits(entry.before), _bits(entry.after)) for entry in sweep.accumulated],
    )


def _bits(array: Array | None) -> Any:
    if array is None:
        return None
    numbers = np.array(array)
    if array.dtype.kind == "f":
        numbers[np.isnan(numbers)] = np.nan  # which has many bit patterns
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


@st.composite
def nodes(draw: st.DrawFn, count: int) -> tuple[Node, ...]:
    made: list[Node] = []
    for i in range(count):
        is_op = i > 0 and draw(st.booleans())
        inputs = draw(st.lists(st.integers(0, i - 1), max_size=3)) if is_op else []
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
                draw(st.none() | st.integers(1, 10**6)),
                tuple(draw(st.lists(WORDS, max_size=2))),
            )
        )
    return tuple(made)


@st.composite
def sweeps(draw: st.DrawFn, graph: tuple[Node, ...]) -> Sweep:
    def like(node: Node) -> Array:
        return draw(arrays(node.dtype, node.shape))

    def some(node: Node) -> Array | None:
        return like(node) if draw(st.booleans()) else None

    ids = st.lists(st.integers(0, len(graph) - 1), max_size=4, unique=True)
    outputs, reached, leaves = draw(ids), draw(ids), draw(ids)
    return Sweep(
        tuple(outputs),
        tuple(like(graph[i]) for i in outputs),
        tuple(Step(i, some(graph[i]), tuple(some(graph[j]) for j in graph[i].inputs)) for i in reached),
        tuple(Accumulation(i, some(graph[i]), some(graph[i])) for i in leaves),
        draw(st.none() | st.integers(1, 99)),
        draw(st.booleans()),
        draw(st.booleans()),
    )


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    """Any recording that keeps the rules."""
    graph = draw(nodes(draw(st.integers(0, 5))))
    values = tuple(draw(arrays(n.dtype, n.shape)) if draw(st.booleans()) else None for n in graph)
    passes = tuple(draw(sweeps(graph)) for _ in range(draw(st.integers(0, 2)) if graph else 0))
    names = [n.name for n in graph if n.name is not None] + draw(st.lists(WORDS, max_size=2))
    final = {
        name: draw(st.none() | arrays(draw(st.sampled_from(DTYPES)), draw(st.sampled_from(SHAPES)))) for name in names
    }
    source = draw(st.none() | st.builds(Source, st.sampled_from(("script", "notebook")), WORDS, WORDS))
    return Recording(graph, values, passes, final, draw(WORDS), source)
