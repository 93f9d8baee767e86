#!/usr/bin/env python3
"""Attention: a person is told once of each matter, by screens and by a command of theirs."""

import json
import time

from lib import WS, Box, eventually, run, temp_dir, test

OPUS = "claude-opus-5-5"


def hook(box, name, session, **more):
    body = {"hook_event_name": name, "session_id": session, "cwd": "/home/a/checkout",
            "permission_mode": "default", "transcript_path": f"/home/a/{session}.jsonl", **more}
    answer = box.request("POST", "/api/hooks/claude-code", json.dumps(body),
                         {"content-type": "application/json"})
    assert answer.status == 200, answer


def begin(box, session):
    hook(box, "SessionStart", session, source="startup")
    hook(box, "UserPromptSubmit", session, prompt=f"Do {session}", prompt_id="p")


def ask(box, session, words):
    return box.emit("prompt", correlationId=session, source="local:claude-code",
                    payload={"type": "confirm", "prompt": words})


def watch(box):
    """A client that hears of matters; gives it and those that stand."""
    ws = WS(box)
    ws.json()
    ws.send({"op": "subscribe", "after": 0, "types": ["none"], "matters": True})
    first = ws.json()
    assert first["op"] == "matters", first
    return ws, first["all"]


def spend(box, tokens):
    box.emit({"type": "token_usage", "source": "s", "correlationId": "m", "payload": {
        "agentId": "a", "promptTokens": tokens, "completionTokens": 0, "model": OPUS}})


class Command:
    """A command of a user's that notes what it is told, a line of JSON each."""

    def __init__(self):
        self.dir = temp_dir()
        self.notes = self.dir / "notes"
        script = self.dir / "note"
        script.write_text("#!/usr/bin/env python3\n"
                          "import json, os, sys\n"
                          "words = sys.stdin.read()\n"
                          "line = json.dumps([sys.argv[1:], words, os.environ['SIGNALBOX_MATTER']])\n"
                          f"open({str(self.notes)!r}, 'a').write(line + '\\n')\n")
        script.chmod(0o700)
        self.env = {"SIGNALBOX_NOTIFY_COMMAND": f"{script},an argument; $HOME"}

    def told(self):
        if not self.notes.exists():
            return []
        return [json.loads(line) for line in self.notes.read_text().splitlines()]

    def words(self):
        return sorted(words for _, words, _ in self.told())


@test("a question is told once, to screens and the command, and settled when it is answered elsewhere")
def _():
    command = Command()
    with Box(env=command.env) as box:
        ws, standing = watch(box)
        assert standing == [], standing
        begin(box, "one")
        ask(box, "one", "May I\x1b[31m run it?\nReally?")
        raised = ws.json()
        assert raised["op"] == "matters" and raised["settled"] == [], raised
        matter = raised["raised"][0]
        assert matter["title"] == "checkout-1 waits for you", matter
        assert matter["words"] == "May I\\u001b[31m run it?…", matter
        assert (matter["kind"], matter["handle"], matter["project"], matter["session"]) == \
            ("asks", "checkout-1", "checkout", "one"), matter
        prompt = box.request("GET", "/api/prompts").json()["prompts"][0]["id"]
        assert matter["prompt"] == prompt and matter["id"] == f"asks-{prompt}", matter
        assert watch(box)[1] == [matter]
        (argv, words, facts), = eventually(command.told)
        assert argv == ["an argument; $HOME"], argv
        assert words == "checkout-1 waits for you: May I\\u001b[31m run it?…\n", words
        assert json.loads(facts) == matter, facts
        answer = box.request("POST", f"/api/prompts/{prompt}/answer", '{"value":true}',
                             {"content-type": "application/json"})
        assert answer.status == 200, answer
        assert ws.json()["settled"] == [matter["id"]]
        assert watch(box)[1] == []
        assert len(command.told()) == 1


@test("what stood before the start is not told again, and what comes then is")
def _():
    command = Command()
    with Box(env=command.env) as box:
        begin(box, "one")
        ask(box, "one", "The first?")
        hook(box, "StopFailure", "two", error="overloaded")
        eventually(lambda: len(command.told()) == 2)
        before = {m["id"] for m in watch(box)[1]}
        for stop in (box.stop, box.kill9):
            stop()
            box.start()
            eventually(lambda: {m["id"] for m in watch(box)[1]} == before)
        ask(box, "one", "The second?")
        eventually(lambda: len(command.told()) == 3)
        assert command.words() == ["checkout-1 waits for you: The first?\n",
                                   "checkout-1 waits for you: The second?\n",
                                   "checkout-2 failed: overloaded\n"], command.words()


@test("work that took long is told when it is done, and settled by the next; short work is not")
def _():
    with Box(env={"SIGNALBOX_NOTIFY_AFTER": "2s"}) as box:
        ws, _ = watch(box)
        begin(box, "quick")
        hook(box, "Stop", "quick")
        begin(box, "long")
        time.sleep(2.5)
        hook(box, "Stop", "long")
        matter = ws.json()["raised"][0]
        assert matter["kind"] == "finished" and matter["handle"] == "checkout-2", matter
        assert matter["title"].startswith("checkout-2 is done after ") and matter["words"] == "Do long"
        hook(box, "UserPromptSubmit", "long", prompt="Go on", prompt_id="q")
        assert ws.json()["settled"] == [matter["id"]]


@test("a budget that is passed is told once, and not again after a restart")
def _():
    command = Command()
    with Box(env={**command.env, "SIGNALBOX_BUDGET_DAY": "10"}) as box:
        spend(box, 1_000_000)
        ws, standing = watch(box)
        assert standing == [], standing
        spend(box, 2_000_000)
        matter = ws.json()["raised"][0]
        assert matter["kind"] == "budget" and matter["words"] == "$12.00 of $10.00", matter
        eventually(command.told)
        spend(box, 2_000_000)
        box.restart()
        assert [m["id"] for m in watch(box)[1]] == [matter["id"]]
        ask(box, "m", "Go on?")
        eventually(lambda: len(command.told()) == 2)
        assert command.words()[0] == "The budget of the day is passed: $12.00 of $10.00\n"


@test("the settings are read again while it runs, and a bad one is refused")
def _():
    command = Command()
    path = temp_dir() / "signalbox.yaml"
    path.write_text("notify:\n  after: 1h\n")
    with Box(args=("--config", str(path))) as box:
        script = command.env["SIGNALBOX_NOTIFY_COMMAND"].split(",")[0]
        path.write_text(f"notify:\n  command: [{script}, more]\nbudget: {{day: 1}}\n")
        spend(box, 2_000_000)
        box.process.send_signal(1)
        eventually(command.told)
        assert command.told()[0][0] == ["more"], command.told()
        assert "$8.00 of $1.00" in command.words()[0], command.words()
        path.write_text("notify: {after: soon}\n")
        box.process.send_signal(1)
        eventually(lambda: "all stays as it was" in box.log())
        path.write_text("notify: {command: ['']}\n")


@test("a client that says matters wrongly is told so")
def _():
    with Box() as box:
        ws = WS(box)
        ws.json()
        ws.send({"op": "subscribe", "matters": 1})
        assert ws.json()["code"] == "invalid"


if __name__ == "__main__":
    run()
