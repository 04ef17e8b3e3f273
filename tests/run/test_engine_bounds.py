"""The engine looks at no memory but that of its own arrays, whatever sizes, strides and states it is given."""

from __future__ import annotations

import pytest

from gradviz.run.imports import ENGINE
from tests.run.scripts import run

ATTEMPTS = {
    "another stride": "torch.ones(2).as_strided((1000,), (8,))",
    "windows beyond an array": "print(torch.ones(4).unfold(0, -2, 1))",
    "windows backwards": "print(torch.ones(4).unfold(0, 2, -1))",
    "a convolution backwards": "nn.functional.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), dilation=-5)",
    "a pooling backwards": "nn.functional.max_pool2d(torch.ones(1, 1, 4, 4), 2, stride=-1)",
    "a pooling outside": "nn.functional.max_pool2d(torch.ones(1, 1, 4, 4), (9, 1), padding=-3)",
    "a state of the generator": "s = torch.get_rng_state()\ns[:] = 255\ntorch.set_rng_state(s)\nprint(torch.rand(3))",
    "objects as a tensor": "import numpy as np\ntorch.from_numpy(np.array([print], dtype=object))",
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_what_would_reach_beyond_an_array_ends_in_one_sentence(attempt: str) -> None:
    ran = run(f"import torch\nimport torch.nn as nn\n{attempt}\n", engine=ENGINE)

    assert ran.message
    assert "\n" not in ran.message
    assert ran.output == ""
