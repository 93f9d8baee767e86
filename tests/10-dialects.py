#!/usr/bin/env python3
"""The three dialects, as clients see them: hello, subscribe, emit, ack, gap,
filters, resume, and the good-bye."""

import json
import time

import segments
from lib import (CLOSE, PATIENCE_S, PING, Box, Closed, Events, Refused, WS, eventually, run,
                 temp_dir, test)


def hello(ws):
    said = ws.json()
    assert said["op"] == "hello", said
    return said


def quiet(ws, seconds=0.2):
    """Nothing comes for a while."""
    ws.timeout(seconds)
    try:
        got = ws.recv_frame()
    except TimeoutError:
        return
    finally:
        ws.timeout(PATIENCE_S)
    raise AssertionError(f"heard {got}")


@test("empty names of a signal are carried as they are")
def _():
    with Box() as box:
        for name in ("id", "source", "type"):
            box.emit({"type": "x", "payload": {"which": name}, name: ""})
        kept = {s["payload"]["which"]: s for s in box.history() if "which" in s["payload"]}
        assert [kept[name][name] for name in ("id", "source", "type")] == [""] * 3, kept


@test("hello comes first, and nothing else before a subscribe")
def _():
    with Box() as box:
        box.emit("before")
        with WS(box) as ws:
            said = hello(ws)
            assert said["seq"] == 1 and len(said["epoch"]) == 12, said
            assert said["server"]["name"] == "signalbox", said
            assert said["scopes"] == ["observe", "emit"], said
            assert said["limits"]["message"] == 1 << 20, said
            box.emit("after")
            quiet(ws)


@test("a signal is heard with its seq as the first member, payload byte for byte")
def _():
    with Box() as box, WS(box) as ws:
        hello(ws)
        ws.subscribe()
        payload = '{"a" : [1.50, 2e0,"\\u00e9\\ud83d\\ude00"] , "big":12345678901234567890}'
        box.request("POST", "/api/signal", '{"type":"x","id":"i","payload":' + payload + "}")
        line = ws.recv()
        assert line.startswith('{"seq":1,'), line
        assert payload in line, line
        assert segments.all_lines(box.data) == [line.encode()]


@test("an emit with a ref is acknowledged with its seq, a repeated one with its first")
def _():
    with Box() as box, WS(box) as ws:
        hello(ws)
        signal = {"type": "x", "id": "one", "payload": {"n": 1}}
        ws.send({"op": "emit", "ref": 7, "signal": signal})
        assert ws.json() == {"op": "ack", "ref": 7, "seq": 1}
        ws.send({"op": "emit", "ref": "again", "signal": signal})
        assert ws.json() == {"op": "ack", "ref": "again", "seq": 1}
        ws.send({"op": "emit", "ref": 8, "ack": "memory", "signal": {"type": "y"}})
        assert ws.json() == {"op": "ack", "ref": 8, "seq": 2}
        ws.send({"type": "bare", "payload": {}})
        ws.send({"op": "emit", "ref": 9, "signal": {**signal, "payload": {"n": 2}}})
        assert ws.json() == {"op": "ack", "ref": 9, "seq": 4}
        assert [s["type"] for s in box.history()] == ["x", "y", "bare", "x"]
        assert box.request("GET", "/api/status").json()["bus"]["idReused"] == 1


