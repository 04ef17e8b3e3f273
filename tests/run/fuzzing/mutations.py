"""Real scripts with something wrong: other tokens, other lines, other branches of their tree, doors put in."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable
from random import Random
from typing import Any

from tests.run import attacks as known
from tests.run import test_engine_attacks as engine
from tests.run.fuzzing.grammar import ATOMS, DOORS, MAGICS, WORDS, expression

TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
ODD = "\t\x0c\\\"'{}()[]é\u2028\ufeff\ud800\x00#:;@$?!0_ \n"
KEYWORDS = ("dim", "keepdim", "out", "dtype", "p", "n", "size", "axis", "requires_grad", "reduction")
EXPRESSIONS = tuple(known.EXPRESSIONS.values())
STATEMENTS = (*known.STATEMENTS.values(), *(f"{engine.HEAD}{text}" for text in engine.ATTACKS.values()))
MODULES = ("torch", "np", "F", "nn", "torch.linalg", "math")


class Script:
    """A script in pieces: its statements at the top, and the expressions in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        tree = ast.parse(text)
        lines = text.split("\n")
        starts = [min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]) for node in tree.body]
        self.statements = [
            "\n".join(lines[start - 1 : node.end_lineno]) for start, node in zip(starts, tree.body, strict=True)
        ]
        self.expressions = [node for node in ast.walk(tree) if isinstance(node, ast.expr) and is_value(node)]

    def window(self, random: Random) -> str:
        """A few statements that follow one another."""
        short = [i for i, text in enumerate(self.statements) if len(text) < 900] or [0]
        at = random.choice(short)
        return "\n".join(self.statements[at : at + random.choice((1, 1, 2, 3))])[:3000]


def is_value(node: ast.expr) -> bool:
    """Whether the expression can stand where a value is asked for."""
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not isinstance(
        node, ast.Starred | ast.FormattedValue | ast.JoinedStr | ast.Slice
    )


def tokens(text: str, random: Random) -> str:
    """The text with a few tokens dropped, doubled, exchanged or replaced."""
    parts = TOKEN.findall(text) or [" "]
    for _ in range(random.randint(1, 5)):
        at, other = random.randrange(len(parts)), random.randrange(len(parts))
        choice = random.randrange(6)
        if choice == 0:
            parts[at] = ""
        elif choice == 1:
            parts[at] += parts[other]
        elif choice == 2:
            parts[at], parts[other] = parts[other], parts[at]
        else:
            parts[at] = random.choice(WORDS)
    return "".join(parts)


def lines(text: str, random: Random) -> str:
    """The text with lines dropped, doubled, moved, or set in or out."""
    parts = text.split("\n")
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(parts))
        choice = random.randrange(5)
        if choice == 0 and len(parts) > 1:
            del parts[at]
        elif choice == 1:
            parts.insert(random.randrange(len(parts)), parts[at])
        elif choice == 2:
            parts[at] = "    " + parts[at]
        elif choice == 3:
            parts[at] = parts[at][4:] if parts[at].startswith("    ") else parts[at].lstrip()
        else:
            parts[at] = random.choice(WORDS) + " " + parts[at]
    return "\n".join(parts)


def magics(text: str, random: Random) -> str:
    """The text as a cell of a notebook with lines that are no Python."""
    parts = text.split("\n")
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(parts) + 1)
        indent = parts[at - 1][: len(parts[at - 1]) - len(parts[at - 1].lstrip())] if at else ""
        parts.insert(at, indent + random.choice(MAGICS).format(random.choice(WORDS)))
    return "\n".join(parts)


def characters(text: str, random: Random) -> str:
    """The text with single characters exchanged; most is no Python any more."""
    parts = list(text) or [" "]
    for _ in range(random.randint(1, 8)):
        at = random.randrange(len(parts))
        parts[at] = random.choice((random.choice(ODD), "", parts[at] * 2, chr(random.randrange(0x250))))
    return "".join(parts)


def _places(tree: ast.AST) -> list[tuple[Any, str, int | None]]:
    """Where in a tree an expression can be exchanged: the node, the field, and the place in its list."""
    found: list[tuple[Any, str, int | None]] = []
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and is_value(value):
                found.append((node, field, None))
            elif isinstance(value, list):
                found += [
                    (node, field, i) for i, each in enumerate(value) if isinstance(each, ast.expr) and is_value(each)
                ]
    return found


def _exchanged(text: str, random: Random, made: Callable[[ast.expr], ast.expr]) -> str:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return text
    for _ in range(random.randint(1, 3)):
        places = _places(tree)
        if not places:
            break
        node, field, at = random.choice(places)
        if at is None:
            setattr(node, field, made(getattr(node, field)))
        else:
            getattr(node, field)[at] = made(getattr(node, field)[at])
    try:
        return ast.unparse(ast.fix_missing_locations(tree))
    except (ValueError, TypeError, RecursionError, AttributeError):
        return text


def _read(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return ast.Constant(value=1)


def attacks(text: str, random: Random) -> str:
    """The text with an attempt to get out of it put somewhere in."""
    if random.random() < 0.3:
        parts = text.split("\n")
        at = random.randrange(len(parts) + 1)
        indent = parts[at - 1][: len(parts[at - 1]) - len(parts[at - 1].lstrip())] if at else ""
        attack = random.choice(STATEMENTS).strip("\n").replace("\n", f"\n{indent}")
        parts.insert(at, indent + attack)
        return "\n".join(parts)
    return _exchanged(text, random, lambda _: _read(random.choice(EXPRESSIONS)))


def splices(text: str, random: Random, pool: list[ast.expr]) -> str:
    """The text with expressions exchanged for others of real scripts, for atoms, or for made ones."""

    def made(_: ast.expr) -> ast.expr:
        choice = random.random()
        if choice < 0.6 and pool:
            return copy.deepcopy(random.choice(pool))
        return _read(random.choice(ATOMS) if choice < 0.8 else expression(random, 2))

    return _exchanged(text, random, made)


def doors(text: str, random: Random) -> str:
    """The text with attributes that lead inside put behind its values."""

    def made(old: ast.expr) -> ast.expr:
        new: ast.expr = ast.Attribute(old, random.choice(DOORS), ast.Load())
        choice = random.random()
        if choice < 0.3:
            new = ast.Call(new, [_read(random.choice(ATOMS)) for _ in range(random.randrange(3))], [])
        elif choice < 0.5:
            new = ast.Attribute(new, random.choice(DOORS), ast.Load())
        elif choice < 0.6:
            new = ast.Subscript(new, _read(random.choice(ATOMS)), ast.Load())
        elif choice < 0.7:
            new = _read(f"getattr(x, {random.choice(DOORS)!r})")
        elif choice < 0.8:
            new = _read(f"'{{0.{random.choice(DOORS)}}}'.format({random.choice(ATOMS)})")
        return new

    return _exchanged(text, random, made)


def calls(text: str, random: Random, names: list[str]) -> str:
    """The text with a method of some name called on its values, with arguments that may not fit."""

    def made(old: ast.expr) -> ast.expr:
        given = [_read(random.choice(ATOMS)) for _ in range(random.randrange(4))]
        keywords = [ast.keyword(random.choice(KEYWORDS), _read(random.choice(ATOMS)))]
        function: ast.expr = ast.Attribute(old, random.choice(names), ast.Load())
        if random.random() < 0.5:
            function = _read(f"{random.choice(MODULES)}.{random.choice(names)}")
            given.insert(0, old)
        return ast.Call(function, given, keywords if random.random() < 0.2 else [])

    return _exchanged(text, random, made)
