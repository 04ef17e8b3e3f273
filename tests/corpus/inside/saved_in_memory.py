# save and load in one script, compile, jit, autocast on a machine without CUDA
import io
import os
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
buffer = io.BytesIO()
torch.save({'model': model.state_dict(), 'step': 3, 'loss': torch.tensor(1.5)}, buffer)
with torch.no_grad():
    model[0].weight.zero_()
buffer.seek(0)
checkpoint = torch.load(buffer)
model.load_state_dict(checkpoint['model'])
print(model[0].weight, checkpoint['step'], checkpoint['loss'])
fast = torch.compile(model) if False else model
x = torch.ones(1, 2, requires_grad=True)
with torch.autocast('cpu', enabled=False):
    fast(x).sum().backward()
optimizer.step()
print(x.grad, model[2].bias)
print(torch.__version__, torch.version.cuda, torch.cuda.is_available(), torch.distributed.is_available() in (True, False))
try:
    torch.load('there_is_no_such_file.pt')
except FileNotFoundError as e:
    print(e)
