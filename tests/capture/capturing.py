"""A script recorded with real PyTorch in this process, for tests that compare what the two producers leave."""

from __future__ import annotations

import contextlib
import io
import types
from pathlib import Path

import torch

from gradviz.capture.recorder import Recorder
from gradviz.formats import load
from gradviz.recording import Recording


def captured(file: Path, folder: Path) -> tuple[Recording, str]:
    """The recording of a script, and what it printed."""
    before = torch.get_rng_state()
    text = file.read_text(encoding="utf-8")
    main = types.ModuleType("__main__")
    main.__file__ = str(file)
    recorder = Recorder(main=str(file))
    recorder.space = main.__dict__
    printed = io.StringIO()
    recorder.printed = lambda: len(printed.getvalue())
    with contextlib.redirect_stdout(printed), contextlib.suppress(RuntimeError), recorder:
        exec(compile(text, str(file), "exec"), main.__dict__)
    torch.set_rng_state(before)
    assert recorder.faults == []
    recorder.save(folder / "run.gradviz")
    return load(folder / "run.gradviz"), printed.getvalue()
