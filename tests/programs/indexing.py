"""Lines that read and write parts: every kind of index, alone and mixed, now and then too far or of a wrong kind."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

from tests.programs.leaves import is_float
from tests.programs.writer import Writer

LONGEST_INDEX = 4


def _places(w: Writer, n: int) -> list[int]:
    """Places along an axis of n, from both ends, repeated ones too; one too far now and then."""
    room = max(n, 1) if w.chance(0.96) else n + 2
    return [w.random.randrange(-room, room) for _ in range(w.random.randint(1, 3))]


def _slice(w: Writer, n: int) -> str:
    ends = [str(w.random.randint(-n - 1, n + 1)) if w.chance(0.5) else "" for _ in range(2)]
    return ":".join(ends + ([w.pick(("", "1", "2", "3", "-1" if w.chance(0.1) else "2"))] if w.chance(0.3) else []))


def _mask(w: Writer, n: int) -> str:
    length = n if w.chance(0.95) else n + 1
    held = [w.chance(0.5) for _ in range(length)]
    return w.pick((f"torch.tensor({held}, dtype=torch.bool)", f"{held}"))


def _item(w: Writer, n: int) -> str:
    """What stands for one axis of n."""
    at = _places(w, n)
    return str(
        w.pick(
            (
                at[0], at[0], at[0], _slice(w, n), _slice(w, n), ":", ":", at, f"torch.tensor({at})", f"torch.tensor({at})",
                f"torch.tensor([{at}, {at}])", f"torch.tensor({at[0]})", _mask(w, n), f"torch.tensor({at}, dtype=torch.int32)",
                f"torch.tensor({[[p] for p in at]})", f"np.array({at})",
            )
        )
    )  # fmt: skip


def index(w: Writer, name: str) -> str:
    """An index for a tensor, as text between brackets."""
    shape = w.value(name).shape
    if w.chance(0.12):
        return str(w.pick((f"{name} > 0", f"{name} > 0", "...", "None", "()", "True", "False", "[]", "0.5", "'a'",
                           "torch.tensor(True)", "torch.tensor([0.5])", f"({name} > 0).nonzero(as_tuple=True)")))  # fmt: skip
    items = [_item(w, n) for n in shape[: w.random.randint(1, LONGEST_INDEX)]]
    if w.chance(0.04):
        items.append("0")
    for extra, p in (("None", 0.15), ("...", 0.15), ("True", 0.02)):
        if w.chance(p):
            items.insert(w.random.randint(0, len(items)), extra)
    if len(items) > 1 and w.chance(0.15):
        items = [":", *items[1:]]
    return ", ".join(items) or "..."


def part(w: Writer) -> None:
    """A part of a tensor."""
    if name := w.any():
        w.let(f"{name}[{index(w, name)}]")


VALUES = (
    "0.5",
    "1",
    "{1}",
    "{1}",
    "{1}",
    "{0}[{2}] * 2",
    "{0}[{2}].detach()",
    "-{0}[{2}]",
    "torch.tensor(2.0)",
    "True",
    "[1.0, 2.0]",
    "{1}.sum()",
)
SIGNS = ("=", "=", "=", "=", "+=", "*=", "-=", "/=")


def part_change(w: Writer) -> None:
    """A part of a tensor written anew, and what that left of another."""
    name = w.any(is_float) if w.chance(0.9) else w.any()
    if name is None:
        return
    at = index(w, name)
    value = w.pick(VALUES).format(name, w.any() or name, at)
    text = f"{name}[{at}] {w.pick(SIGNS)} {value}"
    if w.chance(0.12):
        text = f"with torch.no_grad():\n    {text}"
    other = w.any() or name
    w.add(text, f"show({name!r}, {name})", f"graph({name})")
    w.add(f"print({name}._version, {other}._version)", f"show({other!r}, {other})")
