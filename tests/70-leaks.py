#!/usr/bin/env python3
# leaks
"""One box and every kind of client, then the end: under a sanitizer, the memory
that nobody gave back is found there."""

from lib import WS, Box, Events, Refused, cli, run, test


def every_client(box):
    with WS(box, "/ws", unix=True) as native, WS(box, "/ws/signals", unix=True) as bare:
        assert native.json()["op"] == "hello"
        native.send({"op": "subscribe", "after": 0, "types": ["step.*"], "sources": ["me"]})
        native.send({"op": "emit", "ref": 1, "signal": {"type": "step.one", "source": "me"}})
        native.send("no JSON at all")
        seen = {}
        while {"signal", "ack"} - seen.keys():
            message = native.json()
            seen["signal" if "type" in message else message["op"]] = message
        bare.send({"type": "step.two", "source": "me"})
        with Events(box, "/api/stream?after=0&source=me") as events:
            assert events.json()["type"] == "step.one"


def every_change(box):
    """Of the show: all that can be done to it, well and badly."""
    show = "/api/show"
    wire = {"fromZone": "signal", "fromId": "x", "toZone": "signal-type", "toId": "y"}
    whole = box.request("GET", show).json()
    for method, path, body, status in (
        ("POST", "/wires", {**wire, "id": "a"}, 201), ("POST", "/wires", {**wire, "id": "a"}, 409),
        ("PUT", "/wires/a", {**wire, "toId": "z"}, 200), ("PUT", "/wires/a", [], 400),
        ("DELETE", "/wires/a", None, 200), ("DELETE", "/wires/a", None, 404),
        ("PUT", "", {**whole, "name": "other"}, 200), ("PUT", "", "{}", 400),
        ("POST", "/stop", None, 200), ("POST", "/start", None, 200),
    ):
        assert box.request(method, show + path, body).status == status, (method, path)
    assert box.request("GET", f"{show}/wires").status == 200


def every_request(box):
    lines = "".join(f'{{"type":"line","payload":{{"n":{n}}}}}\n' for n in range(200)) + "bad\n"
    kind = {"Content-Type": "application/x-ndjson"}
    assert box.request("POST", "/api/signal", lines, kind).json()["accepted"] == 200
    assert box.request("POST", "/api/signal", "[]").status == 400
    assert len(box.history("&type=line")) == 200
    for path in ("/", "/healthz", "/readyz", "/api/status", "/api/signals?q=line&before=9"):
        assert box.request("GET", path).status == 200, path
    assert box.request("GET", "/nowhere").status == 404
    every_change(box)
    assert box.request("GET", "/", headers={"Host": "evil.example"}, unix=False).status >= 400
    try:
        WS(box, "/ws?after=x&", headers={"Origin": "http://evil.example"})
        raise AssertionError("a page of somebody else's was let in")
    except Refused:
        pass


@test("a box that served everybody, and started again, gives all its memory back")
def _():
    with Box() as box:
        every_client(box)
        every_request(box)
        box.restart()
        every_client(box)
        left_open = WS(box, "/ws", unix=True)
        assert left_open.json()["op"] == "hello"


@test("the commands give their memory back")
def _():
    with Box() as box:
        where = ["--data", box.data]
        assert cli("emit", *where, input='{"type":"a"}\n{"type":"b"}\n').code == 0
        assert cli("emit", "no JSON", *where).code == 1
        assert cli("tail", "--from", "0", "--count", "2", *where).code == 0
        assert cli("status", *where).code == 0
        assert cli("token", "show", *where).code == 0
    assert cli("journal", "verify", "--data", box.data).code == 0
    assert cli("srve").code == 2


run()
