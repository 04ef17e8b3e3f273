import torch, torch.nn as nn
from torch.utils.data import Dataset, DataLoader
torch.manual_seed(0)
class SineDataset(Dataset):
    def __init__(self, n=40, seq=5):
        t = torch.linspace(0, 6.28, n + seq); s = torch.sin(t)
        self.x = torch.stack([s[i:i + seq] for i in range(n)]); self.y = s[seq:seq + n]
    def __len__(self): return self.y.shape[0]
    def __getitem__(self, idx):
        if torch.is_tensor(idx): idx = idx.tolist()
        sample = {'x': self.x[idx], 'y': self.y[idx]}
        return sample
class LSTMModel(nn.Module):
    def __init__(self, input_dim=1, hidden_dim=6, layer_dim=2, output_dim=1, dropout_prob=0.2):
        super(LSTMModel, self).__init__()
        self.hidden_dim, self.layer_dim = hidden_dim, layer_dim
        self.lstm = nn.LSTM(input_dim, hidden_dim, layer_dim, batch_first=True, dropout=dropout_prob)
        self.fc = nn.Linear(hidden_dim, output_dim)
    def forward(self, x):
        h0 = torch.zeros(self.layer_dim, x.size(0), self.hidden_dim).requires_grad_()
        c0 = torch.zeros(self.layer_dim, x.size(0), self.hidden_dim).requires_grad_()
        out, (hn, cn) = self.lstm(x, (h0.detach(), c0.detach()))
        return self.fc(out[:, -1, :])
ds = SineDataset(); print(len(ds), ds[0], ds[torch.tensor(1)]['y'])
dl = DataLoader(ds, batch_size=16, shuffle=False, pin_memory=False)
model = LSTMModel(); print(model)
crit, opt = nn.MSELoss(reduction="mean"), torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-6)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=5)
def get_lr(o):
    for g in o.param_groups: return g['lr']
for epoch in range(3):
    batch_losses = []
    model.train()
    for i, b in enumerate(dl):
        yhat = model(b['x'].unsqueeze(-1)); loss = crit(b['y'].unsqueeze(1), yhat)
        loss.backward(); opt.step(); opt.zero_grad(); batch_losses.append(loss.item())
    sched.step()
    with torch.no_grad():
        model.eval(); v = [crit(model(b['x'][..., None]).squeeze(), b['y']).item() for b in dl]
    print(f"[{epoch + 1}/{3}] Training loss: {sum(batch_losses) / len(batch_losses):.4f}\t Validation loss: {sum(v) / len(v):.4f} lr={get_lr(opt):.6f}")
for name, p in model.lstm.named_parameters():
    if 'bias' in name: nn.init.constant_(p, 0.0)
    elif 'weight_hh' in name: nn.init.orthogonal_(p)
print(model.lstm.bias_ih_l0[:3], model.lstm._get_name(), model.lstm.weight_hh_l1.shape)
packed = nn.GRU(1, 3, batch_first=True); o, h = packed(torch.ones(2, 4, 1)); print(torch.allclose(o[:, -1], h[0]), o.shape)
print(model.lstm(torch.ones(3, 1))[0].shape, nn.RNN(2, 3, bias=False), nn.LSTMCell(1, 2), nn.GRUCell(1, 2, bias=False), nn.RNN(2, 3, 2, 'relu'))
