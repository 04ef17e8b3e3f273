"""What mutated sources have found: each stays mended."""

from __future__ import annotations

import signal

import pytest

from gradviz.run.modules import ENGINE
from tests.run.scripts import run


def test_a_script_that_raises_keyboardinterrupt_ends_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda _: None)  # as in a child, which has a handler of its own

    ran = run("x = 1\nraise KeyboardInterrupt('enough')")

    assert ran.message == "KeyboardInterrupt: enough"
    assert ran.place[0] == 2


def test_functions_are_not_made_by_the_class_of_functions() -> None:
    assert "'__new__'" in run("def f(): pass\nf.__new__").message


@pytest.mark.parametrize(
    "held",
    ["plt.plot", "plt.figure()", "logging.getLogger('a')", "sys.stdout", "pprint.pprint", "globals"],
)
def test_the_memo_of_a_copy_shows_nothing_of_the_run(held: str) -> None:
    text = """
import copy, logging, sys, pprint, tqdm
import matplotlib.pyplot as plt
memo = {}
copy.deepcopy(HELD, memo)
def names(value): return str(type(value)) + str(value if type(value) is dict else "")
print([names(value) for value in memo.values() if "gradviz.run.execute" in names(value) or "around" in names(value)])
"""

    assert run(text.replace("HELD", held)).output == "[]\n"


@pytest.mark.parametrize("name", ["np.sort", "np.array", "np.random.shuffle", "warnings.simplefilter"])
def test_a_function_behind_the_gate_does_not_lead_to_the_one_that_it_stands_for(name: str) -> None:
    ran = run(f"import numpy as np, warnings\nfound = {name}.__wrapped__")

    assert "__wrapped__" in ran.message


@pytest.mark.parametrize("path", ["RandomState.set_state", "set_state.args[0]", "RandomState(0).set_state.args[0]"])
def test_no_function_sets_a_state_of_random_numbers_without_a_look_at_its_position(path: str) -> None:
    assert run(f"import numpy as np\nfound = np.random.{path}").message


def test_a_position_that_changes_between_two_looks_is_looked_at_once() -> None:
    text = """
import numpy as np
class Twice:
    count = 0
    def __index__(self):
        self.count += 1
        return 5 if self.count == 1 else 10**6
    __int__ = __index__
state = list(np.random.get_state())
state[2] = Twice()
np.random.set_state(state)
print(np.random.get_state()[2])
"""

    assert run(text).output == "5\n"


MEMORY = "{'data': (id(object), False), 'shape': (4,), 'typestr': '<i8', 'version': 3}"
NESTED = f"""
import copy, dataclasses, numpy as np
NAME = "__array_" + "interface__"
class Inner:
    def __deepcopy__(self, memo):
        for value in list(getattr(memo, "values", list)()):
            if type(value) is dict: value[NAME] = {MEMORY}
        return 1
class Outer: pass
outer = Outer()
outer.inner = Inner()
@dataclasses.dataclass
class Data: outer: object
class Answers(dict):
    count = 0
    def get(self, key, default=None):
        self.count += 1
        return {{NAME: {MEMORY}}} if self.count == 2 else default
def reached(x): print("got", np.asarray(x).tolist()[0])
"""

COPIES = {
    "the memo of a copy": "reached(copy.deepcopy(outer))",
    "the memo of asdict": "reached(dataclasses.asdict(Data(outer))['outer'])",
    "a memo of a class of its own": "reached(copy.deepcopy(Outer(), Answers()))",
    "a memo begun again with a dict of its own": (
        "mine = {}\nclass First:\n    def __deepcopy__(self, memo): memo.__init__(mine)\n"
        "class Then:\n    def __deepcopy__(self, memo):\n        list(mine.values())[-1][NAME] = MEMORY\n"
        "outer.inner = Then()\nreached(copy.deepcopy([First(), outer])[1])"
    ),
    "a filled memo": "reached(copy.deepcopy(Outer(), {1: 2}))",
    "a memo given to a method": "import torch\nreached(torch.nn.Parameter(torch.ones(1)).__deepcopy__(Answers()))",
    "a memo given to a class": "from torch.nn import Parameter as P\nreached(P.__deepcopy__(P(1), Answers()))",
    "a memo given by super": (
        "import torch\nclass P(torch.nn.Parameter):\n    def __deepcopy__(self, memo):\n"
        "        return super().__deepcopy__(Answers())\nreached(copy.deepcopy(P(torch.ones(1))))"
    ),
}


