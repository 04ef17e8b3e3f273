"""The script for numpy: it runs with numpy alone, and its gradients are those of the recording."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from gradviz.errors import GradvizError
from gradviz.ops.fitting import fit
from gradviz.ops.table import TABLE
from gradviz.playback.track import Track
from gradviz.playback.words import label
from gradviz.recording import Node, Recording
from gradviz.run.host import Host
from gradviz.run.job import Job
from gradviz.shipped import shipped
from gradviz.texts.numpy_script import numpy_script
from tests.forking.hosts import quick_host
from tests.samples import array, weighted_sum
from tests.texts.replaying import assert_same, expected, interpreter_of_numpy, replayed

LESSONS = sorted(shipped("examples").glob("*.py"))
REFUSED = {
    "15_no_seed_for_a_vector": "the script calls no backward",
}


@pytest.fixture(scope="module")
def interpreter() -> Iterator[subprocess.Popen[str]]:
    with interpreter_of_numpy() as made:
        yield made


@pytest.fixture(scope="module")
def host():
    with quick_host() as made:
        yield made


def recorded(host: Host, text: str) -> Recording:
    return host.run(Job(text, "script.py", "script")).recording


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_the_script_of_a_lesson_has_the_gradients_of_the_lesson(lesson, host, interpreter, tmp_path):
    recording = recorded(host, lesson.read_text(encoding="utf-8"))
    if lesson.stem in REFUSED:
        with pytest.raises(GradvizError, match=REFUSED[lesson.stem]):
            numpy_script(Track(recording, 0 if recording.sweeps else None))
        return

    done = [sweep for sweep, call in enumerate(recording.sweeps) if call.error is None]
    for sweep in {done[0], done[-1]}:
        assert_same(replayed(numpy_script(Track(recording, sweep)), interpreter, tmp_path), expected(recording, sweep))


MANY_OPS = """
import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(4, 3, requires_grad=True)
e = nn.Embedding(5, 3)
i = torch.tensor([0, 2, 2, 1])
h = torch.relu(x @ torch.randn(3, 3) + e(i)) + nn.functional.silu(x) + nn.functional.gelu(x)
h = torch.cat([h, x[:, 1:], x[i]], dim=1).transpose(0, 1).reshape(2, -1)
s = torch.stack([h.mean(dim=1), h.sum(1)]).unsqueeze(0)
m = torch.maximum(s, torch.zeros(())) + s.clone().expand(2, 2, 2).mean((0, 1))
z = x.softmax(1).log() + nn.functional.log_softmax(x, 0) + x.abs() ** 1.5 + 2 ** x + x.sigmoid() / 3 - x * 2
loss = m.sum() + nn.functional.cross_entropy(z, torch.tensor([0, 1, 2, 0])) + nn.functional.mse_loss(z, x.detach())
big = torch.arange(2000.).reshape(40, 50)
loss = loss + (x.sum() * big).mean() + (torch.bmm(x.view(1, 4, 3), x.view(1, 3, 4))).tan().tanh().mean()
loss.backward()
"""


def test_many_ops_and_large_arrays_are_written_out(host, interpreter, tmp_path):
    recording = recorded(host, MANY_OPS)
    assert recording.problem is None

    text = numpy_script(Track(recording, 0))

    assert "base64" in text
    assert_same(replayed(text, interpreter, tmp_path), expected(recording, 0))


CASES = [
    pytest.param(row, example, id=f"{row.name}{len(row.inputs)}-{number}")
    for row in TABLE.rows()
    for number, example in enumerate(row.examples)
]


@pytest.mark.parametrize(("row", "example"), CASES)
def test_a_line_is_the_rule_of_the_table(row, example):
    """Also at kinks: a leaf, the op, and every rule, as the script has them."""
    inputs = [np.asarray(x) for x in example.inputs]
    y = np.asarray(row.forward(*(x[()] for x in inputs), **example.params))
    v = np.asarray(np.cos(np.arange(1, y.size + 1)).reshape(y.shape) + 0.3)
    leaves = [Node(i, "leaf", shape=x.shape, dtype=str(x.dtype), requires_grad=x.dtype.kind == "f")
              for i, x in enumerate(inputs)]  # fmt: skip
    sent = tuple(
        None if not leaf.requires_grad or (rule := row.rule_of(i)) is None
        else np.asarray(fit(rule(v[()], y[()], *(x[()] for x in inputs), **example.params), inputs[i][()]))
        for i, leaf in enumerate(leaves)
    )  # fmt: skip
    node = Node(len(leaves), row.name, tuple(range(len(leaves))), example.params, y.shape, str(y.dtype), "y", True)
    recording = weighted_sum()
    sweep = replace(
        recording.sweeps[0], outputs=(node.id,), seeds=(v,), accumulated=(),
        steps=(recording.sweeps[0].steps[0]._replace(node=node.id, incoming=v, outgoing=sent),
               *(recording.sweeps[0].steps[0]._replace(node=i, incoming=g, outgoing=())
                 for i, g in enumerate(sent) if g is not None)),
    )  # fmt: skip
    whole = Recording((*leaves, node), (*inputs, y), (sweep,))
    space: dict[str, object] = {}
    try:
        text = numpy_script(Track(whole, 0))
    except GradvizError:
        pytest.skip("a form of it that is not written out")

    exec(text, space)

    for i, gradient in enumerate(sent):
        if gradient is not None:
            np.testing.assert_allclose(space[f"d_leaf{i}"], gradient, rtol=1e-9, atol=1e-12)
    name = [key for key in space if key == "y"]
    assert name
    np.testing.assert_allclose(space["y"], y, rtol=1e-9, atol=1e-12)


def test_nothing_of_a_recording_from_elsewhere_is_run(interpreter, tmp_path):
    bad = '"""\n__import__("os").abort()\n#'
    recording = weighted_sum()
    nodes = (
        recording.nodes[0]._replace(name=bad), recording.nodes[1],
        recording.nodes[2]._replace(name="__import__('os').abort()"), *recording.nodes[3:],
    )  # fmt: skip
    recording = replace(recording, nodes=nodes, source=replace(recording.source, name=bad + "\\"))

    found = replayed(numpy_script(Track(recording, 0)), interpreter, tmp_path)

    np.testing.assert_array_equal(next(iter(found.values())), [-6, 20])


