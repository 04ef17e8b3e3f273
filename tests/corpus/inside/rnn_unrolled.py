import torch
torch.manual_seed(4)
T, n_in, n_hidden = 6, 2, 3
Wx = torch.randn(n_in, n_hidden) * 0.5
Wh = torch.randn(n_hidden, n_hidden) * 0.5
Wx.requires_grad_(); Wh.requires_grad_()
xs = torch.linspace(-1, 1, T * n_in).view(T, n_in)
h = torch.zeros(n_hidden)
hs = []
for t in range(T):
    h = torch.tanh(xs[t] @ Wx + h @ Wh)
    h.retain_grad()
    hs.append(h)
loss = hs[-1].sum()
loss.backward()
for t, h in enumerate(hs):
    print(f't={t} |dL/dh|={h.grad.norm():.5f}')
print(Wh.grad.shape, f'{Wh.grad.norm().item():.4f}')

cell = torch.nn.RNNCell(n_in, n_hidden)
with torch.no_grad():
    for p in cell.parameters():
        p.uniform_(-0.4, 0.4)
h = torch.zeros(1, n_hidden)
for x in xs:
    h = cell(x.unsqueeze(0), h)
h.mean().backward()
print([(n, round(p.grad.abs().sum().item(), 4)) for n, p in cell.named_parameters()])
print(torch.nn.utils.clip_grad_norm_(cell.parameters(), max_norm=0.1) > 0)
