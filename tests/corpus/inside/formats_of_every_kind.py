import torch, math, string, textwrap, datetime as dt
from decimal import Decimal
from fractions import Fraction
x = 1234567.891; n = 42; s = "grad"; neg = -3.14159
print(f"{x:,.2f}|{x:_.1f}|{x:e}|{x:.3E}|{x:g}|{x:G}|{x:.3g}|{x:10.1f}|{x:<15.1f}|{x:^15.1f}|{x:015.2f}|{x:+}|{x: }|{x:%}|{0.256:.1%}")
print(f"{n:d}|{n:5}|{n:<5}|{n:^5}|{n:05}|{n:+}|{n:b}|{n:#b}|{n:o}|{n:#o}|{n:x}|{n:#X}|{n:08b}|{n:c}|{n:,}|{10**9:,}|{10**9:_}|{0xffff:_x}|{n:n}|{n:e}|{n:.2f}|{n:%}")
print(f"{s:10}|{s:>10}|{s:^10}|{s:*^10}|{s:.2}|{s!r:>10}|{s!s}|{s!a}|{'é'!a}|{s:-<8}|{s=}|{n=:>6}|{x=:.1f}|{n + 1 = }|{s.upper()=}")
w, p = 12, 3
print(f"{neg:{w}.{p}f}|{neg:>{w}}|{neg:{'+'}{w}.{p}e}|{neg:=+12.2f}|{neg:0=12.2f}|{abs(neg):{w}.{p}}|{'{}'}|{{}}|{{{n}}}|{f'{n:>{w}}'}")
print("%d|%5d|%-5d|%05d|%+d|% d|%x|%X|%o|%#x|%#o|%c|%c|%i|%u" % (n, n, n, n, n, n, n, n, n, n, n, n, "z", n, n))
print("%f|%.2f|%10.3f|%-10.3f|%+.1e|%g|%G|%s|%r|%10s|%-10s|%.2s|%%|%a" % (x, x, neg, neg, x, x, 1e-10, s, s, s, s, s, "ü"))
print("%(a)s %(b)05.1f %(a)r" % {"a": "k", "b": 2.345}, "%*d" % (6, n), "%.*f" % (2, math.pi), "%s %s" % ([1], (2,)), "%s" % None, "%5.1f%%" % 45.678)
print("{} {} {}".format(1, "a", 2.5), "{2} {0} {1}".format("a", "b", "c"), "{a:>5} {b!r}".format(a=1, b="q"), "{0[1]} {1[k]} {2.real}".format([1, 2], {"k": "v"}, 3), "{:{}.{}f}".format(math.pi, 10, 2), "{:>{w}}".format("x", w=4))
for v in [0.1, 1.0, 1e16, 1e15, 123456789012345678, 1e-5, 0.0001, 1e22, 1e21, 5e-324, 1.7976931348623157e308, -0.0, float("inf"), float("-inf"), float("nan"), 1/3, 2/3, 100.0, 1e100, 3.0e-10]:
    print(v, repr(v), f"{v:g}", f"{v:.3f}" if abs(v) < 1e20 else "", f"{v:.2e}", "%s" % v, f"{v:10}", f"{v:n}", f"{v:.0f}" if abs(v) < 1e20 else "")
for v in [True, None, 3+4j, 1j, -2.5j, complex(0, -0.0), Decimal("1.10"), Fraction(3, 6), b"by\x00\xff'", [1.0, "a"], (1,), {1: {2}}, set(), frozenset({1}), range(3), ..., slice(1, None), int, type(None), "q\"'", 'it\'s', "tab\t\n\\", "\u00e9\u4e2d\U0001f600", "\x7f\x00"]:
    print(v, repr(v), f"{v!s:>8}", "%r" % (v,))
