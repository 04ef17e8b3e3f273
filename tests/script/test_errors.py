"""Errors of a script: PyTorch's or Python's own words, at the right place, and what to do about it."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest

from gradviz.errors import GradvizError, TorchError
from gradviz.imitation.script.run import run

HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.tensor([1., 2.], requires_grad=True)
"""


EMPTY = "arg is an empty sequence" if sys.version_info < (3, 12) else "iterable argument is empty"


class Case(NamedTuple):
    """Lines after the head, and what is said: line (1 is the first after the head), column, headline, hint."""

    code: str
    line: int
    column: int
    headline: str
    hint: str = ""


def error_of(code: str, head: str = HEAD) -> GradvizError:
    error = run(head + code, seed=0).error
    assert error is not None
    return error


def check(case: Case) -> None:
    error = error_of(case.code)

    assert error.headline.startswith(case.headline)
    assert (error.line, error.column) == (case.line + 4, case.column)
    assert case.hint in error.hint


SPELLING = (
    Case("torch.grid_sampler(x)", 1, 1, "'torch.grid_sampler' is not supported by gradviz", "The help lists"),
    Case("try: x.to_sparse()\nexcept AttributeError: pass", 1, 6, "'Tensor.to_sparse' is not supported by gradviz"),
    Case("assert not hasattr(torch, 'fft')\ntorch.fft", 2, 1, "'torch.fft' is not supported by gradviz"),
    Case("torch.zeros(2, device='meta')", 1, 1, "tensors without values (the device 'meta') are not supported"),
    Case(
        "import numpy\ntorch.from_numpy(numpy.array([1j]))",
        2,
        1,
        "TypeError: complex tensors are not supported",
        "Use real",
    ),
    Case("torch.Tensor.sum = print", 1, 1, "'Tensor.sum' cannot be replaced", "another name"),
    Case("nn.Linear.reset_parameters = print", 1, 1, "'Linear.reset_parameters' cannot be replaced", "another name"),
    Case("torch.polygamma(-1, x)", 1, 1, "RuntimeError: polygamma(n, x) does not support negative n."),
    Case("x.nansum(dtype='f')", 1, 1, "TypeError: nansum(): argument 'dtype' must be torch.dtype, not str"),
    Case("torch.snh(x)", 1, 1, "AttributeError: module 'torch' has no attribute 'snh'", "Did you mean 'torch.sinh'?"),
    Case("torch.tahn(x)", 1, 1, "AttributeError: module 'torch' has no attribute 'tahn'", "Did you mean 'torch.tanh'?"),
    Case("y = torch.tnesor(1.)", 1, 5, "AttributeError: module 'torch' has no", "Did you mean 'torch.tensor'?"),
    Case("y = 2 * x.summ()", 1, 9, "AttributeError: 'Tensor' object has no attribute 'summ'", "Did you mean 'sum'?"),
    Case("x.sum().bacward()", 1, 1, "AttributeError: 'Tensor' object has no attribute 'bacward'", "'backward'"),
    Case("x.requires_grd", 1, 1, "AttributeError: 'Tensor' object has no attribute 'requires_grd'", "'requires_grad'"),
    Case("nn.Liner(2, 1)", 1, 1, "AttributeError: module 'torch.nn' has no attribute 'Liner'", "'torch.nn.Linear'"),
    Case("F.rellu(x)", 1, 1, "AttributeError: module 'torch.nn.functional' has no", "'torch.nn.functional.relu'"),
    Case("weight = 1\ny = wieght * x", 2, 5, "NameError: name 'wieght' is not defined", "Did you mean 'weight'?"),
    Case("tensor([1.])", 1, 1, "NameError: name 'tensor' is not defined", "Did you mean 'torch.tensor'?"),
    Case("y = x * w", 1, 9, "NameError: name 'w' is not defined"),
    Case("np.array([1])", 1, 1, "NameError: name 'np' is not defined", "Add `import numpy as np` at the top."),
    Case("math.sqrt(2)", 1, 1, "NameError: name 'math' is not defined", "Add `import math` at the top."),
    Case("y = true", 1, 5, "NameError: name 'true' is not defined", "True, False and None"),
    Case("from torch import tesnor", 1, 19, "cannot import name 'tesnor' from 'torch'", "Did you mean 'tensor'?"),
    Case("import numpyy", 1, 8, "'import numpyy' is not supported", "Did you mean 'numpy'?"),
    Case("import tensorflow as tf", 1, 8, "'import tensorflow' is not supported", "Write it with torch."),
    Case(
        "x.sum(dims=0)",
        1,
        1,
        "TypeError: sum() received an invalid combination of arguments - got (dims=int, ),",
        "Did you mean 'dim'?",
    ),
    Case(
        "torch.sum(x, dims=0)",
        1,
        1,
        "TypeError: sum() received an invalid combination of arguments - got (Tensor",
        "'dim'",
    ),
    Case(
        "x.sum().backward(retain_graf=True)", 1, 1, "TypeError: Tensor.backward() got an unexpected", "'retain_graph'"
    ),
    Case("print(x, ned='')", 1, 1, "TypeError: 'ned' is an invalid keyword argument for print()", "'end'"),
)


