"""The `.gradviz` format: a zip of `recording.json` and of one stored `.npy` for each array of more than a few numbers.

The document is that of the JSON format; an array that stands beside it is {"member": "a/17.npy"} there. Since members
are stored and not compressed, an array is a view of the file: nothing of it is read before somebody looks at it.
`numpy.load` opens such a file too.

A file may come from anybody. Whatever it claims is compared with what it is: no member may be larger than the file,
only the document is decompressed, up to a bound, and an array is made of numbers alone, never of pickled objects.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zlib
from collections.abc import Mapping
from mmap import mmap
from typing import Any, NamedTuple, TypeAlias
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from gradviz.collection import no_collection
from gradviz.document.arrays import said
from gradviz.document.fields import DOCUMENT as RECORDING
from gradviz.errors import FormatError
from gradviz.formats import json_write
from gradviz.formats.json_file import loads
from gradviz.formats.json_parse import decode
from gradviz.formats.watched import Nobody, Watch
from gradviz.recording import Array, Recording, shape_text, wrong_shape

__all__ = ["DOCUMENT", "read", "write"]

Content: TypeAlias = "bytes | mmap"

DOCUMENT = "recording.json"
INLINE = 8
"""Elements up to which an array stands in the document."""
MAX_DOCUMENT = 512 * 2**20
"""Bytes of the document: a recording of a million nodes has about 300 MB."""

_MOST_RATIO, _SMALL = 50, 64 * 2**20
"""How many times longer than its bytes in the file a document may be: nodes that are all alike make it 20. What is
small anyway may be as repetitive as it likes."""
_ALIGNED = 64
_LOCAL = struct.Struct("<4s22xHH")
"""Of a local header of a zip: its mark, and the lengths of the name and of the extra field behind it."""
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<|][a-z][0-9]+)', 'fortran_order': (False|True), "
    rb"'shape': \(((?:[0-9]{1,19}, ?)*[0-9]{0,19})\), ?\} *\n"
)
_DESCRIBED = {
    np.dtype(name).str: np.dtype(name)
    for name in (
        *("<f8", "<f4", "<f2", "|b1", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1"),
        *("<c8", "<c16"),
    )
}
"""What an array may be made of, by its description in an .npy file."""

_DAMAGED = "The file is damaged: {}."
_AGAIN = "Record or export it again."
_NOBODY = Nobody()


# ---- reading ----


def read(content: Content, watch: Watch = _NOBODY) -> Recording:
    """The recording in a file, for whoever waits for it.

    Its arrays are views of `content`, which they keep alive, and cannot be written to.

    Raises:
        FormatError: no zip, a member that is missing, compressed, too large or no array, or a document as in
            `json_file.loads`.
        UnsupportedVersionError: another version of the format.
        Cancelled: nobody wants it any more.
    """
    archive = _Archive(content)
    return loads(decode(archive.document()), archive.fill, watch)


class _Member(NamedTuple):
    """Where the bytes of a member begin, and how many there are."""

    start: int
    size: int


class _Archive:
    """The members of one file."""

    def __init__(self, content: Content) -> None:
        self._content = content
        if not len(content):
            raise FormatError("The file is empty.", hint=_AGAIN)
        if bytes(content[:2]) != b"PK":
            raise FormatError("The file is not a .gradviz recording: it is no zip file.", hint=_AGAIN)
        self._infos = self._directory()
        self._kinds: dict[bytes, tuple[np.dtype[Any], tuple[int, ...]]] = {}
        self._arrays: dict[str, np.ndarray[Any, Any]] = {}

    def _directory(self) -> dict[str, ZipInfo]:
        content = self._content
        try:
            with ZipFile(io.BytesIO(content) if isinstance(content, bytes) else _Seekable(content)) as file:
                infos = file.infolist()
        except (BadZipFile, NotImplementedError, ValueError, OSError, EOFError, struct.error, OverflowError) as error:
            raise _damaged(f"its list of members cannot be read ({error})") from None
        if sum(info.compress_size for info in infos) > len(content):
            raise _damaged("its members claim to be larger than the file")
        for info in infos:
            if info.compress_type == ZIP_STORED and info.file_size != info.compress_size:
                raise _damaged(f"its member {info.filename} has two sizes")
            if info.file_size > _MOST_RATIO * info.compress_size + _SMALL:
                times = info.file_size // max(info.compress_size, 1)
                raise FormatError(
                    f"The file is no recording: its {info.filename} claims {info.file_size / 1e9:.1f} GB,"
                    f" {times:,} times its size in the file."
                )
        return {info.filename: info for info in infos}

    def document(self) -> bytes:
        """The bytes of the document."""
        info = self._infos.get(DOCUMENT)
        if info is None:
            raise FormatError(f"The file is not a .gradviz recording: it is a zip without {DOCUMENT}.", hint=_AGAIN)
        if info.file_size > MAX_DOCUMENT:
            raise FormatError(f"The file is no recording: its {DOCUMENT} claims {info.file_size / 1e9:.1f} GB.")
        start, size = self._place(info)
        packed = bytes(self._content[start : start + size])
        if info.compress_type == ZIP_STORED:
            return packed
        if info.compress_type != ZIP_DEFLATED:
            raise _damaged(f"{DOCUMENT} is compressed in a way that no recording is")
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            text = unpacker.decompress(packed, info.file_size + 1)
        except zlib.error as error:
            raise _damaged(f"{DOCUMENT} cannot be unpacked ({error})") from None
        if len(text) != info.file_size or not unpacker.eof:
            raise _damaged(f"{DOCUMENT} is longer or shorter than the file says")
        return text

    def fill(self, top: Mapping[str, Any]) -> None:
        """Put the arrays into the document, wherever a member is named in the place of one."""
        for holder, key in RECORDING.places([top]):
            value = holder[key]
            if type(value) is dict and "member" in value:
                holder[key] = self._array(value["member"])

    def _array(self, name: Any) -> np.ndarray[Any, Any]:
        if type(name) is not str:
            raise _damaged(f"a member is called {said(name)}")
        if name not in self._arrays:
            info = self._infos.get(name)
            if info is None:
                raise _damaged(f"its member {name} is missing")
            if info.compress_type != ZIP_STORED or info.flag_bits & 1:
                raise _damaged(f"its member {name} is compressed or encrypted, and arrays never are")
            self._arrays[name] = self._view(name, self._place(info))
        return self._arrays[name]

    def _place(self, info: ZipInfo) -> _Member:
        """Where the bytes of a member are, by the local header in front of them."""
        content, at = self._content, info.header_offset
        head = bytes(content[at : at + _LOCAL.size]) if at >= 0 else b""
        if len(head) < _LOCAL.size or not head.startswith(b"PK\3\4"):
            raise _damaged(f"its member {info.filename} is not where the file says")
        _, name, extra = _LOCAL.unpack(head)
        start = at + _LOCAL.size + name + extra
        if start + info.compress_size > len(content):
            raise _damaged(f"its member {info.filename} breaks off")
        return _Member(start, info.compress_size)

    def _view(self, name: str, place: _Member) -> np.ndarray[Any, Any]:
        content, (start, size) = self._content, place
        head = bytes(content[start : start + 10])
        if not head.startswith(_MAGIC) or size < 10:
            raise _damaged(f"its member {name} is no array of numpy's format 1.0")
        begin = 10 + int.from_bytes(head[8:10], "little")
        header = bytes(content[start + 10 : start + min(begin, size)])
        if header not in self._kinds:
            self._kinds[header] = _kind(name, header)
        dtype, shape = self._kinds[header]
        count = math.prod(shape)
        if begin + count * dtype.itemsize != size:
            raise _damaged(f"its member {name} has {size - begin:,} bytes for an array of shape {shape_text(shape)}")
        if not count:
            return np.empty(shape, dtype)
        # A byte that is neither 0 nor 1 is no bool.
        if dtype.kind == "b" and np.frombuffer(content, np.uint8, count, start + begin).max() > 1:
            raise _damaged(f"its member {name} holds what is neither true nor false")
        return np.frombuffer(content, dtype, count, start + begin).reshape(shape)


class _Seekable(io.RawIOBase):
    """A file that is mapped into memory, as `zipfile` reads one; closing it leaves the map."""

    def __init__(self, content: mmap) -> None:
        self._content, self._at = content, 0

    def seekable(self) -> bool:
        """Yes."""
        return True

    def readable(self) -> bool:
        """Yes."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._content)}[whence]
        if start + offset < 0:
            raise ValueError("a place before the beginning")
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        """The place."""
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        """Up to so many bytes."""
        end = len(self._content) if size is None or size < 0 else self._at + size
        found = self._content[self._at : end]
        self._at += len(found)
        return found


