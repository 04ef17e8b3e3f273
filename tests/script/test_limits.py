"""Limits: endless and growing work is ended, and what would be too large is refused before it is made."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

import gc
import weakref

import pytest

from gradviz.errors import Cancelled, LimitError
from gradviz.imitation.script.limits import memory
from gradviz.imitation.script.machine import Limits
from gradviz.imitation.script.run import run
from tests.script.limited import HEAD, SMALL, ended

ENDLESS = {
    "while": "while True: pass",
    "while with a body": "i = 0\nwhile True:\n    i += 1",
    "while inside a function": "def f():\n    while True: pass\nf()",
    "while inside try": "while True:\n    try: 1/0\n    except: pass",
    "for over count": "for i in itertools.count(): pass",
    "for over repeat": "for i in itertools.repeat(1): pass",
    "for over an iterator of the script":
        "class A:\n    def __iter__(self): return self\n    def __next__(self): return 1\nfor i in A(): pass",
    "comprehension": "[i for i in itertools.count()]",
    "comprehension without items": "[i for i in itertools.count() if i < 0]",
    "comprehension of a set": "{1 for i in itertools.count()}",
    "comprehension of a dict": "{i: i for i in itertools.count()}",
    "generator": "sum(i for i in itertools.count())",
    "list": "list(itertools.count())",
    "tuple": "tuple(itertools.count())",
    "set": "set(itertools.repeat(1))",
    "dict": "dict(zip(itertools.count(), itertools.count()))",
    "sum": "sum(itertools.count())",
    "sum of a long range": "sum(range(10**6))",
    "any": "any(itertools.repeat(0))",
    "all": "all(itertools.repeat(1))",
    "max": "max(itertools.cycle([1, 2]))",
    "min with a key": "min(itertools.count(), key=lambda v: v)",
    "sorted": "sorted(itertools.count())",
    "in": "-1 in itertools.count()",
    "unpacking with a star": "a, *b = itertools.count()",
    "star in a call": "print(*itertools.count())",
    "star in a list": "[*itertools.count()]",
    "extend": "l = []\nl.extend(itertools.count())",
    "update": "s = set()\ns.update(itertools.count())",
    "update of a dict": "d = {}\nd.update(zip(itertools.count(), itertools.count()))",
    "join": "','.join('a' for i in itertools.count())",
    "filter": "next(filter(None, itertools.repeat(0)))",
    "filter by a function": "next(filter(lambda v: False, itertools.count()))",
    "map": "sum(map(abs, itertools.count()))",
    "zip": "list(zip(itertools.count(), itertools.count()))",
    "zip of long ranges": "list(zip(range(10**12), range(10**12)))",
    "enumerate": "list(enumerate(itertools.count()))",
    "reversed": "list(reversed(range(10**12)))",
    "islice": "next(itertools.islice(itertools.count(), 10**12, None))",
    "chain": "list(itertools.chain(itertools.count()))",
    "accumulate": "list(itertools.accumulate(itertools.count()))",
    "product": "list(itertools.product(range(1000), repeat=9))",
    "permutations": "list(itertools.permutations(range(1000)))",
    "combinations": "list(itertools.combinations(range(1000), 500))",
    "cycle of nothing but itself": "list(itertools.cycle([1]))",
    "reduce": "functools.reduce(lambda a, b: a, itertools.count())",
    "fsum": "math.fsum(itertools.count())",
    "prod": "math.prod(itertools.repeat(1))",
    "random weights": "random.choices([1], itertools.count())",
    "iter with a sentinel": "list(iter(lambda: 1, 2))",
    "calls by exponent": "def f(n):\n    if n:\n        f(n - 1)\n        f(n - 1)\nf(100)",
    "recursion caught again and again": "def f():\n    try: f()\n    except RecursionError: f()\nf()",
    "recursion in finally": "def f():\n    try: f()\n    finally: f()\nf()",
    "prints": "while True: print('a' * 100)",
    "equality that never ends":
        "class A:\n    def __eq__(self, o):\n        while True: pass\nA() == A()",
    "a tensor that grows no graph": "x = torch.ones(2)\nwhile True: x = x + 1",
    "large tensors": "x = torch.ones(10**6)\nwhile True: x = x + 1",
    "a hook that never ends":
        "x = torch.ones(1, requires_grad=True)\ndef h(g):\n    while True: pass\nx.register_hook(h)\nx.sum().backward()",
}  # fmt: skip


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
def test_endless_work_is_ended(code: str) -> None:
    error = ended(code)

    assert isinstance(error, LimitError)
    assert error.message == "the script ran 30,000 steps without an end and was stopped"
    assert error.line is not None
    assert error.line > 3
    assert error.column is not None


CANCELLED = {name: code for name, code in ENDLESS.items() if name not in ("sum of a long range", "join")}


@pytest.mark.parametrize("code", CANCELLED.values(), ids=CANCELLED.keys())
def test_stop_is_heard_at_the_next_look(code: str) -> None:
    looks = iter(range(1_000_000))

    result = run(HEAD + code, seed=0, cancelled=lambda: next(looks) >= 20)

    assert isinstance(result.error, Cancelled)
    assert next(looks) <= 40  # it is asked again at most by what unwinds


TOO_LARGE = {
    "differences": "import numpy as np\nnp.diff(np.zeros(10**6), 10**6)",
    "differences counted by numpy": "import numpy as np\nnp.diff(np.zeros(10**6), np.int64(10**6))",
    "counts": "torch.bincount(torch.tensor([10**12]))",
    "bins": "torch.histc(torch.ones(3), bins=10**10)",
    "edges": "torch.histogram(torch.ones(3), 10**10)",
    "covariance": "torch.cov(torch.zeros(200_000, 2))",
    "quantiles": "torch.zeros(10_000, 10).quantile(torch.zeros(10_000), dim=1)",
    "power": "10**10**10",
    "power by function": "pow(3, 10**10)",
    "shift": "1 << 10**12",
    "product of squares": "x = 3\nfor i in range(100): x *= x",
    "factorial": "math.factorial(10**9)",
    "binomial": "math.comb(10**6, 5 * 10**5)",
    "permutations counted": "math.perm(10**6)",
    "text": "'a' * 10**12",
    "text from the right": "10**12 * 'a'",
    "text doubled": "x = 'a'\nwhile True: x += x",
    "text doubled in a new one": "x = 'a'\nwhile True: x = x + x",
    "list": "[0] * 10**12",
    "list in place": "x = [0]\nx *= 10**12",
    "list doubled": "x = [1]\nwhile True: x += x",
    "list of a range": "list(range(10**12))",
    "sum of a range": "sum(range(10**12))",
    "largest of a range": "max(range(10**12))",
    "set of a range": "set(range(10**12))",
    "star of a range": "print(*range(10**12))",
    "extend by a range": "x = []\nx.extend(i for i in range(1))\nx += range(10**12)",
    "pools of products": "next(itertools.product(range(10**12)))",
    "many at a time": "next(itertools.combinations([1], 10**9))",
    "random list": "random.choices([1], k=10**11)",
    "random sample": "random.sample(range(10**12), 10**10)",
    "replace": "('a' * 10**6).replace('a', 'b' * 10**6)",
    "replace of nothing": "('a' * 10**6).replace('', 'b' * 10**6)",
    "join": "('a' * 10**6).join(['b'] * 10**6)",
    "zfill": "'a'.zfill(10**12)",
    "center": "'a'.center(10**12)",
    "tabs": "'\\t'.expandtabs(10**12)",
    "f-string width": "f'{1:1000000000000}'",
    "f-string width inside": "w = 10**12\nf'{1:{w}}'",
    "f-string precision": "f'{1.0:.1000000000f}'",
    "format width": "'{:>{}}'.format(1, 10**10)",
    "format function": "format(1, '1000000000d')",
    "percent width": "'%1000000000d' % 1",
    "zeros": "torch.zeros(10**12)",
    "zeros of two dims": "torch.zeros(10**6, 10**6)",
    "ones": "torch.ones((10**5, 10**5))",
    "full": "torch.full((10**5, 10**5), 1.)",
    "rand": "torch.rand(10**12)",
    "randint": "torch.randint(0, 5, (10**12,))",
    "randperm": "torch.randperm(10**12)",
    "eye": "torch.eye(10**6)",
    "arange": "torch.arange(10**12)",
    "arange by small steps": "torch.arange(0, 1, 1e-12)",
    "linspace": "torch.linspace(0, 1, 10**12)",
    "broadcast product": "torch.zeros(10**6, 1) * torch.zeros(1, 10**6)",
    "broadcast sum by name": "torch.add(torch.zeros(10**6, 1), torch.zeros(1, 10**6))",
    "broadcast sum by method": "torch.zeros(10**6, 1).add(torch.zeros(1, 10**6))",
    "broadcast in place": "x = torch.zeros(10**6, 1)\nx += torch.zeros(1, 10**6)",
    "broadcast comparison": "torch.zeros(10**6, 1) < torch.zeros(1, 10**6)",
    "broadcast of three": "torch.where(torch.zeros(10**6, 1) > 0, torch.zeros(1, 10**6), torch.zeros(1))",
    "a range beside an array": "np.ones(1) // range(10**9)",
    "broadcast with an array": "torch.zeros(10**6, 1) + np.zeros((1, 10**6))",
    "loss of shapes that broadcast": "F.mse_loss(torch.zeros(10**6, 1), torch.zeros(10**6))",
    "expand": "torch.zeros(1).expand(10**6, 10**6)",
    "expand as": "torch.zeros(10**6, 1).expand_as(torch.zeros(1, 10**6))",
    "matrix product": "torch.zeros(10**6, 1) @ torch.zeros(1, 10**6)",
    "matmul": "torch.matmul(torch.zeros(10**6, 1), torch.zeros(1, 10**6))",
    "mm": "torch.zeros(10**6, 1).mm(torch.zeros(1, 10**6))",
    "batches": "torch.zeros(10**6, 1, 1) @ torch.zeros(1, 1, 10**6)",
    "work": "torch.zeros(1).expand(7000, 7000) @ torch.zeros(1).expand(7000, 7000)",
    "stack": "torch.stack([torch.zeros(10**6)] * 100)",
    "cat": "torch.cat([torch.zeros(10**6)] * 100)",
    "meshgrid": "torch.meshgrid(torch.zeros(10**6), torch.zeros(10**6), indexing='ij')",
    "index": "i = torch.zeros(10**4, dtype=torch.long)\ntorch.zeros(10, 10)[i[:, None], i]",
    "index of rows": "torch.zeros(1, 10**6)[torch.zeros(10**4, dtype=torch.long)]",
    "convolution": "F.conv2d(torch.zeros(1, 1, 3000, 3000), torch.zeros(100, 1, 3, 3), padding=1)",
    "convolution that is padded": "F.conv1d(torch.zeros(1, 1, 3), torch.zeros(1, 1, 1), padding=10**9)",
    "convolution transposed": "F.conv_transpose2d(torch.zeros(1, 1, 100, 100), torch.zeros(1, 1, 3, 3), stride=1000)",
    "interpolation": "F.interpolate(torch.zeros(1, 1, 10, 10), scale_factor=10000)",
    "blocks": "torch.block_diag(*[torch.zeros(1, 1)] * 10_000)",
    "combinations": "torch.combinations(torch.zeros(1000), 6)",
    "rank-one update": "torch.addr(torch.zeros(1), torch.zeros(10**6), torch.zeros(10**6))",
    "repeat": "torch.zeros(10**6).repeat(1000)",
    "repeat interleave": "torch.zeros(10**6).repeat_interleave(1000)",
    "pad": "F.pad(torch.zeros(10), (10**9, 0))",
    "pad of an array": "np.pad(np.zeros(10), (0, 10**9))",
    "pad of a list": "np.pad([1.0], 10**9)",
    "one hot": "F.one_hot(torch.tensor([10**9]))",
    "embedding": "F.embedding(torch.zeros(10**6, dtype=torch.long), torch.zeros(1, 1000))",
    "diag": "torch.diag(torch.zeros(10**6))",
    "outer product": "torch.outer(torch.zeros(10**6), torch.zeros(10**6))",
    "jacobian": "torch.autograd.functional.jacobian(lambda x: x * x, torch.zeros(10**5))",
    "array product": "np.zeros((10**6, 1)) * np.zeros((1, 10**6))",
    "array comparison": "np.zeros((10**6, 1)) < np.zeros((1, 10**6))",
    "array of a view": "np.zeros(10**6)[:, None] + np.zeros(10**6)",
    "array matmul": "np.zeros((10**6, 1)) @ np.zeros((1, 10**6))",
    "array function": "np.maximum(np.zeros((10**6, 1)), np.zeros((1, 10**6)))",
    "array method": "np.zeros((10**6, 1)).dot(np.zeros((1, 10**6)))",
    "outer": "np.outer(np.zeros(10**6), np.zeros(10**6))",
    "array stack": "np.stack([np.zeros(10**6)] * 100)",
    "array meshgrid": "np.meshgrid(np.zeros(10**6), np.zeros(10**6))",
    "array zeros": "np.zeros(10**12)",
    "array arange": "np.arange(10**12)",
    "array linspace": "np.linspace(0, 1, 10**12)",
    "array eye": "np.eye(10**6)",
    "transform of two axes": "np.fft.fft2(np.ones((2, 2)), s=(10**6, 10**6))",
    "transform back, of any axes": "np.fft.irfftn(np.ones((2, 2)), (10**6, 10**6), (0, 1))",
    "array diag": "np.diag(np.zeros(10**6))",
    "array of a range": "np.array(range(10**12))",
    "array index": "i = np.zeros(10**4, dtype=int)\nnp.zeros((10, 10))[i[:, None], i]",
    "array random": "np.random.rand(10**6, 10**6)",
    "array normal": "np.random.normal(0, 1, 10**12)",
    "array choice": "np.random.choice(10**12, 5, False)",
    "array permutation": "np.random.permutation(10**12)",
}  # fmt: skip


@pytest.mark.parametrize("code", TOO_LARGE.values(), ids=TOO_LARGE.keys())
def test_what_would_be_too_large_is_refused_before_it_is_made(code: str) -> None:
    before = memory.used()

    error = ended(code, Limits())

    assert isinstance(error, LimitError)
    assert "memory" not in error.message, "it was tried"
    assert (error.line or 0) > 3
    assert error.column is not None
    assert error.hint
    assert memory.used() - before < 400_000_000


GROWING = {
    "list of texts": "l = []\nwhile True: l.append('a' * 10**6 + str(len(l)))",
    "dict": "d = {}\nwhile True: d[len(d)] = 'a' * 10**6 + str(len(d))",
    "set": "s = set()\nwhile True: s.add('a' * 10**6 + str(len(s)))",
    "list of tensors": "l = []\nwhile True: l.append(torch.ones(10**6))",
    "list of results": "l, x = [], torch.ones(10**7)\nwhile True: l.append(x + 1)",
    "comprehension of tensors": "[torch.ones(10**6) for i in range(10**6)]",
    "arrays": "l = []\nwhile True: l.append(np.ones(10**6))",
    "objects": "class A: pass\nl = []\nwhile True:\n    a = A()\n    a.x = [0] * 10**6\n    l.append(a)",
    "closures": "def f(n):\n    l = [n] * 10**6\n    return lambda: l\nk = []\nwhile True: k.append(f(1))",
}


@pytest.mark.parametrize("code", GROWING.values(), ids=GROWING.keys())
def test_growing_memory_is_ended(code: str) -> None:
    before = memory.used()

    error = ended(code, Limits(megabytes=200))

    assert isinstance(error, LimitError)
    assert error.message == "the script needs more than 200 MB of memory"
    assert error.line is not None
    assert memory.used() - before < 1_000_000_000


def test_growing_graph_is_ended_by_its_nodes() -> None:
    error = ended("y = x = torch.ones(1, requires_grad=True)\nwhile True: y = y * 2")

    assert error.message == "the graph has more than 2,000 nodes"
    assert (error.line, isinstance(error, LimitError)) == (5, True)


def test_growing_graph_is_ended_by_its_values() -> None:
    error = ended("y = x = torch.ones(10**6, requires_grad=True)\nwhile True: y = y * 2", Limits(megabytes=100))

    assert isinstance(error, LimitError)
    assert "more than 100 MB" in error.message


def test_values_made_before_the_limit_stay_in_the_recording() -> None:
    result = run("import torch\nx = torch.ones(1, requires_grad=True)\ny = x * 2\nwhile True: pass", limits=SMALL)

    assert [node.op for node in result.recording.nodes] == ["leaf", "constant", "mul"]
    assert result.recording.problem is not None
    assert result.recording.problem.line == 4


def test_text_of_50_megabytes_is_refused_at_once() -> None:
    error = run("x = 1\n" * 8_500_000).error

    assert isinstance(error, LimitError)
    assert "51,000,000 characters" in error.message


def test_output_is_cut_and_the_script_goes_on() -> None:
    result = run("for i in range(100): print('a' * 999)\nprint('end')\nx = 1", limits=Limits(output_characters=5_000))

    assert result.error is None
    assert result.recording.output.endswith("\n… output cut after 5,000 characters …\n")
    assert len(result.recording.output) < 5_100


def test_float_is_looked_for_in_a_long_range_without_going_through_it() -> None:
    result = run("print(5.0 in range(10**15), 5.5 in range(10**15), 10**14 in range(10**15))")

    assert result.recording.output == "True False True\n"


def test_huge_exponent_of_a_tensor_is_infinity() -> None:
    result = run("import torch\nprint(torch.tensor([2.]) ** 10**10)")

    assert result.recording.output == "tensor([inf])\n"


@pytest.mark.parametrize(
    "code",
    [
        "torch.searchsorted(torch.arange(10**5), torch.zeros(10**5, 1, dtype=torch.long))",
        "F.conv2d(torch.zeros(8, 3, 64, 64), torch.zeros(16, 3, 3, 3), padding='same')",
        "torch.zeros(10**6)[torch.zeros(10**6, dtype=torch.long)]",
        "torch.zeros(3, 10**6)[:, None] + torch.zeros(10**6)",
        "torch.zeros(1000, 1000) @ torch.zeros(1000, 1000)",
        "torch.cat([torch.zeros(10**6)] * 10)",
        "np.zeros((1000, 1000))[np.zeros((1000, 1000), dtype=bool)]",
        "torch.zeros(2000, 2000)[torch.zeros(2000, 2000) > 0]",
    ],
)
def test_what_only_looks_large_runs(code: str) -> None:
    assert run(HEAD + code, seed=0).error is None


class Stop:
    """Says that the user pressed Stop once it has been asked so often, and counts how often it is asked after."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.asked = 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked > self.at


