"""The page as a file: what is in it, how large it is, and that nothing in it asks for anything."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

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


# ---- who cannot see it, or not well ----


class Parts(HTMLParser):
    """The elements of the page by their id: their names and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, tuple[str, dict[str, str | None]]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.found[given.get("id") or f"{tag} {len(self.found)}"] = (tag, given)


@cache
def parts() -> dict[str, tuple[str, dict[str, str | None]]]:
    """The elements of the page as it is shipped."""
    reader = Parts()
    reader.feed(shipped("player", "page.html").read_text(encoding="utf-8"))
    return reader.found


def test_every_choice_has_a_name_at_any_width() -> None:
    choices = {name: given for name, (tag, given) in parts().items() if tag in ("select", "input", "textarea")}

    assert choices.keys() >= {"call", "speed"}
    # A label beside it may be hidden on narrow screens, and a title is no name.
    assert [name for name, given in choices.items() if not given.get("aria-label")] == []


@pytest.mark.parametrize("name", ["script", "node", "notes"])
def test_what_scrolls_takes_focus_and_is_called_something(name: str) -> None:
    _, given = parts()[name]

    assert (given["tabindex"], given["role"]) == ("0", "region")
    assert given["aria-label"]


def test_the_page_has_one_heading_at_any_width() -> None:
    assert [name for name, (tag, _) in parts().items() if tag == "h1"] == ["name"]


def palettes() -> dict[str, dict[str, str]]:
    """The colours of the page by theme and name, each theme with those that it takes from another."""
    style = shipped("player", "player.css").read_text(encoding="utf-8")
    given = {
        selector: dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", body))
        for selector, body in re.findall(r"^(:root[a-z.]*) \{(.*?)^\}", style, re.MULTILINE | re.DOTALL)
    }
    light, dark = given[":root"], given[":root"] | given[":root.dark"]
    return {
        "light": light,
        "dark": dark,
        "strong": light | given[":root.strong"],
        "dark strong": dark | given[":root.strong"] | given[":root.dark.strong"],
    }


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb, as WCAG computes it."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """From 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


GROUNDS = {
    "text": "window panel canvas card forward-tint backward-tint constant-tint",
    "dim": "window panel canvas card forward-tint backward-tint constant-tint",
    "forward": "panel canvas card forward-tint",
    "backward": "panel canvas card backward-tint",
    "leaf": "canvas card leaf-tint",
    "constant": "canvas card constant-tint",
    "keyword": "panel canvas card forward-tint backward-tint",
    "string": "panel forward-tint backward-tint",
    "number": "panel forward-tint backward-tint",
    "error": "panel card error-tint backward-tint",
    "on-accent": "forward backward",
}
"""What stands on what: the marked line of the script has a tint, and so have numbers."""


@pytest.mark.parametrize(("theme", "least"), [("light", 4.5), ("dark", 4.5), ("strong", 7), ("dark strong", 7)])
def test_words_stand_out_from_their_ground(theme: str, least: float) -> None:
    colours = palettes()[theme]
    found = {
        (name, ground): round(contrast(colours[name], colours[ground]), 2)
        for name, grounds in GROUNDS.items()
        for ground in grounds.split()
    }

    assert {pair: ratio for pair, ratio in found.items() if ratio < least} == {}


def test_no_word_is_paler_than_its_colour() -> None:
    # Where a word is to be weaker, it is dim; what is half transparent has a contrast that nobody computes.
    style = shipped("player", "player.css").read_text(encoding="utf-8")
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", style)

    faded = {selector.strip() for selector, body in rules if re.search(r"(?<![-\w])opacity: ?0?\.", body)}
    assert faded == {":root.strong .edge.coming", ".edge.coming", ".box.pale .tile", ".box.pale .sign"}
    faint = [selector.strip() for selector, body in rules if re.search(r"(?<![-\w])color: var\(--faint\)", body)]
    assert faint == ["button:disabled", "#name::before"]
