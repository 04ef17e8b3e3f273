"""The one sentence about a name that there is not, said by the reader and by the reference page alike."""

from __future__ import annotations


def unsupported(name: str) -> str:
    """The sentence for a name, written in full, e.g. "torch.fft.rfft" or "Tensor.cuda"."""
    return f"'{name}' is not supported by gradviz; the help lists every name that is."
