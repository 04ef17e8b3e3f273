"""What a file says, and the dialog of it, where what is shown is not simply a run: a what-if, or a comparison."""

from __future__ import annotations

from gradviz.export.row import Family, Row
from gradviz.playback.difference import Difference
from gradviz.ui.session.document import Content
from gradviz.ui.window.what_if_strip import broken_sentence, kept_sentence, what_if_sentence


def what_if_notes(content: Content) -> tuple[str, ...]:
    """What is changed in the recording that is shown, and what follows; none where it is a run."""
    supposed = content.supposed
    if supposed is None:
        return ()
    said = what_if_sentence(supposed), broken_sentence(supposed), kept_sentence(supposed)
    return tuple(sentence for sentence in said if sentence)


def picture_notes(content: Content, difference: Difference | None) -> tuple[str, ...]:
    """What stands above the graph of a picture: of a what-if, or of a comparison whose differences are marked."""
    names = _compared(content)
    if content.supposed is not None or difference is None or names is None:
        return what_if_notes(content)
    shown, other = names
    return (f"{shown} beside {other}.", difference.sentence(other))


def limits(content: Content, row: Row) -> str:
    """What of the screen a file of some format does not show; "" where it shows all."""
    names = _compared(content)
    if row.is_painted:
        return ""
    if content.supposed is not None:
        again = "It holds the run, and the what-if to be applied again when gradviz opens it."
        return again if row.keeps_what_if else f"It holds the numbers of the what-if and says so{row.notes_place}."
    if names is None:
        return ""
    first, other = content.beside[0].name, names[1]
    return (
        f"It holds {first} alone."
        if row.family is Family.RECORDING
        else f"What differs from {other} is not marked in it."
    )


def _compared(content: Content) -> tuple[str, str] | None:
    """The names of what is shown and of what it is compared with; None where nothing is compared."""
    place, against = content.place, content.against
    if place is None or not 0 <= against < len(content.beside) or place == against:
        return None
    return content.beside[place].name, content.beside[against].name
