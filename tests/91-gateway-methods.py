#!/usr/bin/env python3
"""The gateway dialect's methods about chats, agents and sessions."""

import time

from doors import config_box
from gateway_clients import (CLIENT, READ, WRITE, Screen, add_model, judge_all, say, seen,
                             tell_a_run, text)
from lib import Box, eventually, run, test
from servers import Upstream

KEY = "agent:script:r1"


def talk(box, id, turns):
    """A run of so many questions and answers."""
    for i in range(turns):
        say(box, id, "task_dispatch", {"taskId": f"t{i}", "from": "me", "to": "bot",
                                       "description": f"question {i}"})
        say(box, id, "text_delta", {"agentId": "bot", "content": f"answer {i}"})
        say(box, id, "completion", {"agentId": "bot", "taskId": f"t{i}", "success": True})


def past(screen, **more):
    answer = screen.ask("chat.history", {"sessionKey": KEY, **more})
    assert answer["ok"], answer
    return answer["payload"]


def has_said(screen, words):
    return eventually(lambda: any(text(m) == words for m in past(screen)["messages"]))


# --- chat.history -----------------------------------------------------------------


@test("a history is read backwards in pages, without a hole")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        talk(box, "r1", 25)
        tell_a_run(box, "r1")
        has_said(screen, "Done.")
        whole = past(screen)["messages"]
        assert len(whole) == 54, len(whole)
        assert [m["role"] for m in whole[-4:]] == ["user", "assistant", "toolResult", "assistant"]
        ids = [m["__openclaw"]["id"] for m in whole]
        assert len(set(ids)) == len(ids), ids
        seqs = [m["__openclaw"]["seq"] for m in whole]
        assert seqs == sorted(seqs), seqs
        shown, offset = [], 0
        while True:
            page = past(screen, limit=7, offset=offset)
            shown = page["messages"] + shown
            if not page["hasMore"]:
                assert page["totalMessages"] == 54, page["totalMessages"]
                break
            assert 0 < len(page["messages"]) <= 7, page
            offset = page["nextOffset"]
        assert shown == whole


@test("a row is found by its id, with what was said around it")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        talk(box, "r1", 30)
        has_said(screen, "answer 29")
        whole = past(screen)
        id = whole["messages"][20]["__openclaw"]["id"]
        page = past(screen, messageId=id, sessionId=whole["sessionId"], limit=10)
        assert id in [m["__openclaw"]["id"] for m in page["messages"]], page
        assert len(page["messages"]) == 10 and "hasMore" not in page, page
        for params, words in (({"offset": 1, "messageId": id}, "offset and messageId cannot"),
                              ({"cursor": "x", "offset": 1}, "cursor cannot be used"),
                              ({"sessionId": "x"}, "sessionId requires messageId")):
            error = screen.ask("chat.history", {"sessionKey": KEY, **params})["error"]
            assert error["code"] == "INVALID_REQUEST" and words in error["message"], error


@test("long texts are cut where a client wants that, and pages are of so many bytes")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        for i in range(10):
            say(box, "r1", "task_dispatch", {"taskId": f"t{i}", "from": "me", "to": "bot",
                                             "description": "ä" * 2000})
        eventually(lambda: len(past(screen)["messages"]) == 10)
        cut = text(past(screen, maxChars=100)["messages"][0])
        assert cut.startswith("ä" * 100 + "\n...") and "ä" * 101 not in cut, cut
        few = past(screen, maxBytes=10000)
        assert 0 < len(few["messages"]) < 4 and few["hasMore"], few


@test("what came since a history is told by its cursor")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        talk(box, "r1", 3)
        has_said(screen, "answer 2")
        cursor = past(screen)["deltaCursor"]
        assert past(screen, cursor=cursor)["messages"] == []
        tell_a_run(box, "r1")
        screen.chat("final", "r1")

        def news():
            answer = past(screen, cursor=cursor)
            assert answer["kind"] == "delta", answer
            return answer

        eventually(lambda: len(news()["messages"]) == 4)
        delta = news()
        assert [m["message"]["role"] for m in delta["messages"]] == [
            "user", "assistant", "toolResult", "assistant"], delta
        assert all(m["sessionKey"] == KEY and m["runId"] == "r1" for m in delta["messages"])
        assert past(screen, cursor=delta["deltaCursor"])["messages"] == []
        for strange in ("", "r1/99", "nothing", "r2/1"):
            assert past(screen, cursor=strange) == {"kind": "reset"}, strange
        talk(box, "r1", 120)
        eventually(lambda: past(screen, cursor=cursor) == {"kind": "reset"})


