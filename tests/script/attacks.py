"""A script with a value of every kind in it, and attempts to get from there to what is under it."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.run import run

SETUP = """
import torch, math, random, itertools, functools, os, sys, warnings, time, collections
import abc, argparse, bisect, contextlib, copy, dataclasses, datetime, enum, gc, heapq, io, json, logging, numbers
import decimal, fractions, inspect, pickle
import operator, pathlib, platform, pprint, re, statistics, string, textwrap, timeit, tqdm, traceback, types, typing
import numpy as np
import torch.nn as nn
import matplotlib.pyplot as plt
def f(a=1): return a
class A:
    n = 1
    def m(self): return self
    @property
    def p(self): return 2
    @staticmethod
    def s(): return 3
    @classmethod
    def c(cls): return cls
a = A()
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * x).sum()
net = nn.Linear(2, 1)
arr = np.array([1., 2.])
g = (i for i in [1])
handle = x.register_hook(lambda g: g)
sized = x.shape
opt = torch.optim.SGD([x], lr=0.1)
class Up(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        global kept
        kept = ctx
        return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
z = Up.apply(x)
try:
    1 / 0
except ZeroDivisionError as error:
    e = error
Point = collections.namedtuple("Point", "x y")
point = Point(1, 2)
class Colour(enum.Enum): RED = 1
@dataclasses.dataclass
class Data: n: int = 1
data = Data()
@functools.lru_cache
def cached(n): return n
@functools.singledispatch
def single(n): return n
@contextlib.contextmanager
def managed(): yield 1
class Old(dict): pass
old = Old(a=1)
parser = argparse.ArgumentParser()
parser.add_argument("--n", default=1)
buffer = io.StringIO("a")
log = logging.getLogger("a")
bar = tqdm.tqdm([1])
state = random.getstate()
stack = contextlib.ExitStack()
"""


def problem(source: str) -> Any:
    result = run(source, seed=0)
    return result.error


ATTACKS = {
    "format field of a function": "'{0.__globals__}'.format(f)",
    "format item": "'{a.__init__.__globals__[sys]}'.format(a=a)",
    "f-string with repr": "f'{f.__code__!r}'",
    "percent": "'%s' % f.__globals__",
    "module inside re": "__import__ and re._parser",
    "a match's class": "re.match('a', 'a').__init__.__globals__",
    "a pattern's method": "re.compile('a').scanner('a')",
    "a replacement that looks back": "re.sub('a', lambda m: m.re.__reduce__(), 'a')",
    "getattr of a native": "getattr(print, 'run')",
    "getattr joined": "getattr(f, '__glo' + 'bals__')",
    "setattr on a native": "setattr(print, 'run', f)",
    "setattr on a function": "setattr(f, '__code__', 1)",
    "setattr on torch's class": "setattr(nn.Linear, '__init__', f)",
    "type's subclasses": "type(1).__subclasses__()[0]",
    "class from a builtin": "type(g)()",
    "eval": "eval('1')",
    "exec": "exec('1')",
    "compile": "compile('1', '', 'eval')",
    "open": "open('x')",
    "import": "__import__('os')",
    "builtins": "__builtins__",
    "loader": "__loader__",
    "sorted by getattr": "sorted([f], key=lambda v: getattr(v, '__globals__'))",
    "partial of getattr": "functools.partial(getattr, f)('__code__')",
    "super's dict": "super(A, a).__dict__",
    "objects as numbers": "np.array([f]).view('i8')",
    "numbers as objects": "np.array([1]).view(object)",
    "numbers as records of objects": "np.array([1]).view([('a', 'O')])",
    "records as objects": "np.zeros(1, [('a', 'i8')]).view(object)",
    "objects from bytes": "np.frombuffer(b'12345678', dtype=object)",
    "the memory of objects": "np.array([f]).tobytes()",
    "objects by other strides": "np.lib.stride_tricks.as_strided(np.array([f, f]), (2,), (4,))",
    "powers without end among objects": "np.array([10], dtype=object) ** 10**9",
    "powers without end by a function": "np.power(np.array([10], dtype=object), 10**9)",
    "shifts without end among objects": "np.left_shift(np.array([1], dtype=object), 10**9)",
    "products without end among objects": "np.prod(np.array([10**300000] * 10, dtype=object))",
    "products of matrices without end": "(lambda a: np.dot(a, a))(np.array([[10**1000]], dtype=object))",
    "texts without end among objects": "np.array(['a' * 10**6] * 10**4, dtype=object).sum()",
    "texts of one length": "np.array(['a' * 10**6] * 10**4, dtype=object).astype(str)",
    "texts of one length by a name": "np.array(['a' * 10**6] * 10**4, dtype=object).astype('U')",
    "an attribute by numpy's methods": "np.exp(f)",
    "a record with an object": "np.zeros(1, dtype=[('a', 'O')])",
    "a record with an object inside": "np.zeros(1, dtype=[('a', [('b', 'O')])])",
    "a large record": "np.full(1, 0, dtype=[('a', 'f8', (10**9,))])",
    "a record without names": "np.zeros(1, dtype='V100000')",
    "a large text": "np.zeros(3, dtype='U100000000')",
    "a large record by a text": "np.zeros(3, dtype='(100000000,)f8')",
    "many dates": "np.arange('2000', '2020', dtype='datetime64[us]')",
    "many dates by values": "np.arange(np.datetime64('2000-01-01T00:00:00'), np.datetime64('2020-01-01T00:00:00'))",
    "many dates by a number": "np.arange(np.datetime64('2000'), 10**12)",
    "a table from a file": "np.loadtxt('/etc/hostname')",
    "a table from a path": "np.genfromtxt(pathlib.Path('/etc/hostname'))",
    "a table with converters": "np.loadtxt(['1'], converters=f)",
    "an array from the memory of a file": "np.load('/etc/hostname', allow_pickle=True)",
    "repeated texts": "np.char.multiply(['a'], 10**9)",
    "an array of long texts": "np.array(['a' * 10**6])",
    "texts that take much memory": "np.array(['a' * 1000] * 10**5)",
    "an array like another": "np.array([1], like=f)",
    "numpy's files": "np.load('x')",
    "numpy's library": "np.lib.npyio",
    "memory beside an array": "np.lib.stride_tricks.as_strided(arr, (1000,), (8,))",
    "memory before an array": "np.lib.stride_tricks.as_strided(arr, (3,), (-8,))",
    "many windows": "np.lib.stride_tricks.sliding_window_view(np.zeros(10**6), 10**5) + 1",
    "a view as objects": "arr.view('O')",
    "a view as texts": "arr.view('U2')",
    "a product of vectors": "np.linalg.multi_dot([np.ones((10**5, 1)), np.ones((1, 10**5))])",
    "a large unit array by name": "np.eye(N=10**6)",
    "a large complex range": "np.arange(0, 1e12 + 1e12j)",
    "many digits": "np.set_printoptions(precision=10**9, floatmode='fixed')",
    "many blanks": "np.format_float_positional(1.0, pad_left=10**9)",
    "numpy's ctypes": "np.ctypeslib",
    "a tensor of objects": "torch.tensor([f])",
    "torch's files": "torch.load('x')",
    "torch's hub": "torch.hub.load('a', 'b')",
    "array with a script's object": "arr + a",
    "array compared with functions": "arr * [f, f]",
    "the environment": "os.environ['HOME']",
    "a module among the modules": "sys.modules['os']",
    "a frame": "sys._getframe()",
    "the builtins of a frame": "inspect.currentframe().f_builtins",
    "the variables of our own of a frame": "inspect.currentframe().frame",
    "the code of a frame": "inspect.currentframe().f_code.co_consts",
    "what called the script": "inspect.currentframe().f_back.f_back",
    "memoryview": "memoryview(arr)",
    "breakpoint": "breakpoint()",
    "input": "input()",
    "a traceback's frame": "e.__traceback__.tb_frame",
    "a cause's frame": "e.__cause__.gi_frame",
    "the frame of a generator": "g.gi_frame.f_globals",
    "throwing what is no exception": "(lambda: (yield))().throw(print)",
    "a builtin by a class": "int.__subclasses__()[0]",
    "the code of a special method": "[].__len__.__func__.__code__",
    "a special method's function": "int.__add__.run",
    "the machine of a dict of the script": "type('D', (dict,), {})().machine",
    "the carrier's own class": "type('D', (dict,), {})().__class__.python",
    "the real class of a dict of the script": "type('D', (dict,), {})().__reduce_ex__(2)",
    "a large product of a derived int": "type('N', (int,), {})(10) ** 10**9",
    "a large text of a derived str": "type('S', (str,), {})('a') * 10**12",
    "a format of a derived str": "type('S', (str,), {})('{0.__globals__}').format(f)",
    "a large shift by a special method": "(1).__lshift__(10**12)",
    "a large power by a special method": "int.__pow__(10, 10**9)",
    "a large text by a special method": "'a'.__mul__(10**12)",
    "a width by %*d": "'%*d' % (10**9, 1)",
    "encoding by a module": "'a'.encode('idna')",
    "decoding by a module": "b'a'.decode('zlib')",
    "a large bytes": "bytes(10**12)",
    "a union of what is no type": "isinstance(1, int | print)",
    "globals by another name": "(lambda g: g())(globals)",
    "locals in a map": "list(map(locals, []) or [locals for _ in '1'])[0]()",
    "a field of a dataclass by its class": "data.__dataclass_fields__['n'].__class__.python",
    "the class of a field's default": "dataclasses.field(default=f).default.__globals__",
    "the machine by a named tuple": "point._asdict.run",
    "a named tuple of a keyword": "collections.namedtuple('P', 'def')",
    "a named tuple of code": "collections.namedtuple('P', ['x', 'y): import os'])",
    "a named tuple's source": "Point._source",
    "a wrapped function's code": "functools.wraps(f)(lambda: 1).__wrapped__.__code__",
    "a wrapper that takes over globals": "functools.wraps(print)(f).__globals__",
    "a cache's dict": "cached.cache_parameters",
    "what a partial calls": "functools.partial(print).func.run",
    "the object behind a key": "functools.cmp_to_key(f)(1).obj",
    "a method of a real object": "operator.methodcaller('__reduce__')(point)",
    "an attribute path": "operator.attrgetter('__class__.__init__.__globals__')(A)",
    "a getter of the machine": "operator.attrgetter('machine')(a)",
    "a frame by the library": "sys.exc_info()[2].tb_frame",
    "a frame by a trace": "traceback.extract_stack()",
    "the source of a log record": "log.handlers.append.run",
    "a log format of an attribute": "logging.basicConfig(format='{0.__class__}', style='{') or log.__globals__",
    "a large width in a log": "logging.basicConfig(format='%(message)100000000s') or logging.error('a')",
    "a large indent": "json.dumps([1], indent=10**9)",
    "another class for json": "json.loads('1', cls=f)",
    "an encoder of json": "json.JSONEncoder().c_make_encoder",
    "a large text in memory": "[buffer.write('a' * 10**6) for _ in range(10**6)]",
    "a gap in a text": "buffer.seek(10**12) == 0 or buffer.nothing",
    "a real file": "io.open('x')",
    "a path that is read": "pathlib.Path('/etc/passwd').read_text()",
    "a path that is opened": "pathlib.Path('/etc/hostname').open()",
    "a file that is read": "open('/etc/hostname').read()",
    "a file by its number": "open(0)",
    "a file opened by a function": "open('/etc/hostname', opener=f)",
    "bytes that are no value of the run": "__import__('pickle')",
    "a pickle from elsewhere": "pickle.loads(b'cos\\nsystem\\n(S\\'ls\\'\\ntR.')",
    "a long file": "open('x', 'w').write('a' * 10**7 + 'a')",
    "a real folder": "list(pathlib.Path('/etc').iterdir())",
    "the home folder": "pathlib.Path.home()",
    "a large repeat of a wrap": "textwrap.indent('a\\n' * 10**6, 'b' * 10**6)",
    "a large fill": "textwrap.fill('a', 10**12)",
    "lines without room": "textwrap.fill(' some words', 1, initial_indent='* ', subsequent_indent='  ')",
    "a width that is no number": "textwrap.wrap('some words', float('nan'))",
    "a short text without room": "textwrap.shorten('some words', float('nan'))",
    "a large number of bits": "random.getrandbits(10**12)",
    "a seed that is an object": "random.seed(a)",
    "a state that is no state": "random.setstate((3, (1,), None))",
    "the state's numbers": "state.kept",
    "a real generator": "random.Random(1)._os",
    "a system's random": "random.SystemRandom()",
    "real threads": "logging.threading",
    "the collector's objects": "gc.get_objects()",
    "a large date format": "datetime.datetime.now().strftime('%Y' * 10**6)",
    "a code type": "types.CodeType",
    "a module type": "types.ModuleType('m')",
    "a function of other code": "types.FunctionType(f.__code__, {})",
    "a method of ours bound": "types.MethodType(print, a)",
    "an enum's class": "Colour.RED.__class__.make",
    "a context's generator": "managed().gen",
    "a context's frame": "managed().enter.__globals__",
    "a call of the stack": "stack.enter.__self__",
    "the parser's types": "parser.register",
    "timing a text": "timeit.timeit('import os')",
    "statistics of functions": "statistics.mean([f])",
    "typing's evaluation": "typing.get_type_hints(f).__globals__",
    "an annotation that is evaluated": "typing.ForwardRef('print(1)')._evaluate({}, {})",
    "a path that doubles": "functools.reduce(lambda p, _: p / p, range(99), pathlib.Path('a'))",
    "a deque repeated": "collections.deque([0]) * 10**12",
    "bytes that double": "functools.reduce(lambda b, _: b + b, range(99), b'a')",
    "a deque that doubles": "functools.reduce(lambda b, _: b + b, range(99), collections.deque('a'))",
    "bytes with a width": "b'%1000000000000d' % 1",
    "bytes with a width by their method": "b'%1000000000000d'.__mod__(1)",
    "a number of many bytes": "(1).to_bytes(10**12, 'big')",
    "a text that grows by its table": "('a' * 10**6).translate({97: 'b' * 10**6})",
    "a search through a long range": "range(10**12).__contains__(0.5)",
    "quantiles without end": "statistics.quantiles([1, 2], n=10**12)",
    "a format of a date that backtracks": "datetime.datetime.strptime('1' * 90, '%d' * 90)",
    "an indent of a wrap": "textwrap.fill('a b ' * 10**5, 2, initial_indent='x' * 10**9 if 0 else 'x' * 10**6)",
    "an array of any shape": "np.resize(arr, (10**6, 10**6))",
    "an array of powers": "np.vander(np.ones(10**5), 10**6)",
    "a fit of a high degree": "np.polyfit(np.ones(10**5), np.ones(10**5), 10**5)",
    "a count of a large number": "np.bincount(np.array([10**12]))",
    "a histogram of many bins": "np.histogram(arr, 10**12)",
    "many quantiles": "np.quantile(np.ones(10**6), np.ones(10**6))",
    "places without end": "list(np.ndindex(10**6, 10**6))",
    "an einsum of a name": "np.einsum('__class__', arr)",
    "a dtype by a class": "np.dtype(A)",
    "numpy's own test runner": "np.testing.run_module_suite()",
    "a printer of numpy's": "np.array2string(arr, formatter={'all': f}) and np.get_printoptions()",
    "a large array of a function": "np.fromfunction(f, (10**6, 10**6))",
    "the machine of a class with a metaclass": "type('M', (type,), {})('X', (), {}).machine",
    "the class behind a class with a metaclass": "type('M', (type,), {})('X', (), {}).cls",
    "the tables of a class with a metaclass": "type('M', (type,), {})('X', (), {}).attributes",
    "a metaclass of ours": "type('M', (type,), {}).python",
    "the frame of a traceback": "e.__traceback__.tb_frame",
    "a fraction of many digits": "fractions.Fraction(3, 2) ** 10**9",
    "a fraction that grows": "[f := fractions.Fraction(3, 2)] + [f := f * f for _ in range(40)]",
    "a fraction of a large exponent": "fractions.Fraction('1e999999999')",
    "a decimal of a large exponent": "int(decimal.Decimal('1e999999999'))",
    "a decimal of many digits": "setattr(decimal.getcontext(), 'prec', 10**9)",
    "the getter of an exception's property": "Exception.__context__.fget.run",
}