def _kind(name: str, header: bytes) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """What the header of an array says, in the words that numpy and PyTorch's recorder write."""
    found = _HEADER.fullmatch(header)
    dtype = None if found is None else _DESCRIBED.get(found[1].decode())
    if found is None or dtype is None or found[2] == b"True":
        raise _damaged(f"its member {name} is no array of plain numbers in C order")
    shape = tuple(int(size) for size in found[3].split(b",") if size.strip())
    if wrong_shape(shape):
        raise _damaged(f"its member {name} claims to be larger than any memory")
    return dtype, shape


def _damaged(what: str) -> FormatError:
    return FormatError(_DAMAGED.format(what), hint=_AGAIN)


# ---- writing ----


def write(recording: Recording) -> bytes:
    """The bytes of a file.

    Raises:
        FormatError: a dtype that the format does not have, or a graph that would be too large to be opened again.
    """
    with no_collection():
        members = _Members()
        top = json_write.document(recording)
        inline = []
        for place in RECORDING.places([top]):
            holder, key = place
            array = holder[key]
            if array is not None and (array.size > INLINE or array.dtype.kind == "c"):
                holder[key] = {"member": members.name_of(array)}
            else:
                inline.append(place)
        json_write.spell_out(inline)
        text = json_write.in_lines(json_write.encode(top)) + b"\n"
        if len(text) > MAX_DOCUMENT:
            raise FormatError(
                f"the graph alone has {len(text) / 1e6:,.0f} MB of text, more than gradviz opens again "
                f"({MAX_DOCUMENT / 1e6:,.0f} MB).",
                hint="Keep fewer backward calls: --keep on the command line.",
            )
        return members.packed(text)


