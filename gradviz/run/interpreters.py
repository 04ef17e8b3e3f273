"""The Pythons of this machine, and which PyTorch each has.

Looked for where they usually are: on the PATH, in the environments of conda, venv and pyenv, and beside a script.
Each is asked once, in a process of its own, which imports nothing of PyTorch: the version stands in a file.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from gradviz.errors import GradvizError

OLDEST_PYTHON = (3, 9)
OLDEST_TORCH = (2, 0)

_SECONDS = 30.0
"""What an interpreter has to answer, on a slow disk too."""
_PARENTS = 4
"""Folders above a script in which an environment of its project is looked for."""
_AT_ONCE = 4

_QUESTION = """\
import importlib.util, json, os, re, sys
found = importlib.util.find_spec("torch") if sys.version_info >= (3,) else None
version = "" if found is None else "?"
for folder in (found.submodule_search_locations or ()) if found is not None else ():
    try:
        with open(os.path.join(folder, "version.py")) as file:
            told = re.search("^__version__ *(?:: *str)? *= *[\\"']([^\\"']+)", file.read(), re.M)
        version = told.group(1) if told else version
    except (IOError, OSError):
        pass
print(json.dumps({"python": ".".join(map(str, sys.version_info[:3])), "torch": version, "prefix": sys.prefix}))
"""


@dataclass(frozen=True)
class Interpreter:
    """One Python.

    Attributes:
        path: the program.
        python: its version, e.g. "3.11.9"; "" where it could not be asked.
        torch: the version of its PyTorch, "?" where that is not told, "" where it has none.
        prefix: the folder of its environment.
        problem: why nothing can be run with it, as a sentence; "" where all is well.
    """

    path: Path
    python: str = ""
    torch: str = ""
    prefix: str = ""
    problem: str = ""

    @property
    def hint(self) -> str:
        """What to do about the problem."""
        found = (hint for words, hint in HINTS.items() if words in self.problem)
        return next(found, "Choose another Python." if self.problem else "")

    @property
    def words(self) -> str:
        """What tells it from others: "PyTorch 2.13.0, Python 3.11.9"."""
        return f"PyTorch {self.torch}, Python {self.python}" if self.torch else f"Python {self.python}, no PyTorch"


def named_python(name: str) -> Path:
    """The program that a path or a name on the PATH stands for.

    Raises:
        GradvizError: there is none, or it is no program.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        found = next((inside for inside in _programs_in(path) if inside.is_file()), None)
        if found is None:
            raise GradvizError(f"the folder {name} has no Python in it", hint="Name the program itself.")
        return found.absolute()  # a link must stay one: it is what makes an environment
    on_path = shutil.which(str(path))
    if on_path is not None:
        return Path(on_path).absolute()
    if path.is_file():
        raise GradvizError(f"{name} is not a program that can be run", hint="Choose the Python of an environment.")
    hint = "Give the path of a Python, or a name that is on the PATH, such as python3."
    raise GradvizError(f"there is no Python at '{name}'", hint=hint)


