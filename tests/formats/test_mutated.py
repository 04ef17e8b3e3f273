"""Recordings changed at random: a file is refused in a sentence, or all that is shown of it can be worked out.

More of them by hand: GRADVIZ_MUTATIONS=50000 python -m pytest tests/formats/test_mutated.py
"""

from __future__ import annotations

import copy
import json
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.changes import Change, Spot, WhatIf
from gradviz.errors import GradvizError
from gradviz.export.row import Subject
from gradviz.export.texts import TEXTS
from gradviz.export.work import done
from gradviz.formats import gradviz_file, json_file, load
from gradviz.graph.compare import compare
from gradviz.graph.replay import add_sweep
from gradviz.graph.verify import check
from gradviz.graph.what_if import Recalculation
from gradviz.playback.field import find_fields
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import all_folded
from gradviz.playback.groups.sentence import folded_sentence
from gradviz.playback.groups.stretches import all_groups_of
from gradviz.playback.health.examine import examine
from gradviz.playback.health.saved import keeping, stop_text
from gradviz.playback.prediction import hint, questions
from gradviz.playback.report import node_report
from gradviz.playback.sentence import sentence
from gradviz.playback.step_table import heading, step_rows
from gradviz.playback.track import Track
from gradviz.player.document import document_of
from gradviz.player.packing import pack
from gradviz.player.products import product_of
from gradviz.recording import Recording
from gradviz.run.builtin import run_job
from gradviz.run.job import Job
from gradviz.ui.canvas.scene.cards import cards
from tests.run.test_recorder import Silent

SCRIPTS = (
    """\
import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
w = torch.ones(2, requires_grad=True)
for i in range(2):
    y = torch.softmax(x @ x.t() + w, 1).max(1).values
    loss = (y * w).cumsum(0).prod() + x.norm()
    loss.backward()
""",
    """\
import torch
from torch import nn
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
nn.functional.cross_entropy(net(torch.ones(2, 1, 4, 4)), torch.tensor([0, 2])).backward()
""",
    """\
import torch
a = torch.tensor([1., float('inf'), 2.], requires_grad=True)
b = torch.where(a > 1, a.clamp(0, 2), a.exp()).sort().values.view(3, 1).expand(3, 2)
b.index_select(0, torch.tensor([0, 2])).var().backward()
""",
)
SEEDS = 6
STEPPED, EVERY = 2, 20
"""Of the accepted ones, every second is stepped through, and of every twentieth a page is laid out."""
MUTATIONS = int(os.environ.get("GRADVIZ_MUTATIONS", "1200"))
TORCH = Path(__file__).parent.parent / "data" / "pytorch.gradviz"
"""What the recorder left of a script with an op of two outputs, a hook, values that were too large, and a failed pass."""
VALUES = (
    *(None, True, 0, 1, -1, 3, 2**31, 2**63, 2**70, 0.5, 1e300, "NaN", "Infinity", "", "x", "\ud800", "\u202e"),
    *([], [0], [1, 2], [[1.0]], [10**6, 10**6], [1] * 20, {}, {"a": 1}, "int64", "bool", "bfloat16", "float16", "leaf"),
)
SHAPES = ([], [1], [2], [0], [2, 3], [1, 1, 2], [2, 1, 2], [10**5, 10**5, 10])


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    recordings = [run_job(Job(text), Silent()).recording for text in SCRIPTS]
    assert not any(recording.problem for recording in recordings)
    recordings.append(load(TORCH))
    return [json.loads(json_file.write(recording)) for recording in recordings]


def put_anywhere(top: dict[str, Any], rng: random.Random) -> None:
    """Walk to some member, and put another value there, drop it, or double it."""
    parent: Any = top
    while True:
        key = rng.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
        if not isinstance(parent[key], dict | list) or not parent[key] or rng.random() < 0.15:
            break
        parent = parent[key]
    how = rng.random()
    if how < 0.7:
        parent[key] = copy.deepcopy(rng.choice(VALUES))
    elif how < 0.85 or isinstance(parent, dict):
        del parent[key]
    else:
        parent.insert(key, copy.deepcopy(parent[key]))


