"""Rules of the project that no linter knows: who may import whom, what is shipped, what stands in no file."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import gradviz
from gradviz.shipped import shipped

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "gradviz"
FROM_CHECKOUT = pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="needs the checkout")
pytestmark = FROM_CHECKOUT


# ---- who may import whom ----


class Room(NamedTuple):
    """What a package or module at the top of gradviz may import.

    Attributes:
        why: the rule as a sentence.
        rooms: of gradviz.
        outside: libraries besides the standard one.
        late: those of `outside` that must be imported inside a function, because they are slow to load.
    """

    why: str
    rooms: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROOMS: dict[str, Room] = {
    "errors": Room("Errors know nothing of the rest."),
    "collection": Room("To put the garbage collector off needs nothing of the rest."),
    "shipped": Room("Where the shipped files are depends on nothing."),
    "recording": Room("A recording is plain data, whoever makes it.", words("errors"), words("numpy")),
    "changes": Room("What is other than in a recording is data too.", words("errors recording"), words("numpy")),
    "ops": Room(
        "What is known of each op: rules over arrays, and nothing of who runs or shows them.", outside=words("numpy")
    ),
    "engine": Room(
        "The engine is numbers: numpy and the standard library. It knows no recording, no script, no window.",
        words("errors ops"),
        words("numpy"),
    ),
    "graph": Room(
        "A finished run can be asked, whoever made the recording: by the engine's rules, and by nothing of a script.",
        words("changes engine errors ops recording"),
        words("numpy"),
    ),
    "source": Room("What is read off a text without running it.", words("errors recording trace"), words("numpy")),
    "run": Room(
        "A script is run in a process of its own and leaves a recording.",
        words("collection document engine errors formats graph ops recording source trace"),
        words("numpy"),
    ),
    "trace": Room("What recorders and readers decide alike runs in any Python, and knows no numbers of a library."),
    "capture": Room(
        "The recorder runs beside the user's PyTorch, with nothing else of ours.",
        words("trace"),
        outside=words("torch lightning pytorch_lightning transformers"),
        late=words("lightning pytorch_lightning transformers"),
    ),
    "document": Room(
        "The table of a recording's fields; the process of a script uses it too, so it loads nothing slow.",
        words("errors recording"),
        words("numpy"),
    ),
    "formats": Room(
        "A file is a recording, whoever made it.",
        words("collection document errors recording"),
        words("numpy orjson"),
    ),
    "layout": Room(
        "Only the layout knows networkx, and it knows no Qt.",
        words("errors playback recording"),
        words("numpy networkx pygraphviz"),
        words("networkx pygraphviz"),
    ),
    "playback": Room(
        "Stepping reads a recording, and the table of rules for its words; it knows no Qt.",
        words("collection errors graph ops recording trace"),
        words("numpy"),
    ),
    "film": Room(
        "Images are made into a film; the libraries for that are extras, and loaded where one is made.",
        words("errors"),
        words("numpy PIL av"),
    ),
    "ui": Room(
        "The window reads everything below it; nothing but the command line reads the window.",
        words(
            "changes engine errors export film formats graph layout ops playback player recording run source shipped texts "
            "trace"
        ),
        words("numpy PySide6 shiboken6 pyqtgraph"),
        words("pyqtgraph PySide6.QtSvg"),
    ),
    "player": Room(
        "A page is a recording laid out and said in words; what stands in its boxes it is given.",
        words("errors formats layout playback recording shipped"),
        words("numpy"),
    ),
    "desktop_entry": Room("Files for the desktop need the icon, and nothing of the rest.", words("errors shipped")),
    "check_table": Room("The gradient check as a table is words about its rows.", words("graph")),
    "steps_table": Room("The steps of a pass as a table are words about its rows.", words("playback")),
    "texts": Room(
        "A recording as text for other programs.",
        words("errors formats ops playback recording"),
        words("numpy"),
    ),
    "export": Room(
        "A format is a row, and its function is looked up where it is called; no row costs more than its words.",
        words("errors film formats layout playback player recording texts ui"),
        late=words("player texts ui"),
    ),
    "cli": Room(
        "The command line loads the window only when it shows or paints.",
        words(
            "check_table desktop_entry errors export formats graph playback recording run shipped source steps_table ui"
        ),
        late=words("check_table desktop_entry formats graph playback run source steps_table ui"),
    ),
    "__main__": Room("python -m gradviz is the command line.", words("cli")),
    "__init__": Room("Importing gradviz costs nothing.", words("capture"), late=words("capture")),
}

EXCEPTIONS = {
    ("ui/app/rooms.py", "networkx"): "loaded early by a thread, so that the first layout need not wait for it",
}


class Import(NamedTuple):
    """One import: the dotted name, the line, and whether it stands in a function (or is for types only)."""

    name: str
    line: int
    is_late: bool
    is_for_types: bool = False


class Facts(NamedTuple):
    """What the rules ask of a module: its imports, the names that it defines, whether it calls eval or exec."""

    imports: tuple[Import, ...]
    defined: tuple[tuple[int, str], ...]
    evaluates: bool
    has_docstring: bool


@cache
def facts(text: str) -> Facts:
    """Read a module once for all rules."""
    tree = ast.parse(text)
    imports: list[Import] = []
    defined: list[tuple[int, str]] = []
    evaluates = False
    pending: list[tuple[ast.AST, bool, bool]] = [(tree, False, False)]
    while pending:
        node, is_late, is_for_types = pending.pop()
        if isinstance(node, ast.Import):
            imports += [Import(alias.name, node.lineno, is_late, is_for_types) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno}: imports name the whole path"
            imports += [
                Import(f"{node.module}.{alias.name}", node.lineno, is_late, is_for_types) for alias in node.names
            ]
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            defined.append((node.lineno, node.name))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec"):
            evaluates = True
        is_for_types = is_for_types or _is_for_types(node)
        late = is_late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_for_types
        pending += [(child, late, is_for_types) for child in ast.iter_child_nodes(node)]
    return Facts(tuple(imports), tuple(defined), evaluates, bool(ast.get_docstring(tree)))


def imports(text: str) -> tuple[Import, ...]:
    """Every import of a module."""
    return facts(text).imports


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def violations(path: str, text: str) -> list[str]:
    """What a file of gradviz imports against the rule of its room; `path` is relative to the package."""
    room_name = path.split("/", maxsplit=1)[0].removesuffix(".py")
    assert room_name in ROOMS, f"{path} is in no room of the house: give '{room_name}' a rule"
    room = ROOMS[room_name]
    found = []
    for name, line, is_late, _ in imports(text):
        top, _, rest = name.partition(".")
        target = rest.split(".")[0] if top == "gradviz" else top
        if top == "gradviz":
            is_allowed = target not in ROOMS or target == room_name or target in room.rooms
        else:
            is_allowed = top in sys.stdlib_module_names or top in room.outside
        slow = {top, target, ".".join(name.split(".")[:2])} & room.late
        if not is_allowed and (path, target) not in EXCEPTIONS:
            found.append(f"{path}:{line} imports {name}. {room.why}")
        elif slow and not is_late:
            found.append(f"{path}:{line} imports {name} at the top, which is slow to load. {room.why}")
    return found


@cache
def sources() -> dict[str, str]:
    """The text of every module of gradviz by its path in the package."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {file.relative_to(PACKAGE).as_posix(): file.read_text(encoding="utf-8") for file in files}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_its_rule_allows(room: str) -> None:
    files = {path: text for path, text in sources().items() if path.split("/")[0].removesuffix(".py") == room}

    assert files
    assert [line for path, text in files.items() for line in violations(path, text)] == []


