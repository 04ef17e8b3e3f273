import sys, traceback, warnings, contextlib
import torch, numpy as np


class AppError(Exception):
    """base"""
    code = 1


class ShapeError(AppError, ValueError):
    def __init__(self, got, want, *, layer=None):
        self.got, self.want, self.layer = got, want, layer
        super().__init__(f"expected {want}, got {got}" + (f" in {layer}" if layer else ""))

    def __reduce__(self):
        return type(self), (self.got, self.want)


def check(x, shape):
    if tuple(x.shape) != shape:
        raise ShapeError(tuple(x.shape), shape, layer="fc")


try:
    check(torch.ones(2, 3), (3, 2))
except ValueError as e:
    print(type(e).__mro__)
    print(e, e.args, e.got, e.code, isinstance(e, AppError))

try:
    try:
        torch.ones(2) @ torch.ones(3)
    except RuntimeError as e:
        raise ShapeError((2,), (3,)) from e
except AppError as e:
    print(repr(e.__cause__)[:60], e.__cause__.__class__.__name__)

try:
    try:
        int("x")
    except ValueError:
        undefined_name
except NameError as e:
    print(e, "|", e.__context__, "|", e.__cause__, "|", e.name)

def cleanup(n):
    try:
        if n == 0:
            return "returned"
        elif n == 1:
            raise KeyError("k")
        elif n == 2:
            sys.exit(3)
        return "end"
    except KeyError as e:
        return f"caught {e!r}"
    else:
        return "else"
    finally:
        print("finally", n)

for n in range(4):
    try:
        print(cleanup(n))
    except SystemExit as e:
        print("exit code", e.code)

try:
    raise ExceptionGroup("many", [ValueError("a"), TypeError("b"), ExceptionGroup("inner", [KeyError("c")])])
except* ValueError as eg:
    print("values", eg.exceptions)
except* (TypeError, KeyError) as eg:
    print("others", eg, len(eg.exceptions))

try:
    e = ValueError("noted")
    e.add_note("first note")
    raise e
except ValueError as err:
    print(err.__notes__)

def f(): return g()
def g(): raise OSError(2, "No such file", "x.txt")
try:
    f()
except OSError as e:
    print(e, e.errno, e.strerror, e.filename, type(e).__name__)
    print(traceback.format_exception_only(type(e), e))
    print(traceback.format_exc().splitlines()[0], "|", traceback.format_exc().splitlines()[-1])

with contextlib.suppress(FileNotFoundError):
    raise FileNotFoundError("x")
print("after suppress")

class Ctx:
    def __init__(self, swallow): self.swallow = swallow
    def __enter__(self): print("in"); return self
    def __exit__(self, et, ev, tb):
        print("out", et.__name__ if et else None, ev)
        return self.swallow

with Ctx(True):
    raise RuntimeError("swallowed")
try:
    with Ctx(False) as c, Ctx(False):
        1 // 0
except ZeroDivisionError as e:
    print("escaped:", e)

warnings.simplefilter("error")
try:
    warnings.warn("now an error", RuntimeWarning)
except RuntimeWarning as w:
    print("as error:", w)
warnings.simplefilter("default")
with warnings.catch_warnings(record=True) as ws:
    warnings.simplefilter("always")
    np.log(np.array([0.0, -1.0]))
    torch.tensor(torch.ones(2))
    print([(w.category.__name__, str(w.message)[:40]) for w in ws])
assert issubclass(ShapeError, AppError) and not issubclass(AppError, ShapeError)
def gen():
    try:
        yield 1
        yield 2
    except GeneratorExit:
        print("closed"); raise
    finally:
        print("gen finally")
it = gen(); print(next(it)); it.close()
it = gen(); next(it)
try:
    it.throw(ValueError, "thrown in")
except ValueError as e:
    print("out again", e)
try:
    raise ValueError
except ValueError as e:
    print(repr(e), str(e) == "", e.args)
try:
    raise 42
except TypeError as e:
    print(e)
try:
    try: raise ValueError("one")
    finally: raise TypeError("two")
except TypeError as e:
    print(e, "during", repr(e.__context__))
try:
    class Bad(Exception):
        def __init__(self, a): pass
    raise Bad
except TypeError as e:
    print(e)
try:
    [].append(1, 2)
except TypeError as e:
    print(e)
try:
    {}.get()
except TypeError as e:
    print(e)
try:
    "a".join(1)
except TypeError as e:
    print(e)
try:
    len(5)
except TypeError as e:
    print(e)
try:
    print(undefinde)
except NameError as e:
    print(e)
try:
    sys.exti()
except AttributeError as e:
    print(e)
try:
    None.foo
except AttributeError as e:
    print(e, e.name)
try:
    None[0]
except TypeError as e:
    print(e)
try:
    None()
except TypeError as e:
    print(e)
try:
    for i in None: pass
except TypeError as e:
    print(e)
try:
    [1, 2, 3]["1"]
except TypeError as e:
    print(e)
try:
    x = [1] * "a"
except TypeError as e:
    print(e)
try:
    del undefined_thing
except NameError as e:
    print(e)
try:
    exec_result = int("12", 99)
except ValueError as e:
    print(e)
try:
    "abc".foo()
except AttributeError as e:
    print(e)
try:
    import nonexistent_module_xyz
except ModuleNotFoundError as e:
    print(e, e.name)
try:
    from torch import nothing_here
except ImportError as e:
    print(str(e).split(" (")[0])
try:
    assert False, {"detail": [1, 2]}
except AssertionError as e:
    print(e, e.args[0]["detail"])
try:
    isinstance(1, "int")
except TypeError as e:
    print(e)
try:
    issubclass(1, int)
except TypeError as e:
    print(e)
try:
    hash({})
except TypeError as e:
    print(e)
try:
    iter(3)
except TypeError as e:
    print(e)
try:
    chr(-1)
except ValueError as e:
    print(e)
try:
    ord("ab")
except TypeError as e:
    print(e)
try:
    abs("a")
except TypeError as e:
    print(e)
try:
    round("a")
except TypeError as e:
    print(e)
try:
    dict([1, 2])
except TypeError as e:
    print(e)
try:
    dict([(1, 2, 3)])
except ValueError as e:
    print(e)
try:
    set([[]])
except TypeError as e:
    print(e)
try:
    min(1)
except TypeError as e:
    print(e)
try:
    zip([1], [1, 2], strict=True).__class__; list(zip([1], [1, 2], strict=True))
except ValueError as e:
    print(e)
raise ShapeError((1,), (2,), layer="last")
