#!/usr/bin/env python3
"""Prompts: any agent asks, the first valid answer wins, and nothing of it is lost."""

import json
import re
import threading
import time

from lib import SLOW, WS, Box, Closed, cli, eventually, run, test

MANY = 10000 // SLOW
RACERS = 8
LINES = 4  # connections of each


def tell(box, run="r", **payload):
    box.emit("prompt", source="me", correlationId=run, payload=payload)


def ask(box, run="r", **payload):
    """The id of a prompt that an agent asks."""
    before = {p["id"] for p in prompts(box)}
    tell(box, run, **payload)
    (new,) = [p for p in prompts(box) if p["id"] not in before]
    return new["id"]


def prompts(box):
    answer = box.request("GET", "/api/prompts")
    assert answer.status == 200, answer
    return answer.json()["prompts"]


def reply(box, prompt, body, **more):
    return box.request("POST", f"/api/prompts/{prompt}/answer", body, **more)


def signals(box, kind):
    return [s for s in box.history() if s["type"] == kind]


@test("a prompt of any agent is there to be answered, once")
def _():
    with Box() as box:
        one = ask(box, id="own#1", type="select", prompt="Which?",
                  options=["a", {"label": "B", "value": 2}], default="a")
        (prompt,) = prompts(box)
        assert prompt == {
            "id": one, "run": "r", "source": "me", "type": "select", "prompt": "Which?",
            "options": [{"label": "a", "value": "a"}, {"label": "B", "value": 2}],
            "default": "a", "state": "open"}, prompt
        assert box.request("GET", "/api/status").json()["prompts"] == {"open": 1}
        for wrong in ("B", "2", 3, None, ["a"]):
            answer = reply(box, one, {"value": wrong})
            assert answer.status == 422 and answer.json()["code"] == "invalid_value", answer
        answer = reply(box, one, {"value": 2, "screen": "kitchen"})
        assert answer.status == 200 and answer.json()["ok"], answer
        assert prompts(box) == []
        late = reply(box, one, {"value": "a"})
        assert late.status == 409 and late.json()["code"] == "already_answered", late
        assert "owner" in late.json()["error"] and "kitchen" in late.json()["error"], late
        (said,) = signals(box, "answer")
        assert said["source"] == "signalbox" and said["correlationId"] == "r", said
        assert said["seq"] == answer.json()["seq"], said
        by = said["payload"].pop("by")
        assert said["payload"] == {"prompt": one, "type": "select", "value": 2}, said
        assert by["user"] == "owner" and by["screen"] == "kitchen" and by["process"], by


@test("a body that makes no sense is refused, and so is who may not answer")
def _():
    with Box() as box:
        one = ask(box, type="text")
        for body in ({}, [], {"value": "a", "cancelled": True}, {"cancelled": False},
                     {"value": "a", "more": 1}, "nonsense"):
            assert reply(box, one, body).status == 400, body
        assert reply(box, "nobody", {"value": "a"}).status == 404
        loopback = reply(box, one, {"value": "a"}, unix=False)
        assert loopback.status == 401 or loopback.status == 403, loopback
        assert reply(box, one, {"value": "x" * 300000}).status == 422
        assert reply(box, one, {"value": "x" * 600000}).status == 413
        assert len(prompts(box)) == 1
        assert reply(box, one, {"cancelled": True}).status == 200
        assert reply(box, one, {"value": "a"}).status == 409


@test("nobody outside says that a prompt is over")
def _():
    with Box() as box:
        one = ask(box, type="text")
        forged = {"type": "answer", "source": "signalbox", "correlationId": "r",
                  "payload": {"prompt": one, "value": "x"}}
        for unix, headers in ((True, None), (False, box.bearer())):
            answer = box.request("POST", "/api/signal", forged, unix=unix, headers=headers)
            assert answer.status == 403, answer
        box.emit({**forged, "source": "me"})
        assert [p["id"] for p in prompts(box)] == [one]


@test("an open prompt is open after a restart, a closed one is closed, by the same ids")
def _():
    for stop in (Box.stop, Box.kill9):
        with Box() as box:
            one = ask(box, type="confirm", prompt="1")
            two = ask(box, type="text", prompt="2")
            three = ask(box, type="multi", prompt="3", options=[1, 2])
            assert reply(box, two, {"value": ""}).status == 200
            before = prompts(box)
            stop(box)
            box.start()
            assert prompts(box) == before
            assert {p["id"] for p in before} == {one, three}
            assert reply(box, two, {"value": "x"}).status == 409
            assert reply(box, three, {"value": [2]}).status == 200
            assert (box.data / "prompt-key").stat().st_mode & 0o777 == 0o600
            (box.data / "prompt-key").chmod(0o644)
            stop(box)
            box.spawn()
            assert box.wait() == 78 and "prompt-key" in box.log(), box.log()


