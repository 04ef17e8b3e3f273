import torch, itertools
import torch.distributions as D
torch.manual_seed(0)
T=torch.tensor
def make(dt):
    v=lambda *a: T(a,dtype=dt).requires_grad_()
    return dict(Beta=lambda: D.Beta(v(.5,2.),v(1.5,3.)), Exponential=lambda: D.Exponential(v(.5,2.)), Gamma=lambda: D.Gamma(v(.5,2.),v(1.5,.3)), Gumbel=lambda: D.Gumbel(v(.5,-2.),v(1.5,.3)), Laplace=lambda: D.Laplace(v(.5,-2.),v(1.5,.3)), Normal=lambda: D.Normal(v(.5,-2.),v(1.5,.3)), Pareto=lambda: D.Pareto(v(.5,.2),v(1.5,3.)), Uniform=lambda: D.Uniform(v(.1,-2.),v(.9,.3)), Poisson=lambda: D.Poisson(v(.5,2.)), Cauchy=lambda: D.Cauchy(v(.5,-2.),v(1.5,.3)), Dirichlet=lambda: D.Dirichlet(v(.5,2.)))
for dt in (torch.float64, torch.float32):
    m=make(dt)
    for a,b in itertools.product(m,m):
        p,q=m[a](),m[b]()
        try:
            k=D.kl_divergence(p,q); print(a,b,k)
            leaf=next(x for x in p.__dict__.values() if isinstance(x,torch.Tensor) and x.requires_grad) if a not in('Beta',) else p.concentration1
            if k.requires_grad: print(torch.autograd.grad(k.sum(), leaf, allow_unused=True))
        except Exception as e: print(a,b,type(e).__name__, e)
torch.manual_seed(1)
W=torch.randn(3,1,dtype=torch.float64); Dg=torch.rand(3,dtype=torch.float64)+.5; L=torch.tril(torch.rand(3,3,dtype=torch.float64))+torch.eye(3,dtype=torch.float64)
lo=[D.LowRankMultivariateNormal(torch.zeros(3,dtype=torch.float64),W,Dg), D.LowRankMultivariateNormal(torch.ones(2,3,dtype=torch.float64),W*2,Dg)]
mv=[D.MultivariateNormal(torch.ones(3,dtype=torch.float64),scale_tril=L), D.MultivariateNormal(torch.ones(2,3,dtype=torch.float64),scale_tril=L)]
for p,q in itertools.product(lo+mv, lo+mv): print(D.kl_divergence(p,q))
try: D.kl_divergence(lo[0], D.LowRankMultivariateNormal(torch.zeros(2),torch.ones(2,1),torch.ones(2)))
except Exception as e: print(type(e), e)
try: D.kl_divergence(mv[0], D.LowRankMultivariateNormal(torch.zeros(2),torch.ones(2,1),torch.ones(2)))
except Exception as e: print(type(e), e)
for loc,c in ((0.,1.),(T([0.5,-1.]),T([0.1,20.])),(T(1.,dtype=torch.float64),T(4.,dtype=torch.float64))):
    d=D.VonMises(loc,c); print(d, d.mean, d.mode, d.variance, d.sample(), d.sample((3,)), d.log_prob(T(0.3)), d.batch_shape, d.has_rsample, d.expand((2,2)) if d.batch_shape==() else '')
c=T([0.5,4.],requires_grad=True); D.VonMises(0.,c).log_prob(T(.2)).sum().backward(); print(c.grad)
try: D.VonMises(0.,-1.)
except Exception as e: print(e)
try: print(D.VonMises(0.,1.).rsample())
except Exception as e: print(type(e), e)
for d in (D.LKJCholesky(3), D.LKJCholesky(3, T([.5,2.])), D.LKJCholesky(2, 4.)):
    s=d.sample(); print(d, s, d.log_prob(s), d.sample((2,)).shape, d.batch_shape, d.event_shape, d.support)
c=T(2.,requires_grad=True); D.LKJCholesky(4,c).log_prob(torch.eye(4)).backward(); print(c.grad)
print(D.LKJCholesky(3).expand((2,)).sample())
try: D.LKJCholesky(1)
except Exception as e: print(e)
