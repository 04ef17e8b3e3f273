"""The history of a document against a plain list of its states."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gradviz.playback.conditions.breakpoints import on_line
from gradviz.playback.groups.folding import Folding
from gradviz.ui.session.document import HandSeed
from gradviz.ui.session.history import History, Snapshot, Wanted

SNAPSHOTS = st.builds(
    Snapshot,
    text=st.sampled_from(["", "a", "a\nb"]),
    breakpoints=st.sampled_from([(), (on_line(1),), (on_line(1), on_line(2))]),
    seeds=st.sampled_from([(), (HandSeed(3, "y", np.array([1.0, np.nan])),), (HandSeed(3, "y", np.ones(2)),)]),
    folding=st.sampled_from([None, Folding(), Folding(frozenset({("f",)}))]),
)  # fmt: skip


def put(there: Snapshot, wanted: Wanted | None) -> Snapshot:
    """What is there once the wanted fields are put in place, and no others."""
    if wanted is None:
        return there
    changed = {field: getattr(wanted.target, field) for field in wanted.fields}
    return Snapshot(**{field: getattr(there, field) for field in ("text", "breakpoints", "seeds", "folding")} | changed)


def same(one: Snapshot, other: Snapshot) -> bool:
    return not one.differences(other)


@given(SNAPSHOTS, st.lists(st.one_of(SNAPSHOTS, st.sampled_from(["undo", "redo"])), max_size=40))
def test_undo_and_redo_walk_along_the_states_there_were(first, events):
    history = History(first)
    states, at, there = [first], 0, first

    for number, event in enumerate(events):
        if event == "undo":
            there = put(there, history.undo())
            at = max(at - 1, 0)
        elif event == "redo":
            there = put(there, history.redo())
            at = min(at + 1, len(states) - 1)
        elif history.note(f"change {number}", event):
            states = [*states[: at + 1], event]
            at, there = at + 1, event
        history.see(there)

        assert same(there, states[at])
        assert bool(history.undoes) == (at > 0)
        assert bool(history.redoes) == (at < len(states) - 1)


def test_what_was_no_wish_is_not_taken_back():
    history = History(Snapshot("a"))
    history.note("edit", Snapshot("b"))
    history.see(Snapshot("b", folding=Folding()))

    assert history.undo() == Wanted(Snapshot("a"), frozenset({"text"}))
