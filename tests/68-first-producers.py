#!/usr/bin/env python3
"""The first producers' own commands, as they behave: hooks and single signals by POST, a
wrapped program by POST or over a WebSocket.  Without a token all of it is delivered."""

import json
import time
import uuid

from lib import WS, Box, eventually, run, test

HOOKS = [
    {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t1",
     "tool_input": {"command": "ls"}},
    {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t1",
     "tool_response": {"stdout": "x"}},
    {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": "it failed"},
    {"hook_event_name": "SubagentStart", "agent_id": "a1", "agent_type": "Explore"},
    {"hook_event_name": "SubagentStop", "agent_id": "a1", "agent_type": "Explore"},
    {"hook_event_name": "Stop"},
]


def hook_payload(h):
    """What the emit command makes of a hook on its standard input."""
    claude = {"agentId": "claude"}
    match h["hook_event_name"]:
        case "PreToolUse":
            return "tool_call", {"toolName": h["tool_name"], **claude, "callId": h["tool_use_id"],
                                 "input": h["tool_input"]}
        case "PostToolUse":
            return "tool_result", {"toolName": h["tool_name"], **claude, "success": True,
                                   "callId": h["tool_use_id"],
                                   "output": {"response": h["tool_response"]}}
        case "PostToolUseFailure":
            return "error", {**claude, "message": h["error"], "severity": "error",
                             "code": h["tool_name"]}
        case "SubagentStart":
            return "task_dispatch", {"taskId": h["agent_id"], "from": "claude",
                                     "to": h["agent_type"]}
        case "SubagentStop":
            return "completion", {"taskId": h["agent_id"], "agentId": h["agent_type"],
                                  "success": True}
    return "agent_state_change", {**claude, "from": "acting", "to": "done"}


def envelope(kind, payload, source, session="session-1"):
    return {"id": f"tap-{uuid.uuid4()}", "type": kind, "timestamp": int(time.time() * 1000),
            "source": source, "correlationId": session, "payload": payload}


def stored(box, signals):
    """Each signal stands in the journal once, as it was, with its source marked as local."""
    got = [{k: v for k, v in s.items() if k != "seq"} for s in box.history()
           if s["source"] != "signalbox"]
    return got == [{**s, "source": f"local/{s['source']}"} for s in signals]


@test("hooks and single signals that the emit command posts are delivered")
def _():
    signals = [envelope(*hook_payload(h), "adapter:tap") for h in HOOKS]
    signals.append(envelope("completion", {"taskId": "x", "success": True}, "adapter:emit"))
    with Box() as box:
        for s in signals:
            answer = box.request("POST", "/api/signal", json.dumps(s),
                                 {"Content-Type": "application/json"}, unix=False)
            assert answer.status == 200 and answer.json()["ok"], answer
        assert stored(box, signals), box.history()
        assert box.request("GET", "/api/status").json()["hooks"]["taken"] == 0


@test("what the tap command reads of a program is delivered by POST and over a WebSocket")
def _():
    signals = [
        envelope("tool_call", {"toolName": "x", "agentId": "a"}, "adapter:tap:jsonl"),
        envelope("text_delta", {"agentId": "unknown", "content": "{\"type\":\"odd\"}"},
                 "adapter:tap:jsonl"),
        envelope("error", {"agentId": "unknown", "message": "Error: x", "severity": "error"},
                 "adapter:tap:raw"),
        envelope("token_usage", {"agentId": "sdk", "promptTokens": 1, "completionTokens": 2},
                 "adapter:tap:sdk"),
    ]
    with Box() as box:
        for s in signals:
            assert box.request("POST", "/api/signal", json.dumps(s), unix=False).status == 200
        assert stored(box, signals), box.history()
    offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
    with Box() as box, WS(box, "/ws/signals", headers=offer) as ws:
        for s in signals:
            ws.send(s)
        eventually(lambda: stored(box, signals))


run()
