"""A process that edits, saves and exports as fast as it can until it is killed. Run as a program, it needs no window.

    python -m tests.ui.session.editing FOLDER SEED

In FOLDER are `drafts`, `mine.py` or `mine.gradviz` (saved), and `run` with each of `SUFFIXES` (exported). Each line it
prints is a text that is kept by now, as JSON: `{"kept": text}`; `{"asked": text}` is one that is on its way. Half of the
recordings are large, so that most of the time goes into writing them.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtGui import QGuiApplication

from gradviz.changes import Change, Spot, WhatIf
from gradviz.export.work import done
from gradviz.formats import save
from gradviz.formats.safe_write import put
from gradviz.layout.graph import request_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.playback.track import Track
from gradviz.player.page import write_page
from gradviz.recording import Framing, Node, Recording, Source
from gradviz.ui.canvas.files.picture_file import Graph, Look
from gradviz.ui.canvas.scene.cards import cards
from gradviz.ui.canvas.scene.measure import box_sizes
from gradviz.ui.look.palette import LIGHT
from gradviz.ui.session.autosave import Autosave
from gradviz.ui.session.document import Document
from gradviz.ui.session.saving import recording_to_write, stamp_of, write_script
from tests.samples import weighted_sum
from tests.ui.canvas.files import start_writing

SUFFIXES = (".json", ".gradviz", ".html", ".svg", ".png")
LONGEST = 300
"""Lines of a text."""
LARGE = 2_000_000
"""Numbers of the array in a large recording."""


def text_of(number: int, rng: random.Random) -> str:
    """A script that says which one it is, and how it ends."""
    lines = "".join(f"x{line} = {rng.random()}\n" for line in range(rng.randrange(1, LONGEST)))
    return f"# text {number}\n{lines}# end of {number}\n"


def is_whole(text: str) -> bool:
    """Whether a text is one of `text_of`, from its beginning to its end."""
    first, last = text.split("\n", 1)[0], text.rstrip("\n").rsplit("\n", 1)[-1]
    return first.removeprefix("# text ") == last.removeprefix("# end of ") and text.endswith("\n")


def say(**words: str) -> None:
    print(json.dumps(words), flush=True)


class Exports:
    """Writes what a window exports, of one small graph."""

    def __init__(self, folder: Path, recording: Recording) -> None:
        self._folder = folder
        self._recording = recording
        track = Track(weighted_sum(), 0)
        layout = lay_out_layers(request_of(track, box_sizes(track), "down"))
        self._graph, self._look = Graph(track, layout, track.length), Look(LIGHT)

    def write(self, suffix: str, text: str) -> None:
        """Write `run` with that suffix; a recording holds the text."""
        file = self._folder / f"run{suffix}"
        if suffix in (".json", ".gradviz"):
            small = suffix == ".json"  # to write millions of numbers as text would take all the time
            save(replace(weighted_sum() if small else self._recording, output=text), file)
        elif suffix == ".html":
            write_page(weighted_sum(), file, cards)
        else:
            put(file, done(start_writing(suffix, self._graph, self._look)))


def recording_of(rng: random.Random) -> Recording:
    """What is saved and exported: a small recording, or one with a large array."""
    small = weighted_sum()
    if rng.random() < 0.5:
        return small
    many = Node(len(small.nodes), "constant", shape=(LARGE,), name="many")
    return replace(small, nodes=(*small.nodes, many), values=(*small.values, np.arange(LARGE, dtype=np.float32)))


def edit_for_ever(folder: Path, seed: int) -> None:
    """Edit a document that is in no file, or in one, which is saved and exported now and then."""
    rng, document = random.Random(seed), Document()
    recording = recording_of(rng)
    exports = Exports(folder, recording)
    autosave = Autosave(document, folder / "drafts")
    mine, number = folder / rng.choice(("mine.py", "mine.gradviz")), 0
    if mine.suffix == ".gradviz":
        source = Source("script", "mine.py", text_of(0, rng))
        document.open_recording(replace(recording, source=source), mine.name, path=mine)
    elif rng.random() < 0.5:
        document.open_script("", "untitled.py", is_new=True)
    else:
        document.open_script(text_of(0, rng), mine.name, path=mine, is_new=True)
    while True:
        number += 1
        text = text_of(number, rng)
        say(asked=text)
        document.set_text(text)
        document.want(WhatIf((Change(Spot(0), float(number)),)))
        what = rng.choice(["go on", "wait", "save", "export"])
        if what == "wait" and autosave.is_safe():
            say(kept=text)
        elif what == "save":
            with autosave.writing(mine):
                if mine.suffix == ".gradviz":
                    save(recording_to_write(document.content, 3, None, Framing(1.0, 2)), mine)
                else:
                    write_script(document.content, mine)
            if document.content.path is not None:
                document.set_saved(mine, stamp_of(mine))
            else:
                autosave.is_safe()
            say(kept=text)
        elif what == "export":
            suffix = rng.choice(SUFFIXES)
            with autosave.writing(folder / f"run{suffix}"):
                exports.write(suffix, text)


if __name__ == "__main__":
    app = QGuiApplication([])
    edit_for_ever(Path(sys.argv[1]), int(sys.argv[2]))
