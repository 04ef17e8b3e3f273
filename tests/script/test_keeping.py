"""Of a long run the first, the last and every nth backward call are kept; what is printed does not depend on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradviz.formats import load, save
from gradviz.recording import Recording, check
from gradviz.imitation.script.limits import keeping
from gradviz.imitation.script.limits.keeping import Keep
from gradviz.imitation.script.machine import Limits
from gradviz.imitation.script.run import Run, run

LOOP = """
import torch
w = torch.tensor([1., 2.], requires_grad=True)
losses = []
for i in range({rounds}):
    loss = (w * w).sum() * 0.5
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None
    losses.append({kept})
print(w, losses[3], len(losses), losses[0].grad_fn is None)
"""


def ran(text: str, keep: Keep | None = None) -> Run:
    result = run(text, seed=0, limits=Limits(keep=keep or Keep()))
    assert result.error is None
    check(result.recording)
    return result


def loop(rounds: int, keep: Keep | None = None, kept: str = "loss.item()") -> Run:
    text = LOOP.format(rounds=rounds, kept=kept).replace("losses[0].grad_fn is None", "0" if "item" in kept else "1")
    return ran(text, keep)


def numbers(recording: Recording) -> list[int]:
    return [recording.number(i) for i in range(len(recording.sweeps))]


def test_few_backward_calls_are_all_kept() -> None:
    recording = loop(50).recording

    assert (numbers(recording), recording.kept, recording.thinned) == (list(range(1, 51)), "", None)


def test_of_many_the_first_the_last_and_every_nth_are_kept() -> None:
    recording = loop(502).recording

    assert numbers(recording) == [*range(1, 502, 5), 502]
    assert recording.kept == "Kept 102 of 502 backward calls: the first, the last and every 5th."


def test_what_is_kept_does_not_grow_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "BATCH_NODES", 100)
    machines = [loop(rounds, Keep(sweeps=20)).machine for rounds in (400, 1200)]

    short, long = (
        (len(m.tape.entries) - m.tape.holes, len(m.marks), len(m.levels), len(m.tape.freed), len(m.tape.lines))
        for m in machines
        if m is not None
    )
    assert all(b <= 1.5 * a + 10 for a, b in zip(short, long, strict=True))


def test_large_values_make_fewer_calls_stay() -> None:
    text = (
        "import torch\nw = torch.ones(250_000, requires_grad=True)\n"
        "for i in range(12):\n    (w * 2).sum().backward()\nprint(w.grad[0])"
    )

    recording = ran(text, Keep(megabytes=20)).recording

    assert numbers(recording) == [1, 6, 11, 12]
    assert recording.output == "tensor(24.)\n"


@pytest.mark.parametrize("kept", ["loss.item()", "loss", "loss.detach()"])
def test_what_is_printed_does_not_depend_on_what_is_kept(kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "BATCH_NODES", 1)

    assert loop(30, Keep(sweeps=2), kept).recording.output == loop(30, kept=kept).recording.output


def test_kept_call_has_the_picture_and_the_steps_it_has_in_a_whole_recording() -> None:
    whole, thin = loop(60).recording, loop(60, Keep(sweeps=10)).recording

    assert numbers(thin) == [1, 11, 21, 31, 41, 51, 60]
    for index, number in enumerate(numbers(thin)):
        pictures = [
            [(r.nodes[i]._replace(id=0, inputs=()), str(r.values[i])) for i in r.picture(sweep)]
            for r, sweep in ((whole, number - 1), (thin, index))
        ]
        steps = [
            [(r.nodes[step.node].op, str(step.incoming), str(step.outgoing)) for step in r.sweeps[sweep].steps]
            for r, sweep in ((whole, number - 1), (thin, index))
        ]
        assert pictures[0] == pictures[1]
        assert steps[0] == steps[1]


def test_calls_of_one_round_are_kept_or_dropped_together() -> None:
    text = (
        "import torch\na = torch.ones(1, requires_grad=True)\n"
        "for i in range(30):\n    (a * 2).backward()\n    (a * 3).backward()"
    )

    recording = ran(text, Keep(sweeps=12)).recording

    assert numbers(recording) == [1, 2, 11, 12, 21, 22, 31, 32, 41, 42, 51, 52, 59, 60]
    assert recording.kept == (
        "Kept 14 of 60 backward calls: the first, the last and those of every 5th round of the loop."
    )


def test_call_that_was_asked_for_is_kept_besides() -> None:
    recording = loop(60, Keep(sweeps=3, pinned=frozenset({17}))).recording

    assert 17 in numbers(recording)
    assert numbers(recording) == [1, 17, 51, 60]


def test_value_out_of_a_dropped_call_is_a_constant_that_says_so() -> None:
    text = LOOP.format(rounds=40, kept="loss") + "total = losses[3] + losses[4]\nprint(total)"

    recording = ran(text, Keep(sweeps=3)).recording
    cut = [node for node in recording.nodes if "from" in node.params]

    assert [(node.op, node.params["from"]) for node in cut] == [
        ("constant", "mul of a backward call that was not kept")
    ] * 2
    assert recording.nodes[-1].inputs == tuple(node.id for node in cut)


def test_evaluation_between_dropped_calls_is_in_no_picture() -> None:
    text = (
        "import torch\nw = torch.ones(2, requires_grad=True)\nseen = []\n"
        "for i in range(30):\n    (w * 2).sum().backward()\n    seen.append((w * 3).exp())\n"
    )

    recording = ran(text, Keep(sweeps=3)).recording

    assert [len(recording.picture(i)) for i in range(len(recording.sweeps))] == [4, 7, 7, 7]


def test_another_seed_can_be_tried_on_a_thinned_run() -> None:
    text = "import torch\nw = torch.ones(2, requires_grad=True)\nfor i in range(60):\n    (w * i).sum().backward()"
    result = ran(text, Keep(sweeps=3))
    output = result.recording.sweeps[-1].outputs[0]

    sweep = result.with_seed(output, np.float32(2)).sweeps[-1]

    ours = {result.recording.nodes[step.node].op: step.incoming for step in sweep.steps}
    kept = {result.recording.nodes[step.node].op: step.incoming for step in result.recording.sweeps[-1].steps}
    np.testing.assert_allclose(ours["leaf"], 2 * np.asarray(kept["leaf"]))


def test_error_after_a_drop_names_its_node() -> None:
    result = run(
        LOOP.format(rounds=40, kept="loss") + "w.sum().backward()\n(w * 2).backward()", limits=Limits(keep=Keep(3))
    )

    problem = result.recording.problem
    assert problem is not None
    assert problem.node is not None
    assert result.recording.nodes[problem.node].op == "mul"
    assert result.recording.nodes[problem.node].id == len(result.recording.nodes) - 1


def test_thinned_recording_is_saved_whole(tmp_path: Path) -> None:
    recording = loop(60, Keep(sweeps=3)).recording

    save(recording, tmp_path / "run.json")
    again = load(tmp_path / "run.json")

    assert (again.thinned, again.kept, numbers(again)) == (recording.thinned, recording.kept, numbers(recording))
    assert [again.picture(i) for i in range(3)] == [recording.picture(i) for i in range(3)]


def test_backward_inside_a_backward_hook_is_counted_and_drops_nothing_under_way() -> None:
    text = """
import torch
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
def hook(g):
    with torch.enable_grad():
        for _ in range(8):
            (y * y).sum().backward()
for i in range(3):
    h = x * 2
    h.register_hook(hook)
    (h * h).sum().backward()
print(x.grad, y.grad)
"""

    recording = ran(text, Keep(sweeps=2)).recording

    assert recording.output == "tensor([24., 24.]) tensor([48., 48.])\n"
    assert recording.thinned is not None
    assert recording.thinned.calls == 27


@pytest.mark.parametrize("given", ["torch.tensor(5.)", "torch.ones(3, dtype=torch.float64)"])
def test_memory_of_another_shape_changes_nothing_that_was_recorded(given: str) -> None:
    recording = run(f"import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\nx.data = {given}\n").recording

    check(recording)
    product = next(node for node in recording.nodes if node.op == "mul")
    assert (product.shape, recording.nodes[product.inputs[0]].shape, product.dtype) == ((2,), (2,), "float32")
