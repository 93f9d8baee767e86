#!/usr/bin/env python3
"""Clients that cannot keep up, through each policy, while they are pinged and
acknowledged; and clients that join at random while a publisher runs.  Every byte
they get is read by a strict frame parser: a frame cut short, or one inside
another, fails."""
# exclusive

import json
import random
import threading
import time

from lib import (PING, PONG, SLOW, WS, Box, Closed, Http, Late, at_last, eventually, in_time, run,
                 test)

SMALL = 2048


def slow_client(box, wish):
    """A WebSocket with a tiny receive buffer that has subscribed."""
    ws = WS(box, receive_buffer=SMALL)
    assert ws.json()["op"] == "hello"
    ws.send({"op": "subscribe", **wish})
    ws.send({"op": "emit", "ref": "ready", "signal": {"type": "ready", "source": "slow"}})
    while ws.json().get("ref") != "ready":
        pass
    return ws


def publish(box, count, size=2000, kind="load"):
    """A batch of signals with n = 0, 1, ...; their seqs are without a hole."""
    pad = "x" * size
    lines = "".join(
        json.dumps({"type": kind, "source": "p", "payload": {"n": n, "pad": pad}}) + "\n"
        for n in range(count)
    )
    answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
    assert answer.status == 200, answer
    assert answer.json()["accepted"] == count, answer
    return answer.json()


def read_all(ws, last_seq, seen=None):
    """Reads until last_seq; a dict of what came: seqs, gaps, acks."""
    got = {"seqs": [], "gaps": [], "acks": []}
    while not got["seqs"] or got["seqs"][-1] < last_seq:
        said = ws.recv()
        if said is None:
            break
        said = json.loads(said)
        if said.get("op") == "gap":
            got["gaps"].append(said)
            if said["to"] >= last_seq:
                break
        elif said.get("op") == "ack":
            got["acks"].append(said)
        else:
            got["seqs"].append(said["seq"])
    return got


def fall_behind(box, ws, count=4000, first=0):
    """Publishes, unless it is told otherwise more than the client may lag, while that pings
    and emits."""
    for round_ in range(first, first + 4):
        publish(box, count)
        ws.send_frame(PING, b"%d" % round_)
        ws.send({"op": "emit", "ref": round_, "signal": {"type": "own", "source": "slow"}})


def stats(box):
    return box.request("GET", "/api/status").json()["hub"]


@test("resume: a slow client gets everything, in order, and its acks and pongs between")
def _():
    with Box() as box, slow_client(box, {"slow": "resume"}) as ws:
        first = box.request("GET", "/api/status").json()["seq"]
        fall_behind(box, ws)
        eventually(lambda: stats(box)["fellBehind"] >= 1)
        last = box.emit("end")["seq"]
        got = read_all(ws, last)
        assert got["seqs"] == list(range(first + 1, last + 1)), (first, last, len(got["seqs"]))
        assert got["gaps"] == [], got["gaps"]
        ws.send({"op": "emit", "ref": "last", "signal": {"type": "own"}})
        acks = got["acks"]
        while not acks or acks[-1]["ref"] != "last":
            said = ws.json()
            if said.get("op") == "ack":
                acks.append(said)
        assert [a["ref"] for a in acks] == [0, 1, 2, 3, "last"], acks


@test("drop: a slow client skips to the present with one gap that says how much")
def _():
    with Box() as box, slow_client(box, {"slow": "drop"}) as ws:
        first = box.request("GET", "/api/status").json()["seq"]
        fall_behind(box, ws)
        eventually(lambda: stats(box)["fellBehind"] >= 1)
        got = {"seqs": [], "gaps": [], "acks": []}
        while not got["gaps"]:
            said = ws.json()
            if said.get("op") == "gap":
                got["gaps"].append(said)
            elif "seq" in said and "op" not in said:
                got["seqs"].append(said["seq"])
        gap = got["gaps"][0]
        assert gap["why"] == "skipped", gap
        assert got["seqs"] == list(range(first + 1, gap["from"])), (gap, len(got["seqs"]))
        last = box.emit("end")["seq"]
        rest = read_all(ws, last)
        assert rest["seqs"] == list(range(gap["to"] + 1, last + 1)), (gap, rest["seqs"][:5])


@test("coalesce: a slow client gets every word, in fewer signals")
def _():
    words = [f"{n} " * 150 for n in range(16000)]
    lines = "".join(json.dumps({
        "type": "text_delta", "source": "p", "correlationId": "c",
        "payload": {"agentId": "a", "content": word}}) + "\n" for word in words)
    with Box() as box, slow_client(box, {"slow": "coalesce", "types": ["text_delta"]}) as ws:
        answer = box.request("POST", "/api/signal", lines,
                             {"Content-Type": "application/x-ndjson"}).json()
        said, seq, joined = [], answer["firstSeq"], 0
        while seq <= answer["lastSeq"]:
            signal = ws.json()
            both = signal.get("metadata", {}).get("coalesced", {"from": signal["seq"], "count": 1})
            assert both["from"] == seq, (both, seq)
            assert signal["seq"] == seq + both["count"] - 1, (signal["seq"], both)
            seq, joined = signal["seq"] + 1, joined + (both["count"] > 1)
            said.append(signal["payload"]["content"])
        assert "".join(said) == "".join(words)
        assert joined > 0


