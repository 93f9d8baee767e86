#!/usr/bin/env python3
"""The gateway dialect: what a gateway behind the box sent, towards clients of its protocol.

They get its frames as they came: the same members with the same values, but for numbers, which
are ours, and for the keys of sessions where protocol 3 abbreviates them.  Clients of the other protocol
get what every run of the box looks like there.
"""

import copy
import json

from gateway import Gateway, ask, connected, in_state, settle
from gateway_clients import Screen, judge_all, text
from lib import SHARED, Box, Skip, eventually, run, temp_dir, test

RECORDINGS = SHARED / "vectors" / "gateway"
UNKNOWN = {"lane", "session"}  # real gateways send them; the published schema has them not


def recorded(protocol):
    """The events of runs in a recording, in their order."""
    path = RECORDINGS / f"v{protocol}-frames.jsonl"
    if not path.is_file():
        raise Skip("../shared/vectors/gateway is not here")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return [r["frame"] for r in records if r["dir"] == "in" and r["frame"].get("event") in ("agent", "chat")]


def bare(frame, protocol):
    """Without its numbers, and what no client may get."""
    payload = copy.deepcopy({k: v for k, v in frame["payload"].items() if k not in UNKNOWN | {"seq"}})
    if protocol == 3:
        payload.pop("sessionKey", None)
    return frame["event"], payload


def play(box, gateway, screen, frames):
    for frame in frames:
        gateway.event(frame["event"], frame["payload"])
    settle(box, gateway)
    runs = {f["payload"]["runId"] for f in frames}
    ends = lambda: {e["payload"]["runId"] for e in screen.events if e["event"] == "chat"
                    and e["payload"]["state"] in ("final", "aborted", "error")}
    eventually(lambda: screen.ask("health", {})["ok"] and runs <= ends())
    if screen.protocol == gateway.protocol:
        last = bare(frames[-1], screen.protocol)
        eventually(lambda: screen.ask("health", {})["ok"] and any(
            e["event"] == frames[-1]["event"] and bare(e, screen.protocol) == last for e in screen.events))
    return runs


def compare(frames, told, run, protocol):
    """Every frame of a run, in its order, whichever of them ended it."""
    mine, theirs = ([bare(f, protocol) for f in of if f["event"] in ("agent", "chat")
                     and f["payload"]["runId"] == run] for of in (told, frames))
    for i, (one, other) in enumerate(zip(mine, theirs)):
        assert one == other, (i, one, other)
    assert len(mine) == len(theirs), (mine[len(theirs):], theirs[len(mine):])
    for event in ("agent", "chat"):
        numbers = [f["payload"]["seq"] for f in told if f["event"] == event and f["payload"]["runId"] == run]
        assert numbers == sorted(set(numbers)), numbers


@test("frames of both protocols come as they came, member by member")
def _():
    for protocol in (3, 4):
        frames = recorded(protocol)
        with Gateway(protocol) as gateway, Box() as box, Screen(box) as screen:
            connected(box, gateway)
            screen.hello(protocol)
            for id in play(box, gateway, screen, frames):
                compare(frames, screen.events, id, protocol)


@test("with positions they do, too: live, and from the journal")
def _():
    for protocol in (3, 4):
        frames = recorded(protocol)
        with Gateway(protocol) as gateway, Box() as box, Screen(box) as screen:
            connected(box, gateway)
            screen.hello(protocol, caps=["tool-events", "signalbox-positions"])
            at = screen.ask("events.subscribe", {})["payload"]["position"]
            runs = play(box, gateway, screen, frames)
            told = [e for e in screen.events if e["event"] in ("agent", "chat")]
            for id in runs:
                compare(frames, told, id, protocol)
            with Screen(box) as again:
                again.hello(protocol, caps=["tool-events", "signalbox-positions"])
                again.ask("events.subscribe", {"after": at})
                again.until(lambda e: len([e for e in again.events if e["event"] in ("agent", "chat")])
                            == len(told))
                assert [e for e in again.events if e["event"] in ("agent", "chat")] == told


