"""A study of sort, argsort, topk, kthvalue and where their gradients go."""
import torch

torch.manual_seed(7)
scores = torch.tensor([[0.3, 2.5, -1.0, 2.5], [4.0, 0.0, 0.5, -2.0]], requires_grad=True)

result = torch.sort(scores, dim=1)
print(result)
print(type(result).__name__, isinstance(result, tuple), len(result))
values, indices = result
print(values.grad_fn.name(), values.grad_fn.next_functions[0][0].name(), values.output_nr)
print(result.values is result[0], result.indices.dtype)

(values * torch.tensor([1.0, 10.0, 100.0, 1000.0])).sum().backward()
print("grad of sort:\n", scores.grad)

scores.grad = None
top = scores.topk(2, dim=1)
print(top.values, top.indices)
print(top)
top.values.sum().backward()
print("grad of topk:\n", scores.grad)

scores.grad.zero_()
kth = scores.kthvalue(3, dim=1, keepdim=True)
print(kth.values.shape, kth.indices.squeeze())
kth.values.pow(2).sum().backward()
print(scores.grad)

for descending in (False, True):
    print(descending, torch.argsort(scores, dim=1, descending=descending, stable=True).tolist())
print(torch.sort(scores.detach(), dim=0, descending=True, stable=True).indices)
print(torch.msort(scores.detach()))

# ranking accuracy, as people write it
logits = torch.randn(5, 4)
labels = torch.tensor([0, 3, 2, 1, 0])
for k in (1, 2, 3):
    hits = logits.topk(k, dim=1).indices.eq(labels[:, None]).any(dim=1).float()
    print(f"top-{k}: {hits.mean().item():.2f}")

for bad in (lambda: scores.topk(9), lambda: scores.sort(3), lambda: scores.kthvalue(0), lambda: torch.topk(scores),
            lambda: torch.sort([3, 1]), lambda: scores.topk(1.5)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, "|", e)

x = torch.tensor([3.0, float("nan"), -1.0, 3.0])
print(x.sort(), x.sort(descending=True).indices, x.topk(2))
print(torch.tensor(5.0).sort(), torch.zeros(0).sort())
