#!/usr/bin/env python3
"""Texts of transcripts: told only where they are wanted, and one text is one text."""

import itertools
import json
import subprocess
from datetime import datetime, timezone

from lib import SIGNALBOX, Box, environment, eventually, run, temp_dir, test


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def start_of(pid):
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[19]


class Session:
    """A session of Claude Code with a transcript, in the registry or known by its hooks."""

    def __init__(self, home, session="s-1", registered=True):
        self.id = session
        self.process = subprocess.Popen(["sleep", "600"])
        folder = home / ".claude/projects/-work-shop"
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{session}.jsonl"
        if registered:
            (home / ".claude/sessions").mkdir()
            (home / f".claude/sessions/{self.process.pid}.json").write_text(json.dumps({
                "pid": self.process.pid, "sessionId": session, "cwd": "/work/shop", "status": "busy",
                "procStart": start_of(self.process.pid), "updatedAt": 1_790_000_000_000}))

    def add(self, kind, content, path=None, **members):
        with open(path or self.path, "a") as file:
            file.write(json.dumps({
                "type": kind, "sessionId": self.id, "timestamp": now(), "uuid": str(len(content)), **members,
                "message": {"content": content, "id": f"m-{now()}", "model": "m",
                            "usage": {"input_tokens": 1, "output_tokens": 2}}}) + "\n")

    def work(self):
        """A whole turn."""
        self.add("user", "What is it?", promptId="p-1")
        self.add("user", "a reminder of the program", isMeta=True)
        self.add("assistant", [{"type": "thinking", "thinking": "Hm, hm."}])
        self.add("assistant", [{"type": "text", "text": "I look."}])
        self.add("assistant", [{"type": "tool_use", "id": "c-1", "name": "Bash", "input": {"command": "ls -l"}}])
        self.add("user", [{"type": "tool_result", "tool_use_id": "c-1", "content": [{"type": "text", "text": "a.txt"}]}])
        self.add("assistant", [{"type": "text", "text": "It is"}])
        self.add("assistant", [{"type": "text", "text": "a file."}])

    def end(self):
        self.process.kill()
        self.process.wait()


def told(box, session="s-1"):
    """What was said, in order."""
    words = {"task_dispatch": "description", "text_delta": "content", "thinking": "content",
             "tool_call": "input", "tool_result": "output"}
    said = [(s["type"], s["payload"][words[s["type"]]]) for s in box.history()
            if s.get("correlationId") == session and words.get(s["type"], "") in s["payload"]]
    return [(type, one.get("value", one) if type == "tool_result" else one) for type, one in said]


def hook(box, event, **members):
    payload = {"session_id": "s-1", "hook_event_name": event, "cwd": "/w", **members}
    subprocess.run([SIGNALBOX, "hook", "--data", str(box.data)], input=json.dumps(payload).encode(),
                   check=True, env=environment())


def env(home, **more):
    return {"HOME": str(home), "CODEX_HOME": "", "GEMINI_CLI_HOME": "", "CLAUDE_CONFIG_DIR": "", **more}


def ask(box, mode):
    return box.request("POST", "/api/transcripts", {"mode": mode})


WORDS = [("task_dispatch", "What is it?"), ("thinking", "Hm, hm."), ("text_delta", "I look."),
         ("tool_call", {"command": "ls -l"}), ("tool_result", "a.txt"), ("text_delta", "It is"),
         ("text_delta", "\n\na file.")]


@test("with transcripts: text a session without hooks is told with its words, within ceilings")
def _():
    home = temp_dir()
    session = Session(home)
    with Box(env=env(home, SIGNALBOX_TRANSCRIPTS="text")) as box:
        session.work()
        eventually(lambda: told(box) == WORDS)
        session.add("assistant", [{"type": "text", "text": "é" * 100_000}])
        eventually(lambda: len(told(box)) == len(WORDS) + 1)
        assert told(box)[-1][1] == "\n\n" + "é" * 32768
        assert box.request("GET", "/api/transcripts").json() == {"ok": True, "mode": "text", "configured": "text"}
        assert ask(box, "facts").status == 409
    session.end()