@test("a deadline ends a prompt, also one that passed while the box was away")
def _():
    soon = lambda: int(time.time() * 1000) + 300
    with Box() as box:
        tell(box, type="confirm", default=True, deadline=soon())
        (closed,) = eventually(lambda: signals(box, "prompt.closed"))
        assert closed["payload"]["state"] == "expired" and closed["payload"]["value"] is True
        assert prompts(box) == []
        answer = reply(box, closed["payload"]["prompt"], {"value": False})
        assert answer.status == 410 and answer.json()["code"] == "expired", answer
        tell(box, type="text", deadline=soon())
        box.kill9()
        time.sleep(0.4)
        box.start()
        _, closed = eventually(lambda: len(s := signals(box, "prompt.closed")) == 2 and s)
        assert prompts(box) == []
        assert reply(box, closed["payload"]["prompt"], {"value": ""}).status == 410


@test("an unknown control and an unknown run are told apart")
def _():
    with Box() as box:
        box.emit("text_delta", source="me", correlationId="r", payload={"delta": "x"})
        do = lambda **body: box.request("POST", "/api/control", body)
        assert do(run="r", do="dance").status == 400
        assert do(run="r").status == 400
        assert do(run="r", do="step", n=0).status == 400
        assert do(run="nobody", do="pause").status == 404
        assert do(run="r", do="pause").status in (404, 501)
        assert signals(box, "control") == []


@test("an answer over the native dialect tells the screen it was given at")
def _():
    with Box() as box, WS(box, unix=True) as n:
        n.json()
        for screen, told in (("browser", "browser"), ("", "native"), (7, "native"), (None, "native")):
            one = ask(box, type="confirm")
            more = {} if screen is None else {"screen": screen}
            n.send({"op": "answer", "id": one, "value": True, "ref": 1, **more})
            assert n.json()["op"] == "ack"
            assert signals(box, "answer")[-1]["payload"]["by"]["screen"] == told, screen
            late = reply(box, one, {"value": False})
            assert late.json()["error"].endswith(f"at {told}"), late


@test("the command line shows the whole of what it would allow")
def _():
    options = [{"label": "Allow", "value": "allow", "rule": "Bash(ls:*) in your settings"},
               {"label": "Deny", "value": "deny", "safe": True}]
    with Box() as box:
        on = ("--data", box.data)
        short = ask(box, type="select", options=options, tool="Bash",
                    prompt="Bash: ls\n\n\nrm -rf ~\0\u202e\u200b end", input={"command": "x"})
        shown = cli("prompts", *on).out
        assert "    | rm -rf ~\\u0000\\u202e\\u200b end\n" in shown, shown
        assert '"allow"  Allow - Bash(ls:*) in your settings' in shown, shown
        assert cli("answer", short, "allow", *on).code == 0
        command = "y" * 20000 + "LAST"
        long = ask(box, type="select", options=options, tool="Bash", prompt="Bash: " + command,
                   input={"command": command, "dangerouslyDisableSandbox": True})
        shown = cli("prompts", *on).out
        assert "BYTES MORE THAT ARE NOT SHOWN" in shown and f"signalbox prompts {long}" in shown
        for seen in ((), ("--seen", "00000000")):
            refused = cli("answer", long, "allow", *seen, *on)
            assert refused.code == 1 and "not all of it was shown" in refused.err, refused
        whole = cli("prompts", long[:8], *on).out
        assert "yLAST\n" in whole and "dangerouslyDisableSandbox: true" in whole, whole[-500:]
        word = re.search(r"--seen (\w+) says", whole)[1]
        assert cli("answer", long, "allow", "--seen", word, *on).code == 0
        other = ask(box, type="select", options=options, prompt="z" * 20000)
        refused = cli("answer", other, "allow", *on)
        assert refused.code == 1 and "signalbox open" in refused.err, refused
        assert cli("prompts", "nobody", *on).code == 1
        assert cli("answer", other, "deny", *on).code == 0


