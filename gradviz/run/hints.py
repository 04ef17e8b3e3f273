"""What to do about the errors that learners meet: one sentence of our own below PyTorch's or Python's words."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import ModuleType
from typing import Any

from gradviz.run.levels import is_of_script
from gradviz.trace.syntax import tree_of

_CALL_IT = "A function stands here that was not called: write () after its name."
_LAYER = "A layer is made first and called afterwards, nn.ReLU()(x); torch.nn.functional has the same as functions, F.relu(x)."
_LAYERS = (
    r"ReLU|LeakyReLU|ELU|GELU|SiLU|Sigmoid|Tanh|Softmax|LogSoftmax|Softplus|Dropout|Flatten|Linear|Conv\dd|MaxPool\dd|"
    r"AvgPool\dd|BatchNorm\dd|LayerNorm|Embedding|Sequential"
)
_NO_GRAD = "Update parameters inside `with torch.no_grad():`, or write the result to a new variable: y = x + 1 instead of x += 1."

HINTS: tuple[tuple[str, str], ...] = (
    # gradients
    (r"grad can be implicitly created only for scalar", "Give backward() a v of the output's shape, such as torch.ones_like(y), or reduce the output first: y.sum()."),
    (r"Trying to backward through the graph a second time", "The graph is freed after a backward pass: call the first with backward(retain_graph=True), or compute the loss again."),
    (r"does not require grad and does not have a grad_fn", "Make an input with requires_grad=True; item(), detach(), torch.tensor(x), comparisons and no_grad() end the graph."),
    (r"appears to not have been used in the graph", "The output does not depend on this input, or it was detached on the way; allow_unused=True gives None for it."),
    (r"a (?:view of a )?leaf Variable that requires grad", _NO_GRAD),
    (r"one of the variables needed for gradient computation has been modified", "Write y = y + 1 instead of y += 1, clone() the tensor before it is changed, or call optimizer.step() after backward()."),
    (r"attempting to assign a gradient of size|assigned grad has data of a different", "A gradient has the shape of its tensor."),
    (r"assigned grad expected to be a Tensor", "Assign None, or a tensor of the same shape."),
    (r"can't retain_grad|cannot register a hook", "Only a tensor that takes a gradient can: make an input with requires_grad=True."),
    (r"Can't call numpy\(\) on Tensor that requires grad", "Write x.detach().numpy(): numpy records no gradients."),
    (r"you can only change requires_grad flags of leaf", "Write y = y.detach() to go on without gradients."),
    (r"[Oo]nly Tensors of floating point", "Gradients need floats: write 1. for 1, or give dtype=torch.float32."),
    (r"Mismatch in shape: grad_output", "v must have the shape of the output; it is not broadcast."),
    (r"gradients can be either Tensors or None", "Wrap v in torch.tensor(...)."),
    (r"support the deepcopy protocol", "Copy a computed tensor with x.detach().clone()."),
    (r"returned an incorrect number of gradients", "backward returns one value for each argument of forward, None where there is no gradient."),
    (r"must implement either the backward or vjp", "Write `@staticmethod def backward(ctx, g):` in the class."),
    (r"save_for_backward can only save variables", "Set other values on ctx itself: ctx.n = n."),
    (r"but hook returned|has changed the size of value", "A hook returns the new gradient, of the same shape, or nothing."),
    (r"Expected f\(\*args\) to return a scalar|should contain a single element", "Let the function return one number, such as the .sum() of its result."),
    (r"given to (?:jacobian|hessian|vjp|jvp|hvp|vhp) must be", "Let the function return tensors: no .item(), no float()."),
    # shapes
    (r"The size of tensor a \(.*?\) must match", "Two sizes fit if they are equal or one of them is 1, counted from the last dimension."),
    (r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", "The inner sizes must be equal, and are {1} and {2}: transpose one matrix, or change the layer's in_features."),
    (r"shape '\[.*\]' is invalid for input of size (\d+)", "The sizes must multiply to {0}."),
    (r"view size is not compatible", "The numbers are in another order in memory, as after t() or permute(): write .reshape(...)."),
    (r"only one dimension can be inferred", "Write -1 for one size only."),
    (r"Dimension out of range", "Dimensions count from 0, or backwards from -1."),
    (r"index -?\d+ is out of bounds for dimension (\d+) with size (\d+)", "Dimension {0} has {1} entries, counted from 0."),
    (r"too many indices for tensor of dimension (\d+)", "Give at most one index for each dimension: here {0}."),
    (r"Sizes of tensors must match except in dimension (\d+)", "cat joins along dim {0}, and all other sizes must be equal."),
    (r"Tensors must have same number of dimensions", "Add a dimension with unsqueeze, or join with torch.stack."),
    (r"stack expects each tensor to be equal size", "Pad them to one size, or join them along a dimension with torch.cat."),
    (r"expected a non-empty list of Tensors|expects a non-empty TensorList", "The list is empty: did the loop run that fills it?"),
    (r"must be tuple of Tensors, not Tensor", "Put the tensors into a list: [a, b]."),
    (r"to have (\d+) channels, but got (\d+) channels", "Shape the input as (batch, channels, ...) with {0} channels, or make the layer for {1}."),
    (r"Expected (\d)D \(unbatched\) or (\d)D \(batched\) input", "It takes (channels, ...) or (batch, channels, ...): add the missing dimension with unsqueeze(0)."),
    (r"Kernel size can't be greater|Output size is too small", "The input has become smaller than the kernel: use a larger input, padding, or fewer poolings."),
    (r"Given normalized_shape=\[(.*?)\]", "The last sizes of the input must be those the layer was made for: {0}."),
    (r"input\.size\(-1\) must be equal to input_size. Expected (\d+)", "The last dimension holds the features, {0} of them."),
    (r"running_mean should contain (\d+) elements not (\d+)", "The input has {0} channels, and the layer was made for {1}."),
    (r"Expected more than 1 value per channel", "One value has no variance: use a larger batch, or model.eval()."),
    (r"iteration over a 0-d tensor|len\(\) of a 0-d tensor|invalid index of a 0-dim tensor", "It holds a single number: use x.item()."),
    (r"batch[12] must be a 3D tensor", "bmm multiplies (batch, n, m) with (batch, m, p); two matrices are multiplied with a @ b."),
    (r"1D tensors expected", "dot takes two vectors; matrices are multiplied with a @ b."),
    (r"both arguments to matmul", "@ takes matrices and vectors; multiply by a number with *."),
    (r"expected sequence of length", "All rows of a tensor have the same length."),
    (r"split_sizes to sum exactly", "The sizes must add up to that of the dimension."),
    (r"singular|not positive-definite", "The matrix has no inverse of this kind: add a little of torch.eye(n), or use torch.linalg.pinv or lstsq."),
    # losses and dtypes
    (r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)", "There are {0} rows of scores and {1} targets: each row needs one."),
    (r"0D or 1D target tensor expected", "The target is one class number per row: target.squeeze(1), or target.argmax(1) if it is one-hot."),
    (r"[Tt]arget size \(torch.Size\((.*?)\)\) (?:that is different to the|must be the same as) input size", "Give both the same shape, with target.unsqueeze(1) or output.squeeze(1)."),
    (r"all elements of (?:input|target) should be between 0 and 1", "Put a sigmoid before the loss, or use binary_cross_entropy_with_logits."),
    (r"expected scalar type Long|scalar types: Long|Expected tensor for argument #\d '(?:indices|target)'", "Class numbers and indices are whole numbers: convert them with .long()."),
    (r"(?:expected|have) (?:m1 and m2|the same dtype|scalar type)|dtype.*(?:but got|but found)|expected.*to have the same dtype", "Convert one of them, for example with .float() or .double()."),
    (r"Class values must be smaller|Target \d+ is out of bounds", "Classes count from 0 to the number of classes - 1."),
    (r"can only be cast|can't be cast|floating point or complex dtype|Could not infer output dtype|not implemented for '(?:Long|Int|Bool)'", "Convert it with .float() first."),
    (r"Boolean value of Tensor with (?:more|no)", "Use .any() or .all(), or compare one element."),
    (r"only one element tensors can be converted|a Tensor with \d+ elements cannot be converted", "Reduce it first with .sum() or .mean(), take one element, or use torch.stack for a list of tensors."),
    (r"must be Tensor, not (?:int|float|list|tuple)\b", "Wrap it in torch.tensor(...)."),
    (r"can't convert np.ndarray of type numpy.object_", "The array holds other things than numbers, such as rows of different lengths."),
    (r"Integers to negative integer powers", "Make floats of them: 2. for 2, or x.float()."),
    # modules and optimizers
    (r"optimizer got an empty parameter list", "There is nothing to train: make layers attributes of the module, lists of layers an nn.ModuleList, and call parameters() anew for each optimizer."),
    (r"optimizer can only optimize Tensors", "Give tensors, or model.parameters()."),
    (r"parameters\(\).*before Module|before Module.__init__\(\) call", "Call super().__init__() first in __init__."),
    (r"is missing the required \"forward\" function", "Write `def forward(self, x):` in the class, and check its spelling and indentation."),
    (r"is not a Module subclass", "Give layers one by one, nn.Sequential(*layers), and nn.ReLU() instead of a function."),
    (r"cannot assign .* (?:as|to) parameter", "Wrap it: nn.Parameter(...)."),
    (r"Invalid learning rate", "A learning rate is at least 0."),
    (rf"must be Tensor, not (?:{_LAYERS})|unsupported operand.*'(?:{_LAYERS})'|'(?:{_LAYERS})' object has no attribute '(?:backward|item|sum|mean|shape|view|size)'", _LAYER),
    (r"'\w+Loss' object has no attribute|unsupported operand.*'\w+Loss'", "A loss is made first and called afterwards: nn.MSELoss()(output, target)."),
    (r"CUDA|has no attribute 'cuda'", "There is only the CPU here: leave .cuda() out."),
    # numbers, lists and arrays taken for tensors
    (r"'(?:int|float)' object has no attribute '(?:backward|item|detach|grad|sum|mean|shape|numpy)'", "It is a Python number, not a tensor; .item(), float() and len() give such numbers."),
    (r"'list' object has no attribute '(?:backward|shape|size|mean|sum|view|reshape|to|float|detach|numpy|requires_grad)'", "A list is not a tensor: make one with torch.tensor(...), or of tensors with torch.stack(...)."),
    (r"'numpy.ndarray' object has no attribute '(?:backward|grad|requires_grad_?|detach|numpy|unsqueeze)'", "An array is not a tensor: make one with torch.from_numpy(...)."),
    (r"'Tensor' object has no attribute 'astype'", "For a tensor, write .to(torch.float32) or .float()."),
    (r"'Tensor' object has no attribute 'copy'", "For a tensor, write .clone()."),
    (r"'Tensor' object has no attribute '(?:append|extend)'", "A tensor keeps its size: collect values in a list, then use torch.stack or torch.cat."),
    (r"'Tensor' object cannot be interpreted as an integer|only integer tensors of a single element", "Write int(x) or x.item() for a number."),
    (r"unsupported format string passed to Tensor", "Format a number: x.item()."),
    # Python
    (r"'(?:method|function|builtin_function_or_method)' object (?:is not|has no|does not|cannot)|unsupported operand.*'(?:method|function|builtin_function_or_method)'|must be \w+, not (?:method|function|builtin_function_or_method)", _CALL_IT),
    (r"'tuple' object has no attribute|can only concatenate tuple|unsupported operand.*'tuple'", "A call gave several values in a tuple: take the one to use, as in `out, state = lstm(x)` or `result[0]`."),
    (r"unsupported operand.*'NoneType'|'NoneType' object is not", "One of the values is None, as .grad is before backward(), and as a function without `return` gives."),
    (r"takes 1 positional argument but|\w+\.\w+\(\) takes .*positional arguments? but", "The first parameter of a method is self, that of a Function's forward is ctx, and it counts."),
    (r"missing \d+ required (?:positional|keyword-only) arguments?: (.+)", "Give {0} in the call."),
    (r"got multiple values for argument '(\w+)'", "{0} is given twice, by its position and by its name."),
    (r"'(?:int|float)' object is not iterable", "A list is needed: [n], or range(n) to count."),
    (r"'(?:int|float)' object is not subscriptable|'(?:int|float)' has no len", "It is one number and has no items."),
    (r"list indices must be integers or slices", "Turn the index into an int; a dict inside a list is reached by its number first, groups[0]['lr']."),
    (r"unhashable type: 'list'", "A key must not change: use a tuple instead of the list."),
    (r"division by zero|modulo by zero", "Dividing tensors by zero gives inf; dividing Python numbers is an error."),
    (r"can only concatenate str|must be real number, not str|unsupported operand.*'str'", "Turn the text into a number with float(...), or the number into text with str(...)."),
    (r"not enough values to unpack \(expected (\d+), got (\d+)\)", "There are {1} values on the right for {0} names."),
    (r"too many values to unpack \(expected (\d+)", "There are more values on the right than the {0} names on the left; `first, *rest = ...` takes any number."),
    (r"^'params'$", "A group is a dict with a list of tensors under 'params'."),
    (r"invalid literal for int|could not convert string to float", "The text is not a number of this kind."),
    (r"'dict' object has no attribute '(\w+)'", "An item of a dict is d['{0}']."),
    (r"does not support item assignment", "It cannot be changed: make a new one, or use a list."),
    (r"'generator' object is not subscriptable", "Make a list of it first: list(model.parameters())[0]."),
    (r"maximum recursion depth", "The function calls itself without end: return before the call when nothing is left to do."),
    (r"cannot access local variable '(\w+)'", "The function assigns {0} itself: give it a value there first, pass it in, or declare `global {0}`."),
    (r"^name '(nan|inf|pi)' is", "Write float('{0}') or math.{0}."),
    (r"^name '(true|false|none|null)' is", "Python writes True, False and None."),
    (r"^name '(?:In|get_ipython)' is", "Only notebooks have it: leave the line out, or open the .ipynb itself."),
    (r"EOF when reading a line", "Nobody can be asked here: assign a value instead of calling input()."),
    # files, programs, networks
    (r"^\[Errno 2\] No such file", "Put the file beside the script, and name it as it lies there: a script here reads its own folder."),
    (r"a script here reads its own folder", "Put the file beside the script, or run it with PyTorch."),
    (r"a script here changes no file of yours|^\[Errno (?:13|30)\]", "Write by a relative path, which leads into a folder that goes with the run, or run it with PyTorch."),
    (r"a script here (?:starts|reaches|sends|makes|calls|changes)|^\[Errno 1\] Operation not permitted", "Run it with PyTorch, in a process that may do so."),
    (r"object is not callable", "A value stands where a function is expected: choose another name if it hides a function, or look for a missing comma or operator."),
)  # fmt: skip
"""(pattern, sentence): the first pattern found in a message counts; its groups fill the braces."""

IMPORTS = {
    "np": "import numpy as np", "nn": "import torch.nn as nn", "F": "import torch.nn.functional as F",
    "optim": "import torch.optim as optim", "plt": "import matplotlib.pyplot as plt",
    **{name: f"import {name}" for name in ("torch", "math", "random", "itertools", "functools", "time", "os", "sys",
                                           "copy", "collections", "re", "json")},
}  # fmt: skip


def find_hint(error: BaseException, segment: str, line: str, variables: Mapping[str, Any]) -> str:
    """What to do about an error, or "".

    Args:
        error: as it was raised.
        segment: the part of the script that raised it, e.g. "x.grad.zero_".
        line: of the script that raised it.
        variables: of the script, for misspelt names.
    """
    message = _message(error)
    if line.lstrip().startswith("raise"):
        is_gap = isinstance(error, NotImplementedError)
        return "This part is left to be written: put the code in place of this raise." if is_gap else ""
    if isinstance(error, AttributeError) and message.startswith("'NoneType' object has no attribute"):
        return _hint_of_none(segment)
    for pattern, hint in HINTS:
        if found := re.search(pattern, message):
            return hint.format(*found.groups())
    if isinstance(error, NameError):
        return _hint_of_name(getattr(error, "name", None) or "", variables)
    if isinstance(error, AttributeError):
        return _hint_of_attribute(error)
    if isinstance(error, KeyError | IndexError):
        return _hint_of_item(error, segment, variables)
    if isinstance(error, TypeError) and (found := re.search(r"unexpected keyword argument '(\w+)'", message)):
        return f"'{found[1]}' is not the name of one of its arguments: look at the spelling."
    return ""


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a script's own __str__
        return ""


def _hint_of_none(segment: str) -> str:
    node = _expression(segment)
    node = node.value if isinstance(node, ast.Attribute) else node.func if isinstance(node, ast.Call) else node
    node = node.value if isinstance(node, ast.Attribute) and node.attr not in ("grad", "grad_fn") else node
    if isinstance(node, ast.Attribute) and node.attr == "grad":
        owner = ast.unparse(node.value)
        return (
            f"{owner}.grad is None until backward() has run, after zero_grad(), without requires_grad=True, and for "
            f"tensors that an op made, as in w = w - g: write `if {owner}.grad is not None:`."
        )
    if isinstance(node, ast.Attribute) and node.attr == "grad_fn":
        return "A leaf has no grad_fn: no op made it."
    if isinstance(node, ast.Call):
        return "The call before it returns nothing."
    name = ast.unparse(node) if isinstance(node, ast.Name) else "It"
    return f"{name} is None: a function without `return` gives None."


def _expression(segment: str) -> ast.expr | None:
    tree = tree_of(f"({segment})")
    statement = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    return statement.value if isinstance(statement, ast.Expr) else None


def _hint_of_name(name: str, variables: Mapping[str, Any]) -> str:
    if name in IMPORTS:
        return f"Add `{IMPORTS[name]}` at the top."
    known = [each for each in variables if type(each) is str and each[:1] not in " _"]
    if hint := did_you_mean(name, known):
        return hint
    torch = variables.get("torch")
    return f"Did you mean 'torch.{name}'?" if torch is not None and name in dir(torch) else ""


def _hint_of_attribute(error: AttributeError) -> str:
    owner: Any = error.obj
    name = error.name
    if owner is None or type(name) is not str:
        return ""
    names = _names_of(owner)
    prefix = f"{owner.__name__}." if isinstance(owner, ModuleType) else ""
    if hint := did_you_mean(name, names, prefix):
        return hint
    if not prefix and is_of_script(owner):
        return f"Nothing gave it {name}: set self.{name} in __init__, or look at its spelling."
    return ""


def _names_of(owner: Any) -> list[str]:
    kind = owner if isinstance(owner, type) else type(owner)
    names = {name for each in kind.__mro__ for name in vars(each)}
    with suppress(AttributeError):
        names.update(object.__getattribute__(owner, "__dict__"))
    return sorted(name for name in names if type(name) is str and name[:1] != "_")


def _hint_of_item(error: KeyError | IndexError, segment: str, variables: Mapping[str, Any]) -> str:
    node = _expression(segment)
    if not isinstance(node, ast.Subscript):
        return ""
    owner: Any = None
    try:
        owner = ast.literal_eval(node.value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        if isinstance(node.value, ast.Name):
            owner = variables.get(node.value.id)
    if isinstance(error, IndexError) and type(owner) in (list, tuple, str):
        count = len(owner)
        return f"It has {count:,} item{'s' * (count != 1)}; the last is [{count - 1}]." if count else "It is empty."
    if isinstance(error, KeyError) and type(owner) is dict and error.args:
        texts = [key for key in owner if type(key) is str]
        hint = did_you_mean(error.args[0], texts) if type(error.args[0]) is str else ""
        few = ", ".join(map(repr, texts[:5])) if len(owner) == len(texts) <= 5 else ""
        return hint or (f"The keys are {few}." if few else "")
    return ""


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """ "Did you mean 'tanh'?", or ""."""
    letters = set(name)
    alike = [
        other
        for other in known
        if abs(len(other) - len(name)) <= 3 and len(letters.intersection(other)) * 2 > len(letters)
    ]
    # letters that changed places are the commonest slip, of which difflib knows nothing: 'tahn' is 'tanh', not 'tan'
    swapped = [other for other in alike if sorted(other) == sorted(name)]
    cased = [other for other in alike if other.lower() == name.lower()]
    close = cased[:1] or difflib.get_close_matches(name, swapped or alike, n=1, cutoff=0.6)
    return f"Did you mean '{prefix}{close[0]}'?" if close else ""
