#!/usr/bin/env python3
"""The JSON parsing corpus, each file as a member of a payload, through POST and
through a WebSocket: what must be JSON is admitted, what is not is refused with a
reason, and nothing is lost or broken by either."""

import json

import segments
from lib import SHARED, Box, Skip, WS, run, test

CORPUS = SHARED / "vectors" / "json" / "test_parsing"


def cases():
    if not CORPUS.is_dir():
        raise Skip("the corpus ../shared/vectors/json is not here")
    files = sorted(CORPUS.glob("*.json"))
    assert len(files) > 300, len(files)
    for path in files:
        yield path.name, path.read_bytes()


def envelope(name, value):
    return (b'{"type":"corpus","id":' + json.dumps(name).encode() +
            b',"payload":{"value":' + value + b"}}")


@test("every file of the corpus by POST: y_ admitted, n_ refused with words, i_ either")
def _():
    with Box() as box:
        http = box.http()
        admitted = 0
        for name, value in cases():
            answer = http.ask("POST", "/api/signal?ack=memory", envelope(name, value))
            assert answer.status in (200, 400), (name, answer)
            if name[0] == "y":
                assert answer.status == 200, (name, answer)
            elif name[0] == "n":
                assert answer.status == 400 and answer.json()["error"], (name, answer)
            admitted += answer.status == 200
        history = box.history()
        assert len(history) == admitted, (len(history), admitted)
        assert [s["seq"] for s in history] == list(range(1, admitted + 1))


def judge(ws, name):
    """What the server made of it: "ack", "error" or a close."""
    said = ws.recv()
    if said is None:
        assert ws.close_code == 1007, (name, ws.close_code)
        return "close"
    said = json.loads(said)
    assert said["op"] in ("ack", "error"), (name, said)
    if said["op"] == "error":
        assert said["code"] == "invalid" and said["message"], (name, said)
    return said["op"]


@test("the same through a WebSocket; a close 1007 is a refusal too")
def _():
    with Box() as box:
        ws, admitted = None, 0
        for name, value in cases():
            if ws is None:
                ws = WS(box)
                assert ws.json()["op"] == "hello"
            message = b'{"op":"emit","ref":1,"ack":"memory","signal":' + envelope(name, value) + b"}"
            ws.send_frame(1, message)
            verdict = judge(ws, name)
            if name[0] == "y":
                assert verdict == "ack", (name, verdict)
            elif name[0] == "n":
                assert verdict != "ack", (name, verdict)
            if verdict == "close":
                ws.close()
                ws = None
            admitted += verdict == "ack"
        assert len(box.history()) == admitted


@test("pretty-printed signals are one line each, CR and LF between tokens or not")
def _():
    with Box() as box:
        signal = {"type": "x", "payload": {"text": "two\nlines", "list": [1, {"a": None}]}}
        for text in (json.dumps(signal, indent=4), json.dumps(signal, indent="\t").replace("\n", "\r\n")):
            assert box.request("POST", "/api/signal", text).status == 200
        lines = segments.all_lines(box.data)
        assert len(lines) == 2
        for line in lines:
            assert json.loads(line)["payload"] == signal["payload"]


@test("escaped lone surrogates are admitted and carried through as they were written")
def _():
    with Box() as box, WS(box) as ws:
        ws.json()
        ws.send({"op": "subscribe"})
        text = r'{"type":"x","payload":{"a":"\ud800","b":"\udc00\ud800x"}}'
        assert box.request("POST", "/api/signal", text).status == 200
        line = ws.recv()
        assert r'{"a":"\ud800","b":"\udc00\ud800x"}' in line, line


@test("raw bytes that are not UTF-8 are refused by both doors")
def _():
    with Box() as box, WS(box) as ws:
        ws.json()
        bad = b'{"type":"x","payload":{"a":"\xff"}}'
        answer = box.request("POST", "/api/signal", bad)
        assert answer.status == 400 and answer.json()["error"], answer
        ws.send_frame(1, bad)
        assert ws.recv() is None and ws.close_code == 1007
        assert box.history() == []


@test("members given twice, too deep and too big are refused, exactly at the limit")
def _():
    def nested(depth):
        return '{"type":"x","payload":' + '{"a":' * (depth - 2) + "{}" + "}" * (depth - 2) + "}"

    with Box() as box:
        assert box.request("POST", "/api/signal", nested(64)).status == 200
        answer = box.request("POST", "/api/signal", nested(65))
        assert answer.status == 400 and "deep" in answer.json()["error"], answer
        for twice in ('{"type":"x","type":"y"}', '{"type":"x","id":"a","i\\u0064":"b"}'):
            answer = box.request("POST", "/api/signal", twice)
            assert answer.status == 400 and answer.json()["error"], answer
        head, tail = '{"type":"x","payload":{"a":"', '"}}'
        fits = head + "a" * ((1 << 20) - len(head) - len(tail)) + tail
        assert box.request("POST", "/api/signal", fits).status == 200
        assert box.request("POST", "/api/signal", fits + " ").status in (200, 413)
        assert box.request("POST", "/api/signal", fits.replace('"}}', 'a"}}')).status == 413


run()
