#!/usr/bin/env python3
"""`signalbox top` on a box that lives: runs come and go, questions are asked and answered,
the box goes away and is back, and no key waits for a flood."""

import base64
import json
import re
import shutil
import subprocess
import threading
import time
from urllib.parse import quote

from lib import SIGNALBOX, WS, Box, cli, comment, eventually, run, temp_dir, test
from screens import Pty, Tmux


def agent(box, session="poems"):
    return WS(box, f"/ws/run?role=agent&session={quote(session, safe='')}", unix=True)


def event(name, **data):
    return {"kind": "event", "ts": 1780798849139, "event": name, "data": data}


def begin(worker, words="Write a haiku."):
    worker.send(event("runner/started", **{"session-id": "poems", "chart-id": "tournament"}))
    worker.send({"kind": "phase", "config": ["run", "writing"], "breadcrumb": ["run", "writing"],
                 "siblings": ["planning", "writing", "judging"]})
    worker.send(event("llm/start", invokeid="poet", **{"session-id": "p1"}))
    worker.send(event("llm/user-message", invokeid="poet", text=words, **{"session-id": "p1"}))


def ask(worker, kind, number, words, **opts):
    worker.send({"kind": "prompt", "prompt-id": f"ask#{number}", "invokeid": "poet", "type": kind,
                 "opts": {"prompt": words, **opts}})


class Top(Tmux):
    def __exit__(self, *_):
        super().__exit__()
        time.sleep(0.15)  # so that a box that stops next need not wait for it to close


def top(box, *args, cols=110, rows=30):
    return Top("top", "--data", box.data, *args, cols=cols, rows=rows)


def once(screen, *words):
    """Each of these stands there once: when all is drawn, so it is waited for."""
    eventually(lambda: all(screen.text().count(word) == 1 for word in words), every=0.05)


def answer_of(worker, number):
    """The next answer to that prompt; other frames are passed over."""
    while True:
        frame = worker.json()
        if frame.get("kind") == "answer" and frame["prompt-id"] == f"ask#{number}":
            return frame


def control_of(worker):
    while True:
        frame = worker.json()
        if frame.get("kind") == "control":
            return frame


def choose(screen, *keys):
    """Keys for a question that has just come: it does not take those at once."""
    time.sleep(0.35)
    screen.keys(*keys)


def read_on(screen, words):
    """Page by page, until this is there."""
    def look():
        if words in screen.text():
            return True
        screen.keys("NPage")
        return False

    eventually(look, every=0.05)


# --- watching ----------------------------------------------------------------


@test("a run is on the screen as it goes, and its phase with it")
def _():
    with Box() as box, agent(box) as worker:
        begin(worker)
        with top(box) as screen:
            screen.shows("box · connected", "tournament", "run › writing", "Write a haiku.")
            worker.send(event("llm/delta", invokeid="poet", type="text-delta", text="first snow",
                              **{"session-id": "p1"}))
            screen.shows("first snow")
            screen.keys("q")
            screen.shows("ended 0")
        with Top("top", "--url", f"http://127.0.0.1:{box.port}", "--token-file", box.data / "token",
                 cols=110, rows=30) as screen:
            screen.shows("box · connected", "first snow")
            screen.keys("p")
            assert control_of(worker)["op"] == "pause"


@test("--session shows one run alone, and :watch another")
def _():
    with Box() as box, agent(box, "one") as one, agent(box, "two") as two:
        one.send(event("odd/one", word="apples"))
        two.send(event("odd/two", word="pears"))
        with top(box, "--session", "one") as screen:
            screen.shows("apples", lacks=("pears",))
            screen.keys(":")
            screen.type("watch two\n")
            screen.shows("pears", lacks=("apples",))
            screen.keys(":")
            screen.type("watch\n")
            screen.shows("pears", "apples")
            screen.keys(":")
            screen.type("nonsense\n")
            screen.shows("there is no command nonsense")


