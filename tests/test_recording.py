"""The rules of a recording: `check` takes what an engine or PyTorch's recorder leaves, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gradviz.errors import GraphError
from gradviz.playback.sentence import sentence
from gradviz.playback.track import Track
from gradviz.recording import (
    OUTPUT,
    Accumulation,
    Broken,
    Node,
    Origin,
    Problem,
    Read,
    Recording,
    Source,
    Step,
    Summaries,
    Summary,
    Sweep,
    Thinned,
    check,
)
from tests.samples import F, array, weighted_sum

OF_TWO = Summary((2,), "float32", norm=2.0)
OF_ONE = Summary((), "float32", norm=1.0)


def two_outputs() -> Recording:
    """a, b = x.unbind(0); (a * b).backward() at x = [2, 3], as PyTorch has it."""
    nodes = (
        Node(0, "leaf", shape=(2,), name="x", requires_grad=True),
        Node(1, "unbind", (0,), requires_grad=True, origin=Origin(backward_node="UnbindBackward0", outputs=2)),
        Node(2, OUTPUT, (1,), {"index": 0}, name="a", requires_grad=True),
        Node(3, OUTPUT, (1,), {"index": 1}, name="b", requires_grad=True),
        Node(4, "mul", (2, 3), requires_grad=True),
    )
    steps = (
        Step(4, F(1), (F(3), F(2))),
        Step(2, F(3), (F(3),)),
        Step(3, F(2), (F(2),)),
        Step(1, None, (array(3, 2),)),
        Step(0, array(3, 2)),
    )
    sweep = Sweep((4,), (F(1),), steps, (Accumulation(0, None, array(3, 2)),))
    return Recording(nodes, (array(2, 3), None, F(2), F(3), F(6)), (sweep,))


def longer_outputs() -> Recording:
    """The same with outputs of shape (2,): what they send on has their own shape, and the op behind them has none."""
    made = two_outputs()
    nodes = [node._replace(shape=(2,)) if node.op in (OUTPUT, "mul") else node for node in made.nodes]
    steps = [
        Step(step.node, None if step.node == 1 else array(1, 1), tuple(array(1, 1) for _ in step.outgoing))
        for step in made.sweeps[0].steps
    ]
    sweep = replace(made.sweeps[0], seeds=(array(1, 1),), steps=tuple(steps))
    values = (array(2, 3), None, array(1, 1), array(1, 1), array(1, 1))
    return replace(made, nodes=tuple(nodes), values=values, sweeps=(sweep,))


def with_sweep(**changes: Any) -> Recording:
    recording = weighted_sum()
    return replace(recording, sweeps=(replace(recording.sweeps[0], **changes),))


def without_numbers() -> Recording:
    """`weighted_sum` of which nothing was kept but summaries."""
    made = weighted_sum()
    sweep = made.sweeps[0]
    steps = tuple(Step(step.node, None, (None,) * len(step.outgoing)) for step in sweep.steps)
    kept = Summaries(
        {0: OF_ONE},
        {4: OF_ONE, 3: OF_TWO, 1: OF_TWO, 0: OF_TWO},
        {(4, 0): OF_TWO, (3, 0): OF_TWO, (1, 0): OF_TWO, (1, 1): OF_TWO},
        {},
        {0: OF_TWO},
    )
    sweep = replace(sweep, seeds=(None,), steps=steps, accumulated=(Accumulation(0, None, None),), summaries=kept)
    shapes = {node.id: OF_TWO if node.shape else OF_ONE for node in made.nodes}
    return replace(made, values=(None,) * 5, sweeps=(sweep,), summaries=shapes, gradients={"x": None},
                   gradient_summaries={"x": OF_TWO})  # fmt: skip


@pytest.mark.parametrize("recording", [Recording(), weighted_sum(), two_outputs(), longer_outputs(), without_numbers()])
def test_what_keeps_the_rules_is_taken(recording: Recording) -> None:
    assert check(recording) is recording


WRONG: dict[str, tuple[Recording, str]] = {
    "kept and summed up": (replace(weighted_sum(), summaries={0: OF_TWO}), "is kept, but has a summary too"),
    "summary of another shape": (
        replace(without_numbers(), summaries={0: OF_ONE}),
        "the summary of the value of node 0 has shape scalar",
    ),
    "summary of no node": (replace(weighted_sum(), summaries={9: OF_ONE}), "there is a summary of node 9"),
    "gradient that is there": (replace(weighted_sum(), gradient_summaries={"x": OF_TWO}), "the gradient of x"),
    "incoming kept and summed up": (with_sweep(summaries=Summaries(incoming={3: OF_TWO})), "is kept, but has"),
    "outgoing of no slot": (with_sweep(summaries=Summaries(outgoing={(3, 7): OF_TWO})), "to input 7"),
    "outgoing of another shape": (
        with_sweep(summaries=Summaries(outgoing={(3, 1): OF_ONE})),
        "the summary of backward 1: the gradient from node 3 to node 2 has shape scalar",
    ),
    "summary at no step": (with_sweep(summaries=Summaries(incoming={2: OF_TWO})), "what it does not have, at node 2"),
    "summary of no .grad": (with_sweep(summaries=Summaries(after={3: OF_TWO})), "what it does not have, at node 3"),
    "seed of no output": (with_sweep(summaries=Summaries(seeds={4: OF_ONE})), "what it does not have"),
    "no seed": (with_sweep(seeds=(None,)), "the seed of node 4 is neither kept nor summed up"),
    "hooked at no step": (with_sweep(hooked=frozenset({2})), "what it does not have, at node 2"),
    "read at no step": (with_sweep(read={(2, 2): Read(None)}), "what it does not have, at node 2"),
    "read of a stranger": (with_sweep(read={(3, 0): Read(None)}), "node 3 read node 0, which is neither"),
    "read in another shape": (with_sweep(read={(3, 1): Read(F(1))}), "what node 3 read of node 1 has shape scalar"),
    "failed nowhere": (with_sweep(error=Broken("no", 9)), "backward 1 names node 9"),
    "inside of nothing": (with_sweep(inside=3), "ran inside of sweep 3"),
    "file of nobody": (with_sweep(file=0), "is of file 0"),
    "node of a file of nobody": (
        replace(weighted_sum(), nodes=(weighted_sum().nodes[0]._replace(origin=Origin(file=1)), *weighted_sum().nodes[1:]),
                sources=(Source("script", "a.py", ""),)),
        "node 0 is of file 1, but there are 1 more files",
    ),
    "error at no node": (replace(weighted_sum(), problem=Problem("no", node=5)), "the error is at node 5"),
    "several outputs and a value": (
        replace(two_outputs(), values=(array(2, 3), F(1), F(2), F(3), F(6))),
        "has 2 outputs, so it has no value of its own",
    ),
    "an output sends another shape": (
        replace(longer_outputs(), sweeps=(replace(longer_outputs().sweeps[0], steps=(
            Step(2, array(1, 1), (array(1, 1, 1),)),)),)),
        "the gradient from node 2 to node 1 has shape (3,), but the node has shape (2,)",
    ),
    "an op is no output": (
        replace(longer_outputs(), nodes=(*longer_outputs().nodes[:2],
                longer_outputs().nodes[2]._replace(op="neg"), *longer_outputs().nodes[3:])),
        "the gradient from node 2 to node 1 has shape (2,), but the node has shape scalar",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_breaks_a_rule_is_said(case: str) -> None:
    recording, words = WRONG[case]

    with pytest.raises(GraphError) as refused:
        check(recording)

    assert words in refused.value.message


def test_a_gradient_that_was_not_kept_flows_all_the_same() -> None:
    kept, summed_up = Track(weighted_sum(), 0), Track(without_numbers(), 0)

    assert summed_up.edge_carries.tolist() == kept.edge_carries.tolist()
    for position in range(kept.length + 1):
        assert summed_up.edge_states(position).tolist() == kept.edge_states(position).tolist()
        assert "nothing" not in sentence(summed_up, position)[0]
    assert sentence(summed_up, summed_up.length)[0] == (
        "x receives 2 numbers of norm 2 and 2 numbers of norm 2, together 2 numbers of norm 2; x.grad was None and is "
        "now 2 numbers of norm 2."
    )


def test_a_pass_that_failed_says_where() -> None:
    recording = with_sweep(error=Broken("RuntimeError: changed in place", 1), steps=weighted_sum().sweeps[0].steps[:2])

    said = sentence(Track(recording, 0), Track(recording, 0).length)[1]

    assert said == "The backward pass stopped at x·x: RuntimeError: changed in place"


@pytest.mark.parametrize(
    ("thinned", "kept", "said"),
    [
        (Thinned(60, 1), 59, "the first and the last."),
        (Thinned(60, 2), 31, "the first, the last and every 2nd."),
        (Thinned(60, 3, last=False), 20, "the first and every 3rd."),
        (Thinned(60, 11, in_rounds=True), 6, "the first, the last and those of every 11th round of the loop."),
        (Thinned(60, 21, about=True), 4, "the first, the last and about every 21st."),
        (Thinned(60, 30, about=True), 2, "the first and the last."),
        (Thinned(60, 30, limit="memory", most=1000), 2, "the first and the last. More do not fit into 1,000 MB."),
        (
            Thinned(60, 30, limit="keep", most=3),
            3,
            "the first, the last and every 30th. No more than 3 were asked for.",
        ),
        (
            Thinned(60, 9, first=False, not_finite=38),
            9,
            "the last, call 38 (the first that is not finite) and every 9th.",
        ),
        (Thinned(60, 9, not_finite=1), 9, "the first, the last and every 9th."),
        (Thinned(3, 1, first=False, last=False), 1, ""),
    ],
)
def test_what_was_kept_is_said_in_ordinals_with_what_bound_it(thinned: Thinned, kept: int, said: str) -> None:
    end = f": {said}" if said else "."
    assert thinned.text(kept) == f"Kept {kept} of {thinned.calls} backward calls{end}"


def test_what_is_not_promised_is_not_kept() -> None:
    assert Thinned(100, 4).text(26) == "Kept 26 of 100 backward calls: the first, the last and every 4th."
    assert Thinned(100, 4, last=False).text(25) == "Kept 25 of 100 backward calls: the first and every 4th."