@test("what a client says wrong is answered with a code and its ref")
def _():
    cases = [
        ("{", "invalid"), ("[]", "invalid"), ('"x"', "invalid"), ("{}", "invalid"),
        ('{"op":7}', "invalid"), ('{"op":"dance","ref":1}', "invalid"),
        ('{"op":"emit","ref":1}', "invalid"),
        ('{"op":"emit","ref":1,"signal":{"type":"x","payload":[]}}', "invalid"),
        ('{"op":"emit","ref":1,"signal":{"type":"x"},"ack":"never"}', "invalid"),
        ('{"op":"emit","ref":1,"signal":{"type":"x"} "ack":"memory"}', "invalid"),
        ('{"op":"emit","ref":1,"signal":{"type":"x"}]', "invalid"),
        ('{"op":"emit","ref":[1],"signal":{"type":"x"}}', "invalid"),
        ('{"op":"emit","ref":1,"signal":{"type":"user.click"}}', "forbidden"),
        ('{"op":"emit","ref":1,"signal":{"type":"x"},"signal":{"type":"y"}}', "invalid"),
        ('{"op":"emit","ref":2,"ref":1,"signal":{"type":"x"}}', "invalid"),
        ('{"op":"emit","ref":1,"ack":"durable","ack":"memory","signal":{"type":"x"}}', "invalid"),
        ('{"op":"emit","ref":1,"more":1,"signal":{"type":"x"}}', "invalid"),
        ('{"op":"subscribe","types":"x"}', "invalid"),
        ('{"op":"subscribe","types":[1]}', "invalid"),
        ('{"op":"subscribe","after":-1}', "invalid"),
        ('{"op":"subscribe","after":"x-y"}', "invalid"),
        ('{"op":"subscribe","slow":"never"}', "invalid"),
        ('{"op":"subscribe","correlationId":5}', "invalid"),
        ('{"op":"answer","id":"p","value":1,"ref":1}', "forbidden"),
        ('{"op":"control","run":"r","do":"pause","ref":1}', "forbidden"),
    ]
    with Box() as box, WS(box) as ws:
        hello(ws)
        for text, code in cases:
            ws.send(text)
            said = ws.json()
            assert said["op"] == "error" and said["code"] == code and said["message"], (text, said)
            if '"ref":1' in text and '"ref":[1]' not in text:
                assert said["ref"] == 1, (text, said)
        ws.send({"op": "emit", "ref": 2, "signal": {"type": "x"}})
        assert ws.json() == {"op": "ack", "ref": 2, "seq": 1}


@test("a filter lets through what it says: types, patterns, sources, a correlationId")
def _():
    with Box() as box:
        wishes = {
            "types": {"types": ["a", "c"]},
            "pattern": {"types": ["tool_*"]},
            "sources": {"sources": ["s1"]},
            "run": {"correlationId": "r1"},
            "both": {"types": ["a"], "sources": ["s1"], "correlationId": "r1"},
        }
        clients = {}
        for name, wish in wishes.items():
            clients[name] = WS(box)
            hello(clients[name])
            clients[name].subscribe(**wish)
        for kind in ("a", "b", "c", "tool_call", "tool"):
            for source in ("s1", "s2"):
                for run_ in ("r1", "r2"):
                    box.emit(kind, source=source, correlationId=run_)
        box.emit({"type": "end", "source": "s1", "correlationId": "r1"})
        heard = {}
        for name, ws in clients.items():
            ws.send({"op": "emit", "ref": "last", "signal": {"type": "z", "source": "other"}})
            heard[name] = []
            while (said := ws.json()).get("op") != "ack":
                heard[name].append((said["type"], said["source"], said["correlationId"]))
        assert len(heard["types"]) == 8 and {t for t, _, _ in heard["types"]} == {"a", "c"}
        assert len(heard["pattern"]) == 4 and {t for t, _, _ in heard["pattern"]} == {"tool_call"}
        assert len(heard["sources"]) == 11 and {s for _, s, _ in heard["sources"]} == {"s1"}
        assert len(heard["run"]) == 11 and {r for _, _, r in heard["run"]} == {"r1"}
        assert heard["both"] == [("a", "s1", "r1")], heard["both"]


@test("a ping is answered with the time, and another subscription begins after its ack")
def _():
    with Box() as box, WS(box) as ws:
        hello(ws)
        before = time.time() * 1000
        ws.send({"op": "ping", "ref": "p"})
        said = ws.json()
        assert said["op"] == "ack" and said["ref"] == "p", said
        assert before - 1000 <= said["at"] <= time.time() * 1000 + 1000, said
        ws.send({"op": "subscribe", "after": 0})
        for _ in range(500):
            box.emit("x")
        ws.send({"op": "subscribe", "after": 0, "ref": 7})
        while (said := ws.json()).get("op") != "ack":
            assert said["type"] == "x", said
        assert said["ref"] == 7, said
        assert [ws.json()["seq"] for _ in range(500)] == list(range(1, 501))


