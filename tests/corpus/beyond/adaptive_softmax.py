import torch, torch.nn as nn
torch.manual_seed(0)
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
m=nn.AdaptiveLogSoftmaxWithLoss(8, 12, [3,7], div_value=2.); print(m, m.cutoffs, m.head_size)
x=torch.randn(6,8,requires_grad=True); y=torch.tensor([0,2,5,11,7,3])
o=m(x,y); print(o, o.loss, o[0], type(o).__name__)
o.loss.backward(); print(x.grad, [p.grad.abs().sum() for p in m.parameters()])
print(o.output.grad_fn, o.loss.grad_fn.next_functions)
print(m.log_prob(x), m.predict(x), m(x[0], y[0]))
print(m.state_dict().keys())
t(lambda: m(x, torch.tensor([0,2,5,11,12,3]))); t(lambda: m(x, y[:3])); t(lambda: m(x[0], y)); t(lambda: m(x, y[0])); t(lambda: m(x, y[None]))
t(lambda: nn.AdaptiveLogSoftmaxWithLoss(8,12,[])); t(lambda: nn.AdaptiveLogSoftmaxWithLoss(8,12,[7,3])); t(lambda: nn.AdaptiveLogSoftmaxWithLoss(8,12,[12])); t(lambda: nn.AdaptiveLogSoftmaxWithLoss(8,12,[0,3])); t(lambda: nn.AdaptiveLogSoftmaxWithLoss(8))
print(nn.AdaptiveLogSoftmaxWithLoss(4,6,[2],head_bias=True,dtype=torch.float64).head.bias.dtype)
opt=torch.optim.SGD(m.parameters(),lr=.5)
for i in range(4):
    opt.zero_grad(); l=m(x.detach(),y).loss; l.backward(); opt.step(); print(l.item())