CHAIN = "import torch\nx = torch.ones(1, requires_grad=True)\ny = x\nfor i in range(20_000):\n    y = y * 1.5\n"


def times_asked(text: str) -> int:
    stop = Stop(10**9)
    run(text, seed=0, cancelled=stop)
    return stop.asked


def test_stop_is_heard_while_a_large_graph_is_put_into_the_recording() -> None:
    stop = Stop(times_asked(CHAIN) - 2)

    result = run(CHAIN + "print(1)", seed=0, cancelled=stop)

    assert isinstance(result.error, Cancelled)
    assert (result.recording.nodes, result.recording.output) == ((), "1\n")


AROUND = """
import numpy as np
class Neuron: pass
neuron = Neuron()
layers = np.array([neuron, None], dtype=object)
"""


def test_a_run_that_is_let_go_takes_its_machine_with_it() -> None:
    done = run(AROUND)
    assert done.error is None
    machine = weakref.ref(done.machine)

    del done
    gc.collect()

    assert machine() is None


def test_a_generator_left_open_ends_without_a_word_when_its_run_is_let_go() -> None:
    text = """
def numbers():
    try:
        for i in range(3): yield i
    except (ValueError, KeyError) as e: print(e)
class Holder:
    def __init__(self):
        self.numbers, self.circle = numbers(), self
        next(self.numbers)
held = Holder()
"""

    assert run(text, seed=0).error is None
    gc.collect()  # what it raised would be a warning, which is an error here
