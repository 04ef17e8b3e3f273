"""What a script can reach by attributes alone, from all it can name, holds nothing that lies under Python."""

from __future__ import annotations

import random
import types
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gradviz.recording import Source
from gradviz.run import gate, modules, plotting
from gradviz.run.arrays import Ndarray
from gradviz.run.classes import Type
from gradviz.run.execute import _Run
from gradviz.run.levels import Trace
from gradviz.run.names import CLOSED, READ, TYPED, is_own_dunder
from gradviz.run.refused import Refused
from gradviz.run.visible import bases_of, home_of, is_class, real
from tests.run.attacks import SETUP
from tests.run.scripts import ENGINE, run

MORE = """
import numpy.random, numpy.linalg, numpy.testing, numpy.typing, csv, queue
state = np.random.RandomState(0); record = np.zeros(1, [("a", "f8")]); match = re.match("a", "a"); q = queue.Queue()
method = "a".format; union = int | None; alias = list[int]; optional = typing.Optional["X"]
decimal_number, context = decimal.Decimal(1), decimal.getcontext(); now = datetime.datetime.now()
template = string.Template("a"); reader = csv.reader(["a"]); signature = inspect.signature(f)
pairs, flat, poly = np.ndenumerate(arr), arr.flat, np.poly1d([1, 2])
vectorized, info, waiting = np.vectorize(f), np.finfo("f4"), co()
"""

ALIKE = 40
"""So many values of one type are asked for every name."""

UNDER = (
    types.FrameType, types.CodeType, types.TracebackType, types.ModuleType, memoryview, types.CellType,
)  # fmt: skip


def reachable(start: list[Any]) -> Iterator[tuple[Any, str]]:
    """Everything a script can come to by attributes and items, with the path that leads there."""
    seen: dict[int, Any] = {}
    asked: Counter[type] = Counter()
    pending = deque((value, type(value).__name__) for value in start)
    while pending:
        value, path = pending.popleft()
        kind = type(value)
        if id(value) in seen or kind in (int, float, bool, bytes, complex, type(None)):
            continue
        seen[id(value)] = value
        yield value, path
        if kind is str:
            continue
        if kind in (list, tuple, set, frozenset):
            pending.extend((item, f"{path}[]") for item in list(value))
        elif issubclass(kind, dict):
            pending.extend((item, f"{path}[{key!r}]") for key, item in list(value.items()))
        elif kind is gate.ModuleView:
            pending.extend((item, f"{path}.{name}") for name, item in gate.names_of(value).items())
            continue
        asked[kind] += 1
        most = 10 * ALIKE if is_class(value) or kind is types.FunctionType else ALIKE
        if asked[kind] <= most and kind is not plotting.Silent:
            pending.extend(attributes(value, path))


def attributes(value: Any, path: str) -> Iterator[tuple[Any, str]]:
    """What the gate gives of an object, name by name."""
    for name in {*dir(value), *READ, *CLOSED}:
        try:
            yield gate.read(value, name), f"{path}.{name}"
        except (Refused, Exception):
            continue


def everything() -> list[Any]:
    """All values that a script can name."""
    one = _Run(Source("script", "t.py", SETUP + MORE), Trace(), lambda text: None, None, ENGINE, None, False)
    assert one.run(0).problem is None
    public = one.builtins.public()
    library = modules.Modules(one.around, one.builtins, one.variables, ENGINE)
    names = [*modules.PYTHON, *library._stand_ins(), "matplotlib.pyplot", "tqdm", "IPython", "torch", "torch.nn"]
    del one.variables["__builtins__"]
    return [*one.variables.values(), *public.values(), *(library.module(name) for name in names)]


def under_python(value: Any) -> bool:
    """Whether a value would lead out of the script."""
    if is_class(value) and type in bases_of(value):
        return home_of(value) != "__main__" and real(value) is value and value is not Type
    if type(value) in UNDER or value is np.ndarray or value is types.GenericAlias:
        return True
    fields = type.__dict__["__dict__"].__get__(value).get("__match_args__", ()) if is_class(value) else ()
    return any(field in TYPED or field in CLOSED for field in fields)


def test_nothing_under_python_is_reached_by_attributes() -> None:
    found = list(reachable(everything()))

    assert len(found) > 10_000
    assert [path for value, path in found if under_python(value)] == []