@test("a yes outlives the box, a no ends it; the configuration's off cannot be changed")
def _():
    home, data = temp_dir(), temp_dir() / "data"
    session = Session(home)
    with Box(env=env(home), data=data) as box:
        assert box.request("GET", "/api/transcripts").json()["mode"] == "facts"
        session.add("user", "Not yet")
        session.add("assistant", [{"type": "text", "text": "No."}])
        eventually(lambda: [s for s in box.history() if s["type"] == "token_usage"])
        assert ask(box, "all").status == 400 and ask(box, "text").json()["mode"] == "text"
        session.add("user", "Now")
        eventually(lambda: told(box) == [("task_dispatch", "Now")])
    with Box(env=env(home), data=data) as box:
        session.add("user", "Still")
        eventually(lambda: told(box) == [("task_dispatch", "Now"), ("task_dispatch", "Still")])
        assert ask(box, "facts").json()["mode"] == "facts"
        session.add("user", "No more")
        session.add("system", "", subtype="turn_duration")
        eventually(lambda: [s for s in box.history() if s["type"] == "session.turn"])
        assert len(told(box)) == 2, told(box)
    with Box(env=env(home, SIGNALBOX_TRANSCRIPTS="off"), data=data) as box:
        assert box.request("GET", "/api/transcripts").json()["mode"] == "off" and ask(box, "text").status == 409
    session.end()


@test("after a start, too, nothing is told from before the yes: of the session, of a subagent, of Codex")
def _():
    home, data = temp_dir(), temp_dir() / "data"
    session = Session(home)
    nest, folder = session.path.parent / "s-1/subagents", home / ".codex/sessions/2026/11/17"
    nest.mkdir(parents=True)
    folder.mkdir(parents=True)
    agent, rollout = nest / "agent-a1.jsonl", folder / "rollout-1.jsonl"
    numbers = itertools.count()

    def item(kind, **payload):
        with open(rollout, "a") as file:
            file.write(json.dumps({"timestamp": now(), "type": kind, "payload": payload}) + "\n")

    def say(when):
        for path in (None, agent):
            sub = {"isSidechain": True, "agentId": "a1"} if path else {}
            call = f"c-{next(numbers)}"
            session.add("assistant", [{"type": "text", "text": when}], path=path, **sub)
            session.add("assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": when}}],
                        path=path, **sub)
        item("response_item", type="message", role="assistant", content=[{"type": "text", "text": when}])
        item("response_item", type="function_call", name="shell", call_id=f"c-{next(numbers)}", arguments=json.dumps({"cmd": when}))

    def calls(box, count):
        return len([s for s in box.history() if s["type"] == "tool_call"]) == count

    item("session_meta", id="th-1", cwd="/work")
    with Box(env=env(home), data=data) as box:
        say("secret")
        eventually(lambda: calls(box, 3))
        # Its last line tells nothing but words, so no place is behind it.
        session.add("user", "secret prompt", promptId="p-0")
        assert ask(box, "text").status == 200
        say("open")
        eventually(lambda: calls(box, 6))
        assert ask(box, "text").status == 200  # again: it holds from the first
    for when in ("once", "twice"):
        with Box(env=env(home), data=data) as box:
            say(when)
            eventually(lambda: calls(box, 9 if when == "once" else 12))
            history = box.history()
            text = json.dumps(history)
            assert "secret" not in text, [s for s in history if "secret" in json.dumps(s["payload"])]
            said = [s["payload"]["content"].strip() for s in history if s["type"] == "text_delta"]
            assert sorted(said) == sorted(3 * (["open", "once"] + ["twice"] * (when == "twice"))), said
    session.end()


@test("what hooks tell is told once: prompts and tools by them, answers where they do, thoughts by the transcript")
def _():
    home = temp_dir()
    session = Session(home, registered=False)
    with Box(env=env(home, SIGNALBOX_TRANSCRIPTS="text")) as box:
        path = {"transcript_path": str(session.path)}
        hook(box, "UserPromptSubmit", prompt="What is it?", prompt_id="p-1", **path)
        hook(box, "MessageDisplay", delta="I look.", message_id="m", index=0, **path)
        session.work()
        session.add("system", "", subtype="turn_duration")
        eventually(lambda: [s for s in box.history() if s["type"] == "session.turn"])
        assert sorted(told(box)) == [("task_dispatch", "What is it?"), ("text_delta", "I look."),
                                     ("thinking", "Hm, hm.")], told(box)
    session.end()


@test("hooks of a version that tell no answers leave them to the transcript")
def _():
    home = temp_dir()
    session = Session(home, registered=False)
    with Box(env=env(home, SIGNALBOX_TRANSCRIPTS="text")) as box:
        path = {"transcript_path": str(session.path)}
        hook(box, "UserPromptSubmit", prompt="One", prompt_id="p-1", **path)
        hook(box, "Stop", **path)
        eventually(lambda: [s for s in box.history() if (s.get("metadata") or {}).get("hook") == "Stop"])
        session.add("assistant", [{"type": "text", "text": "Two"}])
        eventually(lambda: told(box) == [("task_dispatch", "One"), ("text_delta", "Two")])
    session.end()


