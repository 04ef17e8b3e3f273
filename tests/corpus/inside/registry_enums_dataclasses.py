from typing import Any, Callable, Dict, Generic, Iterable, List, Optional, Protocol, Sequence, Tuple, TypeVar, Union, Literal, ClassVar, Final
from dataclasses import dataclass, field, replace, fields, astuple, asdict, is_dataclass
from enum import Enum, IntEnum, Flag
import functools, heapq, bisect, random, copy, pprint
T = TypeVar("T")
class Registry(Generic[T]):
    def __init__(self, name: str) -> None:
        self._name = name
        self._items: Dict[str, T] = {}
    def register(self, key: Optional[str] = None) -> Callable[[T], T]:
        def deco(obj: T) -> T:
            k = key or obj.__name__
            if k in self._items: raise KeyError(f"{k} already in {self._name}")
            self._items[k] = obj
            return obj
        return deco
    def build(self, cfg: dict, **kw) -> Any:
        cfg = dict(cfg); kind = cfg.pop("type")
        return self._items[kind](**cfg, **kw)
    def __repr__(self) -> str:
        return f"{self.__class__.__name__}(name={self._name}, items={list(self._items)})"
MODELS: Registry = Registry("models")
import torch
from torch import nn, Tensor
@MODELS.register()
class MLP(nn.Module):
    hidden: ClassVar[int] = 4
    def __init__(self, i: int, o: int, act: Literal["relu", "tanh"] = "relu") -> None:
        super().__init__()
        acts = {"relu": nn.ReLU, "tanh": nn.Tanh}
        self.net = nn.Sequential(nn.Linear(i, self.hidden), acts[act](), nn.Linear(self.hidden, o))
    def forward(self, x: Tensor) -> Tensor: return self.net(x)
@MODELS.register("lin")
def linear(i, o): return nn.Linear(i, o)
print(MODELS)
torch.manual_seed(0)
print(MODELS.build({"type": "MLP", "i": 2, "o": 1}, act="tanh"), MODELS.build({"type": "lin"}, i=1, o=2))
try: MODELS.register("lin")(linear)
except KeyError as e: print(e)
@dataclass(frozen=True, order=True)
class Opt:
    lr: float = 1e-3
    betas: Tuple[float, float] = (0.9, 0.999)
    name: str = field(default="adam", compare=False)
@dataclass
class Cfg:
    opt: Opt = field(default_factory=Opt)
    layers: List[int] = field(default_factory=lambda: [1, 2])
    extra: Dict[str, Any] = field(default_factory=dict, repr=False)
    total: int = field(init=False)
    def __post_init__(self): self.total = sum(self.layers)
    @classmethod
    def from_dict(cls, d): return cls(**{f.name: d[f.name] for f in fields(cls) if f.init and f.name in d})
    @property
    def depth(self): return len(self.layers)
c = Cfg.from_dict({"layers": [3, 4, 5], "junk": 1}); print(c, c.depth, asdict(c), astuple(c.opt), replace(c.opt, lr=1), is_dataclass(c))
print(Opt() < Opt(lr=1), Opt() == Opt(name="x"), sorted([Opt(3), Opt(1)])[0], hash(Opt()) == hash(Opt()))
try: c.opt.lr = 5
except Exception as e: print(type(e).__name__, e)
try: Cfg(bad=1)
except TypeError as e: print(e)
class Phase(str, Enum):
    TRAIN = "train"; VAL = "val"
class Lvl(IntEnum): LOW = 1; HIGH = 5
class Perm(Flag): R = 1; W = 2
print(Phase.TRAIN, Phase("val"), Phase.TRAIN == "train", Lvl.HIGH > 3, Lvl.LOW + 1, repr(Lvl.LOW), Perm.R | Perm.W, [p.name for p in Phase], Phase.VAL.value.upper(), f"{Lvl.HIGH} {Phase.TRAIN}")
try: Phase("test")
except ValueError as e: print(e)
try: Phase.FOO
except AttributeError as e: print(e)
@functools.singledispatch
def show(x): return f"any {x}"
@show.register
def _(x: int): return f"int {x}"
@show.register(list)
def _(x): return f"list {len(x)}"
print(show(1), show([1]), show("s"))
@functools.total_ordering
class V:
    def __init__(s, n): s.n = n
    def __eq__(s, o): return s.n == o.n
    def __lt__(s, o): return s.n < o.n
print(V(1) <= V(2), V(3) > V(2), max([V(1), V(5)], key=lambda v: v.n).n)
h = [5, 1, 4]; heapq.heapify(h); heapq.heappush(h, 0); print(heapq.heappop(h), h, heapq.nlargest(2, h), bisect.bisect_left([1, 3, 5], 3), bisect.insort(a := [1, 3], 2), a)
class Mota:
    pass
