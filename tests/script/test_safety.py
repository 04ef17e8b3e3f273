"""A script reaches what is on the lists, and nothing of Python beneath."""

# ruff: noqa: SIM905 - tables of names read better as words

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.run import run
from gradviz.imitation.script.syntax.imports import NotImported
from gradviz.imitation.script.values import Bound, Class, Instance, Namespace
from tests.script.attacks import SETUP, problem

OWNERS = """
() [] {} '' 1 1.5 True None ... f print len int str list type object A a a.m a.p A.s A.c x y x.add y.grad_fn
x.shape x.dtype x.device x.grad sized net net.weight nn torch torch.nn torch.Tensor torch.tensor
torch.no_grad() arr arr.sum arr[0] np np.random np.array g handle opt e Up kept z.grad_fn Exception ValueError
math math.sqrt random random.choice itertools itertools.count() functools.partial(f,1) range(3) slice(1)
zip([1]) map(f,[1]) iter([1]) reversed([1]) enumerate([1]) filter(None,[1]) {1:2}.items() {1:2}.keys() {1}.add
os.environ sys.argv sys.stdout warnings collections collections.defaultdict(list) lambda:1 'a'.join [].append
type(x) type(1) a.__class__ Point point Colour Colour.RED Data data Data.n cached single managed managed() old Old
parser parser.parse_args() buffer log bar state stack functools.partial(f,1).func collections.Counter('a')
collections.deque([1]) collections.OrderedDict(a=1) datetime.datetime.now() datetime.timedelta(1) pathlib.Path('a')
time.localtime() sys.version_info cached.cache_info() dataclasses.fields(Data)[0] dataclasses.MISSING typing.List[int]
typing.Any int|None types.SimpleNamespace(a=1) logging.StreamHandler() logging.Formatter('a') random.Random(1)
operator.itemgetter(1) operator.attrgetter('a') functools.cmp_to_key(f) functools.cmp_to_key(f)(1) enum.auto()
abc.ABC io.BytesIO() itertools.tee([1])[0] json.JSONDecodeError contextlib.suppress(ValueError) b'a' 1j
""".split()
DOORS = """
__class__.__bases__ __class__.__mro__ __bases__ __mro__ __base__ __subclasses__ __globals__ __code__
__closure__ __func__ __self__ __wrapped__ __builtins__ __loader__ __spec__ __dict__.values
__init__.__globals__ __module__.x __getattribute__ __reduce__ __reduce_ex__ __new__ __del__ __class_getitem__
__init_subclass__ __subclasshook__ __sizeof__ __traceback__ __context__ __cause__ __defaults__ __kwdefaults__
__annotations__ __weakref__ __slots__ gi_frame gi_code gi_yieldfrom f_globals f_back tb_frame cr_frame
ag_frame run machine tape extra op inputs special mro make python body params owner function receiver
getter members base data.obj ctypes tofile dump dumps fromfile ctypes.data __array_interface__
__array_struct__ __array__ setflags flags byteswap with_traceback add_note encode format_map __format__
maketrans translate
""".split()


@pytest.mark.parametrize("owner", OWNERS)
def test_no_value_has_an_attribute_off_the_lists(owner: str) -> None:
    tries = "\n".join(
        f"if hasattr(({owner}), {door!r}):\n    _ = ({owner}).{door}\n    print({door!r})" for door in DOORS
    )

    result = run(SETUP + tries, seed=0)

    assert result.error is None
    assert set(result.recording.output.split()) <= ON_LISTS | ({"special"} if owner == "torch" else set())


ON_LISTS = set(
    """
__class__.__bases__ __class__.__mro__ __bases__ __mro__ mro __dict__.values __annotations__ __defaults__ __self__
__cause__ __context__ __traceback__ with_traceback add_note __new__ __wrapped__ encode format_map maketrans translate
__subclasses__ __base__ __kwdefaults__ flags __getattribute__ base __format__ __array__ setflags
""".split()
)
"""Names that look like doors and are on a list: they give classes and values of the script. What they give is
looked through below; an exception's traceback is None, and `setflags` says only whether an array may be written."""
ALIKE = 25
"""So many values of one type are asked for every name; most are natives, of which there is no end."""


