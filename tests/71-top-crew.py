#!/usr/bin/env python3
"""`signalbox top` begins with the crew: who works on what, who waits for me."""

import json
import re
import time

from lib import Box, eventually, run, test
from screens import Pty, Tmux


def hook(box, name, session, project, **more):
    """As `signalbox hook` sends it, but over HTTP."""
    body = {"hook_event_name": name, "session_id": session, "cwd": f"/home/a/{project}",
            "permission_mode": "default", "transcript_path": f"/home/a/{session}.jsonl", **more}
    answer = box.request("POST", "/api/hooks/claude-code", json.dumps(body),
                         {"content-type": "application/json"})
    assert answer.status == 200, answer


def begin(box, session, project):
    hook(box, "SessionStart", session, project, source="startup")
    hook(box, "UserPromptSubmit", session, project, prompt=f"Do {session}\nnow", prompt_id="p")


def ask(box, session, words):
    box.emit("prompt", source="local:claude-code", correlationId=session,
             payload={"type": "confirm", "prompt": words})


class Top(Tmux):
    def __init__(self, box, *args, cols=120, rows=36):
        super().__init__("top", "--data", box.data, *args, cols=cols, rows=rows)

    def __exit__(self, *_):
        super().__exit__()
        time.sleep(0.15)  # so that a box that stops next need not wait for it to close

    def clock(self, state):
        return re.search(rf"{state} +(\d+[smh])", self.text())[1]

    def rows(self):
        """The pane of the crew: the head above it tells of the chosen one, the log below of all."""
        lines = self.text().split("\n")
        top = next((i for i, line in enumerate(lines) if "━ CREW ━" in line or "─ CREW ─" in line), None)
        rows = lines[top + 1:] if top is not None else []
        end = next((i for i, line in enumerate(rows) if line[:1] in "╰┗"), len(rows))
        return "\n".join(rows[:end])

    def lists(self, *words, lacks=()):
        """Waits until the crew has all of these, and none of those."""
        def look():
            rows = self.rows()
            return rows and all(w in rows for w in words) and not any(w in rows for w in lacks)
        eventually(look, every=0.05)

    def order(self, *handles):
        """These stand below one another."""
        def look():
            rows = self.rows()
            at = [rows.find(f" {h} ") for h in handles]
            return -1 not in at and at == sorted(at)
        eventually(look, every=0.05)


@test("three sessions of one agent are three rows, with names, states and clocks that go on")
def _():
    with Box() as box:
        begin(box, "one", "checkout")
        begin(box, "two", "checkout")
        begin(box, "three", "shop")
        hook(box, "PreToolUse", "two", "checkout", tool_name="Bash", tool_use_id="c",
             tool_input={"command": "sleep 3600"})
        hook(box, "Stop", "three", "shop")
        for cols, rows in ((120, 36), (80, 24)):
            with Top(box, cols=cols, rows=rows) as screen:
                screen.shows("┏━ CREW", "2 at work, 1 idle", "Bash sleep 3600", "Do three")
                screen.order("checkout-1", "checkout-2", "shop-1")
                clock = screen.clock("thinking")
                eventually(lambda: screen.clock("thinking") != clock)
        with Top(box) as screen:
            screen.order("checkout-2", "shop-1")
            hook(box, "PostToolUse", "two", "checkout", tool_name="Bash", tool_use_id="c",
                 tool_input={}, tool_response={})
            hook(box, "Stop", "two", "checkout")
            screen.shows("1 at work, 2 idle")
            screen.lists(lacks=("Bash sleep",))
            hook(box, "SessionEnd", "three", "shop", reason="exit")
            screen.lists("1 finished: f shows it", lacks=("shop-1",))
            screen.keys("f")
            screen.lists("shop-1", "finished")


@test("who waits comes first, a goes to its question, and the answer sends it back to work")
def _():
    with Box() as box:
        begin(box, "one", "api")
        begin(box, "two", "web")
        with Top(box) as screen:
            screen.order("api-1", "web-1")
            ask(box, "one", "First?")
            screen.shows("QUESTION", "First?", "api-1 in api")
            time.sleep(0.4)  # keys in the moment in which it appears mean something else
            screen.keys("Escape")
            screen.shows("the question stays open")
            ask(box, "two", "Second?")
            screen.shows("2 wait for you", "First?")
            screen.keys("G", "a")
            screen.shows("┊ Second?", "web-1 in web", lacks=("┊ First?",))
            time.sleep(0.4)
            screen.keys("y")
            screen.shows("1 waits for you, 1 at work", "┊ First?", lacks=("┊ Second?",))
            screen.order("api-1", "web-1")


@test("Enter shows one session alone, Esc all of them, and --session takes a handle")
def _():
    with Box() as box:
        for session, project in (("one", "api"), ("two", "web")):
            begin(box, session, project)
        with Top(box) as screen:
            screen.order("api-1", "web-1")
            screen.keys("j", "Enter")
            screen.shows("web-1", "Do two", "only web-1", lacks=("api-1", "Do one"))
            screen.keys("Escape")
            screen.order("api-1", "web-1")
            screen.type(":watch api-1\n")
            screen.shows("api-1", "Do one", lacks=("web-1", "Do two"))
            screen.keys("C")
            screen.order("api-1", "web-1")
        with Top(box, "--session", "web-1") as screen:
            screen.shows("CREW", "web-1", "Do two", lacks=("api-1",))


@test("a bell rings once for each matter that people are notified of, and not with --no-bell")
def _():
    def rings(count):
        eventually(lambda: (terminal.read(0.05), terminal.bytes.count(b"\a") >= count)[1])
        assert terminal.bytes.count(b"\a") == count, terminal.bytes

    with Box(env={"SIGNALBOX_BUDGET_DAY": "10", "SIGNALBOX_NOTIFY_AFTER": "2s"}) as box:
        begin(box, "one", "api")
        begin(box, "two", "web")
        with Pty("top", "--data", box.data, cols=120, rows=36) as terminal, \
             Pty("top", "--data", box.data, "--no-bell", cols=120, rows=36) as silent:
            for screen in (terminal, silent):
                screen.shows(b"CREW", b"api-1", b"web-1")
            ask(box, "one", "May I?")
            rings(1)
            hook(box, "StopFailure", "two", "web", error="no credit")
            rings(2)
            for prompt in box.request("GET", "/api/prompts").json()["prompts"]:
                box.request("POST", f"/api/prompts/{prompt['id']}/answer", '{"value":true}',
                            {"content-type": "application/json"})
            hook(box, "UserPromptSubmit", "three", "long", prompt="Work", prompt_id="q")
            box.emit({"type": "token_usage", "source": "s", "correlationId": "three",
                      "payload": {"agentId": "a", "promptTokens": 1, "completionTokens": 0, "cost": 50}})
            rings(3)
            time.sleep(2.5)  # of work that is worth a word
            hook(box, "Stop", "three", "long")
            rings(4)
            begin(box, "four", "last")
            for screen in (terminal, silent):
                screen.shows(b"last-1")
            assert terminal.bytes.count(b"\a") == 4, terminal.bytes
            assert b"\a" not in silent.bytes, silent.bytes


run()
