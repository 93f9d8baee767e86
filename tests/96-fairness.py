#!/usr/bin/env python3
# long
"""A producer that runs away does not hurt the others: ceilings by credential."""

import json
import multiprocessing
import os
import signal
import time

from lib import TEXT, WS, Box, Events, Refused, cli, eventually, frame_bytes, run, test
from tls import write_config

LIMITS = "SIGNALBOX_LIMITS_"


def box(rate=0, **more):
    return Box(env={LIMITS + "RATE": str(rate), **{LIMITS + k: str(v) for k, v in more.items()}})


def post(box, signal, unix=False):
    """One that comes over the loopback is another producer than one at the Unix socket."""
    return box.request("POST", "/api/signal?ack=memory", signal, unix=unix)


def metrics(box):
    text = box.request("GET", "/metrics").text
    return {k: float(v) for k, _, v in (l.rpartition(" ") for l in text.splitlines()
                                        if not l.startswith("#"))}


@test("one POST too many is answered 429 with the time to wait, and after it comes through")
def _():
    with box(rate=2) as b:
        answers = [post(b, {"type": "x"}) for _ in range(2)]
        assert [a.status for a in answers] == [200, 200], answers
        late = eventually(lambda: next((a for a in [post(b, {"type": "x"}) for _ in range(4)]
                                        if a.status != 200), None))
        assert late.status == 429, late
        said = late.json()
        assert said["ok"] is False and said["code"] == "too_fast" and "limits.rate" in said["error"]
        assert 0 < said["wait"] <= 500, said
        assert late.headers["retry-after"] == "1", late
        assert post(b, {"type": "x"}, unix=True).status == 200, "another producer has its own share"
        time.sleep(said["wait"] / 1000)
        assert post(b, {"type": "x"}).status == 200
        assert metrics(b)['signalbox_signals_refused_total{reason="too_fast"}'] >= 1
        assert "beyond the limits\n  signals refused  " in cli("status", "--data", b.data).out


@test("on /ws the answer is too_fast with wait and ref, and what else it asks is answered")
def _():
    with box(rate=3) as b, WS(b, unix=True) as ws:
        assert ws.json()["op"] == "hello"
        for n in range(20):
            ws.send({"op": "emit", "ref": n + 1, "ack": "memory", "signal": {"type": "x"}})
        answers = {a["ref"]: a for a in (ws.json() for _ in range(20))}
        refused = {n: a for n, a in answers.items() if a["op"] == "error"}
        assert len(answers) == 20 and 20 - len(refused) >= 3 and refused, answers
        assert set(range(1, 4)).isdisjoint(refused), "the burst of a second is taken"
        assert all(a["code"] == "too_fast" and 0 < a["wait"] <= 334 for a in refused.values()), refused
        taken = 20 - len(refused)

        def refusal(message):
            """The next: on a slow machine one more may be allowed by now, and is taken."""
            nonlocal taken
            while True:
                ws.send(message)
                ws.send('{"ref":"p","op":"ping"}')
                said = [ws.json()]
                while said[-1].get("ref") != "p":
                    said.append(ws.json())
                assert said[-1]["op"] == "ack", said
                if said[0]["op"] == "error":
                    return said[0]
                taken += 1

        assert refusal('{"type":"bare"}')["code"] == "too_fast"
        late = refusal('{"ref":"e","op":"emit","ack":"memory","signal":{"type":"x"}}')
        assert late["code"] == "too_fast" and late["ref"] == "e", late
        time.sleep(late["wait"] / 1000 + 0.01)
        # Its op is not the first member: it is guessed at twice, and pays once.
        ws.send('{"ref":"e","op":"emit","ack":"memory","signal":{"type":"x"}}')
        assert ws.json()["op"] == "ack"
        eventually(lambda: len(b.history()) == taken + 1)


