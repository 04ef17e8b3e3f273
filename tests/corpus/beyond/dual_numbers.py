import torch
import torch.autograd.forward_ad as fwAD
torch.manual_seed(0)
def f(x): return torch.sin(x) * x ** 2
x = torch.tensor([1., 2., 3.]); v = torch.tensor([1., 0., -1.])
with fwAD.dual_level():
    dual = fwAD.make_dual(x, v)
    out = f(dual)
    p, t = fwAD.unpack_dual(out)
    print(p, t)
    print(out)
    z = out.sum(); print(z)
    print(fwAD.unpack_dual(z).tangent)
y = f(x.clone().requires_grad_())
g, = torch.autograd.grad(y.sum(), [y.grad_fn.next_functions[0][0]]) if False else (None,)
def numeric(f, x, v, e=1e-3): return (f(x + e * v) - f(x - e * v)) / (2 * e)
print(torch.allclose(numeric(f, x, v), t, atol=1e-2))
W = torch.randn(3, 3)
with fwAD.dual_level():
    d = fwAD.make_dual(W, torch.eye(3))
    o = torch.linalg.det(d) + d.trace()
    print(fwAD.unpack_dual(o).tangent)
    q = torch.relu(d) @ x
    print(fwAD.unpack_dual(q))
    w = d.detach(); print(fwAD.unpack_dual(w).tangent)
try:
    print(fwAD.unpack_dual(out).tangent)
except Exception as e:
    print(type(e).__name__, e)
# jacobian column by column
cols = []
for i in range(3):
    e = torch.zeros(3); e[i] = 1
    with fwAD.dual_level():
        cols.append(fwAD.unpack_dual(f(fwAD.make_dual(x, e))).tangent)
J = torch.stack(cols, 1); print(J)
print(torch.autograd.functional.jvp(f, x, v))
print(torch.func.jvp(f, (x,), (v,)))
import torch
import torch.autograd.forward_ad as fwAD
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, foo):
        result = torch.exp(foo)
        ctx.result = result
        return result
    @staticmethod
    def jvp(ctx, gI):
        gO = gI * ctx.result
        del ctx.result
        return gO
primal = torch.randn(2, 2, dtype=torch.double, requires_grad=True)
tangent = torch.randn(2, 2)
with fwAD.dual_level():
    dual_input = fwAD.make_dual(primal, tangent)
    dual_output = Fn.apply(dual_input)
    jvp = fwAD.unpack_dual(dual_output).tangent
    print(jvp.dtype, jvp.shape)
    print(fwAD.unpack_dual(dual_output).tangent is jvp)
torch.autograd.gradcheck(Fn.apply, (primal,), check_forward_ad=True, check_backward_ad=False, check_undefined_grad=False, check_batched_grad=False)
