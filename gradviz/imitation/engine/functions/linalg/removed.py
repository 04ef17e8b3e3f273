"""Names that PyTorch keeps only to say what took their place."""

# ruff: noqa: ARG001 - arguments that are only asked for

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError

SINCE = "This function was deprecated since version 1.9 and is now removed."
SOLVE = (
    " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed "
    "and does not return the LU factorization.\n\nTo get the LU factorization see `torch.lu`, which can be used with "
    "`torch.lu_solve` or `torch.lu_unpack`.\nX = torch.solve(B, A).solution should be replaced with:\n"
    "X = torch.linalg.solve(A, B)"
)
LSTSQ = (
    " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed arguments and "
    "does not return the QR decomposition in the returned tuple (although it returns other information about the "
    "problem).\n\nTo get the QR decomposition consider using `torch.linalg.qr`.\n\nThe returned solution in "
    "`torch.lstsq` stored the residuals of the solution in the last m - n columns of the returned value whenever "
    "m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the returned named tuple.\n\n"
    "The unpacking of the solution, as in\nX, _ = torch.lstsq(B, A).solution[:A.size(1)]\nshould be replaced with:\n"
    "X = torch.linalg.lstsq(A, B).solution"
)
SYMEIG = (
    " The default behavior has changed from using the upper triangular portion of the matrix by default to using the "
    "lower triangular portion.\n\nL, _ = torch.symeig(A, upper=upper) should be replaced with:\n"
    "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\n"
    "L, V = torch.symeig(A, eigenvectors=True) should be replaced with:\n"
    "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
)
EIG = (
    " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking "
    "complex tensors.\n\nL, _ = torch.eig(A) should be replaced with:\nL_complex = torch.linalg.eigvals(A)\n\nand\n\n"
    "L, V = torch.eig(A, eigenvectors=True) should be replaced with:\nL_complex, V_complex = torch.linalg.eig(A)"
)
RANK = (
    "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
    "`torch.linalg.matrix_rank()` to 'hermitian'."
)


def solve(input: Tensor, A: Tensor, *, out: Any = None) -> NoReturn:
    raise TorchError(SINCE + SOLVE)


def lstsq(input: Tensor, A: Tensor, *, out: Any = None) -> NoReturn:
    raise TorchError(SINCE + LSTSQ)


def symeig(input: Tensor, eigenvectors: bool = False, upper: bool = True, *, out: Any = None) -> NoReturn:
    raise TorchError(SINCE + SYMEIG)


def eig(self: Tensor, eigenvectors: bool = False, *, e: Any = None, v: Any = None) -> NoReturn:
    raise TorchError(SINCE + EIG)


def matrix_rank(input: Tensor, tol: Any = None, symmetric: bool = False, *, out: Any = None) -> NoReturn:
    raise TorchError(SINCE + RANK)


METHODS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (solve, lstsq, symeig, eig)}
FUNCTIONS: dict[str, Callable[..., Any]] = METHODS | {"matrix_rank": matrix_rank}
NEURAL: dict[str, Callable[..., Any]] = {}
