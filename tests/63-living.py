#!/usr/bin/env python3
"""Sessions of Claude Code: its registry, and those that end without a word."""

import json
import os
import subprocess
import sys
import time

from lib import SIGNALBOX, Box, eventually, environment, run, temp_dir, test

WITHIN_S = 10  # of a process that was killed


def start_of(pid):
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[19]


class Claude:
    """A process that says it is a session, in a registry."""

    def __init__(self, home, session, **members):
        self.process = subprocess.Popen(["sleep", "600"])
        self.path = home / ".claude" / "sessions" / f"{self.process.pid}.json"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        now = int(time.time() * 1000)
        self.members = {
            "pid": self.process.pid, "sessionId": session, "cwd": "/work/shop", "startedAt": now,
            "procStart": start_of(self.process.pid), "version": "2.1.325", "kind": "interactive",
            "entrypoint": "cli", "status": "busy", "updatedAt": now, "statusUpdatedAt": now,
            **members}
        self.write()

    def write(self, **changed):
        self.members.update(changed)
        self.path.write_text(json.dumps(self.members))

    def kill(self):
        self.process.kill()
        self.process.wait()


def home_box(**how):
    home = temp_dir()
    return home, {"HOME": str(home), **how}


def of(box, kind, session):
    return [s for s in box.history() if s["type"] == kind and s.get("correlationId") == session]


def hook(box, session, event, **members):
    payload = {"session_id": session, "hook_event_name": event, "cwd": "/w", **members}
    subprocess.run([SIGNALBOX, "hook", "--data", str(box.data)], input=json.dumps(payload).encode(),
                   check=True, env=environment())


@test("registry: a session's facts, again when they change, and only then")
def _():
    home, env = home_box()
    with Box(env=env) as box:
        claude = Claude(home, "s-1", name="shop-4b", nameSource="derived")
        (facts,) = eventually(lambda: of(box, "session.facts", "s-1"))
        assert facts["source"] == "adapter:transcript", facts
        assert facts["metadata"] == {"from": "registry"}, facts
        payload = facts["payload"]
        assert payload["harness"] == "claude-code" and payload["version"] == "2.1.325", payload
        assert payload["cwd"] == "/work/shop" and payload["status"] == "busy", payload
        assert payload["pid"] == claude.process.pid, payload
        assert "title" not in payload, payload
        assert facts["timestamp"] == claude.members["updatedAt"], facts
        later = claude.members["updatedAt"] + 1000
        claude.write(status="waiting", waitingFor="permission prompt", statusUpdatedAt=later)
        eventually(lambda: len(of(box, "session.facts", "s-1")) == 2)
        last = of(box, "session.facts", "s-1")[1]
        assert last["payload"]["status"] == "waiting", last
        assert last["payload"]["waitingFor"] == "permission prompt", last
        assert last["timestamp"] == later, last
        claude.write(updatedAt=later + 5)  # nothing that anybody is told of
        other = Claude(home, "s-2", name="The till", nameSource="user")
        (named,) = eventually(lambda: of(box, "session.facts", "s-2"))
        assert named["payload"]["title"] == "The till", named
        assert len(of(box, "session.facts", "s-1")) == 2
        claude.kill(), other.kill()


@test("registry: killed is gone within ten seconds, once; a box that was away finds it, too")
def _():
    home, env = home_box()
    data = temp_dir()
    with Box(env=env, data=data) as box:
        first, second = Claude(home, "s-1"), Claude(home, "s-2")
        eventually(lambda: of(box, "session.facts", "s-1") and of(box, "session.facts", "s-2"))
        box.emit({"type": "prompt", "source": "mine", "correlationId": "s-1",
                  "payload": {"type": "confirm", "prompt": "May I?"}})
        first.kill()
        (gone,) = eventually(lambda: of(box, "session.gone", "s-1"), within=WITHIN_S)
        assert gone["source"] == "signalbox", gone
        assert gone["payload"]["by"] == "registry", gone
        assert gone["payload"]["pid"] == first.process.pid, gone
        (closed,) = eventually(lambda: of(box, "prompt.closed", "s-1"))
        assert closed["payload"]["why"] == "its session is gone", closed
    second.kill()
    with Box(env=env, data=data) as box:
        eventually(lambda: of(box, "session.gone", "s-2"), within=WITHIN_S)
        assert len(of(box, "session.gone", "s-1")) == 1


