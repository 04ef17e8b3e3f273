"""`time`, `timeit` and `datetime`: they read the clock; nothing waits."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import builtin_class, natives
from gradviz.imitation.script.readers import READERS, fields
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Namespace, Native, Static

CLOCKS = ("time", "perf_counter", "process_time", "monotonic", "time_ns", "perf_counter_ns", "monotonic_ns",
          "localtime", "gmtime", "ctime", "asctime", "mktime")  # fmt: skip


def _format(pattern: str, *when: Any) -> str:
    return time.strftime(_short(pattern), *when)


def _short(pattern: str) -> str:
    if len(pattern) > 1000:
        raise TorchError("a format of a date has at most 1,000 characters", kind="ValueError")
    return pattern


def _sleep(seconds: Any) -> None:
    if float(seconds) < 0:
        raise TorchError("sleep length must be non-negative", kind="ValueError")


def time_module(machine: Machine) -> Namespace:
    """`time`."""
    members = natives({name: getattr(time, name) for name in CLOCKS})
    return Namespace("time", members | natives({"sleep": _sleep, "strftime": _format}))


def timeit_module(machine: Machine) -> Namespace:
    """`timeit`, for functions of the script."""

    def timeit(stmt: Any = None, setup: Any = None, timer: Any = None, number: int = 1_000_000, **_: Any) -> float:
        if isinstance(stmt, str) or stmt is None:
            raise TorchError("timeit of a text is not supported", kind="TypeError", hint="Give a function.")
        started = time.perf_counter()
        for _number in range(number):
            machine.call(stmt, (), {})
        return time.perf_counter() - started

    return Namespace("timeit", natives({"timeit": timeit, "default_timer": time.perf_counter}))


# ---- datetime ----

KINDS: dict[type, str] = {
    dt.timedelta: "total_seconds days seconds microseconds",
    dt.datetime: "isocalendar toordinal timetuple "
    "strftime isoformat timestamp date time replace weekday isoweekday year month day hour minute "
    "second microsecond ctime tzinfo fold astimezone utcoffset tzname dst timetz utctimetuple",
    dt.date: "isocalendar toordinal timetuple strftime isoformat replace weekday isoweekday year month day ctime",
    dt.time: "strftime isoformat replace hour minute second microsecond tzinfo utcoffset tzname dst",
    dt.timezone: "utcoffset tzname dst",
}
MADE = {
    "now",
    "today",
    "fromtimestamp",
    "strptime",
    "fromisoformat",
    "utcnow",
    "combine",
    "fromordinal",
    "fromisocalendar",
}
"""What the classes themselves have."""


def attribute(machine: Any, owner: Any, name: str) -> Any:
    """What a date, a time, a zone or a difference of two times has."""
    for kind, names in KINDS.items():
        if isinstance(owner, kind) and name in names.split():
            found = getattr(owner, name)
            return Native(name, _checked(name, found)) if callable(found) else found
    return NOTHING


def _checked(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    return (lambda pattern: method(_short(pattern))) if name == "strftime" else method


def datetime_module(machine: Machine) -> Namespace:
    """`datetime`."""
    members: dict[str, Any] = {}
    for kind in (dt.timedelta, dt.datetime, dt.date, dt.time):
        cls = builtin_class(machine, kind, "datetime", _maker(kind))
        made = {name: getattr(kind, name) for name in MADE if callable(getattr(kind, name, None))}
        if "strptime" in made:
            made["strptime"] = _parsed
        cls.attributes |= {name: Static(Native(name, run)) for name, run in made.items()}
        cls.attributes |= {name: getattr(kind, name) for name in ("min", "max", "resolution")}
        members[kind.__name__] = cls
    zone = builtin_class(machine, dt.timezone, "datetime", _maker(dt.timezone))
    zone.attributes |= {name: getattr(dt.timezone, name) for name in ("utc", "min", "max")}
    return Namespace("datetime", {**members, "UTC": dt.UTC, "timezone": zone})


def _parsed(text: str, pattern: str) -> dt.datetime:
    if len(text) > 100 or len(pattern) > 50:
        raise TorchError("a date has at most 100 characters here, and its format 50", kind="ValueError")
    return dt.datetime.strptime(text, pattern)  # noqa: DTZ007 - as the script writes it


def _maker(kind: Any) -> Callable[..., Any]:
    return lambda machine, *given, **named: kind(*given, **named)


READERS[type(dt.date.min.isocalendar())] = fields("year", "week", "weekday")
READERS |= dict.fromkeys(KINDS, attribute)
READERS[time.struct_time] = fields(
    "tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst"
)
