#!/usr/bin/env python3
"""Ten thousand WebSocket clients that do nothing, held for a minute: each costs the
server at most 0.6 KiB, none is sent away, and all hear the one signal that comes."""

import os
import resource
import select
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lib import PING, PONG, Box, Skip, WS, comment, read_frame, run, test

CLIENTS = int(os.environ.get("SOAK_CLIENTS", 10_000))
FIRST = 100  # pay for what is made once, and are left out
HOLD_S = 60
MOST_KIB = 0.6


def raise_file_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CLIENTS + FIRST + 100
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise Skip(f"{wanted} open files are needed, {hard} are allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard < 0 else hard, hard))


def resident_kib(box):
    with open(f"/proc/{box.pid}/status", encoding="ascii") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


def subscribers(box, count):
    clients = []
    for _ in range(count):
        ws = WS(box)
        ws.json()
        ws.send({"op": "subscribe"})
        clients.append(ws)
    return clients


def hold(clients, seconds):
    """Answers pings, and hears nothing else."""
    by_fd = {ws.wire.sock.fileno(): ws for ws in clients}
    poll = select.epoll()
    for fd in by_fd:
        poll.register(fd, select.EPOLLIN)
    end = time.monotonic() + seconds
    pings = 0
    while time.monotonic() < end:
        for fd, _ in poll.poll(0.1):
            frame = read_frame(by_fd[fd].wire)
            assert frame.opcode == PING, frame
            by_fd[fd].send_frame(PONG, frame.payload)
            pings += 1
    poll.close()
    return pings


@test(f"{CLIENTS} idle clients are held for {HOLD_S} s at {MOST_KIB} KiB each")
def _():
    raise_file_limit()
    with Box() as box:
        clients = subscribers(box, FIRST)
        time.sleep(0.3)
        before = resident_kib(box)
        clients += subscribers(box, CLIENTS)
        time.sleep(0.3)
        pings = hold(clients, HOLD_S)
        each = (resident_kib(box) - before) / CLIENTS
        comment(f"{each:.3f} KiB each, {pings} pings answered")
        assert pings >= len(clients), "each is pinged at least once in a minute"
        assert box.request("GET", "/api/status").json()["clients"] == len(clients)
        answer = box.emit("to all")
        assert answer["clients"] == len(clients), answer
        for ws in clients:
            assert ws.json()["seq"] == answer["seq"]
            ws.wire.close()
        assert each <= MOST_KIB, f"{each:.3f} KiB each"


run()
