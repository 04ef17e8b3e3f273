"""What `torch.nn.utils.fusion` is in Python, for the machine to read: a norm joined to the layer before it.

Source: torch/nn/utils/fusion.py, for the order of the arithmetic and what is refused.
"""

from __future__ import annotations

FUSION = """
from copy import deepcopy

def _check(layer, bn):
    assert not (layer.training or bn.training), "Fusion only for eval!"
    assert bn.running_mean is not None and bn.running_var is not None, (
        "bn.running_mean and bn.running_var must not be None"
    )

def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    weight_dtype = conv_w.dtype
    bias_dtype = weight_dtype if conv_b is None else conv_b.dtype
    conv_b = torch.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = torch.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = torch.zeros_like(bn_rm) if bn_b is None else bn_b
    rate = torch.rsqrt(bn_rv + bn_eps)
    shape = ([1, -1] if transpose else [-1, 1]) + [1] * (len(conv_w.shape) - 2)
    weight = (conv_w * (bn_w * rate).reshape(shape)).to(dtype=weight_dtype)
    bias = ((conv_b - bn_rm) * rate * bn_w + bn_b).to(dtype=bias_dtype)
    return nn.Parameter(weight, conv_w.requires_grad), nn.Parameter(bias, conv_b.requires_grad)

def fuse_conv_bn_eval(conv, bn, transpose=False):
    _check(conv, bn)
    fused = deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused

def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    weight_dtype = linear_w.dtype
    bias_dtype = weight_dtype if linear_b is None else linear_b.dtype
    linear_b = torch.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * torch.rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(dtype=weight_dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(dtype=bias_dtype)
    return nn.Parameter(weight, linear_w.requires_grad), nn.Parameter(bias, linear_b.requires_grad)

def fuse_linear_bn_eval(linear, bn):
    assert not (linear.training or bn.training), "Fusion only for eval!"
    fused = deepcopy(linear)
    assert linear.out_features == bn.num_features or bn.num_features == 1, (
        "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, "
        f"got linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
    )
    _check(fused, bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused
"""
