# TensorDataset, DataLoader, random_split: PyTorch's own permutations
import torch
from torch.utils.data import TensorDataset, DataLoader, Dataset, random_split, Subset, ConcatDataset
torch.manual_seed(0)
X = torch.arange(10.).reshape(10, 1); y = X * 2
ds = TensorDataset(X, y)
print(len(ds), ds[2], ds[1:3])
for xb, yb in DataLoader(ds, batch_size=4, shuffle=True): print(xb.flatten(), yb.shape)
for xb, yb in DataLoader(ds, batch_size=4, shuffle=True, drop_last=True): print(xb.flatten())
for xb, yb in DataLoader(ds, 3): print(xb.flatten().tolist())
dl = DataLoader(ds, batch_size=4, num_workers=0, pin_memory=False)
print(len(dl), dl.batch_size, len(dl.dataset))
a, b = random_split(ds, [7, 3]); print(len(a), len(b), [a[i][0].item() for i in range(7)], b.indices)
a, b = random_split(ds, [0.8, 0.2], generator=torch.Generator().manual_seed(42)); print(a.indices, b.indices)
print(torch.rand(2))
xb, yb = next(iter(DataLoader(ds, batch_size=2, shuffle=True))); print(xb, yb, torch.rand(1))
g = torch.Generator().manual_seed(1)
for xb, in DataLoader(TensorDataset(X), batch_size=5, shuffle=True, generator=g): print(xb.flatten())
for i, (xb, yb) in enumerate(DataLoader(Subset(ds, [1, 3, 5]), batch_size=2)): print(i, xb.tolist())
print(len(ConcatDataset([ds, ds])), ConcatDataset([ds, ds])[12])
print(len(ds + ds))
import torch
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
X = torch.randn(20, 3); w = torch.tensor([1., 2., 3.]); y = X @ w
dl = DataLoader(TensorDataset(X, y), batch_size=5, shuffle=True)
m = torch.nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1)
for ep in range(3):
    tot = 0
    for xb, yb in dl:
        loss = torch.nn.functional.mse_loss(m(xb).squeeze(1), yb)
        opt.zero_grad(); loss.backward(); opt.step(); tot += loss.item() * len(xb)
    print(f'{tot / 20:.4f}')
