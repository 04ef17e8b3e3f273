"""Which box of a changed script's picture is which of the old one."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.playback.matching import NOWHERE, matched
from gradviz.playback.track import Track
from gradviz.recording import Recording, Source
from tests.playback.scoped import Line, blocks, folded, recording, track


def names(of: Track) -> list[str | None]:
    return [of.recording.nodes[node].name for node in of.forward]


def found(old: Track, new: Track) -> dict[str | None, str | None]:
    """By the name of each box of the new picture the name of the old box that it is."""
    before, after = names(old), names(new)
    return {after[i]: None if m == NOWHERE else before[m] for i, m in enumerate(matched(old, new).tolist())}


def of(lines: list[Line], text: str = "") -> Track:
    made = recording(lines)
    return Track(replace(made, source=Source("script", "a.py", text)) if text else made, 0)


def nameless(made: Recording) -> Track:
    """The same without names and lines: only ops and wires tell the boxes apart."""
    nodes = tuple(node._replace(name=None, line=None) for node in made.nodes)
    return Track(replace(made, nodes=nodes), 0)


@st.composite
def programs(draw: st.DrawFn) -> list[Line]:
    """Leaves, then sums and products of what came before, all of it used in the end."""
    lines: list[Line] = [(f"x{i}", "leaf", (), ()) for i in range(draw(st.integers(1, 4)))]
    for number in range(draw(st.integers(2, 14))):
        before = st.sampled_from([line[0] for line in lines])
        lines.append((f"a{number}", draw(st.sampled_from(["add", "mul"])), (draw(before), draw(before)), ()))
    used = {name for line in lines for name in line[2]}
    last = lines[-1][0]
    for number, (name, *_) in enumerate(lines[:-1]):
        if name not in used:
            lines.append((f"end{number}", "add", (last, name), ()))
            last = lines[-1][0]
    return lines


def with_one_more(lines: list[Line], place: int) -> list[Line]:
    """After the line at `place` a product of its value, which all that follows uses instead of it."""
    name = lines[place][0]
    new: Line = ("new", "mul", (name, name), ())
    after = [(n, op, tuple("new" if i == name else i for i in inputs), s) for n, op, inputs, s in lines[place + 1 :]]
    return [*lines[: place + 1], new, *after]


@given(programs())
def test_a_picture_is_itself(lines: list[Line]) -> None:
    for made in (of(lines), nameless(recording(lines))):
        again = Track(replace(made.recording), 0)

        match = matched(made, again).tolist()

        assert sorted(match) == list(range(len(made.forward)))


@settings(max_examples=60)
@given(programs(), st.data())
def test_after_a_line_more_or_less_every_other_box_is_found_under_its_name(lines, data: st.DataObject) -> None:
    more = with_one_more(lines, data.draw(st.integers(0, len(lines) - 1)))
    old, new = of(lines), of(more)

    assert found(old, new) == {name: None if name == "new" else name for name in names(new)}
    assert found(new, old) == {name: name for name in names(old)}


@settings(max_examples=60)
@given(programs(), st.data())
def test_without_names_as_many_are_found_and_none_twice(lines, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(lines) - 1))
    old, new = nameless(recording(lines)), nameless(recording(with_one_more(lines, place)))

    match = matched(old, new)

    known = match[match != NOWHERE].tolist()
    assert len(known) == len(set(known))
    assert len(known) >= len(old.forward) - 1


def test_above_and_below_an_inserted_op_alike_ops_are_told_apart_by_their_wires() -> None:
    before = ["x", *(f"a{number}" for number in range(6))]
    chain: list[Line] = [("x", "leaf", (), ())]
    chain += [(after, "add", (name, name), ()) for name, after in pairwise(before)]
    longer = with_one_more(chain, 3)

    match = matched(nameless(recording(chain)), nameless(recording(longer))).tolist()

    assert match == [0, 1, 2, 3, NOWHERE, 4, 5, 6]


def test_a_renamed_leaf_is_the_same_box() -> None:
    old: list[Line] = [("w", "leaf", (), ()), ("x", "leaf", (), ()), ("y", "mul", ("w", "x"), ())]
    new: list[Line] = [("weight", "leaf", (), ()), ("x", "leaf", (), ()), ("y", "mul", ("weight", "x"), ())]

    assert found(of(old), of(new)) == {"weight": "w", "x": "x", "y": "y"}


def test_lines_are_known_by_their_text_wherever_they_stand() -> None:
    lines: list[Line] = [("x", "leaf", (), ()), ("y", "mul", ("x", "x"), ()), ("z", "mul", ("y", "y"), ())]
    first = of(lines, "x = leaf()\ny = x * x\nz = y * y")
    moved = of(lines, "# a note\n" + "x = leaf()\ny = x * x\nz = y * y")
    nodes = tuple(node._replace(line=node.line + 1 if node.line else None) for node in moved.recording.nodes)

    match = matched(first, Track(replace(moved.recording, nodes=nodes), 0))

    assert match.tolist() == [0, 1, 2]


def test_a_folded_group_is_known_by_its_key() -> None:
    old, new = folded(track(blocks(2)), "layers.1"), folded(track(blocks(3)), "layers.1")

    match = matched(old, new)

    assert (
        match[new.index_of[new.box_of_group(new.groups.number_of[("net", "layers.1")])]]
        == old.index_of[old.box_of_group(old.groups.number_of[("net", "layers.1")])]
    )


def test_nothing_in_common_is_found_nowhere() -> None:
    old: list[Line] = [("a", "constant", (), ()), ("b", "constant", (), ())]
    new: list[Line] = [("x", "leaf", (), ()), ("y", "mul", ("x", "x"), ())]

    assert np.array_equal(matched(of(old), of(new)), [NOWHERE, NOWHERE])
