"""The engine sets and reads no attribute by a name that a script gives, where the name is one of Python's own."""

from __future__ import annotations

import pytest

from gradviz.run.modules import ENGINE
from tests.run.scripts import run

HEAD = """
import torch, copy, numpy as np
import torch.nn as nn
MEMORY = {"data": (id(object), False), "shape": (4,), "typestr": "<i8", "version": 3}
NAME = "__array_" + "interface__"
class X: pass
class Equal:
    def __eq__(self, other): self.got = other; return True
    def __ne__(self, other): self.got = other; return True
def reached(x): print("got", np.asarray(x).tolist()[0])
"""

ATTACKS = {
    "a tensor's array": "torch.ones(2).array = np.array([object()])",
    "a tensor's op by setattr": "setattr(torch.ones(2), 'op', X())",
    "a tensor's extra deleted": "del torch.ones(2).extra",
    "a buffer of memory": "m = nn.Linear(1, 1)\nm._buffers[NAME] = MEMORY\nreached(m)",
    "a module of memory": "m = nn.Linear(1, 1)\nm._modules[NAME] = MEMORY\nreached(m)",
    "a parameter of memory": "m = nn.Linear(1, 1)\nm._parameters[NAME] = MEMORY\nreached(m)",
    "a value of memory": "p = nn.ParameterDict()\np[NAME] = MEMORY\nreached(p)",
    "values of memory": "p = nn.ParameterDict({NAME: MEMORY})\nreached(p)",
    "a value of memory for another": "x = X()\nx._keys = {}\nnn.ParameterDict.__setitem__(x, NAME, MEMORY)\nreached(x)",
    "a value by a text of its own": (
        "class K(str):\n    def __hash__(self): return hash(NAME)\n    def __eq__(self, o): return True\n"
        "p = nn.ParameterDict()\np[K('a')] = MEMORY\nreached(p)"
    ),
    "a state of memory": (
        "o = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)\ns = torch.optim.lr_scheduler.StepLR(o, 1)\n"
        "s.load_state_dict({NAME: MEMORY})\nreached(s)"
    ),
    "a state of memory for a function": (
        "def f(): pass\ntorch.optim.lr_scheduler.StepLR.load_state_dict(f, {NAME: MEMORY})\nreached(f)"
    ),
    "a dict by the names of weights": (
        "class R(nn.RNN): pass\nr = R(1, 1)\nr._names = [['__dict__']]\nr.all_weights[0][0][NAME] = MEMORY\nreached(r)"
    ),
    "a dict by the name of a key": (
        "class P(nn.ParameterDict): pass\np = P()\np._keys['__dict__'] = None\np['__dict__'][NAME] = MEMORY\nreached(p)"
    ),
    "a dict by the settings that are shown": (
        "e = Equal()\nclass E(nn.Embedding):\n    def _defaults(self): return {'__dict__': e}\n"
        "m = E(2, 1)\nrepr(m)\ne.got[NAME] = MEMORY\nreached(m)"
    ),
    "a submodule of Python's": "nn.Linear(1, 1).get_submodule('__init__.__globals__')",
    "a parameter of Python's": "nn.Linear(1, 1).get_parameter('__dict__')",
    "an attribute set past the gate": "nn.Module.__setattr__(X(), NAME, MEMORY)",
    "an attribute read past the gate": "nn.Module.__getattr__(nn.Linear(1, 1), '__dict__')[NAME].nothing",
    "memory of a context": (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        setattr(ctx, NAME, MEMORY)\n        return x * 1\nreached(F.apply(torch.ones(1)))"
    ),
    "memory of a tensor": "setattr(torch.ones(1), NAME, MEMORY)",
    "memory of an array of a tensor": "torch.ones(1).numpy().ctypes",
    "objects as a tensor": "torch.from_numpy(np.array([X()], dtype=object))",
    "another stride": "torch.ones(2).as_strided((1000,), (8,))",
    "windows beyond an array": "print(torch.ones(4).unfold(0, -2, 1))",
    "windows backwards": "print(torch.ones(4).unfold(0, 2, -1))",
    "a convolution backwards": "nn.functional.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), dilation=-5)",
    "a pooling backwards": "nn.functional.max_pool2d(torch.ones(1, 1, 4, 4), 2, stride=-1)",
    "a pooling outside": "nn.functional.max_pool2d(torch.ones(1, 1, 4, 4), (9, 1), padding=-3)",
    "a state of the generator": "s = torch.get_rng_state()\ns[:] = 255\ntorch.set_rng_state(s)\nprint(torch.rand(3))",
    "a method of the engine replaced": "nn.Linear.forward = print",
    "a function of the engine replaced": "torch.manual_seed = print",
    "memory by a class pattern": (
        "class M(type):\n    def __instancecheck__(cls, other): return True\n"
        "class Q(nn.utils.rnn.PackedSequence, metaclass=M): pass\n"
        "match np.array([X()], dtype=object):\n    case Q(memory): print(memory)"
    ),
    "a file": "torch.load('/etc/hostname')",
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_an_attempt_through_the_engine_ends_in_one_sentence(attack: str) -> None:
    ran = run(f"{HEAD}{attack}\n", engine=ENGINE)

    assert ran.message
    assert "\n" not in ran.message
    assert ran.output == ""
