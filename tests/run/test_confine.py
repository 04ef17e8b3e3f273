"""A script, which has all of Python, reaches nothing outside of its process but its own folder, to read.

Each wall is tried with the others left out: the audit hook with the system's walls down, and on Linux Landlock, seccomp
and both together without the audit hook.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from gradviz.errors import GradvizError
from gradviz.run.confine import linux, macos, walls
from gradviz.run.host import BUILTIN, Host
from gradviz.run.job import Job, Limits
from gradviz.run.scratch import Links, Scratch, remove_left_over
from tests.run.conftest import toy

SYSTEM = walls.ALL - {walls.AUDIT}
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="asks for the walls of Linux")
landlock = pytest.mark.skipif(
    sys.platform != "linux" or not linux.landlock_version(), reason="this kernel has no Landlock"
)
seccomp = pytest.mark.skipif(
    sys.platform != "linux" or not linux.has_seccomp(), reason="this kernel has no seccomp filters"
)

ATTEMPT = """
import json, os
answers = {{}}
def attempt(name, work):
    try:
        answers[name] = repr(work())[:200]
    except BaseException as error:
        answers[name] = None
{body}
print(json.dumps(answers))
"""


def answers(host: Host, attempts: dict[str, str], setup: str = "", folder: str = "") -> dict[str, Any]:
    """What each attempt, an expression, gave in the child; None where it was refused."""
    body = setup + "\n" + "\n".join(f"attempt({name!r}, lambda: {text})" for name, text in attempts.items())
    said: list[str] = []
    run = host.run(Job(ATTEMPT.format(body=body), limits=Limits(seconds=20), folder=folder), on_output=said.append)
    assert run.error is None, run.error
    found: dict[str, Any] = json.loads("".join(said))
    return found


@contextmanager
def behind(*chosen: str) -> Iterator[Host]:
    """A host whose children have these walls only, and the limits of the system."""
    with Host(toy(walls=frozenset(chosen)), keeps_spare=False) as host:
        yield host


def secret(tmp_path: Path) -> Path:
    """A file of the user."""
    file = tmp_path / "diary.txt"
    file.write_text("dear diary")
    return file


def reading(file: Path) -> dict[str, str]:
    """Ways to read a file."""
    return {
        "open": f"open({str(file)!r}).read()",
        "os.open": f"os.read(os.open({str(file)!r}, os.O_RDONLY), 10)",
        "listdir": f"os.listdir({str(file.parent)!r})",
        "scandir": f"list(os.scandir({str(file.parent)!r}))",
        "io": f"__import__('io').FileIO({str(file)!r}).read()",
        "numpy": f"__import__('numpy').fromfile({str(file)!r}, 'u1')",
        "memmap": f"__import__('numpy').memmap({str(file)!r})",
        "pathlib": f"__import__('pathlib').Path({str(file)!r}).read_text()",
        "linecache": f"__import__('linecache').getlines({str(file)!r})[0]",
        "dotted": f"open('/' + '../' * 5 + {str(file)!r}).read()",
        "passwords": "open('/etc/passwd').read()",
        "environ of the host": f"open('/proc/{os.getpid()}/environ').read()",
    }


def writing(file: Path) -> dict[str, str]:
    """Ways to write to a file, or to change what is there."""
    other = file.parent / "new"
    return {
        "open": f"open({str(file)!r}, 'w').write('x')",
        "append": f"open({str(file)!r}, 'a').write('x')",
        "create": f"open({str(other)!r}, 'x')",
        "both": f"open({str(file)!r}, 'r+').write('x')",
        "os.open": f"os.write(os.open({str(file)!r}, os.O_WRONLY), b'x')",
        "truncate": f"os.truncate({str(file)!r}, 0)",
        "remove": f"os.remove({str(file)!r})",
        "rename": f"os.rename({str(file)!r}, {str(other)!r})",
        "mkdir": f"os.mkdir({str(other)!r})",
        "link": f"os.symlink({str(file)!r}, {str(other)!r})",
        "chmod": f"os.chmod({str(file)!r}, 0) or os.stat({str(file)!r}).st_mode & 0o777 == 0 or 1 / 0",
        "utime": f"os.utime({str(file)!r}, (0, 0)) or os.stat({str(file)!r}).st_mtime == 0 or 1 / 0",
        "library": "open(os.__file__, 'a')",
        "numpy": f"__import__('numpy').save({str(other)!r}, 1)",
    }


PROCESSES = {
    "system": "1 / (os.system('true') == 0)",
    "popen": "os.popen('true').read() or 'ran'",
    "subprocess": "__import__('subprocess').run(['/bin/true'])",
    "fork": "os.fork() or os._exit(0)",
    "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "exec": "os.execv('/bin/true', ['true'])",
    "kill": f"os.kill({os.getpid()}, 0) or 'sent'",
    "killpg": f"os.killpg({os.getpgid(0) if sys.platform != 'win32' else 0}, 0) or 'sent'",
    "pty": "__import__('pty').fork()",
    "multiprocessing": "__import__('multiprocessing').get_context('fork').Process(target=print).start()",
}


def sockets(port: int) -> dict[str, str]:
    """Ways to a network, and to other programs on this computer."""
    return {
        "socket": "__import__('socket').socket()",
        "connect": f"__import__('socket').create_connection(('127.0.0.1', {port}))",
        "unix": "__import__('socket').socket(1).connect('/run/systemd/private')",
        "raw": "__import__('_socket').socket(2, 1)",
        "name": "__import__('socket').getaddrinfo('localhost', 80)",
        "http": f"__import__('urllib.request').request.urlopen('http://127.0.0.1:{port}')",
    }


NATIVE = """
import ctypes
calls = ctypes.CDLL(None, use_errno=True)
def system(number, *rest):
    result = calls.syscall(number, *rest)
    if result < 0:
        raise OSError(ctypes.get_errno())
    return result
