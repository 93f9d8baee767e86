#!/usr/bin/env python3
"""Sources over WebSocket and HTTP streams: every fault leaves a clear state and words,
a `source.state` signal, and a reconnect where one makes sense."""

import time

from lib import Box, eventually, run, test
from servers import (MODELS, Certificates, Upstream, add_source, source_of,
                     until_state)

CANARY = "sk-canary-4711"


def states(box, id):
    """Every change of a source's state, as the journal tells it."""
    return [s["payload"] for s in box.history("&type=source.state")
            if s["payload"]["sourceId"] == id]


def notes(box):
    return [s["payload"]["n"] for s in box.history("&type=note")]


def until_notes(box, wanted, endless=False):
    """Waits until the notes are these; of an endless stream, the first ones."""
    eventually(lambda: notes(box)[:len(wanted) if endless else None] == wanted)


def until_retry(box, id):
    """Waits until the source is lost and to be tried again; what it looks like."""
    def look():
        source = source_of(box, id)
        return source if source["state"] == "connecting" and source["error"] else None
    return eventually(look)


# --- after a restart ----------------------------------------------------------------


@test("an event stream goes on after a restart where the journal left it, nothing lost or twice")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.url + "/sse", protocol="sse")
        until_notes(box, [1, 2, 3, 4, 5, 6])
        got = box.history("&type=note")[1]
        assert got["metadata"]["position"] == {"source": id, "at": "2"}, got
        box.emit({"type": "x"})  # what came before it is on the disk now
        box.kill9()
        box.start()
        until_notes(box, list(range(1, 10)))
        box.restart()
        until_notes(box, list(range(1, 13)))
        assert up.of("/sse")[-1].headers["last-event-id"] == "9", up.of("/sse")[-1].head


@test("an event that was cut before its empty line is not taken where ids are given")
def _():
    with Upstream() as up, Box() as box:
        add_source(box, url=up.url + "/half", protocol="sse")
        until_notes(box, [1, 2])
        assert [s["id"] for s in box.history("&type=note")] == ["s1", "s2"]
        assert up.of("/half")[1].headers["last-event-id"] == "1", up.of("/half")[1].head


# --- WebSocket ------------------------------------------------------------------


@test("one bad frame of a WebSocket source costs one frame")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.ws_url + "/spoilt")
        until_notes(box, [1, 2, 3, 4, 5])
        got = eventually(lambda: (s := source_of(box, id))["badFrames"] == 4 and s)
        assert got["state"] == "connected" and got["connects"] == 1, got


@test("a source that is lost again at once is waited for longer each time")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.ws_url + "/leaves")
        eventually(lambda: len(notes(box)) >= 4)
        came = [s["timestamp"] for s in box.history("&type=source.state")
                if s["payload"]["sourceId"] == id and s["payload"]["to"] == "connected"]
        gaps = [b - a for a, b in zip(came, came[1:])]
        assert gaps[1] >= 1000 and gaps[2] >= 2000, gaps


@test("a WebSocket source gives signals, its meta frames are shown, and it takes commands")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.ws_url + "/emitter", credential=CANARY)
        source = until_state(box, id, "connected")
        assert source["protocol"] == "websocket", source
        until_notes(box, [1])
        assert source_of(box, id)["meta"]["available"] == ["one", "two"]
        assert up.heard[0].headers["authorization"] == f"Bearer {CANARY}", up.heard[0].head
        command = {"command": "switch", "scenario": "two"}
        answer = box.request("POST", f"/api/sources/{id}/send", command)
        assert answer.status == 200, answer
        until_notes(box, [1, 2])
        assert box.history("&type=note")[1]["source"] == "adapter:emitter"
        assert source_of(box, id)["meta"]["scenario"] == "two"
        assert states(box, id) == [
            {"sourceId": id, "from": "disconnected", "to": "connecting"},
            {"sourceId": id, "from": "connecting", "to": "connected"}], states(box, id)


@test("a message goes only to a source that is there and listens")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.url + "/ndjson", protocol="sse")
        until_state(box, id, "connected")
        answer = box.request("POST", f"/api/sources/{id}/send", {})
        assert answer.status == 501 and "cannot" in answer.json()["error"], answer
        answer = box.request("POST", "/api/sources/nobody/send", {})
        assert answer.status == 404, answer
        answer = box.request("POST", f"/api/sources/{id}/send", {}, unix=False)
        assert answer.status in (401, 403), answer


