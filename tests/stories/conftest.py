"""What a story runs in this process is forked, which takes a tenth of the time; what it starts anew is started anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradviz.run.host import Host
from tests.forking.hosts import quick_hosts


@pytest.fixture(scope="session")
def forking() -> Iterator[type[Host]]:
    with quick_hosts() as made:
        yield made


@pytest.fixture(autouse=True)
def runs_start_quickly(forking: type[Host], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.run.host.Host", forking)
