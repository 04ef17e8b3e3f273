"""One script out of all calls of a name: each is made on values of its own, and what it says stands below its mark."""

from __future__ import annotations

from collections.abc import Sequence

from tests.calls.arguments import DERIVED, FED, TENSORS, TOLD, calls

MARK = "@@ "
"""Before the line that tells a call."""
TAKEN, REFUSED = "->", "!!"
ENDED = "--"
"""Before what gradviz does not support."""

PRELUDE = f"""
import torch
import torch.nn as nn
import torch.nn.functional as F

def made(kind):
    if kind == "f": return {TENSORS["f"]}
    if kind == "i": return {TENSORS["i"]}
    if kind == "b": return {TENSORS["b"]}
    if kind == "v": return {TENSORS["v"]}
    if kind == "s": return {TENSORS["s"]}
    if kind == "e": return {TENSORS["e"]}
    return {TENSORS["m"]}

def other(x):
    return (torch.arange(float(x.numel())) / 4 + 0.25).reshape(x.shape)

def say(text, ask):
    print("{MARK}" + text)
    torch.manual_seed(0)
    try:
        answer = ask()
        print("{TAKEN}", answer)
    except Exception as error:
        print("{REFUSED}", type(error).__name__ + ":", error)

def call(text, ask):
    for kind in "{"".join(TENSORS)}":
        x = made(kind)
        say(kind + ": " + text, lambda: ask(x, other(x)))

def module(text, make):
    try:
        make(made("f"), other(made("f")))
    except Exception:
        say(text, lambda: make(made("f"), other(made("f"))))
        return
    for kind in "{"".join(TENSORS)}":
        x = made(kind)
        w = other(x)
        say(kind + ": " + text, lambda: make(x, w))
        layer = make(x, w)
{"".join(f'        say(kind + ": " + text + "({fed})", lambda: layer({fed}))' + chr(10) for fed in FED)}

def three_steps(x, make):
    o = make(x)
    for step in range(3):
        o.zero_grad()
        loss = (x ** 2).sum() * (step + 1)
        loss.backward()
        o.step()
    return x, o

def optimizer(text, make):
    for kind in "fs":
        x = made(kind).requires_grad_()
        say(kind + ": " + text, lambda: three_steps(x, make))

def four_steps(make):
    x = made("v").requires_grad_()
    o = torch.optim.SGD([x], lr=0.1)
    schedule = make(o)
    rates = []
    for epoch in range(4):
        o.step()
        schedule.step()
        rates.append(o.param_groups[0]["lr"])
    return rates

def scheduler(text, make):
    say(text, lambda: four_steps(make))

"""


def _said(form: str, given: Sequence[str]) -> str:
    """A line for each, that asks for the form with it in its braces."""
    asked = [form.format(each) for each in given]
    return "".join(f"        say(kind + ': ' + text + {', ' + each!r}, lambda: ({each}))\n" for each in asked)


OF_FAMILIES = {
    "func": f"""
def made_function(text, make):
    for kind in "fvse":
        x = made(kind)
        w = other(x)
        say(kind + ": " + text, lambda: bool(make(x, w)))
        try:
            f = make(x, w)
        except Exception:
            continue
{_said("f({})", DERIVED)}
""",
    "distributions": f"""
import torch.distributions as D

def gradients(x, y):
    return y.requires_grad and torch.autograd.grad(y.sum(), [x], allow_unused=True)

def distribution(text, make):
    for kind in "fs":
        x = made(kind).requires_grad_()
        w = other(x)
        m = made("m")
        try:
            d = make(x, w, m)
        except Exception:
            say(kind + ": " + text, lambda: make(x, w, m))
            continue
{_said("{}", TOLD)}
""",
}
"""What the scripts of some families say before their calls."""

ASKS = "def say(text, ask):\n"


def without(source: str, done: set[str]) -> str:
    """The script with the calls left out whose answers are known."""
    return source.replace(ASKS, f"DONE = {done!r}\n{ASKS}    if text in DONE: return\n", 1) if done else source


def script(family: str, name: str) -> str:
    """The script of one name."""
    return PRELUDE + OF_FAMILIES.get(family, "") + "".join(f"{line}\n" for line in calls(family, name))
