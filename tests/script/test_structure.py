"""Scripts with convolutions, dropout, linear algebra and changes of parts print what PyTorch prints."""

from __future__ import annotations

from gradviz.imitation.script.run import run

NETWORK = """
import torch, torch.nn.functional as F
torch.manual_seed(0)
x = torch.randn(1, 2, 4, 4)
w = torch.randn(3, 2, 3, 3, requires_grad=True)
y = F.dropout(F.max_pool2d(F.relu(F.conv2d(x, w, padding=1)), 2), 0.5)
y.sum().backward()
print(w.grad[0, 0])
"""
PARTS = """
import torch
w = torch.ones(3, requires_grad=True)
z = w * 2
z[0] += 1
z[1:].mul_(3)
z.sum().backward()
print(z, w.grad)
a = torch.eye(2) * 2
a.masked_fill_(a > 1, 5.)
print(torch.linalg.inv(a), torch.linalg.det(a))
print(torch.ones(2, 3).scatter_(1, torch.tensor([[0], [2]]), 7.))
"""


def output(text: str) -> str:
    recording = run(text, "script.py").recording
    assert recording.problem is None
    return recording.output


def test_masks_of_dropout_are_the_ones_pytorch_draws():
    assert (
        output(NETWORK)
        == """\
tensor([[-0.5012, -3.1194, -2.3047],
        [-0.6320, -2.5330,  1.3840],
        [ 0.7000,  1.2608, -2.5267]])
"""
    )


def test_changes_of_parts_and_matrices_print_as_in_pytorch():
    assert (
        output(PARTS)
        == """\
tensor([3., 6., 6.], grad_fn=<CopySlices>) tensor([2., 6., 6.])
tensor([[0.2000, 0.0000],
        [0.0000, 0.2000]]) tensor(25.)
tensor([[7., 1., 1.],
        [1., 1., 7.]])
"""
    )