@test("what is being said is told apart, also to who comes in the middle of a word")
def _():
    with config_box("gateway: {pace: 0ms}\n") as box:
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "one"})
        say(box, "r1", "tool_call", {"agentId": "bot", "toolName": "ls", "callId": "c1",
                                     "input": {}})
        say(box, "r1", "tool_result", {"agentId": "bot", "toolName": "ls", "callId": "c1",
                                       "success": True, "output": {}})
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "tw"})
        with Screen(box) as screen:
            screen.hello()
            eventually(lambda: past(screen).get("inFlightRun", {}).get("text") == "tw")
            flying = past(screen)["inFlightRun"]
            assert flying.keys() == {"runId", "text", "startedAt"} and flying["runId"] == "r1", flying
            history = past(screen)
            assert [text(m) for m in history["messages"] if m["role"] == "assistant"] == ["one"]
            assert history["sessionInfo"]["activeRunIds"] == ["r1"], history
            shown = history["inFlightRun"]["text"]
            screen.events.clear()
            say(box, "r1", "text_delta", {"agentId": "bot", "content": "o"})
            delta = screen.chat("delta", "r1")
            assert "replace" not in delta and shown + delta["deltaText"] == "two", delta
        with Screen(box) as late:
            late.hello()
            assert past(late)["inFlightRun"]["text"] == "two"
            say(box, "r1", "tool_call", {"agentId": "bot", "toolName": "ls", "callId": "c2",
                                         "input": {}})
            say(box, "r1", "text_delta", {"agentId": "bot", "content": "three"})
            delta = late.chat("delta", "r1")
            assert delta.get("replace") is True and delta["deltaText"] == "three", delta
        with Screen(box) as last:
            last.hello()
            assert past(last)["inFlightRun"]["text"] == "three"
            say(box, "r1", "completion", {"agentId": "bot", "taskId": "t", "success": True})
            assert text(last.chat("final", "r1")["message"]) == "three"


# --- sessions ---------------------------------------------------------------------


def names(answer):
    assert answer["ok"], answer
    return [s["key"] for s in answer["payload"]["sessions"]]


@test("sessions are listed as a client wants them")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        for i in range(7):
            talk(box, f"done{i}", 1)
        say(box, "busy", "task_dispatch", {"taskId": "b", "from": "me", "to": "bot",
                                           "description": "Paint the fence"})

        def listed(**params):
            return names(screen.ask("sessions.list", params))

        eventually(lambda: len(listed()) == 8)
        assert listed()[0] == "agent:script:busy"
        assert listed(activeOnly=True) == ["agent:script:busy"]
        assert listed(search="FENCE") == ["agent:script:busy"]
        assert listed(limit=3) + listed(limit=3, offset=3) + listed(offset=6) == listed()
        page = screen.ask("sessions.list", {"limit": 3, "offset": 3})["payload"]
        assert (page["count"], page["totalCount"], page["nextOffset"], page["hasMore"]) == (
            3, 8, 6, True), page
        assert screen.ask("sessions.list", {"offset": 6})["payload"]["nextOffset"] is None
        assert listed(agentId="script") == listed() and listed(agentId="other") == []
        row = screen.ask("sessions.list", {"limit": 1, "includeLastMessage": True})
        row = row["payload"]["sessions"][0]
        assert row["activeRunIds"] == ["busy"] and row["status"] == "running", row
        assert row["lastMessagePreview"] == "Paint the fence", row
        assert listed(label=row["label"]) == ["agent:script:busy"]
        assert listed(activeMinutes=1) == listed() and listed(configuredAgentsOnly=True) == []
        for none in ({"pinned": True}, {"archived": True}, {"group": "g"}, {"hasBoard": True},
                     {"ownerId": "o"}, {"projectId": "p"}, {"workspaceDir": "/no/where"},
                     {"spawnedBy": "agent:a:b"}, {"boardFace": "dashboard"}, {"search": "zzz"},
                     {"profileRelation": {"profileId": "p", "relationship": "owned"}}):
            assert listed(**none) == [], none
        for all_ in ({"pinned": False}, {"archived": "all"}, {"sortBy": "activity"},
                     {"includeGlobal": True, "includeUnknown": True, "excludeCron": True},
                     {"excludeSubagents": True, "excludeSystem": True, "ownerFirst": True},
                     {"includeDerivedTitles": True, "includePeople": True},
                     {"requireLastInteraction": True}, {"boardFace": "chat"}):
            assert listed(**all_) == listed(), all_
        told = screen.ask("sessions.subscribe", {"activeOnly": True})
        assert names({"ok": True, "payload": told["payload"]["list"]}) == ["agent:script:busy"]


@test("a session is described from the moment that its first signal is acknowledged")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        for i in range(100):
            say(box, f"r{i}", "text_delta", {"agentId": "bot", "content": "x"})
            row = row_of(screen, f"agent:script:r{i}")
            assert row and row["hasActiveRun"], (i, row)


@test("without anybody to ask there is a main session, and its key leads to it")
def _():
    with Box() as box, Screen(box) as screen:
        usual = screen.hello()["snapshot"]["sessionDefaults"]
        assert (usual["defaultAgentId"], usual["mainSessionKey"]) == ("main", "agent:main:main"), usual
        for key in ("main", usual["mainSessionKey"]):
            history = screen.ask("chat.history", {"sessionKey": key})["payload"]
            assert history["sessionKey"] == usual["mainSessionKey"] and history["messages"] == []
        error = send(screen, "hello", "k1")["error"]
        assert error == {"code": "INVALID_REQUEST", "message": "there is no such agent"}, error