def ask(path: Path) -> Interpreter:
    """Ask a Python for its version and its PyTorch; what is wrong is in the answer."""
    try:
        answer = subprocess.run(  # noqa: S603 - the user named it, or it stands where Pythons stand
            [str(path), "-c", _QUESTION],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            cwd=Path(sys.executable).anchor,  # where no file of the user is taken for a module
            env=surroundings(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Interpreter(path, problem=f"{path} did not answer within {_SECONDS:.0f} seconds")
    except (OSError, ValueError) as error:
        return Interpreter(path, problem=f"{path} could not be started: {getattr(error, 'strerror', None) or error}")
    try:
        told = json.loads(answer.stdout.decode("utf-8", "replace").strip().rpartition("\n")[2])
        made = Interpreter(path, str(told["python"]), str(told["torch"]), str(told["prefix"]))
    except (ValueError, LookupError, TypeError):
        said = answer.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
        why = f": {said}" if said else f" (exit code {answer.returncode})"
        return Interpreter(path, problem=f"{path} is no Python that works{why}")
    return Interpreter(made.path, made.python, made.torch, made.prefix, _problem(made))


def _problem(made: Interpreter) -> str:
    if _numbers(made.python) < OLDEST_PYTHON:
        return f"{made.path} is Python {made.python}; the recorder needs {_dotted(OLDEST_PYTHON)} or newer"
    if not made.torch:
        return f"{made.path} has no PyTorch"
    if made.torch != "?" and _numbers(made.torch) < OLDEST_TORCH:
        return f"{made.path} has PyTorch {made.torch}; the recorder needs {_dotted(OLDEST_TORCH)} or newer"
    return ""


HINTS = {
    "has no PyTorch": "Install it there with 'python -m pip install torch', or choose another Python.",
    "or newer": "Choose a Python with a newer one.",
}
"""What to do, by what stands in the problem."""


def usable(path: Path) -> Interpreter:
    """A Python with which a script can be run.

    Raises:
        GradvizError: it does not start, has no PyTorch, or one that is too old.
    """
    made = ask(path)
    if made.problem:
        raise GradvizError(made.problem, hint=made.hint)
    return made


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.partition("+")[0].split(".")[:2] if part.isdecimal())


def _dotted(version: Iterable[int]) -> str:
    return ".".join(map(str, version))


def surroundings(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a foreign Python: the user's own, less what belongs to the Python that runs gradviz."""
    given = dict(os.environ if environment is None else environment)
    for name in ("PYTHONHOME", "PYTHONEXECUTABLE", "__PYVENV_LAUNCHER__"):
        given.pop(name, None)
    return given


# ---- where they are ----


def find(beside: Path | None = None, cancelled: Callable[[], bool] = lambda: False) -> list[Interpreter]:
    """The Pythons of this machine that answer, those with a usable PyTorch first.

    Args:
        beside: a script, whose project may have an environment of its own.
        cancelled: says whether nobody waits any more.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        asked = list(pool.map(lambda path: None if cancelled() else ask(path), places(beside)))
    found: dict[str, Interpreter] = {}
    for made in asked:
        if made is not None and made.python:
            found.setdefault(made.prefix, made)
    return sorted(found.values(), key=lambda made: bool(made.problem))  # else in the order of `places`


def places(beside: Path | None = None, environment: Mapping[str, str] | None = None) -> list[Path]:
    """The programs that may be a Python, the likeliest first; each once."""
    known = os.environ if environment is None else environment
    found: dict[Path, None] = {}
    for path in _all_places(beside, known):
        if path.is_file() and os.access(path, os.X_OK) and not _offers_to_install(path):
            found.setdefault(path.absolute())
    return list(found)


def _offers_to_install(path: Path) -> bool:
    """Whether it is no Python, but what asks the user to install one as soon as it is started."""
    if sys.platform == "darwin":
        return path == Path("/usr/bin/python3") and not Path("/Library/Developer/CommandLineTools").exists()
    return sys.platform == "win32" and "WindowsApps" in path.parts


def _all_places(beside: Path | None, environment: Mapping[str, str]) -> Iterator[Path]:
    home = Path.home()
    if beside is not None:
        for folder in list(beside.resolve().parents)[:_PARENTS]:
            for name in (".venv", "venv", "env"):
                yield from _programs_in(folder / name)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environment.get(variable):
            yield from _programs_in(Path(environment[variable]))
    for on_path in environment.get("PATH", "").split(os.pathsep):
        if on_path:
            yield from (Path(on_path) / name for name in _NAMES)
    yield Path(sys.executable)
    yield from _conda(home)
    for root in (environment.get("PYENV_ROOT"), home / ".pyenv"):
        if root:
            yield from _environments(Path(root) / "versions")
    for root in (environment.get("WORKON_HOME"), home / ".virtualenvs", home / ".venvs", home / "venvs"):
        if root:
            yield from _environments(Path(root))


_NAMES = ("python.exe",) if sys.platform == "win32" else ("python3", "python")


def _programs_in(environment: Path) -> Iterator[Path]:
    folders = ("Scripts", ".") if sys.platform == "win32" else ("bin",)
    yield from (environment / folder / name for folder in folders for name in _NAMES)


def _environments(root: Path) -> Iterator[Path]:
    try:
        inside = sorted(root.iterdir())
    except OSError:
        return
    for environment in inside:
        yield from _programs_in(environment)


def _conda(home: Path) -> Iterator[Path]:
    try:
        listed = (home / ".conda" / "environments.txt").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        listed = []
    for line in listed:
        if line.strip():
            yield from _programs_in(Path(line.strip()))
    names = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba")
    for root in (*(home / name for name in names), Path("/opt/conda"), *(Path("/opt") / name for name in names)):
        yield from _programs_in(root)
        yield from _environments(root / "envs")
