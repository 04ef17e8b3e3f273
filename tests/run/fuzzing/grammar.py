"""Sources made from a small grammar of expressions and statements, and the words that mutations put in."""

from __future__ import annotations

from random import Random

from tests.run import attacks

ATOMS = (
    "x", "y", "m", "i", "arr", "f", "a", "net", "1", "0", "-2", "2.5", "None", "True", "'ab'", "[1, 2]", "(1,)", "{}", "...",
    "torch", "np", "nn", "print", "int", "float", "slice(1)", "range(3)", "torch.float64", "x.shape", "y.grad_fn", "object",
    "''", "b'a'", "1j", "10**9", "-1", "1e308", "float('nan')", "float('inf')", "A", "e", "h", "opt", "t0", "many", "empty",
    "Twice", "gen", "torch.int64", "torch.bool", "lambda *a, **k: a", "super", "type", "Exception", "NotImplemented", "{1: 2}", "{1}",
    "whole", "torch.int32", "objs", "file", "buffer", "saved", "loader", "rows", "rows[0]", "bn", "rnn", "emb", "state", "schedule",
    "Color", "Color.RED", "point", "Point", "counts", "normal", "rng", "np.float32(1.5)", "np.int64(2)", "np.float16", "1 + 2j",
    "square", "torch.func.grad(square)", "torch.vmap(square)", "x > 1", "m.T", "m[:, 1]", "many[..., 0]", "torch.device('cpu')",
    "iter(loader)", "np.nan", "np.arange(6).reshape(2, 3)", "np.array('ab')", "np.array([True, False])", "open", "json", "io",
    "torch.finfo(torch.float32)", "torch.Size([2])", "net.parameters()", "net.state_dict()", "dict(net.named_parameters())",
    "KeyboardInterrupt", "SystemExit", "BaseException()", "GeneratorExit", "StopIteration", "RecursionError", "types", "inspect", "vars", "getattr",
    "type(x)", "sys", "os", "gc", "traceback", "contextlib", "functools", "collections", "typing", "enum", "dataclasses", "abc", "string", "operator",
    "objects", "Claims", "Equal()", "Sub('__globals__')", "parser", "log", "bar", "stack", "single", "cached", "managed", "old", "co()", "memo", "plt.plot", "errors", "figure", "axes", "sys.stdout", "print", "typing.Type", "typing.Generic", "typing.Callable", "inspect.signature(f)", "NAME", "pprint.pprint", "np.sort", "np.random.set_state", "parser.parse_args", "g", "logging",
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
    "next({})", "{}.__class__({})", "type('B', ({},), {{}})", "vars({})", "setattr({}, 'v', {})", "hasattr({}, {})", "{}.v",
    "torch.autograd.grad([{}], [{}], create_graph=True)", "torch.autograd.functional.jacobian({}, {})", "torch.func.grad({})({})",
    "Twice.apply({})", "F.cross_entropy({}, {})", "F.mse_loss({}, {})", "{}.gather(0, {})", "{}.index_select(0, {})", "copy.deepcopy({})", "copy.deepcopy({}, memo)", "copy.copy({})", "list(memo.values())[{}]", "{}.__wrapped__({})", "{}.args[0]({})", "{}.func({})",
    "{}.scatter_(0, {}, 1.)", "torch.einsum({}, {})", "torch.split({}, {})", "{}.unbind({})", "np.zeros({})", "np.linspace({}, {})",
    "{}.astype({})", "'{{:{{}}}}'.format({}, {})", "format({}, {})", "{}.join({})", "{}.split({})", "bytes({})", "bool({})", "complex({})",
    "range({})", "slice({}, {})", "[*{}, {}]", "{{**{}, 'k': {}}}", "print({}, end={})", "any({})", "all({})", "min({}, {})",
    "torch.Tensor({})", "torch.empty({}).shape", "torch.Size({})", "{}.type({})", "{}.repeat({})", "{}.flip({})", "{}.norm({})",
    "open({}, 'w').write({})", "open({}).read({})", "open('a', 'w').writelines({})", "io.StringIO({}).read({})", "io.BytesIO({})",
    "objects[{}]", "Old({})", "Claims('K', ({},), {{}})", "Sub({})", "Equal() == {}", "operator.methodcaller({}, {})(a)", "torch.save({}, {})", "torch.load({})", "file.write({})",
    "np.save({}, {})", "np.load({})", "np.savetxt({}, {})", "json.dumps({})", "json.loads({})", "buffer.seek({})", "buffer.write({})",
    "np.array([{}, {}], dtype=object)", "(objs + {})", "(objs @ {})", "(objs == {})", "objs[{}]", "np.vectorize({})({})",
    "np.frompyfunc({}, 1, 1)({})", "np.sum(objs * {}, axis={})", "{}.int()", "{}.double()", "{}.to(torch.float64)", "(whole * {})",
    "torch.full((2,), {}, dtype=torch.float64)", "getattr({}, {})", "operator.attrgetter({})(x)", "torch.vmap({})({})", "torch.vmap({}, in_dims={})(m, x)", "torch.vmap({}, out_dims={})(m)",
    "torch.func.vjp({}, {})", "torch.func.jvp({}, (x,), ({},))", "torch.func.jacrev({})({})", "torch.func.jacfwd({})({})",
    "torch.func.hessian({})({})", "torch.func.functional_call(net, {}, {})", "torch.func.stack_module_state([{}, {}])",
    "torch.func.grad_and_value({})({})", "torch.func.grad({}, argnums={})(x, y)", "torch.func.vmap({}, chunk_size={})(m)",
    "next(iter(torch.utils.data.DataLoader({}, batch_size={})))", "list(torch.utils.data.DataLoader(rows, collate_fn={}))",
    "torch.utils.data.TensorDataset({}, {})", "torch.utils.data.random_split({}, {})", "torch.utils.data.Subset({}, {})",
    "net.register_forward_hook({})", "net.register_forward_pre_hook({})", "net.register_full_backward_hook({})", "{}.remove()",
    "{}.register_post_accumulate_grad_hook({})", "y.grad_fn.register_hook({})", "y.grad_fn.register_prehook({})", "{}.next_functions",
    "torch.utils.checkpoint.checkpoint({}, {})", "torch.autograd.functional.hvp({}, {})", "torch.autograd.functional.vjp({}, x, {})",
    "torch.autograd.gradcheck({}, {})", "torch.autograd.forward_ad.make_dual(x, {})", "torch.nn.utils.parameters_to_vector({})",
    "nn.utils.clip_grad_norm_({}, {})", "nn.LSTM(2, {})({})", "nn.MultiheadAttention(4, {})({}, m, m)", "nn.BatchNorm1d({})({})",
    "nn.Embedding({}, 2)({})", "nn.ModuleList({})", "nn.ModuleDict({})", "nn.ParameterList({})", "nn.LayerNorm({})({})", "bn({})", "rnn({})",
    "emb({})", "net({})", "net[{}]", "net.apply({})", "net.to({})", "net.add_module({}, {})", "net.register_buffer({}, {})", "net.get_submodule({})",
    "opt.step({})", "opt.load_state_dict({})", "opt.add_param_group({})", "torch.optim.Adam({}, lr={})", "torch.optim.LBFGS({})",
    "torch.optim.lr_scheduler.StepLR({}, {})", "torch.optim.lr_scheduler.LambdaLR(opt, {})", "schedule.step({})", "nn.init.normal_({}, {})",
    "torch.distributions.Normal({}, {})", "normal.log_prob({})", "normal.sample({})", "torch.linalg.solve({}, {})", "torch.linalg.norm({}, {})",
    "torch.nn.functional.conv1d({}, {})", "F.pad({}, {})", "F.interpolate({}, {})", "F.one_hot({}, {})", "F.softmax({}, dim={})", "F.dropout({}, {})",
    "{}.index_put_(({},), x)", "{}.masked_select({})", "{}.scatter_add_(0, i, {})", "torch.bincount({})", "torch.unique({})", "torch.meshgrid({}, {})",
    "torch.nonzero({})", "torch.tensordot({}, {})", "torch.cumsum({}, {})", "torch.histc({}, {})", "torch.quantile({}, {})", "torch.allclose({}, {})",
    "np.random.default_rng({})", "rng.normal({}, {})", "np.random.randn({})", "np.random.choice({}, {})", "np.r_[{}, {}]", "np.c_[{}]", "np.mgrid[{}]",
    "np.mgrid[0:{}, 0:2]", "list(np.nditer({}))", "np.linalg.norm({}, {})", "np.einsum('ij,j->i', {}, {})", "np.apply_along_axis({}, 0, {})",
    "np.concatenate([{}, {}])", "np.reshape({}, {})", "np.argsort({})", "np.exp({})", "np.array({}, dtype={})", "np.random.seed({})", "np.ix_({})",
    "np.piecewise({}, [{}], [1])", "np.pad({}, {})", "np.array2string({})", "torch.from_numpy({})", "np.add.at(arr, {}, {})", "np.add.reduce({})",
    "Color({})", "Color[{}]", "dataclasses.replace(point, x={})", "Point({}, {})", "collections.Counter({})", "counts[{}]", "counts.update({})",
    "collections.deque({}, {})", "collections.namedtuple({}, {})", "functools.partial({}, {})", "functools.lru_cache({})", "functools.wraps({})({})",
    "re.sub({}, {}, 'ab')", "re.findall({}, {})", "random.choice({})", "random.sample({}, {})", "statistics.mean({})", "decimal.Decimal({})",
    "fractions.Fraction({})", "operator.itemgetter({})({})", "itertools.product({}, {})", "textwrap.wrap({}, {})", "time.strftime({})",
    "datetime.timedelta({})", "pathlib.Path({})", "pprint.pformat({})", "enum.Enum({}, {})", "abc.ABCMeta({}, ({},), {{}})", "types.SimpleNamespace(a={})",
    "typing.cast({}, {})", "string.Template({}).substitute({})", "inspect.signature({})", "contextlib.suppress({})", "warnings.warn({})", "plt.plot({}, {})",
    "heapq.nsmallest(2, {})", "bisect.bisect({}, {})", "single.register({})", "stack.enter_context({})", "parser.parse_args({})", "bar.set_postfix({})", "logging.getLogger({})", "tqdm({})", "super(A, {})",
    "{}.std({})", "{}.sort({})", "{}.topk({})", "{}.view_as({})", "{}.masked_fill({}, 0)", "{}.apply({})", "net.load_state_dict({})",
    "nn.init.uniform_({})", "nn.Conv2d({}, 1, 1)", "nn.ReLU({})", "torch.utils.data.DataLoader({})", "(yield {})", "(await {})",
)  # fmt: skip
STATEMENTS = (
    "q = {}", "q += {}", "x = {}", "x += {}", "x[{}] = {}", "x.data = {}", "x.grad = {}", "a.v = {}", "a[{}] = {}", "arr[{}] = {}",
    "print({})", "for v in {}: print(v)", "if {}: print({})", "with {}: pass", "a, b = {}", "a, *b = {}", "del q[{}]", "del {}",
    "assert {}", "raise {}", "while {}: break", "q: int = {}", "def g(v={}): return {}", "class B({}): v = {}", "@{}\ndef h(): pass",
    "try: {}\nexcept {}: pass", "x.requires_grad = {}", "m *= {}", "m -= {}", "global w; w = {}", "{}", "return {}",
    "def g():\n    yield {}\nfor v in g(): print({})", "with torch.no_grad():\n    x -= {}", "class B(nn.Module):\n    def forward(self, v): return {}\nB()({})",
    "class C:\n    def __getattr__(self, n): return {}\nprint(C().v + {})", "try: raise {}\nfinally: print({})", "raise {} from {}",
    "match {}:\n    case {}: pass\n    case _: print(1)", "lambda: {}", "import {}", "from {} import *", "copy.deepcopy({}, memo)\nfor v in list(memo.values()): print(v)\nmemo.clear()",  "f.v = {}", "A.__eq__ = {}",
    "with torch.autograd.detect_anomaly():\n    {}.backward({})", "x.register_hook({})\nx.sum().backward({})", "async def g(): return {}",
    "class D(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, v): return {}\n    @staticmethod\n    def backward(ctx, g): return {}\nD.apply(x).sum().backward()",
    "with open({}, 'w') as out:\n    out.write({})", "for v in open({}): print(v)", "with torch.autocast('cpu', dtype={}):\n    print(m @ {})",
    "with torch.autograd.graph.saved_tensors_hooks({}, {}):\n    (x * x).sum().backward()", "with io.StringIO() as out, contextlib.redirect_stdout(out): print({})",
    "for batch in loader:\n    opt.zero_grad()\n    net(batch[0]).sum().backward({})\n    opt.step({})", "net.weight = {}", "net[0].weight = {}", "net[0] = {}",
    "def loss(p, v): return torch.func.functional_call(net, p, (v,)).sum() * {}\nprint(torch.func.grad(loss)(dict(net.named_parameters()), m))",
    "class D(torch.utils.data.Dataset):\n    def __len__(self): return {}\n    def __getitem__(self, k): return {}\nprint(next(iter(torch.utils.data.DataLoader(D()))))",
    "class V:\n    __array_priority__ = 1\n    def __add__(self, o): return {}\n    __radd__ = __mul__ = __add__\nprint(arr + V(), np.array([V(), V()]).sum() * {})",
    "class C(enum.Enum):\n    A = {}\n    B = {}", "class C(enum.Flag):\n    A = {}\nprint(list(C), C({}))", "@dataclasses.dataclass\nclass P:\n    v: int = {}\nprint(P({}))",
    "class L(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.p = {}\n    def forward(self, v): return v * {}\nprint(L(), list(L().named_parameters()))",
    "with warnings.catch_warnings(): warnings.simplefilter({}); warnings.warn({})", "arr.flat[{}] = {}", "objs[{}] = {}", "x.grad[{}] = {}", "np.set_printoptions(precision={}, formatter={})",
    "torch.set_printoptions({})", "torch.set_default_dtype({})", "with np.errstate(all={}): print(arr / {})", "net.load_state_dict({{**net.state_dict(), '0.weight': {}}})",
    "from {} import {}", "x.v = {}", "type({}).v = 1", "torch.Tensor.twice = {}\nprint(x.twice())", "class T(torch.Tensor):\n    def f(self): return {}\nprint(T([1.]).f())",
    "class E({}, metaclass={}): pass", "for x[0] in {}: pass", "a = b = c = {}", "exec({})", "nonlocal {}",
    "for n in dir({0}): getattr({0}, n, None)", "v = {}\nfor n in random.sample(dir(v), 3):\n    w = getattr(v, n, None)\n    for k in dir(w): getattr(w, k, None)",
    "for v in vars({}).values(): print(v)", "K = {}\nprint(K('K', (), {{NAME: 3}}))", "class M({}): pass\nprint(M('K', (), {{NAME: 3}}))", "setattr({}, NAME, {})",
    "vars({}).update({{NAME: {}}})", "{}.__dict__[NAME] = {}", "q = {}\nq[NAME] = {}", "class S({}): pass\nprint(S({}))", "(a.v, x[0]) = {}",
)  # fmt: skip
WORDS = (
    "x y 0 1 -1 2.5 1e30 None True [] () {} '' 'a' , . : ( ) [ ] { } = == + - * / // % ** @ < > & | ^ ~ not in is and or "
    "if else for while def class return yield lambda try except finally with as raise assert del global import from pass "
    "break continue print len range sum float int str list dict set tuple type isinstance getattr super zip map max min "
    "torch.tensor torch.ones torch.zeros torch.rand torch.arange torch.stack torch.cat torch.where torch.no_grad() nn "
    "nn.Linear(2,2) np np.array np.zeros .backward() .sum() .grad .data .T .shape .dtype .view(-1) .item() .detach() "
    ".requires_grad_() .clone() .numpy() .reshape(2,2) .expand(2,2) .retain_grad() .zero_() .add_(1) requires_grad=True "
    "dtype=torch.int64 dim=0 keepdim=True self __init__ f'{x:.2f}' \n \n    0x10 1_000 *args **kw := ; @property nonlocal "
    "eval exec open __import__ compile globals() locals() vars() __builtins__ input breakpoint exit quit async await match"
).split(" ")  # fmt: skip
DOORS = """
__class__ __bases__ __base__ __mro__ __subclasses__ __globals__ __code__ __closure__ __func__ __self__ __wrapped__
__builtins__ __loader__ __spec__ __dict__ __init__ __module__ __getattribute__ __reduce__ __reduce_ex__ __new__ __del__
__class_getitem__ __init_subclass__ __subclasshook__ __sizeof__ __traceback__ __context__ __cause__ __defaults__
__kwdefaults__ __annotations__ __weakref__ __slots__ gi_frame gi_code f_globals f_back tb_frame cr_frame run machine
tape extra op inputs special mro python body params function receiver members base ctypes tofile dump dumps
__array_interface__ __array_struct__ __array__ setflags flags with_traceback add_note encode format_map __format__
__call__ __get__ __set__ __set_name__ __enter__ __exit__ __iter__ __next__ __len__ __getitem__ __setitem__ __add__
__radd__ __eq__ __hash__ __bool__ __repr__ __str__ __name__ __qualname__ __doc__ __dir__ __setattr__ __delattr__ __missing__
__instancecheck__ __prepare__ __abstractmethods__ __match_args__ __torch_function__ __array_function__ __array_ufunc__
""".split()
SETUP = (
    attacks.SETUP
    + """
import torch, math, itertools, functools, collections, copy, sys, os
import numpy as np
import torch.nn as nn
import torch.nn.functional as F
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * x).sum()
m = torch.arange(4.).reshape(2, 2)
i = torch.tensor([0, 1])
t0 = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
many = torch.linspace(-1, 1, 24).view(2, 3, 4)
empty = torch.ones(0, 3)
arr = np.array([[1., 2.], [3., 4.]])
def f(v, k=1): return v
class A:
    def __getitem__(self, k): return k
a = A()
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
h = x.register_hook(lambda g: g)
try: 1 / 0
except ZeroDivisionError as error: e = error
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return v * 2
    @staticmethod
    def backward(ctx, g): return g * 2
gen = (v for v in [1, 2])
import io, json, re, random, statistics, decimal, fractions, operator, time, datetime, pathlib, enum, dataclasses
import abc, types, typing, string, inspect, contextlib, warnings, heapq, bisect, logging, textwrap, pprint
import matplotlib.pyplot as plt
from tqdm import tqdm
whole = torch.tensor([1, 2, 3], dtype=torch.int32)
objs = np.array([a, 2, None], dtype=object)
file = io.StringIO('1 2')
buffer = io.BytesIO()
saved = json.dumps({'w': [1.0, 2.0]})
rows = torch.utils.data.TensorDataset(m, i)
loader = torch.utils.data.DataLoader(rows, batch_size=2)
bn, rnn, emb = nn.BatchNorm1d(2), nn.LSTM(2, 3), nn.Embedding(4, 2)
state = net.state_dict()
schedule = torch.optim.lr_scheduler.StepLR(opt, 2)
class Color(enum.Enum):
    RED = 1
    BLUE = 2
@dataclasses.dataclass
class Point:
    x: float = 0.0
    y: list = dataclasses.field(default_factory=list)
point = Point(1.0)
counts = collections.Counter('abca')
normal = torch.distributions.Normal(torch.zeros(2), 1.0)
rng = np.random.default_rng(0)
def square(v): return (v * v).sum()
memo = {}
NAME = "__array_" + "interface__"
import sys, tqdm as progress
errors = logging.getLogger('b')
figure, axes = plt.subplots(1, 2)
"""
)
MAGICS = (
    "%matplotlib inline", "%time {}", "%timeit -n 1 {}", "!pip install torch", "%%time", "%%capture out", "%%bash", "?{}", "{}?", "%load_ext autoreload",
    "out = !ls {}", "%", "!", "%%", "  %precision 3", "%run {}", "%env A={}", "%%writefile a.py", "%cd ..", "%pip install {}", "%time x = {}", "!{}",
)  # fmt: skip


def expression(random: Random, depth: int = 3) -> str:
    """An expression over the names of SETUP."""
    if depth == 0 or random.random() < 0.3:
        return random.choice(ATOMS)
    return random.choice(FORMS).format(expression(random, depth - 1), expression(random, depth - 1))


def statement(random: Random) -> str:
    """A statement, or a few."""
    return random.choice(STATEMENTS).format(expression(random), expression(random))


def guarded(line: str) -> str:
    """The statement with its errors caught, so that the next one runs."""
    indented = line.replace("\n", "\n    ")
    return f"try:\n    {indented}\nexcept Exception as e: print(e)"


def script(random: Random) -> str:
    """One to four statements."""
    lines = [statement(random) for _ in range(random.choice((1, 1, 2, 4)))]
    return "\n".join(guarded(line) if random.random() < 0.5 else line for line in lines)
