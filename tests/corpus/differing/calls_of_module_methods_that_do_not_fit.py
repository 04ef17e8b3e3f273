import torch
from torch import nn, optim
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
m = nn.Linear(2, 2); o = optim.SGD(m.parameters(), 0.1); s = optim.lr_scheduler.StepLR(o, 2); p = optim.lr_scheduler.ReduceLROnPlateau(o)
t(lambda: p.step()); t(lambda: s.step(1, 2)); t(lambda: o.add_param_group()); t(lambda: o.load_state_dict()); t(lambda: m.load_state_dict()); t(lambda: m.register_buffer('a')); t(lambda: m.apply()); t(lambda: m.train(1)); t(lambda: m.zero_grad(1, 2)); t(lambda: m.named_parameters(foo=1)); t(lambda: nn.ModuleList().append()); t(lambda: nn.ModuleDict().update()); t(lambda: nn.Sequential().append(3)); t(lambda: m.extra_repr(1)); t(lambda: m.forward()); t(lambda: m.register_forward_hook()); t(lambda: m.get_submodule()); t(lambda: o.zero_grad(1, 2)); t(lambda: o.step(1, 2)); t(lambda: o.state_dict(1)); t(lambda: m.eval(1)); t(lambda: m.to('cuda')); t(lambda: m.to(torch.int32)); t(lambda: m.cuda()); t(lambda: m.to(device='gpu')); t(lambda: nn.ReLU(1, 2, 3)); t(lambda: nn.Dropout('a')); t(lambda: nn.MaxPool2d()); t(lambda: nn.Flatten(1, 2, 3)); t(lambda: torch.LongTensor(range(3))); t(lambda: torch.Tensor(range(3)))
t(lambda: nn.Module(1)); t(lambda: nn.Module(a=1))
class A(nn.Module):
    def __init__(self, n): super().__init__(n)
t(lambda: A(2)); t(lambda: A())
class B(nn.Module):
    def __init__(self): super().__init__(foo=1)
t(lambda: B())
class C(nn.Module): pass
t(lambda: C(3)); t(lambda: C()(3)); t(lambda: nn.Linear(2, 2)(input=torch.ones(1, 2)).shape); t(lambda: nn.Linear(2, 2)(x=torch.ones(1, 2)))
t(lambda: nn.Sequential(nn.ReLU()) + nn.ReLU()); t(lambda: nn.Sequential(nn.ReLU()) * 2); t(lambda: nn.Sequential(nn.ReLU()) * 'a'); t(lambda: nn.Sequential(nn.ReLU()) * 0); t(lambda: nn.Sequential(nn.ReLU()).insert(5, nn.ReLU())); t(lambda: nn.Sequential(nn.ReLU()).insert(0, 1)); t(lambda: nn.ParameterList()(1)); t(lambda: nn.ModuleDict([1])); t(lambda: nn.ModuleDict([('a',)])); t(lambda: nn.ParameterDict({1: torch.ones(1)})); t(lambda: nn.ModuleDict(3)); t(lambda: nn.ModuleList(3)); t(lambda: nn.Sequential(None)); t(lambda: nn.Sequential(nn.ReLU(), None)(torch.ones(1)))
t(lambda: nn.Sequential(a=nn.ReLU())); t(lambda: nn.Sequential(nn.ReLU()).forward(1, 2)); t(lambda: nn.Sequential(nn.Linear(2,2))['0']); t(lambda: nn.Sequential(nn.Linear(2,2))[0:1]); t(lambda: nn.Sequential(nn.Linear(2,2)).extend([nn.ReLU()])); t(lambda: nn.ModuleList([nn.ReLU()]) + [nn.Tanh()])
