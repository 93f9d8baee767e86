#!/usr/bin/env python3
"""Living with an OpenClaw gateway: ticks, gaps and losses, asks that go through it,
and the recorded frames of real ones.
"""

import json
import os
import signal
import socket
import threading
import time

from gateway import (ENDS, Gateway, Refusal, add, ask, connected, end_of, in_state, of_run, settle, sources,
                     text_of)
from lib import SHARED, SLOW, Box, Skip, at_last, eventually, in_time, run, test


# --- ticks, gaps, losses ---------------------------------------------------------------


def losses(box, id):
    """Why it was left or lost, each time."""
    told = [s["payload"] for s in box.history("&type=source.state")]
    return [t["error"] for t in told if t["sourceId"] == id and t.get("error")]


@test("a gateway that falls silent for two ticks is left and met again")
def _():
    def meet_again():
        with Box() as box, Gateway(tick_ms=200) as gateway:
            connected(box, gateway)
            time.sleep(1)  # longer than two ticks: it stays
            in_time(sources(box)["claw"]["connects"] == 1, "the gateway ticks too slowly")
            gateway.ticks = False
            eventually(lambda: any("silent" in words for words in losses(box, "claw")))
            gateway.ticks = True
            eventually(lambda: sources(box)["claw"]["connects"] >= 2)

    at_last(meet_again)


@test("a gateway that floods is not read until there is room, and neither it nor a run is called silent")
def _():
    def limit(rate):
        (box.data / "c.yaml").write_text(
            f"listen: ['127.0.0.1:0']\nlimits: {{rate: {rate}, silence: {silence}ms}}\n")

    def flood():
        for n in range(total):
            gateway.event("agent", {"runId": "flood", "stream": "assistant",
                                    "sessionKey": "agent:main:x", "data": {"delta": piece, "text": ""}})
            sent.append(n)

    def is_held():
        before = len(sent)
        time.sleep(1.2 * silence / 1000)  # longer than a run may be silent, or the gateway
        return len(sent) - before < 10

    total, piece, sent = 400, "x" * 65536, []  # three times what may wait here
    silence = int(2000 * SLOW)
    box = Box(listen=())
    box.data.mkdir(mode=0o700, parents=True)
    box.args = ["--config", str(box.data / "c.yaml")]
    limit(0)
    with box.start(), Gateway(tick_ms=int(250 * SLOW)) as gateway:
        client = connected(box, gateway)
        client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        asked = ask(box, "QUIET")["run"]
        eventually(lambda: len(of_run(box, asked)) > 1)
        limit(1)
        os.kill(box.pid, signal.SIGHUP)
        eventually(lambda: "was read again" in box.log())
        threading.Thread(target=flood, daemon=True).start()
        eventually(lambda: sent and is_held())
        source = sources(box)["claw"]
        assert len(sent) < total and source["state"] == "connected" and source["connects"] == 1, source
        assert not [s for s in of_run(box, asked) if s["type"] in ENDS], "it was called silent"
        limit(0)
        os.kill(box.pid, signal.SIGHUP)
        eventually(lambda: len(sent) == total)
        eventually(lambda: sources(box)["claw"]["bytes"] > total * len(piece))
        source = sources(box)["claw"]
        assert source["connects"] == 1 and source["badFrames"] == 0 and source["dropped"] == 0, source


def gaps(box):
    return [s["payload"] for s in box.history("&type=source.gap")]


@test("a gap in the numbers of protocol 4 is a signal and a remark")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        gateway.event("skills.changed", {})
        gateway.skip(3)
        gateway.event("skills.changed", {})
        gap, = eventually(lambda: gaps(box))
        assert gap["sourceId"] == "claw" and gap["missed"] == 3 and gap["why"], gap
        eventually(lambda: "events 2 to 4 did not come" in (sources(box)["claw"]["lastError"] or ""))


