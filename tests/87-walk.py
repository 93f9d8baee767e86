#!/usr/bin/env python3
"""The walk of an answer from screen to agent enters box at most twice: rooms hand it to one another.

The program that runs here notes every function of box that is called, and by whom.  A call from
box itself does not enter it.  What every client and every signal brings about (a connection is
counted, a turn ends, the disk has it, the stage plays it) is no part of the walk."""

import subprocess
from pathlib import Path

import lib
from gateway import Gateway, connected
from lib import SIGNALBOX, WS, Box, Http, eventually, request_bytes, run, temp_dir, test

MOST = 2
CLOCKS = {"tick", "tell_changed", "each_question"}  # come by a clock, whoever walks: the news of sessions, too
ENTERED = Path(SIGNALBOX).parent / "tests" / "signalbox-entered"
lib.SIGNALBOX = str(ENTERED)


def functions():
    """Where each function of the program is: (first, behind the last, name)."""
    said = subprocess.run(["nm", "-S", ENTERED], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in said.splitlines()]
    return [(int(r[0], 16), int(r[0], 16) + int(r[1], 16), r[3])
            for r in rows if len(r) == 4 and r[2] in "tT"]


FUNCTIONS = functions()


def name_at(address):
    return next((row for row in FUNCTIONS if row[0] <= address < row[1]), (None, None, "?"))


class Notes:
    def __init__(self):
        self.path = temp_dir() / "entered"
        self.path.write_text("")
        self.of_box = set()

    def clear(self):
        self.read()
        self.path.write_text("")

    def read(self):
        """Which functions of box others called, in their order."""
        calls = [[int(word, 16) for word in line.split()] for line in self.path.read_text().splitlines()]
        self.of_box |= {function for function, _ in calls}
        names = [name_at(function)[2] for function, caller in calls
                 if name_at(caller)[0] not in self.of_box]
        return [name for name in names if name not in CLOCKS]


def prompt_of(box):
    return eventually(lambda: box.request("GET", "/api/prompts").json()["prompts"])[0]["id"]


# --- agents that ask -----------------------------------------------------------------------


class Agent:
    """One of the run dialect."""

    def __init__(self, box):
        self.ws = WS(box, "/ws/run?role=agent&session=s", unix=True)
        self.ws.send({"kind": "prompt", "prompt-id": "own", "invokeid": "a", "type": "select",
                      "opts": {"prompt": "Shall I?", "options": ["allow", "no"]}})

    def until_answer(self, notes):
        while (frame := self.ws.json())["kind"] != "answer":
            pass
        assert frame["value"] == "allow", frame
        self.ws.close()
        return notes.read()


class Hook:
    """A permission of Claude Code."""

    def __init__(self, box):
        self.http = Http(box.connect(unix=True))
        payload = {"session_id": "s", "transcript_path": "/t", "cwd": "/", "tool_name": "Bash",
                   "hook_event_name": "PermissionRequest", "tool_input": {"command": "make"}}
        self.http.send(request_bytes("POST", "/api/hooks/claude-code/decide", payload,
                                     box.host_header()))
        assert self.http.head()[0] == 200

    def until_answer(self, notes):
        said = b""
        while b'"allow"' not in said:
            said += self.http.take(1)
        self.http.close()
        return notes.read()


class Approval:
    """One of an OpenClaw gateway; what that says of a decision is another walk."""

    def __init__(self, box):
        self.box, self.notes, self.walked = box, None, None
        self.gateway = Gateway()
        self.resolve, self.gateway._resolve = self.gateway._resolve, self._resolve
        connected(box, self.gateway)
        self.gateway.approve("a-1", "make")

    def _resolve(self, *decision):
        self.walked = self.notes.read()
        return self.resolve(*decision)

    def until_answer(self, notes):
        eventually(lambda: self.walked)
        assert self.box.request("DELETE", "/api/sources/claw").status == 200
        self.gateway.stop()
        return self.walked


# --- screens that answer -------------------------------------------------------------------


def first_value(box, prompt):
    (one,) = [p for p in box.request("GET", "/api/prompts").json()["prompts"] if p["id"] == prompt]
    return one["options"][0]["value"]


def by_post(box, prompt, value):
    answer = box.request("POST", f"/api/prompts/{prompt}/answer", {"value": value})
    assert answer.status == 200, answer


def by_native(box, prompt, value):
    with WS(box, unix=True) as ws:
        ws.send({"op": "answer", "id": prompt, "value": value, "ref": 1})
        while (said := ws.json()).get("ref") != 1:
            pass
        assert said["op"] == "ack", said


def by_run_dialect(box, prompt, value):
    with WS(box, "/ws/run", unix=True) as ws:
        ws.send({"kind": "answer", "prompt-id": prompt, "value": value})
        while ws.json()["kind"] != "prompt-closed":
            pass


def ordinary(box, notes):
    """What is entered by a signal that nobody asked for, and by clients that come."""
    notes.clear()
    with WS(box, unix=True), WS(box, "/ws/run", unix=True):
        box.emit({"type": "task_dispatch", "correlationId": "c",
                  "payload": {"taskId": "c", "from": "user", "to": "a", "description": "x"}})
        eventually(lambda: {"runs_have_news", "tell_command"} <= set(notes.read()))
    box.emit({"type": "x"})
    return set(notes.read())


def walk(box, notes, agent, answer):
    asks = agent(box)
    prompt = prompt_of(box)
    value = first_value(box, prompt)
    notes.clear()
    asks.notes = notes
    answer(box, prompt, value)
    return asks.until_answer(notes)


@test("an answer enters box at most twice on its way to the agent")
def _():
    notes = Notes()
    with Box(env={"ENTERED": str(notes.path)}) as box:
        usual = ordinary(box, notes)
        assert {"journal_is_durable", "commit_turn"} <= usual, usual
        for agent in (Agent, Hook, Approval):
            for answer in (by_post, by_native, by_run_dialect):
                entered = [n for n in walk(box, notes, agent, answer) if n not in usual]
                # Screens are told that it is answered.
                assert "prompt_changed" in entered, (agent, answer, entered)
                assert len(entered) <= MOST, (agent, answer, entered)


run()