@test("a session is resolved by key, id, beginning, handle or title")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        talk(box, "abcdef-1", 1)
        talk(box, "abcdef-2", 1)
        eventually(lambda: len(names(screen.ask("sessions.list", {}))) == 2)
        one = screen.ask("sessions.describe", {"key": "agent:script:abcdef-1"})
        one = one["payload"]["session"]
        found = {"ok": True, "key": "agent:script:abcdef-1", "agentId": "script"}
        for name in ({"key": one["key"]}, {"sessionId": "abcdef-1"}, {"label": one["label"]},
                     {"shortId": "ABCDEF-1"}, {"reference": {"key": one["key"]}}):
            assert screen.ask("sessions.resolve", name)["payload"] == found, name
        several = screen.ask("sessions.resolve", {"shortId": "abc"})["payload"]
        assert not several["ok"] and len(several["candidates"]) == 2, several
        assert screen.ask("sessions.resolve", {"key": "agent:x:y", "allowMissing": True})[
            "payload"] == {"ok": False}
        for wrong, words in (({"key": "agent:x:y"}, "No session found: agent:x:y"),
                             ({}, "Either key, sessionId"), ({"slugHint": "x"}, "slugHint"),
                             ({"key": "a", "label": "b"}, "Provide either key")):
            error = screen.ask("sessions.resolve", wrong)["error"]
            assert error["code"] == "INVALID_REQUEST" and words in error["message"], error


@test("previews have the last of several sessions")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        talk(box, "r1", 20)
        has_said(screen, "answer 19")
        asked = {"keys": [KEY, "agent:no:one"], "limit": 3, "maxChars": 20}
        answer = screen.ask("sessions.preview", asked)["payload"]
        assert answer["previews"] == [
            {"key": KEY, "status": "ok", "items": [
                {"role": "assistant", "text": "answer 18"}, {"role": "user", "text": "question 19"},
                {"role": "assistant", "text": "answer 19"}]},
            {"key": "agent:no:one", "status": "missing", "items": []}], answer


# --- following --------------------------------------------------------------------


def messages(screen):
    return [(e["payload"]["message"]["role"], text(e["payload"]["message"]))
            for e in screen.events if e["event"] == "session.message"]


def whole(screen, words):
    return screen.until(lambda e: e["event"] == "session.message"
                        and text(e["payload"]["message"]) == words)


@test("who follows a session is told each message when it is whole, without a number")
def _():
    with Box() as box, Screen(box) as one, Screen(box) as all_, Screen(box) as none:
        for screen in (one, all_, none):
            screen.hello()
        asked = one.ask("sessions.messages.subscribe", {"key": KEY, "includeApprovals": True})["payload"]
        assert asked == {"subscribed": True, "key": KEY}, asked
        all_.ask("sessions.subscribe", {})
        tell_a_run(box, "r1")
        talk(box, "r2", 1)
        event = whole(one, "Done.")
        assert "seq" not in event, event
        assert messages(one)[0] == ("user", "go"), messages(one)
        assert [r for r, _ in messages(one)] == ["user", "assistant", "toolResult", "assistant"]
        assert event["payload"]["runId"] == "r1" and event["payload"]["sessionId"] == "r1", event
        whole(all_, "answer 0")
        assert [m for m in messages(all_) if m in messages(one)] == messages(one)
        history = past(one)["messages"]
        told = [e["payload"]["message"] for e in one.events if e["event"] == "session.message"]
        assert [m["__openclaw"] for m in told] == [m["__openclaw"] for m in history], told
        assert one.ask("sessions.messages.unsubscribe", {"key": KEY})["payload"] == {
            "subscribed": False, "key": KEY}
        before = len(messages(one))
        talk(box, "r1", 2)
        whole(all_, "answer 1")
        one.chat("final", "r1")
        past(one)
        assert len(messages(one)) == before and not messages(none), (messages(one), none.events)


@test("a message that began before somebody follows is told whole, and others not again")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        talk(box, "r1", 2)
        eventually(lambda: "inFlightRun" not in past(screen) and len(past(screen)["messages"]) == 4)
        time.sleep(0.01)  # what comes in the moment of an end belongs to what ended
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "Well, "})
        eventually(lambda: past(screen).get("inFlightRun", {}).get("text") == "Well, ")
        screen.ask("sessions.messages.subscribe", {"key": KEY})
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "yes."})
        say(box, "r1", "completion", {"agentId": "bot", "taskId": "t", "success": True})
        whole(screen, "Well, yes.")
        assert messages(screen) == [("assistant", "Well, yes.")], messages(screen)
        finals = [i for i, e in enumerate(screen.events)
                  if e["event"] == "chat" and e["payload"]["state"] == "final"]
        told = [i for i, e in enumerate(screen.events) if e["event"] == "session.message"]
        assert finals and finals[-1] < told[-1], "its own events come first"