@test("in protocol 3 a hole is no proof, and only remarked")
def _():
    with Box() as box, Gateway(3) as gateway:
        connected(box, gateway)
        gateway.skip(100)
        gateway.event("skills.changed", {})
        gateway.skip(3)
        gateway.event("skills.changed", {})
        settle(box, gateway)
        assert "events 102 to 104" in sources(box)["claw"]["lastError"], sources(box)
        assert sources(box)["claw"]["badFrames"] == 1
        assert not gaps(box)


@test("every close but our own is told and followed by another try, the first after a second")
def _():
    ways = [
        ("restart", lambda g: g.shut_down(), "gateway stopping"),
        ("crash", lambda g: g.drop(), "connection lost"),
        ("peace", lambda g: g.clients[0].bye(1000, "away"), "code 1000"),
        ("policy", lambda g: g.clients[0].bye(1008, "slow consumer"), "slow consumer"),
    ]
    gateways = {id: Gateway() for id, _, _ in ways}
    with Box() as box:
        for id, gateway in gateways.items():
            add(box, gateway, id=id)
        for id, close, words in ways:
            in_state(box, "connected", id)
            eventually(lambda: gateways[id].clients)
            before = time.monotonic()
            close(gateways[id])
            eventually(lambda: any(words in why for why in losses(box, id)))
        for id, _, _ in ways:
            in_state(box, "connected", id, connects=2)
        assert time.monotonic() - before >= 0.9, "it was tried again too soon"
        assert box.request("POST", "/api/sources/peace/disconnect").status == 200
        in_state(box, "disconnected", "peace")
        eventually(lambda: not gateways["peace"].clients)
        time.sleep(1.5)
        assert len(gateways["peace"].connects) == 2, "somebody disconnected it"
        for gateway in gateways.values():
            gateway.__exit__(None)


@test("what is no frame is counted and shown, and disturbs nothing")
def _():
    with Box() as box, Gateway() as gateway:
        connected(box, gateway)
        for junk in ("{{{", "7", "[]", "null", '{"type":"event"', '{"type":"res","id":"99","ok":false}'):
            gateway.raw(junk)
        gateway.raw(json.dumps({"type": "res", "id": 5, "ok": "yes"}))
        gateway.raw(json.dumps({"type": "event", "event": 3, "payload": [], "seq": "x"}))
        settle(box, gateway)
        source = sources(box)["claw"]
        assert source["state"] == "connected" and source["badFrames"] >= 6, source


# --- asks --------------------------------------------------------------------------------


@test("an ask is a chat.send whose key is the run, and ends in one completion")
def _():
    with Box() as box, Gateway() as gateway:
        connected(box, gateway)
        id = ask(box, "TOOL please")["run"]
        signals = end_of(box, id)
        settle(box, gateway)
        signals = of_run(box, id)
        kinds = [s["type"] for s in signals]
        assert kinds[0] == "task_dispatch" and signals[0]["payload"]["description"] == "TOOL please"
        assert text_of(signals) == "Hello there.", signals
        assert [k for k in kinds if k in ENDS] == ["completion"] and kinds[-1] == "completion", kinds
        assert signals[-1]["payload"]["success"] is True
        call, = [s["payload"] for s in signals if s["type"] == "tool_call"]
        assert (call["toolName"], call["callId"], call["input"]) == (
            "shell", "call-1", {"command": "ls"}), call
        assert [s["payload"]["success"] for s in signals if s["type"] == "tool_result"] == [True]
        assert gateway.of("chat.send") == [
            {"sessionKey": "agent:main:main", "message": "TOOL please", "idempotencyKey": id}]


@test("a session is one of the default agent's, unless it names its own")
def _():
    with Box() as box, Gateway(3) as gateway:
        connected(box, gateway)
        for session in ("notes", "agent:other:x"):
            end_of(box, ask(box, "hi", session=session)["run"])
        keys = [p["sessionKey"] for p in gateway.of("chat.send")]
        assert keys == ["agent:main:notes", "agent:other:x"], keys


