"""The comparison of the corpus: words count, digits beyond the fourth and the width of columns do not."""

from __future__ import annotations

import pytest

from tests.corpus.compare import differences, parts_of, text_differences, warning_differences


def recording(output: str, error: str = "", warnings: str = "") -> str:
    return f"{output}\n=== warnings\n{warnings}=== error\n{error}\n"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("loss 0.123456\n", "loss 0.123457\n"),
        ("tensor([ 1.0000, -2.0000])", "tensor([1., -2.])"),
        ("tensor([1.0000e+00, 1.0000e-09])", "tensor([1., 0.])"),
        ("tensor([[1., 2.],\n        [3., 4.]])", "tensor([[1., 2.], [3., 4.]])"),
        ("[0.1 0.2\n 0.3]", "[0.1\n 0.2 0.3]"),
        ("0.1235", "0.1234"),
        ("grad_fn=<MulBackward0>)", "grad_fn=<MulBackward0>)"),
        ("x-2.00001", "x-2."),
        ("-0.0000", "0.0000"),
        ("a\n\n\nb", "a\nb"),
        ("  3.5 %", "3.50001 %"),
        ("nan inf -inf", "nan inf -inf"),
        ("(2.0+3.0000001j)", "(2.0+3.0j)"),
    ],
)
def test_digits_and_columns_do_not_count(a, b):
    assert text_differences(a, b) == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("0.1237", "0.1234"),
        ("0.5", "0.6"),
        ("1.001", "1.003"),
        ("3", "3."),
        ("3", "4"),
        ("torch.Size([2, 3])", "torch.Size([3, 2])"),
        ("nan", "inf"),
        ("inf", "-inf"),
        ("AddBackward0", "MulBackward0"),
        ("x1", "x2"),
        ("a\nb", "a b"),
        ("a\nb", "a"),
        ("a", "a\nb"),
        ("True", "False"),
        ("1.0", "-1.0"),
        ("1e-04", "2e-04"),
    ],
)
def test_words_and_numbers_count(a, b):
    assert text_differences(a, b)
    assert text_differences(b, a)


def test_only_the_lines_that_differ_are_named():
    assert text_differences("a 1.0\nb\nc\nd\n", "a 1.0\nx\nc\nd\ne\n") == ["expected 'b', got 'x'", "not expected: 'e'"]


@pytest.mark.parametrize(
    ("wanted", "got", "agree"),
    [
        ("3: ValueError: no 1.0", "3: ValueError: no 1.00001", True),
        ("3: ValueError: no", "4: ValueError: no", False),
        ("3: ValueError: no", "3: TypeError: no", False),
        ("3: ValueError: a\nb", "3: ValueError: a\nc", False),
        ("", "3: ValueError: no", False),
        ("3: ValueError: no", "", False),
        ("12: KeyError: 1", "12: KeyError: 2", False),
    ],
)
def test_errors_agree_in_type_line_and_words(wanted, got, agree):
    assert (differences(recording("x\n", wanted), recording("x\n", got)) == []) is agree


def test_warnings_are_compared_on_their_own():
    wanted, got = recording("x\n", warnings="1: UserWarning: a\n"), recording("x\n")

    assert differences(wanted, got) == []
    assert warning_differences(wanted, got) == ["missing: '1: UserWarning: a'"]


def test_a_recording_falls_into_its_parts():
    assert parts_of(recording("a\n", "1: E: b", "w\n")) == ("a\n", "w\n", "1: E: b")
    with pytest.raises(ValueError, match="parts"):
        parts_of("a\n")


def test_many_differences_are_cut_off():
    assert len(differences(recording("1\n" * 50), recording("2\n" * 50), limit=7)) == 7


def test_the_error_is_named_first():
    assert differences(recording("1\n"), recording("2\n", "3: E: b"))[0].startswith("error:")
