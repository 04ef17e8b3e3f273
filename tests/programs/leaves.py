"""Lines that make tensors: leaves of all shapes and dtypes, results of the rule table, views, changes in place."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

from random import Random
from typing import Any

from gradviz.imitation.engine.tensor import Tensor
from tests.programs.ops import Case, cases
from tests.programs.writer import Writer

SHAPES = (
    (),
    (),
    (3,),
    (3,),
    (2, 3),
    (2, 3),
    (2, 1),
    (1, 3),
    (3, 2),
    (1,),
    (3, 3),
    (2, 2),
    (2, 3, 2),
    (0,),
    (0, 3),
    (2, 0),
    (1, 1),
)
DTYPES = ("float64",) * 14 + ("float32",) * 3 + ("int64", "int64", "bool", "int32", "float16", "uint8")


def is_float(t: Tensor) -> bool:
    """Whether it can take a gradient."""
    return t.dtype.kind == "f"


def numbers(random: Random, shape: tuple[int, ...], dtype: str = "float64") -> Any:
    """A nested list."""
    if shape:
        return [numbers(random, shape[1:], dtype) for _ in range(shape[0])]
    if dtype == "bool":
        return random.random() < 0.5
    if "int" in dtype:
        return random.randint(0 if dtype == "uint8" else -3, 4)
    return (
        round(random.uniform(0.2, 1.5), 3) * random.choice((-1, 1))
        if random.random() < 0.97
        else random.choice((0.0, 1.0, -0.0))
    )


def leaf(w: Writer) -> None:
    """A leaf, now and then one that does not lie in a row."""
    shape, dtype = w.pick(SHAPES), w.pick(DTYPES)
    takes = ", requires_grad=True" if "float" in dtype and w.chance(0.85) else ""
    empty = 0 in shape and shape != (0,)
    text = f"torch.tensor({numbers(w.random, shape, dtype)}, dtype=torch.{dtype}{takes})"
    if empty:
        text = f"torch.zeros({', '.join(map(str, shape))}, dtype=torch.{dtype}{takes})"
    elif w.chance(0.1):
        name = w.pick(("ones", "zeros", "full", "arange", "eye", "linspace"))
        text = {
            "full": f"torch.full({shape}, 0.75, dtype=torch.float64, requires_grad=True)",
            "arange": "torch.arange(6, dtype=torch.float64).view(2, 3).requires_grad_()",
            "eye": "torch.eye(2, dtype=torch.float64, requires_grad=True)",
            "linspace": "torch.linspace(-1, 1, 5, dtype=torch.float64, requires_grad=True)",
        }.get(name, f"torch.{name}({shape}, dtype=torch.{dtype}{takes})")
    elif w.chance(0.08) and shape:
        text = w.pick(
            (
                "nn.Parameter({})",
                "{}.detach().flip(0).requires_grad_()",
                "{}.detach().repeat(2, *[1] * (-1 + " + str(len(shape)) + "))[::2].detach().requires_grad_()",
                "{}.detach().mT.requires_grad_()" if len(shape) > 1 else "{}.detach().expand(2, 3).requires_grad_()",
            )
        ).format(text)
    w.let(text)


UNARY = (
    "torch.tanh({0})", "torch.sigmoid({0})", "torch.sin({0})", "{0}.cos()", "torch.relu({0})", "{0}.abs()", "-{0}", "torch.exp(torch.tanh({0}))",
    "({0}.abs() + 1).sqrt()", "({0}.abs() + 1).log()", "{0} ** 2", "{0} ** 3", "{0}.pow(0)", "1 / ({0}.abs() + 1)", "{0}.clamp(-0.5, 0.7)",
    "{0} / 2", "1 - {0}", "2 / ({0}.abs() + 2)", "{0}.clone()", "2 ** torch.tanh({0})", "torch.where({0} > 0.1, {0}, {0} * 0.5)", "{0} + 1", "{0} * 3",
    "{0} // 2", "{0} % 0.7", "2 - {0}", "{0}.square()", "{0}.float()", "{0}.double()", "{0}.long()", "{0}.sign()", "{0}.round()", "{0}.contiguous()",
    "{0}.to(torch.float32)", "{0}.type(torch.float64)", "F.gelu({0})", "F.softplus({0})", "F.leaky_relu({0}, 0.1)", "F.elu({0})", "{0}.logit(0.1)",
    "{0}.sum()", "{0}.mean()", "{0}.sum(0)", "{0}.sum(-1, keepdim=True)", "{0}.mean(0)", "{0}.amax(-1)", "{0}.amin()", "{0}.max()", "{0}.max(0)[0]",
    "{0}.softmax(-1)", "{0}.log_softmax(0)", "{0}.prod()", "{0}.cumsum(0)", "{0}.std()", "{0}.var(0)", "{0}.norm()", "{0}.logsumexp(0)", "{0}.flip(0)",
    "{0}.sort(-1)[0]", "{0}.median()", "{0}.argmax()", "{0}.isnan()", "{0}.triu()", "{0}.diag()", "{0}.trace()", "{0}.repeat(2)", "{0}.roll(1, 0)",
    "{0} > 0", "~({0} > 0)", "{0}.nonzero()", "{0}[{0} > 0]", "torch.stack([{0}, {0}], 1)", "{0}.cumprod(0)", "{0}.std(unbiased=False)", "{0}.item() * {0}",
    "{0}.new_ones(2, 3)", "torch.ones_like({0})", "torch.zeros_like({0}, requires_grad=True)", "copy.deepcopy({0}.detach())", "{0}.masked_fill({0} > 0, 2.0)",
    "{0}.reshape(3, -1)", "{0}.index_select(0, torch.tensor([0, 1, 0]))", "{0}[torch.tensor([0, 1])]", "{0}[[1, 0]]", "{0}.gather(0, torch.zeros_like({0}, dtype=torch.int64))",
)  # fmt: skip
BINARY = (
    "{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / ({1}.abs() + 1)", "torch.maximum({0}, {1})", "torch.minimum({0}, {1})", "torch.where({0} > {1}, {0}, {1})",
    "({0}.abs() + 1) ** {1}", "torch.add({0}, {1}, alpha=2)", "{0} @ {1}", "{0} @ {1}.T", "torch.matmul({0}, {1})", "torch.stack([{0}, {1}])", "torch.cat([{0}, {1}])",
    "torch.cat([{0}, {1}], -1)", "torch.clamp({0}, {1}, {1} + 1)", "F.linear({0}, {1})", "torch.addmm({0}, {1}, {1})", "F.mse_loss({0}, {1})", "torch.outer({0}, {1})",
    "torch.einsum('ij,kj->ik', {0}, {1})", "{0} > {1}", "{0} == {1}", "{0} & {1}", "{0} // {1}", "{0} % {1}", "torch.dot({0}, {1})", "torch.mv({0}, {1})", "torch.mm({0}, {1})",
    "torch.bmm({0}, {1})", "{0}.lerp({1}, 0.3)", "torch.hypot({0}, {1})", "torch.atan2({0}, {1})", "F.smooth_l1_loss({0}, {1})", "F.cosine_similarity({0}, {1}, dim=-1)",
    "{0}.expand_as({1})", "{0}.view_as({1})", "{0}.reshape({1}.shape)", "{0}.type_as({1})", "{0}[{1} > 0]", "{0}.masked_fill({1} > 0, 0.5)", "torch.addcmul({0}, {1}, {1}, value=0.5)",
    "{0}.where({1} > 0, 0.0)", "torch.kron({0}, {1})", "torch.cdist({0}, {1})", "F.cross_entropy({0}, {1})", "{0}.take({1}.long())", "{0}[{1}.long()]", "torch.broadcast_tensors({0}, {1})[0]",
)  # fmt: skip


def unary(w: Writer) -> None:
    """A function of one tensor."""
    if name := w.any():
        w.let(w.pick(UNARY).format(name))


def binary(w: Writer) -> None:
    """A function of two tensors, or of one twice."""
    if name := w.any():
        w.let(w.pick(BINARY).format(name, w.any() or name))


def from_table(w: Writer) -> None:
    """An example of the rule table, on its own numbers, or on tensors of the program where they fit."""
    case: Case = w.pick(cases())
    text = case.expression
    names = {key: _input(w, values, dtype) for key, (dtype, values) in case.inputs.items()}
    w.let(renamed(text, names))


def renamed(expression: str, names: dict[str, str]) -> str:
    """The expression over other names."""
    import ast

    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    return ast.unparse(tree)


def _shape(values: Any) -> tuple[int, ...]:
    return (len(values), *(_shape(values[0]) if values else ())) if isinstance(values, list) else ()


def _input(w: Writer, values: Any, dtype: str) -> str:
    shape = _shape(values)
    if w.chance(0.5):
        near = w.chance(0.3)
        fits = w.any(
            lambda t: is_float(t) == ("float" in dtype) and (t.ndim == len(shape) if near else t.shape == shape)
        )
        if fits:
            return fits
    if w.chance(0.06):
        dtype = w.pick(("int64", "float32", "bool", "float64"))
    takes = ", requires_grad=True" if "float" in dtype and w.chance(0.9) else ""
    given = (
        str(values)
        .replace("'NaN'", "float('nan')")
        .replace("'Infinity'", "float('inf')")
        .replace("'-Infinity'", "-float('inf')")
    )
    return w.let(f"torch.tensor({given}, dtype=torch.{dtype}{takes})") or w.any() or "t1"


VIEWS = (
    "{0}.view(-1)", "{0}[0]", "{0}[1:]", "{0}[-1:]", "{0}[..., 0]", "{0}[:, 1]", "{0}[None]", "{0}.t()", "{0}.T", "{0}.mT", "{0}.transpose(0, -1)", "{0}.unsqueeze(0)",
    "{0}.unsqueeze(-1)", "{0}.squeeze()", "{0}.squeeze(0)", "{0}.expand(2, 3)", "{0}.diagonal()", "{0}.select(0, 1)", "{0}.narrow(0, 0, 1)", "{0}.unbind(0)[0]", "{0}.split(1)[-1]",
    "{0}.chunk(2)[0]", "{0}.detach()", "{0}.data", "{0}.view(3, -1)", "{0}.reshape(-1)", "{0}.permute(1, 0)", "{0}.unfold(0, 2, 1)", "{0}.as_strided((2,), (1,))", "{0}.movedim(0, -1)",
    "{0}.flatten()", "{0}.ravel()", "{0}.view_as({0})", "{0}[::2]", "{0}[:, ::2]", "{0}[0, 1]", "{0}[()]", "{0}[...]", "{0}.swapaxes(0, 1)", "{0}.unflatten(0, (1, -1))",
    "{0}.tensor_split(2)[1]", "{0}.view({0}.shape)", "{0}.alias()" , "{0}.hsplit(1)[0]", "{0}.broadcast_to(2, 3)", "{0}.real", "{0}.clone().view(-1)[1:]",
)  # fmt: skip


def view(w: Writer) -> None:
    """A view, or a view of a view."""
    if name := w.any():
        w.let(w.pick(VIEWS).format(name))


CHANGES = (
    "{0}.add_({1})", "{0}.mul_(2)", "{0}.mul_({1})", "{0}.sub_({1}, alpha=0.5)", "{0}.div_(2)", "{0}.zero_()", "{0}.fill_(0.5)", "{0}.copy_({1})", "{0} += {1}", "{0} *= 0.5", "{0} -= 1",
    "{0} /= 2", "{0} **= 2", "{0}[0] = 1.0", "{0}[0] = {1}", "{0}[1:] = {1}", "{0}[:, 0] = 0.5", "{0}[{0} > 0] = 0.0", "{0}[...] = {1}", "{0}[0] += 1", "{0}[0] *= {1}", "{0}[-1] = {0}[0]",
    "{0}.neg_()", "{0}.sigmoid_()", "{0}.tanh_()", "{0}.exp_()", "{0}.sqrt_()", "{0}.relu_()", "{0}.clamp_(-0.5, 0.5)", "{0}.clamp_(min=0)", "{0}.pow_(2)", "{0}.square_()", "{0}.abs_()",
    "{0}.masked_fill_({0} > 0, 0.25)", "{0}.index_fill_(0, torch.tensor([0]), 0.5)", "{0}.sin_()", "{0}.round_()",
    "{0}.addcmul_({1}, {1}, value=0.5)", "{0}.lerp_({1}, 0.5)", "torch.relu_({0})", "F.relu({0}, inplace=True)", "{0}.requires_grad_()", "{0}.requires_grad_(False)", "{0}.detach_()",
    "{0}.data.mul_(2)", "{0}.data = {0}.data * 2", "{0}.data[0] = 0.5", "{0}.detach().add_(1)", "{0}.data = {1}.data", "{0}.view(-1).add_(1)", "{0}.view(-1)[0] = 2.0", "{0}.t().mul_(2)",
    "with torch.no_grad():\n    {0}.add_(1)", "with torch.no_grad():\n    {0}[0] = 0.5", "with torch.no_grad():\n    {0} -= 0.1 * {1}", "{0}.requires_grad = True", "{0}.requires_grad = False",
    "{0}.index_add_(0, torch.tensor([0, 0]), {1})", "{0}.scatter_(0, torch.zeros_like({0}, dtype=torch.int64), 0.5)", "{0}.cumsum_(0)", "{0}.fill_diagonal_(0.5)", "{0}.tril_()", "{0}.erf_()",
    "{0}.floor_()", "{0}.fmod_(0.4)", "{0}.remainder_(0.4)", "{0}.reciprocal_()", "{0}.log1p_()", "{0}.hardtanh_()", "F.leaky_relu_({0}, 0.1)",
    "{0}.addmm_({1}, {1})", "{0}.ge_(0)", "{0}.logical_not_()", "{0}.eq_({1})", "{0}.index_put_((torch.tensor([0]),), {1})",
)  # fmt: skip


def change(w: Writer) -> None:
    """A change in place, and what it left of everything."""
    name = w.any(is_float) if w.chance(0.9) else w.any()
    if name is None:
        return
    text = w.pick(CHANGES).format(name, w.any() or name)
    others = w.random.sample(held := w.tensors(), min(2, len(held)))
    versions = ", ".join(f"{other}._version" for other in (name, *others))
    w.add(f"was = ({versions})")
    w.add(text, f"show({name!r}, {name})")
    w.add(f"print([now - then for now, then in zip(({versions}), was)])")
    for other in others:
        w.add(f"show({other!r}, {other})")
