"""What stands in a module's __dict__, and optimizers asked for two kernels at once."""
import copy

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, width=3):
        self.__dict__["early"] = 1
        super().__init__()
        self.__dict__.update({"width": width, "depth": 1})
        self.fc = nn.Linear(width, 1)
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("seen", torch.zeros(1), persistent=False)


net = Net()
print(list(vars(net.fc)))
print(net.__dict__.keys())
print(net.__dict__["_parameters"], vars(net)["_modules"], net.__dict__["_non_persistent_buffers_set"])
print({k: v for k, v in vars(net).items() if not k.startswith("_")})
print("fc" in net.__dict__, "width" in vars(net), net.__dict__["width"])
net.__dict__["width"] = 9
net.__dict__["note"] = "hello"
print(net.width, net.note, net.__dict__.pop("note"), hasattr(net, "note"))
print(vars(copy.deepcopy(net))["depth"], nn.ReLU(inplace=True).__dict__["inplace"])
for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.Adagrad):
    for options in ({"foreach": True}, {"differentiable": True}):
        try:
            kind(net.parameters(), lr=0.1, fused=True, **options)
        except RuntimeError as error:
            print(kind.__name__, error)
