#!/usr/bin/env python3
"""A session is told by its hooks, its transcript and the registry: in whatever order the three come,
each in its own, the session is the same."""

import json
import random
import subprocess
import time

from lib import ROOT, SIGNALBOX, Box, eventually, run, temp_dir, test

SESSION = "5b5094d4-77b4-43c8-9ceb-a0dd01d549f2"
RECORDED = ROOT.parent / "shared" / "vectors" / "claude-hooks" / "command-hooks.jsonl"
ROUNDS = 40
BEGUN = (int(time.time()) - 600) * 1000  # not so long ago that it would be gone
STEP = 2000  # from one hook to the next
CWD = "/home/ada/shop"


def hook(name, **more):
    return {"session_id": SESSION, "transcript_path": f"/home/ada/{SESSION}.jsonl", "cwd": CWD,
            "permission_mode": "default", "hook_event_name": name, **more}


def used(name, call, given, result):
    return [hook("PreToolUse", tool_name=name, tool_use_id=call, tool_input=given),
            hook("PostToolUse", tool_name=name, tool_use_id=call, tool_input=given, tool_response=result)]


EDIT = {"file_path": f"{CWD}/a.c", "old_string": "b", "new_string": "c"}
OWN = [
    hook("SessionStart", source="startup"),
    hook("UserPromptSubmit", prompt="Mend the till", prompt_id="p1"),
    *used("TodoWrite", "t0", {"todos": [{"content": "Look", "status": "completed", "activeForm": "L"},
                                        {"content": "Mend", "status": "in_progress", "activeForm": "M"}]},
          {"newTodos": []}),
    *used("Bash", "t1", {"command": "make test"}, {"stdout": "ok"}),
    hook("PreToolUse", tool_name="Bash", tool_use_id="t2", tool_input={"command": "false"}),
    hook("PostToolUseFailure", tool_name="Bash", tool_use_id="t2", tool_input={"command": "false"},
         error="exit 1"),
    *used("Edit", "t3", EDIT, {"filePath": f"{CWD}/a.c", "structuredPatch": [{"lines": [" a", "-b", "+c"]}]}),
    hook("Stop"),
    hook("UserPromptSubmit", prompt="And the door", prompt_id="p2"),
    *used("Read", "t4", {"file_path": f"{CWD}/door"}, {"file": {"content": "x"}}),
    hook("Stop"),
    hook("SessionEnd", reason="prompt_input_exit"),
]


def stamp(at):
    seconds = at // 1000
    return subprocess.check_output(["date", "-u", "-d", f"@{seconds}", "+%Y-%m-%dT%H:%M:%S"],
                                   text=True).strip() + f".{at % 1000:03}Z"


class Transcript:
    """The lines that Claude Code writes beside these hooks."""

    def __init__(self):
        self.lines, self.responses = [], 0

    def add(self, at, kind, **more):
        self.lines.append({"type": kind, "sessionId": SESSION, "cwd": CWD, "version": "2.1.325",
                           "gitBranch": "main", "isSidechain": False, "uuid": f"u{len(self.lines)}",
                           "timestamp": stamp(at), **more})

    def assistant(self, at, *content):
        self.responses += 1
        self.add(at, "assistant", message={
            "id": f"msg_{self.responses}", "role": "assistant", "model": "claude-opus-5-5",
            "content": list(content), "usage": {"input_tokens": 10, "output_tokens": 5,
                                                "cache_read_input_tokens": 100 * self.responses}})

    def user(self, at, content, **more):
        self.add(at, "user", message={"role": "user", "content": content}, **more)

    def beside(self, payload, at):
        name, call = payload["hook_event_name"], payload.get("tool_use_id")
        if payload.get("agent_id"):
            return
        if name == "UserPromptSubmit":
            self.user(at + 20, payload["prompt"])
        elif name == "PreToolUse":
            self.assistant(at - 30, {"type": "tool_use", "id": call, "name": payload["tool_name"],
                                     "input": payload["tool_input"]})
        elif name in ("PostToolUse", "PostToolUseFailure"):
            failed = name == "PostToolUseFailure"
            result = {"type": "tool_result", "tool_use_id": call, "content": "x", "is_error": failed}
            self.user(at + 40, [result], toolUseResult=payload.get("tool_response", "Error: exit 1"))
        elif name == "Stop":
            self.assistant(at - 50, {"type": "text", "text": "So it is."})
            self.add(at + 60, "system", subtype="turn_duration", durationMs=1000)


