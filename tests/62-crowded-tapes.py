#!/usr/bin/env python3
"""Several clients on one subscription: who joins, leaves or lags changes nothing
for the others.  And the ends of a connection: nothing after a close, everything
acknowledged before one."""

import json
import signal
import socket
import time

from lib import SLOW, TEXT, Box, WS, at_last, eventually, frame_bytes, in_time, run, test

SMALL = 2048


def frame(message):
    return frame_bytes(TEXT, json.dumps(message).encode())


def emit(kind, n):
    return frame({"op": "emit", "signal": {"type": kind, "payload": {"n": n}}})


def subscriber(box, wish, small=False):
    ws = WS(box, receive_buffer=SMALL if small else None)
    ws.json()
    ws.send({"op": "subscribe", **wish})
    ws.send({"op": "emit", "ref": "in", "signal": {"type": "in", "source": "in"}})
    while ws.json().get("ref") != "in":
        pass
    return ws


def numbers(ws, count):
    """The n of the next signals of type a."""
    got = []
    while len(got) < count:
        said = ws.json()
        if said.get("type") == "a":
            got.append(said["payload"]["n"])
    return got


@test("who joins between a signal and its sending takes nothing from the others")
def _():
    for wish in ({"types": ["a"]}, {}):
        with Box() as box:
            old = [subscriber(box, wish) for _ in range(5)]
            new = []
            for n in range(40):
                ws = WS(box)
                ws.json()
                ws.wire.send(emit("zz", n) + emit("a", n) + frame({"op": "subscribe", **wish}))
                new.append(ws)
                for other in old:
                    assert numbers(other, 1) == [n], (wish, n)
                if n % 4 == 3:
                    new.pop(0).wire.close()


@test("a fast client is not punished for a slow one on the same filter")
def _():
    for policy in ("disconnect", "drop"):
        with Box() as box:
            wish = {"types": ["a"], "slow": policy}
            slow, fast = subscriber(box, wish, small=True), subscriber(box, wish)
            writer = WS(box)
            writer.json()
            count, got = 10000, []
            for start in range(0, count, 100):
                writer.wire.send(b"".join(emit("zz", n) + emit("a", n)
                                          for n in range(start, start + 100)))
                got += numbers(fast, 100)
            assert got == list(range(count)), policy
            slow.wire.close()


@test("nothing comes after a close frame, not even an acknowledgement")
def _():
    with Box() as box:
        for _ in range(20):
            ws = WS(box)
            ws.json()
            frames = b"".join(frame({"op": "emit", "ref": n, "signal": {"type": "x"}})
                              for n in range(20))
            ws.wire.send(frames + frame_bytes(8, b"\x03\xe8"))
            while ws.recv_frame().opcode != 8:
                pass
            ws.wire.sock.shutdown(socket.SHUT_WR)
            assert ws.wire.take_all() == b""


@test("a stop acknowledges what it stored before it says good-bye")
def _():
    with Box() as box:
        ws = WS(box)
        ws.json()
        for start in range(0, 3000, 100):
            ws.wire.send(b"".join(frame({"op": "emit", "ref": n, "signal": {"type": "x"}})
                                  for n in range(start, start + 100)))
        box.process.send_signal(signal.SIGTERM)
        acked = []
        while (said := ws.recv()) is not None:
            acked.append(json.loads(said)["ref"])
        assert ws.close_code == 1001, ws.close_code
        assert box.wait() == 0
        box.start()
        stored = box.request("GET", "/api/status").json()["seq"]
        assert acked == list(range(stored)), (len(acked), stored)


@test("with bigger messages allowed, big signals reach live and lagging clients")
def _():
    env = {"SIGNALBOX_LIMITS_MESSAGE": "16MiB", "SIGNALBOX_LIMITS_BODY": "17MiB"}
    with Box(env=env) as box, subscriber(box, {}) as ws, subscriber(box, {}, True) as slow:
        for n, size in enumerate((9 << 20, 15 << 20, 1000, 5 << 20)):
            signal_ = {"type": "a", "payload": {"n": n, "pad": "x" * size}}
            assert box.request("POST", "/api/signal", signal_).status == 200
            assert numbers(ws, 1) == [n]
        assert numbers(slow, 4) == [0, 1, 2, 3]


@test("a client that may only observe can subscribe, however its JSON is laid out")
def _():
    with Box(env={"SIGNALBOX_AUTH_LOCAL": "observe"}) as box:
        for text in ('{ "op" : "subscribe" }', '{"after":0,"op":"subscribe"}'):
            with WS(box) as ws:
                ws.json()
                ws.send(text)
                ws.send({"op": "ping", "ref": "in"})
                while ws.json().get("ref") != "in":
                    pass
                seq = box.emit("x")["seq"]
                heard = ws.json()
                while heard["seq"] < seq:
                    heard = ws.json()
        with WS(box) as ws:
            ws.json()
            for text in ('{"type":"x"}', '{"op":"emit","signal":{"type":"x"}}'):
                ws.send(text)
                said = ws.json()
                assert said["code"] == "forbidden", said


@test("a member of a subscribe or an emit that nobody knows is named")
def _():
    with Box() as box, WS(box) as ws:
        ws.json()
        for text, word in (('{"op":"subscribe","type":["a"]}', "type"),
                           ('{"op":"subscribe","prompts":1}', "prompts"),
                           ('{"op":"emit","signal":{"type":"x"},"note":1}', "emit takes"),
                           ('{"op":"emit","signl":{}}', "emit takes")):
            ws.send(text)
            said = ws.json()
            assert said["op"] == "error" and said["code"] == "invalid", said
            assert word in said["message"], said


@test("stopping twice is stopping at once")
def _():
    def stop_twice():
        with Box() as box, subscriber(box, {}, small=True):
            box.process.send_signal(signal.SIGTERM)
            eventually(lambda: "stopping" in box.log())
            # For one who does not answer it would wait two seconds.
            began = time.monotonic()
            box.process.send_signal(signal.SIGTERM)
            assert box.wait() == 0
            took = time.monotonic() - began
            in_time(took < 1.2 * SLOW, took)

    at_last(stop_twice)


run()
