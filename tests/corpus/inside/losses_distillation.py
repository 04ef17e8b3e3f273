# Knowledge distillation: KL divergence between softened outputs, plus cross-entropy with the labels.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1)
teacher = nn.Linear(4, 3)
student = nn.Sequential(nn.Linear(4, 2), nn.ReLU(), nn.Linear(2, 3))
for p in teacher.parameters():
    p.requires_grad_(False)

T, alpha = 2.0, 0.7
x = torch.randn(6, 4)
labels = torch.randint(0, 3, (6,))


def distill(s, t, y):
    soft = F.kl_div(F.log_softmax(s / T, dim=1), F.softmax(t / T, dim=1), reduction="batchmean") * T * T
    hard = F.cross_entropy(s, y)
    return alpha * soft + (1 - alpha) * hard, soft, hard


def show(node, depth=0):
    print("  " * depth + node.name())
    for child, _ in node.next_functions:
        if child is not None and depth < 7:
            show(child, depth + 1)


loss, soft, hard = distill(student(x), teacher(x), labels)
print(loss, soft, hard)
show(soft.grad_fn)
loss.backward()
print(student[2].bias.grad)

opt = torch.optim.SGD(student.parameters(), lr=0.2, momentum=0.9)
for epoch in range(20):
    opt.zero_grad()
    loss, soft, hard = distill(student(x), teacher(x), labels)
    loss.backward()
    opt.step()
    if epoch % 5 == 4:
        print(f"{epoch + 1:3d}  total {loss:.4f}  soft {soft:.4f}  hard {hard:.4f}")

log_p = torch.log_softmax(torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.5, 0.0]]), 1).requires_grad_()
q = torch.softmax(torch.tensor([[1.0, 1.0, 1.0], [2.0, 0.0, 1.0]]), 1).requires_grad_()
for reduction in ("none", "sum", "mean", "batchmean"):
    kl = nn.KLDivLoss(reduction=reduction)(log_p, q)
    print(reduction, kl, (kl.grad_fn.name()))
g_p, g_q = torch.autograd.grad(F.kl_div(log_p, q, reduction="sum"), (log_p, q))
print(g_p)
print(g_q)
print(F.kl_div(log_p, q.log(), log_target=True, reduction="batchmean"))
print(F.kl_div(log_p, torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), reduction="batchmean"))
target = torch.tensor([[0.0, 1.0, 0.0]], requires_grad=True)
F.kl_div(log_p[:1], target, reduction="sum").backward()
print(target.grad)
print(F.kl_div(log_p, q))
print(F.kl_div(log_p, q))
try:
    F.kl_div(log_p, torch.tensor([[1, 0, 0], [0, 1, 0]]), reduction="sum")
except RuntimeError as e:
    print(e)
try:
    F.kl_div(log_p, q, reduction="batch_mean")
except ValueError as e:
    print(e)
print(F.cosine_similarity(student(x), teacher(x)))
print(nn.CosineSimilarity(dim=0)(student[0].weight[0], teacher.weight[0]))
