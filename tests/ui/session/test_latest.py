"""Work off the GUI thread: only the latest request is answered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradviz.errors import Cancelled
from gradviz.ui.session.runner import Latest
from tests.ui.sessions import Reader


@pytest.fixture
def latest(qtbot) -> Iterator[Latest]:
    made = Latest(slow_ms=0)
    yield made
    made.close()


def test_only_the_latest_request_is_answered(qtbot, latest):
    reader = Reader()
    answers: list[object] = []
    latest.answered.connect(answers.append)

    latest.ask(lambda cancelled: reader("slow", "", cancelled) and "old")
    with qtbot.waitSignal(latest.answered):
        latest.ask(lambda _cancelled: "new")
    reader.release.set()
    latest.close()

    assert answers == ["new"]


def test_older_request_learns_that_it_is_cancelled(qtbot, latest):
    reader, seen = Reader(), []

    def work(cancelled):
        reader("slow", "", cancelled)
        seen.append(cancelled())

    latest.ask(work)
    latest.drop()
    reader.release.set()
    latest.close()

    assert seen == [True]


def test_stop_answers_at_once_though_the_thread_goes_on(qtbot, latest):
    reader = Reader()
    latest.ask(lambda cancelled: reader("slow", "", cancelled))

    with qtbot.waitSignal(latest.failed) as failed:
        latest.stop()

    assert isinstance(failed.args[0], Cancelled)
    assert not latest.is_busy
    reader.release.set()


def test_long_work_is_announced_and_its_end_too(qtbot, latest):
    reader, told = Reader(), []
    latest.slow_changed.connect(told.append)

    with qtbot.waitSignal(latest.slow_changed):
        latest.ask(lambda cancelled: reader("slow", "", cancelled))
    with qtbot.waitSignal(latest.answered):
        reader.release.set()

    assert told == [True, False]
