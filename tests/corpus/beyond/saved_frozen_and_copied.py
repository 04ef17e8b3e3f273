import io, os, copy
import torch
import torch.nn as nn
import torch.optim as optim

# saving / loading / copying / freezing / device handling, QA style
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 2, 3)
        self.bn = nn.BatchNorm2d(2)
        self.fc1 = nn.Linear(2 * 3 * 3, 4)
        self.tied = self.fc1
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.register_buffer("steps", torch.tensor(0))
        self.register_buffer("cache", torch.zeros(2), persistent=False)
        self.register_parameter("nothing", None)
        self.misc = {"a": nn.Linear(1, 1)}
        self.plain = [nn.Linear(1, 1)]
    def forward(self, x):
        self.steps += 1
        x = torch.relu(self.bn(self.conv1(x)))
        return self.fc1(x.flatten(1)) * self.scale

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
print(net)
print("params:", [n for n, _ in net.named_parameters()], len(list(net.parameters())))
print("with duplicates:", [n for n, _ in net.named_parameters(remove_duplicate=False)])
print("buffers:", [n for n, _ in net.named_buffers()], "children:", [n for n, _ in net.named_children()])
for param_tensor in net.state_dict():
    print(param_tensor, "\t", net.state_dict()[param_tensor].size())
optimizer = optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
x = torch.randn(2, 1, 5, 5, device=device)
net(x).sum().backward(); optimizer.step()
print("Optimizer's state_dict:")
for var_name in optimizer.state_dict():
    v = optimizer.state_dict()[var_name]
    print(var_name, "\t", v if var_name == "param_groups" else {k: list(s) for k, s in v.items()})
path = io.BytesIO()
torch.save({"epoch": 3, "model_state_dict": net.state_dict(), "optimizer_state_dict": optimizer.state_dict(), "loss": torch.tensor(0.4)}, path)
path.seek(0)
checkpoint = torch.load(path, map_location=device)
other = Net()
print(other.load_state_dict(checkpoint["model_state_dict"]), checkpoint["epoch"], checkpoint["loss"])
opt2 = optim.SGD(other.parameters(), lr=1.0, momentum=0.1)
opt2.load_state_dict(checkpoint["optimizer_state_dict"])
print(opt2.param_groups[0]["lr"], opt2.param_groups[0]["momentum"], other.steps, torch.equal(net.fc1.weight, other.tied.weight))
other.eval(); net.eval()
print(torch.equal(net(x), other(x)), other.steps.item())
sd = net.state_dict()
renamed = {("module." + k): v for k, v in sd.items()}
for d, strict in ((renamed, True), ({k.replace("module.", ""): v for k, v in renamed.items()}, True), ({k: v for k, v in sd.items() if "bn" not in k}, False)):
    try:
        print(other.load_state_dict(d, strict=strict))
    except RuntimeError as e:
        print(e)
sd["fc1.weight"] = torch.zeros(3, 18)
try: other.load_state_dict(sd, strict=False)
except RuntimeError as e: print(e)
try: other.load_state_dict(net)
except Exception as e: print(type(e).__name__, e)
try: other.load_state_dict(None)
except Exception as e: print(type(e).__name__, e)
for name, p in net.named_parameters():
    if not name.startswith("fc1"): p.requires_grad = False
print([n for n, p in net.named_parameters() if p.requires_grad])
optimizer = optim.Adam(filter(lambda p: p.requires_grad, net.parameters()), lr=0.01)
print(len(optimizer.param_groups[0]["params"]))
clone = copy.deepcopy(net)
clone.fc1.weight.data.zero_()
print(net.fc1.weight.abs().sum() > 0, clone.tied is clone.fc1, clone.tied.weight.sum().item())
net.half(); print({p.dtype for p in net.parameters()}, net.steps.dtype); net.float()
net.double(); print(net.scale.dtype, net(x.double()).dtype)
try: net(x)
except RuntimeError as e: print(e)
net.to(torch.float32)
try: net.to(torch.int)
except TypeError as e: print(e)
try: net.to("gpu")
except RuntimeError as e: print(str(e)[:60])
try: net.cuda()
except Exception as e: print(type(e).__name__, e)
try: x.to("cuda:0")
except Exception as e: print(type(e).__name__, e)
net.fc1 = nn.Linear(18, 2); print(net.tied.out_features, net(x).shape)
del net.bn
try: net(x)
except AttributeError as e: print(e)
try: net.fc1 = 5
except TypeError as e: print(e)
try: net.scale = torch.tensor(2.0)
except TypeError as e: print(e)
try: net.register_buffer("scale", torch.ones(1))
except KeyError as e: print(e)
try: net.register_parameter("a.b", nn.Parameter(torch.ones(1)))
except KeyError as e: print(e)
try: net.add_module("fc2", 3)
except TypeError as e: print(e)
try: net.get_submodule("fc1.foo")
except AttributeError as e: print(e)
print(net.get_parameter("fc1.bias").shape, net._get_name(), net.extra_repr() == "", hash(net) == hash(net), net == clone)
print(nn.Parameter(torch.ones(2)), repr(net.scale), type(net.scale), isinstance(net.scale, torch.Tensor), net.scale.is_leaf)
