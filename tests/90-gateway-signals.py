#!/usr/bin/env python3
"""The table of docs/dialects.md, row by row: what each signal is in the gateway dialect.

And what goes with it: heartbeats, and the models that there are.
"""

import re
from pathlib import Path

from gateway_clients import READ, Screen, add_model, judge_all, say, text
from lib import Box, eventually, run, test
from servers import Upstream

DIALECTS = Path(__file__).resolve().parent.parent / "docs" / "dialects.md"
proved = set()


def events(screen, run="r"):
    """Of a run, without those that say that it began."""
    found = [e for e in screen.events
             if e["event"] in ("agent", "chat") and e["payload"]["runId"] == run]
    return [(e["event"], e["payload"]) for e in found
            if e["payload"].get("data", {}).get("phase") != "start"
            or e["payload"]["stream"] == "tool"]


def row(name, *signals, protocol=4, **more):
    """A run with these signals, and what a client is told of them."""
    proved.add(name)
    with Box() as box, Screen(box) as screen:
        screen.hello(protocol, **more)
        for type, payload in signals:
            say(box, "r", type, payload)
        say(box, "r", "mark", {})
        screen.until(lambda e: e["event"] == "agent" and e["payload"]["stream"] == "mark")
        return screen, events(screen)[:-1]


def agent(event, stream):
    name, payload = event
    assert name == "agent" and payload["stream"] == stream, event
    return payload["data"]


TASK = ("task_dispatch", {"taskId": "t", "from": "me", "to": "bot", "description": "go"})
WORD = ("text_delta", {"agentId": "bot", "content": "Hello"})


@test("a run begins with its first signal, once")
def _():
    screen, rest = row("the first of a run, or after its end", TASK, TASK)
    starts = [e["payload"]["data"] for e in screen.events if e["event"] == "agent"
              and e["payload"]["stream"] == "lifecycle"]
    assert [s["phase"] for s in starts] == ["start"] and starts[0]["startedAt"], starts
    assert rest == [], rest


@test("text is a stream and a chat")
def _():
    for protocol in (3, 4):
        _, (one, two) = row("`text_delta`", WORD, protocol=protocol)
        assert agent(one, "assistant") == {"text": "Hello", "delta": "Hello"}, one
        assert two[0] == "chat" and two[1]["state"] == "delta", two
        assert text(two[1]["message"]) == "Hello", two
        assert two[1].get("deltaText") == ("Hello" if protocol == 4 else None), two


@test("a thought is a stream, with what was thought so far while that is short")
def _():
    think = lambda words: ("thinking", {"agentId": "bot", "content": words})
    _, found = row("`thinking`", think("Hm"), think("m"), ("tool_call", {
        "agentId": "bot", "toolName": "ls", "callId": "c", "input": {}}), think("So"),
        think("x" * 5000), caps=[])
    assert [agent(f, "thinking") for f in found] == [
        {"text": "Hm", "delta": "Hm"}, {"text": "Hmm", "delta": "m"},
        {"text": "So", "delta": "So"}, {"delta": "x" * 5000}], found


@test("a tool is a stream of two phases, for who takes tools")
def _():
    signals = (("tool_call", {"agentId": "bot", "toolName": "ls", "callId": "c1",
                              "input": {"path": "/"}}),
               ("tool_result", {"agentId": "bot", "toolName": "ls", "callId": "c1",
                                "success": False, "output": {"text": "no"}}))
    _, (one, two) = row("`tool_call`, `tool_result`", *signals)
    assert agent(one, "tool") == {"phase": "start", "name": "ls", "toolCallId": "c1",
                                  "args": {"path": "/"}}, one
    assert agent(two, "tool") == {"phase": "result", "name": "ls", "toolCallId": "c1",
                                  "isError": True, "result": {"text": "no"}}, two
    _, none = row("`tool_call`, `tool_result`", *signals, caps=[])
    assert none == [], none


@test("usage is a stream")
def _():
    _, (one,) = row("`token_usage`", ("token_usage", {
        "agentId": "bot", "promptTokens": 12, "completionTokens": 3, "model": "m"}))
    assert agent(one, "usage") == {"inputTokens": 12, "outputTokens": 3}, one


@test("a change of state is a phase that ends nothing, whatever the state is called")
def _():
    for to in ("acting", "done", "error", "end"):
        _, (one,) = row("`agent_state_change`", ("agent_state_change", {
            "agentId": "bot", "from": "idle", "to": to, "reason": "x", "phase": "end"}))
        data = agent(one, "lifecycle")
        assert data["phase"] == "state" and data["to"] == to and data["from"] == "idle", data