print(f"{True:d} {True:5} {True!s:>6} {3+4j:.2f} {3.5+0j} {Decimal('3.14159'):.2f} {Decimal(7) / 3} {Fraction(1, 3) + 1} {float(Fraction(1, 3)):.4f}")
t = torch.tensor(3.14159, dtype=torch.float64); v = torch.tensor([1.5, 2.25])
print(f"{t:.2f} {t} {t.item():.3f} {v} {v[0]:>8.3f} {t!r} {v.mean():e} {v.tolist()}", "%.3f %s" % (t, v), "{:.1f} {}".format(t, v), "%d" % torch.tensor(3))
for bad in (lambda: f"{v:.2f}", lambda: "%d" % v, lambda: "%.2f" % "a", lambda: "%z" % 1, lambda: "%(a)s" % 1, lambda: "{x}".format(), lambda: "%s %s" % "a", lambda: f"{t:d}", lambda: f"{3:s}", lambda: "%d" % None, lambda: "%c" % 3.5, lambda: "%x" % 2.5, lambda: "{!z}".format(1), lambda: "{:.2f}".format("a"), lambda: f"{[]:5}", lambda: f"{1.5:x}", lambda: "%s" % (1, 2), lambda: "%(q)s" % {"a": 1}, lambda: "%" % 1, lambda: "}".format(), lambda: "{0.}".format(1), lambda: f"{1:10.2}"):
    try: print(bad())
    except Exception as e: print(type(e).__name__, "|", e)
print("a,b,,c".split(","), " a  b ".split(), "a-b-c".rsplit("-", 1), "k=v=w".partition("="), "abc".rpartition("z"), "l1\nl2\r\nl3".splitlines(), "l1\n".splitlines(True))
print("hello world".title(), "HELLO".capitalize(), "hello".center(11, "*"), "42".zfill(5), "-42".zfill(5), "x".ljust(3) + "|", "aBc".swapcase(), "ß".upper(), "ß".casefold(), "  x ".strip(), "xxhixx".strip("x"), "a.b".removesuffix(".b"), "abc".translate(str.maketrans("ab", "12", "c")))
print("abcabc".find("c"), "abcabc".rfind("c"), "abcabc".count("bc"), "abc".startswith(("x", "a")), "abc".endswith("bc"), "a1".isalnum(), "12".isdigit(), "½".isnumeric(), "ab".isalpha(), "Ab".istitle(), " ".isspace(), "a b".isidentifier(), "abc"[::-1], "abc" * 2, "b" in "abc", "abc" < "abd", "\t".expandtabs(4) + "|", max("hello"), sorted("hello"), "é".encode(), len("日本"), ord("日"), chr(26085), "日本".center(10, "="))
print(string.ascii_lowercase[:5], string.digits, string.punctuation, string.Template("$a-${b}").substitute(a=1, b=2), string.capwords("a bc"))
print(textwrap.fill("The quick brown fox jumps over the lazy dog", 20), textwrap.dedent("   a\n    b"), textwrap.indent("a\nb", "> "), textwrap.shorten("Hello world foo", 12), textwrap.wrap("aaa bbb ccc", 7), sep="\n")
d = dt.datetime(2024, 3, 5, 14, 7, 9); print(d, f"{d:%Y-%m-%d %H:%M}", d.strftime("%a %d %b %Y, %I:%M %p %j"), d + dt.timedelta(days=1, hours=-3), d.isoformat(), repr(d), d.date(), dt.timedelta(seconds=3725), (d - dt.datetime(2024, 1, 1)).days, d.weekday(), dt.date(2024, 2, 29).replace(year=2025, day=1), d.timestamp() > 0, dt.datetime.strptime("2020-01-02", "%Y-%m-%d"))
print("=" * 20, "-" * 5 + ">", "a" "b", r"\n", b"abc"[0], b"abc"[1:], "multi\
line", """tri
ple""", 'a\\b', "\x41\u0042\N{GREEK SMALL LETTER ALPHA}", sep=" ; ")
print("%-10s|%8s|%6s" % ("name", "value", "ok")); print("|".join(f"{h:^9}" for h in ("epoch", "loss", "acc")))
for i, (l, a) in enumerate(zip([0.6931, 0.5, 0.123456], [.5, .75, 1])): print(f"{i:>5d} {l:>10.4f} {a:>7.2%}", end=" |\n" if i < 2 else "\n\n")
