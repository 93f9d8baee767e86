#!/usr/bin/env python3
"""`signalbox show`: shows are checked, printed, and played to the byte.

The commands of a recording are golden: tests/fixtures/show/NAME.commands.ndjson is what
NAME.ndjson gives, and NAME.stage.json how the stage looks then.
"""

import json

from lib import ROOT, cli, run, temp_dir, test

FIXTURES = ROOT / "tests" / "fixtures" / "show"
SMALL = FIXTURES / "small.json"
FIGURES = 10  # of the show in which agents find no character any more
LONG = "a name that is far too long to be written under a character, by any means"


def play(show, signals, *options):
    """The bytes of the commands and of the stage."""
    folder = temp_dir()
    out, stage = folder / "commands", folder / "stage"
    result = cli("show", "run", show, "--signals", signals, "--out", out, "--stage", stage,
                 *options)
    assert result.code == 0 and result.err == "" and result.out == "", result
    return out.read_bytes(), stage.read_bytes()


def assert_golden(show, name):
    commands, stage = play(show, FIXTURES / f"{name}.ndjson")
    assert commands == (FIXTURES / f"{name}.commands.ndjson").read_bytes(), name
    assert stage == (FIXTURES / f"{name}.stage.json").read_bytes(), name
    return [json.loads(line) for line in commands.splitlines()], json.loads(stage)


@test("the show in the program is printed, and good")
def _():
    exported = cli("show", "export", "--default")
    assert exported.code == 0 and exported.out == (ROOT / "show" / "default.json").read_text()
    for result in (cli("show", "check", "default"),
                   cli("show", "check", "-", input=exported.out)):
        assert result.code == 0 and ": good, " in result.out, result


@test("a fault is told with its pointer, and nothing else happens")
def _():
    text = SMALL.read_text()
    for old, new, words in (
        ('"to": "desk"', '"to": "dsk"', "/choreographies/0/steps/0/to: dsk: "),
        ('"every": 1', '"evry": 1', "/wires/1/filters/1/evry: no such member; every?"),
        ('"n": {"gt": 0}', '"n": {"gt": "0"}', "/wires/1/filters/3/clause/n/gt: "),
        ('"version": 1', '"version": 1,', "not JSON"),
        (text, "[]", "an object is needed"),
    ):
        assert old in text, old
        result = cli("show", "check", "-", input=text.replace(old, new, 1))
        assert result.code == 1 and result.out == "" and words in result.err, (words, result)
    result = cli("show", "check", "/nowhere/show.json")
    assert result.code == 1 and "/nowhere/show.json" in result.err, result


def at_home(actor):
    show = json.loads((ROOT / "show" / "default.json").read_text())
    placed = next(e for e in show["scene"]["entities"] if e["id"] == actor["id"])
    return (placed["x"], placed["y"]) == (actor["x"], actor["y"])


@test("the demo is played as it always was")
def _():
    commands, stage = assert_golden("default", "demo")
    actors = {e["semanticId"]: e for e in stage["entities"]}
    flown = {c["entityRef"] for c in commands if c.get("action") == "fly"}
    places = {c["params"].get("to") for c in commands if c.get("action") == "move"}
    said = {c["entityRef"] for c in commands if c["params"].get("property") == "speech"}
    assert flown == {"letter", "answer"}, flown
    assert {"library", "workshop", "lab", "ada", "bela"} <= places, places
    assert said == {"you", "ada", "bela"}, said
    assert any(c["action"] == "flash" and c["entityRef"] == "alarm" for c in commands)
    assert actors["ada"]["visible"] and at_home(actors["ada"])
    assert actors["bela"]["visible"] and not actors["claude"]["visible"], actors
    assert not actors["letter"]["visible"] and actors["alarm"]["scaleX"] == 1, actors


@test("a session of Claude Code is one figure, and each subagent another")
def _():
    commands, stage = assert_golden("default", "claude")
    actors = {e["semanticId"]: e for e in stage["entities"]}
    session = next(name for name in actors if name.startswith("@"))
    subagent = next(name for name in actors if name.startswith("Explore#"))
    assert subagent.endswith(session) and not actors["claude"]["visible"], actors
    assert not actors[subagent]["visible"], actors
    assert any(c["entityRef"] == subagent and c["params"].get("to") == "library"
               for c in commands if c["kind"] == "start")


def small_crowd():
    """The show in the program, with few stand-ins."""
    show = json.loads((ROOT / "show" / "default.json").read_text())
    entities = show["scene"]["entities"]
    stand_ins = [e for e in entities if e.get("standIn")]
    show["scene"]["entities"] = [e for e in entities if e not in stand_ins[FIGURES:]]
    path = temp_dir() / "show.json"
    path.write_text(json.dumps(show))
    return path


