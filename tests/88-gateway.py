#!/usr/bin/env python3
"""The gateway dialect: clients of OpenClaw, protocols 3 and 4, against a box.

Who comes is known by its first request; what happens in runs comes as `agent` and `chat`.
"""

import time

from doors import config_box
from gateway_clients import (CLIENT, READ, WRITE, Key, Screen, add_model, judge_all, refused, say,
                             sign, tell_a_run, text)
from lib import WS, Box, eventually, run, test
from servers import Upstream


# --- the handshake ------------------------------------------------------------


@test("a challenge comes first, without a number")
def _():
    with Box() as box, Screen(box) as screen:
        assert screen.challenge["event"] == "connect.challenge", screen.challenge
        assert "seq" not in screen.challenge
        assert len(screen.challenge["payload"]["nonce"]) == 36
        with Screen(box) as other:
            assert other.challenge["payload"]["nonce"] != screen.challenge["payload"]["nonce"]


@test("a handshake that is none is closed with 1008, and answered if it was a request")
def _():
    with Box() as box:
        for frame in ("nothing", "[]", {"type": "req"}, {"type": "req", "id": "1", "method": ""},
                      {"type": "event", "event": "tick"}):
            assert refused(box, {}, first=frame) == (None, 1008, "invalid request frame"), frame
        with Screen(box) as screen:
            answer = screen.ask("health")
            words = "invalid handshake: first request must be connect"
            assert answer["error"] == {"code": "INVALID_REQUEST", "message": words}, answer
            assert screen.closed() == (1008, words)


@test("parameters of connect are a closed object, and the words are those of gateways")
def _():
    with Box() as box:
        bare = {k: v for k, v in CLIENT.items() if k != "version"}
        error, code, reason = refused(box, {"client": bare})
        assert error["code"] == "INVALID_REQUEST" and code == 1008, error
        assert error["message"] == ("invalid connect params: at /client: must have required "
                                    "property 'version'"), error
        assert error["message"].startswith(reason), (error, reason)
        for bad in ({"extra": 1}, {"client": {**CLIENT, "mode": "operator"}}, {"caps": [1]},
                    {"minProtocol": 0}, {"device": {"id": "x"}}):
            error, code, _ = refused(box, bad)
            assert error["message"].startswith("invalid connect params: "), (bad, error)
            assert code == 1008


@test("the highest protocol of both is spoken; none in common is closed with 1002")
def _():
    with Box() as box:
        for least, most, spoken in ((3, 4, 4), (1, 3, 3), (3, 9, 4), (4, 4, 4)):
            with Screen(box) as screen:
                assert screen.hello(minProtocol=least, maxProtocol=most)["protocol"] == spoken
        for least, most in ((1, 2), (5, 9), (4, 3)):
            error, code, reason = refused(box, {"minProtocol": least, "maxProtocol": most})
            assert error["message"] == "protocol mismatch" and error["details"] == {
                "code": "PROTOCOL_MISMATCH", "clientMinProtocol": least,
                "clientMaxProtocol": most, "expectedProtocol": 4}, error
            assert (code, reason) == (1002, "protocol mismatch")


@test("an unknown role, no secret and a wrong one are refused in the words that clients look for")
def _():
    wrong = "unauthorized: gateway token mismatch (provide gateway auth token)"
    with Box() as box:
        for role in ("node", "worker", "king"):
            error, code, _ = refused(box, {"role": role})
            assert error["message"] == "invalid role" and code == 1008, error
        error, code, _ = refused(box, {"auth": {}})
        assert error == {"code": "NOT_PAIRED", "message": "device identity required",
                         "details": {"code": "DEVICE_IDENTITY_REQUIRED"}}, error
        assert code == 1008
        error, code, reason = refused(box, {"auth": {"token": "wrong"}})
        assert (error["message"], code, reason) == (wrong, 1008, wrong), error
        assert error["details"]["code"] == "AUTH_TOKEN_MISMATCH", error
        error, _, _ = refused(box, {"auth": {"token": "wrong"}, "minProtocol": 3, "maxProtocol": 3})
        assert error == {"code": "INVALID_REQUEST", "message": wrong}, error


