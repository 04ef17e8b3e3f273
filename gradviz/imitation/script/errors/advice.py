"""What to do about errors that learners meet, by PyTorch's and Python's own words for them."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

WITHOUT_PROMPTS = "Leave out the prompt and the lines that show what was printed."
CALL_IT = "A function stands there that was not called: write () behind its name."
SEVERAL = "A call gave several values in a tuple: take the one to use, as in `out, state = lstm(x)` or `result[0]`."
NOTHING = "It is None: a function without `return` gives None."
LOSS = "A loss of torch.nn is made first and called then: nn.MSELoss()(output, target)."
LAYER = "A layer is made first and called then, nn.ReLU()(x); torch.nn.functional has the same as functions, F.relu(x)."
LAYERS = (
    r"ReLU|LeakyReLU|ELU|GELU|SiLU|Sigmoid|Tanh|Softmax|LogSoftmax|Softplus|Dropout|Flatten|Linear|Conv\dd|MaxPool\dd|"
    r"AvgPool\dd|BatchNorm\dd|LayerNorm|Embedding|Sequential"
)

SHAPES = (
    (r"to have (\d+) channels, but got (\d+) channels", "Shape the input as (batch, channels, ...) with {0} channels, or make the layer for {1}."),
    (r"Expected (\d)D \(unbatched\) or (\d)D \(batched\) input", "It takes (channels, ...) or (batch, channels, ...): add what is missing with unsqueeze(0)."),
    (r"Kernel size can't be greater", "The input has become smaller than the kernel: use a larger input, padding or a smaller kernel."),
    (r"Output size is too small", "Nothing would be left of the input: use a larger one, or fewer poolings."),
    (r"Sizes of tensors must match except in dimension (\d+)", "cat joins along dim {0}, and all other dims must be equal: join along another dim, or reshape before."),
    (r"Tensors must have same number of dimensions", "Use unsqueeze or reshape, or torch.stack to add a dimension."),
    (r"stack expects each tensor to be equal size", "Pad them to one size, or join them along a dimension with torch.cat."),
    (r"must be tuple of Tensors, not Tensor", "Put the tensors into a list: [a, b]."),
    (r"expected Tensor as element \d+ in argument 0, but got (?:int|float)", "Make a tensor of numbers with torch.tensor([...])."),
    (r"expected Tensor as element \d+ in argument 0, but got NoneType", NOTHING),
    (r"expected a non-empty list of Tensors|expects a non-empty TensorList", "The list is empty: has the loop run that fills it?"),
    (r"running_mean should contain (\d+) elements not (\d+)", "The input has {0} channels, and the layer was made for {1}."),
    (r"non-empty 3D or 4D \(batch mode\)", "Shape the input as (batch, channels, height, width)."),
    (r"INDICES element is out of DATA bounds, id=-?\d+ axis_dim=(\d+)", "The dimension has {0} places, counted from 0."),
    (r"shape mismatch: indexing tensors", "Give index tensors one shape: together they name one place each."),
    (r"must be batches of square matrices", "Only square matrices have it."),
    (r"t\(\) expects a tensor with <= 2", "Name the dims to exchange: transpose(1, 2)."),
    (r"size in the mapped dimension", "Inputs must have one first size; in_dims names other dims, None what is not mapped."),
    (r"view size is not compatible", "The numbers stand in another order in memory, as after t() or permute(): write .reshape(...)."),
    (r"only one dimension can be inferred", "Write -1 for one size at most."),
    (r"index -?\d+ is out of bounds for dimension (\d+) with size (\d+)", "Dimension {0} has {1} places, counted from 0."),
    (r"too many indices for tensor of dimension (\d+)", "Give one index for each dimension at most: here {0}."),
    (r"only integers, slices .*got float", "Write a whole number: x[1], or int(i)."),
    (r"The shape of the mask", "A mask has the shape of what it chooses from."),
    (r"The expanded size of the tensor", "Sizes must be equal, or 1 where they are to be repeated, counted from the right."),
    (r"input\.dim\(\) = (\d+) is not equal to len\(dims\)", "Name each of the {0} dimensions once."),
    (r"subscript (\w) has size", "A letter stands for one size in all operands: '{0}' has two."),
    (r"(?:batch1|batch2) must be a 3D tensor|Expected size for first two dimensions of batch2", "bmm multiplies (batch, n, m) with (batch, m, p); two matrices are multiplied with a @ b."),
    (r"vector \+ matrix @ vector expected", "mv takes a matrix and a vector, in this order."),
    (r"index -?\d+ is out of range", "Its items are counted from 0."),
    (r"must be a matrix", "mm takes two matrices; a @ b takes vectors too."),
    (r"1D tensors expected", "dot takes two vectors; matrices are multiplied with a @ b."),
    (r"inconsistent tensor size", "Both vectors must be of one length."),
    (r"iteration over a 0-d tensor", "It holds one number: use x.item()."),
    (r"len\(\) of a 0-d tensor", "It holds one number and has no length."),
    (r"expected (.+) input \(got (\d)D input\)", "The name of the layer tells how many dims follow (batch, channels): 1d one or none, 2d two, 3d three."),
    (r"Expected more than 1 value per channel", "Of one value there is no variance: use a larger batch, or model.eval()."),
    (r"Given normalized_shape=\[(.*?)\]", "The last sizes of the input must be those that the layer was made for: {0}."),
    (r"input\.size\(-1\) must be equal to input_size. Expected (\d+)", "The last dimension holds the features, {0} of them; (sequence, batch, features), or batch first with batch_first=True."),
    (r"Index tensor must have the same number of dimensions", "Give the index as many dimensions as the tensor, with unsqueeze."),
    (r"Class values must be smaller", "Classes go from 0 to num_classes - 1."),
    (r"Expected hidden size", "The state has the shape (layers, batch, hidden_size)."),
    (r"split_sizes to sum exactly", "The sizes must add up to that of the dimension."),
    (r"inconsistent with step sign", "The step must lead from start to end."),
    (r"shape '\[.*\]' is invalid for input of size (\d+)", "The sizes must multiply to {0}."),
)  # fmt: skip

LOSSES = (
    (r"0D or 1D target tensor expected", "The target has one class number per row: target.squeeze(1), or target.argmax(1) where it is one-hot."),
    (r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)", "There are {0} rows of scores and {1} targets: each row needs one."),
    (r"[Tt]arget size \(torch.Size\((.*?)\)\) (?:that is different to the|must be the same as) input size", "Give both one shape, with target.unsqueeze(1) or output.squeeze(1)."),
    (r"^Expected target size", "The target has the shape of the scores without their classes, which are dim 1."),
    (r"weight tensor should be defined either", "Give one weight for each class."),
    (r"Size mismatch between tensors", "Give tensors that have one first size: the number of samples."),
    (r"default_collate: batch must contain", "A sample is made of tensors, arrays, numbers, texts, and lists or dicts of them; for others give collate_fn=."),
)  # fmt: skip

GRADIENTS = (
    (r"does not require grad and does not have a grad_fn", "Give an input requires_grad=True."),
    (r"appears to not have been used in the graph", "The output does not depend on that input, or it was detached."),
    (r"attempting to assign a gradient of size", "The gradient has the shape of the tensor."),
    (r"can't retain_grad|cannot register a hook", "Give an input requires_grad=True."),
    (r"has changed the size of value", "What a hook returns replaces the gradient: return one of its shape, or nothing."),
    (r"but hook returned '", "A hook returns the new gradient, a tensor, or nothing."),
    (r"Can't call numpy\(\) on Tensor that requires grad", "Write x.detach().numpy(): numpy records no gradients."),
    (r"you can only change requires_grad flags of leaf", "Write y = y.detach() to go on without gradients."),
    (r"assigned grad expected to be a Tensor", "Write None, or a tensor of the same shape."),
    (r"given to jacobian must be either|given to (?:hessian|vjp|jvp|hvp|vhp) must be", "Let the function return tensors: no .item(), no float()."),
    (r"should contain a single element|Expected f\(\*args\) to return a scalar", "Let the function return one number, e.g. .sum() of its result."),
    (r"The vector v can only be None", "Give v, a tensor of the shape of what the function returns."),
    (r"must implement either the backward or vjp", "Write `@staticmethod def backward(ctx, g):` in the class."),
    (r"expected Variable or None \(got", "backward returns a tensor or None for each argument, several in a tuple."),
    (r"Expected (?:primals|tangents) to be a tuple", "Write tuples: (x,), (v,)."),
    (r"Thing passed to transform API must be Tensor", "Give tensors: torch.tensor(3.)."),
    (r"have to be Tensors or GradientEdges", "Give the tensors themselves."),
    (r"optimizer can only optimize Tensors", "Give tensors, model.parameters(), or dicts with 'params'."),
    (r"support the deepcopy protocol", "Copy a computed tensor with x.detach().clone()."),
    (r"Only Tensors of floating point", "Write 1. for 1, or give dtype=torch.float32."),
)  # fmt: skip

DTYPES = (
    (r"argument #1 'indices' to have one of the following scalar types", "Indices are whole numbers: convert them with .long()."),
    (r"Integers to negative integer powers", "Make floats of them: 2. for 2, or x.float()."),
    (r"must be tuple of ints, not int", "Write the size as a tuple: (2,)."),
    (r"argument 'size' .*must be tuple of ints", "Sizes are whole numbers."),
    (r"with negative dimension", "A size is not below 0."),
    (r"can't assign a \w+ to a torch", "Assign a number or a tensor: torch.tensor(...)."),
    (r"too many dimensions 'str'", "A tensor is made of numbers alone: write class numbers for names."),
    (r"expected np.ndarray \(got", "Lists and numbers go into torch.tensor(...)."),
    (r"can't convert np.ndarray of type numpy.object_", "The array holds other things than numbers, as rows of different lengths do."),
    (r"has the type .* but a floating point", "Use .float()."),
    (r"invalid data type '(\w+)'|Could not infer dtype of (\w+)", "A tensor is made of numbers alone."),
)  # fmt: skip

LINEAR_ALGEBRA = (
    (r"input matrix is singular", "Its rows depend on each other, so that it has no inverse; torch.linalg.pinv or lstsq still answer."),
    (r"the input is not positive-definite", "Cholesky takes symmetric matrices with positive eigenvalues: add a little of torch.eye(n)."),
)  # fmt: skip

MODULES = (
    (r"Module \[(ModuleList|ModuleDict|ParameterList|ParameterDict)\] is missing", "A {0} only holds its parts: call them one by one in forward."),
    (r"is missing the required \"forward\" function", "Write `def forward(self, x):` in the class; look at its spelling and indentation."),
    (r"(\w+) is not a Module subclass", "Give layers one by one, nn.Sequential(*layers), and nn.ReLU() for a function."),
    (r"Expected state_dict to be dict-like", "Give model.state_dict(), or what torch.load gives of it."),
    (r"cannot assign .* to parameter", "Wrap it: nn.Parameter(...)."),
    (r"cannot assign .* to buffer", "Make a tensor of it: torch.tensor(...)."),
    (r"is not an Optimizer", "Give the optimizer itself."),
    (r"optimizer got an empty parameter list", "There is nothing to train: layers must be attributes of the module, lists of them nn.ModuleList, and parameters() serves for one loop."),
    (r"Invalid learning rate", "A learning rate is not below 0."),
    (r"missing 1 required positional argument: 'params'", "Give it model.parameters() first."),
    (r"forward\(\) missing \d+ required positional arguments?: (.+)", "Give {0} in the call of the model."),
)  # fmt: skip

CALLS = (
    (r"missing \d+ required (?:positional|keyword-only) arguments?: (.+)", "Give {0} in the call."),
    (r"got multiple values for argument '(\w+)'", "{0} is given twice, by its place and by its name."),
    (r"(\w+)\.__init__\(\) takes 1 positional argument but", "{0} takes nothing when it is made: call the object instead, {0}()(x)."),
    (r"\w+\.\w+\(\) takes .*positional arguments? but", "The first parameter of a method is self, of a Function's forward ctx, and counts as one; leave out what is too much."),
    (r"takes .*positional arguments? but .*given", "Leave out what is too much; several dims or sizes stand in a tuple."),
    (r"received an invalid combination of arguments", "The arguments must fit one of the forms that are listed."),
    (r"'(?:method|function|builtin_function_or_method)' object (?:is not|has no|does not|cannot)|unsupported operand.*'(?:method|function|builtin_function_or_method)'", CALL_IT),
    (r"argument .* must be \w+, not (?:method|function|builtin_function_or_method)", CALL_IT),
    (rf"unsupported operand.*'(?:{LAYERS})'", LAYER),
    (r"'tuple' object has no attribute|can only concatenate tuple|unsupported operand.*'tuple'", SEVERAL),
    (r"'NoneType' object has no attribute", NOTHING),
    (r"unsupported operand.*'NoneType'|'NoneType' object is not", "One of the values is None, as .grad before backward() and at tensors that an op made, or what a function without `return` gives."),
    (r"'Tensor' object cannot be interpreted as an integer|only integer tensors of a single element", "Write int(x) or x.item() for a number; of a list make a tensor."),
    (r"'(?:int|float)' object is not iterable", "A list is needed: [n], or range(n) to count."),
    (r"object is not iterable", "A loop takes a list, a tensor or the like; of a model, model.parameters()."),
    (r"'(?:int|float)' object is not subscriptable|'(?:int|float)' has no len", "It is one number and has no items."),
    (r"list indices must be integers or slices, not str", "A list has numbered items: take one first, as in groups[0]['lr']."),
    (r"list indices must be integers or slices", "Turn the index into an int."),
    (r"string indices must be integers", "A text has numbered letters only; is it a dict that is meant?"),
    (r"unhashable type: 'list'", "A key does not change: use a tuple in place of the list."),
    (r"division by zero|modulo by zero", "Tensors divide by zero to inf; Python numbers do not."),
    (r"must be real number, not str|can only concatenate str", "Turn the text into a number with float(...), or the number into text with str(...)."),
    (r"not supported between instances of", "Compare numbers with numbers: float(text), x.item()."),
    (r"not enough values to unpack \(expected (\d+), got 0\)", "There is nothing on the right; ctx.saved_tensors holds what save_for_backward was given."),
    (r"not enough values to unpack \(expected (\d+), got (\d+)\)", "There are {1} values on the right for {0} names."),
    (r"too many values to unpack \(expected (\d+)", "There are more values on the right than the {0} names on the left; `first, *rest = ...` takes any number."),
    (r"zip\(\) argument \d+ is (?:shorter|longer)", "strict=True wants them equally long; without it zip ends with the shortest."),
    (r"unsupported format string passed to Tensor", "Format a number: x.item()."),
    (r"not enough arguments for format string|Replacement index", "There are more places in the text than values; several values of % stand in a tuple."),
    (r"not all arguments converted", "There are more values than places in the text."),
    (r"must be real number, not NoneType|unsupported format string passed to NoneType", "The value is None, not a number; a function without `return` gives None."),
    (r"'generator' object is not subscriptable", "Make a list of it first: list(model.parameters())[0]."),
    (rf"'(?:{LAYERS})' object has no attribute '(?:weight|bias)'", "Layers of this kind have none: ask with isinstance(m, nn.Linear) first."),
    (r"object is not callable", "A function is expected: give it by its name, f and not f(x)."),
    (r"unsupported operand type\(s\) for @|both arguments to matmul", "@ takes matrices and vectors; a number is multiplied with *."),
    (r"unsupported operand.*'str'", "Turn the text into a number with float(...)."),
    (r"^'params'$", "A group is a dict with a list of tensors under 'params'."),
    (r"^'(?!Tensor|Parameter|Size|NoneType)[A-Z]\w*' object has no attribute '(\w+)'", "Nothing gave it {0}: set self.{0} in __init__, or look at its spelling."),
    (r"invalid literal for int", "int() takes whole numbers in texts; others are int(float(text))."),
    (r"could not convert string to float", "The text is no number."),
    (r"'dict' object has no attribute '(\w+)'", "An item of a dict is d['{0}']."),
    (r"'(?:tuple|str)' object does not support item assignment", "A tuple or text does not change: make a new one, or use a list."),
    (r"can only concatenate list|can't multiply sequence by non-int", "+ and * join and repeat lists; to compute, make a tensor: torch.tensor(a)."),
    (r"object of type '(\w+)' has no len", "Give the class {0} a method __len__, or ask something that has items."),
    (r"should implement __getitem__", "Write `def __getitem__(self, i):` in the class; look at its spelling."),
    (r"^No active exception", "A bare `raise` belongs into an except block."),
    (r"maximum recursion depth", "The function calls itself without end: return before the call where there is nothing left to do."),
    (r"cannot access local variable '(\w+)'", "The function assigns {0} itself: give it a value there first, pass it in, or declare `global {0}`."),
)  # fmt: skip

NAMES = (
    (r"has no attribute 'cuda'", "There is only the CPU here: leave .cuda() out."),
    (r"^name 'np' is", "Add `import numpy as np` at the top."),
    (r"^name 'nn' is", "Add `import torch.nn as nn` at the top."),
    (r"^name 'F' is", "Add `import torch.nn.functional as F` at the top."),
    (r"^name 'optim' is", "Add `import torch.optim as optim` at the top."),
    (r"^name 'plt' is", "Add `import matplotlib.pyplot as plt` at the top."),
    (r"^name '(torch|math|random|itertools|functools|time|os|sys)' is", "Add `import {0}` at the top."),
    (r"^name 'get_ipython' is", "Only notebooks have it: leave the line out, or open the .ipynb itself."),
    (r"^name 'In' is", WITHOUT_PROMPTS),
    (r"^name '(nan|inf|pi)' is", "Write float('{0}') or math.{0}."),
    (r"^name '(true|false|none|null)' is", "Python writes True, False and None."),
)  # fmt: skip

BY_MESSAGE: tuple[tuple[str, str], ...] = (
    *SHAPES, *LOSSES, *GRADIENTS, *DTYPES, *LINEAR_ALGEBRA, *MODULES, *CALLS, *NAMES,
)  # fmt: skip
"""The first pattern that is found in a message gives the sentence; its groups stand where the braces are."""

INSTEAD: tuple[tuple[str, str], ...] = (
    (r"'(?:int|float)' object has no attribute '(?:backward|item|detach|grad|sum|mean|shape|numpy)'", "It is a Python number, not a tensor; .item(), float() and len() give such."),
    (r"'list' object has no attribute '(?:backward|shape|size|mean|sum|view|reshape|to|float|detach|numpy|requires_grad)'", "A list is no tensor: make one with torch.tensor(...), or of tensors with torch.stack(...)."),
    (r"'numpy.ndarray' object has no attribute '(?:backward|grad|requires_grad_?|detach|numpy|unsqueeze|view|item_)'", "An array is no tensor: make one with torch.from_numpy(...)."),
    (r"'Tensor' object has no attribute 'astype'", "Of a tensor it is .to(torch.float32) or .float()."),
    (r"'Tensor' object has no attribute 'copy'", "Of a tensor it is .clone()."),
    (r"'Tensor' object has no attribute '(?:append|extend)'", "A tensor keeps its size: collect in a list, then torch.stack or torch.cat."),
    (r"must be Tensor, not tuple", SEVERAL),
    (r"'\w+Loss' object has no attribute|unsupported operand.*'\w+Loss'", LOSS),
    (rf"'(?:{LAYERS})' object has no attribute '(?:backward|item|detach|sum|mean|shape|view|size)'", LAYER),
    (rf"must be Tensor, not (?:{LAYERS})", LAYER),
    (r"must be Tensor, not NoneType", NOTHING),
    (r"must be Tensor, not (?:method|function|builtin_function_or_method)", CALL_IT),
    (r"must be Tensor, not numpy\.", "Make a tensor of the array with torch.from_numpy(...)."),
    (r"must be Tensor, not str", "Tensors are made of numbers: turn text into numbers first."),
)  # fmt: skip
"""What goes before the sentence that the error was raised with, which knows less."""

WRITTEN: tuple[tuple[str, str], ...] = (
    (r"^\s*(?:[%!?]|pip3? install |conda install )|^[^\"'#]*\?$", "This is a notebook's command, not Python: leave the line out, or open the .ipynb itself."),
    (r"^\s*(?:>>>|\.\.\.|In ?\[\d*\]:)", WITHOUT_PROMPTS),
    (r"^\s*else if\b", "Python writes elif."),
    (r"\w(?:\+\+|--)\s*$", "Python has no ++: write i += 1."),
    (r"^\s*(class|def|lambda|for|if|in|is|not|and|or|from|import|pass|with|as|try|del|global|return|yield)\s*=[^=]", "'{0}' is a word of Python's own: choose another name."),
)  # fmt: skip
"""The same by the line that is no Python."""

SYNTAX: tuple[tuple[str, str], ...] = (
    (r"outside function", "Put it into a function, or remove it."),
    (r"was never closed", "Close this bracket."),
    (r"unmatched|does not match opening", "Each bracket closes the last one of its kind that is open."),
    (r"expected ':'", "Put a colon at the end of the line."),
    (r"expected an indented block", "Indent the lines that belong to it."),
    (r"unexpected indent", "Let the line begin where the line before it begins."),
    (r"unindent does not match", "Indent the line as far as another line of the block."),
    (r"inconsistent use of tabs", "Indent with blanks alone."),
    (r"cannot assign to", "The name stands on the left of =, its value on the right; == compares."),
    (r"Maybe you meant '=='", "= gives a name a value; == compares."),
    (r"Missing parentheses in call to 'print'", "Write print(...): this is Python 2."),
    (r"unterminated", "End the text with the quotes that it begins with."),
    (r"f-string: expecting '\}'", "Close the brace inside the text."),
    (r"forgot a comma", "Put a comma or an operator between the two."),
    (r"invalid (?:non-printable )?character", "Type it anew: documents have other quotes, signs and blanks than Python."),
    (r"positional argument follows keyword argument", "Put arguments with names behind those without."),
    (r"invalid decimal literal|leading zeros", "A name does not begin with a digit, nor a number with 0."),
    (r"expected 'except' or 'finally'", "A try needs an except behind its block."),
    (r"", "Look at this place and the line before it: a bracket, comma, colon or quote may be missing."),
)  # fmt: skip
