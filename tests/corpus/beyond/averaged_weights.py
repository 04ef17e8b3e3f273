# SWA, EMA helpers from torch.optim.swa_utils; averaging by hand; saving best by deepcopy
import torch, copy
from torch import nn
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn, get_ema_avg_fn
torch.manual_seed(10)
X, Y = torch.randn(24, 4), torch.randn(24, 1)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Y), batch_size=8)
model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Tanh(), nn.Linear(6, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1); sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4)
swa_model = AveragedModel(model); swa_sched = SWALR(opt, swa_lr=0.05, anneal_epochs=2, anneal_strategy='linear'); ema_model = AveragedModel(model, avg_fn=get_ema_avg_fn(0.9))
best, best_loss = None, float('inf')
for epoch in range(6):
    for x, y in loader: opt.zero_grad(); loss = nn.functional.mse_loss(model(x), y); loss.backward(); opt.step(); ema_model.update_parameters(model)
    if epoch >= 3: swa_model.update_parameters(model); swa_sched.step()
    else: sched.step()
    if loss.item() < best_loss: best_loss, best = loss.item(), copy.deepcopy(model.state_dict())
    print(epoch, f'{loss.item():.4f}', f"{opt.param_groups[0]['lr']:.5f}", swa_model.n_averaged.item(), ema_model.n_averaged.item())
update_bn(loader, swa_model); swa_model.eval(); print(swa_model(X[:2]).shape, swa_model); print([k for k in swa_model.state_dict()][:3], swa_model.module[1].num_batches_tracked)
ms = [copy.deepcopy(model) for _ in range(2)]; ms[1].load_state_dict(best); avg = {k: torch.stack([m.state_dict()[k].float() for m in ms]).mean(0) for k in best}; print(avg['0.weight'].shape, avg['1.num_batches_tracked'])
