"""Hosts of toy backends, shared by the tests of one module, since a warm child takes a tenth of a second to start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz.run.host import Backend, Host

HERE = str(Path(__file__).parent)


def toy(function: str = "run_exec", **details: object) -> Backend:
    """A backend of `toy_backends`."""
    return Backend(f"toy_backends:{function}", paths=(HERE,), **details)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """A host whose children execute any Python, behind all walls."""
    with Host(toy()) as made:
        yield made
