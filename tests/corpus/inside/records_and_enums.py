import json, enum, copy
from collections import namedtuple, OrderedDict, defaultdict, ChainMap, deque, Counter
from dataclasses import dataclass, field, asdict, astuple, replace, fields, is_dataclass, FrozenInstanceError, KW_ONLY, InitVar
from typing import NamedTuple, Optional, List, TypedDict, Literal, Union
import torch
from torch import nn, optim


class Opt(str, enum.Enum):
    SGD = "sgd"
    ADAM = "adam"

    def build(self, params, lr):
        return {Opt.SGD: optim.SGD, Opt.ADAM: optim.Adam}[self](params, lr=lr)


class Color(enum.IntEnum):
    RED = enum.auto()
    GREEN = enum.auto()


class Mode(enum.Enum):
    TRAIN = 1
    EVAL = 2
    TEST = 2

    @classmethod
    def _missing_(cls, value):
        return cls.TRAIN if value == "t" else None

    @property
    def pretty(self): return self.name.title()


class Perm(enum.Flag):
    R = enum.auto(); W = enum.auto(); X = enum.auto()
    RW = R | W


@dataclass
class ModelCfg:
    dims: List[int] = field(default_factory=lambda: [4, 8, 2])
    act: str = "relu"
    dropout: float = 0.0
    secret: str = field(default="s3", repr=False, compare=False)


@dataclass(frozen=True, order=True)
class TrainCfg:
    lr: float
    opt: Opt = Opt.SGD
    seed: int = 0
    model: ModelCfg = field(default_factory=ModelCfg, compare=False)
    tags: tuple = ()

    def __post_init__(self):
        if not 0 < self.lr < 1:
            raise ValueError(f"bad lr {self.lr}")


@dataclass
class P:
    x: int
    _: KW_ONLY
    y: int = 0
    scale: InitVar[int] = 1
    z: int = field(init=False)

    def __post_init__(self, scale):
        self.z = (self.x + self.y) * scale


class Sample(NamedTuple):
    """One sample."""
    x: torch.Tensor
    y: int = -1

    @property
    def n(self): return self.x.numel()


Point = namedtuple("Point", "x y z", defaults=[0])

c = TrainCfg(0.1)
print(c)
print(TrainCfg(0.2) > c, c == TrainCfg(0.1), hash(c) == hash(TrainCfg(0.1)), is_dataclass(c), [f.name for f in fields(c)])
print(asdict(c), astuple(ModelCfg()), replace(c, lr=0.5, opt=Opt.ADAM))
print(json.dumps(asdict(c), indent=2, sort_keys=True))
print(P(3, y=4, scale=2), P(1))
for bad in [lambda: TrainCfg(3.), lambda: TrainCfg(), lambda: setattr(c, "lr", 1), lambda: P(1, 2), lambda: ModelCfg(dim=3), lambda: c < 3, lambda: delattr(c, "lr"), lambda: replace(c, zz=1)]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, "|", e)
print(Opt.SGD, Opt("adam"), repr(Opt.ADAM), Opt.SGD == "sgd", f"{Opt.SGD}", Opt["ADAM"].value, list(Opt))
print(Color.RED, Color.RED + 1, f"{Color.GREEN}", repr(Color(2)), Color.RED < Color.GREEN, [*Color])
print(Mode.TEST, Mode("t"), Mode.EVAL is Mode.TEST, Mode.__members__, Mode.TRAIN.pretty, len(Mode), Mode.TRAIN in Mode)
for bad in [lambda: Mode(9), lambda: Mode["NOPE"], lambda: setattr(Mode, "TRAIN", 4), lambda: Mode.NOPE, lambda: Opt("x")]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, "|", e)
print(Perm.RW, Perm.R | Perm.X, Perm.R in Perm.RW, ~Perm.R, Perm(5), bool(Perm.R & Perm.W), repr(Perm.RW), Perm.RW.value)
s = Sample(torch.ones(2, 3), 4)
print(s, s.n, s._fields, s._asdict()["y"], s._replace(y=9).y, Sample.__doc__, s[1], len(s), Sample._field_defaults)
p = Point(1, 2); x, *rest = p
print(p, x, rest, p + (1,), p._make([4, 5, 6]), p == (1, 2, 0), Point.__doc__, p._replace(z=5))
for bad in [lambda: Point(1), lambda: p._replace(w=1), lambda: setattr(p, "x", 3), lambda: namedtuple("A", "a a"), lambda: namedtuple("A", "class b"), lambda: p.w, lambda: Point(1, 2, 3, 4)]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, "|", e)


class Movie(TypedDict, total=False):
    name: str
    year: int


print(Movie(name="x", year=3), Optional[int], Union[int, str], List[Sample], Literal["a", "b"])
od = OrderedDict(a=1, b=2); od.move_to_end("a"); print(od, od.popitem(last=False))
dd = defaultdict(list); dd["k"].append(1); print(dd, dd.default_factory)
cm = ChainMap({"a": 1}, {"a": 2, "b": 3}); print(cm["a"], cm["b"], dict(cm), cm.maps, cm)
dq = deque([1, 2, 3], maxlen=3); dq.append(4); dq.rotate(1); print(dq, dq[0], dq.index(2))
ct = Counter("mississippi"); print(ct, ct.most_common(2), ct - Counter("miss"), ct["zz"], +Counter(a=-1, b=2), sum(ct.values()))
torch.manual_seed(c.seed)
layers = [nn.Linear(i, o) for i, o in zip(c.model.dims, c.model.dims[1:])]
net = nn.Sequential(*layers)
o = c.opt.build(net.parameters(), c.lr)
l = net(torch.ones(1, 4)).pow(2).sum(); l.backward(); o.step()
print(o, l.item())
c2 = copy.deepcopy(c); c2.model.dims.append(3); print(c.model.dims, c2.model.dims, copy.copy(c).model is c.model)
