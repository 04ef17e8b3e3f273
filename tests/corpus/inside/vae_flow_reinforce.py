# VAE, flow and REINFORCE toys with torch.distributions
import torch, math
import torch.nn as nn, torch.nn.functional as F
from torch.distributions import Normal, Categorical, Bernoulli, kl_divergence
torch.manual_seed(0)
class VAE(nn.Module):
    def __init__(self, d=6, h=8, z=2):
        super().__init__()
        self.fc1 = nn.Linear(d, h); self.fc21 = nn.Linear(h, z); self.fc22 = nn.Linear(h, z)
        self.fc3 = nn.Linear(z, h); self.fc4 = nn.Linear(h, d)
    def encode(self, x):
        h1 = F.relu(self.fc1(x)); return self.fc21(h1), self.fc22(h1)
    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar); eps = torch.randn_like(std)
        return mu + eps * std
    def decode(self, z): return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))
    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 6)); z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar
def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 6), reduction='sum')
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD, BCE, KLD
vae = VAE(); opt = torch.optim.Adam(vae.parameters(), lr=1e-2)
data = (torch.rand(20, 6) > .5).float()
for epoch in range(1, 4):
    vae.train(); total = 0
    for b in data.split(5):
        opt.zero_grad(); r, mu, lv = vae(b); loss, bce, kld = loss_function(r, b, mu, lv)
        loss.backward(); total += loss.item(); opt.step()
    print('====> Epoch: {} Average loss: {:.4f}'.format(epoch, total / len(data)))
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
