# Mixed precision on the CPU: what is computed in bfloat16, what in float32, and what the scaler does.
import torch
import torch.nn as nn

torch.manual_seed(42)
model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu")
x, y = torch.randn(16, 4), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        out = model(x)
        loss = nn.functional.mse_loss(out, y)
    if epoch == 0:
        print(out.dtype, loss.dtype, type(loss.grad_fn.next_functions[0][0]).__name__)
        print(out[:3])
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    print(epoch, f"{loss.item():.6f}", f"{norm.item():.6f}", scaler.get_scale())
print(model[0].weight.grad)
print(scaler.state_dict())
conv = nn.Conv2d(1, 4, 3, padding=1)
bn = nn.BatchNorm2d(4)
img = torch.randn(2, 1, 6, 6)
with torch.autocast("cpu"):
    h = conv(img)
    print(h.dtype)
    h = bn(h)
    print(h.dtype, bn.running_mean.dtype, h[0, 0, 0])
    h = torch.relu(h)
    h = nn.functional.max_pool2d(h, 2).flatten(1)
    s = torch.softmax(h @ torch.randn(36, 3), dim=1)
    print(s.dtype, s)
    l = s.log().mean()
    print(l.dtype)
l.backward()
print(conv.weight.grad.dtype, conv.weight.grad[0], bn.weight.grad)
@torch.autocast("cpu")
def f(a, b):
    return a @ b
print(f(torch.ones(2, 2) * 0.1, torch.ones(2, 2)))
with torch.autocast("cpu", enabled=False):
    print((torch.ones(2, 2) @ torch.ones(2, 2)).dtype)
att = nn.MultiheadAttention(8, 2, batch_first=True)
with torch.autocast("cpu"):
    o, w = att(torch.randn(1, 3, 8), torch.randn(1, 3, 8), torch.randn(1, 3, 8))
    print(o.dtype, w.dtype, o)
with torch.autocast("cpu", dtype=torch.float16):
    print((torch.ones(2, 2) @ torch.ones(2, 2)).dtype)