@test("a cancel reaches the gateway at once, and the run ends in one completion")
def _():
    with Box() as box, Gateway() as gateway:
        connected(box, gateway)
        id = ask(box, "SLOW answer")["run"]
        eventually(lambda: len(of_run(box, id)) > 5)
        before = time.monotonic()
        sources(box)
        quick = time.monotonic() - before
        before = time.monotonic()
        answer = box.request("POST", f"/api/runs/{id}/cancel", {})
        assert answer.status == 200, answer
        when = eventually(lambda: [t for m, _, t in gateway.requests if m == "chat.abort"])[0]
        # Or, where the machine is busy, in what some questions take.
        assert when - before < max(0.1 * SLOW, 10 * quick), f"{when - before} s"
        settle(box, gateway)
        signals = of_run(box, id)
        ends = [s for s in signals if s["type"] in ENDS]
        assert len(ends) == 1 and ends[0] is signals[-1], [s["type"] for s in signals]
        assert ends[0]["type"] == "completion" and ends[0]["payload"]["success"] is False
        assert gateway.of("chat.abort") == [{"sessionKey": "agent:main:main", "runId": id}]
        answer = box.request("POST", f"/api/runs/{id}/cancel", {})
        assert answer.status == 409, answer


@test("a run that fails, or is refused, ends in one error that says why")
def _():
    with Box() as box, Gateway() as gateway:
        connected(box, gateway)
        for prompt, words in (("FAIL now", "it broke"), ("NOPE", "the model is asleep")):
            id = ask(box, prompt)["run"]
            end_of(box, id)
            settle(box, gateway)
            ends = [s for s in of_run(box, id) if s["type"] in ENDS]
            assert [e["type"] for e in ends] == ["error"], ends
            assert words in ends[0]["payload"]["message"], ends


@test("with protocol 3 a run that is lost with its connection ends once, whatever comes later")
def _():
    with Box() as box, Gateway(3) as gateway:
        connected(box, gateway)
        id = ask(box, "HAND me")["run"]
        eventually(lambda: len(of_run(box, id)) > 1)
        gateway.speak(id, "Hello")
        eventually(lambda: text_of(of_run(box, id)) == "Hello")
        gateway.drop()
        in_state(box, "connected", connects=2)
        eventually(lambda: gateway.clients)
        gateway.speak(id, " late")
        gateway.finish(id)
        settle(box, gateway)
        signals = of_run(box, id)
        ends = [s for s in signals if s["type"] in ENDS]
        assert [e["type"] for e in ends] == ["error"], ends
        assert text_of(signals).endswith(" late"), "what the agent still says is heard"


@test("a gateway that answers nothing does not hold a run for ever")
def _():
    with Box(env={"SIGNALBOX_LIMITS_SILENCE": "500ms"}) as box, Gateway() as gateway:
        connected(box, gateway)
        ids = [ask(box, "MUTE")["run"] for _ in range(3)]
        gateway.drop()
        for id in ids:
            assert [s["type"] for s in end_of(box, id) if s["type"] in ENDS] == ["error"]


@test("what was not granted is not offered")
def _():
    with Box() as box, Gateway(grants=["operator.read"]) as gateway:
        connected(box, gateway)
        assert "operator.write" in ask(box, "hi", 409)["error"]
        assert {m for m, _, _ in gateway.requests} <= {"sessions.subscribe"}, gateway.requests
        assert sources(box)["claw"]["meta"]["scopes"] == ["operator.read"]


@test("two at once are told apart")
def _():
    with Box() as box, Gateway() as gateway:
        connected(box, gateway)
        ids = [ask(box, f"question {n}")["run"] for n in range(8)]
        for id in ids:
            signals = end_of(box, id)
            assert text_of(signals) == "Hello there.", signals


# --- approvals -----------------------------------------------------------------------------


def prompts(box):
    return box.request("GET", "/api/prompts").json()["prompts"]


def one_prompt(box):
    return eventually(lambda: len(prompts(box)) == 1 and prompts(box)[0])


