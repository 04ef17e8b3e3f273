"""Stands in for the recorder's child: speaks the same frames, and does what the "script" it is given says.

The script is run with the functions of `Voice` as its names; it says itself what the recorder would say of it.
"""

import json
import os
import pathlib
import struct
import sys
import threading

HEAD = struct.Struct("!BIQ")
READY, STARTED, OUTPUT, ASIDE, PROGRESS, ENDED, DONE, FAILED, JOB, STOP = 1, 2, 3, 4, 5, 6, 9, 10, 20, 21


class Voice:
    """What a script may call."""

    def __init__(self):
        self.source = os.fdopen(os.dup(0), "rb")
        self.sink = os.dup(1)
        self.job = {}
        self.stopped = threading.Event()

    def send(self, kind, header=None):
        text = b"" if header is None else json.dumps(header).encode()
        os.write(self.sink, HEAD.pack(kind, len(text), 0) + text)

    def read(self):
        head = self.source.read(HEAD.size)
        if len(head) < HEAD.size:
            os._exit(0)
        kind, length, size = HEAD.unpack(head)
        header = json.loads(self.source.read(length) or b"{}")
        self.source.read(size)
        return kind, header

    def listen(self):
        while True:
            kind, _ = self.read()
            if kind == STOP:
                self.stopped.set()

    def output(self, text):
        self.send(OUTPUT, {"text": text})

    def aside(self, text):
        self.send(ASIDE, {"text": text})

    def progress(self, share):
        self.send(PROGRESS, {"share": share})

    def write(self, content):
        """Leave a file, given its bytes in hexadecimal digits."""
        pathlib.Path(self.job["options"]["out"]).write_bytes(bytes.fromhex(content))

    def done(self, exit_code=0, problem=None, warnings=()):
        self.send(ENDED)
        self.send(DONE, {"seconds": 0.5, "exit_code": exit_code, "problem": problem, "warnings": list(warnings)})

    def fail(self, message, hint=""):
        header = {"class": "GradvizError", "kind": None, "message": message, "hint": hint, "line": None, "column": None}
        self.send(FAILED, header)


def main():
    voice = Voice()
    voice.send(READY)
    kind, voice.job = voice.read()
    assert kind == JOB
    threading.Thread(target=voice.listen, daemon=True).start()
    voice.send(STARTED, {"walls": []})
    names = {name: getattr(voice, name) for name in dir(voice) if not name.startswith("_")}
    exec(compile(voice.job["text"], voice.job["name"], "exec"), {**names, "os": os, "sys": sys})


main()
