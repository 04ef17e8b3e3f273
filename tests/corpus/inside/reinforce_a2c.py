import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical, Normal, Beta, MultivariateNormal
import numpy as np
from collections import deque, namedtuple
from itertools import count

torch.manual_seed(543); np.random.seed(543)
class CartLike:
    """A tiny environment without gym"""
    def __init__(self): self.rng = np.random.RandomState(0)
    def reset(self):
        self.s = self.rng.uniform(-0.05, 0.05, 4); self.t = 0
        return self.s.astype(np.float32)
    def step(self, a):
        f = 1.0 if a == 1 else -1.0
        x, v, th, w = self.s
        self.s = np.array([x + .02 * v, v + .1 * f, th + .02 * w, w + .3 * np.sin(th) - .15 * f]); self.t += 1
        done = bool(abs(self.s[2]) > 0.2 or self.t >= 30)
        return self.s.astype(np.float32), 1.0, done, {}
SavedAction = namedtuple('SavedAction', ['log_prob', 'value'])
class Policy(nn.Module):
    def __init__(self):
        super(Policy, self).__init__()
        self.affine1 = nn.Linear(4, 16)
        self.action_head = nn.Linear(16, 2)
        self.value_head = nn.Linear(16, 1)
        self.saved_actions = []
        self.rewards = []
    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)
model = Policy(); optimizer = optim.Adam(model.parameters(), lr=3e-2)
eps = np.finfo(np.float32).eps.item()
def select_action(state):
    state = torch.from_numpy(state).float()
    probs, state_value = model(state)
    m = Categorical(probs)
    action = m.sample()
    model.saved_actions.append(SavedAction(m.log_prob(action), state_value))
    return action.item()
def finish_episode():
    R = 0
    saved_actions = model.saved_actions
    policy_losses, value_losses, returns = [], [], []
    for r in model.rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    for (log_prob, value), R in zip(saved_actions, returns):
        advantage = R - value.item()
        policy_losses.append(-log_prob * advantage)
        value_losses.append(F.smooth_l1_loss(value, torch.tensor([R])))
    optimizer.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()
    del model.rewards[:]
    del model.saved_actions[:]
    return loss.item()
env = CartLike(); running_reward = 10
for i_episode in range(1, 7):
    state, ep_reward = env.reset(), 0
    for t in range(1, 100):
        action = select_action(state)
        state, reward, done, _ = env.step(action)
        model.rewards.append(reward)
        ep_reward += reward
        if done: break
    running_reward = 0.05 * ep_reward + (1 - 0.05) * running_reward
    l = finish_episode()
    print('Episode {}\tLast reward: {:.2f}\tAverage reward: {:.2f}\tloss {:.3f}'.format(i_episode, ep_reward, running_reward, l))
# gaussian policy, PPO ratio
mu = nn.Linear(3, 2); log_std = nn.Parameter(torch.zeros(2))
obs = torch.randn(5, 3)
dist = Normal(mu(obs), log_std.exp())
act = dist.sample(); old = dist.log_prob(act).sum(-1).detach()
adv = torch.randn(5)
opt = optim.Adam([*mu.parameters(), log_std], lr=0.1)
for k in range(3):
    dist = Normal(mu(obs), log_std.exp())
    ratio = (dist.log_prob(act).sum(-1) - old).exp()
    s1, s2 = ratio * adv, ratio.clamp(0.8, 1.2) * adv
    loss = -torch.min(s1, s2).mean() - 0.01 * dist.entropy().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    print(k, loss.item(), ratio.mean().item(), log_std.data)
mv = MultivariateNormal(mu(obs), torch.diag_embed(log_std.exp().expand(5, 2)))
print(mv, mv.log_prob(act), mv.entropy())
b = Beta(F.softplus(mu(obs)) + 1, 2.0)
print(b.mean, b.log_prob(torch.full((5, 2), .3)).sum())