@test("a change of a session tells which, and what it is now")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        screen.ask("sessions.subscribe", {})
        tell_a_run(box, "r1")
        changed = screen.until(lambda e: e["event"] == "sessions.changed"
                               and e["payload"].get("sessionKey") == KEY
                               and e["payload"]["activeRunIds"] == [])
        assert "seq" not in changed and changed["payload"]["session"]["key"] == KEY, changed
        ends = [i for i, e in enumerate(screen.events)
                if e["event"] == "chat" and e["payload"]["state"] == "final"]
        assert ends and ends[0] < screen.events.index(changed), "its own events come first"


@test("no more sessions are followed by one connection than there is room for")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        for i in range(256):
            assert screen.ask("sessions.messages.subscribe", {"key": f"agent:a:{i}"})["ok"]
        assert screen.ask("sessions.messages.subscribe", {"key": "agent:a:255"})["ok"]
        error = screen.ask("sessions.messages.subscribe", {"key": "agent:a:256"})["error"]
        assert error["code"] == "INVALID_REQUEST", error


# --- asking -----------------------------------------------------------------------


def send(screen, message, id, **more):
    return screen.ask("chat.send", {"sessionKey": "main", "message": message,
                                    "idempotencyKey": id, **more})


def asked(up):
    """What the model was asked, in order."""
    return [r.json()["messages"][-1]["content"] for r in up.of("/chat/completions")]


def second(screen, id):
    """The next answer with this id: some requests are answered twice."""
    while True:
        frame = screen.ws.json()
        if frame["type"] == "event":
            screen.keep(frame)
            continue
        assert frame["id"] == id, frame
        seen.append({"frame": frame, "method": "", "protocol": 4})
        return frame["payload"]


@test("ten thousand retries of one key from eight connections are one run")
def _():
    def retry(box, screens, each):
        for screen in screens:
            for i in range(each):
                screen.ws.send({"type": "req", "id": f"n{i}", "method": "chat.send",
                                "params": {"sessionKey": "main", "message": "hello",
                                           "idempotencyKey": "once"}})
        states = []
        for screen in screens:
            answers = 0
            while answers < each:
                frame = screen.ws.json()
                if frame["type"] != "res":
                    continue
                answers += 1
                assert frame["ok"] and frame["payload"]["runId"] == "once", frame
                states.append(frame["payload"]["status"])
        return states

    with Upstream() as up, Box() as box:
        screens = [Screen(box) for _ in range(8)]
        add_model(box, up)
        for screen in screens:
            screen.hello()
        states = retry(box, screens, 1250)
        assert len(states) == 10000 and states.count("started") == 1, states.count("started")
        assert set(states) <= {"started", "in_flight", "ok"}, set(states)
        eventually(lambda: send(screens[0], "hello", "once")["payload"]["status"] == "ok")
        assert asked(up) == ["hello"], asked(up)
        for screen in screens:
            screen.ws.wire.close()


@test("a followup waits until the session is at rest, and is shown while it waits")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        assert send(screen, "gated one", "k1")["payload"]["status"] == "started"
        for i in (2, 3):
            assert send(screen, f"hello {i}", f"k{i}", queueMode="followup")["payload"] == {
                "runId": f"k{i}", "status": "started"}
        assert send(screen, "hello 2", "k2")["payload"]["status"] == "in_flight"
        screen.chat("delta", "k1")
        history = screen.ask("chat.history", {"sessionKey": "main"})["payload"]
        waiting = history["pendingInputs"]
        assert [(i["runId"], i["state"]) for i in waiting["items"]] == [
            ("k2", "queued"), ("k3", "queued")] and waiting["total"] == 2, waiting
        stopped = screen.ask("chat.abort", {"sessionKey": "main", "runId": "k3"})["payload"]
        assert stopped == {"ok": True, "aborted": True, "runIds": ["k3"]}, stopped
        assert screen.chat("aborted", "k3")["stopReason"] == "rpc"
        assert asked(up) == ["gated one"], asked(up)
        up.gate.set()
        screen.chat("final", "k1")
        screen.chat("final", "k2")
        assert asked(up) == ["gated one", "hello 2"], asked(up)
        assert send(screen, "hello 4", "k4", queueMode="followup")["ok"]
        screen.chat("final", "k4")


@test("what waits and what was wished are there again after a stop and a kill of the box")
def _():
    for end in (Box.stop, Box.kill9):
        with Upstream() as up, Box() as box:
            desk = box.data / "gateway-desk.json"
            with Screen(box) as screen:
                add_model(box, up)
                screen.hello()
                assert send(screen, "gated one", "k1")["payload"]["status"] == "started"
                screen.chat("delta", "k1")
                assert screen.ask("sessions.patch", {"key": "main", "verboseLevel": "on"})["ok"]
                for i in (2, 3):
                    assert send(screen, f"hello {i}", f"k{i}", queueMode="followup")["ok"]
                eventually(lambda: desk.exists() and '"k3"' in desk.read_text())
                assert desk.stat().st_mode & 0o777 == 0o600
            end(box)
            up.gate.set()
            box.start()
            with Screen(box) as screen:
                screen.hello()
                again = send(screen, "hello 2", "k2")["payload"]["status"]
                assert again in ("in_flight", "ok"), again
                eventually(lambda: asked(up)[1:] == ["hello 2", "hello 3"])
                assert row_of(screen, "main")["verboseLevel"] == "on"
                eventually(lambda: '"k3"' not in desk.read_text())


