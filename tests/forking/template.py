"""The process that children are forked from: `python template.py CONFIG`, with a socket as its input.

CONFIG says what is loaded before (`loads`), and what a child is: `gradviz.run.child` with that `config`, or the file
`script`. For each message on the socket, a working directory and pipes, it forks a child that has the pipes but the
first as its input, output and error stream, answers with the child's process id, and writes the exit code to the first
pipe when the child has ended.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import socket
import sys
from pathlib import Path

given = json.loads(sys.argv[1])
config = given["config"]
sys.path[:] = config.get("paths", []) + sys.path
for name in given["loads"]:
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
    folder, pipes, _, _ = socket.recv_fds(line, 4096, 4)
    if not pipes:
        os._exit(0)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    pid = os.fork()
    if not pid:
        break
    codes[pid] = pipes[0]
    for pipe in pipes[1:]:
        os.close(pipe)
    line.send(str(pid).encode())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])

for number, pipe in enumerate(pipes[1:]):
    os.dup2(pipe, number)
line.detach()
os.closerange(3, 1000)
os.setsid()
os.chdir(folder)
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
if "script" in given:
    sys.argv = [given["script"]]
    sys.path[0] = str(Path(given["script"]).parent)
    for name in [name for name in sys.modules if name.partition(".")[0] == "gradviz"]:
        del sys.modules[name]  # what it needs of other libraries is loaded, and it loads its own modules itself
    runpy.run_path(given["script"], run_name="__main__")
else:
    from gradviz.run import child

    child.main(json.dumps(config | {"parent": os.getppid()}))
