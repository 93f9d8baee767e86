#!/usr/bin/env python3
"""Rollouts of Codex and chats of Gemini CLI: read as they grow, once, and without their words."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

from lib import Box, eventually, run, temp_dir, test

SECRET = "SECRET"


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Thread:
    """A thread of Codex, as far as its file shows it."""

    def __init__(self, home, thread="th-9", day="2026/11/17"):
        self.id, self.total = thread, 0
        folder = home / ".codex/sessions" / day
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"rollout-2026-11-17T13-01-50-{thread}.jsonl"
        self.add("session_meta", id=thread, cwd="/work/shop", cli_version="0.166.0", source="cli",
                 base_instructions={"text": SECRET}, git={"branch": "main"})
        self.add("turn_context", cwd="/work/shop", approval_policy="on-request", model="gpt-5.6")

    def line(self, kind, **payload):
        return json.dumps({"timestamp": now(), "type": kind, "payload": payload}) + "\n"

    def add(self, kind, **payload):
        with open(self.path, "a") as file:
            file.write(self.line(kind, **payload))

    def begin(self):
        self.add("event_msg", type="task_started", model_context_window=1000)

    def call(self, call):
        self.add("response_item", type="function_call", name="exec_command", call_id=call,
                 arguments=json.dumps({"cmd": SECRET}))

    def output(self, call):
        self.add("response_item", type="function_call_output", call_id=call, output=SECRET)

    def spend(self, out=10):
        self.total += 100 + out
        self.add("token_usage_record", thread_id=self.id, response_id="r",
                 usage={"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": out,
                        "total_tokens": 100 + out}, thread_token_usage={"total_tokens": self.total})

    def end(self):
        self.add("event_msg", type="task_complete", last_agent_message=SECRET)


def member(box, session):
    for one in box.request("GET", "/api/crew").json()["members"]:
        if one["id"] == session:
            return one
    return None


def told(box, kind, session="th-9"):
    return [s for s in box.history() if s["type"] == kind and s.get("correlationId") == session]


def calls(box):
    return box.request("GET", "/api/usage?by=model").json()["total"]["calls"]


def env(home, **more):
    return {"HOME": str(home), "CODEX_HOME": "", "GEMINI_CLI_HOME": "", "CLAUDE_CONFIG_DIR": "", **more}


@test("a thread of Codex is a session: who it is, what it does, what it spends, told once")
def _():
    home = temp_dir()
    thread = Thread(home)
    thread.begin()
    with Box(env=env(home)) as box:
        eventually(lambda: member(box, "th-9"))
        one = member(box, "th-9")
        assert one["project"] == "shop" and one["harness"] == "codex", one
        assert (one["branch"], one["version"], one["mode"]) == ("main", "0.166.0", "on-request"), one
        thread.call("c1")
        eventually(lambda: told(box, "tool_call"))
        with open(thread.path, "a") as file:  # half a line waits for its other half
            line = thread.line("response_item", type="function_call_output", call_id="c1", output="x")
            file.write(line[:40])
            file.flush()
            time.sleep(2)
            assert not told(box, "tool_result")
            file.write(line[40:])
        eventually(lambda: told(box, "tool_result"))
        thread.spend()
        thread.end()
        eventually(lambda: len(told(box, "session.turn")) == 2)
        assert calls(box) == 1
        usage = member(box, "th-9")["usage"]
        assert (usage["input"], usage["cacheRead"], usage["output"]) == (60, 40, 10), usage
        before = len([s for s in box.history() if s["source"] == "adapter:transcript"])
        box.restart()
        thread.spend(7)
        eventually(lambda: calls(box) == 2)
        after = [s for s in box.history() if s["source"] == "adapter:transcript"]
        assert len(after) == before + 1, after
        assert SECRET not in json.dumps(after)


@test("old files, links, files of others' names and all of them with transcripts: off are left alone")
def _():
    home, other = temp_dir(), temp_dir()
    old, link = Thread(home, "th-old", "2026/10/01"), Thread(other, "th-link")
    os.utime(old.path, (time.time() - 7200,) * 2)
    os.symlink(link.path, old.path.parent / "rollout-link.jsonl")
    os.symlink(link.path.parent, home / ".codex/sessions/linked")
    (old.path.parent / "notes.jsonl").write_text(link.path.read_text())
    fresh = Thread(home, "th-9")
    with Box(env=env(home)) as box:
        eventually(lambda: member(box, "th-9"))
        assert {s.get("correlationId") for s in box.history()
                if s["source"] == "adapter:transcript"} == {"th-9"}
        old.begin()  # and goes on: it is resumed
        eventually(lambda: member(box, "th-old"))
    with Box(env=env(home, SIGNALBOX_TRANSCRIPTS="off")) as box:
        fresh.spend()
        time.sleep(4)
        assert not [s for s in box.history() if s["source"] == "adapter:transcript"]


@test("of a program whose output is read, its file tells tokens and facts alone")
def _():
    home = temp_dir()
    with Box(env=env(home)) as box:
        box.emit({"type": "tool_call", "source": "adapter:tap:codex", "correlationId": "th-9",
                  "payload": {"toolName": "shell", "agentId": "codex", "callId": "item_1", "input": {}}})
        thread = Thread(home)
        thread.call("c1")
        thread.output("c1")
        thread.spend()
        eventually(lambda: calls(box) == 1)
        assert len(told(box, "tool_call")) == 1 and not told(box, "tool_result")
        assert told(box, "session.facts")


@test("a chat of Gemini CLI is a session, in the folder that its project names")
def _():
    home = temp_dir()
    chats = home / ".gemini/tmp/shop/chats"
    chats.mkdir(parents=True)
    (home / ".gemini/tmp/shop/.project_root").write_text("/work/market")
    chat = chats / "session-2026-11-17T13-02-ge1.jsonl"
    lines = [{"sessionId": "ge-1", "projectHash": "x", "startTime": now(), "kind": "main"},
             {"id": "m1", "timestamp": now(), "type": "user", "content": [{"text": SECRET}]},
             {"id": "m2", "timestamp": now(), "type": "gemini", "content": SECRET,
              "tokens": {"input": 10, "output": 5, "cached": 0, "thoughts": 2, "tool": 4, "total": 21},
              "model": "gemini-3.1-pro-preview"}]
    with Box(env=env(home)) as box:
        chat.write_text("".join(json.dumps(line) + "\n" for line in lines))
        eventually(lambda: calls(box) == 1)
        one = member(box, "ge-1")
        assert (one["project"], one["harness"]) == ("market", "gemini-cli"), one
        assert (one["usage"]["input"], one["usage"]["output"]) == (14, 7), one
        with chat.open("a") as file:
            file.write(json.dumps(lines[2]) + "\n")
            file.write(json.dumps({**lines[2], "id": "m3"}) + "\n")
        eventually(lambda: calls(box) == 2)
        assert SECRET not in json.dumps(box.history())


class Writer:
    """A program that keeps the file of its session open, as Codex does."""

    def __init__(self, path):
        script = "import sys, time; file = open(sys.argv[1], 'a'); print(flush=True); time.sleep(600)"
        self.process = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def kill(self):
        self.process.kill()
        self.process.wait()


@test("who writes a file is its process: killed at work the session is gone, at rest finished, resumed it is back")
def _():
    home = temp_dir()
    work, rest = Thread(home, "th-work"), Thread(home, "th-rest")
    writers = [Writer(work.path), Writer(rest.path)]
    reader = subprocess.Popen(["tail", "-f", str(work.path)], stdout=subprocess.DEVNULL)
    for thread in (work, rest):
        thread.begin()
    rest.end()
    with Box(env=env(home)) as box:
        def pid(session):
            return [s["payload"]["pid"] for s in told(box, "session.facts", session) if "pid" in s["payload"]]

        eventually(lambda: pid("th-work") == [writers[0].process.pid] and pid("th-rest") == [writers[1].process.pid])
        killed = time.time()
        for writer in writers:
            writer.kill()
        (gone,) = eventually(lambda: told(box, "session.gone", "th-work"))
        assert gone["payload"]["by"] == "file" and "left" not in gone["payload"], gone
        assert gone["timestamp"] / 1000 - killed < 10, gone
        (over,) = eventually(lambda: told(box, "session.gone", "th-rest"))
        assert over["payload"]["left"] is True, over
        assert member(box, "th-work")["state"]["name"] == "gone", member(box, "th-work")
        assert member(box, "th-rest")["state"]["name"] == "finished", member(box, "th-rest")
        again = Writer(work.path)
        work.begin()
        eventually(lambda: pid("th-work")[-1] == again.process.pid)
        assert member(box, "th-work")["state"]["name"] != "gone"
        again.kill()
    reader.kill()
    reader.wait()


class Gemini:
    """A program that opens its file for each line, as Gemini CLI does: it begins itself again, in its project."""

    def __init__(self, project):
        script = temp_dir() / "gemini.js"
        script.write_text("import subprocess, sys, time\n"
                          "if len(sys.argv) == 1:\n    subprocess.run([sys.executable, __file__, 'again'])\n"
                          "print(flush=True)\ntime.sleep(600)\n")
        self.process = subprocess.Popen([sys.executable, str(script)], cwd=project, stdout=subprocess.PIPE,
                                        start_new_session=True)
        self.process.stdout.readline()

    def pids(self):
        below = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(pid) for pid in below]

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def chat_of(home, project, session):
    chats = home / f".gemini/tmp/{project.name}/chats"
    chats.mkdir(parents=True, exist_ok=True)
    (chats.parent / ".project_root").write_text(str(project))
    chat = chats / f"session-2026-11-17T13-02-{session}.jsonl"
    lines = [{"sessionId": session, "projectHash": "x", "startTime": now(), "kind": "main"},
             {"id": "m1", "timestamp": now(), "type": "user", "content": [{"text": "go"}]}]
    chat.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return chat


@test("a killed Gemini CLI is known by its folder and its name: its session is gone; of two in a folder neither is said")
def _():
    home, projects = temp_dir(), [temp_dir() / name for name in ("alone", "both")]
    for project in projects:
        project.mkdir()
    alone, *both = [Gemini(projects[0]), Gemini(projects[1]), Gemini(projects[1])]
    with Box(env=env(home)) as box:
        def pid(session):
            return [s["payload"]["pid"] for s in told(box, "session.facts", session) if "pid" in s["payload"]]

        chat_of(home, projects[1], "ge-both")
        chat_of(home, projects[0], "ge-alone")
        eventually(lambda: pid("ge-alone") == alone.pids())
        killed = time.time()
        alone.kill()
        (gone,) = eventually(lambda: told(box, "session.gone", "ge-alone"))
        assert gone["payload"]["by"] == "file" and gone["timestamp"] / 1000 - killed < 10, gone
        assert member(box, "ge-alone")["state"]["name"] == "gone", member(box, "ge-alone")
        assert pid("ge-both") == [] and not told(box, "session.gone", "ge-both"), pid("ge-both")
        for one in both:
            one.kill()


@test("titles of Codex are in its index; the last of a session counts, and those of strangers wait")
def _():
    home = temp_dir()
    thread = Thread(home)
    index = home / ".codex/session_index.jsonl"

    def name(session, words):
        with open(index, "a") as file:
            file.write(json.dumps({"id": session, "thread_name": words, "updated_at": now()}) + "\n")

    name("th-old", "Long ago")
    name("th-later", "To come")
    name("th-9", "Fix the cart")
    with Box(env=env(home)) as box:
        eventually(lambda: (member(box, "th-9") or {}).get("title") == "Fix the cart")
        name("th-9", "Fix the till")
        eventually(lambda: member(box, "th-9")["title"] == "Fix the till")
        Thread(home, "th-later")
        eventually(lambda: (member(box, "th-later") or {}).get("title") == "To come")
        assert member(box, "th-old") is None
    assert thread.id == "th-9"


@test("a line of many MiB is read like any other, and only one of which much is left is passed over")
def _():
    home = temp_dir()
    chats = home / ".gemini/tmp/shop/chats"
    chats.mkdir(parents=True)

    def answer(name, size, **args):
        return {"id": name, "timestamp": now(), "type": "gemini", "content": "x", "model": "gemini-3.6-flash",
                "tokens": {"input": 100, "output": 10, "cached": 0, "thoughts": 0, "tool": 0, "total": 110},
                "toolCalls": [{"id": f"c{name}", "name": "read_file", "args": args, "status": "success",
                               "result": "y" * size}]}

    lines = [{"sessionId": "ge-2", "projectHash": "x", "startTime": now(), "kind": "main"},
             answer("m1", 10), answer("m2", 3_000_000), answer("m3", 17_000_000), answer("m4", 1_400_000),
             answer("m5", 10, lines=[1] * 1_000_000), answer("m6", 10)]
    with Box(env=env(home)) as box:
        (chats / "session-2026-11-17T13-02-ge2.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines))
        eventually(lambda: any(s["payload"]["responseId"].endswith("m6") for s in told(box, "token_usage", "ge-2")))
        ids = [s["payload"]["responseId"][-2:] for s in told(box, "token_usage", "ge-2")]
        assert ids == ["m1", "m2", "m3", "m4", "m6"], ids


if __name__ == "__main__":
    run()
