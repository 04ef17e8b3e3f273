"""Requests and layouts as bytes for the pipe to the dot process: a length, then an npz archive without pickles."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from gradviz.errors import LayoutError
from gradviz.layout.plan import Layout, Request

LENGTH = struct.Struct("<Q")
LARGEST = 1 << 30
"""Bytes of a message at most; more means that the stream is not ours."""

Message = Mapping[str, np.ndarray[Any, Any]]


def write(stream: IO[bytes], message: Message) -> None:
    """Write one message.

    Raises:
        OSError: nobody reads any more.
    """
    buffer = io.BytesIO()
    np.savez(buffer, **{name: np.asarray(array) for name, array in message.items()})  # type: ignore[arg-type]
    stream.write(LENGTH.pack(buffer.tell()) + buffer.getvalue())
    stream.flush()


def read(stream: IO[bytes]) -> Message | None:
    """Read one message; None at the end of the stream.

    Raises:
        LayoutError: what came is not a message.
    """
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    body = stream.read(length) if length <= LARGEST else b""
    try:
        with np.load(io.BytesIO(body), allow_pickle=False) as archive:
            return dict(archive)
    except (OSError, ValueError, EOFError) as error:
        raise LayoutError("The dot process sent something that is not a message.") from error


def request_message(request: Request, limit_s: float) -> Message:
    """A request, and how long the process may work on it, in seconds."""
    return {
        "nodes": request.nodes,
        "sizes": request.sizes,
        "edges": request.edges,
        "direction": np.array(request.direction),
        "limit_s": np.array(limit_s),
    }


def request_in(message: Message) -> tuple[Request, float]:
    """The request of a message and its time limit in seconds."""
    nodes, sizes, edges = (message[name] for name in ("nodes", "sizes", "edges"))
    request = Request(nodes, sizes, edges, str(message["direction"]))
    return request, float(message["limit_s"])


def layout_message(layout: Layout) -> Message:
    """What a layout adds to its request: centres, curves one after the other, bounds."""
    return {
        "centres": layout.centres,
        "points": np.concatenate([np.zeros((0, 2)), *layout.curves]),
        "counts": np.array([len(curve) for curve in layout.curves], dtype=np.int64),
        "bounds": np.array(layout.bounds),
        "engine": np.array(layout.engine),
    }


def layout_in(message: Message, request: Request) -> Layout:
    """The layout of a request from its message.

    Raises:
        LayoutError: the message tells of an error, or of another number of nodes or edges.
    """
    if "error" in message:
        raise LayoutError(str(message["error"]))
    centres, counts = message["centres"], message["counts"]
    if len(centres) != len(request.nodes) or len(counts) != len(request.edges):
        raise LayoutError("The dot process answered something else than it was asked.")
    curves = tuple(np.split(message["points"], np.cumsum(counts)[:-1])) if len(counts) else ()
    left, top, right, bottom = message["bounds"].tolist()
    engine = str(message["engine"])
    bounds = (left, top, right, bottom)
    return Layout(request.nodes, centres, request.sizes, request.edges, curves, bounds, engine)