def test_every_module_is_in_a_room() -> None:
    assert {path.split("/")[0].removesuffix(".py") for path in sources()} == set(ROOMS)


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("layout/x.py", "from PySide6.QtCore import QPointF", "layout/x.py:1 imports PySide6.QtCore.QPointF."),
        ("engine/x.py", "def f():\n    import networkx", "engine/x.py:2 imports networkx."),
        ("formats/x.py", "from gradviz.run import host", "formats/x.py:1 imports gradviz.run.host."),
        ("formats/x.py", "import gradviz.ui.window", "formats/x.py:1 imports gradviz.ui.window."),
        ("layout/x.py", "import networkx as nx", "layout/x.py:1 imports networkx at the top, which is slow to load."),
        ("ui/x.py", "from PySide6.QtSvg import QSvgRenderer", "imports PySide6.QtSvg.QSvgRenderer at the top"),
        ("cli.py", "from gradviz.ui.app.start import start", "cli.py:1 imports gradviz.ui.app.start.start at the top"),
        ("engine/op.py", "if x:\n    from gradviz.recording import Node", "engine/op.py:2 imports gradviz.recording"),
    ],
)  # fmt: skip
def test_a_deliberate_violation_is_found(path: str, text: str, words: str) -> None:
    (found,) = violations(path, text)

    assert words in found