@test("protocol 4 takes the secret as a password, too; protocol 3 does not")
def _():
    with Box() as box:
        with Screen(box) as screen:
            screen.hello(auth={"password": box.token})
        error, _, _ = refused(box, {"auth": {"password": box.token}, "minProtocol": 3,
                                    "maxProtocol": 3})
        assert error["code"] == "NOT_PAIRED", error


@test("who says nothing is closed without a reason")
def _():
    with Box() as box, Screen(box) as screen:
        screen.ws.timeout(40)
        assert screen.closed() == (1000, "")


@test("scopes are what was asked for, cut to what the credential allows")
def _():
    tokens = "auth: {tokens: [{name: eye, file: TOP/eye, scopes: observe}]}\n"
    with config_box(tokens, files={"eye": "e" * 64}) as box:
        def granted(protocol=4, **more):
            with Screen(box) as screen:
                hello = screen.hello(protocol, **more)
                return hello["auth"]["scopes"] if "auth" in hello else None

        everything = [READ, WRITE, "operator.admin", "operator.approvals", "made.up"]
        assert granted() == [READ, WRITE]
        assert granted(scopes=[]) == []
        assert granted(scopes=everything) == [READ, WRITE, "operator.approvals", "operator.admin"]
        assert granted(scopes=everything, auth={"token": "e" * 64}) == [READ]
        assert granted(client={**CLIENT, "id": "cli", "mode": "cli"}) == [READ, WRITE]
        assert granted(client={**CLIENT, "id": "test", "mode": "test"}) == []
        assert granted(3) is None
        with Screen(box) as screen:
            screen.hello(auth={"token": "e" * 64}, scopes=["operator.admin"])
            error = screen.ask("chat.send", {"sessionKey": "main", "message": "x",
                                             "idempotencyKey": "k"})["error"]
            assert error == {"code": "FORBIDDEN", "message": "missing scope: operator.write",
                             "details": {"code": "MISSING_SCOPE", "missingScope": WRITE,
                                         "requiredScopes": [WRITE]}}, error
        with Screen(box) as screen:
            screen.hello(3, auth={"token": "e" * 64}, scopes=[READ])
            error = screen.ask("chat.send", {"sessionKey": "main", "message": "x",
                                             "idempotencyKey": "k"})["error"]
            assert error == {"code": "INVALID_REQUEST",
                             "message": "missing scope: operator.write"}, error


@test("a device that signs its challenge keeps its scopes, whatever client it is")
def _():
    key = Key()
    ui = {**CLIENT, "id": "openclaw-tui", "mode": "ui", "platform": " Linux ", "deviceFamily": "PC"}

    def connect(box, version=3, protocol=4, **wrong):
        with Screen(box) as screen:
            params = screen.params(protocol, client=ui)
            signer = wrong.pop("signer", key)
            params["device"] = sign(params, signer, screen.challenge["payload"]["nonce"], version,
                                    **wrong)
            if "changed" in wrong:
                params.update(wrong["changed"])
            answer = screen.ask("connect", params)
            return answer.get("payload") or (answer["error"], *screen.closed())

    with Box() as box:
        for version in (2, 3):
            assert connect(box, version)["auth"]["scopes"] == [READ, WRITE]
        stale = int(time.time() * 1000) - 11 * 60 * 1000
        for wrong, words, code in (
                ({"id": "0" * 64}, "device identity mismatch", "DEVICE_AUTH_DEVICE_ID_MISMATCH"),
                ({"at": stale}, "device signature expired", "DEVICE_AUTH_SIGNATURE_EXPIRED"),
                ({"at": 2 * stale}, "device signature expired", "DEVICE_AUTH_SIGNATURE_EXPIRED"),
                ({"old": "nonce"}, "device nonce mismatch", "DEVICE_AUTH_NONCE_MISMATCH"),
                ({"changed": {"scopes": ["operator.admin"]}}, "device signature invalid",
                 "DEVICE_AUTH_SIGNATURE_INVALID")):
            error, close, reason = connect(box, **wrong)
            assert (error["message"], close, reason) == (words, 1008, words), (wrong, error)
            assert error["details"]["code"] == code, error
        error, _, _ = connect(box, protocol=3, old="nonce")
        assert error == {"code": "INVALID_REQUEST", "message": "device nonce mismatch"}, error


