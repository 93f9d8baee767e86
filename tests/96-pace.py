#!/usr/bin/env python3
# long
"""Whoever is too fast is told to wait or held, waits as told, and loses nothing: `signalbox
emit` and `run`, hooks, and the sources that we dial."""

import json
import time

import servers
from lib import PATIENCE_S, Box, Http, cli, eventually, request_bytes, run, test
from servers import STREAMS, Socket, Upstream, add_source

RATE = "SIGNALBOX_LIMITS_RATE"


def metrics(box):
    text = box.request("GET", "/metrics").text
    return {k: float(v) for k, _, v in (l.rpartition(" ") for l in text.splitlines()
                                        if not l.startswith("#"))}


def numbers(box, kind):
    return [s["payload"]["n"] for s in box.history(f"&limit=1000&type={kind}")]


def refusals(box):
    return metrics(box)['signalbox_signals_refused_total{reason="too_fast"}']


@test("one emit after the other waits when it is told to, and all come in order")
def _():
    with Box(env={RATE: "4"}) as box:
        begun = time.monotonic()
        for n in range(7):
            done = cli("emit", "--type", "one", "--payload", json.dumps({"n": n}), "--data", box.data)
            assert done.code == 0 and done.out == f"{n + 1}\n" and done.err == "", done
        whole = cli("emit", '{"type":"one","payload":{"n":7}}', "--data", box.data)
        assert whole.code == 0 and whole.out == "8\n", whole
        assert time.monotonic() - begun >= 0.9, "eight at 4 a second, of which 4 at once"
        assert refusals(box) >= 1, "nobody was told to wait"
        assert numbers(box, "one") == list(range(8))


@test("a pipe into emit goes on at the pace, and hears that it is held")
def _():
    with Box(env={RATE: "10"}) as box:
        lines = "".join(json.dumps({"type": "pipe", "payload": {"n": n}}) + "\n" for n in range(32))
        wire = Http(box.connect(unix=False))  # another producer
        wire.send(request_bytes("POST", "/api/signal", lines.replace("pipe", "wire"),
                                {"Host": f"127.0.0.1:{box.port}", "Content-Type": "application/x-ndjson"}))
        begun = time.monotonic()
        done = cli("emit", "--data", box.data, input=lines)
        took = time.monotonic() - begun
        assert done.code == 0 and done.err == "", done
        assert done.out.count("..") == 1 and took >= 2.0, (done, took)
        assert numbers(box, "pipe") == list(range(32))
        # What a program says through `run` is sent by a client of its own.
        talk = "for n in $(seq 22); do echo '{\"type\":\"ran\",\"payload\":{\"n\":'$n'}}'; done; sleep 2.6"
        said = cli("run", "--data", box.data, "--parse", "envelope", "--", "sh", "-c", talk)
        assert said.code == 0 and said.err == "", said
        eventually(lambda: numbers(box, "ran") == list(range(1, 23)), PATIENCE_S)
        # The two of them got this word, too, and took it for what it is.
        assert wire.head()[0] == 100
        assert wire.answer("POST").json()["accepted"] == 32


# --- hooks ----------------------------------------------------------------------

HOOK = "/api/hooks/claude-code"
STOP = {"hook_event_name": "Stop", "session_id": "s"}


def taken(box):
    return metrics(box)["signalbox_hooks_taken_total"]


@test("a hook too many is answered 429 with the time to wait, and other producers go on")
def _():
    with Box(env={RATE: "2"}) as box:
        ask = lambda path=HOOK: box.request("POST", path, STOP)
        late = eventually(lambda: next((a for a in [ask() for _ in range(4)] if a.status != 200), None))
        assert late.status == 429 and late.json()["reason"] == "too_fast", late
        assert 0 < late.json()["wait"] <= 500 and late.headers["retry-after"] == "1", late
        assert refusals(box) >= 1
        # Another route for them is no way around it, and what else they send has its own share.
        assert 429 in [ask(HOOK + "/decide").status for _ in range(4)]
        answer = box.request("POST", "/api/signal?ack=memory", {"type": "x"})
        assert answer.status == 200, answer
        time.sleep(late.json()["wait"] / 1000)
        eventually(lambda: ask().status == 200)


@test("signalbox hook waits for its turn if that comes soon, and else lets the agent go on")
def _():
    def hook(*args):
        was, begun = (refusals(box), taken(box)), time.monotonic()
        done = cli("hook", *args, "--data", box.data, input=json.dumps(STOP))
        assert (done.code, done.out, done.err) == (0, "", ""), done
        now = (refusals(box), taken(box))
        return now[0] - was[0], now[1] - was[1], time.monotonic() - begun

    with Box(env={RATE: "12"}) as box:
        # Told to wait for a twelfth of a second, it came again, and was taken.
        eventually(lambda: any(refused and took for refused, took, _ in [hook() for _ in range(6)]))
    with Box(env={RATE: "2"}) as box:
        eventually(lambda: any(refused and not took and s < 0.45
                               for refused, took, s in [hook() for _ in range(4)]))
        # One that waits for a person has more patience.
        eventually(lambda: any(refused and took for refused, took, _ in
                               [hook("--decide") for _ in range(3)]))


# --- sources that we dial ---------------------------------------------------------

COUNT, BIG = 45, "x" * 8000


def line(kind, n, fill=""):
    return json.dumps({"type": kind, "payload": {"n": n, "fill": fill}}).encode()


def stream_torrent(peer, request):
    peer.begin("application/x-ndjson")
    peer.chunk(b"".join(line("sse", n) + b"\n" for n in range(COUNT)))
    pour(peer, "sse", lambda n: peer.chunk(line("sse", n, BIG) + b"\n"))
    return False


class Torrent(Socket):
    def serve_torrent(self):
        for n in range(COUNT):
            self.frame(1, line("websocket", n))
        pour(self.peer, "websocket", lambda n: self.frame(1, line("websocket", n, BIG)))


def pour(peer, kind, say):
    """More than all the buffers between us hold, unless somebody reads it."""
    peer.sock.settimeout(1)
    try:
        for n in range(COUNT, COUNT + 3000):
            say(n)
        peer.up.pushed[kind] = "all of it was read"
    except TimeoutError:
        peer.up.pushed[kind] = "held"
        peer.wait_closed()


@test("a source that we dial is held at its pace: it is not read, and all comes in order")
def _():
    STREAMS["torrent"] = stream_torrent
    servers.Socket = Torrent
    with Upstream() as up, Box(env={RATE: "20"}) as box:
        begun = time.monotonic()
        for kind, url in (("websocket", up.ws_url), ("sse", up.url)):
            add_source(box, url=url + "/torrent", protocol=kind)
        answer = box.request("POST", "/api/signal?ack=memory", {"type": "x"})
        assert answer.status == 200, "another producer has its own share"
        eventually(lambda: min(len(numbers(box, k)) for k in ("websocket", "sse")) >= COUNT)
        took = time.monotonic() - begun
        # It is taken four times a second, and may be a quarter of a second early.
        assert took >= (COUNT - 20) / 20 - 0.3, f"{took:.2f} s"
        eventually(lambda: len(up.pushed) == 2)
        assert set(up.pushed.values()) == {"held"}, up.pushed
        for kind in up.pushed:
            got = numbers(box, kind)
            assert got == list(range(len(got))), (kind, got)
            assert len(got) < 20 * (time.monotonic() - begun + 1.3), (kind, len(got))
        assert metrics(box)["signalbox_producers_held_total"] >= 2


run()
