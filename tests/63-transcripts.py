#!/usr/bin/env python3
"""Transcripts of Claude Code: read as they grow, once, and without their words."""

import json
import os
import re
import subprocess
from datetime import datetime

from lib import SIGNALBOX, Box, environment, eventually, run, temp_dir, test

SECRET = "SECRET"


def start_of(pid):
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[19]


class Session:
    """A process with a row in the registry and a transcript."""

    def __init__(self, home, session="s-1", registered=True):
        self.id, self.number = session, 0
        self.process = subprocess.Popen(["sleep", "600"])
        self.cwd = "/work/my.shop"
        self.folder = home / ".claude" / "projects" / re.sub("[^a-zA-Z0-9]", "-", self.cwd)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = self.folder / f"{session}.jsonl"
        if registered:
            sessions = home / ".claude" / "sessions"
            sessions.mkdir(parents=True, exist_ok=True)
            (sessions / f"{self.process.pid}.json").write_text(json.dumps({
                "pid": self.process.pid, "sessionId": session, "cwd": self.cwd,
                "procStart": start_of(self.process.pid), "version": "2.1.325",
                "status": "busy", "updatedAt": 1_790_000_000_000}))

    def line(self, kind, **members):
        self.number += 1
        return json.dumps({
            "parentUuid": None, "isSidechain": False, "sessionId": self.id, "cwd": self.cwd,
            "version": "2.1.325", "gitBranch": "main", "type": kind, "uuid": f"u{self.number}",
            "timestamp": f"2026-11-16T08:{self.number // 60:02d}:{self.number % 60:02d}.000Z",
            **members}) + "\n"

    def said(self, response, output, *blocks, **members):
        return self.line("assistant", message={
            "id": response, "model": "m-1", "content": list(blocks) or [{"type": "text", "text": SECRET}],
            "usage": {"input_tokens": 3, "output_tokens": output}}, **members)

    def used(self, call, error=False):
        return self.line("user", message={"content": [{
            "type": "tool_result", "tool_use_id": call, "content": SECRET, "is_error": error}]},
            toolUseResult=SECRET)

    def add(self, text, path=None):
        with open(path or self.path, "a") as file:
            file.write(text)

    def end(self):
        self.process.kill()
        self.process.wait()


def time_of(line):
    return datetime.fromisoformat(json.loads(line)["timestamp"]).timestamp() * 1000