def test_what_is_allowed_is_no_violation() -> None:
    text = "import numpy\nfrom gradviz import __version__\nfrom gradviz.errors import FormatError\nimport json, os.path"

    assert violations("formats/x.py", text) == []
    assert violations("layout/x.py", "def f():\n    import networkx") == []


LIGHT = {
    "gradviz.engine": words("PySide6 networkx pyqtgraph pygraphviz gradviz.ui gradviz.layout gradviz.recording"),
    "gradviz.run.builtin": words(
        "PySide6 networkx pyqtgraph pygraphviz orjson numpy.random gradviz.ui gradviz.layout gradviz.formats"
    ),
    "gradviz.run.host": words("PySide6 networkx pyqtgraph pygraphviz gradviz.ui gradviz.layout gradviz.engine numpy"),
    "gradviz.source.files": words("numpy"),
    "gradviz.formats": words("PySide6 networkx pyqtgraph pygraphviz gradviz.ui gradviz.engine gradviz.run.host"),
    "gradviz.graph.node": words("gradviz.engine"),
    "gradviz.playback.report": words("PySide6 networkx pyqtgraph pygraphviz gradviz.ui gradviz.layout gradviz.engine"),
    "gradviz.playback.health.examine": words("gradviz.engine"),
    "gradviz.film": words("PIL av PySide6"),
    "gradviz.export.table": words("PySide6 networkx pyqtgraph PIL av numpy gradviz.ui gradviz.engine gradviz.layout"),
    "gradviz.layout.layouter": words("PySide6 networkx pyqtgraph pygraphviz gradviz.ui"),
    "gradviz.cli": words("PySide6 networkx pyqtgraph pygraphviz gradviz.ui gradviz.engine numpy"),
    "gradviz.ui.app.start": words("networkx pyqtgraph pygraphviz PySide6.QtSvg"),
}


@pytest.mark.parametrize("module", LIGHT)
def test_importing_a_module_does_not_load_what_it_does_not_need(module: str) -> None:
    loaded = python(f"import sys, {module}; print(*sys.modules)").stdout.split()

    assert module in loaded
    assert sorted(LIGHT[module] & set(loaded)) == []


def loaded_first(texts: dict[str, str]) -> dict[str, set[str]]:
    """The modules that each module imports when it is loaded, by name, given the texts by path in the package."""
    modules = {".".join(("gradviz", *path.removesuffix(".py").split("/"))): text for path, text in texts.items()}
    modules = {name.removesuffix(".__init__"): text for name, text in modules.items()}
    found: dict[str, set[str]] = {name: set() for name in modules}
    for name, text in modules.items():
        for wanted in [entry.name for entry in imports(text) if not entry.is_late]:
            # "from package import module" names the module, "from module import name" something in it.
            target = wanted if wanted in modules else wanted.rpartition(".")[0]
            if target in modules:
                found[name] |= {target, *_packages_of(target, name)} & modules.keys()
    return found


def _packages_of(target: str, name: str) -> set[str]:
    """The packages that are loaded before a module is, but for those that the importing one is in itself."""
    parts = target.split(".")
    packages = {".".join(parts[:count]) for count in range(1, len(parts))}
    return {package for package in packages if package != name and not name.startswith(f"{package}.")}


def circle(texts: dict[str, str]) -> list[str]:
    """Modules that need each other to be loaded; none where any of them can be imported first."""
    try:
        TopologicalSorter(loaded_first(texts)).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def uses(texts: dict[str, str]) -> dict[str, set[str]]:
    """The modules that each module imports while it runs, at its head or late."""
    modules = {".".join(("gradviz", *path.removesuffix(".py").split("/"))): text for path, text in texts.items()}
    modules = {name.removesuffix(".__init__"): text for name, text in modules.items()}
    found: dict[str, set[str]] = {}
    for name, text in modules.items():
        wanted = [entry.name for entry in imports(text) if not entry.is_for_types]
        targets = {each if each in modules else each.rpartition(".")[0] for each in wanted}
        found[name] = (targets & modules.keys()) - {name}
    return found