class _Members:
    """The arrays of a file that is being written; what is one array in two places is stored once."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._arrays: list[Array] = []  # an id is only its array's as long as that lives

    def name_of(self, array: Array) -> str:
        """The member in which the array is."""
        name = self._names.get(id(array))
        if name is None:
            name = self._names[id(array)] = f"a/{len(self._arrays)}.npy"
            self._arrays.append(array)
        return name

    def packed(self, document: bytes) -> bytes:
        """The whole file."""
        sink = io.BytesIO()
        with ZipFile(sink, "w", ZIP_STORED) as file:
            for number, array in enumerate(self._arrays):
                content = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
                info = ZipInfo(f"a/{number}.npy")
                head = _npy_head(content)
                # The numbers begin at a multiple of 64 bytes, so that they can be computed with where they lie.
                gap = -(sink.tell() + 30 + len(info.filename) + 4 + len(head)) % _ALIGNED
                info.extra = struct.pack("<HH", 0xD935, gap) + b"\0" * gap
                file.writestr(info, head + content.tobytes())
            is_repetitive = len(document) > _SMALL and len(zlib.compress(document, 1)) * _MOST_RATIO < len(document)
            file.writestr(ZipInfo(DOCUMENT), document, ZIP_STORED if is_repetitive else ZIP_DEFLATED, 1)
        return sink.getvalue()


def _npy_head(array: np.ndarray[Any, Any]) -> bytes:
    sizes = ", ".join(map(str, array.shape)) + "," * (array.ndim == 1)
    words = f"{{'descr': '{array.dtype.str}', 'fortran_order': False, 'shape': ({sizes}), }}".encode()
    words += b" " * (-(10 + len(words) + 1) % _ALIGNED) + b"\n"
    return _MAGIC + len(words).to_bytes(2, "little") + words
