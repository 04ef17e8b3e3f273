from __future__ import annotations
import logging, sys, json, time, random, string, os
from collections import OrderedDict, ChainMap
from functools import cached_property, cache, cmp_to_key
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="[%(levelname).1s] %(name)s: %(message)s")
log = logging.getLogger("app"); log.info("start %s %d", "x", 3); log.debug(f"{1+1}"); log.warning("careful"); log.setLevel(logging.ERROR); log.info("no")
try: 1 / 0
except ZeroDivisionError: log.error("failed: %s", sys.exc_info()[0].__name__)
class Config(dict):
    def __getattr__(self, k):
        try: return self[k]
        except KeyError as e: raise AttributeError(k) from e
    def __setattr__(self, k, v): self[k] = v
c = Config(lr=.1, model=Config(dim=3)); c.epochs = 5; print(c, c.lr, c.model.dim, c.get("x", 1), json.dumps(c), isinstance(c, dict), len(c))
try: c.nope
except AttributeError as e: print("AttributeError", e, repr(e.__cause__))
class Temp:
    def __init__(self, c): self._c = c
    @cached_property
    def f(self): print("computing"); return self._c * 9 / 5 + 32
    @property
    def c(self): return self._c
    @c.setter
    def c(self, v): self._c = v
    @c.deleter
    def c(self): print("deleted"); self._c = None
t = Temp(100); print(t.f, t.f); t.c = 5; print(t.c); del t.c; print(t._c)
try: t.f2
except AttributeError as e: print(e)
class P:
    x = property(lambda s: 3)
try: P().x = 4
except AttributeError as e: print(e)
od = OrderedDict([("b", 1), ("a", 2)]); od.move_to_end("b"); print(od, list(od), od.popitem(last=False), dict(od))
print(ChainMap({"a": 1}, {"a": 2, "b": 3})["b"], sorted("banana", key=cmp_to_key(lambda a, b: (a > b) - (a < b))), "".join(sorted(set("hello"))))
@cache
def fact(n): return n * fact(n - 1) if n else 1
print(fact(20), fact.cache_info().hits)
print("%s %r %5.1f %-5d| %05.2f %x %o %e %g %c %% %+d" % ("s", "r", 3.14159, 42, 2.5, 255, 8, 12345.6789, 0.0001, "c", 7), "%(a)s-%(b)03d" % {"a": 1, "b": 2}, "%s" % (1, 2).__len__(), "%s" % [1, 2], "%.3s|%10s|%-10s|" % ("abcdef", "r", "l"))
print("{:<10}|{:>10}|{:^10}|{:*^10}|{:+.2f}|{:,}|{:.1%}|{:e}|{:#x}|{:08.3f}|{!r:>5}".format("a", "b", "c", "d", 1.5, 1234567, .256, 12345.678, 255, 3.14159, "z"), "{0[0]} {1.real} {k[x]}".format([1, 2], 3, k={"x": 5}), "{{}}", "{:{w}.{p}f}".format(3.14159, w=8, p=2))
v, w = 3.14159, 10; print(f"{v:.2f} {v:>{w}.3f} {v!s:.4} {'nested ' + f'{v:.1f}'} {v=:.3f} {w = } {[i for i in range(3)]} {{}} {'a' if v > 3 else 'b'} {len('abc'):03d} {1_000_000:,} {0.5:.0%} {12:b} {255:X} {v:g} {1e-10:g} {True} {None} {'%'}")
print(str(1.0), repr(0.1), 1e22, 1e21, 123456789012345678, 1.0e-5, 0.0001, float("1e400"), -0.0, 5 // 2.0, 2 ** 0.5, round(2.675, 2), round(0.5), round(1.5), round(-2.5), round(1234.5, -2), int(-3.9), 10 % 3.5, divmod(7.5, 2), 1 / 3, 100 * 1.1, 0.1 * 3, 1e16 + 1, 3.0 == 3, hash(1.0) == hash(1), (0.1).hex(), (255).bit_length(), (5).to_bytes(2, "big"), float.fromhex("0x1p-2"), (2.5).as_integer_ratio(), (3.0).is_integer(), bool(""), bool([0]), int("0x1f", 16), int("101", 2), complex("1+2j"), (1 + 2j).conjugate(), abs(-3 + 4j), 5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 3, -8 >> 1)
s = "The Quick brown\tfox\n"; print(s.strip().split(), s.lower(), s.title(), s.count("o"), s.find("Q"), s.replace("Quick", "slow").rstrip(), s.partition(" "), s.startswith("The"), s.isalpha(), s.encode()[:3], s.center(30, "."), s.expandtabs(4), s[::-1].strip(), s[4:9], "a,b,c".rsplit(",", 1), "abc" * 2, "x" in "xyz", "a" < "b", "abc".index("c"), "{}".format("é"), ascii("é"), "é".encode("unicode_escape") if False else "", "ab\ncd".splitlines(), "Hello".swapcase(), "hello".capitalize(), "1,2".replace(",", "."), "  x ".lstrip(), "abc".ljust(5, "-") + "|", "abc".rjust(5) + "|", "a-b_c".translate(str.maketrans("-_", "  ")), "abc".removeprefix("a"), "abc".removesuffix("c"), "12".isdigit(), "Ab".istitle(), "ab".isidentifier(), "%".join(["a", "b"]), "tEST".casefold(), "a\\b", 'it\'s', "tab\t|", "\u4e2d", "\x41", "\N{BULLET}")
l = [3, 1, 2]; l.sort(reverse=True); l.insert(1, 9); l.extend([7, 8]); l.remove(9); print(l, l.pop(), l.pop(0), l.index(1), l.count(1), l + [1], l * 2, sorted(l), l[::-1], l[-1], l.copy(), [*l, 5], min(l), max(l), sum(l), len(l), list(reversed(l)), list(enumerate(l)), list(zip(l, "ab")), any(l), all(l), [x for x in l if x > 1], l == [1, 2], l < [9], 2 in l, sorted(["b", "A", "c"], key=str.lower), sorted([(1, "b"), (1, "a")]), [i // 2 for i in range(5)]); l[1:2] = [10, 11]; print(l); del l[0]; print(l); l.clear(); print(l, not l)
d = {"a": 1}; d.update(b=2); d.setdefault("c", []).append(3); d |= {"z": 0}; print(d, d.pop("z"), d.get("q"), list(d.items()), list(d.keys()), "a" in d, {v: k for k, v in [("x", 1)]}, dict.fromkeys("ab", 0), len(d), sorted(d), max(d, key=lambda k: str(d[k])), {**d, "a": 9}, d == {"a": 1}, next(iter(d)), list(reversed(d)), d.popitem())
st = {3, 1, 2}; st.add(5); st.discard(9); st |= {7}; print(st, st & {1, 9}, st - {1}, st ^ {1, 100}, {1} <= st, st.isdisjoint({50}), frozenset([1, 2]) | {3}, len(st), sum(st), sorted(st, reverse=True), set("aab") == {"a", "b"}, {1, 2} == {2, 1}, set(), {*()}, {i % 3 for i in range(10)})
raise KeyError("final")
