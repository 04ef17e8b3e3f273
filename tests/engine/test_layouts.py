"""Results lie in memory as PyTorch's do: strides show, views need them, and random numbers are drawn along them."""

from __future__ import annotations

import pytest

from gradviz.imitation.script.run import run

START = "import torch\nfrom torch import nn\n"


@pytest.mark.parametrize(
    ("module", "shape"),
    [
        ("nn.Conv1d(2, 3, 3)", (4, 2, 9)),
        ("nn.Conv2d(2, 3, 3, padding=1)", (4, 2, 6, 6)),
        ("nn.Conv2d(4, 4, 3, groups=2, stride=2)", (2, 4, 7, 7)),
        ("nn.Conv2d(4, 2, 1)", (3, 4, 5, 5)),
        ("nn.ConvTranspose2d(3, 2, 3, stride=2)", (2, 3, 4, 4)),
        ("nn.Conv3d(1, 2, 2)", (2, 1, 4, 4, 4)),
        ("nn.Conv2d(3, 2, 3, padding=1).double()", (2, 3, 5, 5)),
        ("nn.BatchNorm2d(3)", (4, 3, 2, 2)),
        ("nn.GroupNorm(2, 4)", (2, 4, 3)),
        ("nn.InstanceNorm2d(2, affine=True)", (2, 2, 3, 3)),
        ("nn.MaxPool2d(2)", (2, 3, 4, 4)),
        ("nn.AvgPool2d(2)", (2, 3, 4, 4)),
        ("nn.AdaptiveAvgPool2d(1)", (2, 3, 4, 4)),
        ("nn.Upsample(scale_factor=2)", (1, 2, 3, 3)),
        ("nn.Linear(4, 3)", (2, 5, 4)),
    ],
)
def test_what_modules_give_lies_in_rows(module: str, shape: tuple[int, ...]):
    done = run(
        f"{START}m = {module}\nx = torch.randn({shape}, dtype=torch.float64 if 'double' in {module!r} else None)\n"
        "x.requires_grad_()\ny = m(x)\ny.exp().sum().backward()\n"
        "print(all(t.is_contiguous() for t in (y, x.grad, *(p.grad for p in m.parameters()))))"
    )

    assert done.error is None
    assert done.recording.output == "True\n"


def test_what_several_indices_take_lies_as_the_indices_and_the_axes_between_them_do():
    done = run(
        f"{START}i, j = torch.tensor([0, 1, 1]), torch.tensor([0, 0, 1])\n"
        "x = torch.arange(120.).reshape(2, 3, 4, 5)\n"
        "for order in ((0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)):\n"
        "    y = x.permute(order)\n"
        "    print(y[:, i, :, j].stride(), y[i, :, j].stride(), y[:, i, j].stride(), y[:, :, i, j].stride())\n"
    )

    assert done.recording.output == (
        "(8, 4, 1) (15, 5, 1) (15, 5, 1) (9, 3, 1)\n"
        "(15, 1, 5) (8, 1, 4) (1, 5, 15) (3, 15, 1)\n"
        "(6, 1, 3) (20, 1, 5) (12, 4, 1) (15, 3, 1)\n"
    )
