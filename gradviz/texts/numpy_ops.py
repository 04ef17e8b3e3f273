"""Ops as lines of numpy: what each computes, and the gradient it sends to each input. For scripts that replay a pass.

A line is a template. `{a}`, `{b}`, `{c}` are the inputs by slot, `{y}` the result, `{g}` the gradient that comes in,
`{like}` and `{shape}` the shapes of the input a gradient goes to and of the result; every other name is a parameter.
A row fits a node if it has as many inputs and every parameter of the node is used by the row, or has the value given.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One op as text.

    Attributes:
        op: its name.
        forward: what it computes.
        backward: the gradient for each input; "" for one that takes none. An op of any number of inputs has one.
        is_elementwise: whether inputs are broadcast, so that gradients are summed back to their shapes.
        given: parameters that the text does not use, with the values they must have.
    """

    op: str
    forward: str
    backward: tuple[str, ...]
    is_elementwise: bool = False
    given: Mapping[str, Any] = {}
    is_variadic: bool = False

    @property
    def fields(self) -> frozenset[str]:
        """The names in its templates."""
        texts = (self.forward, *self.backward)
        return frozenset(name for text in texts for _, name, _, _ in Formatter().parse(text) if name)

    def fits(self, inputs: int, params: Mapping[str, Any]) -> bool:
        """Whether it is the row of an op with so many inputs and these parameters."""
        if not self.is_variadic and len(self.backward) != inputs:
            return False
        needed = self.fields - OWN_FIELDS
        unused = params.keys() - needed
        is_given = all(name in self.given and _is_same(params[name], self.given[name]) for name in unused)
        return is_given and needed <= params.keys()


OWN_FIELDS = frozenset("a b c y g all like shape at slot count rows lower".split())
"""Names in templates that are no parameters."""


ANY = object()
"""A parameter may have any value, since the shapes tell it, too."""


def _is_same(value: object, given: object) -> bool:
    return given is ANY or (isinstance(value, int | float | str) and value == given)


def _elementwise(op: str, forward: str, *backward: str, **given: Any) -> Row:
    return Row(op, forward, backward, is_elementwise=True, given=given)


def _row(op: str, forward: str, *backward: str, **given: Any) -> Row:
    return Row(op, forward, backward, given=given)


_SAME_NUMBERS = "view unsafe_view reshape flatten squeeze unsqueeze".split()

