import torch, torch.nn as nn
from torch.nn.modules.utils import _pair, _single, _triple, _quadruple, _ntuple, _reverse_repeat_tuple, _list_with_default, consume_prefix_in_state_dict_if_present
from torch.nn.common_types import _size_2_t, _size_any_t
from torch.types import Number, Device, _size, _Number
from torch.nn.modules.batchnorm import _BatchNorm, _NormBase
from torch.nn.modules.conv import _ConvNd, _ConvTransposeNd
from torch.nn.modules.rnn import RNNBase, RNNCellBase
from torch.nn.modules.pooling import _MaxPoolNd, _AvgPoolNd, _AdaptiveAvgPoolNd
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.instancenorm import _InstanceNorm
from torch.nn.modules.module import _addindent
from torch.nn.modules.transformer import _get_clones
from torch.nn.init import _calculate_correct_fan
from torch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from torch.nn.utils.weight_norm import weight_norm, remove_weight_norm
from torch.nn.utils.spectral_norm import spectral_norm
from torch.utils.hooks import RemovableHandle
from torch.utils.data.distributed import DistributedSampler
from torch.utils.data._utils.collate import default_collate
from torch.func import replace_all_batch_norm_modules_, functional_call, vmap, grad
torch.manual_seed(0)
print(_pair(3), _pair((1, 2)), _single(2), _triple([1, 2, 3]), _quadruple(0), _ntuple(5)(1), _pair.__name__, _ntuple(3).__name__, _reverse_repeat_tuple((1, 2), 2), _list_with_default([None, 3], [7, 8, 9]), _list_with_default(4, [1]))
sd = {"module.a": 1, "b": 2, "module.c": 3}; consume_prefix_in_state_dict_if_present(sd, "module."); print(sd)
def f(k: _size_2_t = 1, n: Number = 2, s: _size = (), d: Device = None): return k
print(f(), isinstance(3, _Number), Number, isinstance(2., Number))
mods = [nn.BatchNorm1d(2), nn.BatchNorm2d(2), nn.BatchNorm3d(2), nn.SyncBatchNorm(2), nn.InstanceNorm1d(2), nn.InstanceNorm2d(2), nn.InstanceNorm3d(2), nn.LayerNorm(2), nn.GroupNorm(1, 2), nn.Conv1d(1, 1, 1), nn.Conv2d(1, 1, 1), nn.Conv3d(1, 1, 1), nn.ConvTranspose1d(1, 1, 1), nn.ConvTranspose2d(1, 1, 1), nn.ConvTranspose3d(1, 1, 1),
  nn.RNN(1, 1), nn.LSTM(1, 1), nn.GRU(1, 1), nn.RNNCell(1, 1), nn.LSTMCell(1, 1), nn.GRUCell(1, 1), nn.MaxPool1d(2), nn.MaxPool2d(2), nn.MaxPool3d(2), nn.AvgPool1d(2), nn.AvgPool2d(2), nn.AvgPool3d(2), nn.AdaptiveAvgPool1d(1), nn.AdaptiveAvgPool2d(1), nn.AdaptiveMaxPool2d(1), nn.LPPool2d(2, 2), nn.MaxUnpool2d(2),
  nn.Dropout(), nn.Dropout1d(), nn.Dropout2d(), nn.Dropout3d(), nn.AlphaDropout(), nn.FeatureAlphaDropout(), nn.ZeroPad1d(1), nn.ZeroPad2d(1), nn.ConstantPad2d(1, 2.), nn.ReflectionPad2d(1), nn.ReplicationPad1d(1), nn.CircularPad2d(1), nn.ReLU6(), nn.NLLLoss(), nn.UpsamplingNearest2d(2), nn.Softmax(), nn.Upsample(2), nn.Flatten()]
for m in mods:
    print([c.__name__ for c in type(m).__mro__], [c.__module__ for c in type(m).__mro__][:3])
print(isinstance(nn.BatchNorm2d(1), _BatchNorm), isinstance(nn.LayerNorm(1), _BatchNorm), issubclass(nn.Conv2d, _ConvNd), issubclass(nn.ConvTranspose2d, _ConvNd), isinstance(nn.LSTM(1, 1), nn.RNNBase), isinstance(nn.GRUCell(1, 1), nn.RNNCellBase), issubclass(_BatchNorm, _NormBase), issubclass(nn.InstanceNorm2d, _NormBase))
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Sequential(nn.BatchNorm1d(3, affine=False), nn.ReLU()), nn.BatchNorm2d(4, track_running_stats=False, momentum=None))
w = net[1].weight
s = nn.SyncBatchNorm.convert_sync_batchnorm(net); print(s, s is net, s[1].weight is w); print(list(s.state_dict()))
x = torch.randn(2, 1, 5, 5); y = s[1](s[0](x)); y.pow(3).sum().backward(); print(y.grad_fn.name(), s[1].weight.grad, s[1].running_mean, s[1].num_batches_tracked, s[0].weight.grad[0])
one = nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1d(3).eval()); print(one, one.training, one.process_group)
try: one(torch.ones(3))
except ValueError as e: print(e)
s.eval(); print(s[1](torch.ones(1, 2, 1, 1))); s[1].reset_running_stats(); print(s[1].running_mean); s[1].reset_parameters(); print(s[1].weight)
r = replace_all_batch_norm_modules_(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.InstanceNorm1d(2, track_running_stats=True))); print(r, list(r.state_dict()), r[1].running_mean)
print(_addindent("a\nb\n\nc", 2), _addindent("a", 3))
c = _get_clones(nn.Linear(2, 2), 3); print(c, c[0].weight is c[1].weight, torch.equal(c[0].weight, c[2].weight))
print(_calculate_correct_fan(torch.ones(3, 4), "fan_in"), _calculate_correct_fan(torch.ones(3, 4, 2), "FAN_OUT"))
v = parameters_to_vector(nn.Linear(2, 1).parameters()); print(v.shape)
wn = weight_norm(nn.Linear(2, 2)); print(list(wn.state_dict())); remove_weight_norm(wn); print(list(wn.state_dict())); print(nn.utils.weight_norm(nn.Linear(1, 1)))
h = nn.Linear(1, 1).register_forward_hook(lambda *a: None); print(isinstance(h, RemovableHandle))
d = list(range(10))
for kw in (dict(num_replicas=3, rank=0), dict(num_replicas=3, rank=2, shuffle=False), dict(num_replicas=3, rank=1, drop_last=True, seed=5), dict(num_replicas=16, rank=15, shuffle=False), dict(num_replicas=25, rank=24, shuffle=False), dict(num_replicas=2, rank=1, drop_last=True, shuffle=False)):
    q = DistributedSampler(d, **kw); print(list(q), len(q), q.num_samples, q.total_size); q.set_epoch(2); print(list(q))
dl = torch.utils.data.DataLoader(torch.arange(10.), batch_size=2, sampler=DistributedSampler(d, 2, 0)); print(list(dl))
for bad in (lambda: DistributedSampler(d, 3, 3), lambda: DistributedSampler(d), lambda: DistributedSampler(d, num_replicas=2), lambda: DistributedSampler(d, 2, -1)):
    try: bad()
    except Exception as e: print(type(e).__name__, e)
print(default_collate([1, 2]))
