#!/usr/bin/env python3
"""The gateway dialect: what a gateway behind the box sent, towards clients of its protocol.

They get its frames as they came: the same members with the same values, but for numbers, which
are ours, and for the keys of sessions where protocol 3 abbreviates them.  Clients of the other protocol
get what every run of the box looks like there.
"""

import copy
import json

from gateway import Gateway, connected, settle
from gateway_clients import Screen, judge_all, text
from lib import SHARED, Box, Skip, eventually, run, test

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
    if isinstance(payload.get("message"), dict):
        payload["message"].pop("timestamp", None)
    return payload


def play(box, gateway, screen, frames):
    for frame in frames:
        gateway.event(frame["event"], frame["payload"])
    settle(box, gateway)
    runs = {f["payload"]["runId"] for f in frames}
    ends = lambda: {e["payload"]["runId"] for e in screen.events if e["event"] == "chat"
                    and e["payload"]["state"] in ("final", "aborted", "error")}
    eventually(lambda: screen.ask("health", {})["ok"] and runs <= ends())
    return runs


def agents(frames, run, protocol):
    return [bare(f, protocol) for f in frames if f["event"] == "agent" and f["payload"]["runId"] == run]


def until_end(frames, run):
    """Up to its first end: what a gateway says of a run that is over is said already."""
    taken = []
    for frame in frames:
        if frame["payload"]["runId"] != run:
            continue
        taken.append(frame)
        payload = frame["payload"]
        if payload.get("state") in ("aborted", "error", "final") or (
                payload.get("stream") == "lifecycle" and payload["data"]["phase"] in ("end", "error")):
            return taken
    return taken


def chats(frames, run, *states, protocol):
    return [bare(f, protocol) for f in frames if f["event"] == "chat"
            and f["payload"]["runId"] == run and f["payload"]["state"] in states]


def compare(frames, told, run, protocol):
    came = until_end(frames, run)
    mine = agents(told, run, protocol)
    theirs = agents(came, run, protocol)
    if came[-1]["event"] == "chat":  # the rest of its words and its end are then told by us
        mine = mine[:len(theirs)]
    for i, (one, other) in enumerate(zip(mine, theirs)):
        assert one == other, (i, one, other)
    assert len(mine) == len(theirs), (mine[len(theirs):], theirs[len(mine):])
    assert chats(told, run, "status", protocol=protocol) == chats(came, run, "status", protocol=protocol)
    ends = ("final", "aborted", "error")
    assert chats(told, run, *ends, protocol=protocol) == chats(frames, run, *ends, protocol=protocol)
    deltas, theirs = (chats(f, run, "delta", protocol=protocol) for f in (told, frames))
    assert {tuple(sorted(set(d) - {"replace"})) for d in deltas} == {tuple(sorted(d)) for d in theirs}
    assert text(deltas[-1]["message"]).startswith(text(theirs[-1]["message"])), (deltas[-1], theirs[-1])


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


def agent(gateway, run, stream, data, **more):
    agent.seq += 1
    gateway.event("agent", {"runId": run, "sessionKey": "agent:main:s", "agentId": "main", "stream": stream,
                            "data": data, "seq": agent.seq, "ts": 1794702611845, "isHeartbeat": False, **more})


agent.seq = 0


@test("streams that the box does not know, and members that the protocol has, come whole")
def _():
    told = [
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
        for stream, data, more in told:
            agent(gateway, "r", stream, data, **more)
        assert screen.chat("final", "r")["stopReason"] == "length"
        plain.chat("final", "r")
        mine = screen.of("agent", "r")
        assert [(e["stream"], e["data"]) for e in mine] == [t[:2] for t in told], mine
        assert mine[0]["sessionId"] == "s-1" and mine[0]["spawnedBy"] == "agent:main:up", mine[0]
        assert all(set(e) <= {"runId", "sessionKey", "agentId", "sessionId", "seq", "stream", "data", "ts",
                              "isHeartbeat", "spawnedBy"} for e in mine)
        assert [e["stream"] for e in plain.of("agent", "r")] == [
            t[0] for t in told if t[0] != "tool"], plain.events


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
