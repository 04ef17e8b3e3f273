import torch
import math
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
class GP(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.log_ls = torch.nn.Parameter(torch.tensor(0.0))
        self.log_var = torch.nn.Parameter(torch.tensor(0.0))
        self.log_noise = torch.nn.Parameter(torch.tensor(-2.0))
    def kernel(self, a, b):
        d2 = (a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum(-1)
        return self.log_var.exp() * torch.exp(-0.5 * d2 / self.log_ls.exp() ** 2)
    def nll(self, X, y):
        n = len(X)
        K = self.kernel(X, X) + self.log_noise.exp() * torch.eye(n)
        L = torch.linalg.cholesky(K)
        alpha = torch.cholesky_solve(y.unsqueeze(-1), L)
        return 0.5 * y @ alpha.squeeze(-1) + L.diagonal().log().sum() + 0.5 * n * math.log(2 * math.pi)
    @torch.no_grad()
    def predict(self, X, y, Xs):
        K = self.kernel(X, X) + self.log_noise.exp() * torch.eye(len(X))
        Ks, Kss = self.kernel(X, Xs), self.kernel(Xs, Xs)
        L = torch.linalg.cholesky(K)
        v = torch.linalg.solve_triangular(L, Ks, upper=False)
        mean = Ks.T @ torch.cholesky_solve(y.unsqueeze(-1), L)
        return mean.squeeze(-1), (Kss - v.T @ v).diagonal()
X = torch.linspace(-2, 2, 8).unsqueeze(-1); y = torch.sin(2 * X).squeeze(-1) + 0.1 * torch.randn(8)
gp = GP(); opt = torch.optim.Adam(gp.parameters(), lr=0.1)
for i in range(20):
    opt.zero_grad(); loss = gp.nll(X, y); loss.backward(); opt.step()
    if i % 5 == 0: print(f"{i:2d} nll {loss.item():.6f} ls {gp.log_ls.exp().item():.4f} grads {[round(p.grad.item(), 4) for p in gp.parameters()]}")
m, v = gp.predict(X, y, torch.tensor([[0.1], [3.0]]))
print(m, v.sqrt())
print({k: round(t.item(), 4) for k, t in gp.state_dict().items()})
print(loss, loss.grad_fn.next_functions[0][0].next_functions)
H = torch.autograd.functional.hessian(lambda a, b: (a * b).sum() ** 2, (torch.ones(2), torch.ones(2))); print(H)
try: torch.linalg.cholesky(-torch.eye(2))
except RuntimeError as e: print(type(e).__name__, e)
try: torch.linalg.solve(torch.zeros(2, 2), torch.ones(2))
except RuntimeError as e: print(type(e).__name__, e)
A = torch.randn(3, 3, requires_grad=True); S = A @ A.T + torch.eye(3)
w, V = torch.linalg.eigh(S); print(w, (V.abs() > 0).all()); w.sum().backward(); print(torch.allclose(A.grad, 2 * A))
U, s, Vh = torch.linalg.svd(A); print(s); print(torch.linalg.slogdet(S)); print(torch.logdet(S), torch.linalg.pinv(A.detach()).shape, torch.linalg.matrix_exp(torch.zeros(2, 2)))