@test("--once --json is the state, for scripts")
def _():
    with Box() as box, agent(box) as worker:
        begin(worker)
        ask(worker, "text", 1, "Which season?")
        eventually(lambda: box.request("GET", "/api/prompts").json()["prompts"])

        def state(*args):
            result = cli("top", "--data", box.data, "--once", "--json", *args)
            assert result.code == 0 or "no such run" in result.err, result
            return json.loads(result.out) if result.code == 0 else {}

        eventually(lambda: state("--session", "poems").get("invocations"))
        everything = state()
        assert set(everything) == {"crew", "runs", "prompts", "sources"}, everything
        assert [p["prompt"] for p in everything["prompts"]] == ["Which season?"], everything
        assert [r["id"] for r in everything["runs"]] == ["poems"], everything
        result = cli("top", "--data", box.data, "--once", "--json", "--session", "nobody")
        assert result.code == 1 and result.out == "" and result.err, result
    for args in (("--session", ""), ("--timing", "paced")):
        assert cli("top", "--data", box.data, *args).code == 2, args
    result = cli("top", "--data", box.data)
    assert result.code == 1 and result.err and result.out == "", result


@test("when the box goes away it is waited for, and no line comes twice")
def _():
    box = Box()
    with box:
        worker = agent(box)
        begin(worker)
        for number in range(5):
            worker.send(event("odd/thing", word=f"before{number}."))
        with top(box) as screen:
            screen.shows("before4.")
            for end in (box.stop, box.kill9):
                worker.wire.close()
                end()
                screen.shows("away, again in")
                box.start()
                worker = agent(box)
                worker.send(event("odd/thing", word=f"after-{end.__name__}."))
                screen.shows("connected", f"after-{end.__name__}.")
                once(screen, "before4.", f"after-{end.__name__}.")
            once(screen, "after-stop.")
        worker.wire.close()


# --- questions ----------------------------------------------------------------


@test("text is asked, typed and answered, with all that one types")
def _():
    with Box() as box, agent(box) as worker, top(box) as screen:
        begin(worker)
        ask(worker, "text", 1, "Which season?\nOne word.")
        screen.shows("QUESTION", "Which season?", "One word.", "poems")
        choose(screen)
        screen.type("wintre")
        screen.keys("BSpace", "BSpace")
        screen.type("er ☃")
        screen.shows("> winter ☃")
        screen.keys("Enter")
        assert answer_of(worker, 1)["value"] == "winter ☃"
        screen.shows("LOG", lacks=("QUESTION",))
        ask(worker, "text", 2, "Again?", default="as before")
        screen.shows("QUESTION", "as before")
        choose(screen, "Enter")
        assert answer_of(worker, 2)["value"] == "as before"
        ask(worker, "text", 3, "And again?")
        screen.shows("And again?")
        choose(screen, "C-x")
        screen.shows("Ctrl-X again tells the agent")
        screen.keys("C-x")
        assert answer_of(worker, 3).get("cancelled") is True
        screen.shows("LOG", lacks=("QUESTION",))


@test("one of several, several of several, yes and no")
def _():
    options = [{"label": "Spring", "value": "s"}, "summer", 3]
    with Box() as box, agent(box) as worker, top(box) as screen:
        begin(worker)
        for number, (kind, opts, keys, value) in enumerate((
                ("select", {"options": options}, ("j", "Down", "Down", "Enter"), 3),
                ("select", {"options": options, "default": 3}, ("Enter", "Right", "Enter"), "s"),
                ("multi", {"options": options}, ("k", "Space", "g", "k", "k", "Space",
                                                 "Enter"), ["s", 3]),
                ("confirm", {"default": True}, ("Enter", "y"), True),
                ("confirm", {"default": False}, ("Enter",), False),
        )):
            ask(worker, kind, number, f"Question {number}?", **opts)
            screen.shows(f"Question {number}?", "QUESTION")
            choose(screen, *keys)
            got = answer_of(worker, number)["value"]
            assert got == value, (number, got)
            screen.shows("LOG", lacks=("QUESTION",))


