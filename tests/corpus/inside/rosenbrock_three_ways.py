import torch
from torch import optim

def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2

x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
opt = optim.LBFGS([x], lr=0.1, max_iter=5)
def closure():
    opt.zero_grad()
    l = rosenbrock(x)
    l.backward()
    return l
for i in range(4):
    l = opt.step(closure)
    print('LBFGS', i, f'{l.item():.6f}', [round(v, 4) for v in x.tolist()])

x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
opt = optim.Adam([x], lr=0.1)
for i in range(50):
    opt.zero_grad()
    rosenbrock(x).backward()
    opt.step()
print('Adam', [round(v, 4) for v in x.detach().tolist()])

# Newton's method with the exact Hessian
x = torch.tensor([-1.2, 1.0], dtype=torch.float64)
for i in range(6):
    H = torch.autograd.functional.hessian(rosenbrock, x)
    g = torch.autograd.functional.jacobian(rosenbrock, x)
    x = x - torch.linalg.solve(H, g)
    print(i, rosenbrock(x).item() < 1e-3, x)
