"""Another v through a recorded graph: what was indexed by tensors is indexed so again, whoever wrote the recording."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.formats import load, save
from gradviz.run.replay import add_sweep
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
