"""A `.gradviz` file: a zip of `recording.json` and of stored .npy members, written by the standard library alone.

Members are appended as they come; the document and the table of contents stand at the end and are written again each
time, so the file can be read at any moment between two writes.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import struct
import sys
import zlib
from typing import Any, BinaryIO, Callable

import torch

from gradviz.capture.keep import SAMPLE, Kept, dtype_name, summarise

DOCUMENT = "recording.json"
INLINE = 8
"""Arrays of at most so many elements stand in the document itself."""

_ORDER = "<" if sys.byteorder == "little" else ">"
_KINDS = {
    torch.float64: "f8", torch.float32: "f4", torch.float16: "f2", torch.complex64: "c8", torch.complex128: "c16",
    torch.int64: "i8", torch.int32: "i4", torch.int16: "i2", torch.int8: "i1", torch.uint8: "u1", torch.bool: "b1",
}  # fmt: skip
_KINDS.update({getattr(torch, f"uint{8 * n}"): f"u{n}" for n in (2, 4, 8) if hasattr(torch, f"uint{8 * n}")})
_DATE = 0x21  # 1980-01-01: the same recording gives the same bytes


class Container:
    """Writes one file; to be closed, or used as a context.

    Attributes:
        live: bytes of the members that the last document names, and `waste` of those that it does not.
    """

    def __init__(self, path: str) -> None:
        self._file: BinaryIO = open(path, "wb+")  # noqa: SIM115
        self._entries: list[bytes] = []
        self._count = 0
        self._end = 0
        self._token = object()
        self._named: set[str] = set()
        self._named_bytes = 0
        self.live, self.waste = 0, 0

    def put(self, kept: Kept | None) -> Any:
        """An array as the document has it: a nested list where it is small, else the name of its member."""
        if kept is None or kept.tensor is None or kept.reason:
            return None
        if kept.tensor.numel() <= INLINE and not kept.dtype.is_complex:
            return nested(kept.tensor)
        if kept.member is None or kept.member[0] is not self._token:
            name = f"a/{self._count}.npy"
            self._count += 1
            header, tensor = npy(kept.tensor)
            self._append(name, [header, memory_of(tensor)])
            kept.member = (self._token, name)
        name = kept.member[1]
        if name not in self._named:
            self._named.add(name)
            self._named_bytes += kept.tensor.numel() * kept.tensor.element_size()
        return {"member": name}

    def _append(self, name: str, parts: list[Any]) -> None:
        crc, size = 0, 0
        for part in parts:
            crc = zlib.crc32(part, crc)
            size += len(part)
        encoded = name.encode()
        offset = self._end
        large = size >= 0xFFFFFFFF
        extra = struct.pack("<HHQQ", 1, 16, size, size) if large else b""
        stated = 0xFFFFFFFF if large else size
        self._file.seek(offset)
        self._file.write(
            struct.pack("<4s5H3I2H", b"PK\3\4", 45 if large else 20, 0, 0, 0, _DATE, crc, stated, stated,
                        len(encoded), len(extra)) + encoded + extra
        )  # fmt: skip
        for part in parts:
            self._file.write(part)
        self._end = self._file.tell()
        far = offset >= 0xFFFFFFFF
        wide = [*((size, size) if large else ()), *((offset,) if far else ())]
        extra = struct.pack(f"<HH{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
        self._entries.append(
            struct.pack("<4s6H3I5H2I", b"PK\1\2", 45, 45 if wide else 20, 0, 0, 0, _DATE, crc, stated, stated,
                        len(encoded), len(extra), 0, 0, 0, 0, 0xFFFFFFFF if far else offset) + encoded + extra
        )  # fmt: skip

    def finish(self, document: Any) -> None:
        """Write the document and the table of contents; more may be put afterwards."""
        end, count = self._end, len(self._entries)
        self.live, self.waste = self._named_bytes, max(0, end - self._named_bytes)
        self._named.clear()
        self._named_bytes = 0
        self._append(DOCUMENT, [json.dumps(document, separators=(",", ":"), allow_nan=False).encode()])
        start = self._end
        table = b"".join(self._entries)
        entries = len(self._entries)
        tail = b""
        if entries >= 0xFFFF or start >= 0xFFFFFFFF or len(table) >= 0xFFFFFFFF:
            tail = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, len(table), start)
            tail += struct.pack("<4sIQI", b"PK\6\7", 0, start + len(table), 1)
        tail += struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, min(entries, 0xFFFF), min(entries, 0xFFFF),
                            min(len(table), 0xFFFFFFFF), min(start, 0xFFFFFFFF), 0)  # fmt: skip
        self._file.write(table + tail)
        self._file.truncate()
        self._file.flush()
        # the next members overwrite the document
        self._end = end
        del self._entries[count:]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Container:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write(path: str, document_of: Callable[[Callable[[Kept | None], Any]], Any]) -> None:
    """Write a file beside `path` and put it in its place; `document_of(put)` gives the document.

    Raises:
        OSError: the place cannot be written to.
    """
    draft = f"{path}.{os.getpid()}.part"
    try:
        with Container(draft) as container:
            container.finish(document_of(container.put))
        os.replace(draft, path)
    except BaseException:
        if os.path.exists(draft):
            os.remove(draft)
        raise


def npy(tensor: Any) -> tuple[bytes, Any]:
    """The header of an .npy file (format 1.0), and the tensor in the layout and dtype that it states."""
    shape = tuple(tensor.shape)
    kind = _KINDS.get(tensor.dtype)
    if kind is None:
        tensor = tensor.to(torch.complex64 if tensor.dtype.is_complex else torch.float32)
        kind = _KINDS[tensor.dtype]
    order = "|" if kind in ("i1", "u1", "b1") else _ORDER
    text = f"{{'descr': '{order}{kind}', 'fortran_order': False, 'shape': {shape!r}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin-1"), tensor.contiguous()


def memory_of(tensor: Any) -> Any:
    """The bytes of a contiguous tensor on the CPU, without a copy; they live as long as the tensor."""
    size = tensor.numel() * tensor.element_size()
    if not size:
        return b""
    buffer = (ctypes.c_ubyte * size).from_address(tensor.data_ptr())
    buffer.tensor = tensor
    return memoryview(buffer).cast("B")


def nested(tensor: Any) -> Any:
    """A small tensor as nested lists; what is not finite as a text."""
    values = tensor.tolist()
    return _plain(values, tensor.dtype is torch.float32)


def _plain(value: Any, is_single: bool) -> Any:
    if isinstance(value, list):
        return [_plain(each, is_single) for each in value]
    return number(value, is_single)


def number(value: Any, is_single: bool = False) -> Any:
    """A number as JSON has it; a float32 in as few digits as tell it apart."""
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return float(f"{value:.9g}") if is_single else value
    return value


def summary_of(kept: Kept | None) -> dict[str, Any] | None:
    """The summary of what is not kept; None where all is."""
    if kept is None or (kept.tensor is not None and not kept.reason):
        return None
    named: dict[str, Any] = {"shape": list(kept.shape), "dtype": dtype_name(kept.dtype)}
    values = kept.summary or (summarise(kept.tensor) if kept.tensor is not None else ())
    if values:
        named.update(zip(("norm", "min", "max"), (number(each, True) for each in values[:3])))
        named["nan"], named["inf"] = values[3:5]
        named["sample"] = [number(each, True) for each in values[5 : 5 + SAMPLE]]
    named["reason"] = kept.reason
    return named
