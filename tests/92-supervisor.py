#!/usr/bin/env python3
"""What a supervisor like systemd is told, and the sockets that it hands over."""

import os
import signal
import socket
import sys
import time
from pathlib import Path

from lib import Box, PATIENCE_S, eventually, run, temp_dir, test

# Puts a listening socket at 3, as systemd does, and becomes the program.
HAND = """
import os, socket, sys
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen(); os.dup2(s.fileno(), 3); os.set_inheritable(3, True)
os.environ["LISTEN_FDS"] = "1"
os.environ["LISTEN_PID"] = str(os.getpid() + int(sys.argv[2]))
os.execv(sys.argv[3], sys.argv[3:])
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Ear:
    """The other end of $NOTIFY_SOCKET."""

    def __init__(self, abstract=False):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = f"signalbox-test-{os.getpid()}" if abstract else str(temp_dir() / "notify")
        self.sock.bind("\0" + name if abstract else name)
        self.sock.settimeout(PATIENCE_S)
        self.env = "@" + name if abstract else name

    def next(self):
        return self.sock.recv(4096).decode()

    def forget(self):
        """What has come and was not read."""
        self.sock.setblocking(False)
        try:
            while self.next():
                pass
        except BlockingIOError:
            pass

    def until(self, words):
        while (got := self.next()) != words:
            assert got == "WATCHDOG=1", got


def stands_still(pid):
    """Every thread of it."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return all((task / "stat").read_text().rpartition(") ")[2][0] == "T" for task in tasks)


@test("it is told when we are ready, read the configuration again, and stop")
def _():
    for abstract in (False, True):
        ear = Ear(abstract)
        box = Box(env={"NOTIFY_SOCKET": ear.env}).start()
        assert ear.next() == "READY=1"
        os.kill(box.pid, signal.SIGHUP)
        lines = ear.next().splitlines()
        assert lines[0] == "RELOADING=1", lines
        usec = int(lines[1].removeprefix("MONOTONIC_USEC="))
        assert abs(usec / 1e6 - time.clock_gettime(time.CLOCK_MONOTONIC)) < 60, usec
        assert ear.next() == "READY=1"
        assert box.stop() == 0
        assert ear.next() == "STOPPING=1"


@test("the watchdog hears from a box that is alive, and not from one that is stopped")
def _():
    ear = Ear()
    with Box(env={"NOTIFY_SOCKET": ear.env, "WATCHDOG_USEC": "200000"}) as box:
        ear.until("READY=1")
        begun = time.monotonic()
        assert [ear.next() for _ in range(5)] == ["WATCHDOG=1"] * 5
        assert time.monotonic() - begun < PATIENCE_S / 2
        os.kill(box.pid, signal.SIGSTOP)
        try:
            eventually(lambda: stands_still(box.pid))
            ear.forget()
            ear.sock.settimeout(0.5)
            try:
                raise AssertionError(f"{ear.next()} while it stands still")
            except TimeoutError:
                pass
        finally:
            os.kill(box.pid, signal.SIGCONT)
        ear.sock.settimeout(PATIENCE_S)
        assert ear.next() == "WATCHDOG=1"
    silent = Ear()
    with Box(env={"NOTIFY_SOCKET": silent.env, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"}):
        assert silent.next() == "READY=1"
        silent.sock.settimeout(0.5)
        try:
            raise AssertionError(silent.next())
        except TimeoutError:
            pass


@test("a socket that was handed over is listened on, also by who connected before we started")
def _():
    port = free_port()
    box = Box(listen=(f"127.0.0.1:{port}",),
              command=(sys.executable, "-c", HAND, str(port), "0"))
    with box:
        assert box.port == port
        assert box.request("GET", "/healthz", unix=False).status == 200


@test("a handed socket that no listener names is closed and said; one for another process is left alone")
def _():
    port, other = free_port(), free_port()
    with Box(listen=(f"127.0.0.1:{other}",),
             command=(sys.executable, "-c", HAND, str(port), "0")) as box:
        eventually(lambda: f"127.0.0.1:{port} is none of `listen`'s" in box.log())
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            raise AssertionError("it is still open")
        except ConnectionRefusedError:
            pass
    with Box(listen=(f"127.0.0.1:{other}",),
             command=(sys.executable, "-c", HAND, str(port), "1")) as box:
        assert "none of `listen`'s" not in box.log()


run()
