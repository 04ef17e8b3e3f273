"""Whether a window can be shown here. Qt aborts the process where it cannot, so it is asked before. Knows no Qt."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

from gradviz.errors import GradvizError

APT_LINE = (
    "sudo apt install libglib2.0-0 libgl1 libegl1 libdbus-1-3 libfontconfig1 libxkbcommon0 "
    "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0"
)
HEADLESS = "To work without a window, use: gradviz export FILE out.json"

_X_DISPLAY = re.compile(r"(?P<host>[^:/]*):(?P<number>\d+)(\.\d+)?")
_PROBE_SECONDS = 2.0


def check_display(
    platform: str,
    environment: Mapping[str, str],
    *,
    x_answers: Callable[[str], bool] | None = None,
    plugin_problem: Callable[[], str] | None = None,
) -> None:
    """Return where a window can be shown; only Linux and its like can be without a display.

    Args:
        platform: as `sys.platform`.
        environment: as `os.environ`.
        x_answers: whether an X server listens at a DISPLAY; for tests.
        plugin_problem: why the X plugin of Qt cannot be loaded, or ""; for tests.

    Raises:
        GradvizError: there is no display, it does not answer, or a system library is missing; or QT_QPA_PLATFORM
            asks for what Qt has not.
    """
    _check_asked(environment)
    asked = _plugin(environment.get("QT_QPA_PLATFORM", ""))
    if platform in ("win32", "darwin") or asked not in ("", "xcb", "wayland"):
        return
    display = environment.get("DISPLAY", "")
    if asked != "xcb" and _wayland_answers(environment):
        return
    if asked == "wayland":
        raise GradvizError("No Wayland display answers, and QT_QPA_PLATFORM asks for one.", hint=HEADLESS)
    if not display:
        raise GradvizError("There is no display to show a window on.", hint=HEADLESS)
    if not (x_answers or _x_answers)(display):
        raise GradvizError(f"The display {display} does not answer, so no window can be shown.", hint=HEADLESS)
    problem = (plugin_problem or _plugin_problem)()
    if problem:
        raise missing_library(platform, problem)


def missing_library(platform: str, problem: str) -> GradvizError:
    """The error for a shared library that is not installed; `problem` is the loader's own sentence."""
    name = problem.split(":", maxsplit=1)[0]
    hint = f"On Debian or Ubuntu: {APT_LINE}" if platform.startswith("linux") else HEADLESS
    return GradvizError(f"The window needs the system library {name}, which cannot be loaded.", hint=hint)


def _wayland_answers(environment: Mapping[str, str]) -> bool:
    name = environment.get("WAYLAND_DISPLAY", "")
    return bool(name) and (Path(environment.get("XDG_RUNTIME_DIR", "/")) / name).exists()


def _x_answers(display: str) -> bool:
    """Whether something listens where DISPLAY points; a form that is not understood is left to Qt."""
    match = _X_DISPLAY.fullmatch(display)
    if match is None:
        return True
    number, host = int(match["number"]), match["host"]
    if host and host != "unix":
        return _connects(socket.AF_INET, (host, 6000 + number))
    path = f"/tmp/.X11-unix/X{number}"  # noqa: S108  (where X servers put it)
    return _connects(socket.AF_UNIX, "\0" + path) or _connects(socket.AF_UNIX, path)


def _connects(family: int, address: str | tuple[str, int]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_SECONDS)
        try:
            probe.connect(address)
        except OSError:
            return False
    return True


def _check_asked(environment: Mapping[str, str]) -> None:
    """Raise where none of the platforms that QT_QPA_PLATFORM names, with semicolons between, is one of Qt's."""
    asked, known = environment.get("QT_QPA_PLATFORM", ""), set(_plugins())
    more = environment.keys() & {"QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH"}  # what is there is not known here
    if asked and known and not more and not any(_plugin(one) in known for one in asked.split(";")):
        hint = f"Unset QT_QPA_PLATFORM, or set it to one of {', '.join(sorted(known))}."
        raise GradvizError(f"QT_QPA_PLATFORM asks for '{asked}', which this Qt has not.", hint=hint)


def _plugin(asked: str) -> str:
    """The plugin of a platform: 'wayland' of 'wayland-egl', 'offscreen' of 'offscreen:size=800'."""
    return asked.partition(":")[0].partition("-")[0].strip().lower()


def _plugins() -> dict[str, Path]:
    """The platforms that came with Qt, and their files; none where Qt is not installed as a package of Python's."""
    package = importlib.util.find_spec("PySide6")
    folders = package.submodule_search_locations or () if package is not None else ()
    places = [Path(folder, inner, "platforms") for folder in folders for inner in ("Qt/plugins", "plugins")]
    files = [file for place in places for file in (*place.glob("libq*"), *place.glob("q*.dll"))]
    return {file.stem.removeprefix("lib").removeprefix("q"): file for file in files}


def _plugin_problem() -> str:
    """What the loader says of Qt's X plugin. Qt loads the same file next, so this costs nothing twice."""
    plugin = _plugins().get("xcb")
    try:
        if plugin is not None:
            ctypes.CDLL(str(plugin))
    except OSError as error:
        return str(error)
    return ""
