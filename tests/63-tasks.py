#!/usr/bin/env python3
"""Task lists of Claude Code: the plan of a session by its files, by its hooks, and by both."""

import json
import os
import re
import subprocess
import time

from lib import SIGNALBOX, Box, environment, eventually, run, temp_dir, test

SECRET = "SECRET"


def start_of(pid):
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[19]


class Session:
    """A process with a row in the registry and a folder of tasks."""

    def __init__(self, home, session="s-1"):
        self.id, self.cwd = session, "/work/shop"
        self.process = subprocess.Popen(["sleep", "600"])
        self.projects = home / ".claude" / "projects" / re.sub("[^a-zA-Z0-9]", "-", self.cwd)
        self.projects.mkdir(parents=True, exist_ok=True)
        sessions = home / ".claude" / "sessions"
        sessions.mkdir(parents=True, exist_ok=True)
        (sessions / f"{self.process.pid}.json").write_text(json.dumps({
            "pid": self.process.pid, "sessionId": session, "cwd": self.cwd,
            "procStart": start_of(self.process.pid), "version": "2.1.325",
            "status": "busy", "updatedAt": 1_790_000_000_000}))
        self.tasks = home / ".claude" / "tasks" / session

    def task(self, number, subject, status="pending", **members):
        self.tasks.mkdir(parents=True, exist_ok=True)
        (self.tasks / f"{number}.json").write_text(json.dumps({
            "id": str(number), "subject": subject, "description": SECRET, "activeForm": SECRET,
            "status": status, "blocks": [], "blockedBy": [], **members}, indent=2))

    def end(self):
        self.process.kill()
        self.process.wait()


def member(box, session="s-1"):
    return box.request("GET", f"/api/crew/{session}").json().get("member") or {}


def plan(box, session="s-1"):
    brief = member(box, session).get("plan") or {}
    return brief.get("done"), brief.get("total")


def told(box, session="s-1"):
    return [s for s in box.history() if s["type"] == "agent.plan" and s["correlationId"] == session
            and s["source"] == "adapter:transcript"]


def hook(box, tool, given, result, session="s-1"):
    payload = {"session_id": session, "hook_event_name": "PostToolUse", "cwd": "/work/shop",
               "tool_name": tool, "tool_input": given, "tool_response": result}
    subprocess.run([SIGNALBOX, "hook", "--data", str(box.data)], input=json.dumps(payload).encode(),
                   check=True, env=environment())


def bytes_read(pid):
    return int(open(f"/proc/{pid}/io").read().split()[1])


@test("tasks alone are a plan, which follows its files as they come, change and vanish")
def _():
    home = temp_dir()
    session = Session(home)
    with Box(env={"HOME": str(home)}) as box:
        eventually(lambda: member(box))
        session.task(1, "Find it", "in_progress")
        eventually(lambda: plan(box) == (0, 1))
        session.task(1, "Find it", "completed")
        session.task(2, "Mend it", "in_progress")
        session.task(10, "Tell it")
        session.task(3, "Watch it", metadata={"_internal": True})
        eventually(lambda: plan(box) == (1, 3))
        eventually(lambda: member(box)["plan"]["now"] == "Mend it")
        (session.tasks / "10.json").unlink()
        eventually(lambda: plan(box) == (1, 2))
        last = told(box)[-1]
        assert last["payload"] == {"agentId": "claude", "whole": True, "items": [
            {"id": "1", "text": "Find it", "status": "completed"},
            {"id": "2", "text": "Mend it", "status": "in_progress"}]}, last
        assert last["metadata"]["from"] == "tasks", last
        assert not any(SECRET in json.dumps(s) for s in box.history())
        for path in session.tasks.iterdir():
            path.unlink()
        eventually(lambda: plan(box) == (None, None))
    session.end()


@test("what is done is tidied away by Claude Code, and stays done")
def _():
    home = temp_dir()
    session, other = Session(home), Session(home, "s-2")
    session.task(1, "Find it", "completed")
    with Box(env={"HOME": str(home)}) as box:
        eventually(lambda: plan(box) == (1, 1))
        (session.tasks / "1.json").unlink()
        other.task(1, "Other")
        eventually(lambda: plan(box, "s-2") == (0, 1))  # and another look
        assert plan(box) == (1, 1)
        session.task(2, "Next")
        eventually(lambda: plan(box) == (0, 1))
    session.end(), other.end()


@test("a box that starts again tells the same plan no second time, and another one once")
def _():
    home, data = temp_dir(), temp_dir() / "data"
    session, other = Session(home), Session(home, "s-2")
    session.task(1, "Find it", "in_progress")
    with Box(env={"HOME": str(home)}, data=data) as box:
        eventually(lambda: plan(box) == (0, 1))
    for kill in (True, False):
        box = Box(env={"HOME": str(home)}, data=data).start()
        other.task(1, f"Other {kill}")
        eventually(lambda: [s for s in told(box, "s-2") if f"{kill}" in json.dumps(s)])
        assert plan(box) == (0, 1) and len(told(box)) == 1, told(box)
        box.kill9() if kill else box.stop()
    session.task(1, "Find it", "completed")
    with Box(env={"HOME": str(home)}, data=data) as box:
        eventually(lambda: plan(box) == (1, 1))
        assert len(told(box)) == 2, told(box)
    session.end(), other.end()


def by_hooks(box):
    for number, subject in ((1, "Find it"), (2, "Mend it"), (3, "Drop it")):
        hook(box, "TaskCreate", {"subject": subject}, {"task": {"id": str(number), "subject": subject}})
    hook(box, "TaskUpdate", {"taskId": "1", "status": "completed"}, {"success": True})
    hook(box, "TaskUpdate", {"taskId": "2", "status": "in_progress"}, {"success": True})
    hook(box, "TaskUpdate", {"taskId": "3", "status": "deleted"}, {"success": True})


