"""A process that edits, saves and exports as fast as it can until it is killed. Run as a program, it needs no window.

    python -m tests.ui.session.editing FOLDER SEED

In FOLDER are `drafts`, `mine.py` (saved) and `run.json` (exported). Each line it prints is a text that is kept by now,
as JSON: `{"kept": text}`; `{"asked": text}` is one that is on its way.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from gradviz.formats import save
from gradviz.recording import Recording, Source
from gradviz.ui.session.autosave import Autosave
from gradviz.ui.session.document import Document
from gradviz.ui.session.saving import write_script

LONGEST = 300
"""Lines of a text."""


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


def edit_for_ever(folder: Path, seed: int) -> None:
    """Edit a document that is in no file, or in one, which is saved and exported now and then."""
    rng, document = random.Random(seed), Document()
    autosave = Autosave(document, folder / "drafts")
    mine, number = folder / "mine.py", 0
    if rng.random() < 0.5:
        document.open_script("", "untitled.py", is_new=True)
    else:
        document.open_script(text_of(0, rng), mine.name, path=mine, is_new=True)
    while True:
        number += 1
        text = text_of(number, rng)
        say(asked=text)
        document.set_text(text)
        what = rng.choice(["go on", "wait", "save", "export"])
        if what == "wait" and autosave.is_safe():
            say(kept=text)
        elif what == "save":
            with autosave.writing(mine):
                write_script(document.content, mine)
            if document.content.path is not None:
                document.set_saved(mine)
            else:
                autosave.is_safe()
            say(kept=text)
        elif what == "export":
            with autosave.writing(folder / "run.json"):
                save(Recording(output=text, source=Source("script", "mine.py", text)), folder / "run.json")


if __name__ == "__main__":
    app = QCoreApplication([])
    edit_for_ever(Path(sys.argv[1]), int(sys.argv[2]))