@test("a pinned listener speaks it at any path")
def _():
    with config_box("listen: [{address: '127.0.0.1:0', dialect: gateway}]\n",
                    listen=()) as box:
        for path in ("/", "/ws", "/any/where?at=all"):
            with Screen(box, path) as screen:
                assert screen.hello()["type"] == "hello-ok"
        assert box.request("GET", "/healthz", unix=False).status == 200


# --- events ---------------------------------------------------------------------


@test("hello-ok is as each protocol has it")
def _():
    with Box() as box:
        with Screen(box) as screen:
            hello = screen.hello()
            assert hello["server"].keys() == {"version", "bootId", "connId", "controlUiBuildSource"}, hello
            assert hello["snapshot"]["stateVersion"].keys() == {"presence", "health"}
            assert hello["policy"]["tickIntervalMs"] == 30000
            for method in hello["features"]["methods"]:
                answer = screen.ask(method, {})
                words = answer.get("error", {}).get("message", "")
                assert not words.startswith("unknown method"), (method, answer)
        with Screen(box) as screen:
            assert screen.hello(3)["server"].keys() == {"version", "host", "connId"}


@test("a run is told as agent and chat, in order, with numbers without holes")
def _():
    for protocol in (3, 4):
        with Box() as box, Screen(box) as screen:
            screen.hello(protocol)
            tell_a_run(box, "r1")
            final = screen.chat("final", "r1")
            assert text(final["message"]) == "Done.", final
            assert final["sessionKey"] == "agent:script:r1"
            agent = screen.of("agent", "r1")
            kinds = [(e["stream"], e["data"].get("phase")) for e in agent
                     if e["stream"] != "assistant"]
            assert kinds == [("lifecycle", "start"), ("tool", "start"), ("tool", "result"),
                             ("lifecycle", "end")], kinds
            told = [e["data"] for e in agent if e["stream"] == "assistant"]
            assert "".join(d["delta"] for d in told) == "Hello youDone.", told
            assert told[-1]["text"] == "Done." and "Hello you" in [d["text"] for d in told], told
            deltas = [e for e in screen.of("chat", "r1") if e["state"] == "delta"]
            assert [text(e["message"]) for e in deltas][-1] == "Done.", deltas
            if protocol == 4:
                assert "".join(e["deltaText"] for e in deltas) == "Hello youDone.", deltas
            else:
                assert all("deltaText" not in e and "agentId" not in e for e in deltas), deltas


@test("tools come to those who take them, and nothing of runs to protocol 4 without read")
def _():
    with Box() as box, Screen(box) as all_, Screen(box) as plain, Screen(box) as blind:
        all_.hello()
        plain.hello(caps=[])
        blind.hello(scopes=[])
        tell_a_run(box, "r1")
        all_.chat("final", "r1")
        plain.chat("final", "r1")
        assert any(e["stream"] == "tool" for e in all_.of("agent", "r1"))
        assert not any(e["stream"] == "tool" for e in plain.of("agent", "r1"))
        assert blind.ask("health")["error"]["code"] == "FORBIDDEN"
        assert not blind.of("agent", "r1") + blind.of("chat", "r1"), blind.events


@test("text is gathered, unless pace is 0")
def _():
    with config_box("gateway: {pace: 0ms}\n") as box, Screen(box) as screen:
        screen.hello()
        tell_a_run(box, "r1")
        screen.chat("final", "r1")
        told = [e["data"]["delta"] for e in screen.of("agent", "r1") if e["stream"] == "assistant"]
        assert told == ["Hel", "lo ", "you", "Done."], told


@test("an error ends a run in lifecycle error and chat error")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "Well"})
        say(box, "r1", "error", {"agentId": "bot", "message": "no more", "severity": "error"})
        screen.chat("error", "r1")
        assert screen.of("chat", "r1")[-1]["errorMessage"] == "no more"
        last = screen.of("agent", "r1")[-1]
        assert (last["stream"], last["data"]["phase"]) == ("lifecycle", "error"), last


