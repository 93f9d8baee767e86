#!/usr/bin/env python3
# long
"""Whoever is too fast is told to wait or held, waits as told, and loses nothing: `signalbox
emit` and `run`, hooks, and the sources that we dial."""

import json
import subprocess
import time
from pathlib import Path

import servers
from lib import (PATIENCE_S, SIGNALBOX, Box, Http, Process, at_last, cli, environment, eventually,
                 in_time, request_bytes, run, temp_dir, test)
from servers import STREAMS, Socket, Upstream, add_source

RATE = "SIGNALBOX_LIMITS_RATE"
NAME = Path("/proc/self/comm")
PIPES = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}


def metrics(box):
    text = box.request("GET", "/metrics").text
    return {k: float(v) for k, _, v in (l.rpartition(" ") for l in text.splitlines()
                                        if not l.startswith("#"))}


def numbers(box, kind):
    return [s["payload"]["n"] for s in box.history(f"&limit=1000&type={kind}")]


def refusals(box):
    return metrics(box)['signalbox_signals_refused_total{reason="too_fast"}']


def ask_signal(box):
    return box.request("POST", "/api/signal?ack=memory", {"type": "crowd"})


def crowd_out(box, ask, *command, **how):
    """Runs a command while we take all that its pace allows, until it was told to wait: on a
    slow machine it would never come too early by itself.  What it printed, and how long it went
    on after that word; it ends well."""
    def attempt():
        while ask(box).status == 200:
            pass
        others = refusals(box)
        with subprocess.Popen([SIGNALBOX, *command, "--data", box.data], env=environment(),
                              **PIPES) as p:
            p.stdin.write(how.get("input", "").encode())
            p.stdin.close()
            while p.poll() is None and refusals(box) <= others:
                others += ask(box).status == 429
            was_told, begun = refusals(box) > others, time.monotonic()
            out, err = p.stdout.read(), p.stderr.read()
            assert p.wait(PATIENCE_S) == 0 and err == b"", (out, err)
        in_time(was_told, "it was not told to wait")
        return out.decode(), time.monotonic() - begun

    was = NAME.read_text()
    NAME.write_text("signalbox")  # whoever is called so is this one producer
    try:
        return at_last(attempt)
    finally:
        NAME.write_text(was)


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
        assert numbers(box, "one") == list(range(8))
        told, _ = crowd_out(box, ask_signal, "emit", "--type", "one", "--payload", '{"n":8}')
        assert told.count("\n") == 1 and set(numbers(box, "one")) == set(range(9)), told


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
        came = temp_dir() / "came"
        talk = ("for n in $(seq 22); do echo '{\"type\":\"ran\",\"payload\":{\"n\":'$n'}}'; done; "
                f"until [ -e {came} ]; do sleep 0.05; done")
        with Process("run", "--data", box.data, "--parse", "envelope", "--", "sh", "-c", talk) as said:
            eventually(lambda: numbers(box, "ran") == list(range(1, 23)))
            came.touch()
            assert said.wait() == 0 and said.err() == "", said.err()
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
        assert late.status == 429 and late.json()["code"] == "too_fast", late
        assert 0 < late.json()["wait"] <= 500 and late.headers["retry-after"] == "1", late
        assert refusals(box) >= 1
        # Another route for them is no way around it, and what else they send has its own share.
        eventually(lambda: 429 in [ask(HOOK + "/decide").status for _ in range(4)])
        answer = box.request("POST", "/api/signal?ack=memory", {"type": "x"})
        assert answer.status == 200, answer
        time.sleep(late.json()["wait"] / 1000)
        eventually(lambda: ask().status == 200)


@test("signalbox hook waits for nobody, however fast others are")
def _():
    with Box(env={RATE: "2"}) as box:
        while box.request("POST", HOOK, STOP).status == 200:
            pass
        was, others = taken(box), refusals(box)
        done = cli("hook", "--data", box.data, input=json.dumps(STOP))
        assert done.code == 0 and done.out == "" and done.err == "", done
        eventually(lambda: taken(box) > was)
        assert refusals(box) == others


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