def test_no_modules_need_each_other_late_imports_counted() -> None:
    try:
        TopologicalSorter(uses(sources())).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_a_circle_by_a_late_import_would_be_found() -> None:
    late = {"a.py": "def f():\n    import gradviz.b", "b.py": "import gradviz.a"}

    with pytest.raises(CycleError):
        TopologicalSorter(uses(late)).prepare()


def test_any_module_can_be_imported_first() -> None:
    assert circle(sources()) == []


@pytest.mark.parametrize(
    "texts",
    [
        {"a.py": "from gradviz.b import x", "b.py": "from gradviz import a"},
        {"p/__init__.py": "from gradviz.p import a", "p/a.py": "from gradviz.p import NAMES"},
        {
            "p/__init__.py": "from gradviz.p import a",
            "p/a.py": "from gradviz.b import x",
            "b.py": "from gradviz.p.c import y",
            "p/c.py": "",
        },
    ],
)
def test_modules_that_import_each_other_would_be_found(texts: dict[str, str]) -> None:
    assert circle(texts)


def test_an_import_for_types_or_inside_a_function_makes_no_circle() -> None:
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from gradviz.b import X"

    assert circle({"a.py": types, "b.py": "from gradviz.a import Y"}) == []
    assert circle({"a.py": "def f():\n    import gradviz.b", "b.py": "import gradviz.a"}) == []


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)


# ---- how modules are ----


def test_every_module_says_what_it_is_for() -> None:
    assert [path for path, text in sources().items() if not facts(text).has_docstring] == []


def test_no_name_says_nothing() -> None:
    empty = re.compile(r"manager|helper|utils?(?![a-z])", re.IGNORECASE)
    defined = [
        f"{path}:{line} {name}"
        for path, text in sources().items()
        for line, name in facts(text).defined
        if empty.search(name)
    ]

    assert defined == []
    pytorchs = (
        "engine/nn/utils/",
        "engine/utils/",
        "engine/optim/swa_utils.py",
    )  # torch.nn.utils and torch.utils are called so
    assert [path for path in sources() if empty.search(path) and not path.startswith(pytorchs)] == []


def test_only_the_reader_of_scripts_raises_the_recursion_limit() -> None:
    # Expressions of a script nest, and its code is nested calls; graphs are walked by loops.
    assert {path.split("/")[0] for path, text in sources().items() if "setrecursionlimit" in text} <= {"run"}


def test_nothing_runs_the_text_of_a_user() -> None:
    calls = {path for path, text in sources().items() if facts(text).evaluates}

    # in a process that has nothing; and in the user's own Python, when the user says so; the script for numpy
    # tries its lines, which are templates of its own with numbers: no name or text of a recording is in them
    assert calls == {"run/execute.py", "capture/child.py", "texts/numpy_script.py"}
    assert not [path for path, text in sources().items() if {"pickle", "marshal"} & {i.name for i in imports(text)}]


def test_fifty_thousand_void_calls_into_qt_survive() -> None:
    # PySide6 6.12.0 takes a reference from None on each of them, which aborts Python 3.11.
    calls = "for _ in range(50_000):\n    x.setObjectName('a')"
    code = f"from PySide6.QtCore import QObject\nx = QObject()\n{calls}\nprint('alive')"

    assert python(code).stdout == "alive\n"


# ---- what is shipped ----


@cache
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_the_same_everywhere() -> None:
    version = project()["project"]["version"]

    assert gradviz.__version__ == version
    assert releases()[0][0] == version