@test("of two runs of one session the one that speaks is in flight, and is stopped")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        send(screen, "gated one", "k1")
        screen.chat("delta", "k1")
        send(screen, "hello", "k2")
        screen.chat("final", "k2")
        history = screen.ask("chat.history", {"sessionKey": "main"})["payload"]
        assert history["inFlightRun"]["runId"] == "k1" and history["inFlightRun"]["text"], history
        assert history["sessionInfo"]["activeRunIds"] == ["k1"], history["sessionInfo"]
        assert row_of(screen, "main")["activeRunIds"] == ["k1"]
        assert [send(screen, "x", k)["payload"]["status"] for k in ("k1", "k2")] == ["in_flight", "ok"]
        stopped = screen.ask("chat.abort", {"sessionKey": "main"})["payload"]
        assert stopped == {"ok": True, "aborted": True, "runIds": ["k1"]}, stopped
        screen.chat("aborted", "k1")
        info = screen.ask("chat.history", {"sessionKey": "main"})["payload"]["sessionInfo"]
        assert info["activeRunIds"] == [] and not info["hasActiveRun"], info


@test("who sends, leaves and comes back later finds the run over")
def _():
    with Upstream() as up, Box() as box:
        with Screen(box) as screen:
            add_model(box, up)
            screen.hello()
            send(screen, "gated one", "k1")
            screen.chat("delta", "k1")
        eventually(lambda: not box.request("GET", "/api/status").json()["clients"])
        up.gate.set()
        eventually(lambda: any(s["type"] == "completion" for s in box.history()))
        with Screen(box) as screen:
            screen.hello()
            history = screen.ask("chat.history", {"sessionKey": "main"})["payload"]
            assert "inFlightRun" not in history and not history["sessionInfo"]["hasActiveRun"], history
            assert send(screen, "gated one", "k1")["payload"]["status"] == "ok"


@test("a key whose message was dropped while it waited is not said when it is sent again")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        send(screen, "gated one", "k1")
        screen.chat("delta", "k1")
        send(screen, "hello 2", "k2", queueMode="followup")
        assert screen.ask("chat.abort", {"sessionKey": "main", "runId": "k2"})["payload"]["aborted"]
        screen.chat("aborted", "k2")
        assert send(screen, "hello 2", "k2")["payload"] == {"runId": "k2", "status": "ok"}
        up.gate.set()
        screen.chat("final", "k1")
        assert asked(up) == ["gated one"], asked(up)


@test("an interrupt stops what is said, and is said then; steer and collect are refused")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        send(screen, "slow one", "k1")
        screen.chat("delta", "k1")
        assert send(screen, "hello", "k2", queueMode="interrupt")["payload"]["status"] == "started"
        screen.chat("aborted", "k1")
        screen.chat("final", "k2")
        assert asked(up) == ["slow one", "hello"], asked(up)
        for mode in ("steer", "collect"):
            error = send(screen, "hello", "k3", queueMode=mode)["error"]
            assert error["code"] == "INVALID_REQUEST" and mode in error["message"], error
        error = send(screen, "look", "k4", attachments=[{"type": "image", "content": "eA=="}])
        assert error["error"]["code"] == "INVALID_REQUEST", error
        send(screen, "slow two", "k5")
        send(screen, "hello", "k6", queueMode="followup")
        screen.chat("delta", "k5")
        stopped = send(screen, " /stop ", "k7")["payload"]
        assert stopped["aborted"] and sorted(stopped["runIds"]) == ["k5", "k6"], stopped
        screen.chat("aborted", "k5")


@test("too many that wait are refused, and cost others nothing")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        send(screen, "gated", "k0")
        screen.chat("delta", "k0")
        for i in range(32):
            assert send(screen, "hello", f"w{i}", queueMode="followup")["ok"], i
        error = send(screen, "hello", "w32", queueMode="followup")["error"]
        assert error["code"] == "UNAVAILABLE" and error["retryable"], error
        assert send(screen, "hello", "other", sessionKey="agent:parrot:b")["ok"]
        screen.chat("final", "other")
        screen.ask("chat.abort", {"sessionKey": "main"})
        up.gate.set()


