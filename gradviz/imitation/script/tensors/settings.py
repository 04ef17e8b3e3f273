"""`tensor.name = value` and `del tensor.name`: the attributes that can be set, and names of the user's own."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.inference import is_inference
from gradviz.imitation.engine.memory import resizing
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.tensors.members import TENSOR_ATTRIBUTES


def set_attribute(tensor: Tensor, name: str, value: Any) -> None:
    """Set an attribute; one that PyTorch has not got is kept with the tensor, as Python does.

    Raises:
        TorchError: one that cannot be set, or a value that it does not take.
    """
    if name == "grad":
        autograd.set_grad(tensor, value)
    elif name == "requires_grad":
        if not isinstance(value, bool):
            raise TorchError("requires_grad must be a bool", hint="Write True or False.")
        autograd.set_requires_grad(tensor, value)
    elif name == "data":
        set_data(tensor, value)
    elif name in TENSOR_ATTRIBUTES:
        raise TorchError(
            f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable",
            kind="AttributeError",
            hint="Keep the value in a variable of its own.",
        )
    else:
        more = tensor.more
        if more.attributes is None:
            more.attributes = {}
        more.attributes[name] = value


def del_attribute(tensor: Tensor, name: str) -> None:
    """`del x.grad` sets it to None.

    Raises:
        TorchError: there is no such attribute, or it cannot be deleted.
    """
    own = tensor.extra.attributes if tensor.extra is not None else None
    if name == "grad":
        tensor.more.grad = None
    elif own and name in own:
        del own[name]
    else:
        raise TorchError(
            name, kind="AttributeError", hint="Only .grad and attributes set by the script can be deleted."
        )


def set_data(tensor: Tensor, value: Any) -> None:
    """`tensor.data = value`: it looks into the memory of another tensor from now on."""
    if not isinstance(value, Tensor):
        raise TorchError(f"Variable data has to be a tensor, but got {type(value).__name__}", kind="TypeError")
    if tensor.requires_grad and value.dtype.kind not in FLOATING:
        raise TorchError("data set to a tensor that requires gradients must be floating point or complex dtype")
    if value.data is tensor.data:
        return  # x.data = x.data, which `x.data -= step` ends with
    resizing.take_memory(tensor, value)
    if tensor.requires_grad and not is_inference(tensor):
        tensor.tape.enter(tensor)
