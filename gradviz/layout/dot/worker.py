"""The dot process, from within: reads requests from its standard input, writes layouts to its standard output.

It ends when its input ends, that is when the program that started it is gone.
"""

from __future__ import annotations

import faulthandler
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

import numpy as np

from gradviz.errors import LayoutError
from gradviz.layout.dot.dot import lay_out_dot
from gradviz.layout.dot.wire import Message, layout_message, read, request_in, write

GRACE_S = 2.0
"""Seconds after the limit at which the process ends itself."""


def main() -> None:
    """Serve standard input until it ends."""
    # Graphviz prints what it likes to file 1; answers leave by a copy that only we know.
    answers = os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    serve(sys.stdin.buffer, answers)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Say that dot is ready, then answer each request with a layout or an error."""
    _load()
    write(answers, {"ready": np.array(True)})
    with Path(os.devnull).open("w") as nowhere:
        while (message := read(requests)) is not None:
            _, limit_s = request_in(message)
            # dot cannot be interrupted and holds the interpreter, so it would outlive a program that has died.
            # This timer needs no interpreter.
            faulthandler.dump_traceback_later(limit_s + GRACE_S, exit=True, file=nowhere)
            answer = _answer(message)
            faulthandler.cancel_dump_traceback_later()
            write(answers, answer)


def _load() -> None:
    """Import what the first request would otherwise wait for."""
    for module in ("networkx", "pygraphviz"):
        import_module(module)


def _answer(message: Message) -> Message:
    request, _ = request_in(message)
    try:
        return layout_message(lay_out_dot(request))
    except LayoutError as error:
        return {"error": np.array(error.message)}


if __name__ == "__main__":
    main()
