"""The recording itself, which gradviz opens again."""

from __future__ import annotations

from functools import partial

from gradviz.export.row import Family, Row, Subject
from gradviz.export.work import Work


def _recording(suffix: str, subject: Subject) -> Work:
    from gradviz.formats import FORMATS

    yield 0.0
    return FORMATS[suffix].write(subject.document)


def _left_out(suffix: str, subject: Subject) -> str:
    from gradviz.formats import left_out

    return left_out(subject.document, suffix)


RECORDINGS = (
    Row((".gradviz",), "Recording", "All values and gradients; gradviz opens it again.", Family.RECORDING,
        partial(_recording, ".gradviz"), keeps_what_if=True),
    Row((".json",), "Recording as text", "All values and gradients as text that any program can read.",
        Family.RECORDING, partial(_recording, ".json"), keeps_what_if=True, left_out=partial(_left_out, ".json")),
)  # fmt: skip
