# REINFORCE on a bandit and tiny gridworld
import torch
import torch.nn as nn
import torch.optim as optim
import torch.nn.functional as F
from torch.distributions import Categorical, Normal, Bernoulli
torch.manual_seed(543)
class Policy(nn.Module):
    def __init__(self):
        super(Policy, self).__init__()
        self.affine1 = nn.Linear(4, 16)
        self.dropout = nn.Dropout(p=0.6)
        self.affine2 = nn.Linear(16, 2)
        self.saved_log_probs = []
        self.rewards = []
    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.affine2(x), dim=1)
policy = Policy()
optimizer = optim.Adam(policy.parameters(), lr=1e-2)
def select_action(state):
    probs = policy(state.unsqueeze(0))
    m = Categorical(probs)
    action = m.sample()
    policy.saved_log_probs.append(m.log_prob(action))
    return action.item(), m.entropy().item()
def finish_episode():
    R, returns = 0, []
    for r in policy.rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    loss = [-lp * R for lp, R in zip(policy.saved_log_probs, returns)]
    optimizer.zero_grad()
    loss = torch.cat(loss).sum()
    loss.backward()
    optimizer.step()
    del policy.rewards[:]
    del policy.saved_log_probs[:]
    return loss
for ep in range(4):
    state = torch.zeros(4); total = 0
    for t in range(8):
        a, ent = select_action(state)
        state = state * 0.5; state[a] += 1; state[3] = t / 8
        r = 1.0 if a == 0 else -0.5
        policy.rewards.append(r); total += r
    loss = finish_episode()
    print(f'Episode {ep}\tLast reward: {total:.2f}\tloss {loss.item():.5f}\tentropy {ent:.5f}')
m = Categorical(torch.tensor([0.25, 0.25, 0.25, 0.25]))
print(m, m.probs, m.logits)
print(m.sample((5,)), m.log_prob(torch.tensor(2)), m.entropy())
m2 = Categorical(logits=torch.tensor([[1., 2., 3.], [0., 0., 0.]]))
print(m2, m2.sample(), m2.probs)
mu = torch.tensor([0., 1.], requires_grad=True); sigma = torch.tensor([1., 2.], requires_grad=True)
n = Normal(mu, sigma)
print(n, n.mean, n.stddev, n.variance)
torch.manual_seed(0)
s = n.rsample(); print(s)
s.sum().backward(); print(mu.grad, sigma.grad)
x = n.sample(); print(x, x.requires_grad, n.log_prob(x), n.entropy())
n.log_prob(torch.tensor([0.5, 0.5])).sum().backward(); print(mu.grad, sigma.grad)
b = Bernoulli(torch.tensor([0.3])); print(b, b.sample(), b.log_prob(torch.tensor([1.])))
print(n.cdf(torch.tensor(0.)))
try:
    Normal(torch.tensor(0.), torch.tensor(-1.))
except ValueError as e:
    print(e)
Categorical(torch.tensor([-0.1, 1.1]))