@pytest.mark.parametrize("attack", COPIES.values(), ids=COPIES)
def test_no_memo_gives_a_copy_attributes_of_the_scripts_choice(attack: str) -> None:
    ran = run(f"{NESTED}{attack}", engine=ENGINE)

    assert ran.message
    assert "got" not in ran.output


def test_a_deepcopy_of_a_scripts_own_copies_circles_once() -> None:
    text = """
import copy
class Node:
    def __init__(self): self.next = self
    def __deepcopy__(self, memo):
        if id(self) in memo: return memo[id(self)]
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.next = copy.deepcopy(self.next, memo)
        return made
a = Node()
b = copy.deepcopy([a, a])
print(b[0] is b[1], b[0].next is b[0], b[0] is not a)
"""

    assert run(text).output == "True True True\n"


@pytest.mark.parametrize(
    "owner", ["inspect.signature(f)", "type(inspect.signature(f))", "type(inspect.signature(f))(())"]
)
def test_no_signature_runs_the_text_of_an_annotation(owner: str) -> None:
    text = f"import inspect\ndef f(a: '().__class__.__base__.__subclasses__()'): pass\nprint({owner}.from_callable"

    for attack in ("(f, eval_str=True))", ")"):
        ran = run(text + attack)

        assert ran.message == "'from_callable' is not available here"
        assert ran.output == ""


@pytest.mark.parametrize("base", ["typing.Type", "typing.Type[int]"])
def test_no_metaclass_is_derived_from_what_an_alias_stands_for(base: str) -> None:
    ran = run(f"import typing\nclass M({base}): pass\nprint(M('X', (), {{'__array_' + 'interface__': 1}}))")

    assert ran.message == "a class cannot be derived from 'type' here"
    assert ran.place[0] == 2


@pytest.mark.parametrize(
    "base", ["typing.List[int]", "typing.Generic[T]", "typing.Protocol[T]", "typing.Dict", "list[int]"]
)
def test_classes_are_derived_from_other_aliases(base: str) -> None:
    assert run(f"import typing\nT = typing.TypeVar('T')\nclass X({base}): pass\nprint(X.__name__)").output == "X\n"


@pytest.mark.parametrize(
    "attack",
    [
        "class X:\n    __slots__ = (NAME,)",
        "type('X', (), {'__slots__': {NAME: 1}})",
        "class M(type): pass\nM('X', (), {'__slots__': iter([NAME])})",
        "import abc\nabc.ABCMeta('X', (), {'__slots__': [NAME]})",
    ],
)
def test_no_slot_is_called_by_a_name_that_numpy_asks_for(attack: str) -> None:
    ran = run(f"NAME = '__array_' + 'interface__'\n{attack}")

    assert ran.message == "'__array_interface__' cannot be used by scripts here"


def test_slots_keep_their_usual_names() -> None:
    assert (
        run("class X:\n    __slots__ = ('a', '__weakref__', '__dict__')\nx = X()\nx.a = 3\nprint(x.a)").output == "3\n"
    )


def test_an_error_in_a_generator_that_is_thrown_away_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(
        "def g():\n    try:\n        yield 1\n    finally:\n        1 / 0\nx = g()\nnext(x)\nx = None\nprint('on')"
    )

    assert ran.output == "on\n"
    assert [(each.message, each.line) for each in ran.result.warnings] == [
        ("ignored by Python: ZeroDivisionError: division by zero", 5)
    ]
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("base", ["lambda: 0", "np.mean", "len", "print", "np", "[].append", "3"])
def test_a_class_is_derived_from_classes_only(base: str) -> None:
    """Python would call the class of the base; that of numpy's functions then reaches into memory that is not its own."""
    ran = run(f"import numpy as np\nclass X({base}): pass\n")

    assert (ran.message or "").startswith("TypeError: a class is derived from classes, not from a '")
    assert ran.place == (2, 1)


def test_no_function_of_numpy_is_made_by_a_script() -> None:
    ran = run("import numpy as np\nprint(isinstance(np.mean, type(np.sum)))\ntype(np.mean)(len, len)\n")

    assert ran.output == "True\n"
    assert ran.message == "a '_ArrayFunctionDispatcher' cannot be made by a script"


def test_an_object_of_the_script_may_stand_where_a_base_does() -> None:
    assert (
        run("class M:\n    def __init__(self, *given): print(given[:1])\nclass X(M()): pass\n").output == "()\n('X',)\n"
    )
