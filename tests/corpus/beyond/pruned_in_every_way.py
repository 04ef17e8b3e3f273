import torch
from torch import nn
import torch.nn.utils.prune as prune
import torch.nn.functional as F
torch.manual_seed(0)
class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 12)
        self.fc3 = nn.Linear(12, 10)
    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(-1, int(x.nelement() / x.shape[0]))
        return self.fc3(F.relu(self.fc1(x)))
model = LeNet()
module = model.conv1
print(list(module.named_parameters()))
print(list(module.named_buffers()))
prune.random_unstructured(module, name="weight", amount=0.3)
print([n for n,_ in module.named_parameters()])
print(list(module.named_buffers()))
print(module.weight)
print(module._forward_pre_hooks.values())
prune.l1_unstructured(module, name="bias", amount=3)
print(list(module.named_parameters()))
print(module._forward_pre_hooks)
prune.ln_structured(module, name="weight", amount=0.5, n=2, dim=0)
print(module.weight)
for hook in module._forward_pre_hooks.values():
    if hook._tensor_name == "weight":
        break
print(list(hook), len(hook), hook[0].amount)
print(model.state_dict().keys())
y = model(torch.randn(2,1,32,32)); y.sum().backward()
print(module.weight_orig.grad.abs().sum(), module.weight.grad_fn)
prune.remove(module, 'weight')
print([n for n,_ in module.named_parameters()], [n for n,_ in module.named_buffers()])
try: prune.remove(module,'weight')
except ValueError as e: print(e)
print(prune.is_pruned(model))
prune.remove(module, 'bias')
print(prune.is_pruned(model))
model = LeNet()
for name, m in model.named_modules():
    if isinstance(m, torch.nn.Conv2d):
        prune.l1_unstructured(m, name='weight', amount=0.2)
    elif isinstance(m, torch.nn.Linear):
        prune.l1_unstructured(m, name='weight', amount=0.4)
print(dict(model.named_buffers()).keys())
model = LeNet()
ps = ((model.conv1,'weight'),(model.conv2,'weight'),(model.fc1,'weight'),(model.fc3,'weight'))
prune.global_unstructured(ps, pruning_method=prune.L1Unstructured, amount=0.2)
for m,n in ps:
    print("Sparsity: {:.2f}%".format(100. * float(torch.sum(m.weight == 0)) / float(m.weight.nelement())))
class FooBarPruningMethod(prune.BasePruningMethod):
    """Prune every other entry in a tensor"""
    PRUNING_TYPE = 'unstructured'
    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask
def foobar_unstructured(module, name):
    FooBarPruningMethod.apply(module, name)
    return module
model = LeNet()
foobar_unstructured(model.fc3, name='bias')
print(model.fc3.bias_mask)
prune.random_structured(model.fc1,'weight',amount=4,dim=1)
print(model.fc1.weight_mask.sum(0)[:10], model.fc1.weight_mask.sum())
prune.custom_from_mask(model.fc3, name='bias', mask=torch.tensor([0,1,0,1,1,1,1,1,1,1]))
print(model.fc3.bias, model.fc3.bias_mask)
prune.identity(model.fc3,'weight')
for f in (lambda: prune.l1_unstructured(model.fc1,'bias',amount=1.5), lambda: prune.l1_unstructured(model.fc1,'bias',amount=100), lambda: prune.ln_structured(model.fc1,'bias',amount=.5,n=2,dim=0), lambda: prune.l1_unstructured(model.fc1,'wieght',.2), lambda: prune.l1_unstructured(model.fc1,'bias',amount='a'), lambda: prune.BasePruningMethod(), lambda: prune.ln_structured(model.conv2,'weight',amount=.5,n=1,dim=7), lambda:prune.l1_unstructured(model.conv2,'bias'), lambda: prune.L1Unstructured(.3)(model.conv2,None)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
t = torch.randn(3,3)
print(prune.L1Unstructured(amount=0.5).prune(t))
import copy
try: copy.deepcopy(model.fc3)
except Exception as e: print(e)
prune.global_unstructured([(model.fc1,'bias')], pruning_method=prune.LnStructured, amount=.1, n=2)