def changes() -> list[str]:
    """The parts of the changelog: one for each release, and before them what is not released yet."""
    return re.split(r"^## ", shipped("help", "changelog.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


def kinds_of_change(part: str) -> list[str]:
    return re.findall(r"^### (.+)$", part, flags=re.MULTILINE)


def releases() -> list[tuple[str, str, list[str]]]:
    """Version, date and kinds of change of every release in the changelog."""
    found = []
    for part in changes()[changes()[0].startswith("Unreleased\n") :]:
        head = re.match(r"\[?(\d+\.\d+\.\d+)\]? - (\d{4}-\d{2}-\d{2})\n", part)
        assert head, f"not a release: {part[:40]!r}"
        found.append((head[1], head[2], kinds_of_change(part)))
    return found


def test_the_changelog_is_kept_as_keep_a_changelog_says() -> None:
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    versions = [tuple(map(int, version.split("."))) for version, _, _ in releases()]

    assert versions == sorted(versions, reverse=True)
    assert all(kinds_of_change(part) and set(kinds_of_change(part)) <= kinds for part in changes())


def test_every_shipped_file_is_in_the_wheel() -> None:
    wheel = project()["tool"]["hatch"]["build"]["targets"]["wheel"]
    shipped_files = {"examples": "*.py", "icons": "*.svg", "help": "*.md", "schema": "*.json", "fonts": "*.ttf"}

    assert wheel["packages"] == ["gradviz"]
    assert wheel["force-include"] == {"resources": "gradviz/resources"}  # where shipped() looks first
    for folder, pattern in shipped_files.items():
        assert list(shipped(folder).glob(pattern)), folder


@pytest.mark.parametrize("name", ["README.md", "LICENSE", "pyproject.toml", ".ci/run"])
def test_the_project_page_is_there(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8").strip()


# ---- what stands in no file ----


@cache
def tracked() -> dict[str, str]:
    """The text of every file under version control; of every file of the project where there is no git."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=600
        )
        names = [name for name in listed.stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        folders = ("gradviz", "resources", "tests", ".ci")
        names = [
            "README.md",
            "pyproject.toml",
            *(str(f.relative_to(ROOT)) for d in folders for f in (ROOT / d).rglob("*")),
        ]
    texts = {}
    for name in names:
        file = ROOT / name
        if file.is_file() and "__pycache__" not in name:
            content = file.read_bytes()
            if b"\0" not in content:
                texts[name] = content.decode("utf-8")
    return texts


# Put together from pieces, so that this file does not hold what it looks for.
FORBIDDEN = {
    "a package registry's host": "|".join(
        (r"pypi\.o" + "rg", r"pythonhosted\.o" + "rg", r"conda\.o" + "rg", r"download\.pytorch")
    ),
    "a path of one machine": "|".join(
        (r"(?<![\w.])/wor" + r"k/", r"/tm" + r"p/[a-z]", r"/hom" + r"e/\w", r"/roo" + r"t/\w", r"[A-Z]:\\User" + "s")
    ),
    "work left undone": r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b",
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])

    assert tracked()
    assert [
        f"{name}:{number}: {line.strip()[:80]}"
        for name, text in tracked().items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ] == []


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("a package registry's host", "see https://pypi.o" + "rg/project"),
        ("a path of one machine", "cd /wor" + "k/main"),
        ("a path of one machine", "/tm" + "p/v/bin"),
        ("work left undone", "# TO" + "DO: later"),
    ],
)
def test_what_stands_in_no_file_would_be_found(what: str, text: str) -> None:
    assert re.search(FORBIDDEN[what], text)


MANY_TYPES = {
    "run/hints.py": "what a literal in a script may raise when it is read, and Python gives no shorter name",
    "run/host.py": "a process may not start for want of rights, of memory, or by a name that no system takes",
    "run/interpreters.py": "another Python may print anything",
    "run/protocol.py": "a child that was broken into may send anything",
    "ui/session/drafts.py": "the file of a draft may hold anything, at any depth",
}
"""Files outside the room that asks runs which catch three and more types in one place, with the reason."""


def many_types(text: str) -> list[int]:
    """The lines that catch three and more types at once, or give such a row of types a name."""
    found = []
    for node in ast.walk(ast.parse(text)):
        caught = (
            node.type if isinstance(node, ast.ExceptHandler) else node.value if isinstance(node, ast.Assign) else None
        )
        names = [each.id for each in caught.elts if isinstance(each, ast.Name)] if isinstance(caught, ast.Tuple) else []
        if len(names) >= 3 and all(name.endswith(("Error", "Exception")) for name in names):
            found.append(node.lineno)
    return found


def test_what_rules_may_raise_is_told_in_the_room_that_asks_a_run() -> None:
    files = {path: text for path, text in sources().items() if path.split("/")[0] in ("playback", "run", "ui")}

    assert {path for path, text in files.items() if many_types(text)} == set(MANY_TYPES)


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    f()\nexcept (ArithmeticError, LookupError, TypeError):\n    pass",
        "FAILURES = (ArithmeticError, LookupError, TypeError)",
    ],
)
def test_a_row_of_types_is_found(text: str) -> None:
    assert many_types(text)
    assert not many_types("try:\n    f()\nexcept (OSError, ValueError):\n    pass")