@test("clients of the other protocol get what every run looks like there")
def _():
    for protocol, other in ((3, 4), (4, 3)):
        frames = recorded(protocol)
        with Gateway(protocol) as gateway, Box() as box, Screen(box) as screen:
            connected(box, gateway)
            screen.hello(other)
            for id in play(box, gateway, screen, frames):
                told = [e["payload"] for e in screen.events if e["event"] == "agent"
                        and e["payload"]["runId"] == id]
                assert told[0]["stream"] in ("lifecycle", "run_status"), told[0]
                assert [e for e in told if e["data"].get("phase") == "start"], told
                said = "".join(e["data"]["delta"] for e in told if e["stream"] == "assistant")
                ends = [f["payload"] for f in frames if f["payload"]["runId"] == id
                        and f["payload"].get("state") in ("final", "aborted")]
                assert said == text(ends[0]["message"]), (said, ends)
                assert len([e for e in screen.events if e["event"] == "chat" and e["payload"]["runId"] == id
                            and e["payload"]["state"] in ("final", "aborted")]) == 1


told = []  # what gateways of these tests told


def frame(gateway, event, payload):
    if gateway.protocol == 3:
        payload = {k: v for k, v in payload.items() if k not in ("agentId", "isHeartbeat", "deltaText")}
    told.append({"event": event, "payload": payload})
    gateway.event(event, payload)


def agent(gateway, run, stream, data, **more):
    agent.seq += 1
    frame(gateway, "agent", {"runId": run, "sessionKey": "agent:main:s", "agentId": "main", "stream": stream,
                             "data": data, "seq": agent.seq, "ts": 1794702611845, "isHeartbeat": False, **more})


agent.seq = 0


@test("streams that the box does not know, and members that the protocol has, come whole")
def _():
    frames = [
        ("lifecycle", {"phase": "start", "startedAt": 7}, {"sessionId": "s-1", "spawnedBy": "agent:main:up"}),
        ("plan", {"steps": [{"step": "é\n", "status": "pending"}]}, {}),
        ("compaction", {"phase": "start"}, {}),
        ("tool", {"phase": "start", "name": "ls", "toolCallId": "c1", "args": {"path": "/"}, "lane": 3}, {}),
        ("tool", {"phase": "result", "name": "ls", "toolCallId": "c1", "isError": False, "meta": "x",
                  "result": {"content": []}}, {}),
        ("item", {"itemId": "i1", "kind": "command", "phase": "start", "title": "t"}, {}),
        ("command_output", {"phase": "delta", "output": "etc"}, {}),
        ("lifecycle", {"phase": "model", "provider": "p", "model": "m"}, {}),
        ("lifecycle", {"phase": "end", "endedAt": 9, "stopReason": "length"}, {}),
    ]
    with Gateway(4) as gateway, Box() as box, Screen(box) as screen, Screen(box) as plain:
        connected(box, gateway)
        screen.hello()
        plain.hello(caps=[])
        for stream, data, more in frames:
            agent(gateway, "r", stream, data, **more)
        assert screen.chat("final", "r")["stopReason"] == "length"
        plain.chat("final", "r")
        mine = screen.of("agent", "r")
        assert [(e["stream"], e["data"]) for e in mine] == [t[:2] for t in frames], mine
        assert mine[0]["sessionId"] == "s-1" and mine[0]["spawnedBy"] == "agent:main:up", mine[0]
        assert all(set(e) <= {"runId", "sessionKey", "agentId", "sessionId", "seq", "stream", "data", "ts",
                              "isHeartbeat", "spawnedBy"} for e in mine)
        assert [e["stream"] for e in plain.of("agent", "r")] == [
            t[0] for t in frames if t[0] != "tool"], plain.events


def chat(gateway, run, state, **more):
    frame(gateway, "chat", {"runId": run, "sessionKey": "agent:main:s", "agentId": "main", "seq": agent.seq,
                            "state": state, **more})


def message(words, **more):
    return {"role": "assistant", "content": [{"type": "text", "text": words}], "timestamp": 1794702611845, **more}


