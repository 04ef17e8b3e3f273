"""A script recorded with real PyTorch in this process, for tests that compare what the two producers leave."""

from __future__ import annotations

import contextlib
import io
import types
from dataclasses import replace
from pathlib import Path

import torch

from gradviz.capture.recorder import Recorder
from gradviz.formats import load
from gradviz.recording import Recording


def captured(file: Path, folder: Path) -> Recording:
    """The recording of a script, with what it printed."""
    before, dtype = torch.get_rng_state(), torch.get_default_dtype()
    torch.manual_seed(0)
    torch.set_printoptions(profile="default")
    text = file.read_text(encoding="utf-8")
    main = types.ModuleType("__main__")
    main.__file__ = str(file)
    recorder = Recorder(main=str(file))
    recorder.space = main.__dict__
    printed = io.StringIO()
    recorder.printed = lambda: len(printed.getvalue())
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(Exception), recorder:
            exec(compile(text, str(file), "exec"), main.__dict__)
    finally:
        torch.set_rng_state(before)
        torch.set_default_dtype(dtype)
    assert recorder.faults == []
    recorder.save(folder / "run.gradviz")
    return replace(load(folder / "run.gradviz"), output=printed.getvalue())
