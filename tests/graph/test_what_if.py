"""A number that is changed afterwards gives what a fresh run with that number, or with that hook, gives."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.changes import Change, Spot, WhatIf, array_at, number_at
from gradviz.errors import Cancelled, GradvizError
from gradviz.graph.what_if import TOO_LARGE, Recalculation
from gradviz.recording import Recording, check
from tests.formats.recordings import recordings
from tests.recorded import run
from tests.samples import array, weighted_sum

EDITS = 100
HEAD = "import torch\ntorch.set_default_dtype(torch.float64)\n"
UNARY = ("tanh", "sin", "exp", "sigmoid", "relu", "square", "abs", "softplus", "cos", "neg")
BINARY = ("+", "-", "*", "/")
OF_ROWS = ("{a}.sum()", "{a}.mean()", "{a}.prod()", "{a}.max()", "{a}.softmax(0).sum()", "({a} @ {b})", "{a}.norm()")
ENDINGS = (
    "loss.backward()",
    "loss.backward(retain_graph=True)\nloss.backward()",
    "torch.autograd.grad(loss, x0)",
)


@dataclass(frozen=True)
class Script:
    """A straight-line script: the lines of its leaves, those of what is computed, and those that end it.

    Attributes:
        leaves: numbers by name.
        lines: of what is computed, with the name each gives.
    """

    leaves: dict[str, list[float]]
    lines: tuple[tuple[str, str], ...]
    ending: str

    def text(self, after: str = "", line: str = "", end: str = "") -> str:
        """The script; `line` comes after the line that gives the name `after`, and `end` after it all."""
        made = [f"{name} = torch.tensor({numbers}, requires_grad=True)" for name, numbers in self.leaves.items()]
        parts = []
        for name, code in (*((name, "") for name in self.leaves), *self.lines):
            parts += [f"{name} = {code}"] if code else []
            parts += [line] if name == after else []
        return "\n".join((HEAD, *made, *parts, self.ending, end))


def random_script(seed: int, *, with_choice: bool = True) -> Script:
    """A random script of vectors of three and of single numbers; `with_choice`: with comparisons, made once."""
    rng = random.Random(seed)
    leaves = {f"x{i}": [round(rng.uniform(-2, 2), 3) for _ in range(3)] for i in range(rng.randint(1, 3))}
    rows, lines = list(leaves), []
    for number in range(rng.randint(3, 9)):
        a, b = rng.choice(rows), rng.choice(rows)
        if rng.random() < 0.5:
            code = f"torch.nn.functional.{op}({a})" if (op := rng.choice(UNARY)) == "softplus" else f"torch.{op}({a})"
        elif (op := rng.choice(BINARY)) == "/":
            code = f"{a} / ({b}.square() + 1)"
        elif with_choice and rng.random() < 0.3:
            code = f"torch.where({a} > {b}, {a}, {b} {op} {a})"
        elif rng.random() < 0.3:
            code = f"{a}.flip(0) {op} {b}[1]"
        else:
            code = f"{a} {op} {b}"
        lines.append((f"t{number}", code))
        rows.append(f"t{number}")
    sums = []
    for number in range(rng.randint(1, 3)):
        code = rng.choice(OF_ROWS).format(a=rng.choice(rows), b=rng.choice(rows[-3:]))
        lines.append((f"s{number}", code))
        sums.append(f"s{number}")
    lines.append(("loss", " + ".join([f"({rows[-1]} * x0).sum()", *sums])))
    return Script(leaves, tuple(lines), rng.choice(ENDINGS))


def assert_alike(ours: Recording, fresh: Recording) -> None:
    """The same graph with the same numbers, but for rounding."""
    assert fresh.problem is None
    assert [(node.op, node.inputs) for node in ours.nodes] == [(node.op, node.inputs) for node in fresh.nodes]
    for node, (value, expected_value) in enumerate(zip(ours.values, fresh.values, strict=True)):
        assert_close(value, expected_value, f"the value of node {node}")
    assert len(ours.sweeps) == len(fresh.sweeps)
    for index, (one, other) in enumerate(zip(ours.sweeps, fresh.sweeps, strict=True)):
        assert [step.node for step in one.steps] == [step.node for step in other.steps]
        for step, expected in zip(one.steps, other.steps, strict=True):
            assert_close(step.incoming, expected.incoming, f"call {index}: what comes in at node {step.node}")
            for slot, pair in enumerate(zip(step.outgoing, expected.outgoing, strict=True)):
                assert_close(*pair, f"call {index}: what node {step.node} sends to input {slot}")
        for entry, expected_entry in zip(one.accumulated, other.accumulated, strict=True):
            assert_close(entry.before, expected_entry.before, f"call {index}: .grad before at node {entry.node}")
            assert_close(entry.after, expected_entry.after, f"call {index}: .grad after at node {entry.node}")
    assert ours.gradients.keys() == fresh.gradients.keys()
    for name, gradient in ours.gradients.items():
        assert_close(gradient, fresh.gradients[name], f"{name}.grad at the end")


def assert_close(one, other, what):
    assert (one is None) == (other is None), what
    if one is not None:
        assert (one.dtype, one.shape) == (other.dtype, other.shape), what
        largest = float(np.max(np.abs(other), initial=1.0)) if other.dtype.kind == "f" else 1.0
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13 * largest, err_msg=what)


def literal(array) -> str:
    return f"torch.tensor({array.tolist()!r})"


# ---- edited gradients and edited leaves against a fresh run ----


@pytest.mark.parametrize("seed", range(EDITS))
def test_an_edited_gradient_gives_what_a_fresh_run_with_that_tensor_hook_gives(seed):
    script, rng = random_script(seed), random.Random(seed)
    recording = run(script.text()).recording
    assert recording.problem is None
    calls = len(recording.sweeps)
    sweep = rng.randrange(calls)
    names = {name for name, _ in script.lines} | set(script.leaves)
    steps = [step for step in recording.sweeps[sweep].steps if recording.nodes[step.node].name in names]
    step = rng.choice(steps)
    node = recording.nodes[step.node]
    spot = Spot(node.id, rng.randrange(step.incoming.size), sweep)
    number = round(rng.uniform(-3, 3), 3)

    edited = np.array(step.incoming)
    edited.reshape(-1)[spot.element] = number
    # A hook is called in each pass, and this is of one pass alone.
    hook = (
        f"calls = []\ndef edit(g):\n    calls.append(1)\n"
        f"    return {literal(edited)} if len(calls) == {sweep + 1} else g\n{node.name}.register_hook(edit)"
    )
    fresh = run(script.text(node.name, hook)).recording
    applied = Recalculation(recording).apply(WhatIf((Change(spot, number),)))

    assert applied.kept == ()
    assert_alike(check(applied.recording), fresh)


@pytest.mark.parametrize("seed", range(EDITS))
def test_an_edited_leaf_gives_what_a_fresh_run_with_that_number_gives(seed):
    script, rng = random_script(1_000 + seed, with_choice=False), random.Random(seed)
    recording = run(script.text()).recording
    what_if, leaves = WhatIf(), {name: list(numbers) for name, numbers in script.leaves.items()}
    for _ in range(rng.randint(1, 3)):
        name, element = rng.choice(list(leaves)), rng.randrange(3)
        number = rng.uniform(-2, 2)
        leaves[name][element] = number
        node = next(node.id for node in recording.nodes if node.op == "leaf" and node.name == name)
        what_if = what_if.changed(Spot(node, element), number)

    applied = Recalculation(recording).apply(what_if)
    fresh = run(replace(script, leaves=leaves).text()).recording

    assert applied.kept == ()
    assert_alike(check(applied.recording), fresh)


@pytest.mark.parametrize("seed", range(30))
def test_an_edited_edge_gives_what_a_hook_of_the_node_gives(seed):
    script, rng = random_script(2_000 + seed), random.Random(seed)
    script = replace(script, ending="loss.backward()")
    recording = run(script.text()).recording
    names = {name for name, _ in script.lines}
    steps = [step for step in recording.sweeps[0].steps if recording.nodes[step.node].name in names]
    step = rng.choice([step for step in steps if any(out is not None for out in step.outgoing)])
    node = recording.nodes[step.node]
    slot = rng.choice([at for at, out in enumerate(step.outgoing) if out is not None])
    spot, number = Spot(node.id, rng.randrange(step.outgoing[slot].size), 0, slot), round(rng.uniform(-3, 3), 3)

    edited = np.array(step.outgoing[slot])
    edited.reshape(-1)[spot.element] = number
    hook = (
        f"def edit(sent, came):\n    return tuple([{literal(edited)} if i == {slot} else g for i, g in enumerate(sent)])\n"
        f"{node.name}.grad_fn.register_hook(edit)"
    )
    applied = Recalculation(recording).apply(WhatIf((Change(spot, number),)))

    assert applied.kept == ()
    assert_alike(check(applied.recording), run(script.text(node.name, hook)).recording)


@pytest.mark.parametrize("seed", range(0, EDITS, 4))
def test_an_edited_gradient_gives_what_real_pytorch_gives_with_that_hook(seed):
    torch = pytest.importorskip("torch")
    script, rng = replace(random_script(3_000 + seed), ending="loss.backward()"), random.Random(seed)
    recording = run(script.text()).recording
    names = {name for name, _ in script.lines} | set(script.leaves)
    step = rng.choice([each for each in recording.sweeps[0].steps if recording.nodes[each.node].name in names])
    node, number = recording.nodes[step.node], round(rng.uniform(-3, 3), 3)
    edited = np.array(step.incoming)
    edited.reshape(-1)[-1] = number
    hook = f"{node.name}.register_hook(lambda g: {literal(edited)})"

    applied = Recalculation(recording).apply(WhatIf((Change(Spot(node.id, edited.size - 1, 0), number),)))
    made: dict[str, object] = {}
    usual = torch.get_default_dtype()
    try:
        exec(compile(script.text(node.name, hook), "script.py", "exec"), made)
    finally:
        torch.set_default_dtype(usual)

    for name, gradient in applied.recording.gradients.items():
        theirs = made[name].grad
        assert (theirs is None) == (gradient is None)
        if theirs is not None:
            assert_close(gradient, theirs.numpy(), name)


@settings(max_examples=60, deadline=None)
@given(recordings(), st.data())
def test_any_recording_takes_any_change_or_refuses_it_in_a_sentence(recording, data):
    count = len(recording.nodes)
    spots = st.builds(
        Spot,
        st.integers(0, max(count, 1)),
        st.integers(0, 8),
        st.none() | st.integers(0, len(recording.sweeps)),
        st.none() | st.integers(0, 2),
    )
    changes = data.draw(st.lists(st.tuples(spots, st.floats(width=32)), max_size=3))
    what_if = WhatIf()
    for spot, number in changes:
        what_if = what_if.changed(spot, number)
    try:
        applied = Recalculation(recording).apply(what_if)
    except GradvizError:
        return
    check(applied.recording)


# ---- what is kept of the run ----


def leaf(recording: Recording, name: str) -> int:
    return next(node.id for node in recording.nodes if node.is_leaf and node.name == name)


def test_no_change_is_the_recording_itself_and_a_change_leaves_it_alone():
    recording = weighted_sum()
    whole = Recalculation(recording)
    assert whole.apply(WhatIf()).recording is recording
    changed = whole.apply(WhatIf((Change(Spot(0, 1), 3.0),))).recording
    assert recording.values[0].tolist() == [-1, 2]
    assert changed.values[0].tolist() == [-1, 3]
    assert float(changed.values[4]) == 3 + 45
    assert changed.gradients["x"].tolist() == [-6, 30]
    assert changed.sweeps[0].accumulated[0].after.tolist() == [-6, 30]
    assert changed.nodes is recording.nodes
    assert number_at(changed, Spot(0, 1)) == 3


def test_the_state_is_that_of_recording_and_what_if_whatever_was_asked_before():
    recording = weighted_sum()
    one, other = WhatIf().changed(Spot(0, 1), 3.0), WhatIf().changed(Spot(3, 0, 0), 7.0)
    asked_before = Recalculation(recording)
    asked_before.apply(other)
    asked_before.apply(one.changed(Spot(2, 0), float("nan")))
    assert_alike(asked_before.apply(one).recording, Recalculation(recording).apply(one).recording)


def test_a_custom_function_keeps_its_value_and_what_it_sends():
    text = """
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, g):
        return 2 * g
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * x
t = Twice.apply(h)
y = (t * t).sum()
y.backward()
"""
    recording = run(text).recording
    applied = Recalculation(recording).apply(WhatIf().changed(Spot(leaf(recording, "x"), 0), 5.0))
    twice = next(node.id for node in recording.nodes if node.op == "Twice")
    assert [kept.node for kept in applied.kept] == [twice]
    assert applied.recording.values[twice] is recording.values[twice]
    assert applied.recording.values[1].tolist() == [25, 4]
    edited = Recalculation(recording).apply(WhatIf().changed(Spot(len(recording.nodes) - 1, 0, 0), 10.0))
    assert [(kept.node, "rule" in kept.why) for kept in edited.kept] == [(twice, True)]
    assert edited.recording.gradients["x"].tolist() == recording.gradients["x"].tolist()


CUSTOM = """
import torch
class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, k):
        ctx.save_for_backward(a, b)
        ctx.k = k
        return a * b + k
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, None if ctx.k == 7 else g * a, None
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
h = Pair.apply(x * x, w, 5)
t = Pair.apply(h, w, 7)
y = (t * t).sum()
{hook}
y.backward()
"""


@pytest.mark.parametrize("name", ["y", "t", "h"])
def test_the_backward_of_a_custom_function_runs_in_the_process_of_the_script(name):
    ran = run(CUSTOM.format(hook=""))
    node = next(node for node in ran.recording.nodes if node.name == name)
    step = ran.recording.sweeps[0].steps[ran.recording.sweeps[0].step_of[node.id]]
    edited = np.array(step.incoming)
    edited.reshape(-1)[0] = -3.0

    applied = Recalculation(ran.recording, ran.ask).apply(WhatIf().changed(Spot(node.id, 0, 0), -3.0))
    fresh = run(CUSTOM.format(hook=f"{name}.register_hook(lambda g: {literal(edited)})")).recording

    assert applied.kept == ()
    assert_alike(check(applied.recording), fresh)


def test_a_custom_function_whose_values_have_changed_is_not_asked():
    ran = run(CUSTOM.format(hook=""))
    asked = []
    recalculation = Recalculation(ran.recording, lambda *question: asked.append(question))
    applied = recalculation.apply(WhatIf().changed(Spot(leaf(ran.recording, "x"), 0), 5.0))
    assert [ran.recording.nodes[kept.node].op for kept in applied.kept] == ["Pair"]
    assert asked == []


def test_a_run_that_has_ended_leaves_the_numbers_of_the_run():
    ran = run(CUSTOM.format(hook=""))

    def gone(*_question):
        raise GradvizError("the process of this run has ended")

    spot = Spot(len(ran.recording.nodes) - 1, 0, 0)
    applied = Recalculation(ran.recording, gone).apply(WhatIf().changed(spot, 9.0))
    assert [ran.recording.nodes[kept.node].name for kept in applied.kept] == ["t"]


def test_what_a_hook_changed_keeps_its_gradient():
    text = (
        "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\nh = x * 3\nh.register_hook(lambda g: g * 10)\n"
        "y = (h * h).sum()\ny.backward()\n"
    )
    recording = run(text).recording
    h = next(node.id for node in recording.nodes if node.name == "h")
    applied = Recalculation(recording).apply(WhatIf().changed(Spot(len(recording.nodes) - 1, 0, 0), 2.0))
    assert [(kept.node, "hook" in kept.why) for kept in applied.kept] == [(h, True)]
    assert applied.recording.gradients["x"].tolist() == recording.gradients["x"].tolist()


def test_what_a_hook_of_a_node_sends_is_kept():
    text = (
        "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\nh = x * x\n"
        "h.grad_fn.register_hook(lambda sent, came: (sent[0] * 10, sent[1]))\ny = (h * h).sum()\ny.backward()\n"
    )
    recording = run(text).recording
    h = next(node.id for node in recording.nodes if node.name == "h")
    applied = Recalculation(recording).apply(WhatIf().changed(Spot(h, 0, 0), 1.0))
    assert [(kept.node, "rule" in kept.why) for kept in applied.kept] == [(h, True)]
    assert applied.recording.sweeps[0].steps[applied.recording.sweeps[0].step_of[h]].incoming.tolist() == [1, 8]
    assert applied.recording.gradients["x"].tolist() == recording.gradients["x"].tolist()


def test_a_value_that_our_forward_does_not_give_is_kept():
    recording = weighted_sum()
    written = array(7, 7)
    recording = replace(recording, values=(*recording.values[:1], written, *recording.values[2:]))
    applied = Recalculation(recording).apply(WhatIf().changed(Spot(0, 0), 5.0))
    assert applied.recording.values[1] is written
    assert "forward" in next(kept.why for kept in applied.kept if kept.node == 1)
    assert applied.recording.values[4] is recording.values[4]


def test_a_write_through_a_view_is_made_again():
    text = (
        "import torch\nx = torch.tensor([1.0, {}], requires_grad=True)\nh = x * 3\nh[0] = x[1]\ny = (h * h).sum()\n"
        "y.backward()\n"
    )
    recording = run(text.format(2.0)).recording
    applied = Recalculation(recording).apply(WhatIf().changed(Spot(leaf(recording, "x"), 1), 5.0))
    assert applied.kept == ()
    assert_alike(check(applied.recording), run(text.format(5.0)).recording)


def test_a_nan_that_a_change_makes_is_shown_and_named():
    recording = run(
        "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x.log().sum()\ny.backward()\n"
    ).recording
    applied = Recalculation(recording).apply(WhatIf().changed(Spot(0, 0), -1.0))
    assert applied.broken is not None
    assert (recording.nodes[applied.broken.node].op, applied.broken.sweep) == ("log", None)
    assert np.isnan(applied.recording.values[-1])
    zero = run(
        "import torch\nx = torch.tensor([1.0], requires_grad=True)\ny = x.sqrt().sum()\ny.backward()\n"
    ).recording
    broken = Recalculation(zero).apply(WhatIf().changed(Spot(0, 0), 0.0)).broken
    assert broken is not None
    assert (broken.node, broken.sweep) == (0, 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (Change(Spot(4), 1.0), "cannot be changed"),
        (Change(Spot(0, 9), 1.0), "no element 9"),
        (Change(Spot(0, 0, 3), 1.0), "cannot be changed"),
        (Change(Spot(3, 0, 0, 1), 1.0), "cannot be changed"),
        (Change(Spot(77), 1.0), "cannot be changed"),
    ],
)
def test_a_spot_that_is_not_there_is_refused_in_a_sentence(change, said):
    with pytest.raises(GradvizError, match=said):
        Recalculation(weighted_sum()).apply(WhatIf((change,)))


def test_whole_numbers_stay_whole():
    recording = run(
        "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\nk = torch.tensor([2, 3])\ny = (x * k).sum()\ny.backward()\n"
    ).recording
    k = leaf(recording, "k")
    assert Recalculation(recording).apply(WhatIf().changed(Spot(k, 0), 7)).recording.gradients["x"].tolist() == [7, 3]
    with pytest.raises(GradvizError, match="whole numbers"):
        Recalculation(recording).apply(WhatIf().changed(Spot(k, 0), 1.5))


def test_a_recalculation_can_be_cancelled():
    with pytest.raises(Cancelled):
        Recalculation(weighted_sum()).apply(WhatIf().changed(Spot(0, 0), 1.0), lambda: True)


def test_a_change_at_a_spot_takes_the_place_of_the_one_before():
    spot, other = Spot(0, 1), Spot(0, 0)
    what_if = WhatIf().changed(spot, 1.0).changed(other, 2.0).changed(spot, 3.0)
    assert what_if.changes == (Change(other, 2.0), Change(spot, 3.0))
    assert not what_if.without(spot).without(other)
    assert array_at(weighted_sum(), spot).tolist() == [-1, 2]


def test_a_pass_that_begins_nowhere_takes_a_changed_gradient() -> None:
    recording = weighted_sum()
    sweep = replace(recording.sweeps[0], outputs=(), seeds=(), create_graph=True)
    last = sweep.steps[-1].node

    applied = Recalculation(check(replace(recording, sweeps=(sweep,)))).apply(WhatIf((Change(Spot(last, 0, 0), 2.0),)))

    assert np.asarray(applied.recording.sweeps[0].steps[-1].incoming).flat[0] == 2.0


def test_a_shape_that_no_memory_holds_is_not_computed_with() -> None:
    recording = run("""\
x = torch.ones(2, requires_grad=True)
x.cumsum(0).prod().backward()
""").recording
    nodes, values = list(recording.nodes), list(recording.values)
    nodes[1], values[1] = nodes[1]._replace(shape=(10**5, 10**5, 10)), None
    (sweep,) = recording.sweeps
    steps = tuple(
        step._replace(incoming=None) if step.node == 1 else step._replace(outgoing=(None,) * len(step.outgoing))
        for step in sweep.steps
    )
    claimed = check(replace(recording, nodes=tuple(nodes), values=tuple(values), sweeps=(replace(sweep, steps=steps),)))

    applied = Recalculation(claimed).apply(WhatIf((Change(Spot(2, 0, 0), 2.0),)))

    assert TOO_LARGE in [kept.why for kept in applied.kept]
