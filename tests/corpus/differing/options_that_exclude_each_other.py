import torch, torch.nn as nn
try: nn.EmbeddingBag(10,3)(torch.tensor([1,2]), torch.tensor([1, 4]))
except Exception as e: print(repr(str(e)))
try: nn.Embedding(3, 2)(1)
except Exception as e: print(repr(str(e)))
try: torch.multinomial(torch.tensor([0., 0.]), 1)
except Exception as e: print(repr(str(e)))
import torch.nn.functional as F
from torch.utils.data import *
class It(IterableDataset):
    def __iter__(self): return iter(range(3))
for f in (lambda: nn.EmbeddingBag(10,3)(torch.tensor([1,2]), torch.tensor([0, 4])), lambda: nn.EmbeddingBag(10,3)(torch.tensor([1,2]).int(), torch.tensor([3, 4]).int()), lambda: F.embedding(torch.tensor([0]), torch.ones(2)),
  lambda: DataLoader([1], timeout=-1), lambda: DataLoader([1], prefetch_factor=2), lambda: DataLoader([1], persistent_workers=True), lambda: DataLoader(It(), sampler=[0]), lambda: DataLoader(It(), batch_sampler=[[0]]), lambda: DataLoader(It(), shuffle=True), lambda: DataLoader([1], num_workers=-2), lambda: len(list(DataLoader(It(), shuffle=False)))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class K:
    @classmethod
    def a(cls): pass
    @staticmethod
    def b(): pass
    @property
    def c(self): pass
    x = 3
print({k: (isinstance(v, classmethod), isinstance(v, staticmethod), isinstance(v, property), isinstance(v, (int, classmethod))) for k, v in vars(K).items() if not k.startswith("_")})
