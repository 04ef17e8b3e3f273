import torch
from torch.utils.data import Dataset, DataLoader, TensorDataset

class Squares(Dataset):
    def __init__(self, n):
        self.x = torch.arange(n, dtype=torch.float32)
    def __len__(self):
        return len(self.x)
    def __getitem__(self, i):
        return self.x[i], self.x[i] ** 2

torch.manual_seed(0)
loader = DataLoader(Squares(7), batch_size=3, shuffle=True)
for epoch in range(2):
    for i, (x, y) in enumerate(loader):
        print(epoch, i, x.tolist(), y.tolist())
print(len(loader), len(loader.dataset))
ds = TensorDataset(torch.eye(4), torch.tensor([0, 1, 2, 3]))
print(ds[1])
for xb, yb in DataLoader(ds, batch_size=2, drop_last=True):
    print(xb.shape, yb)
a, b = torch.utils.data.random_split(ds, [3, 1], generator=torch.Generator().manual_seed(1))
print(len(a), len(b), list(a.indices))
w = torch.nn.Parameter(torch.tensor([1.0]))
opt = torch.optim.SGD([w], lr=1.0)
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4)
for _ in range(4):
    opt.zero_grad()
    (w ** 2).sum().backward()
    opt.step()
    sch.step()
    print(sch.get_last_lr(), w.item())
