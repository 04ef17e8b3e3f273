import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader, Sampler, WeightedRandomSampler, BatchSampler, SequentialSampler, RandomSampler, ConcatDataset, IterableDataset, Subset, SubsetRandomSampler, default_collate, ChainDataset, StackDataset

torch.manual_seed(5)

class Toy(Dataset):
    """imbalanced three-class blobs"""
    def __init__(self, sizes=(20, 6, 4), transform=None, target_transform=None):
        self.data, self.targets = [], []
        for c, n in enumerate(sizes):
            self.data += list(torch.randn(n, 2) * 0.3 + torch.tensor([c * 1.5, -c]))
            self.targets += [c] * n
        self.transform, self.target_transform = transform, target_transform
    def __len__(self):
        return len(self.data)
    def __getitem__(self, i):
        x, y = self.data[i], self.targets[i]
        if self.transform: x = self.transform(x)
        if self.target_transform: y = self.target_transform(y)
        return x, y

class Compose:
    def __init__(self, *ts): self.ts = ts
    def __call__(self, x):
        for t in self.ts: x = t(x)
        return x
    def __repr__(self):
        return self.__class__.__name__ + '(' + ', '.join(t.__name__ if hasattr(t, '__name__') else repr(t) for t in self.ts) + ')'

def add_noise(x): return x + 0.01 * torch.randn_like(x)
ds = Toy(transform=Compose(add_noise, torch.Tensor.float))
print(len(ds), ds.transform, ds[0])
counts = torch.bincount(torch.tensor(ds.targets))
weights = (1.0 / counts.float())[torch.tensor(ds.targets)]
sampler = WeightedRandomSampler(weights, num_samples=len(ds), replacement=True)
dl = DataLoader(ds, batch_size=8, sampler=sampler)
print(len(dl), [torch.bincount(y, minlength=3).tolist() for _, y in dl])

class EvenOdd(Sampler):
    def __init__(self, source): self.n = len(source)
    def __iter__(self):
        yield from range(0, self.n, 2)
        yield from range(1, self.n, 2)
    def __len__(self): return self.n

print(list(BatchSampler(EvenOdd(range(7)), 3, drop_last=False)), list(BatchSampler(SequentialSampler(range(5)), 2, True)))
for x, y in DataLoader(ds, batch_sampler=BatchSampler(EvenOdd(ds), 12, False)):
    print(x.shape, y.tolist())

class Stream(IterableDataset):
    def __init__(self, n): self.n = n
    def __iter__(self):
        for i in range(self.n):
            yield {'i': i, 't': torch.tensor([i, i ** 2]), 's': f'item{i}', 'f': i / 2, 'nested': (i, [i + 1])}
for b in DataLoader(Stream(5), batch_size=2): print(b)
try:
    DataLoader(Stream(5), shuffle=True)
except ValueError as e: print(e)
try:
    len(DataLoader(Stream(5), batch_size=2))
except TypeError as e: print(e)
both = ConcatDataset([ds, Subset(ds, [0, 1, 2])])
print(len(both), both.cumulative_sizes, both[31][1], [y for _, y in Subset(ds, range(18, 23))])
try:
    both[99]
except Exception as e: print(type(e).__name__, e)
def pad_collate(batch):
    xs, ys = zip(*batch)
    return torch.stack(xs).mean(0), torch.as_tensor(ys)
g = torch.Generator(); g.manual_seed(0)
for m, y in DataLoader(ds, 10, shuffle=True, generator=g, collate_fn=pad_collate): print(m, y)
ragged = [torch.ones(2), torch.ones(3)]
for bad in (lambda: next(iter(DataLoader(ragged, batch_size=2))), lambda: next(iter(DataLoader([None, 1], batch_size=2))),
            lambda: DataLoader(ds, batch_size=0), lambda: DataLoader(ds, batch_size=2, sampler=sampler, shuffle=True),
            lambda: DataLoader(ds, batch_sampler=BatchSampler(sampler, 2, False), batch_size=2), lambda: WeightedRandomSampler(weights, 0),
            lambda: torch.utils.data.random_split(ds, [10, 10]), lambda: torch.utils.data.random_split(ds, [0.5, 0.6]), lambda: torch.utils.data.TensorDataset(torch.ones(2), torch.ones(3)),
            lambda: list(DataLoader(range(3), batch_size=2, collate_fn=lambda b: b)), lambda: RandomSampler(ds, replacement=False, num_samples=-1), lambda: DataLoader(ds, num_workers=-1),
            lambda: DataLoader(ds, batch_size=None)[0], lambda: default_collate([{'a': 1}, {'b': 2}]), lambda: default_collate([]), lambda: StackDataset(ds, [1, 2])):
    try: print('ok', bad())
    except Exception as e: print(type(e).__name__, '|', e)
print(default_collate([(1, 2.0, 'a'), (3, 4.0, 'b')]), default_collate([torch.tensor(1), torch.tensor(2)]), default_collate([[1, 2], [3, 4]]))
net = nn.Linear(2, 3)
opt = torch.optim.SGD(net.parameters(), 0.5)
for epoch in range(3):
    correct = total = 0
    for x, y in DataLoader(ds, 8, sampler=SubsetRandomSampler(range(24))):
        out = net(x); loss = F.cross_entropy(out, y, weight=counts.sum() / counts); opt.zero_grad(); loss.backward(); opt.step()
        correct += (out.argmax(1) == y).sum().item(); total += y.size(0)
    print(f'{epoch}: acc {correct}/{total} = {correct / total:.1%}, last loss {loss:.4f}')
for i, (x, y) in enumerate(DataLoader(ds, batch_size=None)):
    if i == 2: print(x.shape, y, type(y)); break
