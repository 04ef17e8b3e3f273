"""A script with a value of every kind in it, and attempts to get from there to what is under it."""

from __future__ import annotations

SETUP = """
import torch, math, random, itertools, functools, os, sys, warnings, time, collections
import abc, argparse, bisect, contextlib, copy, dataclasses, datetime, enum, gc, heapq, io, json, logging, numbers
import decimal, fractions, operator, pathlib, platform, pprint, re, statistics, string, textwrap, timeit, tqdm
import traceback, types, typing, inspect
import numpy as np
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
x = torch.tensor([1., 2.])
arr = np.array([1., 2.])
objects = np.array([f, f], dtype=object)
g = (i for i in [1])
async def co(): pass
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
rng = np.random.default_rng(0)
class Claims(type):
    def __instancecheck__(cls, other): return True
class Equal:
    def __eq__(self, other):
        self.got = other
        return True
class Sub(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash("x")
"""

MEMORY = "{'data': (id(object), False), 'shape': (4,), 'typestr': '<i8', 'version': 3}"

EXPRESSIONS = {
    "format field of a function": "'{0.__globals__}'.format(f)",
    "format item": "'{a.__init__.__globals__[sys]}'.format(a=a)",
    "format of the class": "str.format('{0.__globals__}', f)",
    "format in a map": "list(map('{0.__globals__}'.format, [f]))",
    "format by getattr": "getattr('{0.__globals__}', 'format')(f)",
    "format through super": "type('S', (str,), {'go': lambda self: super(S, self).format(f)})('{0.__globals__}').go()",
    "format in a width": "'{0:{1.__globals__}}'.format(1, f)",
    "format_map": "'{f.__globals__}'.format_map({'f': f})",
    "format of a generator's frame": "'{0.gi_frame.f_builtins}'.format(g)",
    "format of a derived str": "type('S', (str,), {})('{0.__globals__}').format(f)",
    "a formatter of the library": "string.Formatter().format('{0.__globals__}', f)",
    "f-string with repr": "f'{f.__code__!r}'",
    "percent": "'%s' % f.__globals__",
    "getattr joined": "getattr(f, '__glo' + 'bals__')",
    "getattr by another text": "getattr(f, Sub('__globals__'))",
    "getattr in a map": "list(map(getattr, [f], ['__globals__']))",
    "getattr by reduce": "functools.reduce(getattr, ['__globals__'], f)",
    "getattr by partial": "functools.partial(getattr, f)('__code__')",
    "getattr as a key": "sorted([f], key=lambda v: getattr(v, '__globals__'))",
    "attrgetter": "operator.attrgetter('__globals__')(f)",
    "attrgetter of a path": "operator.attrgetter('__class__.__init__.__globals__')(A)",
    "methodcaller": "operator.methodcaller('__reduce_ex__', 2)(point)",
    "methodcaller of format": "operator.methodcaller('format', f)('{0.__globals__}')",
    "object.__getattribute__": "object.__getattribute__(f, '__globals__')",
    "type.__getattribute__": "type.__getattribute__(int, '__subclasses__')",
    "function's own __getattribute__": "f.__getattribute__('__globals__')",
    "super's __getattribute__": "super(A, a).__getattribute__('__reduce_ex__')",
    "super's dict": "super(A, a).__dict__['n'].__globals__",
    "subclasses of object": "().__class__.__base__.__subclasses__()",
    "subclasses of a builtin": "int.__subclasses__()[0]",
    "subclasses by type": "type.__subclasses__(int)",
    "names of a library's class": "vars(int)",
    "names of type": "type.__dict__",
    "names of a module": "vars(torch)['__builtins__']",
    "real type by mro": "type('M', (type,), {}).__mro__[2]('X', (), {'__array_interface__': 1})",
    "real type by mro's method": "type('M', (type,), {}).mro()[2]('X', (), {'__array_interface__': 1})",
    "real metaclass of abc": "type(abc.ABC)('X', (), {'__array_interface__': 1})",
    "real metaclass of an enum": "type(Colour)('X', (), {'__array_interface__': 1})",
    "real enum by its bases": "Colour.__mro__[2]('X', {'__array_interface__': 1, 'a': 2})",
    "function's class": "type(f)(f.__code__, {})",
    "class of a module": "type(math)('os').system",
    "alias of a builtin": "type(list[int])(arr, ()).data",
    "code": "f.__code__",
    "closure": "(lambda y: lambda: y)(1).__closure__",
    "globals of the library": "random.choice.__globals__",
    "self of a builtin": "print.__self__",
    "self of len": "len.__self__",
    "self of a method of random": "random.random.__self__.__reduce__",
    "module of a function of numpy": "np.sum._implementation",
    "wrapped code": "functools.wraps(f)(lambda: 1).__wrapped__.__code__",
    "wraps with names of its own": "functools.wraps(f, assigned=['__globals__'])(lambda: 1).__globals__",
    "update_wrapper with names of its own": "vars(functools.update_wrapper(A(), f, ('__globals__',)))['__globals__']",
    "generator's frame": "g.gi_frame",
    "generator's code": "g.gi_code",
    "coroutine's frame": "co().cr_frame",
    "generator's frame by its class": "type(g).gi_frame",
    "traceback's frame": "e.__traceback__.tb_frame",
    "frame of sys": "sys._getframe()",
    "frame of sys by exc_info": "sys.exc_info()[2].tb_frame",
    "frame of inspect": "inspect.currentframe()",
    "members of inspect": "inspect.getmembers(f)",
    "with_traceback": "e.with_traceback(None).__traceback__.tb_frame",
    "modules of sys": "sys.modules['os']",
    "module inside a module": "contextlib.sys",
    "module inside random": "random._os",
    "module inside numpy": "np.core",
    "numpy's ctypes": "np.ctypeslib",
    "numpy's library": "np.lib.npyio",
    "numpy's tests": "np.testing.measure('1')",
    "pickle": "__import__('pickle')",
    "importlib": "__import__('importlib')",
    "builtins of import": "__import__('builtins').eval('1')",
    "eval": "eval('1')",
    "exec": "exec('1')",
    "compile": "compile('1', '', 'eval')",
    "open": "open('/etc/hostname')",
    "open of io": "io.open('/etc/hostname')",
    "path that is read": "pathlib.Path('/etc/hostname').read_text()",
    "real folder": "list(pathlib.Path('/etc').iterdir())",
    "system": "os.system('true')",
    "environment": "os.environ['HOME']",
    "breakpoint": "breakpoint()",
    "input": "input()",
    "help": "help()",
    "memoryview": "memoryview(arr)",
    "memory of an array": "arr.data",
    "memory of an array by getattr": "getattr(objects, 'da' + 'ta')",
    "memory of a scalar": "np.float64(1).data",
    "memory by the class": "np.ndarray.data.__get__(arr)",
    "memory by super": "super(np.float64, np.float64(1)).data",
    "memory by a class pattern's base": "type('Q', (Point,), {'__match_args__': ('data',)})",
    "ctypes of an array": "arr.ctypes",
    "ctypes of a generator": "rng.bit_generator.ctypes",
    "cffi of a generator": "rng.bit_generator.cffi",
    "capsule of a generator": "rng.bit_generator.capsule",
    "array interface": "arr.__array_interface__",
    "array struct": "arr.__array_struct__",
    "dlpack": "arr.__dlpack__()",
    "state of an array": "arr.__setstate__((1, (1,), np.dtype('i8'), False, b'a'))",
    "reduce of an array": "arr.__reduce__()",
    "objects as numbers": "objects.view('i8')",
    "numbers as objects": "np.array([1]).view(object)",
    "numbers as records of objects": "np.array([1]).view([('a', 'O')])",
    "view as another class": "arr.view(type(np.zeros(1)))",
    "view of the class": "np.ndarray.view(objects, 'i8')",
    "field of objects": "objects.getfield('i8')",
    "field set": "objects.setfield(1, 'i8')",
    "objects from bytes": "np.frombuffer(b'12345678', dtype=object)",
    "numbers from objects": "np.frombuffer(objects, dtype='i8')",
    "array of other memory": "np.ndarray((1,), object, b'12345678')",
    "array of other memory by name": "np.ndarray((1,), dtype=object, buffer=b'12345678')",
    "array of other memory by its class": "type(arr)((1,), object, b'12345678')",
    "array of other memory by new": "np.ndarray.__new__(np.ndarray, (1,), object, b'12345678')",
    "array of other memory by super": "super(np.ndarray, arr).__new__(np.ndarray, (1,), object, b'12345678')",
    "bytes of objects": "objects.tobytes()",
    "strides": "np.lib.stride_tricks.as_strided(arr, (1000,), (8,))",
    "chararray": "np.char.chararray((1,), buffer=objects)",
    "record array": "np.recarray((1,), dtype=[('a', 'O')], buf=b'12345678')",
    "memory map": "np.memmap('/etc/hostname')",
    "array from a file": "np.load('/etc/hostname', allow_pickle=True)",
    "array from a table": "np.loadtxt('/etc/hostname')",
    "array to a file": "arr.tofile('never.bin')",
    "array dumped": "arr.dump('never.bin')",
    "dtype's fields": "np.dtype([('a', 'f8')]).fields.__class__.__or__(1, 2)",
    "bytes into objects": "io.BytesIO(b'12345678').readinto(objects)",
    "bytes into objects by the class": "io.BytesIO.readinto(io.BytesIO(b'12345678'), objects)",
    "buffer of bytes": "io.BytesIO(b'12345678').getbuffer()",
    "objects sorted": "objects.sort()",
    "objects sorted by numpy": "np.sort(objects)",
    "lists of objects sorted": "np.unique([a, a])",
    "objects partitioned": "np.ndarray.partition(objects, 1)",
    "array resized": "arr.resize(10**6, refcheck=False)",
    "flags in other letters": "arr.flags['WRI\u0239EABLE']",
    "bytes that are memory": "np.asarray(types.SimpleNamespace(**{'__array_' + 'interface__': 1}))",
    "a class of memory": f"type('X', (), {{'__array_' + 'interface__': {MEMORY}}})",
    "a class of memory by a dataclass": f"dataclasses.make_dataclass('X', [], namespace={{'__array_interface__': {MEMORY}}})",
    "a field of memory": "dataclasses.make_dataclass('X', ['__array_interface__'])",
    "an enum of memory": f"enum.Enum('X', {{'__array_interface__': {MEMORY}, 'a': 1}})",
    "an enum of memory by pairs": f"enum.Enum('X', (p for p in [('__array_interface__', {MEMORY}), ('a', 1)]))",
    "arguments of memory": "parser.set_defaults(**{'__array_interface__': 1}) or parser.parse_args([])",
    "arguments into a function": "parser.add_argument('--b', dest='__globals__', default=1) and parser.parse_args([], f)",
    "a lookup of memory": "type('X', (), {'__getattr__': lambda s, n: " + MEMORY + "})().__array_interface__",
    "attribute set on a function": "setattr(f, '__code__', 1)",
    "attribute set by object": "object.__setattr__(f, '__defaults__', 1)",
    "attribute set on the library": "setattr(random, 'random', f)",
    "attribute set on a class of the library": "setattr(fractions.Fraction, 'real', f)",
    "attribute set on torch": "setattr(torch.Tensor, 'sum', f)",
    "dtype set": "setattr(arr, 'dtype', object)",
    "strides set": "setattr(arr, 'strides', (1,))",
    "dtype set by its descriptor": "np.ndarray.dtype.__set__(arr, object)",
    "name in an object's dict": "vars(a).update({'__array_interface__': 1})",
    "text in an object's dict": "vars(a).__setitem__(Sub('x'), 1)",
    "name in the globals": "globals().update({' private': getattr})",
    "builtins in the globals": "globals()['__builtins__']",
    "builtins set in the globals": "globals().update({'__builtins__': {}})",
    "module's name set in the globals": "globals().update({'__name__': 'os'})",
    "module of a class": "setattr(A, '__module__', 'os')",
    "bases of a class": "setattr(A, '__bases__', (dict,))",
    "class of another": "setattr(point, '__class__', A)",
    "class of a library": "setattr(a, '__class__', random.Random)",
    "annotations that are evaluated": "typing.get_type_hints(f)",
    "forward reference": "typing.ForwardRef('print(1)')",
    "forward reference evaluated": "typing.get_args(typing.Optional['print(1)'])[0]._evaluate({}, {}, frozenset())",
    "dataclass of another module": "dataclasses.dataclass(type('X', (), {'__annotations__': {'x=print(1)': int}}))",
    "dataclass of the library": "dataclasses.dataclass(random.Random)",
    "typed dict of code": "dataclasses.dataclass(typing.TypedDict('X', {'x=print(1)': int}))",
    "named tuple of code": "collections.namedtuple('P', ['x', 'y): import os'])",
    "named tuple of frames": "collections.namedtuple('P', 'gi_frame')",
    "a copy's state": "copy.copy(type('X', (), {'__reduce_ex__': lambda s, p: (np.zeros, (1,), (1,))})())",
    "an instance's reduce": "vars(a).__setitem__('__reduce_ex__', f) or copy.copy(a)",
    "random's state out of bounds": "np.random.set_state(('MT19937', np.zeros(624, 'u4'), 10**6))",
    "another random's state": "np.random.RandomState(0).set_state(('MT19937', np.zeros(624, 'u4'), 10**6))",
    "system's random": "random.SystemRandom()",
    "code type": "types.CodeType",
    "making a function": "types.FunctionType(1, {})",
    "making a class": "types.new_class('X')",
    "timing a text": "timeit.timeit('import os')",
    "objects of the collector": "gc.get_objects()",
    "derived from arrays": "type('X', (np.ndarray,), {})",
    "derived from a scalar": "type('X', (np.void,), {})",
    "derived from a field": "type('X', (type(dataclasses.fields(Data)[0]),), {})",
    "derived from a function's class": "type('X', (type(f),), {})",
    "a private attribute of the library": "parser._registries",
    "the surroundings of print": "print.__closure__",
    "the surroundings of a parser": "type(parser)._around",
    "the surroundings of a logger": "log._journal",
    "the surroundings of a figure": "plt.figure()._around",
    "the gate behind getattr": "getattr.__globals__",
    "the module of the gate": "__import__('gradviz.run.gate')",
}
"""Each must end in a sentence, at its line, when it is printed after `SETUP`."""