@test("words of the first turn are told, too, where its hooks tell none: when it is over")
def _():
    home = temp_dir()
    session = Session(home, registered=False)
    with Box(env=env(home, SIGNALBOX_TRANSCRIPTS="text")) as box:
        path = {"transcript_path": str(session.path)}
        hook(box, "UserPromptSubmit", prompt="One", prompt_id="p-1", **path)
        session.add("assistant", [{"type": "text", "text": "Two"}])
        session.add("assistant", [{"type": "thinking", "thinking": "Hm."}])
        session.add("assistant", [{"type": "text", "text": "Three"}])
        eventually(lambda: ("thinking", "Hm.") in told(box))
        assert not [one for one in told(box) if one[0] == "text_delta"], told(box)
        hook(box, "Stop", **path)
        eventually(lambda: told(box) == [("task_dispatch", "One"), ("thinking", "Hm."), ("text_delta", "Two"),
                                         ("text_delta", "\n\nThree")])
        hook(box, "UserPromptSubmit", prompt="Four", prompt_id="p-2", **path)
        session.add("assistant", [{"type": "text", "text": "Five"}])
        eventually(lambda: [(type, words.strip()) for type, words in told(box)[4:]]
                   == [("task_dispatch", "Four"), ("text_delta", "Five")])
        hook(box, "Stop", **path)
        eventually(lambda: box.request("GET", "/api/crew/s-1").json()["member"]["state"]["name"] == "idle")
    session.end()


@test("words of a turn are told once, where hooks tell them later than the transcript does")
def _():
    home = temp_dir()
    session = Session(home, registered=False)
    with Box(env=env(home, SIGNALBOX_TRANSCRIPTS="text")) as box:
        path = {"transcript_path": str(session.path)}
        hook(box, "UserPromptSubmit", prompt="One", prompt_id="p-1", **path)
        session.add("assistant", [{"type": "text", "text": "Two"}])
        session.add("assistant", [{"type": "thinking", "thinking": "Hm."}])
        eventually(lambda: ("thinking", "Hm.") in told(box))
        hook(box, "MessageDisplay", delta="Two", message_id="m", index=0, **path)
        hook(box, "Stop", **path)
        session.add("assistant", [{"type": "thinking", "thinking": "Oh."}])
        eventually(lambda: ("thinking", "Oh.") in told(box))
        assert [one for one in told(box) if one[0] == "text_delta"] == [("text_delta", "Two")], told(box)
    session.end()


def end_by(box, how):
    box.kill9() if how == "kill" else box.stop()


@test("words of the first turn outlive a box that ends before the turn does, and are told once")
def _():
    for how in ("stop", "kill"):
        home, data = temp_dir(), temp_dir() / "data"
        session = Session(home, registered=False)
        path = {"transcript_path": str(session.path)}
        settings = env(home, SIGNALBOX_TRANSCRIPTS="text")

        def texts(box):
            return [words.strip() for type, words in told(box) if type == "text_delta"]

        with Box(env=settings, data=data) as box:
            hook(box, "UserPromptSubmit", prompt="One", prompt_id="p-1", **path)
            session.add("assistant", [{"type": "text", "text": "Two"}])
            session.add("assistant", [{"type": "thinking", "thinking": "Hm."}])
            session.add("assistant", [{"type": "text", "text": "Three"}])
            session.add("assistant", [{"type": "thinking", "thinking": "Oh."}])
            eventually(lambda: ("thinking", "Oh.") in told(box))
            assert not texts(box), told(box)
            end_by(box, how)
        with Box(env=settings, data=data) as box:
            session.add("assistant", [{"type": "thinking", "thinking": "Ah."}])
            eventually(lambda: ("thinking", "Ah.") in told(box))
            assert not texts(box), told(box)
            end_by(box, how)  # again, and nothing is told yet
        with Box(env=settings, data=data) as box:
            session.add("assistant", [{"type": "text", "text": "Four"}])
            hook(box, "Stop", **path)
            eventually(lambda: texts(box) == ["Two", "Three", "Four"])
            end_by(box, how)
        with Box(env=settings, data=data) as box:
            session.add("assistant", [{"type": "text", "text": "Five"}])
            eventually(lambda: "Five" in texts(box))
            assert texts(box) == ["Two", "Three", "Four", "Five"], told(box)
            assert len([one for one in told(box) if one[0] == "thinking"]) == 3, told(box)
        session.end()


