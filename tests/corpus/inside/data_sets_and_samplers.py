# Data sets of one's own, samplers, collating, errors
import torch
from torch.utils.data import Dataset, DataLoader
import torch.utils.data as data
class D(Dataset):
    def __init__(self, n): self.x = torch.linspace(0, 1, n); self.n = n
    def __len__(self): return self.n
    def __getitem__(self, i): return {'x': self.x[i], 'label': i, 'name': f'n{i}', 'f': i * 0.5}
torch.manual_seed(3)
for b in DataLoader(D(5), batch_size=2, shuffle=True): print(b)
class E(torch.utils.data.Dataset):
    def __len__(self): return 4
    def __getitem__(self, i): return torch.tensor([i, i + 1.]), i % 2
for x, t in DataLoader(E(), batch_size=3): print(x, t, t.dtype)
for x in DataLoader([1, 2, 3], batch_size=2): print(x)
for x in DataLoader([1.5, 2, 3], batch_size=2): print(x)
for x in DataLoader(list(zip(torch.arange(4.), torch.arange(4) * 2)), batch_size=2): print(x)
for x in DataLoader(torch.arange(4.), batch_size=None): print(x)
for x in DataLoader(range(3), collate_fn=lambda b: ('c', b)): print(x)
import numpy as np
for x in DataLoader(np.arange(6.).reshape(3, 2), batch_size=2): print(x)
print(list(data.SequentialSampler(range(3))), list(data.BatchSampler(data.SequentialSampler(range(5)), 2, False)), list(data.BatchSampler(range(5), batch_size=2, drop_last=True)))
torch.manual_seed(1)
print(list(data.RandomSampler(range(5))), list(data.RandomSampler(range(5), replacement=True, num_samples=4)), list(data.WeightedRandomSampler([0.1, 0.9, 0.5], 4)), list(data.SubsetRandomSampler([3, 5, 7])))
class It(data.IterableDataset):
    def __iter__(self): return iter(range(5))
for x in DataLoader(It(), batch_size=2): print(x)
d = DataLoader(E(), batch_size=2, sampler=data.RandomSampler(E())); print(len(d)); [print(x) for x in d]
try: DataLoader(E(), batch_size=0)
except ValueError as e: print(e)
try: TD = data.TensorDataset(torch.ones(2), torch.ones(3))
except AssertionError as e: print(e)
from torch.utils.data import default_collate
print(default_collate([torch.ones(2), torch.zeros(2)]), default_collate([1, 2]), default_collate(['a', 'b']), default_collate([(1, 'a'), (2, 'b')]))