@test("agent answers twice, and agent.wait once the run has ended")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen, Screen(box) as other:
        add_model(box, up)
        screen.hello()
        other.hello()
        taken = screen.ask("agent", {"message": "gated", "idempotencyKey": "a1"})["payload"]
        assert (taken["runId"], taken["status"]) == ("a1", "accepted"), taken
        assert taken["sessionKey"] == "agent:parrot:main" and taken["acceptedAt"] > 0, taken
        late = other.ask("agent.wait", {"runId": "a1", "timeoutMs": 100})["payload"]
        assert late == {"runId": "a1", "status": "timeout"}, late
        other.ws.send({"type": "req", "id": "w", "method": "agent.wait", "params": {"runId": "a1"}})
        up.gate.set()
        end = second(screen, f"q{screen.ids}")
        assert (end["runId"], end["status"], end["summary"]) == ("a1", "ok", "completed"), end
        final = screen.chat("final", "a1")
        assert end["result"]["payloads"][0]["text"] == text(final["message"]), end
        assert second(other, "w")["status"] == "ok"
        done = other.ask("agent.wait", {"runId": "a1"})["payload"]
        assert done["status"] == "ok" and done["endedAt"] >= done["startedAt"], done
        assert other.ask("agent", {"message": "gated", "idempotencyKey": "a1"})["ok"]
        assert second(other, f"q{other.ids}")["status"] == "ok"
        assert asked(up) == ["gated"], asked(up)
        screen.ask("agent", {"message": "slow", "idempotencyKey": "a2", "sessionKey": "b"})
        screen.chat("delta", "a2")
        other.ask("chat.abort", {"sessionKey": "agent:parrot:b"})
        assert second(screen, f"q{screen.ids}")["summary"] == "aborted"
        screen.ask("agent", {"message": "fails", "idempotencyKey": "a3"})
        failed = second(screen, f"q{screen.ids}")
        assert failed["status"] == "error" and failed["error"], failed
        error = screen.ask("agent", {"message": "x", "idempotencyKey": "a4", "agentId": "no"})
        assert error["error"]["code"] == "INVALID_REQUEST", error


@test("what was just sent is stopped, and who waits for what is never asked is told")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen, Screen(box) as other:
        add_model(box, up)
        screen.hello()
        other.hello()
        for i in range(5):
            send(screen, "slow", f"s{i}")
            stopped = screen.ask("chat.abort", {"sessionKey": "main", "runId": f"s{i}"})["payload"]
            assert stopped["runIds"] == [f"s{i}"], stopped
            screen.chat("aborted", f"s{i}")
        send(screen, "gated", "k1")
        send(screen, "hello", "k2", queueMode="followup")
        other.ws.send({"type": "req", "id": "w", "method": "agent.wait", "params": {"runId": "k2"}})
        other.ask("health", {})
        screen.ask("chat.abort", {"sessionKey": "main", "runId": "k2"})
        assert second(other, "w")["status"] == "timeout"
        up.gate.set()
        screen.chat("final", "k1")


@test("who leaves while it waits is forgotten")
def _():
    with Upstream() as up, Box() as box:
        add_model(box, up)
        with Screen(box) as screen:
            screen.hello()
            screen.ask("agent", {"message": "gated", "idempotencyKey": "a1"})
        up.gate.set()
        with Screen(box) as screen:
            screen.hello()
            waited = screen.ask("agent.wait", {"runId": "a1"})["payload"]
            assert waited["status"] == "ok", waited
        assert box.alive()


# --- beginning ----------------------------------------------------------------------


def row_of(screen, key):
    return screen.ask("sessions.describe", {"key": key})["payload"]["session"]


def said(screen, key):
    history = screen.ask("chat.history", {"sessionKey": key})["payload"]
    return [text(m) if isinstance(m["content"], list) else m["content"]
            for m in history["messages"] if m["role"] == "user"]


ADMIN = {"scopes": [READ, WRITE, "operator.admin"]}


@test("a session that is created is there, has its label, and is asked")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        screen.ask("sessions.subscribe", {})
        made = screen.ask("sessions.create", {"key": "tui-1", "label": "The plan"})["payload"]
        key = "agent:parrot:tui-1"
        assert made["ok"] and made["key"] == key and made["runStarted"] is False, made
        event = screen.until(lambda e: e["event"] == "sessions.changed"
                             and e["payload"].get("reason") == "create")
        assert event["payload"]["sessionKey"] == key, event
        row = eventually(lambda: row_of(screen, key))
        assert row["sessionId"] == made["sessionId"] and not row["hasActiveRun"], row
        eventually(lambda: row_of(screen, key)["label"] == "The plan")
        assert screen.ask("sessions.resolve", {"label": "The plan"})["payload"]["key"] == key
        again = screen.ask("sessions.create", {"key": "tui-1"})["payload"]
        assert again["sessionId"] == made["sessionId"], again
        send(screen, "hello", "k1", sessionKey=key)
        screen.chat("final", "k1")
        assert row_of(screen, key)["sessionId"] == made["sessionId"]
        more = screen.ask("sessions.create", {"agentId": "parrot", "message": "hello",
                                              "idempotencyKey": "k2"})["payload"]
        assert more["runStarted"] and more["runId"] == "k2", more
        assert screen.chat("final", "k2")["sessionKey"] == more["key"]
        box.stop()
        with box:
            with Screen(box) as late:
                late.hello()
                assert eventually(lambda: row_of(late, key))["label"] == "The plan"


@test("what a session cannot have is refused when it is created")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        for wrong in ({"worktree": True}, {"cwd": "/"}, {"agentId": "nobody"},
                      {"model": "none"}, {"label": "ä" * 101}, {"thinkingLevel": "high"}):
            error = screen.ask("sessions.create", wrong)["error"]
            assert error["code"] == "INVALID_REQUEST", (wrong, error)


