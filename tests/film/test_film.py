"""Films read again, and compared with the images that were put in."""

from __future__ import annotations

import importlib
import struct
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.cli import main
from gradviz.export.table import row_of
from gradviz.film import Start
from gradviz.shipped import shipped

RATE = 20
FEW = [(250, 250, 252), (194, 65, 11), (37, 99, 201), (11, 122, 91)]


def image(*spots: tuple[int, int, int]) -> np.ndarray:
    """A light image of 64 x 48 with small squares: left, top, and the number of a colour."""
    made = np.full((48, 64, 3), FEW[0], dtype=np.uint8)
    for left, top, colour in spots:
        made[top : top + 6, left : left + 8] = FEW[colour]
    return made


def start_of(suffix: str) -> Start:
    """The film of a suffix."""
    return getattr(importlib.import_module(f"gradviz.film{suffix}"), suffix[1:].capitalize())


def film(suffix: str, shown: list[tuple[np.ndarray, int]]) -> bytes:
    made = start_of(suffix)(RATE, [one for one, _ in shown])
    for one, ticks in shown:
        made.add(one, ticks)
    return made.finish()


def read_apng(content: bytes) -> list[tuple[np.ndarray, float]]:
    """The images of an APNG and for how many seconds they stand, by the specification and the standard library."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    at, shown, canvas, order = 8, list[tuple[np.ndarray, float]](), np.zeros((0, 0, 3), np.uint8), 0
    place, seconds, count = (0, 0, 0, 0), 0.0, 0
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        assert struct.unpack(">I", content[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        at += 12 + length
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
            canvas = np.zeros((height, width, 3), np.uint8)
        elif kind == b"acTL":
            count = struct.unpack(">I", body[:4])[0]
        elif kind == b"fcTL":
            number, wide, high, left, top, part, whole, dispose, blend = struct.unpack(">IIIIIHHBB", body)
            assert (number, dispose, blend) == (order, 0, 0)
            order, place, seconds = order + 1, (wide, high, left, top), part / whole
        elif kind in (b"IDAT", b"fdAT"):
            if kind == b"fdAT":
                assert struct.unpack(">I", body[:4])[0] == order
                order, body = order + 1, body[4:]
            wide, high, left, top = place
            rows = np.frombuffer(zlib.decompress(body), np.uint8).reshape(high, 1 + 3 * wide)
            assert set(rows[:, 0]) == {2}
            canvas = canvas.copy()
            canvas[top : top + high, left : left + wide] = (
                np.cumsum(rows[:, 1:].astype(np.uint32), axis=0).astype(np.uint8).reshape(high, wide, 3)
            )
            shown.append((canvas, seconds))
    assert count == len(shown)
    return shown


def read_by_pillow(content: bytes) -> list[tuple[np.ndarray, float]]:
    import io

    pillow = pytest.importorskip("PIL.Image")
    opened, shown = pillow.open(io.BytesIO(content)), []
    for number in range(opened.n_frames):
        opened.seek(number)
        shown.append((np.asarray(opened.convert("RGB")), opened.info["duration"] / 1000))
    return shown


@settings(deadline=None, max_examples=30)
@given(
    shown=st.lists(
        st.tuples(
            st.lists(st.tuples(st.integers(0, 56), st.integers(0, 42), st.integers(0, 3)), max_size=3),
            st.integers(1, 40),
        ),
        min_size=1,
        max_size=8,
    )
)
@pytest.mark.parametrize("suffix", [".apng", ".gif"])
def test_every_image_is_in_the_film_for_as_long_as_it_was_shown(suffix, shown):
    if suffix == ".gif":
        pytest.importorskip("PIL")
    images = [(image(*spots), ticks) for spots, ticks in shown]

    content = film(suffix, images)

    found = (read_apng if suffix == ".apng" else read_by_pillow)(content)
    wanted = [(one, ticks / RATE) for one, ticks in images]
    at, ends = 0.0, np.cumsum([seconds for _, seconds in found])
    for one, seconds in wanted:
        now = int(np.searchsorted(ends, at + seconds / 2))
        assert np.array_equal(found[now][0], one)
        at += seconds
    assert ends[-1] == pytest.approx(at)


@pytest.mark.parametrize("suffix", [".apng", ".gif"])
def test_the_same_images_give_the_same_bytes(suffix):
    if suffix == ".gif":
        pytest.importorskip("PIL")
    shown = [(image((2, 2, 1)), 5), (image((9, 9, 2)), 1), (image((9, 9, 2), (30, 30, 3)), 7)]

    assert film(suffix, shown) == film(suffix, shown)


def test_an_apng_is_read_by_pillow_as_by_the_specification():
    content = film(".apng", [(image((2, 2, 1)), 5), (image((9, 9, 2)), 1)])

    for (one, stands), (other, also) in zip(read_apng(content), read_by_pillow(content), strict=True):
        assert np.array_equal(one, other)
        assert stands == pytest.approx(also)


def test_an_image_that_stands_for_hours_is_not_cut_short():
    ticks = 20 * 3600 * 3

    ((_, seconds),) = read_apng(film(".apng", [(image(), ticks)]))

    assert seconds == pytest.approx(ticks / RATE, rel=1e-3)


def test_the_most_frequent_colours_of_a_gif_are_exact_and_the_others_near():
    pytest.importorskip("PIL")
    rng = np.random.default_rng(3)
    many = image()
    many[:12] = rng.integers(0, 256, (12, 64, 3), dtype=np.uint8)

    ((found, _),) = read_by_pillow(film(".gif", [(many, 1)]))

    assert np.array_equal(found[12:], many[12:])
    assert np.abs(found[:12].astype(int) - many[:12]).mean() < 24


def test_an_mp4_has_an_image_for_every_tick():
    av = pytest.importorskip("av")
    import io

    shown = [(image((2, 2, 1)), 5), (image((30, 20, 2)), 7)]

    with av.open(io.BytesIO(film(".mp4", shown))) as opened:
        frames = [frame.to_ndarray(format="rgb24") for frame in opened.decode(video=0)]
        (stream,) = opened.streams.video
        assert float(stream.average_rate) == RATE
    assert len(frames) == 12
    for number, frame in enumerate(frames):
        wanted = shown[0 if number < 5 else 1][0].astype(int)
        assert np.abs(frame[:, :, 1].astype(int) - wanted[:, :, 1]).mean() < 4


@pytest.mark.parametrize(
    ("suffix", "library", "words"),
    [
        (".gif", "PIL", 'a GIF needs Pillow, which is not installed. Install it: {} -m pip install "pillow>=10.3".'),
        (".mp4", "av", 'an MP4 needs PyAV, which is not installed. Install it: {} -m pip install "av>=14".'),
    ],
)
def test_a_library_that_is_missing_is_one_sentence_that_says_what_to_install(
    monkeypatch, tmp_path, suffix, library, words
):
    monkeypatch.setitem(sys.modules, library, None)
    row = row_of(suffix)
    assert row is not None

    lack = row.lacking()

    assert lack is not None
    assert lack.one_line("").startswith(words.format(f'"{sys.executable}"'))
    assert main(["export", str(next(shipped("examples").glob("01_*.py"))), str(tmp_path / f"out{suffix}")]) == 2
    assert list(tmp_path.iterdir()) == []
