"""What Windows offers: a job object for memory and processes, and a token of low integrity.

With low integrity a process can write to nothing that belongs to the user; reading and sockets are left to the audit
hook. Written after Microsoft's reference and not run on Windows by us; what fails is left out.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

_KILL_ON_CLOSE, _ONE_PROCESS, _MEMORY, _NO_DIALOGS = 0x2000, 0x8, 0x100, 0x400
_EXTENDED_LIMITS, _UI_LIMITS = 9, 4
_ALL_OF_UI = 0xFF  # clipboard, desktop, display settings, atoms, handles, system parameters, shutting down
_TOKEN_RIGHTS = 0x0080 | 0x0008  # adjust default, query
_INTEGRITY_LEVEL, _GROUP_INTEGRITY = 25, 0x20
_LOW_INTEGRITY = "S-1-16-4096"


class _Basic(ctypes.Structure):
    _fields_ = (
        ("per_process_user_time", ctypes.c_int64),
        ("per_job_user_time", ctypes.c_int64),
        ("limit_flags", ctypes.c_uint32),
        ("minimum_working_set", ctypes.c_size_t),
        ("maximum_working_set", ctypes.c_size_t),
        ("active_processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority_class", ctypes.c_uint32),
        ("scheduling_class", ctypes.c_uint32),
    )


class _Extended(ctypes.Structure):
    _fields_ = (
        ("basic", _Basic),
        ("io", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


class _SidAndAttributes(ctypes.Structure):
    _fields_ = (("sid", ctypes.c_void_p), ("attributes", ctypes.c_uint32))


def _library(name: str) -> Any:
    if sys.platform != "win32":
        raise OSError("this is not Windows")
    return ctypes.WinDLL(name, use_last_error=True)


def set_job_object(memory: int | None) -> None:
    """Put this process into a job of its own: no second process, `memory` bytes at most, no reach for the desktop.

    Raises:
        OSError: Windows refuses.
    """
    kernel = _library("kernel32")
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
    limits = _Extended()
    limits.basic.limit_flags = _KILL_ON_CLOSE | _ONE_PROCESS | _NO_DIALOGS | (_MEMORY if memory else 0)
    limits.basic.active_processes = 1
    limits.process_memory = memory or 0
    desktop = ctypes.c_uint32(_ALL_OF_UI)
    _must(kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)))
    _must(kernel.SetInformationJobObject(job, _UI_LIMITS, ctypes.byref(desktop), ctypes.sizeof(desktop)))
    # The handle is never closed: it ends with the process.
    _must(kernel.AssignProcessToJobObject(job, ctypes.c_void_p(kernel.GetCurrentProcess())))


def set_low_integrity() -> None:
    """Lower this process to the integrity of a sandboxed web page, for good.

    Raises:
        OSError: Windows refuses.
    """
    kernel, security = _library("kernel32"), _library("advapi32")
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    token, sid = ctypes.c_void_p(), ctypes.c_void_p()
    _must(security.OpenProcessToken(ctypes.c_void_p(kernel.GetCurrentProcess()), _TOKEN_RIGHTS, ctypes.byref(token)))
    _must(security.ConvertStringSidToSidW(_LOW_INTEGRITY, ctypes.byref(sid)))
    label = _SidAndAttributes(sid, _GROUP_INTEGRITY)
    size = ctypes.sizeof(label) + security.GetLengthSid(sid)
    _must(security.SetTokenInformation(token, _INTEGRITY_LEVEL, ctypes.byref(label), size))
    kernel.CloseHandle(token)


def _must(result: int) -> None:
    if not result:
        raise OSError("Windows refused")