@test("Esc leaves a question open, and all other keys work meanwhile")
def _():
    with Box() as box, agent(box) as worker, top(box) as screen:
        begin(worker)
        ask(worker, "text", 1, "Which season?")
        screen.shows("┏━ QUESTION")
        choose(screen, "Escape")
        screen.shows("the question stays open", "╭─ QUESTION", "Which season?")
        screen.keys("Escape", "Escape", "i")
        screen.shows("INSPECTOR")
        screen.keys("Escape", "p")
        assert control_of(worker)["op"] == "pause"
        assert len(box.request("GET", "/api/prompts").json()["prompts"]) == 1
        screen.keys("Tab")
        screen.shows("┏━ QUESTION")
        screen.type("winter\n")
        assert answer_of(worker, 1)["value"] == "winter"


@test("a tool is allowed only after all of what it does was on the screen")
def _():
    command = "ls" + "\n" * 60 + "rm -rf ~\0\u202e hidden"
    options = [{"label": "Allow", "value": "allow"},
               {"label": "Deny", "value": "deny", "safe": True}]
    with Box() as box, top(box) as screen:
        screen.shows("connected")

        def prompt(words, **more):
            box.emit("prompt", source="tools", correlationId="r1", payload={
                "type": "select", "prompt": words, "options": options, "default": "allow", **more})
            return eventually(lambda: box.request("GET", "/api/prompts").json()["prompts"])[0]

        prompt("Bash: " + command)
        screen.shows("QUESTION", "┊ Bash: ls", "of 61 · PgDn PgUp", "not shown yet", " ▸ Deny",
                     lacks=("rm -rf",))
        choose(screen, "k", "Enter")
        screen.shows("were not shown yet: PgDn reads on", " ▸ Allow")
        read_on(screen, "rm -rf ~\\u0000\\u202e hidden")
        screen.keys("Enter")
        screen.shows("LOG", lacks=("QUESTION",))
        answers = box.history("&type=answer")
        assert [a["payload"]["value"] for a in answers] == ["allow"], answers

        prompt("Bash: " + "x" * 20000, tool="Bash", input={"command": "x" * 20000})
        screen.shows("QUESTION", " ▸ Deny", "Open the page (signalbox open)", lacks=("Allow",))
        choose(screen, "j", "Enter")
        screen.shows("refused: nothing was answered: `signalbox open` opens the page", "QUESTION")
        assert len(box.request("GET", "/api/prompts").json()["prompts"]) == 1
        screen.shows(" ▸ Deny")
        choose(screen, "Enter")
        screen.shows("LOG", lacks=("QUESTION",))
        answers = box.history("&type=answer")
        assert [a["payload"]["value"] for a in answers] == ["allow", "deny"], answers


@test("what somebody else answered is closed, and says who it was")
def _():
    with Box() as box, agent(box) as worker, top(box) as one, top(box) as other:
        begin(worker)
        ask(worker, "confirm", 1, "Go on?")
        one.shows("Go on?")
        other.shows("Go on?")
        choose(one, "y")
        assert answer_of(worker, 1)["value"] is True
        other.shows("answered by", lacks=("QUESTION",))
        one.shows("LOG", lacks=("QUESTION",))
        ask(worker, "text", 2, "First?")
        ask(worker, "text", 3, "Second?")
        one.shows("First?", "1 of 2")
        prompts = box.request("GET", "/api/prompts").json()["prompts"]
        first = next(p["id"] for p in prompts if p["prompt"] == "First?")
        assert cli("answer", "--data", box.data, first, "x").code == 0
        assert answer_of(worker, 2)["value"] == "x"
        one.shows("Second?", lacks=("First?",))


