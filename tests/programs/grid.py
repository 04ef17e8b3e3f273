"""Compare a family of functions densely with PyTorch: python -m tests.programs.grid --family splitting --count 300

Needs torch 2.13. Random programs rarely meet the rare: a grid calls each function with every combination of shapes,
dtypes and arguments of its family (or so many of them, drawn at random), and tells values, strides, versions, graphs,
gradients and errors. Without --family all families are compared; --higher tells the gradients' own graphs and
gradients too. Each disagreement is written as a script with both answers; those that differ in numbers only are
counted together.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from string import Template

from tests.programs.compare import Apart
from tests.programs.families import FAMILIES, Family
from tests.programs.search import DIGITS, fill_new_memory
from tests.programs.sweep import TOGETHER, Difference, differences, keep
from tests.programs.writer import CAUGHT

TOLD = """\
outs = r if isinstance(r, (tuple, list)) else (r,)
for each in outs:
    show("r", each)
    if isinstance(each, torch.Tensor):
        print(each.stride(), each._version)
        if each.requires_grad:
            graph(each)
given = [each for each in given if isinstance(each, torch.Tensor)]
for each in given:
    show("given", each)
    print(each._version)
outs = [each for each in outs if isinstance(each, torch.Tensor) and each.requires_grad]
given = [each for each in given if each.requires_grad]
if outs:
    total = sum((each * each).double().sum() for each in outs)
    gs = torch.autograd.grad(total, given, create_graph=HIGHER, allow_unused=True)
    for g in gs:
        show("g", g)
        if g is not None and g.requires_grad:
            graph(g)
    totals = [(g * g).double().sum() for g in gs if g is not None and g.requires_grad]
    if totals:
        for g in torch.autograd.grad(sum(totals), given, allow_unused=True):
            show("gg", g)"""


def combinations(values: dict[str, tuple[str, ...]], count: int, random: Random) -> Iterator[tuple[str, ...]]:
    """All combinations of the values, or so many of them drawn at random where there are more."""
    if math.prod(map(len, values.values())) <= count:
        return itertools.product(*values.values())
    return (tuple(map(random.choice, values.values())) for _ in range(count))


def call(text: str, given: dict[str, str], is_higher: bool = False) -> list[str]:
    """A call with some values as one statement that raises nothing, and tells what comes of it.

    Args:
        text: the call; the values that it names with a dollar are written there, the others are variables.
        given: the values by their names.
    """
    here = {name for name in given if f"${name}" in text}
    lines = [f"{name} = {value}" for name, value in given.items() if name not in here]
    lines += [f"given = [{', '.join(name for name in given if name not in here)}]"]
    lines += [f"r = {Template(text).substitute(given)}"]
    told = TOLD.replace("HIGHER", str(is_higher))
    return [CAUGHT.format("\n".join(f"    {line}" for line in (*lines, *told.split("\n"))))]


def calls(family: Family, count: int, random: Random, is_higher: bool = False) -> Iterator[tuple[str, list[list[str]]]]:
    """Each template of a family with its calls."""
    for text, values in family:
        chosen = combinations(values, count, random)
        yield text, [call(text, dict(zip(values, each, strict=True)), is_higher) for each in chosen]


def compare(name: str, count: int, seed: int, is_higher: bool, out: Path) -> None:
    """Compare a family, and print where it disagrees."""
    random, apart = Random(f"{name}-{seed}"), Apart()
    for place, (text, made) in enumerate(calls(FAMILIES[name], count, random, is_higher)):
        found: list[Difference] = []
        for start in range(0, len(made), TOGETHER):
            found += differences(dict(enumerate(made[start : start + TOGETHER])), apart)
        sorts: dict[str, list[Path]] = defaultdict(list)
        for number, each in enumerate(found):
            path = out / f"{name}-{seed}-{place}-{number}.py"
            keep(path, each)
            sorts[DIGITS.sub("#", f"{each.ours} | {each.theirs}")[:160]].append(path)
        print(f"{name}: {text}: {len(made)} calls; {len(found)} disagree in {len(sorts)} ways", flush=True)
        for sort, paths in sorted(sorts.items(), key=lambda each: -len(each[1])):
            print(f"--- {len(paths)} {paths[0].name}\n{sort}")


def main() -> None:
    """Read the arguments and compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.grid", description=__doc__.split("\n")[0])
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--count", type=int, default=300, help="calls of each template at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--higher", action="store_true", help="tell the gradients' own graphs and gradients too")
    parser.add_argument("--out", type=Path, default=Path("grid-findings"))
    arguments = parser.parse_args()
    fill_new_memory("tests.programs.grid")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.family or FAMILIES:
        compare(name, arguments.count, arguments.seed, arguments.higher, arguments.out)


if __name__ == "__main__":
    main()
