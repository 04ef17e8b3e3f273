"""Record what those functions of PyTorch that are written in Python say of an argument of another type. Needs torch.

Run it from the root of the repository: `python -m tests.data.record_other_types`. The calls of python_calls.txt work;
each argument of each is given as other types instead. What is said of all values of a type, in all calls of a function,
is written down: a line for each function, with its parameters ("=" behind those with a default), and for each refused
one the kind of the exception, the text ("{}" for the name of the type) and the types.
"""

from __future__ import annotations

import ast
import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "gradviz" / "imitation" / "script" / "arguments" / "other_types.txt"
OWNERS = {"F": "torch.nn.functional", "nn.init": "torch.nn.init", "nn.utils": "torch.nn.utils", "torch": "torch",
          "nn.utils.rnn": "torch.nn.utils.rnn"}  # fmt: skip
PLAIN = ("TypeError", "AttributeError")


def values() -> dict[str, Any]:
    """What the calls are made with, made anew for each."""
    x = torch.arange(6.0).reshape(2, 3) + 1
    return {
        "torch": torch, "nn": nn, "F": F, "x": x, "y": torch.linspace(-1, 1, 6).reshape(2, 3),
        "w": torch.linspace(0, 1, 12).reshape(3, 4), "v": torch.tensor([1.0, 2.0, 3.0]), "s": torch.tensor(2.0),
        "k": torch.tensor([[0, 2, 1], [1, 0, 2]]), "q": torch.eye(3) * 2 + 0.5, "t": torch.tensor([0, 2]),
        "b": torch.arange(24.0).reshape(2, 3, 4), "img": torch.arange(64.0).reshape(1, 1, 8, 8) / 64,
        "p": torch.ones(2, 3, requires_grad=True),
    }  # fmt: skip


def others() -> dict[str, list[Any]]:
    """Values of each type."""
    x = torch.ones(2, 3)
    return {
        "str": ["a", "zz"], "NoneType": [None], "float": [2.5, -1.0, 0.0], "int": [3, -1, 0], "bool": [True, False],
        "list": [[1.0, 2.0], [], ["a"], [x], [1, 2]], "tuple": [(1.0, 2.0), (), ("a",), (x, x), (1, 2)],
        "dict": [{}, {"a": 1}], "numpy.ndarray": [np.ones((2, 3)), np.ones(2)],
        "Tensor": [x, torch.ones(4), torch.tensor(1.0), torch.tensor(1), x.long()],
    }  # fmt: skip


def parameters(name: str, function: Any) -> list[str]:
    """The names that arguments may be given by; what is chosen by a flag has them in a function of its own."""
    python = getattr(F, f"_{name}", None)
    known = inspect.signature(python if "args" in inspect.signature(function).parameters and python else function)
    places = [p for p in known.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    return [p.name + "=" * (p.default is not p.empty) for p in places]


def said(function: Any, arguments: tuple[Any, ...], named: dict[str, Any], found: str) -> tuple[str, str] | None:
    """Kind and text of the exception; what warns before it raises is not told here."""
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            function(*arguments, **named)
    except Exception as error:
        if warned:
            return "", ""
        text = str(error)
        name = found.rpartition(".")[2] if "object" in text else found
        once = text.count(name) == 1
        return type(error).__name__, text.replace(name, "{}") if once else text
    return None


Told = dict[str, dict[str, set[tuple[str, str] | None]]]
"""By parameter and type, all that was said."""


def listen(call: ast.Call, told: Told) -> list[str]:
    """Make a call with each of its arguments of each type; its parameters."""
    assert isinstance(call.func, ast.Attribute)
    name = call.func.attr
    text, owner = ast.unparse(call), ast.unparse(call.func.value)
    shown = parameters(name, eval(ast.unparse(call.func), values()))
    shown = shown[1:] if shown[:1] == ["self"] else shown
    places = [place.rstrip("=") for place in shown]
    eval(text, values())
    for place in places:
        for found, samples in others().items():
            for sample in samples:
                known = values()
                arguments = [eval(ast.unparse(a), known) for a in call.args]
                named = {k.arg or "": eval(ast.unparse(k.value), known) for k in call.keywords}
                at = places.index(place)
                if at < len(arguments):
                    arguments[at] = sample
                else:
                    named[place] = sample
                function = getattr(eval(owner, known), name)
                told.setdefault(place, {}).setdefault(found, set()).add(said(function, tuple(arguments), named, found))
    return shown


def entries(told: Told) -> Iterator[str]:
    for place, by_type in told.items():
        texts: dict[tuple[str, str], list[str]] = {}
        for found, all_said in by_type.items():
            one = next(iter(all_said))
            if len(all_said) == 1 and one is not None and one[0] in PLAIN and "\n" not in one[1]:
                texts.setdefault(one, []).append(found)
        for (kind, text), types in texts.items():
            yield f"{place}|{kind}|{text}|{','.join(types)}"


def main() -> None:
    warnings.simplefilter("ignore")
    found: dict[str, tuple[list[str], Told]] = {}
    for line in (HERE / "python_calls.txt").read_text(encoding="utf-8").splitlines():
        call = ast.parse(line, mode="eval").body
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        owner = ast.unparse(call.func.value)
        function = eval(ast.unparse(call.func), values())
        if type(function).__name__ == "builtin_function_or_method":
            continue
        name = f"{OWNERS.get(owner, 'Tensor')}.{call.func.attr}"
        told = found.get(name, ([], {}))[1]
        try:
            found[name] = listen(call, told), told
        except Exception as error:
            print(line, error)
    rows = ["\t".join((name, " ".join(places), *entries(told))) for name, (places, told) in sorted(found.items())]
    OUT.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
