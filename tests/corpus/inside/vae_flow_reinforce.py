# VAE, flow and REINFORCE toys with torch.distributions
import torch, math
import torch.nn as nn, torch.nn.functional as F
from torch.distributions import Normal, Categorical, Bernoulli, kl_divergence
torch.manual_seed(0)
class Latent(nn.Module):
    """Six bits through two numbers drawn from a normal distribution, whose scale is written as a logarithm"""
    def __init__(self, bits=6, hidden=8, size=2):
        super().__init__()
        self.inward, self.outward = nn.Linear(bits, hidden), nn.Linear(size, hidden)
        self.center, self.log_variance = nn.Linear(hidden, size), nn.Linear(hidden, size)
        self.chances = nn.Linear(hidden, bits)
    def forward(self, rows):
        seen = F.relu(self.inward(rows))
        center, log_variance = self.center(seen), self.log_variance(seen)
        drawn = torch.addcmul(center, (log_variance / 2).exp(), torch.randn_like(center))
        return torch.sigmoid(self.chances(F.relu(self.outward(drawn)))), center, log_variance
net = Latent(); opt = torch.optim.Adam(net.parameters(), lr=1e-2)
data = (torch.rand(20, 6) > .5).float()
for epoch in range(3):
    lost = []
    for rows in data.split(5):
        guess, mu, lv = net(rows)
        kld = -0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp())
        loss = F.binary_cross_entropy(guess, rows, reduction='sum') + kld
        opt.zero_grad(); loss.backward(); opt.step()
        lost.append(loss.item())
    print('{}: {:.4f} a row, at least {:.4f}'.format(epoch, sum(lost) / len(data), min(lost)))
print(kld.grad_fn.name(), mu.shape, kl_divergence(Normal(mu, (0.5 * lv).exp()), Normal(0., 1.)).sum().sub(kld).abs() < 1e-3)
# planar flow
class Planar(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.u = nn.Parameter(torch.randn(1, dim) * .1); self.w = nn.Parameter(torch.randn(1, dim) * .1); self.b = nn.Parameter(torch.zeros(1))
    def forward(self, z):
        lin = z @ self.w.T + self.b
        f = z + self.u * torch.tanh(lin)
        psi = (1 - torch.tanh(lin) ** 2) * self.w
        return f, torch.log((1 + psi @ self.u.T).abs() + 1e-8)
flows = nn.ModuleList([Planar(2) for _ in range(3)])
print(flows)
z0 = torch.randn(6, 2); z, ld = z0, 0
for fl in flows:
    z, l = fl(z); ld = ld + l
logq = Normal(0, 1).log_prob(z0).sum(1, keepdim=True) - ld
logp = -0.5 * ((z - 1) ** 2).sum(1, keepdim=True) - math.log(2 * math.pi)
elbo = (logp - logq).mean(); (-elbo).backward()
print(f"elbo {elbo:.5f}", logq.shape); print(flows[0].u.grad, flows[2].b.grad)
J = torch.autograd.functional.jacobian(lambda t: flows[0](t)[0], z0[:1]).squeeze()
print(torch.slogdet(J)[1] - flows[0](z0[:1])[1].squeeze() < 1e-5)
# REINFORCE with baseline
policy = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2)); po = torch.optim.SGD(policy.parameters(), .1)
rewards_log = []
for ep in range(5):
    s = torch.randn(10, 3); dist = Categorical(logits=policy(s)); a = dist.sample()
    R = torch.where(a == (s[:, 0] > 0).long(), 1.0, -1.0)
    adv = (R - R.mean()) / (R.std() + 1e-9)
    loss = -(dist.log_prob(a) * adv).mean() - 0.01 * dist.entropy().mean()
    po.zero_grad(); loss.backward(); po.step(); rewards_log.append(R.mean().item())
    print(f"ep {ep} loss {loss.item():+.4f} R {R.mean():.2f} H {dist.entropy().mean():.4f}")
print(dist, a, a.dtype, rewards_log)
d = Normal(torch.tensor([0., 1.], requires_grad=True), torch.tensor([1., 2.]))
s = d.rsample(); print(s.requires_grad, d.sample().requires_grad, d.mean, d.stddev, d)
print(d.log_prob(torch.tensor(0.)), d.entropy(), d.cdf(torch.tensor(0.5)))
b = Bernoulli(logits=torch.tensor([0., 2.])); print(b.probs, b.log_prob(torch.tensor([1., 0.])), b)
try: Normal(0., -1.)
except ValueError as e: print(str(e))
try: Categorical(torch.tensor([-1., 2.]))
except ValueError as e: print(str(e)[:120])
try: d.log_prob(torch.tensor([1., 2., 3.]))
except Exception as e: print(type(e).__name__, e)