STATEMENTS = {
    "class pattern of a frame": "match g:\n    case A(gi_frame=frame): pass",
    "class pattern of Python's own": "match f:\n    case object(__globals__=names): pass",
    "class pattern by position": """
class Q(metaclass=Claims):
    __match_args__ = ("gi_" + "frame",)
match g:
    case Q(frame): print(frame)
""",
    "class pattern of a text's method": """
class Q(metaclass=Claims):
    __match_args__ = ("format",)
""",
    "class pattern by a named tuple": """
class P(typing.NamedTuple):
    format: int
""",
    "class pattern by a module": "match 1:\n    case os._exit(): pass",
    "class that looks like memory": f"class X:\n    __array_interface__ = {MEMORY}",
    "class with a buffer": "class X:\n    def __buffer__(self, flags): pass",
    "class with an end": "class X:\n    def __del__(self): pass",
    "class with an end by a loop": "class X:\n    for __del__ in [f]: pass",
    "class with an end by an import": "class X:\n    import math as __del__",
    "class with an end by a pattern": "class X:\n    match f:\n        case __del__: pass",
    "class of another module": "class X:\n    __module__ = 'os'",
    "annotations of a class": "class X:\n    __annotations__ = {'x=print(1)': int}",
    "annotations of a module": "__annotations__['x'] = 1",
    "class that is rebuilt": "class X:\n    def __reduce__(self): return (print, ())",
    "class with a state": "class X:\n    def __getstate__(self): return {'__array_interface__': 1}",
    "class that takes a state": "class X:\n    def __setstate__(self, state): pass",
    "argument called so": "def h(__globals__): pass",
    "keyword called so": "types.SimpleNamespace(__array_interface__=1)",
    "global called so": "global __builtins__",
    "except called so": "try: 1/0\nexcept ZeroDivisionError as __builtins__: pass",
    "deleting the builtins": "del __builtins__",
    "building a class by hand": "__build_class__(f, 'X')",
    "loader": "__loader__",
    "spec": "__spec__",
    "name of the module": "__name__ = 'os'",
    "metaclass that adds memory": f"""
class M(type):
    def __new__(mcs, name, bases, names):
        return super().__new__(mcs, name, bases, dict(names, __array_interface__={MEMORY}))
""",
    "metaclass that adds memory by a text": f"""
class M(type):
    def __new__(mcs, name, bases, names):
        names['__array_' + 'interface__'] = {MEMORY}
        return super().__new__(mcs, name, bases, names)
class X(metaclass=M): pass
""",
    "metaclass called by hand": f"""
class M(type): pass
X = M('X', (), {{'__array_' + 'interface__': {MEMORY}}})
""",
    "metaclass of abc called by hand": f"""
class M(abc.ABCMeta): pass
X = M('X', (), {{'__array_' + 'interface__': {MEMORY}}})
""",
    "abc's metaclass called by hand": f"X = abc.ABCMeta('X', (), {{'__array_' + 'interface__': {MEMORY}}})",
    "metaclass whose namespace adds memory": f"""
class M(type):
    @classmethod
    def __prepare__(mcs, name, bases): return {{'__array_' + 'interface__': {MEMORY}}}
class X(metaclass=M): pass
""",
    "key that equals another": """
class Key(str):
    def __hash__(self): return hash('__array_interface__')
    def __eq__(self, other): return True
X = type('X', (), {Key('a'): 1})
""",
    "lookup that gives memory": f"""
class X:
    def __getattr__(self, name):
        if "interface" in name: return {MEMORY}
        raise AttributeError(name)
print(np.asarray(X()).tolist()[0].nothing)
""",
    "lookup of all that gives memory": f"""
class X:
    def __getattribute__(self, name):
        if "interface" in name: return {MEMORY}
        return object.__getattribute__(self, name)
print(np.asarray(X()).tolist().nothing)
""",
    "lookup by assignment that gives memory": f"""
class X:
    __getattr__ = lambda self, name: {MEMORY} if "interface" in name else [][0]
print(np.asarray(X()).tolist().nothing)
""",
    "lookup set later that gives memory": f"""
class X: pass
X.__getattr__ = lambda self, name: {MEMORY} if "interface" in name else [][0]
print(np.asarray(X()).tolist().nothing)
""",
    "lookup of a metaclass that gives memory": f"""
class M(type):
    def __getattr__(cls, name):
        if "interface" in name: return {MEMORY}
        raise AttributeError(name)
class X(metaclass=M): pass
print(np.asarray(X).item().nothing)
""",
    "cached property called so": f"""
class X:
    @functools.cached_property
    def there(self): return {MEMORY}
vars(X)['there'].attrname = '__array_interface__'
""",
    "a dataclass's __init__ on an array": """
@dataclasses.dataclass
class D:
    strides: object
D.__init__(arr, (10**6,))
""",
    "a frozen dataclass's __init__ on a function": """
@dataclasses.dataclass(frozen=True)
class D:
    name: object
D.__init__(f, 1)
""",
    "a copy that is something else": """
class X:
    __slots__ = ("strides", "there")
    def __new__(cls, *given):
        return object.__new__(cls) if given else arr.flat
thing = X(1)
thing.there = 1
copy.copy(thing)
""",
    "an action of argparse": "class X(argparse.Action): pass",
    "an action's call": "type(parser.add_argument('--c')).__call__(A(), None, a, 1, 2, 3)",
    "a lookup by an array's function": """
class X:
    def __array_function__(self, func, types, args, named): return func
""",
    "a dict as its attributes": "class D(dict):\n    def __init__(self): self.__dict__ = self\nD()",
    "the dict behind a mapping": "evil = Equal()\nnp.dtype([('a', 'f8')]).fields == evil\nevil.got['a'][0].nothing",
    "the dict behind a class": "evil = Equal()\nA.__dict__ == evil\nevil.got['__array_interface__'].nothing",
    "setting code by a target": "[f.__code__] = [1]",
    "setting code by a loop": "for f.__code__ in [1]: pass",
    "setting code by with": "with managed() as f.__code__: pass",
    "deleting by a target": "del random.random",
    "adding to an attribute of the library": "math.pi += 1",
    "a class of the library changed": "torch.Tensor.sum = f",
    "a module changed": "torch.tensor = f",
    "decorator that looks": "@(lambda h: h.__globals__)\ndef h(): pass",
    "default that looks": "def h(a=print.__self__): pass",
    "annotation that looks": "def h(a: f.__globals__): pass",
    "walrus that looks": "(h := f.__code__)",
    "comprehension that looks": "[v.__globals__ for v in [f]]",
    "star import": "from os import *\nsystem('true')",
    "import of a submodule": "import numpy.ctypeslib",
    "from a package": "from numpy import ctypeslib",
    "from a module's modules": "from contextlib import sys",
    "relative import": "from . import gate",
    "refusal caught": "try:\n    f.__globals__\nexcept BaseException:\n    pass",
    "refusal caught bare": "try:\n    f.__globals__\nexcept:\n    pass",
    "refusal caught by its base": "for kind in [BaseException]:\n    try:\n        f.__globals__\n    except kind:\n        pass",
    "deriving from arrays": "class X(np.ndarray): pass",
    "deriving from bool": "class X(bool): pass",
    "deriving from a module": "class X(torch): pass",
    "dispatch by a text": "@single.register\ndef h(a: 'print(1)'): pass",
    "dataclass by a text": "@dataclasses.dataclass\nclass X:\n    globals()['__annotations__'] = 1",
}
"""The same, as statements."""
