"""Whatever text comes in, `run` comes back with a recording: no exception, no traceback, no fault of our own."""

# ruff: noqa: E501, SIM905 - tables read better in rows

from __future__ import annotations

import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradviz.errors import GradvizError
from gradviz.recording import check
from gradviz.script.machine import Limits
from gradviz.script.run import Run, run
from gradviz.shipped import shipped

SMALL = Limits(steps=3_000, nodes=1_000, megabytes=300, output_characters=20_000)
HEAD = "import torch\nimport numpy as np\nimport torch.nn as nn\nimport math, itertools, functools\n"
SEEDS = [file.read_text(encoding="utf-8") for file in sorted(shipped("examples").glob("*.py"))]
SEEDS.append("""import torch
import torch.nn as nn
import numpy as np
class Net(nn.Module):
    def __init__(self, n=2):
        super().__init__()
        self.a = nn.Linear(n, 3)
        self.scale = nn.Parameter(torch.ones(3))
    @property
    def width(self): return 3
    def forward(self, x):
        return torch.relu(self.a(x)) * self.scale
def count(n):
    for i in range(n):
        yield i
net = Net()
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
h = x.register_hook(lambda g: g * 2)
for i in count(2):
    loss = (net(x) ** 2).mean() + x.abs().sum() * 0.1
    loss.backward(retain_graph=True)
    with torch.no_grad():
        for p in net.parameters():
            if p.grad is not None:
                p -= 0.1 * p.grad
                p.grad.zero_()
try:
    y = x @ x[0] + np.array([1, 2]).sum()
    a, *b = [v for v in (1, 2, 3) if v > 1]
    print(f"{loss.item():.3f} {y!r:>10}", "{:d}".format(a), "%s" % b, {1: 'a'}[1], {*b})
except (RuntimeError, ValueError) as e:
    print(type(e).__name__, e, sep=', ', end='\\n')
finally:
    d = {'a': 1, **{'b': lambda v=1, *a, k=2, **kw: v}}
print(torch.autograd.grad(loss, [net.scale], allow_unused=True), d['b'](k=3), sorted(d, key=str), x[:, None, 0].shape)
""")
WORDS = (
    "x y 0 1 -1 2.5 1e30 None True [] () {} '' 'a' , . : ( ) [ ] { } = == + - * / // % ** @ < > & | ^ ~ not in is and or "
    "if else for while def class return yield lambda try except finally with as raise assert del global import from pass "
    "break continue print len range sum float int str list dict set tuple type isinstance getattr super zip map max min "
    "torch.tensor torch.ones torch.zeros torch.rand torch.arange torch.stack torch.cat torch.where torch.no_grad() nn "
    "nn.Linear(2,2) np np.array np.zeros .backward() .sum() .grad .data .T .shape .dtype .view(-1) .item() .detach() "
    ".requires_grad_() .clone() .numpy() .reshape(2,2) .expand(2,2) .retain_grad() .zero_() .add_(1) requires_grad=True "
    "dtype=torch.int64 dim=0 keepdim=True self __init__ f'{x:.2f}' \n \n    0x10 1_000 *args **kw := ; @property nonlocal"
).split(" ")  # fmt: skip
TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


def mutated(text: str, random: random.Random) -> str:
    """The text with a few tokens dropped, doubled, exchanged or replaced."""
    tokens = TOKEN.findall(text)
    for _ in range(random.randint(1, 6)):
        at, other = random.randrange(len(tokens)), random.randrange(len(tokens))
        choice = random.randrange(6)
        if choice == 0:
            tokens[at] = ""
        elif choice == 1:
            tokens[at] += tokens[other]
        elif choice == 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            tokens[at] = random.choice(WORDS)
    return "".join(tokens)


def assert_came_back(result: Run) -> None:
    check(result.recording)
    if result.error is not None:
        assert isinstance(result.error, GradvizError)
        assert "gradviz itself failed" not in result.error.message
        assert result.recording.problem is not None
        assert "\n" not in result.error.one_line("f.py")


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False))
def test_damaged_scripts_come_back(text: str, random: random.Random) -> None:
    assert_came_back(run(mutated(text, random), seed=0, limits=SMALL))


@settings(max_examples=60, deadline=None)
@given(st.text())
def test_any_text_comes_back(text: str) -> None:
    assert_came_back(run(text, seed=0, limits=SMALL))