ROWS: tuple[Row, ...] = (
    # ---- arithmetic ----
    _elementwise("add", "{a} + {b}", "{g}", "{g}"),
    _elementwise("add", "{a} + {number}", "{g}"),
    _elementwise("sub", "{a} - {b}", "{g}", "-{g}"),
    _elementwise("mul", "{a} * {b}", "{g} * {b}", "{g} * {a}"),
    _elementwise("mul", "{a} * {number}", "{g} * {number}"),
    _elementwise("div", "{a} / {b}", "{g} / {b}", "-{g} * {a} / {b} ** 2"),
    _elementwise("div", "{a} / {number}", "{g} / {number}"),
    _elementwise("neg", "-{a}", "-{g}"),
    _elementwise("pow", "np.ones_like({a})", "np.zeros_like({g})", exponent=0),
    _elementwise("pow", "{a} * {a}", "{g} * 2 * {a}", exponent=2),
    _elementwise("pow", "{a} ** {exponent}", "{g} * {exponent} * {a} ** {lower}"),
    _elementwise("pow", "{base} ** {a}", "{g} * {y} * math.log({base})"),
    _elementwise(
        "pow", "{a} ** {b}", "np.where({b} == 0, 0, {g} * {b} * {a} ** ({b} - 1))",
        "{g} * np.where(({a} == 0) & ({b} >= 0), 0, {y} * np.log(np.where({a} == 0, 1, {a})))",
    ),
    _elementwise("square", "{a} * {a}", "{g} * 2 * {a}"),
    _elementwise("reciprocal", "1 / {a}", "-{g} * {y} ** 2"),
    _elementwise("sqrt", "np.sqrt({a})", "{g} / (2 * {y})"),
    _elementwise("rsqrt", "1 / np.sqrt({a})", "-{g} * {y} ** 3 / 2"),
    _elementwise("abs", "np.abs({a})", "{g} * np.sign({a})"),
    _elementwise("sign", "np.sign({a})", "{g} * 0"),
    _elementwise("exp", "np.exp({a})", "{g} * {y}"),
    _elementwise("expm1", "np.expm1({a})", "{g} * ({y} + 1)"),
    _elementwise("log", "np.log({a})", "{g} / {a}"),
    _elementwise("log1p", "np.log1p({a})", "{g} / ({a} + 1)"),
    _elementwise("log2", "np.log2({a})", "{g} / ({a} * math.log(2))"),
    _elementwise("log10", "np.log10({a})", "{g} / ({a} * math.log(10))"),
    _elementwise("sin", "np.sin({a})", "{g} * np.cos({a})"),
    _elementwise("cos", "np.cos({a})", "-{g} * np.sin({a})"),
    _elementwise("tan", "np.tan({a})", "{g} * (1 + {y} ** 2)"),
    _elementwise("asin", "np.arcsin({a})", "{g} / np.sqrt(1 - {a} ** 2)"),
    _elementwise("acos", "np.arccos({a})", "-{g} / np.sqrt(1 - {a} ** 2)"),
    _elementwise("atan", "np.arctan({a})", "{g} / (1 + {a} ** 2)"),
    _elementwise("sinh", "np.sinh({a})", "{g} * np.cosh({a})"),
    _elementwise("cosh", "np.cosh({a})", "{g} * np.sinh({a})"),
    _elementwise(
        "maximum", "np.maximum({a}, {b})",
        "np.where({a} > {b}, {g}, np.where({a} == {b}, {g} / 2, 0))",
        "np.where({b} > {a}, {g}, np.where({a} == {b}, {g} / 2, 0))",
    ),
    _elementwise(
        "minimum", "np.minimum({a}, {b})",
        "np.where({a} < {b}, {g}, np.where({a} == {b}, {g} / 2, 0))",
        "np.where({b} < {a}, {g}, np.where({a} == {b}, {g} / 2, 0))",
    ),
    _elementwise("where", "np.where({a}, {b}, {c})", "", "np.where({a}, {g}, 0)", "np.where({a}, 0, {g})"),
    _elementwise("masked_fill", "np.where({b}, {value}, {a})", "np.where({b}, 0, {g})", ""),
    *(_elementwise(op, "{a}.copy()", "{g}") for op in ("clone", "identity", "alias")),
    # ---- activations ----
    _elementwise("tanh", "np.tanh({a})", "{g} * (1 - {y} ** 2)"),
    _elementwise("sigmoid", "sigmoid({a})", "{g} * {y} * (1 - {y})"),
    _elementwise("relu", "np.maximum({a}, 0)", "np.where({y} > 0, {g}, 0)"),
    _elementwise(
        "leaky_relu", "np.where({a} > 0, {a}, {a} * {negative_slope})",
        "np.where({a} > 0, {g}, {g} * {negative_slope})",
    ),
    _elementwise("silu", "{a} * sigmoid({a})", "{g} * sigmoid({a}) * (1 + {a} * (1 - sigmoid({a})))"),
    _elementwise(
        "softplus", "np.where({a} * {beta} > {threshold}, {a}, np.log1p(np.exp({a} * {beta})) / {beta})",
        "np.where({a} * {beta} > {threshold}, {g}, {g} * sigmoid({a} * {beta}))",
    ),
    _elementwise(
        "gelu", "{a} * (1 + erf({a} / 2**0.5)) / 2",
        "{g} * ((1 + erf({a} / 2**0.5)) / 2 + {a} * np.exp(-({a} ** 2) / 2) / (2 * np.pi) ** 0.5)",
        approximate="none",
    ),
    _row(
        "softmax", "softmax({a}, {dim})", "{y} * ({g} - ({g} * {y}).sum(axis={dim}, keepdims=True))"
    ),
    _row(
        "log_softmax", "log_softmax({a}, {dim})", "{g} - np.exp({y}) * {g}.sum(axis={dim}, keepdims=True)"
    ),
    # ---- sums ----
    _row("sum", "{a}.sum()", "np.broadcast_to({g}, {like})"),
    _row("sum", "{a}.sum(axis={dim}, keepdims={keepdim})", "spread({g}, {like}, {dim}, {keepdim})"),
    _row("mean", "{a}.mean()", "np.broadcast_to({g} / {count}, {like})"),
    _row("mean", "{a}.mean(axis={dim}, keepdims={keepdim})", "spread({g} / {count}, {like}, {dim}, {keepdim})"),
    *(_row(op, f"{{a}}.{op}()", "({a} == {y}) * ({g} / int(({a} == {y}).sum()))") for op in ("max", "min")),
    # ---- matrices ----
    *(_row(op, "{a} @ {b}", "{g} @ {b}.swapaxes(-1, -2)", "{a}.swapaxes(-1, -2) @ {g}") for op in ("mm", "bmm")),
    _row("mv", "{a} @ {b}", "np.outer({g}, {b})", "{a}.T @ {g}"),
    _row("dot", "{a} @ {b}", "{g} * {b}", "{g} * {a}"),
    _row(
        "matmul", "{a} @ {b}",
        "unbroadcast({g} @ {b}.swapaxes(-1, -2), {like})", "unbroadcast({a}.swapaxes(-1, -2) @ {g}, {like})",
    ),
    _row(
        "addmm", "{a} + {b} @ {c}", "unbroadcast({g}, {like})", "{g} @ {c}.T", "{b}.T @ {g}", beta=1, alpha=1,
    ),
    _row(
        "addmm", "{beta} * {a} + {alpha} * ({b} @ {c})",
        "unbroadcast({beta} * {g}, {like})", "{alpha} * {g} @ {c}.T", "{alpha} * {b}.T @ {g}",
    ),
    # ---- shapes ----
    *(_row(op, "{a}.reshape({shape})", "{g}.reshape({like})", size=ANY, dim=ANY) for op in _SAME_NUMBERS),
    _row("t", "{a}.T", "{g}.T"),
    _row("transpose", "{a}.swapaxes({dim0}, {dim1})", "{g}.swapaxes({dim0}, {dim1})"),
    _row("permute", "{a}.transpose({dims})", "{g}.transpose(np.argsort({dims}))"),
    Row(
        "expand", "np.broadcast_to({a}, {shape})", ("{g}",), is_elementwise=True, given={"size": ANY}
    ),
    # ---- parts ----
    *(
        _row(op, "{a}[{at}]", "placed({g}, {like}, np.s_[{at}])", dim=ANY, index=ANY, start=ANY, end=ANY, step=ANY)
        for op in ("select", "unbind", "slice", "index")
    ),
    Row("stack", "np.stack([{all}], axis={dim})", ("np.take({g}, {slot}, axis={dim})",), is_variadic=True),
    Row("cat", "np.concatenate([{all}], axis={dim})", ("{g}[{at}]",), is_variadic=True),
    _row(
        "gather", "np.take_along_axis({a}, {b}, {dim})", "placed({g}, {like}, along({b}, {dim}))", "",
    ),
    _row("embedding", "{a}[{b}]", "placed({g}, {like}, {b})", "", padding_idx=-1),
    # ---- losses ----
    *(
        _row(
            "mse_loss", forward, f"{{g}} * 2 * ({{a}} - {{b}}){share}", f"{{g}} * 2 * ({{b}} - {{a}}){share}",
            reduction=reduction,
        )
        for reduction, forward, share in (
            ("mean", "(({a} - {b}) ** 2).mean()", " / {a}.size"),
            ("sum", "(({a} - {b}) ** 2).sum()", ""),
            ("none", "({a} - {b}) ** 2", ""),
        )
    ),
    *(
        _row(
            "nll_loss", forward, f"placed(np.broadcast_to(-{{g}}{share}, {{b}}.shape), {{like}}, ({{rows}}))", "",
            reduction=reduction, ignore_index=-100,
        )
        for reduction, forward, share in (
            ("mean", "-{a}[{rows}].mean()", " / {b}.size"),
            ("sum", "-{a}[{rows}].sum()", ""),
            ("none", "-{a}[{rows}]", ""),
        )
    ),
    *(
        _row(
            "binary_cross_entropy_with_logits", forward, f"{{g}} * (sigmoid({{a}}) - {{b}}){share}",
            f"-{{g}} * {{a}}{share}", reduction=reduction,
        )
        for reduction, forward, share in (
            ("mean", "(np.logaddexp(0, {a}) - {a} * {b}).mean()", " / {a}.size"),
            ("sum", "(np.logaddexp(0, {a}) - {a} * {b}).sum()", ""),
            ("none", "np.logaddexp(0, {a}) - {a} * {b}", ""),
        )
    ),
)  # fmt: skip
"""The first row that fits is taken."""

