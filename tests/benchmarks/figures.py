"""The figures of a benchmark: several measurements of each, the aim, and how far the noise of this run reaches.

A figure is the median of its measurements, and its interval the one in which the median lies with 95 % certainty, by
the order of the measurements alone. An aim is missed where it lies outside of that interval, on the wrong side.
"""

from __future__ import annotations

import gc
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]

AT_LEAST = ("images a second",)
"""Units of which more is better; of all others, and of ratios, less is."""
MET, MISSED, NOISY, UNAIMED = "met", "MISSED", "within the noise", "no aim"

_CERTAINTY = 0.95


def row(
    bench: str,
    case: str,
    ours: Sequence[float],
    unit: str,
    n: int,
    *,
    theirs: Sequence[float] | None = None,
    against: str | None = None,
    aim: float | None = None,
) -> Row:
    """One row: bench, case, against, ratio, aim, unit, value, n; and low and high, the interval of what the aim is for.

    Args:
        ours: measurements, in `unit`.
        theirs: those of the peer, in the same rounds: each round gives one ratio. None without a peer.
        aim: for the ratio where there is a peer, else for the value; None for a figure that is only told.
    """
    ratios = None if theirs is None else [mine / other for mine, other in zip(ours, theirs, strict=True)]
    low, high = interval(ours if ratios is None else ratios)
    return {
        "bench": bench, "case": case, "against": against,
        "ratio": None if ratios is None else rounded(statistics.median(ratios)), "aim": aim,
        "unit": unit, "value": rounded(statistics.median(ours)), "n": n,
        "low": rounded(low), "high": rounded(high),
    }  # fmt: skip


def rounded(number: float) -> float:
    """To four digits."""
    return float(f"{number:.4g}")


def interval(measured: Sequence[float]) -> tuple[float, float]:
    """Where the median lies with 95 % certainty; of fewer than six measurements the least and the largest."""
    ordered = sorted(measured)
    count, outside, cut = len(ordered), 0.0, 0
    while cut < count // 2:
        outside += 2 * math.comb(count, cut) / 2**count
        if outside > 1 - _CERTAINTY:
            break
        cut += 1
    cut = max(cut - 1, 0)
    return ordered[cut], ordered[count - 1 - cut]


def judged(told: Row) -> str:
    """Whether a row meets its aim, misses it, or could be either as far as the noise lets one see."""
    aim = told["aim"]
    if aim is None:
        return UNAIMED
    figure = told["value"] if told["ratio"] is None else told["ratio"]
    low, high = told.get("low", figure), told.get("high", figure)
    if told["ratio"] is None and told["unit"] in AT_LEAST:
        figure, low, high, aim = -figure, -high, -low, -aim
    if figure <= aim:
        return MET
    return MISSED if low > aim else NOISY


def table(rows: Iterable[Row]) -> str:
    """What is met and what is missed, one row a line, the missed ones last."""
    lines = [["", "benchmark", "case", "against", "figure", "aim", "interval"]]
    order = (UNAIMED, MET, NOISY, MISSED)
    for told in sorted(rows, key=lambda told: order.index(judged(told))):
        is_ratio = told["ratio"] is not None
        figure = f"{told['ratio']:g}" if is_ratio else f"{told['value']:g} {told['unit']}"
        aim = "" if told["aim"] is None else f"{told['aim']:g}"
        reach = f"{told['low']:g} to {told['high']:g}" if "low" in told else ""
        lines.append([judged(told), told["bench"], told["case"], told["against"] or "", figure, aim, reach])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def in_turns(sides: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """The measurements of each side: all take turns, in another order each round.

    Args:
        sides: by name; each measures itself.
    """
    found: dict[str, list[float]] = {name: [] for name in sides}
    order = list(sides)
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            found[name].append(sides[name]())
    return found


def repeated(work: Callable[[], object], seconds: float = 0.03) -> Callable[[], float]:
    """The mean seconds of as many repeats of some work as take so long, as a function that measures."""
    work()
    repeats = max(1, int(seconds / max(clocked(work), 1e-7)))

    def measure() -> float:
        start = time.perf_counter()
        for _ in range(repeats):
            work()
        return (time.perf_counter() - start) / repeats

    return measure


def clocked(work: Callable[[], object]) -> float:
    """Seconds by the clock."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def busy(work: Callable[[], object]) -> float:
    """Seconds of processor time of this process."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    status = Path("/proc/self/status")
    if status.exists():  # what `resource` tells there begins with the peak of the process that started this one
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) * 1024 / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