"""


def native(file: Path) -> dict[str, str]:
    """System calls made past Python, on x86_64."""
    path = repr(os.fsencode(file))
    return {
        "open": f"system(2, {path}, 0)",
        "openat": f"system(257, -100, {path}, 0)",
        "creat": f"system(85, {path} + b'.new', 0o600)",
        "openat2": f"system(437, -100, {path}, bytes(24), 24)",
        "name_to_handle": f"system(303, -100, {path}, bytes(200), bytes(8), 0)",
        "unlink": f"system(87, {path})",
        "rename": f"system(82, {path}, {path} + b'.old')",
        "truncate": f"system(76, {path}, 0)",
        "chmod": f"system(90, {path}, 0) or os.stat({path}).st_mode & 0o777 == 0 or 1 / 0",
        "utimensat": f"system(280, -100, {path}, bytes(32), 0) or os.stat({path}).st_mtime == 0 or 1 / 0",
        "setxattr": f"system(188, {path}, b'user.a', b'x', 1, 0)",
        "mknod": f"system(133, {path} + b'.node', 0o100600, 0)",
        "link": f"system(86, {path}, b'mine')",
        "linkat": f"system(265, -100, {path}, -100, b'mine', 0)",
        "open by handle": "system(304, -100, bytes(200), 0)",
        "execve": "system(59, b'/bin/true', None, None)",
        "execveat": "system(322, -100, b'/bin/true', None, None, 0)",
        "fork": "system(57)",
        "vfork": "system(58)",
        "clone": "system(56, 17, 0, 0, 0, 0)",
        "clone3": "system(435, bytes(88), 88)",
        "socket": "system(41, 2, 1, 0)",
        "datagrams": "system(53, 1, 2, 0, bytes(8))",
        "connect": "system(42, 0, bytes(16), 16)",
        "bind": "system(49, 0, bytes(16), 16)",
        "sendto": "system(44, 1, b'x', 1, 0, bytes(16), 16)",
        "sendmsg": "system(46, 1, bytes(56), 0)",
        "sendmmsg": "system(307, 1, bytes(64), 1, 0)",
        "ptrace": "system(101, 0, 0, 0, 0)",
        "peek": f"system(310, {os.getpid()}, None, 0, None, 0, 0)",
        "kill": f"system(62, {os.getpid()}, 0)",
        "tgkill": f"system(234, {os.getpid()}, {os.getpid()}, 0)",
        "poke": f"system(311, {os.getpid()}, None, 0, None, 0, 0)",
        "pidfd": f"system(434, {os.getpid()}, 0)",
        "pidfd_getfd": "system(438, 0, 0, 0)",
        "perf": "system(298, bytes(120), 0, -1, -1, 0)",
        "keys of a terminal": "system(16, 0, 0x5412, b'x')",
        "owner of signals": f"system(72, 0, 8, {os.getpid()})",
        "umount": "system(166, b'/tmp', 0)",
        "fsopen": "system(430, b'tmpfs', 0)",
        "open_tree": "system(428, -100, b'/', 1)",
        "pivot_root": "system(155, b'/', b'/')",
        "setns": "system(308, 0, 0)",
        "module": "system(175, b'', 0, b'')",
        "kexec": "system(246, 0, 0, 0, 0)",
        "personality": "system(135, 0x0040000) + 1",
        "inotify": "system(294, 0)",
        "fanotify": "system(300, 0, 0)",
        "io_uring_enter": "system(426, 0, 0, 0, 0, 0, 0)",
        "add_key": "system(248, b'user', b'a', b'x', 1, -3)",
        "request_key": "system(249, b'user', b'a', None, -3)",
        "hostname": "system(170, b'a', 1)",
        "mount": "system(165, b'none', b'/tmp', b'tmpfs', 0, None)",
        "chroot": "system(161, b'/')",
        "unshare": "system(272, 0x10000000)",
        "io_uring": "system(425, 4, bytes(120))",
        "bpf": "system(321, 0, bytes(64), 64)",
        "keyctl": "system(250, 0, -3, 0)",
        "memfd": "system(319, b'x', 0)",
        "shared memory": "system(29, 0, 4096, 0o1600)",
        "userfaultfd": "system(323, 0)",
        "setuid": "system(105, 0) + 1",
        "prctl": "system(157, 22, 0, 0, 0, 0) + 1",
        "limits of others": f"system(302, {os.getpid()}, 7, None, bytes(16)) + 1",
        "32 bits": "system(0x40000000 + 41, 2, 1, 0)",
    }


def nothing(names: dict[str, str]) -> dict[str, None]:
    return dict.fromkeys(names)


# ---- all walls ----


def test_no_variable_of_the_user_is_seen(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "hunter2")
    with Host(toy(walls=SYSTEM - {walls.LANDLOCK, walls.SECCOMP}), keeps_spare=False) as bare:
        tries = {
            "environ": "dict(os.environ)",
            "block": "open('/proc/self/environ').read()",
            "arguments": "'hunter2' in str(__import__('sys').argv)",
            "C": "__import__('ctypes').CDLL(None).getenv(b'A_SECRET')",
            "home": "os.environ.get('HOME')",
        }
        found = answers(bare, tries)

    assert os.environ["PATH"] not in str(found)
    assert "hunter2" not in str(found)
    assert "gradviz-run-" in found["home"]
    assert found["C"] in ("0", None)


def test_behind_all_walls_nothing_is_reached(host: Host, tmp_path: Path) -> None:
    file = secret(tmp_path)
    tries = {f"{kind} {name}": text for kind, each in all_of(file).items() for name, text in each.items()}

    assert answers(host, tries) == nothing(tries)

    assert file.read_text() == "dear diary"
    assert list(tmp_path.iterdir()) == [file]


def all_of(file: Path) -> dict[str, dict[str, str]]:
    """All attempts by kind."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
    return {"read": reading(file), "write": writing(file), "process": PROCESSES, "socket": sockets(port)}


