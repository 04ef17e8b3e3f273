# Learners' mistakes with training loops (each ends in an exception or a surprise)
import torch
from torch import nn, optim
import torch.nn.functional as F
import traceback
def case(n, f):
    print(f'--- {n}')
    try:
        r = f()
        if r is not None: print(r)
    except Exception as e:
        print(''.join(traceback.format_exception_only(type(e), e)).strip())
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)); x = torch.randn(5, 3); y = torch.randint(0, 2, (5,))
def forgot_call():
    out = net.forward; return out + 1
case('method', forgot_call)
case('loss class', lambda: nn.CrossEntropyLoss(net(x), y))
case('loss twice', lambda: nn.CrossEntropyLoss()(net(x), y)())
case('opt of tensors', lambda: optim.SGD(net, lr=.1))
case('opt no lr', lambda: optim.SGD(net.parameters()))
case('opt of generator twice', lambda: [optim.Adam(p) for p in [net.parameters()] * 2])
case('lr tensor', lambda: optim.SGD(net.parameters(), lr=torch.tensor([.1, .2])))
case('item of vec', lambda: net(x).item())
case('numpy of grad', lambda: net(x).numpy())
case('bool of vec', lambda: 1 if net(x) > 0 else 0)
case('list of tensors', lambda: torch.tensor([net(x)[0], net(x)[1]]))
case('int of vec', lambda: int(net(x)[0]))
case('float fmt', lambda: f'{net(x)[0]:.3f}')
case('pct fmt', lambda: '%.3f' % net(x)[0])
case('add str', lambda: 'loss: ' + net(x).sum())
case('append', lambda: net.append(3))
case('index str', lambda: net['0'])
case('index big', lambda: net[7])
case('attr', lambda: net.linear1)
case('weight of seq', lambda: net.weight)
case('weight shape', lambda: net[0].weight.shape == (4, 3))
case('set weight', lambda: setattr(net[0], 'weight', torch.ones(4, 3)))
case('set weight data', lambda: setattr(net[0].weight, 'data', torch.ones(4, 2)))
case('inplace leaf', lambda: net[2].weight.add_(1))
case('inplace view', lambda: net[2].weight[0].zero_())
case('grad none', lambda: net[2].weight.grad.zero_())
case('step before', lambda: optim.SGD(net.parameters(), lr=.1).step())
case('detach', lambda: F.cross_entropy(net(x).detach(), y).backward())
case('argmax loss', lambda: F.mse_loss(net(x).argmax(1).float(), y.float()).backward())
def ng():
    with torch.no_grad(): l = F.cross_entropy(net(x), y)
    l.backward()
case('no_grad', ng)
def twice():
    l = F.cross_entropy(net(x), y); l.backward(); l.backward()
case('twice', twice)
def inplace():
    h = net[1](net[0](x)); h += 1; h.sum().backward(); return 'fine'
case('relu +=', inplace)
def sig():
    w = torch.ones(2, requires_grad=True); s = torch.sigmoid(w); s *= 2; s.sum().backward()
case('sigmoid *=', sig)
case('device', lambda: x.to('cuda'))
case('device2', lambda: torch.zeros(2, device='cuda:0'))
case('shape', lambda: net(x.T))
case('view', lambda: x.view(4, 4)); case('view -1', lambda: x.view(-1, 2)); case('reshape', lambda: x.reshape(2, -1))
case('noncontig', lambda: x.t().view(-1))
case('squeeze', lambda: x.squeeze(3)); case('cat', lambda: torch.cat(x, x)); case('cat dims', lambda: torch.cat([x, x.T])); case('stack', lambda: torch.stack([x, x.T]))
case('mm', lambda: x @ x); case('bmm', lambda: torch.bmm(x, x)); case('dot', lambda: torch.dot(x, x)); case('mul', lambda: x * torch.ones(5)); case('add types', lambda: x + 'a'); case('add none', lambda: x + None); case('idx', lambda: x[5]); case('idx2', lambda: x[0, 3]); case('idx3', lambda: x[0, 0, 0]); case('idx float', lambda: x[1.0]); case('mask', lambda: x[torch.tensor([True, False])]); case('gather', lambda: x.gather(1, y))
case('max', lambda: torch.max(x, 1)[0].shape); case('mean int', lambda: y.mean()); case('softmax', lambda: F.softmax(y, 0)); case('to', lambda: x.to('float')); case('type', lambda: x.type('float')); case('from numpy', lambda: torch.from_numpy([1])); case('tensor ragged', lambda: torch.tensor([[1, 2], [3]])); case('tensor str', lambda: torch.tensor('a')); case('tensor none', lambda: torch.tensor(None)); case('tensor obj', lambda: torch.tensor([object()])); case('ones', lambda: torch.ones('3')); case('transpose', lambda: x.transpose(0, 2)); case('permute', lambda: x.permute(0)); case('expand', lambda: x.expand(2, 3)); case('repeat', lambda: x.repeat(2)); case('norm', lambda: x.nrom()); case('rgrad int', lambda: torch.tensor([1], requires_grad=True)); case('rgrad nonleaf', lambda: setattr(net(x), 'requires_grad', False)); case('grad', lambda: torch.autograd.grad(net(x), x))
