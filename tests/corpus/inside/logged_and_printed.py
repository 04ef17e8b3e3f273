import logging, sys, io, traceback, contextlib, pprint, textwrap, string, os, time, json
import torch
log = logging.getLogger("train"); log.setLevel(logging.DEBUG)
h = logging.StreamHandler(sys.stdout); h.setFormatter(logging.Formatter("%(levelname)-8s|%(name)s|%(message)s")); log.addHandler(h); log.propagate = False
log.debug("start %s", {"lr": 0.1}); log.info("epoch %d/%d loss %.3f", 1, 10, 0.5); log.warning("nan? %r", float("nan")); log.error("shape %s", torch.ones(2, 3).shape); log.critical("x"); log.log(25, "custom level")
child = logging.getLogger("train.sub"); child.info("from child"); print(child.name, log.level, logging.getLevelName(20), log.isEnabledFor(10), child.getEffectiveLevel(), log.handlers != [])
try: 1 / 0
except ZeroDivisionError: log.error("failed", exc_info=False)
buf = io.StringIO()
with contextlib.redirect_stdout(buf): print("captured"); pprint.pprint({"a": list(range(3))})
print(repr(buf.getvalue()), buf.getvalue().splitlines())
b2 = io.StringIO("l1\nl2\nl3"); print(b2.readline(), [l.strip() for l in b2], b2.read(), b2.seek(0), b2.read(4), b2.tell())
print("x", 1, file=buf, sep="-"); print(buf.getvalue().count("\n")); sys.stdout.write("direct\n")
data = {"name": "experiment", "params": {"lr": 0.1, "layers": [64, 64, 10], "act": "relu"}, "metrics": [{"epoch": i, "loss": 1 / (i + 1), "acc": i * 10.5} for i in range(3)], "tags": ("a", "b"), "set": {3, 1, 2}}
pprint.pprint(data); pprint.pprint(data, width=40, compact=True); pprint.pprint([list(range(20)), "x" * 50, {"k" * 20: "v" * 40}], width=60); print(pprint.pformat({"b": 1, "a": 2}, sort_dicts=False)); pprint.pprint(data, depth=1); pprint.pp({"z": 1, "a": [1, 2]})
pprint.pprint(torch.arange(4.).view(2, 2)); pprint.pprint({"t": torch.zeros(2), "n": None}); pprint.pprint("long text " * 12)
def outer(): inner()
def inner(): raise KeyError("deep")
try: outer()
except KeyError as e:
    lines = traceback.format_exc().strip().splitlines(); print(lines[0], "...", lines[-1]); print(traceback.format_exception_only(type(e), e), type(e).__name__, e.args)
class Timer:
    def __init__(self, name="timer", out=print): self.name, self.out = name, out
    def __enter__(self): self.t = time.time(); return self
    def __exit__(self, et, ev, tb):
        self.dt = time.time() - self.t; self.out(f"{self.name}: {'failed with ' + et.__name__ if et else 'ok'} ({self.dt:.0f}s)"); return et is ValueError
with Timer("one"): pass
with Timer("two") as t: raise ValueError("swallowed")
try:
    with Timer("three"), Timer("four"): raise IndexError("up")
except IndexError as e: print("got", e)
@contextlib.contextmanager
def temp_attr(obj, **kw):
    old = {k: getattr(obj, k, None) for k in kw}
    for k, v in kw.items(): setattr(obj, k, v)
    try: yield obj
    finally:
        for k, v in old.items(): setattr(obj, k, v)
class O: a = 1
o = O()
with temp_attr(o, a=5, b=6) as q: print(q.a, q.b)
print(o.a, o.b); os.environ["MODE"] = "test"; print(os.environ.get("MODE"), os.getenv("X", "none"), os.path.exists("/nope"), os.path.basename("a/b.c"), "HOME" in os.environ or True)
print(textwrap.dedent("""\
    usage: prog
      --lr X"""), string.hexdigits, f"{'centered':=^30}")
class Progress:
    def __init__(self, it, total=None): self.it, self.total = it, total if total is not None else len(it)
    def __iter__(self):
        for i, v in enumerate(self.it, 1):
            yield v
            bar = "#" * (i * 10 // self.total); sys.stdout.write(f"[{bar:<10}] {i}/{self.total}")
        sys.stdout.write("\n"); sys.stdout.flush()
s = sum(torch.tensor(float(i), requires_grad=True) for i in Progress(range(5))); print(s)
print(json.dumps({"loss": s.item(), "ok": True}), flush=True); print(time.strftime("%Y", time.gmtime(0)), time.strftime("%H:%M:%S", time.gmtime(3661)))
log.info("done"); logging.shutdown(); sys.exit(0)
