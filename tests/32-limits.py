#!/usr/bin/env python3
"""Every ceiling has a key, and whoever meets it is told (rows 17 and 24 of the
table of threats)."""

import base64
import json
import select
import time

from doors import limited, metric, resident_kib, status
from lib import (PATIENCE_S, PING, PONG, SANITIZER, Late, TEXT, WS, Box, Closed, at_last, eventually, frame_bytes,
                 in_time, request_bytes, run, test)


# --- 17 -----------------------------------------------------------------------


@test("17: the head of a request has a ceiling: 431")
def _():
    with limited(headers="2KiB") as box:
        assert status(box, "/healthz", {"X": "x" * 1500}) == 200
        assert status(box, "/healthz", {"X": "x" * 2100}) == 431


@test("17: so has its number of fields: 431")
def _():
    with limited(fields=20) as box:
        few = {f"X-{n}": "1" for n in range(19)}
        assert status(box, "/healthz", few) == 200
        assert status(box, "/healthz", {**few, "Y": "1", "Z": "1"}) == 431


@test("17: so has its first line: 414")
def _():
    with limited(line="600B") as box:
        assert status(box, "/" + "x" * 580) == 404
        assert status(box, "/" + "x" * 620) == 414


@test("17: a body has a ceiling, declared or in chunks: 413")
def _():
    with limited(body="2KiB") as box:
        signal = json.dumps({"type": "x", "payload": {"a": "x" * 1900}})
        assert status(box, "/api/signal", None, "POST", signal) == 200
        assert status(box, "/api/signal", None, "POST", signal + " " * 200) == 413
        http = box.http(unix=False)
        head = {**box.host_header(), "Content-Type": "application/json",
                "Transfer-Encoding": "chunked"}
        http.send(request_bytes("POST", "/api/signal", None, head))
        http.send(b"400\r\n" + b" " * 1024 + b"\r\n")
        http.send((b"400\r\n" + b" " * 1024 + b"\r\n") * 2)
        assert http.answer().status == 413
        http.close()
        assert status(box, "/api/session", None, "POST", {"code": "x" * 5000}) == 413
        assert len(box.history()) == 1


@test("17: a batch has a ceiling for all of it and for each line")
def _():
    kind = {"Content-Type": "application/x-ndjson"}
    with limited(batch="8KiB", message="1KiB") as box:
        lines = ['{"type":"a"}', '{"type":"b","payload":{"x":"' + "x" * 1100 + '"}}',
                 "", "no", '{"type":"c"}']
        answer = box.request("POST", "/api/signal", "\n".join(lines), kind).json()
        assert answer["accepted"] == 2 and answer["rejectedCount"] == 2, answer
        assert [r["line"] for r in answer["rejected"]] == [2, 4], answer
        assert (answer["firstSeq"], answer["lastSeq"]) == (1, 2), answer
        many = "no\n" * 300
        answer = box.request("POST", "/api/signal", many, kind)
        assert answer.status == 400, answer
        assert answer.json()["rejectedCount"] == 300 and len(answer.json()["rejected"]) == 100
        big = ('{"type":"d"}\n' * 800).encode()
        assert box.request("POST", "/api/signal", big, kind).status == 413


@test("17: a WebSocket message has a ceiling: close 1009")
def _():
    with limited(message="2KiB") as box:
        for path in ("/ws", "/ws/signals"):
            with WS(box, path) as ws:
                ws.send(json.dumps({"type": "x", "payload": {"a": "x" * 4000}}))
                while ws.recv() is not None:
                    pass
                assert ws.close_code == 1009, ws.close_code


@test("17: a message has a ceiling of fragments: close 1008 or 1009")
def _():
    with limited(fragments=8) as box, WS(box, "/ws") as ws:
        ws.json()
        ws.send_frame(TEXT, b"{", fin=False)
        for _ in range(10):
            ws.send_frame(0, b" ", fin=False)
        assert ws.recv() is None and ws.close_code in (1008, 1009), ws.close_code


