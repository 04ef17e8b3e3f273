"""Recordings whose params are absurd, as a file may say them: every export writes something, or says why not."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradviz.errors import GradvizError
from gradviz.export.headless import Wish, write_file
from gradviz.export.pictures import PICTURES
from gradviz.formats import gradviz_file, json_file, load
from gradviz.playback.track import Track
from gradviz.player.document import document_of
from gradviz.player.packing import pack
from gradviz.recording import Recording
from gradviz.steps_table import table
from gradviz.texts.graph_text import dot, graphml
from gradviz.texts.numpy_script import numpy_script
from gradviz.texts.step_text import csv_table, markdown_table, worksheet
from gradviz.ui.canvas.scene.cards import cards
from tests import recorded
from tests.formats.test_mutated import SCRIPTS, TORCH

MUTATIONS = int(os.environ.get("GRADVIZ_MUTATIONS", "60"))
EVERY = 20
"""Of so many one is laid out as a page, which takes longest."""
OPS = """\
import torch
x = torch.arange(12.0).reshape(3, 4).requires_grad_()
w = torch.ones(4, 3, requires_grad=True)
a = x[1:3, ::2].transpose(0, 1).reshape(-1) * 2
b = torch.cat([x.mean(0), a]).unsqueeze(1).permute(1, 0).flatten().narrow(0, 1, 4)
c = torch.stack([b, b]).sum(1, keepdim=True).expand(2, 5).roll(1, 0).cumsum(1).clamp(0.5, 4).pow(2).softmax(1)
d = x.max(1).values.sum() + (x @ w).diagonal().var() + x.select(0, 1)[2] + x.split(2)[0].std() + x.norm(p=3)
e = torch.nn.functional.layer_norm(x, (4,)).tril(1).flip(0).index_select(1, torch.tensor([0, 2])).prod(1).sum()
(c.sum() + d + e + x.repeat(2, 1).logsumexp(0).sort().values.sum()).backward()
"""
ABSURD: tuple[Any, ...] = (
    *(10**30, -(10**30), 2**63, -1, -7, 0, 10**9, 1e300, 0.5, math.nan, math.inf, True, None, "", "x", "None"),
    *([], [10**30], [-1, -1], [0, 0], [None], ["x"], [[1]], [0.5], (10**30, None), {"a": 1}, {}, [1] * 70),
    *(
        [10**6, 10**6],
        [None, 10**30, None],
        {"slice": [0, 10**30, 1]},
        [0, 10**30, 1],
        [[0, 10**30, 1]],
        [1, 10**30, 0],
    ),
)


TEXTS = (table, worksheet, dot, graphml, csv_table, markdown_table, numpy_script)


@pytest.fixture(scope="module")
def recordings() -> list[Recording]:
    made = [recorded.run(text).recording for text in (*SCRIPTS, OPS)]
    assert not any(each.problem for each in made)
    return [*made, load(TORCH)]


def changed(value: Any, rng: random.Random) -> Any:
    """A param with something absurd in its place, or somewhere in it."""
    if isinstance(value, list | tuple) and value and rng.random() < 0.6:
        at = rng.randrange(len(value))
        return [*value[:at], changed(value[at], rng), *value[at + 1 :]]
    if isinstance(value, dict) and value and rng.random() < 0.6:
        name = rng.choice(list(value))
        return {**value, name: changed(value[name], rng)}
    return rng.choice(ABSURD)


def absurd(recording: Recording, rng: random.Random) -> Recording:
    nodes = list(recording.nodes)
    given = [node.id for node in nodes if node.params]
    for id in rng.sample(given, min(len(given), rng.choice((1, 1, 2, len(given))))):
        params = dict(nodes[id].params)
        name = rng.choice(list(params))
        how = rng.random()
        if how < 0.85:
            params[name] = changed(params[name], rng)
        elif how < 0.95:
            del params[name]
        else:
            params["dim"] = rng.choice(ABSURD)
        nodes[id] = nodes[id]._replace(params=params)
    return replace(recording, nodes=tuple(nodes))


def exports(recording: Recording, *, is_whole: bool) -> Iterator[str]:
    """All that is written of it, one after the other; a sentence that says why something is not."""
    for sweep in range(len(recording.sweeps)) or [None]:
        track = Track(recording, sweep)
        for write in TEXTS:
            try:
                yield write(track)
            except GradvizError as error:
                yield error.one_line("a.gradviz")
    try:
        yield str(len(gradviz_file.write(recording)))
        yield str(len(json_file.write(recording)))
    except GradvizError as error:
        yield error.one_line("a.gradviz")
    if is_whole:
        try:
            yield str(len(pack(document_of(recording, cards))))
        except GradvizError as error:
            yield error.one_line("a.gradviz")


@pytest.mark.parametrize("seed", range(4))
def test_absurd_params_end_in_a_text_or_a_sentence(recordings: list[Recording], seed: int) -> None:
    rng = random.Random(seed)

    for number in range(MUTATIONS // 4):
        recording = absurd(rng.choice(recordings), rng)
        assert all(exports(recording, is_whole=number % EVERY == 0))


@pytest.mark.parametrize("value", ABSURD, ids=[repr(each)[:30] for each in ABSURD])
def test_each_absurd_value_in_every_param(recordings: list[Recording], value: Any) -> None:
    recording = recordings[len(SCRIPTS)]
    nodes = [node._replace(params=dict.fromkeys(node.params, value)) for node in recording.nodes]

    assert all(exports(replace(recording, nodes=tuple(nodes)), is_whole=False))


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
@pytest.mark.parametrize("value", [10**30, math.nan, "x", [10**6, 10**6], [None, 10**30, None], {"a": 1}])
def test_an_absurd_value_in_every_param_ends_in_a_picture_or_a_sentence(
    qapp: object, tmp_path: Path, recordings: list[Recording], value: Any, suffix: str
) -> None:
    recording, file = recordings[len(SCRIPTS)], tmp_path / f"graph{suffix}"
    nodes = [node._replace(params=dict.fromkeys(node.params, value)) for node in recording.nodes]
    (row,) = (row for row in PICTURES if suffix in row.suffixes)

    with suppress(GradvizError):  # which is a sentence
        write_file(row, replace(recording, nodes=tuple(nodes)), file, Wish())
        assert file.stat().st_size > 1_000


def test_a_file_that_says_so_is_read_and_written(recordings: list[Recording]) -> None:
    recording = recordings[len(SCRIPTS)]
    top = json_file.write(recording).replace(b'"dim":1', b'"dim":1000000000000000000000000000000')
    assert b"000000000000" in top

    again = json_file.read(top)

    assert all(exports(again, is_whole=True))
