"""What functions of several results return: tuples with PyTorch's names, printed as PyTorch prints them."""

from __future__ import annotations

from collections import namedtuple
from typing import Any


def _made(name: str, fields: str) -> Any:
    """A named tuple that prints as `torch.return_types.name(...)`."""

    def text(self: Any) -> str:
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    base: Any = namedtuple(name, fields)  # type: ignore[misc]  # the names are those of the table
    return type(name, (base,), {"__repr__": text, "__slots__": (), "__module__": "torch.return_types"})


FIELDS = {
    **dict.fromkeys(
        ("max", "min", "median", "sort", "topk"), "values indices",
    ),
    "slogdet": "sign logabsdet", "linalg_slogdet": "sign logabsdet",
    "linalg_eigh": "eigenvalues eigenvectors", "linalg_svd": "U S Vh",
}  # fmt: skip
"""The names of the results of each function."""

RETURN_TYPES = {name: _made(name, fields) for name, fields in FIELDS.items()}
"""The class of the results of each function, by the function's name."""

globals().update(RETURN_TYPES)
