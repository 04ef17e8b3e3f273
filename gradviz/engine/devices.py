"""Where tensors live: `torch.device`. There is but the CPU; others can be named, not used."""

from __future__ import annotations

from gradviz.engine.errors import Beyond

KINDS = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
    "privateuseone"
)
"""The kinds of devices that PyTorch knows."""


class Device:
    """A kind of device, and which one of them.

    Attributes:
        type: e.g. "cpu" or "cuda".
        index: its number, or None for whichever there is.
    """

    def __init__(self, device: object = "cpu", index: int | None = None) -> None:
        if isinstance(device, int) and not isinstance(device, bool):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        kind, colon, number = str(device).partition(":")
        if kind not in KINDS.split(", "):
            if kind.isalpha():
                raise RuntimeError(f"Expected one of {KINDS} device type at start of device string: {kind}")
            raise RuntimeError(f"Invalid device string: '{device}'")
        if colon and not number.isdigit():
            raise RuntimeError(f"Invalid device string: '{device}'")
        if colon and index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {device}")
        self.type = kind
        self.index = int(number) if colon else index

    def __repr__(self) -> str:
        return (
            f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"
        )

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))


Device.__module__, Device.__name__, Device.__qualname__ = "torch", "device", "device"

CPU = Device()
"""The one device that is there."""


def check_device(device: object) -> None:
    """Refuse a device other than the CPU, as a PyTorch that was built for the CPU does; None is the CPU.

    Raises:
        AssertionError: a CUDA device.
        RuntimeError: no kind of device.
        Beyond: another device that PyTorch knows.
    """
    if device is None:
        return
    kind = Device(device).type
    if kind == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if kind != "cpu":
        raise Beyond(f"the device '{device}'")