@test("disconnect: a slow client is closed with 1008 at a frame's end")
def _():
    def is_closed():
        with Box() as box, slow_client(box, {"slow": "disconnect"}) as ws:
            first = box.request("GET", "/api/status").json()["seq"]
            round_ = 0
            # It has two seconds to hear the reason, so nothing is said behind its back.
            while stats(box)["slowClosed"] == 0:
                fall_behind(box, ws, 125, round_)
                round_ += 4
            got = read_all(ws, 1 << 60)
            assert ws.close_code == 1008 and ws.close_reason == "slow consumer", ws.close_code
            assert got["seqs"] == list(range(first + 1, first + 1 + len(got["seqs"])))

    at_last(is_closed, (OSError, Closed))


@test("a slow client with a filter gets exactly its own")
def _():
    with Box() as box, slow_client(box, {"types": ["mine"]}) as ws:
        want = []
        pad = "y" * 3000
        for block in range(20):
            lines = ""
            for n in range(300):
                kind = "mine" if n % 3 == 0 else "other"
                lines += json.dumps({"type": kind, "source": "p", "payload": {"pad": pad}}) + "\n"
            said = box.request("POST", "/api/signal", lines,
                               {"Content-Type": "application/x-ndjson"}).json()
            want += [said["firstSeq"] + n for n in range(0, 300, 3)]
        eventually(lambda: stats(box)["fellBehind"] >= 1)
        got = read_all(ws, want[-1])
        assert got["seqs"] == want, (len(got["seqs"]), len(want))
        assert got["gaps"] == []


@test("a client that joins anywhere while a publisher runs hears no hole and nothing twice")
def _():
    with Box() as box:
        stop = threading.Event()
        rng = random.Random(7)
        publisher = WS(box)
        publisher.json()

        def run_publisher():
            n = 0
            line = json.dumps({"type": "t", "source": "p", "payload": {"pad": "z" * 200}})
            while not stop.is_set():
                for _ in range(200):
                    publisher.send(line)
                n += 200
                publisher.send({"op": "emit", "ref": n, "signal": {"type": "t"}})
                publisher.json()

        thread = threading.Thread(target=run_publisher)
        thread.start()
        try:
            for round_ in range(40 if SLOW == 1 else 15):
                with WS(box) as ws:
                    now = ws.json()["seq"]
                    wish = {"op": "subscribe"}
                    after = None
                    if round_ % 4:
                        after = wish["after"] = rng.randrange(max(0, now - 30000), now + 1)
                    if round_ % 3 == 0:
                        wish["types"] = ["t"]
                    ws.send(wish)
                    if round_ % 5 == 0:
                        time.sleep(0.1)
                    seqs = [ws.json()["seq"] for _ in range(3000)]
                    start = seqs[0] if after is None else after + 1
                    assert seqs == list(range(start, start + len(seqs))), (wish, seqs[:3])
        finally:
            stop.set()
            thread.join()
            publisher.wire.close()


@test("clients that do not read keep nothing from others, and cost a bounded memory")
def _():
    def resident():
        with open(f"/proc/{box.pid}/status") as status:
            return int(next(l for l in status if l.startswith("VmRSS")).split()[1])

    with Box() as box, WS(box) as quick:
        quick.json()
        quick.subscribe(types=["probe"])
        lazy = [slow_client(box, {"slow": "resume"}) for _ in range(200)]
        publish(box, 3000)
        before = resident()
        for n in range(40):
            publish(box, 250)
            box.emit({"type": "probe", "payload": {"n": n}})
            assert quick.json()["payload"]["n"] == n
        grown = resident() - before
        # A reader's private buffer is at most 256 KiB, and a message.
        assert grown < 200 * 400, f"{grown} KiB more"
        for ws in lazy:
            ws.wire.close()


@test("a client that never answers a ping is gone after it, others stay")
def _():
    env = {"SIGNALBOX_LIMITS_PING": "500ms", "SIGNALBOX_LIMITS_PONG": "500ms"}

    def stays():
        with Box(env=env) as box, WS(box) as dead, WS(box) as alive:
            dead.json(), alive.json()
            for _ in range(4):  # the first would be the last of one who is silent
                frame = alive.recv_frame()
                in_time(frame.opcode == PING, frame)
                alive.send_frame(PONG, frame.payload)
            eventually(lambda: stats(box)["clients"] < 2)
            in_time(stats(box)["clients"] == 1, "nobody is left")

    at_last(stays, (Late, OSError, Closed))


@test("a half-open event stream that takes nothing is given up")
def _():
    env = {"SIGNALBOX_LIMITS_PING": "500ms", "SIGNALBOX_LIMITS_PONG": "500ms"}
    with Box(env=env) as box:
        sock = box.connect(False, receive_buffer=SMALL)
        http = Http(sock)
        http.send(f"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\n\r\n".encode())
        http.head()
        for _ in range(3):
            publish(box, 2000)
        eventually(lambda: stats(box)["clients"] == 0)
        sock.close()


run()