@test("an empty piece of text costs nobody anything, and a long one comes whole")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        for _ in range(12):
            say(box, "r1", "text_delta", {"agentId": "bot", "content": ""})
        long = "word " * 80000
        say(box, "r2", "text_delta", {"agentId": "bot", "content": long})
        say(box, "r2", "completion", {"agentId": "bot", "taskId": "t", "success": True})
        assert text(screen.chat("final", "r2")["message"]) == long
        told = [e["data"]["delta"] for e in screen.of("agent", "r2") if e["stream"] == "assistant"]
        assert "".join(told) == long, len("".join(told))
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "hi"})
        assert text(screen.chat("delta", "r1")["message"]) == "hi"


@test("a new message of a run replaces the one before")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        tell_a_run(box, "r1")
        screen.chat("final", "r1")
        shown = ""
        for event in screen.of("chat", "r1"):
            if event["state"] != "delta":
                continue
            shown = event["deltaText"] if event.get("replace") else shown + event["deltaText"]
            assert shown == text(event["message"]), event


@test("who comes first hears what happens from then on, not what was")
def _():
    with Box() as box:
        for i in range(40):
            say(box, "r0", "text_delta", {"agentId": "bot", "content": f"{i} "})
        with Screen(box) as screen:
            screen.hello()
            tell_a_run(box, "r1")
            screen.chat("final", "r1")
            assert not screen.of("agent", "r0") + screen.of("chat", "r0"), screen.events


@test("history and what comes after it never have the same words")
def _():
    with config_box("gateway: {pace: 2s}\n") as box, Screen(box) as screen:
        screen.hello()
        for word in ("one ", "two "):
            say(box, "r1", "text_delta", {"agentId": "bot", "content": word})

        def so_far():
            history = screen.ask("chat.history", {"sessionKey": "agent:script:r1"})["payload"]
            return history.get("inFlightRun", {}).get("text")

        eventually(lambda: so_far() == "one two ")
        screen.events.clear()
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "three"})
        assert screen.chat("delta", "r1")["deltaText"] == "three"


@test("nothing waits for the disk because something else was hurried there just before")
def _():
    with config_box("journal: {sync: 10s}\n") as box, Screen(box) as screen, WS(box) as ws:
        screen.hello()
        for pair in range(100):
            begun = time.monotonic()
            for half in (1, 2):  # in two turns of the box, most of them within two milliseconds
                ws.send({"type": "mark", "correlationId": "r", "payload": {"n": 2 * pair + half}})
                time.sleep(0.0005)
            screen.until(lambda e: e["event"] == "agent"
                         and e["payload"]["data"].get("n") == 2 * pair + 2)
            screen.events.clear()
            assert time.monotonic() - begun < 9, pair


@test("presence says who is here, and its version grows with it")
def _():
    with Box() as box, Screen(box) as screen:
        seen = screen.hello()["snapshot"]["stateVersion"]["presence"]
        with Screen(box) as other:
            other.hello(client={**CLIENT, "displayName": "the other"})
            event = screen.until(lambda e: e["event"] == "presence" and any(
                p.get("host") == "the other" for p in e["payload"]["presence"]))
            assert event["stateVersion"]["presence"] > seen, (seen, event)
        seen = event["stateVersion"]["presence"]
        event = screen.until(lambda e: e["event"] == "presence" and not any(
            p.get("host") == "the other" for p in e["payload"]["presence"])
            and e["stateVersion"]["presence"] > seen)


@test("presence is told after everybody has left, too")
def _():
    with Box() as box:
        with Screen(box) as screen:
            screen.hello()
        with Screen(box) as one, Screen(box) as other:
            one.hello()
            other.hello(client={**CLIENT, "displayName": "later"})
            one.until(lambda e: e["event"] == "presence" and any(
                p.get("host") == "later" for p in e["payload"]["presence"]))


@test("a client that does not read costs itself, and nobody else")
def _():
    config = "gateway: {max_buffered: 1MiB}\nlimits: {behind: 64KiB}\n"
    with config_box(config) as box, Screen(box) as deaf:
        deaf.hello()
        word = "x" * 60000
        for i in range(120):
            say(box, "r1", "tool_call", {"agentId": "bot", "toolName": "t", "callId": f"c{i}",
                                         "input": {"words": word}})
        with Screen(box) as screen:
            screen.hello()
            tell_a_run(box, "r2")
            screen.chat("final", "r2")
        assert box.alive()
        assert deaf.closed() == (1008, "slow consumer")