@test("a session that begins anew has the same key, and nothing of what was said")
def _():
    key = "agent:parrot:main"
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello(**ADMIN)
        screen.ask("sessions.subscribe", {})
        send(screen, "first", "k1")
        screen.chat("final", "k1")
        old = eventually(lambda: row_of(screen, key))
        error = screen.ask("sessions.reset", {"key": "main", "expectedSessionId": "x"})["error"]
        assert error["details"] == {"reason": "session-changed"}, error
        send(screen, "slow", "k2")
        screen.chat("delta", "k2")
        fresh = screen.ask("sessions.reset", {"key": "main"})["payload"]
        assert fresh["ok"] and fresh["key"] == key, fresh
        assert fresh["entry"]["sessionId"] != old["sessionId"], fresh
        screen.until(lambda e: e["event"] == "sessions.changed"
                     and e["payload"].get("reason") == "reset"
                     and e["payload"]["sessionId"] == fresh["entry"]["sessionId"])
        screen.chat("aborted", "k2")
        assert said(screen, "main") == []
        send(screen, "second", "k3")
        final = screen.chat("final", "k3")
        assert final["sessionKey"] == key, final
        assert said(screen, "main") == ["second"]
        asked_last = up.of("/chat/completions")[-1].json()["messages"]
        assert [m["content"] for m in asked_last] == ["second"], asked_last
        rows = [s for s in screen.ask("sessions.list", {})["payload"]["sessions"]]
        assert [s["key"] for s in rows] == [key], rows
        assert rows[0]["sessionId"] == fresh["entry"]["sessionId"], rows
        screen.ask("sessions.reset", {"key": "main", "reason": "new"})
        assert said(screen, key) == []
        box.stop()
        with box, Screen(box) as late:
            late.hello()
            assert said(late, key) == []


@test("a key with a number begins nothing anew, and a reset goes on from what it began itself")
def _():
    key = "agent:parrot:main"
    with Upstream() as up, Box() as box, Screen(box) as screen, Screen(box) as admin:
        add_model(box, up)
        screen.hello()
        admin.hello(**ADMIN)
        send(screen, "first", "k1")
        screen.chat("final", "k1")
        for number in ("2", "7", "18446744073709551615"):
            screen.ask("sessions.create", {"key": f"{key}~{number}"})
            send(screen, "more", f"n{number}", sessionKey=f"{key}~{number}")
            screen.chat("final", f"n{number}")
        assert said(screen, key) == ["first", "more", "more"], said(screen, key)
        fresh = admin.ask("sessions.reset", {"key": "main"})
        assert fresh["ok"] and said(screen, key) == [], fresh
        send(screen, "second", "k2")
        screen.chat("final", "k2")
        assert said(screen, key) == said(screen, f"{key}~2") == ["second"], said(screen, key)


@test("a conversation that others gave a number has its own key, and is no newer one")
def _():
    key = "agent:parrot:main"
    with Upstream() as up, Box() as box, Screen(box) as screen, Screen(box) as admin:
        add_model(box, up)
        screen.hello()
        admin.hello(**ADMIN)
        send(screen, "first", "k1")
        screen.chat("final", "k1")
        answer = box.request("POST", "/api/sources/parrot/ask",
                             {"prompt": "theirs", "session": "main~2"})
        assert answer.status == 200, answer.body
        final = screen.chat("final", answer.json()["run"])
        assert final["sessionKey"] == key + "~2", final
        assert said(screen, key) == ["first"], said(screen, key)
        assert said(screen, key + "~2") == ["theirs"]
        assert admin.ask("sessions.reset", {"key": "main"})["ok"]
        assert said(screen, key) == []
        box.stop()
        with box, Screen(box) as late:
            late.hello()
            assert said(late, key) == []


@test("a session of nobody who can be asked does not begin anew, and reset is for admins")
def _():
    with Box() as box, Screen(box) as screen, Screen(box) as other:
        screen.hello(**ADMIN)
        other.hello()
        talk(box, "r1", 1)
        has_said(screen, "answer 0")
        error = screen.ask("sessions.reset", {"key": KEY})["error"]
        assert error["code"] == "INVALID_REQUEST", error
        assert other.ask("sessions.reset", {"key": KEY})["error"]["code"] == "FORBIDDEN"