def test_a_plain_attribute_needs_no_gate_on_anything_that_is_reached() -> None:
    """What is read without the gate is what the gate would give."""
    for value, path in reachable(everything()[:60]):
        if type(value) in (str, gate.ModuleView) or isinstance(value, plotting.Silent):
            continue
        for name in dir(value):
            if name[:1] == "_" or name in TYPED or name in CLOSED:
                continue
            try:
                plain = getattr(value, name)
            except Exception:
                continue
            assert type(plain) not in UNDER or type(plain) is types.ModuleType is not type(plain), f"{path}.{name}"


def test_visible_classes_answer_as_the_real_ones() -> None:
    text = """
import numpy as np, types, abc, enum
x = np.ones(2)
print(type(x) is np.ndarray, isinstance(x, np.ndarray), type(x).__name__, isinstance(1, np.ndarray), np.ndarray)
print(type(1) is int, type(int) is type, isinstance(type, type), issubclass(type, object), type)
print(isinstance(print, types.FunctionType), isinstance(lambda: 0, types.FunctionType), (lambda: 0).__class__.__name__)
print(isinstance(abc.ABC, abc.ABCMeta), abc.ABCMeta.__name__, np.float32(1).dtype == np.float32, x.sum().__class__)
print(np.ndarray.sum(x), np.ndarray((2, 2)).shape, {type: 1}[type(int)])
"""
    ran = run(text)

    assert ran.message == ""
    assert ran.output == (
        "True True ndarray False <class 'numpy.ndarray'>\nTrue True True True <class 'type'>\n"
        "True True function\nTrue ABCMeta True <class 'numpy.float64'>\n2.0 (2, 2) 1\n"
    )


def test_names_in_brackets_of_a_format_go_through_the_gate() -> None:
    class Holds:
        text = "a"

    held = Holds()

    assert gate.format_text("{0.text}{1[0]}{x:>{w}}", held, [2], x=1, w=3) == "a2  1"
    assert gate.format_text("{:.2f}", 1) == "1.00"
    with pytest.raises(Refused):
        gate.format_text("{0.text.__class__.__init__.__globals__}", held)
    with pytest.raises(IndexError):
        gate.format_text("{0.text} {1}", held)


def test_the_name_of_an_attribute_is_exactly_a_text() -> None:
    class Sub(str):
        __slots__ = ()

    with pytest.raises(Refused):
        gate.read([], Sub("append"))
    with pytest.raises(TypeError):
        gate.read([], 1)
    with pytest.raises(Refused):
        gate.check_write(types.SimpleNamespace(), Sub("a"), 1)


@pytest.mark.parametrize("name", ["__init_weights__", "__y__"])
def test_a_name_that_only_the_script_knows_is_its_own(name: str) -> None:
    assert is_own_dunder(name)
    assert run(f"class A:\n    def {name}(self): return 1\nprint(A().{name}())").output == "1\n"


def test_attributes_of_the_library_stay_as_they_are_after_a_run() -> None:
    before = (random.random, np.sum, dict(np.get_printoptions()))

    run("import random, numpy as np\nnp.set_printoptions(precision=2)\nrandom.random = 1")

    assert (random.random, np.sum, dict(np.get_printoptions())) == before


@pytest.mark.parametrize("call", ["a.sum()", "a.astype(int)", "a.view('i8')", "a.T", "a.reshape(1, 2)", "a.tobytes()"])
def test_arrays_of_numbers_do_what_they_do(call: str) -> None:
    expected = eval(call, {"a": np.array([1.0, 2.0])})

    assert run(f"import numpy as np\na = np.array([1., 2.])\nprint({call})").output == f"{expected}\n"


def test_array_attributes_that_scripts_set() -> None:
    text = """
import numpy as np
a = np.arange(4.0)
a.shape = (2, 2); a.flags.writeable = False
print(a.shape, a.flags.writeable, a.flags["OWNDATA"], a.dtype.names)
a.flags.writeable = True; a.sort(axis=0); print(a.searchsorted is not None, np.sort([3, 1]))
it = np.nditer(a, flags=["multi_index"], op_flags=["readwrite"])
while not it.finished:
    a[it.multi_index] += 1
    it.iternext()
print(a, [float(v) for v in np.nditer(a)])
"""
    assert run(text).output == ("(2, 2) False True None\nTrue [1 3]\n[[1. 2.]\n [3. 4.]] [1.0, 2.0, 3.0, 4.0]\n")


def test_the_visible_array_class_makes_new_memory() -> None:
    assert type(Ndarray((2,), int)) is np.ndarray