def test_pythons_own_library_is_read_as_before(host: Host) -> None:
    tries = {
        "statistics": "__import__('statistics').mean([1, 2, 3])",
        "decimal": "__import__('decimal').Decimal('0.1') * 3",
        "dataclass": "__import__('dataclasses').make_dataclass('P', ['x'])(3).x",
        "namedtuple": "__import__('collections').namedtuple('P', 'x')(3).x",
        "enum": "__import__('enum').Enum('C', 'a b').a.value",
        "fft": "abs(__import__('numpy').fft.fft([1.0, 0.0])).sum()",
        "linalg": "__import__('numpy').linalg.inv([[2.0]])[0, 0]",
        "random": "__import__('numpy').random.default_rng(0).integers(1)",
        "clock": "__import__('time').perf_counter() > 0",
        "date": "__import__('datetime').date(2020, 1, 1).year",
        "traceback": "len(__import__('traceback').format_stack()) > 0",
        "cpus": "os.cpu_count() > 0",
        "chance": "len(os.urandom(4))",
        "copy": "__import__('copy').deepcopy([1])",
        "thread": "__import__('_thread').get_ident() > 0",
        "eval": "eval('1 + 1')",
        "pipe": "os.pipe()",
        "loop": "__import__('asyncio').run(__import__('asyncio').sleep(0, 3))",
        "pool": "list(__import__('concurrent.futures').futures.ThreadPoolExecutor(2).map(abs, [-1, -2]))",
        "zone": "__import__('zoneinfo').ZoneInfo('Europe/Berlin')",
        "nothing": "open(os.devnull, 'w').write('x')",
        "home": "os.path.expanduser('~')",
        "ctypes": "__import__('ctypes').CDLL(None).getpid()",
    }

    assert {name for name, answer in answers(host, tries).items() if answer is None} == set()


