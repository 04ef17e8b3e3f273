"""Where a number that is not finite is born: what decides it, given what went into a node and what came out.

It is born where the result has one and nothing that went in has. NaN may be born of infinities, and an infinity that
the script wrote itself, such as that of a mask, is born nowhere. The window asks this of a recording in numpy's arrays,
`gradviz.Watch` of a training in PyTorch's tensors; either says by an `Eye` how it looks at them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Optional, Protocol

NAN, INF = "NaN", "infinity"
KINDS = (NAN, INF)
CARRIED = {NAN: (NAN,), INF: (NAN, INF)}
"""What going in means that one of a kind is not born here: of infinities NaN can be born."""
VALUE, INCOMING, OUTGOING, GRAD = "value", "incoming", "outgoing", "grad"
"""What it is born in: what a node computes, the sum that comes in, what goes out to an input, or `.grad`."""


class Eye(Protocol):
    """Looks at what is known of a tensor: all of it, a summary, or nothing (None)."""

    def has(self, known: Any, kind: str) -> bool:
        """Whether one of a kind is among its numbers; False where nothing is known."""

    def mask(self, known: Any, kind: str) -> Any:
        """Where those of a kind are, as an array of truths; None where not all of it is known."""

    def fits(self, known: Any, shape: Sequence[int]) -> bool:
        """Whether all of it is known and broadcasts to a shape."""


def any_of(eye: Eye, known: Any, kinds: Iterable[str]) -> bool:
    """Whether one of some kinds is among the numbers."""
    return any([eye.has(known, kind) for kind in kinds])


def masks(eye: Eye, known: Any, kinds: Sequence[str]) -> Any:
    """Where those of some kinds are."""
    found = eye.mask(known, kinds[0])
    for kind in kinds[1:]:
        found = found | eye.mask(known, kind)
    return found


class Born(NamedTuple):
    """That one is born.

    Attributes:
        places: where in the array; None where only counts are known.
        enters: whether it comes into the gradient from a value that has it, and so was born there.
    """

    places: Any = None
    enters: bool = False


def in_value(
    eye: Eye,
    kind: str,
    result: Any,
    inputs: Sequence[Any],
    *,
    shape: Sequence[int] = (),
    is_elementwise: bool = False,
    is_written: bool = False,
) -> Born | None:
    """Whether one of a kind is born in what a node computes.

    Args:
        shape: of the result.
        is_elementwise: whether each element of the result comes of one element of each input.
        is_written: whether the numbers are the script's own: a constant, or a fill with infinity.
    """
    if not eye.has(result, kind) or (kind == INF and is_written):
        return None
    came = CARRIED[kind]
    places = eye.mask(result, kind)
    if places is not None and is_elementwise and all([eye.fits(x, shape) for x in inputs]):
        for x in inputs:
            places = places & ~masks(eye, x, came)
        return Born(places) if bool(places.any()) else None
    return None if any([any_of(eye, x, came) for x in inputs]) else Born(places)


def in_sum(eye: Eye, kind: str, incoming: Any, terms: Sequence[Any], seeds: Sequence[Any] = ()) -> Born | None:
    """Whether one is born in what comes in at a node: in v itself, in the sum of the terms, or by a hook."""
    if not eye.has(incoming, kind) or not (terms or seeds):
        return None
    if not any([eye.has(seed, kind) for seed in seeds]) and any(
        [any_of(eye, term, CARRIED[kind]) for term in (*terms, *seeds)]
    ):
        return None
    return Born(eye.mask(incoming, kind))


def in_grad(eye: Eye, kind: str, incoming: Any, before: Any, after: Any) -> Born | None:
    """Whether one is born in `.grad`, of two that do not add up."""
    came = CARRIED[kind]
    if not eye.has(after, kind) or any_of(eye, before, came) or any_of(eye, incoming, came):
        return None
    places = eye.mask(after, kind)
    return None if places is None or before is None else Born(places)


def in_outgoing(
    eye: Eye,
    kind: str,
    incoming: Sequence[Any],
    sent: Any,
    values: Sequence[Any],
    *,
    shape: Sequence[int] = (),
    is_elementwise: bool = False,
) -> Born | None:
    """Whether one is born in what a step sends to an input, as far as that can be told without the op's rule.

    Args:
        incoming: what came in; of an op with several results, at each.
        values: of the inputs and of the result, of which the rule may use any.
        shape: of the result.
    """
    if not eye.has(sent, kind):
        return None
    came = CARRIED[kind]
    places = eye.mask(sent, kind)
    if is_elementwise and places is not None and len(incoming) == 1 and tuple(sent.shape) == tuple(shape):
        (g,) = incoming
        if eye.fits(g, shape):
            places = places & ~masks(eye, g, came)
            if not bool(places.any()):
                return None
            known = [x for x in values if eye.fits(x, shape)]
            if len(known) == len(values):
                entering = [bool((places & eye.mask(x, kind)).any()) for x in known]
                return Born(places, any(entering))
    if any([any_of(eye, g, came) for g in incoming]):
        return None
    return Born(places, any([eye.has(x, kind) for x in values]))


class Birth(NamedTuple):
    """One that is born in a document.

    Attributes:
        kind: `NAN` or `INF`.
        node: its id, and `part`, what of it.
        call: index in the document's "backward"; None in the forward pass.
    """

    kind: str
    node: int
    part: str
    call: Optional[int] = None  # noqa: UP045 # evaluated in Python 3.9

    @property
    def is_backward(self) -> bool:
        """Whether it is born on the way back."""
        return self.part != VALUE


def first_of(found: Iterable[Any]) -> Any:
    """The first NaN, or else the first infinity, of what was born in order; None where nothing was."""
    first = None
    for birth in found:
        if birth.kind == NAN:
            return birth
        first = birth if first is None else first
    return first


def is_filled(params: Any) -> bool:
    """Whether the script wrote an infinity among the arguments of an op, as for a mask."""
    numbers = [value for value in params.values() if isinstance(value, (float, str))]
    return any([value in (float("inf"), -float("inf"), "Infinity", "-Infinity") for value in numbers])


def births_in(
    document: Any, eye: Eye, call: int, is_elementwise: Callable[[int], bool] = lambda _: False
) -> Iterable[Birth]:
    """What is born in one backward call of a document (the JSON format's) and the forward pass that leads to it.

    Args:
        document: whose arrays are whatever `eye` looks at.
        call: index in "backward".
        is_elementwise: of a node, by id.
    """
    nodes, made = document["nodes"], document["backward"][call]
    values = [node["value"] for node in nodes]
    for number in _reached(nodes, made):
        node = nodes[number]
        for kind in () if node["op"] == "output" else KINDS:
            if in_value(
                eye, kind, values[number], [values[source] for source in node["inputs"]], shape=node["shape"],
                is_elementwise=is_elementwise(number),
                is_written=node["op"] == "constant" or is_filled(node["params"]),
            ) is not None:  # fmt: skip
                yield Birth(kind, number, VALUE)
    sent: dict[int, list[Any]] = {}
    seeds: dict[int, list[Any]] = {}
    for output, seed in zip(made["outputs"], made["seeds"]):
        seeds.setdefault(output, []).append(seed)
    grads = {entry["node"]: entry for entry in made["accumulated"]}
    came: dict[int, list[Any]] = {}
    for step in made["steps"]:
        number, incoming = step["node"], step["incoming"]
        node, terms = nodes[number], sent.get(number, [])
        if node["op"] == "output":
            came.setdefault(node["inputs"][0], []).append(incoming)
        for kind in KINDS:
            if in_sum(eye, kind, incoming, terms, seeds.get(number, [])) is not None:
                yield Birth(kind, number, INCOMING, call)
            entry = grads.get(number)
            if node["is_leaf"]:
                if entry is not None and in_grad(eye, kind, incoming, entry["before"], entry["after"]) is not None:
                    yield Birth(kind, number, GRAD, call)
                continue
            given = [incoming] if incoming is not None else came.get(number, terms)
            for out in () if node["op"] == "output" else step["outgoing"]:
                born = in_outgoing(
                    eye, kind, given, out["gradient"], [*(values[each] for each in node["inputs"]), values[number]],
                    shape=node["shape"], is_elementwise=is_elementwise(number),
                )  # fmt: skip
                if born is not None and not born.enters:
                    yield Birth(kind, number, OUTGOING, call)
        for out in step["outgoing"]:
            if out["gradient"] is not None:
                sent.setdefault(out["to"], []).append(out["gradient"])


def _reached(nodes: Any, made: Any) -> list[int]:
    """The ids of the nodes that a call's outputs were computed from, in the order in which they were."""
    found = set(made["outputs"])
    waiting = list(found)
    while waiting:
        for source in nodes[waiting.pop()]["inputs"]:
            if source not in found:
                found.add(source)
                waiting.append(source)
    return sorted(found)