@test("a session is renamed, and asked with another model, where its agent has some")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        talk(box, "r1", 1)
        has_said(screen, "answer 0")
        done = screen.ask("sessions.patch", {"key": KEY, "label": "Fences"})["payload"]
        assert done["ok"] and done["entry"]["label"] == "Fences", done
        eventually(lambda: row_of(screen, KEY)["label"] == "Fences")
        assert any(m.get("title") == "Fences"
                   for m in box.request("GET", "/api/crew").json()["members"])
        screen.ask("sessions.patch", {"key": KEY, "label": None})
        eventually(lambda: row_of(screen, KEY)["label"] != "Fences")
        models = screen.ask("models.list", {})["payload"]["models"]
        assert ("model-b", "parrot") in [(m["id"], m["provider"]) for m in models], models
        done = screen.ask("sessions.patch", {"key": "main", "model": "parrot/model-b"})
        assert done["payload"]["resolved"] == {"modelProvider": "parrot", "model": "model-b"}, done
        send(screen, "hello", "k1")
        screen.chat("final", "k1")
        assert up.of("/chat/completions")[-1].json()["model"] == "model-b"
        assert row_of(screen, "main")["model"] == "model-b"
        done = screen.ask("sessions.patch", {"key": "main", "verboseLevel": "on"})["payload"]
        assert done["entry"]["verboseLevel"] == "on"
        assert row_of(screen, "main")["verboseLevel"] == "on"
        for wrong in ({"key": "main", "model": "none"}, {"key": KEY, "model": "model-a"},
                      {"key": "main", "thinkingLevel": "high"}, {"key": "main", "pinned": True},
                      {"key": "agent:no:one", "label": "x"}, {"key": KEY, "label": "ä" * 101},
                      {"key": "main", "expectedSessionId": "other"}):
            error = screen.ask("sessions.patch", wrong)["error"]
            assert error["code"] == "INVALID_REQUEST", (wrong, error)
        for nothing in ({"pinned": False}, {"thinkingLevel": None}, {"archived": False}):
            assert screen.ask("sessions.patch", {"key": "main", **nothing})["ok"], nothing


@test("a page of sessions is no longer than the box wants it")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        for params, most in (({}, 200), ({"limit": 7}, 7), ({"limit": 1 << 40}, 500)):
            assert screen.ask("sessions.list", params)["payload"]["limitApplied"] == most, params


@test("of very many sessions that were changed the oldest are as they were")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        for i in range(1025):
            done = screen.ask("sessions.patch", {"key": f"p{i}", "verboseLevel": "on"})
            assert done["ok"] and done["payload"]["entry"]["verboseLevel"] == "on", done
        for i, is_on in ((0, False), (1, True), (1024, True)):
            done = screen.ask("sessions.patch", {"key": f"p{i}", "pinned": False})["payload"]
            assert ("verboseLevel" in done["entry"]) == is_on, (i, done)


@test("a change that is refused has changed nothing")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        wrong = screen.ask("sessions.patch", {"key": "none", "model": "model-b",
                                              "verboseLevel": "on", "label": "x"})
        assert wrong["error"]["code"] == "INVALID_REQUEST", wrong
        done = screen.ask("sessions.patch", {"key": "none", "pinned": False})["payload"]
        assert not {"model", "verboseLevel"} & set(done["entry"]), done


@test("a session that is created twice with one key of the request is one")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        wish = {"message": "hello", "idempotencyKey": "k1"}
        first = screen.ask("sessions.create", wish)["payload"]
        again = screen.ask("sessions.create", wish)["payload"]
        assert again["key"] == first["key"] and again["runId"] == "k1", (first, again)
        screen.chat("final", "k1")
        eventually(lambda: row_of(screen, first["key"]))
        later = screen.ask("sessions.create", wish)["payload"]
        assert later["key"] == first["key"], (first, later)
        assert asked(up) == ["hello"], asked(up)


@test("a session that is created twice with one key, and without a message, is one")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        wish = {"agentId": "parrot", "idempotencyKey": "k1"}
        first = screen.ask("sessions.create", wish)["payload"]
        again = screen.ask("sessions.create", wish)["payload"]
        assert again["key"] == first["key"] and again["sessionId"] == first["sessionId"], (first, again)
        eventually(lambda: row_of(screen, first["key"]))
        later = screen.ask("sessions.create", wish)["payload"]
        assert later["key"] == first["key"], (first, later)
        other = screen.ask("sessions.create", {**wish, "idempotencyKey": "k2"})["payload"]
        assert other["key"] != first["key"], other
        # the key of a request is no run
        assert send(screen, "hello", "k1", sessionKey=first["key"])["payload"]["status"] == "started"
        screen.chat("final", "k1")


@test("a session that is created twice at once is one")
def _():
    with Upstream() as up, Box() as box, Screen(box) as screen:
        add_model(box, up)
        screen.hello()
        for i in range(20):
            for n in "ab":
                screen.ws.send({"type": "req", "id": f"{n}{i}", "method": "sessions.create",
                                "params": {"key": f"twin-{i}"}})
            made = [second(screen, f"{n}{i}")["sessionId"] for n in "ab"]
            assert made[0] == made[1], made


@test("the numbers of a run's events grow with each of them")
def _():
    with config_box("gateway: {pace: 0ms}\n") as box, Screen(box) as screen:
        screen.hello()
        say(box, "r0", "text_delta", {"agentId": "bot", "content": "at once"})
        say(box, "r0", "completion", {"agentId": "bot", "taskId": "t", "success": True})
        tell_a_run(box, "r1")
        tell_a_run(box, "r1")
        screen.chat("final", "r1")
        eventually(lambda: past(screen)["sessionInfo"]["activeRunIds"] == []
                   and len(past(screen)["messages"]) == 8)
        for event in ("agent", "chat"):
            for id in ("r0", "r1"):
                numbers = [e["seq"] for e in screen.of(event, id)]
                assert numbers == sorted(set(numbers)), (event, id, numbers)


judge_all(60)

run()
