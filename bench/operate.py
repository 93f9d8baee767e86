"""What an operator waits for: the numbers, a reload, a start of an empty box."""

import contextlib
import http.client
import os
import resource
import select
import signal
import socket
import time

from servers import Failure, START_S
from sides import configuration

CROWD = 10_000
ASKED = 200      # times that /metrics is asked for
RELOADS = 5      # times that a round reloads
PING, PONG = b"\x89\x80\0\0\0\0", b"\x8a\0"

UPGRADE = ("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\n"
           "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")


def join(server, path="/ws/signals", greeted=False):
    """One WebSocket that hears everything. greeted: something is said to it at once."""
    client = socket.create_connection(("127.0.0.1", server.port), START_S)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.sendall(UPGRADE.format(path=path, port=server.port).encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += client.recv(1 if greeted else 4096) or b"\r\n\r\n"
    if not answer.startswith(b"HTTP/1.1 101") or not answer.endswith(b"\r\n\r\n"):
        raise Failure("a client was not let in")
    return client


@contextlib.contextmanager
def crowded(bench, name, **how):
    """A server with ten thousand clients that wait; they never say a word again."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(bench.running(name, **how))
        count = bench.few(CROWD)
        crowd = [stack.enter_context(join(server)) for _ in range(count)]
        server.wait(lambda: server.get("/api/status")["clients"] == count)
        yield server, crowd


def metrics(bench, name):
    """Ten thousand clients that wait, and one that asks for the numbers."""
    times = []
    with crowded(bench, name) as (server, _), bench.pinned(1):
        reader = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_S)
        reader.connect()
        reader.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(bench.few(ASKED)):
            begun = time.perf_counter_ns()
            reader.request("GET", "/metrics")
            answer = reader.getresponse().read()
            times.append(time.perf_counter_ns() - begun)
        reader.close()
    if f"\nsignalbox_clients {bench.few(CROWD)}\n".encode() not in answer:
        raise Failure("/metrics does not know of the clients")
    times.sort()
    return {"p50": times[len(times) // 2] / 1e6, "p99": times[len(times) * 99 // 100] / 1e6}


def reload_once(server, notices, pinger):
    """SIGHUP, and ping all the while: how long until it is done, and the longest pong."""
    begun, longest, done = time.perf_counter_ns(), 0, None
    os.kill(server.pid, signal.SIGHUP)
    pongs_after = 0
    while done is None or pongs_after < 3:
        asked = time.perf_counter_ns()
        pinger.sendall(PING)
        if pinger.recv(2) != PONG:
            raise Failure("a ping was not answered")
        now = time.perf_counter_ns()
        longest = max(longest, now - asked)
        pongs_after += done is not None
        while select.select([notices], [], [], 0)[0]:
            if b"READY=1" in notices.recv(4096):
                done = now - begun
        if now - begun > START_S * 1e9:
            raise Failure("the reload did not end")
    return done / 1e6, longest / 1e6


def all_hear(server, crowd, word):
    """Whoever was there before still hears, on the connection it had."""
    server.post("/api/signal", {"type": "event", "id": word})
    for client in crowd:
        heard = b""
        while word.encode() not in heard:
            more = client.recv(65536)
            if not more:
                raise Failure("a client was dropped")
            heard += more


def reload(bench, name):
    """Another configuration each time, with the certificate, while ten thousand are connected."""
    path = bench.everything / "notify"
    path.unlink(missing_ok=True)
    times = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        notices.bind(str(path))
        with crowded(bench, name, environment={"NOTIFY_SOCKET": str(path)}, form="file") \
                as (server, crowd), join(server) as pinger, bench.pinned(1):
            own = server.data.parent
            while b"READY=1" not in notices.recv(4096):
                pass
            for n in range(RELOADS):
                (own / "box.yaml").write_text(configuration(bench, server.port, ping=21 + n))
                times.append(reload_once(server, notices, pinger))
                all_hear(server, crowd, f"reload-{n}")
                all_hear(server, [pinger], f"ping-{n}")
            if (own / "log").read_text().count("was read again") != RELOADS:
                raise Failure("a configuration was not taken")
    return {"done": max(t[0] for t in times), "pong": max(t[1] for t in times)}


def start_empty(bench, name):
    with bench.running(name) as server:
        return {"ms": server.started_ms}