@test("17: a message may have 65,536 fragments if it is set so, and not one more")
def _():
    most = 65536
    with limited(fragments=most) as box:
        for count in (most, most + 1):
            with WS(box, "/ws") as ws:
                assert ws.json()["limits"]["fragments"] == most
                ws.send_frame(TEXT, b'{"op":"ping","ref":1', fin=False)
                space = frame_bytes(0, b" ", fin=False)
                ws.wire.send(space * (count - 2))
                ws.send_frame(0, b"}")
                if count == most:
                    assert ws.json()["ref"] == 1
                else:
                    assert ws.recv() is None and ws.close_code == 1008, ws.close_code


@test("17: whoever does not finish a head, a body or a pause in time is let go")
def _():
    with limited(header_timeout="500ms", body_timeout="500ms") as box:
        http = box.http(unix=False)
        http.send(b"GET /healthz HTTP/1.1\r\n")
        assert http.answer().status == 408
        http = box.http(unix=False)
        http.send(f"POST /api/signal HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\n".encode() +
                  b"Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
        assert http.answer().status == 408

    def used(box):
        http = box.http(unix=False)
        assert http.ask("GET", "/healthz", None, box.host_header()).status == 200
        return http

    with limited(idle_timeout="500ms") as box:
        # Who is too slow to ask is let go before.
        assert at_last(lambda: used(box), (OSError, Closed)).take_all() == b""
        assert box.http(unix=False).take_all() == b""


@test("17: a body and a message have a time for all of it, however they drip: 408, close 1008")
def _():
    with limited(message_timeout="500ms") as box:
        http = box.http(unix=False)
        http.send(f"POST /api/signal HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\n".encode() +
                  b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{")
        ends = time.monotonic() + PATIENCE_S
        while not select.select([http.sock], [], [], 0.05)[0] and time.monotonic() < ends:
            http.send(b" ")
        answer = http.answer()
        assert answer.status == 408 and answer.json()["code"] == "too_slow", answer
        with WS(box, "/ws") as ws:
            ws.json()
            ws.send_frame(TEXT, b"{", fin=False)
            while not select.select([ws.wire.sock], [], [], 0.05)[0] and time.monotonic() < ends:
                ws.send_frame(0, b" ", fin=False)
                ws.send_frame(PONG, b"")  # is no end of the message
            assert ws.recv() is None and ws.close_code == 1008, ws.close_code
        assert "signalbox_unfinished_late_total 2" in box.request("GET", "/metrics").text


@test("17: a batch may take longer than that, if each of its lines comes in time")
def _():
    def drips(box):
        http = box.http(unix=False)
        http.send(f"POST /api/signal HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\n".encode() +
                  b"Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
        began = time.monotonic()
        while time.monotonic() < began + 3:
            http.send(b'd\r\n{"type":"x"}\n\r\n')
            time.sleep(0.2)
        http.send(b"0\r\n\r\n")
        answer = http.answer()
        in_time(answer.status == 200, answer)
        assert answer.json()["accepted"] >= 5, answer

    with limited(message_timeout="1s") as box:
        at_last(lambda: drips(box), (Late, OSError, Closed))


@test("17: all that is unfinished has a ceiling: close 1013 or 503, and whole ones are taken")
def _():
    half = 600 << 10
    with limited(unfinished="8MiB") as box:
        before = resident_kib(box.pid)
        held = []
        for _ in range(60):
            ws = WS(box, "/ws")
            ws.json()
            ws.wire.send(frame_bytes(TEXT, b" " * (2 * half - 400000), fin=False)[:half])
            held.append(ws)
        eventually(lambda: metric(box, "signalbox_unfinished_evicted_total") >= 40)
        assert metric(box, 'signalbox_unfinished_bytes{place="own"}') <= 7 << 20
        grown = resident_kib(box.pid) - before
        # A sanitizer gives nothing back for a while.
        assert SANITIZER or grown < 24 * 1024, f"grew by {grown} KiB; 60 are 60 MiB"
        assert held[0].recv() is None and held[0].close_code == 1013, held[0].close_code
        eventually(lambda: "unfinished messages cut off" in box.log())
        # The socket has a share of its own, and what is whole needs none.
        body = '{"type":"x","payload":{"a":"' + "b" * half + '"}}'
        assert box.request("POST", "/api/signal", body, unix=True).status == 200
        for ws in held:
            ws.wire.close()
        eventually(lambda: metric(box, 'signalbox_unfinished_bytes{place="own"}') == 0)
    with limited(unfinished="1MiB", body="4MiB") as box:
        answer = box.request("POST", "/api/signal", '{"type":"x"' + " " * (2 << 20) + "}")
        assert answer.status == 503 and answer.json()["code"] == "busy", answer


@test("17: a WebSocket that does not answer pings is let go, and one that does is not")
def _():
    def lives(box):
        with WS(box, "/ws") as alive:
            alive.json()
            for _ in range(4):
                ping = alive.recv_frame()
                in_time(ping.opcode == PING, ping)
                alive.send_frame(PONG, ping.payload)

    with limited(ping="300ms", pong="300ms") as box:
        with WS(box, "/ws", pongs=False) as dead:
            try:
                while dead.recv() is not None:
                    pass
            except Closed:
                pass
            assert dead.pings >= 1
        at_last(lambda: lives(box), (Late, OSError, Closed))


@test("17: there are no more connections than allowed, and one that ends makes room")
def _():
    def is_answered(http):
        try:
            return http.ask("GET", "/healthz", None, box.host_header()).status == 200
        except (OSError, Closed):
            return False

    def fill(box):
        tried = [box.http(unix=False) for _ in range(12)]
        held = [http for http in tried if is_answered(http)]
        if len(held) != 7:  # an eighth of the places is the Unix socket's
            for http in tried:
                http.close()
        assert len(held) <= 7, len(held)
        in_time(len(held) == 7, len(held))
        return held

    with limited(connections=8) as box:
        # The connection that saw it start may be there for a moment.
        held = at_last(lambda: fill(box))
        held.pop().close()
        eventually(lambda: is_answered(box.http(unix=False)))
        for http in held:
            http.close()


@test("17: nesting has a ceiling")
def _():
    def nested(depth):
        return '{"type":"x","payload":' + '{"a":' * depth + "1" + "}" * depth + "}"

    with limited(depth=10) as box:
        assert status(box, "/api/signal", None, "POST", nested(8)) == 200
        answer = box.request("POST", "/api/signal", nested(12))
        assert answer.status == 400 and answer.json()["code"] == "too_deep", answer
    with Box() as box:
        assert status(box, "/api/signal", None, "POST", nested(60)) == 200
        assert status(box, "/api/signal", None, "POST", nested(70)) == 400
        bomb = '{"type":"x","payload":' + '{"a":' * 100000 + "1" + "}" * 100000 + "}"
        assert status(box, "/api/signal", None, "POST", bomb) == 400


# --- 24 -----------------------------------------------------------------------


@test("24: no compression is offered, and a compressed body is not unpacked")
def _():
    with Box() as box:
        offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
        with WS(box, "/ws", offer) as ws:
            assert "sec-websocket-extensions" not in ws.response.headers
            ws.json()
            ws.send_frame(TEXT, b"\xaa\x56\x2a", rsv=4)
            assert ws.recv() is None and ws.close_code == 1002, ws.close_code
        packed = base64.b64decode("H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==")
        assert status(box, "/api/signal", {"Content-Encoding": "gzip"}, "POST", packed) >= 400


@test("24: a hundred thousand tiny fragments do not cost memory")
def _():
    with limited(fragments=65535) as box:
        with WS(box, "/ws/signals") as ws:
            box.emit("warm")
            before = resident_kib(box.pid)
            fragment = frame_bytes(0, b" ", fin=False)
            for _ in range(2):
                ws.send_frame(TEXT, b"{", fin=False)
                for _ in range(50):
                    ws.wire.send(fragment * 1000)
                ws.send_frame(0, b'"type":"whole"}', fin=True)
            heard = [json.loads(ws.recv())["type"] for _ in range(3)]
            assert heard == ["warm", "whole", "whole"], heard
            grown = resident_kib(box.pid) - before
            assert grown < (64 if SANITIZER else 8) * 1024, f"grew by {grown} KiB"


run()