def by_files(session):
    session.task(1, "Find it", "completed")
    session.task(2, "Mend it", "in_progress")


def by_lines(session):
    def line(number, kind, **members):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 60 + number))
        return json.dumps({"sessionId": session.id, "cwd": session.cwd, "type": kind,
                           "uuid": f"u{number}", "timestamp": stamp, **members}) + "\n"

    with open(session.projects / f"{session.id}.jsonl", "a") as file:
        for number, subject in ((1, "Find it"), (2, "Mend it")):
            file.write(line(number * 2, "assistant", message={"id": f"r{number}", "model": "m", "content": [
                {"type": "tool_use", "id": f"c{number}", "name": "TaskCreate", "input": {"subject": subject}}]}))
            file.write(line(number * 2 + 1, "user", message={"content": [
                {"type": "tool_result", "tool_use_id": f"c{number}", "content": "made"}]},
                toolUseResult={"task": {"id": str(number), "subject": subject}}))
        for number, status in ((1, "completed"), (2, "in_progress")):
            file.write(line(number + 10, "assistant", message={"id": f"s{number}", "model": "m", "content": [
                {"type": "tool_use", "id": f"d{number}", "name": "TaskUpdate",
                 "input": {"taskId": str(number), "status": status}}]}))


@test("hooks, lines of the transcript and tasks tell one plan, whichever comes first")
def _():
    ways = {"files": lambda box, session: by_files(session), "hooks": lambda box, session: by_hooks(box),
            "lines": lambda box, session: by_lines(session)}
    for first, second in (("files", "hooks"), ("hooks", "files"), ("files", "lines"), ("lines", "files")):
        home = temp_dir()
        session, other = Session(home), Session(home, "s-2")
        with Box(env={"HOME": str(home)}) as box:
            eventually(lambda: member(box))
            ways[first](box, session)
            eventually(lambda: plan(box) == (1, 2))
            ways[second](box, session)
            other.task(1, "Other")
            eventually(lambda: plan(box, "s-2") == (0, 1))  # and another look
            eventually(lambda: plan(box) == (1, 2))
            assert member(box)["plan"]["now"] == "Mend it", (first, second)
            if second == "files":
                assert not [s for s in told(box) if s["metadata"].get("from") == "tasks"], (first, told(box))
        session.end(), other.end()


@test("with transcripts off no task is read, nor one of a session that is not open")
def _():
    home = temp_dir()
    session, live = Session(home, "s-1"), Session(home, "s-live")
    session.task(1, "Find it")
    live.task(1, "Live")
    session.end()
    with Box(env={"HOME": str(home)}) as box:
        eventually(lambda: plan(box, "s-live") == (0, 1))
        assert not told(box)
    with Box(env={"HOME": str(home), "SIGNALBOX_TRANSCRIPTS": "off"}) as box:
        hook(box, "TaskCreate", {"subject": "Hooked"}, {"task": {"id": "7"}}, "s-live")
        eventually(lambda: plan(box, "s-live") == (0, 1))
        live.task(2, "More")
        hook(box, "TaskUpdate", {"taskId": "7", "status": "completed"}, {"success": True}, "s-live")
        eventually(lambda: plan(box, "s-live") == (1, 1))
        assert not told(box, "s-live")
    live.end()


@test("hostile files cost nothing: too long, links, pipes, no JSON, a hundred thousand names")
def _():
    home = temp_dir()
    session, many, linked = Session(home), Session(home, "s-many"), Session(home, "s-link")
    session.task(1, "Good", "in_progress")
    (session.tasks / "2.json").write_text(json.dumps({"subject": SECRET, "status": "pending", "x": "x" * (10 << 20)}))
    aside = home / "aside"
    aside.mkdir()
    (aside / "1.json").write_text(json.dumps({"subject": SECRET, "status": "pending"}))
    (session.tasks / "3.json").symlink_to(aside / "1.json")
    (session.tasks / "4.json").symlink_to("/etc/passwd")
    os.mkfifo(session.tasks / "5.json")
    (session.tasks / "6.json").write_text('{"subject": "' + SECRET)
    (session.tasks / "7.json").write_text("[" * 60000)
    (session.tasks / "8.json").mkdir()
    (session.tasks / "09.json").write_text(json.dumps({"subject": SECRET, "status": "pending"}))
    (session.tasks / "x.json").write_text(json.dumps({"subject": SECRET, "status": "pending"}))
    linked.tasks.symlink_to(aside)
    many.tasks.mkdir(parents=True)
    for number in range(2, 100_000):
        os.mknod(many.tasks / f"{number}.json")
    many.task(1, SECRET)
    with Box(env={"HOME": str(home)}) as box:
        eventually(lambda: plan(box) == (0, 1))
        before = bytes_read(box.pid)
        (session.tasks / "2.json").touch()
        for number in range(100, 130):
            session.task(number, f"Also {number}")
            (many.tasks / "2.json").unlink(missing_ok=True)
            (many.tasks / "2.json").write_text("{}")
        eventually(lambda: plan(box) == (0, 31))
        session.task(1, "Good", "completed")
        eventually(lambda: plan(box) == (1, 31))
        assert bytes_read(box.pid) - before < 10 << 20, "the long file was read"
        assert not told(box, "s-many") and not told(box, "s-link")
        assert not any(SECRET in json.dumps(s) for s in box.history())
    for one in (session, many, linked):
        one.end()


run()
