# quick reference sheet: classes & typing for ML people
from typing import Generic, TypeVar, Iterator, overload, Literal, Final, Annotated, Self, ParamSpec, Concatenate, TypeAlias, NewType, cast, assert_never
from collections.abc import Callable, Iterable, Sequence, Generator
from enum import Enum, Flag, IntFlag, auto, unique, StrEnum
from abc import ABC, abstractmethod, ABCMeta
import functools, dataclasses, contextlib, random
import torch
from torch import Tensor, nn
from torch.utils.data import Dataset, DataLoader, Sampler, IterableDataset

T = TypeVar("T"); P = ParamSpec("P"); R = TypeVar("R")
Batch: TypeAlias = tuple[Tensor, Tensor]
UserId = NewType("UserId", int)
MAX: Final = 3

class Mode(StrEnum):
    TRAIN = auto(); EVAL = auto()
class Opt(IntFlag):
    A = auto(); B = auto(); C = auto(); AB = A | B
@unique
class Planet(Enum):
    EARTH = (5.97e24, 6.37e6)
    MARS = (6.42e23, 3.39e6)
    def __init__(self, mass, radius): self.mass, self.radius = mass, radius
    @property
    def gravity(self): return 6.674e-11 * self.mass / self.radius ** 2
print(Mode.TRAIN, repr(Mode.EVAL), Mode.TRAIN == "train", Opt.AB, Opt.A in Opt.AB, Opt.A | Opt.C, repr(Opt(0)), list(Opt.AB) if hasattr(Opt.AB, "__iter__") else "", round(Planet.MARS.gravity, 2), Planet.EARTH.name, Planet((6.42e23, 3.39e6)), len(Planet), list(Planet.__members__))

class SquaresDataset(Dataset):
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
    def __getitem__(self, i):
        if not 0 <= i < self.n: raise IndexError(f"index {i} out of range for {type(self).__name__} of length {self.n}")
        return torch.tensor([float(i)]), i % 2
class Stream(IterableDataset):
    def __iter__(self): yield from (torch.tensor(i) for i in range(4))
ds = SquaresDataset(5)
print(len(ds), ds[2], [y for _, y in ds])
for xb, yb in DataLoader(ds, batch_size=2, collate_fn=None): print(xb.flatten().tolist(), yb)
print([b.tolist() for b in DataLoader(Stream(), batch_size=3)], next(iter(DataLoader(ds, batch_size=5, shuffle=False)))[0].shape)
try: ds[9]
except IndexError as e: print(e)

class Builder:
    def __init__(self): self.parts: list[str] = []
    def add(self, p: str) -> Self: self.parts.append(p); return self
    def __iter__(self) -> Iterator[str]: return iter(self.parts)
    @overload
    def get(self, i: int) -> str: ...
    @overload
    def get(self, i: slice) -> list[str]: ...
    def get(self, i): return self.parts[i]
print(Builder().add("conv").add("relu").get(slice(0, 2)), [*Builder().add("x")], UserId(5) + 1, cast(int, "a"), MAX)

def logged(prefix: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    def deco(f: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(f)
        def inner(*args: P.args, **kwargs: P.kwargs) -> R:
            shown = ", ".join([*map(repr, args), *(f"{k}={v!r}" for k, v in kwargs.items())])
            print(f"{prefix} {f.__qualname__}({shown})")
            return f(*args, **kwargs)
        return inner
    return deco
class Calc:
    @logged(">>")
    def mul(self, a: int, b: int = 2) -> int: return a * b
    @staticmethod
    @logged("static")
    def neg(a): return -a
    @classmethod
    @logged("class")
    def make(cls): return cls()
    def __repr__(self): return "Calc()"
print(Calc().mul(3, b=4), Calc.neg(2), Calc.make(), Calc.mul.__annotations__, Calc.mul.__wrapped__.__defaults__)

class Residual(nn.Module):
    expansion: int = 1
    def __init__(self, d: int, p: float | None = None) -> None:
        super().__init__()
        self.fc = nn.Linear(d, d * self.expansion)
        self.drop = nn.Identity() if p is None else nn.Dropout(p)
        self.register_buffer("scale", torch.ones(1)); self.register_parameter("extra", None)
        self.blocks = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Sequential(nn.Linear(d, d), nn.Sigmoid())})
    def forward(self, x: Tensor) -> Tensor: return x + self.blocks["b"](self.drop(self.fc(x))) * self.scale
    def extra_repr(self): return f"expansion={self.expansion}"
    @property
    def n(self): return sum(p.numel() for p in self.parameters())
    @torch.no_grad()
    def init_(self, fn: Callable[[Tensor], Tensor] = nn.init.zeros_): self.apply(lambda m: fn(m.weight) if isinstance(m, nn.Linear) else None); return self
torch.manual_seed(0)
m = Residual(2).init_(); print(m, m.n, [n for n, _ in m.named_modules()], list(m.state_dict()), m(torch.ones(1, 2)), sep="\n")
for bad in (lambda: m.foo, lambda: m(torch.ones(1, 3)), lambda: m(), lambda: m.blocks["zz"], lambda: Residual(), lambda: setattr(m, "fc", 3), lambda: m.load_state_dict({}), lambda: m.register_buffer("scale", torch.ones(1)), lambda: Mode("nope"), lambda: Planet.VENUS, lambda: setattr(Planet, "EARTH", 1), lambda: Opt(64), lambda: Planet.EARTH < Planet.MARS, lambda: Mode.TRAIN + 1, lambda: next(iter(m.children())).weight @ torch.ones(3), lambda: nn.Linear(2), lambda: nn.Sequential(nn.ReLU)(torch.ones(1)), lambda: nn.ModuleList([1]), lambda: m.to("gpu"), lambda: m.get_parameter("fc.zz")):
    try: print(bad())
    except Exception as e: print(f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}")
def gen() -> Generator[int, str, bool]:
    got = yield 1
    print("got", got)
    return True
g = gen(); next(g)
try: g.send("x")
except StopIteration as s: print(s.value)
class Cyclic(Sampler):
    def __init__(self, n, k): self.n, self.k = n, k
    def __iter__(self): return (i % self.n for i in range(self.k))
    def __len__(self): return self.k
print([y.tolist() for _, y in DataLoader(ds, sampler=Cyclic(5, 7), batch_size=3)])
@unique
class Dup(Enum):
    A = 1
    B = 1