def bash(call):
    return {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": SECRET}}


def told(box, kind, session="s-1"):
    return [s for s in box.history() if s["type"] == kind and s.get("correlationId") == session
            and s["source"] == "adapter:transcript"]


def usage(box):
    return [(s["payload"]["responseId"], s["payload"]["completionTokens"])
            for s in told(box, "token_usage")]


def calls(box):
    return [s["payload"]["callId"] for s in told(box, "tool_call")]


def member(box, session="s-1"):
    return box.request("GET", f"/api/crew/{session}").json()["member"]


def hook(box, session, event, **members):
    payload = {"session_id": session, "hook_event_name": event, "cwd": "/w", **members}
    subprocess.run([SIGNALBOX, "hook", "--data", str(box.data)], input=json.dumps(payload).encode(),
                   check=True, env=environment())


@test("a session without hooks: tokens, tools and turns as they are written, and no words")
def _():
    home = temp_dir()
    session = Session(home)
    with Box(env={"HOME": str(home)}) as box:
        session.add(session.line("user", message={"content": SECRET}))
        session.add(session.said("r-1", 1) + session.said("r-1", 40, bash("c-1")))
        eventually(lambda: usage(box) == [("r-1", 1), ("r-1", 40)])
        half = session.used("c-1")
        session.add(half[:30])
        session.add(half[30:])
        session.add(session.line("system", subtype="turn_duration", durationMs=1))
        (turn,) = eventually(lambda: told(box, "session.turn"))
        assert turn["payload"]["state"] == "over", turn
        (result,) = told(box, "tool_result")
        assert result["payload"] == {"toolName": "Bash", "agentId": "claude", "success": True,
                                     "callId": "c-1"}, result
        assert result["timestamp"] == time_of(half), result
        facts = [s["payload"] for s in told(box, "session.facts") if s["metadata"]["from"] == "transcript"]
        assert facts[0]["branch"] == "main" and facts[1]["model"] == "m-1", facts
        assert not any(SECRET in json.dumps(s) for s in box.history())
    session.end()


@test("a box that starts again tells nothing twice, and loses nothing")
def _():
    home, data = temp_dir(), temp_dir() / "data"
    session = Session(home)
    session.add(session.said("r-1", 5, bash("c-1")))
    with Box(env={"HOME": str(home)}, data=data) as box:
        eventually(lambda: usage(box) == [("r-1", 5)])
    session.add(session.used("c-1") + session.said("r-2", 6))
    for kill in (True, False):
        box = Box(env={"HOME": str(home)}, data=data).start()
        eventually(lambda: usage(box) == [("r-1", 5), ("r-2", 6)])
        session.add(session.said("r-3", 7) if not kill else "")
        if not kill:
            eventually(lambda: usage(box) == [("r-1", 5), ("r-2", 6), ("r-3", 7)])
        assert calls(box) == ["c-1"], calls(box)
        assert len(told(box, "tool_result")) == 1  # its call was before
        box.kill9() if kill else box.stop()
    session.end()


@test("with hooks a tool call is told once, by them; tokens and interrupted turns by the transcript")
def _():
    home = temp_dir()
    session = Session(home, registered=False)
    with Box(env={"HOME": str(home)}) as box:
        hook(box, "s-1", "PreToolUse", transcript_path=str(session.path), tool_name="Bash",
             tool_use_id="c-1", tool_input={"command": "x"})
        session.add(session.said("r-1", 5, bash("c-1")))
        session.add(session.line("user", message={"content": [
            {"type": "text", "text": "[Request interrupted by user for tool use]"}]}))
        (turn,) = eventually(lambda: told(box, "session.turn"))
        assert turn["payload"]["state"] == "interrupted", turn
        assert usage(box) == [("r-1", 5)] and calls(box) == []
        assert len([s for s in box.history() if s["type"] == "tool_call"]) == 1
    session.end()


@test("a session that began and ended between two looks, or while the box was away, is read, too")
def _():
    home, data = temp_dir(), temp_dir() / "data"
    session, away = Session(home, registered=False), Session(home, "s-2", registered=False)
    session.add(session.said("r-1", 5))
    with Box(env={"HOME": str(home)}, data=data) as box:
        for event in ("SessionStart", "SessionEnd"):
            hook(box, "s-1", event, transcript_path=str(session.path))
            hook(box, "s-2", event, transcript_path=str(away.path))
        eventually(lambda: usage(box) == [("r-1", 5)])
    away.add(away.said("r-2", 6))
    with Box(env={"HOME": str(home)}, data=data) as box:
        eventually(lambda: told(box, "token_usage", "s-2"))
        assert usage(box) == [("r-1", 5)], usage(box)
    session.end(), away.end()


@test("a file that is replaced or cut is read anew; a line of many megabytes is read like any other")
def _():
    home = temp_dir()
    session = Session(home)
    with Box(env={"HOME": str(home)}) as box:
        session.add(session.said("r-1", 5))
        eventually(lambda: usage(box) == [("r-1", 5)])
        other = session.path.with_suffix(".new")
        session.add(session.said("r-2", 6), other)
        os.replace(other, session.path)
        eventually(lambda: usage(box)[-1] == ("r-2", 6))
        session.add(session.line("system", subtype="turn_duration"))
        eventually(lambda: told(box, "session.turn"))
        session.path.write_text(session.said("r-3", 7))  # shorter than what was read
        eventually(lambda: usage(box)[-1] == ("r-3", 7))
        session.add(session.said("r-4", 8, bash("c-1")))
        long = session.line("user", message={"content": [
            {"type": "tool_result", "content": "x" * (20 << 20), "tool_use_id": "c-1"}]})
        session.add(long[:9 << 20])
        session.add(long[9 << 20:])
        session.add(session.said("r-4", 8))
        eventually(lambda: told(box, "tool_result"))
        assert told(box, "tool_result")[0]["payload"]["callId"] == "c-1"
        assert len(usage(box)) == 4, usage(box)
    session.end()


@test("a file that is written anew as it was is read on, and tells nothing twice")
def _():
    home = temp_dir()
    session = Session(home)
    with Box(env={"HOME": str(home)}) as box:
        session.add(session.said("r-1", 5, bash("c-1")))
        session.add(session.used("c-1"))
        session.add(session.said("r-2", 6)[:40])  # a line that is not whole
        eventually(lambda: told(box, "tool_result"))
        for n in (3, 4):
            other = session.path.with_suffix(".new")
            whole = session.path.read_text().splitlines(keepends=True)
            session.add("".join(line for line in whole if line.endswith("\n")), other)
            session.add(session.said(f"r-{n}", n), other)
            os.replace(other, session.path)
            eventually(lambda: usage(box)[-1] == (f"r-{n}", n))
        assert usage(box) == [("r-1", 5), ("r-3", 3), ("r-4", 4)], usage(box)
        assert len(told(box, "tool_call")) == len(told(box, "tool_result")) == 1
        # The same length, and other lines: that is another file.
        session.path.with_suffix(".new").write_text(session.path.read_text().replace('"r-4"', '"r-9"'))
        os.replace(session.path.with_suffix(".new"), session.path)
        eventually(lambda: usage(box)[-1] == ("r-9", 4))
    session.end()


@test("links are not followed, and a hook leads to no other folder")
def _():
    home = temp_dir()
    aside = home / "aside"
    aside.mkdir()
    linked, away = Session(home, "s-link"), Session(home, "s-away", registered=False)
    (aside / "s-link.jsonl").write_text(linked.said("r-link", 1))
    linked.path.symlink_to(aside / "s-link.jsonl")
    (aside / "s-away.jsonl").write_text(away.said("r-away", 1))
    live = Session(home, "s-1")
    with Box(env={"HOME": str(home)}) as box:
        hook(box, "s-away", "Stop", transcript_path=str(aside / "s-away.jsonl"))
        eventually(lambda: [s for s in box.history() if s.get("correlationId") == "s-away"])
        live.add(live.said("r-1", 5))
        eventually(lambda: usage(box) == [("r-1", 5)])
        live.add(live.said("r-2", 5))
        eventually(lambda: len(usage(box)) == 2)  # and another look
        assert not told(box, "token_usage", "s-link") and not told(box, "token_usage", "s-away")
    for session in (linked, away, live):
        session.end()


@test("subagents without hooks: tokens, tools, beginning and end of each, under its own id")
def _():
    home = temp_dir()
    session = Session(home)
    below = session.folder / "s-1" / "subagents"
    below.mkdir(parents=True)
    (below / "agent-a7.meta.json").write_text(json.dumps({"agentType": "Explore"}))
    session.add(session.said("r-sub", 9, bash("c-sub"), isSidechain=True, agentId="a7"),
                below / "agent-a7.jsonl")
    session.add(session.said("r-1", 5))
    with Box(env={"HOME": str(home)}) as box:
        eventually(lambda: sorted(usage(box)) == [("r-1", 5), ("r-sub", 9)])
        (call,) = told(box, "tool_call")
        assert call["payload"]["agentId"] == "Explore", call
        assert call["metadata"]["agent_id"] == "a7", call
        (task,) = told(box, "task_dispatch")
        assert task["payload"] == {"taskId": "a7", "from": "claude", "to": "Explore"}, task
        (agent,) = member(box)["agents"]
        assert (agent["name"], agent["state"]["name"]) == ("Explore", "tool"), agent
        session.add(session.said("r-2", 5, {"type": "tool_use", "id": "c-task", "name": "Task", "input": {}}))
        session.add(session.line("user", message={"content": [{
            "type": "tool_result", "tool_use_id": "c-task", "content": SECRET}]},
            toolUseResult={"status": "completed", "agentId": "a7", "content": SECRET}))
        eventually(lambda: member(box)["agents"][0]["state"]["name"] == "finished")
    session.end()


run()
