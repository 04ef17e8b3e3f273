"""A graph of backward nodes as text, and what the graphs of gradients are recorded of. Without torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parents[1] / "data"
GRAPHS = DATA / "gradient_graphs.json"
DIFFERING = DATA / "gradient_graphs_that_differ.txt"
Edges = Callable[[Any], Sequence[tuple[Any, int]]]


def text(root: Any, name: Callable[[Any], str], edges: Edges, key: Callable[[Any], Hashable]) -> str:
    """The nodes in the order in which they are met, each with its edges: the number of a node, and of its output."""
    numbers: dict[Hashable, int] = {}
    nodes = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if key(node) not in numbers:
            numbers[key(node)] = len(nodes)
            nodes.append(node)
            waiting += [source for source, _ in reversed(edges(node)) if source is not None]

    def edge(source: Any, output: int) -> str:
        return "-" if source is None else f"{numbers[key(source)]}.{output}" if output else str(numbers[key(source)])

    return " ".join(f"{name(node)}({' '.join(edge(*pair) for pair in edges(node))})" for node in nodes)


def digest(texts: Sequence[str | None]) -> str:
    """A short stand-in for graphs that are too long to be kept."""
    return hashlib.sha256(json.dumps(list(texts)).encode()).hexdigest()[:16]


def cases() -> dict[str, dict[str, Any]]:
    """By expression the inputs: of those that are recorded the first in float64, finite and not empty."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(DATA.glob("ops*.json")):
        for case in json.loads(file.read_text(encoding="utf-8"))["cases"]:
            inputs = case["inputs"]
            floats = [x for x in inputs.values() if x[0].startswith("f")]
            is_plain = floats and all(x[0] == "f8" and not any(isinstance(n, str) for n in x[2]) for x in floats)
            if is_plain and all(x[2] for x in inputs.values()):
                found.setdefault(case["expression"], inputs)
    return found


def array(dtype: str, shape: list[int], data: list[Any], turned: bool = False) -> Any:
    """A recorded array."""
    flat = np.array(data, dtype).reshape(shape)
    return np.asfortranarray(flat) if turned else flat


def seed(shape: tuple[int, ...], number: int) -> Any:
    """What comes in, of either sign and never 0."""
    n = np.arange(int(np.prod(shape)))
    sizes = 0.3 + np.abs(np.sin((n + 1) * (1.3 + 0.37 * number)))
    return np.asarray((sizes * np.where(n % 3 == 2, -1, 1)).reshape(shape))