@pytest.mark.parametrize("case", SPELLING, ids=lambda case: case.code)
def test_misspelt_name_is_answered_with_the_right_one(case: Case) -> None:
    check(case)


AUTOGRAD = (
    Case("torch.tensor([1, 2], requires_grad=True)", 1, 1, "RuntimeError: Only Tensors of floating point", "Write 1. for 1"),
    Case("i = torch.arange(3)\ni.requires_grad_()", 2, 1, "RuntimeError: only Tensors of floating point dtype", "1."),
    Case("x.grad.zero_()", 1, 1, "AttributeError: 'NoneType' object has no attribute 'zero_'", "`if x.grad is not None:`"),
    Case("print(x.grad.shape)", 1, 7, "AttributeError: 'NoneType' object has no attribute 'shape'", ".grad is None until"),
    Case("x.grad.data.zero_()", 1, 1, "AttributeError: 'NoneType' object has no attribute 'data'", ".grad is None until"),
    Case("x.grad_fn.next_functions", 1, 1, "AttributeError: 'NoneType' object has no", "A leaf has no grad_fn"),
    Case("y = x.sum().backward()\ny.grad", 2, 1, "AttributeError: 'NoneType' object has no attribute 'grad'", "y is None"),
    Case("y = x * 2\ny.backward()", 2, 1, "RuntimeError: grad can be implicitly created only for scalar", "torch.ones_like"),
    Case("y = (x * x).sum()\ny.backward()\ny.backward()", 3, 1, "RuntimeError: Trying to backward", "retain_graph=True"),
    Case("z = torch.ones(2)\nz.sum().backward()", 2, 1, "RuntimeError: element 0 of tensors does not", "requires_grad=True"),
    Case("x += 1", 1, 1, "RuntimeError: a leaf Variable that requires grad", "torch.no_grad()"),
    Case("x[0] = 1", 1, 1, "RuntimeError: a view of a leaf Variable", "torch.no_grad()"),
    Case("x.numpy()", 1, 1, "RuntimeError: Can't call numpy() on Tensor that requires grad", "x.detach().numpy()"),
    Case("x.backward([1., 1.])", 1, 1, "TypeError: gradients can be either Tensors or None", "torch.tensor"),
    Case("x.backward(torch.ones(3))", 1, 1, "RuntimeError: Mismatch in shape: grad_output[0] has", "shape of the output"),
    Case("if x > 0: pass", 1, 4, "RuntimeError: Boolean value of Tensor with more than one value", ".any() or .all()"),
    Case("float(x)", 1, 1, "ValueError: only one element tensors can be converted to Python scalars", ".sum()"),
    Case("torch.ones(2) + torch.ones(3)", 1, 1, "RuntimeError: The size of tensor a (2) must match", "[2] and [3]"),
    Case("y = torch.ones(2, 3) @ torch.ones(2, 3)", 1, 5, "RuntimeError: mat1 and mat2 shapes cannot be multiplied", "3 and 2"),
    Case("x.view(3)", 1, 1, "RuntimeError: shape '[3]' is invalid for input of size 2", "multiply to 2"),
    Case("torch.cat([x, torch.ones(1, 1)])", 1, 1, "RuntimeError: Tensors must have same number of dim", "unsqueeze"),
    Case("x.sum(5)", 1, 1, "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 5)", "count from 0"),
    Case("torch.log(5)", 1, 1, "TypeError: log(): argument 'input' (position 1) must be Tensor, not int", "torch.tensor"),
    Case("x.cuda()", 1, 1, "AssertionError: Torch not compiled with CUDA enabled", "only the CPU"),
    Case("y = x.view(2, 1) * torch.ones(2, 3)\nv = y[0]\nv.data = torch.ones(5)\nv.mul_(2)\ny.sum().backward()", 5, 1, "RuntimeError: CopySlices cannot be computed: the view that was changed has other sizes by now", "exchanged by .data ="),
    Case("x.data = 5", 1, 1, "TypeError: Variable data has to be a tensor, but got int"),
    Case("x.shape = (2, 1)", 1, 1, "AttributeError: attribute 'shape' of 'torch._C.TensorBase' objects", "variable of its own"),
    Case("x.grad = torch.ones(3)", 1, 1, "RuntimeError: attempting to assign a gradient of size '[3]'", "shape of the tensor"),
    Case("for v in torch.tensor(1.): pass", 1, 10, "TypeError: iteration over a 0-d tensor", "x.item()"),
    Case("torch.tensor([[1, 2], [3]])", 1, 1, "ValueError: expected sequence of length 2 at dim 1 (got 1)", "same length"),
    Case("y = x.exp()\ny += 1\ny.sum().backward()", 3, 1, "RuntimeError: one of the variables needed for", "clone()"),
)  # fmt: skip