@test("what the agent did is said and stays in the log, whoever answered")
def _():
    asked = {"session_id": "s", "transcript_path": "/t", "cwd": "/", "permission_mode": "default",
             "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    with Box() as box, top(box) as screen:
        screen.shows("connected")
        hook = subprocess.Popen([SIGNALBOX, "hook", "--data", box.data, "--decide"], text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        hook.stdin.write(json.dumps(asked))
        hook.stdin.close()
        screen.shows("QUESTION")
        done = {**asked, "hook_event_name": "PostToolUse", "tool_use_id": "t", "tool_response": {}}
        assert box.request("POST", "/api/hooks/claude-code", done).status == 200
        assert hook.stdout.read().strip() in ("", "{}") and hook.wait(60) == 0
        screen.shows("⚠ it was decided there: allow")
        assert "QUESTION" not in screen.text()


@test("a question that was answered while the line was broken is gone afterwards")
def _():
    box = Box()
    with box:
        worker = agent(box)
        begin(worker)
        ask(worker, "text", 1, "Still there?")
        with top(box) as screen:
            screen.shows("Still there?")
            box.kill9()
            worker.wire.close()
            screen.shows("away, again in")
            box.start()
            away, box.sock = box.sock, box.sock.with_name("elsewhere")
            away.rename(box.sock)  # the screen does not find it there, unless it was quick
            prompt = box.request("GET", "/api/prompts").json()["prompts"][0]
            answer = box.request("POST", f"/api/prompts/{prompt['id']}/answer", {"value": "no"})
            assert answer.status == 200, answer
            box.sock.rename(away)
            box.sock = away
            screen.shows("connected", "LOG", lacks=("QUESTION",))


@test("a question outlives the box, and what was typed too")
def _():
    box = Box()
    with box:
        worker = agent(box)
        begin(worker)
        ask(worker, "text", 1, "Still there?")
        with top(box) as screen:
            screen.shows("Still there?")
            choose(screen)
            screen.type("half an ans")
            box.kill9()
            screen.shows("away, again in")
            box.start()
            worker.wire.close()
            worker = agent(box)
            screen.shows("connected", "Still there?", "half an ans")
            screen.type("wer\n")
            assert answer_of(worker, 1)["value"] == "half an answer"
            screen.shows("LOG", lacks=("QUESTION",))
        worker.wire.close()


# --- control --------------------------------------------------------------------


@test("keys steer the run, and Ctrl-C ends only one's own without a word")
def _():
    with Box() as box, agent(box) as worker:
        begin(worker)
        with top(box, "--session", "poems") as screen:
            screen.shows("connected", "Write a haiku.")
            for key, op in (("p", "pause"), ("s", "step"), ("c", "continue"), ("P", "arm")):
                screen.keys("Escape", key)
                assert control_of(worker)["op"] == op
            screen.keys(":")
            screen.type("step 3\n")
            frame = control_of(worker)
            assert (frame["op"], frame["n"]) == ("step", 3), frame
            worker.send({"kind": "debug", "paused": True, "step-budget": 2})
            screen.shows("PAUSED  (step-budget 2)")
            screen.keys("C-c")
            assert control_of(worker)["op"] == "ui-quit"
            screen.shows("ended 0")
        with top(box) as screen:
            screen.shows("connected", "agent-poems-1", "Write a haiku.")
            screen.keys("C-c")
            screen.shows("Ctrl-C again ends agent-poems-1")
            screen.keys("q")
            screen.shows("ended 0")
        with top(box) as screen:
            screen.shows("connected", "agent-poems-1", "Write a haiku.")
            screen.keys("C-c")
            screen.shows("Ctrl-C again ends agent-poems-1")
            screen.keys("C-c")
            assert control_of(worker)["op"] == "ui-quit"
            screen.shows("ended 0")


@test("an interrupt names its run and asks, and Esc is none")
def _():
    with Box() as box, agent(box) as worker, top(box) as screen:
        begin(worker)
        screen.shows("connected", "agent-poems-1", "Write a haiku.")
        screen.keys("Escape", "Escape", "x")
        screen.shows("Interrupt agent-poems-1?  y does it")
        with agent(box, "other") as other:
            other.send(event("odd/thing", word="last!"))
            screen.shows("last!", "Interrupt agent-poems-1?")
            screen.keys("y")
            assert control_of(worker)["op"] == "ui-interrupt"
            other.send(event("odd/thing", word="again!"))
            screen.shows("again!")
            screen.keys("Tab", "x")  # outside the crew, the run that spoke last
            screen.shows("Interrupt ", "other")
            screen.keys("Escape")
            screen.shows("LOG", lacks=("Interrupt ",))
            screen.keys("p")
            assert control_of(other)["op"] == "pause"  # and nothing before it


@test("Ctrl-C tells a run that is finished and waits for it")
def _():
    for one in ((), ("--session", "poems")):
        with Box() as box, agent(box) as worker, top(box, *one) as screen:
            begin(worker)
            worker.send({"kind": "control", "op": "run-finished", "final-config": "[:done]"})
            screen.shows("Run finished — press Ctrl-C to quit" if one else "1 finished: f shows it")
            screen.keys("C-c")
            assert control_of(worker)["op"] == "ui-quit"
            screen.shows("ended 0")


@test("what cannot be done is said, and not sent")
def _():
    with Box() as box, top(box) as screen:
        screen.shows("connected")
        screen.keys("p")
        screen.shows("there is no run to pause")
        box.emit("text_delta", source="loner", correlationId="r1", payload={"text": "hello"})
        screen.shows("connected", "loner-1")
        for key, word in (("p", "pause"), ("x", "interrupt")):
            screen.keys(key)
            screen.shows(f"loner-1: its source cannot {word} it now")
        assert not box.history("&type=control")


# --- looking closer ----------------------------------------------------------------


@test("the transcript has what was sent and replied, and is copied")
def _():
    with Box() as box, agent(box) as worker, top(box) as screen:
        begin(worker, "Write of snow.")
        worker.send(event("llm/request", invokeid="poet", **{
            "session-id": "p1", "system-preview": "You are a poet.",
            "user-blocks": [{"type": "text", "text": "Write of snow."}]}))
        worker.send(event("llm/delta", invokeid="poet", type="text-delta", text="White, ",
                          **{"session-id": "p1"}))
        screen.shows("└ poet", "White, ")
        screen.keys("Tab", "Enter")
        screen.shows("TRANSCRIPT", "SENT  user", "SENT  system (15 chars)", "White, ▏")
        once(screen, "┊ Write of snow.")
        worker.send(event("llm/response", invokeid="poet", **{
            "session-id": "p1", "stop-reason": "end_turn", "output-tps": 12.5,
            "usage": {"input-tokens": 7, "output-tokens": 9},
            "content": [{"type": "thinking", "thinking": "Cold words."},
                        {"type": "text", "text": "White, whiter\nthan before"},
                        {"type": "tool_use", "name": "save", "input": {"as": "haiku.txt"}}]}))
        worker.send(event("llm/tool-result", invokeid="poet", tool="save",
                          **{"session-id": "p1", "content-preview": "26 bytes"}))
        screen.shows("REPLY assistant · end_turn · in:7 out:9 · 12.5 t/s", "thinking: Cold words.",
                     "than before", '⚙ save {:as "haiku.txt"}', "SENT  tool save", "26 bytes",
                     lacks=("▏",))
        screen.keys("h")
        screen.shows("LIVE", lacks=("TRANSCRIPT",))


@test("a copy goes to the terminal's clipboard")
def _():
    with Box() as box, agent(box) as worker:
        begin(worker)
        worker.send(event("llm/response", invokeid="poet", **{
            "session-id": "p1", "content": [{"type": "text", "text": "white \033]52;c;eA==\007"}]}))
        with Pty("top", "--data", box.data, cols=110, rows=30) as terminal:
            terminal.shows(b"resp stop", b"CREW")
            terminal.send(b"\t\n")  # of who works, not of the sessions
            terminal.shows(b"TRANSCRIPT")
            terminal.send(b"y")
            terminal.shows(b"\033]52;c;")
            eventually(lambda: terminal.read(0.05) or re.search(
                rb"\033\]52;c;([A-Za-z0-9+/=]+)(\007|\033\\)", terminal.bytes))
            copied = re.search(rb"\033\]52;c;([A-Za-z0-9+/=]+)", terminal.bytes)[1]
            assert base64.b64decode(copied).startswith(b"white "), copied


@test("the inspector has four pages and the help, and drills in")
def _():
    with Box() as box, agent(box) as worker, top(box) as screen:
        begin(worker)
        worker.send(event("runner/event-processed", **{
            "event-name": "llm.idle", "config-before": ["run", "planning"],
            "config-after": ["run", "writing"],
            "event-data": {"output-ref": "nodes/a/output.edn"}}))
        screen.shows("llm.idle", "agent-poems-1")
        for key, words in (("1", ("agent-poems-1 › poet", "thinking", "p1")),
                           ("2", ("◉ writing", "○ judging", 'llm.idle  ["run" "planning"] → ')),
                           ("3", ("breadcrumb    run writing", "box · connected", "0 open")),
                           ("4", ("nodes/a/output.edn",)),
                           ("?", (":signals", "all signals, as they come"))):
            screen.keys(key)
            screen.shows("INSPECTOR", *words)
        screen.keys("G")
        screen.shows(":watch", "Ctrl-X twice", lacks=(":focus",))
        screen.keys("1", "Enter")
        screen.shows("TRANSCRIPT", "Write a haiku.")
        screen.keys("BSpace")
        screen.shows("INSPECTOR")
        screen.keys("Escape")
        screen.shows("LOG", lacks=("INSPECTOR",))
        screen.keys("Tab")  # among the sessions a is another key
        for key, word in (("i", "poet"), ("v", "breadcrumb"), ("a", "output.edn"), ("?", ":focus")):
            screen.keys(key)
            screen.shows("INSPECTOR", word)
            screen.keys("Escape")
            screen.shows("LOG", lacks=("INSPECTOR",))


@test("sources and signals have views of their own, which can be filtered")
def _():
    with Box(["--demo"]) as box, top(box) as screen:
        for number in range(3):
            box.emit("odd_type", source="mine", payload={"word": f"old{number}."})
        screen.shows("connected")
        screen.keys("S")
        screen.shows("SOURCES", "demo")
        screen.keys("Enter")
        screen.shows("DETAIL", '"protocol"')
        screen.keys("h", "Escape")
        screen.keys("L")
        screen.shows("SIGNALS", "old2.")
        box.emit("odd_type", source="mine", payload={"word": "fresh."})
        screen.keys("/")
        screen.type("odd_type")
        screen.shows("/odd_type", "fresh.", lacks=("task_dispatch",))
        once(screen, "old2.", "fresh.")
        screen.keys("Enter", "k", "Enter")
        screen.shows("DETAIL", '"word": "old2."')
        screen.keys("Escape", "G")
        box.emit("odd_type", source="mine", payload={"word": "freshest."})
        screen.shows("SIGNALS", "freshest.")
        screen.keys("/", "C-u", "Enter", "Escape")
        screen.shows("LOG", lacks=("SIGNALS", "/odd_type"))


@test("after a restored backup neither signals nor events are mixed with those that are lost")
def _():
    box = Box()
    with box, agent(box) as worker:
        begin(worker)
        worker.send(event("odd/thing", word="kept."))
        box.emit("odd_type", source="mine", payload={"word": "kept-signal."})
    backup = temp_dir() / "backup"
    shutil.copytree(box.data, backup)
    box.start()
    with top(box, rows=40) as screen:
        screen.shows("connected", "kept.")
        with agent(box) as worker:
            worker.send(event("odd/thing", word="lost-event."))
            screen.shows("lost-event.")
            screen.keys("L")
            screen.shows("SIGNALS", "kept-signal.")
            for number in range(5):
                box.emit("odd_type", source="mine", payload={"word": f"lost-{number}."})
            screen.shows("lost-4.")
        box.stop()
        shutil.rmtree(box.data)
        shutil.copytree(backup, box.data)
        box.start()
        with agent(box) as worker:
            worker.send(event("odd/thing", word="anew-event."))
            box.emit("odd_type", source="mine", payload={"word": "anew."})
            screen.shows("SIGNALS", "kept-signal.", "anew.", lacks=("lost-0.", "lost-4."))
            once(screen, "kept-signal.", "anew.")
            screen.keys("Escape")
            screen.shows("LOG", "kept.", "anew-event.", lacks=("lost-event.",))
    box.stop()


@test("the list of sources says what went wrong last, such as hooks that were lost")
def _():
    home = temp_dir()
    (home / ".claude").mkdir()
    with Box(env={"HOME": str(home)}) as box, top(box) as screen:
        screen.shows("connected")
        box.request("POST", "/api/discover/rescan")
        screen.keys("S")
        screen.shows("SOURCES", "Claude Code")
        (box.data / "spool.lost").write_text("..")
        screen.shows("2 payloads of hooks were lost")


@test("a filter is for the log too, and Escape takes it back")
def _():
    with Box() as box, agent(box) as worker, top(box) as screen:
        for word in ("apples", "pears"):
            worker.send(event("odd/thing", word=word))
        screen.shows("apples", "pears")
        screen.keys("/")
        screen.type("APP")
        screen.shows("apples", lacks=("pears",))
        screen.keys("Escape")
        screen.shows("apples", "pears")


# --- what must never happen -----------------------------------------------------------


@test("neither a question nor a transcript can draw what is not there")
def _():
    evil = "┏━ QUESTION ━┓\n\033[2J\033[1;1Hfake\u202e\x9b5m"
    with Box() as box, agent(box, "evil") as worker:
        worker.send(event("llm/user-message", invokeid=evil, text=evil, **{"session-id": evil}))
        worker.send(event("llm/response", invokeid=evil, **{"content": [
            {"type": "text", "text": evil}, {"type": "tool_use", "name": evil, "input": {evil: evil}}],
            "stop-reason": evil}))
        ask(worker, "select", 1, evil, options=[{"label": evil, "value": "v"}, evil])
        box.emit(evil, source=evil, payload={"x": evil})
        with Pty("top", "--data", box.data, cols=110, rows=40) as terminal:
            terminal.shows(b"connected", b"QUESTION", b"fake")
            time.sleep(0.4)
            terminal.forget()
            terminal.send(b"j\n")  # answered
            terminal.shows(b"Enter open")
            for keys in (b"\n", b"\033", b"1", b"\n", b"q", b"4", b"q", b"S", b"\033", b"L", b"\n",
                         b"q", b"\033"):
                terminal.send(keys)
                terminal.read(0.15)
            terminal.send(b"q")
            assert terminal.ends() == 0
            assert b"\033[2J\033[1;1H" not in terminal.bytes
            assert b"\xc2\x9b" not in terminal.bytes and b"\xe2\x80\xae" not in terminal.bytes
        with top(box) as screen:
            screen.shows("connected", "CREW", "fake")
            screen.keys("Tab", "Enter")
            text = screen.shows("TRANSCRIPT", "┃┊ ┏━ QUESTION", "fake", lacks=(" LOG ",))
            for line in text.split("\n"):  # a frame of ours begins at the edge
                assert not line.startswith("┏━ QUESTION"), text


@test("ten thousand signals a second do not stand between a key and the screen")
def _():
    waits, stop = [], threading.Event()
    with Box() as box:
        def flood():
            with WS(box, "/ws", unix=True) as emitter:
                emitter.json()
                began, sent = time.monotonic(), 0
                while not stop.is_set():
                    for _ in range(100):
                        emitter.send({"type": "text_delta" if sent % 4 else "odd_type",
                                      "source": f"s{sent % 5}", "correlationId": f"r{sent % 5}",
                                      "payload": {"text": f"word{sent} " + "x" * 120}})
                        sent += 1
                    ahead = sent / 10000 - (time.monotonic() - began)
                    if ahead > 0:
                        time.sleep(ahead)
                took.append(sent / (time.monotonic() - began))

        took = []
        with Pty("top", "--data", box.data, cols=120, rows=40) as terminal:
            terminal.shows(b"connected")
            sender = threading.Thread(target=flood)
            sender.start()
            try:
                terminal.shows(b"odd_type", b"next that waits")
                for _ in range(15):
                    # Of the footer, by who has the keys.
                    for word in (b"transcript", b"scroll", b"answer"):
                        while terminal.read():
                            pass
                        terminal.forget()
                        started = terminal.busy_s()
                        terminal.send(b"\t")
                        terminal.shows(word)
                        waits.append(terminal.busy_s() - started)
            finally:
                stop.set()
                sender.join()
            terminal.send(b"q")
            assert terminal.ends() == 0
    waits.sort()
    comment(f"at {took[0]:.0f} signals/s: key to screen {waits[15] * 1000:.1f} ms of work, "
            f"at most {waits[-1] * 1000:.1f}")
    assert waits[15] < 0.25, waits


run()
