import torch
from torch import nn
torch.manual_seed(0)
s = nn.utils.spectral_norm(nn.Linear(4, 3)); print(s, [n for n, _ in s.named_parameters()], [n for n, _ in s.named_buffers()], s.weight.requires_grad, list(s.state_dict()))
o = s(torch.ones(1, 4)); print(o, s.weight.grad_fn, torch.linalg.matrix_norm(s.weight, 2) < 1.3); o.sum().backward(); print(s.weight_orig.grad, s.weight_u, s.weight_v)
s.eval(); print(s(torch.ones(1, 4))); D = nn.Sequential(nn.utils.spectral_norm(nn.Conv2d(1, 2, 3)), nn.LeakyReLU(.1), nn.utils.spectral_norm(nn.ConvTranspose2d(2, 1, 2), n_power_iterations=2), nn.Flatten(), nn.utils.spectral_norm(nn.Linear(9, 1))); print(D)
opt = torch.optim.Adam(D.parameters(), 0.01)
for i in range(3): l = (D(torch.ones(2, 1, 4, 4)) - D(torch.zeros(2, 1, 4, 4))).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); print(i, f'{l.item():.4f}')
nn.utils.remove_spectral_norm(D[4]); print([n for n, _ in D[4].named_parameters()], D[4].weight.shape)
w = nn.utils.weight_norm(nn.Linear(4, 3)); print(w, [(n, tuple(p.shape)) for n, p in w.named_parameters()], w.weight.grad_fn); y = w(torch.ones(2, 4)); y.pow(2).sum().backward(); print(w.weight_g.grad, w.weight_v.grad, y)
c = nn.utils.weight_norm(nn.Conv1d(1, 2, 3), name='weight', dim=0); print(c(torch.ones(1, 1, 5)).shape, c.weight_g.shape); nn.utils.remove_weight_norm(c); print([n for n, _ in c.named_parameters()])
for f in (lambda: nn.utils.spectral_norm(s), lambda: nn.utils.remove_weight_norm(nn.Linear(1, 1)), lambda: nn.utils.spectral_norm(nn.Linear(1, 1), n_power_iterations=0)):
    try: f()
    except Exception as e: print(type(e).__name__, e)