@test("after= reads the past and goes over into the present without a hole")
def _():
    with Box() as box:
        for n in range(50):
            box.emit("past", payload={"n": n})
        epoch = box.emit("past")["epoch"]
        for after, first in ((0, 1), (10, 11), (f"{epoch}-50", 51), (str(51), 52)):
            with WS(box) as ws:
                hello(ws)
                ws.send({"op": "subscribe", "after": after})
                box.emit("present")
                last = box.emit("present")["seq"]
                seqs = [ws.json()["seq"] for _ in range(last - first + 1)]
                assert seqs == list(range(first, last + 1)), (after, seqs)


@test("a position of another timeline, or of the future, gets a gap and goes on")
def _():
    with Box() as box:
        for _ in range(5):
            box.emit("x")
        for after, next_seq in (("000000000000-3", 1), (99, 7)):
            with WS(box) as ws:
                hello(ws)
                ws.send({"op": "subscribe", "after": after})
                said = ws.json()
                assert said["op"] == "gap" and said["why"] == "lost", (after, said)
                box.emit("y")
                assert ws.json()["seq"] == next_seq


@test("/ws/signals speaks bare envelopes both ways, and hears itself")
def _():
    with Box() as box, WS(box, "/ws/signals") as ws, WS(box, "/ws/signals?mode=send") as mute:
        ws.send({"type": "hi", "payload": {"a": 1}})
        said = ws.json()
        assert said["type"] == "hi" and said["seq"] == 1 and "op" not in said, said
        mute.send({"type": "quiet"})
        assert ws.json()["type"] == "quiet"
        quiet(mute)
        ws.send("{nonsense")
        assert ws.recv() is None and ws.close_code == 1007 and ws.close_reason
        mute.send('{"type":"x","payload":[]}')
        assert mute.recv() is None and mute.close_code == 1008 and "payload" in mute.close_reason


@test("why /ws/signals closes is said in text, whatever it quotes")
def _():
    with Box() as box:
        for name in ("user." + "é" * 60, "user.x" + "é" * 60, "user.\n\x1b[31m\x9b"):
            with WS(box, "/ws/signals") as ws:
                ws.send({"type": name})
                assert ws.recv() is None and ws.close_code == 1008, ws.close_code
                assert ws.close_reason.endswith(": a token is needed"), ws.close_reason
                assert ws.close_reason.isprintable(), ws.close_reason


@test("the same signal on /ws/signals twice is two signals")
def _():
    with Box() as box, WS(box, "/ws/signals") as ws:
        for seq in (1, 2):
            ws.send({"type": "x", "id": "same"})
            assert ws.json()["seq"] == seq


@test("server-sent events resume by Last-Event-ID, which wins over after=")
def _():
    with Box() as box:
        for n in range(5):
            box.emit("x", payload={"n": n})
        with Events(box, "/api/stream?after=0") as events:
            first = [events.next() for _ in range(3)]
            assert events.comments[0].strip() == "connected" and events.retry
            assert [json.loads(e["data"])["seq"] for e in first] == [1, 2, 3]
        with Events(box, "/__signals__/stream?after=0", {"Last-Event-ID": first[-1]["id"]}) as events:
            assert [events.json()["seq"] for _ in range(2)] == [4, 5]
            box.emit("y")
            assert events.json()["seq"] == 6
        with Events(box, "/api/stream?type=y,z&source=http") as events:
            box.emit("x")
            box.emit("z")
            assert events.json()["type"] == "z"
        with Events(box, "/api/stream?after=000000000000-2") as events:
            gap = events.next()
            assert gap["event"] == "gap" and json.loads(gap["data"])["why"] == "lost", gap


