import torch
import torch.nn.functional as F
torch.manual_seed(7)
N, D_in, H, D_out = 16, 8, 10, 3
x = torch.randn(N, D_in)
y = torch.randint(0, D_out, (N,))
for name, make in [('SGD', lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-3)),
                   ('Adam', lambda p: torch.optim.Adam(p, lr=0.01)),
                   ('AdamW', lambda p: torch.optim.AdamW(p, lr=0.01)),
                   ('RMSprop', lambda p: torch.optim.RMSprop(p, lr=0.01))]:
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(D_in, H), torch.nn.Tanh(), torch.nn.Linear(H, D_out))
    opt = make(model.parameters())
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=5, gamma=0.5)
    for t in range(15):
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        total = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
    acc = (model(x).argmax(dim=1) == y).float().mean()
    print(f'{name:8s} loss={loss.item():.4f} norm={total:.3f} acc={acc:.3f} lr={sched.get_last_lr()}')
    print(opt.state_dict()['param_groups'][0]['lr'], len(opt.state))