def both(gateway, run):
    """Words of a run as a gateway tells them: agent and chat side by side, either ahead, one of them joined."""
    words = [f"w{i} é " for i in range(12)]
    said = "".join
    agent(gateway, run, "lifecycle", {"phase": "start", "startedAt": 7})
    at = 0
    for i in range(len(words)):
        if i % 3 == 0:
            agent(gateway, run, "assistant", {"text": said(words[:i + 1]), "delta": said(words[at:i + 1]), "itemId": "i"})
            at = i + 1
        chat(gateway, run, "delta", deltaText=words[i], message=message(said(words[:i + 1]), model={"of": run}))
    agent(gateway, run, "assistant", {"text": said(words), "delta": said(words[at:]), "itemId": "i"})
    return said(words)


def sent(gateway, run):
    """What the gateway told of it."""
    return [f for f in told if f["payload"]["runId"] == run]


@test("chat comes as it came, beside agent words that are ahead or behind, and no word twice")
def _():
    with Gateway(4) as gateway, Box() as box, Screen(box) as screen, Screen(box) as old, Screen(box) as exact:
        connected(box, gateway)
        screen.hello()
        old.hello(3)
        exact.hello(caps=["tool-events", "signalbox-positions"])
        exact.ask("events.subscribe", {})
        told.clear()
        whole = both(gateway, "r")
        agent(gateway, "r", "usage", {"outputTokens": 7})
        agent(gateway, "r", "lifecycle", {"phase": "end", "endedAt": 9, "stopReason": "stop"})
        chat(gateway, "r", "final", stopReason="stop", usage={"output": 7, "odd": [1]}, yielded=True,
             message=message(whole, odd={"a": [None]}))
        agent(gateway, "r", "lifecycle", {"phase": "model", "provider": None}, lane="main")
        for client in (screen, exact):
            client.until(lambda e: e["event"] == "agent" and e["payload"]["data"].get("phase") == "model")
            compare(sent(gateway, "r"), client.events, "r", 4)
        assert text(old.chat("final", "r")["message"]) == whole
        assert "".join(e["data"]["delta"] for e in old.of("agent", "r") if e["stream"] == "assistant") == whole
        assert len([e for e in old.of("chat", "r") if e["state"] == "final"]) == 1
        assert "".join(s["payload"]["content"] for s in box.history() if s["type"] == "text_delta") == whole
        journal = b"".join(p.read_bytes() for p in (box.data / "journal").rglob("*") if p.is_file()).decode()
        for word in whole.split()[::2]:
            assert journal.count(f"{word} ") == 1, (word, journal.count(f"{word} "))


@test("every end of chat comes as it came, whoever ended the run")
def _():
    detail = {"provider": "p", "model": "m", "httpStatus": 529, "providerErrorMessagePreview": "busy"}
    ends = {
        "aborted": {"stopReason": "rpc", "errorMessage": "stopped", "message": message("so far, and a bit")},
        "error": {"errorMessage": "busy", "errorKind": "rate_limit", "errorDetail": detail, "usage": {"input": 3}},
        "final": {"message": message("other words than were said", content=[
            {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}])},
    }
    with Gateway(4) as gateway, Box() as box, Screen(box) as screen:
        connected(box, gateway)
        screen.hello()
        told.clear()
        for first in ("agent", "chat"):
            for state, more in ends.items():
                run = f"{first}-{state}"
                agent(gateway, run, "lifecycle", {"phase": "start", "startedAt": 7})
                agent(gateway, run, "assistant", {"text": "so far", "delta": "so far"})
                phase = {"phase": "error", "error": "busy"} if state == "error" else {"phase": "end"}
                over = lambda: agent(gateway, run, "lifecycle", {**phase, "aborted": state == "aborted", "endedAt": 9})
                if first == "agent":
                    over()
                chat(gateway, run, state, **more)
                if first == "chat":
                    over()
                agent(gateway, run, "late", {"n": 1})
                screen.until(lambda e: e["event"] == "agent" and e["payload"]["stream"] == "late"
                             and e["payload"]["runId"] == run)
                compare(sent(gateway, run), screen.events, run, 4)
        done = [s["correlationId"] for s in box.history() if s["type"] in ("completion", "error")]
        assert sorted(done) == sorted(set(done)) and len(done) == 6, done


