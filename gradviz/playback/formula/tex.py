"""A typeset formula as TeX, for papers and slides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from gradviz.playback.formula.text import Piece

_SIGNS = {
    "⊙": r"\odot ", "·": r"\cdot ", "−": "-", "×": r"\times ", "Σ": r"\sum ", "∏": r"\prod ", "√": r"\surd ",
    "∂": r"\partial ", "σ": r"\sigma ", "Φ": r"\Phi ", "φ": r"\varphi ", "α": r"\alpha ", "β": r"\beta ",
    "δ": r"\delta ", "λ": r"\lambda ", "π": r"\pi ", "ε": r"\varepsilon ", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ",
    "∞": r"\infty ", "…": r"\dots ", "|": "|",
}  # fmt: skip
_FUNCTIONS = frozenset("exp log ln sin cos tan sinh cosh tanh max min".split())
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUPERSCRIPTS = str.maketrans("ᵀ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿˣ", "T0123456789-+nx")
_RAISED = re.compile("[ᵀ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿˣ]+")
_NOT_ASCII = re.compile("([^\x00-\x7f]+)")
_WORD = re.compile(r",?\s+[a-z]+\s*")
_WORDS = re.compile(r"[^\W\d]{2}(?:[\w.]*\w)?|[^\W\d][\w.]+\w")
"""A name with dots, such as that of a parameter in a module, is one."""
_BEHIND_WORD = re.compile(r"\}\s+(?=[\w\\])")
"""A space that is to be seen: mathematics mode drops it."""
_SPECIAL = re.compile(r"[\\{}$&#_%~^]")
_ESCAPES = {"\\": r"\backslash ", "~": r"\sim ", "^": r"\hat{\ }"}
_TOKEN = re.compile(
    r"""∂L/∂[\w.₀-₉]+               # a gradient
    | [ᵀ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿˣ]+          # what is raised
    | [A-Za-z_][A-Za-z0-9_.]*[₀-₉]*
    | \d+(?:\.\d+)?(?:e[-+]?\d+)?
    | \s+ | .[₀-₉]*""",
    re.DOTALL | re.VERBOSE,
)


def tex(pieces: Iterable[Piece]) -> str:
    """The pieces as TeX for mathematics mode: r"\\frac{\\partial L}{\\partial x} = 2 \\cdot x^{n - 1}"."""
    return " ".join(_set(list(pieces), 0).split())


def _set(pieces: list[Piece], level: int) -> str:
    """Pieces of a level as they stand; those above it raised, those below it lowered."""
    found = []
    for side, run in groupby(pieces, lambda piece: (piece.raised > level) - (piece.raised < level)):
        inner = list(run)
        if side > 0:
            found.append(f"^{{{_set(inner, level + 1)}}}")
        elif side < 0:
            found.append(f"_{{{_set([piece._replace(raised=level) for piece in inner], level)}}}")
        else:
            found += [_said(piece.text) for piece in inner]
    return "".join(found)


def _said(text: str) -> str:
    if len(_WORDS.findall(text)) > 1 or _WORD.fullmatch(text):
        return "".join(_worded(part) for part in _NOT_ASCII.split(text) if part)
    return _BEHIND_WORD.sub(r"}\\ ", "".join(_token(token) for token in _TOKEN.findall(text)))


def _worded(part: str) -> str:
    """A part of a sentence: its words upright, the signs between them as mathematics."""
    if part.isascii():
        return rf"\text{{{_escaped(part)}}}" if part.strip(" ().,") else part
    return "".join(_token(token) for token in _TOKEN.findall(part))


def _token(token: str) -> str:
    if token.startswith("∂L/∂"):
        return rf"\frac{{\partial L}}{{\partial {_name(token.removeprefix('∂L/∂'))}}}"
    if token in _SIGNS:
        return _SIGNS[token]
    if _RAISED.fullmatch(token):
        return f"^{{{token.translate(_SUPERSCRIPTS)}}}"
    if token[0].isalpha() or token[0] in _SIGNS:
        return f"\\{token} " if token in _FUNCTIONS else _name(token)
    return token if token.isspace() else _escaped(token)


def _name(name: str) -> str:
    """A letter as it is, a word upright; a number behind it below the line."""
    bare = name.rstrip("₀₁₂₃₄₅₆₇₈₉")
    below = name[len(bare) :].translate(_SUBSCRIPTS)
    shown = _SIGNS.get(bare, bare) if len(bare) == 1 else rf"\mathrm{{{_escaped(bare)}}}"
    return f"{shown}_{{{below}}}" if below else shown


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: _ESCAPES.get(found[0], f"\\{found[0]}"), text)
