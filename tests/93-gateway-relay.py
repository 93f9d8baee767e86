#!/usr/bin/env python3
"""The gateway dialect in front of an OpenClaw gateway: methods we do not have go there.

The gateway behind the box is a scripted one (gateway.py), of protocol 3 or 4, which is killed,
comes back, says much, says what nobody knows, or says nothing at all.
"""

import json

import gateway
from doors import config_box, reload
from gateway import Gateway, Refusal, connected, in_state
from gateway_clients import READ, WRITE, Screen, judge_all, say, seen, tell_a_run, text
from lib import eventually, run, test

ADMIN, APPROVALS = "operator.admin", "operator.approvals"
RELAY = "gateway: {relay: claw}\n"
MORE = {  # that the gateway behind us has
    "cron.list": ("read", 3), "cron.status": ("read", 3), "logs.tail": ("read", 3),
    "send": ("write", 3), "usage.status": ("read", 3), "cron.add": ("admin", 3),
    "node.list": ("read", 3), "terminal.open": ("admin", 4), "config.set": ("admin", 3),
    "sessions.viewers.set": ("read", 4), "plugin.own": ("read", 3),
}
gateway.METHODS.update(MORE)


class Behind(Gateway):
    """It answers these with what it was told to, with an error, or never."""

    def __init__(self, **how):
        self.answers, self.mute = {}, set()
        super().__init__(**how)

    def _do(self, client, method, params):
        if method not in MORE:
            return super()._do(client, method, params)
        if method in self.mute:
            return None
        answer = self.answers.get(method, {"heard": params})
        if isinstance(answer, Refusal):
            raise answer
        return answer


def methods(screen, **how):
    return screen.hello(**how)["features"]["methods"]


@test("methods that the gateway behind us lists are listed, and answered by it")
def _():
    for protocol in (3, 4):
        with Behind(protocol=protocol) as behind, config_box(RELAY) as box:
            with Screen(box) as before:
                assert "cron.list" not in methods(before), "nobody is behind us yet"
            connected(box, behind)
            for spoken in (3, 4):
                with Screen(box) as screen:
                    listed = methods(screen, protocol=spoken)
                    assert {"cron.list", "send", "chat.send"} <= set(listed), listed
                    assert not {"cron.add", "node.list", "plugin.own", "config.set"} & set(listed)
                    assert len(listed) == len(set(listed)), listed
                    wish = {"deep": [1, {"é": "\u0000"}], "n": 1.5}
                    answer = screen.ask("cron.list", wish)
                    assert answer["payload"] == {"heard": wish}, answer
                    assert screen.ask("cron.status")["payload"] == {"heard": {}}
                    assert screen.ask("send", {"to": "x"})["payload"] == {"heard": {"to": "x"}}
            assert behind.of("cron.list") == [wish, wish]


@test("an error comes back as it came")
def _():
    with Behind() as behind, config_box(RELAY) as box, Screen(box) as screen:
        connected(box, behind)
        screen.hello()
        behind.answers["cron.list"] = Refusal("NOT_LINKED", "no \u001b[31m clock", retryable=True,
                                              details={"code": "X"}, retryAfterMs=7)
        error = screen.ask("cron.list", {})["error"]
        assert error == {"code": "NOT_LINKED", "message": "no \u001b[31m clock", "retryable": True,
                         "details": {"code": "X"}, "retryAfterMs": 7}, error


