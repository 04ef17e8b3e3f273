import torch
w = torch.tensor([2.0], requires_grad=True)
for step in range(3):
    loss = (3 * w - 1).pow(2)
    loss.backward()
    print(step, w.grad)
w.grad.zero_()
print(w.grad)
w.grad = None
print(w.grad)

model = torch.nn.Linear(2, 1, bias=False)
with torch.no_grad():
    model.weight.fill_(1.)
data = torch.tensor([[1., 2.], [3., 4.], [5., 6.], [7., 8.]])
# one big batch == the mean of small batches
model(data).mean().backward()
big = model.weight.grad.clone()
model.zero_grad()
print(model.weight.grad)
for chunk in data.chunk(2):
    (model(chunk).mean() / 2).backward()
print(big, model.weight.grad, torch.allclose(big, model.weight.grad))
model.zero_grad(set_to_none=False)
print(model.weight.grad)