# ---- what a script has ----


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The folder of a script, with files that are and are not its business, beside a file of the user."""
    folder = tmp_path / "own"
    for name in ("data.csv", "parts/more.txt", ".secret", "parts/.secret", ".git/config"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"in {name}", encoding="utf-8")
    (folder / "away").symlink_to(secret(tmp_path))
    return folder


def test_a_script_reads_its_own_folder_and_no_hidden_file(own: Path, host: Host) -> None:
    inside = {
        "beside": "open('data.csv').read()",
        "deeper": "open('parts/more.txt').read()",
        "whole path": f"open({str(own / 'data.csv')!r}).read()",
        "listed": "sorted(os.listdir())",
        "folder": f"sorted(os.listdir({str(own / 'parts')!r}))",
        "there": "os.path.exists('data.csv') or 1 / 0",
        "numpy": "__import__('numpy').fromfile('data.csv', 'u1')[0]",
    }
    hidden = {
        "hidden": "open('.secret').read()",
        "hidden, whole path": f"open({str(own / '.secret')!r}).read()",
        "hidden deeper": f"open({str(own / 'parts/.secret')!r}).read()",
        "folder that is hidden": f"open({str(own / '.git/config')!r}).read()",
        "link to another place": "open('away').read()",
        "link, whole path": f"open({str(own / 'away')!r}).read()",
        "above": "open('../diary.txt').read()",
        "above, whole path": f"open({str(own / '../diary.txt')!r}).read()",
    }

    found = answers(host, inside | hidden, folder=str(own))

    assert {name for name in inside if found[name] is None} == set()
    assert {name: found[name] for name in hidden} == nothing(hidden)
    assert found["listed"] == "['away', 'data.csv', 'parts']"


def test_what_a_script_writes_goes_with_the_run(own: Path, host: Host) -> None:
    before = {path: path.read_bytes() for path in own.rglob("*") if path.is_file()}
    tries = {
        "new": "open('new.txt', 'w').write('x')",
        "again": "open('new.txt').read()",
        "over": "open('data.csv', 'w').write('mine')",
        "over, again": "open('data.csv').read()",
        "behind": "open('parts/more.txt', 'a').write('!')",
        "behind, again": "open('parts/more.txt').read()",
        "folder": "os.makedirs('parts/deep/down')",
        "removed": "os.remove('data.csv')",
        "gone": "os.path.exists('data.csv') or 'gone'",
        "renamed": "os.rename('new.txt', 'newer.txt') or os.listdir()",
        "copied": "__import__('shutil').copy('newer.txt', 'copy.txt')",
        "copied with times": "__import__('shutil').copy2('newer.txt', 'copy2.txt')",
        "temporary": "__import__('tempfile').TemporaryFile().write(b'x')",
        "named": "__import__('tempfile').NamedTemporaryFile().name",
        "tree": "__import__('shutil').rmtree('parts') or 'gone'",
        "saved": "__import__('numpy').save('a.npy', [1.0]) or __import__('numpy').load('a.npy')",
        "data base": "__import__('sqlite3').connect('a.db').execute('create table a (b)')",
        "where": "os.getcwd()",
    }

    found = answers(host, tries, folder=str(own))

    assert {name for name, answer in found.items() if answer is None} == set()
    assert (found["again"], found["over, again"], found["behind, again"]) == ("'x'", "'mine'", "'in parts/more.txt!'")
    assert {path: path.read_bytes() for path in own.rglob("*") if path.is_file()} == before
    assert "gradviz-run-" in found["where"]
    assert not Path(found["where"].strip("'")).exists()


ALL_OF_PYTHON = """
real = eval("eval")
own = real("__import__('builtins').open")
"""


@landlock
@seccomp
@pytest.mark.parametrize("chosen", [None, SYSTEM], ids=["all walls", "without the audit hook"])
def test_the_built_in_engine_gives_a_script_all_of_python_and_nothing_else(
    own: Path, chosen: frozenset[str] | None
) -> None:
    file = own.parent / "diary.txt"
    tries = {f"{kind} {name}": text for kind, each in all_of(file).items() for name, text in each.items()}
    tries |= {f"eval {name}": f"real({text!r})" for name, text in reading(file).items()}
    tries |= {
        f"hidden {name}": text for name, text in reading(own / ".secret").items() if name != "listdir" != "scandir"
    }
    tries |= {f"own {name}": text for name, text in writing(own / "data.csv").items()}
    if os.uname().machine == "x86_64":
        tries |= {f"native {name}": text for name, text in native(file).items()}
        tries |= {f"native own {name}": text for name, text in native(own / "data.csv").items() if name[:4] != "open"}
    for name in ("hidden listdir", "hidden scandir"):  # names, of which a folder that is read tells all
        tries.pop(name, None)

    with Host(replace(BUILTIN, walls=chosen), keeps_spare=False) as host:
        reads = f"own({str(own / 'data.csv')!r}).read()"
        works = {"works natively": "system(39)", "works by eval": f"real({reads!r})"}
        found = answers(host, tries | works, NATIVE + ALL_OF_PYTHON, folder=str(own))

    assert None not in [found.pop(name) for name in works]
    assert found == nothing(tries)
    assert file.read_text() == "dear diary"
    assert sorted(path.name for path in own.iterdir()) == [".git", ".secret", "away", "data.csv", "parts"]
    assert (own / "data.csv").read_text() == "in data.csv"


@landlock
def test_landlock_alone_keeps_hidden_files_and_writing_from_the_scripts_folder(own: Path) -> None:
    file = own / "data.csv"
    tries = {f"hidden {name}": text for name, text in reading(own / "parts/.secret").items() if "dir" not in name}
    tries |= {f"w {name}": text for name, text in writing(file).items() if name not in {"chmod", "utime"}}

    with behind(walls.RIGHTS, walls.LANDLOCK) as host:
        assert answers(host, tries, folder=str(own)) == nothing(tries)
        assert answers(host, {"own": f"open({str(file)!r}).read()"}, folder=str(own)) == {"own": "'in data.csv'"}
        assert answers(host, {"new": "open('new', 'w').write('x')"}, folder=str(own)) == {"new": "1"}
    assert file.read_text() == "in data.csv"


def test_a_run_that_fills_the_disk_is_ended(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.run.scratch.MOST_BYTES", 10_000)

    with pytest.raises(GradvizError, match="wrote more than"):
        host.run(Job("open('a', 'w').write('x' * 20_000)\nwhile True: pass"))


@on_linux
def test_hidden_parts_of_a_folder_are_left_out_however_deep(own: Path) -> None:
    assert sorted(linux.visible_parts(str(own))) == [str(own / "data.csv"), str(own / "parts/more.txt")]
    (own / "plain").mkdir()
    (own / "plain" / "a").write_text("", encoding="utf-8")
    assert str(own / "plain") in linux.visible_parts(str(own))


# ---- each wall alone ----


def test_the_audit_hook_alone_refuses_files_processes_and_sockets(tmp_path: Path) -> None:
    file = secret(tmp_path)
    tries = {f"{kind} {name}": text for kind, each in all_of(file).items() for name, text in each.items()}
    tries |= {
        "ctypes": "__import__('ctypes').CDLL(None)",
        "memory": "__import__('ctypes').string_at(id(1), 1)",
        "syslog": "__import__('syslog').syslog('x')",
    }

    with behind(walls.AUDIT) as host:
        assert answers(host, tries) == nothing(tries)
    assert file.read_text() == "dear diary"


@landlock
def test_landlock_alone_keeps_every_file(tmp_path: Path) -> None:
    file = secret(tmp_path)
    metadata = {"chmod", "utime"}  # rights and times of a file are not Landlock's, but seccomp's

    with behind(walls.RIGHTS, walls.LANDLOCK) as host:
        tries = reading(file) | {f"w {name}": text for name, text in writing(file).items() if name not in metadata}
        assert answers(host, tries) == nothing(tries)
    assert file.read_text() == "dear diary"


@landlock
def test_landlock_alone_keeps_the_network() -> None:
    if linux.landlock_version() < 4:
        pytest.skip("Landlock knows no network before version 4")
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        tries = {
            "connect": f"__import__('socket').create_connection(('127.0.0.1', {server.getsockname()[1]}), 2)",
            "bind": "__import__('socket').create_server(('127.0.0.1', 0))",
        }
        with behind(walls.RIGHTS, walls.LANDLOCK) as host:
            assert answers(host, tries) == nothing(tries)


@seccomp
def test_seccomp_alone_refuses_writing_processes_and_sockets(tmp_path: Path) -> None:
    file = secret(tmp_path)
    tries = {f"w {name}": text for name, text in writing(file).items()} | PROCESSES | sockets(1)
    del tries["name"]  # is looked up in a file, which seccomp cannot tell from others

    with behind(walls.RIGHTS, walls.SECCOMP) as host:
        assert answers(host, tries) == nothing(tries)
    assert file.read_text() == "dear diary"
    assert list(tmp_path.iterdir()) == [file]


@landlock
@seccomp
def test_without_the_audit_hook_the_process_holds(tmp_path: Path) -> None:
    file = secret(tmp_path)
    tries = {f"{kind} {name}": text for kind, each in all_of(file).items() for name, text in each.items()}

    with Host(toy(walls=SYSTEM), keeps_spare=False) as host:
        assert answers(host, tries) == nothing(tries)
    assert file.read_text() == "dear diary"
    assert list(tmp_path.iterdir()) == [file]


@landlock
@seccomp
@pytest.mark.skipif(not sys.platform.startswith("linux") or os.uname().machine != "x86_64", reason="numbers of x86_64")
def test_without_the_audit_hook_system_calls_are_refused(tmp_path: Path) -> None:
    file = secret(tmp_path)
    tries = native(file)

    with Host(toy(walls=SYSTEM), keeps_spare=False) as host:
        found = answers(host, tries | {"works": "system(39)"}, NATIVE)

    assert found.pop("works") is not None
    assert found == nothing(tries)
    assert file.read_text() == "dear diary"


@on_linux
def test_no_wall_can_be_taken_down_again() -> None:
    tries = {
        "memory": "__import__('resource').setrlimit(9, (-1, -1))",
        "files": "__import__('resource').setrlimit(1, (-1, -1))",
        "rights": "__import__('ctypes').CDLL(None).capset(bytes(8), b'\\xff' * 24) and 1 / 0",
    }

    with Host(toy(walls=SYSTEM), keeps_spare=False) as host:
        assert answers(host, tries) == nothing(tries)


@on_linux
def test_a_program_for_another_processor_ends_the_process() -> None:
    """System calls of 32-bit programs have other numbers, so a filter that let them in would hold nothing."""
    code = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20 (getpid); int 0x80; ret
    text = (
        "import ctypes, mmap\n"
        "page = mmap.mmap(-1, 4096, prot=7)\n"
        f"page.write({code!r})\n"
        "place = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(place)())\n"
    )
    if os.uname().machine != "x86_64" or not linux.has_seccomp():
        pytest.skip("needs seccomp on x86_64")

    with Host(toy(walls=SYSTEM), keeps_spare=False) as host, pytest.raises(GradvizError, match="process ended"):
        host.run(Job(text))


def test_the_walls_are_said_in_sentences() -> None:
    said = walls.walls()

    assert len(said) >= 4
    assert all(each.endswith(".") for each in said)


def test_the_filter_jumps_within_itself_on_every_processor() -> None:
    for machine, may_write in product(linux.MACHINES.values(), (False, True)):
        program = linux.filter_of(machine, 1234, may_write=may_write)
        steps = [program[i : i + 8] for i in range(0, len(program), 8)]

        assert len(steps) < 4096
        for at, step in enumerate(steps):
            code, if_true, if_false = int.from_bytes(step[:2], sys.byteorder), step[2], step[3]
            if code in (0x15, 0x45):
                assert at + 1 + max(if_true, if_false) < len(steps)
        assert int.from_bytes(steps[-1][:2], sys.byteorder) == 6


def test_a_sandbox_profile_quotes_what_it_names() -> None:
    profile = macos.profile(['/a "b"'], "/own (1)", "/scratch")

    assert '(subpath "/a \\"b\\"")' in profile
    assert profile.count("(") == profile.count(")")
    assert "(deny default)" in profile


@on_linux
def test_the_attempts_succeed_where_there_is_no_wall(tmp_path: Path) -> None:
    """Otherwise the tests above would show nothing."""
    file = secret(tmp_path)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        ways = sockets(server.getsockname()[1])
        tries = reading(file) | {name: ways[name] for name in ("socket", "connect")}
        tries |= {name: PROCESSES[name] for name in ("system", "popen", "subprocess", "spawn", "kill")}
        tries |= {f"w {name}": text for name, text in writing(file).items() if name in {"append", "chmod", "link"}}
        with Host(toy(walls=frozenset()), keeps_spare=False) as host:
            found = answers(host, tries)

    assert {name for name, answer in found.items() if answer is None} <= {"dotted"}
    file.chmod(0o600)
    assert file.read_text() == "dear diaryx"


def test_files_that_a_run_has_written_are_named_when_it_ends() -> None:
    text = "import torch\nprint(1)\ntorch.save(torch.ones(1), 'model.pt')\nopen('log.txt', 'w').close()\n"
    with Host(BUILTIN, keeps_spare=False) as host:
        warned = host.run(Job(text)).warnings

    assert [(each.message.partition(":")[0], each.category, each.at) for each in warned] == [
        ("What was written goes with this run", "Note", 2)
    ]
    assert sorted(warned[0].message.partition(": ")[2].split(", ")) == ["log.txt", "model.pt"]


def test_the_folder_of_a_run_is_removed_however_deep_and_closed_it_is() -> None:
    scratch = Scratch()
    closed = Path(scratch.path, "closed")
    (closed / "inner").mkdir(parents=True)
    (closed / "inner" / "a").write_text("", encoding="utf-8")
    closed.chmod(0)
    at = os.open(scratch.path, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("d", dir_fd=at)
        inner = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)
    assert scratch.is_too_large()

    scratch.remove()

    assert not Path(scratch.path).exists()


def test_where_no_links_can_be_made_the_script_stands_in_its_own_folder(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links")

    monkeypatch.setattr("gradviz.run.scratch.link_all", refuse)
    monkeypatch.chdir(tmp_path)
    links = Links(str(own), str(tmp_path))
    links.watch()

    there = os.path.exists("elsewhere")  # noqa: PTH110 - what asks is what is tried

    assert not there
    assert Path.cwd() == own


@on_linux
def test_the_folders_of_hosts_that_were_killed_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = subprocess.Popen(["true"])
    ended.wait()
    names = [f"gradviz-run-{ended.pid}-a", f"gradviz-run-{os.getpid()}-b", "gradviz-run-c", "other"]
    for name in names:
        (tmp_path / name / "inside").mkdir(parents=True)
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / f"gradviz-run-{ended.pid}-now").mkdir()
    names.append(f"gradviz-run-{ended.pid}-now")

    remove_left_over.__wrapped__()

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])