def parsed(protocol, lines):
    file = temp_dir() / "lines"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = subprocess.run([SIGNALBOX, "parse", protocol, file], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def registry(at, status):
    """As source/transcript tells a row of Claude Code's registry."""
    return {"type": "session.facts", "source": "adapter:transcript", "correlationId": SESSION, "timestamp": at,
            "payload": {"agentId": "claude", "harness": "claude-code", "cwd": CWD, "version": "2.1.325",
                        "status": status}, "metadata": {"by": "registry"}}


def tellings(payloads):
    """Three lists of signals, each in its order, of what happened until then."""
    hooks, rows, transcript = [], [], Transcript()
    for number, payload in enumerate(payloads):
        at = BEGUN + number * STEP
        for signal in parsed("claude-hook", [payload]):
            hooks.append({**signal, "source": "adapter:tap", "timestamp": at})
        transcript.beside(payload, at)
        if payload["hook_event_name"] in ("SessionStart", "Stop"):
            rows.append(registry(at + 100, "idle"))
        if payload["hook_event_name"] == "UserPromptSubmit":
            rows.append(registry(at + 100, "busy"))
    lines = [{**s, "source": "adapter:transcript"} for s in parsed("claude-transcript", transcript.lines)]
    return [hooks, lines, rows]


def shuffled(chance, lists):
    """All of them, each list in its own order."""
    rest = [list(some) for some in lists if some]
    while rest:
        which = chance.choice(rest)
        yield which.pop(0)
        rest = [some for some in rest if some]


def named(signal, number):
    """The same signal of another session, and with ids of its own."""
    text = json.dumps({key: value for key, value in signal.items() if key not in ("id", "seq")})
    return text.replace(SESSION, f"session-{number}-x").replace("msg_", f"msg_{number}_").replace(CWD, f"/p{number}/shop")


def told(box, number):
    """What does not depend on the number, nor on when we came to know it."""
    answer = box.request("GET", f"/api/crew/session-{number}-x")
    assert answer.status == 200, answer
    text = json.dumps(answer.json()["member"]).replace(f"session-{number}-x", "S").replace(f"/p{number}/", "/p/")
    member = json.loads(text)
    member.pop("handle")
    member.pop("source")  # who told of it first
    member["spark"] = [n for n in member["spark"] if n]  # its minutes are counted back from now
    return member


def check_all_orders(payloads, seed):
    lists, chance = tellings(payloads), random.Random(seed)
    assert all(lists), [len(some) for some in lists]
    with Box() as box:
        orders = [[s for some in lists for s in some], [s for some in reversed(lists) for s in some]]
        orders += [list(shuffled(chance, lists)) for _ in range(ROUNDS)]
        for number, order in enumerate(orders):
            lines = "".join(named(signal, number) + "\n" for signal in order)
            answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
            assert answer.json()["accepted"] == len(order), answer
        first = eventually(lambda: told(box, 0))
        for number, order in enumerate(orders):
            now = told(box, number)
            differ = {key: (first.get(key), now.get(key)) for key in {*first, *now} if first.get(key) != now.get(key)}
            kinds = [(s["source"], s["type"], s["timestamp"] - BEGUN) for s in order]
            assert not differ, f"order {number} of seed {seed}: {differ}\n{kinds}"
        return first


@test("any interleaving of hooks, transcript and registry ends in the same session")
def _():
    ended = check_all_orders(OWN, 1)
    assert ended["state"]["name"] == "finished", ended
    assert ended["usage"]["calls"] == 7 and ended["changes"]["added"] == 1, ended


@test("so it does at every moment before the end")
def _():
    for count in range(2, len(OWN), 2):
        check_all_orders(OWN[:count], count)


@test("so do the hooks that a real session sent")
def _():
    payloads = [json.loads(line) for line in RECORDED.read_text().splitlines()] if RECORDED.exists() else OWN
    check_all_orders(payloads, 3)


if __name__ == "__main__":
    run()
