import torch, torch.nn as nn, copy
from collections import OrderedDict
class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.n = 3
    def get_extra_state(self):
        return {"n": self.n}
    def set_extra_state(self, state):
        print("set", state)
        self.n = state["n"]
torch.manual_seed(0)
m = nn.Sequential(Counter(), nn.BatchNorm1d(2))
sd = m.state_dict()
print(list(sd.keys()), sd["0._extra_state"])
m2 = nn.Sequential(Counter(), nn.BatchNorm1d(2))
print(m2.load_state_dict(sd))
del sd["1.num_batches_tracked"]
try:
    m2.load_state_dict(sd)
except RuntimeError as e:
    print(e)
print(m2.load_state_dict(dict(sd)))
sd2 = copy.deepcopy(m.state_dict()); sd2["foo"] = 1; sd2["0.lin.xx.y"] = 2; sd2.pop("0._extra_state"); sd2["0.lin.bias"] = torch.zeros(3); sd2["1.bias"] = 5
try:
    m2.load_state_dict(sd2)
except RuntimeError as e:
    print(e)
def pre(module, sd, prefix, meta, strict, missing, unexpected, errs):
    print("pre", type(module).__name__, prefix, meta, strict, list(sd)[:2])
    for k in list(sd):
        if k.startswith(prefix + "old_"):
            sd[prefix + k[len(prefix)+4:]] = sd.pop(k)
h = m2[0].register_load_state_dict_pre_hook(pre)
def post(module, inc):
    print("post", inc)
    inc.missing_keys.clear()
m2.register_load_state_dict_post_hook(post)
sd3 = m.state_dict(); sd3["0.old_lin.weight"] = sd3.pop("0.lin.weight")
print(m2.load_state_dict(sd3))
h.remove()
def hook(module, sd, prefix, meta):
    print("hook", prefix, meta)
    sd[prefix + "hello"] = torch.ones(1)
m.register_state_dict_post_hook(hook)
m[0].register_state_dict_pre_hook(lambda mod, prefix, kv: print("prehook", repr(prefix), kv))
print(list(m.state_dict()))
print(m.state_dict(prefix="model.").keys())
class Old(nn.Module):
    _version = 3
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
        print("version", local_metadata.get("version"))
        if prefix + "weight" in state_dict:
            state_dict[prefix + "w"] = state_dict.pop(prefix + "weight")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)
o = Old()
print(o.load_state_dict({"weight": torch.tensor([4., 5.])}), o.w)
print(o.load_state_dict(o.state_dict()))
try:
    nn.Linear(2,2).get_extra_state()
except RuntimeError as e: print(e)
l = nn.Linear(2, 1)
w = torch.zeros(1, 2)
print(l.load_state_dict({"weight": w, "bias": torch.ones(1)}, assign=True), l.weight, l.weight.data_ptr() == w.data_ptr())
print(m.state_dict(keep_vars=True)["0.lin.weight"])
print(l.state_dict(OrderedDict(), "x.").keys())
l.load_state_dict([1])