@test("the id of a gap misses nothing of the timeline that goes on")
def _():
    with Box() as box:
        epoch = box.emit("x")["epoch"]
        box.kill9()
        box.start()
        for ahead, seen in ((f"{epoch}-1", None), (f"{epoch}-3", 1), ("9", 1)):
            with Events(box, f"/api/stream?after={ahead}") as events:
                if seen is not None:
                    gap = events.next()
                    assert gap["event"] == "gap" and '"why":"lost"' in gap["data"], gap
                    assert gap["id"].endswith(f"-{seen}"), gap
        first = box.emit("y")["seq"]
        box.emit("z")
        with Events(box, headers={"Last-Event-ID": gap["id"]}) as events:
            assert events.json()["seq"] == first == 2


@test("a stream that makes no sense is refused with words")
def _():
    with Box() as box:
        for query in ("after=x", "slow=maybe", "type=", "after=%zz", "mode=both", "typ=x"):
            try:
                Events(box, f"/api/stream?{query}")
            except Refused as refused:
                assert refused.response.status == 400, refused
                assert json.loads(refused.response.body)["error"], refused
            else:
                raise AssertionError(query)
        assert box.request("GET", "/ws").status == 426
        assert box.request("POST", "/api/stream", {}).status == 405


@test("pings are answered, binary is refused, a close is returned")
def _():
    with Box() as box:
        with WS(box) as ws:
            hello(ws)
            ws.send_frame(PING, b"abc")
            frame = ws.recv_frame()
            assert frame.opcode == 10 and frame.payload == b"abc", frame
            ws.send_frame(CLOSE, b"\x0f\xa0bye")
            assert ws.recv() is None and ws.close_code == 4000
        with WS(box) as ws:
            hello(ws)
            ws.send(b"binary")
            assert ws.recv() is None and ws.close_code == 1003


@test("a stop tells everybody: close 1001, SSE retry, exit 0")
def _():
    with Box() as box:
        native, bare, events = WS(box), WS(box, "/ws/signals"), Events(box)
        hello(native)
        native.send({"op": "subscribe"})
        eventually(lambda: box.request("GET", "/api/status").json()["hub"]["clients"] == 3)
        native.send({"op": "emit", "ref": 1, "signal": {"type": "last"}})
        assert {native.json().get("op"), native.json().get("op")} == {None, "ack"}
        assert box.stop() == 0
        assert native.recv() is None and native.close_code == 1001
        assert json.loads(bare.recv())["type"] == "last"
        assert bare.recv() is None and bare.close_code == 1001
        assert events.json()["type"] == "last"
        try:
            events.next()
        except Closed:
            pass
        assert events.retry is not None
        assert [s["type"] for s in box.start().history()] == ["last"]


@test("a listener may pin a dialect to / and /ws, for clients that know no path")
def _():
    config = temp_dir() / "signalbox.yaml"
    config.write_text("listen:\n  - 127.0.0.1:0\n  - {address: '127.0.0.1:0', dialect: signals}\n")
    with Box(["--config", str(config)], listen=()) as box:
        pinned = int(box.addresses[1].rpartition(":")[2])
        plain, box.port = box.port, pinned
        for path in ("/", "/ws"):
            with WS(box, path) as ws:
                ws.send({"type": "hi"})
                assert ws.json()["type"] == "hi"
        assert box.request("GET", "/", unix=False).status == 200
        box.port = plain
        with WS(box, "/ws") as ws:
            hello(ws)


@test("/echo is there only when asked for, and echoes text and binary")
def _():
    with Box() as box:
        try:
            WS(box, "/echo")
            raise AssertionError("it is there")
        except Refused as refused:
            assert refused.response.status == 404, refused
    with Box(["--echo"]) as box, WS(box, "/echo") as ws:
        for message in ("", "é", "x" * 200000, b"", b"\x00\xff" * 70000):
            ws.send(message)
            assert ws.recv() == message


run()
