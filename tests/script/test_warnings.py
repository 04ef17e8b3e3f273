"""Warnings of PyTorch and of the script: said once a place, filtered as Python filters them."""

from __future__ import annotations

import pytest

from gradviz.formats import json_file
from gradviz.imitation.script.run import run

START = "import torch, warnings\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n"


def warned(script: str) -> list[tuple[str, int | None]]:
    """Class and line of each warning."""
    done = run(START + script)
    assert done.error is None, done.error
    return [(each.category, each.line) for each in done.recording.warnings]


def test_grad_of_a_tensor_that_is_no_leaf_is_warned_of_once_a_line():
    assert warned("for i in range(3):\n    (x * 2).grad\n(x * 3).grad") == [("UserWarning", 4), ("UserWarning", 5)]


@pytest.mark.parametrize("name", ["torch.cuda.amp.autocast()", "torch.cpu.amp.autocast()"])
def test_old_name_of_autocast_is_warned_of_as_going_away(name: str):
    assert ("FutureWarning", 3) in warned(name)


def test_grad_of_a_tensor_that_retains_it_is_fine():
    assert warned("y = x * 2\ny.retain_grad()\ny.grad") == []


def test_create_graph_in_backward_is_warned_of_once_a_run():
    script = "(x * x).sum().backward(create_graph=True)\n(x * x).sum().backward(create_graph=True)"
    assert warned(script) == [("UserWarning", 3)]


@pytest.mark.parametrize(
    "change",
    [
        "torch.add(torch.ones(3), 1, out=torch.zeros(1))",
        "torch.arange(4, out=torch.zeros(1))",
        "torch.ones(1, 3).expand(2, 3)[torch.tensor([0])] = 1.0",
        "torch.ones(1, 3).expand(2, 3).index_put_((torch.tensor([0]),), torch.tensor(3.0))",
        "torch.ones(1, 3).expand(2, 3).index_fill_(0, torch.tensor([0]), 1.0)",
        "torch.ones(1, 3).expand(2, 3).masked_fill_(torch.ones(3) > 5, 1.0)",
    ],
)
def test_a_resized_result_and_a_change_of_expanded_memory_are_warned_of_once_a_line(change: str) -> None:
    script = f"for _ in range(2):\n    {change}\n{change}"
    assert warned(script) == [("UserWarning", 4), ("UserWarning", 5)]


@pytest.mark.parametrize(
    "line",
    [
        'warnings.filterwarnings("ignore")',
        'warnings.simplefilter("ignore", UserWarning)',
        'warnings.filterwarnings("ignore", message="The .grad attribute")',
        'warnings.filterwarnings("ignore", message=".*.grad attribute")',
    ],
)
def test_filter_hides_a_warning(line: str):
    assert warned(f"{line}\n(x * 2).grad") == []


@pytest.mark.parametrize(
    ("expression", "messages"),
    [
        ("a / 0", ["divide by zero encountered in divide", "invalid value encountered in divide"]),
        ("np.log(a - 1)", ["divide by zero encountered in log", "invalid value encountered in log"]),
        ("np.float64(1) / 0", ["divide by zero encountered in scalar divide"]),
        ("np.float32(1e38) * np.float32(1e38)", ["overflow encountered in scalar multiply"]),
        ("float(np.sum(1j))", ["Casting complex values to real discards the imaginary part"]),
        ("torch.from_numpy(a) / 0", []),
    ],
)
def test_numpy_warns_as_numpy_does(expression: str, messages: list[str]):
    done = run(f"{START}import numpy as np\na = np.array([1.0, 0.0])\n_ = {expression}")

    assert done.error is None
    assert [each.message for each in done.recording.warnings] == messages


def test_filter_for_another_class_hides_nothing():
    assert warned('warnings.simplefilter("ignore", FutureWarning)\n(x * 2).grad') == [("UserWarning", 4)]


def test_a_class_of_the_script_falls_under_its_base():
    script = (
        'class Mine(UserWarning):\n    pass\nwarnings.simplefilter("ignore", UserWarning)\nwarnings.warn("a", Mine)'
    )
    assert warned(script) == []


def test_warning_as_error_can_be_caught():
    done = run(
        START + 'warnings.simplefilter("error")\ntry:\n    (x * 2).grad\nexcept UserWarning as e:\n    print("caught")'
    )
    assert done.recording.output == "caught\n"


def test_warnings_can_be_collected():
    script = 'with warnings.catch_warnings(record=True) as w:\n    warnings.simplefilter("always")\n'
    done = run(f"{START}{script}    warnings.warn('a')\n    print(len(w), w[0].category.__name__, w[0].message)")
    assert (done.recording.output, done.recording.warnings) == ("1 UserWarning a\n", ())


def test_other_filters_hold_only_inside_catch_warnings():
    script = 'with warnings.catch_warnings():\n    warnings.simplefilter("ignore")\n    (x * 2).grad\n(x * 2).grad'
    assert warned(script) == [("UserWarning", 6)]


def test_category_that_is_no_warning_is_refused():
    assert run(START + 'warnings.warn("a", ValueError)').error is not None


def test_warnings_stand_in_the_exported_file():
    recording = run(START + 'print("one")\nwarnings.warn("a")').recording
    assert json_file.read(json_file.write(recording)).warnings == recording.warnings
    assert recording.warnings[0].at == len("one\n")


def test_same_warning_of_two_modules_is_given_twice():
    script = (
        "wide = torch.zeros(3, 2)\nfor i in range(2):\n    torch.nn.MSELoss()(x, wide)\n    torch.nn.L1Loss()(x, wide)"
    )
    assert warned(script) == [("UserWarning", 5), ("UserWarning", 6)]


def test_warning_in_a_lambda_is_of_the_lambdas_line():
    assert warned("make = lambda: (x * 2).grad\n\nmake()") == [("UserWarning", 3)]


def test_np_errstate_decides_what_numpy_says() -> None:
    script = (
        "import numpy as np\na = np.array([1.0, 0.0])\n"
        "with np.errstate(all='ignore'):\n    a / 0\n"
        "with np.errstate(divide='raise'):\n    try: np.log(a)\n    except FloatingPointError as e: print(e)\n"
        "old = np.seterr(divide='ignore')\nprint(old['divide'], np.geterr()['divide'])\nnp.log(a)\n"
    )
    done = run(script)

    assert (done.error, done.recording.warnings) == (None, ())
    assert done.recording.output == "divide by zero encountered in log\nwarn ignore\n"
    assert len(run("import numpy as np\nnp.array([1.0]) / 0").recording.warnings) == 1, "the next run begins anew"


LEVELS = """
def old(level):
    warnings.warn("old", FutureWarning, stacklevel=level)
def between(level):
    for _ in range(2):
        old(level)
class Old:
    def __init__(self): warnings.warn("made", FutureWarning, 2)
between(2)
between(3)
Old()
"""


def test_warning_stands_at_the_line_that_called_as_far_out_as_the_script_says():
    assert [line for _, line in warned(LEVELS)] == [8, 12, 13]


def test_filter_of_a_line_asks_for_the_line_that_called():
    script = (
        "def old():\n    warnings.warn('old', stacklevel=2)\nwarnings.filterwarnings('ignore', lineno=6)\nold()\nold()"
    )
    assert warned(script) == [("UserWarning", 7)]
