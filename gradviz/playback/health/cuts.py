"""A leaf that no gradient reaches: where the graph was cut between it and what backward started from. Knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.playback import flow
from gradviz.playback.health.finding import Finding
from gradviz.playback.track import Track
from gradviz.playback.words import label
from gradviz.recording import LEAF, Cut, Recording


def cut_of(track: Track, leaf: int) -> Cut | None:
    """The cut for which no gradient of this call reaches a leaf.

    One behind which is something that the outputs depend on; else one by which Python or numpy got numbers that come
    from the leaf, where no call of the run reaches it. None where nothing was cut, or the leaf is reached.
    """
    call, recording = track.call, track.recording
    if call is None or leaf in call.step_of or not recording.cuts:
        return None
    wanted = frozenset(recording.ancestors(call.outputs))
    found = [cut for cut in recording.cuts if cut.result in wanted and _comes_from(recording, cut, leaf)]
    if not found and not any(leaf in sweep.step_of for sweep in recording.sweeps):
        found = [cut for cut in recording.cuts if cut.result is None and _comes_from(recording, cut, leaf)]
    return found[0] if found else None


def _comes_from(recording: Recording, cut: Cut, leaf: int) -> bool:
    return leaf in recording.ancestors(cut.sources)


def no_gradient_text(track: Track, leaf: int) -> str:
    """Why a leaf gets no gradient: "no gradient: the graph was cut at line 4 by detach()"; "" where it gets one."""
    call, node = track.call, track.recording.nodes[leaf]
    if call is None or node.op != LEAF or leaf in call.step_of or call.error is not None:
        return ""
    cut = cut_of(track, leaf)
    at = "" if cut is None or cut.line is None else f" at line {cut.line}"
    if cut is not None and cut.result is not None:
        return f"no gradient: the graph was cut{at} by {cut.how}"
    outputs = " and ".join(label(track.recording, output) for output in call.outputs[:2])
    text = f"no gradient: {outputs} does not depend on {label(track.recording, leaf)}"
    return text if cut is None else f"{text}, whose numbers left the graph{at} by {cut.how}"


def cut_findings(track: Track, position: int, node: int) -> Iterable[Finding]:
    """What is said of cuts at a leaf that is not reached, and at both sides of the cut.

    The leaf says it once backward has begun; the sides of the cut, once they are computed.
    """
    recording, call = track.recording, track.call
    if call is None or not (recording.cuts or recording.nodes[node].op == LEAF):
        return
    if recording.nodes[node].op == LEAF and position > track.turn and (text := no_gradient_text(track, node)):
        cut = cut_of(track, node)
        beyond = None if cut is None or cut.result is None else _shown(track, cut.result)
        yield Finding(f"{text[:1].upper()}{text[1:]}.", beyond, is_wrong=cut is not None)
    for cut in recording.cuts:
        if cut.result is None or not flow.is_computed(track, position, node):
            continue
        if node in cut.sources and recording.nodes[node].op != LEAF and _shown(track, cut.result) is not None:
            if _loses(track, cut):
                yield Finding(f"The graph is cut here: {_taken(cut)}. No gradient comes back that way.", cut.result)
                return
        elif node == cut.result and _loses(track, cut):
            names = " and ".join(label(recording, source) for source in cut.sources[:2])
            yield Finding(
                f"The graph was cut here: these are numbers of {names}, {_taken(cut)}. Backward ends here.",
                _shown(track, cut.sources[0]),
            )
            return


def _taken(cut: Cut) -> str:
    return f"taken by {cut.how}" + ("" if cut.line is None else f" at line {cut.line}")


def _shown(track: Track, node: int) -> int | None:
    return node if node in track.index_of else None


def _loses(track: Track, cut: Cut) -> bool:
    """Whether some leaf gets no gradient in this call for that cut; a mask that was compared out of x loses none."""
    recording, call = track.recording, track.call
    assert call is not None
    leaves = [id for id in recording.ancestors(cut.sources) if recording.nodes[id].op == LEAF]
    return any(leaf not in call.step_of for leaf in leaves)
