"""Another v through a recorded graph: what was indexed by tensors is indexed so again, whoever wrote the recording."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.formats import load, save
from gradviz.graph.replay import add_sweep
from gradviz.graph.verify import check
from gradviz.ops.params import plain, thaw
from gradviz.ops.table import TABLE
from tests.recorded import run


@pytest.mark.parametrize(
    "indexed",
    [
        "m[torch.tensor([0, 0, 1])]",
        "m[torch.tensor([1, 1]), torch.tensor([2, 2])]",
        "m[:, torch.tensor([1, 1])]",
        "m[torch.tensor([0, 0]), 1:]",
        "m[..., torch.tensor([2, 0, 2])]",
        "m[torch.tensor([[True, False, True], [False, True, False]])]",
        "m[None, torch.tensor([1, 1])]",
    ],
)
def test_the_gradient_of_what_was_indexed_is_that_of_the_run(indexed, tmp_path):
    text = f"import torch\nm = torch.arange(6.0).reshape(2, 3).requires_grad_()\ny = {indexed}\ny.sum().backward()\n"
    recording = run(text).recording
    assert recording.problem is None
    path = tmp_path / "indexed.json"
    save(recording, path)

    for each in (recording, load(path)):
        again = add_sweep(each, len(each.nodes) - 1, 1.0).sweeps[-1]
        np.testing.assert_array_equal(again.accumulated[0].after, recording.gradients["m"])


@pytest.mark.parametrize("op", TABLE.rows(), ids=lambda op: op.name)
def test_the_params_of_every_op_come_back_from_a_recording(op):
    for example in op.examples:
        given = {name: plain(value) for name, value in example.params.items()}

        with np.errstate(all="ignore"):
            expected = op.forward(*example.inputs, **example.params)
            found = op.forward(*example.inputs, **thaw(given))
            np.testing.assert_array_equal(found, expected)
            g = np.ones_like(expected)[()]
            for rule in op.rules(len(example.inputs)):
                if rule is not None:
                    sent = rule(g, expected, *example.inputs, **example.params)
                    again = rule(g, expected, *example.inputs, **thaw(given))
                    np.testing.assert_array_equal(again, sent)


@pytest.mark.parametrize(
    "written",
    [
        "y[0] = w[1] * 2", "y.t()[0] = w[0]", "y[:, [0, 2]] = w[0]", "y.view(-1)[2:4].mul_(3)", "y[0, 1] += w[2]",
        "y.diagonal().mul_(w[0])", "y[None][0, :, 1] = 7", "y.unbind(0)[0][1] = 3 * w[0]",
    ],
)  # fmt: skip
def test_what_was_written_through_a_view_takes_another_v(written, tmp_path):
    text = f"""\
import torch
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
{written}
z = (y * y).sum()
z.backward()
"""
    recording = run(text).recording
    assert recording.problem is None
    path = tmp_path / "written.json"
    save(recording, path)
    output = recording.sweeps[-1].outputs[0]

    for each in (recording, load(path)):
        again = add_sweep(each, output, 1.0).sweeps[-1]
        for entry, known in zip(again.accumulated, recording.sweeps[-1].accumulated, strict=True):
            np.testing.assert_array_equal(entry.after, known.after)
        assert [row.reason for row in check(each) if row.reason] == []
