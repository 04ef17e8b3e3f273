"""The file of a run that goes on: it can be read at any moment, and does not grow with what was dropped."""

from __future__ import annotations

import os
import types
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from gradviz.capture import child, container  # noqa: E402
from gradviz.capture.recorder import Recorder  # noqa: E402
from gradviz.formats import load  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.skipif(os.name != "posix", reason="an open file is replaced")]


def test_what_dropped_calls_had_is_taken_out_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MOST_WASTE", 1_000_000)
    run = child.Run.__new__(child.Run)
    run.out, run._container, run._open = str(tmp_path / "run.gradviz"), None, container
    run.line = types.SimpleNamespace(is_ours=True)  # type: ignore[assignment]
    run.speaker = types.SimpleNamespace(kept=[])  # type: ignore[assignment]
    sizes = []
    w = torch.ones(100_000, requires_grad=True)
    with Recorder(keep=2) as recorder:
        run.recorder = recorder
        for call in range(1, 41):
            (w * call).sum().backward()
            run.write()
            sizes.append(Path(run.out).stat().st_size)
            assert load(Path(run.out)).sweeps[-1].number == call
    run._container.close()

    assert max(sizes) < 4 * min(sizes[2:])
    assert [each.name for each in tmp_path.iterdir()] == ["run.gradviz"]