def decide(box, prompt, value):
    return box.request("POST", f"/api/prompts/{prompt['id']}/answer", {"value": value})


@test("an approval of a gateway shows all that is asked, and exactly what the gateway takes")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        gateway.approve("a1", "rm -rf build", decisions=["allow-once", "deny"])
        prompt = one_prompt(box)
        assert prompt["prompt"] == "exec: rm -rf build\ncwd: /work\nhost: gateway", prompt
        assert prompt["tool"] == "exec" and prompt["input"] == {
            "command": "rm -rf build", "cwd": "/work", "host": "gateway"}, prompt
        assert [o["value"] for o in prompt["options"]] == ["allow-once", "deny"], prompt
        assert [o.get("safe") for o in prompt["options"]] == [None, True], prompt
        assert decide(box, prompt, "allow-always").status == 422
        gateway.decide("a1", "deny")
        eventually(lambda: not prompts(box))
        gateway.approve("a2", "make")
        once, always, deny = one_prompt(box)["options"]
        assert always["needs"] == "control" and "needs" not in once and "needs" not in deny
        assert always["rule"] == ("make, in /work goes to the exec allowlist of agent main "
                                  "on the gateway"), always


@test("what is open when we connect is asked, what is decided meanwhile is withdrawn, and each once")
def _():
    with Box() as box, Gateway(4) as gateway:
        gateway.approve("early", "make")
        gateway.approve("plugin:1", "install", kind="plugin")
        connected(box, gateway)
        eventually(lambda: len(prompts(box)) == 2)
        first = {p["id"] for p in prompts(box)}
        gateway.drop()
        in_state(box, "connected", connects=2)
        eventually(lambda: len(gateway.of("plugin.approval.list")) == 2)
        settle(box, gateway)
        assert {p["id"] for p in prompts(box)} == first, prompts(box)
        assert len(box.history("&type=prompt")) == 2, "it was asked twice"
        gateway.stops_listening()
        gateway.drop()
        gateway.approvals["early"]["decision"] = "deny"
        gateway.listens_again()
        in_state(box, "connected", connects=3)
        assert one_prompt(box)["prompt"].startswith("exec: install"), prompts(box)


@test("an approval that is another device's is not ours, and without its caps nobody gets any")
def _():
    with Box() as box, Gateway(4) as gateway:
        client = connected(box, gateway)
        gateway.approve("theirs", "make", device="somebody")
        gateway.approve("ours", "make", device=client.device)
        one_prompt(box)
        settle(box, gateway)
        assert len(prompts(box)) == 1
        client.caps = ["tool-events"]
        gateway.approve("no-caps", "make")
        settle(box, gateway)
        assert len(prompts(box)) == 1


@test("an answer that was given while the gateway was away is its decision when it is back")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        gateway.approve("a1", "make")
        prompt = one_prompt(box)
        gateway.stops_listening()
        gateway.drop()
        eventually(lambda: sources(box)["claw"]["state"] == "connecting")
        assert decide(box, prompt, "allow-once").status == 200
        gateway.listens_again()
        eventually(lambda: gateway.approvals["a1"]["decision"] == "allow-once")
        settle(box, gateway)
        assert not prompts(box) and len(box.history("&type=prompt")) == 1


@test("a decision that the gateway refuses is asked about again, and says why")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        gateway.approve("a1", "make")
        gateway.resolve_refusal = Refusal("UNAVAILABLE", "approval resolve unavailable")
        before = one_prompt(box)
        assert decide(box, before, "deny").status == 200
        again = eventually(lambda: [p for p in prompts(box) if p["id"] != before["id"]])[0]
        assert again["prompt"].startswith(
            "The gateway did not take that decision: approval resolve unavailable\nexec: make"), again
        assert decide(box, again, "deny").status == 200
        eventually(lambda: gateway.approvals["a1"]["decision"] == "deny")
        # What it does not know any more is not asked about.
        gateway.approve("a2", "make")
        gone = one_prompt(box)
        gateway.approvals["a2"]["decision"] = "deny"
        assert decide(box, gone, "deny").status == 200
        eventually(lambda: "already resolved" in (sources(box)["claw"]["lastError"] or ""))
        settle(box, gateway)
        assert not prompts(box)


