# Optimizers: representation, state, groups, errors
import torch
from torch import nn, optim
import pprint

torch.manual_seed(7)
m = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
opts = [
    optim.SGD(m.parameters(), lr=0.1),
    optim.SGD(m.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-4),
    optim.Adam(m.parameters()),
    optim.AdamW(m.parameters(), lr=3e-4, betas=(0.9, 0.95), amsgrad=True),
    optim.RMSprop(m.parameters(), centered=True, momentum=0.1),
    optim.Adagrad(m.parameters(), lr_decay=0.1),
    optim.Adadelta(m.parameters()),
    optim.Adamax(m.parameters()),
    optim.NAdam(m.parameters()),
    optim.RAdam(m.parameters()),
    optim.Rprop(m.parameters()),
    optim.ASGD(m.parameters()),
    optim.LBFGS(m.parameters()),
]
for o in opts:
    print(o)
    print(o.defaults)
    print(len(o.state), o.state)

x, y = torch.randn(8, 2), torch.randn(8, 1)
for o in opts[:4]:
    o.zero_grad()
    nn.functional.mse_loss(m(x), y).backward()
    o.step()
    sd = o.state_dict()
    print(type(sd), list(sd.keys()))
    pprint.pprint(sd['param_groups'])
    for k, v in sd['state'].items():
        print(k, {kk: (vv.shape if torch.is_tensor(vv) and vv.dim() else vv) for kk, vv in v.items()} if v else v)

o = optim.SGD([{'params': m[0].parameters(), 'lr': 1e-2}, {'params': [m[2].weight]}], lr=1e-3, momentum=0.9)
print([g['lr'] for g in o.param_groups], [len(g['params']) for g in o.param_groups])
o.add_param_group({'params': m[2].bias, 'weight_decay': 0.1})
print(o)
for g in o.param_groups:
    print({k: v for k, v in g.items() if k != 'params'})

def attempt(fn):
    try:
        print('ok', type(fn()).__name__)
    except Exception as e:
        print(f'{type(e).__name__}: {e}')

attempt(lambda: optim.SGD([], lr=0.1))
attempt(lambda: optim.SGD(m.parameters(), lr=-1))
attempt(lambda: optim.SGD(m.parameters(), lr=0.1, nesterov=True))
attempt(lambda: optim.SGD(m.parameters(), lr=0.1, momentum=-1))
attempt(lambda: optim.SGD(m.parameters(), lr=0.1, weight_decay=-1))
attempt(lambda: optim.SGD(m, lr=0.1))
attempt(lambda: optim.SGD(m[0].weight, lr=0.1))
attempt(lambda: optim.SGD([m[0].weight * 2], lr=0.1))
attempt(lambda: optim.SGD(['w'], lr=0.1))
attempt(lambda: optim.SGD([m[0].weight, m[0].weight], lr=0.1))
attempt(lambda: optim.Adam(m.parameters(), betas=(1.0, 0.999)))
attempt(lambda: optim.Adam(m.parameters(), betas=(0.9, 1.999)))
attempt(lambda: optim.Adam(m.parameters(), eps=-1))
attempt(lambda: optim.Adam(m.parameters(), lr='0.1'))
attempt(lambda: optim.Adam(m.parameters(), momentum=0.9))
attempt(lambda: optim.Adam())
attempt(lambda: optim.RMSprop(m.parameters(), alpha=-1))
attempt(lambda: optim.Adagrad(m.parameters(), lr_decay=-1))
attempt(lambda: optim.LBFGS([{'params': [m[0].weight]}, {'params': [m[0].bias]}]))
attempt(lambda: o.add_param_group({'params': m[0].weight}))
attempt(lambda: o.add_param_group([m[0].weight]))
attempt(lambda: o.load_state_dict(opts[0].state_dict()))
attempt(lambda: opts[0].load_state_dict(optim.SGD([m[0].weight], lr=1.).state_dict()))
attempt(lambda: optim.SGD([{'params': m[0].parameters(), 'lr': 1e-2}, {'params': m[0].weight}], lr=1e-3))
attempt(lambda: optim.SGD([{'weights': m[0].weight}], lr=1e-3))
attempt(lambda: opts[12].step())
attempt(lambda: optim.lr_scheduler.StepLR(opts[0]))
attempt(lambda: optim.lr_scheduler.StepLR(m, 1))
attempt(lambda: optim.lr_scheduler.LambdaLR(o, [lambda e: 1.0]))
attempt(lambda: optim.lr_scheduler.MultiStepLR(o, 3))
attempt(lambda: optim.lr_scheduler.ReduceLROnPlateau(o, mode='down'))
attempt(lambda: optim.lr_scheduler.ReduceLROnPlateau(o, factor=1.0))
attempt(lambda: optim.lr_scheduler.OneCycleLR(o, 0.1))
attempt(lambda: optim.lr_scheduler.CyclicLR(opts[2], 0.1, 0.2))
attempt(lambda: optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 0))
attempt(lambda: nn.utils.clip_grad_norm_(m[0].weight, 1.0))
attempt(lambda: nn.utils.clip_grad_value_(m.parameters(), 0.01))
