#!/usr/bin/env python3
"""Peers that hold connections without using them well: slow heads, slow bodies,
one byte a second, silence, floods of fragments, more connections than there are
descriptors.  Each ends by a deadline or a ceiling, the healthy are served all
the while, and memory stays where it was."""
# exclusive

import json
import os
import socket
import struct
import time

from lib import (PATIENCE_S, PING, SLOW, Box, Closed, Late, Refused, WS, at_last, eventually, frame_bytes,
                 in_time, run, test)

QUICK = {
    "SIGNALBOX_LIMITS_HEADER_TIMEOUT": "1s",
    "SIGNALBOX_LIMITS_BODY_TIMEOUT": "1s",
    "SIGNALBOX_LIMITS_IDLE_TIMEOUT": "1s",
}


def resident(box):
    with open(f"/proc/{box.pid}/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


def is_served(box, most=0.5):
    """A healthy client is answered soon, as soon as the machine lets it."""
    def soon():
        began = time.monotonic()
        answer = box.request("POST", "/api/signal?ack=memory", {"type": "probe"}, unix=False)
        took = time.monotonic() - began
        assert answer.status == 200, answer
        in_time(took < most * SLOW, took)
    at_last(soon)


def until_closed(sock):
    """What the server says before it ends the connection."""
    sock.settimeout(PATIENCE_S)
    said = b""
    try:
        while got := sock.recv(65536):
            said += got
    except ConnectionResetError:
        pass
    return said


def goes_on(sock):
    """Sends a byte more.  On a busy machine the server's patience may be over before: what it
    said then is lost."""
    try:
        sock.sendall(b"a")
        return True
    except OSError:
        return False


@test("two hundred heads that never end are each answered 408, and cost little")
def _():
    with Box(env=QUICK) as box:
        before = resident(box)
        slow = [box.connect(unix=False) for _ in range(200)]
        for sock in slow:
            sock.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\nX-Slow: ".encode())
        end = time.monotonic() + 0.8
        while time.monotonic() < end:
            slow = [sock for n, sock in enumerate(slow) if n >= 50 or goes_on(sock)]
            is_served(box)
            time.sleep(0.1)
        assert len(slow) >= 150, len(slow)
        for sock in slow:
            said = until_closed(sock)
            assert b" 408 " in said, said
            sock.close()
        grown = resident(box) - before
        assert grown < 200 * 40, f"{grown} KiB more"


@test("a body that stops is answered 408, one that trickles is read")
def _():
    head = "POST /api/signal HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
    body = b'{"type":"slow"}'

    def trickles(box):
        with box.connect(unix=False) as trickle:
            trickle.sendall((head % box.port + f"Content-Length: {len(body)}\r\n\r\n").encode())
            for byte in body:
                trickle.sendall(bytes([byte]))
                time.sleep(0.15)
            said = trickle.recv(4096)
            in_time(b" 408 " not in said, "too slow ourselves")
            assert b'"ok":true' in said, said

    with Box(env=QUICK) as box:
        stopped = box.connect(unix=False)
        stopped.sendall((head % box.port + "Content-Length: 100\r\n\r\n{").encode())
        at_last(lambda: trickles(box), (Late, OSError))
        said = until_closed(stopped)
        assert b" 408 " in said, said
        assert [s["type"] for s in box.history()] == ["slow"]
        stopped.close()


@test("a connection that says nothing is closed, also after an answer")
def _():
    with Box(env=QUICK) as box:
        silent, used = box.connect(unix=False), box.connect(unix=False)
        used.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\n\r\n".encode())
        for sock in (silent, used):
            until_closed(sock)
            sock.close()


@test("one byte a second is a WebSocket message in the end, and disturbs nobody")
def _():
    with Box() as box, WS(box) as ws:
        ws.json()
        message = json.dumps({"op": "emit", "ref": 1, "signal": {"type": "x"}}).encode()
        for byte in frame_bytes(1, message)[:-3]:
            ws.wire.send(bytes([byte]))
            time.sleep(0.02)
        is_served(box)
        ws.wire.send(frame_bytes(1, message)[-3:])
        assert ws.json()["op"] == "ack"


@test("a hundred thousand tiny fragments end at the ceiling, in one buffer")
def _():
    with Box() as box, WS(box) as ws:
        ws.json()
        before = resident(box)
        flood = frame_bytes(1, b"a", fin=False) + frame_bytes(0, b"b", fin=False) * 100_000
        try:
            ws.wire.send(flood)
        except OSError:
            pass
        assert ws.recv() is None and ws.close_code == 1008, ws.close_code
        assert resident(box) - before < 4096
        is_served(box)


@test("a message one byte too long is refused with 1009 before it is all there")
def _():
    with Box() as box, WS(box) as ws:
        ws.json()
        ws.wire.send(struct.pack(">BBQ4s", 0x81, 0xFF, (1 << 20) + 1, b"\0\0\0\0"))
        assert ws.recv() is None and ws.close_code == 1009


@test("ten thousand pings without a read are bounded, and answered or ended")
def _():
    with Box() as box, WS(box) as ws:
        ws.json()
        before = resident(box)
        ws.wire.sock.settimeout(2)
        try:
            for _ in range(400):
                ws.wire.send(frame_bytes(PING, b"x" * 125) * 500)
        except OSError:
            pass
        assert resident(box) - before < 8192, resident(box) - before
        is_served(box)


@test("with 64 descriptors the excess is turned away at once, and there is room after")
def _():
    with Box(command=("prlimit", "--nofile=64:64")) as box:
        held, refused = [], 0
        for _ in range(100):
            try:
                held.append(WS(box))
                assert held[-1].json()["op"] == "hello"
            except (OSError, Closed, Refused):
                refused += 1
        assert len(held) >= 16 and refused >= 20, (len(held), refused)
        held[0].send({"op": "emit", "ref": 1, "signal": {"type": "x"}})
        assert held[0].json()["op"] == "ack"
        for ws in held:
            ws.wire.close()
        eventually(lambda: can_connect(box))


def can_connect(box):
    try:
        with WS(box) as ws:
            return ws.json()["op"] == "hello"
    except (OSError, Closed, Refused):
        return False


@test("more connections than the ceiling are turned away, those inside are served")
def _():
    with Box(env={"SIGNALBOX_LIMITS_CONNECTIONS": "10"}) as box:
        held = []
        for _ in range(30):
            try:
                held.append(WS(box))
                held[-1].json()
            except (OSError, Closed, Refused):
                pass
        assert 8 <= len([w for w in held if w.close_code is None]) <= 11, len(held)
        held[0].send({"op": "emit", "ref": 1, "signal": {"type": "x"}})
        assert held[0].json()["op"] == "ack"


@test("a peer that resets in the middle of anything leaves nothing behind")
def _():
    with Box() as box:
        descriptors = f"/proc/{box.pid}/fd"

        before = len(os.listdir(descriptors))
        for n in range(200):
            sock = box.connect(unix=False)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            parts = ("", "GET /ws", "POST /api/signal HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % box.port +
                     "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
            sock.sendall(parts[n % 3].encode())
            sock.close()
        for _ in range(50):
            ws = WS(box)
            ws.send({"op": "subscribe", "after": 0})
            ws.wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            ws.wire.close()
        eventually(lambda: len(os.listdir(descriptors)) <= before + 1)
        eventually(lambda: box.request("GET", "/api/status").json()["hub"]["clients"] == 0)


run()