@test("scopes are the client's, and what is admin's or of one connection is never passed on")
def _():
    with Behind() as behind, config_box(RELAY) as box:
        connected(box, behind)
        with Screen(box) as reader:
            reader.hello(scopes=[READ])
            assert reader.ask("cron.list", {})["ok"]
            error = reader.ask("send", {"to": "x"})["error"]
            assert error["details"]["missingScope"] == WRITE, error
            error = reader.ask("cron.add", {})["error"]
            assert error["details"]["missingScope"] == ADMIN, error
        with Screen(box) as nobody:
            nobody.hello(scopes=[])
            assert nobody.ask("cron.list", {})["error"]["details"]["missingScope"] == READ
        with Screen(box) as admin:
            admin.hello(scopes=[ADMIN, APPROVALS])
            for method in ("cron.add", "config.set", "plugin.own", "made.up"):
                error = admin.ask(method, {})["error"]
                assert error == {"code": "INVALID_REQUEST",
                                 "message": f"unknown method: {method}"}, error
            for method in ("node.list", "terminal.open", "sessions.viewers.set", "talk.config"):
                error = admin.ask(method, {})["error"]
                assert error == {"code": "INVALID_REQUEST", "message":
                                 f"{method} belongs to one connection and is not passed on"}, error
            error = admin.ask("voicewake.get", {})["error"]
            assert error == {"code": "INVALID_REQUEST",
                             "message": "the gateway has no such method"}, error
        heard = {m for m, _, _ in behind.requests} & set(MORE)
        assert heard == {"cron.list"}, heard


@test("without gateway.relay nothing is passed on")
def _():
    with Behind() as behind, config_box("") as box, Screen(box) as screen:
        connected(box, behind)
        assert "cron.list" not in methods(screen)
        assert screen.ask("cron.list", {})["error"]["details"]["missingScope"] == ADMIN
        assert not behind.of("cron.list")