@pytest.mark.parametrize("params", [
    {"dim": 0, "index": "0] + __import__('os').abort() + x[0"}, {"dim": "0", "index": 0},
])  # fmt: skip
def test_a_parameter_that_is_no_number_is_not_written(params):
    recording = weighted_sum()
    node = Node(1, "select", (0,), params, (), requires_grad=True)
    sweep = replace(recording.sweeps[0], outputs=(1,), accumulated=(),
                    steps=(recording.sweeps[0].steps[0]._replace(node=1, outgoing=(array(1, 0),)),))  # fmt: skip
    whole = Recording((recording.nodes[0], node), (array(1, 2), array(1)[0]), (sweep,))

    with pytest.raises(GradvizError, match="it does not write out select"):
        numpy_script(Track(whole, 0))


def test_ops_that_are_not_written_out_are_named_together():
    recording = weighted_sum()
    nodes = (*recording.nodes[:3], recording.nodes[3]._replace(op="fancy"), recording.nodes[4]._replace(op="other"))

    with pytest.raises(GradvizError, match="does not write out fancy, other"):
        numpy_script(Track(replace(recording, nodes=nodes), 0))


def test_values_that_were_not_kept_are_named():
    recording = weighted_sum()

    with pytest.raises(GradvizError, match="the value of w was not kept"):
        numpy_script(Track(replace(recording, values=(*recording.values[:2], None, *recording.values[3:])), 0))


def test_a_gradient_that_a_hook_changed_stands_as_it_was_recorded(interpreter, tmp_path):
    recording = weighted_sum()
    sweep = replace(recording.sweeps[0], hooked=frozenset({1}))
    lost = replace(sweep, steps=tuple(s._replace(incoming=None) if s.node == 1 else s for s in sweep.steps))

    text = numpy_script(Track(replace(recording, sweeps=(sweep,)), 0))

    assert "changed on its way, say by a hook" in text
    assert_same(replayed(text, interpreter, tmp_path), expected(recording, 0))
    with pytest.raises(GradvizError, match=r"what came in at .* was not kept"):
        numpy_script(Track(replace(recording, sweeps=(lost,)), 0))


def test_a_call_that_ended_before_a_leaf_is_refused():
    recording = weighted_sum()
    sweep = replace(recording.sweeps[0], steps=recording.sweeps[0].steps[:2], accumulated=())

    with pytest.raises(GradvizError, match="ended before it reached a leaf"):
        numpy_script(Track(replace(recording, sweeps=(sweep,)), 0))


def test_a_grad_that_no_step_comes_to_is_named():
    recording = weighted_sum()
    (call,) = recording.sweeps
    leaf = call.accumulated[0].node
    steps = tuple(step for step in call.steps if step.node != leaf)

    with pytest.raises(GradvizError, match=rf"no step comes to {label(recording, leaf)}"):
        numpy_script(Track(replace(recording, sweeps=(replace(call, steps=steps),)), 0))
