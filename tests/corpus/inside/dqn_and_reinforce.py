import torch, torch.nn as nn
import random, math, time, os, sys
from itertools import count, cycle, islice, chain, combinations, zip_longest, starmap, takewhile
from collections import deque, namedtuple
# DQN / REINFORCE toys
Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward'))
class ReplayMemory(object):
    def __init__(self, capacity): self.memory = deque([], maxlen=capacity)
    def push(self, *args): self.memory.append(Transition(*args))
    def sample(self, batch_size): return random.sample(self.memory, batch_size)
    def __len__(self): return len(self.memory)
random.seed(0); torch.manual_seed(0)
class Env:
    def reset(self): self.s = 0; return torch.tensor([[0.0, 1.0]])
    def step(self, a):
        self.s += 1 if a == 1 else -1
        done = abs(self.s) >= 3
        return torch.tensor([[float(self.s), 1.0]]), 1.0 if self.s >= 3 else -0.1, done
class DQN(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.layer1 = nn.Linear(n_obs, 16); self.layer2 = nn.Linear(16, n_act)
    def forward(self, x): return self.layer2(torch.relu(self.layer1(x)))
policy, target = DQN(2, 2), DQN(2, 2)
target.load_state_dict(policy.state_dict())
opt = torch.optim.AdamW(policy.parameters(), lr=1e-2, amsgrad=True)
mem = ReplayMemory(50); steps = 0
def select_action(state):
    global steps
    eps = 0.05 + 0.85 * math.exp(-1. * steps / 20); steps += 1
    if random.random() > eps:
        with torch.no_grad(): return policy(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(2)]], dtype=torch.long)
def optimize():
    if len(mem) < 8: return None
    batch = Transition(*zip(*mem.sample(8)))
    mask = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
    nonfinal = torch.cat([s for s in batch.next_state if s is not None])
    sb, ab, rb = torch.cat(batch.state), torch.cat(batch.action), torch.cat(batch.reward)
    q = policy(sb).gather(1, ab)
    nv = torch.zeros(8)
    with torch.no_grad(): nv[mask] = target(nonfinal).max(1).values
    exp = nv * 0.9 + rb
    loss = nn.SmoothL1Loss()(q, exp.unsqueeze(1))
    opt.zero_grad(); loss.backward(); nn.utils.clip_grad_value_(policy.parameters(), 100); opt.step()
    return loss.item()
env = Env(); durations = []
for ep in range(6):
    state = env.reset()
    for t in count():
        a = select_action(state)
        obs, r, done = env.step(a.item())
        nxt = None if done else obs
        mem.push(state, a, nxt, torch.tensor([r])); state = nxt
        loss = optimize()
        tsd, psd = target.state_dict(), policy.state_dict()
        for key in psd: tsd[key] = psd[key] * 0.05 + tsd[key] * 0.95
        target.load_state_dict(tsd)
        if done or t > 20: durations.append(t + 1); break
    print(f"episode {ep}: {durations[-1]} steps, loss {loss if loss is None else format(loss, '.4f')}")
print(durations, steps, len(mem), mem.memory[0].reward)
rewards = [1.0, 0.0, 2.0]; R = 0; returns = deque()
for r in rewards[::-1]: R = r + 0.99 * R; returns.appendleft(R)
returns = torch.tensor(returns); returns = (returns - returns.mean()) / (returns.std() + 1e-8); print(returns)
pi = nn.Sequential(nn.Linear(2, 2), nn.Softmax(dim=-1)); saved = []
for i in range(3):
    probs = pi(torch.tensor([float(i), 1.0])); a = torch.multinomial(probs, 1); saved.append(torch.log(probs[a])); print(probs.detach(), a)
loss = torch.cat([-l * r for l, r in zip(saved, returns)]).sum(); loss.backward(); print(f"{loss:.4f}", pi[0].weight.grad)
print(list(islice(cycle("ab"), 5)), list(zip_longest([1, 2], [3], fillvalue=0)), list(combinations(range(3), 2)), list(starmap(pow, [(2, 3)])), list(takewhile(lambda v: v < 3, count())), list(chain([1], [2])))
memo = {}
def soft_update(local, tgt, tau):
    for t, l in zip(tgt.parameters(), local.parameters()): t.data.copy_(tau * l.data + (1.0 - tau) * t.data)
soft_update(policy, target, 1.0); print(all(torch.equal(a, b) for a, b in zip(policy.parameters(), target.parameters())))
