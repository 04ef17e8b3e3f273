"""The leaves of a script: found in the text, and written back into it touching only their own call."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradviz.errors import GradvizError
from gradviz.source.leaf_changes import LeafChange, change_leaf
from gradviz.source.leaves import LeafSpec, find_leaves
from gradviz.source.values import fill_shape, flatten, parse_shape, parse_values, shape_of, values_source, values_text

IMPORTS = (
    "import torch\nimport torch as t\nfrom torch import tensor, tensor as T, nn\nfrom torch.autograd import Variable\n"
)


def only(line: str) -> LeafSpec:
    """The one leaf of a script of this line after the imports."""
    (spec,) = find_leaves(IMPORTS + line + "\n")
    return spec


def after(line: str, **change: object) -> str:
    """The line after a change of its leaf x."""
    result = change_leaf(IMPORTS + line + "\n", "x", LeafChange(**change))  # type: ignore[arg-type]
    assert result.startswith(IMPORTS)
    return result[len(IMPORTS) : -1]


MADE = [
    ("x = torch.tensor([1., 2.], requires_grad=True)", "literal", (2,), "float32", True, [1.0, 2.0]),
    ("x = tensor([[1, 2], [3, 4]])", "literal", (2, 2), "int64", False, [[1, 2], [3, 4]]),
    ("x = T(-1.5)", "literal", (), "float32", False, -1.5),
    ("x = t.tensor([True, False])", "literal", (2,), "bool", False, [True, False]),
    ("x = tensor([])", "literal", (0,), "float32", False, []),
    ("x = tensor([1, 2], dtype=torch.double)", "literal", (2,), "float64", False, [1.0, 2.0]),
    ("x = tensor([1.7], dtype=torch.int64)", "literal", (1,), "int64", False, [1]),
    ('x = tensor([1 / 4, -torch.pi, float("inf")])', "literal", (3,), "float32", False, [0.25, -math.pi, math.inf]),
    ("x = tensor([0.5] * 3)", "literal", (3,), "float32", False, [0.5, 0.5, 0.5]),
    ("x = torch.Tensor([1, 2])", "literal", (2,), "float32", False, [1.0, 2.0]),
    ("x = Variable(torch.tensor([1.]), requires_grad=True)", "literal", (1,), "float32", True, [1.0]),
    ("x = nn.Parameter(tensor([1.]))", "literal", (1,), "float32", True, [1.0]),
    ("x = tensor([1.]).requires_grad_()", "literal", (1,), "float32", True, [1.0]),
    ("x = tensor([1.]).double().requires_grad_()", "literal", (1,), "float64", True, [1.0]),
    ("x: torch.Tensor = tensor([1.])", "literal", (1,), "float32", False, [1.0]),
    ("x = torch.ones(2, 1)", "call", (2, 1), "float32", False, [[1.0], [1.0]]),
    ("x = torch.zeros((2,))", "call", (2,), "float32", False, [0.0, 0.0]),
    ("x = torch.zeros(())", "call", (), "float32", False, 0.0),
    ("x = torch.zeros(0, 3)", "call", (0, 3), "float32", False, []),
    ("x = torch.full((2,), 3)", "call", (2,), "int64", False, [3, 3]),
    ("x = torch.full((2,), 3.)", "call", (2,), "float32", False, [3.0, 3.0]),
    ("x = torch.arange(3)", "call", (3,), "int64", False, [0, 1, 2]),
    ("x = torch.arange(0., 1, .5)", "call", (2,), "float32", False, [0.0, 0.5]),
    ("x = torch.linspace(-1, 1, 5)", "call", (5,), "float32", False, [-1.0, -0.5, 0.0, 0.5, 1.0]),
    ("x = torch.linspace(-1, 1, steps=3)", "call", (3,), "float32", False, [-1.0, 0.0, 1.0]),
    ("x = torch.eye(2)", "call", (2, 2), "float32", False, [[1.0, 0.0], [0.0, 1.0]]),
    ("x = torch.randn(2, 3, requires_grad=True)", "call", (2, 3), "float32", True, None),
    ("x = torch.rand(size=(2,))", "call", (2,), "float32", False, None),
    ("x = torch.randint(0, 9, (4,))", "call", (4,), "int64", False, None),
    ("x = torch.arange(6.).reshape(3, -1)", "call", (3, 2), "float32", False, [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "kind", "shape", "dtype", "requires_grad", "values"), MADE, ids=lambda v: str(v)[:40])
def test_a_leaf_is_read_as_pytorch_makes_it(line, kind, shape, dtype, requires_grad, values):
    spec = only(line)

    assert (spec.name, spec.kind, spec.shape, spec.dtype) == ("x", kind, shape, dtype)
    assert spec.requires_grad is requires_grad
    assert repr(spec.values) == repr(values)


@pytest.mark.parametrize(
    "line",
    [
        "x = torch.ones(2, requires_grad=True) * 2",
        "x = torch.arange(6., requires_grad=True).reshape(2, 3)",
        "x = torch.tensor(data)",
        "x = tensor([1., y])",
        "x = tensor([[1.], 2.])",
        "x = torch.randn(n, 2)",
        "x = numpy.ones(2)",
        "x = torch.zeros(-1)",
        "x = [1., 2.]",
        "def f():\n    x = torch.ones(2)",
    ],
)
def test_what_is_no_leaf_of_numbers_is_not_listed(line):
    assert find_leaves(IMPORTS + line) == ()


def test_place_of_a_leaf_counts_characters_also_after_wide_letters():
    spec = find_leaves("import torch\nπ, ünï = torch.ones(1), torch.tensor([\n  1.])\n")[1]

    assert (spec.name, spec.line, spec.column, spec.end_line, spec.end_column) == ("ünï", 2, 25, 3, 7)


@pytest.mark.parametrize("switch", ["x.requires_grad = True", "x.requires_grad_()", "x.requires_grad_(True)"])
def test_later_line_switches_requires_grad(switch):
    assert only(f"x = tensor([1.])\n{switch}").requires_grad


def test_switch_of_a_variable_assigned_anew_is_not_the_leafs():
    assert not only("x = tensor([1.])\nx = x + 1\nx.requires_grad_()").requires_grad


def test_leaves_stay_listed_while_another_line_is_being_typed():
    names = [
        spec.name for spec in find_leaves("import torch\na = torch.ones(2)\ny = (a *\nb = torch.ones(2)\n  z = 1\n")
    ]

    assert names == ["a", "b"]


@pytest.mark.parametrize("text", ["", "\x00", "(" * 5000, "x" * 10, "if", "\n" * 3])
def test_any_text_is_read_without_an_exception(text):
    assert find_leaves(text) == ()


def test_leaves_stand_in_the_order_of_the_text_also_inside_blocks():
    text = "import torch\na = torch.ones(1)\nif a:\n    b = torch.ones(1)\nelse:\n    c = torch.ones(1)\nd = torch.ones(1)\n"

    assert [spec.name for spec in find_leaves(text)] == ["a", "b", "c", "d"]


CHANGES = [
    ("x = tensor([1., 2.], requires_grad=True)  # why", {"values": [3, 4]}, "x = tensor([3., 4.], requires_grad=True)  # why"),
    ("x = tensor( [1., 2.] , requires_grad = True )", {"values": [0.5]}, "x = tensor( [0.5] , requires_grad = True )"),
    ("x = tensor([1, 2])", {"values": [3, 4]}, "x = tensor([3, 4])"),
    ("x = tensor([1, 2])", {"values": [3, 4.5]}, "x = tensor([3., 4.5])"),
    ("x = tensor([True])", {"values": [0]}, "x = tensor([False])"),
    ("x = tensor(([1.]))", {"values": [2.0]}, "x = tensor(([2.]))"),
    ("x = tensor([1.])", {"values": [math.inf, math.nan]}, 'x = tensor([float("inf"), float("nan")])'),
    ("x = tensor(1.)", {"values": [[1.0, 2.0]]}, "x = tensor([[1., 2.]])"),
    ("x = Variable(tensor([1.]), requires_grad=True)", {"values": [2.0]}, "x = Variable(tensor([2.]), requires_grad=True)"),
    ("x = torch.randn(2, requires_grad=True)", {"values": [1, 2]}, "x = T([1., 2.], requires_grad=True)"),
    ("x = torch.arange(2, dtype=torch.float64)", {"values": [1, 2]}, "x = T([1., 2.], dtype=t.float64)"),
    ("x = nn.Parameter(torch.rand(1))", {"values": [1]}, "x = nn.Parameter(T([1.]))"),
    ("x = tensor([1.])", {"dtype": "float64"}, "x = tensor([1.], dtype=t.float64)"),
    ("x = tensor([1.], dtype=t.float64)", {"dtype": "float32"}, "x = tensor([1.], dtype=t.float32)"),
    ("x = tensor([1.], requires_grad=True)", {"dtype": "float64"}, "x = tensor([1.], dtype=t.float64, requires_grad=True)"),
    ("x = tensor([1.]).double()", {"dtype": "float32"}, "x = tensor([1.]).to(t.float32)"),
    ("x = torch.Tensor([1.])", {"dtype": "float64"}, "x = T([1.], dtype=t.float64)"),
    ("x = tensor(([1.]))", {"dtype": "float64"}, "x = T([1.], dtype=t.float64)"),
    ("x = tensor([1.])", {"requires_grad": True}, "x = tensor([1.], requires_grad=True)"),
    ("x = tensor([1.],)", {"requires_grad": True}, "x = tensor([1.], requires_grad=True,)"),
    ("x = tensor([1.], requires_grad=True)", {"requires_grad": False}, "x = tensor([1.], requires_grad=False)"),
    ("x = tensor([1.]).requires_grad_()", {"requires_grad": False}, "x = tensor([1.]).requires_grad_(False)"),
    ("x = tensor([1.])\nx.requires_grad = True", {"requires_grad": False}, "x = tensor([1.])\nx.requires_grad = False"),
    ("x = tensor([1.])\nx.requires_grad_(False)", {"requires_grad": True}, "x = tensor([1.])\nx.requires_grad_()"),
    ("x = torch.Tensor([1.])", {"requires_grad": True}, "x = torch.Tensor([1.]).requires_grad_()"),
    ("x = torch.ones(2).double()", {"requires_grad": True}, "x = torch.ones(2).double().requires_grad_()"),
    ("x = Variable(tensor([1.]))", {"requires_grad": True}, "x = Variable(tensor([1.]), requires_grad=True)"),
    ("x = torch.randn(2, requires_grad=True)", {"shape": (3, 2)}, "x = torch.randn(3, 2, requires_grad=True)"),
    ("x = torch.zeros((2,))", {"shape": ()}, "x = torch.zeros(())"),
    ("x = torch.full((2,), 7.)", {"shape": (3,)}, "x = torch.full((3,), 7.)"),
    ("x = tensor([1., 2., 3.])", {"shape": (2, 2)}, "x = tensor([[1., 2.], [3., 0.]])"),
    ("x = tensor([1, 2])", {"shape": ()}, "x = tensor(1)"),
    ("x = tensor([1, 2])", {"dtype": "float32", "requires_grad": True}, "x = tensor([1, 2], dtype=t.float32, requires_grad=True)"),
    ("x = tensor([1.]); y = x * x", {"new_name": "w"}, "w = tensor([1.]); y = w * w"),
    ("x = tensor([1.])\nprint(x.x, f(x=x))", {"new_name": "ω"}, "ω = tensor([1.])\nprint(ω.x, f(x=ω))"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "change", "result"), CHANGES, ids=lambda v: str(v)[:60])
def test_a_change_is_written_where_it_belongs(line, change, result):
    assert after(line, **change) == result


REFUSED = [
    ("x = tensor([1, 2], dtype=torch.int64)", {"values": [1.5]}, "int64 and cannot hold 1.5"),
    ("x = tensor([1, 2])", {"requires_grad": True}, "only floating point"),
    ("x = tensor([1.], requires_grad=True)", {"dtype": "int64"}, "only floating point"),
    ("x = tensor([1.])", {"dtype": "complex64"}, "not a dtype"),
    ("x = torch.randn(6).reshape(2, 3)", {"shape": (3, 2)}, "not known before"),
    ("x = tensor([1.])", {"new_name": "2x"}, "not a variable name"),
    ("x = tensor([1.])", {"new_name": "lambda"}, "not a variable name"),
    ("x = tensor([1.])", {"new_name": "sum"}, "Python itself"),
    ("x = tensor([1.])", {"new_name": "torch"}, "already used"),
    ("x = tensor([1.])\ny = 2", {"new_name": "y"}, "already used"),
    ("x = tensor([1.])\ndef f(x):\n    return x", {"new_name": "w"}, "another variable on line 6"),
    ("x = tensor([1.])\ny = [x for x in range(3)]", {"new_name": "w"}, "another variable"),
    ('x = tensor([1.])\nprint(f"{x=}")', {"new_name": "w"}, "f-string"),
    ("x = tensor([1.])\ny = (", {"new_name": "w"}, "Line 6 does not parse"),
]


@pytest.mark.parametrize(("line", "change", "words"), REFUSED, ids=lambda v: str(v)[:40])
def test_a_change_that_cannot_be_is_refused_with_a_sentence(line, change, words):
    with pytest.raises(GradvizError, match=words):
        after(line, **change)


def test_dtype_is_imported_by_name_where_the_script_imports_by_name():
    text = change_leaf("from torch import tensor\nx = tensor([1.])\n", "x", LeafChange(dtype="float64"))

    assert text == "from torch import tensor, float64\nx = tensor([1.], dtype=float64)\n"


def test_line_tells_two_assignments_of_one_name_apart():
    text = "import torch\nx = torch.tensor([1.])\nx = torch.tensor([2.])\n"

    assert change_leaf(text, "x", LeafChange(values=[5], line=3)) == text.replace("2.", "5.")
    assert change_leaf(text, "x", LeafChange(values=[5])) == text.replace("1.", "5.")
    with pytest.raises(GradvizError, match="no tensor 'x' made from numbers on line 4"):
        change_leaf(text, "x", LeafChange(values=[5], line=4))


def test_wide_matrix_is_broken_between_its_rows():
    wide = [[float(i * 10 + j) + 0.125 for j in range(10)] for i in range(3)]

    line = after("x = tensor([1.])", values=wide)

    assert line.count("\n") == 2
    assert line.split("\n")[1].startswith(" " * 12 + "[10.125")
    assert find_leaves(IMPORTS + line)[0].values == wide


def test_line_ends_of_the_text_are_kept():
    text = "import torch\r\nx = torch.tensor([1.])\r\n\r\ny = x\r\n"

    assert change_leaf(text, "x", LeafChange(dtype="float64")) == text.replace("[1.]", "[1.], dtype=torch.float64")
    assert "\n" not in change_leaf(text, "w", LeafChange(added=True)).replace("\r\n", "")


numbers = st.one_of(
    st.integers(-(2**31), 2**31), st.floats(allow_nan=False), st.just(math.inf), st.booleans(), st.floats(-10, 10)
)
shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)
surroundings = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=20)


@st.composite
def nested(draw):
    shape = draw(shapes)
    kind = draw(st.sampled_from([int, float]))
    count = math.prod(shape)
    raw = [draw(st.integers(-99, 99) if kind is int else st.floats(allow_nan=True)) for _ in range(count)]
    return fill_shape(raw, shape)


@given(values=nested(), old=nested(), comment=surroundings, spaces=st.sampled_from(["", " ", "  "]), tail=surroundings)
@example(values=[[1.0]], old=3, comment="é∂𝛼", spaces=" ", tail="")
def test_everything_outside_the_numbers_stays_byte_for_byte(values, old, comment, spaces, tail):
    before = f"import torch as t\n# {comment}\nx{spaces}={spaces}t.tensor({spaces}"
    behind = f"{spaces}, dtype = t.float64{spaces},requires_grad=True)  # {tail}\ny = (x*x) . sum()  # {comment}\n"
    text = before + values_source(old) + behind

    result = change_leaf(text, "x", LeafChange(values=values))

    assert result.startswith(before)
    assert result.endswith(behind)
    (spec,) = find_leaves(result)
    assert repr(spec.values) == repr(fill_shape([float(n) for n in flatten(values)], shape_of(values)))
    assert (spec.shape, spec.dtype, spec.requires_grad) == (shape_of(values), "float64", True)


makers = st.sampled_from([line for line, *_ in MADE])


@given(line=makers, values=nested(), comment=surroundings)
def test_new_values_are_found_again_whatever_made_the_leaf(line, values, comment):
    text = f"{IMPORTS}# {comment}\n{line}  # {comment}\nprint(1)\n"
    spec = find_leaves(text)[0]

    if spec.dtype == "int64" and not all(float(n).is_integer() for n in flatten(values)) and "tensor([[" not in line:
        with pytest.raises(GradvizError, match="cannot hold"):
            change_leaf(text, "x", LeafChange(values=values))
        return
    result = change_leaf(text, "x", LeafChange(values=values))

    found = find_leaves(result)[0]
    assert [float(n) for n in flatten(found.values)] == pytest.approx(
        [float(n) for n in flatten(values)], nan_ok=True, abs=0
    )
    # No values for what has none can be no change: zeros(0, 3) stays as it is.
    assert found.shape == (spec.shape if result == text and not flatten(values) else shape_of(values))
    assert found.requires_grad is spec.requires_grad
    assert result.startswith(f"{IMPORTS}# {comment}\nx")
    assert result.endswith(f"  # {comment}\nprint(1)\n")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1 2 3", [1, 2, 3]),
        ("3", 3),
        ("3,", [3]),
        ("[1, 2; 3 4]", [[1, 2], [3, 4]]),
        ("[[1,2],[3,4]]", [[1, 2], [3, 4]]),
        ("[[1 2]\n [3 4]]", [[1, 2], [3, 4]]),
        ("1\t2\n3\t4\n", [[1, 2], [3, 4]]),
        ("1; 2", [[1], [2]]),
        ("1.5 -2e-3 .5", [1.5, -0.002, 0.5]),
        ("True False", [True, False]),
        ("inf -inf", [math.inf, -math.inf]),
        ("linspace(-1,1,5)", [-1.0, -0.5, 0.0, 0.5, 1.0]),
        ("torch.arange(3)", [0, 1, 2]),
        ("tensor([1., 2.])", [1.0, 2.0]),
        ("eye(2)", [[1.0, 0.0], [0.0, 1.0]]),
        ("full((2,), 3)", [3, 3]),
        ("zeros(2, 0)", [[], []]),
    ],
)
def test_numbers_are_read_as_people_type_them(text, values):
    assert repr(parse_values(text)) == repr(values)


@pytest.mark.parametrize(
    ("text", "words", "column"),
    [
        ("", "no number", 1),
        ("1 tahn", "'tahn' is not a number", 3),
        ("[1, 2", "not closed", 1),
        ("1]", "was not opened", 2),
        ("1-2", "'-2' is not a number", 2),
        ("1 2; 3", "Row 2 has 1 value, but row 1 has 2 values", None),
        ("ones(99999999)", "ones does not take", 1),
        ("arange(1, 2, 0)", "arange does not take", 1),
        ("cube(3)", "'cube' is not known", 1),
        ("[" * 99, "inside one another", 33),
    ],
)
def test_numbers_that_cannot_be_read_are_refused_with_their_column(text, words, column):
    with pytest.raises(GradvizError, match=words) as caught:
        parse_values(text)

    assert caught.value.column == column
    assert caught.value.hint


@given(nested())
def test_what_is_shown_for_typing_reads_back_as_the_same(values):
    text = values_text(values, repr)

    if all(math.prod(shape_of(values)[:n]) for n in range(1, len(shape_of(values)) + 1)) and values != []:
        assert repr(parse_values(text)) == repr(values)


@pytest.mark.parametrize(
    ("text", "shape"), [("[2, 3]", (2, 3)), ("2x3", (2, 3)), ("2 3", (2, 3)), ("(4,)", (4,)), ("", ()), ("[]", ()),
                       ("2×3", (2, 3)), ("(4, )", (4,)), ("scalar", ())]
)  # fmt: skip
def test_shape_is_read_as_people_type_it(text, shape):
    assert parse_shape(text) == shape


@pytest.mark.parametrize("text", ["two", "-1", "2.5", "[99999999999]"])
def test_what_is_no_shape_is_refused(text):
    with pytest.raises(GradvizError, match="not a shape"):
        parse_shape(text)


def test_new_leaf_stands_after_the_last_one():
    text = "from torch import tensor\n\nx = tensor([1.])  # one\n\ny = x\n"

    result = change_leaf(text, "x", LeafChange(values=[1.0, 2.0], requires_grad=True, added=True))

    assert result == text.replace("# one\n", "# one\nx2 = tensor([1., 2.], requires_grad=True)\n")


@pytest.mark.parametrize("text", ["", "y = 1\n", '"""What it does."""\n', "# only a remark"])
def test_new_leaf_of_a_script_without_torch_brings_its_import(text):
    result = change_leaf(text, "x", LeafChange(added=True))

    assert [spec.name for spec in find_leaves(result)] == ["x"]
    assert result.index("import torch") < result.index("x = torch")


def test_removing_a_leaf_takes_its_lines_away():
    text = "import torch\nx = torch.ones(2)  # gone\nw = torch.ones(2)\nx.requires_grad_()\n"

    assert change_leaf(text, "x", LeafChange(removed=True)) == "import torch\nw = torch.ones(2)\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import torch\nx = torch.ones(2)\ny = x * 2\n", "used on line 3"),
        ("import torch\nx = torch.ones(2); print(1)\n", "line of its own"),
        ("import torch\nif 1:\n    x = torch.ones(2)\n", "line of its own"),
        ("import torch\nx, w = torch.ones(2), torch.ones(2)\n", "line of its own"),
    ],
)
def test_removing_what_is_needed_is_refused(text, words):
    with pytest.raises(GradvizError, match=words):
        change_leaf(text, "x", LeafChange(removed=True))


def test_a_pasted_cell_without_its_imports_has_its_leaves():
    """The import of torch is added when it runs."""
    found = find_leaves("x = torch.tensor([1.0, 2.0], requires_grad=True)\nw = np.ones(2)\ny = (x * 2).sum()\n")

    assert [leaf.name for leaf in found] == ["x"]