@test("a batch is never refused in the middle: it goes on at the pace that is allowed")
def _():
    with box(rate=100) as b:
        lines = "".join(json.dumps({"type": "n", "payload": {"n": n}}) + "\n" for n in range(250))
        begun = time.monotonic()

        def post(body):
            answer = b.request("POST", "/api/signal", body,
                               {"Content-Type": "application/x-ndjson"}, unix=False)
            assert answer.status == 200 and answer.json()["rejectedCount"] == 0, answer
            return answer.json()["accepted"]

        assert post(lines) == 250
        took = time.monotonic() - begun
        assert took >= 1.4, f"250 signals at 100 a second, of which 100 at once, took {took:.2f} s"
        assert [s["payload"]["n"] for s in b.history()] == list(range(250))
        # The next one waits from its first line on, and so does a last one without a newline.
        assert post(lines) == 250
        assert post('{"type":"lone"}') == 1
        took = time.monotonic() - begun
        assert took >= 3.9, f"501 signals at 100 a second, of which 100 at once, took {took:.2f} s"
        assert len(b.history()) == 501
        assert metrics(b)["signalbox_producers_held_total"] >= 1


@test("small batches without a newline are no way around the ceiling")
def _():
    with box(rate=5) as b:
        begun = time.monotonic()
        for n in range(9):
            answer = b.request("POST", "/api/signal?ack=memory", json.dumps({"type": "n"}),
                               {"Content-Type": "application/x-ndjson"}, unix=False)
            assert answer.status == 200 and answer.json()["accepted"] == 1, answer
        assert time.monotonic() - begun >= 0.7, "nine signals at 5 a second, of which 5 at once"


@test("a client of /ws/signals is held and not closed: all of it comes, in order, at the pace")
def _():
    with box(rate=200) as b, WS(b, "/ws/signals?mode=send") as ws:
        begun = time.monotonic()
        # All at once: who sends them one by one may be too slow to be held.
        ws.wire.send(b"".join(frame_bytes(TEXT, json.dumps({"type": "n", "payload": {"n": n}}).encode())
                              for n in range(600)))
        eventually(lambda: len(b.history("&limit=1000")) == 600, every=0.1)
        took = time.monotonic() - begun
        # The last read may bring a quarter of a second more than is paid for.
        assert took >= 1.5, f"600 signals at 200 a second, of which 200 at once, took {took:.2f} s"
        assert [s["payload"]["n"] for s in b.history("&limit=1000")] == list(range(600))
        assert metrics(b)["signalbox_producers_held_total"] >= 1


@test("who is held is not taken for dead")
def _():
    with Box(env={LIMITS + "RATE": "1", LIMITS + "PING": "500ms", LIMITS + "PONG": "500ms"}) as b:
        with WS(b, "/ws/signals?mode=send") as ws:
            for n in range(4):
                ws.send({"type": "n", "payload": {"n": n, "fill": "x" * 1000}})
            eventually(lambda: len(b.history()) == 4, every=0.1)


@test("connections and subscriptions of a credential end at its share, with 429 and words")
def _():
    with box(CALLER_CONNECTIONS=3, CALLER_SUBSCRIPTIONS=2) as b:
        first, second = Events(b, unix=False), WS(b, "/ws/signals")
        for open_one, words in ((lambda: WS(b, "/ws/signals"), "subscriptions"),
                                (lambda: Events(b, unix=False), "subscriptions")):
            try:
                open_one()
                raise AssertionError("one too many came in")
            except Refused as refused:
                assert refused.response.status == 429, refused.response
                assert refused.response.headers["retry-after"] == "5", refused.response.headers
                assert words in refused.response.json()["error"], refused.response
        third = WS(b)
        assert third.json()["op"] == "hello"
        third.send({"op": "subscribe", "ref": 1})
        said = third.json()
        assert said["code"] == "too_many" and said["ref"] == 1, said
        try:
            WS(b, "/ws/signals?mode=send")
            raise AssertionError("one too many came in")
        except Refused as refused:
            assert "connections" in refused.response.json()["error"], refused.response
            assert refused.response.headers["retry-after"] == "5", refused.response.headers
        other = WS(b, "/ws/signals", unix=True)  # another producer
        first.close()
        second.close()
        third.send({"op": "subscribe", "ref": 2})
        eventually(lambda: subscribed(third))
        counts = metrics(b)
        assert counts['signalbox_connections_refused_total{reason="connections"}'] == 1, counts
        assert counts['signalbox_connections_refused_total{reason="subscriptions"}'] >= 3, counts
        other.close()
        third.close()
        eventually(lambda: comes_in(b))


def subscribed(ws):
    if ws.json()["op"] == "ack":
        return True
    ws.send({"op": "subscribe", "ref": 2})
    return False


