import logging, sys
def f():
    logging.getLogger("a.b").info("in f")
    try:
        1 / 0
    except ZeroDivisionError:
        logging.getLogger("a").exception("failed %s", "x")
class Keep(logging.Handler):
    def __init__(self):
        super().__init__(); self.kept = []
    def emit(self, record):
        self.kept.append((record.levelname, record.getMessage(), record.lineno, record.funcName, record.name))
k = Keep()
root = logging.getLogger()
root.addHandler(k); root.setLevel("DEBUG")
f()
logging.warning("w %d", 3)
logging.getLogger("a").debug("%(x)s", {"x": 1})
ad = logging.LoggerAdapter(logging.getLogger("ad"), {"run": 7})
h = logging.StreamHandler(sys.stdout); h.setFormatter(logging.Formatter("{levelname:>8} {run} {message}", style="{"))
ad.logger.addHandler(h); ad.info("adapted")
print(k.kept)
print(root, logging.getLogger("a.b"), logging.getLogger("a.b").parent, k, logging.getLogger("zz").getEffectiveLevel())
logging.getLogger("a").addFilter(lambda r: "secret" not in r.getMessage())
logging.getLogger("a").info("secret"); logging.getLogger("a").info("open")
print(len(k.kept), k.kept[-1])
logging.addLevelName(25, "NOTICE"); logging.log(25, "noticed"); print(k.kept[-1], logging.getLevelName("NOTICE"), logging.getLevelName(33))
logging.disable(logging.INFO); logging.info("no"); print(k.kept[-1][1]); logging.disable(logging.NOTSET)
try: root.setLevel("LOUD")
except ValueError as e: print(e)
try: logging.getLogger("q").info("x", extra={"message": 1})
except KeyError as e: print(e)
lam = lambda: logging.info("from lambda")
lam(); print(k.kept[-1])
class A:
    log = logging.getLogger("A")
    def m(self):
        for i in range(1): self.log.info("i=%d", i)
A().m(); print(k.kept[-1])
r = logging.LogRecord("n", 20, "p/file.py", 3, "m %s", ("a",), None); print(r, r.getMessage(), r.filename, r.module)
logging.basicConfig(level=logging.ERROR, format="%(message)s", stream=sys.stdout, force=True); logging.error("plain"); logging.info("hidden")
print(len(root.handlers), root.level)
