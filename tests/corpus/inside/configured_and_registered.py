import argparse
import json
import logging
import sys
import time
from collections import Counter, OrderedDict, defaultdict, namedtuple
from contextlib import contextmanager, suppress, redirect_stdout, nullcontext
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from enum import Enum, IntEnum, auto, Flag
from functools import cached_property, lru_cache, partial, reduce, singledispatchmethod, total_ordering, wraps
from io import StringIO
from itertools import accumulate, chain, combinations, count, cycle, groupby, islice, product, starmap, zip_longest, pairwise
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypedDict, TypeVar, runtime_checkable

import torch
from torch import nn, Tensor

logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s", stream=sys.stdout)
logger = logging.getLogger(__name__)

T = TypeVar("T")


class Activation(str, Enum):
    RELU = "relu"
    TANH = "tanh"
    GELU = "gelu"

    @classmethod
    def _missing_(cls, value):
        for m in cls:
            if m.value == str(value).lower():
                return m
        return None

    def __call__(self, x: Tensor) -> Tensor:
        return getattr(torch.nn.functional, self.value)(x) if self is not Activation.TANH else x.tanh()


class Level(IntEnum):
    LOW = auto()
    MID = auto()
    HIGH = auto()


class Perm(Flag):
    R = 4
    W = 2
    X = 1


@dataclass(order=True)
class Config:
    lr: float = 0.1
    hidden: list[int] = field(default_factory=lambda: [8, 4])
    act: Activation = Activation.RELU
    seed: int = field(default=0, repr=False, compare=False)
    version: ClassVar[str] = "1.0"

    def __post_init__(self):
        if self.lr <= 0:
            raise ValueError(f"lr must be positive, got {self.lr}")

    @property
    def depth(self) -> int:
        return len(self.hidden)


@dataclass(frozen=True)
class Sample:
    x: float
    y: float = 0.0


class Stats(NamedTuple):
    mean: float
    std: float = 1.0

    def describe(self) -> str:
        return f"{self.mean:.2f}±{self.std:.2f}"


class Opts(TypedDict, total=False):
    name: str
    size: int


@runtime_checkable
class HasForward(Protocol):
    def forward(self, x: Tensor) -> Tensor: ...


class Registry(Generic[T]):
    def __init__(self) -> None:
        self._items: dict[str, T] = {}

    def register(self, name: str):
        def deco(fn: T) -> T:
            if name in self._items:
                raise KeyError(f"duplicate {name!r}")
            self._items[name] = fn
            return fn
        return deco

    def __getitem__(self, name: str) -> T:
        try:
            return self._items[name]
        except KeyError:
            raise KeyError(f"{name!r} not in {sorted(self._items)}") from None


LOSSES: Registry = Registry()


@LOSSES.register("mse")
def mse(p: Tensor, t: Tensor) -> Tensor:
    return ((p - t) ** 2).mean()


@LOSSES.register("mae")
def mae(p: Tensor, t: Tensor) -> Tensor:
    return (p - t).abs().mean()


def timed(fn=None, *, tag="run"):
    if fn is None:
        return partial(timed, tag=tag)

    @wraps(fn)
    def inner(*args, **kw):
        t0 = time.perf_counter()
        try:
            return fn(*args, **kw)
        finally:
            dt = time.perf_counter() - t0
            logger.info("%s finished (%s), took >= 0: %s", tag, fn.__name__, dt >= 0)
    return inner


@timed(tag="train")
def train(cfg: Config, steps: int = 5) -> list[float]:
    torch.manual_seed(cfg.seed)
    sizes = [2, *cfg.hidden, 1]
    layers: list[nn.Module] = []
    for i, (a, b) in enumerate(pairwise(sizes)):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append({"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU}[cfg.act.value]())
    net = nn.Sequential(*layers)
    assert isinstance(net, HasForward)
    x = torch.randn(16, 2)
    y = x.prod(dim=1, keepdim=True)
    opt = torch.optim.SGD(net.parameters(), lr=cfg.lr)
    out = []
    for step in range(steps):
        opt.zero_grad()
        loss = LOSSES["mse"](net(x), y)
        loss.backward()
        opt.step()
        out.append(loss.item())
    return out


def main(argv=None):
    p = argparse.ArgumentParser(description="demo")
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--act", type=Activation, choices=list(Activation), default="tanh")
    p.add_argument("--hidden", type=int, nargs="+", default=[4])
    p.add_argument("-v", "--verbose", action="count", default=0)
    p.add_argument("--no-cuda", dest="cuda", action="store_false")
    args = p.parse_args(argv)
    print(args)
    cfg = Config(lr=args.lr, hidden=args.hidden, act=args.act)
    print(cfg, cfg.depth, Config.version)
    print([f"{v:.4f}" for v in train(cfg)])
    print(json.dumps(asdict(cfg), indent=2, default=str))
    print(astuple(replace(cfg, lr=1.0)), cfg < replace(cfg, lr=1.0))
    print([(f.name, f.default) for f in fields(Sample)])
    s = Sample(1.0)
    try:
        s.x = 2
    except Exception as e:
        print(type(e).__name__, e)
    try:
        Config(lr=-1)
    except ValueError as e:
        logger.error("bad config: %s", e)
    try:
        LOSSES["huber"]
    except KeyError as e:
        print("KeyError", e, e.__cause__, e.__suppress_context__)
    print(Activation("TANH"), repr(Activation.GELU), Activation.RELU == "relu", Level.HIGH > Level.LOW, Level(2), Perm.R | Perm.X, ~Perm.R)
    try:
        Activation("swish")
    except ValueError as e:
        print(e)
    st = Stats(torch.tensor([1., 2., 3.]).mean().item())
    print(st, st.describe(), st._asdict(), st._replace(std=2.0))
    o: Opts = {"name": "a"}
    print(o, Opts.__annotations__, Opts.__total__)
    buf = StringIO()
    with redirect_stdout(buf), suppress(ZeroDivisionError):
        print("inside", end="|")
        1 / 0
    print(repr(buf.getvalue()))
    print(list(accumulate([1, 2, 3, 4], lambda a, b: a * b)), [(k, len(list(g))) for k, g in groupby("aabbbc")])
    print(reduce(lambda f, g: lambda x: g(f(x)), [abs, float, str])(-3))
    p = Path("runs") / "exp1" / "model.tar.gz"
    print(p, p.stem, p.suffix, p.suffixes, p.parent, p.parts, p.with_suffix(".pt"), p.name)
    print(Counter("mississippi").most_common(2), OrderedDict(a=1), defaultdict(list, a=[1]))
    print(dict(zip_longest("ab", [1], fillvalue=0)), list(islice(cycle("xy"), 5)), list(starmap(pow, [(2, 3), (3, 2)])))
    logger.warning("lr=%(lr).3f", {"lr": cfg.lr})
    logger.debug("hidden")
    try:
        {}["missing"]
    except KeyError:
        logger.info("caught", exc_info=False)


if __name__ == "__main__":
    main(["--lr", "0.1", "--hidden", "3", "2", "-vv"])
    main(["--lr", "abc"])
