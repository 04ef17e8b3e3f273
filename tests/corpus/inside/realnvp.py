import numpy as np
import torch
from torch import nn
from torch import distributions
from torch.nn.parameter import Parameter
torch.manual_seed(0); np.random.seed(0)
class RealNVP(nn.Module):
    def __init__(self, nets, nett, mask, prior):
        super(RealNVP, self).__init__()
        self.prior = prior
        self.mask = nn.Parameter(mask, requires_grad=False)
        self.t = torch.nn.ModuleList([nett() for _ in range(len(masks))])
        self.s = torch.nn.ModuleList([nets() for _ in range(len(masks))])
    def g(self, z):
        x = z
        for i in range(len(self.t)):
            x_ = x * self.mask[i]
            s = self.s[i](x_) * (1 - self.mask[i])
            t = self.t[i](x_) * (1 - self.mask[i])
            x = x_ + (1 - self.mask[i]) * (x * torch.exp(s) + t)
        return x
    def f(self, x):
        log_det_J, z = x.new_zeros(x.shape[0]), x
        for i in reversed(range(len(self.t))):
            z_ = self.mask[i] * z
            s = self.s[i](z_) * (1 - self.mask[i])
            t = self.t[i](z_) * (1 - self.mask[i])
            z = (1 - self.mask[i]) * (z - t) * torch.exp(-s) + z_
            log_det_J -= s.sum(dim=1)
        return z, log_det_J
    def log_prob(self, x):
        z, logp = self.f(x)
        return self.prior.log_prob(z) + logp
    def sample(self, batchSize):
        z = self.prior.sample((batchSize, 1))
        logp = self.prior.log_prob(z)
        x = self.g(z)
        return x
nets = lambda: nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 2), nn.Tanh())
nett = lambda: nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 2))
masks = torch.from_numpy(np.array([[0, 1], [1, 0]] * 2).astype(np.float32))
prior = distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
flow = RealNVP(nets, nett, masks, prior)
optimizer = torch.optim.Adam([p for p in flow.parameters() if p.requires_grad == True], lr=1e-4)
theta = np.random.rand(64) * np.pi
data = np.stack([np.cos(theta), np.sin(theta)], 1).astype(np.float32) + np.random.randn(64, 2).astype(np.float32) * 0.05
for t in range(7):
    idx = np.random.choice(64, 32, replace=False)
    loss = -flow.log_prob(torch.from_numpy(data[idx])).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    if t % 2 == 0: print('iter %s:' % t, 'loss = %.3f' % loss)
x = flow.sample(3).detach().numpy()
print(x.shape)
z = flow.f(torch.from_numpy(data))[0].detach().numpy()
print(z.mean(0).round(3), z.std(0).round(3), np.abs(flow.g(torch.from_numpy(z)).detach().numpy() - data).max() < 1e-5)
print(sum(p.numel() for p in flow.parameters()), flow.mask.requires_grad, [n for n, _ in flow.named_parameters()][:3])
J = torch.autograd.functional.jacobian(lambda v: flow.f(v.unsqueeze(0))[0].squeeze(0), torch.tensor([.3, -.4]))
print(torch.allclose(torch.slogdet(J)[1], flow.f(torch.tensor([[.3, -.4]]))[1], atol=1e-5))
