"""The garbage collector stays off as long as one thread of several wants that."""

from __future__ import annotations

import gc

from gradviz.collection import no_collection


def test_the_collector_is_off_until_the_last_of_several_is_done() -> None:
    first, second = no_collection(), no_collection()

    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    is_on_between = gc.isenabled()
    second.__exit__(None, None, None)

    assert not is_on_between
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with no_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
