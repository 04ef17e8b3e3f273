"""The page as a file: what is in it, how large it is, and that nothing in it asks for anything."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from dataclasses import replace
from functools import cache

import pytest

from gradviz.errors import FormatError, GradvizError
from gradviz.player.document import Start, document_of
from gradviz.player.packing import LINK_LIMIT, fragment, unpack
from gradviz.player.page import page_of, write_page
from gradviz.recording import Recording, Source
from gradviz.shipped import shipped
from gradviz.ui.canvas.scene.cards import cards
from tests.player.test_products import own_function
from tests.recorded import run
from tests.samples import weighted_sum

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"


@cache
def lesson(number: int) -> Recording:
    """The run of a lesson."""
    (file,) = shipped("examples").glob(f"{number:02}_*.py")
    return run(file.read_text(encoding="utf-8"), file.name).recording


def data_in(page: str) -> str:
    """The packed data of a page."""
    (found,) = re.findall(r'<script type="text/plain" id="recording">([^<]*)</script>', page)
    return found


def test_page_of_lesson_13_is_below_60_kilobytes() -> None:
    ran = own_function()

    assert len(page_of(ran.recording, cards, ask=ran.ask).encode()) < 60_000


def test_lesson_13_fits_a_link() -> None:
    ran = own_function()

    assert len(fragment(document_of(ran.recording, cards, ask=ran.ask))) < LINK_LIMIT


def test_page_holds_the_document_and_is_always_the_same() -> None:
    page = page_of(weighted_sum(), cards)

    assert page == page_of(weighted_sum(), cards)
    assert unpack(data_in(page)) == document_of(weighted_sum(), cards)


def test_page_names_no_address() -> None:
    page = page_of(lesson(17), cards)
    texts = [page, *parts_of(page).values()]

    for text in texts:
        assert re.findall(r"://|<link|<img|<iframe|@import|url\(|\bfetch\(|XMLHttp|import\(", text) == []


def parts_of(page: str) -> dict[str, str]:
    """The styles and scripts of a page, by their name among the shipped files."""
    (first_style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (first_module,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    packed = dict(re.findall(r'<script type="text/plain" id="(style|module)">([^<]*)</script>', page))
    style, module = (
        zlib.decompress(base64.urlsafe_b64decode(packed[name] + "==")).decode() for name in ("style", "module")
    )
    return {"first.css": first_style, "first.js": first_module, "player.css": style, "player.js": module}


def test_policy_lets_in_nothing_but_the_styles_and_scripts_of_the_page() -> None:
    page = page_of(weighted_sum(), cards)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)

    hashes = {
        name: f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for name, text in parts_of(page).items()
    }

    assert policy == (
        f"default-src 'none'; style-src {hashes['first.css']} {hashes['player.css']}; "
        f"script-src {hashes['first.js']} {hashes['player.js']}; base-uri 'none'"
    )


def test_style_and_module_arrive_as_they_are_shipped() -> None:
    for name, text in parts_of(page_of(weighted_sum(), cards)).items():
        assert text == shipped("player", name).read_text(encoding="utf-8").strip()


def test_names_and_output_are_never_markup() -> None:
    recording = weighted_sum()
    nodes = (recording.nodes[0]._replace(name=HOSTILE), *recording.nodes[1:])
    hostile = replace(recording, nodes=nodes, output=HOSTILE, source=Source("script", HOSTILE, HOSTILE))

    page = page_of(hostile, cards)

    assert "onerror=alert(1)>" not in page
    assert page.count("<script") == page.count("</script>") == 4
    assert "<title>&lt;img src=x" in page


def test_page_is_written_whole_or_not_at_all(tmp_path) -> None:
    old = tmp_path / "old.html"
    old.write_text("old")
    write_page(weighted_sum(), old, cards)
    assert old.read_text(encoding="utf-8") == page_of(weighted_sum(), cards)

    with pytest.raises(FormatError, match="cannot be written"):
        write_page(weighted_sum(), tmp_path / "none" / "a.html", cards)
    with pytest.raises(GradvizError, match="there is no step 9"):
        write_page(weighted_sum(), old, cards, Start(0, 9))
    assert old.read_text(encoding="utf-8") == page_of(weighted_sum(), cards)
    assert [file.name for file in tmp_path.iterdir()] == ["old.html"]