@pytest.mark.parametrize("case", AUTOGRAD, ids=lambda case: case.code)
def test_error_of_pytorch_has_its_words_its_place_and_a_way_out(case: Case) -> None:
    check(case)


PYTHON = (
    Case("[1, 2][5]", 1, 1, "IndexError: list index out of range", "It has 2 items; the last is [1]."),
    Case("[][0]", 1, 1, "IndexError: list index out of range", "It is empty."),
    Case("'ab'[2]", 1, 1, "IndexError: string index out of range", "the last is [1]"),
    Case("{'alpha': 1}['alhpa']", 1, 1, "KeyError: 'alhpa'", "Did you mean 'alpha'?"),
    Case("{'a': 1}['zzz']", 1, 1, "KeyError: 'zzz'", "The keys are 'a'."),
    Case("y = 1 + 1 / 0", 1, 9, "ZeroDivisionError: division by zero"),
    Case("x()", 1, 1, "TypeError: 'Tensor' object is not callable", "choose another name"),
    Case("(1)(2)", 1, 2, "TypeError: 'int' object is not callable", "A comma or an operator may be missing"),
    Case("y = None\ny.sum()", 2, 1, "AttributeError: 'NoneType' object has no attribute 'sum'", "y is None"),
    Case("def f(a, b): pass\nf(1)", 2, 1, "TypeError: f() missing 1 required positional argument: 'b'"),
    Case("def f(a, b, c): pass\nf()", 2, 1, "TypeError: f() missing 3 required positional arguments: 'a', 'b', and 'c'"),
    Case("def f(a): pass\nf(1, 2)", 2, 1, "TypeError: f() takes 1 positional argument but 2 were given"),
    Case("def f(a=1): pass\nf(1, 2)", 2, 1, "TypeError: f() takes from 0 to 1 positional arguments but 2 were given"),
    Case("def f(): pass\nf(1)", 2, 1, "TypeError: f() takes 0 positional arguments but 1 was given"),
    Case("def f(a): pass\nf(b=1)", 2, 1, "TypeError: f() got an unexpected keyword argument 'b'"),
    Case("def f(a): pass\nf(1, a=1)", 2, 1, "TypeError: f() got multiple values for argument 'a'"),
    Case("def f(*, a): pass\nf()", 2, 1, "TypeError: f() missing 1 required keyword-only argument: 'a'"),
    Case("class A:\n    def __init__(self, a): pass\nA()", 3, 1, "TypeError: A.__init__() missing 1 required positional"),
    Case("class A: pass\nA(1)", 2, 1, "TypeError: A() takes no arguments"),
    Case("class A: pass\nA().foo", 2, 1, "AttributeError: 'A' object has no attribute 'foo'"),
    Case("class A: pass\nA.foo", 2, 1, "AttributeError: type object 'A' has no attribute 'foo'"),
    Case("class A:\n    def __init__(self): return 5\nA()", 3, 1, "TypeError: __init__() should return None, not 'int'"),
    Case("def f():\n    print(v)\n    v = 1\nf()", 2, 11, "UnboundLocalError: cannot access local variable 'v'"),
    Case("a, b = [1, 2, 3]", 1, 1, "ValueError: too many values to unpack (expected 2)"),
    Case("a, b = [1]", 1, 1, "ValueError: not enough values to unpack (expected 2, got 1)"),
    Case("a, b = 5", 1, 1, "TypeError: cannot unpack non-iterable int object"),
    Case("'a' + 1", 1, 1, "TypeError: can only concatenate str (not \"int\") to str"),
    Case("y = 3 * (x + None)", 1, 10, "TypeError: unsupported operand type(s) for +: 'Tensor' and 'NoneType'"),
    Case("1 < 'a'", 1, 1, "TypeError: '<' not supported between instances of 'int' and 'str'"),
    Case("-'a'", 1, 1, "TypeError: bad operand type for unary -: 'str'"),
    Case("{[]: 1}", 1, 1, "TypeError: unhashable type: 'list'"),
    Case("int('a')", 1, 1, "ValueError: invalid literal for int() with base 10: 'a'"),
    Case("max([])", 1, 1, f"ValueError: max() {EMPTY}"),
    Case("for i in 5: pass", 1, 10, "TypeError: 'int' object is not iterable"),
    Case("with 5: pass", 1, 6, "TypeError: 'int' object does not support the context manager protocol"),
    Case("del y", 1, 5, "NameError: name 'y' is not defined"),
    Case("raise ValueError('bad')", 1, 1, "ValueError: bad"),
    Case("class E(Exception): pass\nraise E('own')", 2, 1, "E: own"),
    Case("raise 5", 1, 1, "TypeError: exceptions must derive from BaseException"),
    Case("raise", 1, 1, "RuntimeError: No active exception to reraise"),
    Case("assert x.sum() > 5, 'too small'", 1, 8, "AssertionError: too small"),
    Case("try:\n    1/0\nfinally:\n    print(1)", 2, 5, "ZeroDivisionError: division by zero"),
    Case("try:\n    1/0\nexcept KeyError: pass", 2, 5, "ZeroDivisionError"),
    Case("try:\n    1/0\nexcept ZeroDivisionError:\n    raise ValueError('new')", 4, 5, "ValueError: new"),
    Case("try:\n    1/0\nexcept ZeroDivisionError:\n    raise", 2, 5, "ZeroDivisionError: division by zero"),
    Case("def f():\n    return g()\ndef g():\n    return 1 / 0\nf()", 4, 12, "ZeroDivisionError: division by zero"),
    Case("def f(): return (\n    1 +\n    x.nope)\nf()", 3, 5, "AttributeError: 'Tensor' object has no attribute 'nope'"),
    Case("[v.nope for v in [x]]", 1, 2, "AttributeError: 'Tensor' object has no attribute 'nope'"),
    Case("é = 'ü' + wrong", 1, 11, "NameError: name 'wrong' is not defined"),
)  # fmt: skip