# --- an idle gateway -----------------------------------------------------------------------


@test("an idle gateway tells nothing new, and of each frame only that it came")
def _():
    def health(n, ok=True):
        gateway.event("health", {"ok": ok, "ts": n, "durationMs": n, "eventLoop": {"delayP99Ms": n},
                                 "agents": [{"agentId": "main"}],
                                 "sessions": {"recent": [{"age": n}]}},
                      stateVersion={"presence": 10 + n, "health": 10 + n})

    def presence(n, hosts=("a",)):
        gateway.event("presence", {"presence": [
            {"host": h, "ts": n, "text": f"seen {n}", "reason": "periodic", "lastInputSeconds": n}
            for h in hosts]}, stateVersion={"presence": 10 + n, "health": 10 + n})

    def heard():
        return [s for s in box.history() if s["source"] == "claw"
                and "mark" not in s["payload"]]

    def told():
        return [s for s in heard() if s["type"] != "gateway.frame"]

    with Box() as box, Gateway(4, tick_ms=100) as gateway:
        connected(box, gateway)
        for n in range(1, 50):
            health(n)
            presence(n)
        eventually(lambda: gateway.clients and gateway.clients[0].seq > 120)  # ticks among them
        settle(box, gateway)
        assert len(told()) == 2, told()
        rests = [s for s in heard() if s["type"] == "gateway.frame"]
        assert len(rests) == 96 and all(len(json.dumps(s)) < 400 for s in rests), rests[0]
        assert not any(r["id"] == "claw" and r["signals"] > 2 + 1 for r in
                       box.request("GET", "/api/runs").json()["runs"]), "they are no run"
        health(50, ok=False)
        presence(51, hosts=("a", "b"))
        settle(box, gateway)
        assert len(told()) == 4, told()


# --- runs of others, and what happened meanwhile ----------------------------------------------


def kinds(box, id, *types):
    return [s["type"] for s in of_run(box, id) if s["type"] in types]


@test("a run that somebody else began has its question, its tools and its words, each once")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        eventually(lambda: gateway.clients[0].follows)
        id = gateway.begin("TOOL of somebody", key="agent:main:desk")
        signals = end_of(box, id)
        settle(box, gateway)
        signals = of_run(box, id)
        asked, = [s["payload"] for s in signals if s["type"] == "task_dispatch"]
        assert asked["description"] == "TOOL of somebody" and asked["from"] == "user", asked
        call, = [s["payload"] for s in signals if s["type"] == "tool_call"]
        assert call["callId"] == "call-1" and call["input"] == {"command": "ls"}, call
        assert len([s for s in signals if s["type"] == "tool_result"]) == 1, signals
        assert text_of(signals) == "Hello there.", signals


@test("a run that was under way when the line was lost goes on: no word is lost or said twice")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        id = ask(box, "HAND me")["run"]
        eventually(lambda: len(of_run(box, id)) > 1)
        gateway.speak(id, "One")
        eventually(lambda: text_of(of_run(box, id)) == "One")
        gateway.stops_listening()
        gateway.drop()
        gateway.speak(id, " two")
        gateway.use_tool(id, "call-7")
        gateway.listens_again()
        in_state(box, "connected", connects=2)
        eventually(lambda: gaps(box))
        gateway.speak(id, " three")
        gateway.finish(id)
        end_of(box, id)
        settle(box, gateway)
        signals = of_run(box, id)
        assert text_of(signals) == "One two three", [s["payload"] for s in signals]
        assert [s["type"] for s in signals if s["type"] in ENDS] == ["completion"], signals
        for kind in ("task_dispatch", "tool_call", "tool_result"):
            assert kinds(box, id, kind) == [kind], (kind, signals)
        gap, = gaps(box)
        assert gap["sourceId"] == "claw" and gap["since"] > 0 and "no past" in gap["why"], gap