@test("an end that chat does not tell is told by us, once, to who counts positions and to who does not")
def _():
    with Gateway(4) as gateway, Box() as box, Screen(box) as screen, Screen(box) as exact:
        connected(box, gateway)
        screen.hello()
        exact.hello(caps=["signalbox-positions"])
        exact.ask("events.subscribe", {})
        for run, phase, state in (("a", {"phase": "end", "stopReason": "length"}, "final"),
                                  ("b", {"phase": "end", "aborted": True}, "aborted"),
                                  ("c", {"phase": "error", "error": "boom"}, "error")):
            agent(gateway, run, "lifecycle", {"phase": "start", "startedAt": 7})
            agent(gateway, run, "assistant", {"text": "so far", "delta": "so far"})
            agent(gateway, run, "lifecycle", phase)
            for client in (screen, exact):
                end = client.chat(state, run)
                assert text(end["message"]) == "so far", end
                assert end.get("stopReason") == phase.get("stopReason") and end.get("errorMessage") == phase.get("error")
            chat(gateway, run, state, message=message("so far"))  # late
        settle(box, gateway)
        for client in (screen, exact):
            client.ask("health", {})
            assert [e["state"] for r in "abc" for e in client.of("chat", r)] == ["final", "aborted", "error"]


@test("the end of a run whose gateway is lost, or whose box is killed, before chat tells it is told, too")
def _():
    with Gateway(4) as gateway, Box() as box:
        connected(box, gateway)
        with Screen(box) as screen:
            screen.hello()
            agent(gateway, "r", "assistant", {"text": "so far", "delta": "so far"})
            agent(gateway, "r", "lifecycle", {"phase": "end"})
            screen.until(lambda e: e["event"] == "agent" and e["payload"]["data"].get("phase") == "end")
            gateway.drop()
            assert text(screen.chat("final", "r")["message"]) == "so far"
            in_state(box, "connected")
            with Screen(box) as exact:
                exact.hello(caps=["signalbox-positions"])
                at = exact.ask("events.subscribe", {})["payload"]["position"]
            agent(gateway, "k", "assistant", {"text": "so far", "delta": "so far"})
            agent(gateway, "k", "lifecycle", {"phase": "end"})
            screen.until(lambda e: e["event"] == "agent" and e["payload"]["runId"] == "k"
                         and e["payload"]["data"].get("phase") == "end")
        box.kill9()
        box.start()
        with Screen(box) as exact:
            exact.hello(caps=["signalbox-positions"])
            exact.ask("events.subscribe", {"after": at})
            assert text(exact.chat("final", "k")["message"]) == "so far"


@test("a run that is asked from here begins once, as the gateway says it does")
def _():
    for protocol, other in ((3, 4), (4, 3)):
        with Gateway(protocol) as gateway, Box() as box, Screen(box) as screen, Screen(box) as foreign:
            connected(box, gateway)
            screen.hello(protocol)
            foreign.hello(other)
            run = ask(box, "hello")["run"]
            for client in (screen, foreign):
                client.chat("final", run)
                starts = [e for e in client.of("agent", run) if e["stream"] == "lifecycle"
                          and e["data"]["phase"] == "start"]
                assert len(starts) == 1, client.of("agent", run)
            assert [e for e in screen.of("agent", run) if e["data"].get("startedAt") == 1], "as it came"


