"""What mutated sources have found: each stays mended."""

from __future__ import annotations

import signal

import pytest

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
