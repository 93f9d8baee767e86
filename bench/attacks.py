"""What bad clients do, one function each: it goes on until its process is ended.

Whoever needs a credential has one: an attacker may be a program of ours that runs wild. What
can be made beforehand is, so that one attacker keeps a box busy and not itself.
"""

import json
import socket
import ssl
import struct
import time

CROWD = 300        # connections of one attacker that holds many
PATIENCE_S = 10
IDLE_S = 0.001     # when no socket takes or gives anything
PIECE = 256 << 10  # taken by send() at once
TEXT, PING = 1, 9

UPGRADE = ("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\n"
           "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer {token}\r\n"
           "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")


def frame(payload, opcode=TEXT, fin=True):
    """A client's frame, masked with zeroes."""
    n = len(payload)
    head = bytes([(0x80 if fin else 0) | opcode])
    if n < 126:
        head += bytes([0x80 | n])
    elif n < 65536:
        head += struct.pack(">BH", 0xFE, n)
    else:
        head += struct.pack(">BQ", 0xFF, n)
    return head + b"\0\0\0\0" + payload


def message(**members):
    return frame(json.dumps(members).encode())


class Target:
    """The box that is attacked."""

    def __init__(self, port, tls_port, token):
        self.port, self.tls_port, self.token = port, tls_port, token

    def dial(self, port=None):
        sock = socket.create_connection(("127.0.0.1", port or self.port), PATIENCE_S)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def upgrade(self, path="/ws"):
        """A WebSocket; what the box says after the head is left in the socket."""
        sock = self.dial()
        sock.sendall(UPGRADE.format(path=path, port=self.port, token=self.token).encode())
        head = b""
        while b"\r\n\r\n" not in head:
            got = sock.recv(1)
            if not got:
                raise ConnectionError("it was not let in")
            head += got
        return sock

    def request(self, path, extra="", token=True):
        bearer = f"Authorization: Bearer {self.token}\r\n" if token else ""
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{bearer}{extra}\r\n".encode()

    def post(self, kind, length):
        return (f"POST /api/signal?ack=memory HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                f"Authorization: Bearer {self.token}\r\nContent-Type: {kind}\r\n{length}\r\n\r\n").encode()


class Line:
    """One connection that says the same thing again and again, and begins anew when it is
    closed."""

    def __init__(self, open_it, blob, hears):
        self.open_it, self.blob, self.hears = open_it, memoryview(blob), hears
        self.sock, self.at = None, 0

    def open(self):
        try:
            self.sock, self.at = self.open_it(), 0
            self.sock.setblocking(False)
        except OSError:
            self.sock = None

    def close(self):
        self.sock.close()
        self.sock = None

    def push(self):
        """True when something moved."""
        if not self.sock:
            self.open()
            return self.sock is not None
        moved = False
        try:
            if self.hears:
                moved = self.hear()
            sent = self.sock.send(self.blob[self.at:self.at + PIECE])
            self.at = (self.at + sent) % len(self.blob)
            return True
        except BlockingIOError:
            return moved
        except OSError:
            self.close()
            return True

    def hear(self):
        try:
            if not self.sock.recv(1 << 20):
                raise ConnectionError
            return True
        except BlockingIOError:
            return False


def pour(open_it, blob, count=4, hears=True):
    lines = [Line(open_it, blob, hears) for _ in range(count)]
    while True:
        if not any([line.push() for line in lines]):
            time.sleep(IDLE_S)


def drip(open_it, first, drop, count=CROWD):
    """Many that have begun something and go on with it, a little at a time."""
    socks = []
    while True:
        while len(socks) < count:
            try:
                socks.append(open_it())
                socks[-1].sendall(first)
                socks[-1].setblocking(False)
            except OSError:
                break
        for sock in list(socks):
            try:
                sock.send(drop)
            except BlockingIOError:
                continue
            except OSError:
                sock.close()
                socks.remove(sock)
        time.sleep(0.1)


def again(do):
    while True:
        try:
            do()
        except OSError:
            pass


# --- the attacks ----------------------------------------------------------------------------


def slow_heads(t):
    drip(t.dial, b"GET /healthz HTTP/1.1\r\nX: ", b"x")


def slow_bodies(t):
    drip(t.dial, t.post("application/json", "Content-Length: 900000") + b'{"type":"', b"x")


def half_messages(t):
    drip(t.upgrade, frame(b" " * 1000000)[:600000], b" ")


def half_batches(t):
    drip(t.dial, t.post("application/x-ndjson", "Content-Length: 9000000") + b" " * 600000, b" ")


def tiny_fragments(t):
    text = b'{"op":"ping"' + b" " * 4000 + b"}"
    parts = [frame(text[:1], TEXT, False)]
    parts += [frame(text[i:i + 1], 0, False) for i in range(1, len(text) - 1)]
    pour(t.upgrade, b"".join(parts) + frame(text[-1:], 0))


def pings(t):
    pour(t.upgrade, frame(b"p" * 125, PING) * 500)


def unread_pongs(t):
    pour(t.upgrade, frame(b"p" * 125, PING) * 500, hears=False)


def deep_json(t):
    deep = '{"op":"emit","signal":{"type":"deep","payload":{"a":' + "[" * 100000 + "]" * 100000 + "}}}"
    nearly = '{"a":' * 55 + "1" + "}" * 55
    wide = ",".join([nearly] * 1000)
    good = '{"op":"emit","signal":{"type":"deep","payload":{"a":[' + wide + "]}}}"
    pour(t.upgrade, frame(deep.encode()) + frame(good.encode()))


def bad_json(t):
    bad = b'{"op":"emit","ref":1,"signal":{"type":"bad","payload":{"a":"' + b"x" * 900 + b'"}]}'
    pour(t.upgrade, frame(bad) * 300)


def bad_lines(t):
    chunk = b"{not json}\n" * 6000
    chunk = f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n"

    def begin():
        sock = t.dial()
        sock.sendall(t.post("application/x-ndjson", "Transfer-Encoding: chunked"))
        return sock

    pour(begin, chunk)


def huge_heads(t):
    pour(t.dial, t.request("/healthz", "".join(f"X-{i}: {'x' * 150}\r\n" for i in range(90)), False) * 20)


def pipelined(t):
    pour(t.dial, t.request("/healthz", token=False) * 500)


def wrong_tokens(t):
    pour(t.dial, t.request("/api/status", "Authorization: Bearer " + "0" * 64 + "\r\n", False) * 100)


def connects(t):
    def come_and_go():
        sock = t.dial()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()

    again(come_and_go)


def upgrades(t):
    again(lambda: t.upgrade().close())


def hellos(t):
    """The first word of TLS, which costs the box a signature."""
    context = ssl.create_default_context()
    into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(into, out, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        pass
    hello = out.read()

    def greet():
        with t.dial(t.tls_port) as sock:
            sock.sendall(hello)
            sock.recv(1)

    again(greet)


def unread_subscribers(t):
    deaf = []
    for _ in range(100):
        deaf.append(t.upgrade())
        deaf[-1].sendall(message(op="subscribe"))
    emits(t)


def emits(t):
    signal = {"type": "flood", "payload": {"text": "x" * 200}}
    pour(t.upgrade, message(op="emit", signal=signal) * 500)


def long_emits(t):
    pour(t.upgrade, message(op="emit", signal={"type": "flood", "payload": {"text": "x" * 900000}}))


def filters(t):
    types = [f"{'t' * 200}{i}*" for i in range(64)]
    pour(t.upgrade, message(op="subscribe", types=types, sources=types) * 20)


def replays(t):
    pour(t.upgrade, message(op="subscribe", after="0", types=["nothing.at.all*"]) * 20)


def history(t):
    pour(t.dial, t.request("/api/signals?after=0&limit=1000&type=nothing.at.all*") * 20)


def whole_history(t):
    pour(t.dial, t.request("/api/signals?after=0&limit=1000&format=ndjson") * 20)


def metrics(t):
    pour(t.dial, t.request("/metrics") * 20)


def only_busy(_):
    """Harms nobody: what the machine itself adds when its other processors work."""
    while True:
        pass


ATTACKS = {
    "nothing but a busy machine": only_busy,
    "slow heads": slow_heads,
    "slow bodies": slow_bodies,
    "half messages": half_messages,
    "half batches": half_batches,
    "tiny fragments": tiny_fragments,
    "pings": pings,
    "pings whose pongs are not read": unread_pongs,
    "deep JSON": deep_json,
    "bad JSON": bad_json,
    "bad lines of batches": bad_lines,
    "huge heads": huge_heads,
    "pipelined requests": pipelined,
    "wrong tokens": wrong_tokens,
    "connecting and leaving": connects,
    "upgrades": upgrades,
    "TLS hellos": hellos,
    "subscribers that do not read": unread_subscribers,
    "emits": emits,
    "emits of 1 MB": long_emits,
    "expensive filters": filters,
    "replays": replays,
    "history, searched": history,
    "history, read": whole_history,
    "metrics": metrics,
}
