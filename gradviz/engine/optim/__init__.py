"""`torch.optim`: optimizers as plain Python classes, and schedules for their learning rates."""

from gradviz.engine.known import missing_of
from gradviz.engine.optim import lr_scheduler, swa_utils
from gradviz.engine.optim.adam import Adam, AdamW
from gradviz.engine.optim.adaptive import Adadelta, Adagrad, RMSprop
from gradviz.engine.optim.lbfgs import LBFGS
from gradviz.engine.optim.optimizer import Optimizer
from gradviz.engine.optim.sgd import SGD

__all__ = ["LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler", "swa_utils"]

for _kind in (LBFGS, SGD, Adadelta, Adagrad, Adam, AdamW, Optimizer, RMSprop, *vars(lr_scheduler).values()):
    if isinstance(_kind, type) and _kind.__module__.startswith("gradviz.engine.optim"):
        _kind.__module__ = _kind.__module__.replace("gradviz.engine", "torch")  # what print(type(optimizer)) shows


__getattr__ = missing_of("torch.optim")