@test("registry: a process that goes on with another session leaves the one before, and may come back")
def _():
    home, env = home_box()
    with Box(env=env) as box:
        claude = Claude(home, "s-1")
        eventually(lambda: of(box, "session.facts", "s-1"))
        later = claude.members["updatedAt"] + 10
        claude.write(sessionId="s-2", updatedAt=later, statusUpdatedAt=later)
        (gone,) = eventually(lambda: of(box, "session.gone", "s-1"))
        assert gone["payload"]["why"] == "its process went on with another session", gone
        state = lambda name: box.request("GET", f"/api/crew/{name}").json()["member"]["state"]["name"]
        eventually(lambda: (state("s-1"), state("s-2")) == ("finished", "thinking"))
        back = gone["timestamp"] + 10
        claude.write(sessionId="s-1", updatedAt=back, statusUpdatedAt=back)
        eventually(lambda: of(box, "session.gone", "s-2"))
        eventually(lambda: (state("s-1"), state("s-2")) == ("thinking", "finished"))
        claude.kill()


@test("registry: a box that starts again tells nothing twice")
def _():
    home, env = home_box()
    with Box(env=env) as box:
        claude = Claude(home, "s-1")
        eventually(lambda: of(box, "session.facts", "s-1"))
        box.restart()
        other = Claude(home, "s-2")
        eventually(lambda: of(box, "session.facts", "s-2"))
        assert len(of(box, "session.facts", "s-1")) == 1
        claude.kill()
        other.kill()


@test("registry: a session that says its end is not gone")
def _():
    home, env = home_box()
    with Box(env=env) as box:
        ended, killed = Claude(home, "s-1"), Claude(home, "s-2")
        eventually(lambda: of(box, "session.facts", "s-1") and of(box, "session.facts", "s-2"))
        hook(box, "s-1", "SessionEnd", reason="other")
        ended.kill()
        killed.kill()
        eventually(lambda: of(box, "session.gone", "s-2"), within=WITHIN_S)
        assert not of(box, "session.gone", "s-1")


@test("registry: links, keys, foreign numbers and what is no JSON are left alone")
def _():
    home, env = home_box()
    with Box(env=env) as box:
        sessions = home / ".claude" / "sessions"
        sessions.mkdir(parents=True)
        live = Claude(home, "s-live")
        aside = home / "aside.json"
        aside.write_text(json.dumps({**live.members, "sessionId": "s-link"}))
        (sessions / "77.json").symlink_to(aside)
        (sessions / "78.key").write_text(json.dumps({**live.members, "sessionId": "s-key"}))
        (sessions / "79.json").write_text("{")
        os.mkfifo(sessions / "80.json")
        (sessions / "81.json").write_text(json.dumps(
            {**live.members, "sessionId": "s-other", "procStart": "1"}))
        last = Claude(home, "s-last")
        eventually(lambda: of(box, "session.facts", "s-last"))
        eventually(lambda: of(box, "session.facts", "s-live"))
        told = {s.get("correlationId") for s in box.history() if s["type"] == "session.facts"}
        assert told == {"s-live", "s-last"}, told
        (sessions / "79.json").write_text(json.dumps({**live.members, "sessionId": "s-79"}))
        eventually(lambda: of(box, "session.facts", "s-79"))  # it was being written
        live.kill(), last.kill()


@test("registry: off reads nothing")
def _():
    home, env = home_box(SIGNALBOX_TRANSCRIPTS="off", SIGNALBOX_CREW_SILENT="1s")
    with Box(env=env) as box:
        claude = Claude(home, "s-1")
        hook(box, "s-2", "Stop")
        (gone,) = eventually(lambda: of(box, "session.gone", "s-2"))
        assert gone["payload"]["by"] == "deadline", gone
        assert not of(box, "session.facts", "s-1")
        claude.kill()


AGENT = """
import json, subprocess, sys
for line in sys.stdin:
    subprocess.run([sys.argv[1], "hook", "--data", sys.argv[2]], input=line.encode(), check=True)
    print("told", flush=True)
"""


@test("peers: without a registry, the process that runs the hooks is the agent")
def _():
    home, env = home_box()
    with Box(env=env) as box:
        agent = subprocess.Popen([sys.executable, "-c", AGENT, SIGNALBOX, str(box.data)],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                 env=environment())
        for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"):
            agent.stdin.write(json.dumps({"session_id": "s-1", "hook_event_name": event}) + "\n")
            agent.stdin.flush()
            assert agent.stdout.readline() == "told\n"
            eventually(lambda: [s for s in box.history() if s["metadata"].get("hook") == event])
        (facts,) = eventually(lambda: of(box, "session.facts", "s-1"))
        assert facts["metadata"] == {"from": "hook"} and facts["payload"]["pid"] == agent.pid, facts
        agent.kill(), agent.wait()
        (gone,) = eventually(lambda: of(box, "session.gone", "s-1"), within=WITHIN_S)
        assert gone["payload"]["by"] == "peer", gone


run()
