import torch
import torch.testing
from torch.testing import assert_close
from torch.optim.optimizer import Optimizer, required
print(required)
for a,b,kw in [(torch.tensor([1.,2.]),torch.tensor([1.,2.1]),{}),(torch.ones(2,2),torch.zeros(2,2),{}),(torch.tensor(1.),torch.tensor(2.),{}),(torch.tensor([1,2]),torch.tensor([1,3]),{}),(torch.tensor([float('nan')]),torch.tensor([float('nan')]),{}),(torch.tensor([True]),torch.tensor([False]),{}),([1.,2.],[1.,3.],{}),((torch.ones(1),),(torch.zeros(1),),{}),({'a':torch.ones(1)},{'a':torch.zeros(1)},{}),(torch.ones(2),[1.,1.],{}),(torch.tensor([1.,2.]),torch.tensor([1.,2.1]),dict(rtol=0,atol=.2)),(torch.tensor([1.]),torch.tensor([2.]),dict(rtol=0,atol=.2)),(torch.ones(1,1),torch.zeros(1,1),dict(msg=lambda m:"hey "+m)),(1,2,{}),(torch.ones(1).double(),torch.zeros(1).double(),{}),(torch.ones(2),torch.zeros(2).int(),dict(check_dtype=False)),(3.,torch.tensor(3.),{}),(torch.tensor([float('nan')]),torch.tensor([1.]),{}), ([1],[1,2],{}),({'a':1},{'b':1},{}),(torch.ones(2),torch.zeros(2),dict(atol=1)),("a","b",{}),(torch.tensor([float('inf'),0.]),torch.tensor([1.,0]),{}),(torch.ones(2),torch.ones(3),{}),(torch.ones(2),torch.ones(2).double(),{}),(1.0,1.5,{}),(torch.tensor(1.),torch.tensor(2.),dict(msg="my message")),(True,False,{}),(None,None,{}),(1,1.0,{}),({'a':[torch.ones(2),{'b':(1.,2.)}]},{'a':[torch.ones(2),{'b':(1.,2.5)}]},{}),(torch.ones(2,requires_grad=True),torch.ones(2),{}),(torch.tensor([1.]).half(),torch.tensor([1.1]).half(),{}),(torch.tensor([float('nan')]),torch.tensor([float('nan')]),dict(equal_nan=True)),(0.1+0.2,0.3,{})]:
    try: print('OK',assert_close(a,b,**kw))
    except Exception as e: print(type(e).__name__, '|', e)
try: torch.tensor([torch.ones(2), torch.ones(2)])
except ValueError as e: print(e)
print(torch.tensor([torch.ones(1), torch.tensor(2.)]), torch.tensor([[torch.tensor(1), 2]]))
assert_close(torch.ones(2), torch.zeros(2))