@test("a completion is the end of the run, and a chat that says how")
def _():
    for is_good, state, reason in ((True, "final", "stop"), (False, "aborted", "rpc")):
        _, found = row("`completion`", TASK, WORD, ("completion", {
            "agentId": "bot", "taskId": "t", "success": is_good}))
        end, chat = found[-2:]
        assert agent(end, "lifecycle")["phase"] == "end", found
        assert chat[1]["state"] == state and chat[1]["stopReason"] == reason, chat
        assert text(chat[1]["message"]) == "Hello", chat


@test("an error is the end of the run, and a warning a stream")
def _():
    name = "`error`, unless it is a warning"
    _, (end, chat) = row(name, TASK, ("error", {"agentId": "bot", "message": "It broke",
                                                "severity": "error"}))
    data = agent(end, "lifecycle")
    assert data["phase"] == "error" and data["error"] == "It broke" and data["endedAt"], data
    assert chat[1]["state"] == "error" and chat[1]["errorMessage"] == "It broke", chat
    warning = {"agentId": "bot", "message": "Careful", "severity": "warning"}
    _, (one,) = row(name, TASK, ("error", warning))
    assert agent(one, "error") == warning, one


@test("any other signal is a stream of its type, with its payload")
def _():
    _, (one, two) = row("any other", ("plan.made", {"steps": [1, {"deep": True}]}),
                        ("weather", {"x": 1}))
    assert agent(one, "plan.made") == {"steps": [1, {"deep": True}]}, one
    assert agent(two, "weather") == {"x": 1}, two


@test("a heartbeat is an event of its own, for everybody, and the newest can be asked for")
def _():
    with Box() as box:
        beat = {"status": "ok-token", "preview": "HEARTBEAT_OK", "durationMs": 7}
        with Screen(box) as screen:
            screen.hello()
            assert screen.ask("last-heartbeat", {})["payload"] is None
        box.emit({"type": "event", "source": "claw", "timestamp": 5000,
                  "payload": {**beat, "_meta": {"heartbeat": True}}})
        with Screen(box) as screen, Screen(box) as other:
            screen.hello()
            other.hello(3, scopes=[])
            assert eventually(lambda: screen.ask("last-heartbeat", {})["payload"]) == {
                "ts": 5000, **beat}
            proved.add("a heartbeat of an agent")
            box.emit({"type": "heartbeat", "source": "claw", "payload": {"status": "failed"}})
            for one in (screen, other):
                told = one.until(lambda e: e["event"] == "heartbeat")["payload"]
                assert told["status"] == "failed" and told["ts"] > 5000, told
            assert screen.ask("last-heartbeat", {})["payload"]["status"] == "failed"
            box.emit({"type": "text_delta", "source": "claw", "correlationId": "r",
                      "payload": {"agentId": "main", "content": "x"},
                      "metadata": {"_meta": {"heartbeat": True}}})
            say(box, "plain", "mark", {})
            screen.until(lambda e: e["event"] == "agent" and e["payload"]["runId"] == "plain")
            marks = {e["payload"]["runId"]: e["payload"]["isHeartbeat"] for e in screen.events
                     if e["event"] == "agent"}
            assert marks == {"r": True, "plain": False}, marks


@test("each row of the documented table is proved here")
def _():
    page = DIALECTS.read_text().split("## Signals in the gateway dialect")[1]
    table = page.split("| signal | events |\n|---|---|\n")[1].split("\n\n")[0]
    rows = {re.match(r"\| (.*?) \|", line)[1] for line in table.splitlines()}
    assert rows == proved, rows ^ proved


@test("models are those of sources, and those that sessions were seen with")
def _():
    def models(screen, **params):
        answer = screen.ask("models.list", params)
        assert answer["ok"], answer
        return {(m["provider"], m["id"]): m["available"] for m in answer["payload"]["models"]}

    with Box() as box, Upstream() as up, Screen(box) as screen:
        screen.hello()
        assert models(screen) == {}
        add_model(box, up)
        say(box, "r", "token_usage", {"agentId": "bot", "promptTokens": 1, "completionTokens": 1,
                                      "model": "opus"})
        everything = {("parrot", "parrot"): True, ("script", "opus"): False}
        assert eventually(lambda: models(screen).get(("script", "opus")) is False)
        found = models(screen)
        assert everything.items() <= found.items(), found
        assert ("script", "opus") not in models(screen, view="configured")
        assert set(models(screen, provider="script")) == {("script", "opus")}
        assert {p for p, _ in models(screen, agentId="parrot")} == {"parrot"}
        assert models(screen, agentId="nobody") == {}
        for bad in ({"more": 1}, {"view": "some"}, {"refresh": True, "preparedOnly": True},
                    {"sessionKey": "x", "authProfileId": "y"}, {"provider": 1}):
            answer = screen.ask("models.list", bad)
            assert not answer["ok"] and answer["error"]["message"].startswith(
                "invalid models.list params: "), (bad, answer)
        with Screen(box) as other:
            other.hello(scopes=[])
            error = other.ask("models.list", {})["error"]
            assert error["details"]["missingScope"] == READ, error


judge_all(60)
run()