@pytest.mark.parametrize("case", PYTHON, ids=lambda case: case.code)
def test_error_of_python_has_its_words_and_its_place(case: Case) -> None:
    check(case)


LEARNERS = (
    Case("torch.full(2, 3)", 1, 1, "TypeError: full(): argument 'size'", "(2,)"),
    Case("torch.cat([])", 1, 1, "ValueError: torch.cat(): expected a non-empty list", "loop"),
    Case(
        "nn.Sequential(nn.ReLU()).apply(lambda m: nn.init.zeros_(m.weight))",
        1,
        57,
        "AttributeError: 'ReLU'",
        "isinstance(m, nn.Linear)",
    ),
    Case(
        "torch.autograd.functional.jacobian(x, x)", 1, 1, "TypeError: 'Tensor' object is not callable", "f and not f(x)"
    ),
    Case("nn.ReLU().load_state_dict(nn.ReLU())", 1, 1, "TypeError: Expected state_dict", "model.state_dict()"),
    Case(
        "F.cross_entropy(torch.ones(1, 1), torch.tensor([1]))", 1, 1, "IndexError: Target 1 is out", "BCEWithLogitsLoss"
    ),
    Case(
        "class N(nn.Module):\n def __init__(self):\n  super().__init__()\n  self.l = nn.ReLU()\n def forward(self, x): return l(x)\nN()(x)",
        5,
        31,
        "NameError: name 'l' is not defined",
        "Did you mean 'self.l'?",
    ),
    Case(
        "class N(nn.Module):\n def forward(self, x): return self.l(x)\nN()(x)",
        2,
        31,
        "AttributeError: 'N' object has no attribute 'l'",
        "set self.l in __init__",
    ),
    Case("y = 1 if x > 0 else 2", 1, 10, "RuntimeError: Boolean value of Tensor", ".any()"),
    Case("torch.ones(3) in x", 1, 1, "RuntimeError: The size of tensor a (3) must match the size of tensor b (2)"),
    Case(
        "'a' in x",
        1,
        1,
        "RuntimeError: Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'str'>.",
    ),
    Case(
        "nn.ReLU().parameters()[0]",
        1,
        1,
        "TypeError: 'generator' object is not subscriptable",
        "list(model.parameters())[0]",
    ),
    Case("(x > 0).sum().backward()", 1, 1, "RuntimeError: element 0 of tensors does not require grad", "comparisons"),
    Case(
        "nn.Linear(input_size=3, out_features=2)",
        1,
        1,
        "TypeError: Linear.__init__() got an unexpected",
        "It takes in_features",
    ),
    Case(
        "nn.Conv2d(3, 8, 3)(torch.ones(1, 1, 9, 9))",
        1,
        1,
        "RuntimeError: Given groups=1, weight",
        "with 3 channels, or make the layer for 1",
    ),
    Case(
        "nn.Linear(3, 1)(torch.ones(2, 4))",
        1,
        1,
        "RuntimeError: mat1 and mat2",
        "last size of the input, 4, must be the layer's in_features, 3.",
    ),
    Case("nn.Linear(3, 1)(torch.ones(2, 1, 4, 4))", 1, 1, "RuntimeError: mat1 and mat2", "Put nn.Flatten() before it"),
    Case(
        "torch.cat([torch.ones(2, 3), torch.ones(2, 4)])",
        1,
        1,
        "RuntimeError: Sizes of tensors must match",
        "cat joins along dim 0",
    ),
    Case("x[3]", 1, 1, "IndexError: index 3 is out of bounds", "Dimension 0 has 2 places"),
    Case(
        "nn.CrossEntropyLoss(torch.ones(4, 3), torch.ones(4))",
        1,
        1,
        "RuntimeError: Boolean value of Tensor",
        "made first and called then",
    ),
    Case(
        "nn.MSELoss(torch.tensor(1.)).backward()",
        1,
        1,
        "AttributeError: 'MSELoss' object",
        "made first and called then",
    ),
    Case(
        "nn.BCELoss()(torch.ones(4, 1), torch.ones(4))", 1, 1, "ValueError: Using a target size", "target.unsqueeze(1)"
    ),
    Case(
        "torch.optim.SGD(nn.Linear(1, 1).parameters, lr=1)",
        1,
        1,
        "TypeError: 'method' object is not iterable",
        "write ()",
    ),
    Case(
        "x.sum.backward()",
        1,
        1,
        "AttributeError: 'builtin_function_or_method' object has no attribute 'backward'",
        "write ()",
    ),
    Case(
        "with torch.no_grad: pass",
        1,
        6,
        "TypeError: 'type' object does not support the context",
        "`with torch.no_grad():`",
    ),
    Case("x.sum().item().backward()", 1, 1, "AttributeError: 'float' object has no attribute", "not a tensor"),
    Case("nn.ReLU() + 1", 1, 1, "TypeError: unsupported operand", "F.relu(x)"),
    Case(
        "nn.Relu()", 1, 1, "AttributeError: module 'torch.nn' has no attribute 'Relu'", "Did you mean 'torch.nn.ReLU'?"
    ),
    Case(
        "torch.optim.Sgd([x])", 1, 1, "AttributeError: module 'torch.optim' has no", "Did you mean 'torch.optim.SGD'?"
    ),
    Case(
        "class N(nn.Module):\n def __init__(self):\n  super(N).__init__()\n  self.l = nn.ReLU()\nN()",
        4,
        3,
        "AttributeError: cannot assign module before",
        "super().__init__()",
    ),
    Case(
        "class A:\n def f(self): super(A).g()\nA().f()",
        2,
        15,
        "AttributeError: 'super' object has no attribute 'g'",
        "super().g",
    ),
    Case(
        "class N(nn.Module):\n def forward(x): return x\nN()(x)",
        3,
        1,
        "TypeError: N.forward() takes 1 positional",
        "self",
    ),
    Case(
        "class N(nn.Module):\n def foward(self, x): return x\nN()(x)",
        3,
        1,
        "NotImplementedError: Module [N] is missing",
        "def forward(self, x)",
    ),
    Case(
        "F.linear((x, x), x)",
        1,
        1,
        "TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple",
        "take the one",
    ),
    Case(
        "F.linear(None, x)",
        1,
        1,
        "TypeError: linear(): argument 'input' (position 1) must be Tensor, not NoneType",
        "without `return`",
    ),
    Case("def f(x):\n    raise NotImplementedError\nf(1)", 2, 5, "NotImplementedError", "left to be written"),
    Case("nn.init.xavier_uniform_(torch.ones(3))", 1, 1, "ValueError: Fan in and fan out"),
    Case("assert 1 == 2, 'wrong'", 1, 8, "AssertionError: wrong", "script's own check"),
    Case(
        "torch.tensor([1.], dtype='float32')",
        1,
        1,
        "TypeError: tensor(): argument 'dtype' must be torch.dtype, not str",
        "without quotes",
    ),
    Case("x.to('float32')", 1, 1, "RuntimeError: Invalid device string: 'float32'", "without quotes"),
    Case("torch.device('cpu:01')", 1, 1, "RuntimeError: Invalid device string: 'cpu:01'", "CPU"),
    Case("torch.device('')", 1, 1, "RuntimeError: Device string must not be empty", "CPU"),
    Case("x.shape()", 1, 1, "TypeError: 'torch.Size' object is not callable", "leave the brackets out"),
    Case(
        "import matplotlib.pyplot as plt\nplt.plot([1, 2], x)",
        2,
        1,
        "RuntimeError: Can't call numpy() on Tensor",
        "x.detach().numpy()",
    ),
    Case(
        "import matplotlib.pyplot as plt\nplt.subplots()[1].scatter(x.detach(), x.detach(), c=[x[0]])",
        2,
        1,
        "RuntimeError: Can't call numpy() on Tensor",
    ),
    Case(
        "import matplotlib.pyplot as plt\nl = []\nl.append(l)\nplt.plot(l)\nplt.title(x)\nplt.text(0, 0, x)\n1 / 0",
        7,
        1,
        "ZeroDivisionError",
    ),
    Case(
        "def f(lr=1): pass\nf(lrate=2)",
        2,
        1,
        "TypeError: f() got an unexpected keyword argument 'lrate'",
        "It takes lr.",
    ),
)