@test("nothing of runs is told to a token that may not observe")
def _():
    tokens = "auth: {tokens: [{name: hand, file: TOP/hand, scopes: 'answer,control'}]}\n"
    with config_box(tokens, files={"hand": "a" * 64}) as box:
        with Screen(box) as hand, Screen(box) as eye:
            hand.hello(3, auth={"token": "a" * 64})
            eye.hello()
            tell_a_run(box, "r1")
            eye.chat("final", "r1")
            assert not hand.ask("health", {})["ok"]
            assert not hand.of("agent", "r1") + hand.of("chat", "r1"), hand.events


@test("a box that stops says so, then closes with 1012")
def _():
    with Box() as box, Screen(box) as screen, Screen(box) as old:
        screen.hello()
        old.hello(3)
        box.stop()
        event = screen.until(lambda e: e["event"] == "shutdown")
        assert event["payload"] == {"reason": "gateway stopping"}, event
        assert screen.closed() == (1012, "service restart")
        assert old.until(lambda e: e["event"] == "shutdown")["payload"] == {
            "reason": "gateway stopping", "restartExpectedMs": None}


# --- methods ----------------------------------------------------------------------


@test("what is no request is answered, and costs nothing else")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        for frame in ("{", "[]", {"type": "req", "id": "x1"}):
            screen.ws.send(frame)
            answer = screen.ws.json()
            while answer["type"] != "res":
                answer = screen.ws.json()
            assert not answer["ok"] and answer["error"]["code"] == "INVALID_REQUEST", answer
            assert answer["id"] == ("x1" if isinstance(frame, dict) else "invalid"), answer
        error = screen.ask("chat.history", {"sessionKey": "main", "limit": 0, "x": 1})["error"]
        assert error["message"].startswith("invalid chat.history params: "), error
        assert screen.ask("health", {})["payload"]["ok"] is True


@test("a session's history has what was said, and the run in flight")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        tell_a_run(box, "r1")
        screen.chat("final", "r1")  # what is said next is of another moment
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "And "})
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "more"})

        def past():
            return screen.ask("chat.history", {"sessionKey": "agent:script:r1"})["payload"]

        eventually(lambda: past().get("inFlightRun", {}).get("text") == "And more")
        history = past()
        assert [m["role"] for m in history["messages"]] == ["user", "assistant", "toolResult",
                                                            "assistant"], history
        assert [text(m) for m in history["messages"] if m["role"] == "assistant"] == [
            "Hello you", "Done."], history
        info = history["sessionInfo"]
        assert info["hasActiveRun"] and info["activeRunIds"] == ["r1"], history
        assert info["status"] == "running" and info["key"] == history["sessionKey"], info
        known = [m["__openclaw"] for m in history["messages"] if m["role"] != "toolResult"]
        assert known[0]["idempotencyKey"] == "r1:user" and known[0]["runId"] == "r1", known
        assert sorted({k["seq"] for k in known}) == [k["seq"] for k in known], known
        assert len({k["id"] for k in known}) == len(known), known
        say(box, "r1", "completion", {"agentId": "bot", "taskId": "t", "success": True})
        eventually(lambda: "inFlightRun" not in past())
        info = past()["sessionInfo"]
        assert not info["hasActiveRun"] and info["activeRunIds"] == [], info
        assert info["status"] == "done" and "lastRunError" not in info, info
        say(box, "r1", "error", {"agentId": "bot", "message": "it broke", "severity": "error"})
        info = eventually(lambda: past()["sessionInfo"]["status"] == "failed" and past())["sessionInfo"]
        assert info["lastRunError"] == "it broke", info
        listed = screen.ask("sessions.list", {})["payload"]["sessions"]
        assert [s["key"] for s in listed] == ["agent:script:r1"], listed
        one = screen.ask("sessions.describe", {"key": "agent:script:r1"})["payload"]["session"]
        assert one["key"] == "agent:script:r1" and not one["hasActiveRun"], one
        assert screen.ask("sessions.describe", {"key": "agent:no:one"})["payload"] == {
            "session": None}
        for name in ({"label": one["label"]}, {"sessionId": "r1"}, {"key": "agent:script:r1"}):
            assert screen.ask("sessions.resolve", name)["payload"] == {
                "ok": True, "key": "agent:script:r1", "agentId": "script"}, name
        assert screen.ask("sessions.subscribe", {})["payload"] == {"subscribed": True}
        told = screen.ask("sessions.subscribe", {"limit": 1})["payload"]["list"]
        assert [s["key"] for s in told["sessions"]] == ["agent:script:r1"], told
        say(box, "r2", "text_delta", {"agentId": "bot", "content": "x"})
        event = screen.until(lambda e: e["event"] == "sessions.changed")
        assert "seq" not in event, event
        with Screen(box) as old:
            old.hello(3)
            assert "inFlightRun" not in old.ask(
                "chat.history", {"sessionKey": "agent:script:r1"})["payload"]


