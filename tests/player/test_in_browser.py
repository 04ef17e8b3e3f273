"""The page in a headless Chromium: at each step the numbers of the app, and nothing asked of any network.

Skipped where there is no Chromium on the machine.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import Folding
from gradviz.playback.groups.stretches import all_groups_of
from gradviz.playback.numbers import in_words
from gradviz.playback.report import NodeReport, node_report
from gradviz.playback.sentence import sentence
from gradviz.playback.track import Track
from gradviz.player.document import Start, document_of
from gradviz.player.packing import fragment, pack
from gradviz.player.page import write_page
from gradviz.recording import Known, Recording, Source, Summary
from gradviz.ui.canvas.scene.cards import cards
from tests.player.browser import Tab, browsing, found
from tests.player.test_document import MODEL
from tests.player.test_page import HOSTILE, lesson
from tests.recorded import run
from tests.samples import weighted_sum

PROGRAM = found()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs a Chromium")
LESSONS = (4, 9, 11, 13, 14, 17)


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    """One page of one browser for all tests of this file."""
    assert PROGRAM is not None
    with browsing(PROGRAM) as page:
        yield page


@pytest.fixture
def opened(tab: Tab, tmp_path: Path) -> Tab:
    """The page with the weighted sum, where backward begins."""
    write_page(weighted_sum(), tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html")
    return tab


# ---- what the page shows, and what the app says ----

NODE = """(() => {
  const said = (part) => part === null ? null
    : part.classList.contains("cells") ? part.getAttribute("aria-label") : part.textContent;
  const all = (from, selector) => [...from.querySelectorAll(selector)];
  const rows = (part) => part === null ? []
    : all(part, ".rows > dd").map((dd) => [dd.previousElementSibling.textContent, said(dd.firstElementChild)]);
  const pane = document.getElementById("node"), one = (selector) => pane.querySelector(selector);
  return {
    title: one("h1").textContent,
    progress: one(".progress").textContent,
    came: said(one(".came > .cells, .came > .words")),
    terms: rows(one(".came")),
    letters: all(pane, ".formula:not(.count)").map((each) => each.textContent),
    counts: all(pane, ".formula.count").map((each) => each.textContent),
    sent: rows(one(".sent")),
    grad: rows(one(".grad")),
    now: document.querySelector("#said b").textContent,
    next: document.querySelector("#said span").textContent,
    gradients: all(document, ".box.known .gradient:not(.none)").map((each) => each.textContent).sort(),
  };
})()"""


def said(array: Known) -> str:
    """An array as the page says it: small ones element by element."""
    assert array is not None
    is_small = not isinstance(array, Summary) and 0 < array.size <= 64 and array.ndim <= 2
    return in_words(array, 10_000) if is_small and array.shape[-1:] <= (12,) * array.ndim else in_words(array)


def expected(report: NodeReport) -> dict[str, Any]:
    """What the app says of a node whose step runs."""
    came, lines, given = report.incoming, report.rule.lines if report.rule else (), report.gradient
    outgoing = zip(report.inputs, report.outgoing, strict=True)
    assert came is not None
    kept = [] if given is None or not given.takes_part else [
        ["before", "None" if given.before is None else said(given.before)], ["after", said(given.after)]
    ]  # fmt: skip
    return {
        "title": report.place.title,
        "progress": report.place.progress,
        "came": said(came.gradient),
        "terms": [[f"+ from {term.label}", said(term.gradient)] for term in came.terms] if len(came.terms) > 1 else [],
        "letters": ["".join(piece.text for piece in line.letters) for line in lines],
        "counts": ["".join(piece.text for piece in line.numbers) for line in lines if line.numbers],
        "sent": [
            [
                given.name if given.name == out.label else f"{given.name} = {out.label}",
                f"none: {out.reason}" if out.gradient is None else said(out.gradient),
            ]
            for given, out in outgoing
        ],
        "grad": kept,
    }


def check_every_step(tab: Tab, recording: Recording, sweep: int) -> None:
    """Step through a backward call with the arrow key and compare what is shown with what the app says."""
    track = Track(recording, sweep)
    texts = dict(zip(track.forward, cards(track), strict=True))
    for number, step in enumerate(track.steps, 1):
        tab.press("ArrowRight")
        position = track.turn + number
        shown = tab.run(NODE)
        known = [texts[each.node] for each in track.steps[:number] if each.node in texts]

        assert {name: shown[name] for name in shown if name not in ("now", "next", "gradients")} == expected(
            node_report(track, position, step.node)
        )
        assert shown["gradients"] == sorted(f"{card.prefix} {card.gradient}" for card in known if card.gradient)
        if not tab.run("document.querySelector('.box.group') !== null"):
            assert (shown["now"], shown["next"]) == sentence(track, position)


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_shows_at_every_step_what_the_app_says(tab: Tab, tmp_path: Path, number: int) -> None:
    recording = lesson(number)
    for sweep in range(len(recording.sweeps)):
        write_page(recording, tmp_path / "page.html", cards, Start(sweep))
        tab.open(tmp_path / "page.html")

        check_every_step(tab, recording, sweep)

    assert [each for each in tab.requests if not each.startswith("file:")] == tab.errors == []


def test_a_model_shows_at_every_step_what_the_app_says(tab: Tab, tmp_path: Path) -> None:
    recording = run(MODEL.replace("range(12)", "range(24)")).recording
    assert len(recording.nodes) >= 200
    write_page(recording, tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html")
    tab.press("e")

    check_every_step(tab, recording, 0)
    assert tab.errors == []


# ---- stepping ----


def position(tab: Tab) -> int:
    return int(tab.run("document.getElementById('time').getAttribute('aria-valuenow')"))


def test_keys_step_to_where_they_say(opened: Tab) -> None:
    places = []
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowLeft", "t", "End", "PageUp", "PageDown"):
        opened.press(key)
        places.append(position(opened))

    assert places == [0, 1, 2, 1, 5, 9, 0, 9]


def middle(tab: Tab, selector: str) -> list[float]:
    """The middle of an element, in pixels."""
    return tab.run(
        f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
        " return [r.left + r.width / 2, r.top + r.height / 2]; })()"
    )


def test_buttons_and_the_time_line_step_too(opened: Tab) -> None:
    opened.click(*middle(opened, "#on"))
    assert position(opened) == 6
    opened.click(*middle(opened, "#last"))
    assert position(opened) == 9
    opened.click(*middle(opened, ".lane[data-pass=forward]"))
    assert position(opened) == 3
    opened.click(*middle(opened, "#first"))
    assert position(opened) == 0


def test_playing_reaches_the_end_and_stops_there(opened: Tab) -> None:
    opened.run(
        "document.getElementById('speed').value = '30'; document.getElementById('speed').dispatchEvent(new Event('change'))"
    )
    opened.press(" ")
    opened.wait("document.getElementById('time').getAttribute('aria-valuenow') === '9'")
    opened.wait("!document.getElementById('play').classList.contains('on')")

    assert opened.errors == []


def test_a_group_is_folded_alone_by_its_title_and_unfolded_by_a_key(tab: Tab, tmp_path: Path) -> None:
    recording = run(MODEL.replace("range(12)", "range(3)")).recording
    track = Track(recording, 0)
    groups = all_groups_of(track)
    number = next(number for number, group in enumerate(groups.groups) if group.title == "net.1")
    board = FoldedTrack.of(track, groups, Folding(frozenset({groups.groups[number].key})))
    write_page(recording, tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html")
    titles = tab.texts("#titles text")
    tab.press("f")

    tab.click(*middle(tab, f"#titles .fold:nth-of-type({titles.index('net.1') + 1}) text"))

    assert tab.texts(".box.group .name") == ["net.1"]
    assert len(tab.texts(".box .name")) == len(board.forward)
    assert tab.texts("#groups") == ["Unfold groups"]
    tab.press("Home")
    places = [0]
    while places[-1] < board.length:
        tab.press("ArrowRight")
        places.append(position(tab))
    assert tuple(places) == board.stops
    its = sorted(f"{card.prefix} {card.gradient}" for card in cards(board) if card.gradient)
    assert tab.run(NODE)["gradients"] == its

    tab.run("document.querySelector('.box.group').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert tab.texts("#node h1") == ["net.1"]
    tab.press("Enter")
    assert tab.texts("#titles text") == titles
    assert len(tab.texts(".box .name")) == len(track.forward)
    tab.press("e")
    assert tab.texts(".box.group .name") == [groups.groups[root].title for root in groups.roots]
    assert tab.errors == []


@pytest.mark.parametrize(
    ("path", "value"),
    [("homes 0", 99), ("homes", [0]), ("folds 1 parent", 1), ("folds 0 box group", None), ("folds 0 size", [1]),
     ("folds", []), ("views 0 groups 0", 99), ("views 0 framed 0", 99), ("views 0 framed", [])],
)  # fmt: skip
def test_group_that_does_not_exist_is_refused(opened: Tab, path: str, value: Any) -> None:
    document = document_of(run(MODEL.replace("range(12)", "range(2)")).recording, cards)
    *way, last = [int(key) if key.isdecimal() else key for key in path.split()]
    place = document["sweeps"][0]
    for key in way:
        place = place[key]
    assert place[last] != value
    place[last] = value

    opened.open(f"{opened.run('location.href')}#{fragment(document)}")

    assert failure(opened).startswith("The recording in this link cannot be shown: ")


def test_gradients_travel_along_their_edges_and_end_as_labels(opened: Tab) -> None:
    moving = {"name": "prefers-reduced-motion", "value": "no-preference"}
    opened.ask("Emulation.setEmulatedMedia", features=[moving])
    opened.press("ArrowRight")
    assert opened.texts(".pill.travels") == ["[1, 1]"]

    opened.wait("document.querySelector('.pill.out')")

    assert opened.texts(".pill") == ["goes out [1, 1]"]
    assert opened.errors == []


def test_click_on_a_box_keeps_it_until_escape(opened: Tab) -> None:
    opened.press("ArrowRight")
    opened.click(*middle(opened, "[data-box='0'] .tile"))
    assert opened.texts("#node h1") == ["x"]
    opened.press("ArrowRight")
    assert opened.texts("#node h1") == ["x"]
    opened.press("Escape")
    assert opened.texts("#node h1") == ["x·x·w"]
    opened.press("ArrowUp")
    assert opened.texts("#node h1") == ["x·x"]


def test_column_of_the_product_shows_the_sum_that_it_makes(opened: Tab) -> None:
    for _ in range(3):
        opened.press("ArrowRight")
    assert opened.texts(".matrix .v") == ["3", "5"] * 2
    assert opened.texts(".sum") == ["-3 = 3 · (-1) + 5 · 0"] * 2

    opened.click(*middle(opened, ".matrix .out[data-column='1']"))

    assert opened.texts(".sum") == ["10 = 3 · 0 + 5 · 2", "-3 = 3 · (-1) + 5 · 0"]
    assert opened.texts(".matrix .lit") == ["0", "2", "10", "-1", "0", "-3"]


def test_choosing_another_call_shows_its_numbers(tab: Tab, tmp_path: Path) -> None:
    write_page(lesson(11), tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html")
    assert tab.run("document.getElementById('call').selectedIndex") == 1
    tab.press("B")

    assert tab.run("document.getElementById('call').selectedIndex") == 0
    check_every_step(tab, lesson(11), 0)


# ---- the picture ----


def scale(tab: Tab) -> float:
    return float(tab.run("document.getElementById('camera').getAttribute('transform')").split("scale(")[1][:-1])


def test_wheel_and_keys_zoom_and_fit_shows_all(opened: Tab) -> None:
    before = scale(opened)
    x, y = middle(opened, "#graph")
    opened.ask("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-240)
    opened.wait(f"!document.getElementById('camera').getAttribute('transform').includes('scale({before:.4f})')")
    assert scale(opened) > before
    opened.press("f")
    assert scale(opened) == before


def test_dragging_pans(opened: Tab) -> None:
    before = opened.run("document.getElementById('camera').getAttribute('transform')")
    left, top = opened.run(
        "(() => { const r = document.getElementById('stage').getBoundingClientRect(); return [r.left, r.top]; })()"
    )
    for kind, x, y in (
        ("mousePressed", 10, 10),
        ("mouseMoved", 60, 40),
        ("mouseMoved", 90, 50),
        ("mouseReleased", 90, 50),
    ):
        opened.ask("Input.dispatchMouseEvent", type=kind, x=left + x, y=top + y, button="left", buttons=1, clickCount=1)

    assert opened.run("document.getElementById('camera').getAttribute('transform')") != before


@pytest.mark.parametrize(("width", "height"), [(400, 800), (1000, 700), (1600, 900), (360, 560)])
@pytest.mark.parametrize("dark", [False, True])
def test_every_size_shows_graph_steps_and_numbers(
    tab: Tab, tmp_path: Path, width: int, height: int, dark: bool
) -> None:
    write_page(lesson(17), tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html", width=width, height=height, dark=dark)
    tab.press("ArrowRight")

    for selector in ("#graph", "#play", "#time", "#said b", "#node h1", ".pill"):
        box = tab.run(
            f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [r.left, r.top, r.right, r.bottom]; })()"
        )
        assert -1 <= box[0] < box[2] <= width + 1, selector
        assert -1 <= box[1] < box[3] <= height + 1, selector
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert tab.run("document.documentElement.classList.contains('dark')") is dark
    tab.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 10_000


RECT = "(selector) => { const r = document.querySelector(selector).getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; }"


def rect(tab: Tab, selector: str) -> list[float]:
    """Left, top, right and bottom of an element, in pixels."""
    found: list[float] = tab.run(f"({RECT})({json.dumps(selector)})")
    return found


@pytest.mark.parametrize(("width", "height"), [(400, 800), (1000, 700), (700, 480)])
def test_no_step_moves_the_picture_however_long_its_sentence(tab: Tab, tmp_path: Path, width: int, height: int) -> None:
    write_page(lesson(17), tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html", width=width, height=height)
    tab.press("Home")

    stages = set()
    for _ in range(int(tab.run("document.getElementById('time').getAttribute('aria-valuemax')")) + 1):
        stages.add(tuple(rect(tab, "#graph")))
        lowest = rect(tab, "#said span")[3]
        assert lowest <= height
        tab.press("ArrowRight")

    assert len(stages) == 1


@pytest.mark.parametrize(("width", "height"), [(400, 800), (700, 480)])
def test_start_shows_the_box_that_runs_first(tab: Tab, tmp_path: Path, width: int, height: int) -> None:
    write_page(lesson(17), tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html", width=width, height=height)
    tab.press("End")
    tab.press("t")

    tab.press("Home")

    box, stage = rect(tab, "[data-box='0'] .body"), rect(tab, "#graph")
    assert stage[0] <= box[0] < box[2] <= stage[2]
    assert stage[1] <= box[1] < box[3] <= stage[3]


def test_legend_stands_below_the_graph_and_covers_no_box(tab: Tab, tmp_path: Path) -> None:
    write_page(lesson(18), tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html", width=1000, height=700)

    assert rect(tab, "#legend")[1] >= rect(tab, "#graph")[3]
    assert rect(tab, "#legend")[3] <= rect(tab, "#deck")[1]


CROWDED = """(() => {
  const rects = (selector) => [...document.querySelectorAll(selector)].map(each => each.getBoundingClientRect());
  const stage = document.getElementById("graph").getBoundingClientRect();
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  const pills = rects(".pill rect"), boxes = rects(".box .body"), titles = rects("#titles text");
  const cut = pills.filter(each => each.left < stage.left - 1 || each.right > stage.right + 1).length;
  const over = pills.filter((each, index) =>
    [...boxes, ...titles, ...pills.slice(index + 1)].some(other => meet(each, other))).length;
  return [cut, over];
})()"""


@pytest.mark.parametrize("number", [4, 11, 14])
@pytest.mark.parametrize(("width", "height"), [(400, 800), (700, 480), (1600, 1000)])
def test_no_label_is_cut_or_covers_anything(tab: Tab, tmp_path: Path, number: int, width: int, height: int) -> None:
    write_page(lesson(number), tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html", width=width, height=height)

    crowded = set()
    for _ in range(int(tab.run("document.getElementById('time').getAttribute('aria-valuemax')"))):
        crowded.add(tuple(tab.run(CROWDED)))
        tab.press("ArrowRight")

    assert crowded == {(0, 0)}


def test_what_is_tapped_is_large_enough_for_a_finger(tab: Tab, tmp_path: Path) -> None:
    write_page(lesson(17), tmp_path / "page.html", cards)
    tab.ask("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        tab.open(tmp_path / "page.html", width=400, height=800)
        tab.press("n")
        small = tab.run(
            "[...document.querySelectorAll('button')].filter(each => each.offsetParent"
            " && (each.offsetHeight < 34 || each.offsetWidth < 34)).map(each => each.textContent)"
        )
        box = rect(tab, "[data-box='1'] .body")
        point = {"x": (box[0] + box[2]) / 2, "y": (box[1] + box[3]) / 2}
        tab.ask("Input.dispatchTouchEvent", type="touchStart", touchPoints=[point])
        tab.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        tab.wait("document.querySelector('[data-box=\"1\"]').classList.contains('selected')")
    finally:
        tab.ask("Emulation.setTouchEmulationEnabled", enabled=False)

    assert small == []


def test_long_names_break_behind_dots_and_underscores_and_push_no_word_into_letters(tab: Tab, tmp_path: Path) -> None:
    name = "weights_of_the_first_attention_block_before_dropout"
    text = f"import torch\n{name} = torch.tensor(2.0, requires_grad=True)\n({name} ** 2).backward()\n"
    write_page(run(text).recording, tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html", width=1000, height=700)
    tab.press("End")

    assert tab.texts("#node h1") == [name]
    assert tab.texts("#node .grad h2 .quiet") == ["accumulated"]
    beside, line = rect(tab, "#node .grad h2 .quiet"), 12 * 1.45
    assert beside[3] - beside[1] <= line + 2
    ends = tab.run(
        "[...document.querySelector('#node h1').childNodes].filter(each => each.nodeType === 3).map(each => each.data)"
    )
    assert all(piece.endswith("_") for piece in ends[:-1])
    assert len(ends) == name.count("_") + 1


LUMINANCE = """((selector, name) => {
  const parts = getComputedStyle(document.querySelector(selector))[name].match(/[\\d.]+/g).map(Number);
  const [r, g, b] = parts.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
})"""


def contrast(tab: Tab, selector: str, name: str, ground: str) -> float:
    """Between a colour of an element and the ground it stands on."""
    one, other = (
        tab.run(f"{LUMINANCE}({json.dumps(where)}, {json.dumps(what)})")
        for where, what in ((selector, name), (ground, "backgroundColor"))
    )
    return float((max(one, other) + 0.05) / (min(one, other) + 0.05))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("by_key", [False, True])
def test_high_contrast_is_that_of_the_system_or_a_key(opened: Tab, dark: bool, by_key: bool) -> None:
    wishes = {
        "prefers-color-scheme": "dark" if dark else "light",
        "prefers-contrast": "no-preference" if by_key else "more",
    }
    opened.ask("Emulation.setEmulatedMedia", features=[{"name": name, "value": wish} for name, wish in wishes.items()])
    if by_key:
        opened.press("c")
    # The browser tells the page of another wish of the system in a moment of its own.
    opened.wait(f"document.documentElement.classList.contains('dark') === {json.dumps(dark)}")
    opened.wait("document.documentElement.classList.contains('strong')")
    opened.press("ArrowRight")

    for selector, name in (
        ("#node h1", "color"),
        (".quiet", "color"),
        (".box .name", "fill"),
        (".edge.backward path", "stroke"),
    ):
        assert contrast(opened, selector, name, "#stage") >= 7, selector
    strong = contrast(opened, ".quiet", "color", "#stage")
    opened.press("c")
    assert contrast(opened, ".quiet", "color", "#stage") < strong


def test_a_box_is_called_by_the_words_that_are_seen_in_it(opened: Tab) -> None:
    seen = """[...document.querySelectorAll('.box')].map(box => [box.getAttribute('aria-label'),
      [...box.querySelectorAll('text')].filter(text => getComputedStyle(text).visibility === 'visible' &&
        getComputedStyle(text).display !== 'none').map(text => text.textContent).join(', ')])"""
    opened.press("Home")
    first = opened.run(seen)
    opened.press("End")

    for name, words in (*first, *opened.run(seen)):
        assert name == words
    assert first != opened.run(seen)


def test_a_table_of_numbers_that_scrolls_takes_focus_also_behind_a_tab(tab: Tab, tmp_path: Path) -> None:
    text = "x = torch.arange(24.0).reshape(2, 12).mul(1234.567).requires_grad_()\n(x * x).sum().backward()\n"
    write_page(run(f"import torch\n{text}").recording, tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html", width=1000)
    found = """[...document.querySelectorAll('#node .cells, #node .matrix')].filter(each => each.scrollWidth > each.clientWidth)
      .map(each => each.tabIndex)"""
    tab.run("document.querySelector('[data-tab=script]').click()")
    tab.press("End")
    tab.run("document.querySelector('[data-tab=node]').click()")

    assert tab.run(found)
    assert set(tab.run(found)) == {0}


def test_keys_scroll_what_has_the_focus_and_step_elsewhere(tab: Tab, tmp_path: Path) -> None:
    source = Source("script", "long.py", "x = 1\n" * 300)
    write_page(replace(weighted_sum(), source=source), tmp_path / "page.html", cards)
    tab.open(tmp_path / "page.html", width=1600)
    at = "document.querySelector('#time').getAttribute('aria-valuenow')"
    before = tab.run(at)

    tab.run("document.querySelector('#script').focus()")
    tab.press("PageDown")
    assert tab.run(at) == before
    tab.press("ArrowRight")
    assert tab.run(at) != before


# ---- links ----


def test_link_carries_a_small_recording_which_any_page_opens_at_its_step(tab: Tab, tmp_path: Path) -> None:
    write_page(lesson(13), tmp_path / "small.html", cards)
    write_page(lesson(17), tmp_path / "other.html", cards)
    tab.open(tmp_path / "small.html")
    tab.run(
        "void Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text; }}})"
    )
    tab.press("End")
    tab.press("l")
    tab.wait("window.copied")
    address, _, behind = tab.run("window.copied").partition("#")
    assert address == (tmp_path / "small.html").as_uri()
    assert len(behind) < 4096

    tab.open(f"{(tmp_path / 'other.html').as_uri()}#{behind}")

    assert tab.texts("#name") == ["13_a_function_of_your_own.py"]
    assert tab.texts("#node h1") == ["point"]
    assert position(tab) == 4


def test_link_of_the_command_line_opens(opened: Tab) -> None:
    opened.go(fragment(document_of(lesson(13), cards)))

    assert opened.texts("#name") == ["13_a_function_of_your_own.py"]
    opened.go("at=1.3")
    assert opened.texts("#name") == ["weighted_sum.py"]
    assert position(opened) == 3


# ---- what is damaged or hostile ----


def failure(tab: Tab) -> str:
    """The sentence that is shown in place of a recording, or ""."""
    return tab.run("(() => { const f = document.getElementById('failure'); return f.hidden ? '' : f.textContent; })()")


def test_truncated_page_says_so_in_one_sentence(tab: Tab, tmp_path: Path) -> None:
    write_page(lesson(4), tmp_path / "page.html", cards)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    packed = pack(document_of(lesson(4), cards))
    for kept in (0, 10, len(packed) // 2, len(packed) - 1):
        (tmp_path / "cut.html").write_text(text.replace(packed, packed[:kept]), encoding="utf-8")
        tab.open(tmp_path / "cut.html")

        assert failure(tab).startswith("The recording in this page cannot be shown: ")
        assert failure(tab).endswith(". Ask for the file again.")
        assert tab.errors == []


@pytest.mark.parametrize(
    "data", ["%00", "<script>", "AAAA", pack([]), pack(None), pack({"format": "gradviz page", "version": 2})]
)
def test_hostile_link_says_so_in_one_sentence(opened: Tab, data: str) -> None:
    opened.go(f"data={data}")

    assert failure(opened).startswith("The recording in this link cannot be shown: ")
    opened.go("")
    assert failure(opened) == ""


def test_names_are_text_and_unseen_signs_are_shown(tab: Tab, tmp_path: Path) -> None:
    recording = weighted_sum()
    name = f"{HOSTILE}\u202e\ud800"
    nodes = (recording.nodes[0]._replace(name=name, scope=(name,)), *recording.nodes[1:])
    hostile = replace(recording, nodes=nodes, output=name, source=Source("script", HOSTILE, name))
    write_page(hostile, tmp_path / "page.html", cards, Start(0, 4))
    tab.open(tmp_path / "page.html")

    assert tab.texts("#node h1") == [f"{HOSTILE}⟨202E⟩⟨D800⟩"]
    assert tab.texts("#output") == [f"{HOSTILE}⟨202E⟩⟨D800⟩"]
    assert tab.run("document.images.length + document.querySelectorAll('#app script').length") == 0
    assert [each for each in tab.requests if not each.startswith("file:")] == tab.errors == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("views 0 at 0", 99), ("views 0 at", [0]), ("ran 0", 99), ("ran", []), ("lines", [1]), ("names", ["x"]),
        ("views 0 edges 0 0", 99), ("views 0 edges 0 1", -1), ("views 0 edges", []), ("views 0 plan", 7),
        ("views 0 boxes 0 node", 99), ("views 0 boxes 0 node", -1), ("views 0 boxes", []), ("views 0 said", []),
        ("views 0 said 0", ["one"]), ("views 0 frames", ["a frame"]), ("views", []), ("turn", 99), ("length", 4),
        ("pages 0 about", []), ("pages 0 value 0", [0]), ("pages 1 product 0 1 factors 0 sent", ["1"]),
        ("pages 1 rule 0 1 lines 0", [[]]),
    ],
)  # fmt: skip
def test_place_that_does_not_exist_is_refused(opened: Tab, path: str, value: Any) -> None:
    document = document_of(weighted_sum(), cards)
    *way, last = [int(key) if key.isdecimal() else key for key in path.split()]
    place = document["sweeps"][0]
    for key in way:
        place = place[key]
    assert place[last] != value
    place[last] = value

    opened.open(f"{opened.run('location.href')}#{fragment(document)}")

    assert failure(opened).startswith("The recording in this link cannot be shown: ")


JUNK = (None, -1, 10**9, 0.5, "x", [], {}, True, [[]], "<b>")


def mutated(document: Any, draw: random.Random) -> Any:
    """The document with one value somewhere replaced by another, or taken away."""
    text = json.loads(json.dumps(document))
    place = text
    while isinstance(place, dict | list) and place:
        key: Any = draw.choice(list(place)) if isinstance(place, dict) else draw.randrange(len(place))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or draw.random() < 0.05:
            if draw.random() < 0.2:
                del place[key]
            else:
                place[key] = draw.choice(JUNK)
            break
        place = inner
    return text


def test_what_is_accepted_of_changed_data_never_fails_later(opened: Tab) -> None:
    document, draw = document_of(weighted_sum(), cards), random.Random(22)
    address = opened.run("location.href")
    accepted = 0
    for _ in range(60):
        opened.open(f"{address}#{fragment(mutated(document, draw))}")
        if failure(opened):
            continue
        accepted += 1
        for key in ("Home", *["ArrowRight"] * 10, "n", "n", "n", "Enter", "e", "f"):
            opened.press(key)
        assert opened.errors == []

    assert 5 < accepted < 55


def test_page_plays_inside_another_page(tab: Tab, tmp_path: Path) -> None:
    write_page(weighted_sum(), tmp_path / "page.html", cards)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    escaped = page.replace("&", "&amp;").replace('"', "&quot;")
    outer = f'<!doctype html><html><body><iframe srcdoc="{escaped}"></iframe></body></html>'
    (tmp_path / "outer.html").write_text(outer, encoding="utf-8")
    tab.ask("Page.navigate", url=(tmp_path / "outer.html").as_uri())
    inside = "document.querySelector('iframe')?.contentDocument"

    tab.wait(f"{inside}?.documentElement?.dataset.opened")

    assert tab.run(f"{inside}.querySelectorAll('.box').length") == 5
    assert tab.run(f"{inside}.getElementById('app').hidden") is False
