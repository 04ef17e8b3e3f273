"""All that is said of the health of a node at a position. Knows no Qt."""

from __future__ import annotations

from gradviz.playback.health.cuts import cut_findings
from gradviz.playback.health.finding import Finding
from gradviz.playback.health.kinks import kink_findings
from gradviz.playback.health.path import path_findings
from gradviz.playback.health.trail import nan_findings
from gradviz.playback.rules import Rules
from gradviz.playback.track import Track


def examine(track: Track, position: int, node: int, rules: Rules | None = None) -> tuple[Finding, ...]:
    """What went wrong at a node, or would; a healthy node has nothing said of it.

    Args:
        position: 0..track.length.
        node: an id of the recording.
        rules: the table to look in; that of all ops where None.
    """
    return (
        *nan_findings(track, position, node, rules),
        *cut_findings(track, position, node),
        *kink_findings(track, position, node, rules),
        *path_findings(track, position, node),
    )
