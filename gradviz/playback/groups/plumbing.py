"""Plumbing: ops that hand a tensor on as it is, in another shape or order. Knows no Qt.

PyTorch puts them in by itself: a Linear transposes its weight, attention views, expands and clones what it was given.
In a large picture they are shown at what they hand on, so that the boxes are those that compute.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from gradviz.ops.table import TABLE
from gradviz.playback.groups.folding import SMALL
from gradviz.playback.groups.groups import OUTSIDE, Groups
from gradviz.playback.track import Ranks, Track

WHOLE = -1
"""Of a node that is a box of its own."""


def has_plumbing(track: Track) -> bool:
    """Whether there is any that could be in the box of another node."""
    return any(TABLE.is_plumbing(track.recording.nodes[node].op) for node in track.forward)


def is_small(track: Track) -> bool:
    """Whether a picture is shown whole at first, plumbing and layers and all, whoever ran the script."""
    return len(track.forward) <= SMALL


def carriers_of(track: Track) -> Ranks:
    """For each node of plumbing, the index of the node whose tensor it hands on, else `WHOLE`; shape (n,).

    A box of its own is what has a name in the script, what backward starts from, what nothing uses, where a pass has
    failed, and where a hook has changed the gradient.
    """
    recording, call = track.recording, track.call
    kept = {track.failed} | (set() if call is None else {*call.outputs, *call.hooked})
    carriers = np.full(len(track.forward), WHOLE, dtype=np.int64)
    is_used = np.zeros(len(track.forward), dtype=np.bool_)
    is_used[track.edge_sources] = True
    for index, node_id in enumerate(track.forward):
        node = recording.nodes[node_id]
        if (
            TABLE.is_plumbing(node.op)
            and not node.name
            and len(node.inputs) == 1
            and is_used[index]
            and node_id not in kept
        ):
            carriers[index] = track.index_of[node.inputs[0]]
    return carriers


def layers_of(groups: Groups, track: Track, carriers: Ranks) -> frozenset[int]:
    """Numbers of the groups that are a layer: a module of PyTorch with one op besides plumbing, and its parameters.

    Args:
        carriers: of the nodes of the track.
    """
    nodes, ops = track.recording.nodes, Counter[int]()
    in_module: set[int] = set()
    for index, home in enumerate(groups.home.tolist()):
        node = nodes[track.forward[index]]
        if home == OUTSIDE or node.is_leaf or carriers[index] != WHOLE:
            continue
        ops[home] += 1
        if node.origin is not None and node.origin.module:
            in_module.add(home)
    return frozenset(home for home in in_module if ops[home] == 1 and not groups.children[home])
