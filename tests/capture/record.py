"""Writes the recordings in `recorded/`, which are read where PyTorch is absent: python tests/capture/record.py."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "recorded"


def main() -> None:
    """Write all of them."""
    sys.path.insert(0, str(ROOT))
    import torch

    from gradviz.capture.recorder import Recorder

    torch.set_num_threads(1)
    for make in SAMPLES:
        torch.manual_seed(0)
        recorder: Any = make(Recorder)
        assert not recorder.faults, recorder.faults
        recorder.save(FOLDER / f"{make.__name__}.gradviz")


def training(recorder: Callable[..., Any]) -> Any:
    """A network in a loop, thinned."""
    import torch

    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    made = recorder(keep=4)
    with made:
        for epoch in range(30):
            x, y = torch.randn(5, 3), torch.tensor([0, 1, 1, 0, epoch % 2])
            loss = torch.nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return made


def summaries(recorder: Callable[..., Any]) -> Any:
    """Large tensors summarised, one with a NaN and an infinity in it."""
    import torch

    made = recorder(summary_above=16)
    with made:
        x = torch.randn(6, 5, requires_grad=True)
        scale = torch.ones(6, 5)
        scale[1, 2], scale[3, 3] = float("nan"), float("inf")
        y = x * scale
        y.sum().backward()
    return made


def parts(recorder: Callable[..., Any]) -> Any:
    """An op with several outputs, and one of which not all are used."""
    import torch

    made = recorder()
    with made:
        x = torch.arange(6.0).reshape(3, 2).requires_grad_()
        a, b, c = x.unbind(0)
        values, _ = x.sort(1, descending=True)
        ((a * b).sum() + c.sum() + values[:, 0].prod()).backward()
    return made


def failed(recorder: Callable[..., Any]) -> Any:
    """A pass that fails midway, and one after it."""
    import torch

    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise RuntimeError("no way back")

    made = recorder()
    try:
        with made:
            x = torch.ones(3, requires_grad=True)
            (x * 2).sum().backward()
            y = Broken.apply(x.exp())
            y.sin().sum().backward()
    except RuntimeError:
        pass
    return made


def precisions(recorder: Callable[..., Any]) -> Any:
    """bfloat16, float64 and complex numbers; a changed gradient; what was made before the recorder came."""
    import torch

    before = torch.linspace(0, 1, 12).requires_grad_()
    early = before.sin()
    made = recorder()
    with made:
        half = early.to(torch.bfloat16) * 3
        wave = torch.fft.fft(early.double())
        half.register_hook(lambda g: g * 10)
        total = half.float().sum() + wave.abs().sum().float()
        total.backward()
    return made


SAMPLES: tuple[Callable[[Callable[..., Any]], Any], ...] = (training, summaries, parts, failed, precisions)


if __name__ == "__main__":
    main()