@test("answers and events of 3 MiB come, and events that nobody knows cost nothing")
def _():
    for protocol in (3, 4):
        with Behind(protocol=protocol) as behind, config_box(RELAY) as box:
            connected(box, behind)
            with Screen(box) as screen:
                screen.hello()
                long = "é\n" * ((3 << 20) // 8)  # as JSON 3 MiB
                behind.answers["logs.tail"] = {"lines": [long]}
                assert screen.ask("logs.tail", {})["payload"] == {"lines": [long]}
                seen.pop()  # the judge need not read that
                behind.event("made.up", {"words": "x" * (3 << 20)})
                behind.event("other.thing", [1, 2])
                behind.raw(json.dumps({"type": "what", "is": "this"}))
                behind.raw("[]")
                assert screen.ask("cron.list", {})["ok"]
                tell_a_run(box, "r1")
                screen.chat("final", "r1")


@test("requests that are open are told when the gateway behind us dies, and all else goes on")
def _():
    for protocol in (3, 4):
        with Behind(protocol=protocol) as behind, config_box(RELAY) as box, Screen(box) as screen:
            connected(box, behind)
            screen.hello()
            behind.mute.add("cron.list")
            id = behind.begin("SLOW one")
            screen.until(lambda e: e["event"] == "chat" and e["payload"]["runId"] == id
                         and text(e["payload"]["message"]).startswith("Hello and"))
            for n in ("a", "a", "b"):  # an id twice, as long as both are open
                screen.ws.send({"type": "req", "id": n, "method": "cron.list", "params": {}})
            eventually(lambda: len(behind.of("cron.list")) == 3)
            behind.stops_listening()
            behind.restart()
            lost = []
            while len(lost) < 3:
                frame = screen.ws.json()
                if frame["type"] == "res":
                    lost.append(frame)
                    seen.append({"frame": frame, "method": "cron.list", "protocol": 4})
                else:
                    screen.keep(frame)
            assert sorted(f["id"] for f in lost) == ["a", "a", "b"], lost
            for frame in lost:
                assert frame["error"]["code"] == "UNAVAILABLE" and frame["error"]["retryable"], lost
            error = screen.ask("cron.list", {})["error"]
            assert error["code"] == "UNAVAILABLE" and error["retryable"], error
            history = screen.ask("chat.history", {"sessionKey": "agent:main:main"})["payload"]
            assert "Hello and" in json.dumps(history), history
            tell_a_run(box, "r1")
            assert text(screen.chat("final", "r1")["message"]) == "Done."
            behind.mute.clear()
            behind.listens_again()
            in_state(box, "connected")
            assert screen.ask("cron.list", {})["ok"]


class Odd(Behind):
    """Says more than one answer to cron.list, or one that is none."""
    how = None

    def _request(self, client, frame):
        if frame["method"] != "cron.list":
            return super()._request(client, frame)
        for id, answer in self.how(frame["id"]):
            client.say({"type": "res", "id": id, **answer})


@test("the answer to a client's own request comes, once, whatever else the gateway says")
def _():
    def good(n):
        return {"ok": True, "payload": {"n": n}}

    with Odd() as behind, config_box(RELAY) as box, Screen(box) as screen, Screen(box) as other:
        connected(box, behind)
        screen.hello()
        other.hello()
        for how, answer in (
                (lambda id: [(id, good(1)), (id, good(2))], {"n": 1}),
                (lambda id: [("99999", good(1)), (id + "0", good(2)), ("", good(3)), (id, good(4))],
                 {"n": 4}),
                (lambda id: [(id, {"ok": True, "payload": None})], None)):
            behind.how = how
            assert screen.ask("cron.list", {})["payload"] == answer
            assert screen.ask("cron.status", {})["ok"] and other.ask("cron.status", {})["ok"]
        for answer in ({"ok": False}, {"ok": "yes", "payload": 1}, {"ok": False, "error": "no"}):
            behind.how = lambda id: [(id, answer)]
            assert screen.ask("cron.list", {})["error"]["code"] == "UNAVAILABLE", answer
        assert in_state(box, "connected") and len(behind.clients) == 1


@test("which gateway is behind us follows a SIGHUP, and requests that are open are answered")
def _():
    with Behind() as behind, config_box(RELAY) as box, Screen(box) as screen:
        connected(box, behind)
        screen.hello()
        behind.mute.add("logs.tail")
        screen.ws.send({"type": "req", "id": "open", "method": "logs.tail", "params": {}})
        eventually(lambda: behind.of("logs.tail"))
        reload(box, "gateway: {relay: nobody}\n")
        error = screen.ask("cron.list", {})["error"]
        assert error["code"] == "UNAVAILABLE" and error["retryable"], error
        reload(box, "gateway: {}\n")
        assert screen.ask("cron.list", {})["error"]["details"]["missingScope"] == ADMIN
        reload(box, RELAY)
        assert screen.ask("cron.list", {})["ok"]
        behind.drop()
        lost = screen.until_answer()
        assert lost["id"] == "open" and lost["error"]["code"] == "UNAVAILABLE", lost


@test("a gateway that never answers costs one request, and not for ever")
def _():
    with Behind() as behind, config_box(RELAY) as box, Screen(box) as screen, Screen(box) as other:
        connected(box, behind)
        screen.hello()
        other.hello()
        behind.mute.add("cron.list")
        for n in range(20):  # of one client 16 may be open
            screen.ws.send({"type": "req", "id": f"m{n}", "method": "cron.list"})
        refused = [screen.until_answer() for _ in range(4)]
        assert {f["id"] for f in refused} == {"m16", "m17", "m18", "m19"}, refused
        assert all(f["error"]["code"] == "UNAVAILABLE" for f in refused), refused
        assert other.ask("cron.status", {})["ok"]
        with Screen(box) as leaver:
            leaver.hello()
            leaver.ws.send({"type": "req", "id": "gone", "method": "cron.list"})
            eventually(lambda: len(behind.of("cron.list")) == 17)
        late = [screen.until_answer() for _ in range(16)]
        words = {f["error"]["message"] for f in late}
        assert words == {"the gateway did not answer within 30 s"}, words
        assert all(f["error"]["code"] == "UNAVAILABLE" and f["error"]["retryable"] for f in late)
        behind.mute.clear()
        assert screen.ask("cron.list", {})["ok"] and box.alive()


def until_answer(screen):
    while True:
        frame = screen.ws.json()
        if frame["type"] == "res":
            seen.append({"frame": frame, "method": "cron.list", "protocol": screen.protocol})
            return frame
        screen.keep(frame)


Screen.until_answer = until_answer
judge_all(100)
run()
