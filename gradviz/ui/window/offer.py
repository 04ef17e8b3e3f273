"""What may help where a run ended in an error, as the words of a button."""

from __future__ import annotations

import re

from gradviz.source.missing_names import missing_name, missing_names
from gradviz.ui.session.document import Content

RUN, CHOOSE, NUMBERS = "pytorch", "pytorch_options", "give_numbers"
"""What may help: to run with PyTorch, to choose in which Python first, to give names that are missing numbers."""

OFFERS = {RUN: "Run with PyTorch", CHOOSE: "Choose another Python…"}
"""What the buttons say that lead to PyTorch."""

_PYTHONS_OWN = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Warning|Interrupt|Exit|Iteration)\b")
"""How the message of an error of Python or PyTorch begins: another engine has it too."""
_ANOTHER = re.compile(r"[Cc]hoose a(nother)? Python")


def offer(content: Content) -> str:
    """What may help where a run ended in an error: `RUN`, `CHOOSE`, `NUMBERS`, or ""."""
    problem = content.problem
    if problem is None or not problem.ended:
        return ""
    if missing_name(problem.message) in missing_names(content.text):
        return NUMBERS
    words = f"{problem.message} {problem.hint}"
    if _ANOTHER.search(words):
        return CHOOSE
    if content.with_pytorch:
        return ""
    is_refusal = "with PyTorch" in words or not (_PYTHONS_OWN.match(problem.message) or problem.message == "Stopped.")
    return RUN if is_refusal else ""


def words_of(action: str, content: Content) -> str:
    """What the button of an action says."""
    if action != NUMBERS:
        return OFFERS.get(action, "")
    *others, last = missing_names(content.text)
    return f"Give {', '.join(others)} and {last} numbers" if others else f"Give {last} numbers"
