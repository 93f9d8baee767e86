#!/usr/bin/env python3
"""Transcripts are read when they are written to: at once, and not otherwise."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from lib import SIGNALBOX, Box, eventually, run, temp_dir, test

WATCHES = Path(SIGNALBOX).resolve().parent / "tests/preload/libwatches.so"
ALL_S = 30  # from one look at everything to the next
BEAT_S = 1.5


def start_of(pid):
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[19]


class Session:
    """A process with a row in the registry and a transcript."""

    def __init__(self, home, session, cwd="/work/shop"):
        self.id, self.number = session, 0
        self.process = subprocess.Popen(["sleep", "600"])
        self.folder = home / ".claude/projects" / cwd.replace("/", "-")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = self.folder / f"{session}.jsonl"
        registry = home / ".claude/sessions"
        registry.mkdir(parents=True, exist_ok=True)
        (registry / f"{self.process.pid}.json").write_text(json.dumps({
            "pid": self.process.pid, "sessionId": session, "cwd": cwd,
            "procStart": start_of(self.process.pid), "version": "2.1.325", "status": "busy",
            "updatedAt": 1_790_000_000_000}))

    def add(self, response, path=None):
        self.number += 1
        with open(path or self.path, "a") as file:
            file.write(json.dumps({
                "isSidechain": bool(path), "sessionId": self.id, "type": "assistant", "agentId": "a1" if path else None,
                "timestamp": f"2026-11-16T08:00:{self.number % 60:02d}.000Z",
                "message": {"id": response, "model": "m", "content": [],
                            "usage": {"input_tokens": 1, "output_tokens": 5}}}) + "\n")

    def end(self):
        self.process.kill()
        self.process.wait()


def seen(box, session):
    return [s["payload"]["responseId"] for s in box.history()
            if s["type"] == "token_usage" and s.get("correlationId") == session]


def reads(box):
    return int(re.search(r"^signalbox_transcript_reads_total (\d+)", box.request("GET", "/metrics").text, re.M)[1])


def soon(box, session, response, within=ALL_S / 2):
    """Before everything is looked at again."""
    eventually(lambda: response in seen(box, session), within)


def settle(box):
    """The look at everything that a start is, and what follows from it, is over."""
    before = -1
    while before != (before := reads(box)):
        time.sleep(2 * BEAT_S)


def next_look(box):
    """Everything was looked at just now: the next such look is ALL_S away."""
    settle(box)
    before = reads(box)
    eventually(lambda: reads(box) > before, 4 * ALL_S)
    settle(box)


def warnings(box):
    return box.log().count("watches no more directories")


@test("a line is seen at once, also in folders that are made, moved away and made again; idle costs nothing")
def _():
    home = temp_dir()
    sessions = [Session(home, f"s-{n}") for n in range(5)]
    with Box(env={"HOME": str(home)}) as box:
        for session in sessions:
            session.add("r-1")
            eventually(lambda: seen(box, session.id) == ["r-1"])
        settle(box)
        before, begun = reads(box), time.monotonic()
        time.sleep(4 * BEAT_S)
        most = len(sessions) * (1 + (time.monotonic() - begun) // ALL_S)
        assert reads(box) - before <= most, (before, reads(box))
        sessions[0].add("r-2")
        soon(box, "s-0", "r-2")
        nest = sessions[0].folder / "s-0" / "subagents"
        nest.mkdir(parents=True)
        sessions[0].add("r-sub", nest / "agent-a1.jsonl")
        soon(box, "s-0", "r-sub")
        sessions[0].add("r-sub-2", nest / "agent-a1.jsonl")
        soon(box, "s-0", "r-sub-2")
        sessions[0].folder.rename(home / "away")
        sessions[0].folder.mkdir()
        sessions[1].add("r-3")
        soon(box, "s-1", "r-3")
        shutil.rmtree(home / ".claude/projects")
        sessions[2].folder.mkdir(parents=True)
        sessions[2].add("r-4")
        soon(box, "s-2", "r-4")
    for session in sessions:
        session.end()


@test("a session of Codex or Gemini CLI is seen at once, in a folder of a new day, too")
def _():
    home = temp_dir()
    at, known = "2026-11-17T13:00:00.000Z", 20

    def write(path, line):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(line) + "\n")

    def rollout(name, day):
        write(home / ".codex/sessions" / day / f"rollout-{name}.jsonl", {
            "timestamp": at, "type": "session_meta", "payload": {"id": name, "cwd": "/work/shop", "cli_version": "1"}})

    def chat(name, project):
        write(home / ".gemini/tmp" / project / f"chats/session-{name}.jsonl",
              {"sessionId": name, "startTime": at, "kind": "main"})
        with open(home / ".gemini/tmp" / project / f"chats/session-{name}.jsonl", "a") as file:
            file.write(json.dumps({"id": "m1", "timestamp": at, "type": "user", "content": [{"text": "What?"}]}) + "\n")

    def told(box, name):
        return [s for s in box.history() if s.get("correlationId") == name]

    def is_told_alone(make, name, where):
        """Without a look at the others."""
        before = reads(box)
        make(name, where)
        eventually(lambda: told(box, name))
        return reads(box) - before < known

    with Box(env={"HOME": str(home), "CODEX_HOME": "", "GEMINI_CLI_HOME": ""}) as box:
        for number in range(known):
            rollout(f"known-{number}", "2026/11/17")
            chat(f"spoken-{number}", "shop")
        for number in range(known):
            eventually(lambda: told(box, f"known-{number}") and told(box, f"spoken-{number}"))
        settle(box)
        # Now and then everything is looked at, maybe just then; where nothing is watched each time.
        for make, places in ((rollout, ("2026/11/17", "2026/12/{}")), (chat, ("shop", "new-{}"))):
            for where in places:
                assert any(is_told_alone(make, f"{make.__name__}-{where.format(n)}-{n}".replace("/", "-"), where.format(n))
                           for n in range(10, 14)), (make.__name__, where)


@test("a row of the registry is seen at once, and so is its change")
def _():
    home, known = temp_dir(), 10
    sessions = [Session(home, f"s-{n}") for n in range(known)]

    def row(name):
        sessions.append(Session(home, name))
        eventually(lambda: [s for s in box.history() if s.get("correlationId") == name])

    def title(name):
        (file,) = [home / f".claude/sessions/{s.process.pid}.json" for s in sessions if s.id == name]
        file.write_text(json.dumps({**json.loads(file.read_text()), "name": f"title of {name}"}))
        eventually(lambda: f"title of {name}" in json.dumps(box.history()))

    def is_told_alone(change, name):
        """Without a look at the others."""
        before = reads(box)
        change(name)
        return reads(box) - before < known

    with Box(env={"HOME": str(home)}) as box:
        for session in sessions:
            session.add("r-1")
            eventually(lambda: seen(box, session.id) == ["r-1"])
        settle(box)
        # Now and then everything is looked at, maybe just then.
        assert any([is_told_alone(row, f"new-{n}") for n in range(3)])
        assert any([is_told_alone(title, f"new-{n}") for n in range(3)])
    for session in sessions:
        session.end()


@test("what the kernel forgets because too much happens is looked for")
def _():
    home = temp_dir()
    session, other = Session(home, "s-1"), Session(home, "s-2", "/work/bar")
    most = int(open("/proc/sys/fs/inotify/max_queued_events").read())
    with Box(env={"HOME": str(home)}) as box:
        session.add("r-1")
        other.add("r-1")
        eventually(lambda: seen(box, "s-1") and seen(box, "s-2"))
        next_look(box)
        os.kill(box.pid, signal.SIGSTOP)
        try:
            with open(session.path, "a") as one, open(session.folder / "x", "a") as two:
                for _ in range(most // 2 + 100):  # in turns: the same news twice is told once
                    for file in (one, two):
                        file.write("\n")
                        file.flush()
            other.add("r-2")
        finally:
            os.kill(box.pid, signal.SIGCONT)
        soon(box, "s-2", "r-2")
    session.end(), other.end()


@test("where nothing can be watched files are read each beat, and the log says so once")
def _():
    home = temp_dir()
    sessions = [Session(home, f"s-{n}", f"/work/p{n}") for n in range(3)]
    with Box(env={"HOME": str(home), "LD_PRELOAD": str(WATCHES)}) as box:
        for session in sessions:
            session.add("r-1")
            eventually(lambda: seen(box, session.id) == ["r-1"])
        for session in sessions:
            session.add("r-2")
            soon(box, session.id, "r-2")
        assert warnings(box) == 1, box.log()
    for session in sessions:
        session.end()


run()