@test("a WebSocket that closes or breaks is dialled again, with words")
def _():
    with Upstream() as up, Box() as box:
        leaves = add_source(box, url=up.ws_url + "/leaves")
        breaks = add_source(box, url=up.ws_url + "/breaks")
        source = until_retry(box, leaves)
        assert "1011" in source["error"] and "out of order" in source["error"], source
        assert "lost" in until_retry(box, breaks)["error"]
        eventually(lambda: len(up.of("/leaves")) > 1 and len(up.of("/breaks")) > 1)
        assert {"sourceId": leaves, "from": "connected", "to": "connecting",
                "error": source["error"]} in states(box, leaves), states(box, leaves)


@test("a WebSocket frame that nobody understands is counted and costs nothing else")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.ws_url + "/garbage")
        until_notes(box, [1])
        source = source_of(box, id)
        assert source["state"] == "connected" and source["badFrames"] >= 1, source
        assert "JSON" in source["lastError"], source


@test("a refused upgrade with 401 is for good")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.ws_url + "/ws-401", credential=CANARY)
        source = until_state(box, id, "error")
        assert "401" in source["error"], source
        assert source["retryAt"] is None, source
        assert CANARY not in box.log(), "a credential is in the log"


@test("closing a source closes its socket")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.ws_url + "/plain")
        until_notes(box, [1])
        box.request("POST", f"/api/sources/{id}/disconnect")
        eventually(lambda: up.closed)
        assert source_of(box, id)["state"] == "disconnected"


# --- server-sent events and NDJSON ----------------------------------------------------


@test("an event stream is read as the standard says, and resumed after its last id")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.url + "/sse", protocol="sse", credential=CANARY)
        until_notes(box, [1, 2, 3, 4, 5, 6])
        first, second = up.of("/sse")
        assert first.headers["accept"] == "text/event-stream", first.head
        assert "last-event-id" not in first.headers, first.head
        assert second.headers["last-event-id"] == "3", second.head
        assert first.headers["authorization"] == f"Bearer {CANARY}", first.head
        assert until_state(box, id, "connected")["connects"] == 2


@test("an id that cannot be sent back stops no stream")
def _():
    with Upstream() as up, Box() as box:
        add_source(box, url=up.url + "/odd-id", protocol="sse")
        until_notes(box, [1, 2], endless=True)
        assert "last-event-id" not in up.of("/odd-id")[1].headers, up.of("/odd-id")[1].head


@test("an id that the server takes back is not sent again")
def _():
    with Upstream() as up, Box() as box:
        add_source(box, url=up.url + "/taken-back", protocol="sse")
        until_notes(box, [1, 2, 3], endless=True)
        _, second, third = up.of("/taken-back")[:3]
        assert second.headers["last-event-id"] == "5", second.head
        assert "last-event-id" not in third.headers, third.head


@test("an NDJSON body is a stream of signals, and a bad line is only itself")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.url + "/ndjson", protocol="sse")
        until_notes(box, [1, 2, 3])
        assert source_of(box, id)["badFrames"] == 1, source_of(box, id)


@test("a stream that breaks in the middle of an event is resumed, and the half is nothing")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.url + "/cut-stream", protocol="sse")
        assert "broke" in until_retry(box, id)["error"]
        eventually(lambda: len(up.of("/cut-stream")) > 1)
        assert set(notes(box)) == {1}, notes(box)


@test("a 204 ends a stream in peace: it is not dialled again")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.url + "/done", protocol="sse")
        source = until_state(box, id, "disconnected")
        assert source["error"] is None and source["retryAt"] is None, source
        assert len(up.of("/done")) == 2, up.heard


# --- the probe ------------------------------------------------------------------------


@test("a URL that nobody explained is probed without its credential and upgraded")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.url, credential=CANARY)
        source = until_state(box, id, "connected")
        assert source["protocol"] == "openai" and source["models"] == MODELS, source
        probe, listed = up.of("/v1/models")
        assert "authorization" not in probe.headers, probe.head
        assert CANARY not in probe.head.decode(), "a credential is in a probe"
        assert listed.headers["authorization"] == f"Bearer {CANARY}", listed.head


@test("a URL without models is a stream, and it is probed once")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.url + "/sse")
        until_notes(box, [1, 2, 3, 4, 5, 6])
        assert source_of(box, id)["protocol"] == "sse"
        assert len(up.of("/v1/models")) == 1, [r.path for r in up.heard]
        known = add_source(box, url=up.url + "/anthropic/sse")
        until_state(box, known, "connecting")
        eventually(lambda: source_of(box, known)["protocol"] == "sse")


