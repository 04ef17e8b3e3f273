"""The process that children are forked from: `python -I -S template.py CONFIG`, with a socket as its input.

For each message with three pipes on the socket, it forks a child that has the first as its input and the second as its
output, answers with the child's process id, and writes the exit code to the third when the child has ended.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys

config = json.loads(sys.argv[1])
sys.path[:] = config["paths"] + sys.path
config["parent"] = os.getpid()
child = importlib.import_module("gradviz.run.child")
for name in (config["entry"].partition(":")[0], *config["warm"]):
    importlib.import_module(name)
line = socket.socket(fileno=os.dup(0))
codes: dict[int, int] = {}


def tell_codes(*_: object) -> None:
    """Say how the children ended that have."""
    while codes:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        pipe = codes.pop(pid)
        os.write(pipe, str(os.waitstatus_to_exitcode(status)).encode())
        os.close(pipe)


signal.signal(signal.SIGCHLD, tell_codes)
while True:
    _, pipes, _, _ = socket.recv_fds(line, 1, 3)
    if not pipes:
        os._exit(0)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    pid = os.fork()
    if not pid:
        os.dup2(pipes[0], 0)
        os.dup2(pipes[1], 1)
        os.closerange(3, 1000)
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        child.main(json.dumps(config))
    codes[pid] = pipes[2]
    os.close(pipes[0])
    os.close(pipes[1])
    line.send(str(pid).encode())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
