# What state_dict() shares with its optimizer, and what load_state_dict() makes anew.
import copy

import torch

p, q = torch.nn.Parameter(torch.tensor([1.0, 2.0])), torch.nn.Parameter(torch.tensor([3.0]))
sgd = torch.optim.SGD([{"params": [p], "name": "a"}, {"params": [q], "lr": 0.5}], lr=0.1, momentum=0.9)
before = copy.deepcopy(sgd.state_dict())
groups, first = sgd.param_groups, sgd.param_groups[0]
schedule = torch.optim.lr_scheduler.StepLR(sgd, 1)
(p.sum() + q.sum()).backward()
sgd.step()
schedule.step()
print(sgd.state_dict())
sgd.load_state_dict(before)
print(sgd)
print(sgd.param_groups is groups, sgd.param_groups[0] is first, sgd.param_groups[0]["params"][0] is p, first["lr"])
saved = sgd.state_dict()
saved["param_groups"][0]["extra"] = [1]
sgd.load_state_dict(saved)
saved["param_groups"][0]["extra"].append(2)
print(sgd.param_groups[0]["extra"], list(sgd.param_groups[0]))
sgd.load_state_dict({"state": {}, "param_groups": [{"params": [0], "lr": 3.0}, {"params": [1], "lr": 2.0}]})
print("nesterov" in sgd.param_groups[0], "momentum" in sgd.param_groups[0])

w = torch.nn.Parameter(torch.tensor([1.0, -1.0]))
adam = torch.optim.Adam([w], lr=0.1)


def steps(count):
    seen = []
    for _ in range(count):
        adam.zero_grad()
        (w**2).sum().backward()
        adam.step()
        seen.append(w[0].item())
    return seen


print(steps(3))
shared = adam.state_dict()
apart = copy.deepcopy(shared)
average = adam.state[w]["exp_avg"]
print(steps(2), adam.state[w]["exp_avg"] is average, average)
adam.load_state_dict(shared)  # the tensors of the state went on with the steps
print(steps(1), adam.state[w]["step"])
adam.load_state_dict(apart)
print(steps(1), adam.state[w]["step"])
apart["state"][0]["exp_avg"].zero_()
print(adam.state[w]["exp_avg"], steps(1))
