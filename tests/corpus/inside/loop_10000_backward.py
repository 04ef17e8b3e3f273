import torch
w = torch.tensor([1.0], requires_grad=True)
b = torch.tensor([0.0], requires_grad=True)
xs = [1., 2., 3., 4.]
ys = [3., 5., 7., 9.]
lr = 0.01
for epoch in range(500):
    total = 0
    for x, y in zip(xs, ys):
        pred = w * x + b
        loss = (pred - y) ** 2
        total += loss.item()
        loss.backward()
        w.data = w.data - lr * w.grad.data
        b.data -= lr * b.grad.data
        w.grad.data.zero_()
        b.grad.data.zero_()
    if epoch % 100 == 0:
        print('epoch {} total {:.6f} w {:.4f} b {:.4f}'.format(epoch, total, w.item(), b.item()))
print(w, b)
