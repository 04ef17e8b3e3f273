"""In which order PyTorch works out the gradients that a backward node sends.

Its code is generated: a formula per input, by the alphabet of the names that the inputs have there. The order shows
under create_graph, where a node that was made later runs earlier. A formula for several inputs at once is one turn.

Source: tools/autograd/load_derivatives.py and derivatives.yaml of PyTorch 2.13.
"""

from __future__ import annotations

_BY_NAMES = {
    "self other": (
        "AddBackward0 SubBackward0 MulBackward0 DivBackward0 DivBackward2 MaximumBackward0 MinimumBackward0 "
        "FmodBackward1 RemainderBackward1 HypotBackward0 LogaddexpBackward0 Logaddexp2Backward0 XlogyBackward0 "
        "FmaxBackward0 FminBackward0 CopysignBackward0 DistBackward0 SpecialXlog1PyBackward0 LdexpBackward0 "
        "VdotBackward0 LinalgCrossBackward0"
    ),
    "self mat2": "MmBackward0 BmmBackward0",
    "self exponent": "PowBackward1",
    "condition self other": "WhereBackward0",
    "self min": "ClampMinBackward1",
    "self max": "ClampMaxBackward1",
    "self min max": "ClampBackward0",
    "self end": "LerpBackward0",
    "self end weight": "LerpBackward1",
    "self mat1 mat2": "AddmmBackward0",
    "self batch1 batch2": "BaddbmmBackward0 AddbmmBackward0",
    "self mat vec": "AddmvBackward0",
    "weight per_sample_weights": "EmbeddingBagBackward0",
}  # fmt: skip


def _order(names: str) -> tuple[int, ...]:
    inputs = names.split()
    return tuple(sorted(range(len(inputs)), key=inputs.__getitem__))


_TURNS = {node: _order(names) for names, nodes in _BY_NAMES.items() for node in nodes.split()}


def turns(node: str, count: int) -> tuple[int, ...] | range:
    """The inputs of a node in the order in which their gradients are worked out.

    Args:
        node: PyTorch's name of it.
        count: of its inputs.
    """
    order = _TURNS.get(node, range(count))
    return order if len(order) == count else range(count)  # an optional input may be left out
