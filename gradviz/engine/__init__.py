"""A small torch on numpy: tensors that record, one table of ops, one reverse loop. `import gradviz.engine as torch`.

Where to begin reading: `gradviz.ops.op` (a row of the table), `gradviz.ops.elementwise` (its first family), `tensor` (an
array that remembers which op made it), `apply`, and `backward` (the reverse loop).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine import (
    autograd,
    backends,
    creation,
    cuda,
    devices,
    display,
    distributed,
    distributions,
    dtypes,
    func,
    linalg,
    machine,
    methods,
    modes,
    nn,
    optim,
    sampling,
    serialization,
    special,
    utils,
    version,
)
from gradviz.engine.known import missing_of
from gradviz.engine.tensor import Tensor

_FROM = {
    creation: """
        arange as_tensor asarray empty empty_like eye from_numpy full full_like get_default_dtype linspace ones ones_like
        set_default_dtype tensor zeros zeros_like
        """,
    sampling: """
        bernoulli default_generator get_rng_state initial_seed manual_seed multinomial normal rand rand_like randint
        randn randn_like randperm set_rng_state
        """,
    modes: "enable_grad inference_mode is_grad_enabled no_grad set_grad_enabled",
    dtypes: "can_cast finfo promote_types",
    display: "set_printoptions",
    serialization: "load save",
    machine: " ".join(machine.__all__),
}
"""What is a function of torch but no method of tensors."""

__version__ = version.__version__
NAMES: dict[str, Any] = {
    **methods.FUNCTIONS,
    **{second: methods.FUNCTIONS[name] for second, name in methods.SECOND_NAMES.items()},
    **methods.NAMESPACE,
    **{name: getattr(module, name) for module, names in _FROM.items() for name in names.split()},
    **dtypes.DTYPES, **dtypes.ALIASES, **creation.CONSTRUCTORS,
    "Tensor": Tensor, "Size": dtypes.Size, "dtype": dtypes.DType, "device": devices.Device, "range": creation.range_,
    "Generator": sampling.Generator, "cuda": cuda,
    "backends": backends, "accelerator": backends.cuda, "random": sampling,
    "autograd": autograd, "nn": nn, "optim": optim, "utils": utils, "func": func, "linalg": linalg, "special": special,
    "distributions": distributions, "distributed": distributed, "version": version,
    **{f"{name}_": getattr(Tensor, f"{name}_") for name in methods.IN_PLACE},
    **{name: getattr(Tensor, name) for name in ("detach", "is_floating_point", "numel")},
    "is_tensor": methods.is_tensor, "result_type": methods.result_type,
    **dict.fromkeys("set_float32_matmul_precision set_num_threads use_deterministic_algorithms".split(), methods.ignore),
    "pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None,
    **{name: f"torch.{name}" for name in ("strided", "preserve_format", "contiguous_format")}, "__version__": __version__,
}  # fmt: skip
"""Every name of torch inside the frontier."""

np.seterr(all="ignore")  # as in PyTorch, 1 / 0 is infinite and log(-1) is NaN without a word
globals().update(NAMES)
__all__ = sorted(name for name in NAMES if not name.startswith("_"))  # noqa: PLE0605


__getattr__ = missing_of("torch")