def comes_in(b):
    try:
        WS(b, "/ws/signals").close()
        return True
    except Refused:
        return False


@test("SIGHUP sets and lifts the ceilings, for those who are connected too")
def _():
    def reload(limits):
        done = b.log().count("was read again")
        write_config(b, "listen: ['127.0.0.1:0']\n" + limits)
        os.kill(b.pid, signal.SIGHUP)
        eventually(lambda: b.log().count("was read again") > done)

    def burst():
        for n in range(30):
            ws.send({"op": "emit", "ref": n + 1, "ack": "memory", "signal": {"type": "x"}})
        return sum(ws.json()["op"] == "error" for _ in range(30))

    b = Box(listen=())
    b.args = ["--config", str(write_config(b, "listen: ['127.0.0.1:0']\n"))]
    with b.start(), WS(b) as ws:
        assert ws.json()["op"] == "hello"
        assert burst() == 0
        reload("limits: {rate: 1, caller_connections: 1}\n")
        assert burst() >= 20
        assert not comes_in(b)
        reload("limits: {rate: 0}\n")
        assert burst() == 0
        assert comes_in(b)


@test("a token's share is its own, however many connections use it")
def _():
    b = Box(listen=())
    b.data.mkdir(mode=0o700, parents=True)
    for name, secret in (("a", "ab" * 32), ("b", "cd" * 32)):
        path = b.data / name
        path.write_text(secret)
        path.chmod(0o600)
    rows = "".join(f"  - {{name: {n}, file: {n}, scopes: emit}}\n" for n in "ab")
    text = f"listen: ['127.0.0.1:0']\nlimits: {{rate: 2}}\nauth:\n tokens:\n{rows}"
    b.args = ["--config", str(write_config(b, text))]
    with b.start():
        def statuses(secret):
            head = {"Authorization": f"Bearer {secret}"}
            return [b.request("POST", "/api/signal?ack=memory", {"type": "x"}, head).status
                    for _ in range(8)]
        flood = statuses("ab" * 32)
        assert flood[:2] == [200, 200], flood
        eventually(lambda: 429 in statuses("ab" * 32))
        assert statuses("cd" * 32)[:2] == [200, 200]


# --- a runaway producer --------------------------------------------------------


def flood(box, stop):
    """As fast as it goes, on a connection of its own."""
    body = json.dumps({"type": "flood", "payload": {"x": "y" * 100}}).encode()
    frames = memoryview(frame_bytes(TEXT, body) * 50)
    with WS(box, "/ws/signals?mode=send") as ws:
        ws.wire.sock.settimeout(0.1)
        at = 0
        while not stop.is_set():
            try:
                at = (at + ws.wire.sock.send(frames[at:])) % len(frames)
            except TimeoutError:
                pass
    os._exit(0)  # none of the parent's business at the end of it


def serve_others(box, n):
    """From another producer to the ear of a third, one after the other."""
    with WS(box, "/ws/signals?type=mine", unix=True) as ear, WS(box, unix=True) as mouth:
        assert mouth.json()["op"] == "hello"
        for i in range(n):
            mouth.send('{"type":"mine","payload":{"i":%d}}' % i)
            assert ear.json()["payload"]["i"] == i
            time.sleep(0.01)


def flooded(rate):
    """Signals a second that came in while two connections flooded and others were served."""
    with box(rate=rate) as b:
        fork = multiprocessing.get_context("fork")
        stop = fork.Event()
        floods = [fork.Process(target=flood, args=(b, stop), daemon=True) for _ in range(2)]
        for process in floods:
            process.start()
        try:
            eventually(lambda: metrics(b)["signalbox_signals_accepted_total"] > 1000)
            begun, seq = time.monotonic(), metrics(b)["signalbox_signals_accepted_total"]
            serve_others(b, 150)
            return (metrics(b)["signalbox_signals_accepted_total"] - seq) / (time.monotonic() - begun)
        finally:
            stop.set()
            for process in floods:
                process.join(5)


@test("beside two connections that flood others are served, with a ceiling and without")
def _():
    flooded(0)
    # The others' own and what was read at once are on top of the ceiling.
    rate_in = flooded(1000)
    assert rate_in < 1000 * 1.5 + 400, f"{rate_in:.0f} a second"


run()
