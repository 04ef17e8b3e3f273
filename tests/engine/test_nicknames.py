"""What a leaf or constant is called in the picture that no variable holds."""

from __future__ import annotations

import pytest

from gradviz.imitation.script.run import run

SETUP = "import torch\nw = torch.ones(2, requires_grad=True)\nxs = torch.ones(3, 2)\n"


def names(line: str) -> set[str]:
    """The names of the constants of a script's graph."""
    recording = run(f"{SETUP}{line}\ny.backward()", seed=0).recording
    return {node.name for node in recording.nodes if node.op == "constant" and node.name}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("y = (w * xs[1]).sum()", "xs[1]"),
        ("y = (w * xs[-1, :]).sum()", "xs[-1, :]"),
        ("y = (w * xs[..., 0:2][None, 2]).sum()", "xs[..., 0:2][None, 2]"),
        ("y = sum((w * x).sum() for x in xs[:1])", "xs[:1][0]"),
        ("y = (w * xs[torch.tensor([0])]).sum()", None),
        ("f = lambda v: (w * v).sum()\ny = f(torch.ones(2))", "v"),
        ("f = lambda v: (w * v).sum()\ny = f(xs[1])", "xs[1]"),
        ("x = xs[0]\ny = (w * x).sum()", "x"),
        ("t = 2\ny = (w * xs[t]).sum()", "xs[2]"),
    ],
)
def test_a_part_is_called_by_its_place_and_an_argument_by_its_parameter(line, name) -> None:
    assert names(line) == ({name} if name else set())


def test_a_part_of_parts_of_parts_has_no_endless_name() -> None:
    assert names(f"x = torch.ones(2)[None]\ny = (w * x{'[None, 0]' * 30}).sum()") == set()
