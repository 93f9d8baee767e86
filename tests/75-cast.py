#!/usr/bin/env python3
"""Stand-ins on the stage of a running box: any agent is a character, the same one for every
screen, and again after a restart."""

import json

from lib import ROOT, WS, Box, eventually, run, test

HOOKS = ROOT / "tests" / "fixtures" / "claude" / "hooks.jsonl"
STAND_INS = sum(e.get("standIn", False) for e in json.loads(
    (ROOT / "show" / "default.json").read_text())["scene"]["entities"])


def look(box):
    answer = box.request("GET", "/api/stage")
    assert answer.status == 200, answer
    return answer.json()


def cast(box):
    """Who plays whom: the entity of the scene by the name."""
    return {e["semanticId"]: e for e in look(box)["entities"] if "label" in e}


def arrive(box, name, to="thinking"):
    box.emit("agent_state_change", payload={"agentId": name, "from": "idle", "to": to})


def use(box, show):
    answer = box.request("PUT", "/api/show", show)
    assert answer.status == 200, answer


def program_show():
    return json.loads((ROOT / "show" / "default.json").read_text())


class Viewer(WS):
    """A native client that follows the stage and hears no signals."""

    def __init__(self, box):
        super().__init__(box, unix=True)
        assert self.json()["op"] == "hello"
        self.send({"op": "subscribe", "types": ["nothing"], "stage": True})
        self.first = self.json()["snapshot"]

    def command(self):
        return self.json()["command"]


@test("whoever comes gets a character, and every screen hears it first")
def _():
    with Box() as box, Viewer(box) as one, Viewer(box) as two:
        assert not [e for e in one.first["entities"] if "label" in e]
        arrive(box, "gemma3:4b")
        seen = [one.command() for _ in range(3)]
        assert seen == [two.command() for _ in range(3)]
        assert [c["action"] for c in seen] == ["cast", "spawn", "setAnimation"], seen
        assert {c["entityRef"] for c in seen} == {"gemma3:4b"}, seen
        assert seen[0]["params"] == {"id": "stand-in-1", "label": "gemma3:4b"}, seen
        with Viewer(box) as late:
            actor = next(e for e in late.first["entities"] if e["id"] == "stand-in-1")
        assert actor["semanticId"] == actor["label"] == "gemma3:4b", actor
        assert actor["visible"] and actor["activeState"] == "thinking", actor


@test("a letter flies from one stand-in to another")
def _():
    with Box() as box, Viewer(box) as viewer:
        box.emit("task_dispatch", payload={"taskId": "1", "from": "chief", "to": "worker"})
        while (command := viewer.command())["action"] != "fly":
            pass
        assert command["params"]["to"] == "worker", command
        chief, worker = cast(box)["chief"], cast(box)["worker"]
        assert (chief["id"], worker["id"]) == ("stand-in-1", "stand-in-2")
        eventually(lambda: not entity(box, "letter")["visible"])
        letter = entity(box, "letter")
        assert (letter["x"], letter["y"]) == (worker["x"], worker["y"]), letter


def entity(box, name):
    return next(e for e in look(box)["entities"] if e["semanticId"] == name)


@test("who is at work keeps the character, and those without one are counted")
def _():
    with Box() as box, Viewer(box) as viewer:
        assert viewer.first["offstage"] == 0, viewer.first
        for i in range(STAND_INS + 3):
            arrive(box, f"agent-{i}")
        first = sorted(f"agent-{i}" for i in range(STAND_INS))
        assert sorted(cast(box)) == first, cast(box)
        assert look(box)["offstage"] == 3, look(box)
        while (command := viewer.command())["action"] != "offstage" or \
                command["params"]["count"] != 3:
            assert command["action"] != "cast" or command["entityRef"] in first, command
        for i in range(STAND_INS + 3):  # nobody takes anything from anybody
            arrive(box, f"agent-{i}", "acting")
        assert sorted(cast(box)) == first, cast(box)
        box.restart()
        assert look(box)["offstage"] == 3, look(box)


