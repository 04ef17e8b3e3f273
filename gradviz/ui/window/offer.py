"""What may help where a run ended in an error, as the words of a button."""

from __future__ import annotations

import re

from gradviz.ui.session.document import Content

RUN, CHOOSE = "pytorch", "pytorch_options"
"""The actions: to run with PyTorch, and to choose in which Python first."""

OFFERS = {RUN: "Run with PyTorch", CHOOSE: "Choose another Python…"}
"""What the buttons say."""

_PYTHONS_OWN = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Warning|Interrupt|Exit|Iteration)\b")
"""How the message of an error of Python or PyTorch begins: another engine has it too."""
_ANOTHER = re.compile(r"[Cc]hoose a(nother)? Python")


def offer(content: Content) -> str:
    """The action that may help where a run ended in an error: one of `OFFERS`, or ""."""
    problem = content.problem
    if problem is None or not problem.ended:
        return ""
    words = f"{problem.message} {problem.hint}"
    if _ANOTHER.search(words):
        return CHOOSE
    if content.with_pytorch:
        return ""
    is_refusal = "with PyTorch" in words or not (_PYTHONS_OWN.match(problem.message) or problem.message == "Stopped.")
    return RUN if is_refusal else ""