@pytest.mark.parametrize("case", LEARNERS, ids=lambda case: case.code)
def test_what_learners_write_has_a_sentence_that_helps(case: Case) -> None:
    check(case)


SYNTAX = (
    Case("def f(:", 1, 7, "SyntaxError: invalid syntax", "a bracket, comma, colon or quote"),
    Case("if x = 3: pass", 1, 4, "SyntaxError: invalid syntax. Maybe", "== compares"),
    Case("i = 0\ni++", 2, 4, "SyntaxError: invalid syntax", "i += 1"),
    Case("print 'a'", 1, 1, "SyntaxError: Missing parentheses", "print(...)"),
    Case("for = 3", 1, 5, "SyntaxError: invalid syntax", "another name"),
    Case("if 1: pass\nelse if 2: pass", 2, 6, "SyntaxError: expected ':'", "elif"),
    Case("print 'a'", 1, 1, "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?"),
    Case("if x\n    pass", 1, 5, "SyntaxError: expected ':'"),
    Case("y = (1,\n", 1, 5, "SyntaxError: '(' was never closed"),
    Case("y = 'abc", 1, 5, "SyntaxError: unterminated string literal"),
    Case("for i in range(3):\nprint(i)", 2, 1, "IndentationError: expected an indented block"),
    Case("x = 5 = 6", 1, 5, "SyntaxError: cannot assign to literal"),
    Case("return 3", 1, 1, "SyntaxError: 'return' outside function", "Put it into a function"),
    Case("if 1:\n    break", 2, 5, "SyntaxError: 'break' outside loop"),
    Case("def f(a, a): pass", 1, 10, "SyntaxError: duplicate argument 'a' in function definition"),
    Case("def f():\n    nonlocal q", 2, 5, "SyntaxError: no binding for nonlocal 'q' found"),
    Case("async def f(): pass", 1, 1, "'async def' is not supported", "plain statements"),
    Case("async def f(): pass", 1, 1, "'async def' is not supported", "plain statements"),
    Case("f = lambda: (yield)", 1, 14, "'yield' (a generator function) is not supported"),
)


