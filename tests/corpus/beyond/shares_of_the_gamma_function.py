import torch
x=torch.tensor([-3.,-0.5,0.,0.7,5.,30.],dtype=torch.float64,requires_grad=True)
S=torch.special
for f in (S.erfcx,S.log_ndtr):
    y=f(x); print(y); x.grad=None; y.sum().backward(); print(x.grad)
    print(f(x.detach().float()), f(torch.tensor([1,2])), f(torch.tensor(True)))
    try: print(f(torch.ones(2).half()))
    except Exception as e: print(e)
    try: print(f(torch.ones(2).bfloat16()))
    except Exception as e: print(e)
    print(f(torch.tensor([float('inf'),-float('inf'),float('nan')])))
a=torch.tensor([0.5,1.,2.,10.,200.],dtype=torch.float64); b=torch.tensor([0.3,1.,5.,9.,210.],dtype=torch.float64,requires_grad=True)
for f in (S.gammainc,S.gammaincc,torch.igamma,torch.igammac,S.zeta):
    y=f(a,b); print(y); b.grad=None; y.sum().backward(); print(b.grad)
    print(f(a.float(), b.detach().float()))
    for g in (lambda: f(a.requires_grad_(),b).sum().backward(), lambda: f(torch.tensor([1,2]),torch.tensor([3,4])), lambda: f(a.detach().half(),b.detach().half()), lambda: f(a.detach(),2.0), lambda: f(2.0,a.detach()), lambda: f(a.detach()[:,None],torch.ones(2)).shape, lambda: f(torch.tensor([-1.,0.,1.,float('inf')]),torch.tensor([1.,0.,0.,1.])),lambda: f(torch.tensor([1.,2.]),torch.tensor([-1.,-2.5])),lambda: f(torch.tensor([1]),torch.tensor([3.]))):
        try: print(g())
        except Exception as e: print(type(e).__name__,e)
    a=a.detach()
print(a.igamma(b), a.igammac(b))
c = torch.tensor([0.4, 1.5], requires_grad=True)
(first,) = torch.autograd.grad(torch.special.log_ndtr(c).sum() + torch.special.erfcx(c).sum(), c, create_graph=True)
print(first, torch.autograd.grad(first.sum(), c))
print(torch.autograd.functional.hessian(lambda q: torch.special.zeta(torch.tensor(2.0), q), torch.tensor(0.7)))
