"""The comparison of calls itself: each is asked, each answer is found again, each sort of difference is told."""

from __future__ import annotations

import json

import pytest

from tests.calls import telling
from tests.calls.arguments import calls
from tests.calls.compare import CLASS, NONE, REFUSES, TAKES, TEXT, UNSUPPORTED, VALUE, answers, differences
from tests.calls.names import FAMILIES, SKIPPED, names
from tests.calls.script import MARK, script
from tests.calls.search import by_gradviz, part
from tests.calls.telling import RECORDED


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_names_and_none_that_is_skipped(family: str) -> None:
    found = names(family)

    assert len(found) > 5
    assert SKIPPED.isdisjoint(found)


@pytest.mark.parametrize(
    ("family", "name", "kinds"),
    [
        ("torch", "abs", 7),
        ("tensor", "flip", 7),
        ("functional", "relu", 7),
        ("optim", "SGD", 2),
        ("schedulers", "StepLR", 1),
    ],
)
def test_every_call_of_a_name_has_an_answer(family: str, name: str, kinds: int) -> None:
    assert len(answers(by_gradviz(script(family, name)))) == kinds * len(calls(family, name))


def test_a_module_is_called_once_it_is_made() -> None:
    said = answers(by_gradviz(script("modules", "Flatten")))

    assert said["f: nn.Flatten()(x)"].startswith("-> tensor([[ 0.5000")
    assert said["nn.Flatten(3, 2, 2)"].startswith("!! TypeError:")


def test_a_distribution_is_asked_once_it_is_made() -> None:
    said = answers(by_gradviz(script("distributions", "Exponential")))

    assert said["f: D.Exponential(w), d.mean"].startswith("-> tensor([[4.0000, 2.0000")
    assert said["f: D.Exponential()"].startswith("!! TypeError:")


def test_a_function_is_called_once_it_is_made() -> None:
    said = answers(by_gradviz(script("func", "grad")))

    assert said["v: torch.func.grad(lambda x: (x * x).sum()), f(x)"] == "-> tensor([2., 4., 6.])"


@pytest.mark.parametrize(
    ("ours", "theirs", "way"),
    [
        ("!! TypeError: no", "-> tensor(1.)", REFUSES),
        ("-> tensor(1.)", "-> tensor(2.)", VALUE),
        ("-> tensor(1.)", "!! TypeError: no", TAKES),
        ("!! ValueError: no", "!! TypeError: no", CLASS),
        ("!! TypeError: yes", "!! TypeError: no", TEXT),
        ("-- 'a' is not supported", "-> tensor(1.)", UNSUPPORTED),
    ],
)
def test_a_difference_is_of_its_way(ours: str, theirs: str, way: str) -> None:
    found = differences(f"{MARK}a call\n{ours}\n", f"{MARK}a call\n{theirs}\n")

    assert [difference.way for difference in found] == [way]


def test_a_call_that_ended_the_run_has_no_answer() -> None:
    assert [d.way for d in differences(f"{MARK}a\n", f"{MARK}a\n-> 1\n{MARK}b\n-> 2\n")] == [NONE, NONE]


def test_the_calls_after_one_that_is_not_supported_are_asked() -> None:
    said = answers(by_gradviz(script("torch", "complex")))

    assert len(said) == 7 * len(calls("torch", "complex"))
    assert said["f: torch.complex(x, x)"] == "-- complex tensors are not supported by gradviz"


def test_same_answers_do_not_differ_but_for_addresses() -> None:
    assert not differences(f"{MARK}a\n-> <object at 0x12ab>\n", f"{MARK}a\n-> <object at 0x34cd>\n")


def test_the_parts_of_a_family_are_the_whole() -> None:
    listed = [str(n) for n in range(10)]

    assert sorted(part(listed, "1/3") + part(listed, "2/3") + part(listed, "3/3")) == listed


# ---- calls that once were answered otherwise ----

EXPECTED = json.loads(RECORDED.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def said() -> list[str]:
    return list(answers(by_gradviz(telling.script())).values())


@pytest.mark.parametrize("number", range(len(EXPECTED)), ids=lambda number: telling.calls()[number][:60])
def test_call_is_answered_as_pytorch_answers_it(number: int, said: list[str]) -> None:
    assert said[number] == EXPECTED[number]