@test("a place that became free is for the next of them who is heard of")
def _():
    with Box() as box:
        for i in range(STAND_INS + 3):
            arrive(box, f"agent-{i}")
        place = cast(box)["agent-4"]["id"]
        box.emit("completion", payload={"agentId": "agent-4", "success": True})
        eventually(lambda: cast(box)["agent-4"]["activeState"] == "idle")
        first, second, third = (f"agent-{STAND_INS + i}" for i in range(3))
        box.emit("tool_result", payload={"toolName": "Read", "agentId": second,
                                         "success": True})
        parts = cast(box)
        assert "agent-4" not in parts and parts[second]["id"] == place, parts
        assert parts[second]["visible"], parts
        assert parts[second]["activeState"] == "thinking", parts
        assert look(box)["offstage"] == 2
        arrive(box, first, "idle")
        assert look(box)["offstage"] == 1
        box.emit("completion", payload={"agentId": third, "success": False})
        eventually(lambda: look(box)["offstage"] == 0)


@test("a name that nobody could read is nobody's")
def _():
    with Box() as box:
        for name in ("x" * 2049, "two\nlines", "\u001b[2J", ""):
            arrive(box, name)
        arrive(box, "x" * 64)
        assert list(cast(box)) == ["x" * 64]


@test("an agent with a very long name is seen, and is not the other one with such a name")
def _():
    names = ["é" * 360, "é" * 359 + "e"]
    with Box() as box:
        for name in names:
            arrive(box, name)
        before = cast(box)
        assert sorted(before) == sorted(names), before
        assert {e["label"] for e in before.values()} == {"é" * 30 + "…"}, before
        box.restart()
        assert cast(box) == before


@test("who had a part has it after a restart, and after a crash")
def _():
    with Box() as box:
        for name in ("one", "two"):
            arrive(box, name)
        before = cast(box)
        box.restart()
        assert cast(box) == before
        arrive(box, "three")
        before = cast(box)
        assert before["three"]["id"] == "stand-in-3", before
        box.kill9()
        box.start()
        assert cast(box) == before


@test("another show takes over the stand-ins that it has too")
def _():
    with Box() as box:
        for name in ("one", "two"):
            arrive(box, name)
        show = program_show()
        show["name"] = "another"
        place = next(e for e in show["scene"]["entities"] if e["id"] == "stand-in-2")
        show["scene"]["entities"].remove(place)
        del place["standIn"]
        show["scene"]["entities"].append({**place, "id": "two", "semanticId": "two"})
        use(box, show)
        parts = cast(box)
        assert list(parts) == ["one"] and parts["one"]["id"] == "stand-in-1", parts
        arrive(box, "two")
        arrive(box, "three")
        assert cast(box)["three"]["id"] == "stand-in-3", cast(box)
        assert entity(box, "two")["visible"]


@test("a subagent of Claude Code comes as a character and goes when it is done")
def _():
    with Box() as box, Viewer(box) as viewer:
        for line in HOOKS.read_text().splitlines():
            answer = box.request("POST", "/api/hooks/claude-code", line,
                                 {"Content-Type": "application/json"})
            assert answer.status in (200, 204), answer
        names = []
        while not names or not names[-1].startswith("Explore#"):
            if (command := viewer.command()).get("action") == "cast":
                names.append(command["entityRef"])
        session, subagent = names
        assert session.startswith("@") and subagent.endswith(session), names
        while (command := viewer.command()) and (command.get("action"),
                                                 command.get("entityRef")) != ("destroy", subagent):
            pass
        assert not entity(box, subagent)["visible"]


@test("sessions of one agent are as many figures, and one that is gone leaves")
def _():
    with Box() as box:
        for session in ("one", "two", "three"):
            for name, more in (("SessionStart", {"source": "startup"}),
                               ("UserPromptSubmit", {"prompt": "go"})):
                answer = box.request("POST", "/api/hooks/claude-code", json.dumps(
                    {"hook_event_name": name, "session_id": session, "cwd": "/home/a/x", **more}),
                    {"Content-Type": "application/json"})
                assert answer.status == 200, answer
        names = ("@one", "@two", "@three")
        eventually(lambda: all(entity(box, name)["visible"] for name in names))
        assert len({entity(box, name)["id"] for name in names}) == 3
        assert not entity(box, "claude")["visible"]
        answer = box.request("POST", "/api/hooks/claude-code", json.dumps(
            {"hook_event_name": "SessionEnd", "session_id": "two", "cwd": "/home/a/x",
             "reason": "exit"}), {"Content-Type": "application/json"})
        assert answer.status == 200, answer
        eventually(lambda: not entity(box, "@two")["visible"])
        assert entity(box, "@one")["visible"] and entity(box, "@three")["visible"]


run()
