import random, math, heapq, sys
from dataclasses import dataclass, field
from collections import deque, defaultdict
from enum import Enum, auto
from typing import Iterator, NamedTuple
import numpy as np
import torch, torch.nn as nn, torch.nn.functional as F
SEED = 123
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)
class Action(Enum):
    UP = (-1, 0); DOWN = (1, 0); LEFT = (0, -1); RIGHT = (0, 1)
    @property
    def delta(self): return self.value
    def __repr__(self): return f"<{self.name}>"
class Transition(NamedTuple):
    s: int; a: int; r: float; s2: int; done: bool
@dataclass(order=True)
class Node:
    cost: float
    pos: tuple = field(compare=False)
    parent: "Node | None" = field(default=None, compare=False, repr=False)
    def path(self) -> Iterator[tuple]:
        n = self
        while n: yield n.pos; n = n.parent
class GridWorld:
    """4x4 world with holes"""
    MAP = ["S..#", ".#..", "...#", "#..G"]
    def __init__(self): self.h, self.w = len(self.MAP), len(self.MAP[0]); self.reset()
    def reset(self): self.pos = (0, 0); self.t = 0; return self.state
    @property
    def state(self): return self.pos[0] * self.w + self.pos[1]
    def step(self, a: Action):
        r, c = (p + d for p, d in zip(self.pos, a.delta)); self.t += 1
        if 0 <= r < self.h and 0 <= c < self.w and self.MAP[r][c] != "#": self.pos = r, c
        done = self.MAP[self.pos[0]][self.pos[1]] == "G"
        return self.state, (1.0 if done else -0.01), done or self.t >= 50
    def __str__(self): return "\n".join("".join("A" if (i, j) == self.pos else ch for j, ch in enumerate(row)) for i, row in enumerate(self.MAP))
env = GridWorld(); print(env, env.__doc__, Action.UP, repr(Action.LEFT), [a.name for a in Action], Action((0, 1)))
def astar(env):
    goal = next((i, j) for i, r in enumerate(env.MAP) for j, ch in enumerate(r) if ch == "G")
    heap, seen = [Node(0, (0, 0))], set()
    while heap:
        n = heapq.heappop(heap)
        if n.pos == goal: return n
        if n.pos in seen: continue
        seen.add(n.pos)
        for a in Action:
            r, c = n.pos[0] + a.delta[0], n.pos[1] + a.delta[1]
            if 0 <= r < 4 and 0 <= c < 4 and env.MAP[r][c] != "#": heapq.heappush(heap, Node(n.cost + 1 + math.dist((r, c), goal) / 100, (r, c), n))
best = astar(env); print(f"{best.cost:.3f}", list(best.path())[::-1], best)
Q = defaultdict(lambda: np.zeros(len(Action))); acts = list(Action); returns = []
for ep in range(60):
    s, total, done, eps = env.reset(), 0.0, False, max(0.05, 0.9 ** ep)
    while not done:
        a = random.randrange(4) if random.random() < eps else int(np.argmax(Q[s]))
        s2, r, done = env.step(acts[a]); Q[s][a] += 0.5 * (r + 0.95 * Q[s2].max() * (not done) - Q[s][a]); s = s2; total += r
    returns.append(total)
print(f"{np.mean(returns[:10]):.3f} {np.mean(returns[-10:]):.3f}", len(Q), {k: acts[int(v.argmax())].name for k, v in sorted(Q.items())})
for k in sorted(Q)[:3]: print(k, Q[k].round(3))
class Replay:
    def __init__(self, cap): self.buf = deque(maxlen=cap)
    def push(self, *a): self.buf.append(Transition(*a))
    def sample(self, n): return Transition(*zip(*random.sample(self.buf, n)))
    def __len__(self): return len(self.buf)
net, tgt = (nn.Sequential(nn.Linear(16, 12), nn.ReLU(), nn.Linear(12, 4)) for _ in range(2)); tgt.load_state_dict(net.state_dict())
opt = torch.optim.Adam(net.parameters(), lr=1e-2); mem = Replay(200); eye = torch.eye(16); losses = []
for ep in range(6):
    s, done = env.reset(), False
    while not done:
        with torch.no_grad(): a = net(eye[s]).argmax().item() if random.random() > 0.5 else random.choice(range(4))
        s2, r, done = env.step(acts[a]); mem.push(s, a, r, s2, done); s = s2
        if len(mem) < 32: continue
        b = mem.sample(16); S, A, R, S2, D = (torch.tensor(v) for v in b)
        q = net(eye[S]).gather(1, A[:, None]).squeeze(1)
        with torch.no_grad(): y = R + 0.9 * tgt(eye[S2]).max(1).values * ~D
        loss = F.smooth_l1_loss(q, y); opt.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step(); losses.append(loss.item())
    tgt.load_state_dict(net.state_dict()); print(f"ep {ep} t={env.t:>2} n={len(mem):>3} loss={np.mean(losses[-20:]) if losses else float('nan'):.4f}")
print(mem.buf[0], Transition._fields, b.a[:4], type(S), D.dtype, R.dtype)
mem.sample(1000)
