#!/usr/bin/env python3
"""Listeners that are for voice alone: what they say to a plain request, and whom they let in."""

from doors import as_other_user, config_box, reload, status, upgrade
from lib import WS, cli, run, temp_dir, test

PINNED = 'listen: ["127.0.0.1:0", {address: "127.0.0.1:0", dialect: voice%s}]\n'


class Port:
    """The box is asked at its second address for a while."""

    def __init__(self, box):
        self.box, self.port = box, int(box.addresses[1].rsplit(":", 1)[1])

    def __enter__(self):
        self.kept, self.box.port = self.box.port, self.port

    def __exit__(self, *_):
        self.box.port = self.kept


def pinned(more="", rest=""):
    return config_box(PINNED % more + rest, listen=())


@test("there / and /health answer everybody, /ws wants an upgrade, and all else is as elsewhere")
def _():
    with pinned() as box:
        assert status(box, "/health", box.bearer()) == 404
        with Port(box):
            root = box.request("GET", "/", unix=False)
            assert root.status == 200 and root.json()["path"] == "/ws", root
            health = box.request("GET", "/health", unix=False)
            assert health.status == 200 and health.json() == {"status": "ok"}, health
            assert box.request("HEAD", "/health", unix=False).status == 200
            assert status(box, "/ws") == 426
            assert status(box, "/health", method="POST") in (401, 404)
            assert status(box, "/healthz") == 200
            assert status(box, "/health", {"Host": "evil.example"}) == 421


@test("a program and a page of this machine get in without a token, and speak voice alone")
def _():
    with pinned() as box, Port(box):
        for origin in (None, "http://localhost:5173", "http://127.0.0.1:3000", "https://[::1]:8443"):
            headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site"} if origin else {}
            for path in ("/ws", "/"):
                with WS(box, path, headers) as talk:
                    assert talk.json()["type"] == "session.ready"
            assert upgrade(box, "/ws/run", headers) == (403 if origin else 101), origin
            if origin:
                assert status(box, "/api/runs", headers) == 403
        for origin in ("http://evil.example", "null", "http://localhost.evil.example", "http://localhost:0"):
            assert upgrade(box, "/ws", {"Origin": origin}) == 403, origin
        assert upgrade(box, "/ws", {"X-Forwarded-For": "10.0.0.1"}) == 401
        assert box.request("POST", "/api/control", {"run": "r", "do": "pause"}, unix=False).status == 401
        assert as_other_user(lambda: 0 if upgrade(box, "/ws") == 401 else 1) == 0


@test("elsewhere a token is needed, and a page of another origin stays outside")
def _():
    with pinned() as box:
        assert upgrade(box, "/ws/voice") == 401
        assert upgrade(box, "/ws/voice", {"Origin": "http://localhost:5173"}) == 403


@test("`local` and `origins` of such a listener say whom it lets in")
def _():
    studio = {"Origin": "https://studio.example"}
    with pinned(", local: none") as box, Port(box):
        assert upgrade(box, "/ws") == 401
        assert upgrade(box, "/ws", {"Origin": "http://localhost:5173"}) == 403
        assert upgrade(box, "/ws", box.bearer()) == 101
    with pinned(', local: control, origins: ["https://studio.example"]') as box:
        with Port(box):
            assert upgrade(box, "/ws", studio) == 101
            assert upgrade(box, "/ws") == 101
            assert upgrade(box, "/ws", {"Origin": "http://localhost:5173"}) == 403
            assert status(box, "/api/runs", studio) == 403
            assert upgrade(box, "/ws/run", studio) == 403
        assert upgrade(box, "/ws/voice", {**studio, **box.bearer()}) == 403
    with pinned(', origins: ["https://studio.example"]') as box, Port(box):
        assert upgrade(box, "/ws", studio) == 101


@test("origins need a dialect, and a form")
def _():
    top = temp_dir()
    for row in ('origins: ["https://studio.example"]', 'dialect: voice, origins: ["studio"]'):
        file = top / "signalbox.yaml"
        file.write_text('listen: [{address: "127.0.0.1:0", %s}]\n' % row)
        answer = cli("check", file, "--data", top / "data")
        assert answer.code != 0 and "origin" in answer.out + answer.err, answer


@test("another configuration changes times and the trigger of sessions that are there")
def _():
    with pinned() as box, Port(box), WS(box, "/ws") as talk:
        talk.json(), talk.json()
        reload(box, PINNED % "" + "voice: {trigger: off}\n")
        talk.send({"type": "mocked.turn.trigger", "payload": {}})
        assert talk.json()["payload"]["code"] == "unsupported_mocked_turn_trigger"


run()