def change_node(top: dict[str, Any], rng: random.Random) -> None:
    """Make a node another one that a reader cannot know to be wrong: another op, params or a shape without values."""
    node, other = rng.choice(top["nodes"]), rng.choice(top["nodes"])
    what = rng.random()
    if what < 0.4:
        node["op"] = other["op"]
    elif what < 0.6:
        node["params"] = copy.deepcopy(other["params"])
    elif what < 0.7:
        node["requires_grad"] = not node["requires_grad"]
    else:
        node["shape"], node["value"] = copy.copy(rng.choice(SHAPES)), None
        for sweep in top["backward"]:
            sweep["outputs"], sweep["seeds"], sweep["accumulated"] = [], [], []
            for step in sweep["steps"]:
                if step["node"] == node["id"]:
                    step["incoming"] = None
                for out in step["outgoing"]:
                    if out["to"] == node["id"]:
                        out["gradient"] = None
        top["gradients"] = {}


def play(recording: Recording) -> None:
    """Work out all that window and command line show of a recording."""
    for sweep in range(len(recording.sweeps)) or [None]:
        track = Track(recording, sweep)
        heading(track)
        list(step_rows(track))
        find_fields(recording, sweep)
        groups = all_groups_of(track)
        folded = FoldedTrack.of(track, groups, all_folded(groups))
        for position in {0, track.turn, track.length // 2, track.length}:
            sentence(track, position)
            track.node_states(position)
            track.edge_states(position)
        for position in {0, folded.turn, folded.length}:
            folded_sentence(folded, position)
        for node in track.forward:
            node_report(track, track.length, node)
        for edge in range(len(track.edges)):
            track.edge_text(edge, 20)


def not_painted() -> Any:
    """What a text never asks for."""
    raise AssertionError


def step_through(recording: Recording) -> None:
    """Go through all positions as a reader does, with the page of each node, and write all texts."""
    for sweep in range(len(recording.sweeps)) or [None]:
        track = Track(recording, sweep)
        for position in range(track.length + 1):
            sentence(track, position)
            node = track.node_at(position)
            if node is not None:
                node_report(track, position, node)
                stop_text(track, position, node)
                examine(track, position, node)
        for node in track.forward:
            product_of(track, node)
        keeping(track)
        for question in questions(track):
            hint(track, question)
        subject = Subject(recording, recording, sweep, lambda shown=track: shown, not_painted, not_painted)
        for row in TEXTS:
            with suppress(GradvizError):
                done(row.start(subject))
    again = gradviz_file.read(gradviz_file.write(recording))
    assert json_file.write(again) == json_file.write(recording)


def ask(recording: Recording) -> None:
    """Check the rules, send another v back, and change a number of each kind, as far as that can be done."""
    with suppress(GradvizError):
        check(recording)
    compare(recording, len(recording.sweeps) - 1 if recording.sweeps else None)
    with suppress(GradvizError):
        add_sweep(recording, len(recording.nodes) - 1, np.float32(1))
    spots = [Spot(0)] + [Spot(sweep.steps[-1].node, 0, at) for at, sweep in enumerate(recording.sweeps) if sweep.steps]
    for spot in spots:
        with suppress(GradvizError):
            Recalculation(recording).apply(WhatIf((Change(spot, 2.0),)))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_is_accepted_never_fails_later(documents: list[dict[str, Any]], seed: int) -> None:
    rng = random.Random(seed)
    accepted = 0
    for _ in range(MUTATIONS // SEEDS):
        top = copy.deepcopy(rng.choice(documents))
        for change in rng.choice(
            ((put_anywhere,), (change_node,), (change_node, change_node), (change_node, put_anywhere))
        ):
            change(top, rng)
        try:
            recording = json_file.read(json.dumps(top).encode())
        except GradvizError:
            continue
        accepted += 1
        if recording.nodes:
            play(recording)
            ask(recording)
            if accepted % STEPPED == 0:
                step_through(recording)
            if accepted % EVERY == 0:
                with suppress(GradvizError):
                    pack(document_of(recording, cards))
        content = json_file.write(recording)
        assert json_file.write(json_file.read(content)) == content

    assert accepted > MUTATIONS // SEEDS // 8