@test("whoever a signal names gets a character, as long as there are any")
def _():
    commands, stage = assert_golden(small_crowd(), "crowd")
    cast = [(c["entityRef"], c["params"]["id"]) for c in commands if c.get("action") == "cast"]
    named = ["orchestrator", *(f"reader-{i}" for i in range(1, 9)), "gemma3:4b", "main", LONG]
    assert [name for name, _ in cast] == named, cast
    assert [id for _, id in cast] == [*(f"stand-in-{i}" for i in range(1, 11)), "stand-in-1",
                                     "stand-in-2"]
    for name, _ in cast:
        first = next(c for c in commands if c.get("entityRef") == name)
        label = name if name != LONG else f"{LONG[:61]}…"
        assert first["action"] == "cast" and first["params"]["label"] == label, first
    labels = {e["id"]: (e["semanticId"], e["label"]) for e in stage["entities"] if "label" in e}
    assert labels["stand-in-1"] == ("main", "main") and len(labels) == 10, labels


@test("nobody on the stage of the program stands in anybody's way")
def _():
    show = json.loads((ROOT / "show" / "default.json").read_text())
    size = show["scene"]["dimensions"]
    homes = [(e["x"], e["y"], show["entities"][e["entityId"]]) for e in show["scene"]["entities"]
             if e["id"] not in ("letter", "answer")]
    boxes = []
    for x, y, look in homes:
        left, top = look.get("anchor", (0.5, 0.5))
        width, height = look["displayWidth"], look["displayHeight"]
        boxes.append((x - left * width, y - top * height, width, height))
    for i, (x, y, width, height) in enumerate(boxes):
        assert 0 <= x and x + width <= size["width"], homes[i]
        assert 0 <= y and y + height <= size["height"], homes[i]
        for x2, y2, width2, height2 in boxes[:i]:
            assert (x >= x2 + width2 or x2 >= x + width or
                    y >= y2 + height2 or y2 >= y + height), homes[i]


@test("wires, choreographies and bindings of a small show work together")
def _():
    commands, _stage = assert_golden(SMALL, "small")
    kinds = {c["kind"] for c in commands}
    assert kinds == {"start", "complete", "execute", "interrupt"}, kinds
    times = [c["at"] for c in commands]
    assert times == sorted(times)
    starts = [c["at"] for c in commands if c["kind"] == "start" and c["params"].get("to") == "desk"
              and c["performanceId"] != "perf-0"]
    assert starts == [0, 700, 1400], starts  # 50 is throttled, and "none" is not worked with


@test("with frames everything happens in one, and progress is told")
def _():
    frames, _stage = play(SMALL, FIXTURES / "small.ndjson", "--fps", "20")
    assert frames == (FIXTURES / "small.frames.ndjson").read_bytes()
    commands = [json.loads(line) for line in frames.splitlines()]
    updates = [c for c in commands if c["kind"] == "update"]
    assert updates and all(c["at"] % 50 == 0 for c in updates), updates[:3]


@test("with any number of frames a second it ends, and everything happens in one of them, once")
def _():
    for fps in (1, 7, 23, 24, 25, 29, 30, 50, 59, 60, 72, 90, 100, 120, 144, 240, 360, 999, 1000):
        frames, _ = play(SMALL, FIXTURES / "small.ndjson", "--fps", str(fps))
        commands = [json.loads(line) for line in frames.splitlines()]
        times = sorted({c["at"] for c in commands if c["kind"] == "update"})
        numbers = [at * fps / 1000 for at in times]
        assert times and all(abs(n - round(n)) < 1e-6 for n in numbers), (fps, numbers[:9])
        assert len(set(map(round, numbers))) == len(numbers), (fps, numbers)


@test("time begins with the first signal")
def _():
    lines = [json.loads(line) for line in (FIXTURES / "demo.ndjson").read_text().splitlines()]
    for line in lines:
        line["timestamp"] += 1_700_000_000_000
    later = temp_dir() / "later.ndjson"
    later.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert play("default", later)[0] == (FIXTURES / "demo.commands.ndjson").read_bytes()


@test("a line that is no signal ends it, with its number")
def _():
    folder = temp_dir()
    bad = folder / "bad.ndjson"
    good = (FIXTURES / "small.ndjson").read_text().splitlines()[0]
    for line, words in (('{"type":"x","payload":{}}', "timestamp"), ("nonsense", "not JSON"),
                        ('{"type":"x","timestamp":1,"payload":[]}', "payload")):
        bad.write_text(f"{good}\n\n{line}\n")
        result = cli("show", "run", SMALL, "--signals", bad, "--out", folder / "out")
        assert result.code == 1 and f"{bad}:3: " in result.err and words in result.err, result


@test("what cannot be read is told, and not taken for nothing")
def _():
    folder = temp_dir()
    for words in (("check", folder), ("run", folder, "--signals", FIXTURES / "small.ndjson"),
                  ("run", SMALL, "--signals", folder)):
        result = cli("show", *words, *(("--out", folder / "out") if words[0] == "run" else ()))
        assert result.code == 1 and f"{folder}: Is a directory" in result.err, result


@test("a wrong use is told as one")
def _():
    for words in ((), ("draw",), ("check",), ("export", "x"), ("run", SMALL),
                  ("run", SMALL, "--signals", "x"),
                  ("run", SMALL, "--signals", "x", "--out", "y", "--fps", "0")):
        assert cli("show", *words).code == 2, words


run()