@test("what began and ended while nobody listened is told from the transcript, once")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        before = ask(box, "hello")["run"]
        end_of(box, before)
        known = len(box.history())
        gateway.stops_listening()
        gateway.drop()
        missed = [gateway.begin("TOOL missed"), gateway.begin("TOOL other", key="agent:main:desk")]
        eventually(lambda: all(gateway.runs[id]["over"] for id in missed))
        gateway.listens_again()
        for n in (2, 3):
            in_state(box, "connected", connects=n)
            eventually(lambda: len(gaps(box)) == n - 1)
            settle(box, gateway)
            for id in missed:
                signals = of_run(box, id)
                assert [s["type"] for s in signals] == [
                    "task_dispatch", "tool_call", "tool_result", "text_delta", "completion"], signals
                assert text_of(signals) == "Hello there.", signals
            assert kinds(box, before, *ENDS) == ["completion"] and text_of(
                of_run(box, before)) == "Hello there."
            if n == 2:
                gateway.drop()


@test("a gateway that restarts in the middle of a run leaves an end to it, and no prompt")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        asked, theirs = ask(box, "HAND me")["run"], gateway.begin("HAND them", key="agent:main:desk")
        for id in (asked, theirs):
            eventually(lambda: len(of_run(box, id)) > 1)
            gateway.speak(id, "Half")
            eventually(lambda: text_of(of_run(box, id)) == "Half")
        gateway.approve("a1", "make")
        one_prompt(box)
        gateway.restart()
        for id in (asked, theirs):
            ends = [s for s in end_of(box, id) if s["type"] in ENDS]
            assert [e["type"] for e in ends] == ["error"] and ends[0]["payload"]["code"] == "lost", ends
        eventually(lambda: not prompts(box))
        settle(box, gateway)
        for id in (asked, theirs):
            assert len([s for s in of_run(box, id) if s["type"] in ENDS]) == 1


# --- recordings ----------------------------------------------------------------------------


def recorded(name):
    """label -> the frames that a gateway sent on that connection after its hello."""
    frames = {}
    if not SHARED.exists():
        raise Skip("the shared recordings are not here")
    for line in (SHARED / "vectors" / "gateway" / name).read_text().splitlines():
        row = json.loads(line)
        if row["dir"] == "in" and row["frame"]["type"] == "event":
            frames.setdefault(row["label"], []).append(row["frame"])
    return frames


@test("recordings of real gateways end every run once, and say every word once")
def _():
    with Box() as box:
        for name, protocol in (("v3-frames.jsonl", 3), ("v4-frames.jsonl", 4)):
            for label, frames in recorded(name).items():
                id = f"{protocol}-{label}"
                with Gateway(protocol) as gateway:
                    add(box, gateway, id=id)
                    in_state(box, "connected", id)
                    eventually(lambda: gateway.clients)
                    for frame in frames:
                        gateway.raw(json.dumps(frame))
                    settle(box, gateway)
                    check_recording(box, id, frames)
                    box.request("DELETE", f"/api/sources/{id}")


def check_recording(box, id, frames):
    runs = {f["payload"]["runId"] for f in frames
            if f["event"] == "agent" and f["payload"]["stream"] == "lifecycle"}
    finals = {}
    for frame in frames:
        payload = frame["payload"]
        if frame["event"] == "chat" and payload["state"] in ("final", "aborted") and "message" in payload:
            finals[payload["runId"]] = payload["message"]["content"][0]["text"]
    for one in runs:
        signals = [s for s in box.history() if s.get("correlationId") == one and s["source"] == id]
        assert len([s for s in signals if s["type"] in ENDS]) == 1, (id, one)
        if one in finals:
            assert text_of(signals).endswith(finals[one]), (id, text_of(signals), finals[one])


run()