@test("chat.send asks, once for each key, and chat.abort stops")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        hello = screen.hello()
        agents = screen.ask("agents.list", {})["payload"]
        assert agents["defaultId"] == "parrot" and agents["agents"][0]["model"]["primary"] == "parrot", agents
        send = {"sessionKey": "main", "message": "hello", "idempotencyKey": "k1"}
        assert screen.ask("chat.send", send)["payload"] == {"runId": "k1", "status": "started"}
        again = screen.ask("chat.send", send)["payload"]
        assert again["runId"] == "k1" and again["status"] in ("in_flight", "ok"), again
        final = screen.chat("final", "k1")
        assert final["sessionKey"] == "agent:parrot:main", final
        eventually(lambda: screen.ask("chat.send", send)["payload"]["status"] == "ok")
        history = screen.ask("chat.history", {"sessionKey": "main"})["payload"]
        assert history["sessionKey"] == "agent:parrot:main"
        assert text(history["messages"][-1]) == text(final["message"]), history
        error = screen.ask("chat.send", {**send, "message": "  ", "idempotencyKey": "k2"})["error"]
        assert error["message"] == "message or attachment required", error
        stopped = screen.ask("chat.abort", {"sessionKey": "main"})["payload"]
        assert stopped == {"ok": True, "aborted": False, "runIds": []}, stopped
        assert len([s for s in box.history() if s["type"] == "task_dispatch"]) <= 1
        assert hello["features"]["methods"]


@test("a chat opened by a link leaves, and who follows the sessions still hears of them")
def _():
    with Box() as box, Screen(box) as follower:
        follower.hello()
        follower.ask("sessions.subscribe", {})
        with Screen(box) as other:
            other.hello()
            other.ask("chat.startup", {"shortId": "abcd1234", "agentId": "script"})
        eventually(lambda: len(follower.ask("system-presence", {})["payload"]) == 2)
        tell_a_run(box, "r1")
        follower.until(lambda e: e["event"] == "sessions.changed")


@test("what the Control UI asks when it opens a chat is answered")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        tell_a_run(box, "r1")
        screen.chat("final", "r1")
        where = {"sessionKey": "agent:script:r1"}
        assert screen.ask("chat.startup", {**where, "limit": 80, "maxBytes": 262144})["payload"][
            "messages"] == screen.ask("chat.history", where)["payload"]["messages"]
        id = "5b5094d4-77b4-43c8-9ceb-000000000001"
        tell_a_run(box, id)
        screen.chat("final", id)
        for short, ok in (("abc", False), (id.replace("-", ""), True), ("5B5094D477", True)):
            link = screen.ask("chat.startup", {"shortId": short, "agentId": "script"})["payload"]
            assert link["resolution"]["ok"] is ok, link
            assert not ok or link["sessionKey"] == link["resolution"]["key"] == f"agent:script:{id}"
            assert not ok or len(link["messages"]) == 4, link
        for given, name in ((where, "script"), ({"agentId": "bot"}, "bot"), ({}, "parrot")):
            known = screen.ask("agent.identity.get", given)["payload"]
            assert known["agentId"] == known["name"] == name, known
        assert screen.ask("models.authStatus", {})["payload"]["providers"] == []


# --- all of it ----------------------------------------------------------------------


judge_all(200)
run()
