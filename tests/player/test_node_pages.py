"""What the page says of a node: the same as the window, at every position."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.playback.numbers import in_words
from gradviz.playback.report import node_report
from gradviz.playback.track import Track
from gradviz.player.node_pages import MOST_TERMS, node_page, sections
from gradviz.recording import Accumulation, Node, Origin, Recording, Source, Step, Sweep
from tests.samples import array, random_graph, weighted_sum

F = np.float32


def at(page: dict[str, Any], name: str, position: int) -> Any:
    """What holds in a section at a position, as the page finds it."""
    return next((content for start, content in reversed(page.get(name, [])) if start <= position), None)


def check_every_position(track: Track) -> None:
    for node in track.forward:
        page = node_page(track, node)
        for position in range(track.length + 1):
            for name, content in sections(track, position, node).items():
                assert at(page, name, position) == content or not content, (node, position, name)


def test_page_has_at_every_position_what_the_window_has() -> None:
    check_every_position(Track(weighted_sum(), 0))


@given(st.integers(0, 10_000), st.integers(5, 25))
@settings(max_examples=25)
def test_page_of_any_graph_has_at_every_position_what_the_window_has(seed: int, count: int) -> None:
    check_every_position(Track(random_graph(count, seed), 0))


def test_track_without_a_backward_pass_has_its_forward_part() -> None:
    check_every_position(Track(replace(weighted_sum(), sweeps=()), None))


def test_content_is_kept_once_however_long_it_holds() -> None:
    track = Track(weighted_sum(), 0)

    page = node_page(track, 0)

    assert [start for start, _ in page["value"]] == [0, 1]
    assert len(page["about"]) == 1


def test_numbers_are_those_of_the_report() -> None:
    track = Track(weighted_sum(), 0)
    report = node_report(track, track.length, 3)

    came = at(node_page(track, 3), "came", track.length)

    assert report.incoming is not None
    assert f"[{', '.join(came['total']['cells'])}]" == in_words(report.incoming.gradient) == "[1, 1]"


@pytest.mark.parametrize(
    ("shape", "is_in_cells"),
    [((), True), ((3,), True), ((8, 8), True), ((2, 13), False), ((65,), False), ((2, 2, 2), False), ((0,), False)],
)
def test_small_arrays_are_shown_element_by_element_and_large_ones_in_words(
    shape: tuple[int, ...], is_in_cells: bool
) -> None:
    value = np.ones(shape, dtype=F)[()]
    recording = Recording((Node(0, "leaf", shape=shape, name="x", requires_grad=True),), (value,))

    shown = at(node_page(Track(recording, None), 0), "value", 1)

    assert ("cells" in shown) is is_in_cells
    assert is_in_cells or shown["text"] == in_words(value)


def used_often(times: int) -> Recording:
    """x taken so many times, and all of it added up; x.grad is the number of times."""
    nodes = [Node(0, "leaf", name="x", requires_grad=True)]
    nodes += [Node(i, "clone", (0,), requires_grad=True) for i in range(1, times + 1)]
    nodes += [Node(times + 1, "stack", tuple(range(1, times + 1)), shape=(times,), requires_grad=True)]
    ones = np.ones(times, dtype=F)
    steps = [Step(times + 1, ones, (F(1),) * times)]
    steps += [Step(i, F(1), (F(1),)) for i in range(times, 0, -1)]
    steps += [Step(0, F(times))]
    sweep = Sweep((times + 1,), (ones,), tuple(steps), (Accumulation(0, None, F(times)),))
    return Recording(tuple(nodes), (F(1), *(F(1),) * times, ones), (sweep,), {"x": array(times)})


def test_sum_of_very_many_terms_stays_small_and_says_how_many_there_are() -> None:
    track = Track(used_often(300), 0)

    page = node_page(track, 0)

    assert len(page["came"]) < 10
    assert len(at(page, "terms", track.length)) == MOST_TERMS
    assert at(page, "came", track.length)["count"] == 300
    assert at(page, "came", track.length - 1)["note"] == "The sum of 300 terms is complete at step 302."


def test_a_line_of_another_file_says_which_and_is_no_line_of_the_script() -> None:
    recording = weighted_sum()
    nodes = list(recording.nodes)
    nodes[2] = nodes[2]._replace(line=None, origin=Origin(file=0, line=7))
    track = Track(replace(recording, nodes=tuple(nodes), sources=(Source("script", "layers.py", ""),)), 0)

    about = at(node_page(track, 2), "about", 0)

    assert about["line"] == 0
    assert about["scope"] == ["layers.py, line 7"]
