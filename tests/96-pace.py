#!/usr/bin/env python3
"""Whoever is too fast is told to wait or held, waits as told, and loses nothing: `signalbox
emit` and `run`, hooks, and the sources that we dial."""

import json
import time

from lib import PATIENCE_S, Box, Http, cli, eventually, request_bytes, run, test

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
        lines = "".join(json.dumps({"type": "pipe", "payload": {"n": n}}) + "\n" for n in range(35))
        wire = Http(box.connect(unix=False))  # another producer
        wire.send(request_bytes("POST", "/api/signal", lines.replace("pipe", "wire"),
                                {"Host": f"127.0.0.1:{box.port}", "Content-Type": "application/x-ndjson"}))
        begun = time.monotonic()
        done = cli("emit", "--data", box.data, input=lines)
        took = time.monotonic() - begun
        assert done.code == 0 and done.err == "", done
        assert done.out.count("..") == 1 and took >= 2.3, (done, took)
        assert numbers(box, "pipe") == list(range(35))
        # What a program says through `run` is sent by a client of its own.
        talk = "for n in $(seq 25); do echo '{\"type\":\"ran\",\"payload\":{\"n\":'$n'}}'; done; sleep 3"
        said = cli("run", "--data", box.data, "--parse", "envelope", "--", "sh", "-c", talk)
        assert said.code == 0 and said.err == "", said
        eventually(lambda: numbers(box, "ran") == list(range(1, 26)), PATIENCE_S)
        # The two of them got this word, too, and took it for what it is.
        assert wire.head()[0] == 100
        assert wire.answer("POST").json()["accepted"] == 35


run()