# --- faults -----------------------------------------------------------------------------

# What stands in the path -> (state, words of the error, is it tried again)
FAULTS = {
    "401": ("error", "401 Unauthorized: your key is wrong", False),
    "403": ("error", "403 Forbidden: not you", False),
    "502": ("connecting", "502 Bad Gateway", True),
    "moved": ("connecting", "redirect (307) to http://127.0.0.1:9/elsewhere", True),
    "header": ("connecting", "head of 127.0.0.1's response is longer", True),
    "hangs-up": ("connecting", "without a response", True),
}


@test("every fault of a server leaves a state, words and a signal, and others go on")
def _():
    with Upstream() as up, Box() as box:
        good = add_source(box, url=up.ws_url + "/plain")
        until_state(box, good, "connected")
        ids = {(path, protocol): add_source(box, url=f"{up.url}/{path}", protocol=protocol,
                                            credential=CANARY)
               for path in FAULTS for protocol in ("sse", "openai")}
        slow = add_source(box, url=f"{up.url}/trickle", protocol="openai")
        pages = {"openai": "does not list models", "sse": "page for people"}
        for protocol, words in pages.items():
            id = add_source(box, url=up.url + "/html", protocol=protocol)
            assert words in until_retry(box, id)["error"], source_of(box, id)
        odd = add_source(box, url=up.url + "/not-json", protocol="openai")
        assert "does not list models" in until_retry(box, odd)["error"]
        for (path, protocol), id in ids.items():
            state, words, again = FAULTS[path]
            source = until_retry(box, id) if again else until_state(box, id, state)
            assert words in source["error"], (path, protocol, source)
            assert (source["retryAt"] is not None or source["attempt"] > 0) == again, source
            told = states(box, id)
            assert any(words in s.get("error", "") and s["to"] == state for s in told), told
            if again:
                eventually(lambda: len([r for r in up.heard if f"/{path}" in r.path]) > 2)
        assert "timed out" in until_retry(box, slow)["error"], source_of(box, slow)
        assert source_of(box, good)["state"] == "connected"
        assert len(states(box, good)) == 2, states(box, good)
        assert CANARY not in box.log(), "a credential is in the log"
        assert CANARY not in box.request("GET", "/api/sources").text
        assert CANARY not in str(box.history())


@test("a server that asks for patience gets it")
def _():
    with Upstream() as up, Box() as box:
        begun = time.time()
        id = add_source(box, url=up.url + "/429", protocol="openai")
        source = until_retry(box, id)
        assert "429 Too Many Requests: slow down" in source["error"], source
        assert source["retryAt"] >= (begun + 2) * 1000 - 50, source
        until_state(box, id, "connected")
        assert time.time() - begun >= 2, "it came back too soon"


@test("a server that is away is waited for, and a new one at its place is found")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.url, protocol="openai")
        until_state(box, id, "connected")
        up.stop()
        answer = box.request("POST", f"/api/sources/{id}/ask", {"prompt": "hello"})
        assert answer.status == 200, answer
        source = until_retry(box, id)
        assert "cannot be reached" in source["error"], source
        answer = box.request("POST", f"/api/sources/{id}/ask", {"prompt": "hello"})
        assert answer.status == 409, answer
        with Upstream(port=up.port):
            until_state(box, id, "connected")


# --- TLS ----------------------------------------------------------------------------------


@test("https and wss are verified: a good certificate is taken, a bad one is for good")
def _():
    made = Certificates()
    with Upstream(made.context()) as good, Upstream(made.context("DNS:other.example")) as wrong, \
            Box(env={"SSL_CERT_FILE": str(made.authority)}) as box, Box() as strict:
        for url in (good.url, good.ws_url + "/plain", good.url + "/sse"):
            until_state(box, add_source(box, url=url), "connected")
        for where, url in ((box, wrong.url), (box, wrong.ws_url + "/plain"),
                           (box, wrong.url + "/sse"), (strict, good.url),
                           (strict, good.ws_url + "/plain")):
            source = until_state(where, add_source(where, url=url), "error")
            assert "certificate" in source["error"], source
            assert source["retryAt"] is None, source
        assert not wrong.heard, "something was said before the certificate was looked at"


run()