def reachable(start: list[Any], machine: Machine) -> Iterator[Any]:
    """Everything a script can come to from some values by attributes, items and iteration over containers."""
    seen: dict[int, Any] = {}
    asked: Counter[type] = Counter()
    pending = list(start)
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        yield value
        pending.extend(inside(value))
        asked[type(value)] += 1
        if asked[type(value)] <= ALIKE:
            pending.extend(by_name(value, machine))


def inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, Namespace):
        return list(value.members.values())
    if isinstance(value, Instance | Class):
        return list(value.attributes.values())
    return []


def by_name(value: Any, machine: Machine) -> Iterator[Any]:
    if isinstance(value, int | float | str | bool | Bound) or value is None or type(value).__name__ == "Silent":
        return
    for name in {*dir(value), *DUNDERS}:
        try:
            yield attributes.get(machine, value, name)
        except (TorchError, ScriptError, IndexError, TypeError, ValueError):
            continue


DUNDERS = (
    "__class__", "__dict__", "__init__", "__name__", "__doc__", "__globals__", "__module__", "__call__", "__bases__",
    "__mro__", "mro", "__annotations__", "__defaults__", "__self__", "__cause__", "__context__", "__traceback__",
    "__qualname__", "__members__", "__func__", "__wrapped__", "__getitem__", "__setattr__", "func", "args", "keywords",
)  # fmt: skip
REAL = (
    type, types.ModuleType, types.CodeType, types.FrameType, types.FunctionType, types.BuiltinFunctionType,
    types.MethodType, types.TracebackType, types.MethodWrapperType, types.WrapperDescriptorType, BaseException,
    types.GetSetDescriptorType, types.MemberDescriptorType, types.MappingProxyType, property, memoryview,
)  # fmt: skip


def test_no_value_that_a_script_reaches_is_a_module_type_function_code_or_frame_of_python() -> None:
    done = run(SETUP, seed=0)
    machine = done.machine
    assert machine is not None
    start = [*machine.state["globals"].values(), *machine.builtins.values(), *machine.modules.values()]

    found = list(reachable(start, machine))

    assert len(found) > 500
    assert [value for value in found if isinstance(value, REAL)] == []


HARMLESS = {
    "'{0.__class__.__bases__}'.format(())": "(<class 'object'>,)",
    "f'{().__class__.__mro__}'": "(<class 'tuple'>, <class 'object'>)",
    "getattr((), '__class__')": "<class 'tuple'>",
    "list(map(getattr, [()], ['__class__']))": "[<class 'tuple'>]",
    "functools.reduce(getattr, ['__class__', '__bases__'], ())": "(<class 'object'>,)",
    "type('B', (object,), {})": "<class '__main__.B'>",
    "type('B', (), {'f': print})().f": "<built-in function print>",
    "[name for name in globals() if name[0] in ' _(']": "[]",
    "globals() is globals()": "True",
    "locals()['a'] is a": "True",
    "vars(a)": "{}",
    "[name for name in dir(a) if name[0] != '_']": "['c', 'm', 'n', 'p', 's']",
    "f.__annotations__": "{}",
    "A.__subclasses__(), int.__subclasses__()": "[] []",
    "eval.__name__.__class__": "<class 'str'>",
    "int.__add__(1, 2), [].__len__()": "3 0",
    "a.m.__self__ is a": "True",
    "setattr(torch, 'tensor', 1), torch.tensor": "None 1",
    "type(x.storage())": "<class 'torch.storage.TypedStorage'>",
}


@pytest.mark.parametrize("text", HARMLESS)
def test_names_on_the_lists_give_only_what_is_the_scripts(text: str) -> None:
    result = run(f"{SETUP}\nprint({text})", seed=0)

    assert result.error is None
    assert result.recording.output == HARMLESS[text] + "\n"


MODULES = """
subprocess socket builtins ctypes importlib gradviz numpy.lib.npyio code os.system
multiprocessing threading signal marshal shelve
""".split()


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize(
    ("form", "use"),
    [
        ("import {}", "{}.path"),
        ("import {} as m", "m.path"),
        ("from {} import *", "path"),
        ("from {} import path", "path()"),
    ],
)
def test_real_module_is_not_imported(module: str, form: str, use: str) -> None:
    error = problem(f"{form.format(module)}\n{use.format(module)}")

    assert isinstance(error, NotImported | ScriptError | TorchError)
    assert "not supported" in error.message or error.message == "name 'path' is not defined"