@test("who asks for the history in the middle of a word goes on with what follows it")
def _():
    with Gateway(4) as gateway, Box() as box, Screen(box) as screen:
        connected(box, gateway)
        screen.hello()
        words = [f"w{i} " for i in range(10)]
        agent(gateway, "r", "lifecycle", {"phase": "start", "startedAt": 7})
        shown = ""
        for i in range(0, 10, 2):
            so_far = "".join(words[:i + 2])
            agent(gateway, "r", "assistant", {"text": so_far, "delta": words[i] + words[i + 1]})
            screen.until(lambda e: e["event"] == "agent" and e["payload"]["data"].get("text") == so_far)
            if i == 4:
                flight = screen.ask("chat.history", {"sessionKey": "agent:main:s"})["payload"]["inFlightRun"]
                assert flight["text"] == so_far, flight
                seen, shown = len(screen.events), flight["text"]
            for n in (i, i + 1):
                chat(gateway, "r", "delta", deltaText=words[n], message=message("".join(words[:n + 1])))
        agent(gateway, "r", "lifecycle", {"phase": "end"})
        chat(gateway, "r", "final", message=message("".join(words)))
        screen.chat("final", "r")
        for event in screen.events[seen:]:
            if event["event"] == "chat" and event["payload"]["state"] == "delta":
                shown = event["payload"]["deltaText"] if event["payload"].get("replace") else (
                    shown + event["payload"]["deltaText"])
                assert shown == text(event["payload"]["message"]), event
        assert shown == "".join(words)


@test("a long text is put back no more often than snapshot_rate allows, and its end has all of it")
def _():
    for protocol in (3, 4):
        data = temp_dir() / "data"
        data.mkdir(mode=0o700)
        (data / "config.yaml").write_text("gateway: {snapshot_rate: 64KiB}\n")
        with Gateway(protocol) as gateway, Box(data=data) as box, Screen(box) as screen:
            connected(box, gateway)
            screen.hello(protocol)
            agent(gateway, "r", "lifecycle", {"phase": "start", "startedAt": 7})
            said = ""
            for i in range(200):
                said += f"{i} " * 100
                agent(gateway, "r", "assistant", {"text": said, "delta": f"{i} " * 100})
                chat(gateway, "r", "delta", deltaText=f"{i} " * 100, message=message(said))
            settle(box, gateway)
            last = screen.until(lambda e: e["event"] == "chat" and e["payload"]["state"] == "delta"
                                and text(e["payload"].get("message", message(""))) == said)
            assert last, "there is one with all of it when it is quiet"
            deltas = [e for e in screen.of("chat", "r") if e["state"] == "delta"]
            assert len([d for d in deltas if "message" in d]) < 100, len(deltas)
            if protocol == 4:
                assert "".join(d["deltaText"] for d in deltas) == said
            agent(gateway, "r", "lifecycle", {"phase": "end"})
            chat(gateway, "r", "final", message=message(said))
            assert text(screen.chat("final", "r")["message"]) == said


@test("words that came as frames are not told twice, whoever else speaks in the run")
def _():
    with Gateway(4) as gateway, Box() as box, Screen(box) as screen, Screen(box) as old:
        connected(box, gateway)
        screen.hello()
        old.hello(3)
        said = ""
        for i in range(40):
            said += f"word{i} "
            agent(gateway, "r", "assistant", {"text": said, "delta": f"word{i} ", "itemId": "i1"})
        agent(gateway, "r", "lifecycle", {"phase": "end", "endedAt": 9})
        for client in (screen, old):
            assert text(client.chat("final", "r")["message"]) == said
            mine = [e["data"] for e in client.of("agent", "r") if e["stream"] == "assistant"]
            assert "".join(d["delta"] for d in mine) == said, mine
            assert mine[-1]["text"] == said
        mine = [e["data"] for e in screen.of("agent", "r") if e["stream"] == "assistant"]
        assert len(mine) == 40 and all(d["itemId"] == "i1" for d in mine), mine


@test("a frame that is none of the protocol costs nothing")
def _():
    with Gateway(4) as gateway, Box() as box, Screen(box) as screen:
        connected(box, gateway)
        screen.hello()
        for stream, data in (("", {}), (None, {}), ("x" * 500, {"a": 1}), (7, {}), ("plan", [1]), ("plan", None),
                             ("assistant", {"delta": "a", "text": {"no": 1}}), ("thinking", {"delta": 7})):
            agent(gateway, "r", stream, data, sessionId=7, spawnedBy=["x"])
        gateway.event("chat", {"runId": "r", "sessionKey": "agent:main:s", "seq": 99, "state": "status",
                               "phase": ["none"]})
        agent(gateway, "r", "lifecycle", {"phase": "end", "endedAt": 9})
        assert text(screen.chat("final", "r")["message"]) == "a"


judge_all(100)
run()
