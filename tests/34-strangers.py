#!/usr/bin/env python3
"""A box full of strangers still answers its owner: users of this machine who have shown no
credential have places of their own, and lose them to each other."""
# exclusive

import multiprocessing
import os
import time

from doors import as_other_user, bearer, limited, metric
from lib import Box, Closed, PATIENCE_S, WS, comment, eventually, run, test

FORK = multiprocessing.get_context("fork")


class Strangers:
    """A process of another user that holds half requests, so many, and holds on to them."""

    def __init__(self, box, count, uid=54321, line=b"GET /healthz HTTP/1.1\r\nX: "):
        self.box, self.count, self.uid, self.line = box, count, uid, line
        self.ready, self.end = FORK.Event(), FORK.Event()
        self.process = FORK.Process(target=self.hold, daemon=True)

    def hold(self):
        os.setgroups([])
        os.setgid(self.uid)
        os.setuid(self.uid)
        held = []
        for _ in range(self.count):
            try:
                held.append(self.box.connect(unix=False))
                held[-1].sendall(self.line)
            except OSError:
                pass
        self.ready.set()
        self.end.wait(PATIENCE_S)
        os._exit(0)

    def __enter__(self):
        as_other_user(lambda: 0)  # says why, if that cannot be
        self.process.start()
        assert self.ready.wait(PATIENCE_S)
        return self

    def __exit__(self, *_):
        self.end.set()
        self.process.join()


@test("1,800 half requests of another user cost the owner not one request, and are logged")
def _():
    with limited(connections=400) as box, Strangers(box, 1800):
        for unix in True, False:
            for _ in range(100):
                assert box.request("POST", "/api/signal?ack=memory", {"type": "x"}, unix=unix).status == 200
        eventually(lambda: "closed to make room for others" in box.log())
        assert "uid 54321" in box.log()
        assert metric(box, "signalbox_connections_evicted_total") >= 1300
        assert metric(box, 'signalbox_connections{place="unknown"}') <= 100
        assert box.log().count("make room") <= 60, "a line a second at most"


@test("what strangers leave unfinished is cut off before it costs the owner anything")
def _():
    with limited(connections=4000, unfinished="1MiB") as box:
        http = box.http(unix=False)
        body = b'{"type":"x","payload":{"a":"' + b"b" * 100000 + b'"}}'
        http.send(f"POST /api/signal HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\nContent-Type: application/json\r\n"
                  f"Content-Length: {len(body)}\r\n\r\n".encode() + body[:60000])
        with Strangers(box, 300, line=b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 8000):
            eventually(lambda: metric(box, "signalbox_unfinished_evicted_total") >= 200)
            assert metric(box, 'signalbox_unfinished_bytes{place="unknown"}') <= 256 << 10
            http.send(body[60000:])
            assert http.answer().status == 200
            eventually(lambda: "unfinished messages cut off" in box.log())
            assert "the last of uid 54321" in box.log()
            assert box.log().count("unfinished messages cut off") <= 60, "a line a second at most"


@test("a stranger who is alone is not evicted by a crowd of another")
def _():
    with limited(connections=80) as box:
        def work():
            with WS(box, "/ws", token) as ws:
                alone = box.connect(unix=False)
                box.request("GET", "/healthz", unix=False)
                with_crowd.set()
                assert crowd_is_there.wait(PATIENCE_S)
                alone.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\n\r\n".encode())
                assert alone.recv(100).startswith(b"HTTP/1.1 200")
                return ws.response.status - 101

        token = box.bearer()
        with_crowd, crowd_is_there = FORK.Event(), FORK.Event()
        child = FORK.Process(target=lambda: os._exit(as_other_user(work)), daemon=True)
        child.start()
        assert with_crowd.wait(PATIENCE_S)
        with Strangers(box, 200, uid=54322):
            crowd_is_there.set()
            child.join()
        assert child.exitcode == 0, child.exitcode


@test("when the owner's own programs take every place, the Unix socket still answers")
def _():
    with limited(connections=80) as box:
        held = []
        for _ in range(100):
            held.append(box.connect(unix=False))
        for _ in range(5):
            assert box.request("GET", "/api/status").status == 200
        eventually(lambda: "turned away for want of places (80)" in box.log())
        assert metric(box, "signalbox_connections_turned_away_total") >= 20
        for sock in held:
            sock.close()


@test("who shows a credential keeps its place among the unknown")
def _():
    with limited(connections=40) as box:
        token = box.bearer()

        def work():
            with WS(box, "/ws", token) as ws:
                ws.json()
                for _ in range(60):
                    box.connect(unix=False).sendall(b"GET ")
                box.request("GET", "/healthz", unix=False)
                ws.send({"op": "ping", "ref": 1})
                return 0 if ws.json()["op"] == "ack" else 1

        assert as_other_user(work) == 0


run()
