"""What is computed in loops over axes and colours is computed, though no figure is drawn."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib import cm

w = torch.tensor([1.0, 2.0], requires_grad=True)


def step(lr=0.1):
    (w**2).sum().backward()
    w.data -= lr * w.grad
    w.grad = None
    return w.detach()


_, axs = plt.subplots(1, 4, figsize=(12, 3))
for ax in axs:
    ax.plot(step())
print(w, len(axs), axs.shape)

fig, grid = plt.subplots(2, 3, sharex=True)
for i, ax in enumerate(grid.flat):
    ax.imshow(np.eye(2))
    ax.set_title(f"{i}")
print(i, grid.shape, grid.ravel().shape, [len(row) for row in grid], grid.T.shape, grid[:, 0].size)
grid[0, 1].axis("off"), grid[1][2].grid()
for (r, c), ax in np.ndenumerate(grid):
    step()
print(r, c, w)
fig, ((a, b), (c, d)) = plt.subplots(2, 2)
fig, (top, bottom) = plt.subplots(nrows=2)
print(plt.subplots(1, 2, squeeze=False)[1].shape, plt.figure().subplots(3).shape, fig.add_gridspec(2, 2).subplots() is None)
fig, ax = plt.subplots()
print([len(np.atleast_1d(each)) for each in (ax, axs)], np.ravel(ax).shape, np.array([ax, ax]).shape)

points = [(0, 1), (2, 3), (4, 5)]
print([p for p, colour in zip(points, cm.rainbow(np.linspace(0, 1, 3)))])
print([p for colour, p in zip(plt.cm.tab10.colors, points)], len([1 for _ in plt.get_cmap("viridis")(np.linspace(0, 1, 5))]))
colours = itertools.cycle(plt.cm.tab10.colors)
for p in points:
    ax.scatter(*p, color=next(colours))
print(len([0 for p, colour in zip(points, itertools.cycle(["r", "g"]))]))
cycle = plt.rcParams["axes.prop_cycle"].by_key()["color"]
for i, p in enumerate(points):
    ax.plot(*p, color=cycle[i % len(cycle)], mfc=plt.cm.Set2.colors[i % len(plt.cm.Set2.colors)])
print(len(cycle), len(plt.cm.tab10.colors), len(plt.cm.tab20.colors), len([c for c in plt.cm.Set1.colors]))
low, high = ax.get_ylim()
ax.set_ylim(low * 1.1 - 1, abs(high) + 1)
if high > low:
    print("drawn")
plt.show()
