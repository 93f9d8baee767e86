#!/usr/bin/env python3
"""walls.py UNIT COMMAND... - become COMMAND within the walls of a unit that need no right.

System calls, address families, writable code, namespaces and the number of open files are as
the unit has them, by libseccomp, which systemd builds its own walls with.  What systemd does
with mounts and users is left to tests/soak/deb-chroot.py, where systemd itself does it.
"""

import ctypes
import errno
import os
import re
import resource
import socket
import subprocess
import sys
from pathlib import Path

ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM
EQUAL, MASKED = 4, 7
PROT_WRITE, PROT_EXEC = 2, 4
NAMESPACES = 0x7E020000  # CLONE_NEW*, but for time


class Compare(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64),
                ("b", ctypes.c_uint64)]


def read_unit(path):
    """The lines of a unit as (key, value)."""
    lines = Path(path).read_text().splitlines()
    return [tuple(line.split("=", 1)) for line in lines if re.match(r"[A-Z]\w*=", line)]


def calls_of(word):
    """The system calls of a @group; of a call, itself."""
    if not word.startswith("@"):
        return {word}
    told = subprocess.run(["systemd-analyze", "--no-pager", "syscall-filter", word], check=True,
                          capture_output=True, text=True)
    names = [line.strip() for line in told.stdout.splitlines()[1:]]
    calls = (calls_of(name) for name in names if name and not name.startswith("#"))
    return set().union(*calls)


def allowed_calls(unit):
    # What systemd lets pass in any case: without it nothing starts.
    allowed = calls_of("@default")
    for key, value in unit:
        if key == "SystemCallFilter":
            named = set().union(*(calls_of(word) for word in value.lstrip("~").split()))
            allowed = allowed - named if value.startswith("~") else allowed | named
    return allowed


class Walls:
    def __init__(self):
        self.library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self.library.seccomp_init.restype = ctypes.c_void_p
        self.filter = ctypes.c_void_p(self.library.seccomp_init(ALLOW))

    def refuse(self, call, *compares):
        number = self.library.seccomp_syscall_resolve_name(call.encode())
        if number < 0:  # none of this machine's
            return
        array = (Compare * len(compares))(*compares)
        done = self.library.seccomp_rule_add_array(
            self.filter, REFUSE, number, len(compares), array)
        assert done == 0, f"{call}: {os.strerror(-done)}"

    def refuse_calls(self, allowed):
        # Every number the kernel may know, by the name that libseccomp has for it.
        self.library.seccomp_syscall_resolve_num_arch.restype = ctypes.c_void_p
        for number in range(1024):
            name = self.library.seccomp_syscall_resolve_num_arch(0, number)
            if name and (word := ctypes.string_at(name).decode()) not in allowed:
                self.refuse(word)

    def refuse_families(self, families):
        for number in range(64):
            if number not in families:
                self.refuse("socket", Compare(0, EQUAL, number))

    def refuse_written_code(self):
        both = PROT_WRITE | PROT_EXEC
        self.refuse("mmap", Compare(2, MASKED, both, both))
        for call in ("mprotect", "pkey_mprotect"):
            self.refuse(call, Compare(2, MASKED, PROT_EXEC, PROT_EXEC))

    def refuse_namespaces(self):
        self.refuse("setns")
        for bit in (1 << n for n in range(32) if NAMESPACES & 1 << n):
            for call in ("unshare", "clone"):
                self.refuse(call, Compare(0, MASKED, bit, bit))

    def close(self):
        ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        done = self.library.seccomp_load(self.filter)
        assert done == 0, os.strerror(-done)


def main():
    unit = read_unit(sys.argv[1])
    of = dict(unit)
    walls = Walls()
    walls.refuse_calls(allowed_calls(unit))
    walls.refuse_families([getattr(socket, n) for n in of["RestrictAddressFamilies"].split()])
    assert of["MemoryDenyWriteExecute"] == of["RestrictNamespaces"] == "yes"
    walls.refuse_written_code()
    walls.refuse_namespaces()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = min(int(of["LimitNOFILE"]), hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    walls.close()
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