@pytest.mark.parametrize("case", SYNTAX, ids=lambda case: case.code)
def test_text_that_is_no_python_or_not_read_says_so(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("name", ["input", "exec", "eval", "compile", "breakpoint"])
def test_builtin_that_is_not_here_says_why(name: str) -> None:
    error = error_of(f"y = {name}('a')")

    assert error.headline == f"'{name}' is not available in gradviz"
    assert error.hint
    assert (error.line, error.column) == (5, 5)


def test_error_is_part_of_the_recording_with_what_came_before() -> None:
    recording = run(HEAD + "y = x * 2\nprint('before')\ny.backward()").recording

    assert recording.output == "before\n"
    assert [node.op for node in recording.nodes] == ["leaf", "constant", "mul"]
    assert recording.problem is not None
    assert recording.problem.message == "RuntimeError: grad can be implicitly created only for scalar outputs"
    assert (recording.problem.line, recording.problem.column, recording.problem.node) == (7, 1, 2)


def test_one_line_gives_file_place_what_and_what_to_do() -> None:
    error = error_of("x.grad.zero_()")

    assert error.one_line("a.py") == (
        "a.py:5:1: AttributeError: 'NoneType' object has no attribute 'zero_'. .grad is None until backward() has run, "
        "after zero_grad(), without requires_grad=True, and at tensors that an op made, as in w = w - g: "
        "write `if x.grad is not None:`."
    )


def test_missing_module_can_be_caught_and_done_without() -> None:
    result = run(
        "try:\n    import tensorflow\nexcept ImportError as e:\n    print('none')\nprint(type(e)) if 0 else None"
    )

    assert result.error is None
    assert result.recording.output == "none\n"


def test_limits_and_unsupported_syntax_cannot_be_caught() -> None:
    assert run("try:\n    exec('a')\nexcept BaseException:\n    pass").error is not None
    assert run("try:\n    10 ** 10 ** 10\nexcept:\n    pass\nfinally:\n    print(1)").error is not None


def test_exit_of_a_context_swallows_no_limit() -> None:
    error = run(
        "class A:\n    def __enter__(self): pass\n    def __exit__(self, *a): return True\nwith A():\n    2**10**10"
    ).error

    assert error is not None
    assert "bits" in error.message


def test_name_of_a_dtype_that_is_no_python_is_the_scripts_own_error() -> None:
    error = run("import numpy as np\nnp.zeros(1, dtype='(2,f4')").error

    assert isinstance(error, TorchError)
    assert (error.kind, error.line) == ("SyntaxError", 2)


def test_an_error_that_numpy_goes_on_after_is_told() -> None:
    done = run("import numpy as np\nimport matplotlib.pyplot as plt\nnp.add.at(np.ones((2, 2)), (1,), plt.plot([1]))\n")

    assert done.error is not None
    assert "measures in a figure is not known" in done.error.message