@test("words that were held are told by a box that starts after the session's end")
def _():
    home, data = temp_dir(), temp_dir() / "data"
    session = Session(home, registered=False)
    path = {"transcript_path": str(session.path)}
    settings = env(home, SIGNALBOX_TRANSCRIPTS="text")
    with Box(env=settings, data=data) as box:
        hook(box, "UserPromptSubmit", prompt="One", prompt_id="p-1", **path)
        session.add("assistant", [{"type": "text", "text": "Two"}, {"type": "thinking", "thinking": "Hm."}])
        eventually(lambda: ("thinking", "Hm.") in told(box))
        hook(box, "SessionEnd", reason="other", **path)
        box.kill9()  # it may have heard it, and told, or not
    with Box(env=settings, data=data) as box:
        if ("text_delta", "Two") not in told(box):
            hook(box, "SessionEnd", reason="other", **path)
        eventually(lambda: ("text_delta", "Two") in told(box))
    with Box(env=settings, data=data) as box:
        hook(box, "UserPromptSubmit", prompt="Go on", prompt_id="p-2", **path)
        session.add("assistant", [{"type": "thinking", "thinking": "Oh."}])
        eventually(lambda: ("thinking", "Oh.") in told(box))
        assert [one for one in told(box) if one[0] == "text_delta"] == [("text_delta", "Two")], told(box)
    session.end()


@test("words that were held are told by nobody where hooks tell them after a start, or a person says no")
def _():
    for says_no in (False, True):
        home, data = temp_dir(), temp_dir() / "data"
        session = Session(home, registered=False)
        path = {"transcript_path": str(session.path)}
        with Box(env=env(home), data=data) as box:
            assert ask(box, "text").status == 200
            hook(box, "UserPromptSubmit", prompt="One", prompt_id="p-1", **path)
            session.add("assistant", [{"type": "text", "text": "Two"}])
            session.add("assistant", [{"type": "thinking", "thinking": "Hm."}])
            eventually(lambda: ("thinking", "Hm.") in told(box))
            if says_no:
                assert ask(box, "facts").status == 200
            box.kill9()
        with Box(env=env(home), data=data) as box:
            if not says_no:
                hook(box, "MessageDisplay", delta="Two", message_id="m", index=0, **path)
            hook(box, "Stop", **path)
            session.add("system", "", subtype="turn_duration")
            eventually(lambda: [s for s in box.history() if s["type"] == "session.turn"])
            texts = [one for one in told(box) if one[0] == "text_delta"]
            assert texts == ([] if says_no else [("text_delta", "Two")]), told(box)
        session.end()


@test("a status line alone hides nothing of a session without hooks")
def _():
    home = temp_dir()
    session = Session(home)
    with Box(env=env(home, SIGNALBOX_TRANSCRIPTS="text")) as box:
        status = {"session_id": "s-1", "rate_limits": {"five_hour": {"used_percentage": 7, "resets_at": 1794862800}}}
        subprocess.run([SIGNALBOX, "hook", "--statusline", "--data", str(box.data)], check=True, env=environment(),
                       input=json.dumps(status).encode(), stdout=subprocess.DEVNULL)
        eventually(lambda: [s for s in box.history() if s["type"] == "agent.limits"])
        session.work()
        eventually(lambda: told(box) == WORDS)
    session.end()


@test("words of Codex and Gemini CLI")
def _():
    home = temp_dir()
    folder, chats = home / ".codex/sessions/2026/11/17", home / ".gemini/tmp/shop/chats"
    folder.mkdir(parents=True)
    chats.mkdir(parents=True)

    def item(kind, **payload):
        return json.dumps({"timestamp": now(), "type": kind, "payload": payload}) + "\n"

    def said(role, text):
        return item("response_item", type="message", role=role, content=[{"type": "text", "text": text}])

    answer = {"id": "m2", "timestamp": now(), "type": "gemini", "content": "A file.", "model": "g",
              "thoughts": [{"subject": "x", "description": "Hm."}],
              "toolCalls": [{"id": "c1", "name": "ls", "args": {"path": "/"}, "status": "success", "resultDisplay": "a"}]}
    with Box(env=env(home, SIGNALBOX_TRANSCRIPTS="text")) as box:
        (folder / "rollout-1.jsonl").write_text("".join([
            item("session_meta", id="th-1", cwd="/work"), said("user", "<environment_context>"),
            said("user", "What?"), item("response_item", type="reasoning", summary=[{"text": "Hm."}]),
            item("response_item", type="function_call", name="shell", call_id="c1", arguments='{"cmd":"ls"}'),
            item("response_item", type="function_call_output", call_id="c1", output="a.txt"),
            said("assistant", "A file.")]))
        (chats / "session-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [
            {"sessionId": "ge-1", "startTime": now(), "kind": "main"},
            {"id": "m1", "timestamp": now(), "type": "user", "content": [{"text": "What?"}]}, answer, answer]))
        eventually(lambda: told(box, "th-1") == [
            ("task_dispatch", "What?"), ("thinking", "Hm."), ("tool_call", {"cmd": "ls"}),
            ("tool_result", "a.txt"), ("text_delta", "A file.")])
        eventually(lambda: told(box, "ge-1") == [
            ("task_dispatch", "What?"), ("thinking", "Hm."), ("text_delta", "A file."),
            ("tool_call", {"path": "/"}), ("tool_result", "a")])


run()