ATOMS = (
    "x", "y", "m", "i", "arr", "f", "a", "net", "1", "0", "-2", "2.5", "None", "True", "'ab'", "[1, 2]", "(1,)", "{}", "...",
    "torch", "np", "nn", "print", "int", "float", "slice(1)", "range(3)", "torch.float64", "x.shape", "y.grad_fn", "object",
)  # fmt: skip
FORMS = (
    "({} + {})", "({} * {})", "({} ** {})", "({} / {})", "({} @ {})", "({} % {})", "({} < {})", "({} == {})", "({} & {})",
    "({} << {})", "({} // {})", "(-{})", "(~{})", "(not {})", "{}[{}]", "{}[{}, None]", "{}[{}:]", "{}({})", "{}(*[{}])",
    "({} if {} else 3)", "({} in {})", "({} is {})", "[v for v in {}]", "{{v: {} for v in {}}}", "f'{{{}}}'", "f'{{{}:>8}}'",
    "torch.tensor({})", "torch.sum({})", "torch.stack([{}, {}])", "torch.where({}, {}, x)", "torch.maximum({}, {})",
    "torch.matmul({}, {})", "torch.max({}, {})", "torch.autograd.grad({}, {}, allow_unused=True)", "torch.zeros({})",
    "torch.ones({}, {})", "torch.arange({})", "torch.full({}, {})", "torch.clamp({}, {})", "torch.cat([{}, {}])",
    "{}.sum({})", "{}.mean(dim={})", "{}.view({})", "{}.reshape({})", "{}.expand({})", "{}.transpose({}, 0)", "{}.max({})",
    "{}.backward({})", "{}.item()", "{}.T", "{}.grad", "{}.data", "{}.detach()", "{}.numpy()", "{}.tolist()", "{}.to({})",
    "{}.add_({})", "{}.mul_({})", "{}.requires_grad_({})", "{}.register_hook({})", "{}.permute({})", "{}.squeeze({})",
    "{}.unsqueeze({})", "{}.softmax({})", "{}.pow({})", "{}.clamp(min={})", "{}.zero_()", "{}.copy_({})", "{}.fill_({})",
    "np.array({})", "np.sum({})", "np.dot({}, {})", "np.where({}, {}, 1)", "np.stack([{}, {}])", "math.sqrt({})", "len({})",
    "sum({})", "max({})", "sorted({})", "list({})", "tuple({})", "set({})", "dict({})", "str({})", "int({})", "float({})",
    "isinstance({}, {})", "getattr({}, 'grad')", "type({})", "list(zip({}, {}))", "list(map({}, {}))", "iter({})", "abs({})",
    "round({})", "'{{}}'.format({})", "'%s' % {}", "'%d' % {}", "functools.reduce({}, {})", "list(itertools.islice({}, 3))",
    "nn.Linear({}, 2)", "nn.Parameter({})", "nn.Sequential({})", "torch.optim.SGD({}, lr=0.1)", "torch.manual_seed({})",
    "(lambda v: {})({})", "(z := {})", "hash({})", "repr({})", "reversed({})", "enumerate({})", "pow({}, {})", "divmod({}, {})",
)  # fmt: skip
STATEMENTS = (
    "q = {}", "q += {}", "x = {}", "x += {}", "x[{}] = {}", "x.data = {}", "x.grad = {}", "a.v = {}", "a[{}] = {}", "arr[{}] = {}",
    "print({})", "for v in {}: print(v)", "if {}: print({})", "with {}: pass", "a, b = {}", "a, *b = {}", "del q[{}]", "del {}",
    "assert {}", "raise {}", "while {}: break", "q: int = {}", "def g(v={}): return {}", "class B({}): v = {}", "@{}\ndef h(): pass",
    "try: {}\nexcept {}: pass", "x.requires_grad = {}", "m *= {}", "m -= {}", "global w; w = {}",
)  # fmt: skip
SETUP = f"""{HEAD}
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * x).sum()
m = torch.arange(4.).reshape(2, 2)
i = torch.tensor([0, 1])
arr = np.array([[1., 2.], [3., 4.]])
def f(v, k=1): return v
class A:
    def __getitem__(self, k): return k
a = A()
net = nn.Linear(2, 1)
"""
expressions = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.builds(
        lambda form, parts: form.format(*parts), st.sampled_from(FORMS), st.lists(inner, min_size=2, max_size=2)
    ),
    max_leaves=8,
)
statements = st.builds(
    lambda form, parts: form.format(*parts), st.sampled_from(STATEMENTS), st.lists(expressions, min_size=2, max_size=2)
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(statements, min_size=1, max_size=6))
def test_generated_scripts_come_back(lines: list[str]) -> None:
    guarded = [
        f"try:\n    {line.replace(chr(10), chr(10) + '    ')}\nexcept Exception as e: print(e)" for line in lines
    ]

    assert_came_back(run(SETUP + "\n".join(guarded), seed=0, limits=SMALL))


@pytest.mark.parametrize("text", ["", "\n", "#", "\ufeffx = 1", "x = 1\r\ny = 2\r", "\x0c", "\x00", "\ud800", "'\\ud800'",
                                  "print('\\ud800')", "é = 1\nprint(é)", "if 1:\n\tx = 1\n        y = 2", "\\", "x = 1 \\"])  # fmt: skip
def test_odd_texts_come_back(text: str) -> None:
    assert_came_back(run(text, seed=0, limits=SMALL))
