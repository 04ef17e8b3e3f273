"""A recording as the plain data of a page: for each backward call the picture, what is said, and a page per node.

Places come from `gradviz.layout`, words and numbers from `gradviz.playback`; what the data look like is told by
`resources/player/player.js`, which checks them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gradviz import __version__
from gradviz.errors import GradvizError
from gradviz.layout.graph import request_of
from gradviz.layout.layouter import Layouter
from gradviz.layout.plan import Floats, Layout
from gradviz.playback.groups.bundles import HIDDEN
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import OPEN, Folding
from gradviz.playback.groups.opening import first_folding
from gradviz.playback.groups.report import count_text
from gradviz.playback.groups.sentence import folded_sentence
from gradviz.playback.groups.stretches import all_groups_of
from gradviz.playback.numbers import in_words
from gradviz.playback.step_table import heading
from gradviz.playback.track import NEVER, Track
from gradviz.playback.words import label
from gradviz.player.boxes import Card, box_sizes
from gradviz.player.node_pages import group_page, node_page
from gradviz.player.products import Ask
from gradviz.recording import Known, Problem, Recording, Summary

FORMAT, VERSION = "gradviz page", 1

MOST_NODES = 10_000
"""Nodes of one backward call that a page holds: a browser draws no more of them at ease."""

MOST_PAGES = 20_000
"""Nodes of all backward calls together; of a longer run the first call, the last and every so manieth are kept."""

MOST_UNFOLDED = 400
"""Nodes up to which a picture that opens folded can be unfolded in the page."""

LABEL_LIMIT = 22
"""Characters of a gradient on an edge, as many as in a box."""

THINNEST, WIDEST, _DECADES = 1.6, 6.0, (3.0, 6.0)
"""Width of an edge by its gradient, in scene units, over at least and at most so many powers of ten."""

Cards = Callable[[Track], Sequence[Card]]


@dataclass(frozen=True)
class Start:
    """Where a page opens.

    Attributes:
        sweep: index of the backward call, or None for the last.
        step: backward steps done; None for where backward begins.
        dark: in the dark theme; else as the reader's system is.
    """

    sweep: int | None = None
    step: int | None = None
    dark: bool = False


class _View(NamedTuple):
    """One way to see a track: with its groups folded or open."""

    board: FoldedTrack
    cards: Sequence[Card]
    sizes: Floats


def document_of(
    recording: Recording, cards: Cards, start: Start | None = None, ask: Ask | None = None, note: str = ""
) -> dict[str, Any]:
    """The data of a page.

    Args:
        cards: the texts in the boxes of a track, in the order of its `forward`.
        start: where the page opens.
        ask: asks the run of the recording for the Jacobian of a custom Function; None where there is no run.
        note: what its numbers are, where they are not simply those of a run.

    Raises:
        GradvizError: there is no graph, it is too large for a page, or there is no such step.
    """
    start = Start() if start is None else start
    last = len(recording.sweeps) - 1
    chosen = (last if recording.sweeps else None) if start.sweep is None else start.sweep
    tracks = _tracks(recording, chosen)
    place = next(i for i, track in enumerate(tracks) if track.sweep == chosen)
    opened = tracks[place]
    if start.step is not None and not 0 <= start.step <= len(opened.steps):
        raise GradvizError(f"there is no step {start.step}: this backward call has {len(opened.steps)} steps")
    views = [_views(track, cards) for track in tracks]
    plans, plan_of = _plans([view for some in views for view in some])
    source, problem = recording.source, recording.problem
    return {
        "format": FORMAT,
        "version": VERSION,
        "generator": f"gradviz {__version__}",
        "name": "recording" if source is None else source.name,
        "script": "" if source is None else source.text,
        "output": recording.output,
        "notes": [text for text in (note, _thinned(recording, len(tracks))) if text],
        "problem": "" if problem is None else _said(problem),
        "start": [place, opened.turn + (start.step or 0)],
        "dark": start.dark,
        "plans": plans,
        "sweeps": [_sweep(track, some, plan_of, cards, ask) for track, some in zip(tracks, views, strict=True)],
    }


def _said(problem: Problem) -> str:
    """The error that ended the run, with its line and what to do."""
    place = "" if problem.line is None else f"Line {problem.line}: "
    end = "" if problem.message[-1:] in ".!?" else "."
    return f"{place}{problem.message}{end} {problem.hint}".rstrip() if problem.hint else f"{place}{problem.message}"


def _tracks(recording: Recording, chosen: int | None) -> list[Track]:
    """The tracks that the page holds, in their order."""
    if not recording.sweeps:
        track = Track(recording, None)
        return [_checked(track)]
    tracks = [Track(recording, index) for index in range(len(recording.sweeps))]
    for track in tracks:
        _checked(track)
    nodes = sum(len(track.forward) for track in tracks)
    if nodes <= MOST_PAGES:
        return tracks
    count = max(2, len(tracks) * MOST_PAGES // nodes)
    kept = {round(place) for place in np.linspace(0, len(tracks) - 1, count).tolist()} | {chosen}
    return [track for track in tracks if track.sweep in kept]


def _checked(track: Track) -> Track:
    count = len(track.forward)
    if not count:
        hint = "Give a tensor requires_grad=True."
        raise GradvizError("there is no graph to draw: nothing in the script takes a gradient", hint=hint)
    if count > MOST_NODES:
        hint = "Export it as .json, which gradviz opens."
        raise GradvizError(f"a page holds up to {MOST_NODES:,} nodes, and this graph has {count:,}", hint=hint)
    return track


def _thinned(recording: Recording, kept: int) -> str:
    if recording.thinned is not None:
        return recording.thinned.text(kept)
    calls = len(recording.sweeps)
    return f"This page holds {kept:,} of {calls:,} backward calls." if kept < calls else ""


# ---- pictures ----------------------------------------------------------------------------------------------------


def _views(track: Track, cards: Cards) -> list[_View]:
    """The picture as the window opens it, and, where groups of it are folded and it is not too large, unfolded."""
    groups = all_groups_of(track)
    first = first_folding(track, groups)
    foldings: list[Folding] = [first]
    if first != OPEN and len(track.forward) <= MOST_UNFOLDED:
        foldings.append(Folding(has_plumbing=True))  # the whole, as the command line draws it
    found = []
    for folding in foldings:
        board = FoldedTrack.of(track, groups, folding)
        texts = cards(board)
        found.append(_View(board, texts, box_sizes(texts)))
    return found


def _plans(views: Sequence[_View]) -> tuple[list[dict[str, Any]], dict[int, int]]:
    """The layouts, and which of them each view has, by its id.

    Pictures of the same form share one, so that nothing moves from one backward call to the next.
    """
    forms: dict[object, list[_View]] = {}
    for view in views:
        forms.setdefault(_form(view), []).append(view)
    layouter = Layouter()
    try:
        plans = []
        plan_of: dict[int, int] = {}
        for number, alike in enumerate(forms.values()):
            sizes = np.max([view.sizes for view in alike], axis=0)
            plans.append(_plan(layouter.lay_out(request_of(alike[0].board, sizes))))
            plan_of |= {id(view): number for view in alike}
    finally:
        layouter.close()
    return plans, plan_of


def _form(view: _View) -> object:
    """What makes two pictures look alike: their boxes, edges and frames."""
    board = view.board
    return (
        tuple((card.kind, card.sign, card.has_row) for card in view.cards),
        tuple(board.edge_sources.tolist()),
        tuple(board.edge_consumers.tolist()),
        tuple(board.frame_of.tolist()),
        tuple(board.frame_parents.tolist()),
    )


def _plan(layout: Layout) -> dict[str, Any]:
    """Boxes as middle and size, edges as the points of their Bézier chains, all in whole scene units."""
    rows = layout.edges
    order = np.lexsort((rows[:, 2], rows[:, 1])) if len(rows) else np.zeros(0, dtype=np.int64)
    return {
        "boxes": _whole(np.hstack([layout.centres, layout.sizes])),
        "curves": [_whole(layout.curves[index].ravel()) for index in order.tolist()],
        "frames": _whole(layout.frames),
        "bounds": _whole(np.array(layout.bounds)),
    }


def _whole(array: Floats) -> Any:
    return np.rint(array).astype(np.int64).tolist()


# ---- one backward call -------------------------------------------------------------------------------------------


def _sweep(
    track: Track, views: Sequence[_View], plan_of: dict[int, int], cards: Cards, ask: Ask | None
) -> dict[str, Any]:
    nodes = track.recording.nodes
    ran = [*track.forward, *(step.node for step in track.steps)]
    return {
        "title": _title(track),
        "heading": heading(track),
        "turn": track.turn,
        "length": track.length,
        "lines": [nodes[node].line or 0 for node in ran],
        "names": _names(track),
        "ran": [track.index_of.get(node, HIDDEN) for node in ran],
        "pages": [node_page(track, node, ask=ask) for node in track.forward],
        "views": [_view(view, plan_of[id(view)]) for view in views],
        **_foldable(views[-1].board, cards),
    }


def _foldable(board: FoldedTrack, cards: Cards) -> dict[str, Any]:
    """What it takes to fold groups one by one: the innermost group of each node, or -1, and each group as one box.

    Both are empty where the page has no picture with all groups open.
    """
    groups = board.groups
    if not board.is_whole or not groups.groups:
        return {"homes": [], "folds": []}
    found: list[dict[str, Any]] = [{} for _ in groups.groups]
    for depth in range(max(groups.depth) + 1):
        level = frozenset(group.key for group, its in zip(groups.groups, groups.depth, strict=True) if its == depth)
        folded = FoldedTrack.of(board.base, groups, Folding(level))
        texts = cards(folded)
        view = _View(folded, texts, box_sizes(texts))
        for box, row, size in zip(folded.forward, _boxes(view), _whole(view.sizes), strict=True):
            number = folded.group_of(box)
            if number is not None:
                found[number] = {"parent": groups.groups[number].parent, "size": size, "box": row}
    return {"homes": groups.home.tolist(), "folds": found}


def _names(track: Track) -> list[str]:
    """What happens at each position, in a word: the node, and where a gradient is accumulated, `.grad`."""
    names = [label(track.recording, node) for node in track.forward]
    kept = {} if track.call is None else track.call.accumulation_of
    for step in track.steps:
        name = label(track.recording, step.node)
        is_kept = step.node in kept and track.recording.nodes[step.node].is_leaf
        names.append(f"{name}.grad" if is_kept else name)
    return names


def _title(track: Track) -> str:
    """Which call it is, and what its output is worth: that tells the calls of a loop apart."""
    call, recording = track.call, track.recording
    if call is None or track.sweep is None:
        return "No backward pass"
    parts = [f"backward {recording.number(track.sweep)}"]
    parts += [f"line {call.line}"] if call.line else []
    if len(call.outputs) == 1:
        value = recording.value(call.outputs[0])
        parts += [f"{label(recording, call.outputs[0])} = {in_words(value)}"] if value is not None else []
    return " · ".join(parts)


def _view(view: _View, plan: int) -> dict[str, Any]:
    board = view.board
    return {
        "plan": plan,
        "at": [int(board.box_at(position)) for position in range(1, board.length + 1)],
        "stops": [] if board.is_whole else list(board.stops),
        "said": [list(folded_sentence(board, position)) for position in range(board.length + 1)],
        "boxes": _boxes(view),
        "edges": _edges(board),
        "frames": [_frame_title(board, number) for number in board.frames],
        "framed": list(board.frames),
        "groups": [HIDDEN if (number := board.group_of(box)) is None else number for box in board.forward],
    }


def _frame_title(board: FoldedTrack, number: int) -> str:
    group = board.groups.groups[number]
    words = count_text(group)
    return f"{group.title} · {words}" if words else group.title


def _boxes(view: _View) -> list[dict[str, Any]]:
    board = view.board
    backward = np.where(board.backward_ranks == NEVER, 0, board.backward_ranks).tolist()
    times = zip(board.forward_ranks.tolist(), backward, board.received.tolist(), strict=True)
    rows = []
    for index, (card, (made, reached, received)) in enumerate(zip(view.cards, times, strict=True)):
        number = board.group_of(board.forward[index])
        rows.append(
            {
                "kind": int(card.kind),
                "sign": card.sign,
                "name": card.name,
                "word": card.word,
                "badge": card.badge,
                "value": card.value,
                "gradient": f"{card.prefix} {card.gradient}" if card.gradient else "",
                "row": bool(card.has_row),
                "takes": bool(board.takes_gradient[index]),
                "odd": _is_odd(board.incoming([index])[0]),
                "times": [made, reached, received if number is not None else 0],
                "node": int(board.members[index][0]) if number is None else -1,
                "group": None if number is None else group_page(board.reports.at(board.length, number)),
            }
        )
    return rows


def _is_odd(gradient: Known) -> bool:
    """Whether NaN or infinity is among its numbers."""
    if isinstance(gradient, Summary):
        return bool(gradient.nan or gradient.inf)
    return gradient is not None and gradient.dtype.kind in "fc" and not bool(np.isfinite(gradient).all())


def _edges(board: FoldedTrack) -> list[list[Any]]:
    """For each edge: source, consumer, when it begins and is sent (0 for never), and what goes back along it.

    The last three are whether a gradient can ever flow along it, how wide it is, and the gradient; "" where none does.
    """
    made = board.base.forward_ranks[board.base.edge_consumers]
    carries = board.edge_carries
    begun = [int(made[board.real_edges(edge)].min()) for edge in range(len(carries))]
    sent = np.where(board.edge_sent == NEVER, 0, board.edge_sent)
    columns = zip(
        board.edge_sources.tolist(),
        board.edge_consumers.tolist(),
        begun,
        sent.tolist(),
        carries.tolist(),
        board.edge_takes_gradient.tolist(),
        _widths([_largest(board.gradients(edge)) for edge in range(len(carries))]),
        strict=True,
    )
    return [
        [source, consumer, first, last, int(takes), width, (board.edge_text(edge, LABEL_LIMIT) or "?") if flows else ""]
        for edge, (source, consumer, first, last, flows, takes, width) in enumerate(columns)
    ]


def _largest(gradients: Sequence[Known]) -> float:
    """The largest number of some gradients, without sign; nan where there is none."""
    sizes: list[float] = []
    for gradient in gradients:
        if isinstance(gradient, Summary):
            sizes += [abs(end) for end in (gradient.min, gradient.max) if end is not None]
        elif gradient is not None and gradient.size:
            sizes.append(float(np.abs(gradient).max()))
    return max(sizes, default=float("nan"))


def _widths(sizes: Sequence[float]) -> list[float]:
    """Width of each edge by the size of its gradient, on a log scale; in scene units."""
    given = np.array(sizes, dtype=np.float64)
    is_some = np.isfinite(given) & (given > 0)
    widths = np.where(np.isinf(given), WIDEST, THINNEST)
    if is_some.any():
        logs = np.log10(given[is_some])
        least, most = _DECADES
        low, high = max(float(logs.min()), float(logs.max()) - most), float(logs.max())
        spare = max(least - (high - low), 0.0)
        shares = np.clip((logs - (low - spare / 2)) / (high - low + spare), 0.0, 1.0)
        widths[is_some] = THINNEST + (WIDEST - THINNEST) * shares
    return [round(width, 1) for width in widths.tolist()]