@test("the command line lists prompts and answers them")
def _():
    with Box() as box:
        on = ("--data", box.data)
        text = ask(box, type="text", prompt="Name?\n\x1b[31mred")
        one = ask(box, type="confirm", prompt="Go?")
        many = ask(box, type="multi", prompt="Some?", options=["a", "b"])
        shown = cli("prompts", *on)
        assert shown.code == 0 and one in shown.out and "Go?" in shown.out, shown
        assert "\x1b" not in shown.out, shown
        assert json.loads(cli("prompts", "--json", *on).out)[0]["id"] == text
        wrong = cli("answer", one, "maybe", *on)
        assert wrong.code == 1 and "true or false" in wrong.err, wrong
        assert cli("answer", one, "yes", *on).code == 0
        again = cli("answer", one, "no", *on)
        assert again.code == 1 and "already" in again.err, again
        assert cli("answer", many, '["b"]', *on).code == 0
        assert cli("answer", text, "Ada", *on).code == 0
        assert cli("prompts", *on).out.strip() == "no prompt is open"
        said = [s["payload"] for s in signals(box, "answer")]
        assert [s["value"] for s in said] == [True, ["b"], "Ada"], said
        assert said[0]["by"]["screen"] == "cli", said
        three = ask(box, type="text")
        assert cli("answer", three, "--cancel", *on).code == 0
        assert cli("answer", "nobody", "x", *on).code == 1


class Race:
    """Many prompts, answered by everybody at once; one of them wins each."""

    def __init__(self, box):
        self.box = box
        self.won = {}    # prompt -> what the winner said
        self.lock = threading.Lock()
        self.faults = []

    def answer_all(self, ids, racer):
        http = self.box.http()
        try:
            for one in ids:
                said = f"{racer}"
                answer = http.ask("POST", f"/api/prompts/{one}/answer", {"value": said})
                if answer.status == 200:
                    with self.lock:
                        if one in self.won:
                            self.faults.append(f"{one} was won twice")
                        self.won[one] = said
                elif answer.status != 409:
                    self.faults.append(repr(answer))
        except (OSError, Closed):
            pass  # the box is killed under us
        finally:
            http.close()

    def begin(self, ids):
        """Everybody begins elsewhere and goes through all of them, on several lines."""
        self.threads = []
        for racer in range(RACERS):
            first = racer * len(ids) // RACERS
            turned = ids[first:] + ids[:first]
            for line in range(LINES):
                self.threads.append(threading.Thread(target=self.answer_all,
                                                     args=(turned[line::LINES], racer)))
        for thread in self.threads:
            thread.start()

    def end(self):
        for thread in self.threads:
            thread.join()
        assert self.faults == [], self.faults[:5]


def ask_many(box, count):
    lines = "".join(json.dumps({"type": "prompt", "source": "me", "correlationId": "r",
                                "payload": {"id": f"q{i}", "type": "text"}}) + "\n"
                    for i in range(count))
    answer = box.request("POST", "/api/signal", lines,
                         headers={"Content-Type": "application/x-ndjson"})
    assert answer.status == 200 and answer.json()["accepted"] == count, answer
    return [p["id"] for p in prompts(box)]


def answers_in_journal(box):
    """prompt -> every answer that is stored."""
    said = {}
    answer = box.request("GET", "/api/signals?after=0&type=answer&format=ndjson")
    for line in answer.text.splitlines():
        payload = json.loads(line)["payload"]
        said.setdefault(payload["prompt"], []).append(payload["value"])
    return said


@test("eight clients race for ten thousand prompts: each has exactly one answer")
def _():
    with Box() as box:
        race = Race(box)
        asked = 0
        while asked < MANY:
            ids = ask_many(box, min(2500, MANY - asked))
            asked += len(ids)
            race.begin(ids)
            race.end()
        assert len(race.won) == MANY, len(race.won)
        stored = answers_in_journal(box)
        assert {one: [said] for one, said in race.won.items()} == stored


@test("a kill in the middle of the race loses no answer that was acknowledged")
def _():
    with Box() as box:
        race = Race(box)
        ids = ask_many(box, 2000)
        race.begin(ids)
        eventually(lambda: len(race.won) > 200, every=0.001)
        box.kill9()
        race.end()
        first = dict(race.won)
        box.start()
        left = {p["id"] for p in prompts(box)}
        assert not left & set(first), "an answer that was acknowledged is lost"
        race.begin(ids)
        race.end()
        stored = answers_in_journal(box)
        assert set(stored) == set(ids)
        assert all(len(said) == 1 for said in stored.values())
        assert all(stored[one] == [said] for one, said in race.won.items())


run()