FUNCTIONS: dict[str, str] = {
    "unbroadcast": '''\
def unbroadcast(gradient, shape):
    """Sum over the axes along which an input was broadcast."""
    gradient = np.asarray(gradient)
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    ones = tuple(axis for axis, length in enumerate(shape) if length == 1)
    return gradient.sum(axis=ones, keepdims=True) if ones else gradient
''',
    "spread": '''\
def spread(gradient, shape, axes, has_kept):
    """Copy a gradient to every element that was summed over the axes."""
    return np.broadcast_to(gradient if has_kept else np.expand_dims(gradient, axes), shape)
''',
    "placed": '''\
def placed(gradient, shape, index):
    """Zeros, with the gradient added at an index."""
    gradient = np.asarray(gradient)
    zeros = np.zeros(shape, dtype=gradient.dtype)
    np.add.at(zeros, index, gradient)
    return zeros
''',
    "along": '''\
def along(index, axis):
    """The index of `np.take_along_axis` for all axes."""
    whole = list(np.indices(index.shape, sparse=True))
    whole[axis] = index
    return tuple(whole)
''',
    "sigmoid": """\
def sigmoid(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)), 1) / (1 + np.exp(-np.abs(x)))
""",
    "erf": """\
def erf(x):
    return np.vectorize(math.erf, otypes=[x.dtype])(x)
""",
    "softmax": """\
def softmax(x, axis):
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)
""",
    "log_softmax": """\
def log_softmax(x, axis):
    low = x - x.max(axis=axis, keepdims=True)
    return low - np.log(np.exp(low).sum(axis=axis, keepdims=True))
""",
}
"""What a script defines of what its lines call."""


def row_of(op: str, inputs: int, params: Mapping[str, Any]) -> Row | None:
    """The row for an op with so many inputs and these parameters, or None where it is not written out."""
    return next((row for row in ROWS if row.op == op and row.fits(inputs, params)), None)
